// The stored form of an entity, the value of entries of type kTypeWideColumnEntity. RocksDB's
// version 1:
//
//   varint32 version (1) | varint32 n | n x index entry | n x value bytes
//   index entry := varint32 length | name bytes | varint32 size of the value
//
// The names are sorted bytewise, and differ. No columns at all is allowed.
//
// Decoding trusts no byte, allocates in proportion to the input at most, and copies nothing: what
// it gives points into the input. Pure functions, thread-safe.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace cairn {

// Sorts the columns by name and appends their stored form to *entity. InvalidArgument: a name, a
// value or the whole is 4 GiB or larger. Corruption, as in RocksDB: two have the same name. After
// an error *entity is as before.
[[nodiscard]] Status EncodeWideColumns(WideColumns columns, std::string* entity);

// Sets *columns, in order. Corruption: not well-formed; NotSupported: a later version. After an
// error *columns is empty.
[[nodiscard]] Status DecodeWideColumns(const Slice& entity, WideColumns* columns);

// Sets *value to that of the default column; empty if there is none. Errors as above, whichever
// column is bad. Allocates nothing.
[[nodiscard]] Status DefaultColumnOf(const Slice& entity, Slice* value);
// The same in place: leaves the default column in `value`, which holds an entity.
[[nodiscard]] Status KeepDefaultColumn(PinnableSlice* value);

}  // namespace cairn
