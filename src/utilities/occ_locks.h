// OccLocks: the locks by which optimistic transactions keep each other's keys still from their
// validation until they are written. A key hashes to a bucket; a party that needs several takes
// them in ascending order, so that there is no deadlock.
//
// Lock order: before commit leadership, as who holds buckets writes. Thread-safe; locking SUSPENDS.
#ifndef CAIRN_UTILITIES_OCC_LOCKS_H_
#define CAIRN_UTILITIES_OCC_LOCKS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/slice.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"

namespace cairn {

class OccLocks final : public OccLockBuckets {
 public:
  OccLocks(size_t count, bool cache_aligned);

  size_t ApproximateMemoryUsage() const override;
  size_t count() const { return count_; }

  // A number for a database that uses them, so that the same key of two does not meet. (Not its
  // address: a simulation's history must not depend on that.)
  uint64_t NewOwner() { return owners_.fetch_add(1, std::memory_order_relaxed); }
  uint32_t BucketOf(uint64_t owner, uint32_t family, const Slice& key) const;

  // Holds some buckets.
  class Guard {
   public:
    // `buckets` in any order, with repetitions.
    Guard(OccLocks* locks, std::vector<uint32_t> buckets);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    OccLocks* const locks_;
    std::vector<uint32_t> buckets_;
  };

 private:
  struct alignas(64) Aligned {
    fiber::Mutex mutex;
  };

  fiber::Mutex* At(uint32_t bucket) {
    return aligned_ != nullptr ? &aligned_[bucket].mutex : &plain_[bucket];
  }

  const size_t count_;
  std::atomic<uint64_t> owners_{0};        // relaxed: the numbers only have to differ
  std::unique_ptr<fiber::Mutex[]> plain_;  // one of the two is null
  std::unique_ptr<Aligned[]> aligned_;
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_OCC_LOCKS_H_
