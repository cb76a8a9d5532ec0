// See processors.h.
#include "processors.h"

#include <bit>
#include <cerrno>

#include "system.h"

namespace fiber::detail {

namespace {

// Of the process, in its processor group; 0 if it has threads in several.
DWORD_PTR own_processors() {
  DWORD_PTR mine = 0, all = 0;
  return GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) ? mine : 0;
}

}  // namespace

unsigned os_processors() {
  static const unsigned count = [] {
    const DWORD_PTR mine = own_processors();
    const unsigned n = mine != 0 ? static_cast<unsigned>(std::popcount(uint64_t{mine}))
                                 : GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return n < 1 ? 1u : n;
  }();
  return count;
}

// Processors beyond the first group's 64 cannot be named.
bool os_may_use_cpu(int cpu) { return cpu >= 0 && cpu < 64 && (own_processors() >> cpu & 1) != 0; }

int os_bind_thread_to_cpu(int cpu) {
  if (!os_may_use_cpu(cpu)) return -EINVAL;
  return SetThreadAffinityMask(GetCurrentThread(), DWORD_PTR{1} << cpu) != 0 ? 0 : -EINVAL;
}

// Windows puts a thread that it wakes where it ran before, or where nobody does.
int os_current_cpu() { return -1; }
bool os_leave_cpu(std::span<const int> /*others*/) { return false; }

void os_prefer_slice(uint64_t /*nanos*/) {}  // Windows takes no wishes about time slices

}  // namespace fiber::detail
