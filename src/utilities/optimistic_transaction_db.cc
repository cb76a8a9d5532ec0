// OptimisticTransactionDB: opening, and plain writes beside transactions.
#include <algorithm>
#include <utility>

#include "batch/batch_reader.h"
#include "db/db_impl.h"
#include "utilities/no_timestamps.h"
#include "utilities/optimistic_transaction.h"

namespace cairn {
namespace {

constexpr uint32_t kMinBuckets = 16;

Status NoRanges() {
  return Status::NotSupported("DeleteRange is not supported by OptimisticTransactionDB");
}

uint32_t IdOf(ColumnFamilyHandle* family) { return family == nullptr ? 0 : family->GetID(); }

}  // namespace

OptimisticDb::OptimisticDb(std::unique_ptr<DB>&& db, std::shared_ptr<OccLockBuckets> locks)
    : OptimisticTransactionDB(std::move(db)),
      impl_(static_cast<DBImpl*>(db_)),
      shared_locks_(std::move(locks)),
      locks_(static_cast<OccLocks*>(shared_locks_.get())),
      owner_(locks_ == nullptr ? 0 : locks_->NewOwner()) {}

Transaction* OptimisticDb::BeginTransaction(const WriteOptions& write_options,
                                            const OptimisticTransactionOptions& txn_options,
                                            Transaction* old_txn) {
  if (old_txn == nullptr) return new OptimisticTransaction(this, write_options, txn_options);
  static_cast<OptimisticTransaction*>(old_txn)->Begin(write_options, txn_options);
  return old_txn;
}

template <class F>
Status OptimisticDb::WriteOne(ColumnFamilyHandle* family, const Slice& key, const F& write) {
  if (locks_ == nullptr) return write();
  const OccLocks::Guard guard(locks_, {BucketOf(IdOf(family), key)});
  return write();
}

Status OptimisticDb::Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                         const Slice& value) {
  return WriteOne(family, key, [&] { return impl_->Put(options, family, key, value); });
}
Status OptimisticDb::PutEntity(const WriteOptions& options, ColumnFamilyHandle* family,
                               const Slice& key, const WideColumns& columns) {
  return WriteOne(family, key, [&] { return impl_->PutEntity(options, family, key, columns); });
}
Status OptimisticDb::PutEntity(const WriteOptions& options, const Slice& key,
                               const AttributeGroups& groups) {
  if (locks_ == nullptr) return impl_->PutEntity(options, key, groups);
  std::vector<uint32_t> buckets;
  for (const AttributeGroup& group : groups) {
    buckets.push_back(BucketOf(IdOf(group.column_family()), key));
  }
  const OccLocks::Guard guard(locks_, std::move(buckets));
  return impl_->PutEntity(options, key, groups);
}
Status OptimisticDb::Delete(const WriteOptions& options, ColumnFamilyHandle* family,
                            const Slice& key) {
  return WriteOne(family, key, [&] { return impl_->Delete(options, family, key); });
}
Status OptimisticDb::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family,
                                  const Slice& key) {
  return WriteOne(family, key, [&] { return impl_->SingleDelete(options, family, key); });
}
Status OptimisticDb::Merge(const WriteOptions& options, ColumnFamilyHandle* family,
                           const Slice& key, const Slice& value) {
  return WriteOne(family, key, [&] { return impl_->Merge(options, family, key, value); });
}
Status OptimisticDb::DeleteRange(const WriteOptions& /*options*/, ColumnFamilyHandle* /*family*/,
                                 const Slice& /*begin*/, const Slice& /*end*/) {
  return NoRanges();
}

Status OptimisticDb::Write(const WriteOptions& options, WriteBatch* updates) {
  if (updates == nullptr) return impl_->Write(options, updates);
  if (updates->HasDeleteRange()) return NoRanges();
  if (locks_ == nullptr) return impl_->Write(options, updates);
  std::vector<uint32_t> buckets;
  BatchReader reader(updates->Data());
  BatchRecord record;
  while (reader.Next(&record)) {
    if (record.counted) buckets.push_back(BucketOf(record.family, record.key));
  }
  // (A damaged batch is the write's to refuse.)
  const OccLocks::Guard guard(locks_, std::move(buckets));
  return impl_->Write(options, updates);
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status OptimisticTransactionDB::Open(const Options& options, const std::string& dbname,
                                     OptimisticTransactionDB** dbptr) {
  std::vector<ColumnFamilyHandle*> handles;
  Status s = Open(DBOptions(options), dbname,
                  {ColumnFamilyDescriptor(kDefaultColumnFamilyName, ColumnFamilyOptions(options))},
                  &handles, dbptr);
  // (The database has one of its own.)
  if (s.ok()) delete handles[0];
  return s;
}

Status OptimisticTransactionDB::Open(const DBOptions& db_options, const std::string& dbname,
                                     const std::vector<ColumnFamilyDescriptor>& column_families,
                                     std::vector<ColumnFamilyHandle*>* handles,
                                     OptimisticTransactionDB** dbptr) {
  return Open(db_options, OptimisticTransactionDBOptions(), dbname, column_families, handles,
              dbptr);
}

Status OptimisticTransactionDB::Open(const DBOptions& db_options,
                                     const OptimisticTransactionDBOptions& occ_options,
                                     const std::string& dbname,
                                     const std::vector<ColumnFamilyDescriptor>& column_families,
                                     std::vector<ColumnFamilyHandle*>* handles,
                                     OptimisticTransactionDB** dbptr) {
  *dbptr = nullptr;
  Status s = cairn::RefuseTimestamps(column_families);
  if (!s.ok()) return s;
  std::unique_ptr<DB> db;
  s = DB::Open(db_options, dbname, column_families, handles, &db);
  if (!s.ok()) return s;
  std::shared_ptr<OccLockBuckets> locks;
  if (occ_options.validate_policy == OccValidationPolicy::kValidateParallel) {
    locks = occ_options.shared_lock_buckets;
    if (locks == nullptr) {
      locks = MakeSharedOccLockBuckets(std::max(cairn::kMinBuckets, occ_options.occ_lock_buckets));
    }
  }
  *dbptr = new cairn::OptimisticDb(std::move(db), std::move(locks));
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
