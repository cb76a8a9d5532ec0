// The two system calls on which plain threads sleep and wake, and the cycle counter that bounds
// spins.
#pragma once

#include <atomic>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "fiber/clock.h"
#include "fiber/interleave.h"
#include "os_futex.h"
#include "sim_hooks.h"

namespace fiber::detail {

// Of the whole process, each on a line of its own (fiber/stats.h). A system call costs much more
// than the addition, though others add to the same word. Relaxed: figures.
struct alignas(64) FutexCount {
  std::atomic<uint64_t> calls{0};
};
inline constinit FutexCount g_futex_sleeps, g_futex_wakes;

// The system calls themselves, also within a simulation (raw_lock.h).
inline void system_futex_wait(const std::atomic<uint32_t>* word, uint32_t expected,
                              uint64_t deadline = kNoDeadline) {
  g_futex_sleeps.calls.fetch_add(1, std::memory_order_relaxed);
  os_futex_wait(word, expected, deadline);
}

inline void system_futex_wake(const std::atomic<uint32_t>* word, int count) {
  g_futex_wakes.calls.fetch_add(1, std::memory_order_relaxed);
  os_futex_wake(word, count);
}

// Sleeps while *word == expected, at most until `deadline` (now_nanos() value). May return early
// for no reason.
inline void futex_wait(const std::atomic<uint32_t>* word, uint32_t expected,
                       uint64_t deadline = kNoDeadline) {
  if (simulating() && simulated_futex_wait(word, expected, deadline)) {
    g_futex_sleeps.calls.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  system_futex_wait(word, expected, deadline);
}

// Never touches *word, which may be gone: the worst that can happen is a wake-up for no reason of
// somebody else.
inline void futex_wake(const std::atomic<uint32_t>* word, int count = 1) {
  if (simulating() && simulated_futex_wake(word, count)) {
    g_futex_wakes.calls.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  system_futex_wake(word, count);
}

// A cheap clock of unspecified rate, for bounding spins and pacing polls only: never for results.
inline uint64_t system_cycles() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return now_nanos();
#endif
}
inline uint64_t cycles() {
  if (simulator() != nullptr) [[unlikely]] {
    return simulated_now();
  }
  return system_cycles();
}

// Roughly how many cycles() pass in a microsecond; measured once, at first use.
uint64_t cycles_per_microsecond();

}  // namespace fiber::detail
