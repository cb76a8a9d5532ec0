// A histogram of durations in nanoseconds, without pointers: it may live in memory shared with
// another process. Written by one context at a time; readers of a shared one may see counts that
// are a moment old.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace bench {

class Latency {
 public:
  void Add(uint64_t nanos) {
    auto& bucket = counts_[BucketOf(nanos)];
    // One writer: a plain increment, atomic only so that another process may read it.
    bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void Merge(const Latency& other) {
    for (int i = 0; i < kBuckets; i++) {
      const uint64_t add = other.counts_[i].load(std::memory_order_relaxed);
      counts_[i].store(counts_[i].load(std::memory_order_relaxed) + add, std::memory_order_relaxed);
    }
  }
  // The duration below which `fraction` of all lie, to 6 %, in microseconds. 0 if there are none.
  double PercentileMicros(double fraction) const {
    const uint64_t total = count();
    if (total == 0) return 0;
    auto left = static_cast<double>(total) * fraction;
    for (int i = 0; i < kBuckets; i++) {
      left -= static_cast<double>(counts_[i].load(std::memory_order_relaxed));
      if (left <= 0) return static_cast<double>(MiddleOf(i)) / 1000;
    }
    return static_cast<double>(MiddleOf(kBuckets - 1)) / 1000;
  }

 private:
  uint64_t count() const {
    uint64_t total = 0;
    for (const auto& count : counts_) total += count.load(std::memory_order_relaxed);
    return total;
  }
  // 16 buckets per power of two.
  static constexpr int kBuckets = 16 * 40;

  static int BucketOf(uint64_t nanos) {
    if (nanos < 16) return static_cast<int>(nanos);
    const int shift = std::bit_width(nanos) - 5;
    return std::min(kBuckets - 1, 16 * (shift + 1) + static_cast<int>((nanos >> shift) & 15));
  }
  static uint64_t MiddleOf(int bucket) {
    if (bucket < 16) return static_cast<uint64_t>(bucket);
    const int shift = bucket / 16 - 1;
    const uint64_t low = static_cast<uint64_t>(16 + bucket % 16) << shift;
    return low + (uint64_t{1} << shift) / 2;
  }

  std::atomic<uint64_t> counts_[kBuckets] = {};
};

}  // namespace bench
