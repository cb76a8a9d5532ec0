// How often an operation went to the storage, as bench/slowfs counts it.
#pragma once

#include <cstdint>
#include <string>

namespace kv_bench {

struct RoundTrips {
  uint64_t rounds = 0;  // reads that waited for one another
  uint64_t reads = 0;   // all
};

// `control`: the mount's file .slowfs. On failure *error says why; it is left alone else.
void ResetRoundTrips(const std::string& control, std::string* error);
// Since the last reset.
RoundTrips ReadRoundTrips(const std::string& control, std::string* error);

}  // namespace kv_bench
