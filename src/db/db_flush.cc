// Flushes: the background job, and flushes on demand.
//
// Flushes of one family finish in order, one at a time; those of several families run side by side.
// With atomic_flush one job writes the memtables of all families, and one manifest write installs
// them: memtables are switched together then, so that any job sees a state between two batches. So
// it is, too, in the recovery from an error: a log that failed cannot be synced before a part of
// its batches is in a table.
#include <algorithm>
#include <deque>
#include <set>

#include "base/logging.h"
#include "compaction/flush_job.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "rocksdb/write_buffer_manager.h"

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

// A flush should end before the next memtable is full, and sooner if somebody waits for it.
bool DBImpl::FlushIsUrgent(const ColumnFamily& family, double done) const {
  if (flush_waiters_.load(std::memory_order_relaxed) > 0 || write_controller_.IsStopped() ||
      write_controller_.NeedsDelay() || write_buffer_manager_->ShouldFlush() ||
      shutting_down_.load(std::memory_order_relaxed)) {
    return true;
  }
  SuperVersionGuard sv(family.super_versions.get());
  const double filled = static_cast<double>(sv->mem->ApproximateMemoryUsage()) /
                        static_cast<double>(sv->mem->write_buffer_size());
  constexpr double kDoneBy = 0.75;
  return done * kDoneBy < filled;
}

void DBImpl::BackgroundFlush(ColumnFamily* family) {
  {
    DBMutexLock lock(&mutex_);
    Status s;
    BackgroundErrorReason reason = BackgroundErrorReason::kFlush;
    if (!shutting_down_.load() && !has_background_error_.load() && !family->dropped.load()) {
      s = FlushesTogether() ? FlushAllOnce(&reason) : FlushOnce(family, &reason);
    }
    if (!s.ok() && !s.IsShutdownInProgress() && !s.IsColumnFamilyDropped()) {
      SetBackgroundError(s, reason, "flush");
    }
    --running_flushes_;
    family->flushing = false;
    books_.MayFlush(family);
    for (const auto& [id, one] : *books_.to_compact()) one->compaction_blocked = false;
    MaybeScheduleWork();
    background_done_.notify_all();
    // With the mutex: who waited for the flush, and then lets go of the family, is the last.
    UnrefFamily(family, /*purge=*/false);
  }
  Purge();
}

Status DBImpl::SyncClosedWals(VersionEdit* edit) {
  // What one family has in a table must not survive a power cut that takes another's part of the
  // same batches with the log. The MANIFEST says so, for what takes logs without a power cut.
  if (families_.size() < 2) return Status::OK();
  WalLink end;
  mutex_.unlock();
  IOStatus io = wals_->SyncClosed(&end);
  mutex_.lock();
  if (io.ok() && end.predecessor != 0) edit->SetSyncedLog({end.predecessor, end.last_sequence});
  return io;
}

Status DBImpl::RunFlushJob(ColumnFamily* family, const std::vector<MemTable*>& memtables,
                           VersionEdit* edit, JobStats* stats, FlushJobInfo* info) {
  const int job_id = next_job_id_.fetch_add(1);
  JobEnv env = MakeJobEnv(*family, job_id, Env::IO_HIGH);
  env.urgent = [this, family](double done) { return FlushIsUrgent(*family, done); };
  const uint64_t file_number = versions_->NewFileNumber();
  edit->SetLogNumber(memtables.back()->GetNextLogNumber());
  const std::shared_ptr<const Options> options = family->options;
  FlushJob job(env, *options, memtables, family->state->NewEpochNumber(),
               FlushReasonName(family->flush_reason));
  FileMetaData meta;
  if (has_listeners()) *info = DescribeFlush(*family, file_number, job_id);
  const uint64_t current_log = wals_->current_number();
  mutex_.unlock();
  Tell([&](EventListener* listener) { listener->OnFlushBegin(this, *info); });
  Status s = job.Run(file_number, &meta);
  if (s.ok() && meta.file_size > 0 && wals_->dir() == dbname_) wals_->NamesAreSynced(current_log);
  info->smallest_seqno = meta.smallest_seqno;
  info->largest_seqno = meta.largest_seqno;
  if (meta.file_size == 0) {
    info->file_path.clear();
  } else if (has_listeners()) {
    std::shared_ptr<const TableProperties> properties;
    TableFileId id = meta.TableId(0);
    id.slot = nullptr;
    if (family->tables->GetTableProperties(id, &properties).ok()) {
      info->table_properties = *properties;
    }
  }
  mutex_.lock();
  if (s.ok() && meta.file_size > 0) edit->AddFile(0, std::move(meta));
  *stats = job.stats();
  return s;
}

void DBImpl::QueueFlushed(const ColumnFamily& family, FlushJobInfo info) {
  if (!has_listeners() || info.file_path.empty()) return;
  const int level0 = Level0Pressure(family);
  info.triggered_writes_slowdown = level0 >= family.options->level0_slowdown_writes_trigger;
  info.triggered_writes_stop = level0 >= family.options->level0_stop_writes_trigger;
  QueueEvent([this, info = std::move(info)](EventListener* listener) {
    listener->OnFlushCompleted(this, info);
  });
}

Status DBImpl::FlushOnce(ColumnFamily* family, BackgroundErrorReason* reason) {
  std::vector<MemTable*> memtables;
  family->imm.PickMemtablesToFlush(UINT64_MAX, &memtables);
  if (memtables.empty()) return Status::OK();
  const auto protected_from = ProtectNewFiles();
  VersionEdit edit;
  JobStats stats;
  FlushJobInfo info;
  Status s = RunFlushJob(family, memtables, &edit, &stats, &info);
  if (s.ok()) s = SyncClosedWals(&edit);
  if (s.ok()) {
    *reason = BackgroundErrorReason::kManifestWrite;
    LetGoOfWals({{family, memtables.size()}});
    s = versions_->LogAndApply(family->state, &edit, &mutex_, directory_.get(), false,
                               [&] { family->imm.Remove(memtables); });
  }
  UnprotectNewFiles(protected_from);
  if (s.ok()) NoteLogNeed(family);
  if (!s.ok()) {
    family->imm.RollbackFlush(memtables);
    if (s.IsColumnFamilyDropped()) DeleteOutputs(edit);
    return s;
  }
  family->level_stats.Add(0, stats, JobKind::kFlush);
  InstallSuperVersion(family);
  LogInfo(db_options_.info_log.get(), "[%s] Level summary: %s", family->name().c_str(),
          family->current()->LevelSummary().c_str());
  QueueFlushed(*family, std::move(info));
  DeliverEvents();
  return s;
}

Status DBImpl::FlushAllOnce(BackgroundErrorReason* reason) {
  struct Part {
    ColumnFamily* family;
    std::vector<MemTable*> memtables;
    VersionEdit edit;
    VersionEdit* pointer;
    JobStats stats;
    FlushJobInfo info;
  };
  std::deque<Part> parts;
  for (ColumnFamily* family : BusyFamilies()) {
    Part part{family, {}, {}, nullptr, {}, {}};
    family->imm.PickMemtablesToFlush(UINT64_MAX, &part.memtables);
    if (part.memtables.empty()) continue;
    family->Ref();
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return Status::OK();
  // They only say which logs they do not need.
  std::deque<Part> others;
  std::set<const ColumnFamily*> flushing;
  for (const Part& part : parts) flushing.insert(part.family);
  for (ColumnFamily* family : AllFamilies()) {
    if (flushing.contains(family)) continue;
    family->Ref();
    others.push_back({family, {}, {}, nullptr, {}, {}});
  }
  const auto protected_from = ProtectNewFiles();
  Status s;
  for (Part& part : parts) {
    if (s.ok()) s = RunFlushJob(part.family, part.memtables, &part.edit, &part.stats, &part.info);
  }
  if (s.ok()) {
    *reason = BackgroundErrorReason::kManifestWrite;
    // What was dropped meanwhile needs no flush, and must not keep the others from theirs. A drop
    // waits for its turn at the manifest, so that the first try may still meet one.
    do {
      std::vector<FamilyEdits> changes;
      // The closed logs are not synced here: their ends may be missing after a power cut, and must
      // not be looked for because of a family that has nothing in them, nor be what another is
      // ahead of. So all go on to the same log.
      std::map<const ColumnFamily*, size_t> flushed;
      for (const Part& part : parts) flushed[part.family] = part.memtables.size();
      const uint64_t oldest = FirstLogNeeded(flushed);
      for (Part& part : others) {
        part.edit = VersionEdit();
        part.edit.SetLogNumber(std::max(oldest, part.family->state->log_number()));
      }
      for (Part& part : parts) {
        part.edit.SetLogNumber(std::max(oldest, part.memtables.back()->GetNextLogNumber()));
      }
      for (std::deque<Part>* some : {&parts, &others}) {
        for (Part& part : *some) {
          if (part.family->state->dropped()) continue;
          part.pointer = &part.edit;
          changes.push_back({part.family->state, std::span(&part.pointer, 1)});
        }
      }
      s = versions_->LogAndApply(changes, &mutex_, directory_.get(), false, [&] {
        for (const Part& part : parts) {
          if (!part.family->state->dropped()) part.family->imm.Remove(part.memtables);
        }
      });
    } while (s.IsColumnFamilyDropped());
  }
  UnprotectNewFiles(protected_from);
  for (Part& part : parts) {
    const bool dropped = part.family->state->dropped();
    if (dropped) DeleteOutputs(part.edit);
    if (!s.ok() || dropped) {
      part.family->imm.RollbackFlush(part.memtables);
      books_.MayFlush(part.family);
    }
    if (s.ok() && !dropped) {
      NoteLogNeed(part.family);
      part.family->level_stats.Add(0, part.stats, JobKind::kFlush);
      InstallSuperVersion(part.family);
      QueueFlushed(*part.family, std::move(part.info));
    }
  }
  DeliverEvents();
  mutex_.unlock();
  for (const Part& part : parts) UnrefFamily(part.family, /*purge=*/false);
  for (const Part& part : others) UnrefFamily(part.family, /*purge=*/false);
  mutex_.lock();
  return s;
}

// --- On demand

Status DBImpl::Flush(const FlushOptions& options, ColumnFamilyHandle* family) {
  return Flush(options, std::vector<ColumnFamilyHandle*>{family});
}

Status DBImpl::Flush(const FlushOptions& options, const std::vector<ColumnFamilyHandle*>& handles) {
  Status s = RefuseIfReadOnly();
  std::vector<ColumnFamily*> families;
  for (ColumnFamilyHandle* handle : handles) {
    ColumnFamily* family = nullptr;
    if (s.ok()) s = FamilyOf(handle, &family);
    families.push_back(family);
  }
  return s.ok() && !families.empty() ? FlushMemTables(options, families, FlushReason::kManualFlush)
                                     : s;
}

Status DBImpl::FlushAllFamilies(const FlushOptions& options, FlushReason reason) {
  std::vector<ColumnFamily*> families;
  {
    fiber::MutexLock lock(&live_mutex_);
    families = families_;
    for (ColumnFamily* family : families) family->Ref();
  }
  Status s = FlushMemTables(options, families, reason);
  for (ColumnFamily* family : families) UnrefFamily(family, /*purge=*/false);
  // Dropped while it waited: nothing of it is left to flush.
  return s.IsColumnFamilyDropped() ? Status::OK() : s;
}

Status DBImpl::FlushMemTables(const FlushOptions& options,
                              const std::vector<ColumnFamily*>& families, FlushReason reason) {
  if (!options.allow_write_stall) {
    // A flush now would be the one memtable, or level-0 file, too many: wait, as the option
    // promises.
    DBMutexLock lock(&mutex_);
    const auto would_stall = [](const ColumnFamily* family) {
      return family->imm.NumNotFlushed() > 0 && !family->dropped.load() &&
             family->imm.NumNotFlushed() + 1 >= family->options->max_write_buffer_number;
    };
    while (!shutting_down_.load() && !has_background_error_.load() &&
           std::any_of(families.begin(), families.end(), would_stall)) {
      for (ColumnFamily* family : families) {
        if (would_stall(family)) RequestFlush(family);
      }
      MaybeScheduleWork();
      background_done_.wait(&mutex_);
    }
  }
  std::vector<std::pair<ColumnFamily*, uint64_t>> waiting;  // up to this memtable
  {
    CommitQueue::Exclusive leadership(commit_.get());
    DBMutexLock lock(&mutex_);
    if (has_background_error_.load()) return background_error_;
    std::vector<ColumnFamily*> present;
    for (ColumnFamily* family : families) {
      if (!family->dropped.load()) present.push_back(family);
    }
    if (present.empty()) return Status::ColumnFamilyDropped();
    Status s = SwitchAndFlush(present, reason);
    if (!s.ok()) return s;
    if (has_listeners() && reason == FlushReason::kManualFlush) {
      std::vector<ManualFlushInfo> infos;
      for (const ColumnFamily* family : present) {
        infos.push_back({family->id(), family->name(), reason});
      }
      QueueEvent([this, infos = std::move(infos)](EventListener* listener) {
        listener->OnManualFlushScheduled(this, infos);
      });
    }
    for (ColumnFamily* family : present) {
      if (family->imm.NumNotFlushed() > 0) waiting.emplace_back(family, family->imm.NewestID());
    }
  }
  if (has_listeners()) {
    DBMutexLock lock(&mutex_);
    DeliverEvents();
  }
  if (waiting.empty() || !options.wait) return Status::OK();
  const FlushWaiter waiter(&flush_waiters_);
  DBMutexLock lock(&mutex_);
  for (const auto& [family, last_id] : waiting) {
    // Flushes finish in order: done when the oldest that is left is newer than ours.
    while (family->imm.NumNotFlushed() > 0 &&
           family->imm.current()->memtables().back()->GetID() <= last_id) {
      if (has_background_error_.load()) return background_error_;
      if (shutting_down_.load()) return Status::ShutdownInProgress();
      if (family->dropped.load()) return Status::ColumnFamilyDropped();
      background_done_.wait(&mutex_);
    }
  }
  return Status::OK();
}

}  // namespace cairn
