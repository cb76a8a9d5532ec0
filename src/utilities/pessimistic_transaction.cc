#include "utilities/pessimistic_transaction.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "base/timestamps.h"
#include "batch/write_batch_internal.h"
#include "db/column_family.h"
#include "db/db_impl.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

constexpr uint64_t kNanosPerMillisecond = 1'000'000;
constexpr size_t kMaxNameSize = 512;  // bytes

uint64_t ExpiryAfter(int64_t millis) {
  if (millis < 0 || static_cast<uint64_t>(millis) > fiber::kNoDeadline / kNanosPerMillisecond) {
    return fiber::kNoDeadline;
  }
  return fiber::deadline_after(static_cast<uint64_t>(millis) * kNanosPerMillisecond);
}

}  // namespace

PessimisticTransaction::PessimisticTransaction(PessimisticDb* db, const WriteOptions& write_options,
                                               const TransactionOptions& options)
    : TransactionBase(db->impl(), write_options), txn_db_(db) {
  Start(options);
}

PessimisticTransaction::~PessimisticTransaction() {
  End();
  Unregister();
}

void PessimisticTransaction::Begin(const WriteOptions& write_options,
                                   const TransactionOptions& options) {
  End();
  Unregister();
  TransactionBase::Begin(write_options);
  Start(options);
}

void PessimisticTransaction::Start(const TransactionOptions& options) {
  SetTerms({txn_db_->NextId(), ExpiryAfter(options.expiration), options.deadlock_detect,
            options.deadlock_detect_depth});
  may_expire_ = true;
  read_timestamp_ = kMaxTxnTimestamp;
  commit_timestamp_ = kMaxTxnTimestamp;
  lock_timeout_us_ = PessimisticDb::Micros(options.lock_timeout >= 0
                                               ? options.lock_timeout
                                               : txn_db_->options().transaction_lock_timeout);
  skip_prepare_ = options.skip_prepare;
  commits_late_writes_ = options.use_only_the_last_commit_time_batch_for_recovery;
  tracks_ = !options.skip_concurrency_control;
  batch_.SetMaxBytes(options.max_write_batch_size);
  if (options.set_snapshot) SetSnapshot();
}

void PessimisticTransaction::End() {
  if (RangeLocks* const ranges = txn_db_->range_locks()) {
    ranges->Release(this);
  } else {
    for (const TrackedKeys::Entry& entry : tracked_.entries()) {
      if (entry.is_tracked()) Unlock(entry.hash, entry.family, tracked_.KeyOf(entry));
    }
  }
  ClearWrites();
}

void PessimisticTransaction::Unlock(uint64_t hash, uint32_t family, const Slice& key) {
  if (txn_db_->range_locks() == nullptr) txn_db_->locks()->Unlock(this, hash, family, key);
}

// --- Names

void PessimisticTransaction::Unregister() {
  if (!registered_) return;
  const TransactionState state = txn_state_;
  const bool stays = log_number_ != 0 && state != COMMITTED && state != ROLLEDBACK;
  txn_db_->Unregister(name_, stays);
  registered_ = false;
}

Status PessimisticTransaction::SetName(const TransactionName& name) {
  if (txn_state_ != STARTED) {
    return Status::InvalidArgument("Transaction is beyond state for naming.");
  }
  if (!name_.empty()) return Status::InvalidArgument("Transaction has already been named.");
  if (name.empty() || name.size() > kMaxNameSize) {
    return Status::InvalidArgument("Transaction name length must be between 1 and 512 chars.");
  }
  if (!txn_db_->Register(name, this)) {
    return Status::InvalidArgument("Transaction name must be unique.");
  }
  name_ = name;
  registered_ = true;
  return Status::OK();
}

// --- The end

bool PessimisticTransaction::IsExpired() const {
  return may_expire_ && terms().expires != fiber::kNoDeadline &&
         fiber::now_nanos() >= terms().expires;
}

bool PessimisticTransaction::Steal() {
  TransactionState expected = STARTED;
  return txn_state_.compare_exchange_strong(expected, LOCKS_STOLEN) || expected == LOCKS_STOLEN;
}

namespace {

// Of what is asked for in vain, by the state that is in the way.
Status StateError(Transaction::TransactionState state) {
  switch (state) {
    case Transaction::LOCKS_STOLEN:
      return Status::Expired();
    case Transaction::PREPARED:
      return Status::InvalidArgument("Transaction has already been prepared.");
    case Transaction::COMMITTED:
      return Status::InvalidArgument("Transaction has already been committed.");
    case Transaction::ROLLEDBACK:
      return Status::InvalidArgument("Transaction has already been rolledback.");
    default:
      return Status::InvalidArgument("Transaction is not in state for commit.");
  }
}

}  // namespace

Status PessimisticTransaction::Prepare() {
  if (name_.empty()) {
    return Status::InvalidArgument("Cannot prepare a transaction that has not been named.");
  }
  if (IsExpired()) return Status::Expired();
  // From here on nobody can take the locks away.
  TransactionState state = STARTED;
  if (!txn_state_.compare_exchange_strong(state, AWAITING_PREPARE)) return StateError(state);
  TwoPhaseStep step{TwoPhaseStep::Kind::kPrepare};
  WriteBatch section;
  Status s = WriteBatchInternal::AppendMark(
      &section, db_->SharesNumbers() ? kTypeBeginPersistedPrepareXID : kTypeBeginPrepareXID);
  if (s.ok()) s = WriteBatchInternal::Append(&section, batch_.GetWriteBatch());
  if (s.ok()) s = WriteBatchInternal::AppendMark(&section, kTypeEndPrepareXID, name_);
  if (s.ok() && db_->SharesNumbers()) s = PrepareShared(&step);
  if (s.ok()) s = db_->WriteStep(write_options_, &section, &step);
  if (s.ok()) {
    may_expire_ = false;
    log_number_ = step.log;
    prepared_bytes_ = batch_.GetWriteBatch()->GetDataSize();
    txn_state_ = PREPARED;
  } else if (!step.touched_log) {
    txn_state_ = STARTED;
  }
  return s;
}

// (The keys are locked: what they have now is what they have until this is decided.)
Status PessimisticTransaction::PrepareShared(TwoPhaseStep* step) {
  const WriteBatch* const entries = batch_.GetWriteBatch();
  WriteBatch before, copy;
  Status s = db_->ValuesBefore(*entries, /*of_merges_only=*/false, &before);
  if (s.ok()) s = EncodeSharedCopy(name_, before, entries, &copy);
  step->name = name_;
  step->numbers = SharedNumbersOf(*entries);
  step->copy = copy.Data();
  step->copy_numbers = 1 + step->numbers;
  return s;
}

Status PessimisticTransaction::Commit() {
  if (IsExpired()) return Status::Expired();
  const TransactionState state = txn_state_;
  if (state == PREPARED) return CommitPrepared();
  if (state != STARTED) return StateError(state);
  return skip_prepare_ ? CommitUnprepared() : Status::TxnNotPrepared();
}

bool PessimisticTransaction::CommitTakesSnapshot() const {
  return snapshot_needed() && !db_->SharesNumbers();
}

Status PessimisticTransaction::CheckSnapshot() const {
  return CommitTakesSnapshot() && commit_timestamp_ == kMaxTxnTimestamp
             ? Status::InvalidArgument("Must set transaction commit timestamp")
             : Status::OK();
}

Status PessimisticTransaction::WriteCommit(WriteBatch* batch, TwoPhaseStep* step) {
  if (!CommitTakesSnapshot()) [[likely]] {
    return step == nullptr ? db_->Write(write_options_, batch)
                           : db_->WriteStep(write_options_, batch, step);
  }
  std::shared_ptr<const Snapshot> snapshot;
  Status s = db_->WriteAndTakeSnapshot(write_options_, batch, step, commit_timestamp_, &snapshot);
  if (s.ok()) SetTakenSnapshot(std::move(snapshot));
  return s;
}

Status PessimisticTransaction::CommitUnprepared() {
  Status s = CheckCommitTimeBatch();
  if (s.ok()) s = CheckSnapshot();
  std::string timestamp;
  if (s.ok()) s = Stamp(&timestamp);
  if (!s.ok()) return s;
  TransactionState state = STARTED;
  if (!txn_state_.compare_exchange_strong(state, AWAITING_COMMIT)) return StateError(state);
  s = WriteCommit(batch_.GetWriteBatch(), /*step=*/nullptr);
  Unregister();
  End();
  if (s.ok()) txn_state_ = COMMITTED;
  return s;
}

void PessimisticTransaction::EndPrepared(TransactionState state) {
  log_number_ = 0;
  Unregister();
  End();
  txn_state_ = state;
}

Status PessimisticTransaction::EncodeCommit(const Slice& timestamp, WriteBatch* batch) {
  Status s = WriteBatchInternal::AppendMark(batch, kTypeNoop);
  if (s.ok()) s = WriteBatchInternal::Append(batch, GetCommitTimeWriteBatch());
  if (s.ok() && timestamp.empty()) {
    s = WriteBatchInternal::AppendMark(batch, kTypeCommitXID, name_);
  } else if (s.ok()) {
    s = WriteBatchInternal::AppendCommitMark(batch, name_, timestamp);
  }
  if (!s.ok()) return s;
  batch->MarkWalTerminationPoint();
  return WriteBatchInternal::Append(batch, batch_.GetWriteBatch());
}

// The section's operands, where a log has put them into memtables, must not count twice.
Status PessimisticTransaction::EncodeSharedCommit(WriteBatch* batch) {
  const WriteBatch* const prepared = batch_.GetWriteBatch();
  Status s = db_->ValuesBefore(*prepared, /*of_merges_only=*/true, batch);
  if (s.ok()) s = WriteBatchInternal::Append(batch, GetCommitTimeWriteBatch());
  if (s.ok()) s = WriteBatchInternal::Append(batch, prepared);
  return s.ok() ? WriteBatchInternal::AppendMark(batch, kTypeRollbackXID, name_) : s;
}

Status PessimisticTransaction::CommitPrepared() {
  WriteBatch* const prepared = batch_.GetWriteBatch();
  if (prepared->GetDataSize() != prepared_bytes_) {
    return Status::InvalidArgument("The batch was changed after it was prepared.");
  }
  const bool shared = db_->SharesNumbers();
  if (shared && GetCommitTimeWriteBatch()->Count() > 0 && !commits_late_writes_) {
    return Status::InvalidArgument(
        "Commit-time-batch can only be used if use_only_the_last_commit_time_batch_for_recovery is "
        "true");
  }
  std::string timestamp;
  Status s = Stamp(&timestamp);
  if (s.ok()) s = CheckSnapshot();
  if (!s.ok()) return s;
  txn_state_ = AWAITING_COMMIT;
  if (Statistics* const statistics = db_->statistics(); statistics != nullptr) {
    statistics->recordInHistogram(NUM_OP_PER_TRANSACTION, prepared->Count());
  }
  WriteBatch batch;
  s = shared ? EncodeSharedCommit(&batch) : EncodeCommit(timestamp, &batch);
  TwoPhaseStep step{TwoPhaseStep::Kind::kCommit, log_number_};
  if (shared) step.name = name_;
  if (s.ok()) s = WriteCommit(&batch, &step);
  if (s.ok()) {
    EndPrepared(COMMITTED);
  } else if (!step.touched_log) {
    txn_state_ = PREPARED;
  }
  return s;
}

Status PessimisticTransaction::RollbackPrepared() {
  txn_state_ = AWAITING_ROLLBACK;
  WriteBatch batch;
  TwoPhaseStep step{TwoPhaseStep::Kind::kRollback, log_number_};
  Status s;
  if (db_->SharesNumbers()) {
    step.name = name_;
    s = db_->ValuesBefore(*batch_.GetWriteBatch(), /*of_merges_only=*/false, &batch);
  }
  if (s.ok()) s = WriteBatchInternal::AppendMark(&batch, kTypeRollbackXID, name_);
  if (s.ok()) s = db_->WriteStep(write_options_, &batch, &step);
  if (s.ok()) {
    EndPrepared(ROLLEDBACK);
  } else if (!step.touched_log) {
    txn_state_ = PREPARED;
  }
  return s;
}

Status PessimisticTransaction::Rollback() {
  switch (txn_state_.load()) {
    case STARTED:
      End();
      return Status::OK();
    case PREPARED:
      return RollbackPrepared();
    case COMMITTED:
      return Status::InvalidArgument("This transaction has already been committed.");
    default:
      return Status::InvalidArgument("Two phase transaction is not in state for rollback.");
  }
}

Status PessimisticTransaction::RollbackToSavePoint() {
  if (txn_state_ != STARTED) {
    return Status::InvalidArgument("Transaction is beyond state for rollback.");
  }
  return TransactionBase::RollbackToSavePoint();
}

// --- What recovery found

Status PessimisticTransaction::Recover(const TransactionName& name,
                                       const PreparedSection& section) {
  Status s = SetName(name);
  WriteBatch there;  // of families that still are: with one its data went
  BatchReader reader(section.batch.Data());
  BatchRecord record;
  uint32_t known = 0;  // which is the default family's
  bool exists = true;
  while (s.ok() && reader.Next(&record)) {
    if (record.family != known) {
      known = record.family;
      exists = db_->HandleOf(known) != nullptr;
    }
    if (!exists) continue;
    LockRecovered(record.family, StripTimestamp(record.key, db_->TimestampSizeOf(record.family)));
    s = WriteBatchInternal::AppendRecord(&there, record);
  }
  if (s.ok()) s = reader.status();
  tracks_ = false;  // that was done
  if (s.ok()) s = RebuildFromWriteBatch(&there);
  tracks_ = true;
  if (!s.ok()) return s;
  log_number_ = section.log;
  may_expire_ = false;
  prepared_bytes_ = batch_.GetWriteBatch()->GetDataSize();
  txn_state_ = PREPARED;
  return s;
}

// Who locked no keys may have one of another's: then it goes without, as before.
void PessimisticTransaction::LockRecovered(uint32_t family, const Slice& key) {
  if (tracked_.Find(family, key) != nullptr) return;
  const uint64_t hash = LockTable::HashOf(family, key);
  const Status s = txn_db_->LockKey(this, hash, family, txn_db_->RangeComparatorOf(family), key,
                                    /*exclusive=*/true, /*timeout_us=*/0);
  if (!s.ok()) return;
  tracked_.Track(family, key, db_->GetLatestSequenceNumber(), /*read_only=*/false,
                 /*exclusive=*/true);
}

// --- Keys

Status PessimisticTransaction::MayWrite() const {
  const TransactionState state = txn_state_;
  // A commit writes what was prepared, and nothing else.
  const bool too_late = state == AWAITING_PREPARE || state == PREPARED ||
                        state == AWAITING_COMMIT || state == AWAITING_ROLLBACK;
  return too_late ? Status::InvalidArgument("Transaction is beyond state for writing.")
                  : Status::OK();
}

Status PessimisticTransaction::FamilyOf(ColumnFamilyHandle* handle,
                                        const ColumnFamily** family) const {
  if (handle == nullptr) handle = db_->DefaultColumnFamily();
  *family = static_cast<const ColumnFamilyHandleImpl*>(handle)->family();
  if (!(*family)->dropped.load()) return Status::OK();
  return Status::InvalidArgument("Column family id not found: " + std::to_string(IdOf(handle)));
}

Status PessimisticTransaction::GetRangeLock(ColumnFamilyHandle* handle, const Endpoint& start,
                                            const Endpoint& end) {
  RangeLocks* const ranges = txn_db_->range_locks();
  if (ranges == nullptr) return Status::NotSupported("GetRangeLock: lock_mgr_handle has no ranges");
  const ColumnFamily* family = nullptr;
  Status s = MayWrite();
  if (s.ok()) s = FamilyOf(handle, &family);
  if (!s.ok()) return s;
  return ranges->Lock(this, IdOf(handle), family->icmp.user_comparator(), start, end,
                      /*exclusive=*/true, lock_timeout_us_);
}

Status PessimisticTransaction::Validate(const ColumnFamily* family, const Slice& key,
                                        SequenceNumber* since) const {
  const bool by_snapshot = snapshot_ != nullptr && snapshot_->GetSequenceNumber() < *since;
  if (by_snapshot) *since = snapshot_->GetSequenceNumber();
  bool written = false;
  Status s;
  if (family->icmp.timestamp_size() == 0) [[likely]] {
    if (by_snapshot) s = db_->WrittenSince(family, key, *since, &written);
  } else {
    std::string timestamp;
    if (ValidatesTimestamps()) PutFixed64(&timestamp, read_timestamp_);
    if (by_snapshot || !timestamp.empty()) {
      const SequenceNumber moment = by_snapshot ? *since : kMaxSequenceNumber;
      s = db_->StampedSince(family, key, moment, timestamp, &written);
    }
  }
  return s.ok() && written ? Status::Busy() : s;
}

Status PessimisticTransaction::TrackKey(ColumnFamilyHandle* handle, const Slice& key,
                                        bool read_only, bool exclusive, bool validate) {
  if (!tracks_) return Status::OK();
  const uint32_t id = IdOf(handle);
  const ColumnFamily* family = nullptr;
  Status s = FamilyOf(handle, &family);
  if (!s.ok()) return s;
  const TrackedKeys::Entry* const known = tracked_.Find(id, key);
  const bool upgrade = known != nullptr && exclusive && !known->exclusive;
  const uint64_t hash = known != nullptr ? known->hash : LockTable::HashOf(id, key);
  SequenceNumber since = known != nullptr ? known->since : kMaxSequenceNumber;
  if (known == nullptr || upgrade) {
    s = txn_db_->LockKey(this, hash, id, family->icmp.user_comparator(), key, exclusive,
                         lock_timeout_us_);
  }
  TakeNeededSnapshot();
  if (!s.ok()) return s;
  const bool by_timestamp = validate && family->icmp.timestamp_size() != 0 && ValidatesTimestamps();
  if (known == nullptr && (!validate || snapshot_ == nullptr)) {
    since = db_->GetLatestSequenceNumber();
  }
  if (by_timestamp || (validate && snapshot_ != nullptr)) s = Validate(family, key, &since);
  if (!s.ok()) {
    if (upgrade && txn_db_->range_locks() == nullptr) {
      txn_db_->locks()->Downgrade(this, hash, id, key);
    } else if (known == nullptr) {
      Unlock(hash, id, key);
    }
    return s;
  }
  tracked_.Track(id, key, since, read_only, exclusive);
  return s;
}

// --- Timestamps

Status PessimisticTransaction::SetReadTimestampForValidation(TxnTimestamp ts) {
  if (db_->SharesNumbers()) return Transaction::SetReadTimestampForValidation(ts);
  if (read_timestamp_ != kMaxTxnTimestamp && ts < read_timestamp_) {
    return Status::InvalidArgument("Cannot decrease read timestamp for validation");
  }
  read_timestamp_ = ts;
  return Status::OK();
}

Status PessimisticTransaction::SetCommitTimestamp(TxnTimestamp ts) {
  if (db_->SharesNumbers()) return Transaction::SetCommitTimestamp(ts);
  if (ValidatesTimestamps() && ts <= read_timestamp_) {
    return Status::InvalidArgument(
        "Cannot commit at timestamp smaller than or equal to read timestamp");
  }
  commit_timestamp_ = ts;
  return Status::OK();
}

bool PessimisticTransaction::ValidatesTimestamps() const {
  return read_timestamp_ != kMaxTxnTimestamp && txn_db_->options().enable_udt_validation;
}

Status PessimisticTransaction::CheckReadForUpdate(ColumnFamilyHandle* family,
                                                  const ReadOptions& options, bool validate,
                                                  std::string* timestamp) const {
  if (const size_t size = db_->TimestampSizeOf(IdOf(family));
      options.timestamp != nullptr && options.timestamp->size() != size) {
    return Status::InvalidArgument("Timestamp sizes mismatch: expect " + std::to_string(size) +
                                   ", " + std::to_string(options.timestamp->size()) + " given");
  }
  const bool is_set = read_timestamp_ != kMaxTxnTimestamp;
  if (is_set && !txn_db_->options().enable_udt_validation) {
    return Status::InvalidArgument(
        "read_timestamp is set but timestamp validation is disabled for the DB");
  }
  if (is_set && !validate) {
    return Status::InvalidArgument(
        "If do_validate is false then GetForUpdate with read_timestamp is not defined.");
  }
  if (!is_set && validate && txn_db_->options().enable_udt_validation) {
    return Status::InvalidArgument("read_timestamp must be set for validation");
  }
  // (Not set, it is the largest: what is newest is read.)
  PutFixed64(timestamp, read_timestamp_);
  if (options.timestamp != nullptr && *options.timestamp != Slice(*timestamp)) {
    return Status::InvalidArgument("Must read from the same read_timestamp");
  }
  return Status::OK();
}

// (Also what was put into the batch with a timestamp, past the transaction: one of them has one.)
Status PessimisticTransaction::Stamp(std::string* bytes) {
  WriteBatch* const batch = batch_.GetWriteBatch();
  if (!WriteBatchInternal::MayHaveTimestamps(batch)) [[likely]]
    return Status::OK();
  if (commit_timestamp_ == kMaxTxnTimestamp) {
    return Status::InvalidArgument("Must assign a commit timestamp");
  }
  PutFixed64(bytes, commit_timestamp_);
  return batch->UpdateTimestamps(
      *bytes, [db = db_](uint32_t family) { return db->TimestampSizeOf(family); });
}

void PessimisticTransaction::Dropped(uint32_t family, const Slice& key) {
  Unlock(LockTable::HashOf(family, key), family, key);
}

std::vector<TransactionID> PessimisticTransaction::GetWaitingTxns(uint32_t* column_family_id,
                                                                  std::string* key) const {
  if (const RangeLocks* const ranges = txn_db_->range_locks()) {
    return ranges->WaitingFor(this, column_family_id, key);
  }
  return txn_db_->locks()->WaitingFor(this, column_family_id, key);
}

Status PessimisticTransaction::CollapseKey(const ReadOptions& options, const Slice& key,
                                           ColumnFamilyHandle* family) {
  std::string value;
  Status s = GetForUpdate(options, family, key, &value, /*exclusive=*/true, /*do_validate=*/true);
  return s.ok() ? Put(family, key, value, /*assume_tracked=*/false) : s;
}

}  // namespace cairn
