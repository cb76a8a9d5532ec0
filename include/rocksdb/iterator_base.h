// IteratorBase: what all iterators of a database have: the ways to move, and the key.
//
// Not thread-safe: one user at a time.
#pragma once

#include "rocksdb/cleanable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Snapshot;

class IteratorBase : public Cleanable {
 public:
  IteratorBase() = default;
  IteratorBase(const IteratorBase&) = delete;
  void operator=(const IteratorBase&) = delete;
  virtual ~IteratorBase() = default;

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

  // Not OK if the iterator stopped because of an error: always ask when Valid() is false. A new
  // Seek clears it.
  virtual Status status() const = 0;

  // With ReadOptions::allow_unprepared_value: before value() and columns() are used where the
  // iterator stands. False: the value cannot be read, the iterator is not Valid() any more and
  // status() says why. Without that option it does nothing, and returns true. REQUIRES: Valid()
  virtual bool PrepareValue() { return true; }

  // Makes the iterator see the database's present state, also one that was made on a snapshot; it
  // is not positioned afterwards.
  virtual Status Refresh() { return Refresh(nullptr); }
  // Makes the iterator see the database as of `snapshot` (null: its present state), which must live
  // during this call. NotSupported where there is no database behind the iterator, and for a
  // snapshot given to a tailing one.
  virtual Status Refresh(const Snapshot* /*snapshot*/) {
    return Status::NotSupported("Refresh() is not supported");
  }
};

}  // namespace ROCKSDB_NAMESPACE
