// shared_mutex, shared_timed_mutex, shared_lock: <shared_mutex>.
//
// First come, first served among those that wait: a waiting writer holds back later readers. So, as
// in the standard, one that holds it in either way must not lock it again. Not annotated, see
// fiber/std/mutex.h.
#pragma once

#include <chrono>
#include <shared_mutex>

#include "fiber/mutex.h"
#include "fiber/std/detail/deadline.h"
#include "fiber/std/mutex.h"

namespace fiber_std {

using std::shared_lock;

class shared_mutex {
 public:
  using native_handle_type = fiber::SharedMutex*;

  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  // SUSPENDS.
  void lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    mutex_.lock();
  }
  bool try_lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    return mutex_.try_lock();
  }
  void unlock() FIBER_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

  // SUSPENDS.
  void lock_shared() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    mutex_.lock_shared();
  }
  bool try_lock_shared() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    return mutex_.try_lock_shared();
  }
  void unlock_shared() FIBER_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock_shared(); }

  // The lock inside.
  native_handle_type native_handle() { return &mutex_; }

 private:
  fiber::SharedMutex mutex_;
};

class shared_timed_mutex {
 public:
  constexpr shared_timed_mutex() noexcept = default;
  shared_timed_mutex(const shared_timed_mutex&) = delete;
  shared_timed_mutex& operator=(const shared_timed_mutex&) = delete;

  // SUSPENDS, but for try_lock() and try_lock_shared(). A duration is measured on the steady clock,
  // a time on its own.
  void lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    mutex_.lock();
  }
  bool try_lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    return mutex_.try_lock();
  }
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock() || try_until(detail::deadline_after(duration));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock() ||
           detail::attempt_until(time, [this](uint64_t deadline) { return try_until(deadline); });
  }
  void unlock() FIBER_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

  void lock_shared() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    mutex_.lock_shared();
  }
  bool try_lock_shared() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    return mutex_.try_lock_shared();
  }
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock_shared() || try_shared_until(detail::deadline_after(duration));
  }
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock_shared() || detail::attempt_until(time, [this](uint64_t deadline) {
             return try_shared_until(deadline);
           });
  }
  void unlock_shared() FIBER_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock_shared(); }

 private:
  bool try_until(uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    return mutex_.try_lock_until(deadline);
  }
  bool try_shared_until(uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    return mutex_.try_lock_shared_until(deadline);
  }

  fiber::SharedMutex mutex_;
};

}  // namespace fiber_std
