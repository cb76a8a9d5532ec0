// SimCache: a cache as it is, beside one that is only pretended, of another capacity: how many
// lookups a cache of that size would answer, without its memory.
//
//   std::shared_ptr<SimCache> sim = NewSimCache(options.block_cache, 1 << 30, -1);
//   options.block_cache = sim;
//   ... reads ...
//   sim->get_hit_counter(), sim->get_miss_counter()
//
// What is pretended are keys with charges, about 100 bytes for each entry: for blocks of 4 KiB less
// than 3% of the capacity that is tried. Each lookup looks in both; the pretended cache's policy is
// that of the cache that it is made of (an LRU cache, or any).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class SimCache;

// A cache that does what `cache` does, and pretends an LRU cache of `sim_capacity` bytes. Null:
// `cache` is null, or num_shard_bits is 20 or more.
extern std::shared_ptr<SimCache> NewSimCache(std::shared_ptr<Cache> cache, size_t sim_capacity,
                                             int num_shard_bits);
// The same with a cache to pretend with, which nobody else uses. Null likewise, or it is null.
extern std::shared_ptr<SimCache> NewSimCache(std::shared_ptr<Cache> sim_cache,
                                             std::shared_ptr<Cache> cache, int num_shard_bits);

// Thread-safe, as every Cache. Its functions as a Cache are of the real one.
class SimCache : public Cache {
 public:
  explicit SimCache(std::shared_ptr<MemoryAllocator> allocator = nullptr)
      : Cache(std::move(allocator)) {}
  SimCache(const SimCache&) = delete;
  SimCache& operator=(const SimCache&) = delete;

  const char* Name() const override { return "SimCache"; }

  // Bytes, of the pretended cache.
  virtual size_t GetSimCapacity() const = 0;
  virtual size_t GetSimUsage() const = 0;
  virtual void SetSimCapacity(size_t capacity) = 0;

  // Lookups since the beginning, or the last reset_counter(); also as the tickers
  // SIM_BLOCK_CACHE_HIT and SIM_BLOCK_CACHE_MISS, which are not reset.
  virtual uint64_t get_miss_counter() const = 0;
  virtual uint64_t get_hit_counter() const = 0;
  virtual void reset_counter() = 0;
  // Three lines: misses, hits, and the rate of hits in percent.
  virtual std::string ToString() const = 0;

  // Writes what is asked of the cache to a new file of `env`, a line each: "LOOKUP - <key in
  // hexadecimal>", "ADD - <key> - <charge>". It ends at max_logging_size bytes (0: never), at an
  // error, or with StopActivityLogging(). What was being written before ends. Lookups then SUSPEND
  // where the file does.
  virtual Status StartActivityLogging(const std::string& activity_log_file, Env* env,
                                      uint64_t max_logging_size = 0) = 0;
  virtual void StopActivityLogging() = 0;
  // The first error of the writing.
  virtual Status GetActivityLoggingStatus() = 0;
};

}  // namespace ROCKSDB_NAMESPACE
