// How the descriptors of the process are shared out: so many for clients, so many for tables, and
// the rest for logs, the MANIFEST, compactions' outputs and the workers. Without that clients that
// only sit there would take those that the next log needs, and writes would fail.
//
// Called at the start (main.cc), and when CONFIG SET changes the number of clients.

#ifndef CAIRN_SERVER_HOST_DESCRIPTORS_H_
#define CAIRN_SERVER_HOST_DESCRIPTORS_H_

#include <cstdint>

#include "rocksdb/status.h"

namespace cairn::server {

// For all that is neither a client's nor of an open table.
inline constexpr uint64_t kReservedDescriptors = 160;
// The least that tables must have, for the store to be of use.
inline constexpr uint64_t kMinTables = 64;

struct DescriptorPlan {
  uint64_t clients = 0;
  int max_open_files = -1;  // of the engine; -1: all tables stay open
};

// For a process that may have `limit` descriptors. Fewer clients than wanted, or fewer open tables,
// where the limit is low; InvalidArgument where it is of no use at all.
rocksdb::Status PlanDescriptors(uint64_t limit, uint64_t clients_wanted, DescriptorPlan* plan);

// Raises the soft limit to the hard one and returns what it is then.
uint64_t RaiseDescriptorLimit();

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_DESCRIPTORS_H_
