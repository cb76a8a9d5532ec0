// Reads of one key from a WriteBatchWithIndex's index, and merges of operands that are there with
// what lies below them. Used by WriteBatchWithIndex and its iterator. Thread safety: the index's.
#ifndef CAIRN_UTILITIES_BATCH_LOOKUP_H_
#define CAIRN_UTILITIES_BATCH_LOOKUP_H_

#include <cstdint>
#include <string>
#include <utility>

#include "base/internal_key.h"
#include "base/merge_operands.h"
#include "base/namespace.h"
#include "rocksdb/db.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"
#include "utilities/batch_index.h"

namespace cairn {

enum class InBatch {
  kNothing,   // below is what counts
  kValue,     // a value, plain or an entity
  kDeleted,   // no value, whatever is below
  kOperands,  // operands, and below is what they stand on
  kError,
};

// What operands of `key` make of `base`. InvalidArgument: no handle, or its family has no merge
// operator.
[[nodiscard]] Status MergeInBatch(ColumnFamilyHandle* family, const Slice& key,
                                  const MergeOperands& operands, const MergeBase& base,
                                  std::string* result, ValueType* type);
// Of a value from the database (null: there is none).
[[nodiscard]] Status MergeOverDb(ColumnFamilyHandle* family, const Slice& key,
                                 const MergeOperands& operands, const WideColumns* below,
                                 std::string* result, ValueType* type);

// Collects the operands at the cursor, the newest of its key, and shows what is below them in the
// batch: kValue (in *base), kDeleted, or kNothing if there is no more.
InBatch CollectOperands(BatchIndex::Cursor cursor, const Comparator* comparator,
                        MergeOperands* operands, MergeBase* base);

// One answer of a batch. Slices point into the batch or into the answer.
class BatchAnswer {
 public:
  BatchAnswer() : operands_(nullptr) {}
  BatchAnswer(const BatchAnswer&) = delete;
  BatchAnswer& operator=(const BatchAnswer&) = delete;

  // Null `family`: the default one. Operands over a base in the batch are merged.
  InBatch LookUp(const BatchIndex& index, ColumnFamilyHandle* family, const Slice& key);

  // After kError.
  const Status& status() const { return status_; }
  // After kValue; *type is kTypeValue or kTypeWideColumnEntity.
  Slice value(ValueType* type) const {
    *type = type_;
    return value_;
  }
  // After kOperands.
  const MergeOperands& operands() const { return operands_; }
  MergeOperands TakeOperands() { return std::move(operands_); }

  // The value into what the caller wants.
  [[nodiscard]] Status Give(std::string* value) const;
  [[nodiscard]] Status Give(PinnableWideColumns* columns) const;

 private:
  MergeOperands operands_;
  std::string merged_;
  Slice value_;
  ValueType type_ = kTypeValue;
  Status status_;
};

// A stored value in the form that is asked for.
[[nodiscard]] Status GiveValue(const Slice& stored, ValueType type, std::string* value);
[[nodiscard]] Status GiveValue(const Slice& stored, ValueType type, PinnableWideColumns* columns);

}  // namespace cairn

#endif  // CAIRN_UTILITIES_BATCH_LOOKUP_H_
