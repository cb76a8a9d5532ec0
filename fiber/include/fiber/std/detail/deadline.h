// From <chrono> to the deadlines of fiber/clock.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

#include "fiber/clock.h"

namespace fiber_std::detail {

// long double holds every 64-bit count exactly where it has 64 bits of mantissa, and nothing
// overflows in it: durations may be anything up to duration::max().
using LongNanos = std::chrono::duration<long double, std::nano>;

inline uint64_t ceil_nanos(LongNanos duration) {
  const long double nanos = duration.count();
  if (!(nanos > 0)) return 0;
  if (nanos >= 9.2e18L) return fiber::kNoDeadline;
  const uint64_t whole = static_cast<uint64_t>(nanos);
  return whole + (static_cast<long double>(whole) < nanos ? 1 : 0);
}

// A relative timeout is measured on the steady clock, rounded up.
template <class Rep, class Period>
uint64_t deadline_after(const std::chrono::duration<Rep, Period>& duration) {
  return fiber::deadline_after(ceil_nanos(LongNanos(duration)));
}

// An absolute one on its own clock: the deadline if the clock runs on evenly from now on; 0 if the
// time has come.
template <class Clock, class Duration>
uint64_t deadline_at(const std::chrono::time_point<Clock, Duration>& time) {
  const uint64_t left =
      ceil_nanos(LongNanos(time.time_since_epoch()) - LongNanos(Clock::now().time_since_epoch()));
  return left == 0 ? 0 : fiber::deadline_after(left);
}

// Whether the clock has come to `time`. Without the overflow that comparing time points of
// different units has near their ends.
template <class Clock, class Duration>
bool reached(const std::chrono::time_point<Clock, Duration>& time) {
  return LongNanos(time.time_since_epoch()) <= LongNanos(Clock::now().time_since_epoch());
}

// attempt(deadline) -> bool, again until it succeeds or the clock itself says that the time has
// come: a clock may have been set back, or run slower than the steady one.
template <class Clock, class Duration, class Attempt>
bool attempt_until(const std::chrono::time_point<Clock, Duration>& time, Attempt&& attempt) {
  for (;;) {
    const uint64_t deadline = deadline_at(time);
    if (attempt(deadline)) return true;
    if (deadline == 0 || reached(time)) return false;
  }
}

}  // namespace fiber_std::detail
