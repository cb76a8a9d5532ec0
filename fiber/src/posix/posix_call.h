// What the wrappers of fiber/posix.h share.
#pragma once

#include <cerrno>

#include "fiber/runtime.h"
#include "fiber/simulation.h"

namespace fiber::posix {

// -errno as -1 and errno.
template <class Result>
Result posix_result(Result result) {
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// A call that failed: -1 and errno.
inline int fail(int error) {
  errno = error;
  return -1;
}

// A plain thread makes the system call itself: it may wait there, and a signal may end it early, as
// the program expects.
inline bool blocks_thread() { return !in_fiber() && !Simulation::inside(); }

// Sockets' part of read() and write(). (posix_net.cc)
enum class Stream {
  kNone,    // a file: never waits for another
  kSocket,  // recv() and send() have it
  kOther,   // a pipe, a terminal, an eventfd ...
};
Stream stream_kind(int fd);
// Whether a call on it waits, in the program's eyes.
bool is_blocking(int fd);
// SUSPENDS until a stream that is no socket is ready. (One that cannot be waited for is left to the
// call that follows, which may hold a thread of the pool.)
void wait_for_stream(int fd, short events);
// SUSPENDS. A close that also a wait which is just about to begin sees.
int close_socket(int fd);

}  // namespace fiber::posix
