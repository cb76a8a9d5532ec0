// Writing to a descriptor (io_types.h) with no lock and no memory: for reports from handlers.
// (posix/os_write.h is the other one.)
#pragma once

#include <cstddef>

namespace fiber::detail {

// All of it. Errors are ignored.
void os_write(int fd, const char* data, size_t size);

}  // namespace fiber::detail
