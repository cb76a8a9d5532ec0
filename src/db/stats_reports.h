// Statistics as text: "rocksdb.stats" and its kin, and their copy in the LOG. Each report begins a
// new interval.
//
// Guards: the mutex.
#pragma once

#include <string>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class StatsReports final : public Part {
 public:
  explicit StatsReports(Database* db);

  std::string FamilyStatsText(ColumnFamily* family) FIBER_REQUIRES(database_mutex);
  std::string DatabaseStatsText() FIBER_REQUIRES(database_mutex);
  // Into the LOG, without the mutex.
  void DumpStats() FIBER_REQUIRES(database_mutex);

 private:
  struct StatsMarks {
    double uptime = 0;  // seconds
    WriteCounters::Figures writes;
    uint64_t wal_syncs = 0;
    uint64_t stall_micros = 0;
  };
  double Uptime() const;  // seconds

  const uint64_t opened_at_nanos_;
  StatsMarks stats_marks_ FIBER_GUARDED_BY(database_mutex);  // as of the last report
};

}  // namespace cairn
