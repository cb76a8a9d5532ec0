// The waits of the socket calls of fiber/posix/net.h, and messages that are sent and received in
// pieces.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "fiber/clock.h"
#include "io_cached.h"
#include "net_wait.h"

namespace fiber::posix {

// Receives that never wait, also on a blocking socket.
inline constexpr int kNeverWait = MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB;

// A socket's option of the level SOL_SOCKET; -1 if it cannot be asked.
int option_of(int fd, int option);
bool is_ready(int fd, short events);
// `option`: SO_RCVTIMEO or SO_SNDTIMEO.
uint64_t patience_of(int fd, int option);
size_t size_of(const msghdr& message);

// The waits of one call. What the socket's owner wants is asked at the first.
class Waits {
 public:
  Waits(int fd, short events, bool may_wait) : fd_(fd), events_(events), may_wait_(may_wait) {}

  bool may_wait() {
    if (!asked_) {
      asked_ = true;
      const int flags = ::fcntl(fd_, F_GETFL);
      closed_ = flags < 0;  // since the call began
      may_wait_ = may_wait_ && !closed_ && (flags & O_NONBLOCK) == 0;
    }
    return may_wait_;
  }

  // SUSPENDS. True: try again. False: errno is the call's.
  bool wait() {
    if (!may_wait()) {
      errno = closed_ ? EBADF : EAGAIN;
      return false;
    }
    if (!limited_) {
      limited_ = true;
      deadline_ = patience_of(fd_, events_ == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
    }
    waited_ = true;
    const int result =
        seems_ready() ? pause() : fiber::detail::wait_until_ready(fd_, events_, deadline_, true);
    if (result < 0) errno = result == -ETIMEDOUT ? EAGAIN : -result;
    return result >= 0;
  }

  // Who never had to wait lets others run now and then.
  ~Waits() {
    if (waited_) return;
    const int error = errno;
    io::completed_inline();
    errno = error;
  }

  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

 private:
  // What refused the call is often there by now. But some sockets are writable and take nothing: a
  // Unix datagram socket that is not connected, while the other one's queue is full.
  bool seems_ready() {
    if (!is_ready(fd_, events_)) {
      in_vain_ = 0;
      return false;
    }
    return true;
  }
  int pause() {
    constexpr int kAtOnce = 2;
    if (++in_vain_ <= kAtOnce) return 0;
    const uint64_t now = now_nanos();
    if (now >= deadline_) return -ETIMEDOUT;
    sleep_until(std::min(deadline_, now + kPause));
    return 0;
  }

  static constexpr uint64_t kPause = 1'000'000;

  const int fd_;
  const short events_;
  int in_vain_ = 0;
  bool may_wait_;
  bool asked_ = false;
  bool closed_ = false;
  bool limited_ = false;
  bool waited_ = false;
  uint64_t deadline_ = kNoDeadline;
};

// attempt() is a system call that does not wait. SUSPENDS until it does not fail for that.
template <class Attempt>
ssize_t repeat(Waits* waits, Attempt attempt) {
  for (;;) {
    const ssize_t n = attempt();
    if (n >= 0) return n;
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !waits->wait()) return -1;
  }
}

// The parts of a message that are left.
class Parts {
 public:
  Parts(const iovec* parts, size_t count) : parts_(parts, parts + count) {
    for (const iovec& part : parts_) left_ += part.iov_len;
  }
  size_t left() const { return left_; }
  void skip(size_t size) {
    left_ -= size;
    while (first_ < parts_.size() && size >= parts_[first_].iov_len) {
      size -= parts_[first_].iov_len;
      first_++;
    }
    if (size == 0) return;
    parts_[first_].iov_base = static_cast<char*>(parts_[first_].iov_base) + size;
    parts_[first_].iov_len -= size;
  }
  // A message of them alone.
  msghdr message() {
    msghdr out = {};
    out.msg_iov = parts_.data() + first_;
    out.msg_iovlen = parts_.size() - first_;
    return out;
  }

 private:
  std::vector<iovec> parts_;
  size_t first_ = 0;
  size_t left_ = 0;
};

// SUSPEND, as recvmsg() and sendmsg() of fiber/posix/net.h.
ssize_t receive_message(int fd, msghdr* message, int flags);
ssize_t send_message(int fd, const msghdr* message, int flags);
// SUSPENDS: sends what a blocking stream has not taken of a message. The number of all bytes sent.
ssize_t send_rest(int fd, const msghdr& message, int flags, size_t sent, Waits* waits);

}  // namespace fiber::posix
