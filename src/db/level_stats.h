// What flushes and compactions did, per output level, and the tables that properties show of it.
// Owned by DBImpl. Thread safety: guarded by the database mutex.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "compaction/job_env.h"
#include "manifest/version.h"

namespace cairn {

class LevelStats {
 public:
  explicit LevelStats(int num_levels) : levels_(num_levels) {}

  void Add(int output_level, const JobStats& stats) { levels_[output_level].Add(stats); }
  const JobStats& level(int n) const { return levels_[n]; }

  // "rocksdb.levelstats": level, files, size in MB.
  static std::string FilesAndSizes(const Version& version);
  // The "** Compaction Stats [default] **" table of "rocksdb.stats".
  std::string CompactionTable(const Version& version, const std::string& family) const;

 private:
  std::vector<JobStats> levels_;
};

}  // namespace cairn
