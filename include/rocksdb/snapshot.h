// Snapshot: a state of the database that stays readable while later writes go on. Immutable, hence
// safe to share.
#pragma once

#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

class DB;

// Made by DB::GetSnapshot(), given back by DB::ReleaseSnapshot(); never deleted by the user.
class Snapshot {
 public:
  // The last write that is visible.
  virtual SequenceNumber GetSequenceNumber() const = 0;

  // When it was taken: seconds since 1970.
  virtual int64_t GetUnixTime() const = 0;

  // Of one with a timestamp (TransactionDB::CreateTimestampedSnapshot()); else the highest number.
  virtual uint64_t GetTimestamp() const = 0;

 protected:
  virtual ~Snapshot();
};

// Releases a snapshot at the end of a scope. The database must outlive it.
class ManagedSnapshot {
 public:
  explicit ManagedSnapshot(DB* db);
  // Takes over a snapshot of `db`; null holds nothing.
  ManagedSnapshot(DB* db, const Snapshot* _snapshot);
  ~ManagedSnapshot();
  ManagedSnapshot(const ManagedSnapshot&) = delete;
  ManagedSnapshot& operator=(const ManagedSnapshot&) = delete;

  const Snapshot* snapshot();

 private:
  DB* db_;
  const Snapshot* snapshot_;
};

}  // namespace ROCKSDB_NAMESPACE
