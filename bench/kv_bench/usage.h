// What the process has used and what the library has counted so far: two readings, one before and
// one after, tell what a workload cost, the library's background threads included.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kv_bench/engine.h"
#include "kv_bench/process.h"

namespace kv_bench {

struct Usage : ProcessUsage {
  // The library's counts of the write path by RocksDB's names; empty without --statistics.
  std::map<std::string, uint64_t> tickers;
};

// `options`: those that the database was opened with.
Usage UsageNow(const Engine& engine, rocksdb_options_t* options);
Usage Difference(const Usage& before, const Usage& after);

}  // namespace kv_bench
