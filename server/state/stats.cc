#include "server/state/stats.h"

#include <algorithm>
#include <cmath>

namespace cairn::server {

void LatencySum::Add(const LatencyHistogram& histogram) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const uint64_t count = histogram.count(i);
    counts[i] += count;
    total += count;
  }
  sum_nanos += histogram.sum();
}

void LatencySum::Subtract(const LatencySum& earlier) {
  for (size_t i = 0; i < counts.size(); ++i) counts[i] -= earlier.counts[i];
  total -= earlier.total;
  sum_nanos -= earlier.sum_nanos;
}

uint64_t LatencySum::Percentile(double fraction) const {
  const auto rank = static_cast<uint64_t>(std::ceil(fraction * static_cast<double>(total)));
  uint64_t seen = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (counts[i] != 0 && seen >= std::max<uint64_t>(rank, 1)) return LatencyHistogram::LimitOf(i);
  }
  return 0;
}

Stats::Totals Stats::Sum() const {
  Totals totals;
  for (int i = 0; i <= workers_; ++i) {
    const Shard& shard = shards_[static_cast<size_t>(i)];
    totals.commands += shard.commands.load(std::memory_order_relaxed);
    totals.bytes_in += shard.bytes_in.load(std::memory_order_relaxed);
    totals.bytes_out += shard.bytes_out.load(std::memory_order_relaxed);
    totals.receives += shard.receives.load(std::memory_order_relaxed);
    totals.hits += shard.hits.load(std::memory_order_relaxed);
    totals.misses += shard.misses.load(std::memory_order_relaxed);
    totals.reads.Add(shard.reads);
    totals.writes.Add(shard.writes);
  }
  totals.connections = connections();
  totals.rejected = rejected();
  return totals;
}

Stats::Totals Stats::SumSinceReset() const {
  const fiber::MutexLock lock(&mutex_);
  Totals totals = Sum();
  totals.commands -= at_reset_.commands;
  totals.bytes_in -= at_reset_.bytes_in;
  totals.bytes_out -= at_reset_.bytes_out;
  totals.receives -= at_reset_.receives;
  totals.hits -= at_reset_.hits;
  totals.misses -= at_reset_.misses;
  totals.connections -= at_reset_.connections;
  totals.rejected -= at_reset_.rejected;
  totals.reads.Subtract(at_reset_.reads);
  totals.writes.Subtract(at_reset_.writes);
  return totals;
}

void Stats::Reset() {
  const fiber::MutexLock lock(&mutex_);
  at_reset_ = Sum();
}

}  // namespace cairn::server
