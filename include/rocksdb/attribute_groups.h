// Attribute groups: the wide columns of one key, spread over several column families.
#pragma once

#include <utility>
#include <vector>

#include "rocksdb/iterator_base.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;

// Some columns and the family that they are written to. Borrows the handle and what the columns
// borrow.
class AttributeGroup {
 public:
  explicit AttributeGroup(ColumnFamilyHandle* column_family, const WideColumns& columns)
      : column_family_(column_family), columns_(columns) {}

  ColumnFamilyHandle* column_family() const { return column_family_; }
  const WideColumns& columns() const { return columns_; }
  WideColumns& columns() { return columns_; }

 private:
  ColumnFamilyHandle* column_family_;
  WideColumns columns_;
};

inline bool operator==(const AttributeGroup& lhs, const AttributeGroup& rhs) {
  return lhs.column_family() == rhs.column_family() && lhs.columns() == rhs.columns();
}
inline bool operator!=(const AttributeGroup& lhs, const AttributeGroup& rhs) {
  return !(lhs == rhs);
}

using AttributeGroups = std::vector<AttributeGroup>;

extern const AttributeGroups kNoAttributeGroups;

// A family to be read, and what was found there. Borrows the handle.
class PinnableAttributeGroup {
 public:
  explicit PinnableAttributeGroup(ColumnFamilyHandle* column_family)
      : column_family_(column_family) {}

  ColumnFamilyHandle* column_family() const { return column_family_; }
  // NotFound: the family has no such key.
  const Status& status() const { return status_; }
  const WideColumns& columns() const { return columns_.columns(); }

  void SetStatus(const Status& status) { status_ = status; }
  void SetColumns(PinnableWideColumns&& columns) { columns_ = std::move(columns); }

  void Reset() {
    status_ = Status::OK();
    columns_.Reset();
  }

 private:
  ColumnFamilyHandle* column_family_;
  Status status_;
  PinnableWideColumns columns_;
};

using PinnableAttributeGroups = std::vector<PinnableAttributeGroup>;

// What an iterator over several families finds in one of them. Borrows the handle and the columns,
// which are good until the iterator moves.
class IteratorAttributeGroup {
 public:
  explicit IteratorAttributeGroup(ColumnFamilyHandle* column_family, const WideColumns* columns)
      : column_family_(column_family), columns_(columns) {}
  explicit IteratorAttributeGroup(const AttributeGroup& attribute_group)
      : IteratorAttributeGroup(attribute_group.column_family(), &attribute_group.columns()) {}

  ColumnFamilyHandle* column_family() const { return column_family_; }
  const WideColumns& columns() const { return *columns_; }

 private:
  ColumnFamilyHandle* column_family_;
  const WideColumns* columns_;
};

inline bool operator==(const IteratorAttributeGroup& lhs, const IteratorAttributeGroup& rhs) {
  return lhs.column_family() == rhs.column_family() && lhs.columns() == rhs.columns();
}
inline bool operator!=(const IteratorAttributeGroup& lhs, const IteratorAttributeGroup& rhs) {
  return !(lhs == rhs);
}

using IteratorAttributeGroups = std::vector<IteratorAttributeGroup>;

extern const IteratorAttributeGroups kNoIteratorAttributeGroups;

// Over the keys of several families (DB::NewAttributeGroupIterator).
class AttributeGroupIterator : public IteratorBase {
 public:
  // The groups of the families that have the key, in the order in which the families were given.
  // Good until the next movement. REQUIRES: Valid()
  virtual const IteratorAttributeGroups& attribute_groups() const = 0;
};

}  // namespace ROCKSDB_NAMESPACE
