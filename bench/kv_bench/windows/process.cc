#include "kv_bench/process.h"

#include <windows.h>
// After windows.h, whose types it needs.
#include <psapi.h>

namespace kv_bench {

namespace {

double Seconds(const FILETIME& time) {  // of 100 ns
  return static_cast<double>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 1e-7;
}

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
    result.cpu_seconds = Seconds(kernel) + Seconds(user);
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
