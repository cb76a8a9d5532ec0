// The bare system call that writes to a descriptor of the system: async-signal-safe.
// (windows/os_write.h is the other one.)
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace fiber::detail {

// All of it. Errors are ignored.
inline void os_write(int fd, const char* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = ::write(fd, data + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
}

}  // namespace fiber::detail
