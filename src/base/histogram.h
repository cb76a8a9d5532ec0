// Histogram: counts of values in buckets that grow by half: percentiles of times and sizes with an
// error of at most that. The buckets and the text are RocksDB's, so that the figures of either can
// be compared.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/statistics.h"

namespace cairn {

// Bucket i counts values in (limit(i-1), limit(i)]; the first one those up to 1.
class HistogramBuckets {
 public:
  static constexpr size_t kCount = 109;
  static size_t IndexFor(uint64_t value);
  static uint64_t Limit(size_t bucket) { return Limits()[bucket]; }

 private:
  static const std::array<uint64_t, kCount>& Limits();
};

// Thread-safe: all counters are atomic and relaxed, so that readers see figures that are exact only
// when nobody adds. Writers of one histogram share its cache lines: give each its own and Merge()
// them.
class Histogram {
 public:
  Histogram() { Clear(); }
  Histogram(const Histogram& other) : Histogram() { Merge(other); }
  Histogram& operator=(const Histogram& other) {
    if (this != &other) {
      Clear();
      Merge(other);
    }
    return *this;
  }

  void Add(uint64_t value);
  void Merge(const Histogram& other);
  void Clear();

  bool Empty() const { return Count() == 0; }
  uint64_t Count() const { return count_.load(std::memory_order_relaxed); }
  uint64_t Sum() const { return sum_.load(std::memory_order_relaxed); }
  // The largest uint64_t, resp. 0, of an empty histogram.
  uint64_t Min() const { return min_.load(std::memory_order_relaxed); }
  uint64_t Max() const { return max_.load(std::memory_order_relaxed); }
  uint64_t BucketCount(size_t bucket) const {
    return buckets_[bucket].load(std::memory_order_relaxed);
  }

  // 0 if empty; `percent` is 0 to 100. Interpolates within the bucket.
  double Percentile(double percent) const;
  double Median() const { return Percentile(50.0); }
  double Average() const;
  double StandardDeviation() const;

  void Data(HistogramData* data) const;
  // The table that db_bench --histogram prints.
  std::string ToString() const;

 private:
  std::atomic<uint64_t> min_;
  std::atomic<uint64_t> max_;
  std::atomic<uint64_t> count_;
  std::atomic<uint64_t> sum_;
  std::atomic<uint64_t> sum_squares_;
  std::array<std::atomic<uint64_t>, HistogramBuckets::kCount> buckets_;
};

}  // namespace cairn
