// Iterator: a cursor over the keys of a database in order, seeing one consistent state.
//
// Not thread-safe: one user at a time. Destroy it before its database is closed. key(), value()
// and columns() borrow memory that is valid until the next movement (with ReadOptions::pin_data,
// key() until the iterator dies, where "rocksdb.iterator.is-key-pinned" says 1).
#pragma once

#include <cassert>
#include <string>

#include "rocksdb/cleanable.h"
#include "rocksdb/iterator_base.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class Iterator : public IteratorBase {
 public:
  // An entity's default column; empty if it has none. REQUIRES: Valid()
  virtual Slice value() const = 0;
  // All columns of an entity (rocksdb/wide_columns.h); a plain value is one with an empty name.
  // Good as long as value(). REQUIRES: Valid()
  virtual const WideColumns& columns() const {
    assert(false);
    return kNoWideColumns;
  }

  // Of the entry, where the comparator has timestamps; key() lacks it. Good as long as key().
  // REQUIRES: Valid()
  virtual Slice timestamp() const {
    assert(false);
    return Slice();
  }

  // "rocksdb.iterator.is-key-pinned" ("0" or "1"), "rocksdb.iterator.super-version-number".
  // InvalidArgument for others.
  virtual Status GetProperty(std::string prop_name, std::string* prop);
};

// An iterator over nothing, with an OK or the given status. The caller owns it.
extern Iterator* NewEmptyIterator();
extern Iterator* NewErrorIterator(const Status& status);

}  // namespace ROCKSDB_NAMESPACE
