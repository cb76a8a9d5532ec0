#include "utilities/batch_lookup.h"

#include "base/allocation.h"
#include "base/timestamps.h"
#include "base/wide_column_serialization.h"
#include "db/column_family.h"
#include "db/families.h"

namespace cairn {

Status MergeInBatch(ColumnFamilyHandle* family, const Slice& key, const MergeOperands& operands,
                    const MergeBase& base, std::string* result, ValueType* type) {
  if (family == nullptr) return Status::InvalidArgument("Must provide a column family");
  // (A handle that a program made itself, to fill batches without a database, has no operator.)
  const auto* const ours = dynamic_cast<const ColumnFamilyHandleImpl*>(family);
  if (ours == nullptr || ours->family()->merge_operator == nullptr) {
    return Status::InvalidArgument("Merge operator must be set for column family");
  }
  const std::shared_ptr<const Options> options = ours->db()->families->LiveOptions(ours->family());
  MergeOperands all(ours->family()->merge_operator.get());
  all.JustCollect();
  for (const Slice& operand : operands.OldestFirst()) all.PushNewer(operand, /*pinned=*/true);
  return all.Merge(key, base, options->statistics.get(), options->info_log.get(), result, type);
}

Status MergeOverDb(ColumnFamilyHandle* family, const Slice& key, const MergeOperands& operands,
                   const WideColumns* below, std::string* result, ValueType* type) {
  MergeBase base;
  std::string entity;
  if (below != nullptr) {
    if (below->size() == 1 && below->front().name() == kDefaultWideColumnName) {
      base = {below->front().value(), kTypeValue};
    } else {
      Status s = EncodeWideColumns(*below, &entity);
      if (!s.ok()) return s;
      base = {entity, kTypeWideColumnEntity};
    }
  }
  return MergeInBatch(family, key, operands, base, result, type);
}

InBatch CollectOperands(BatchIndex::Cursor cursor, const Comparator* comparator,
                        MergeOperands* operands, MergeBase* base) {
  const Slice key = cursor.key();
  for (; cursor.Valid() && CompareBare(comparator, cursor.key(), key) == 0; cursor.Next()) {
    const WriteEntry entry = cursor.Entry();
    switch (entry.type) {
      case kMergeRecord:
        operands->PushOlder(entry.value, /*pinned=*/true);
        break;
      case kPutRecord:
        *base = {entry.value, kTypeValue};
        return InBatch::kValue;
      case kPutEntityRecord:
        *base = {entry.value, kTypeWideColumnEntity};
        return InBatch::kValue;
      case kDeleteRecord:
      case kSingleDeleteRecord:
        *base = {};
        return InBatch::kDeleted;
      default:
        return InBatch::kError;
    }
  }
  return InBatch::kNothing;
}

InBatch BatchAnswer::LookUp(const BatchIndex& index, ColumnFamilyHandle* family, const Slice& key) {
  const uint32_t id = family == nullptr ? 0 : family->GetID();
  WriteEntry entry;
  if (!index.Newest(id, key, &entry)) return InBatch::kNothing;
  switch (entry.type) {
    case kPutRecord:
    case kPutEntityRecord:
      value_ = entry.value;
      type_ = entry.type == kPutRecord ? kTypeValue : kTypeWideColumnEntity;
      return InBatch::kValue;
    case kDeleteRecord:
    case kSingleDeleteRecord:
      return InBatch::kDeleted;
    case kMergeRecord:
      break;
    default:
      status_ = Status::Corruption("unexpected entry in WriteBatchWithIndex",
                                   std::to_string(static_cast<int>(entry.type)));
      return InBatch::kError;
  }
  BatchIndex::Cursor cursor(&index, id);
  cursor.Seek(key);
  MergeBase base;
  const InBatch below = CollectOperands(cursor, index.ComparatorOf(id), &operands_, &base);
  if (below == InBatch::kNothing) return InBatch::kOperands;
  status_ = MergeInBatch(family, key, operands_, base, &merged_, &type_);
  if (!status_.ok()) return InBatch::kError;
  value_ = merged_;
  return InBatch::kValue;
}

Status GiveValue(const Slice& stored, ValueType type, std::string* value) {
  Slice shown = stored;
  if (type == kTypeWideColumnEntity) {
    Status s = DefaultColumnOf(stored, &shown);
    if (!s.ok()) return s;
  }
  return AssignIfPossible(value, shown.data(), shown.size())
             ? Status::OK()
             : Status::MemoryLimit("no memory for a value");
}

Status GiveValue(const Slice& stored, ValueType type, PinnableWideColumns* columns) {
  std::string copy;
  if (!AssignIfPossible(&copy, stored.data(), stored.size())) {
    return Status::MemoryLimit("no memory for a value");
  }
  if (type == kTypeWideColumnEntity) return columns->SetWideColumnValue(std::move(copy));
  columns->SetPlainValue(std::move(copy));
  return Status::OK();
}

Status BatchAnswer::Give(std::string* value) const { return GiveValue(value_, type_, value); }

Status BatchAnswer::Give(PinnableWideColumns* columns) const {
  return GiveValue(value_, type_, columns);
}

}  // namespace cairn
