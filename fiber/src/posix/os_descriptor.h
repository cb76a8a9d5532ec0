// What descriptor.cc asks the system. (windows/os_descriptor.h is the other one.)
#pragma once

namespace fiber::detail {

inline constexpr int kMaxDescriptors = 1 << 20;  // the kernel's own limit, if nobody raises it

bool os_is_tcp(int fd);
// Ends every wait on the socket in the kernel, whichever engine or thread it is in.
void os_end_waits(int fd);
// The number is about to be given back.
void os_descriptor_closing(int fd);

}  // namespace fiber::detail
