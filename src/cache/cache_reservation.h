// CacheReservation: room in a block cache for memory that is none of its blocks, so that the
// cache's capacity is a limit for both. CacheCharge: what one object has of it.
//
// The cache holds entries without contents for it (kUnit bytes each) and gives up blocks instead.
// A strict cache may refuse: the memory is counted nevertheless, and the next change asks again;
// who can do without the memory gives it back.
//
// Used by the write buffer manager and by tables (table/memory_charges.h). Both classes below are
// thread-safe as said there; a reservation outlives the charges made of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/cache.h"

namespace cairn {

// Thread-safe.
class CacheReservation {
 public:
  static constexpr size_t kUnit = 256 << 10;  // bytes

  // `lazy`: up to a quarter more than is used stays reserved, for memory that comes and goes.
  explicit CacheReservation(std::shared_ptr<Cache> cache, bool lazy = false);
  ~CacheReservation();
  CacheReservation(const CacheReservation&) = delete;
  CacheReservation& operator=(const CacheReservation&) = delete;

  // False: the cache has no room for all that is used now.
  bool Add(size_t bytes);
  void Remove(size_t bytes);

  // Whether `bytes` more would leave a quarter of the cache for what can do without them less well.
  bool HasRoomToSpare(size_t bytes) const {
    return cache_->GetPinnedUsage() + bytes <= cache_->GetCapacity() / 4 * 3;
  }
  // Bytes in the cache: a multiple of kUnit.
  size_t reserved() const { return reserved_.load(std::memory_order_relaxed); }

 private:
  bool Adjust() FIBER_REQUIRES(mutex_);

  const std::shared_ptr<Cache> cache_;
  const bool lazy_;
  const uint64_t id_;  // of the entries' keys
  fiber::Mutex mutex_;
  size_t used_ FIBER_GUARDED_BY(mutex_) = 0;
  std::vector<Cache::Handle*> entries_ FIBER_GUARDED_BY(mutex_);
  uint64_t next_entry_ FIBER_GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> reserved_{0};  // relaxed: a figure
};

// One owner's bytes, which its destructor gives back. Not thread-safe.
class CacheCharge {
 public:
  CacheCharge() = default;
  // Null: nothing is charged. Borrowed.
  explicit CacheCharge(CacheReservation* reservation) : reservation_(reservation) {}
  ~CacheCharge() { (void)Set(0); }
  CacheCharge(const CacheCharge&) = delete;
  CacheCharge& operator=(const CacheCharge&) = delete;

  // False: as CacheReservation::Add().
  bool Set(size_t bytes) {
    if (reservation_ == nullptr || bytes == bytes_) return true;
    const size_t before = bytes_;
    bytes_ = bytes;
    if (bytes > before) return reservation_->Add(bytes - before);
    reservation_->Remove(before - bytes);
    return true;
  }
  size_t bytes() const { return bytes_; }

 private:
  CacheReservation* reservation_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace cairn
