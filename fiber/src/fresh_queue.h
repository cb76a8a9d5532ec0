// FreshQueue: fibers placed on a worker by Runtime::spawn() that have not started. Any thread
// pushes; the worker itself and idle ones of its runtime take from it, oldest first. A fiber that
// left this queue has started, as far as anybody but its worker can tell, and stays where it is.
//
// Thread safe. count() is sequentially consistent: a worker that sets its state to asleep and then
// finds the queue empty, and a spawner that pushes and then looks at the state, cannot miss each
// other.
#pragma once

#include <atomic>
#include <cstdint>

#include "raw_lock.h"

namespace fiber::detail {

struct Fiber;

class FreshQueue {
 public:
  void push(Fiber* fiber);
  // The oldest, or null.
  Fiber* pop();
  // The oldest if it was pushed before `moment` (a value of cycles()), else null and *born is when
  // it was pushed (UINT64_MAX: nothing is here).
  Fiber* pop_older(uint64_t moment, uint64_t* born);

  uint64_t count() const { return count_.load(std::memory_order_seq_cst); }
  // A hint, for the hot path.
  bool seems_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  Fiber* take() FIBER_REQUIRES(lock_);

  // Changed under the lock.
  std::atomic<uint64_t> count_{0};
  RawLock lock_;
  Fiber* head_ FIBER_GUARDED_BY(lock_) = nullptr;
  Fiber* tail_ FIBER_GUARDED_BY(lock_) = nullptr;
};

}  // namespace fiber::detail
