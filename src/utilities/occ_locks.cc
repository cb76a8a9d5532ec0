#include "utilities/occ_locks.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace cairn {

OccLocks::OccLocks(size_t count, bool cache_aligned)
    : count_(std::clamp<size_t>(count, 1, UINT32_MAX)) {
  if (cache_aligned) {
    aligned_ = std::make_unique<Aligned[]>(count_);
  } else {
    plain_ = std::make_unique<fiber::Mutex[]>(count_);
  }
}

size_t OccLocks::ApproximateMemoryUsage() const {
  return sizeof(*this) + count_ * (aligned_ != nullptr ? sizeof(Aligned) : sizeof(fiber::Mutex));
}

uint32_t OccLocks::BucketOf(uint64_t owner, uint32_t family, const Slice& key) const {
  constexpr uint64_t kFamilyFactor = 0x9e3779b97f4a7c15;
  const uint64_t hash = Hash64(key.data(), key.size(), owner + family * kFamilyFactor);
  return static_cast<uint32_t>(FastRange64(hash, count_));
}

OccLocks::Guard::Guard(OccLocks* locks,
                       std::vector<uint32_t> buckets) FIBER_NO_THREAD_SAFETY_ANALYSIS
    : locks_(locks),
      buckets_(std::move(buckets)) {
  std::sort(buckets_.begin(), buckets_.end());
  buckets_.erase(std::unique(buckets_.begin(), buckets_.end()), buckets_.end());
  for (const uint32_t bucket : buckets_) locks_->At(bucket)->lock();
}

OccLocks::Guard::~Guard() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  for (const uint32_t bucket : buckets_) locks_->At(bucket)->unlock();
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<OccLockBuckets> MakeSharedOccLockBuckets(size_t bucket_count, bool cache_aligned) {
  return std::make_shared<cairn::OccLocks>(bucket_count, cache_aligned);
}

}  // namespace ROCKSDB_NAMESPACE
