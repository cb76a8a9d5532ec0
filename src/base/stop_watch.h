// Times for the user's Statistics: nothing is timed where there are none, or their level leaves
// timers out.
#pragma once

#include <cstdint>

#include "base/namespace.h"
#include "fiber/clock.h"
#include "rocksdb/statistics.h"

namespace cairn {

inline bool WantsTimes(const Statistics* statistics) {
  return statistics != nullptr && statistics->get_stats_level() > StatsLevel::kExceptTimers;
}
// Of what happens for each block or entry.
inline bool WantsDetailedTimes(const Statistics* statistics) {
  return statistics != nullptr && statistics->get_stats_level() > StatsLevel::kExceptDetailedTimers;
}

// The microseconds from its start to its end into a histogram (HISTOGRAM_ENUM_MAX: nowhere).
class StopWatch {
 public:
  StopWatch(Statistics* statistics, uint32_t histogram)
      : statistics_(histogram != HISTOGRAM_ENUM_MAX && WantsTimes(statistics) ? statistics
                                                                              : nullptr),
        histogram_(histogram) {
    if (statistics_ != nullptr) [[unlikely]]
      start_ = fiber::now_nanos();
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;
  ~StopWatch() {
    if (statistics_ != nullptr) [[unlikely]] {
      constexpr uint64_t kNanosOfMicro = 1000;
      statistics_->reportTimeToHistogram(histogram_, (fiber::now_nanos() - start_) / kNanosOfMicro);
    }
  }

 private:
  Statistics* const statistics_;  // null: it does not run
  const uint32_t histogram_;
  uint64_t start_ = 0;
};

}  // namespace cairn
