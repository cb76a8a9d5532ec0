// interleave(): a place where real threads could be interrupted and a simulation (simulation.h) may
// let others run. Put one where the order of two threads decides something and no lock, wait or
// wake of this library stands: between the steps of a protocol on atomics. The locks have theirs
// already. Outside of simulations it costs one load and a branch that is never taken. A place is
// known by the number of its line.
//
// Thread safety: from anywhere, but not with anything held that is not of this library.
#pragma once

#include <atomic>
#include <cstdint>

namespace fiber {

namespace detail {

// Simulations that run now in this process. Relaxed: a thread inside one set it itself.
extern std::atomic<uint32_t> g_simulations;
inline bool simulating() { return g_simulations.load(std::memory_order_relaxed) != 0; }

// The following do nothing, and say false, on threads outside of a simulation. Out of line, for the
// places that found simulating().

// The simulated thread may be interrupted here.
__attribute__((cold)) void simulate_interleave(uint32_t line = __builtin_LINE());
// The same, where the caller may suspend anyway: its fiber may as well let others run.
__attribute__((cold)) void simulate_before_wait();
// Inside a spin loop: the others must get on.
__attribute__((cold)) void simulate_spin();
// Whether to fail, or wake, for no reason where the contract allows it.
__attribute__((cold)) bool simulate_spurious();

}  // namespace detail

inline void interleave(uint32_t line = __builtin_LINE()) {
  if (detail::simulating()) [[unlikely]] {
    detail::simulate_interleave(line);
  }
}

}  // namespace fiber
