// How long a thread with nothing to do looks for work before it sleeps. Looking pays where what it
// waits for comes sooner than a sleep and a wake-up would take (about ten microseconds, more on a
// virtual machine), and costs a processor's time where it does not: so it is done for as long as it
// has paid lately. Two that wake each other and both sleep answer no faster than the kernel wakes a
// thread; only who looks for longer than that finds out that the other one could answer at once, if
// it need not be woken. Hence a long look now and then when none pays.
//
// Thread safety: none; one per thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fiber/cpu.h"
#include "futex.h"

namespace fiber::detail {

class SpinBudget {
 public:
  // `shortest`: microseconds of a look that has no reason to take longer.
  explicit constexpr SpinBudget(uint32_t shortest) : shortest_(shortest), micros_(shortest) {}

  // Calls `found` until it says true, which is returned, or until it is time to sleep.
  template <class Found>
  bool look(Found found) {
    uint64_t micros = micros_;
    if (misses_ >= kMisses) {
      if (++misses_ % kRetry != 0) return false;
      micros = kLongest;
    }
    const uint64_t per_micro = cycles_per_microsecond();
    const uint64_t start = cycles();
    uint64_t passed;
    do {
      cpu_relax();
      passed = cycles() - start;
      if (found()) {
        misses_ = 0;
        const auto twice = static_cast<uint32_t>(std::min(2 * passed / per_micro, kLongest));
        // Longer at once, shorter little by little.
        micros_ = std::max({shortest_, twice, micros_ - micros_ / 8});
        return true;
      }
    } while (passed < micros * per_micro);
    if (misses_ < kMisses) misses_++;
    return false;
  }

 private:
  static constexpr uint32_t kMisses = 4;  // after so many looks in vain in a row ...
  static constexpr uint32_t kRetry = 32;  // ... one in so many waits begins with one, a long one
  static constexpr uint64_t kLongest = 16;

  const uint32_t shortest_;
  uint32_t micros_;
  uint32_t misses_ = 0;
};

}  // namespace fiber::detail
