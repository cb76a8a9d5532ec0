#include "server/keyspace/memory_budget.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <string>

#include "server/host/files.h"

namespace cairn::server {

namespace {

constexpr uint64_t kLeast = 64 << 20;

// UINT64_MAX: there is none, or it has no number.
uint64_t NumberIn(const char* file) {
  std::string text;
  uint64_t number = 0;
  if (!ReadFile(file, &text).ok()) return UINT64_MAX;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : UINT64_MAX;
}

}  // namespace

uint64_t DefaultMemoryLimit(uint64_t needed) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t all = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
  all = std::min(all, NumberIn("/sys/fs/cgroup/memory.max"));
  all = std::min(all, NumberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    // Of that a part is taken before anything is in it: stacks, the heaps of threads.
    const uint64_t pages = NumberIn("/proc/self/statm");
    const uint64_t taken = pages == UINT64_MAX ? 0 : pages * page;
    all = std::min<uint64_t>(all, space.rlim_cur - std::min<uint64_t>(space.rlim_cur, taken));
  }
  return std::max(kLeast, (all - std::min(all, needed)) / 2);
}

}  // namespace cairn::server
