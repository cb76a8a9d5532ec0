// Slots: dense numbers lent to live threads, the smallest free one first.
#include "fiber/cpu.h"

#include <bit>

#include "fork.h"
#include "processors.h"
#include "raw_lock.h"
#include "sim_hooks.h"
#include "thread_owned.h"

namespace fiber {

unsigned hardware_concurrency() {
  if (detail::simulator() != nullptr) return detail::simulated_processors();
  return detail::os_processors();
}

bool may_use_cpu(int cpu) { return detail::os_may_use_cpu(cpu); }

int bind_thread_to_cpu(int cpu) {
  if (detail::simulator() != nullptr) return 0;  // all simulated threads share one real one
  return detail::os_bind_thread_to_cpu(cpu);
}

void prefer_slice(uint64_t nanos) {
  if (detail::simulator() == nullptr) detail::os_prefer_slice(nanos);
}

unsigned slot_count() {
  static const unsigned count = [] {
    const unsigned twice = std::bit_ceil(detail::os_processors() * 2);
    return twice < 8 ? 8u : twice > 256 ? 256u : twice;
  }();
  return count;
}

namespace detail {

__thread uint32_t t_slot_plus_one __attribute__((tls_model("initial-exec"))) = 0;

namespace {

RawLock g_lock;
uint64_t g_taken[4] FIBER_GUARDED_BY(g_lock);  // one bit a slot, 256 at most
unsigned g_overflow FIBER_GUARDED_BY(g_lock);

// Gives the slot back when the thread ends.
struct SlotLoan {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t slot = kNone;
  ~SlotLoan() {
    if (slot == kNone) return;
    RawLockGuard guard(&g_lock);
    g_taken[slot / 64] &= ~(uint64_t{1} << (slot % 64));
  }
};

}  // namespace

RawLock* slots_lock() { return &g_lock; }

unsigned assign_slot() {
  if (simulator() != nullptr) return simulated_slot();
  const unsigned count = slot_count();
  RawLockGuard guard(&g_lock);
  for (unsigned slot = 0; slot < count; slot++) {
    const uint64_t bit = uint64_t{1} << (slot % 64);
    if (g_taken[slot / 64] & bit) continue;
    g_taken[slot / 64] |= bit;
    ThreadOwned<SlotLoan>::get().slot = slot;
    t_slot_plus_one = slot + 1;
    return slot;
  }
  // More threads than slots: share.
  t_slot_plus_one = g_overflow++ % count + 1;
  return t_slot_plus_one - 1;
}

}  // namespace detail
}  // namespace fiber
