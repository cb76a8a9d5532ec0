// Windows' errors as the -errno of io.h and net.h.
//
// Thread safety: all of it from any thread.
#pragma once

namespace fiber::detail {

// Of GetLastError() or WSAGetLastError(), which share one range; never 0. What has no name in errno
// is -EIO.
int errno_of(unsigned long error);
// Of the calling thread's last failed call.
int last_error();

}  // namespace fiber::detail
