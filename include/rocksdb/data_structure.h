// SmallEnumSet: a set of values of a small enumeration, in one word. ManagedPtr: a pointer and who
// takes back what it points to.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

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

// At its end calls (owner->*Fn)(pointer), or Fn(owner, pointer), if neither is null. Moved, not
// copied. Not thread-safe.
template <typename T, class Owner, auto Fn>
class ManagedPtr {
 public:
  ManagedPtr() = default;
  ManagedPtr(T* ptr, Owner* owner) : ptr_(ptr), owner_(owner) {}
  ~ManagedPtr() { Free(); }
  ManagedPtr(const ManagedPtr&) = delete;
  ManagedPtr& operator=(const ManagedPtr&) = delete;
  ManagedPtr(ManagedPtr&& other) noexcept { Take(&other); }
  ManagedPtr& operator=(ManagedPtr&& other) noexcept {
    if (this != &other) {
      Free();
      Take(&other);
    }
    return *this;
  }

  T* get() const { return ptr_; }
  T* operator->() const { return ptr_; }
  T& operator*() const { return *ptr_; }
  operator bool() const { return ptr_ != nullptr; }
  Owner* owner() const { return owner_; }

 private:
  void Take(ManagedPtr* other) {
    ptr_ = other->ptr_;
    owner_ = other->owner_;
    other->ptr_ = nullptr;
    other->owner_ = nullptr;
  }
  void Free() {
    if (ptr_ == nullptr || owner_ == nullptr) return;
    if constexpr (std::is_member_function_pointer_v<decltype(Fn)>) {
      (owner_->*Fn)(ptr_);
    } else {
      Fn(owner_, ptr_);
    }
  }

  T* ptr_ = nullptr;
  Owner* owner_ = nullptr;
};

}  // namespace ROCKSDB_NAMESPACE
