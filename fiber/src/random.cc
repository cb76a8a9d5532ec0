#include "fiber/random.h"

#include "fiber/clock.h"
#include "os_random.h"
#include "sim_hooks.h"

namespace fiber {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): one word of state, full period, passes BigCrush.
__thread uint64_t t_state __attribute__((tls_model("initial-exec"))) = 0;
__thread bool t_seeded __attribute__((tls_model("initial-exec"))) = false;

__attribute__((noinline)) void seed() {
  if (!detail::os_random(&t_state, sizeof(t_state))) {
    t_state = now_nanos() ^ reinterpret_cast<uintptr_t>(&t_state);
  }
  t_seeded = true;
}

}  // namespace

uint64_t random_u64() {
  if (detail::simulator() != nullptr) [[unlikely]] {
    return detail::simulated_random();
  }
  if (!t_seeded) [[unlikely]] {
    seed();
  }
  uint64_t z = t_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace fiber
