// The system's random source. (windows/os_random.h is the other one.)
#pragma once

#include <sys/random.h>

#include <cstddef>

namespace fiber::detail {

// Fills in `size` bytes, at most 256. False: there is none.
inline bool os_random(void* data, size_t size) {
  return getrandom(data, size, 0) == static_cast<ssize_t>(size);
}

}  // namespace fiber::detail
