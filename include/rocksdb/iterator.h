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

class MultiScanArgs;  // rocksdb/multi_scan.h

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

  // Reads what the ranges of `args` need (rocksdb/multi_scan.h), together. From then on Seek() must
  // go to their starts (reverse: SeekForPrev() to their limits) in their order, each with
  // ReadOptions::iterate_upper_bound (reverse: and the lower one) set to that range's end:
  // else it ends with InvalidArgument, as it does once there are no more. InvalidArgument at once,
  // in status(): no ranges, overlapping or unsorted ones, a limit that is missing, a second call.
  // The ranges' slices are borrowed as long as the iterator lives. Once for an iterator. SUSPENDS.
  // One that knows nothing of it does nothing. (Of RocksDB 11.)
  virtual void Prepare(const MultiScanArgs& /*args*/) {}

  // "rocksdb.iterator.is-key-pinned" ("0" or "1"), "rocksdb.iterator.super-version-number".
  // InvalidArgument for others.
  virtual Status GetProperty(std::string prop_name, std::string* prop);
};

// An iterator over nothing, with an OK or the given status. The caller owns it.
extern Iterator* NewEmptyIterator();
extern Iterator* NewErrorIterator(const Status& status);

}  // namespace ROCKSDB_NAMESPACE
