// What the loading child tells its parent: it lies in memory that both have mapped, so that what
// was acknowledged survives the child's death.
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

}  // namespace demo
