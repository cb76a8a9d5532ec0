// What RocksJava's sources take from RocksDB's private header of this name: a mutex. Cairn's serves
// threads and fibers alike.
#pragma once

#include "fiber/mutex.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE::port {

class Mutex {
 public:
  // Cairn's mutex spins for a moment in any case.
  explicit Mutex(bool /*adaptive*/ = false) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // SUSPENDS.
  void Lock() { mutex_.lock(); }
  void Unlock() { mutex_.unlock(); }

 private:
  fiber::Mutex mutex_;
};

}  // namespace ROCKSDB_NAMESPACE::port
