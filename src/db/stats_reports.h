// Statistics as text: "rocksdb.stats" and its kin, and their copy in the LOG. Each report begins a
// new interval. And the history of the tickers (stats_history.h).
//
// Guards: the mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "db/database.h"
#include "db/stats_history.h"

namespace cairn {

class StatsReports final : public Part {
 public:
  explicit StatsReports(Database* db);

  std::string FamilyStatsText(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  std::string DatabaseStatsText() FIBER_REQUIRES(database_mutex);
  // Into the LOG, without the mutex.
  void DumpStats() FIBER_REQUIRES(database_mutex);
  // Into the history, likewise.
  void NoteStats() FIBER_REQUIRES(database_mutex);
  // Thread safety: from anywhere.
  [[nodiscard]] Status GetStatsHistory(uint64_t start_time, uint64_t end_time,
                                       std::unique_ptr<StatsHistoryIterator>* iterator) const;

 private:
  struct StatsMarks {
    double uptime = 0;  // seconds
    WriteCounters::Figures writes;
    uint64_t wal_syncs = 0;
    uint64_t stall_micros = 0;
  };
  double Uptime() const;  // seconds

  const uint64_t opened_at_nanos_;
  const std::shared_ptr<StatsHistory> history_ = std::make_shared<StatsHistory>();
  StatsMarks stats_marks_ FIBER_GUARDED_BY(database_mutex);  // as of the last report
};

}  // namespace cairn
