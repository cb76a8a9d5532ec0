// What the process has used and what the library has counted so far: two readings, one before and
// one after, tell what a workload cost, the library's background threads included.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kv_bench/engine.h"

namespace kv_bench {

struct Usage {
  double cpu_seconds = 0;  // user and system, of all threads
  // What went to the file system's storage, in bytes: pages made dirty and direct writes. 0 where
  // the kernel does not count (files in memory).
  uint64_t written_bytes = 0;
  // The most that the process has had resident since its start, in bytes.
  uint64_t peak_memory_bytes = 0;
  // The library's counts of the write path by RocksDB's names; empty without --statistics.
  std::map<std::string, uint64_t> tickers;
};

// `options`: those that the database was opened with.
Usage UsageNow(const Engine& engine, rocksdb_options_t* options);
Usage Difference(const Usage& before, const Usage& after);
// What the process has resident now, in bytes; 0 where the system does not tell.
uint64_t ResidentBytes();

}  // namespace kv_bench
