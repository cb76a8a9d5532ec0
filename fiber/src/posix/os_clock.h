// The clocks of POSIX. (windows/os_clock.h is the other one.)
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>

namespace fiber::detail {

// Of a thread's processor time, for other threads to read.
using ThreadCpuClock = clockid_t;

inline uint64_t read_clock(clockid_t clock) {
  timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

inline uint64_t os_monotonic_nanos() { return read_clock(CLOCK_MONOTONIC); }
// Since the Unix epoch.
inline uint64_t os_wall_nanos() { return read_clock(CLOCK_REALTIME); }
inline uint64_t os_thread_cpu_nanos() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
inline uint64_t os_process_cpu_nanos() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

inline ThreadCpuClock os_thread_cpu_clock() {
  clockid_t clock;
  return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : CLOCK_THREAD_CPUTIME_ID;
}
inline uint64_t os_read_cpu_clock(ThreadCpuClock clock) { return read_clock(clock); }
inline void os_close_cpu_clock(ThreadCpuClock) {}

}  // namespace fiber::detail
