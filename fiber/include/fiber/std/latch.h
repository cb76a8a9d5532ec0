// latch: <latch>. For fibers and plain threads at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fiber/sync.h"

namespace fiber_std {

// REQUIRES (as in the standard): 0 <= expected <= max(), and n <= the count that is left. Whoever
// returned from a wait may destroy the latch although others are still inside of count_down().
class latch {
 public:
  static constexpr std::ptrdiff_t max() noexcept { return INT32_MAX; }

  explicit constexpr latch(std::ptrdiff_t expected) : latch_(static_cast<uint32_t>(expected)) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  // Does not suspend.
  void count_down(std::ptrdiff_t n = 1) { latch_.count_down(static_cast<uint32_t>(n)); }
  bool try_wait() const noexcept { return latch_.try_wait(); }
  // SUSPENDS.
  void wait() const { latch_.wait(); }
  // SUSPENDS.
  void arrive_and_wait(std::ptrdiff_t n = 1) {
    count_down(n);
    wait();
  }

 private:
  mutable fiber::Latch latch_;  // waiting is const in the standard
};

}  // namespace fiber_std
