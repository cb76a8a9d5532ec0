// The write path above the commit queue: what a leader does before its group (stalls, memtable
// switch, errors), and the public write calls.
#include <algorithm>
#include <cstring>

#include "base/allocation.h"
#include "base/logging.h"
#include "base/perf.h"
#include "batch/write_batch_internal.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/memtable_switch.h"
#include "db/shared_memory.h"
#include "db/write_path.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fs/limited_file_system.h"
#include "memtable/write_buffer_client.h"
#include "read/point_lookup.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {

Status WritePath::LimitLogRate(const WriteOptions& options, size_t bytes) const {
  if (options.rate_limiter_priority != Env::IO_USER) {
    return Status::InvalidArgument(
        "WriteOptions::rate_limiter_priority only allows Env::IO_TOTAL and Env::IO_USER");
  }
  if (options.disableWAL || db_.options.manual_wal_flush) {
    return Status::InvalidArgument(
        "WriteOptions::rate_limiter_priority Env::IO_USER needs a log that each write is written "
        "to");
  }
  // Each writer for himself, before the queue: the leader holds nobody else up for it.
  if (db_.options.rate_limiter != nullptr) {
    RequestBytes(db_.options.rate_limiter.get(), bytes, Env::IO_USER, db_.statistics,
                 RateLimiter::OpType::kWrite);
  }
  return Status::OK();
}

namespace {

// What a group is refused with while writes are locked. It has done nothing, and comes again.
constexpr char kLocked[] = "writes are locked";

bool IsLockRefusal(const Status& s) {
  return s.IsTryAgain() && s.getState() != nullptr && std::strcmp(s.getState(), kLocked) == 0;
}

// Of a write that has been in the queue before.
class EnqueuedBefore final : public UserWriteCallback {
 public:
  explicit EnqueuedBefore(UserWriteCallback* callback) : callback_(callback) {}
  void OnWriteEnqueued() override {}
  void OnWalWriteFinish() override { callback_->OnWalWriteFinish(); }

 private:
  UserWriteCallback* const callback_;
};

}  // namespace

Status WritePath::Write(const WriteOptions& options, WriteBatch* updates, const CommitCheck* check,
                        TwoPhaseStep* step, const CommitHook* published, UserWriteCallback* told) {
  if (updates == nullptr) return Status::Corruption("Batch is nullptr!");
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  if (db_.trace.IsOn()) [[unlikely]]
    db_.trace.WriteWhenCalled(WriteBatchInternal::Contents(updates));
  if (options.sync && options.disableWAL) {
    return Status::InvalidArgument("Sync writes has to enable WAL.");
  }
  if (options.protection_bytes_per_key != 0) [[unlikely]] {
    s = WriteBatchInternal::Protect(updates, options.protection_bytes_per_key);
    if (!s.ok()) return s;
  }
  if (options.rate_limiter_priority != Env::IO_TOTAL) {
    s = LimitLogRate(options, updates->GetDataSize());
    if (!s.ok()) return s;
  }
  s = WriteBatchInternal::CheckWritable(updates, step == nullptr ? 0 : step->permitted());
  if (!s.ok()) return s;
  if (WriteBatchInternal::NeedsFamilies(updates) || db_.families->any_has_timestamps())
      [[unlikely]] {
    s = db_.families->CheckBatchFamilies(*updates, options.ignore_missing_column_families);
    if (!s.ok()) return s;
  }
  if (WriteBatchInternal::Count(updates) == 0 && !options.sync && check == nullptr &&
      published == nullptr &&
      WriteBatchInternal::ByteSize(updates) <= WriteBatchInternal::kHeader) {
    return Status::OK();
  }
  if (options.disableWAL && !db_.has_unlogged_data.load(std::memory_order_relaxed)) {
    db_.has_unlogged_data.store(true, std::memory_order_relaxed);
  }
  if (options.low_pri) {
    s = WaitForLowPriority(options, WriteBatchInternal::ByteSize(updates));
    if (!s.ok()) return s;
  }
  const uint64_t start = db_.statistics != nullptr ? fiber::now_nanos() : 0;
  s = db_.commit->Write(options, updates, /*seq_used=*/nullptr, check, step, published, told);
  while (IsLockRefusal(s)) [[unlikely]] {
    s = WaitForUnlock(options);
    if (!s.ok()) return s;
    EnqueuedBefore before(told);
    s = db_.commit->Write(options, updates, /*seq_used=*/nullptr, check, step, published,
                          told == nullptr ? nullptr : &before);
  }
  if (db_.statistics != nullptr) [[unlikely]] {
    db_.statistics->reportTimeToHistogram(DB_WRITE, (fiber::now_nanos() - start) / 1000);
  }
  return s;
}

Status WritePath::WriteStep(const WriteOptions& options, WriteBatch* updates, TwoPhaseStep* step,
                            const CommitHook* published) {
  if (!db_.options.allow_2pc) {
    return Status::NotSupported("two-phase commit needs DBOptions::allow_2pc");
  }
  // What was decided and is not logged would be undecided again after a crash.
  WriteOptions logged = options;
  logged.disableWAL = false;
  db_.prepared.SetUsed();
  // Who counted its numbers looked for keys that come twice.
  if (db_.statistics != nullptr && step->numbers > 0) {
    db_.statistics->recordTick(TXN_DUPLICATE_KEY_OVERHEAD, 1);
  }
  Status s = Write(logged, updates, /*check=*/nullptr, step, published);
  if (s.ok() && step->kind != TwoPhaseStep::Kind::kPrepare && !step->shares_numbers()) {
    db_.prepared.Decided(step->log);
  }
  return s;
}

IOStatus WritePath::AppendWithNoop(const Slice& record, bool has_marks) {
  record_with_noop_.assign(record.data(), record.size());
  record_with_noop_.push_back(static_cast<char>(kTypeNoop));
  return db_.wals->Append(record_with_noop_, has_marks);
}

void WritePath::TraceWrite(const WriteBatch& batch) {
  db_.trace.WriteInOrder(WriteBatchInternal::Contents(&batch));
}

void WritePath::NoteStep(TwoPhaseStep* step) {
  if (step->kind != TwoPhaseStep::Kind::kPrepare) {
    db_.prepared.Forget(step->name);
    return;
  }
  step->log = db_.wals->current_number();
  db_.prepared.Keep(step->name, {std::move(step->copy), step->copy_numbers, step->log});
}

namespace {

Status NeedsTimestamp(const ColumnFamily& family) {
  return Status::InvalidArgument("cannot call this method on column family " + family.name() +
                                 " that enables timestamp");
}

// For keys without timestamps. `bytes`: of its record, if known.
WriteBatch PlainBatch(const WriteOptions& options, size_t bytes) {
  return WriteBatch(WriteBatchInternal::kHeader + bytes, /*max_bytes=*/0,
                    options.protection_bytes_per_key, /*default_cf_ts_sz=*/0);
}

// As WriteBatch::Put, without a look at the family's comparator.
Status PutPlain(uint32_t family, const Slice& key, const Slice& value, WriteBatch* batch) {
  const SliceParts value_parts(&value, 1);
  return WriteBatchInternal::AppendRecord(batch, kTypeValue, family, SliceParts(&key, 1),
                                          &value_parts);
}

}  // namespace

Status WritePath::Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                      const Slice& value) {
  ColumnFamily* found;
  Status s = db_.families->FamilyOf(family, &found);
  if (!s.ok()) return s;
  if (found->icmp.timestamp_size() != 0) [[unlikely]]
    return NeedsTimestamp(*found);
  WriteBatch batch = PlainBatch(options, key.size() + value.size() + 16);
  s = PutPlain(found->id(), key, value, &batch);
  return s.ok() ? Write(options, &batch) : s;
}

Status WritePath::Delete(const WriteOptions& options, ColumnFamilyHandle* family,
                         const Slice& key) {
  ColumnFamily* found;
  Status s = db_.families->FamilyOf(family, &found);
  if (!s.ok()) return s;
  if (found->icmp.timestamp_size() != 0) [[unlikely]]
    return NeedsTimestamp(*found);
  WriteBatch batch = PlainBatch(options, key.size() + 11);
  s = batch.Delete(family, key);
  return s.ok() ? Write(options, &batch) : s;
}

Status WritePath::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                               const Slice& key) {
  ColumnFamily* found;
  Status s = db_.families->FamilyOf(family, &found);
  if (!s.ok()) return s;
  if (found->icmp.timestamp_size() != 0) [[unlikely]]
    return NeedsTimestamp(*found);
  WriteBatch batch = PlainBatch(options, key.size() + 11);
  s = batch.SingleDelete(family, key);
  return s.ok() ? Write(options, &batch) : s;
}

Status WritePath::DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family,
                              const Slice& begin, const Slice& end) {
  // None is the default one, of this call alone: as in RocksDB, and RocksJava counts on it.
  ColumnFamily* found = db_.families->default_family();
  Status s;
  if (family != nullptr) s = db_.families->FamilyOf(family, &found);
  if (!s.ok()) return s;
  if (found->icmp.timestamp_size() != 0) [[unlikely]]
    return NeedsTimestamp(*found);
  WriteBatch batch = PlainBatch(options, 0);
  s = batch.DeleteRange(family, begin, end);
  return s.ok() ? Write(options, &batch) : s;
}

Status WritePath::Merge(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                        const Slice& value) {
  ColumnFamily* found;
  Status s = db_.families->FamilyOf(family, &found);
  if (!s.ok()) return s;
  if (found->icmp.timestamp_size() != 0) [[unlikely]]
    return NeedsTimestamp(*found);
  if (found->merge_operator == nullptr) {
    return Status::NotSupported("Provide a merge_operator when opening DB");  // RocksDB's words
  }
  WriteBatch batch = PlainBatch(options, 0);
  s = batch.Merge(family, key, value);
  return s.ok() ? Write(options, &batch) : s;
}

// All that was written before `sequence` is in the memtables, though the last of it may not be
// published: groups insert in turn, and this one's batches one after the other.
bool WritePath::Fold(uint32_t family_id, const Slice& key, SequenceNumber sequence,
                     const Slice& operand, std::string* value, ValueType* type) {
  ColumnFamily* const family = db_.families->FindLive(family_id);
  if (family == nullptr) return false;
  const size_t limit = family->max_successive_merges.load(std::memory_order_relaxed);
  if (limit == 0 || family->icmp.timestamp_size() != 0) return false;
  SuperVersionGuard sv(family->super_versions.get());
  if (sv->mem->CountSuccessiveMerges(LookupKey(key, sequence - 1), limit) < limit) return false;
  MergeOperands operands(sv->merge_operator);
  operands.PushOlder(operand, /*pinned=*/true);
  PinnableSlice found;
  bool is_entity = false;
  // A failure is the readers' to see: the operand is written as it is.
  const ReadOptions options;
  const Status s =
      PointLookup({options, *sv.get(), family->tables.get(), sequence - 1, db_.statistics}, key,
                  {&found, &is_entity}, &operands);
  if (!s.ok() || key.size() + found.size() > kMaxEntrySize) return false;
  if (!AssignIfPossible(value, found.data(), found.size())) return false;
  *type = is_entity ? kTypeWideColumnEntity : kTypeValue;
  return true;
}

Status WritePath::Existing(uint32_t family_id, const Slice& key, SequenceNumber sequence,
                           std::string* value) {
  ColumnFamily* const family = db_.families->FindLive(family_id);
  if (family == nullptr) return Status::NotFound();
  SuperVersionGuard sv(family->super_versions.get());
  ReadOptions options;
  options.fill_cache = false;  // (it is about to be overwritten)
  return LookupToChange({options, *sv.get(), family->tables.get(), sequence - 1, db_.statistics},
                        key, value);
}

// --- What a leader does first

inline bool WritePath::IsAttentionNeeded() const {
  return write_needs_attention_.load(std::memory_order_acquire) ||
         db_.families->default_family()->mem->ShouldFlush() || db_.sink.has_full();
}

inline bool WritePath::IsMemoryShort() const {
  return db_.buffer_manager->ShouldFlush() || db_.buffer_manager->ShouldStall();
}

bool WritePath::IsNothingDue() { return !IsAttentionNeeded() && !IsMemoryShort(); }

Status WritePath::Prepare(const WriteGroupInfo& group) {
  const uint64_t max_wal_bytes = max_wal_bytes_.load(std::memory_order_relaxed);
  const bool over_wal_limit =
      !group.disable_wal && max_wal_bytes > 0 && db_.wals->unflushed_bytes() > max_wal_bytes;
  const bool memory_is_short = IsMemoryShort();
  if (!IsAttentionNeeded() && !over_wal_limit && !memory_is_short) [[likely]]
    return Status::OK();
  if (group.in_passing) return Status::Busy();
  // Before the mutex: a group that still inserts takes it when it fails; and the manager may ask
  // other databases.
  group.queue->Drain();
  const bool give_memory =
      memory_is_short && db_.buffer_manager->ShouldFlush() &&
      WriteBufferManagerInternal::FlushLargest(db_.buffer_manager, db_.memory->client());
  DBMutexLock lock(db_.mutex());
  if (db_.errors->failed()) return db_.errors->error();
  if (db_.shutting_down.load(std::memory_order_relaxed)) return Status::ShutdownInProgress();
  if (locks_ > 0) return Status::TryAgain(kLocked);
  Status s;
  if (db_.write_controller.IsStopped() || db_.write_controller.NeedsDelay())
    s = WaitOutStall(group);
  if (!s.ok()) return s;
  if (over_wal_limit)
    s = db_.memtables->SwitchAndFlush(db_.memtables->FamiliesOfOldestWal(), FlushReason::kWalFull);
  if (s.ok() && give_memory) {
    ColumnFamily* const family = db_.memtables->LargestFamily();
    // (One that is under way frees memory soon; more of them at once make a stall.)
    if (!family->imm.IsFlushPending() && !family->imm.IsFlushInProgress()) {
      s = db_.memtables->SwitchAndFlush({family}, FlushReason::kWriteBufferManager);
    }
  }
  if (s.ok() && (db_.sink.TakeFull() || db_.families->default_family()->mem->ShouldFlush())) {
    const PerfTimer timer(Perf(), &PerfContext::write_scheduling_flushes_compactions_time);
    s = db_.memtables->SwitchMemTables(db_.memtables->FullFamilies(),
                                       FlushReason::kWriteBufferFull);
    if (s.ok()) db_.work->MaybeScheduleWork();
  }
  if (s.ok() && db_.buffer_manager->ShouldStall()) s = db_.memory->WaitForMemory(group);
  return s;
}

Status WritePath::WaitOutStall(const WriteGroupInfo& group) {
  const PerfTimer timer(Perf(), &PerfContext::write_delay_time, kEnableWait);
  if (!db_.write_controller.IsStopped()) {
    const uint64_t delay = db_.write_controller.GetDelayMicros(
        std::max(group.last_group_bytes, group.leader_bytes), fiber::now_nanos());
    if (delay == 0) return Status::OK();
    if (group.no_slowdown) return Status::Incomplete("Write stall");
    // The delay ends early when compaction catches up.
    CommitQueue::StallScope stall(group.queue);
    const uint64_t start = fiber::now_nanos();
    const uint64_t deadline = start + delay * 1000;
    ColumnFamily* const family = db_.work->StalledFamily();
    const StallDecision why = family->stall;
    while (db_.write_controller.NeedsDelay() &&
           !db_.shutting_down.load(std::memory_order_relaxed)) {
      if (!stall_changed_.wait_until(db_.mutex(), deadline)) break;
    }
    CountStall(family, why, start);
  }
  if (db_.write_controller.IsStopped()) {
    if (group.no_slowdown) return Status::Incomplete("Write stall");
    CommitQueue::StallScope stall(group.queue);
    const uint64_t start = fiber::now_nanos();
    ColumnFamily* const family = db_.work->StalledFamily();
    const StallDecision why = family->stall;
    while (db_.write_controller.IsStopped() && !db_.errors->failed() && !db_.shutting_down.load()) {
      stall_changed_.wait(db_.mutex());
    }
    CountStall(family, why, start);
  }
  if (db_.shutting_down.load()) return Status::ShutdownInProgress("stalled writes");
  return db_.errors->failed() ? db_.errors->error() : Status::OK();
}

void WritePath::CountStall(ColumnFamily* family, const StallDecision& decision,
                           uint64_t since_nanos) {
  const uint64_t waited = (fiber::now_nanos() - since_nanos) / 1000;
  family->stall_times.Add(decision, waited);
  if (db_.statistics == nullptr) return;
  db_.statistics->recordTick(STALL_MICROS, waited);
  db_.statistics->reportTimeToHistogram(WRITE_STALL, waited);
}

// Before it joins the queue, so that nobody waits behind it.
Status WritePath::WaitForLowPriority(const WriteOptions& options, uint64_t bytes) {
  const uint64_t start = fiber::now_nanos();
  const uint64_t delay = db_.write_controller.GetLowPriorityDelayMicros(bytes, start);
  if (delay == 0) return Status::OK();
  if (options.no_slowdown) return Status::Incomplete("Low priority write stall");
  const PerfTimer timer(Perf(), &PerfContext::write_delay_time, kEnableWait);
  const uint64_t deadline = start + delay * 1000;
  DBMutexLock lock(db_.mutex());
  while (db_.write_controller.NeedSpeedupCompaction() && !db_.shutting_down.load()) {
    if (!stall_changed_.wait_until(db_.mutex(), deadline)) break;
  }
  return db_.shutting_down.load() ? Status::ShutdownInProgress() : Status::OK();
}

// --- The log

void WritePath::OnCommitError(const Status& status, CommitErrorKind kind) {
  DBMutexLock lock(db_.mutex());
  if (kind == CommitErrorKind::kMemtable) {
    db_.errors->SetBackgroundError(status, BackgroundErrorReason::kMemTable, "memtable insertion");
  } else {
    db_.errors->SetBackgroundError(status, BackgroundErrorReason::kWriteCallback,
                                   kind == CommitErrorKind::kWalWrite ? "WAL write" : "WAL sync");
  }
}

IOStatus WritePath::SyncWal() {
  IOStatus io = db_.wals->Sync();
  if (!io.ok() || !db_.options.track_and_verify_wals_in_manifest) return io;
  DBMutexLock lock(db_.mutex());
  return status_to_io_status(db_.memtables->TrackSyncedWals());
}

Status WritePath::FlushWAL(bool sync, Env::IOPriority priority) {
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  if (priority != Env::IO_TOTAL && db_.options.rate_limiter != nullptr) {
    if (priority < Env::IO_LOW || priority > Env::IO_TOTAL) {
      return Status::InvalidArgument("FlushWALOptions::rate_limiter_priority is none");
    }
    uint64_t bytes;
    {
      CommitQueue::Exclusive leadership(db_.commit.get());
      bytes = db_.wals->buffered_bytes();
    }
    // Writers do not wait for it. What they add meanwhile goes along.
    RequestBytes(db_.options.rate_limiter.get(), bytes, priority, db_.statistics,
                 RateLimiter::OpType::kWrite);
  }
  // The error is told with leadership held: afterwards a Resume() may have left the log behind, and
  // would have to mend the database once more.
  CommitQueue::Exclusive leadership(db_.commit.get());
  IOStatus io = sync ? SyncWal() : db_.wals->Flush();
  if (!io.ok()) OnCommitError(io, sync ? CommitErrorKind::kWalSync : CommitErrorKind::kWalWrite);
  return io;
}

Status WritePath::SyncWAL() { return FlushWAL(/*sync=*/true); }

Status WritePath::LockWrites() {
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  CommitQueue::Exclusive leadership(db_.commit.get());
  {
    DBMutexLock lock(db_.mutex());
    if (db_.errors->failed()) return db_.errors->error();
    if (db_.shutting_down.load()) return Status::ShutdownInProgress();
  }
  IOStatus io = db_.wals->Flush();
  if (!io.ok()) {
    OnCommitError(io, CommitErrorKind::kWalWrite);
    return io;
  }
  DBMutexLock lock(db_.mutex());
  ++locks_;
  SetNeedsAttention(true);
  return s;
}

Status WritePath::UnlockWrites() {
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  DBMutexLock lock(db_.mutex());
  if (locks_ == 0) return Status::Aborted("No LockWAL() in effect");
  if (--locks_ > 0) return s;
  db_.work->UpdateAttention();
  unlocked_.notify_all();
  return s;
}

Status WritePath::WaitForUnlock(const WriteOptions& options) {
  if (options.no_slowdown) return Status::Incomplete("Write stall");
  DBMutexLock lock(db_.mutex());
  while (locks_ > 0 && !db_.errors->failed() && !db_.shutting_down.load()) {
    unlocked_.wait(db_.mutex());
  }
  if (db_.shutting_down.load()) return Status::ShutdownInProgress();
  return db_.errors->failed() ? db_.errors->error() : Status::OK();
}

}  // namespace cairn
