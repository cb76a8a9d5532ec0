// The system's random source. (posix/os_random.h is the other one.)
#pragma once

#include <cstddef>

namespace fiber::detail {

// Fills in `size` bytes, at most 256. False: there is none.
bool os_random(void* data, size_t size);

}  // namespace fiber::detail
