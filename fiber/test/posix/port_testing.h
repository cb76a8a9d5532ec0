// What the tests ask the system beside the library. (windows/port_testing.h is the other one.)
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "fiber/net.h"

namespace fiber::testing {

inline int process_id() { return static_cast<int>(getpid()); }

// Memory that the process occupies; 0: not known.
inline size_t resident_bytes() {
  FILE* file = fopen("/proc/self/statm", "r");
  size_t total = 0, resident = 0;
  if (file == nullptr || fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
  if (file != nullptr) fclose(file);
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Fibers that stand idle at once in a test.
inline constexpr int kIdleFibers = 100000;
// The flag that recv() refuses.
inline constexpr int kWaitAll = MSG_WAITALL;
inline constexpr bool kUnixSockets = true;
// Whether a variable of the environment can be there and empty.
inline constexpr bool kEmptyVariables = true;
inline void set_environment(const char* name, const char* value) { setenv(name, value, 1); }
// A reset leaves the socket as it was, once it has been told.
inline constexpr bool kResetIsToldOnce = true;

// Closes the connection without a farewell.
inline void reset_connection(int fd) {
  const linger now = {1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  net::close(fd);
}

}  // namespace fiber::testing
