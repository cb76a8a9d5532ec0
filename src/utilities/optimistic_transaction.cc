#include "utilities/optimistic_transaction.h"

#include <cassert>
#include <utility>

#include "db/column_family.h"
#include "db/db_impl.h"

namespace cairn {

OptimisticTransaction::OptimisticTransaction(OptimisticDb* db, const WriteOptions& write_options,
                                             const OptimisticTransactionOptions& options)
    : TransactionBase(db->impl(), write_options), txn_db_(db) {
  if (options.set_snapshot) SetSnapshot();
}

OptimisticTransaction::~OptimisticTransaction() { End(); }

void OptimisticTransaction::Begin(const WriteOptions& write_options,
                                  const OptimisticTransactionOptions& options) {
  End();
  TransactionBase::Begin(write_options);
  if (options.set_snapshot) SetSnapshot();
}

void OptimisticTransaction::End() {
  ClearWrites();
  floor_ = nullptr;
  for (ColumnFamily* const family : families_) db_->UnrefFamily(family);
  families_.clear();
}

Status OptimisticTransaction::Prepare() {
  return Status::InvalidArgument("Two phase commit not supported for optimistic transactions.");
}

Status OptimisticTransaction::SetName(const TransactionName& /*name*/) {
  return Status::InvalidArgument("Optimistic transactions cannot be named.");
}

Status OptimisticTransaction::Rollback() {
  End();
  return Status::OK();
}

const ColumnFamily* OptimisticTransaction::FamilyOf(uint32_t id) const {
  for (const ColumnFamily* family : families_) {
    if (family->id() == id) return family;
  }
  return static_cast<const ColumnFamilyHandleImpl*>(db_->DefaultColumnFamily())->family();
}

void OptimisticTransaction::NoteFamily(ColumnFamilyHandle* handle) {
  if (IdOf(handle) == 0 || FamilyOf(handle->GetID())->id() != 0) return;
  ColumnFamily* const family = static_cast<const ColumnFamilyHandleImpl*>(handle)->family();
  family->Ref();
  families_.push_back(family);
}

Status OptimisticTransaction::RefuseTimestamps(ColumnFamilyHandle* family) const {
  if (db_->TimestampSizeOf(IdOf(family)) == 0) [[likely]]
    return Status::OK();
  return Status::NotSupported("an optimistic transaction over a family with timestamps",
                              family == nullptr ? kDefaultColumnFamilyName : family->GetName());
}

Status OptimisticTransaction::TrackKey(ColumnFamilyHandle* family, const Slice& key, bool read_only,
                                       bool exclusive, bool validate) {
  Status s = RefuseTimestamps(family);
  if (!s.ok() || !validate) return s;
  TakeNeededSnapshot();
  if (floor_ == nullptr) floor_ = snapshot_ != nullptr ? snapshot_ : NewSnapshot();
  if (floor_ == nullptr) {
    return Status::NotSupported("an optimistic transaction where DB::GetSnapshot() is null");
  }
  SequenceNumber since;
  if (snapshot_ != nullptr) {
    since = snapshot_->GetSequenceNumber();
    // (A rollback to a save point may have brought an older one back.)
    if (since < floor_->GetSequenceNumber()) floor_ = snapshot_;
  } else {
    since = db_->GetLatestSequenceNumber();
  }
  NoteFamily(family);
  tracked_.Track(IdOf(family), key, since, read_only, exclusive);
  return s;
}

Status OptimisticTransaction::Validate() const {
  for (const TrackedKeys::Entry& entry : tracked_.entries()) {
    if (!entry.is_tracked()) continue;
    bool written = false;
    Status s =
        db_->WrittenSince(FamilyOf(entry.family), tracked_.KeyOf(entry), entry.since, &written);
    if (!s.ok()) return s;
    if (written) return Status::Busy();
  }
  return Status::OK();
}

Status OptimisticTransaction::Commit() {
  Status s = CheckCommitTimeBatch();
  if (!s.ok()) return s;
  WriteBatch* const batch = batch_.GetWriteBatch();
  if (OccLocks* const locks = txn_db_->locks(); locks != nullptr) {
    std::vector<uint32_t> buckets;
    buckets.reserve(tracked_.size());
    for (const TrackedKeys::Entry& entry : tracked_.entries()) {
      if (!entry.is_tracked()) continue;
      buckets.push_back(txn_db_->BucketOf(entry.family, tracked_.KeyOf(entry)));
    }
    const OccLocks::Guard guard(locks, std::move(buckets));
    s = Validate();
    if (s.ok()) s = db_->Write(write_options_, batch);
  } else {
    const CommitCheck check = [this] { return Validate(); };
    s = db_->WriteChecked(write_options_, batch, &check);
  }
  if (s.ok()) End();
  return s;
}

}  // namespace cairn
