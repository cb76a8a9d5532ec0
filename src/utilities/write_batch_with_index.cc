// The public WriteBatchWithIndex: a WriteBatch, and a BatchIndex of what is in it.
#include "rocksdb/utilities/write_batch_with_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "utilities/base_delta_iterator.h"
#include "utilities/batch_index.h"
#include "utilities/batch_lookup.h"

namespace ROCKSDB_NAMESPACE {

using cairn::BatchAnswer;
using cairn::BatchIndex;
using cairn::InBatch;

struct WriteBatchWithIndex::Rep {
  Rep(const Comparator* comparator, size_t reserved_bytes, bool overwrite, size_t max_bytes,
      size_t protection_bytes_per_key)
      : batch(reserved_bytes, max_bytes, protection_bytes_per_key,
              comparator == nullptr ? 0 : comparator->timestamp_size()),
        index(&batch, comparator, overwrite) {}

  WriteBatch batch;
  BatchIndex index;
};

namespace {

uint32_t IdOf(ColumnFamilyHandle* family) { return family == nullptr ? 0 : family->GetID(); }

Status NoRanges() { return Status::NotSupported("DeleteRange unsupported in WriteBatchWithIndex"); }

class IndexIterator final : public WBWIIterator {
 public:
  IndexIterator(const BatchIndex* index, uint32_t family) : cursor_(index, family) {}

  bool Valid() const override { return cursor_.Valid(); }
  void SeekToFirst() override { cursor_.SeekToFirst(); }
  void SeekToLast() override { cursor_.SeekToLast(); }
  void Seek(const Slice& target) override { cursor_.Seek(target); }
  void SeekForPrev(const Slice& target) override { cursor_.SeekForPrev(target); }
  void Next() override { cursor_.Next(); }
  void Prev() override { cursor_.Prev(); }
  Status status() const override { return Status::OK(); }
  WriteEntry Entry() const override { return cursor_.Entry(); }
  bool HasOverWrittenSingleDel() const override { return cursor_.overwrote_single_delete(); }
  uint32_t GetUpdateCount() const override { return cursor_.updates(); }

 private:
  BatchIndex::Cursor cursor_;
};

// What the batch alone says of a key.
template <class Value>
Status GetFromIndex(const BatchIndex& index, ColumnFamilyHandle* family, const Slice& key,
                    Value* value) {
  BatchAnswer answer;
  switch (answer.LookUp(index, family, key)) {
    case InBatch::kValue:
      return answer.Give(value);
    case InBatch::kOperands:
      return Status::MergeInProgress();
    case InBatch::kError:
      return answer.status();
    case InBatch::kNothing:
    case InBatch::kDeleted:
      break;
  }
  return Status::NotFound();
}

// Operands of the batch over what a read of the database said, with `below` as its columns.
template <class Value>
Status MergeAnswer(ColumnFamilyHandle* family, const Slice& key,
                   const cairn::MergeOperands& operands, const Status& read,
                   const PinnableWideColumns& below, Value* value) {
  if (!read.ok() && !read.IsNotFound()) return read;
  std::string merged;
  cairn::ValueType type;
  Status s = cairn::MergeOverDb(family, key, operands, read.ok() ? &below.columns() : nullptr,
                                &merged, &type);
  return s.ok() ? cairn::GiveValue(merged, type, value) : s;
}

// The default column of what is not an entity, or of what is.
void ShowDefaultColumn(const PinnableWideColumns& columns, PinnableSlice* value) {
  for (const WideColumn& column : columns.columns()) {
    if (column.name() == kDefaultWideColumnName) return value->PinSelf(column.value());
  }
  value->PinSelf(Slice());
}

// (As RocksDB says it.)
Status NoTimestampYet(ColumnFamilyHandle* family) {
  if (family == nullptr) return Status::InvalidArgument("column family handle cannot be nullptr");
  return Status::NotSupported("WriteBatchWithIndex takes keys without timestamps");
}

// What reads that may have to go on to the database need. `exactly`: also if they do not.
Status CheckReadTimestamp(ColumnFamilyHandle* family, const ReadOptions& options, bool exactly) {
  const Comparator* const comparator = family->GetComparator();
  const size_t size = comparator == nullptr ? 0 : comparator->timestamp_size();
  if (size != 0 && options.timestamp == nullptr) [[unlikely]] {
    return Status::InvalidArgument("Must specify timestamp");
  }
  if (exactly && options.timestamp != nullptr && options.timestamp->size() != size) [[unlikely]] {
    return Status::InvalidArgument("ReadOptions::timestamp has " +
                                       std::to_string(options.timestamp->size()) +
                                       " bytes, the family's timestamps " + std::to_string(size),
                                   family->GetName());
  }
  return Status::OK();
}

}  // namespace

WriteBatchWithIndex::WriteBatchWithIndex(const Comparator* backup_index_comparator,
                                         size_t reserved_bytes, bool overwrite_key,
                                         size_t max_bytes, size_t protection_bytes_per_key)
    : rep(std::make_unique<Rep>(backup_index_comparator, reserved_bytes, overwrite_key, max_bytes,
                                protection_bytes_per_key)) {}
WriteBatchWithIndex::~WriteBatchWithIndex() = default;
WriteBatchWithIndex::WriteBatchWithIndex(WriteBatchWithIndex&&) = default;
WriteBatchWithIndex& WriteBatchWithIndex::operator=(WriteBatchWithIndex&&) = default;

// --- Writing

template <class Append>
Status WriteBatchWithIndex::AddToBoth(ColumnFamilyHandle* family, const Slice& key, WriteType type,
                                      const Append& append) {
  if (!rep->index.Reserve()) return Status::MemoryLimit("no memory for a WriteBatchWithIndex");
  const size_t offset = rep->batch.GetDataSize();
  Status s = append(&rep->batch);
  if (!s.ok()) return s;
  rep->index.Add(IdOf(family), family == nullptr ? nullptr : family->GetComparator(), key, type,
                 offset);
  return s;
}

Status WriteBatchWithIndex::Put(ColumnFamilyHandle* family, const Slice&, const Slice&,
                                const Slice&) {
  return NoTimestampYet(family);
}
Status WriteBatchWithIndex::Merge(ColumnFamilyHandle* family, const Slice&, const Slice&,
                                  const Slice&) {
  return NoTimestampYet(family);
}
Status WriteBatchWithIndex::Delete(ColumnFamilyHandle* family, const Slice&, const Slice&) {
  return NoTimestampYet(family);
}
Status WriteBatchWithIndex::SingleDelete(ColumnFamilyHandle* family, const Slice&, const Slice&) {
  return NoTimestampYet(family);
}
Status WriteBatchWithIndex::DeleteRange(ColumnFamilyHandle*, const Slice&, const Slice&,
                                        const Slice&) {
  return NoRanges();
}

Status WriteBatchWithIndex::Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value) {
  return AddToBoth(family, key, kPutRecord,
                   [&](WriteBatch* batch) { return batch->Put(family, key, value); });
}
Status WriteBatchWithIndex::Put(const Slice& key, const Slice& value) {
  return Put(nullptr, key, value);
}
Status WriteBatchWithIndex::Put(ColumnFamilyHandle* family, const SliceParts& key,
                                const SliceParts& value) {
  std::string whole;
  return AddToBoth(family, Slice(key, &whole), kPutRecord,
                   [&](WriteBatch* batch) { return batch->Put(family, key, value); });
}

Status WriteBatchWithIndex::PutEntity(ColumnFamilyHandle* family, const Slice& key,
                                      const WideColumns& columns) {
  return AddToBoth(family, key, kPutEntityRecord,
                   [&](WriteBatch* batch) { return batch->PutEntity(family, key, columns); });
}
Status WriteBatchWithIndex::PutEntity(const Slice& /*key*/,
                                      const AttributeGroups& attribute_groups) {
  if (attribute_groups.empty()) {
    return Status::InvalidArgument("Cannot call this method without attribute groups");
  }
  return Status::NotSupported(
      "PutEntity with AttributeGroups not supported by WriteBatchWithIndex");
}

Status WriteBatchWithIndex::Merge(ColumnFamilyHandle* family, const Slice& key,
                                  const Slice& value) {
  return AddToBoth(family, key, kMergeRecord,
                   [&](WriteBatch* batch) { return batch->Merge(family, key, value); });
}
Status WriteBatchWithIndex::Merge(const Slice& key, const Slice& value) {
  return Merge(nullptr, key, value);
}
Status WriteBatchWithIndex::Merge(ColumnFamilyHandle* family, const SliceParts& key,
                                  const SliceParts& value) {
  std::string whole;
  return AddToBoth(family, Slice(key, &whole), kMergeRecord,
                   [&](WriteBatch* batch) { return batch->Merge(family, key, value); });
}

Status WriteBatchWithIndex::Delete(ColumnFamilyHandle* family, const Slice& key) {
  return AddToBoth(family, key, kDeleteRecord,
                   [&](WriteBatch* batch) { return batch->Delete(family, key); });
}
Status WriteBatchWithIndex::Delete(const Slice& key) { return Delete(nullptr, key); }
Status WriteBatchWithIndex::Delete(ColumnFamilyHandle* family, const SliceParts& key) {
  std::string whole;
  return Delete(family, Slice(key, &whole));
}

Status WriteBatchWithIndex::SingleDelete(ColumnFamilyHandle* family, const Slice& key) {
  return AddToBoth(family, key, kSingleDeleteRecord,
                   [&](WriteBatch* batch) { return batch->SingleDelete(family, key); });
}
Status WriteBatchWithIndex::SingleDelete(const Slice& key) { return SingleDelete(nullptr, key); }
Status WriteBatchWithIndex::SingleDelete(ColumnFamilyHandle* family, const SliceParts& key) {
  std::string whole;
  return SingleDelete(family, Slice(key, &whole));
}

Status WriteBatchWithIndex::DeleteRange(ColumnFamilyHandle* /*family*/, const Slice& /*begin*/,
                                        const Slice& /*end*/) {
  return NoRanges();
}
Status WriteBatchWithIndex::DeleteRange(ColumnFamilyHandle* /*family*/, const SliceParts& /*begin*/,
                                        const SliceParts& /*end*/) {
  return NoRanges();
}

Status WriteBatchWithIndex::PutLogData(const Slice& blob) { return rep->batch.PutLogData(blob); }

void WriteBatchWithIndex::Clear() {
  rep->batch.Clear();
  rep->index.Clear();
}

WriteBatch* WriteBatchWithIndex::GetWriteBatch() { return &rep->batch; }

void WriteBatchWithIndex::SetSavePoint() { rep->batch.SetSavePoint(); }

Status WriteBatchWithIndex::RollbackToSavePoint() {
  Status s = rep->batch.RollbackToSavePoint();
  if (s.ok()) rep->index.Truncate(rep->batch.GetDataSize());
  return s;
}

Status WriteBatchWithIndex::PopSavePoint() { return rep->batch.PopSavePoint(); }
void WriteBatchWithIndex::SetMaxBytes(size_t max_bytes) { rep->batch.SetMaxBytes(max_bytes); }
size_t WriteBatchWithIndex::GetDataSize() const { return rep->batch.GetDataSize(); }

const std::unordered_map<uint32_t, WriteBatchWithIndex::CFStat>& WriteBatchWithIndex::GetCFStats()
    const {
  return rep->index.stats();
}
size_t WriteBatchWithIndex::GetWBWIOpCount() const { return rep->index.size(); }
bool WriteBatchWithIndex::GetOverwriteKey() const { return rep->index.overwrites(); }

// --- Iterators

WBWIIterator* WriteBatchWithIndex::NewIterator(ColumnFamilyHandle* family) {
  return new IndexIterator(&rep->index, IdOf(family));
}
WBWIIterator* WriteBatchWithIndex::NewIterator() { return NewIterator(nullptr); }

Iterator* WriteBatchWithIndex::NewIteratorWithBase(ColumnFamilyHandle* family,
                                                   Iterator* base_iterator,
                                                   const ReadOptions* opts) {
  return new cairn::BaseDeltaIterator(&rep->index, family, base_iterator, opts);
}
Iterator* WriteBatchWithIndex::NewIteratorWithBase(Iterator* base_iterator,
                                                   const ReadOptions* opts) {
  return NewIteratorWithBase(nullptr, base_iterator, opts);
}

// --- Reading

Status WriteBatchWithIndex::GetFromBatch(ColumnFamilyHandle* family, const DBOptions& /*options*/,
                                         const Slice& key, std::string* value) {
  Status s = GetFromIndex(rep->index, family, key, value);
  if (!s.ok()) value->clear();
  return s;
}

Status WriteBatchWithIndex::GetEntityFromBatch(ColumnFamilyHandle* family, const Slice& key,
                                               PinnableWideColumns* columns) {
  if (family == nullptr || columns == nullptr) {
    return Status::InvalidArgument("GetEntityFromBatch needs a column family and columns");
  }
  columns->Reset();
  return GetFromIndex(rep->index, family, key, columns);
}

Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                              const Slice& key, std::string* value) {
  return GetFromBatchAndDB(db, read_options, nullptr, key, value);
}
Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                              const Slice& key, PinnableSlice* value) {
  return GetFromBatchAndDB(db, read_options, nullptr, key, value);
}
Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                              ColumnFamilyHandle* family, const Slice& key,
                                              std::string* value) {
  PinnableSlice pinnable(value);
  Status s = GetFromBatchAndDB(db, read_options, family, key, &pinnable);
  if (s.ok() && pinnable.IsPinned()) value->assign(pinnable.data(), pinnable.size());
  return s;
}

Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                              ColumnFamilyHandle* family, const Slice& key,
                                              PinnableSlice* value) {
  DB* const root = db->GetRootDB();
  if (family == nullptr) family = root->DefaultColumnFamily();
  Status checked = CheckReadTimestamp(family, read_options, /*exactly=*/false);
  if (!checked.ok()) return checked;
  value->Reset();
  BatchAnswer answer;
  switch (answer.LookUp(rep->index, family, key)) {
    case InBatch::kNothing:
      return root->Get(read_options, family, key, value);
    case InBatch::kValue: {
      Status s = answer.Give(value->GetSelf());
      value->PinSelf();
      return s;
    }
    case InBatch::kDeleted:
      return Status::NotFound();
    case InBatch::kError:
      return answer.status();
    case InBatch::kOperands:
      break;
  }
  PinnableWideColumns below;
  const Status read = root->GetEntity(read_options, family, key, &below);
  Status s = MergeAnswer(family, key, answer.operands(), read, below, value->GetSelf());
  value->PinSelf();
  return s;
}

Status WriteBatchWithIndex::GetEntityFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                                    ColumnFamilyHandle* family, const Slice& key,
                                                    PinnableWideColumns* columns) {
  if (db == nullptr || family == nullptr || columns == nullptr) {
    return Status::InvalidArgument(
        "GetEntityFromBatchAndDB needs a database, a column family and columns");
  }
  Status checked = CheckReadTimestamp(family, read_options, /*exactly=*/true);
  if (!checked.ok()) return checked;
  DB* const root = db->GetRootDB();
  columns->Reset();
  BatchAnswer answer;
  switch (answer.LookUp(rep->index, family, key)) {
    case InBatch::kNothing:
      return root->GetEntity(read_options, family, key, columns);
    case InBatch::kValue:
      return answer.Give(columns);
    case InBatch::kDeleted:
      return Status::NotFound();
    case InBatch::kError:
      return answer.status();
    case InBatch::kOperands:
      break;
  }
  PinnableWideColumns below;
  const Status read = root->GetEntity(read_options, family, key, &below);
  return MergeAnswer(family, key, answer.operands(), read, below, columns);
}

namespace {

// What the batch cannot answer, to be asked of the database in one call: all of one state.
struct Rest {
  std::vector<size_t> at;  // indexes of the caller's arrays
  std::vector<Slice> keys;
  std::vector<cairn::MergeOperands> operands;  // of each; empty: the batch has nothing
  bool has_operands = false;

  void Add(size_t i, const Slice& key, cairn::MergeOperands of_batch) {
    has_operands |= !of_batch.empty();
    at.push_back(i);
    keys.push_back(key);
    operands.push_back(std::move(of_batch));
  }
};

template <class Give>
Rest AnswerFromBatch(const BatchIndex& index, ColumnFamilyHandle* family, size_t n,
                     const Slice* keys, Status* statuses, const Give& give) {
  Rest rest;
  for (size_t i = 0; i < n; ++i) {
    BatchAnswer answer;
    switch (answer.LookUp(index, family, keys[i])) {
      case InBatch::kValue:
        statuses[i] = give(i, answer);
        break;
      case InBatch::kDeleted:
        statuses[i] = Status::NotFound();
        break;
      case InBatch::kError:
        statuses[i] = answer.status();
        break;
      case InBatch::kNothing:
      case InBatch::kOperands:
        rest.Add(i, keys[i], answer.TakeOperands());
        break;
    }
  }
  return rest;
}

}  // namespace

void WriteBatchWithIndex::MultiGetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                                 ColumnFamilyHandle* family, const size_t num_keys,
                                                 const Slice* keys, PinnableSlice* values,
                                                 Status* statuses, bool sorted_input) {
  DB* const root = db->GetRootDB();
  if (family == nullptr) family = root->DefaultColumnFamily();
  if (Status s = CheckReadTimestamp(family, read_options, /*exactly=*/false); !s.ok()) {
    std::fill_n(statuses, num_keys, s);
    return;
  }
  for (size_t i = 0; i < num_keys; ++i) values[i].Reset();
  const Rest rest = AnswerFromBatch(rep->index, family, num_keys, keys, statuses,
                                    [&](size_t i, const BatchAnswer& answer) {
                                      Status s = answer.Give(values[i].GetSelf());
                                      values[i].PinSelf();
                                      return s;
                                    });
  const size_t n = rest.at.size();
  if (n == 0) return;
  std::vector<Status> read(n);
  if (!rest.has_operands) {
    std::vector<PinnableSlice> found(n);
    root->MultiGet(read_options, family, n, rest.keys.data(), found.data(), read.data(),
                   sorted_input);
    for (size_t i = 0; i < n; ++i) {
      values[rest.at[i]] = std::move(found[i]);
      statuses[rest.at[i]] = read[i];
    }
    return;
  }
  // Operands may stand on entities.
  std::vector<PinnableWideColumns> below(n);
  root->MultiGetEntity(read_options, family, n, rest.keys.data(), below.data(), read.data(),
                       sorted_input);
  for (size_t i = 0; i < n; ++i) {
    PinnableSlice* const value = &values[rest.at[i]];
    if (!rest.operands[i].empty()) {
      read[i] =
          MergeAnswer(family, rest.keys[i], rest.operands[i], read[i], below[i], value->GetSelf());
      value->PinSelf();
    } else if (read[i].ok()) {
      ShowDefaultColumn(below[i], value);
    }
    statuses[rest.at[i]] = read[i];
  }
}

void WriteBatchWithIndex::MultiGetEntityFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                                       ColumnFamilyHandle* family, size_t num_keys,
                                                       const Slice* keys,
                                                       PinnableWideColumns* results,
                                                       Status* statuses, bool sorted_input) {
  if (db == nullptr || family == nullptr || keys == nullptr || results == nullptr) {
    for (size_t i = 0; i < num_keys; ++i) {
      statuses[i] = Status::InvalidArgument(
          "MultiGetEntityFromBatchAndDB needs a database, a column family, keys and results");
    }
    return;
  }
  if (Status s = CheckReadTimestamp(family, read_options, /*exactly=*/true); !s.ok()) {
    std::fill_n(statuses, num_keys, s);
    return;
  }
  DB* const root = db->GetRootDB();
  for (size_t i = 0; i < num_keys; ++i) results[i].Reset();
  const Rest rest = AnswerFromBatch(
      rep->index, family, num_keys, keys, statuses,
      [&](size_t i, const BatchAnswer& answer) { return answer.Give(&results[i]); });
  const size_t n = rest.at.size();
  if (n == 0) return;
  std::vector<Status> read(n);
  std::vector<PinnableWideColumns> below(n);
  root->MultiGetEntity(read_options, family, n, rest.keys.data(), below.data(), read.data(),
                       sorted_input);
  for (size_t i = 0; i < n; ++i) {
    PinnableWideColumns* const result = &results[rest.at[i]];
    if (rest.operands[i].empty()) {
      *result = std::move(below[i]);
    } else {
      read[i] = MergeAnswer(family, rest.keys[i], rest.operands[i], read[i], below[i], result);
    }
    statuses[rest.at[i]] = read[i];
  }
}

}  // namespace ROCKSDB_NAMESPACE
