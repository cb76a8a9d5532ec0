// Prefixes of keys as numbers, which a search compares instead of the keys.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

// The first bytes of `key` behind `skip`, as many as a Number has, in an order of numbers that is
// the bytes' order. Short keys are padded with zeros, so equal numbers say nothing of the order.
template <typename Number>
Number PrefixNumber(const Slice& key, size_t skip) {
  unsigned char bytes[sizeof(Number)] = {};
  if (key.size() >= skip + sizeof(bytes)) [[likely]] {
    std::memcpy(bytes, key.data() + skip, sizeof(bytes));
  } else if (key.size() > skip) {
    std::memcpy(bytes, key.data() + skip, key.size() - skip);
  }
  Number number = 0;
  for (const unsigned char b : bytes) number = static_cast<Number>(number << 8 | b);
  return number;
}

}  // namespace cairn
