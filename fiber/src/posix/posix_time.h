// Absolute times of POSIX as deadlines of fiber/clock.h: for the timed calls of
// fiber/posix/pthread.h.
#pragma once

#include <time.h>

#include <cerrno>

#include "fiber/clock.h"

namespace fiber::posix::detail {

inline constexpr long kNanosPerSecond = 1'000'000'000;

// The deadline that `time` on `clock` is if both clocks run on evenly from now on; 0 if the time
// has come.
inline uint64_t deadline_of(const timespec& time, clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  if (time.tv_sec < now.tv_sec || (time.tv_sec == now.tv_sec && time.tv_nsec <= now.tv_nsec)) {
    return 0;
  }
  constexpr uint64_t kLongest = 9'000'000'000;  // seconds, whose nanoseconds 64 bits hold
  const uint64_t seconds = static_cast<uint64_t>(time.tv_sec) - static_cast<uint64_t>(now.tv_sec);
  if (seconds > kLongest) return kNoDeadline;
  return fiber::deadline_after(seconds * kNanosPerSecond + static_cast<uint64_t>(time.tv_nsec) -
                               static_cast<uint64_t>(now.tv_nsec));
}

inline bool is_time(const timespec& time) {
  return time.tv_nsec >= 0 && time.tv_nsec < kNanosPerSecond;
}

inline bool is_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

// attempt(deadline) -> bool until it succeeds, or the clock itself says that the time has come (it
// may have been set back meanwhile): 0 or ETIMEDOUT. EINVAL if the time is none.
template <class Attempt>
int attempt_until(const timespec& time, clockid_t clock, Attempt&& attempt) {
  if (attempt(uint64_t{0})) return 0;  // POSIX: who need not wait is not told of a bad time
  if (!is_time(time) || !is_clock(clock)) return EINVAL;
  for (;;) {
    const uint64_t deadline = deadline_of(time, clock);
    if (attempt(deadline)) return 0;
    if (deadline == 0) return ETIMEDOUT;
  }
}

}  // namespace fiber::posix::detail
