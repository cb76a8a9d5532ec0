// The database with optimistic transactions, and its transaction. Made by
// OptimisticTransactionDB::Open and BeginTransaction. Thread safety: see
// rocksdb/utilities/optimistic_transaction_db.h.
#ifndef CAIRN_UTILITIES_OPTIMISTIC_TRANSACTION_H_
#define CAIRN_UTILITIES_OPTIMISTIC_TRANSACTION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "utilities/occ_locks.h"
#include "utilities/transaction_base.h"

namespace cairn {

struct ColumnFamily;

class OptimisticDb final : public OptimisticTransactionDB {
 public:
  // `db` is a DBImpl. Parallel validation if there are `locks`.
  OptimisticDb(std::unique_ptr<DB>&& db, std::shared_ptr<OccLockBuckets> locks);

  Transaction* BeginTransaction(const WriteOptions& write_options,
                                const OptimisticTransactionOptions& txn_options,
                                Transaction* old_txn) override;

  // Plain writes. With parallel validation they hold their keys' buckets, or one could slip in
  // between a transaction's validation and its write.
  using StackableDB::Delete;
  using StackableDB::DeleteRange;
  using StackableDB::Merge;
  using StackableDB::Put;
  using StackableDB::PutEntity;
  using StackableDB::SingleDelete;
  Status Put(const WriteOptions&, ColumnFamilyHandle*, const Slice&, const Slice&) override;
  Status PutEntity(const WriteOptions&, ColumnFamilyHandle*, const Slice&,
                   const WideColumns&) override;
  Status PutEntity(const WriteOptions&, const Slice&, const AttributeGroups&) override;
  Status Delete(const WriteOptions&, ColumnFamilyHandle*, const Slice&) override;
  Status SingleDelete(const WriteOptions&, ColumnFamilyHandle*, const Slice&) override;
  Status Merge(const WriteOptions&, ColumnFamilyHandle*, const Slice&, const Slice&) override;
  Status DeleteRange(const WriteOptions&, ColumnFamilyHandle*, const Slice&, const Slice&) override;
  Status Write(const WriteOptions&, WriteBatch*) override;

  DBImpl* impl() const { return impl_; }
  OccLocks* locks() const { return locks_; }  // null: serial validation
  uint32_t BucketOf(uint32_t family, const Slice& key) const {
    return locks_->BucketOf(owner_, family, key);
  }

 private:
  template <class F>
  Status WriteOne(ColumnFamilyHandle* family, const Slice& key, const F& write);

  DBImpl* const impl_;
  const std::shared_ptr<OccLockBuckets> shared_locks_;
  OccLocks* const locks_;
  const uint64_t owner_;
};

class OptimisticTransaction final : public TransactionBase {
 public:
  OptimisticTransaction(OptimisticDb* db, const WriteOptions& write_options,
                        const OptimisticTransactionOptions& options);
  ~OptimisticTransaction() override;

  void Begin(const WriteOptions& write_options, const OptimisticTransactionOptions& options);

  Status Prepare() override;
  Status Commit() override;
  Status Rollback() override;
  Status SetName(const TransactionName& name) override;

 private:
  Status TrackKey(ColumnFamilyHandle* family, const Slice& key, bool read_only, bool exclusive,
                  bool validate) override;
  Status TakeUntracked(ColumnFamilyHandle* family, const Slice& /*key*/) override {
    return RefuseTimestamps(family);
  }
  Status CheckReadForUpdate(ColumnFamilyHandle* family, const ReadOptions& /*options*/,
                            bool /*validate*/, std::string* /*timestamp*/) const override {
    return RefuseTimestamps(family);
  }
  // NotSupported: of a family that came after the opening, which refuses them, too.
  Status RefuseTimestamps(ColumnFamilyHandle* family) const;
  void Dropped(uint32_t /*family*/, const Slice& /*key*/) override {}

  // Busy: somebody wrote a tracked key.
  Status Validate() const;
  void End();
  // Of a tracked key; it was noted when that was tracked.
  const ColumnFamily* FamilyOf(uint32_t id) const;
  void NoteFamily(ColumnFamilyHandle* family);

  OptimisticDb* const txn_db_;
  // A snapshot at or below all tracked keys' moments, so that what was written since keeps its
  // sequence number (DBImpl::WrittenSince). Null while nothing is tracked.
  std::shared_ptr<const Snapshot> floor_;
  // Of tracked keys, each with a reference; the default family is not among them.
  std::vector<ColumnFamily*> families_;
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_OPTIMISTIC_TRANSACTION_H_
