// What RocksJava's sources take from RocksDB's private header of this name: a pointer of which each
// thread has its own.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "fiber/local.h"
#include "fiber/mutex.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

using UnrefHandler = void (*)(void* ptr);

// Thread-safe, but for the destructor. What a thread left in it goes through the handler when the
// thread ends or the object is destroyed, whichever comes first.
class ThreadLocalPtr {
 public:
  explicit ThreadLocalPtr(UnrefHandler handler = nullptr)
      : slot_(std::make_shared<Slot>(handler)) {}
  ThreadLocalPtr(const ThreadLocalPtr&) = delete;
  ThreadLocalPtr& operator=(const ThreadLocalPtr&) = delete;
  ~ThreadLocalPtr() { slot_->Close(); }

  // The calling thread's; null until it set one.
  void* Get() const {
    const auto& mine = ThisThread().mine;
    const auto found = mine.find(slot_);
    return found == mine.end() ? nullptr : found->second;
  }

  // What was there before is not handed to the handler.
  void Reset(void* ptr) {
    void*& mine = ThisThread().mine[slot_];
    slot_->Replace(mine, ptr);
    mine = ptr;
  }

 private:
  // What all threads have in one object; outlives it while a thread remembers it.
  class Slot {
   public:
    explicit Slot(UnrefHandler handler) : handler_(handler) {}

    void Replace(void* old, void* ptr) {
      const fiber::MutexLock lock(&mutex_);
      if (old != nullptr) values_.erase(old);
      if (ptr != nullptr) values_.insert(ptr);
    }

    // The thread that left `ptr` here ends.
    void Leave(void* ptr) {
      {
        const fiber::MutexLock lock(&mutex_);
        if (values_.erase(ptr) == 0) return;  // The object went first.
      }
      if (handler_ != nullptr) handler_(ptr);
    }

    void Close() {
      std::set<void*> values;
      {
        const fiber::MutexLock lock(&mutex_);
        values.swap(values_);
      }
      if (handler_ == nullptr) return;
      for (void* const ptr : values) handler_(ptr);
    }

   private:
    const UnrefHandler handler_;
    fiber::Mutex mutex_;
    std::set<void*> values_ FIBER_GUARDED_BY(mutex_);
  };

  struct Thread {
    ~Thread() {
      for (const auto& [slot, ptr] : mine) slot->Leave(ptr);
    }
    std::map<std::shared_ptr<Slot>, void*> mine;
  };

  static Thread& ThisThread() {
    static auto* const threads = new fiber::local<Thread>;
    return threads->get();
  }

  const std::shared_ptr<Slot> slot_;
};

}  // namespace ROCKSDB_NAMESPACE
