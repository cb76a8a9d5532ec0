// What the tickers counted in past intervals, for DB::GetStatsHistory(): in memory. (On disk:
// stats_on_disk.h.)
//
// Thread safety: all functions from anywhere. A user's Statistics is called without any lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/statistics.h"
#include "rocksdb/stats_history.h"

namespace cairn {

class StatsHistory {
 public:
  using Tickers = std::map<std::string, uint64_t>;
  // By how much each has grown, of those that were there before.
  static Tickers Growth(const Tickers& before, const Tickers& now);

  // Notes how much they have grown since the last call; the first one only begins. What is older
  // goes while all is more than `limit` bytes, as RocksDB estimates them.
  void Note(uint64_t seconds, const Statistics& statistics, size_t limit);
  // The first note of a time from `start` to before `end`, seconds. False: there is none.
  bool Find(uint64_t start, uint64_t end, uint64_t* seconds, Tickers* tickers) const;

  static std::unique_ptr<StatsHistoryIterator> NewIterator(
      std::shared_ptr<const StatsHistory> history, uint64_t start, uint64_t end);

 private:
  size_t Bytes() const FIBER_REQUIRES(mutex_);

  mutable fiber::Mutex mutex_;
  bool begun_ FIBER_GUARDED_BY(mutex_) = false;
  Tickers last_ FIBER_GUARDED_BY(mutex_);                       // as they stood
  std::map<uint64_t, Tickers> notes_ FIBER_GUARDED_BY(mutex_);  // by seconds
};

}  // namespace cairn
