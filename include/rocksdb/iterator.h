// Iterator: a cursor over the keys of a database in order, seeing one consistent state.
//
// Not thread-safe: one user at a time. Destroy it before its database is closed. key(), value()
// and columns() borrow memory that is valid until the next movement (with ReadOptions::pin_data,
// key() until the iterator dies, where "rocksdb.iterator.is-key-pinned" says 1).
#pragma once

#include <cassert>
#include <string>

#include "rocksdb/cleanable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class Snapshot;

class Iterator : public Cleanable {
 public:
  Iterator() = default;
  Iterator(const Iterator&) = delete;
  void operator=(const Iterator&) = delete;
  virtual ~Iterator() = default;

  // True at an entry; false before the first, past the last, at a bound, or after an error (see
  // status()).
  virtual bool Valid() const = 0;

  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;

  // To the first key >= target.
  virtual void Seek(const Slice& target) = 0;

  // To the last key <= target.
  virtual void SeekForPrev(const Slice& target) = 0;

  // REQUIRES: Valid()
  virtual void Next() = 0;
  // REQUIRES: Valid()
  virtual void Prev() = 0;

  // REQUIRES: Valid()
  virtual Slice key() const = 0;
  // An entity's default column; empty if it has none. REQUIRES: Valid()
  virtual Slice value() const = 0;
  // All columns of an entity (rocksdb/wide_columns.h); a plain value is one with an empty name.
  // Good as long as value(). REQUIRES: Valid()
  virtual const WideColumns& columns() const {
    assert(false);
    return kNoWideColumns;
  }

  // Not OK if the iterator stopped because of an error: always ask when Valid() is false. A new
  // Seek clears it.
  virtual Status status() const = 0;

  // Makes the iterator see the database's present state, also one that was made on a snapshot; it
  // is not positioned afterwards.
  virtual Status Refresh() { return Refresh(nullptr); }
  // Makes the iterator see the database as of `snapshot` (null: its present state), which must live
  // during this call. NotSupported where there is no database behind the iterator, and for a
  // snapshot given to a tailing one.
  virtual Status Refresh(const Snapshot* /*snapshot*/) {
    return Status::NotSupported("Refresh() is not supported");
  }

  // "rocksdb.iterator.is-key-pinned" ("0" or "1"), "rocksdb.iterator.super-version-number".
  // InvalidArgument for others.
  virtual Status GetProperty(std::string prop_name, std::string* prop);
};

// An iterator over nothing, with an OK or the given status. The caller owns it.
extern Iterator* NewEmptyIterator();
extern Iterator* NewErrorIterator(const Status& status);

}  // namespace ROCKSDB_NAMESPACE
