// The files of the analysis, in RocksDB's names and columns. What is asked for comes as the flags
// say it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "block_cache_trace_analyzer/accesses.h"
#include "block_cache_trace_analyzer/cache_simulation.h"
#include "rocksdb/status.h"

namespace block_cache_trace_analyzer {

// Buckets of numbers, by the first number that is above them, ascending; the last one is
// UINT64_MAX.
using Buckets = std::vector<uint64_t>;

// "1K,1M" and so on, ascending. False: it is none.
bool ParseBuckets(const std::string& text, Buckets* buckets);

// How accesses are grouped: "cf_bt" by family and type of the block. Any of all, block, bt, caller,
// cf, level, sst.
bool IsLabel(const std::string& label);

class Reports {
 public:
  // `accesses` may be null: only what a simulation says is asked for.
  Reports(std::string directory, const Accesses* accesses, const CacheSimulation* simulation,
          const MissCounts& counts, uint64_t first_second, uint64_t last_second)
      : directory_(std::move(directory)),
        accesses_(accesses),
        simulation_(simulation),
        counts_(counts),
        first_second_(first_second),
        last_second_(last_second) {}

  // Each returns the first error of its files.
  rocksdb::Status WriteMissRatioCurve() const;
  rocksdb::Status WriteMissTimelines(uint64_t unit) const;
  rocksdb::Status WriteAccessTimeline(const std::string& label, uint64_t unit, bool users) const;
  rocksdb::Status WriteReuseDistance(const std::string& label, const Buckets& buckets) const;
  rocksdb::Status WriteReuseInterval(const std::string& label, const Buckets& buckets) const;
  rocksdb::Status WriteReuseLifetime(const std::string& label, const Buckets& buckets) const;
  rocksdb::Status WriteReuseTimeline(uint64_t window, TraceType type, bool users) const;
  rocksdb::Status WriteAccessCounts(const Buckets& buckets, bool users) const;
  rocksdb::Status WriteCallers() const;
  rocksdb::Status WriteCaller(TableReaderCaller caller) const;
  rocksdb::Status WriteSpatialLocality(const std::string& label, const Buckets& buckets) const;
  // kTraceMax: of all types.
  rocksdb::Status WriteSkewness(const std::string& label, const Buckets& percents,
                                TraceType type) const;

 private:
  // label -> bucket -> how many.
  using Distribution = std::map<std::string, std::map<uint64_t, uint64_t>>;
  rocksdb::Status WriteDistribution(const std::string& name, const Buckets& buckets,
                                    const Distribution& distribution, uint64_t whole) const;
  // A column for each family.
  template <typename Row>
  rocksdb::Status WriteByFamily(const std::string& name, const char* what,
                                const std::map<Row, std::map<std::string, uint64_t>>& rows,
                                const std::function<std::string(Row)>& name_of) const;

  const std::string directory_;
  const Accesses* const accesses_;
  const CacheSimulation* const simulation_;
  const MissCounts& counts_;
  const uint64_t first_second_, last_second_;
};

}  // namespace block_cache_trace_analyzer
