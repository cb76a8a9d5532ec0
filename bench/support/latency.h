// A histogram of durations in nanoseconds, without pointers: it may live in memory shared with
// another process. Written by one context at a time; readers of a shared one may see counts that
// are a moment old.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace bench {

// 2^kBits buckets per power of two, so a percentile is right to 2^-(kBits + 1). Up to 2.4 hours;
// what is longer counts as that.
template <int kBits>
class LatencyHistogram {
 public:
  void Add(uint64_t nanos) {
    auto& bucket = counts_[BucketOf(nanos)];
    // One writer: a plain increment, atomic only so that others may read it.
    bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void Merge(const LatencyHistogram& other) {
    for (int i = 0; i < kBuckets; i++) {
      const uint64_t add = other.counts_[i].load(std::memory_order_relaxed);
      counts_[i].store(counts_[i].load(std::memory_order_relaxed) + add, std::memory_order_relaxed);
    }
  }
  // Takes away what an earlier reading of the same histogram had: what is left came since.
  void Subtract(const LatencyHistogram& earlier) {
    for (int i = 0; i < kBuckets; i++) {
      const uint64_t take = earlier.counts_[i].load(std::memory_order_relaxed);
      counts_[i].store(counts_[i].load(std::memory_order_relaxed) - take,
                       std::memory_order_relaxed);
    }
  }
  // The duration below which `fraction` of all lie, to half a bucket, in microseconds. 0 if there
  // are none.
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
  uint64_t count() const {
    uint64_t total = 0;
    for (const auto& count : counts_) total += count.load(std::memory_order_relaxed);
    return total;
  }

 private:
  static constexpr uint64_t kPerOctave = uint64_t{1} << kBits;
  static constexpr int kBuckets = static_cast<int>(kPerOctave) * (44 - kBits);

  static int BucketOf(uint64_t nanos) {
    if (nanos < kPerOctave) return static_cast<int>(nanos);
    const int shift = std::bit_width(nanos) - kBits - 1;
    return std::min(kBuckets - 1, static_cast<int>(kPerOctave * (static_cast<uint64_t>(shift) + 1) +
                                                   ((nanos >> shift) & (kPerOctave - 1))));
  }
  static uint64_t MiddleOf(int bucket) {
    const auto number = static_cast<uint64_t>(bucket);
    if (number < kPerOctave) return number;
    const uint64_t shift = number / kPerOctave - 1;
    const uint64_t low = (kPerOctave + number % kPerOctave) << shift;
    return low + (uint64_t{1} << shift) / 2;
  }

  std::atomic<uint64_t> counts_[kBuckets] = {};
};

using Latency = LatencyHistogram<4>;      // 5 KB; to 3 %
using FineLatency = LatencyHistogram<7>;  // 37 KB; to 0.4 %

}  // namespace bench
