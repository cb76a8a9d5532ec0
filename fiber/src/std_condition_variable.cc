#include "fiber/std/condition_variable.h"

#include "fiber/local.h"
#include "fiber/wait.h"

namespace fiber_std {

void detail::Notifications::notify(size_t max_count) noexcept {
  if (waiters_.load(std::memory_order_relaxed) == 0) return;
  // Changed before the waking: who noted the old count and does not sleep yet will not.
  count_.fetch_add(1, std::memory_order_release);
  fiber::wake(&count_, max_count);
}

bool detail::Notifications::wait(uint32_t noted, uint64_t deadline) {
  return fiber::wait(&count_, noted, deadline) != fiber::WaitResult::kTimedOut;
}

void notify_all_at_thread_exit(condition_variable& cond, unique_lock<mutex> lock) {
  fiber::detail::at_context_exit([&cond, held = lock.release()] {
    // In this order, unlike the standard's text, because the waiters may destroy both as soon as
    // they have the mutex. They cannot tell: without it none of them gets on.
    cond.notify_all();
    held->unlock();
  });
}

}  // namespace fiber_std
