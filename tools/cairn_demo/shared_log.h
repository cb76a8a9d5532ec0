// Memory that the demo shares with its loading child: what was acknowledged survives the child's
// death.
#pragma once

#include <atomic>
#include <cstdint>

#include "support/latency.h"

namespace demo {

inline constexpr int kMaxClients = 256;

struct ClientLog {
  // Items that Put() acknowledged, in the client's order. Released after each Put: whoever reads it
  // (acquire) may demand all of them from the database.
  alignas(64) std::atomic<uint64_t> acknowledged{0};
  bench::Latency latency;
};

struct SharedLog {
  ClientLog clients[kMaxClients];

  uint64_t Acknowledged() const {
    uint64_t sum = 0;
    for (const auto& client : clients) sum += client.acknowledged.load(std::memory_order_acquire);
    return sum;
  }
};

// A new zeroed log in anonymous shared memory; *fd is inherited by children. Null, after a message,
// on failure.
SharedLog* CreateSharedLog(int* fd);
// The parent's log, in the child.
SharedLog* AttachSharedLog(int fd);
// Unmaps. `fd` may be -1.
void ReleaseSharedLog(SharedLog* log, int fd);

}  // namespace demo
