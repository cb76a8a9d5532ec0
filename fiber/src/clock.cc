#include "fiber/clock.h"

#include <time.h>

#include "futex.h"
#include "sim_hooks.h"

namespace fiber {
namespace {

uint64_t read_clock(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

uint64_t now_nanos() {
  if (detail::simulator() != nullptr) [[unlikely]] {
    return detail::simulated_now();
  }
  return read_clock(CLOCK_MONOTONIC);
}

uint64_t wall_micros() {
  if (detail::simulator() != nullptr) return detail::simulated_wall_micros();
  return read_clock(CLOCK_REALTIME) / 1000;
}

// A simulated processor is never idle.
uint64_t thread_cpu_nanos() {
  if (detail::simulator() != nullptr) return detail::simulated_now();
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t process_cpu_nanos() {
  if (detail::simulator() != nullptr) return detail::simulated_now();
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

namespace detail {

uint64_t cycles_per_microsecond() {
  if (simulator() != nullptr) return 1000;
  static const uint64_t rate = [] {
    const uint64_t start_nanos = read_clock(CLOCK_MONOTONIC);
    const uint64_t start_cycles = system_cycles();
    uint64_t nanos;
    do {
      nanos = read_clock(CLOCK_MONOTONIC) - start_nanos;
    } while (nanos < 20000);
    const uint64_t rate = (system_cycles() - start_cycles) * 1000 / nanos;
    return rate == 0 ? 1 : rate;
  }();
  return rate;
}

}  // namespace detail
}  // namespace fiber
