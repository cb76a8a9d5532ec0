#include "server/keyspace/memory_budget.h"

#include <algorithm>

#include "server/host/machine.h"

namespace cairn::server {

namespace {

constexpr uint64_t kLeast = 64 << 20;

}  // namespace

uint64_t DefaultMemoryLimit(uint64_t needed) {
  const uint64_t all = MemoryForProcess();
  return std::max(kLeast, (all - std::min(all, needed)) / 2);
}

}  // namespace cairn::server
