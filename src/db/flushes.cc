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
#include "compaction/memtable_purge.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/memtable_switch.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/space_manager.h"
#include "fs/thread_list.h"
#include "rocksdb/statistics.h"
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
bool Flushes::FlushIsUrgent(const ColumnFamily& family, double done) const {
  if (flush_waiters_.load(std::memory_order_relaxed) > 0 || db_.write_controller.IsStopped() ||
      db_.write_controller.NeedsDelay() || db_.buffer_manager->ShouldFlush() ||
      db_.shutting_down.load(std::memory_order_relaxed)) {
    return true;
  }
  SuperVersionGuard sv(family.super_versions.get());
  const double filled = static_cast<double>(sv->mem->ApproximateMemoryUsage()) /
                        static_cast<double>(sv->mem->write_buffer_size());
  constexpr double kDoneBy = 0.75;
  return done * kDoneBy < filled;
}

bool Flushes::FlushesTogether() const {
  return db_.options.atomic_flush || db_.errors->recovery_flushes() || forced_together_ > 0;
}

bool Flushes::MayBegin() const {
  return db_.jobs.flushes == 0 || (!FlushesTogether() && !running_together_);
}

void Flushes::BackgroundFlush(ColumnFamily* family, bool together) {
  {
    DBMutexLock lock(db_.mutex());
    Status s;
    BackgroundErrorReason reason = BackgroundErrorReason::kFlush;
    if (!db_.shutting_down.load() && !db_.errors->failed() && !family->dropped.load()) {
      s = together ? FlushAllOnce(&reason) : FlushOnce(family, &reason);
      // It was the last that had room.
      if (s.ok() && db_.space != nullptr) {
        reason = BackgroundErrorReason::kFlush;
        s = db_.space->CheckSpace();
      }
    }
    if (!s.ok() && !s.IsShutdownInProgress() && !s.IsColumnFamilyDropped()) {
      db_.errors->SetBackgroundError(s, reason, "flush");
    }
    --db_.jobs.flushes;
    if (together) running_together_ = false;
    family->flushing = false;
    db_.families->books().MayFlush(family);
    for (const auto& [id, one] : *db_.families->books().to_compact())
      one->compaction_blocked = false;
    db_.work->JobsChanged();
    // With the mutex: who waited for the flush, and then lets go of the family, is the last.
    db_.families->UnrefFamily(family, /*purge=*/false);
  }
  db_.files->Purge();
}

Status Flushes::SyncClosedWals(VersionEdit* edit) {
  // What one family has in a table must not survive a power cut that takes another's part of the
  // same batches with the log. The MANIFEST says so, for what takes logs without a power cut. And
  // what was prepared in a log that only that keeps must not be lost, when it is committed.
  if (db_.families->all().size() < 2 && !db_.prepared.used()) return Status::OK();
  WalLink end;
  db_.mutex()->unlock();
  IOStatus io = db_.wals->SyncClosed(&end);
  db_.mutex()->lock();
  if (!io.ok()) return io;
  if (end.predecessor != 0) edit->SetSyncedLog({end.predecessor, end.last_sequence});
  return db_.options.track_and_verify_wals_in_manifest ? db_.memtables->TrackSyncedWals()
                                                       : Status::OK();
}

void Flushes::CountFlush(FlushReason reason, const FlushJob& job) const {
  Statistics* const statistics = db_.statistics;
  if (statistics == nullptr) return;
  statistics->recordInHistogram(FLUSH_MEMTABLE_MEMORY_BYTES, job.memory());
  statistics->recordInHistogram(FLUSH_MEMTABLE_TOTAL_DATA_SIZE, job.data_size());
  if (reason == FlushReason::kWriteBufferFull) {
    statistics->recordTick(FLUSH_REASON_WRITE_BUFFER_FULL, 1);
    statistics->recordInHistogram(FLUSH_WRITE_BUFFER_FULL_MEMTABLE_MEMORY_BYTES, job.memory());
  } else if (reason == FlushReason::kWriteBufferManager) {
    statistics->recordTick(FLUSH_REASON_WRITE_BUFFER_MANAGER, 1);
    statistics->recordInHistogram(FLUSH_WRITE_BUFFER_MANAGER_MEMTABLE_MEMORY_BYTES, job.memory());
  }
}

Status Flushes::RunFlushJob(ColumnFamily* family, const std::vector<MemTable*>& memtables,
                            VersionEdit* edit, JobStats* stats, FlushJobInfo* info) {
  const int job_id = db_.jobs.next_id.fetch_add(1);
  JobEnv env = db_.work->MakeJobEnv(*family, job_id, Env::IO_HIGH);
  env.urgent = [this, family](double done) { return FlushIsUrgent(*family, done); };
  const uint64_t file_number = db_.versions->NewFileNumber();
  edit->SetLogNumber(memtables.back()->GetNextLogNumber());
  const std::shared_ptr<const Options> options = family->options;
  FlushJob job(env, *options, memtables, family->state->NewEpochNumber(),
               GetFlushReasonString(family->flush_reason));
  CountFlush(family->flush_reason, job);
  FileMetaData meta;
  if (db_.has_listeners()) *info = db_.events->DescribeFlush(*family, file_number, job_id);
  const uint64_t current_log = db_.wals->current_number();
  ThreadOperation operation(db_.options.enable_thread_tracking, ThreadStatus::OP_FLUSH, db_.name,
                            family->name());
  operation.SetProperty(ThreadStatus::FLUSH_JOB_ID, static_cast<uint64_t>(job_id));
  operation.SetProperty(ThreadStatus::FLUSH_BYTES_MEMTABLES, job.memory());
  db_.mutex()->unlock();
  db_.Tell([&](EventListener* listener) { listener->OnFlushBegin(db_.self, *info); });
  Status s = job.Run(file_number, &meta);
  // (With the table's.)
  if (s.ok() && meta.file_size > 0 && db_.wals->dir() == family->paths.front())
    db_.wals->NamesAreSynced(current_log);
  info->smallest_seqno = meta.smallest_seqno;
  info->largest_seqno = meta.largest_seqno;
  info->oldest_blob_file_number = meta.oldest_blob_file_number;
  info->blob_compression_type = options->blob_compression_type;
  for (const BlobFileAddition& file : job.blob_files()) {
    info->blob_file_addition_infos.emplace_back(BlobFileName(family->paths.front(), file.number),
                                                file.number, file.blobs, file.bytes);
  }
  if (meta.file_size == 0) {
    info->file_path.clear();
  } else if (db_.has_listeners()) {
    std::shared_ptr<const TableProperties> properties;
    TableFileId id = meta.TableId(0);
    id.slot = nullptr;
    if (family->tables->GetTableProperties(id, &properties).ok()) {
      info->table_properties = *properties;
    }
  }
  db_.mutex()->lock();
  for (const BlobFileAddition& file : job.blob_files()) {
    if (s.ok()) edit->AddBlobFile(file);
  }
  if (s.ok() && meta.file_size > 0) edit->AddFile(0, std::move(meta));
  if (s.ok() && !job.history_low().empty()) edit->SetFullHistoryTsLow(job.history_low());
  *stats = job.stats();
  return s;
}

bool Flushes::PurgeInstead(ColumnFamily* family, const std::vector<MemTable*>& memtables) {
  const std::shared_ptr<const Options> options = family->options;
  if (!(options->experimental_mempurge_threshold > 0) ||
      family->flush_reason != FlushReason::kWriteBufferFull || family->icmp.timestamp_size() != 0) {
    return false;
  }
  const int job_id = db_.jobs.next_id.fetch_add(1);
  const JobEnv env = db_.work->MakeJobEnv(*family, job_id, Env::IO_HIGH);
  db_.mutex()->unlock();
  const uint64_t start = fiber::now_nanos();
  const uint64_t start_cpu = fiber::thread_cpu_nanos();
  const MemTablePurge purge(env, *options, memtables);
  MemTable* purged = nullptr;
  Status s = Status::NotFound();
  if (purge.IsWorthwhile()) {
    purged = db_.families->NewMemTable(*family, memtables.front()->GetEarliestSequenceNumber());
    s = purge.Run(purged);
    LogInfo(db_.options.info_log.get(),
            "[%s] [JOB %d] Mempurge lasted %llu microseconds, and %llu cpu microseconds. Status is "
            "%s. Perc capacity: %f",
            family->name().c_str(), job_id,
            static_cast<unsigned long long>((fiber::now_nanos() - start) / 1000),
            static_cast<unsigned long long>((fiber::thread_cpu_nanos() - start_cpu) / 1000),
            s.ToString().c_str(),
            static_cast<double>(purged->ApproximateMemoryUsage()) /
                static_cast<double>(options->write_buffer_size));
    if (!s.ok()) purged->Unref();
  }
  db_.mutex()->lock();
  if (!s.ok()) return false;
  if (family->dropped.load()) {
    purged->Unref();
    return false;
  }
  purged->SetFirstLogNumber(memtables.front()->GetFirstLogNumber());
  purged->SetNextLogNumber(memtables.back()->GetNextLogNumber());
  for (const MemTable* memtable : memtables) {
    if (const uint64_t log = memtable->prepared_log(); log != 0) purged->NeedPreparedLog(log);
  }
  family->imm.Replace(memtables, purged);
  db_.memtables->NoteLogNeed(family);
  db_.work->InstallSuperVersion(family);
  return true;
}

void Flushes::QueueFlushed(const ColumnFamily& family, FlushJobInfo info) {
  if (!db_.has_listeners() || info.file_path.empty()) return;
  const int level0 = db_.work->Level0Pressure(family);
  info.triggered_writes_slowdown = level0 >= family.options->level0_slowdown_writes_trigger;
  info.triggered_writes_stop = level0 >= family.options->level0_stop_writes_trigger;
  db_.events->QueueEvent([this, info = std::move(info)](EventListener* listener) {
    listener->OnFlushCompleted(db_.self, info);
  });
}

Status Flushes::FlushOnce(ColumnFamily* family, BackgroundErrorReason* reason) {
  std::vector<MemTable*> memtables;
  // Who asks for a flush, or tries again after one that failed, wants a table.
  const bool asked = family->imm.flush_requested();
  family->imm.PickMemtablesToFlush(UINT64_MAX, &memtables);
  if (memtables.empty()) return Status::OK();
  if (!asked && PurgeInstead(family, memtables)) return Status::OK();
  const auto protected_from = db_.files->ProtectNewFiles();
  VersionEdit edit;
  JobStats stats;
  FlushJobInfo info;
  Status s = RunFlushJob(family, memtables, &edit, &stats, &info);
  if (s.ok()) s = SyncClosedWals(&edit);
  if (s.ok()) {
    *reason = BackgroundErrorReason::kManifestWrite;
    db_.memtables->LetGoOfWals({{family, memtables.size()}});
    VersionEdit* const pointer = &edit;
    const FamilyEdits change{family->state, std::span(&pointer, 1), memtables};
    s = db_.versions->LogAndApply(std::span(&change, 1), db_.mutex(), db_.directory.get(), false,
                                  [&] { family->imm.Remove(memtables); });
  }
  db_.files->UnprotectNewFiles(protected_from);
  if (s.ok()) db_.memtables->NoteLogNeed(family);
  if (!s.ok()) {
    family->imm.RollbackFlush(memtables);
    if (s.IsColumnFamilyDropped()) db_.files->DeleteOutputs(*family, edit);
    return s;
  }
  family->level_stats.Add(0, stats, JobKind::kFlush);
  db_.work->InstallSuperVersion(family);
  LogInfo(db_.options.info_log.get(), "[%s] Level summary: %s", family->name().c_str(),
          family->current()->LevelSummary().c_str());
  QueueFlushed(*family, std::move(info));
  db_.events->DeliverEvents();
  return s;
}

struct Flushes::AtomicPart {
  ColumnFamily* family;
  std::vector<MemTable*> memtables = {};  // empty: it only says which logs it does not need
  VersionEdit edit = {};
  VersionEdit* pointer = nullptr;
  JobStats stats = {};
  FlushJobInfo info = {};
};

Status Flushes::FlushAllOnce(BackgroundErrorReason* reason) {
  AtomicParts parts;
  for (ColumnFamily* family : db_.memtables->BusyFamilies()) {
    AtomicPart part{family};
    family->imm.PickMemtablesToFlush(UINT64_MAX, &part.memtables);
    if (part.memtables.empty()) continue;
    family->Ref();
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return Status::OK();
  std::set<const ColumnFamily*> flushing;
  for (const AtomicPart& part : parts) flushing.insert(part.family);
  for (ColumnFamily* family : db_.families->AllFamilies()) {
    if (flushing.contains(family)) continue;
    family->Ref();
    parts.push_back({family});
  }
  const auto protected_from = db_.files->ProtectNewFiles();
  Status s;
  for (AtomicPart& part : parts) {
    if (!s.ok() || part.memtables.empty()) continue;
    s = RunFlushJob(part.family, part.memtables, &part.edit, &part.stats, &part.info);
  }
  if (s.ok() && db_.prepared.used()) {
    VersionEdit unused;
    s = SyncClosedWals(&unused);
  }
  if (s.ok()) {
    *reason = BackgroundErrorReason::kManifestWrite;
    // What was dropped meanwhile needs no flush, and must not keep the others from theirs. A drop
    // waits for its turn at the manifest, so that the first try may still meet one.
    do {
      s = RecordTogether(&parts);
    } while (s.IsColumnFamilyDropped());
  }
  db_.files->UnprotectNewFiles(protected_from);
  for (AtomicPart& part : parts) {
    if (!part.memtables.empty()) EndTogether(&part, /*recorded=*/s.ok());
  }
  db_.events->DeliverEvents();
  db_.mutex()->unlock();
  for (const AtomicPart& part : parts) db_.families->UnrefFamily(part.family, /*purge=*/false);
  db_.mutex()->lock();
  return s;
}

// The closed logs are not synced here: their ends may be missing after a power cut, and must not be
// looked for because of a family that has nothing in them, nor be what another is ahead of. So all
// go on to the same log.
Status Flushes::RecordTogether(AtomicParts* parts) {
  std::map<const ColumnFamily*, size_t> flushed;
  for (const AtomicPart& part : *parts) {
    if (!part.memtables.empty()) flushed[part.family] = part.memtables.size();
  }
  const uint64_t oldest = db_.memtables->FirstLogNeeded(flushed);
  std::vector<FamilyEdits> changes;
  for (AtomicPart& part : *parts) {
    const bool flushes = !part.memtables.empty();
    if (!flushes) part.edit = VersionEdit();
    part.edit.SetLogNumber(std::max(oldest, flushes ? part.memtables.back()->GetNextLogNumber()
                                                    : part.family->state->log_number()));
    if (part.family->state->dropped()) continue;
    part.pointer = &part.edit;
    changes.push_back({part.family->state, std::span(&part.pointer, 1), part.memtables});
  }
  return db_.versions->LogAndApply(changes, db_.mutex(), db_.directory.get(), false, [&] {
    for (const AtomicPart& part : *parts) {
      if (part.memtables.empty() || part.family->state->dropped()) continue;
      part.family->imm.Remove(part.memtables);
    }
  });
}

void Flushes::EndTogether(AtomicPart* part, bool recorded) {
  ColumnFamily* const family = part->family;
  const bool dropped = family->state->dropped();
  if (dropped) db_.files->DeleteOutputs(*family, part->edit);
  if (!recorded || dropped) {
    family->imm.RollbackFlush(part->memtables);
    db_.families->books().MayFlush(family);
    return;
  }
  db_.memtables->NoteLogNeed(family);
  family->level_stats.Add(0, part->stats, JobKind::kFlush);
  db_.work->InstallSuperVersion(family);
  QueueFlushed(*family, std::move(part->info));
}

// --- On demand

Status Flushes::Flush(const FlushOptions& options, ColumnFamilyHandle* family) {
  return Flush(options, std::vector<ColumnFamilyHandle*>{family});
}

Status Flushes::Flush(const FlushOptions& options,
                      const std::vector<ColumnFamilyHandle*>& handles) {
  Status s = db_.RefuseIfReadOnly();
  std::vector<ColumnFamily*> families;
  for (ColumnFamilyHandle* handle : handles) {
    ColumnFamily* family = nullptr;
    if (s.ok()) s = db_.families->FamilyOf(handle, &family);
    families.push_back(family);
  }
  if (!s.ok() || families.empty()) return s;
  return options.force_atomic_flush ? FlushTogether(options, FlushReason::kManualFlush)
                                    : FlushMemTables(options, families, FlushReason::kManualFlush);
}

Status Flushes::FlushTogether(const FlushOptions& options, FlushReason reason) {
  if (!options.wait) {
    return Status::NotSupported("FlushOptions::force_atomic_flush without wait");
  }
  {
    DBMutexLock lock(db_.mutex());
    ++forced_together_;
  }
  const Status s = FlushAllFamilies(options, reason);
  DBMutexLock lock(db_.mutex());
  --forced_together_;
  db_.work->JobsChanged();
  return s;
}

Status Flushes::FlushAllFamilies(const FlushOptions& options, FlushReason reason) {
  std::vector<ColumnFamily*> families;
  {
    fiber::MutexLock lock(db_.families->live_mutex());
    families = db_.families->all();
    for (ColumnFamily* family : families) family->Ref();
  }
  Status s = FlushMemTables(options, families, reason);
  for (ColumnFamily* family : families) db_.families->UnrefFamily(family, /*purge=*/false);
  // Dropped while it waited: nothing of it is left to flush.
  return s.IsColumnFamilyDropped() ? Status::OK() : s;
}

Status Flushes::FlushMemTables(const FlushOptions& options,
                               const std::vector<ColumnFamily*>& families, FlushReason reason) {
  if (!options.allow_write_stall) {
    // A flush now would be the one memtable, or level-0 file, too many: wait, as the option
    // promises.
    DBMutexLock lock(db_.mutex());
    const auto would_stall = [](const ColumnFamily* family) {
      return family->imm.NumNotFlushed() > 0 && !family->dropped.load() &&
             family->imm.NumNotFlushed() + 1 >= family->options->max_write_buffer_number;
    };
    while (!db_.shutting_down.load() && !db_.errors->failed() &&
           std::any_of(families.begin(), families.end(), would_stall)) {
      for (ColumnFamily* family : families) {
        if (would_stall(family)) db_.memtables->RequestFlush(family);
      }
      db_.work->MaybeScheduleWork();
      db_.jobs.changed.wait(db_.mutex());
    }
  }
  std::vector<std::pair<ColumnFamily*, uint64_t>> waiting;  // up to this memtable
  {
    CommitQueue::Exclusive leadership(db_.commit.get());
    DBMutexLock lock(db_.mutex());
    if (db_.errors->failed()) return db_.errors->error();
    std::vector<ColumnFamily*> present;
    for (ColumnFamily* family : families) {
      if (!family->dropped.load()) present.push_back(family);
    }
    if (present.empty()) return Status::ColumnFamilyDropped();
    Status s = db_.memtables->SwitchAndFlush(present, reason);
    if (!s.ok()) return s;
    if (db_.has_listeners() && reason == FlushReason::kManualFlush) {
      std::vector<ManualFlushInfo> infos;
      for (const ColumnFamily* family : present) {
        infos.push_back({family->id(), family->name(), reason});
      }
      db_.events->QueueEvent([this, infos = std::move(infos)](EventListener* listener) {
        listener->OnManualFlushScheduled(db_.self, infos);
      });
    }
    for (ColumnFamily* family : present) {
      if (family->imm.NumNotFlushed() > 0) waiting.emplace_back(family, family->imm.NewestID());
    }
  }
  if (db_.has_listeners()) {
    DBMutexLock lock(db_.mutex());
    db_.events->DeliverEvents();
  }
  if (waiting.empty() || !options.wait) return Status::OK();
  const FlushWaiter waiter(&flush_waiters_);
  DBMutexLock lock(db_.mutex());
  for (const auto& [family, last_id] : waiting) {
    // Flushes finish in order: done when the oldest that is left is newer than ours.
    while (family->imm.NumNotFlushed() > 0 &&
           family->imm.current()->memtables().back()->GetID() <= last_id) {
      if (db_.errors->failed()) return db_.errors->error();
      if (db_.shutting_down.load()) return Status::ShutdownInProgress();
      if (family->dropped.load()) return Status::ColumnFamilyDropped();
      db_.jobs.changed.wait(db_.mutex());
    }
  }
  if (options.listener_wait && db_.has_listeners()) db_.events->AwaitEvents();
  return Status::OK();
}

}  // namespace cairn
