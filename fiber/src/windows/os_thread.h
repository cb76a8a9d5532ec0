// Threads of the operating system: those of the C runtime. (posix/os_thread.h is the other one.)
//
// Thread safety: all of it from any thread.
#pragma once

#include <cstdint>

namespace fiber::detail {

using OsThread = void*;  // a HANDLE
using OsThreadMain = void (*)(void*);

// 0 or -errno.
int os_start_thread(OsThreadMain main, void* argument, OsThread* out);
void os_join_thread(OsThread thread);
// Nobody joins it. False: the system refuses.
bool os_start_detached(OsThreadMain main, void* argument);

// Of the calling thread.
void os_name_thread(const char* name);
// Lowers (or raises) its priority by steps: Windows knows no niceness.
void os_renice_thread(int nice);
uint64_t os_thread_id();
void os_yield();

}  // namespace fiber::detail
