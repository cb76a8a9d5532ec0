// Statistics as text: "rocksdb.stats" and its kin, and their copy in the LOG. Each report begins a
// new interval. And the history of the tickers (stats_history.h, stats_on_disk.h).
//
// Guards: the mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "db/database.h"
#include "db/stats_history.h"
#include "db/stats_on_disk.h"

namespace cairn {

class StatsReports final : public Part {
 public:
  explicit StatsReports(Database* db);

  std::string FamilyStatsText(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  std::string DatabaseStatsText() FIBER_REQUIRES(database_mutex);
  // They count from 0 again, for all families: as if the database had been opened now.
  void Reset() FIBER_REQUIRES(database_mutex);
  // Into the LOG, without the mutex.
  void DumpStats() FIBER_REQUIRES(database_mutex);
  // Into the history, likewise.
  void NoteStats() FIBER_REQUIRES(database_mutex);
  // Of persist_stats_to_disk.
  StatsOnDisk* on_disk() { return &on_disk_; }
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
  double Uptime() const FIBER_REQUIRES(database_mutex);  // seconds
  // What was counted since the opening, or the last Reset().
  StatsMarks Marks() const FIBER_REQUIRES(database_mutex);
  // Without the mutex; of the clock's fiber alone, as what it changes is.
  void NoteOnDisk();

  uint64_t counts_from_nanos_ FIBER_GUARDED_BY(database_mutex);  // the opening, or Reset()
  StatsMarks uncounted_ FIBER_GUARDED_BY(database_mutex);        // what was before that
  const std::shared_ptr<StatsHistory> history_ = std::make_shared<StatsHistory>();
  StatsOnDisk on_disk_;
  bool noted_ = false;
  StatsHistory::Tickers last_noted_;                         // as they stood
  StatsMarks stats_marks_ FIBER_GUARDED_BY(database_mutex);  // as of the last report
};

}  // namespace cairn
