// Counters of the server, for INFO, /metrics and the page. Counted per worker, summed when read.

#ifndef CAIRN_SERVER_STATE_STATS_H_
#define CAIRN_SERVER_STATE_STATS_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "fiber/mutex.h"
#include "fiber/runtime.h"

namespace cairn::server {

// How long commands took: buckets of 1/8 of a power of two, in nanoseconds. One writer.
class LatencyHistogram {
 public:
  static constexpr size_t kSubBuckets = 8;
  static constexpr size_t kBuckets = 62 * kSubBuckets;

  void Add(uint64_t nanos) {
    std::atomic<uint64_t>& bucket = counts_[BucketOf(nanos)];
    bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    sum_.store(sum_.load(std::memory_order_relaxed) + nanos, std::memory_order_relaxed);
  }

  static size_t BucketOf(uint64_t nanos) {
    if (nanos < kSubBuckets) return nanos;
    const auto exponent = static_cast<size_t>(std::bit_width(nanos)) - 4;
    const size_t bucket = (exponent + 1) * kSubBuckets + ((nanos >> exponent) & (kSubBuckets - 1));
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }
  // The largest value of a bucket.
  static uint64_t LimitOf(size_t bucket) {
    if (bucket < kSubBuckets) return bucket;
    const size_t exponent = bucket / kSubBuckets - 1;
    return ((kSubBuckets + bucket % kSubBuckets + 1) << exponent) - 1;
  }

  uint64_t count(size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }
  uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kBuckets> counts_{};
  std::atomic<uint64_t> sum_{0};
};

// A sum of histograms.
struct LatencySum {
  std::array<uint64_t, LatencyHistogram::kBuckets> counts{};
  uint64_t total = 0;
  uint64_t sum_nanos = 0;

  void Add(const LatencyHistogram& histogram);
  void Subtract(const LatencySum& earlier);
  // In nanoseconds; `fraction` of 0.99 is the 99th percentile. 0 if there is nothing.
  uint64_t Percentile(double fraction) const;
};

class Stats {
 public:
  explicit Stats(int workers)
      : workers_(workers), shards_(std::make_unique<Shard[]>(static_cast<size_t>(workers) + 1)) {}

  struct Totals {
    uint64_t commands = 0, bytes_in = 0, bytes_out = 0, connections = 0, rejected = 0;
    uint64_t receives = 0, hits = 0, misses = 0;
    LatencySum reads, writes;
  };

  void AddCommands(uint64_t count) { Bump(&here().commands, count); }
  // What one call has received.
  void AddReceived(uint64_t bytes) {
    Shard& shard = here();
    Bump(&shard.bytes_in, bytes);
    Bump(&shard.receives, 1);
  }
  // Of keys that commands looked up to read them: those that were there, and the others.
  void AddLookups(uint64_t hits, uint64_t misses) {
    Shard& shard = here();
    Bump(&shard.hits, hits);
    Bump(&shard.misses, misses);
  }
  void AddBytesOut(uint64_t count) { Bump(&here().bytes_out, count); }
  void AddLatency(bool write, uint64_t nanos) { (write ? here().writes : here().reads).Add(nanos); }
  void AddFailedWrite() { failed_writes_.fetch_add(1, std::memory_order_relaxed); }
  void AddConnection() { connections_.fetch_add(1, std::memory_order_relaxed); }
  void AddRejected() { rejected_.fetch_add(1, std::memory_order_relaxed); }
  void AddProtocolError() { protocol_errors_.fetch_add(1, std::memory_order_relaxed); }
  void AddFailedHandshake() { failed_handshakes_.fetch_add(1, std::memory_order_relaxed); }
  void AddDroppedSubscriber() { dropped_subscribers_.fetch_add(1, std::memory_order_relaxed); }
  void AddFailedLogin() { failed_logins_.fetch_add(1, std::memory_order_relaxed); }

  Totals Sum() const;
  // The same from the last Reset() on (CONFIG RESETSTAT): for people. Sum() only grows.
  Totals SumSinceReset() const;
  void Reset();
  uint64_t failed_writes() const { return failed_writes_.load(std::memory_order_relaxed); }
  uint64_t connections() const { return connections_.load(std::memory_order_relaxed); }
  uint64_t rejected() const { return rejected_.load(std::memory_order_relaxed); }
  uint64_t protocol_errors() const { return protocol_errors_.load(std::memory_order_relaxed); }
  uint64_t failed_handshakes() const { return failed_handshakes_.load(std::memory_order_relaxed); }
  uint64_t dropped_subscribers() const {
    return dropped_subscribers_.load(std::memory_order_relaxed);
  }
  uint64_t failed_logins() const { return failed_logins_.load(std::memory_order_relaxed); }

 private:
  // Written by one worker, but for the last.
  struct alignas(64) Shard {
    std::atomic<uint64_t> commands{0}, bytes_in{0}, bytes_out{0}, receives{0}, hits{0}, misses{0};
    LatencyHistogram reads, writes;
  };

  static void Bump(std::atomic<uint64_t>* counter, uint64_t count) {
    counter->store(counter->load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  Shard& here() {
    const int worker = fiber::current_worker();
    return shards_[static_cast<size_t>(worker < 0 || worker >= workers_ ? workers_ : worker)];
  }

  const int workers_;
  const std::unique_ptr<Shard[]> shards_;
  mutable fiber::Mutex mutex_;
  Totals at_reset_ FIBER_GUARDED_BY(mutex_);
  std::atomic<uint64_t> failed_writes_{0}, connections_{0}, rejected_{0}, protocol_errors_{0},
      failed_handshakes_{0}, failed_logins_{0}, dropped_subscribers_{0};
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_STATS_H_
