// Waits for other processes and for locks of files, of fiber/posix/process.h. The system says
// nothing when a lock becomes free: who waits asks again, in pauses. (A thread of the pool that
// waited in the system call would be one less for the fiber that holds the lock.)
#include "fiber/posix/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "descriptor.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "net_wait.h"
#include "posix_call.h"

namespace fiber::posix {

namespace {

class Pauses {
 public:
  // SUSPENDS.
  void pause() {
    sleep_for(next_);
    next_ = std::min(next_ * 2, kLongest);
  }

 private:
  static constexpr uint64_t kLongest = 10'000'000;
  uint64_t next_ = 100'000;
};

// A descriptor that becomes readable when a process ends.
class EndOf {
 public:
  explicit EndOf(pid_t pid) : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~EndOf() {
    if (fd_ < 0) return;
    const int error = errno;
    fiber::detail::descriptor_closing(fd_);
    ::close(fd_);
    errno = error;
  }
  // SUSPENDS. False: it cannot be waited for.
  bool wait() const {
    return fd_ >= 0 && fiber::detail::wait_until_ready(fd_, POLLIN, kNoDeadline, false) >= 0;
  }
  EndOf(const EndOf&) = delete;
  EndOf& operator=(const EndOf&) = delete;

 private:
  const int fd_;
};

// attempt() is a system call that fails with one of two errors where it would wait. SUSPENDS until
// it does not.
template <class Attempt>
int until_free(int held, int held_too, Attempt attempt) {
  for (Pauses pauses;;) {
    const int result = attempt();
    if (result >= 0) return result;
    if (errno == EINTR) continue;
    if (errno != held && errno != held_too) return result;
    pauses.pause();
  }
}

}  // namespace

pid_t waitpid(pid_t pid, int* status, int options) {
  if (blocks_thread() || (options & WNOHANG) != 0) return ::waitpid(pid, status, options);
  const auto attempt = [&] {
    for (;;) {
      const pid_t found = ::waitpid(pid, status, options | WNOHANG);
      if (found >= 0 || errno != EINTR) return found;
    }
  };
  pid_t found = attempt();
  if (found != 0) return found;
  if (pid > 0 && (options & (WUNTRACED | WCONTINUED)) == 0) {
    const EndOf end(pid);
    if (end.wait()) found = attempt();
  }
  for (Pauses pauses; found == 0; found = attempt()) pauses.pause();
  return found;
}

pid_t wait(int* status) { return posix::waitpid(-1, status, 0); }

int flock(int fd, int operation) {
  if (blocks_thread() || (operation & (LOCK_NB | LOCK_UN)) != 0) return ::flock(fd, operation);
  return until_free(EWOULDBLOCK, EWOULDBLOCK, [=] { return ::flock(fd, operation | LOCK_NB); });
}

int lockf(int fd, int command, off_t length) {
  if (blocks_thread() || command != F_LOCK) return ::lockf(fd, command, length);
  return until_free(EACCES, EAGAIN, [=] { return ::lockf(fd, F_TLOCK, length); });
}

namespace detail {
int lock_record(int fd, int command, const struct ::flock* lock) {
  if (blocks_thread() || lock == nullptr) return ::fcntl(fd, command, lock);
  const int try_command = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
  return until_free(EACCES, EAGAIN, [=] { return ::fcntl(fd, try_command, lock); });
}
}  // namespace detail

}  // namespace fiber::posix
