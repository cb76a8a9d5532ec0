// See fiber/posix/net.h. The sockets stay as the program made them, also in the kernel: each call
// is first tried with MSG_DONTWAIT, and whoever would wait on a blocking socket waits for its
// readiness in the engine and tries again. So O_NONBLOCK has no shadow that could go wrong with
// dup(), fork() or fcntl(). The two calls that know no MSG_DONTWAIT:
//  - accept() on a blocking listener: of this process's callers one at a time, after the listener
//    is ready, on a thread of the pool, because another process may be faster.
//  - connect() sets O_NONBLOCK for the length of one system call. Nobody else has business with a
//    stream socket that is not connected yet.
#include "fiber/posix/net.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include "descriptor.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/net.h"
#include "fiber/posix.h"
#include "io_cached.h"
#include "io_files.h"
#include "net_wait.h"
#include "posix_call.h"
#include "posix_message.h"

namespace fiber::posix {

namespace {

using fiber::detail::on_pool;
using fiber::detail::wait_until_ready;

// The number means a new file, which some other wrapper may have had before.
int made(int fd) {
  if (fd >= 0) {
    fiber::detail::descriptor_made(fd);
    io::forget_file(fd);
  }
  return fd;
}

bool is_stream_socket(int fd) { return option_of(fd, SO_TYPE) == SOCK_STREAM; }

// MSG_WAITALL of a stream: goes on after the first `got` bytes. An error ends it, and the bytes
// count.
ssize_t receive_rest(int fd, const msghdr& message, int flags, size_t got, Waits* waits) {
  Parts parts(message.msg_iov, message.msg_iovlen);
  parts.skip(got);
  while (parts.left() > 0) {
    msghdr rest = parts.message();
    const ssize_t n = repeat(waits, [&] { return ::recvmsg(fd, &rest, flags | MSG_DONTWAIT); });
    if (n <= 0) break;
    parts.skip(static_cast<size_t>(n));
    got += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(got);
}

// Of the callers that wait for connections of one listener one at a time goes to fetch one. (That
// two listeners share a place only matters where another process accepts from one of them.)
Mutex& turn_of(int fd) {
  constexpr size_t kPlaces = 1024;
  static Mutex turns[kPlaces];
  return turns[static_cast<size_t>(fd) % kPlaces];
}

}  // namespace

int option_of(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof(value);
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool is_ready(int fd, short events) {
  pollfd entry = {fd, events, 0};
  return ::poll(&entry, 1, 0) > 0;
}

// `option`: SO_RCVTIMEO or SO_SNDTIMEO.
uint64_t patience_of(int fd, int option) {
  timeval limit = {};
  socklen_t size = sizeof(limit);
  if (::getsockopt(fd, SOL_SOCKET, option, &limit, &size) != 0 ||
      (limit.tv_sec == 0 && limit.tv_usec == 0))
    return kNoDeadline;
  constexpr time_t kLongest = 9'000'000'000;  // seconds, whose nanoseconds 64 bits hold
  if (limit.tv_sec > kLongest) return kNoDeadline;
  return deadline_after(static_cast<uint64_t>(limit.tv_sec) * 1'000'000'000 +
                        static_cast<uint64_t>(limit.tv_usec) * 1000);
}

size_t size_of(const msghdr& message) {
  size_t size = 0;
  for (size_t i = 0; i < message.msg_iovlen; i++) size += message.msg_iov[i].iov_len;
  return size;
}

ssize_t receive_message(int fd, msghdr* message, int flags) {
  const bool waits_for_all = (flags & MSG_WAITALL) != 0 && (flags & kNeverWait) == 0;
  if (waits_for_all && (flags & MSG_PEEK) != 0) return fail(EOPNOTSUPP);
  Waits waits(fd, POLLIN, (flags & kNeverWait) == 0);
  const ssize_t n = repeat(&waits, [&] { return ::recvmsg(fd, message, flags | MSG_DONTWAIT); });
  // Ancillary data ends a message, as it does for the system.
  if (n <= 0 || !waits_for_all || (message->msg_control != nullptr && message->msg_controllen > 0))
    return n;
  if (!is_stream_socket(fd) || !waits.may_wait()) return n;
  return receive_rest(fd, *message, flags, static_cast<size_t>(n), &waits);
}

// A blocking stream takes all of a message, in as many pieces as it needs. Ancillary data goes with
// the first.
ssize_t send_message(int fd, const msghdr* message, int flags) {
  Waits waits(fd, POLLOUT, (flags & MSG_DONTWAIT) == 0);
  if ((flags & MSG_FASTOPEN) != 0 && waits.may_wait()) return fail(EOPNOTSUPP);
  const ssize_t n = repeat(&waits, [&] { return ::sendmsg(fd, message, flags | MSG_DONTWAIT); });
  return n < 0 ? n : send_rest(fd, *message, flags, static_cast<size_t>(n), &waits);
}

ssize_t send_rest(int fd, const msghdr& message, int flags, size_t sent, Waits* waits) {
  if (sent >= size_of(message) || !waits->may_wait()) return static_cast<ssize_t>(sent);
  Parts parts(message.msg_iov, message.msg_iovlen);
  parts.skip(sent);
  while (parts.left() > 0) {
    const msghdr rest = parts.message();
    // What was sent counts; that the peer is gone the next call says.
    const ssize_t n =
        repeat(waits, [&] { return ::sendmsg(fd, &rest, flags | MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (n < 0) break;
    parts.skip(static_cast<size_t>(n));
    sent += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(sent);
}

Stream stream_kind(int fd) {
  if (io::is_known_file(fd)) return Stream::kNone;
  struct ::stat info;
  if (::fstat(fd, &info) != 0) return Stream::kNone;
  if (S_ISSOCK(info.st_mode)) return Stream::kSocket;
  const bool file = S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) || S_ISBLK(info.st_mode);
  return file ? Stream::kNone : Stream::kOther;
}

bool is_blocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

void wait_for_stream(int fd, short events) {
  if (!is_ready(fd, events)) (void)wait_until_ready(fd, events, kNoDeadline, false);
}

int close_socket(int fd) {
  linger lingers = {};
  socklen_t size = sizeof(lingers);
  if (::getsockopt(fd, SOL_SOCKET, SO_LINGER, &lingers, &size) == 0 && lingers.l_onoff != 0 &&
      lingers.l_linger > 0) {
    return static_cast<int>(posix_result(on_pool([fd] { return int64_t{net::close(fd)}; })));
  }
  return posix_result(net::close(fd));
}

// --- sockets

int socket(int family, int type, int protocol) { return made(::socket(family, type, protocol)); }

int socketpair(int family, int type, int protocol, int fds[2]) {
  const int result = ::socketpair(family, type, protocol, fds);
  if (result == 0) {
    (void)made(fds[0]);
    (void)made(fds[1]);
  }
  return result;
}

int connect(int fd, const sockaddr* address, socklen_t size) {
  const int flags = blocks_thread() ? -1 : ::fcntl(fd, F_GETFL);
  const int type = flags >= 0 && (flags & O_NONBLOCK) == 0 ? option_of(fd, SO_TYPE) : -1;
  if (type != SOCK_STREAM && type != SOCK_SEQPACKET) return ::connect(fd, address, size);
  constexpr uint64_t kFirstPause = 200'000, kLongestPause = 10'000'000;
  const uint64_t deadline = patience_of(fd, SO_SNDTIMEO);
  for (uint64_t pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    (void)::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    const int result = ::connect(fd, address, size);
    const int error = errno;
    (void)::fcntl(fd, F_SETFL, flags);
    if (result == 0) return 0;
    if (error == EINPROGRESS || error == EALREADY) {
      const int waited = wait_until_ready(fd, POLLOUT, deadline, true);
      if (waited < 0) return fail(waited == -ETIMEDOUT ? EINPROGRESS : -waited);
      const int outcome = option_of(fd, SO_ERROR);
      return outcome == 0 ? 0 : outcome > 0 ? fail(outcome) : -1;
    }
    if (error == EINTR) continue;
    const uint64_t now = now_nanos();
    if (error != EAGAIN || address->sa_family != AF_UNIX || now >= deadline) return fail(error);
    sleep_until(std::min(now + pause, deadline));
  }
}

int accept(int fd, sockaddr* address, socklen_t* size) {
  return posix::accept4(fd, address, size, 0);
}

int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  if (blocks_thread() || !is_blocking(fd) || option_of(fd, SO_ACCEPTCONN) != 1)
    return made(::accept4(fd, address, size, flags));
  Waits waits(fd, POLLIN, true);
  for (;;) {
    {
      MutexLock turn(&turn_of(fd));
      if (is_ready(fd, POLLIN)) {
        const fiber::detail::DescriptorUse use(fiber::detail::descriptor(fd));
        if (use.was_closing()) return fail(EBADF);
        const auto accepted = static_cast<int>(on_pool([&]() -> int64_t {
          for (;;) {
            const int result = ::accept4(fd, address, size, flags);
            if (result >= 0 || errno != EINTR) return result >= 0 ? result : -errno;
          }
        }));
        if (accepted >= 0) return made(accepted);
        return fail(use.closing() ? EBADF : -accepted);
      }
    }
    if (!waits.wait()) return -1;
  }
}

ssize_t recv(int fd, void* data, size_t size, int flags) {
  return posix::recvfrom(fd, data, size, flags, nullptr, nullptr);
}

ssize_t recvfrom(int fd, void* data, size_t size, int flags, sockaddr* address,
                 socklen_t* address_size) {
  if (blocks_thread()) return ::recvfrom(fd, data, size, flags, address, address_size);
  if ((flags & MSG_WAITALL) != 0) {
    iovec part = {data, size};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_name = address;
    message.msg_namelen = address != nullptr && address_size != nullptr ? *address_size : 0;
    const ssize_t n = receive_message(fd, &message, flags);
    if (n >= 0 && address != nullptr && address_size != nullptr)
      *address_size = message.msg_namelen;
    return n;
  }
  Waits waits(fd, POLLIN, (flags & kNeverWait) == 0);
  return repeat(&waits, [&] {
    return ::recvfrom(fd, data, size, flags | MSG_DONTWAIT, address, address_size);
  });
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return blocks_thread() ? ::recvmsg(fd, message, flags) : receive_message(fd, message, flags);
}

ssize_t send(int fd, const void* data, size_t size, int flags) {
  return posix::sendto(fd, data, size, flags, nullptr, 0);
}

ssize_t sendto(int fd, const void* data, size_t size, int flags, const sockaddr* address,
               socklen_t address_size) {
  if (blocks_thread()) return ::sendto(fd, data, size, flags, address, address_size);
  iovec part = {const_cast<void*>(data), size};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_name = const_cast<sockaddr*>(address);
  message.msg_namelen = address != nullptr ? address_size : 0;
  return send_message(fd, &message, flags);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  return blocks_thread() ? ::sendmsg(fd, message, flags) : send_message(fd, message, flags);
}

// --- any descriptor

namespace {

msghdr message_of(const iovec* parts, int count) {
  msghdr message = {};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  return message;
}

// `call` on the pool, at the descriptor's own position.
template <class Call>
ssize_t by_pool(Call call) {
  return posix_result(on_pool([&]() -> int64_t {
    const ssize_t n = call();
    return n >= 0 ? n : -errno;
  }));
}

ssize_t write_each(int fd, const iovec* parts, int count) {
  size_t done = 0;
  for (int i = 0; i < count; i++) {
    const ssize_t n = posix::write(fd, parts[i].iov_base, parts[i].iov_len);
    if (n < 0 && done == 0) return n;
    if (n > 0) done += static_cast<size_t>(n);
    if (n < 0 || static_cast<size_t>(n) < parts[i].iov_len) break;
  }
  return static_cast<ssize_t>(done);
}

// The number is about to mean another file.
void forget(int fd, int target) {
  if (fd == target || target < 0 || ::fcntl(fd, F_GETFD) < 0) return;
  io::forget_file(target);
  fiber::detail::descriptor_closing(target);
}

}  // namespace

ssize_t readv(int fd, const iovec* parts, int count) {
  if (blocks_thread() || count <= 0 || count > IOV_MAX) return ::readv(fd, parts, count);
  const Stream kind = stream_kind(fd);
  if (kind == Stream::kSocket) {
    msghdr message = message_of(parts, count);
    return receive_message(fd, &message, 0);
  }
  if (kind == Stream::kOther) {
    if (!is_blocking(fd)) return ::readv(fd, parts, count);  // never waits
    wait_for_stream(fd, POLLIN);
  }
  return by_pool([=] { return ::readv(fd, parts, count); });
}

ssize_t writev(int fd, const iovec* parts, int count) {
  if (blocks_thread() || count <= 0 || count > IOV_MAX) return ::writev(fd, parts, count);
  const Stream kind = stream_kind(fd);
  const msghdr message = message_of(parts, count);
  if (kind == Stream::kSocket) return send_message(fd, &message, 0);
  if (kind == Stream::kOther) {
    if (!is_blocking(fd)) return ::writev(fd, parts, count);  // never waits
    // What is small goes into a pipe in one piece, or not at all. More would hold a thread of the
    // pool until somebody reads.
    if (size_of(message) > PIPE_BUF) return write_each(fd, parts, count);
    wait_for_stream(fd, POLLOUT);
  }
  return by_pool([=] { return ::writev(fd, parts, count); });
}

int dup2(int fd, int target) {
  forget(fd, target);
  return ::dup2(fd, target);
}

int dup3(int fd, int target, int flags) {
  forget(fd, target);
  return ::dup3(fd, target, flags);
}

// --- names

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
  if (blocks_thread()) return ::getaddrinfo(node, service, hints, found);
  int error = 0;
  const auto result = static_cast<int>(on_pool([&]() -> int64_t {
    const int outcome = ::getaddrinfo(node, service, hints, found);
    error = errno;
    return outcome;
  }));
  if (result == EAI_SYSTEM) errno = error;
  return result;
}

int getnameinfo(const sockaddr* address, socklen_t size, char* host, socklen_t host_size,
                char* service, socklen_t service_size, int flags) {
  if (blocks_thread())
    return ::getnameinfo(address, size, host, host_size, service, service_size, flags);
  int error = 0;
  const auto result = static_cast<int>(on_pool([&]() -> int64_t {
    const int outcome = ::getnameinfo(address, size, host, host_size, service, service_size, flags);
    error = errno;
    return outcome;
  }));
  if (result == EAI_SYSTEM) errno = error;
  return result;
}

}  // namespace fiber::posix
