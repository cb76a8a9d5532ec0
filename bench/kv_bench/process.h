// What kv_bench asks of the operating system. The bodies are in posix/ and windows/.
#pragma once

#include <cstdint>

namespace kv_bench {

struct ProcessUsage {
  double cpu_seconds = 0;  // user and system, of all threads
  // POSIX: pages made dirty and direct writes, 0 where the kernel does not count (files in memory).
  // Windows: what all calls that write were given, to pipes and the console, too.
  uint64_t written_bytes = 0;
  // 0 where the system does not tell: how often a thread gave its processor up to wait, and calls
  // that write (those of io_uring are none).
  uint64_t waits = 0;
  uint64_t write_calls = 0;
  uint64_t peak_memory_bytes = 0;  // the most that has been resident since the start
};
ProcessUsage UsageOfProcess();

// 0 where the system does not tell.
uint64_t ResidentBytes();

}  // namespace kv_bench
