// mutex, timed_mutex, recursive_mutex, recursive_timed_mutex, the lock types, call_once: <mutex>.
//
// All of them serve fibers and plain threads at once: who has to wait parks its fiber, or blocks
// its thread. A fiber that locks, or tries to, lets others run if it has not for a millisecond, as
// a thread is interrupted. What the standard leaves undefined (unlocking what one does not hold,
// locking a mutex again that one holds) is so here; debug builds abort at an unlock() of a mutex
// that nobody holds, or, of a recursive one, that another holds.
//
// Not annotated for clang's -Wthread-safety, like the standard library's: lock_guard and the others
// are std's templates, which the analysis cannot follow, and programs that wrap a mutex into an
// annotated class of their own would be warned of the inside. fiber::Mutex is annotated.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "fiber/local.h"
#include "fiber/mutex.h"
#include "fiber/std/detail/deadline.h"
#include "fiber/sync.h"

namespace fiber_std {

// std's templates and tags: they work with everything that is Lockable, and block in nothing else.
using std::adopt_lock;
using std::adopt_lock_t;
using std::defer_lock;
using std::defer_lock_t;
using std::lock;
using std::lock_guard;
using std::scoped_lock;
using std::try_lock;
using std::try_to_lock;
using std::try_to_lock_t;
using std::unique_lock;

class mutex {
 public:
  using native_handle_type = fiber::Mutex*;

  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  // SUSPENDS.
  void lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    mutex_.lock();
  }
  bool try_lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    return mutex_.try_lock();
  }
  void unlock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    mutex_.assert_held();
    mutex_.unlock();
  }

  // The lock inside.
  native_handle_type native_handle() { return &mutex_; }

 private:
  fiber::Mutex mutex_;
};

class timed_mutex {
 public:
  using native_handle_type = fiber::Mutex*;

  constexpr timed_mutex() noexcept = default;
  timed_mutex(const timed_mutex&) = delete;
  timed_mutex& operator=(const timed_mutex&) = delete;

  // SUSPENDS.
  void lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    mutex_.lock();
  }
  bool try_lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    fiber::detail::take_turns();
    return mutex_.try_lock();
  }
  // SUSPENDS. A duration is measured on the steady clock, a time on its own.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration)
      FIBER_NO_THREAD_SAFETY_ANALYSIS {
    return mutex_.try_lock() || mutex_.try_lock_until(detail::deadline_after(duration));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time)
      FIBER_NO_THREAD_SAFETY_ANALYSIS {
    return mutex_.try_lock() ||
           detail::attempt_until(time, [this](uint64_t deadline) { return try_until(deadline); });
  }
  void unlock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    mutex_.assert_held();
    mutex_.unlock();
  }

  native_handle_type native_handle() { return &mutex_; }

 private:
  bool try_until(uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    return mutex_.try_lock_until(deadline);
  }

  fiber::Mutex mutex_;
};

// With the lock functions that wait as long as one likes. The owner is a fiber, or a plain thread.
class recursive_timed_mutex {
 public:
  using native_handle_type = fiber::Mutex*;

  constexpr recursive_timed_mutex() noexcept = default;
  recursive_timed_mutex(const recursive_timed_mutex&) = delete;
  recursive_timed_mutex& operator=(const recursive_timed_mutex&) = delete;

  // SUSPENDS. Throws std::system_error (resource_unavailable_try_again) at 2^32 - 1 levels;
  // try_lock and its kin return false then.
  void lock();
  bool try_lock() { return lock_until(0); }
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return lock_until(detail::deadline_after(duration));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock() ||
           detail::attempt_until(time, [this](uint64_t deadline) { return lock_until(deadline); });
  }
  void unlock();

  native_handle_type native_handle() { return &mutex_; }

 private:
  // Deadline 0: does not wait. False: timed out, or too many levels.
  bool lock_until(uint64_t deadline);
  void take(const void* self);

  fiber::Mutex mutex_;
  uint32_t levels_ = 0;  // the owner's only
  // Relaxed: a context finds its own token here only if it stored it itself.
  std::atomic<const void*> owner_{nullptr};
};

class recursive_mutex {
 public:
  using native_handle_type = fiber::Mutex*;

  constexpr recursive_mutex() noexcept = default;
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;

  // SUSPENDS. See recursive_timed_mutex.
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

  native_handle_type native_handle() { return mutex_.native_handle(); }

 private:
  recursive_timed_mutex mutex_;
};

class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <class F, class... Args>
  friend void call_once(once_flag& flag, F&& function, Args&&... args);

  fiber::OnceFlag flag_;
};

// SUSPENDS. Calls the function the first time; all others return when it has. If it throws, the
// exception goes to its caller and the next one tries again.
template <class F, class... Args>
void call_once(once_flag& flag, F&& function, Args&&... args) {
  fiber::call_once(flag.flag_, [&] {
    (void)std::invoke(std::forward<F>(function), std::forward<Args>(args)...);
  });
}

}  // namespace fiber_std
