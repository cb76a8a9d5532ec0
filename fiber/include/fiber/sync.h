// Signals between contexts: Semaphore, Latch, Event, call_once. Waiting parks a fiber and blocks a
// plain thread; one object serves both at once. The context that a signal releases may destroy the
// object at once, although the signaller is still inside its call.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "fiber/clock.h"
#include "fiber/interleave.h"

namespace fiber {

// A counting semaphore. First come, first served: while somebody waits, nobody overtakes.
// state_: low 32 bits the count, high 32 bits the number of waiters (changed under the parking
// bucket's lock).
class Semaphore {
 public:
  explicit constexpr Semaphore(uint32_t count) : state_(count) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // SUSPENDS. Takes n units at once, waiting until there are as many.
  void acquire(uint32_t n = 1) {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
    }
    if (!try_acquire(n)) acquire_slow(n, kNoDeadline);
  }
  // False: the deadline passed; nothing was taken.
  [[nodiscard]] bool acquire_until(uint64_t deadline, uint32_t n = 1) {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_before_wait();
    }
    return try_acquire(n) || acquire_slow(n, deadline);
  }
  [[nodiscard]] bool try_acquire(uint32_t n = 1) {
    uint64_t state = state_.load(std::memory_order_relaxed);
    while (state >> 32 == 0 && static_cast<uint32_t>(state) >= n) {
      if (state_.compare_exchange_weak(state, state - n, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  // REQUIRES: the count stays below 2^32. Does not suspend.
  void release(uint32_t n = 1) {
    if (detail::simulating()) [[unlikely]] {
      detail::simulate_interleave();
    }
    uint64_t state = state_.load(std::memory_order_relaxed);
    while (state >> 32 == 0) {
      if (state_.compare_exchange_weak(state, state + n, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return;
      }
    }
    release_slow(n);
  }

  // A snapshot, for statistics and tests.
  uint32_t value() const { return static_cast<uint32_t>(state_.load(std::memory_order_relaxed)); }

 private:
  bool acquire_slow(uint32_t n, uint64_t deadline);
  void release_slow(uint32_t n);

  std::atomic<uint64_t> state_;
};

// Counts down to zero once and then lets everybody pass.
class Latch {
 public:
  explicit constexpr Latch(uint32_t count) : count_(count) {}
  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;

  // REQUIRES: n <= the count left. Does not suspend.
  void count_down(uint32_t n = 1);
  [[nodiscard]] bool try_wait() const { return count_.load(std::memory_order_acquire) == 0; }
  // SUSPENDS.
  void wait() { (void)wait_until(kNoDeadline); }
  [[nodiscard]] bool wait_until(uint64_t deadline);
  void arrive_and_wait(uint32_t n = 1) {
    count_down(n);
    wait();
  }

 private:
  std::atomic<uint32_t> count_;
};

// A manual-reset event: wait() passes while it is set. A set() releases all that wait at that
// moment, even if a reset() follows at once.
class Event {
 public:
  constexpr Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set();
  void reset();
  [[nodiscard]] bool is_set() const { return state_.load(std::memory_order_acquire) == kSet; }
  // SUSPENDS.
  void wait() { (void)wait_until(kNoDeadline); }
  [[nodiscard]] bool wait_until(uint64_t deadline);

 private:
  static constexpr uint32_t kUnset = 0;
  static constexpr uint32_t kSet = 1;
  static constexpr uint32_t kWaitedFor = 2;  // unset, and somebody waits

  std::atomic<uint32_t> state_{kUnset};
};

template <class F>
void call_once(class OnceFlag& flag, F&& function);

class OnceFlag {
 public:
  constexpr OnceFlag() = default;
  OnceFlag(const OnceFlag&) = delete;
  OnceFlag& operator=(const OnceFlag&) = delete;

 private:
  template <class F>
  friend void call_once(OnceFlag& flag, F&& function);

  static constexpr uint32_t kNew = 0;
  static constexpr uint32_t kRunning = 1;
  static constexpr uint32_t kRunningWaited = 2;
  static constexpr uint32_t kDone = 3;

  // True: the caller is to run the function, then finish(kDone), or finish(kNew) if it threw.
  bool begin();
  void finish(uint32_t state);

  std::atomic<uint32_t> state_{kNew};
};

// SUSPENDS. Runs `function` the first time; everybody else returns when it is done. If it throws,
// the exception goes to its caller and the next one tries again.
template <class F>
void call_once(OnceFlag& flag, F&& function) {
  if (flag.state_.load(std::memory_order_acquire) == OnceFlag::kDone) return;
  if (!flag.begin()) return;
  struct Finish {
    OnceFlag* flag;
    uint32_t state = OnceFlag::kNew;
    ~Finish() { flag->finish(state); }
  } finish{&flag};
  std::forward<F>(function)();
  finish.state = OnceFlag::kDone;
}

}  // namespace fiber
