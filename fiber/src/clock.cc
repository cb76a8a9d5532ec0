#include "fiber/clock.h"

#include "futex.h"
#include "os_clock.h"
#include "sim_hooks.h"

namespace fiber {

uint64_t now_nanos() {
  if (detail::simulator() != nullptr) [[unlikely]] {
    return detail::simulated_now();
  }
  return detail::os_monotonic_nanos();
}

uint64_t wall_micros() {
  if (detail::simulator() != nullptr) return detail::simulated_wall_micros();
  return detail::os_wall_nanos() / 1000;
}

// A simulated processor is never idle.
uint64_t thread_cpu_nanos() {
  if (detail::simulator() != nullptr) return detail::simulated_now();
  return detail::os_thread_cpu_nanos();
}

uint64_t process_cpu_nanos() {
  if (detail::simulator() != nullptr) return detail::simulated_now();
  return detail::os_process_cpu_nanos();
}

namespace detail {

uint64_t cycles_per_microsecond() {
  if (simulator() != nullptr) return 1000;
  static const uint64_t rate = [] {
    const uint64_t start_nanos = os_monotonic_nanos();
    const uint64_t start_cycles = system_cycles();
    uint64_t nanos;
    do {
      nanos = os_monotonic_nanos() - start_nanos;
    } while (nanos < 20000);
    const uint64_t rate = (system_cycles() - start_cycles) * 1000 / nanos;
    return rate == 0 ? 1 : rate;
  }();
  return rate;
}

}  // namespace detail
}  // namespace fiber
