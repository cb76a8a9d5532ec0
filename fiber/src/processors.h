// The processors, as the operating system tells them; behind fiber/cpu.h.
//
// Thread safety: all of it from any thread.
#pragma once

#include <cstdint>
#include <span>

namespace fiber::detail {

// That this process may use; at least 1, constant for the process.
unsigned os_processors();
// Of the calling thread: fiber/cpu.h says more.
bool os_may_use_cpu(int cpu);
int os_bind_thread_to_cpu(int cpu);
// The one that it runs on now; -1 where the system does not tell.
int os_current_cpu();
// Moves it off the processor that it runs on, to one that is not among `others`, of those that it
// may use, which stay the same: what moves it back is the system. False: there is none.
bool os_leave_cpu(std::span<const int> others);
void os_prefer_slice(uint64_t nanos);

}  // namespace fiber::detail
