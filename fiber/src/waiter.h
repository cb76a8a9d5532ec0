// Waiter: one context's wait for one resumption. The bridge between "park this fiber" and "block
// this thread", on which the parking lot, join and I/O stand.
//
// A record on the stack of the one that waits: create it there, publish its address to whoever will
// resume it, suspend. Exactly one resume() answers each suspension; it may come before suspend() is
// reached. The record may be gone as soon as resume() has taken effect.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/clock.h"

namespace fiber::detail {

struct Fiber;

class Waiter {
 public:
  // Of the calling fiber, or plain thread.
  Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // SUSPENDS until resume().
  void suspend();

  // SUSPENDS until resume() (returns true) or until after `deadline` try_cancel(this) says true: it
  // has made sure that no resume() will come (returns false). Says it false, a resume() is under
  // way or forced, and the wait goes on without the deadline. try_cancel runs at most once, on the
  // waiting thread or on the worker's own stack, must not suspend.
  bool suspend_until(uint64_t deadline, bool (*try_cancel)(Waiter*));

  // Any thread. Never suspends. A system call only if the waiting thread, or the fiber's worker, is
  // asleep.
  void resume();

  // The fiber that waits, null if it is a plain thread.
  Fiber* fiber() const { return fiber_; }

 private:
  // Values of word_, used by plain threads only.
  static constexpr uint32_t kWaiting = 0;
  static constexpr uint32_t kResumed = 1;
  static constexpr uint32_t kAsleep = 2;

  bool block_thread(uint64_t deadline);
  void resume_thread();

  Fiber* const fiber_;
  std::atomic<uint32_t> word_{kWaiting};
};

}  // namespace fiber::detail

#include "worker.h"  // the short paths
