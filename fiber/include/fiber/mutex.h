// Mutex, SharedMutex and CondVar: locks that park the fiber, or block the thread, that has to wait.
// One object serves fibers and plain threads at once. None of them is recursive; a fiber may
// suspend while it holds one.
//
// Lifetime: whoever acquires a lock may destroy it after unlocking although the previous holder is
// still inside its unlock(): an unlock never touches the object after the release took effect.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/clock.h"
#include "fiber/interleave.h"
#include "fiber/thread_annotations.h"

namespace fiber::detail {

// Called where a lock is asked for under the name that threads know it by (fiber/std, fiber/posix):
// lets others run if the calling fiber has not done so for a millisecond. On threads a loop that
// looks again and again at what a lock guards is interrupted; a fiber that never waits for the lock
// would keep its worker for ever. SUSPENDS, also for a lock that is free.
void take_turns();

}  // namespace fiber::detail

namespace fiber {

class CondVar;
namespace detail {
struct SharedMutexQueue;
}

// Four bytes. The lock goes to whoever comes first (barging), and straight to the oldest waiter
// when that one has waited for a millisecond and been woken in vain, so that nobody starves.
//
// state_: bit 0 kLocked; bit 1 kParked, some context waits in the parking lot; bit 2 kWoken, one
// that was woken has not yet tried again, so that no unlock needs to wake another. mutex.cc has the
// protocol.
class FIBER_CAPABILITY("mutex") Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // SUSPENDS. Acquire ordering.
  void lock() FIBER_ACQUIRE() {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
    }
    uint32_t unlocked = 0;
    if (!state_.compare_exchange_strong(unlocked, kLocked, std::memory_order_acquire,
                                        std::memory_order_relaxed)) [[unlikely]] {
      (void)lock_slow(kNoDeadline);
    }
  }

  // In a simulation it may also fail for no reason, as the C++ standard allows.
  bool try_lock() FIBER_TRY_ACQUIRE(true) {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
      if (detail::simulate_spurious()) return false;
    }
    uint32_t state = state_.load(std::memory_order_relaxed);
    while (!(state & kLocked)) {
      if (state_.compare_exchange_weak(state, state | kLocked, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  // SUSPENDS. The same until `deadline` (a now_nanos() value). False: it passed, the lock is not
  // held.
  [[nodiscard]] bool try_lock_until(uint64_t deadline) FIBER_TRY_ACQUIRE(true) {
    return try_lock() || lock_slow(deadline);
  }

  // REQUIRES: the caller holds the lock. Release ordering. Does not suspend.
  void unlock() FIBER_RELEASE() {
    uint32_t locked = kLocked;
    if (!state_.compare_exchange_strong(locked, 0, std::memory_order_release,
                                        std::memory_order_relaxed)) [[unlikely]] {
      unlock_slow();
    }
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_interleave();
    }
  }

  // Tells the static analysis that the lock is held; aborts in debug builds if nobody holds it (the
  // owner is not known).
  void assert_held() const FIBER_ASSERT_HELD(this) {
#ifndef NDEBUG
    if (!(state_.load(std::memory_order_relaxed) & kLocked)) assert_failed();
#endif
  }

 private:
  friend class CondVar;
  static constexpr uint32_t kLocked = 1;
  static constexpr uint32_t kParked = 2;
  static constexpr uint32_t kWoken = 4;

  bool lock_slow(uint64_t deadline);
  void unlock_slow();
  [[noreturn]] static void assert_failed();

  std::atomic<uint32_t> state_{0};
};
static_assert(sizeof(Mutex) == 4);

// Holds a mutex (a Mutex, or what adds to one) for a scope; can let go of it and take it again in
// between.
template <class M>
class FIBER_SCOPED_CAPABILITY BasicMutexLock {
 public:
  explicit BasicMutexLock(M* mutex) FIBER_ACQUIRE(mutex) : mutex_(mutex), held_(true) {
    mutex_->lock();
  }
  ~BasicMutexLock() FIBER_RELEASE() {
    if (held_) mutex_->unlock();
  }
  BasicMutexLock(const BasicMutexLock&) = delete;
  BasicMutexLock& operator=(const BasicMutexLock&) = delete;

  // REQUIRES: held. / REQUIRES: not held.
  void unlock() FIBER_RELEASE() {
    held_ = false;
    mutex_->unlock();
  }
  void lock() FIBER_ACQUIRE() {
    mutex_->lock();
    held_ = true;
  }

 private:
  M* const mutex_;
  bool held_;
};
using MutexLock = BasicMutexLock<Mutex>;

// Many readers or one writer, four bytes. First come, first served among those that wait: a waiting
// writer holds back later readers, and neighbouring readers in the queue are let in together. So:
// no recursive shared locking.
//
// state_: bit 0 kWriter; bit 1 kParked, somebody waits (changed only under the parking bucket's
// lock); the rest counts the readers in steps of kReader.
class FIBER_CAPABILITY("shared_mutex") SharedMutex {
 public:
  constexpr SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  // SUSPENDS.
  void lock() FIBER_ACQUIRE() {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
    }
    uint32_t free = 0;
    if (!state_.compare_exchange_strong(free, kWriter, std::memory_order_acquire,
                                        std::memory_order_relaxed)) [[unlikely]] {
      (void)lock_slow(kNoDeadline);
    }
  }
  // SUSPENDS until the lock is held, or until `deadline` (a now_nanos() value): then false.
  [[nodiscard]] bool try_lock_until(uint64_t deadline) FIBER_TRY_ACQUIRE(true) {
    return try_lock() || lock_slow(deadline);
  }
  bool try_lock() FIBER_TRY_ACQUIRE(true) {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
      if (detail::simulate_spurious()) return false;
    }
    uint32_t free = 0;
    return state_.compare_exchange_strong(free, kWriter, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void unlock() FIBER_RELEASE() {
    uint32_t writer = kWriter;
    if (!state_.compare_exchange_strong(writer, 0, std::memory_order_release,
                                        std::memory_order_relaxed)) [[unlikely]] {
      unlock_slow();
    }
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_interleave();
    }
  }

  // SUSPENDS.
  void lock_shared() FIBER_ACQUIRE_SHARED() {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
    }
    if (!try_lock_shared_word()) [[unlikely]] {
      (void)lock_shared_slow(kNoDeadline);
    }
  }
  // SUSPENDS, as try_lock_until().
  [[nodiscard]] bool try_lock_shared_until(uint64_t deadline) FIBER_TRY_ACQUIRE_SHARED(true) {
    return try_lock_shared_word() || lock_shared_slow(deadline);
  }
  bool try_lock_shared() FIBER_TRY_ACQUIRE_SHARED(true) {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
      if (detail::simulate_spurious()) return false;
    }
    return try_lock_shared_word();
  }
  void unlock_shared() FIBER_RELEASE_SHARED() {
    const uint32_t before = state_.fetch_sub(kReader, std::memory_order_release);
    if (before == (kReader | kParked)) [[unlikely]] {
      unlock_shared_slow();
    }
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_interleave();
    }
  }

 private:
  friend struct detail::SharedMutexQueue;
  static constexpr uint32_t kWriter = 1;
  static constexpr uint32_t kParked = 2;
  static constexpr uint32_t kReader = 4;

  bool try_lock_shared_word() {
    uint32_t state = state_.load(std::memory_order_relaxed);
    while (!(state & (kWriter | kParked))) {
      if (state_.compare_exchange_weak(state, state + kReader, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  bool lock_slow(uint64_t deadline);
  void unlock_slow();
  bool lock_shared_slow(uint64_t deadline);
  void unlock_shared_slow();

  std::atomic<uint32_t> state_{0};
};
static_assert(sizeof(SharedMutex) == 4);

// Holds a SharedMutex shared for a scope.
class FIBER_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex* mutex) FIBER_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_->lock_shared();
  }
  ~ReaderLock() FIBER_RELEASE_GENERIC() { mutex_->unlock_shared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex* const mutex_;
};

// Holds a SharedMutex exclusively for a scope.
class FIBER_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex* mutex) FIBER_ACQUIRE(mutex) : mutex_(mutex) { mutex_->lock(); }
  ~WriterLock() FIBER_RELEASE() { mutex_->unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex* const mutex_;
};

// A condition variable, four bytes. As with the standard's, a wait may return without a
// notification (it does so here in a simulation only; callers loop over their condition), and the
// condition must be changed under the mutex. Notifying is cheap (one load) when nobody waits, and
// may be done with or without the mutex held.
class CondVar {
 public:
  constexpr CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  // SUSPENDS. Releases *mutex while asleep and holds it again on return. The falling asleep and the
  // release are one step with respect to notifications.
  void wait(Mutex* mutex) FIBER_REQUIRES(mutex);

  // The same until `deadline` (a now_nanos() value). False: timed out. The mutex is held again in
  // both cases.
  bool wait_until(Mutex* mutex, uint64_t deadline) FIBER_REQUIRES(mutex);

  void notify_one() {
    if (waiting_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      notify(1);
    }
  }
  void notify_all() {
    if (waiting_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      notify(UINT32_MAX);
    }
  }

 private:
  void notify(uint32_t max_count);

  // 1 while somebody waits; changed under the parking bucket's lock. Relaxed reads do: a waiter
  // that the notifier must not miss released the mutex before the notifier took it.
  std::atomic<uint32_t> waiting_{0};
};
static_assert(sizeof(CondVar) == 4);

}  // namespace fiber
