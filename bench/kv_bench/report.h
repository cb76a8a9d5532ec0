// What is printed of one workload: a line for people and one of JSON for scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kv_bench/round_trips.h"
#include "kv_bench/usage.h"
#include "support/latency.h"

namespace kv_bench {

// All clients' measurements of one workload.
struct Result {
  std::string workload;
  int threads = 0;
  int fiber_workers = 0;
  double seconds = 0;
  uint64_t operations = 0;
  uint64_t found = 0;
  uint64_t bytes = 0;          // of keys and values written, read or walked over
  uint64_t written_bytes = 0;  // of keys and values written
  uint64_t longest_nanos = 0;  // of one operation
  uint64_t pause_nanos = 0;    // the longest time in which no operation ended
  double backup_seconds = 0;   // of the backup that was made meanwhile; 0: none
  bench::Latency latency;
  std::vector<uint64_t> per_second;     // operations
  std::vector<RoundTrips> round_trips;  // of each operation, where they are counted
  Usage usage;
};

void PrintLine(const Result& result);
void PrintJson(const Result& result, bool with_seconds);
// Of a step that is no workload ("settle": until nothing was left to flush or to compact;
// "compact", "backup").
void PrintStep(const char* name, double seconds, const Usage& usage, bool json);

}  // namespace kv_bench
