// UserWriteCallback: told how far a write is, see DB::WriteWithCallback(). Its functions are called
// on the path of all writes: they must be short, and neither write nor wait for a write.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class UserWriteCallback {
 public:
  virtual ~UserWriteCallback() = default;

  // The write has its place among all others. Called once, unless the write fails before.
  virtual void OnWriteEnqueued() = 0;
  // It is in the log, durably if it is to be synced, but not yet seen by readers. Not called with
  // disableWAL.
  virtual void OnWalWriteFinish() = 0;
};

}  // namespace ROCKSDB_NAMESPACE
