#include "server/host/descriptors.h"

#include <algorithm>
#include <string>

namespace cairn::server {

using rocksdb::Status;

namespace {

// More tables than that stay open, all of them: of 64 MiB each they have 16 TiB. Lookups then need
// no cache of tables.
constexpr uint64_t kAllTables = 256 << 10;
// Of what there is for both, tables get a quarter at least, up to this many.
constexpr uint64_t kComfortableTables = 1024;

}  // namespace

Status PlanDescriptors(uint64_t limit, uint64_t clients_wanted, DescriptorPlan* plan) {
  const uint64_t needed = kReservedDescriptors + kMinTables + 1;
  if (limit < needed) {
    return Status::InvalidArgument(
        "the limit of open files (ulimit -n) is " + std::to_string(limit) + ", less than the " +
        std::to_string(needed) + " without which nobody can be served; raise it");
  }
  const uint64_t both = limit - kReservedDescriptors;
  const uint64_t least_tables = std::clamp(both / 4, kMinTables, kComfortableTables);
  plan->clients = std::min(clients_wanted, both - least_tables);
  const uint64_t tables = both - plan->clients;
  plan->max_open_files = tables >= kAllTables ? -1 : static_cast<int>(tables);
  return Status::OK();
}

}  // namespace cairn::server
