// OptimisticTransactionDB: a database with transactions that lock nothing until they commit.
// Commit() then looks whether a tracked key (rocksdb/utilities/transaction.h) was written by
// somebody else meanwhile, and is Busy if so: nothing was written, and the transaction is as it
// was. Roll it back, or delete it, and do it again. For work that seldom meets on the same keys.
//
//   rocksdb::OptimisticTransactionDB* txn_db = nullptr;
//   rocksdb::Status s = rocksdb::OptimisticTransactionDB::Open(options, "/data/db", &txn_db);
//   std::unique_ptr<rocksdb::Transaction> txn(txn_db->BeginTransaction(rocksdb::WriteOptions()));
//   s = txn->Put("key", "value");
//   s = txn->Commit();
//   txn.reset();
//   delete txn_db;
//
// A transaction holds a snapshot from its first tracked key on, so that what was written since can
// be told in memtables and tables alike. RocksDB, which looks at memtables only, fails such a
// commit with TryAgain when they were flushed; here it is decided. (Memtables need no history for
// it: Open() takes max_write_buffer_size_to_maintain and max_write_buffer_number_to_maintain for
// given.)
//
// Plain writes to this database (Put, Write ...) are seen as conflicts, too. With parallel
// validation those to GetBaseDB() are, as long as they do not run at the same moment as a commit.
//
// Commit(): Busy; InvalidArgument (the column family of a tracked key was dropped, or the
// commit-time batch has something); what DB::Write() and, if it has to look at tables, DB::Get()
// say. Prepare(), SetName(): InvalidArgument.
//
// Thread safety: all functions of the database from anywhere, threads and fibers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/utilities/stackable_db.h"

namespace ROCKSDB_NAMESPACE {

class Transaction;

struct OptimisticTransactionOptions {
  // As if SetSnapshot() were called at once.
  bool set_snapshot = false;

  // No effect: the order of keys is the database's own.
  const Comparator* cmp = BytewiseComparator();
};

enum class OccValidationPolicy {
  // In the write's turn, when all that precedes it is known: one transaction at a time.
  kValidateSerial = 0,
  // Before the write queues up, with a lock on each tracked key's bucket until it has been written.
  // Transactions without a bucket in common do not wait for each other, and share group commits.
  kValidateParallel = 1,
};

// The buckets' locks. Made by MakeSharedOccLockBuckets().
class OccLockBuckets {
 public:
  virtual ~OccLockBuckets() {}

  virtual size_t ApproximateMemoryUsage() const = 0;  // bytes

 protected:
  OccLockBuckets() = default;
};

// Locks that several databases may share. `bucket_count`: at least 1 is made. `cache_aligned`: each
// has a cache line of its own (64 bytes, else 4).
std::shared_ptr<OccLockBuckets> MakeSharedOccLockBuckets(size_t bucket_count,
                                                         bool cache_aligned = false);

struct OptimisticTransactionDBOptions {
  OccValidationPolicy validate_policy = OccValidationPolicy::kValidateParallel;

  // Buckets of the database's own, at least 16, where there are no shared ones. 4 bytes each. Of
  // parallel validation.
  uint32_t occ_lock_buckets = (1 << 20);

  // Null: the database has its own. Of parallel validation.
  std::shared_ptr<OccLockBuckets> shared_lock_buckets;
};

// DeleteRange(), alone and in batches, is NotSupported.
class OptimisticTransactionDB : public StackableDB {
 public:
  // As DB::Open(). The caller owns the result.
  static Status Open(const Options& options, const std::string& dbname,
                     OptimisticTransactionDB** dbptr);
  static Status Open(const DBOptions& db_options, const std::string& dbname,
                     const std::vector<ColumnFamilyDescriptor>& column_families,
                     std::vector<ColumnFamilyHandle*>* handles, OptimisticTransactionDB** dbptr);
  static Status Open(const DBOptions& db_options, const OptimisticTransactionDBOptions& occ_options,
                     const std::string& dbname,
                     const std::vector<ColumnFamilyDescriptor>& column_families,
                     std::vector<ColumnFamilyHandle*>* handles, OptimisticTransactionDB** dbptr);

  ~OptimisticTransactionDB() override = default;
  OptimisticTransactionDB(const OptimisticTransactionDB&) = delete;
  void operator=(const OptimisticTransactionDB&) = delete;

  // The caller owns the result, which must be deleted before the database. `old_txn`, if not null,
  // is a transaction of this database that is over: it becomes the new one, and keeps its memory.
  virtual Transaction* BeginTransaction(
      const WriteOptions& write_options,
      const OptimisticTransactionOptions& txn_options = OptimisticTransactionOptions(),
      Transaction* old_txn = nullptr) = 0;

 protected:
  explicit OptimisticTransactionDB(std::unique_ptr<DB>&& db) : StackableDB(std::move(db)) {}
};

}  // namespace ROCKSDB_NAMESPACE
