// barrier: <barrier>. For fibers and plain threads at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fiber/wait.h"

namespace fiber_std {

namespace detail {

struct NoCompletion {
  void operator()() const noexcept {}
};

}  // namespace detail

// Phases, each of which ends when as many have arrived as are expected. Then, before anybody goes
// on, the completion function runs once, on the last that arrived. REQUIRES (as in the standard):
// no more arrive in a phase than are expected, and the completion function does not throw. Whoever
// returned from a wait may destroy the barrier although the last that arrived is still inside of
// its call.
//
// Whoever brings remaining_ to 0 owns all of it until it ends the phase: until then nobody else may
// arrive. Ending the phase is the last that it does to the object.
template <class Completion = detail::NoCompletion>
class barrier {
 public:
  // Of one phase; waits for its end only. Not copyable.
  class arrival_token {
   public:
    arrival_token(arrival_token&&) = default;
    arrival_token& operator=(arrival_token&&) = default;

   private:
    friend class barrier;
    explicit arrival_token(uint32_t phase) : phase_(phase) {}

    uint32_t phase_;
  };

  static constexpr std::ptrdiff_t max() noexcept { return INT32_MAX; }

  explicit constexpr barrier(std::ptrdiff_t expected, Completion completion = Completion())
      : expected_(expected), remaining_(expected), completion_(std::move(completion)) {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // Suspends only if the completion function does.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t n = 1) {
    // Cannot change before this arrival.
    const uint32_t phase = phase_.load(std::memory_order_relaxed);
    // Acquire and release: what came before any arrival comes before the end of the phase.
    if (remaining_.fetch_sub(n, std::memory_order_acq_rel) == n) complete();
    return arrival_token(phase);
  }
  // SUSPENDS until the token's phase has ended.
  void wait(arrival_token&& token) const {
    while (phase_.load(std::memory_order_acquire) == token.phase_) {
      (void)fiber::wait(&phase_, token.phase_);
    }
  }
  // SUSPENDS.
  void arrive_and_wait() { wait(arrive()); }
  // Arrives, and is expected no more from the next phase on.
  void arrive_and_drop() {
    expected_.fetch_sub(1, std::memory_order_relaxed);
    (void)arrive();
  }

 private:
  void complete() {
    completion_();
    remaining_.store(expected_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    phase_.fetch_add(1, std::memory_order_release);
    fiber::wake(&phase_, SIZE_MAX);
  }

  std::atomic<std::ptrdiff_t> expected_;   // in the next phase
  std::atomic<std::ptrdiff_t> remaining_;  // in this one
  std::atomic<uint32_t> phase_{0};
  Completion completion_;
};

}  // namespace fiber_std
