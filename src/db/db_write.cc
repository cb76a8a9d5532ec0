// The write path above the commit queue: what a leader does before its group (stalls, memtable
// switch, errors), and the public write calls.
#include "base/logging.h"
#include "commit/write_batch_internal.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "memtable/write_buffer_client.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {

Status DBImpl::RefuseIfReadOnly() const {
  return mode_ == OpenMode::kReadWrite
             ? Status::OK()
             : Status::NotSupported("Not supported operation in read only mode.");
}

Status DBImpl::Write(const WriteOptions& options, WriteBatch* updates) {
  if (updates == nullptr) return Status::Corruption("Batch is nullptr!");
  Status s = RefuseIfReadOnly();
  if (!s.ok()) return s;
  if (options.sync && options.disableWAL) {
    return Status::InvalidArgument("Sync writes has to enable WAL.");
  }
  s = WriteBatchInternal::CheckWritable(updates);
  if (!s.ok()) return s;
  if (!options.ignore_missing_column_families && !WriteBatchInternal::OnlyDefaultFamily(updates)) {
    return Status::InvalidArgument("Invalid column family specified in write batch");
  }
  if (WriteBatchInternal::Count(updates) == 0 && !options.sync &&
      WriteBatchInternal::ByteSize(updates) <= WriteBatchInternal::kHeader) {
    return Status::OK();
  }
  if (options.disableWAL && !has_unlogged_data_.load(std::memory_order_relaxed)) {
    has_unlogged_data_.store(true, std::memory_order_relaxed);
  }
  if (options.low_pri) {
    s = WaitForLowPriority(options, WriteBatchInternal::ByteSize(updates));
    if (!s.ok()) return s;
  }
  const uint64_t start = statistics_ != nullptr ? fiber::now_nanos() : 0;
  s = commit_->Write(options, updates);
  if (statistics_ != nullptr) [[unlikely]] {
    statistics_->reportTimeToHistogram(DB_WRITE, (fiber::now_nanos() - start) / 1000);
  }
  return s;
}

Status DBImpl::Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                   const Slice& value) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  WriteBatch batch(WriteBatchInternal::kHeader + key.size() + value.size() + 11);
  s = batch.Put(key, value);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::Delete(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  WriteBatch batch(WriteBatchInternal::kHeader + key.size() + 6);
  s = batch.Delete(key);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                            const Slice& key) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  WriteBatch batch(WriteBatchInternal::kHeader + key.size() + 6);
  s = batch.SingleDelete(key);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family,
                           const Slice& begin, const Slice& end) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  WriteBatch batch;
  s = batch.DeleteRange(begin, end);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::Merge(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                     const Slice& value) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  WriteBatch batch;
  s = batch.Merge(key, value);
  return s.ok() ? Write(options, &batch) : s;
}

// --- What a leader does first

Status DBImpl::PrepareWrite(const WriteGroupInfo& group) {
  const uint64_t max_wal_bytes = max_total_wal_size_.load(std::memory_order_relaxed);
  const bool over_wal_limit =
      !group.disable_wal && max_wal_bytes > 0 && wals_->total_bytes() > max_wal_bytes;
  const bool memory_is_short =
      write_buffer_manager_->ShouldFlush() || write_buffer_manager_->ShouldStall();
  if (!write_needs_attention_.load(std::memory_order_acquire) && !mem_->ShouldFlush() &&
      !over_wal_limit && !memory_is_short) [[likely]] {
    return Status::OK();
  }
  if (group.in_passing) return Status::Busy();
  // Before the mutex: a group that still inserts takes it when it fails; and the manager may ask
  // other databases.
  group.queue->Drain();
  const bool give_memory =
      memory_is_short && write_buffer_manager_->ShouldFlush() &&
      WriteBufferManagerInternal::FlushLargest(write_buffer_manager_, buffer_client_.get());
  fiber::MutexLock lock(&mutex_);
  if (has_background_error_.load(std::memory_order_relaxed)) return background_error_;
  if (shutting_down_.load(std::memory_order_relaxed)) return Status::ShutdownInProgress();
  Status s;
  if (write_controller_.IsStopped() || write_controller_.NeedsDelay()) s = WaitOutStall(group);
  if (s.ok() && over_wal_limit) {
    s = SwitchAndFlush();
  } else if (s.ok() && give_memory && !imm_.IsFlushPending() && !imm_.IsFlushInProgress()) {
    // (One that is under way frees memory soon; more of them at once make a stall.)
    s = SwitchAndFlush();
  } else if (s.ok() && !mem_->IsEmpty() && mem_->ShouldFlush()) {
    s = SwitchMemTable();
    if (s.ok()) MaybeScheduleWork();
  }
  if (s.ok() && write_buffer_manager_->ShouldStall()) s = WaitForMemory(group);
  return s;
}

Status DBImpl::WaitOutStall(const WriteGroupInfo& group) {
  if (!write_controller_.IsStopped()) {
    const uint64_t delay = write_controller_.GetDelayMicros(
        std::max(group.last_group_bytes, group.leader_bytes), fiber::now_nanos());
    if (delay == 0) return Status::OK();
    if (group.no_slowdown) return Status::Incomplete("Write stall");
    // The delay ends early when compaction catches up.
    CommitQueue::StallScope stall(group.queue);
    const uint64_t start = fiber::now_nanos();
    const uint64_t deadline = start + delay * 1000;
    const StallDecision why = stall_;
    while (write_controller_.NeedsDelay() && !shutting_down_.load(std::memory_order_relaxed)) {
      if (!background_done_.wait_until(&mutex_, deadline)) break;
    }
    CountStall(why, start);
  }
  if (write_controller_.IsStopped()) {
    if (group.no_slowdown) return Status::Incomplete("Write stall");
    CommitQueue::StallScope stall(group.queue);
    const uint64_t start = fiber::now_nanos();
    const StallDecision why = stall_;
    while (write_controller_.IsStopped() && !has_background_error_.load() &&
           !shutting_down_.load()) {
      background_done_.wait(&mutex_);
    }
    CountStall(why, start);
  }
  if (shutting_down_.load()) return Status::ShutdownInProgress("stalled writes");
  return has_background_error_.load() ? background_error_ : Status::OK();
}

void DBImpl::CountStall(const StallDecision& decision, uint64_t since_nanos) {
  const uint64_t waited = (fiber::now_nanos() - since_nanos) / 1000;
  stall_times_.Add(decision, waited);
  if (statistics_ != nullptr) statistics_->recordTick(STALL_MICROS, waited);
}

// Before it joins the queue, so that nobody waits behind it.
Status DBImpl::WaitForLowPriority(const WriteOptions& options, uint64_t bytes) {
  const uint64_t start = fiber::now_nanos();
  const uint64_t delay = write_controller_.GetLowPriorityDelayMicros(bytes, start);
  if (delay == 0) return Status::OK();
  if (options.no_slowdown) return Status::Incomplete("Low priority write stall");
  const uint64_t deadline = start + delay * 1000;
  fiber::MutexLock lock(&mutex_);
  while (write_controller_.NeedSpeedupCompaction() && !shutting_down_.load()) {
    if (!background_done_.wait_until(&mutex_, deadline)) break;
  }
  return shutting_down_.load() ? Status::ShutdownInProgress() : Status::OK();
}

Status DBImpl::SwitchMemTable(bool abandon_wal) {
  // A WAL that nothing was written to (all writes skipped it) serves the next memtable too.
  const bool new_wal = !wals_->CurrentIsEmpty();
  const uint64_t wal_number = new_wal ? versions_->NewFileNumber() : wals_->current_number();
  const SequenceNumber last_sequence = versions_->LastSequence();
  mutex_.unlock();
  MemTable* next = NewMemTable(last_sequence);
  IOStatus io;
  if (new_wal) {
    std::unique_ptr<LogWriter> wal;
    io = wals_->Create(wal_number, &wal);
    if (io.ok()) {
      io = wals_->Install(std::move(wal));
      if (abandon_wal) io = IOStatus::OK();
    }
  }
  mutex_.lock();
  if (!io.ok()) {
    next->Unref();
    SetBackgroundError(io, "memtable switch");
    return io;
  }
  mem_->SetNextLogNumber(wal_number);
  imm_.Add(mem_);
  mem_ = next;
  sink_.set_table(next);
  LogInfo(db_options_.info_log.get(),
          "[default] New memtable created with log file: #%llu. Immutable memtables: %d.",
          static_cast<unsigned long long>(wal_number), imm_.NumNotFlushed());
  InstallSuperVersion();
  return Status::OK();
}

void DBImpl::OnCommitError(const Status& status, CommitErrorKind kind) {
  fiber::MutexLock lock(&mutex_);
  SetBackgroundError(status, kind == CommitErrorKind::kWalWrite  ? "WAL write"
                             : kind == CommitErrorKind::kWalSync ? "WAL sync"
                                                                 : "memtable insertion");
}

void DBImpl::SetBackgroundError(const Status& status, const char* where) {
  ++background_errors_;
  LogError(db_options_.info_log.get(), "Background error in %s: %s", where,
           status.ToString().c_str());
  if (!has_background_error_.load(std::memory_order_relaxed)) {
    background_error_ = status;
    has_background_error_.store(true, std::memory_order_release);
  }
  write_needs_attention_.store(true, std::memory_order_release);
  background_done_.notify_all();
  buffer_client_->Signal();
}

Status DBImpl::FlushWAL(bool sync) {
  Status s = RefuseIfReadOnly();
  if (!s.ok()) return s;
  IOStatus io;
  {
    CommitQueue::Exclusive leadership(commit_.get());
    io = sync ? wals_->Sync() : wals_->Flush();
  }
  if (!io.ok()) OnCommitError(io, sync ? CommitErrorKind::kWalSync : CommitErrorKind::kWalWrite);
  return io;
}

Status DBImpl::SyncWAL() { return FlushWAL(/*sync=*/true); }

Status DBImpl::Resume() {
  Status s = RefuseIfReadOnly();
  if (!s.ok()) return s;
  // With leadership held to the end: no write enters before everything in memory is in tables.
  // Until then the damaged tail of the old WAL would cut off what a recovery finds in a newer one.
  CommitQueue::Exclusive leadership(commit_.get());
  fiber::MutexLock lock(&mutex_);
  if (!has_background_error_.load()) return Status::OK();
  // What began before may still fail for the old reason, and would be taken for a new error.
  while (running_flushes_ > 0 || running_compactions_ > 0) background_done_.wait(&mutex_);
  if (background_error_.IsCorruption()) return background_error_;
  const Status former = background_error_;
  background_error_ = Status::OK();
  has_background_error_.store(false, std::memory_order_release);
  // The old WAL may be what failed; nothing depends on it once the memtables are tables.
  s = SwitchMemTable(/*abandon_wal=*/true);
  if (s.ok() && imm_.NumNotFlushed() > 0) {
    imm_.FlushRequested();
    MaybeScheduleWork();
    while (imm_.NumNotFlushed() > 0 && !has_background_error_.load() && !shutting_down_.load()) {
      background_done_.wait(&mutex_);
    }
    if (has_background_error_.load()) s = background_error_;
    if (shutting_down_.load()) s = Status::ShutdownInProgress();
  }
  if (!s.ok()) {
    if (!has_background_error_.load()) SetBackgroundError(former, "resume");
    return s;
  }
  UpdateStall();
  MaybeScheduleWork();
  const uint64_t min_log = versions_->MinLogNumberToKeep();
  lock.unlock();
  // A WAL that failed would fail every later sync too.
  wals_->ForgetBelow(min_log);
  return s;
}

}  // namespace cairn
