// recvmmsg() and sendmmsg() of fiber/posix/net.h: as many messages as are there, or have room, in
// one system call that does not wait; then a wait for the next.
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "fiber/clock.h"
#include "fiber/posix/net.h"
#include "posix_call.h"
#include "posix_message.h"

namespace fiber::posix {

namespace {

constexpr unsigned kMostMessages = 1024;  // UIO_MAXIOV: the system takes no more in one call
constexpr int64_t kNanosPerSecond = 1'000'000'000;

// The time that is left of a recvmmsg().
class Limit {
 public:
  explicit Limit(timespec* left) : left_(left) {
    if (left == nullptr) return;
    constexpr time_t kLongest = 9'000'000'000;  // seconds, whose nanoseconds 64 bits hold
    if (left->tv_sec <= kLongest)
      deadline_ =
          deadline_after(static_cast<uint64_t>(left->tv_sec * kNanosPerSecond + left->tv_nsec));
  }
  // Says in the caller's timespec what is left; whether that is nothing.
  bool passed() {
    if (left_ == nullptr || deadline_ == kNoDeadline) return false;
    const uint64_t now = now_nanos();
    const uint64_t nanos = deadline_ > now ? deadline_ - now : 0;
    left_->tv_sec = static_cast<time_t>(nanos / kNanosPerSecond);
    left_->tv_nsec = static_cast<long>(nanos % kNanosPerSecond);
    return nanos == 0;
  }

 private:
  timespec* const left_;
  uint64_t deadline_ = kNoDeadline;
};

// Messages of a stream, each of which is to be filled: one after the other.
int receive_full(int fd, mmsghdr* messages, unsigned count, int flags, Limit* limit) {
  for (unsigned done = 0; done < count;) {
    const ssize_t n = receive_message(fd, &messages[done].msg_hdr, flags & ~MSG_WAITFORONE);
    if (n < 0) return done > 0 ? static_cast<int>(done) : -1;
    messages[done++].msg_len = static_cast<unsigned>(n);
    if (limit->passed()) return static_cast<int>(done);
    if ((flags & MSG_WAITFORONE) != 0) flags |= MSG_DONTWAIT;
  }
  return static_cast<int>(count);
}

}  // namespace

int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  if (blocks_thread()) return ::recvmmsg(fd, messages, count, flags, timeout);
  if (timeout != nullptr &&
      (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= kNanosPerSecond))
    return fail(EINVAL);
  count = std::min(count, kMostMessages);
  Limit limit(timeout);
  const bool never_waits = (flags & kNeverWait) != 0;
  if ((flags & MSG_WAITALL) != 0 && !never_waits)
    return receive_full(fd, messages, count, flags, &limit);
  Waits waits(fd, POLLIN, !never_waits);
  unsigned done = 0;
  do {
    const auto n = static_cast<int>(repeat(&waits, [&]() -> ssize_t {
      return ::recvmmsg(fd, messages + done, count - done, flags | MSG_DONTWAIT, nullptr);
    }));
    if (n < 0 && done == 0) return -1;
    if (n <= 0) break;  // what came counts; the error is the next call's
    done += static_cast<unsigned>(n);
    if ((messages[done - 1].msg_hdr.msg_flags & MSG_OOB) != 0) break;
  } while (!limit.passed() && done < count && (flags & MSG_WAITFORONE) == 0 && waits.may_wait());
  return static_cast<int>(done);
}

int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (blocks_thread()) return ::sendmmsg(fd, messages, count, flags);
  count = std::min(count, kMostMessages);
  Waits waits(fd, POLLOUT, (flags & MSG_DONTWAIT) == 0);
  if ((flags & MSG_FASTOPEN) != 0 && waits.may_wait()) return fail(EOPNOTSUPP);
  unsigned done = 0;
  do {
    const auto n = static_cast<int>(repeat(&waits, [&]() -> ssize_t {
      return ::sendmmsg(fd, messages + done, count - done, flags | MSG_DONTWAIT);
    }));
    if (n < 0 && done == 0) return -1;
    if (n <= 0) break;  // what was sent counts
    done += static_cast<unsigned>(n);
    // A stream may have taken a part of the last one.
    mmsghdr& last = messages[done - 1];
    const size_t size = size_of(last.msg_hdr);
    if (last.msg_len >= size) continue;
    last.msg_len = static_cast<unsigned>(send_rest(fd, last.msg_hdr, flags, last.msg_len, &waits));
    if (last.msg_len < size) break;
  } while (done < count && waits.may_wait());
  return static_cast<int>(done);
}

}  // namespace fiber::posix
