// A cache whose values are numbers, and whose deletions are counted: for tests.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "rocksdb/cache.h"

namespace cairn::testing {

inline std::atomic<int> deleted{0};
inline std::atomic<uintptr_t> last_deleted{0};

inline void Deleter(const Slice& /*key*/, void* value) {
  deleted.fetch_add(1);
  last_deleted.store(reinterpret_cast<uintptr_t>(value));
}

inline void* Value(uintptr_t v) { return reinterpret_cast<void*>(v); }

class CacheFixture : public ::testing::Test {
 protected:
  void Use(std::shared_ptr<Cache> cache) {
    cache_ = std::move(cache);
    deleted = 0;
  }
  Status Insert(const std::string& key, uintptr_t value, size_t charge = 1,
                Cache::Handle** handle = nullptr, Cache::Priority priority = Cache::Priority::LOW) {
    return cache_->Insert(key, Value(value), charge, &Deleter, handle, priority);
  }
  // 0: not there.
  uintptr_t Lookup(const std::string& key) {
    Cache::Handle* h = cache_->Lookup(key);
    if (h == nullptr) return 0;
    const auto value = reinterpret_cast<uintptr_t>(cache_->Value(h));
    cache_->Release(h);
    return value;
  }
  std::shared_ptr<Cache> cache_;
};

}  // namespace cairn::testing
