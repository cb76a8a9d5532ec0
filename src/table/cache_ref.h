// CacheRef: a borrowed or owned block, filter or index: either a reference to a block cache entry,
// or an object of its own (no cache, or not to be cached), or somebody else's. Moves; gives back
// what it holds. Not thread-safe itself.
#pragma once

#include <utility>

#include "base/namespace.h"
#include "rocksdb/cache.h"
#include "rocksdb/cleanable.h"

namespace cairn {

template <typename T, void (*Delete)(T*)>
class CacheRef {
 public:
  CacheRef() = default;
  CacheRef(CacheRef&& other) noexcept
      : value_(other.value_), cache_(other.cache_), handle_(other.handle_), owned_(other.owned_) {
    other.Forget();
  }
  CacheRef& operator=(CacheRef&& other) noexcept {
    if (this != &other) {
      Reset();
      value_ = other.value_;
      cache_ = other.cache_;
      handle_ = other.handle_;
      owned_ = other.owned_;
      other.Forget();
    }
    return *this;
  }
  ~CacheRef() { Reset(); }

  void SetCached(Cache* cache, Cache::Handle* handle) {
    Reset();
    value_ = static_cast<T*>(cache->Value(handle));
    cache_ = cache;
    handle_ = handle;
  }
  void SetOwned(T* value) {
    Reset();
    value_ = value;
    owned_ = true;
  }
  // `value` outlives this.
  void SetBorrowed(T* value) {
    Reset();
    value_ = value;
  }

  T* get() const { return value_; }
  T* operator->() const { return value_; }
  explicit operator bool() const { return value_ != nullptr; }
  bool cached() const { return handle_ != nullptr; }

  // (Inline: one goes with every block that a lookup comes by.)
  [[gnu::always_inline]] void Reset() {
    if (handle_ != nullptr) {
      cache_->Release(handle_);
    } else if (owned_) {
      Delete(value_);
    }
    Forget();
  }

  // From now on `cleanable` gives back what this held; get() stays good until it does.
  void TransferTo(Cleanable* cleanable) {
    if (handle_ != nullptr) {
      cleanable->RegisterCleanup(
          [](void* cache, void* handle) {
            static_cast<Cache*>(cache)->Release(static_cast<Cache::Handle*>(handle));
          },
          cache_, handle_);
    } else if (owned_) {
      cleanable->RegisterCleanup([](void* value, void*) { Delete(static_cast<T*>(value)); }, value_,
                                 nullptr);
    }
    handle_ = nullptr;
    owned_ = false;
  }

 private:
  void Forget() {
    value_ = nullptr;
    handle_ = nullptr;
    owned_ = false;
  }

  T* value_ = nullptr;
  Cache* cache_ = nullptr;
  Cache::Handle* handle_ = nullptr;
  bool owned_ = false;
};

}  // namespace cairn
