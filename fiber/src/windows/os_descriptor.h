// What descriptor.cc asks the system. (posix/os_descriptor.h is the other one.)
#pragma once

namespace fiber::detail {

// The table of handles.h has so many.
inline constexpr int kMaxDescriptors = 1 << 16;

bool os_is_tcp(int fd);
// Ends every operation on the descriptor that the system has; those that are about to begin look
// for themselves whether it is being closed (windows/io.cc, windows/net.cc).
void os_end_waits(int fd);
// The number is about to be given back.
void os_descriptor_closing(int fd);

}  // namespace fiber::detail
