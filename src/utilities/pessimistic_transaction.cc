#include "utilities/pessimistic_transaction.h"

#include <algorithm>
#include <utility>

#include "db/column_family.h"
#include "db/db_impl.h"

namespace cairn {
namespace {

constexpr uint64_t kNanosPerMilli = 1'000'000;
constexpr size_t kMaxNameSize = 512;  // bytes

uint64_t ExpiryAfter(int64_t millis) {
  if (millis < 0 || static_cast<uint64_t>(millis) > fiber::kNoDeadline / kNanosPerMilli) {
    return fiber::kNoDeadline;
  }
  return fiber::deadline_after(static_cast<uint64_t>(millis) * kNanosPerMilli);
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
  lock_timeout_us_ = PessimisticDb::Micros(options.lock_timeout >= 0
                                               ? options.lock_timeout
                                               : txn_db_->options().transaction_lock_timeout);
  skip_prepare_ = options.skip_prepare;
  tracks_ = !options.skip_concurrency_control;
  batch_.SetMaxBytes(options.max_write_batch_size);
  if (options.set_snapshot) SetSnapshot();
}

void PessimisticTransaction::End() {
  LockTable* const locks = txn_db_->locks();
  for (const TrackedKeys::Entry& entry : tracked_.entries()) {
    if (!entry.is_tracked()) continue;
    locks->Unlock(this, entry.hash, entry.family, tracked_.KeyOf(entry));
  }
  ClearWrites();
}

// --- Names

void PessimisticTransaction::Unregister() {
  if (!registered_) return;
  txn_db_->Unregister(name_);
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
    return Status::InvalidArgument("Duplicate txn name " + name);
  }
  name_ = name;
  registered_ = true;
  return Status::OK();
}

// --- The end

bool PessimisticTransaction::IsExpired() const {
  return terms().expires != fiber::kNoDeadline && fiber::now_nanos() >= terms().expires;
}

bool PessimisticTransaction::Steal() {
  TransactionState expected = STARTED;
  return txn_state_.compare_exchange_strong(expected, LOCKS_STOLEN) || expected == LOCKS_STOLEN;
}

Status PessimisticTransaction::Prepare() {
  return Status::NotSupported("Prepare: two-phase commit is not supported");
}

Status PessimisticTransaction::Commit() {
  if (IsExpired()) return Status::Expired();
  TransactionState state = txn_state_;
  if (state == STARTED) {
    if (!skip_prepare_) return Status::TxnNotPrepared();
    Status s = CheckCommitTimeBatch();
    if (!s.ok()) return s;
    // From here on nobody can take the locks away.
    if (txn_state_.compare_exchange_strong(state, AWAITING_COMMIT)) {
      s = db_->Write(write_options_, batch_.GetWriteBatch());
      Unregister();
      End();
      if (s.ok()) txn_state_ = COMMITTED;
      return s;
    }
  }
  switch (state) {
    case LOCKS_STOLEN:
      return Status::Expired();
    case COMMITTED:
      return Status::InvalidArgument("Transaction has already been committed.");
    case ROLLEDBACK:
      return Status::InvalidArgument("Transaction has already been rolledback.");
    default:
      return Status::InvalidArgument("Transaction is not in state for commit.");
  }
}

Status PessimisticTransaction::Rollback() {
  switch (txn_state_.load()) {
    case STARTED:
      End();
      return Status::OK();
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

// --- Keys

Status PessimisticTransaction::TrackKey(ColumnFamilyHandle* handle, const Slice& key,
                                        bool read_only, bool exclusive, bool validate) {
  if (!tracks_) return Status::OK();
  const uint32_t id = IdOf(handle);
  if (handle == nullptr) handle = db_->DefaultColumnFamily();
  const ColumnFamily* const family = static_cast<const ColumnFamilyHandleImpl*>(handle)->family();
  if (family->dropped.load()) {
    return Status::InvalidArgument("Column family id not found: " + std::to_string(id));
  }
  LockTable* const locks = txn_db_->locks();
  const TrackedKeys::Entry* const known = tracked_.Find(id, key);
  const bool upgrade = known != nullptr && exclusive && !known->exclusive;
  const uint64_t hash = known != nullptr ? known->hash : LockTable::HashOf(id, key);
  SequenceNumber since = known != nullptr ? known->since : kMaxSequenceNumber;
  Status s;
  if (known == nullptr || upgrade) {
    s = locks->Lock(this, hash, id, key, exclusive, lock_timeout_us_);
  }
  TakeNeededSnapshot();
  if (!s.ok()) return s;
  if (validate && snapshot_ != nullptr) {
    if (snapshot_->GetSequenceNumber() < since) {
      since = snapshot_->GetSequenceNumber();
      bool written = false;
      s = db_->WrittenSince(family, key, since, &written);
      if (s.ok() && written) s = Status::Busy();
    }
  } else if (known == nullptr) {
    since = db_->GetLatestSequenceNumber();
  }
  if (!s.ok()) {
    if (upgrade) {
      locks->Downgrade(this, hash, id, key);
    } else if (known == nullptr) {
      locks->Unlock(this, hash, id, key);
    }
    return s;
  }
  tracked_.Track(id, key, since, read_only, exclusive);
  return s;
}

void PessimisticTransaction::Dropped(uint32_t family, const Slice& key) {
  txn_db_->locks()->Unlock(this, LockTable::HashOf(family, key), family, key);
}

std::vector<TransactionID> PessimisticTransaction::GetWaitingTxns(uint32_t* column_family_id,
                                                                  std::string* key) const {
  return txn_db_->locks()->WaitingFor(this, column_family_id, key);
}

Status PessimisticTransaction::CollapseKey(const ReadOptions& options, const Slice& key,
                                           ColumnFamilyHandle* family) {
  std::string value;
  Status s = GetForUpdate(options, family, key, &value, /*exclusive=*/true, /*do_validate=*/true);
  return s.ok() ? Put(family, key, value, /*assume_tracked=*/false) : s;
}

}  // namespace cairn
