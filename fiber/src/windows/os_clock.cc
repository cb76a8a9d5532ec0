#include "os_clock.h"

#include "fiber/clock.h"
#include "system.h"

namespace fiber::detail {

namespace {

uint64_t number(const FILETIME& time) {
  return static_cast<uint64_t>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
}

uint64_t frequency() {
  static const uint64_t value = [] {
    LARGE_INTEGER ticks;
    QueryPerformanceFrequency(&ticks);
    return static_cast<uint64_t>(ticks.QuadPart);
  }();
  return value;
}

}  // namespace

uint64_t os_monotonic_nanos() {
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  const uint64_t ticks = static_cast<uint64_t>(now.QuadPart);
  constexpr uint64_t kSecond = 1000000000;
  const uint64_t rate = frequency();
  if (rate == 10000000) return ticks * 100;  // the usual one
  return ticks / rate * kSecond + ticks % rate * kSecond / rate;
}

uint64_t os_wall_nanos() {
  constexpr uint64_t kUnixEpoch = 116444736000000000;  // in 100 ns since 1601
  FILETIME now;
  GetSystemTimePreciseAsFileTime(&now);
  return (number(now) - kUnixEpoch) * 100;
}

uint64_t os_thread_cpu_nanos() { return os_read_cpu_clock(GetCurrentThread()); }

uint64_t os_process_cpu_nanos() {
  FILETIME made, ended, kernel, user;
  if (!GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user)) return 0;
  return (number(kernel) + number(user)) * 100;
}

ThreadCpuClock os_thread_cpu_clock() {
  HANDLE thread = nullptr;
  (void)DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &thread,
                        THREAD_QUERY_LIMITED_INFORMATION, FALSE, 0);
  return thread;
}

uint64_t os_read_cpu_clock(ThreadCpuClock clock) {
  FILETIME made, ended, kernel, user;
  if (clock == nullptr || !GetThreadTimes(clock, &made, &ended, &kernel, &user)) return 0;
  return (number(kernel) + number(user)) * 100;
}

void os_close_cpu_clock(ThreadCpuClock clock) {
  if (clock != nullptr) CloseHandle(clock);
}

uint32_t os_millis_until(uint64_t deadline) {
  if (deadline == kNoDeadline) return INFINITE;
  constexpr uint64_t kDay = 86400000;
  const uint64_t now = os_monotonic_nanos();
  if (deadline <= now) return 0;
  const uint64_t millis = (deadline - now - 1) / 1000000 + 1;
  return static_cast<uint32_t>(millis < kDay ? millis : kDay);
}

}  // namespace fiber::detail
