// Cleanable: an object that runs registered functions when it dies. Iterators and pinned slices use
// it to hold the blocks and memtables that their bytes live in. Not thread-safe.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class Cleanable {
 public:
  using CleanupFunction = void (*)(void* arg1, void* arg2);

  Cleanable() : cleanup_{nullptr, nullptr, nullptr, nullptr} {}
  Cleanable(Cleanable&) = delete;
  Cleanable& operator=(Cleanable&) = delete;
  Cleanable(Cleanable&& from) noexcept;
  Cleanable& operator=(Cleanable&& from) noexcept;
  ~Cleanable() { RunCleanups(); }

  // Runs function(arg1, arg2) once, when this object is destroyed or reset. The first registration
  // allocates nothing.
  void RegisterCleanup(CleanupFunction function, void* arg1, void* arg2);

  // Moves every registered cleanup to `other` (not null, not this); none is left here.
  void DelegateCleanupsTo(Cleanable* other);

  // Runs all cleanups now and forgets them.
  void Reset() {
    RunCleanups();
    cleanup_.function = nullptr;
    cleanup_.next = nullptr;
  }

  bool HasCleanups() const { return cleanup_.function != nullptr; }

 protected:
  // The first record is embedded, the others are heap-allocated and linked behind it.
  struct Cleanup {
    CleanupFunction function;
    void* arg1;
    void* arg2;
    Cleanup* next;
  };
  Cleanup cleanup_;

 private:
  void AdoptRecord(Cleanup* record);
  void RunCleanups() {
    if (cleanup_.function != nullptr) RunCleanupsSlow();
  }
  void RunCleanupsSlow();
};

}  // namespace ROCKSDB_NAMESPACE
