// Background work: super versions and stalls, automatic compactions, and the scheduling of all.
#include <algorithm>

#include "base/logging.h"
#include "compaction/compaction_job.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/file_options.h"
#include "rocksdb/statistics.h"

namespace cairn {
int DBImpl::MaxFlushes(const DBOptions& options) {
  if (options.max_background_flushes > 0) return options.max_background_flushes;
  return std::max(1, options.max_background_jobs / 4);
}

int DBImpl::MaxCompactions(const DBOptions& options) {
  if (options.max_background_compactions > 0) return options.max_background_compactions;
  return std::max(1, options.max_background_jobs - MaxFlushes(options));
}

// --- Super versions and stalls

void DBImpl::InstallSuperVersion(ColumnFamily* family) {
  auto* sv = new SuperVersion();
  sv->mem = family->mem;
  sv->mem->Ref();
  sv->imm = family->imm.current();
  sv->imm->Ref();
  sv->current = family->current();
  sv->current->Ref();
  sv->number = ++family->super_version_number;
  sv->merge_operator = family->merge_operator.get();
  if (mode_ == OpenMode::kSecondary) {
    family->limit = std::make_shared<SequenceLimit>(versions_->LastSequence());
  }
  sv->limit = family->limit;
  ++super_versions_;
  family->super_versions->Install(sv);
  if (mode_ == OpenMode::kSecondary) return;  // the rest is the primary's matter
  UpdateStall(family);
  if (WantsCompaction(*family)) books_.to_compact()->emplace(family->id(), family);
}

// What the level-0 triggers count. In universal style all runs are of a kind.
int DBImpl::Level0Pressure(const ColumnFamily& family) {
  const Version& version = *family.current();
  return family.options->compaction_style == kCompactionStyleUniversal ? version.NumSortedRuns()
                                                                       : version.NumLevelFiles(0);
}

ColumnFamily* DBImpl::StalledFamily() const {
  ColumnFamily* worst = default_family_;
  for (const auto& [id, family] : books_.stalled()) {
    if (worst->stall.condition < family->stall.condition) worst = family;
  }
  return worst;
}

void DBImpl::UpdateStall(ColumnFamily* family) {
  const Options& options = *family->options;
  StallInputs inputs;
  inputs.unflushed_memtables = family->imm.NumNotFlushed();
  inputs.level0_files = Level0Pressure(*family);
  inputs.pending_compaction_bytes = family->current()->estimated_compaction_needed_bytes();
  inputs.auto_compactions = !options.disable_auto_compactions;
  const StallDecision decision =
      family->dropped.load() ? StallDecision() : DecideStall(inputs, options);
  const StallCondition before = family->stall.condition;
  if (decision != family->stall) {
    LogWarn(db_options_.info_log.get(), "[%s] %s", family->name().c_str(),
            StallMessage(decision, inputs, options).c_str());
  }
  switch (decision.condition) {
    case StallCondition::kNormal:
      family->stall_token.reset();
      break;
    case StallCondition::kDelayed:
      family->stall_token = write_controller_.GetDelayToken(DelayedWriteRate(
          write_controller_.max_delayed_write_rate(), StallDepth(decision.cause, inputs, options)));
      break;
    case StallCondition::kStopped:
      family->stall_token = write_controller_.GetStopToken();
      break;
  }
  const bool behind = !family->dropped.load() && IsCompactionBehind(inputs, options);
  if (behind != (family->pressure_token != nullptr)) {
    family->pressure_token = behind ? write_controller_.GetCompactionPressureToken() : nullptr;
  }
  family->stall = decision;
  QueueStallEvent(*family, before);
  UpdateFigures(family);
  write_needs_attention_.store(books_.any_stalled() ||
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
  FamilyBooks::Candidates* const candidates = books_.to_flush();
  for (auto it = candidates->begin(); it != candidates->end();) {
    ColumnFamily* const family = it->second;
    books_.CountVisits(1);
    // Flushes of one family finish in order: one at a time, whose end makes it a candidate again.
    // An atomic one is of all families.
    if (!family->flushing && family->imm.IsFlushPending()) {
      if (FlushesTogether() && running_flushes_ > 0) break;
      ++running_flushes_;
      family->flushing = true;
      family->Ref();
      if (!scheduler_->Schedule(JobPriority::kHigh, [this, family] { BackgroundFlush(family); })) {
        --running_flushes_;
        family->flushing = false;
        family->refs.fetch_sub(1);
        ++it;
        continue;
      }
    }
    it = candidates->erase(it);
  }
  MaybeScheduleCompaction();
}

bool DBImpl::WantsCompaction(const ColumnFamily& family) {
  return !family.options->disable_auto_compactions && !family.compaction_blocked &&
         family.picker->NeedsCompaction(*family.current());
}

void DBImpl::MaybeScheduleCompaction() {
  if (exclusive_manual_ > 0 || pausing_compactions_ > 0) return;
  NoteExpired();
  bool wanted = false;
  FamilyBooks::Candidates* const candidates = books_.to_compact();
  for (auto it = candidates->begin(); it != candidates->end() && !wanted;) {
    const ColumnFamily& family = *it->second;
    books_.CountVisits(1);
    wanted = WantsCompaction(family);
    const bool may_want = wanted || family.compaction_blocked;
    it = may_want ? std::next(it) : candidates->erase(it);
  }
  const bool pressed = write_controller_.NeedSpeedupCompaction() || books_.any_pressed();
  const int limit = pressed ? MaxCompactions(*default_family_->options) : 1;
  if (!wanted || running_compactions_ >= limit) return;
  ++running_compactions_;
  if (!scheduler_->Schedule(JobPriority::kLow, [this] { BackgroundCompaction(); })) {
    --running_compactions_;
  }
}

void DBImpl::StartClock() {
  if (clock_.joinable() || mode_ != OpenMode::kReadWrite || shutting_down_.load() ||
      (default_family_->options->stats_dump_period_sec == 0 && !books_.any_ages())) {
    return;
  }
  const int r = fiber::Thread::create("rocksdb:clock", [this] { WatchClock(); }, 0, &clock_);
  if (r != 0) LogWarn(db_options_.info_log.get(), "No thread to watch the clock");
}

void DBImpl::NoteExpired() {
  if (books_.next_expiry() == UINT64_MAX) return;
  for (ColumnFamily* family : books_.ExpiredBefore(fiber::wall_micros() / 1'000'000)) {
    UpdateFigures(family);  // what is being compacted does not count
    books_.to_compact()->emplace(family->id(), family);
  }
}

void DBImpl::WatchClock() {
  constexpr uint64_t kNanosPerSecond = 1'000'000'000;
  constexpr uint64_t kLongest = uint64_t{12} * 60 * 60;  // seconds: the wall's clock may be set
  uint64_t last_dump = fiber::now_nanos();
  DBMutexLock lock(&mutex_);
  while (!shutting_down_.load()) {
    const uint64_t dump_period =
        default_family_->options->stats_dump_period_sec * kNanosPerSecond;  // 0: none
    if (dump_period != 0 && fiber::now_nanos() - last_dump >= dump_period) {
      last_dump = fiber::now_nanos();
      DumpStats();
      continue;
    }
    NoteExpired();
    const uint64_t next = books_.next_expiry();
    const uint64_t now = fiber::wall_micros() / 1'000'000;
    const bool due = next < now;
    if (due) MaybeScheduleWork();
    // (What is due may have to wait for another job, whose end is signalled.)
    const uint64_t seconds = due ? kLongest : std::min(next - now + 1, kLongest);
    uint64_t until = fiber::now_nanos() + seconds * kNanosPerSecond;
    if (dump_period != 0) until = std::min(until, last_dump + dump_period);
    background_done_.wait_until(&mutex_, until);
  }
}

JobEnv DBImpl::MakeJobEnv(const ColumnFamily& family, int job_id, Env::IOPriority io_priority) {
  JobEnv env;
  env.db_options = family.options;
  env.fs = fs_;
  env.file_options = FileOptionsForTableWrite(*family.options);
  env.dbname = dbname_;
  env.paths = paths_;
  env.table_cache = family.tables.get();
  env.directory = directory_.get();
  env.statistics = statistics_;
  env.info_log = db_options_.info_log.get();
  env.db_id = versions_->db_id();
  env.db_session_id = db_session_id_;
  env.column_family_id = family.id();
  env.column_family_name = family.name();
  env.icmp = &family.icmp;
  env.shutting_down = &shutting_down_;
  env.new_file_number = [this] { return versions_->NewFileNumber(); };
  env.snapshots = snapshots_.Sequences();
  env.job_id = job_id;
  if (db_options_.rate_limiter != nullptr) {
    env.io_priority = [this, io_priority] {
      return write_controller_.IsStopped() || write_controller_.NeedsDelay() ? Env::IO_USER
                                                                             : io_priority;
    };
  }
  return env;
}

// --- Compaction

std::unique_ptr<Compaction> DBImpl::PickCompaction(ColumnFamily** out) {
  FamilyBooks::Candidates* const candidates = books_.to_compact();
  auto it = candidates->lower_bound(next_family_);
  for (size_t left = candidates->size(); left > 0; --left) {
    if (it == candidates->end()) it = candidates->begin();
    ColumnFamily* const family = it->second;
    books_.CountVisits(1);
    next_family_ = family->id() + 1;
    if (!WantsCompaction(*family)) {
      it = family->compaction_blocked ? std::next(it) : candidates->erase(it);
      continue;
    }
    ++it;
    std::unique_ptr<Compaction> compaction =
        family->InformedPicker()->PickCompaction(*family->options, family->current());
    if (compaction != nullptr) {
      family->Ref();
      *out = family;
      return compaction;
    }
    // Nothing fits beside what runs now; whatever of it ends next clears this.
    family->compaction_blocked = true;
  }
  return nullptr;
}

void DBImpl::BackgroundCompaction() {
  ColumnFamily* family = nullptr;
  {
    DBMutexLock lock(&mutex_);
    Status s;
    bool outputs_are_gone = false;
    if (!shutting_down_.load() && !has_background_error_.load() && paused_ == 0 &&
        exclusive_manual_ == 0) {
      std::unique_ptr<Compaction> compaction = PickCompaction(&family);
      if (compaction != nullptr) {
        // Another job may fit beside this one.
        MaybeScheduleWork();
        s = RunCompaction(family, std::move(compaction), nullptr, next_job_id_.fetch_add(1),
                          /*info=*/nullptr, &outputs_are_gone);
      }
    }
    if (!s.ok() && !s.IsShutdownInProgress() && !s.IsColumnFamilyDropped()) {
      CompactionFailed(s, outputs_are_gone, "compaction");
      if (outputs_are_gone) PauseAfterShortage();
    }
    --running_compactions_;
    MaybeScheduleWork();
    background_done_.notify_all();
    if (family != nullptr) UnrefFamily(family, /*purge=*/false);
  }
  Purge();
}

Status DBImpl::RunCompaction(ColumnFamily* family, std::unique_ptr<Compaction> compaction,
                             const std::atomic<bool>* canceled, int job_id, CompactionJobInfo* info,
                             bool* outputs_are_gone) {
  ++family->running_compactions;
  Status s;
  CompactionJobInfo told;
  if (has_listeners()) {
    TellCompactionBegin(*family, *compaction, job_id);
    if (info == nullptr) info = &told;
  }
  if (compaction->drops_inputs() || compaction->IsTrivialMove()) {
    VersionEdit edit;
    if (compaction->drops_inputs()) {
      compaction->AddInputDeletions(&edit);
    } else {
      compaction->AddTrivialMove(&edit);
    }
    s = versions_->LogAndApply(family->state, &edit, &mutex_, directory_.get(), false,
                               [&] { compaction->ReleaseInputs(); });
    if (s.ok()) {
      JobStats stats;
      if (!compaction->drops_inputs()) stats.bytes_moved = compaction->total_input_bytes();
      family->level_stats.Add(compaction->output_level(), stats, JobKind::kCompaction);
      LogInfo(db_options_.info_log.get(), "[%s] %s %s (%s)", family->name().c_str(),
              compaction->drops_inputs() ? "Dropped" : "Moved", compaction->InputSummary().c_str(),
              CompactionReasonName(compaction->reason()));
    }
    if (info != nullptr) {
      mutex_.unlock();
      ReportCompaction(*family, *compaction, JobStats(), job_id, info);
      mutex_.lock();
      info->status = s;
    }
  } else {
    const auto protected_from = ProtectNewFiles();
    JobEnv env = MakeJobEnv(*family, job_id, Env::IO_LOW);
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
    if (outputs_are_gone != nullptr) *outputs_are_gone = !s.ok();
    if (info != nullptr) ReportCompaction(*family, *compaction, job.stats(), job_id, info);
    mutex_.lock();
    if (s.ok()) {
      s = versions_->LogAndApply(family->state, compaction->edit(), &mutex_, directory_.get(),
                                 false, [&] { compaction->ReleaseInputs(); });
      if (s.IsColumnFamilyDropped()) DeleteOutputs(*compaction->edit());
    }
    if (info != nullptr) info->status = s;
    UnprotectNewFiles(protected_from);
    if (s.ok()) {
      family->level_stats.Add(compaction->output_level(), job.stats(), JobKind::kCompaction);
    }
  }
  compaction.reset();
  --family->running_compactions;
  UpdateFigures(family);
  books_.MayCompact(family);
  if (has_listeners()) {
    QueueEvent([this, report = *info](EventListener* listener) {
      listener->OnCompactionCompleted(this, report);
    });
  }
  if (s.ok()) compaction_shortages_ = 0;
  if (s.ok() && !family->dropped.load()) {
    InstallSuperVersion(family);
    LogInfo(db_options_.info_log.get(), "[%s] Level summary: %s", family->name().c_str(),
            family->current()->LevelSummary().c_str());
  }
  DeliverEvents();
  return s;
}

void DBImpl::TellCompactionBegin(const ColumnFamily& family, const Compaction& compaction,
                                 int job_id) {
  mutex_.unlock();
  CompactionJobInfo info;
  ReportCompaction(family, compaction, JobStats(), job_id, &info);
  Tell([this, &info](EventListener* listener) { listener->OnCompactionBegin(this, info); });
  mutex_.lock();
}

Status DBImpl::PauseBackgroundWork() {
  if (Forked()) return ForkedStatus();
  DBMutexLock lock(&mutex_);
  ++paused_;
  background_done_.notify_all();  // some wait for this
  while (running_flushes_ > 0 || running_compactions_ > 0) background_done_.wait(&mutex_);
  return Status::OK();
}

Status DBImpl::ContinueBackgroundWork() {
  if (Forked()) return ForkedStatus();
  DBMutexLock lock(&mutex_);
  if (paused_ == 0) return Status::InvalidArgument("background work is not paused");
  if (--paused_ == 0) {
    MaybeScheduleWork();
    background_done_.notify_all();  // manual compactions wait for this, too
  }
  return Status::OK();
}

void DBImpl::CancelAllBackgroundWork(bool wait) {
  if (Forked()) return;
  if (mode_ == OpenMode::kReadWrite) FlushUnlogged().PermitUncheckedError();
  DBMutexLock lock(&mutex_);
  shutting_down_.store(true, std::memory_order_release);
  background_done_.notify_all();
  while (wait && (running_flushes_ > 0 || running_compactions_ > 0 || running_manual_ > 0)) {
    background_done_.wait(&mutex_);
  }
}

}  // namespace cairn
