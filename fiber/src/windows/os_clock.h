// The clocks of Windows. (posix/os_clock.h is the other one.)
#pragma once

#include <cstdint>

namespace fiber::detail {

// Of a thread's processor time, for other threads to read: a HANDLE of the thread.
using ThreadCpuClock = void*;

// By the performance counter, which never goes backwards.
uint64_t os_monotonic_nanos();
// Since the Unix epoch; precise to 100 ns.
uint64_t os_wall_nanos();
// Windows counts the processor time of threads and processes in ticks, of 15.6 ms as a rule.
uint64_t os_thread_cpu_nanos();
uint64_t os_process_cpu_nanos();

// Of the calling thread; os_close_cpu_clock() gives it back.
ThreadCpuClock os_thread_cpu_clock();
uint64_t os_read_cpu_clock(ThreadCpuClock clock);
void os_close_cpu_clock(ThreadCpuClock clock);

// A deadline as the milliseconds that Windows' waits take, rounded up: late rather than in a busy
// loop; at most a day, as a wait may end early anyhow.
uint32_t os_millis_until(uint64_t deadline);

}  // namespace fiber::detail
