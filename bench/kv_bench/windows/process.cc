#include "kv_bench/process.h"

#include <windows.h>
// After windows.h, whose types it needs.
#include <psapi.h>

#include "support/windows/system_types.h"

namespace kv_bench {

namespace {

PROCESS_MEMORY_COUNTERS Memory() {
  PROCESS_MEMORY_COUNTERS counters = {};
  (void)K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters));
  return counters;
}

}  // namespace

ProcessUsage UsageOfProcess() {
  ProcessUsage result;
  FILETIME made, ended, kernel, user;
  if (GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user)) {
    result.cpu_seconds = bench::Seconds(kernel) + bench::Seconds(user);
  }
  IO_COUNTERS counters = {};
  if (GetProcessIoCounters(GetCurrentProcess(), &counters)) {
    result.written_bytes = counters.WriteTransferCount;
  }
  result.peak_memory_bytes = Memory().PeakWorkingSetSize;
  return result;
}

uint64_t ResidentBytes() { return Memory().WorkingSetSize; }

}  // namespace kv_bench
