// How caches of other sizes and kinds would have done with the accesses of a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "block_cache_trace_analyzer/accesses.h"
#include "rocksdb/cache.h"
#include "rocksdb/status.h"

namespace block_cache_trace_analyzer {

// A line of the configuration.
struct CacheConfig {
  std::string name;  // lru, lru_priority, and each with "ghost_" before it
  int num_shard_bits = 0;
  uint64_t ghost_capacity = 0;       // bytes of keys
  std::vector<uint64_t> capacities;  // bytes
};

// Lines `name,num_shard_bits,ghost_capacity,capacity,...`; sizes may end in K, M, G or T (1,024
// each). InvalidArgument names the line.
rocksdb::Status ReadCacheConfigs(const std::string& path, std::vector<CacheConfig>* configs);

class CacheSimulation {
 public:
  // The trace has one of `downsample_ratio` blocks: so much smaller are the caches. What comes in
  // its first `warmup_seconds` fills the caches and is not counted, but in the timelines.
  CacheSimulation(std::vector<CacheConfig> configs, uint64_t downsample_ratio,
                  uint64_t warmup_seconds);

  void Access(const BlockCacheTraceRecord& access);

  struct Simulated {
    const CacheConfig* config = nullptr;
    uint64_t capacity = 0;
    bool with_priorities = false;
    std::shared_ptr<rocksdb::Cache> cache;
    std::shared_ptr<rocksdb::Cache> ghost;  // admits a block with its second access; null: none
    MissCounts counts;
  };
  const std::vector<Simulated>& caches() const { return caches_; }

 private:
  const std::vector<CacheConfig> configs_;
  const uint64_t warmup_micros_;
  uint64_t begin_ = 0;
  bool is_warm_ = false;
  std::vector<Simulated> caches_;
};

}  // namespace block_cache_trace_analyzer
