#include "cache/cache_reservation.h"

#include <string>
#include <utility>

#include "base/coding.h"

namespace cairn {
namespace {

void DeleteNothing(const Slice& /*key*/, void* /*value*/) {}

}  // namespace

CacheReservation::CacheReservation(std::shared_ptr<Cache> cache, bool lazy)
    : cache_(std::move(cache)), lazy_(lazy), id_(cache_->NewId()) {}

CacheReservation::~CacheReservation() {
  fiber::MutexLock lock(&mutex_);
  for (Cache::Handle* entry : entries_) cache_->Release(entry, /*erase_if_last_ref=*/true);
}

bool CacheReservation::Add(size_t bytes) {
  fiber::MutexLock lock(&mutex_);
  used_ += bytes;
  return Adjust();
}

void CacheReservation::Remove(size_t bytes) {
  fiber::MutexLock lock(&mutex_);
  used_ -= bytes;
  (void)Adjust();
}

bool CacheReservation::Adjust() {
  const size_t wanted = (used_ + kUnit - 1) / kUnit;
  bool fits = true;
  while (entries_.size() < wanted) {
    std::string key;
    PutFixed64(&key, id_);
    PutFixed64(&key, next_entry_++);
    Cache::Handle* entry = nullptr;
    // The value is never read: any address will do.
    if (!cache_->Insert(key, this, kUnit, &DeleteNothing, &entry).ok()) {
      fits = false;
      break;
    }
    entries_.push_back(entry);
  }
  if (!lazy_ || used_ < entries_.size() * kUnit / 4 * 3) {
    while (entries_.size() > wanted) {
      cache_->Release(entries_.back(), /*erase_if_last_ref=*/true);
      entries_.pop_back();
    }
  }
  reserved_.store(entries_.size() * kUnit, std::memory_order_relaxed);
  return fits;
}

}  // namespace cairn
