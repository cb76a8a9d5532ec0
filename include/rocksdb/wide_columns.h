// Wide columns: a value that is a set of named columns, an entity. DB::PutEntity writes one,
// DB::GetEntity and Iterator::columns() read it.
//
// Plain values and entities live in one key space. Where a plain value is asked for (DB::Get,
// Iterator::value()), an entity's is that of its default column, whose name is empty, or empty if
// it has none. Where columns are asked for, a plain value is an entity of that one column.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// A column's name and value. Borrows the bytes of both.
class WideColumn {
 public:
  WideColumn() = default;

  // From whatever slices are made of: WideColumn("name", value_string).
  template <typename N, typename V>
  WideColumn(N&& name, V&& value) : name_(std::forward<N>(name)), value_(std::forward<V>(value)) {}

  // From tuples of the arguments of Slice's constructors.
  template <typename NTuple, typename VTuple>
  WideColumn(std::piecewise_construct_t, NTuple&& name_tuple, VTuple&& value_tuple)
      : name_(std::make_from_tuple<Slice>(std::forward<NTuple>(name_tuple))),
        value_(std::make_from_tuple<Slice>(std::forward<VTuple>(value_tuple))) {}

  const Slice& name() const { return name_; }
  const Slice& value() const { return value_; }
  Slice& name() { return name_; }
  Slice& value() { return value_; }

 private:
  Slice name_;
  Slice value_;
};

// Bytewise.
inline bool operator==(const WideColumn& lhs, const WideColumn& rhs) {
  return lhs.name() == rhs.name() && lhs.value() == rhs.value();
}
inline bool operator!=(const WideColumn& lhs, const WideColumn& rhs) { return !(lhs == rhs); }

// "name:value"; after std::hex both in hexadecimal, with 0x before them unless they are empty.
std::ostream& operator<<(std::ostream& os, const WideColumn& column);

// Borrows what its columns borrow. What reads give is sorted by name, bytewise, without duplicates.
using WideColumns = std::vector<WideColumn>;

// The name of the default column: empty.
extern const Slice kDefaultWideColumnName;

extern const WideColumns kNoWideColumns;

// The columns that a read found, and the memory that they point into: pinned in the block cache, or
// its own. Reset() it soon. Not thread-safe.
class PinnableWideColumns {
 public:
  PinnableWideColumns() = default;
  PinnableWideColumns(PinnableWideColumns&& other);
  PinnableWideColumns& operator=(PinnableWideColumns&& other);
  PinnableWideColumns(const PinnableWideColumns&) = delete;
  PinnableWideColumns& operator=(const PinnableWideColumns&) = delete;

  // Good until the next change of this object.
  const WideColumns& columns() const { return columns_; }
  // Bytes of the value as it is stored.
  size_t serialized_size() const { return value_.size(); }

  // One column, the default one. `value` is copied, unless there is a `cleanable`, whose cleanups
  // are taken over, or it is moved from; it must not be a part of this object.
  void SetPlainValue(const Slice& value);
  void SetPlainValue(const Slice& value, Cleanable* cleanable);
  void SetPlainValue(PinnableSlice&& value);
  void SetPlainValue(std::string&& value);

  // The columns of an entity in its stored form. Corruption if it is none, NotSupported if it has a
  // later version; then there are no columns.
  Status SetWideColumnValue(const Slice& value);
  Status SetWideColumnValue(const Slice& value, Cleanable* cleanable);
  Status SetWideColumnValue(PinnableSlice&& value);
  Status SetWideColumnValue(std::string&& value);

  // No columns, nothing pinned.
  void Reset();

 private:
  void Hold(const Slice& value, Cleanable* cleanable);
  void Hold(PinnableSlice&& value);
  void Hold(std::string&& value);
  void ShowPlainValue();
  Status ShowWideColumns();

  PinnableSlice value_;
  WideColumns columns_;  // point into value_
};

inline bool operator==(const PinnableWideColumns& lhs, const PinnableWideColumns& rhs) {
  return lhs.columns() == rhs.columns();
}
inline bool operator!=(const PinnableWideColumns& lhs, const PinnableWideColumns& rhs) {
  return !(lhs == rhs);
}

}  // namespace ROCKSDB_NAMESPACE
