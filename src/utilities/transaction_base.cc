#include "utilities/transaction_base.h"

#include <string_view>
#include <utility>

#include "base/timestamps.h"
#include "base/wide_column_serialization.h"
#include "batch/write_batch_internal.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "read/multi_family_iterator.h"

namespace cairn {
namespace {

constexpr uint64_t kNanosPerMilli = 1'000'000;

Status NoSnapshotWithoutValidation() {
  return Status::InvalidArgument(
      "If do_validate is false then GetForUpdate with snapshot is not defined.");
}

}  // namespace

TransactionBase::TransactionBase(DBImpl* db, const WriteOptions& options)
    : db_(db),
      write_options_(options),
      batch_(db->DefaultColumnFamily()->GetComparator(), 0, /*overwrite_key=*/true,
             /*max_bytes=*/0, options.protection_bytes_per_key),
      start_nanos_(fiber::now_nanos()) {}

void TransactionBase::Begin(const WriteOptions& options) {
  ClearWrites();
  ClearSnapshot();
  write_options_ = options;
  // (A number that there is not is refused by the write.)
  WriteBatch* const batch = batch_.GetWriteBatch();
  (void)WriteBatchInternal::Protect(batch, 0);
  (void)WriteBatchInternal::Protect(batch, options.protection_bytes_per_key);
  indexing_ = true;
  start_nanos_ = fiber::now_nanos();
  name_.clear();
  log_number_ = 0;
  id_ = 0;
  txn_state_ = STARTED;
}

void TransactionBase::ClearWrites() {
  save_points_.clear();
  batch_.Clear();
  commit_time_batch_.Clear();
  tracked_.Clear();
  counts_ = Counts();
}

Status TransactionBase::CheckCommitTimeBatch() const {
  return commit_time_batch_.Count() == 0
             ? Status::OK()
             : Status::InvalidArgument(
                   "Commit-time batch contains values that will not be committed.");
}

uint64_t TransactionBase::GetElapsedTime() const {
  return (fiber::now_nanos() - start_nanos_) / kNanosPerMilli;
}

// --- Snapshots

std::shared_ptr<const Snapshot> TransactionBase::NewSnapshot() {
  return {db_->GetSnapshot(), [db = db_](const Snapshot* s) { db->ReleaseSnapshot(s); }};
}

void TransactionBase::SetSnapshot() {
  snapshot_ = NewSnapshot();
  snapshot_needed_ = false;
  notifier_ = nullptr;
}

void TransactionBase::SetTakenSnapshot(std::shared_ptr<const Snapshot> snapshot) {
  const std::shared_ptr<TransactionNotifier> notifier = std::move(notifier_);
  snapshot_ = std::move(snapshot);
  snapshot_needed_ = false;
  if (notifier != nullptr && snapshot_ != nullptr) notifier->SnapshotCreated(snapshot_.get());
}

void TransactionBase::SetSnapshotOnNextOperation(std::shared_ptr<TransactionNotifier> notifier) {
  snapshot_needed_ = true;
  notifier_ = std::move(notifier);
}

void TransactionBase::TakeNeededSnapshot() {
  if (!snapshot_needed_) [[likely]]
    return;
  const std::shared_ptr<TransactionNotifier> notifier = std::move(notifier_);
  SetSnapshot();
  if (notifier != nullptr) notifier->SnapshotCreated(GetSnapshot());
}

void TransactionBase::ClearSnapshot() {
  snapshot_ = nullptr;
  snapshot_needed_ = false;
  notifier_ = nullptr;
}

// --- Save points

void TransactionBase::SetSavePoint() {
  save_points_.push_back({snapshot_, snapshot_needed_, notifier_, counts_});
  batch_.SetSavePoint();
  tracked_.SetSavePoint();
}

Status TransactionBase::RollbackToSavePoint() {
  if (save_points_.empty()) return Status::NotFound();
  SavePoint& point = save_points_.back();
  snapshot_ = std::move(point.snapshot);
  snapshot_needed_ = point.snapshot_needed;
  notifier_ = std::move(point.notifier);
  counts_ = point.counts;
  save_points_.pop_back();
  tracked_.RollbackToSavePoint(
      [this](const TrackedKeys::Entry& entry, const Slice& key) { Dropped(entry.family, key); });
  return batch_.RollbackToSavePoint();
}

Status TransactionBase::PopSavePoint() {
  if (save_points_.empty()) return Status::NotFound();
  save_points_.pop_back();
  tracked_.PopSavePoint();
  return batch_.PopSavePoint();
}

// --- Reads

Status TransactionBase::Get(const ReadOptions& options, ColumnFamilyHandle* family,
                            const Slice& key, PinnableSlice* value) {
  return batch_.GetFromBatchAndDB(db_, options, family, key, value);
}
Status TransactionBase::Get(const ReadOptions& options, ColumnFamilyHandle* family,
                            const Slice& key, std::string* value) {
  return batch_.GetFromBatchAndDB(db_, options, family, key, value);
}
Status TransactionBase::Get(const ReadOptions& options, const Slice& key, std::string* value) {
  return Get(options, nullptr, key, value);
}
Status TransactionBase::Get(const ReadOptions& options, const Slice& key, PinnableSlice* value) {
  return Get(options, nullptr, key, value);
}

Status TransactionBase::GetEntity(const ReadOptions& options, ColumnFamilyHandle* family,
                                  const Slice& key, PinnableWideColumns* columns) {
  if (family == nullptr) family = db_->DefaultColumnFamily();
  return batch_.GetEntityFromBatchAndDB(db_, options, family, key, columns);
}

std::vector<Status> TransactionBase::MultiGet(const ReadOptions& options,
                                              const std::vector<ColumnFamilyHandle*>& families,
                                              const std::vector<Slice>& keys,
                                              std::vector<std::string>* values) {
  values->resize(keys.size());
  std::vector<Status> statuses(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    statuses[i] = i < families.size()
                      ? Get(options, families[i], keys[i], &(*values)[i])
                      : Status::InvalidArgument("MultiGet needs a column family for each key");
  }
  return statuses;
}

std::vector<Status> TransactionBase::MultiGet(const ReadOptions& options,
                                              const std::vector<Slice>& keys,
                                              std::vector<std::string>* values) {
  return MultiGet(options, std::vector<ColumnFamilyHandle*>(keys.size(), nullptr), keys, values);
}

void TransactionBase::MultiGet(const ReadOptions& options, ColumnFamilyHandle* family,
                               const size_t num_keys, const Slice* keys, PinnableSlice* values,
                               Status* statuses, const bool sorted_input) {
  batch_.MultiGetFromBatchAndDB(db_, options, family, num_keys, keys, values, statuses,
                                sorted_input);
}

void TransactionBase::MultiGetEntity(const ReadOptions& options, ColumnFamilyHandle* family,
                                     size_t num_keys, const Slice* keys,
                                     PinnableWideColumns* results, Status* statuses,
                                     bool sorted_input) {
  if (family == nullptr) family = db_->DefaultColumnFamily();
  batch_.MultiGetEntityFromBatchAndDB(db_, options, family, num_keys, keys, results, statuses,
                                      sorted_input);
}

// --- Reads for update

template <class F>
Status TransactionBase::ReadForUpdate(const ReadOptions& options, ColumnFamilyHandle* family,
                                      const Slice& key, bool exclusive, bool validate,
                                      const F& read) {
  if (!validate && options.snapshot != nullptr) return NoSnapshotWithoutValidation();
  if (options.timestamp == nullptr && db_->TimestampSizeOf(IdOf(family)) == 0) [[likely]] {
    Status s = TrackKey(family, key, /*read_only=*/true, exclusive, validate);
    return s.ok() ? read(options) : s;
  }
  std::string bytes;
  Status s = CheckReadForUpdate(family, options, validate, &bytes);
  if (s.ok()) s = TrackKey(family, key, /*read_only=*/true, exclusive, validate);
  if (!s.ok()) return s;
  const Slice timestamp(bytes);
  ReadOptions stamped = options;
  if (stamped.timestamp == nullptr) stamped.timestamp = &timestamp;
  return read(stamped);
}

Status TransactionBase::GetForUpdate(const ReadOptions& options, ColumnFamilyHandle* family,
                                     const Slice& key, std::string* value, bool exclusive,
                                     const bool do_validate) {
  return ReadForUpdate(options, family, key, exclusive, do_validate,
                       [&](const ReadOptions& stamped) {
                         return value != nullptr ? Get(stamped, family, key, value) : Status::OK();
                       });
}
Status TransactionBase::GetForUpdate(const ReadOptions& options, ColumnFamilyHandle* family,
                                     const Slice& key, PinnableSlice* value, bool exclusive,
                                     const bool do_validate) {
  return ReadForUpdate(options, family, key, exclusive, do_validate,
                       [&](const ReadOptions& stamped) {
                         return value != nullptr ? Get(stamped, family, key, value) : Status::OK();
                       });
}
Status TransactionBase::GetForUpdate(const ReadOptions& options, const Slice& key,
                                     std::string* value, bool exclusive, const bool do_validate) {
  return GetForUpdate(options, nullptr, key, value, exclusive, do_validate);
}
Status TransactionBase::GetForUpdate(const ReadOptions& options, const Slice& key,
                                     PinnableSlice* value, bool exclusive, const bool do_validate) {
  return GetForUpdate(options, nullptr, key, value, exclusive, do_validate);
}

Status TransactionBase::GetEntityForUpdate(const ReadOptions& options, ColumnFamilyHandle* family,
                                           const Slice& key, PinnableWideColumns* columns,
                                           bool exclusive, bool do_validate) {
  return ReadForUpdate(
      options, family, key, exclusive, do_validate, [&](const ReadOptions& stamped) {
        return columns != nullptr ? GetEntity(stamped, family, key, columns) : Status::OK();
      });
}

std::vector<Status> TransactionBase::MultiGetForUpdate(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& families,
    const std::vector<Slice>& keys, std::vector<std::string>* values) {
  values->resize(keys.size());
  Status s;
  if (families.size() < keys.size()) {
    s = Status::InvalidArgument("MultiGetForUpdate needs a column family for each key");
  }
  for (size_t i = 0; s.ok() && i < keys.size(); ++i) {
    s = TrackKey(families[i], keys[i], /*read_only=*/true, /*exclusive=*/true, /*validate=*/true);
  }
  if (!s.ok()) return std::vector<Status>(keys.size(), s);
  return MultiGet(options, families, keys, values);
}

std::vector<Status> TransactionBase::MultiGetForUpdate(const ReadOptions& options,
                                                       const std::vector<Slice>& keys,
                                                       std::vector<std::string>* values) {
  return MultiGetForUpdate(options, std::vector<ColumnFamilyHandle*>(keys.size(), nullptr), keys,
                           values);
}

void TransactionBase::UndoGetForUpdate(ColumnFamilyHandle* family, const Slice& key) {
  if (tracked_.UntrackRead(IdOf(family), key)) Dropped(IdOf(family), key);
}

// --- Iterators

Iterator* TransactionBase::GetIterator(const ReadOptions& options) {
  return GetIterator(options, nullptr);
}

Iterator* TransactionBase::GetIterator(const ReadOptions& options, ColumnFamilyHandle* family) {
  if (family == nullptr) family = db_->DefaultColumnFamily();
  return batch_.NewIteratorWithBase(family, db_->NewIterator(options, family), &options);
}

std::vector<std::unique_ptr<Iterator>> TransactionBase::NewIterators(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& families,
    const Comparator** order) {
  *order = nullptr;
  Status s;
  if (families.empty()) s = Status::InvalidArgument("No Column Family was provided");
  for (ColumnFamilyHandle* const family : families) {
    if (family == nullptr) {
      s = Status::InvalidArgument("column family handle must not be null");
      break;
    }
    if (*order == nullptr) *order = family->GetComparator();
    if (std::string_view(family->GetComparator()->Name()) != (*order)->Name()) {
      s = Status::InvalidArgument("Different comparators are being used across CFs");
      break;
    }
  }
  std::vector<Iterator*> bases;
  if (s.ok()) s = db_->NewIterators(options, families, &bases);
  std::vector<std::unique_ptr<Iterator>> iterators;
  if (!s.ok()) iterators.emplace_back(NewErrorIterator(s));
  for (size_t i = 0; s.ok() && i < bases.size(); ++i) {
    iterators.emplace_back(batch_.NewIteratorWithBase(families[i], bases[i], &options));
  }
  return iterators;
}

std::unique_ptr<Iterator> TransactionBase::GetCoalescingIterator(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& families) {
  const Comparator* order;
  auto iterators = NewIterators(options, families, &order);
  return MakeCoalescingIterator(order, std::move(iterators));
}

std::unique_ptr<AttributeGroupIterator> TransactionBase::GetAttributeGroupIterator(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& families) {
  const Comparator* order;
  auto iterators = NewIterators(options, families, &order);
  return MakeAttributeGroupIterator(order, std::move(iterators), families);
}

// --- Writes

template <class F>
Status TransactionBase::Write(ColumnFamilyHandle* family, const Slice& key, Tracking tracking,
                              uint64_t* count, const F& add) {
  Status s = MayWrite();
  if (!s.ok()) return s;
  switch (tracking) {
    case Tracking::kTracked:
      s = TrackKey(family, key, /*read_only=*/false, /*exclusive=*/true, /*validate=*/true);
      break;
    case Tracking::kAssumed:
      if (tracks_ && tracked_.Find(IdOf(family), key) == nullptr) {
        s = Status::InvalidArgument("assume_tracked, but the key is not tracked");
      }
      break;
    case Tracking::kNone:
      s = TakeUntracked(family, key);
      break;
  }
  if (!s.ok()) return s;
  s = indexing_ ? add(static_cast<WriteBatchBase*>(&batch_)) : add(batch_.GetWriteBatch());
  if (s.ok()) ++*count;
  return s;
}

Status TransactionBase::Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value,
                            const bool assume_tracked) {
  return Write(family, key, TrackingOf(assume_tracked), &counts_.puts,
               [&](WriteBatchBase* batch) { return batch->Put(family, key, value); });
}
Status TransactionBase::Put(ColumnFamilyHandle* family, const SliceParts& key,
                            const SliceParts& value, const bool assume_tracked) {
  std::string whole;
  return Write(family, Slice(key, &whole), TrackingOf(assume_tracked), &counts_.puts,
               [&](WriteBatchBase* batch) { return batch->Put(family, key, value); });
}
Status TransactionBase::PutUntracked(ColumnFamilyHandle* family, const Slice& key,
                                     const Slice& value) {
  return Write(family, key, Tracking::kNone, &counts_.puts,
               [&](WriteBatchBase* batch) { return batch->Put(family, key, value); });
}
Status TransactionBase::PutUntracked(ColumnFamilyHandle* family, const SliceParts& key,
                                     const SliceParts& value) {
  std::string whole;
  return Write(family, Slice(key, &whole), Tracking::kNone, &counts_.puts,
               [&](WriteBatchBase* batch) { return batch->Put(family, key, value); });
}

// (A batch wants the handle of an entity.)
Status TransactionBase::PutEntity(ColumnFamilyHandle* family, const Slice& key,
                                  const WideColumns& columns, bool assume_tracked) {
  if (family == nullptr) family = db_->DefaultColumnFamily();
  return Write(family, key, TrackingOf(assume_tracked), &counts_.put_entities,
               [&](WriteBatchBase* batch) { return batch->PutEntity(family, key, columns); });
}
Status TransactionBase::PutEntityUntracked(ColumnFamilyHandle* family, const Slice& key,
                                           const WideColumns& columns) {
  if (family == nullptr) family = db_->DefaultColumnFamily();
  return Write(family, key, Tracking::kNone, &counts_.put_entities,
               [&](WriteBatchBase* batch) { return batch->PutEntity(family, key, columns); });
}

Status TransactionBase::Merge(ColumnFamilyHandle* family, const Slice& key, const Slice& value,
                              const bool assume_tracked) {
  return Write(family, key, TrackingOf(assume_tracked), &counts_.merges,
               [&](WriteBatchBase* batch) { return batch->Merge(family, key, value); });
}
Status TransactionBase::MergeUntracked(ColumnFamilyHandle* family, const Slice& key,
                                       const Slice& value) {
  return Write(family, key, Tracking::kNone, &counts_.merges,
               [&](WriteBatchBase* batch) { return batch->Merge(family, key, value); });
}

Status TransactionBase::Delete(ColumnFamilyHandle* family, const Slice& key,
                               const bool assume_tracked) {
  return Write(family, key, TrackingOf(assume_tracked), &counts_.deletes,
               [&](WriteBatchBase* batch) { return batch->Delete(family, key); });
}
Status TransactionBase::Delete(ColumnFamilyHandle* family, const SliceParts& key,
                               const bool assume_tracked) {
  std::string whole;
  return Delete(family, Slice(key, &whole), assume_tracked);
}
Status TransactionBase::DeleteUntracked(ColumnFamilyHandle* family, const Slice& key) {
  return Write(family, key, Tracking::kNone, &counts_.deletes,
               [&](WriteBatchBase* batch) { return batch->Delete(family, key); });
}
Status TransactionBase::DeleteUntracked(ColumnFamilyHandle* family, const SliceParts& key) {
  std::string whole;
  return DeleteUntracked(family, Slice(key, &whole));
}

Status TransactionBase::SingleDelete(ColumnFamilyHandle* family, const Slice& key,
                                     const bool assume_tracked) {
  return Write(family, key, TrackingOf(assume_tracked), &counts_.deletes,
               [&](WriteBatchBase* batch) { return batch->SingleDelete(family, key); });
}
Status TransactionBase::SingleDelete(ColumnFamilyHandle* family, const SliceParts& key,
                                     const bool assume_tracked) {
  std::string whole;
  return SingleDelete(family, Slice(key, &whole), assume_tracked);
}
Status TransactionBase::SingleDeleteUntracked(ColumnFamilyHandle* family, const Slice& key) {
  return Write(family, key, Tracking::kNone, &counts_.deletes,
               [&](WriteBatchBase* batch) { return batch->SingleDelete(family, key); });
}

void TransactionBase::PutLogData(const Slice& blob) {
  // (What is too large for a batch is not logged; there is nobody to tell.)
  batch_.PutLogData(blob).PermitUncheckedError();
}

namespace {

// Does what a batch says, in a transaction.
class Replay final : public WriteBatch::Handler {
 public:
  Replay(DBImpl* db, Transaction* transaction) : db_(db), transaction_(transaction) {}

  Status PutCF(uint32_t id, const Slice& key, const Slice& value) override {
    return In(id, key, [&](auto* f, auto& bare) { return transaction_->Put(f, bare, value); });
  }
  Status PutEntityCF(uint32_t id, const Slice& key, const Slice& entity) override {
    WideColumns columns;
    Status s = DecodeWideColumns(entity, &columns);
    if (!s.ok()) return s;
    return In(id, key,
              [&](auto* f, auto& bare) { return transaction_->PutEntity(f, bare, columns); });
  }
  Status DeleteCF(uint32_t id, const Slice& key) override {
    return In(id, key, [&](auto* f, auto& bare) { return transaction_->Delete(f, bare); });
  }
  Status SingleDeleteCF(uint32_t id, const Slice& key) override {
    return In(id, key, [&](auto* f, auto& bare) { return transaction_->SingleDelete(f, bare); });
  }
  Status MergeCF(uint32_t id, const Slice& key, const Slice& value) override {
    return In(id, key, [&](auto* f, auto& bare) { return transaction_->Merge(f, bare, value); });
  }
  Status MarkNoop(bool) override { return Status::OK(); }

 private:
  // (A timestamp that a key has, or has room for, is the commit's to decide.)
  template <class F>
  Status In(uint32_t id, const Slice& key, const F& f) {
    const Slice bare = StripTimestamp(key, db_->TimestampSizeOf(id));
    if (id == 0) return f(static_cast<ColumnFamilyHandle*>(nullptr), bare);
    if (handle_ == nullptr || handle_->GetID() != id) {
      handle_ = db_->HandleOf(id);
      if (handle_ == nullptr) {
        return Status::InvalidArgument("no column family has this id", std::to_string(id));
      }
    }
    return f(handle_.get(), bare);
  }

  DBImpl* const db_;
  Transaction* const transaction_;
  std::unique_ptr<ColumnFamilyHandle> handle_;  // of the last record
};

}  // namespace

Status TransactionBase::RebuildFromWriteBatch(WriteBatch* src_batch) {
  Replay replay(db_, this);
  return src_batch->Iterate(&replay);
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status Transaction::CommitAndTryCreateSnapshot(std::shared_ptr<TransactionNotifier> notifier,
                                               TxnTimestamp ts,
                                               std::shared_ptr<const Snapshot>* snapshot) {
  if (snapshot != nullptr) snapshot->reset();
  const TxnTimestamp given = GetCommitTimestamp();
  if (given == kMaxTxnTimestamp) {
    if (ts == kMaxTxnTimestamp) return Status::InvalidArgument("Commit timestamp unset");
  } else if (ts != kMaxTxnTimestamp && ts != given) {
    return Status::InvalidArgument("Different commit ts specified");
  }
  Status s = given == kMaxTxnTimestamp ? SetCommitTimestamp(ts) : Status::OK();
  if (!s.ok()) return s;
  SetSnapshotOnNextOperation(std::move(notifier));
  s = Commit();
  if (s.ok() && snapshot != nullptr) *snapshot = GetTimestampedSnapshot();
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
