// What the tests ask the system beside the library. (posix/port_testing.h is the other one.)
#pragma once

#include "system.h"
// After it.
#include <psapi.h>

#include <cstddef>
#include <cstdlib>

#include "fiber/net.h"

namespace fiber::testing {

inline int process_id() { return static_cast<int>(GetCurrentProcessId()); }

// Memory that the process occupies (the working set); 0: not known.
inline size_t resident_bytes() {
  PROCESS_MEMORY_COUNTERS counters = {};
  return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters))
             ? counters.WorkingSetSize
             : 0;
}

// Fibers that stand idle at once in a test. Under Wine each stack is two mappings, of which Linux
// allows 65,530.
inline constexpr int kIdleFibers = 10000;
// Wine has none.
// The flag that recv() refuses.
inline constexpr int kWaitAll = MSG_WAITALL;
inline constexpr bool kUnixSockets = false;
// Whether a variable of the environment can be there and empty.
inline constexpr bool kEmptyVariables = false;
inline void set_environment(const char* name, const char* value) { _putenv_s(name, value); }
inline constexpr bool kResetIsToldOnce = false;

// Closes the connection without a farewell.
inline void reset_connection(int fd) {
  const linger now = {1, 0};
  ::setsockopt(reinterpret_cast<SOCKET>(io::native_handle(fd)), SOL_SOCKET, SO_LINGER,
               reinterpret_cast<const char*>(&now), sizeof(now));
  net::close(fd);
}

}  // namespace fiber::testing
