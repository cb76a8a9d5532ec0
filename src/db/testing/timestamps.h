// For tests of keys with timestamps.
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/comparator.h"

namespace cairn::testing {

// The bytes of a timestamp, for BytewiseComparatorWithU64Ts().
inline std::string Ts(uint64_t ts) {
  std::string buffer;
  EncodeU64Ts(ts, &buffer);
  return buffer;
}

}  // namespace cairn::testing
