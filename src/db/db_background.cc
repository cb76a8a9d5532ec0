// Background work: super versions and stalls, flushes, automatic compactions, and their scheduling.
#include <algorithm>

#include "base/logging.h"
#include "compaction/compaction_job.h"
#include "compaction/flush_job.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/file_options.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

// Counts a caller who waits for a flush as long as it lives.
class FlushWaiter {
 public:
  explicit FlushWaiter(std::atomic<int>* count) : count_(count) {
    count_->fetch_add(1, std::memory_order_relaxed);
  }
  ~FlushWaiter() { count_->fetch_sub(1, std::memory_order_relaxed); }
  FlushWaiter(const FlushWaiter&) = delete;
  FlushWaiter& operator=(const FlushWaiter&) = delete;

 private:
  std::atomic<int>* const count_;
};

}  // namespace

int DBImpl::MaxFlushes(const DBOptions& options) {
  if (options.max_background_flushes > 0) return options.max_background_flushes;
  return std::max(1, options.max_background_jobs / 4);
}

int DBImpl::MaxCompactions(const DBOptions& options) {
  if (options.max_background_compactions > 0) return options.max_background_compactions;
  return std::max(1, options.max_background_jobs - MaxFlushes(options));
}

// --- Super versions and stalls

void DBImpl::InstallSuperVersion() {
  auto* sv = new SuperVersion();
  sv->mem = mem_;
  sv->mem->Ref();
  sv->imm = imm_.current();
  sv->imm->Ref();
  sv->current = versions_->current();
  sv->current->Ref();
  sv->number = ++super_version_number_;
  super_versions_->Install(sv);
  UpdateStall();
}

// What the level-0 triggers count. In universal style all runs are of a kind.
int DBImpl::Level0Pressure() const {
  const Version& version = *versions_->current();
  return live_options_->compaction_style == kCompactionStyleUniversal ? version.NumSortedRuns()
                                                                      : version.NumLevelFiles(0);
}

void DBImpl::UpdateStall() {
  const Options& options = *live_options_;
  StallInputs inputs;
  inputs.unflushed_memtables = imm_.NumNotFlushed();
  inputs.level0_files = Level0Pressure();
  inputs.pending_compaction_bytes = versions_->current()->estimated_compaction_needed_bytes();
  inputs.auto_compactions = !options.disable_auto_compactions;
  const StallDecision decision = DecideStall(inputs, options);
  if (decision != stall_) {
    LogWarn(db_options_.info_log.get(), "[default] %s",
            StallMessage(decision, inputs, options).c_str());
  }
  switch (decision.condition) {
    case StallCondition::kNormal:
      stall_token_.reset();
      break;
    case StallCondition::kDelayed:
      stall_token_ = write_controller_.GetDelayToken(DelayedWriteRate(
          write_controller_.max_delayed_write_rate(), StallDepth(decision.cause, inputs, options)));
      break;
    case StallCondition::kStopped:
      stall_token_ = write_controller_.GetStopToken();
      break;
  }
  const bool behind = IsCompactionBehind(inputs, options);
  if (behind != (pressure_token_ != nullptr)) {
    pressure_token_ = behind ? write_controller_.GetCompactionPressureToken() : nullptr;
  }
  stall_ = decision;
  write_needs_attention_.store(decision.condition != StallCondition::kNormal ||
                                   has_background_error_.load(std::memory_order_relaxed) ||
                                   shutting_down_.load(std::memory_order_relaxed),
                               std::memory_order_release);
  background_done_.notify_all();
}

// --- Scheduling

void DBImpl::MaybeScheduleWork() {
  if (mode_ != OpenMode::kReadWrite || paused_ > 0 || shutting_down_.load() ||
      has_background_error_.load()) {
    return;
  }
  // Flushes of one family finish in order: one at a time.
  if (running_flushes_ == 0 && imm_.IsFlushPending()) {
    ++running_flushes_;
    if (!scheduler_->Schedule(JobPriority::kHigh, [this] { BackgroundFlush(); })) {
      --running_flushes_;
    }
  }
  const Options& options = *live_options_;
  if (options.disable_auto_compactions || exclusive_manual_ > 0 || compaction_blocked_) return;
  const int limit = write_controller_.NeedSpeedupCompaction() ||
                            Level0Pressure() >= 2 * options.level0_file_num_compaction_trigger
                        ? MaxCompactions(options)
                        : 1;
  if (running_compactions_ < limit && picker_->NeedsCompaction(*versions_->current())) {
    ++running_compactions_;
    if (!scheduler_->Schedule(JobPriority::kLow, [this] { BackgroundCompaction(); })) {
      --running_compactions_;
    }
  }
}

JobEnv DBImpl::MakeJobEnv(int job_id) {
  JobEnv env;
  env.db_options = live_options_;
  env.fs = fs_;
  env.file_options = FileOptionsForTableWrite(*live_options_);
  env.dbname = dbname_;
  env.paths = paths_;
  env.table_cache = table_cache_.get();
  env.directory = directory_.get();
  env.statistics = statistics_;
  env.info_log = db_options_.info_log.get();
  env.db_id = versions_->db_id();
  env.db_session_id = db_session_id_;
  env.icmp = &icmp_;
  env.shutting_down = &shutting_down_;
  env.new_file_number = [this] { return versions_->NewFileNumber(); };
  env.snapshots = snapshots_.Sequences();
  env.job_id = job_id;
  return env;
}

// --- Flush

// A flush should end before the next memtable is full, and sooner if somebody waits for it.
bool DBImpl::FlushIsUrgent(double done) const {
  if (flush_waiters_.load(std::memory_order_relaxed) > 0 || write_controller_.IsStopped() ||
      write_controller_.NeedsDelay() || write_buffer_manager_->ShouldFlush() ||
      shutting_down_.load(std::memory_order_relaxed)) {
    return true;
  }
  SuperVersionGuard sv(super_versions_.get());
  const double filled = static_cast<double>(sv->mem->ApproximateMemoryUsage()) /
                        static_cast<double>(sv->mem->write_buffer_size());
  constexpr double kDoneBy = 0.75;
  return done * kDoneBy < filled;
}

void DBImpl::BackgroundFlush() {
  {
    fiber::MutexLock lock(&mutex_);
    Status s;
    if (!shutting_down_.load() && !has_background_error_.load()) s = FlushOnce();
    if (!s.ok() && !s.IsShutdownInProgress()) SetBackgroundError(s, "flush");
    --running_flushes_;
    compaction_blocked_ = false;
    MaybeScheduleWork();
    background_done_.notify_all();
  }
  Purge();
}

Status DBImpl::FlushOnce() {
  std::vector<MemTable*> memtables;
  imm_.PickMemtablesToFlush(UINT64_MAX, &memtables);
  if (memtables.empty()) return Status::OK();
  const auto protected_from = ProtectNewFiles();
  JobEnv env = MakeJobEnv(next_job_id_.fetch_add(1));
  env.urgent = [this](double done) { return FlushIsUrgent(done); };
  const uint64_t file_number = versions_->NewFileNumber();
  const uint64_t log_number = memtables.back()->GetNextLogNumber();
  const std::shared_ptr<const Options> options = live_options_;
  FlushJob job(env, *options, memtables, versions_->default_family()->NewEpochNumber(),
               "Write Buffer Full");
  FileMetaData meta;
  mutex_.unlock();
  Status s = job.Run(file_number, &meta);
  mutex_.lock();
  if (s.ok()) {
    VersionEdit edit;
    edit.SetLogNumber(log_number);
    edit.SetMinLogNumberToKeep(log_number);
    if (meta.file_size > 0) edit.AddFile(0, std::move(meta));
    s = versions_->LogAndApply(versions_->default_family(), &edit, &mutex_, directory_.get(), false,
                               [&] { imm_.Remove(memtables); });
  }
  UnprotectNewFiles(protected_from);
  if (!s.ok()) {
    imm_.RollbackFlush(memtables);
    return s;
  }
  level_stats_.Add(0, job.stats());
  InstallSuperVersion();
  LogInfo(db_options_.info_log.get(), "[default] Level summary: %s",
          versions_->current()->LevelSummary().c_str());
  return s;
}

// --- Compaction

void DBImpl::BackgroundCompaction() {
  {
    fiber::MutexLock lock(&mutex_);
    Status s;
    if (!shutting_down_.load() && !has_background_error_.load() && paused_ == 0 &&
        exclusive_manual_ == 0) {
      std::unique_ptr<Compaction> compaction =
          picker_->PickCompaction(*live_options_, versions_->current());
      if (compaction != nullptr) {
        // Another job may fit beside this one.
        MaybeScheduleWork();
        s = RunCompaction(std::move(compaction), nullptr, next_job_id_.fetch_add(1));
        compaction_blocked_ = false;
      } else {
        // Nothing fits beside what runs now; whatever ends next clears this.
        compaction_blocked_ = true;
      }
    }
    if (!s.ok() && !s.IsShutdownInProgress()) SetBackgroundError(s, "compaction");
    --running_compactions_;
    MaybeScheduleWork();
    background_done_.notify_all();
  }
  Purge();
}

Status DBImpl::RunCompaction(std::unique_ptr<Compaction> compaction,
                             const std::atomic<bool>* canceled, int job_id,
                             CompactionJobInfo* info) {
  ColumnFamilyState* const family = versions_->default_family();
  Status s;
  if (compaction->IsTrivialMove()) {
    VersionEdit edit;
    compaction->AddTrivialMove(&edit);
    s = versions_->LogAndApply(family, &edit, &mutex_, directory_.get(), false,
                               [&] { compaction->ReleaseInputs(); });
    if (s.ok()) {
      JobStats stats;
      stats.bytes_moved = compaction->total_input_bytes();
      level_stats_.Add(compaction->output_level(), stats);
      LogInfo(db_options_.info_log.get(), "[default] Moved %s", compaction->InputSummary().c_str());
    }
  } else {
    const auto protected_from = ProtectNewFiles();
    JobEnv env = MakeJobEnv(job_id);
    env.canceled = canceled;
    if (!compaction->is_manual()) {
      env.urgent = [this](double) {
        return write_controller_.NeedSpeedupCompaction() ||
               shutting_down_.load(std::memory_order_relaxed);
      };
    }
    CompactionJob job(env, compaction.get());
    mutex_.unlock();
    s = job.Run();
    if (info != nullptr) ReportCompaction(*compaction, job.stats(), job_id, info);
    mutex_.lock();
    if (s.ok()) {
      s = versions_->LogAndApply(family, compaction->edit(), &mutex_, directory_.get(), false,
                                 [&] { compaction->ReleaseInputs(); });
    }
    if (info != nullptr) info->status = s;
    UnprotectNewFiles(protected_from);
    if (s.ok()) level_stats_.Add(compaction->output_level(), job.stats());
  }
  compaction.reset();
  if (s.ok()) {
    InstallSuperVersion();
    LogInfo(db_options_.info_log.get(), "[default] Level summary: %s",
            versions_->current()->LevelSummary().c_str());
  }
  return s;
}

Status DBImpl::PauseBackgroundWork() {
  fiber::MutexLock lock(&mutex_);
  ++paused_;
  while (running_flushes_ > 0 || running_compactions_ > 0) background_done_.wait(&mutex_);
  return Status::OK();
}

Status DBImpl::ContinueBackgroundWork() {
  fiber::MutexLock lock(&mutex_);
  if (paused_ == 0) return Status::InvalidArgument("background work is not paused");
  if (--paused_ == 0) {
    MaybeScheduleWork();
    background_done_.notify_all();  // manual compactions wait for this, too
  }
  return Status::OK();
}

void DBImpl::CancelAllBackgroundWork(bool wait) {
  if (mode_ == OpenMode::kReadWrite) FlushUnlogged().PermitUncheckedError();
  fiber::MutexLock lock(&mutex_);
  shutting_down_.store(true, std::memory_order_release);
  background_done_.notify_all();
  while (wait && (running_flushes_ > 0 || running_compactions_ > 0 || running_manual_ > 0)) {
    background_done_.wait(&mutex_);
  }
}

// --- Flush on demand

Status DBImpl::Flush(const FlushOptions& options, ColumnFamilyHandle* family) {
  Status s = RefuseIfReadOnly();
  if (s.ok()) s = CheckFamily(family);
  return s.ok() ? FlushMemTables(options) : s;
}

Status DBImpl::Flush(const FlushOptions& options,
                     const std::vector<ColumnFamilyHandle*>& families) {
  for (ColumnFamilyHandle* family : families) {
    Status s = CheckFamily(family);
    if (!s.ok()) return s;
  }
  return families.empty() ? Status::OK() : Flush(options, families[0]);
}

Status DBImpl::FlushMemTables(const FlushOptions& options) {
  if (!options.allow_write_stall) {
    // A flush now would be the one memtable, or level-0 file, too many: wait, as the option
    // promises.
    fiber::MutexLock lock(&mutex_);
    while (!shutting_down_.load() && !has_background_error_.load() && imm_.NumNotFlushed() > 0 &&
           imm_.NumNotFlushed() + 1 >= live_options_->max_write_buffer_number) {
      imm_.FlushRequested();
      MaybeScheduleWork();
      background_done_.wait(&mutex_);
    }
  }
  uint64_t last_id;
  {
    CommitQueue::Exclusive leadership(commit_.get());
    fiber::MutexLock lock(&mutex_);
    if (has_background_error_.load()) return background_error_;
    if (!mem_->IsEmpty()) {
      Status s = SwitchMemTable();
      if (!s.ok()) return s;
    }
    last_id = imm_.NewestID();
    if (imm_.NumNotFlushed() == 0) return Status::OK();
    imm_.FlushRequested();
    MaybeScheduleWork();
  }
  if (!options.wait) return Status::OK();
  const FlushWaiter waiter(&flush_waiters_);
  fiber::MutexLock lock(&mutex_);
  // Flushes finish in order: done when the oldest that is left is newer than ours.
  while (imm_.NumNotFlushed() > 0 && imm_.current()->memtables().back()->GetID() <= last_id) {
    if (has_background_error_.load()) return background_error_;
    if (shutting_down_.load()) return Status::ShutdownInProgress();
    background_done_.wait(&mutex_);
  }
  return Status::OK();
}

}  // namespace cairn
