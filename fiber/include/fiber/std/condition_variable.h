// condition_variable, condition_variable_any, notify_all_at_thread_exit: <condition_variable>.
//
// One object serves fibers and plain threads at once. As in the standard a wait may return without
// a notification. Durations are measured on the steady clock, times on their own clock; a clock
// that is set forward while somebody waits is noticed when the time would have come without.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "fiber/mutex.h"
#include "fiber/std/detail/deadline.h"
#include "fiber/std/mutex.h"
#include "fiber/std/stop_token.h"

namespace fiber_std {

using std::cv_status;

// All waits SUSPEND. REQUIRES: the lock is held by the caller, and all that wait at one time use
// the same mutex.
class condition_variable {
 public:
  using native_handle_type = fiber::CondVar*;

  condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  void notify_one() noexcept { cond_.notify_one(); }
  void notify_all() noexcept { cond_.notify_all(); }

  void wait(unique_lock<mutex>& lock) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    cond_.wait(lock.mutex()->native_handle());
  }
  template <class Predicate>
  void wait(unique_lock<mutex>& lock, Predicate predicate) {
    while (!predicate()) wait(lock);
  }

  template <class Clock, class Duration>
  cv_status wait_until(unique_lock<mutex>& lock,
                       const std::chrono::time_point<Clock, Duration>& time) {
    if (wait_deadline(lock, detail::deadline_at(time))) return cv_status::no_timeout;
    return detail::reached(time) ? cv_status::timeout : cv_status::no_timeout;
  }
  template <class Clock, class Duration, class Predicate>
  bool wait_until(unique_lock<mutex>& lock, const std::chrono::time_point<Clock, Duration>& time,
                  Predicate predicate) {
    while (!predicate()) {
      if (wait_until(lock, time) == cv_status::timeout) return predicate();
    }
    return true;
  }
  template <class Rep, class Period>
  cv_status wait_for(unique_lock<mutex>& lock, const std::chrono::duration<Rep, Period>& duration) {
    return wait_deadline(lock, detail::deadline_after(duration)) ? cv_status::no_timeout
                                                                 : cv_status::timeout;
  }
  template <class Rep, class Period, class Predicate>
  bool wait_for(unique_lock<mutex>& lock, const std::chrono::duration<Rep, Period>& duration,
                Predicate predicate) {
    const uint64_t deadline = detail::deadline_after(duration);
    while (!predicate()) {
      if (!wait_deadline(lock, deadline)) return predicate();
    }
    return true;
  }

  // The condition variable inside.
  native_handle_type native_handle() { return &cond_; }

 private:
  // False: timed out.
  bool wait_deadline(unique_lock<mutex>& lock, uint64_t deadline) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    return cond_.wait_until(lock.mutex()->native_handle(), deadline);
  }

  fiber::CondVar cond_;
};

// When the calling thread (fiber) has ended, all its thread_local_ptr values destroyed: notifies
// and unlocks. REQUIRES: the lock is held by the caller.
void notify_all_at_thread_exit(condition_variable& cond, unique_lock<mutex> lock);

namespace detail {

// Counts the notifications. A waiter notes the count while it still holds its lock, lets the lock
// go, and sleeps while the count is what it noted. (It would go wrong if 2^32 notifications came
// between the two.) Apart from the condition_variable_any, which may be destroyed as soon as all
// waiters have been notified, before they have noticed.
class Notifications {
 public:
  void notify(size_t max_count) noexcept;
  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  // SUSPENDS while the count is `noted`. False: timed out.
  bool wait(uint32_t noted, uint64_t deadline);

  // A waiter announces itself before it lets its lock go, so that nobody is notified for nothing.
  void enter() { waiters_.fetch_add(1, std::memory_order_relaxed); }
  void leave() { waiters_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  // Relaxed is enough for waiters_: a notification that must not be lost comes after the notifier
  // had the lock that the waiter let go.
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> waiters_{0};
};

}  // namespace detail

// With any lock that has lock() and unlock(). All waits SUSPEND. If the lock cannot be taken again
// because its lock() throws, std::terminate is called.
class condition_variable_any {
 public:
  condition_variable_any() : notifications_(std::make_shared<detail::Notifications>()) {}
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;

  void notify_one() noexcept { notifications_->notify(1); }
  void notify_all() noexcept { notifications_->notify(SIZE_MAX); }

  template <class Lock>
  void wait(Lock& lock) {
    Waiting waiting(notifications_);
    const uint32_t noted = waiting->count();
    (void)sleep(lock, waiting, noted, fiber::kNoDeadline);
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate predicate) {
    while (!predicate()) wait(lock);
  }

  template <class Lock, class Clock, class Duration>
  cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time) {
    Waiting waiting(notifications_);
    const uint32_t noted = waiting->count();
    if (sleep(lock, waiting, noted, detail::deadline_at(time))) return cv_status::no_timeout;
    return detail::reached(time) ? cv_status::timeout : cv_status::no_timeout;
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time,
                  Predicate predicate) {
    while (!predicate()) {
      if (wait_until(lock, time) == cv_status::timeout) return predicate();
    }
    return true;
  }
  template <class Lock, class Rep, class Period>
  cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration) {
    Waiting waiting(notifications_);
    const uint32_t noted = waiting->count();
    return sleep(lock, waiting, noted, detail::deadline_after(duration)) ? cv_status::no_timeout
                                                                         : cv_status::timeout;
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration,
                Predicate predicate) {
    const uint64_t deadline = detail::deadline_after(duration);
    while (!predicate()) {
      Waiting waiting(notifications_);
      const uint32_t noted = waiting->count();
      if (!sleep(lock, waiting, noted, deadline)) return predicate();
    }
    return true;
  }

  // These also end when a stop is requested. They return predicate().
  template <class Lock, class Predicate>
  bool wait(Lock& lock, stop_token token, Predicate predicate) {
    return wait_stoppable(lock, token, predicate, [](const auto& attempt) {
      (void)attempt(fiber::kNoDeadline);
      return true;
    });
  }
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, stop_token token,
                  const std::chrono::time_point<Clock, Duration>& time, Predicate predicate) {
    return wait_stoppable(lock, token, predicate, [&time](const auto& attempt) {
      return attempt(detail::deadline_at(time)) || !detail::reached(time);
    });
  }
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, stop_token token, const std::chrono::duration<Rep, Period>& duration,
                Predicate predicate) {
    const uint64_t deadline = detail::deadline_after(duration);
    return wait_stoppable(lock, token, predicate,
                          [deadline](const auto& attempt) { return attempt(deadline); });
  }

 private:
  using Shared = std::shared_ptr<detail::Notifications>;

  // One wait: keeps the notifications alive and counts as a waiter.
  class Waiting {
   public:
    explicit Waiting(Shared shared) : shared_(std::move(shared)) { shared_->enter(); }
    ~Waiting() { shared_->leave(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    detail::Notifications* operator->() const { return shared_.get(); }

   private:
    Shared shared_;
  };

  // False: timed out. *this may be gone from the unlock on.
  template <class Lock>
  static bool sleep(Lock& lock, const Waiting& waiting, uint32_t noted, uint64_t deadline) {
    lock.unlock();
    struct Relock {
      Lock& lock;
      ~Relock() { lock.lock(); }
    } relock{lock};
    return waiting->wait(noted, deadline);
  }

  // once(attempt) waits with attempt(deadline) and returns false if the time has come.
  template <class Lock, class Predicate, class Once>
  bool wait_stoppable(Lock& lock, const stop_token& token, Predicate& predicate, Once once) {
    Waiting waiting(notifications_);
    const stop_callback wake_up(token, [&waiting] { waiting->notify(SIZE_MAX); });
    for (;;) {
      // Before the look at the token: a request that comes later counts.
      const uint32_t noted = waiting->count();
      if (token.stop_requested()) return predicate();
      if (predicate()) return true;
      if (!once([&](uint64_t deadline) { return sleep(lock, waiting, noted, deadline); })) {
        return predicate();
      }
    }
  }

  const Shared notifications_;
};

}  // namespace fiber_std
