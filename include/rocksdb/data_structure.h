// SmallEnumSet: a set of values of a small enumeration, in one word.
#pragma once

#include <cassert>
#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

template <typename ENUM_TYPE, ENUM_TYPE MAX_VALUE>
class SmallEnumSet {
  static_assert(static_cast<int>(MAX_VALUE) <= 63, "one bit of a 64-bit word a value");

 public:
  // True if the value was not in the set.
  bool Add(const ENUM_TYPE value) {
    const uint64_t before = state_;
    state_ |= Bit(value);
    return before != state_;
  }
  bool Contains(const ENUM_TYPE value) const { return (state_ & Bit(value)) != 0; }
  bool empty() const { return state_ == 0; }

 private:
  static uint64_t Bit(ENUM_TYPE value) {
    assert(value >= 0 && value <= MAX_VALUE);
    return uint64_t{1} << static_cast<int>(value);
  }
  uint64_t state_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
