// Threads of the operating system: pthreads. (windows/os_thread.h is the other one.)
//
// Thread safety: all of it from any thread.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstdint>

namespace fiber::detail {

using OsThread = pthread_t;
using OsThreadMain = void (*)(void*);

// 0 or -errno.
int os_start_thread(OsThreadMain main, void* argument, OsThread* out);
void os_join_thread(OsThread thread);
// Nobody joins it, and it gets no signals. False: the system refuses.
bool os_start_detached(OsThreadMain main, void* argument);

// Of the calling thread.
void os_name_thread(const char* name);
// Added to its niceness. Best effort: raising the priority needs a privilege.
void os_renice_thread(int nice);
uint64_t os_thread_id();
inline void os_yield() { sched_yield(); }

}  // namespace fiber::detail
