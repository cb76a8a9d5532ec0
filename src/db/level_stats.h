// What flushes, compactions and ingestions did in one column family, and the tables that properties
// and the LOG show of it. Owned by the family. Thread safety: guarded by the database mutex.
//
// The text is laid out as RocksDB's is, for the eyes and scripts that know it: "Cumulative" and
// "Sum" count from the opening of the database, "Interval" and "Int" from the last report.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "compaction/job_env.h"
#include "manifest/version.h"

namespace cairn {

enum class JobKind { kFlush, kCompaction };

struct IngestedFiles {
  uint64_t bytes = 0;
  uint64_t files = 0;
  uint64_t level0_files = 0;
  uint64_t keys = 0;
};

class LevelStats {
 public:
  // What a report says besides.
  struct Surroundings {
    std::string family;
    double uptime = 0;  // seconds
    uint64_t pending_compaction_bytes = 0;
    std::string stalls;       // "l0-file-count-limit-delays: 0, ..."
    std::string block_cache;  // a line about it, or ""
  };

  explicit LevelStats(int num_levels) : levels_(num_levels) {}

  // Counts from 0 again.
  void Reset() { *this = LevelStats(static_cast<int>(levels_.size())); }

  void Add(int output_level, const JobStats& stats, JobKind kind) {
    levels_[output_level].Add(stats);
    (kind == JobKind::kFlush ? flushes_ : compactions_).Add(stats);
  }
  void AddIngested(const IngestedFiles& files);
  const JobStats& level(int n) const { return levels_[n]; }

  // "rocksdb.levelstats": level, files, size in MB.
  static std::string FilesAndSizes(const Version& version);
  // "rocksdb.cfstats" as a map, since the opening: "compaction.L0.NumFiles",
  // "compaction.Sum.WriteGB" and so on, of levels that have files or had jobs.
  std::map<std::string, std::string> ToMap(const Version& version) const;
  // Something was done since the last report.
  bool HasNews() const {
    return flushes_.count != reported_.flushes.count ||
           compactions_.count != reported_.compactions.count ||
           ingested_.files != reported_.ingested.files;
  }
  // "rocksdb.cfstats". Begins a new interval.
  std::string Report(const Version& version, const Surroundings& around);

 private:
  struct Totals {
    JobStats flushes, compactions;
    IngestedFiles ingested;
    double uptime = 0;
  };

  // What a row of the tables says, a level's or that of all of them.
  struct Row {
    std::string name;  // "L0", "Sum"
    int files = 0, being_compacted = 0;
    uint64_t bytes = 0;
    double score = 0;
    JobStats stats;
    double amplification = 0;
  };
  // Of the levels that have files or had jobs, and their sum, since the opening.
  std::vector<Row> Rows(const Version& version) const;

  std::vector<JobStats> levels_;  // by output level; flushes count as level 0's
  JobStats flushes_, compactions_;
  IngestedFiles ingested_;
  Totals reported_;  // as of the last report
};

// "300K", "12M", "7G": numbers of five digits and more are cut.
std::string NumberToHumanString(uint64_t number);

}  // namespace cairn
