#include "fiber/limits.h"

#include <sys/resource.h>

#include "sim_hooks.h"

namespace fiber {

namespace {
constexpr uint64_t kSimulatedDescriptors = 1 << 20;
}  // namespace

uint64_t descriptor_limit() {
  if (detail::simulator() != nullptr) return kSimulatedDescriptors;
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

}  // namespace fiber
