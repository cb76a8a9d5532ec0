// Processors: a small id for sharding data over the running threads, and the pause of a spin loop.
#pragma once

#include <cstdint>

#include "fiber/interleave.h"

namespace fiber {

namespace detail {
// 0: not assigned yet, else slot + 1. The static TLS model saves a call where this code is in a
// shared library.
extern __thread uint32_t t_slot_plus_one __attribute__((tls_model("initial-exec")));
unsigned assign_slot();
}  // namespace detail

// How many shards it pays to have: a power of two, constant for the process.
unsigned slot_count();

// The shard of the calling worker or thread: 0 .. slot_count()-1. Distinct for the first
// slot_count() live threads, shared beyond. A fiber keeps it until it migrates. One load.
inline unsigned slot() {
  const uint32_t slot = detail::t_slot_plus_one;
  return slot != 0 ? slot - 1 : detail::assign_slot();
}

// Processors that this process may use; at least 1.
unsigned hardware_concurrency();

// Whether the calling thread may run on processor `cpu`, any number.
bool may_use_cpu(int cpu);

// Binds the calling thread to a processor that it may use; 0 or -errno.
int bind_thread_to_cpu(int cpu);

// Asks for time slices of so many nanoseconds (the kernel keeps to 0.1 to 100 ms) for the calling
// thread: with short ones it is preferred to others when it wakes up, and has no more of the
// processor in the end (Linux 6.12, the scheduler EEVDF). A wish: other systems ignore it.
void prefer_slice(uint64_t nanos);

namespace detail {
inline void processor_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}
}  // namespace detail

// To be called in a spin loop. In a simulation lets the others run.
inline void cpu_relax() {
  if (detail::simulating()) [[unlikely]] {
    detail::simulate_spin();
  }
  detail::processor_pause();
}

}  // namespace fiber
