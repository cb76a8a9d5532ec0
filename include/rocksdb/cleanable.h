// Cleanable: an object that runs registered functions when it dies. Iterators and pinned slices use
// it to hold the blocks and memtables that their bytes live in. SharedCleanablePtr: one that
// several have. Neither is thread-safe, but each of several pointers to the same one may be used by
// a thread of its own.
#pragma once

#include <memory>

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

// A pointer to a Cleanable, whose cleanups run when the last pointer to it is gone. Null at first.
class SharedCleanablePtr {
 public:
  // Makes it a pointer to a new one.
  void Allocate();
  void Reset() { shared_.reset(); }
  Cleanable* get() const { return shared_.get(); }
  Cleanable& operator*() const { return *shared_; }
  Cleanable* operator->() const { return shared_.get(); }

  // `target` keeps the Cleanable until its own cleanups run; so does this pointer, or no longer.
  // Nothing, if it is null.
  void RegisterCopyWith(Cleanable* target) const;
  void MoveAsCleanupTo(Cleanable* target);

 private:
  std::shared_ptr<Cleanable> shared_;
};

}  // namespace ROCKSDB_NAMESPACE
