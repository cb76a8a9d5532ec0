// poll, select and epoll_wait of fiber/posix/net.h. Each asks without waiting, waits for a hint
// that something may be there, and asks again. One descriptor in one direction is waited for as it
// is; an epoll instance, the program's or one that stands for the list of a poll(), is itself a
// descriptor that becomes readable.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <vector>

#include "descriptor.h"
#include "fiber/clock.h"
#include "fiber/posix/net.h"
#include "fiber/runtime.h"
#include "io_cached.h"
#include "net_wait.h"
#include "posix_call.h"

namespace fiber::posix {

namespace {

using fiber::detail::wait_until_ready;

constexpr uint64_t kMillisecond = 1'000'000, kSecond = 1'000'000'000;

uint64_t deadline_of(int timeout) {
  return timeout < 0 ? kNoDeadline : deadline_after(static_cast<uint64_t>(timeout) * kMillisecond);
}

uint64_t deadline_of(int64_t seconds, int64_t nanos) {
  constexpr int64_t kLongest = 9'000'000'000;  // seconds, whose nanoseconds 64 bits hold
  if (seconds > kLongest) return kNoDeadline;
  return deadline_after(static_cast<uint64_t>(seconds) * kSecond + static_cast<uint64_t>(nanos));
}

bool is_time(int64_t seconds, int64_t parts, int64_t whole) {
  return seconds >= 0 && parts >= 0 && parts < whole;
}

int ask(pollfd* fds, nfds_t count) {
  for (;;) {
    const int ready = ::poll(fds, count, 0);
    if (ready >= 0 || errno != EINTR) return ready;
  }
}

// An epoll instance of what a poll() waits for.
class Together {
 public:
  // 0 or -errno.
  int watch(const pollfd* fds, nfds_t count) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ < 0) return -errno;
    for (nfds_t i = 0; i < count; i++) {
      if (fds[i].fd < 0) continue;
      epoll_event event = {};
      event.events = static_cast<uint16_t>(fds[i].events);
      if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fds[i].fd, &event) == 0) continue;
      if (errno == EPERM) continue;  // a file: never becomes ready, because it always is
      if (errno != EEXIST) return -errno;
      for (nfds_t k = 0; k < count; k++) {
        if (fds[k].fd == fds[i].fd) event.events |= static_cast<uint16_t>(fds[k].events);
      }
      if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, fds[i].fd, &event) != 0) return -errno;
    }
    return 0;
  }
  int wait(uint64_t deadline) const { return wait_until_ready(epoll_, POLLIN, deadline, false); }
  Together() = default;
  ~Together() {
    if (epoll_ < 0) return;
    fiber::detail::descriptor_closing(epoll_);
    ::close(epoll_);
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

 private:
  int epoll_ = -1;
};

// SUSPENDS until there may be something, or `deadline` has passed: false.
class PollWait {
 public:
  PollWait(const pollfd* fds, nfds_t count) : fds_(fds), count_(count) {
    for (nfds_t i = 0; i < count; i++) {
      if (fds[i].fd < 0) continue;
      only_ = &fds[i];
      others_++;
    }
  }

  bool wait(uint64_t deadline) {
    if (others_ == 0) {
      sleep_until(deadline);
      return false;
    }
    int result = -ENOTSUP;
    const bool single = others_ == 1 && (only_->events == POLLIN || only_->events == POLLOUT);
    if (single) {
      result = wait_until_ready(only_->fd, only_->events, deadline, false);
    } else if (!unwatchable_) {
      if (!watching_) {
        watching_ = true;
        unwatchable_ = together_.watch(fds_, count_) != 0;
        return true;  // what came meanwhile
      }
      result = together_.wait(deadline);
    }
    if (result == -ETIMEDOUT) return false;
    // No descriptors, no memory, or one that epoll does not take: look again and again.
    if (result < 0) {
      const uint64_t now = now_nanos();
      if (now >= deadline) return false;
      sleep_until(std::min(deadline, now + pause_));
      pause_ = std::min(pause_ * 2, kLongestPause);
    }
    return true;
  }

 private:
  static constexpr uint64_t kLongestPause = 10 * kMillisecond;

  const pollfd* const fds_;
  const nfds_t count_;
  const pollfd* only_ = nullptr;
  nfds_t others_ = 0;
  bool watching_ = false;
  bool unwatchable_ = false;
  uint64_t pause_ = kMillisecond / 5;
  Together together_;
};

int poll_until(pollfd* fds, nfds_t count, uint64_t deadline) {
  int ready = ask(fds, count);
  if (ready != 0) {
    const int error = errno;
    io::completed_inline();
    errno = error;
    return ready;
  }
  if (now_nanos() >= deadline) {
    fiber::yield();  // a program may ask again and again for what another fiber is to do
    return 0;
  }
  PollWait waits(fds, count);
  for (;;) {
    const bool again = waits.wait(deadline);
    ready = ask(fds, count);
    if (ready != 0 || !again) return ready;
  }
}

// --- select

constexpr int kBits = sizeof(fd_mask) * CHAR_BIT;

// Not FD_ISSET: the sets of a program may be longer than an fd_set.
bool has(const fd_set* set, int fd) {
  const auto* const words = reinterpret_cast<const unsigned long*>(set);
  return set != nullptr && (words[fd / kBits] >> (fd % kBits) & 1) != 0;
}

void put(fd_set* set, int fd, bool on) {
  if (set == nullptr) return;
  auto* const words = reinterpret_cast<unsigned long*>(set);
  const unsigned long bit = 1ul << (fd % kBits);
  words[fd / kBits] = on ? words[fd / kBits] | bit : words[fd / kBits] & ~bit;
}

// What Linux takes for readable, writable and exceptional.
constexpr short kIn = POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR;
constexpr short kOut = POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR;

// Of POLLIN, POLLOUT and POLLPRI: what was asked for and is there.
unsigned answer_of(const pollfd& entry) {
  const int there = ((entry.revents & kIn) != 0 ? POLLIN : 0) |
                    ((entry.revents & kOut) != 0 ? POLLOUT : 0) | (entry.revents & POLLPRI);
  return static_cast<unsigned>(entry.events & there);
}

int select_until(int count, fd_set* in, fd_set* out, fd_set* except, uint64_t deadline) {
  if (count < 0) return fail(EINVAL);
  std::vector<pollfd> fds;
  for (int fd = 0; fd < count; fd++) {
    const int events =
        (has(in, fd) ? POLLIN : 0) | (has(out, fd) ? POLLOUT : 0) | (has(except, fd) ? POLLPRI : 0);
    if (events != 0) fds.push_back({fd, static_cast<short>(events), 0});
  }
  for (;;) {
    if (poll_until(fds.data(), fds.size(), deadline) < 0) return -1;
    int ready = 0;
    for (const pollfd& entry : fds) {
      if ((entry.revents & POLLNVAL) != 0) return fail(EBADF);
    }
    // An error or a hang-up, which poll() always reports, may be nothing that was asked for.
    bool other = false;
    for (const pollfd& entry : fds) {
      const bool asked = answer_of(entry) != 0;
      ready += asked ? 1 : 0;
      other = other || (entry.revents != 0 && !asked);
    }
    if (ready == 0 && other && now_nanos() < deadline) {
      sleep_until(std::min(deadline, deadline_after(kMillisecond)));
      continue;
    }
    break;
  }
  int bits = 0;
  for (const pollfd& entry : fds) {
    const unsigned answer = answer_of(entry);
    put(in, entry.fd, (answer & POLLIN) != 0);
    put(out, entry.fd, (answer & POLLOUT) != 0);
    put(except, entry.fd, (answer & POLLPRI) != 0);
    bits += std::popcount(answer);
  }
  return bits;
}

}  // namespace

int poll(pollfd* fds, nfds_t count, int timeout) {
  if (blocks_thread()) return ::poll(fds, count, timeout);
  return poll_until(fds, count, deadline_of(timeout));
}

int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (blocks_thread()) return ::ppoll(fds, count, timeout, mask);
  if (mask != nullptr) return fail(ENOTSUP);
  if (timeout == nullptr) return poll_until(fds, count, kNoDeadline);
  if (!is_time(timeout->tv_sec, timeout->tv_nsec, kSecond)) return fail(EINVAL);
  return poll_until(fds, count, deadline_of(timeout->tv_sec, timeout->tv_nsec));
}

int select(int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
  if (blocks_thread()) return ::select(count, in, out, except, timeout);
  if (timeout == nullptr) return select_until(count, in, out, except, kNoDeadline);
  if (timeout->tv_sec < 0 || timeout->tv_usec < 0) return fail(EINVAL);
  const uint64_t deadline = deadline_of(timeout->tv_sec, int64_t{timeout->tv_usec} * 1000);
  const int result = select_until(count, in, out, except, deadline);
  const uint64_t now = now_nanos();
  if (deadline == kNoDeadline) return result;
  const uint64_t left = deadline > now ? deadline - now : 0;
  timeout->tv_sec = static_cast<time_t>(left / kSecond);
  timeout->tv_usec = static_cast<suseconds_t>(left % kSecond / 1000);
  return result;
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* except, const timespec* timeout,
            const sigset_t* mask) {
  if (blocks_thread()) return ::pselect(count, in, out, except, timeout, mask);
  if (mask != nullptr) return fail(ENOTSUP);
  if (timeout == nullptr) return select_until(count, in, out, except, kNoDeadline);
  if (!is_time(timeout->tv_sec, timeout->tv_nsec, kSecond)) return fail(EINVAL);
  return select_until(count, in, out, except, deadline_of(timeout->tv_sec, timeout->tv_nsec));
}

int epoll_wait(int fd, epoll_event* events, int max, int timeout) {
  if (blocks_thread()) return ::epoll_wait(fd, events, max, timeout);
  const uint64_t deadline = deadline_of(timeout);
  for (bool again = true;;) {
    const int count = ::epoll_wait(fd, events, max, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count != 0 || !again) return count;
    if (now_nanos() >= deadline) {
      fiber::yield();  // as in poll_until()
      return 0;
    }
    const int result = wait_until_ready(fd, POLLIN, deadline, false);
    again = result != -ETIMEDOUT;
    // No memory for a wait in the engine: look again.
    if (result < 0 && again) sleep_until(std::min(deadline, deadline_after(kMillisecond)));
  }
}

int epoll_pwait(int fd, epoll_event* events, int max, int timeout, const sigset_t* mask) {
  if (blocks_thread()) return ::epoll_pwait(fd, events, max, timeout, mask);
  if (mask != nullptr) return fail(ENOTSUP);
  return posix::epoll_wait(fd, events, max, timeout);
}

}  // namespace fiber::posix
