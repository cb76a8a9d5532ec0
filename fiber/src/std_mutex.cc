#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "fiber/std/mutex.h"

namespace fiber_std {

void recursive_timed_mutex::take(const void* self) {
  owner_.store(self, std::memory_order_relaxed);
  levels_ = 1;
}

void recursive_timed_mutex::lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  fiber::detail::take_turns();
  const void* const self = fiber::detail::context_token();
  if (owner_.load(std::memory_order_relaxed) != self) {
    mutex_.lock();
    take(self);
  } else if (levels_ != UINT32_MAX) {
    levels_++;
  } else {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
}

bool recursive_timed_mutex::lock_until(uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  fiber::detail::take_turns();
  const void* const self = fiber::detail::context_token();
  if (owner_.load(std::memory_order_relaxed) == self) {
    if (levels_ == UINT32_MAX) return false;
    levels_++;
    return true;
  }
  if (!mutex_.try_lock() && (deadline == 0 || !mutex_.try_lock_until(deadline))) return false;
  take(self);
  return true;
}

void recursive_timed_mutex::unlock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
#ifndef NDEBUG
  if (owner_.load(std::memory_order_relaxed) != fiber::detail::context_token()) {
    fprintf(stderr, "fiber_std: a recursive mutex is unlocked by one that does not hold it\n");
    abort();
  }
#endif
  if (--levels_ != 0) return;
  owner_.store(nullptr, std::memory_order_relaxed);
  mutex_.unlock();
}

}  // namespace fiber_std
