// Clocks. Every reading of time in the program goes through here, so that a simulated runtime can
// own it later. Thread safe; callable from fibers and plain threads.
#pragma once

#include <cstdint>

namespace fiber {

// Monotonic time in nanoseconds since an arbitrary start. Never goes backwards.
uint64_t now_nanos();

// Wall-clock time in microseconds since the Unix epoch. May jump.
uint64_t wall_micros();

// CPU time in nanoseconds that the calling OS thread (all the fibers it ran together) or the
// process has used.
uint64_t thread_cpu_nanos();
uint64_t process_cpu_nanos();

// Deadlines are absolute now_nanos() values. This one never comes (and costs no timer).
inline constexpr uint64_t kNoDeadline = UINT64_MAX;

// The deadline `nanos` from now; saturates to kNoDeadline.
inline uint64_t deadline_after(uint64_t nanos) {
  const uint64_t now = now_nanos();
  return nanos >= kNoDeadline - now ? kNoDeadline : now + nanos;
}

}  // namespace fiber
