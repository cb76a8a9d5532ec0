// Slots: dense numbers lent to live threads, the smallest free one first.
#include "fiber/cpu.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "fork.h"
#include "raw_lock.h"
#include "sim_hooks.h"

namespace fiber {

namespace {
unsigned usable_processors() {
  static const unsigned count = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1u;
    const int n = CPU_COUNT(&set);
    return n < 1 ? 1u : static_cast<unsigned>(n);
  }();
  return count;
}

}  // namespace

unsigned hardware_concurrency() {
  if (detail::simulator() != nullptr) return detail::simulated_processors();
  return usable_processors();
}

bool may_use_cpu(int cpu) {
  cpu_set_t set;
  return cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(set), &set) == 0 &&
         CPU_ISSET(cpu, &set);
}

int bind_thread_to_cpu(int cpu) {
  if (detail::simulator() != nullptr) return 0;  // all simulated threads share one real one
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

namespace {
// The first version of the kernel's struct sched_attr; the C library of Debian 12 has none.
struct SchedAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;  // of SCHED_OTHER: the slice
  uint64_t deadline;
  uint64_t period;
};
}  // namespace

void prefer_slice(uint64_t nanos) {
  if (detail::simulator() != nullptr) return;
  SchedAttributes now;
  memset(&now, 0, sizeof(now));
  if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) != 0 || now.policy != SCHED_OTHER) return;
  now.flags = 0;
  now.runtime = nanos;
  (void)syscall(SYS_sched_setattr, 0, &now, 0);
}

unsigned slot_count() {
  static const unsigned count = [] {
    const unsigned twice = std::bit_ceil(usable_processors() * 2);
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
  bool borrowed = false;
  ~SlotLoan() {
    if (!borrowed) return;
    const uint32_t slot = t_slot_plus_one - 1;
    RawLockGuard guard(&g_lock);
    g_taken[slot / 64] &= ~(uint64_t{1} << (slot % 64));
  }
};
thread_local SlotLoan t_loan;

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
    t_loan.borrowed = true;
    t_slot_plus_one = slot + 1;
    return slot;
  }
  // More threads than slots: share.
  t_slot_plus_one = g_overflow++ % count + 1;
  return t_slot_plus_one - 1;
}

}  // namespace detail
}  // namespace fiber
