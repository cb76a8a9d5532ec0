// The database with transactions that lock, and its transaction. Made by TransactionDB::Open and
// BeginTransaction. Thread safety: see rocksdb/utilities/transaction_db.h.
#ifndef CAIRN_UTILITIES_PESSIMISTIC_TRANSACTION_H_
#define CAIRN_UTILITIES_PESSIMISTIC_TRANSACTION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "commit/prepared_sections.h"
#include "commit/two_phase.h"
#include "fiber/mutex.h"
#include "rocksdb/utilities/transaction_db.h"
#include "utilities/lock_table.h"
#include "utilities/range_locks.h"
#include "utilities/secondary_indices.h"
#include "utilities/transaction_base.h"

namespace cairn {

struct ColumnFamily;
class PessimisticTransaction;

// InvalidArgument: timestamps of another size than transactions have; NotSupported: any, under this
// policy.
[[nodiscard]] Status CheckTimestamps(const Comparator* comparator, TxnDBWritePolicy policy);

class PessimisticDb final : public TransactionDB {
 public:
  // `db` is a DBImpl, or stacked on one.
  PessimisticDb(std::unique_ptr<DB>&& db, const TransactionDBOptions& options);
  // InvalidArgument: another database has them. Once, before anything else.
  [[nodiscard]] Status TakeRangeLocks();
  // The transactions that recovery found prepared are transactions again. Once.
  [[nodiscard]] Status TakeRecovered();
  // With the named transactions that are left.
  ~PessimisticDb() override;

  Transaction* BeginTransaction(const WriteOptions& write_options,
                                const TransactionOptions& txn_options,
                                Transaction* old_txn) override;
  Transaction* GetTransactionByName(const TransactionName& name) override;
  void GetAllPreparedTransactions(std::vector<Transaction*>* trans) override;

  std::unordered_multimap<uint32_t, KeyLockInfo> GetLockStatusData() override;
  std::vector<DeadlockPath> GetDeadlockInfoBuffer() override;
  void SetDeadlockInfoBufferSize(uint32_t target_size) override;

  std::pair<Status, std::shared_ptr<const Snapshot>> CreateTimestampedSnapshot(
      TxnTimestamp ts) override;
  std::shared_ptr<const Snapshot> GetTimestampedSnapshot(TxnTimestamp ts) const override;
  void ReleaseTimestampedSnapshotsOlderThan(TxnTimestamp ts) override;
  Status GetTimestampedSnapshots(
      TxnTimestamp ts_lb, TxnTimestamp ts_ub,
      std::vector<std::shared_ptr<const Snapshot>>& timestamped_snapshots) const override;

  // What timestamps the comparators of these may have, CheckTimestamps() says.
  using StackableDB::CreateColumnFamilies;
  using StackableDB::CreateColumnFamily;
  using StackableDB::CreateColumnFamilyWithImport;
  Status CreateColumnFamily(const ColumnFamilyOptions&, const std::string& name,
                            ColumnFamilyHandle**) override;
  Status CreateColumnFamilies(const ColumnFamilyOptions&, const std::vector<std::string>& names,
                              std::vector<ColumnFamilyHandle*>*) override;
  Status CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>&,
                              std::vector<ColumnFamilyHandle*>*) override;
  Status CreateColumnFamilyWithImport(const ColumnFamilyOptions&, const std::string& name,
                                      const ImportColumnFamilyOptions&,
                                      const std::vector<const ExportImportFilesMetaData*>&,
                                      ColumnFamilyHandle**) override;

  // Plain writes: they hold their keys' locks until they are visible. With indices they are
  // transactions.
  using StackableDB::Delete;
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
  Status Put(const WriteOptions&, ColumnFamilyHandle*, const Slice& key, const Slice& ts,
             const Slice& value) override;
  Status Delete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
                const Slice& ts) override;
  Status SingleDelete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
                      const Slice& ts) override;
  Status Merge(const WriteOptions&, ColumnFamilyHandle*, const Slice& key, const Slice& ts,
               const Slice& value) override;
  Status Write(const WriteOptions&, WriteBatch*) override;
  Status Write(const WriteOptions&, const TransactionDBWriteOptimizations&, WriteBatch*) override;

  DBImpl* impl() const { return impl_; }
  LockTable* locks() { return &locks_; }
  // Null: keys are locked, by locks().
  RangeLocks* range_locks() { return range_locks_.get(); }
  // SUSPENDS. By the one or the other. `comparator`: the family's; what RangeComparatorOf() says
  // will do.
  Status LockKey(LockOwner* owner, uint64_t hash, uint32_t family, const Comparator* comparator,
                 const Slice& key, bool exclusive, int64_t timeout_us);
  // Null: there is no such family, or nobody needs it, as there are no range locks.
  const Comparator* RangeComparatorOf(uint32_t family) const;
  const TransactionDBOptions& options() const { return options_; }
  const SecondaryIndices& indices() const { return indices_; }
  // Milliseconds of an option as what LockTable takes.
  static int64_t Micros(int64_t millis);
  TransactionID NextId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  // False: another one has the name, or left it (below).
  bool Register(const TransactionName& name, Transaction* transaction);
  // `stays`: what the transaction prepared is undecided, and comes back under its name when the
  // database is opened the next time. Until then nobody may have the name.
  void Unregister(const TransactionName& name, bool stays);

 private:
  using Keys = std::vector<std::pair<uint32_t, Slice>>;  // column family ids and keys
  template <class F>
  Status WriteLocked(Keys keys, const F& put);
  // NotSupported: the family has timestamps, and the write none.
  Status NeedNone(ColumnFamilyHandle* family) const;
  // Of one key, without a timestamp: `put` writes it, or, as a transaction, `put_indexed`.
  template <class F, class I>
  Status WriteBare(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                   const F& put, const I& put_indexed);
  // With a timestamp. NotSupported: the family is indexed.
  template <class F>
  Status WriteStamped(ColumnFamilyHandle* family, const Slice& key, const F& put);
  template <class F>
  Status WriteIndexed(const WriteOptions& options, const F& put);
  Status WriteIndexedBatch(const WriteOptions& options, Keys keys, WriteBatch* updates);
  std::unique_ptr<PessimisticTransaction> NewTransaction(const WriteOptions& write_options,
                                                         const TransactionOptions& options);

  DBImpl* const impl_;
  const TransactionDBOptions options_;
  LockTable locks_;
  const std::shared_ptr<RangeLocks> range_locks_;
  const SecondaryIndices indices_;
  bool has_range_locks_ = false;  // to be given back
  std::atomic<TransactionID> next_id_{1};

  fiber::Mutex names_mutex_;  // a leaf
  // Null: the transaction was deleted when it was prepared.
  std::unordered_map<TransactionName, Transaction*> names_ FIBER_GUARDED_BY(names_mutex_);
};

class PessimisticTransaction : public TransactionBase, public LockOwner {
 public:
  PessimisticTransaction(PessimisticDb* db, const WriteOptions& write_options,
                         const TransactionOptions& options);
  ~PessimisticTransaction() override;

  void Begin(const WriteOptions& write_options, const TransactionOptions& options);
  // A new one becomes what recovery found.
  [[nodiscard]] virtual Status Recover(const TransactionName& name, const PreparedSection& section);

  Status Prepare() override;
  Status Commit() override;
  Status Rollback() override;
  Status RollbackToSavePoint() override;
  Status SetName(const TransactionName& name) override;
  Status CollapseKey(const ReadOptions& options, const Slice& key,
                     ColumnFamilyHandle* family) override;
  Status GetRangeLock(ColumnFamilyHandle* family, const Endpoint& start,
                      const Endpoint& end) override;

  Status SetReadTimestampForValidation(TxnTimestamp ts) override;
  Status SetCommitTimestamp(TxnTimestamp ts) override;
  TxnTimestamp GetCommitTimestamp() const override { return commit_timestamp_; }

  TransactionID GetID() const override { return terms().id; }
  bool IsDeadlockDetect() const override { return terms().detects_deadlocks; }
  std::vector<TransactionID> GetWaitingTxns(uint32_t* column_family_id,
                                            std::string* key) const override;
  void SetLockTimeout(int64_t timeout_ms) override {
    lock_timeout_us_ = PessimisticDb::Micros(timeout_ms);
  }

  bool Steal() override;

 protected:
  Status MayWrite() const override;

 private:
  Status TrackKey(ColumnFamilyHandle* family, const Slice& key, bool read_only, bool exclusive,
                  bool validate) override;
  Status TakeUntracked(ColumnFamilyHandle* family, const Slice& key) override {
    return TrackKey(family, key, /*read_only=*/false, /*exclusive=*/true, /*validate=*/false);
  }
  Status CheckReadForUpdate(ColumnFamilyHandle* family, const ReadOptions& options, bool validate,
                            std::string* timestamp) const override;
  void Dropped(uint32_t family, const Slice& key) override;

  // Whether a key that is locked was written after *since, which may be lowered to the snapshot's
  // moment, or has a newer timestamp than that of validation. Busy: it was, or has.
  [[nodiscard]] Status Validate(const ColumnFamily* family, const Slice& key,
                                SequenceNumber* since) const;
  bool ValidatesTimestamps() const;
  // The keys that need one get the commit's timestamp; *bytes has it, or is empty: none needs one.
  // InvalidArgument: it was not set.
  [[nodiscard]] Status Stamp(std::string* bytes);

  void Start(const TransactionOptions& options);
  // Not if it is in a range: those are held to the end.
  void Unlock(uint64_t hash, uint32_t family, const Slice& key);
  // Writes and locks.
  void End();
  // Whether a snapshot that was asked for, and that no operation took, is the commit's.
  bool CommitTakesSnapshot() const;
  // InvalidArgument: it is, and the commit has no timestamp.
  [[nodiscard]] Status CheckSnapshot() const;
  // The batch of a commit; `step`: of one that was prepared. Takes the snapshot that is the
  // commit's.
  [[nodiscard]] Status WriteCommit(WriteBatch* batch, TwoPhaseStep* step);
  void Unregister();
  bool IsExpired() const;
  // InvalidArgument: it was dropped. A null handle: the default one.
  Status FamilyOf(ColumnFamilyHandle* handle, const ColumnFamily** family) const;
  void LockRecovered(uint32_t family, const Slice& key);
  [[nodiscard]] Status CommitUnprepared();
  [[nodiscard]] Status CommitPrepared();
  // `timestamp`: see Stamp().
  [[nodiscard]] Status EncodeCommit(const Slice& timestamp, WriteBatch* batch);
  // The same, and what a prepare adds, under the policies that share numbers.
  [[nodiscard]] Status EncodeSharedCommit(WriteBatch* batch);
  [[nodiscard]] Status PrepareShared(TwoPhaseStep* step);
  [[nodiscard]] Status RollbackPrepared();
  // One that was prepared is over: it is `state`.
  void EndPrepared(TransactionState state);

  PessimisticDb* const txn_db_;
  int64_t lock_timeout_us_ = 0;
  bool skip_prepare_ = true;
  bool commits_late_writes_ = false;  // the commit-time batch is allowed, with shared numbers
  bool may_expire_ = true;            // it was not prepared
  // kMaxTxnTimestamp: was not set.
  TxnTimestamp read_timestamp_ = kMaxTxnTimestamp;  // for validation
  TxnTimestamp commit_timestamp_ = kMaxTxnTimestamp;
  size_t prepared_bytes_ = 0;  // of the batch that was
  bool registered_ = false;    // under name_
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_PESSIMISTIC_TRANSACTION_H_
