// The write path above the commit queue: what a leader does before its group (stalls, memtable
// switch, errors), and the public write calls.
#include <algorithm>

#include "base/allocation.h"
#include "base/logging.h"
#include "base/perf.h"
#include "commit/write_batch_internal.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fs/limited_file_system.h"
#include "memtable/write_buffer_client.h"
#include "read/point_lookup.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {

Status DBImpl::RefuseIfReadOnly() const {
  if (Forked()) [[unlikely]] {
    return ForkedStatus();
  }
  if (mode_ == OpenMode::kReadWrite) return Status::OK();
  return mode_ == OpenMode::kSecondary
             ? Status::NotSupported("Not supported operation in secondary mode.")
             : Status::NotSupported("Not supported operation in read only mode.");
}

Status DBImpl::LimitLogRate(const WriteOptions& options, size_t bytes) const {
  if (options.rate_limiter_priority != Env::IO_USER) {
    return Status::InvalidArgument(
        "WriteOptions::rate_limiter_priority only allows Env::IO_TOTAL and Env::IO_USER");
  }
  if (options.disableWAL || db_options_.manual_wal_flush) {
    return Status::InvalidArgument(
        "WriteOptions::rate_limiter_priority Env::IO_USER needs a log that each write is written "
        "to");
  }
  // Each writer for himself, before the queue: the leader holds nobody else up for it.
  if (db_options_.rate_limiter != nullptr) {
    RequestBytes(db_options_.rate_limiter.get(), bytes, Env::IO_USER, statistics_,
                 RateLimiter::OpType::kWrite);
  }
  return Status::OK();
}

Status DBImpl::Write(const WriteOptions& options, WriteBatch* updates) {
  if (updates == nullptr) return Status::Corruption("Batch is nullptr!");
  Status s = RefuseIfReadOnly();
  if (!s.ok()) return s;
  if (options.sync && options.disableWAL) {
    return Status::InvalidArgument("Sync writes has to enable WAL.");
  }
  if (options.protection_bytes_per_key != 0) [[unlikely]] {
    return Status::NotSupported("WriteOptions::protection_bytes_per_key");
  }
  if (options.rate_limiter_priority != Env::IO_TOTAL) {
    s = LimitLogRate(options, updates->GetDataSize());
    if (!s.ok()) return s;
  }
  s = WriteBatchInternal::CheckWritable(updates);
  if (!s.ok()) return s;
  if (WriteBatchInternal::NeedsFamilies(updates)) [[unlikely]] {
    s = CheckBatchFamilies(*updates, options.ignore_missing_column_families);
    if (!s.ok()) return s;
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
  ColumnFamily* found;
  Status s = FamilyOf(family, &found);
  if (!s.ok()) return s;
  WriteBatch batch(WriteBatchInternal::kHeader + key.size() + value.size() + 16);
  s = batch.Put(family, key, value);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::Delete(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key) {
  ColumnFamily* found;
  Status s = FamilyOf(family, &found);
  if (!s.ok()) return s;
  WriteBatch batch(WriteBatchInternal::kHeader + key.size() + 11);
  s = batch.Delete(family, key);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                            const Slice& key) {
  ColumnFamily* found;
  Status s = FamilyOf(family, &found);
  if (!s.ok()) return s;
  WriteBatch batch(WriteBatchInternal::kHeader + key.size() + 11);
  s = batch.SingleDelete(family, key);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family,
                           const Slice& begin, const Slice& end) {
  ColumnFamily* found;
  Status s = FamilyOf(family, &found);
  if (!s.ok()) return s;
  WriteBatch batch;
  s = batch.DeleteRange(family, begin, end);
  return s.ok() ? Write(options, &batch) : s;
}

Status DBImpl::Merge(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                     const Slice& value) {
  ColumnFamily* found;
  Status s = FamilyOf(family, &found);
  if (!s.ok()) return s;
  if (found->merge_operator == nullptr) {
    return Status::NotSupported("Provide a merge_operator when opening DB");  // RocksDB's words
  }
  WriteBatch batch;
  s = batch.Merge(family, key, value);
  return s.ok() ? Write(options, &batch) : s;
}

// All that was written before `sequence` is in the memtables, though the last of it may not be
// published: groups insert in turn, and this one's batches one after the other.
bool DBImpl::FoldOperand(uint32_t family_id, const Slice& key, SequenceNumber sequence,
                         const Slice& operand, std::string* value, ValueType* type) {
  ColumnFamily* family = nullptr;
  {
    fiber::MutexLock lock(&live_mutex_);
    family = FindFamily(family_id);
  }
  if (family == nullptr) return false;
  const size_t limit = family->max_successive_merges.load(std::memory_order_relaxed);
  if (limit == 0) return false;
  SuperVersionGuard sv(family->super_versions.get());
  if (sv->mem->CountSuccessiveMerges(LookupKey(key, sequence - 1), limit) < limit) return false;
  MergeOperands operands(sv->merge_operator);
  operands.PushOlder(operand, /*pinned=*/true);
  PinnableSlice found;
  bool is_entity = false;
  // A failure is the readers' to see: the operand is written as it is.
  const Status s = PointLookup(ReadOptions(), *sv.get(), family->tables.get(), key, sequence - 1,
                               &found, &operands, statistics_, nullptr, &is_entity);
  if (!s.ok() || key.size() + found.size() > kMaxEntrySize) return false;
  if (!AssignIfPossible(value, found.data(), found.size())) return false;
  *type = is_entity ? kTypeWideColumnEntity : kTypeValue;
  return true;
}

// --- What a leader does first

Status DBImpl::PrepareWrite(const WriteGroupInfo& group) {
  const uint64_t max_wal_bytes = max_wal_bytes_.load(std::memory_order_relaxed);
  const bool over_wal_limit =
      !group.disable_wal && max_wal_bytes > 0 && wals_->total_bytes() > max_wal_bytes;
  const bool memory_is_short =
      write_buffer_manager_->ShouldFlush() || write_buffer_manager_->ShouldStall();
  if (!write_needs_attention_.load(std::memory_order_acquire) &&
      !default_family_->mem->ShouldFlush() && !sink_.has_full() && !over_wal_limit &&
      !memory_is_short) [[likely]] {
    return Status::OK();
  }
  if (group.in_passing) return Status::Busy();
  // Before the mutex: a group that still inserts takes it when it fails; and the manager may ask
  // other databases.
  group.queue->Drain();
  const bool give_memory =
      memory_is_short && write_buffer_manager_->ShouldFlush() &&
      WriteBufferManagerInternal::FlushLargest(write_buffer_manager_, buffer_client_.get());
  DBMutexLock lock(&mutex_);
  if (has_background_error_.load(std::memory_order_relaxed)) return background_error_;
  if (shutting_down_.load(std::memory_order_relaxed)) return Status::ShutdownInProgress();
  Status s;
  if (write_controller_.IsStopped() || write_controller_.NeedsDelay()) s = WaitOutStall(group);
  if (!s.ok()) return s;
  if (over_wal_limit) s = SwitchAndFlush(FamiliesOfOldestWal(), FlushReason::kWalFull);
  if (s.ok() && give_memory) {
    ColumnFamily* const family = LargestFamily();
    // (One that is under way frees memory soon; more of them at once make a stall.)
    if (!family->imm.IsFlushPending() && !family->imm.IsFlushInProgress()) {
      s = SwitchAndFlush({family}, FlushReason::kWriteBufferManager);
    }
  }
  if (s.ok() && (sink_.TakeFull() || default_family_->mem->ShouldFlush())) {
    const PerfTimer timer(Perf(), &PerfContext::write_scheduling_flushes_compactions_time);
    s = SwitchMemTables(FullFamilies(), FlushReason::kWriteBufferFull);
    if (s.ok()) MaybeScheduleWork();
  }
  if (s.ok() && write_buffer_manager_->ShouldStall()) s = WaitForMemory(group);
  return s;
}

Status DBImpl::WaitOutStall(const WriteGroupInfo& group) {
  const PerfTimer timer(Perf(), &PerfContext::write_delay_time, kEnableWait);
  if (!write_controller_.IsStopped()) {
    const uint64_t delay = write_controller_.GetDelayMicros(
        std::max(group.last_group_bytes, group.leader_bytes), fiber::now_nanos());
    if (delay == 0) return Status::OK();
    if (group.no_slowdown) return Status::Incomplete("Write stall");
    // The delay ends early when compaction catches up.
    CommitQueue::StallScope stall(group.queue);
    const uint64_t start = fiber::now_nanos();
    const uint64_t deadline = start + delay * 1000;
    ColumnFamily* const family = StalledFamily();
    const StallDecision why = family->stall;
    while (write_controller_.NeedsDelay() && !shutting_down_.load(std::memory_order_relaxed)) {
      if (!background_done_.wait_until(&mutex_, deadline)) break;
    }
    CountStall(family, why, start);
  }
  if (write_controller_.IsStopped()) {
    if (group.no_slowdown) return Status::Incomplete("Write stall");
    CommitQueue::StallScope stall(group.queue);
    const uint64_t start = fiber::now_nanos();
    ColumnFamily* const family = StalledFamily();
    const StallDecision why = family->stall;
    while (write_controller_.IsStopped() && !has_background_error_.load() &&
           !shutting_down_.load()) {
      background_done_.wait(&mutex_);
    }
    CountStall(family, why, start);
  }
  if (shutting_down_.load()) return Status::ShutdownInProgress("stalled writes");
  return has_background_error_.load() ? background_error_ : Status::OK();
}

void DBImpl::CountStall(ColumnFamily* family, const StallDecision& decision, uint64_t since_nanos) {
  const uint64_t waited = (fiber::now_nanos() - since_nanos) / 1000;
  family->stall_times.Add(decision, waited);
  if (statistics_ != nullptr) statistics_->recordTick(STALL_MICROS, waited);
}

// Before it joins the queue, so that nobody waits behind it.
Status DBImpl::WaitForLowPriority(const WriteOptions& options, uint64_t bytes) {
  const uint64_t start = fiber::now_nanos();
  const uint64_t delay = write_controller_.GetLowPriorityDelayMicros(bytes, start);
  if (delay == 0) return Status::OK();
  if (options.no_slowdown) return Status::Incomplete("Low priority write stall");
  const PerfTimer timer(Perf(), &PerfContext::write_delay_time, kEnableWait);
  const uint64_t deadline = start + delay * 1000;
  DBMutexLock lock(&mutex_);
  while (write_controller_.NeedSpeedupCompaction() && !shutting_down_.load()) {
    if (!background_done_.wait_until(&mutex_, deadline)) break;
  }
  return shutting_down_.load() ? Status::ShutdownInProgress() : Status::OK();
}

// --- Memtable switch

void DBImpl::NoteWritten() {
  for (const uint32_t id : sink_.TakeWritten()) {
    ColumnFamily* const family = FindFamily(id);
    if (family == nullptr) continue;  // dropped since
    // The log has not changed since: who changes it asks for this before.
    family->written = true;
    family->mem->SetFirstLogNumber(wals_->current_number());
    NoteLogNeed(family);
  }
}

void DBImpl::NoteLogNeed(ColumnFamily* family) {
  // The default family, which may be written to without a look at the sink's books, is in none.
  if (family->is_default() || family->dropped.load()) return;
  uint64_t need = 0;
  if (family->imm.NumNotFlushed() > 0) {
    need = family->imm.current()->memtables().back()->GetFirstLogNumber();
  } else if (family->written) {
    need = family->mem->GetFirstLogNumber();
  }
  books_.SetLogNeed(family, need);
  family->state->SetIdle(need == 0);
}

std::vector<ColumnFamily*> DBImpl::BusyFamilies() {
  NoteWritten();
  std::vector<ColumnFamily*> out = {default_family_};
  for (const auto& [id, family] : books_.busy()) out.push_back(family);
  books_.CountVisits(out.size());
  return out;
}

std::vector<ColumnFamily*> DBImpl::FullFamilies() {
  std::vector<ColumnFamily*> full;
  for (ColumnFamily* family : BusyFamilies()) {
    if (!family->mem->IsEmpty() && family->mem->ShouldFlush()) full.push_back(family);
  }
  return full;
}

uint64_t DBImpl::FirstLogNeeded(const ColumnFamily& family, size_t flushed) const {
  const std::vector<MemTable*>& sealed = family.imm.current()->memtables();  // newest first
  if (flushed < sealed.size()) return sealed[sealed.size() - 1 - flushed]->GetFirstLogNumber();
  const bool written = family.is_default() ? !family.mem->IsEmpty() : family.written;
  return written ? family.mem->GetFirstLogNumber() : wals_->current_number();
}

uint64_t DBImpl::FirstLogNeeded(const std::map<const ColumnFamily*, size_t>& flushed) const {
  CountedNumbers without;
  uint64_t oldest = wals_->current_number();
  for (const auto& [family, memtables] : flushed) {
    if (family->log_need != 0) without.Add(family->log_need);
    oldest = std::min(oldest, FirstLogNeeded(*family, memtables));
  }
  if (!flushed.contains(default_family_)) {
    oldest = std::min(oldest, FirstLogNeeded(*default_family_, 0));
  }
  return std::min(oldest, books_.OldestLogNeed(without));
}

// One that is never written to would keep all logs.
void DBImpl::LetGoOfWals(const std::map<const ColumnFamily*, size_t>& flushed) {
  NoteWritten();
  const uint64_t oldest = FirstLogNeeded(flushed);
  versions_->LetIdleGo(oldest);
  if (default_family_->imm.NumNotFlushed() == 0 && default_family_->mem->IsEmpty()) {
    ColumnFamilyState* const state = default_family_->state;
    state->SetLogNumber(std::max(state->log_number(), oldest));
  }
}

std::vector<ColumnFamily*> DBImpl::FamiliesOfOldestWal() {
  LetGoOfWals();
  const uint64_t oldest = versions_->MinLogNumberWithUnflushedData();
  std::vector<ColumnFamily*> out;
  if (flushed_wal_ == oldest) return out;  // under way
  for (ColumnFamily* family : BusyFamilies()) {
    if (family->state->log_number() <= oldest) out.push_back(family);
  }
  flushed_wal_ = oldest;
  return out;
}

ColumnFamily* DBImpl::LargestFamily() {
  const std::vector<ColumnFamily*> families = BusyFamilies();
  return *std::max_element(
      families.begin(), families.end(), [](const ColumnFamily* a, const ColumnFamily* b) {
        return a->mem->ApproximateMemoryUsage() < b->mem->ApproximateMemoryUsage();
      });
}

Status DBImpl::SwitchMemTables(const std::vector<ColumnFamily*>& asked, FlushReason reason,
                               bool abandon_wal) {
  const bool all = db_options_.atomic_flush && !asked.empty();
  NoteWritten();
  std::vector<ColumnFamily*> families;
  for (ColumnFamily* family : all ? BusyFamilies() : asked) {
    if (family->written && family->mem->IsEmpty()) {
      // What was to be written failed.
      family->written = false;
      sink_.SetUnwritten(family->id());
      NoteLogNeed(family);
    }
    // (The flush of an empty one still says that the abandoned WAL is not needed; that of what is
    // immutable already would not say it of this one.)
    if (!family->mem->IsEmpty() ||
        (abandon_wal && (family == default_family_ || family->imm.NumNotFlushed() > 0))) {
      families.push_back(family);
    }
  }
  if (families.empty()) return Status::OK();
  // A WAL that nothing was written to (all writes skipped it) serves the next memtable too.
  const bool new_wal = !wals_->CurrentIsEmpty();
  const uint64_t wal_number = new_wal ? versions_->NewFileNumber() : wals_->current_number();
  const SequenceNumber last_sequence = versions_->LastSequence();
  mutex_.unlock();
  std::vector<MemTable*> next;
  for (ColumnFamily* family : families) next.push_back(NewMemTable(*family, last_sequence));
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
    for (MemTable* memtable : next) memtable->Unref();
    SetBackgroundError(io, BackgroundErrorReason::kWriteCallback, "memtable switch");
    return io;
  }
  for (size_t i = 0; i < families.size(); ++i) {
    ColumnFamily* const family = families[i];
    family->mem->SetNextLogNumber(wal_number);
    family->flush_reason = reason;
    QueueSealed(*family, *family->mem);
    family->imm.Add(family->mem);
    family->mem = next[i];
    family->mem->SetFirstLogNumber(wal_number);
    family->written = false;
    sink_.Set(family->id(), next[i]);
    NoteLogNeed(family);
    books_.MayFlush(family);
    LogInfo(db_options_.info_log.get(),
            "[%s] New memtable created with log file: #%llu. Immutable memtables: %d.",
            family->name().c_str(), static_cast<unsigned long long>(wal_number),
            family->imm.NumNotFlushed());
  }
  // (The others' is set when they are written to.)
  if (default_family_->mem->IsEmpty()) default_family_->mem->SetFirstLogNumber(wal_number);
  LetGoOfWals();
  for (ColumnFamily* family : families) InstallSuperVersion(family);
  DeliverEvents();
  return Status::OK();
}

Status DBImpl::SwitchAndFlush(const std::vector<ColumnFamily*>& families, FlushReason reason) {
  Status s = SwitchMemTables(families, reason);
  if (!s.ok()) return s;
  for (ColumnFamily* family : db_options_.atomic_flush ? BusyFamilies() : families) {
    if (family->imm.NumNotFlushed() > 0) RequestFlush(family);
  }
  MaybeScheduleWork();
  return s;
}

void DBImpl::RequestFlush(ColumnFamily* family) {
  family->imm.FlushRequested();
  books_.MayFlush(family);
}

Status DBImpl::FlushWAL(bool sync) {
  Status s = RefuseIfReadOnly();
  if (!s.ok()) return s;
  // The error is told with leadership held: afterwards a Resume() may have left the log behind, and
  // would have to mend the database once more.
  CommitQueue::Exclusive leadership(commit_.get());
  IOStatus io = sync ? wals_->Sync() : wals_->Flush();
  if (!io.ok()) OnCommitError(io, sync ? CommitErrorKind::kWalSync : CommitErrorKind::kWalWrite);
  return io;
}

Status DBImpl::SyncWAL() { return FlushWAL(/*sync=*/true); }

}  // namespace cairn
