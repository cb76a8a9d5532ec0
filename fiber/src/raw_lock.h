// RawLock: the lock beneath the locks. Guards a few instructions at a time, blocks the whole OS
// thread: brief bounded spin, then futex, the real one also
// within a simulation. Never held across a suspension or an interleave().
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/cpu.h"
#include "fiber/thread_annotations.h"
#include "futex.h"

namespace fiber::detail {

class FIBER_CAPABILITY("raw_lock") RawLock {
 public:
  void lock() FIBER_ACQUIRE() {
    uint32_t free = kFree;
    if (!word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      lock_slow();
    }
  }
  bool try_lock() FIBER_TRY_ACQUIRE(true) {
    uint32_t free = kFree;
    return word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  bool is_free() const { return word_.load(std::memory_order_relaxed) == kFree; }
  void unlock() FIBER_RELEASE() {
    if (word_.exchange(kFree, std::memory_order_release) == kHeldWaited)
      system_futex_wake(&word_, 1);
  }

 private:
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kHeldWaited = 2;
  static constexpr int kSpins = 64;

  void lock_slow() {
    for (int i = 0; i < kSpins; i++) {
      processor_pause();
      uint32_t free = kFree;
      if (word_.load(std::memory_order_relaxed) == kFree &&
          word_.compare_exchange_weak(free, kHeld, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return;
      }
    }
    while (word_.exchange(kHeldWaited, std::memory_order_acquire) != kFree)
      system_futex_wait(&word_, kHeldWaited);
  }

  std::atomic<uint32_t> word_{kFree};
};

class FIBER_SCOPED_CAPABILITY RawLockGuard {
 public:
  explicit RawLockGuard(RawLock* lock) FIBER_ACQUIRE(lock) : lock_(lock) { lock_->lock(); }
  ~RawLockGuard() FIBER_RELEASE() { lock_->unlock(); }
  RawLockGuard(const RawLockGuard&) = delete;
  RawLockGuard& operator=(const RawLockGuard&) = delete;

 private:
  RawLock* const lock_;
};

}  // namespace fiber::detail
