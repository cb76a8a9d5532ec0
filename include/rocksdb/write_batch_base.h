// WriteBatchBase: what a batch of writes offers to those who fill it.
#pragma once

#include <cstddef>

#include "rocksdb/attribute_groups.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class WriteBatch;

// Not thread-safe. A null column family is the default one. Keys and values are copied.
class WriteBatchBase {
 public:
  virtual ~WriteBatchBase() = default;

  virtual Status Put(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value) = 0;
  virtual Status Put(const Slice& key, const Slice& value) = 0;
  // The parts are joined. The same holds for all functions that take SliceParts.
  virtual Status Put(ColumnFamilyHandle* column_family, const SliceParts& key,
                     const SliceParts& value) = 0;
  virtual Status Put(const SliceParts& key, const SliceParts& value) = 0;

  // An entity, its columns in any order. InvalidArgument without a column family, the one call that
  // needs it. Corruption: two columns have the same name.
  virtual Status PutEntity(ColumnFamilyHandle* column_family, const Slice& key,
                           const WideColumns& columns) = 0;
  // One in each group's column family. InvalidArgument: there are no groups.
  virtual Status PutEntity(const Slice& key, const AttributeGroups& attribute_groups) = 0;

  virtual Status Merge(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value) = 0;
  virtual Status Merge(const Slice& key, const Slice& value) = 0;
  virtual Status Merge(ColumnFamilyHandle* column_family, const SliceParts& key,
                       const SliceParts& value) = 0;
  virtual Status Merge(const SliceParts& key, const SliceParts& value) = 0;

  virtual Status Delete(ColumnFamilyHandle* column_family, const Slice& key) = 0;
  virtual Status Delete(const Slice& key) = 0;
  virtual Status Delete(ColumnFamilyHandle* column_family, const SliceParts& key) = 0;
  virtual Status Delete(const SliceParts& key) = 0;

  // For a key that was put once, at most, since it was deleted last.
  virtual Status SingleDelete(ColumnFamilyHandle* column_family, const Slice& key) = 0;
  virtual Status SingleDelete(const Slice& key) = 0;
  virtual Status SingleDelete(ColumnFamilyHandle* column_family, const SliceParts& key) = 0;
  virtual Status SingleDelete(const SliceParts& key) = 0;

  // Keys in [begin_key, end_key).
  virtual Status DeleteRange(ColumnFamilyHandle* column_family, const Slice& begin_key,
                             const Slice& end_key) = 0;
  virtual Status DeleteRange(const Slice& begin_key, const Slice& end_key) = 0;
  virtual Status DeleteRange(ColumnFamilyHandle* column_family, const SliceParts& begin_key,
                             const SliceParts& end_key) = 0;
  virtual Status DeleteRange(const SliceParts& begin_key, const SliceParts& end_key) = 0;

  // The same with a timestamp (Comparator::timestamp_size). NotSupported: not by this kind of
  // batch.
  virtual Status Put(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts,
                     const Slice& value) = 0;
  virtual Status Merge(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts,
                       const Slice& value) = 0;
  virtual Status Delete(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts) = 0;
  virtual Status SingleDelete(ColumnFamilyHandle* column_family, const Slice& key,
                              const Slice& ts) = 0;
  virtual Status DeleteRange(ColumnFamilyHandle* column_family, const Slice& begin_key,
                             const Slice& end_key, const Slice& ts) = 0;

  // Bytes that go into the log only.
  virtual Status PutLogData(const Slice& blob) = 0;

  virtual void Clear() = 0;

  // This batch in its plain form.
  virtual WriteBatch* GetWriteBatch() = 0;

  // Remembers the present content; a stack.
  virtual void SetSavePoint() = 0;
  // Back to the last save point, which is taken off. NotFound if there is none.
  virtual Status RollbackToSavePoint() = 0;
  // Takes the last save point off. NotFound if there is none.
  virtual Status PopSavePoint() = 0;

  // A write that would make the batch larger than this fails with MemoryLimit and leaves it as it
  // was; 0: no limit.
  virtual void SetMaxBytes(size_t max_bytes) = 0;
};

}  // namespace ROCKSDB_NAMESPACE
