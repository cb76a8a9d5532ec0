// Transaction: reads and writes that are seen by nobody else until Commit() makes all of them
// visible at once, provided that nobody came between.
//
//   rocksdb::Transaction* txn = txn_db->BeginTransaction(rocksdb::WriteOptions());
//   std::string value;
//   rocksdb::Status s = txn->GetForUpdate(rocksdb::ReadOptions(), "balance", &value);
//   if (s.ok()) s = txn->Put("balance", Deducted(value));
//   if (s.ok()) s = txn->Commit();     // Busy: somebody else wrote "balance"
//   delete txn;
//
// What is protected are the keys that a transaction tracks: those it writes, and those it reads by
// GetForUpdate and its kin. They must not have been written by anybody else between the moment they
// were tracked first (or the transaction's snapshot, if it has one by then) and the commit. What
// happens where they were, and when it is found out, is the kind of transaction's:
// rocksdb/utilities/optimistic_transaction_db.h, rocksdb/utilities/transaction_db.h.
//
// The writes are kept in memory, indexed by key (WriteBatchWithIndex), until the commit.
//
// Thread safety: one user at a time; any number of transactions at once. A transaction must be
// deleted before its database is closed; that drops what was not committed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/attribute_groups.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class Iterator;
class TransactionDB;
class WriteBatchWithIndex;

using TransactionName = std::string;
using TransactionID = uint64_t;
using TxnTimestamp = uint64_t;
constexpr TxnTimestamp kMaxTxnTimestamp = std::numeric_limits<TxnTimestamp>::max();

// One end of a range of keys to lock. With `inf_suffix` it lies behind all keys that begin with
// `slice`.
class Endpoint {
 public:
  Slice slice;
  bool inf_suffix;

  Endpoint() : inf_suffix(false) {}
  explicit Endpoint(const Slice& slice_arg, bool inf_suffix_arg = false)
      : slice(slice_arg), inf_suffix(inf_suffix_arg) {}
  explicit Endpoint(const char* s, bool inf_suffix_arg = false)
      : slice(s), inf_suffix(inf_suffix_arg) {}
  Endpoint(const char* s, size_t size, bool inf_suffix_arg = false)
      : slice(s, size), inf_suffix(inf_suffix_arg) {}
};

// Hears of the snapshot that SetSnapshotOnNextOperation() asked for. Called by that operation.
class TransactionNotifier {
 public:
  virtual ~TransactionNotifier() {}
  // `new_snapshot` is the transaction's own: see Transaction::GetSnapshot().
  virtual void SnapshotCreated(const Snapshot* new_snapshot) = 0;
};

// In all functions a null column family is the default one; keys and values are copied. Functions
// without a column family are of the default one. What touches the database may SUSPEND.
class Transaction {
 public:
  Transaction(const Transaction&) = delete;
  void operator=(const Transaction&) = delete;
  virtual ~Transaction() {}

  // --- Snapshots
  //
  // With a snapshot, keys that are tracked from then on must not have been written since it was
  // taken, rather than since they were tracked. Reads do not use it by themselves: put it into
  // ReadOptions::snapshot.

  // Takes one now, in place of the former.
  virtual void SetSnapshot() = 0;
  // Takes one right before the next key is tracked; `notifier`, which may be null, hears of it.
  virtual void SetSnapshotOnNextOperation(
      std::shared_ptr<TransactionNotifier> notifier = nullptr) = 0;
  // Null: there is none. Good until the snapshot is replaced or cleared.
  virtual const Snapshot* GetSnapshot() const = 0;
  // The same, and it may outlive the transaction, not the database. After a commit by
  // CommitAndTryCreateSnapshot() the one that this took.
  virtual std::shared_ptr<const Snapshot> GetTimestampedSnapshot() const = 0;
  // Lets it go, and one that is still to be taken. Keys tracked before keep their moment.
  virtual void ClearSnapshot() = 0;

  // --- The end

  // First step of a two-phase commit.
  virtual Status Prepare() = 0;
  // Writes everything, atomically. OK: it is visible, and as durable as the write options say. Not
  // OK: nothing was written, and the transaction is as it was; see the kind of transaction. What
  // DB::Write() says, too. SUSPENDS.
  virtual Status Commit() = 0;
  // Commit(), and a snapshot of just what it left with the timestamp `ts`, which the database keeps
  // until TransactionDB::ReleaseTimestampedSnapshotsOlderThan(). *snapshot receives it; null: the
  // transaction is committed, but there is a snapshot with a later timestamp, or with this one and
  // another state. `notifier` hears of it. InvalidArgument: no timestamp was given, here or by
  // SetCommitTimestamp(), or two that differ. NotSupported: not by this policy, nor by optimistic
  // transactions; nothing is committed.
  Status CommitAndTryCreateSnapshot(
      std::shared_ptr<TransactionNotifier> notifier = std::shared_ptr<TransactionNotifier>(),
      TxnTimestamp ts = kMaxTxnTimestamp, std::shared_ptr<const Snapshot>* snapshot = nullptr);
  // Forgets all writes and tracked keys.
  virtual Status Rollback() = 0;

  // --- Save points

  // Remembers the present state; a stack.
  virtual void SetSavePoint() = 0;
  // Forgets writes, and keys tracked for the first time, since the last save point, which is taken
  // off; the snapshot is again the one of then. NotFound: there is none.
  virtual Status RollbackToSavePoint() = 0;
  // Takes the last save point off. NotFound: there is none.
  virtual Status PopSavePoint() = 0;

  // --- Reads: the transaction's own writes over the database (as of ReadOptions::snapshot, else
  // its present state). They do not track: see GetForUpdate.

  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, std::string* value) = 0;
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, PinnableSlice* pinnable_val) = 0;
  virtual Status Get(const ReadOptions& options, const Slice& key, std::string* value) = 0;
  virtual Status Get(const ReadOptions& options, const Slice& key, PinnableSlice* pinnable_val) = 0;
  virtual Status GetEntity(const ReadOptions& options, ColumnFamilyHandle* column_family,
                           const Slice& key, PinnableWideColumns* columns) = 0;

  // One answer per key; *values is resized.
  virtual std::vector<Status> MultiGet(const ReadOptions& options,
                                       const std::vector<ColumnFamilyHandle*>& column_family,
                                       const std::vector<Slice>& keys,
                                       std::vector<std::string>* values) = 0;
  virtual std::vector<Status> MultiGet(const ReadOptions& options, const std::vector<Slice>& keys,
                                       std::vector<std::string>* values) = 0;
  virtual void MultiGet(const ReadOptions& options, ColumnFamilyHandle* column_family,
                        const size_t num_keys, const Slice* keys, PinnableSlice* values,
                        Status* statuses, const bool sorted_input = false) = 0;
  virtual void MultiGetEntity(const ReadOptions& options, ColumnFamilyHandle* column_family,
                              size_t num_keys, const Slice* keys, PinnableWideColumns* results,
                              Status* statuses, bool sorted_input = false) = 0;

  // Reads, and tracks the key. A null `value`: only tracks it. `exclusive`: as for a write; else
  // others may read it for update, too (where keys are locked). Without `do_validate` it need not
  // be as it was at the snapshot. InvalidArgument: a snapshot is read without `do_validate`.
  virtual Status GetForUpdate(const ReadOptions& options, ColumnFamilyHandle* column_family,
                              const Slice& key, std::string* value, bool exclusive = true,
                              const bool do_validate = true) = 0;
  virtual Status GetForUpdate(const ReadOptions& options, ColumnFamilyHandle* column_family,
                              const Slice& key, PinnableSlice* pinnable_val, bool exclusive = true,
                              const bool do_validate = true) = 0;
  virtual Status GetForUpdate(const ReadOptions& options, const Slice& key, std::string* value,
                              bool exclusive = true, const bool do_validate = true) = 0;
  virtual Status GetForUpdate(const ReadOptions& options, const Slice& key,
                              PinnableSlice* pinnable_val, bool exclusive = true,
                              const bool do_validate = true) = 0;
  // The same of an entity.
  virtual Status GetEntityForUpdate(const ReadOptions& read_options,
                                    ColumnFamilyHandle* column_family, const Slice& key,
                                    PinnableWideColumns* columns, bool exclusive = true,
                                    bool do_validate = true) = 0;
  // All keys are tracked, then all are read. If one cannot be tracked, all have its status.
  virtual std::vector<Status> MultiGetForUpdate(
      const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& column_family,
      const std::vector<Slice>& keys, std::vector<std::string>* values) = 0;
  virtual std::vector<Status> MultiGetForUpdate(const ReadOptions& options,
                                                const std::vector<Slice>& keys,
                                                std::vector<std::string>* values) = 0;

  // Locks all keys from one end to the other, both included, exclusively, to the end of the
  // transaction; nothing is validated. NotSupported: the database has no such locks
  // (NewRangeLockManager() in rocksdb/utilities/transaction_db.h); InvalidArgument: the range ends
  // before it begins; and what tracking a key says.
  virtual Status GetRangeLock(ColumnFamilyHandle*, const Endpoint&, const Endpoint&) {
    return Status::NotSupported();
  }

  // The caller owns the result, which must go before the transaction ends; nothing is tracked. It
  // sees writes that come later, as WriteBatchWithIndex::NewIteratorWithBase() says.
  virtual Iterator* GetIterator(const ReadOptions& read_options) = 0;
  virtual Iterator* GetIterator(const ReadOptions& read_options,
                                ColumnFamilyHandle* column_family) = 0;
  // Over several column families: see DB::NewCoalescingIterator, DB::NewAttributeGroupIterator.
  virtual std::unique_ptr<Iterator> GetCoalescingIterator(
      const ReadOptions& read_options, const std::vector<ColumnFamilyHandle*>& column_families) = 0;
  virtual std::unique_ptr<AttributeGroupIterator> GetAttributeGroupIterator(
      const ReadOptions& read_options, const std::vector<ColumnFamilyHandle*>& column_families) = 0;

  // --- Writes: tracked. `assume_tracked`: the key is by now, for another write or by GetForUpdate
  // (InvalidArgument: it is not), so that it need not be done again.

  virtual Status Put(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value,
                     const bool assume_tracked = false) = 0;
  virtual Status Put(const Slice& key, const Slice& value) = 0;
  virtual Status Put(ColumnFamilyHandle* column_family, const SliceParts& key,
                     const SliceParts& value, const bool assume_tracked = false) = 0;
  virtual Status Put(const SliceParts& key, const SliceParts& value) = 0;
  virtual Status PutEntity(ColumnFamilyHandle* column_family, const Slice& key,
                           const WideColumns& columns, bool assume_tracked = false) = 0;
  virtual Status Merge(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value,
                       const bool assume_tracked = false) = 0;
  virtual Status Merge(const Slice& key, const Slice& value) = 0;
  virtual Status Delete(ColumnFamilyHandle* column_family, const Slice& key,
                        const bool assume_tracked = false) = 0;
  virtual Status Delete(const Slice& key) = 0;
  virtual Status Delete(ColumnFamilyHandle* column_family, const SliceParts& key,
                        const bool assume_tracked = false) = 0;
  virtual Status Delete(const SliceParts& key) = 0;
  virtual Status SingleDelete(ColumnFamilyHandle* column_family, const Slice& key,
                              const bool assume_tracked = false) = 0;
  virtual Status SingleDelete(const Slice& key) = 0;
  virtual Status SingleDelete(ColumnFamilyHandle* column_family, const SliceParts& key,
                              const bool assume_tracked = false) = 0;
  virtual Status SingleDelete(const SliceParts& key) = 0;

  // The same untracked: whatever others wrote meanwhile is overwritten.
  virtual Status PutUntracked(ColumnFamilyHandle* column_family, const Slice& key,
                              const Slice& value) = 0;
  virtual Status PutUntracked(const Slice& key, const Slice& value) = 0;
  virtual Status PutUntracked(ColumnFamilyHandle* column_family, const SliceParts& key,
                              const SliceParts& value) = 0;
  virtual Status PutUntracked(const SliceParts& key, const SliceParts& value) = 0;
  virtual Status PutEntityUntracked(ColumnFamilyHandle* column_family, const Slice& key,
                                    const WideColumns& columns) = 0;
  virtual Status MergeUntracked(ColumnFamilyHandle* column_family, const Slice& key,
                                const Slice& value) = 0;
  virtual Status MergeUntracked(const Slice& key, const Slice& value) = 0;
  virtual Status DeleteUntracked(ColumnFamilyHandle* column_family, const Slice& key) = 0;
  virtual Status DeleteUntracked(const Slice& key) = 0;
  virtual Status DeleteUntracked(ColumnFamilyHandle* column_family, const SliceParts& key) = 0;
  virtual Status DeleteUntracked(const SliceParts& key) = 0;
  virtual Status SingleDeleteUntracked(ColumnFamilyHandle* column_family, const Slice& key) = 0;
  virtual Status SingleDeleteUntracked(const Slice& key) = 0;

  // GetForUpdate(), and Put() of what is there. NotSupported where there are no locks.
  virtual Status CollapseKey(const ReadOptions&, const Slice&, ColumnFamilyHandle* = nullptr) {
    return Status::NotSupported("CollapseKey is not supported");
  }

  // Bytes that go into the log only, with the commit.
  virtual void PutLogData(const Slice& blob) = 0;

  // While indexing is off, writes are committed, but not read by this transaction: cheaper.
  virtual void DisableIndexing() = 0;
  virtual void EnableIndexing() = 0;

  // --- Figures

  virtual uint64_t GetNumKeys() const = 0;  // tracked
  virtual uint64_t GetNumPuts() const = 0;
  virtual uint64_t GetNumPutEntities() const = 0;
  virtual uint64_t GetNumDeletes() const = 0;  // SingleDelete included
  virtual uint64_t GetNumMerges() const = 0;
  virtual uint64_t GetElapsedTime() const = 0;  // milliseconds since it began

  // The writes so far; borrowed. What is added to it directly is committed untracked.
  virtual WriteBatchWithIndex* GetWriteBatch() = 0;

  // How long an operation waits for a lock, in milliseconds; < 0: for ever. No effect where there
  // are no locks.
  virtual void SetLockTimeout(int64_t timeout_ms) = 0;
  // RocksDB's wait before it looks for a deadlock. No effect: it is looked for at once.
  virtual void SetDeadlockTimeout(int64_t timeout_ms) = 0;

  // Of the commit; borrowed, and may be changed.
  virtual WriteOptions* GetWriteOptions() = 0;
  virtual void SetWriteOptions(const WriteOptions& write_options) = 0;

  // Takes one GetForUpdate() of the key back, of since the last save point: if it was the last one,
  // and the key is not written, it is tracked no more.
  virtual void UndoGetForUpdate(ColumnFamilyHandle* column_family, const Slice& key) = 0;
  virtual void UndoGetForUpdate(const Slice& key) = 0;

  // Does what a batch does, each of its writes tracked. InvalidArgument: a family does not exist,
  // or it has marks of a two-phase commit, or ranges.
  virtual Status RebuildFromWriteBatch(WriteBatch* src_batch) = 0;

  // For a two-phase commit: what is to be written with Commit(), not with Prepare(); borrowed.
  // Commit() of what was not prepared is InvalidArgument if there is something in it.
  virtual WriteBatch* GetCommitTimeWriteBatch() = 0;

  // The log that has the prepared transaction; 0: none.
  virtual void SetLogNumber(uint64_t log) { log_number_ = log; }
  virtual uint64_t GetLogNumber() const { return log_number_; }
  virtual uint64_t GetLastLogNumber() const { return log_number_; }

  // --- Names and states

  // A prepared transaction is found again by its name after a crash.
  virtual Status SetName(const TransactionName& name) = 0;
  virtual TransactionName GetName() const { return name_; }
  virtual TransactionID GetID() const { return 0; }
  virtual bool IsDeadlockDetect() const { return false; }
  // The transactions that hold what this one waits for, and what that is; if it does not wait, what
  // it waited for in vain last. Any thread. None where there are no locks.
  virtual std::vector<TransactionID> GetWaitingTxns(uint32_t* /*column_family_id*/,
                                                    std::string* /*key*/) const {
    return {};
  }

  enum TransactionState {
    STARTED = 0,
    AWAITING_PREPARE = 1,
    PREPARED = 2,
    AWAITING_COMMIT = 3,
    COMMITTED = 4,
    COMMITED = COMMITTED,  // RocksDB's old name
    AWAITING_ROLLBACK = 5,
    ROLLEDBACK = 6,
    LOCKS_STOLEN = 7,
  };
  TransactionState GetState() const { return txn_state_; }
  void SetState(TransactionState state) { txn_state_ = state; }

  // Of the object, for logs.
  uint64_t GetId() { return id_; }

  // --- User-defined timestamps (Comparator::timestamp_size), of 8 bytes: the numbers as
  // EncodeU64Ts() has them. With TransactionDB and WRITE_COMMITTED; NotSupported elsewhere.
  //
  // Keys are given without one, to all functions. All that a transaction writes to families with
  // timestamps gets one and the same with Commit(), which without one is InvalidArgument and leaves
  // the transaction as it was; a transaction that was prepared may get it then, also when it was
  // found by recovery. Reads and iterators of such families need ReadOptions::timestamp; what the
  // transaction wrote itself they see with any, and Iterator::timestamp() of it is empty.

  // GetForUpdate() of a family with timestamps reads at this one, and it and each write that is
  // tracked are Busy if the key has a newer one by then. Without it GetForUpdate() there is
  // InvalidArgument, unless it does not validate; with another ReadOptions::timestamp, too.
  // InvalidArgument: it was larger before.
  virtual Status SetReadTimestampForValidation(TxnTimestamp /*ts*/) {
    return Status::NotSupported("timestamp not supported");
  }
  // The last one counts. InvalidArgument: it is not larger than that of
  // SetReadTimestampForValidation(). That it is not older than what its keys have is the caller's
  // business where he did not validate.
  virtual Status SetCommitTimestamp(TxnTimestamp /*ts*/) {
    return Status::NotSupported("timestamp not supported");
  }
  // kMaxTxnTimestamp: there is none.
  virtual TxnTimestamp GetCommitTimestamp() const { return kMaxTxnTimestamp; }

 protected:
  explicit Transaction(const TransactionDB* /*db*/) {}
  Transaction() = default;

  virtual void SetId(uint64_t id) { id_ = id; }

  uint64_t log_number_ = 0;
  TransactionName name_;
  // Atomic: others may look at it (and, in a database with locks, change it) at any time.
  std::atomic<TransactionState> txn_state_{STARTED};
  uint64_t id_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
