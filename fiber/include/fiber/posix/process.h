// Waits for other processes, and for locks of files that another process, thread or fiber holds,
// under their own names: signature, result (-1) and errno as POSIX and Linux say. On a fiber the
// fiber waits and its worker runs others; on a plain thread it is the system call itself.
//
// What is different on a fiber:
//  - No call ends with EINTR: a signal's handler runs, the wait goes on.
//  - Locks are asked for again in pauses of 0.1 to 10 ms, and so are children that are not waited
//    for by their number, or also for their stops: none is given in the order of asking.
//  - A circle of processes that wait for each other's record locks is not told (EDEADLK).
//
// Record locks (fcntl() with F_SETLKW, lockf()) belong to the process: fibers do not exclude each
// other with them, as threads do not. flock() and F_OFD_SETLKW belong to what open() made.
//
// Thread safety: callable from any fiber and any thread at once.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <type_traits>

namespace fiber::posix {

// SUSPEND, unless WNOHANG is given.
pid_t waitpid(pid_t pid, int* status, int options);
pid_t wait(int* status);

// SUSPEND, unless LOCK_NB is given, or another command than F_LOCK.
int flock(int fd, int operation);
int lockf(int fd, int command, off_t length);

namespace detail {
int lock_record(int fd, int command, const struct ::flock* lock);
}  // namespace detail

// F_SETLKW and F_OFD_SETLKW SUSPEND; the other commands are the system's and never wait.
template <class... Arguments>
int fcntl(int fd, int command, Arguments... arguments) {
  if constexpr (sizeof...(Arguments) == 1 &&
                (std::is_convertible_v<Arguments, const struct ::flock*> && ...)) {
    if (command == F_SETLKW || command == F_OFD_SETLKW)
      return detail::lock_record(fd, command, arguments...);
  }
  return ::fcntl(fd, command, arguments...);
}

}  // namespace fiber::posix
