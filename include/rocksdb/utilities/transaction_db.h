// TransactionDB: a database with transactions that lock the keys they write, and those they read
// for update, until they end. Who needs a key that somebody else has waits for it. For work that
// meets on the same keys; where it seldom does, see rocksdb/utilities/optimistic_transaction_db.h.
//
//   rocksdb::TransactionDB* txn_db = nullptr;
//   rocksdb::Status s = rocksdb::TransactionDB::Open(options, rocksdb::TransactionDBOptions(),
//                                                    "/data/db", &txn_db);
//   std::unique_ptr<rocksdb::Transaction> txn(txn_db->BeginTransaction(rocksdb::WriteOptions()));
//   s = txn->Put("key", "value");  // TimedOut: somebody else had the key for too long
//   s = txn->Commit();
//   txn.reset();
//   delete txn_db;
//
// What a tracked key (rocksdb/utilities/transaction.h) needs is its lock: shared for a read with
// `exclusive` false, else exclusive. Waiting goes in the order of coming, but that who has the lock
// shared and needs it exclusively goes first. What tracks keys says, besides what DB::Get() and the
// batch say:
//   TimedOut(kLockTimeout)    somebody else had the key all the time
//   Busy(kDeadlock)           to wait would be for ever: a circle of transactions, each waiting for
//                             the next; see TransactionOptions::deadlock_detect
//   Busy                      the key was written since the transaction's snapshot
//   Busy(kLockLimit)          TransactionDBOptions::max_num_locks
//   InvalidArgument           the column family was dropped
// The transaction is as it was, and may go on. (RocksDB says TryAgain where it has forgotten what
// was written since the snapshot; here that is always known.)
//
// Untracked writes of a Transaction lock their keys, too, and are counted among the tracked; they
// are not validated.
//
// Plain writes to this database (Put, Write ...) lock their keys while they write, and say TimedOut
// if they cannot have them. Those to GetBaseDB(), and ingested files, lock nothing.
//
// Commit(): Expired (see TransactionOptions::expiration); InvalidArgument (it was committed before,
// or the commit-time batch has something); TxnNotPrepared (TransactionOptions::skip_prepare); what
// DB::Write() says. In the last case, too, the transaction is over and its locks are free, and the
// writes are gone.
// Rollback(): InvalidArgument after a commit, or after the locks were stolen. Otherwise the
// transaction may go on, empty.
// SetName(): 1 to 512 bytes that no other transaction of the database has by now, once; else
// InvalidArgument. A named transaction that nobody deletes is deleted with the database.
//
// Two-phase commit. Prepare() logs the writes of a transaction that has a name (else
// InvalidArgument), and syncs the log as the write options say: from then on it can be committed or
// rolled back, also after a crash, and cannot expire. It keeps its locks, and takes no more writes
// (InvalidArgument; RocksDB takes them, and loses them in a crash). Open() finds what is prepared
// and undecided in the logs: GetAllPreparedTransactions(), or by its name. It has the locks of its
// keys (in RocksDB it has none), and its writes sync the log.
//   - All three steps are logged, whatever WriteOptions::disableWAL says.
//   - A step that fails, and left nothing behind, may be tried again. After a failed write of the
//     log it is for the next opening to find out which state the transaction has: until then
//     neither Commit() nor Rollback() is allowed, and the database takes no writes.
//   - A prepared transaction that is deleted comes back with the next opening. Until then nobody
//   can
//     have its name.
//   - Of a family that is dropped nothing is committed; Commit() is InvalidArgument, unless
//     WriteOptions::ignore_missing_column_families, or the transaction was recovered since.
//   - DB::Open() refuses a database with prepared transactions (NotSupported), but with allow_2pc.
//
// Thread safety: all functions of the database from anywhere, threads and fibers. Waiting parks a
// fiber and blocks a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/utilities/stackable_db.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db_mutex.h"

namespace ROCKSDB_NAMESPACE {

class LockManager;
class SecondaryIndex;

// When a transaction's writes reach the database.
enum TxnDBWritePolicy {
  WRITE_COMMITTED = 0,  // with the commit
  // Elsewhere with the prepare, or before; here with the commit, too, but the logs are those of the
  // policy (doc/transactions.md).
  WRITE_PREPARED,
  WRITE_UNPREPARED,
};

constexpr uint32_t kInitialMaxDeadlocks = 5;

// Locks of another kind: what NewRangeLockManager() makes is the only one.
class LockManagerHandle {
 public:
  virtual ~LockManagerHandle() {}
  virtual LockManager* getLockManager() = 0;  // null
};

// As Endpoint, with a copy of the key.
struct EndpointWithString {
  std::string slice;
  bool inf_suffix;
};

struct RangeLockInfo {
  EndpointWithString start;
  EndpointWithString end;
  std::vector<TransactionID> ids;  // who has it
  bool exclusive;
};

// One of a circle.
struct RangeDeadlockInfo {
  TransactionID m_txn_id;
  uint32_t m_cf_id;
  bool m_exclusive;            // how it wants the range
  EndpointWithString m_start;  // what it waits for
  EndpointWithString m_end;
};

struct RangeDeadlockPath {
  // Each waits for the next, and the last, who was refused, for the first.
  std::vector<RangeDeadlockInfo> path;
  bool limit_exceeded;    // false: all of a circle is looked at
  int64_t deadlock_time;  // seconds since the Unix epoch

  explicit RangeDeadlockPath(std::vector<RangeDeadlockInfo> path_entry, const int64_t& dl_time)
      : path(std::move(path_entry)), limit_exceeded(false), deadlock_time(dl_time) {}
  explicit RangeDeadlockPath(const int64_t& dl_time = 0, bool limit = false)
      : limit_exceeded(limit), deadlock_time(dl_time) {}

  bool empty() { return path.empty() && !limit_exceeded; }
};

// Locks on ranges of keys, for Transaction::GetRangeLock(); keys are locked as ranges of one, by
// the same rules. A database that is opened with it (TransactionDBOptions::lock_mgr_handle) has no
// other locks; it may be used by one database at a time. What differs then: a lock is held to the
// transaction's end, also if it rolls back to a save point or undoes a read; expiration frees no
// locks; deadlocks are always looked for, with all their circle; max_num_locks, num_stripes and
// GetDeadlockInfoBuffer() are of the other kind of locks.
//
// Thread safety: all functions, also while the database is open.
class RangeLockManagerHandle : public LockManagerHandle {
 public:
  // Bytes that all locks together may take; 64 MiB at first. Beyond it, locks of one transaction
  // that are neighbours become one that has what is between them, too (escalation); if that is not
  // enough, locking says Busy(kLockLimit). 0: done; EDOM: more is in use.
  virtual int SetMaxLockMemory(size_t max_lock_memory) = 0;
  virtual size_t GetMaxLockMemory() = 0;

  // True: escalation may not lock what is between `a` and `b`, `a` < `b`. Called with a mutex of
  // the locks held: it may not use the database, nor throw.
  using EscalationBarrierFunc = std::function<bool(const Endpoint& a, const Endpoint& b)>;
  virtual void SetEscalationBarrierFunc(EscalationBarrierFunc func) = 0;

  // All locks of one moment, by column family. Where locks of several transactions overlap, each
  // part is told with those that share it; neighbouring parts have an end in common.
  using RangeLockStatus = std::unordered_multimap<ColumnFamilyId, RangeLockInfo>;
  virtual RangeLockStatus GetRangeLockStatusData() = 0;

  class Counters {
   public:
    uint64_t escalation_count;     // times that there was no room
    uint64_t lock_wait_count;      // waits, in vain or not
    uint64_t current_lock_memory;  // bytes
  };
  virtual Counters GetStatus() = 0;

  // The newest first; five at first.
  virtual std::vector<RangeDeadlockPath> GetRangeDeadlockInfoBuffer() = 0;
  virtual void SetRangeDeadlockInfoBufferSize(uint32_t target_size) = 0;

  ~RangeLockManagerHandle() override {}
};

// The caller owns it. `mutex_factory` null: fiber's mutexes.
RangeLockManagerHandle* NewRangeLockManager(
    std::shared_ptr<TransactionDBMutexFactory> mutex_factory);

struct TransactionDBOptions {
  // Keys of one column family that may be locked at once; what would be one more is
  // Busy(kLockLimit), at once. Not positive: no limit.
  int64_t max_num_locks = -1;

  // How many deadlocks GetDeadlockInfoBuffer() remembers.
  uint32_t max_num_deadlocks = kInitialMaxDeadlocks;

  // Parts of the lock table, each with a mutex, for all column families together. At least 1.
  size_t num_stripes = 16;

  // How long a transaction waits for a key, in milliseconds, if TransactionOptions::lock_timeout
  // does not say. 0: not at all; < 0: for ever.
  int64_t transaction_lock_timeout = 1000;

  // The same of plain writes.
  int64_t default_lock_timeout = 1000;

  // Null: fiber's.
  std::shared_ptr<TransactionDBMutexFactory> custom_mutex_factory;

  // Of all openings of the database, where its logs have anything of prepared transactions.
  TxnDBWritePolicy write_policy = TxnDBWritePolicy::WRITE_COMMITTED;

  // No effect: of the other policies.
  bool rollback_merge_operands = false;

  // Null: keys are locked, each by itself. Else what NewRangeLockManager() made (another one is
  // NotSupported), which no other open database uses (InvalidArgument).
  std::shared_ptr<LockManagerHandle> lock_mgr_handle;

  // No effect: who waits always waits for a key of its own.
  bool use_per_key_point_lock_mgr = false;

  // Write() takes no locks. (Whether a transaction does, TransactionOptions says.)
  bool skip_concurrency_control = false;

  // No effect: of the other policies.
  int64_t default_write_batch_flush_threshold = 0;

  // No effect: of the other policies.
  std::function<bool(TransactionDB*, ColumnFamilyHandle*, const Slice& key)>
      rollback_deletion_type_callback;

  // False: timestamps of what others wrote do not matter (Transaction::
  // SetReadTimestampForValidation): GetForUpdate() in a family with timestamps reads the newest,
  // and with a timestamp for validation is InvalidArgument. Snapshots are validated all the same.
  bool enable_udt_validation = true;

  // What is found by its value (rocksdb/utilities/secondary_index.h); none of them null
  // (InvalidArgument). WRITE_COMMITTED alone: NotSupported with another policy. With any:
  //   - A write to a family that is indexed reads the key for update, and writes all entries, or
  //     nothing: its errors are those of GetEntityForUpdate(), of the writes and of the index.
  //     Entries are locked and counted as other keys. Deleting a key that is not there writes
  //     nothing. What is assumed to be tracked is tracked.
  //   - Put(), PutEntity(), Delete(), SingleDelete() and Write() of the database do as a
  //     transaction does. Write() without concurrency control, GetBaseDB(), ingested files, what
  //     is written past a transaction into its batch, compaction filters: the entries are the
  //     caller's.
  //   - Merge() is NotSupported, in all families, and so is a plain write with a timestamp to a
  //     family that is indexed. (A transaction may write to one that has timestamps, by the rules
  //     of GetEntityForUpdate().)
  //   - Transaction::DisableIndexing() does nothing.
  std::vector<std::shared_ptr<SecondaryIndex>> secondary_indices;

  // No effect, as in RocksDB.
  uint32_t txn_commit_bypass_memtable_threshold = std::numeric_limits<uint32_t>::max();
};

struct TransactionOptions {
  // As if SetSnapshot() were called at once.
  bool set_snapshot = false;

  // Before it waits, the transaction looks whether those it would wait for wait for it, over any
  // number of others, be they on fibers or threads, with this option or without. Without it the
  // lock timeout ends a deadlock.
  bool deadlock_detect = false;

  // No effect: of the other policies.
  bool use_only_the_last_commit_time_batch_for_recovery = false;

  // How long to wait for a key, in milliseconds. 0: not at all; < 0:
  // TransactionDBOptions::transaction_lock_timeout.
  int64_t lock_timeout = -1;

  // No effect: deadlocks are looked for at once.
  int64_t deadlock_timeout_us = 500;

  // Milliseconds from its begin after which the transaction cannot be committed, and who waits for
  // its keys may take them. Negative: none. (By a clock that never jumps.)
  int64_t expiration = -1;

  // How many waiting transactions a search for a deadlock may visit. Beyond, one is assumed.
  int64_t deadlock_detect_depth = 50;

  // Bytes of the batch of writes, beyond which they are MemoryLimit. 0: no limit.
  size_t max_write_batch_size = 0;

  // Neither locks nor tracks keys: who says so knows that nobody else uses them.
  bool skip_concurrency_control = false;

  // False: a commit without Prepare() is TxnNotPrepared.
  bool skip_prepare = true;

  // No effect: of the other policies.
  int64_t write_batch_flush_threshold = -1;

  // No effect: that families have timestamps is known of each at the commit.
  bool write_batch_track_timestamp_size = false;

  // No effect: a hint for commits of prepared transactions.
  bool commit_bypass_memtable = false;

  // No effect: a hint for commits of prepared transactions.
  uint32_t large_txn_commit_optimize_threshold = 0;

  // No effect: a hint for commits of prepared transactions.
  uint64_t large_txn_commit_optimize_byte_threshold = 0;
};

// Of one Write().
struct TransactionDBWriteOptimizations {
  // Take no locks: nobody else uses the keys.
  bool skip_concurrency_control = false;
  // No effect: of the other policies.
  bool skip_duplicate_key_check = false;
};

struct KeyLockInfo {
  std::string key;
  std::vector<TransactionID> ids;  // who has it
  bool exclusive;
};

// One of a circle.
struct DeadlockInfo {
  TransactionID m_txn_id;
  uint32_t m_cf_id;
  bool m_exclusive;           // how it wants the key
  std::string m_waiting_key;  // what it waits for
};

struct DeadlockPath {
  // Each waits for the next, and the last, who was refused, for the first.
  std::vector<DeadlockInfo> path;
  // deadlock_detect_depth was reached: a deadlock is assumed, and the path empty.
  bool limit_exceeded;
  int64_t deadlock_time;  // seconds since the Unix epoch

  explicit DeadlockPath(std::vector<DeadlockInfo> path_entry, const int64_t& dl_time)
      : path(std::move(path_entry)), limit_exceeded(false), deadlock_time(dl_time) {}
  explicit DeadlockPath(const int64_t& dl_time = 0, bool limit = false)
      : limit_exceeded(limit), deadlock_time(dl_time) {}

  bool empty() { return path.empty() && !limit_exceeded; }
};

class TransactionDB : public StackableDB {
 public:
  using StackableDB::Write;
  virtual Status Write(const WriteOptions& opts,
                       const TransactionDBWriteOptimizations& optimizations,
                       WriteBatch* updates) = 0;
  // Plain writes to a family with timestamps need one (DB::Put and its kin with `ts`, or a batch
  // whose keys have theirs): without they are NotSupported, a batch InvalidArgument.
  //
  // NotSupported. A batch with it is taken if it skips concurrency control (Write above).
  using StackableDB::DeleteRange;
  Status DeleteRange(const WriteOptions&, ColumnFamilyHandle*, const Slice&,
                     const Slice&) override {
    return Status::NotSupported("TransactionDB does not support DeleteRange");
  }

  // As DB::Open(). The caller owns the result; null if it is not OK. NotSupported: what the
  // options' comments say, DBOptions::unordered_write, a comparator with timestamps with another
  // policy than WRITE_COMMITTED, and what DB::Open() refuses. InvalidArgument, too: timestamps that
  // have not 8 bytes. (The same is said of families that are created later.)
  static Status Open(const Options& options, const TransactionDBOptions& txn_db_options,
                     const std::string& dbname, TransactionDB** dbptr);
  static Status Open(const DBOptions& db_options, const TransactionDBOptions& txn_db_options,
                     const std::string& dbname,
                     const std::vector<ColumnFamilyDescriptor>& column_families,
                     std::vector<ColumnFamilyHandle*>* handles, TransactionDB** dbptr);

  // The same in two steps, for who opens the database himself, or stacks something on it.
  // PrepareWrap changes options to what Open() would open with, and clears
  // `compaction_enabled_cf_indices` (RocksDB keeps compactions from running in between). The others
  // take ownership of the database; if they fail it is deleted, and so are the handles. Compactions
  // of the families whose indices are given are enabled.
  static void PrepareWrap(DBOptions* db_options,
                          std::vector<ColumnFamilyDescriptor>* column_families,
                          std::vector<size_t>* compaction_enabled_cf_indices);
  static Status WrapDB(DB* db, const TransactionDBOptions& txn_db_options,
                       const std::vector<size_t>& compaction_enabled_cf_indices,
                       const std::vector<ColumnFamilyHandle*>& handles, TransactionDB** dbptr);
  static Status WrapStackableDB(StackableDB* db, const TransactionDBOptions& txn_db_options,
                                const std::vector<size_t>& compaction_enabled_cf_indices,
                                const std::vector<ColumnFamilyHandle*>& handles,
                                TransactionDB** dbptr);

  // The caller owns the result, which must be deleted before the database (but see SetName()).
  // `old_txn`, if not null, is a transaction of this database: it is rolled back, becomes the new
  // one, and keeps its memory.
  virtual Transaction* BeginTransaction(
      const WriteOptions& write_options,
      const TransactionOptions& txn_options = TransactionOptions(),
      Transaction* old_txn = nullptr) = 0;

  // Null: none that is not committed has it.
  virtual Transaction* GetTransactionByName(const TransactionName& name) = 0;
  // Those that are prepared. One that recovery found is deleted by who decides it, or, undecided,
  // with the database.
  virtual void GetAllPreparedTransactions(std::vector<Transaction*>* trans) = 0;

  // All locks of one moment, by column family.
  virtual std::unordered_multimap<uint32_t, KeyLockInfo> GetLockStatusData() = 0;

  // The newest first.
  virtual std::vector<DeadlockPath> GetDeadlockInfoBuffer() = 0;
  // How many it keeps from now on.
  virtual void SetDeadlockInfoBufferSize(uint32_t target_size) = 0;

  // Snapshots with timestamps: numbers of the application's (a clock of several databases), in the
  // order of whose ascent the states follow each other. The database holds each until it is
  // released, or closed. Thread-safe.
  //
  // One of the present state. The newest there is, if it has this timestamp and state.
  // InvalidArgument: `ts` is kMaxTxnTimestamp, or the newest has a later timestamp, or this one and
  // another state. NotSupported: not by this policy.
  virtual std::pair<Status, std::shared_ptr<const Snapshot>> CreateTimestampedSnapshot(
      TxnTimestamp ts) = 0;
  std::shared_ptr<const Snapshot> GetLatestTimestampedSnapshot() const {
    return GetTimestampedSnapshot(kMaxTxnTimestamp);
  }
  // Null: there is none. kMaxTxnTimestamp: the newest.
  virtual std::shared_ptr<const Snapshot> GetTimestampedSnapshot(TxnTimestamp ts) const = 0;
  // Those below `ts`. Who holds one of them keeps it.
  virtual void ReleaseTimestampedSnapshotsOlderThan(TxnTimestamp ts) = 0;
  Status GetAllTimestampedSnapshots(
      std::vector<std::shared_ptr<const Snapshot>>& timestamped_snapshots) const {
    return GetTimestampedSnapshots(0, kMaxTxnTimestamp, timestamped_snapshots);
  }
  // Those from `ts_lb` to `ts_ub`, without the latter, ascending. InvalidArgument: that is nothing.
  virtual Status GetTimestampedSnapshots(
      TxnTimestamp ts_lb, TxnTimestamp ts_ub,
      std::vector<std::shared_ptr<const Snapshot>>& timestamped_snapshots) const = 0;

  ~TransactionDB() override = default;
  TransactionDB(const TransactionDB&) = delete;
  void operator=(const TransactionDB&) = delete;

 protected:
  explicit TransactionDB(std::unique_ptr<DB>&& db) : StackableDB(std::move(db)) {}
};

}  // namespace ROCKSDB_NAMESPACE
