// The processors, as the operating system tells them; behind fiber/cpu.h.
//
// Thread safety: all of it from any thread.
#pragma once

#include <cstdint>

namespace fiber::detail {

// That this process may use; at least 1, constant for the process.
unsigned os_processors();
// Of the calling thread: fiber/cpu.h says more.
bool os_may_use_cpu(int cpu);
int os_bind_thread_to_cpu(int cpu);
void os_prefer_slice(uint64_t nanos);

}  // namespace fiber::detail
