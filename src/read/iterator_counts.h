// What an iterator counts of its own calls, for the performance contexts and the user's Statistics.
// Not thread-safe: the iterator's.
#pragma once

#include <cstdint>
#include <utility>

#include "base/namespace.h"
#include "base/perf.h"
#include "rocksdb/statistics.h"

namespace cairn {

class IteratorCounts {
 public:
  // Since the last call ended.
  struct Passed {
    uint32_t compared = 0;  // keys
    uint32_t entries = 0;
    uint32_t deletions = 0;
    uint32_t too_new = 0;
    uint32_t operands = 0;
  };

  // `statistics`: borrowed, may be null.
  explicit IteratorCounts(Statistics* statistics) : statistics_(statistics) {}
  IteratorCounts(const IteratorCounts&) = delete;
  IteratorCounts& operator=(const IteratorCounts&) = delete;
  ~IteratorCounts() { Flush(); }

  Passed& passed() { return passed_; }

  // A call of the kind that `calls` counts has ended, on an entry of so many bytes or (not valid)
  // on none.
  void EndCall(const Perf& perf, PerfMetric calls, bool forward, bool valid, size_t bytes) {
    if (PerfContext* const counters = perf.counters()) {
      counters->*calls += 1;
      counters->user_key_comparison_count += passed_.compared;
      counters->internal_key_skipped_count += passed_.entries;
      counters->internal_delete_skipped_count += passed_.deletions;
      counters->internal_recent_skipped_count += passed_.too_new;
      counters->internal_merge_count += passed_.operands;
      if (valid) counters->iter_read_bytes += bytes;
    }
    if (statistics_ != nullptr) [[unlikely]]
      Count(calls, forward, valid, bytes);
    passed_ = Passed();
  }

 private:
  void Count(PerfMetric calls, bool forward, bool valid, size_t bytes) {
    const bool is_next = calls == &PerfContext::iter_next_count;
    // Entries that are not shown: Next() passes the one before, and on the way back all of a key
    // are passed, with the one that is shown.
    uint64_t skipped = uint64_t{passed_.entries} + passed_.too_new;
    if (forward) skipped += passed_.deletions;
    if (skipped > 0 && (forward ? is_next : valid)) --skipped;
    skipped_ += skipped;
    if (valid) bytes_ += bytes;
    if (is_next) {
      ++nexts_;
      nexts_found_ += valid ? 1 : 0;
    } else if (calls == &PerfContext::iter_prev_count) {
      ++prevs_;
      prevs_found_ += valid ? 1 : 0;
    } else {
      statistics_->recordTick(NUMBER_DB_SEEK, 1);
      if (valid) statistics_->recordTick(NUMBER_DB_SEEK_FOUND, 1);
    }
  }

  void Flush() {
    if (statistics_ == nullptr) return;
    const std::pair<uint32_t, uint64_t> counts[] = {
        {NUMBER_DB_NEXT, nexts_},  {NUMBER_DB_NEXT_FOUND, nexts_found_},
        {NUMBER_DB_PREV, prevs_},  {NUMBER_DB_PREV_FOUND, prevs_found_},
        {ITER_BYTES_READ, bytes_}, {NUMBER_ITER_SKIP, skipped_}};
    for (const auto& [ticker, count] : counts) {
      if (count != 0) statistics_->recordTick(ticker, count);
    }
  }

  Statistics* const statistics_;
  Passed passed_;
  // Not in statistics_ yet.
  uint64_t nexts_ = 0, prevs_ = 0, nexts_found_ = 0, prevs_found_ = 0, bytes_ = 0, skipped_ = 0;
};

}  // namespace cairn
