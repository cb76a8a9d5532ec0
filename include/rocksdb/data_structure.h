// SmallEnumSet: a set of values of a small enumeration, in one word.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

template <typename ENUM_TYPE, ENUM_TYPE MAX_VALUE>
class SmallEnumSet {
  static_assert(static_cast<int>(MAX_VALUE) <= 63, "one bit of a 64-bit word a value");

 public:
  SmallEnumSet() = default;
  SmallEnumSet(std::initializer_list<ENUM_TYPE> values) {
    for (const ENUM_TYPE value : values) Add(value);
  }

  // True if the value was not in the set.
  bool Add(const ENUM_TYPE value) {
    const uint64_t before = state_;
    state_ |= Bit(value);
    return before != state_;
  }
  bool Contains(const ENUM_TYPE value) const { return (state_ & Bit(value)) != 0; }
  // True if the value was in the set.
  bool Remove(const ENUM_TYPE value) {
    const uint64_t before = state_;
    state_ &= ~Bit(value);
    return before != state_;
  }
  bool empty() const { return state_ == 0; }
  size_t count() const {
    size_t values = 0;
    for (uint64_t rest = state_; rest != 0; rest &= rest - 1) ++values;
    return values;
  }

 private:
  static uint64_t Bit(ENUM_TYPE value) {
    assert(value >= 0 && value <= MAX_VALUE);
    return uint64_t{1} << static_cast<int>(value);
  }
  uint64_t state_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
