// See processors.h.
#include "processors.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fiber::detail {

unsigned os_processors() {
  static const unsigned count = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1u;
    const int n = CPU_COUNT(&set);
    return n < 1 ? 1u : static_cast<unsigned>(n);
  }();
  return count;
}

bool os_may_use_cpu(int cpu) {
  cpu_set_t set;
  return cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(set), &set) == 0 &&
         CPU_ISSET(cpu, &set);
}

int os_bind_thread_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

int os_current_cpu() { return sched_getcpu(); }

bool os_leave_cpu(std::span<const int> others) {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof(mine), &mine) != 0) return false;
  cpu_set_t left = mine;
  for (const int cpu : others) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_CLR(cpu, &left);
  }
  const int here = sched_getcpu();
  if (here >= 0 && here < CPU_SETSIZE) CPU_CLR(here, &left);
  if (CPU_COUNT(&left) == 0 || sched_setaffinity(0, sizeof(left), &left) != 0) return false;
  (void)sched_setaffinity(0, sizeof(mine), &mine);
  return true;
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

void os_prefer_slice(uint64_t nanos) {
  SchedAttributes now;
  memset(&now, 0, sizeof(now));
  if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) != 0 || now.policy != SCHED_OTHER) return;
  now.flags = 0;
  now.runtime = nanos;
  (void)syscall(SYS_sched_setattr, 0, &now, 0);
}

}  // namespace fiber::detail
