// counting_semaphore, binary_semaphore: <semaphore>. For fibers and plain threads at once; first
// come, first served.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "fiber/std/detail/deadline.h"
#include "fiber/sync.h"

namespace fiber_std {

namespace detail {
inline constexpr std::ptrdiff_t kMaxSemaphore = INT32_MAX;
}

// REQUIRES (as in the standard): 0 <= the count, with what is released, <= max(). Whoever acquired
// may destroy the semaphore although the releaser is still inside its release().
template <std::ptrdiff_t kLeastMax = detail::kMaxSemaphore>
class counting_semaphore {
  static_assert(kLeastMax >= 0 && kLeastMax <= detail::kMaxSemaphore);

 public:
  static constexpr std::ptrdiff_t max() noexcept { return kLeastMax; }

  explicit constexpr counting_semaphore(std::ptrdiff_t count)
      : semaphore_(static_cast<uint32_t>(count)) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  // Does not suspend.
  void release(std::ptrdiff_t n = 1) {
    if (n > 0) semaphore_.release(static_cast<uint32_t>(n));
  }
  // SUSPENDS.
  void acquire() { semaphore_.acquire(); }
  // Fails also while others wait for what is there.
  bool try_acquire() noexcept { return semaphore_.try_acquire(); }
  // SUSPENDS. A duration is measured on the steady clock, a time on its own.
  template <class Rep, class Period>
  bool try_acquire_for(const std::chrono::duration<Rep, Period>& duration) {
    return semaphore_.try_acquire() || semaphore_.acquire_until(detail::deadline_after(duration));
  }
  template <class Clock, class Duration>
  bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& time) {
    return semaphore_.try_acquire() || detail::attempt_until(time, [this](uint64_t deadline) {
             return semaphore_.acquire_until(deadline);
           });
  }

 private:
  fiber::Semaphore semaphore_;
};

using binary_semaphore = counting_semaphore<1>;

}  // namespace fiber_std
