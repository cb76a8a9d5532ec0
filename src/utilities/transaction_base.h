// TransactionBase: what all kinds of transactions have in common: the batch of writes, reads of it
// over the database, tracked keys, save points and snapshots. How a key is tracked, and what a
// commit is, is theirs.
//
// Thread safety: see rocksdb/utilities/transaction.h.
#ifndef CAIRN_UTILITIES_TRANSACTION_BASE_H_
#define CAIRN_UTILITIES_TRANSACTION_BASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/write_batch_with_index.h"
#include "rocksdb/write_batch.h"
#include "utilities/tracked_keys.h"

namespace cairn {

class DBImpl;

class TransactionBase : public Transaction {
 public:
  // `db`: the one that does the work, under whatever is stacked on it. Borrowed.
  TransactionBase(DBImpl* db, const WriteOptions& options);

  void SetSnapshot() override;
  void SetSnapshotOnNextOperation(std::shared_ptr<TransactionNotifier> notifier) override;
  const Snapshot* GetSnapshot() const override { return snapshot_.get(); }
  std::shared_ptr<const Snapshot> GetTimestampedSnapshot() const override { return snapshot_; }
  void ClearSnapshot() override;

  void SetSavePoint() override;
  Status RollbackToSavePoint() override;
  Status PopSavePoint() override;

  Status Get(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, std::string*) override;
  Status Get(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, PinnableSlice*) override;
  Status Get(const ReadOptions&, const Slice& key, std::string*) override;
  Status Get(const ReadOptions&, const Slice& key, PinnableSlice*) override;
  Status GetEntity(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
                   PinnableWideColumns*) override;
  std::vector<Status> MultiGet(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values) override;
  std::vector<Status> MultiGet(const ReadOptions&, const std::vector<Slice>& keys,
                               std::vector<std::string>* values) override;
  void MultiGet(const ReadOptions&, ColumnFamilyHandle*, const size_t num_keys, const Slice* keys,
                PinnableSlice* values, Status* statuses, const bool sorted_input) override;
  void MultiGetEntity(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice* keys,
                      PinnableWideColumns* results, Status* statuses, bool sorted_input) override;

  Status GetForUpdate(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, std::string*,
                      bool exclusive, const bool do_validate) override;
  Status GetForUpdate(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, PinnableSlice*,
                      bool exclusive, const bool do_validate) override;
  Status GetForUpdate(const ReadOptions&, const Slice& key, std::string*, bool exclusive,
                      const bool do_validate) override;
  Status GetForUpdate(const ReadOptions&, const Slice& key, PinnableSlice*, bool exclusive,
                      const bool do_validate) override;
  Status GetEntityForUpdate(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
                            PinnableWideColumns*, bool exclusive, bool do_validate) override;
  std::vector<Status> MultiGetForUpdate(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                                        const std::vector<Slice>& keys,
                                        std::vector<std::string>* values) override;
  std::vector<Status> MultiGetForUpdate(const ReadOptions&, const std::vector<Slice>& keys,
                                        std::vector<std::string>* values) override;

  Iterator* GetIterator(const ReadOptions&) override;
  Iterator* GetIterator(const ReadOptions&, ColumnFamilyHandle*) override;
  std::unique_ptr<Iterator> GetCoalescingIterator(const ReadOptions&,
                                                  const std::vector<ColumnFamilyHandle*>&) override;
  std::unique_ptr<AttributeGroupIterator> GetAttributeGroupIterator(
      const ReadOptions&, const std::vector<ColumnFamilyHandle*>&) override;

  Status Put(ColumnFamilyHandle*, const Slice&, const Slice&, const bool assume_tracked) override;
  Status Put(const Slice& key, const Slice& value) override {
    return Put(nullptr, key, value, false);
  }
  Status Put(ColumnFamilyHandle*, const SliceParts&, const SliceParts&,
             const bool assume_tracked) override;
  Status Put(const SliceParts& key, const SliceParts& value) override {
    return Put(nullptr, key, value, false);
  }
  Status PutEntity(ColumnFamilyHandle*, const Slice&, const WideColumns&,
                   bool assume_tracked) override;
  Status Merge(ColumnFamilyHandle*, const Slice&, const Slice&, const bool assume_tracked) override;
  Status Merge(const Slice& key, const Slice& value) override {
    return Merge(nullptr, key, value, false);
  }
  Status Delete(ColumnFamilyHandle*, const Slice&, const bool assume_tracked) override;
  Status Delete(const Slice& key) override { return Delete(nullptr, key, false); }
  Status Delete(ColumnFamilyHandle*, const SliceParts&, const bool assume_tracked) override;
  Status Delete(const SliceParts& key) override { return Delete(nullptr, key, false); }
  Status SingleDelete(ColumnFamilyHandle*, const Slice&, const bool assume_tracked) override;
  Status SingleDelete(const Slice& key) override { return SingleDelete(nullptr, key, false); }
  Status SingleDelete(ColumnFamilyHandle*, const SliceParts&, const bool assume_tracked) override;
  Status SingleDelete(const SliceParts& key) override { return SingleDelete(nullptr, key, false); }

  Status PutUntracked(ColumnFamilyHandle*, const Slice&, const Slice&) override;
  Status PutUntracked(const Slice& key, const Slice& value) override {
    return PutUntracked(nullptr, key, value);
  }
  Status PutUntracked(ColumnFamilyHandle*, const SliceParts&, const SliceParts&) override;
  Status PutUntracked(const SliceParts& key, const SliceParts& value) override {
    return PutUntracked(nullptr, key, value);
  }
  Status PutEntityUntracked(ColumnFamilyHandle*, const Slice&, const WideColumns&) override;
  Status MergeUntracked(ColumnFamilyHandle*, const Slice&, const Slice&) override;
  Status MergeUntracked(const Slice& key, const Slice& value) override {
    return MergeUntracked(nullptr, key, value);
  }
  Status DeleteUntracked(ColumnFamilyHandle*, const Slice&) override;
  Status DeleteUntracked(const Slice& key) override { return DeleteUntracked(nullptr, key); }
  Status DeleteUntracked(ColumnFamilyHandle*, const SliceParts&) override;
  Status DeleteUntracked(const SliceParts& key) override { return DeleteUntracked(nullptr, key); }
  Status SingleDeleteUntracked(ColumnFamilyHandle*, const Slice&) override;
  Status SingleDeleteUntracked(const Slice& key) override {
    return SingleDeleteUntracked(nullptr, key);
  }

  void PutLogData(const Slice& blob) override;
  void DisableIndexing() override { indexing_ = false; }
  void EnableIndexing() override { indexing_ = true; }

  uint64_t GetNumKeys() const override { return tracked_.size(); }
  uint64_t GetNumPuts() const override { return counts_.puts; }
  uint64_t GetNumPutEntities() const override { return counts_.put_entities; }
  uint64_t GetNumDeletes() const override { return counts_.deletes; }
  uint64_t GetNumMerges() const override { return counts_.merges; }
  uint64_t GetElapsedTime() const override;

  WriteBatchWithIndex* GetWriteBatch() override { return &batch_; }
  void SetLockTimeout(int64_t /*timeout_ms*/) override {}
  void SetDeadlockTimeout(int64_t /*timeout_ms*/) override {}
  WriteOptions* GetWriteOptions() override { return &write_options_; }
  void SetWriteOptions(const WriteOptions& options) override { write_options_ = options; }
  void UndoGetForUpdate(ColumnFamilyHandle*, const Slice& key) override;
  void UndoGetForUpdate(const Slice& key) override { UndoGetForUpdate(nullptr, key); }
  Status RebuildFromWriteBatch(WriteBatch* src_batch) override;
  WriteBatch* GetCommitTimeWriteBatch() override { return &commit_time_batch_; }

 protected:
  // Not OK: it is too late for that.
  virtual Status MayWrite() const { return Status::OK(); }
  // The key is to be tracked: for a read (`read_only`) or a write. `validate`: it must be as it was
  // at the snapshot, if there is one. Not OK: the operation does not happen.
  virtual Status TrackKey(ColumnFamilyHandle* family, const Slice& key, bool read_only,
                          bool exclusive, bool validate) = 0;
  // A read for update of a family with timestamps, or with one: whether it may be. Sets *timestamp,
  // the bytes, to what is to be read at if the options do not say.
  virtual Status CheckReadForUpdate(ColumnFamilyHandle* family, const ReadOptions& options,
                                    bool validate, std::string* timestamp) const = 0;
  // A write that is not to be validated.
  virtual Status TakeUntracked(ColumnFamilyHandle* family, const Slice& key) = 0;
  // A key is not tracked any more.
  virtual void Dropped(uint32_t family, const Slice& key) = 0;

  // What SetSnapshotOnNextOperation() asked for.
  void TakeNeededSnapshot();
  // Whether it asked for one that was not taken yet; this one is it, or null, where there is none.
  bool snapshot_needed() const { return snapshot_needed_; }
  void SetTakenSnapshot(std::shared_ptr<const Snapshot> snapshot);
  std::shared_ptr<const Snapshot> NewSnapshot();
  // As after the constructor, except for snapshots and options.
  void ClearWrites();
  void Begin(const WriteOptions& options);
  // What a commit of what was not prepared refuses.
  Status CheckCommitTimeBatch() const;

  static uint32_t IdOf(ColumnFamilyHandle* family) {
    return family == nullptr ? 0 : family->GetID();
  }

  DBImpl* const db_;
  WriteOptions write_options_;
  WriteBatchWithIndex batch_;
  TrackedKeys tracked_;
  bool tracks_ = true;  // false: no key is tracked, and each is assumed to be
  std::shared_ptr<const Snapshot> snapshot_;

 private:
  struct Counts {
    uint64_t puts = 0;
    uint64_t put_entities = 0;
    uint64_t deletes = 0;
    uint64_t merges = 0;
  };
  struct SavePoint {
    std::shared_ptr<const Snapshot> snapshot;
    bool snapshot_needed;
    std::shared_ptr<TransactionNotifier> notifier;
    Counts counts;
  };

  enum class Tracking { kTracked, kAssumed, kNone };
  static Tracking TrackingOf(bool assume_tracked) {
    return assume_tracked ? Tracking::kAssumed : Tracking::kTracked;
  }
  // One write: tracks the key, and has `add` put it into the batch it is given.
  template <class F>
  Status Write(ColumnFamilyHandle* family, const Slice& key, Tracking tracking, uint64_t* count,
               const F& write);
  // `read`: with options that have the timestamp, once the key is tracked.
  template <class F>
  Status ReadForUpdate(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                       bool exclusive, bool validate, const F& read);
  std::vector<std::unique_ptr<Iterator>> NewIterators(const ReadOptions& options,
                                                      const std::vector<ColumnFamilyHandle*>&,
                                                      const Comparator** order);

  bool indexing_ = true;
  bool snapshot_needed_ = false;
  std::shared_ptr<TransactionNotifier> notifier_;
  Counts counts_;
  std::vector<SavePoint> save_points_;
  WriteBatch commit_time_batch_;
  uint64_t start_nanos_;
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_TRANSACTION_BASE_H_
