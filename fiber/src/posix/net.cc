// The functions of net.h. Each is described once as an attempt that never waits and, where the ring
// has one, as its operation; operate() waits for it in the way of the caller: a fiber in its
// worker's engine, a plain thread in poll(2).
//
// Who goes first, the attempt or the engine:
//  - recv and send go straight to the ring: a request then costs a share of one io_uring_enter
//    instead of a system call each. The receive is told to wait for the socket first
//    (IORING_RECVSEND_POLL_FIRST) unless the last one on this descriptor left something: after an
//    answer there is nothing yet, and looking would be in vain.
//  - accept goes to the ring too; the epoll engine attempts what may succeed (engine_epoll.h).
//  - connect is attempted first: it never waits for a Unix socket, and once per connection a system
//    call does not count. What is under way then waits for POLLOUT.
//
// Left out: a multishot receive with a ring of buffers. By hand, without fibers (echo_bench), CPU
// per request next to an epoll loop was 0.92, 0.89 and 1.00 with it and 0.92, 0.90 and 0.94
// without, and here each receive would copy once more. A multishot accept saves nothing that
// counts.
#include "fiber/net.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <type_traits>

#include "descriptor.h"
#include "fiber/runtime.h"
#include "io_blocking.h"
#include "io_engine.h"
#include "io_request.h"
#include "net_wait.h"
#include "sim_hooks.h"
#include "worker.h"

namespace fiber::net {

using detail::Descriptor;
using detail::DescriptorUse;
using detail::IoEngine;
using detail::IoGroup;
using detail::IoRequest;

namespace {

// The pauses between two tries to connect to a Unix server whose backlog is full: nothing tells
// when there is room.
constexpr uint64_t kFirstPause = 200000;
constexpr uint64_t kLongestPause = 10000000;

IoEngine* current_engine() {
  return detail::Worker::current_fiber() != nullptr ? detail::Worker::current()->engine() : nullptr;
}

// A system call as a result; repeated while a signal interrupts it.
template <class Call>
auto checked(Call call) -> decltype(call()) {
  for (;;) {
    const auto result = call();
    if (result >= 0) return result;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return -EAGAIN;
    if (errno != EINTR) return static_cast<decltype(result)>(-errno);
  }
}

// One wait in an engine, on the stack of its fiber.
struct EngineWait {
  IoGroup group{1};
  IoRequest request;
  detail::CancelOp cancel;

  static EngineWait* of(detail::Waiter* waiter) {
    return reinterpret_cast<EngineWait*>(reinterpret_cast<char*>(waiter) -
                                         offsetof(EngineWait, group) - offsetof(IoGroup, waiter));
  }
};

// Blocks the thread until poll(2) reports something. 0, or -ETIMEDOUT.
int wait_on_thread(int fd, int16_t events, uint64_t deadline) {
  if (detail::simulator() != nullptr)
    return detail::simulate_stream_wait(fd, events, deadline) ? 0 : -ETIMEDOUT;
  for (;;) {
    timespec limit = {};
    if (deadline != kNoDeadline) {
      const uint64_t now = now_nanos();
      if (now >= deadline) return -ETIMEDOUT;
      limit.tv_sec = static_cast<time_t>((deadline - now) / 1000000000);
      limit.tv_nsec = static_cast<long>((deadline - now) % 1000000000);
    }
    pollfd entry = {fd, events, 0};
    if (::ppoll(&entry, 1, deadline != kNoDeadline ? &limit : nullptr, nullptr) > 0) return 0;
  }
}

template <class Attempt>
int64_t on_thread(int fd, int16_t events, uint64_t deadline, Attempt& attempt) {
  if (detail::simulator() != nullptr) detail::simulate_before_wait();
  for (;;) {
    bool drained;
    const int64_t result = attempt(&drained);
    if (result != -EAGAIN) return result;
    const int error = wait_on_thread(fd, events, deadline);
    if (error != 0) return error;
  }
}

struct NoOperation {};

// What is waited for.
struct Wait {
  int fd;
  int16_t events;  // POLLIN or POLLOUT: when another attempt may succeed
  uint64_t deadline;
  bool receives = false;          // 0 is the end of a stream
  uint32_t completion_flags = 0;  // out: what the ring says beside the result
};

// The same, while the descriptor cannot be closed under it. SUSPENDS.
template <class Prepare, class Attempt>
int64_t operate_open(Wait* what, const DescriptorUse& use, Prepare& prepare, Attempt& attempt) {
  const auto [fd, events, deadline, receives, flags] = *what;
  IoEngine* const engine = current_engine();
  if (engine == nullptr) return on_thread(fd, events, deadline, attempt);
  if (deadline != kNoDeadline && deadline <= now_nanos()) {
    bool drained;
    const int64_t result = attempt(&drained);
    return result == -EAGAIN ? -ETIMEDOUT : result;
  }
  EngineWait wait;
  IoRequest& request = wait.request;
  request.fd = fd;
  request.events = events;
  request.group = &wait.group;
  request.cancel_op = &wait.cancel;
  request.context = &attempt;
  request.block = [](IoRequest* r) -> int64_t {
    return (*static_cast<Attempt*>(r->context))(&r->drained);
  };
  if constexpr (!std::is_same_v<Prepare, NoOperation>) {
    request.op.has_sqe = true;
    prepare(&request.op.ring.sqe);
  }
  if (!engine->submit(&request)) return on_thread(fd, events, deadline, attempt);
  if (!request.answered) {
    (void)wait.group.waiter.suspend_until(deadline, [](detail::Waiter* waiter) {
      detail::Worker::current()->engine()->cancel(&EngineWait::of(waiter)->request);
      return false;  // the completion ends the wait
    });
  }
  what->completion_flags = request.op.ring.flags;
  return request.result == -ECANCELED && !use.closing() ? -ETIMEDOUT : request.result;
}

// SUSPENDS. `attempt(bool* drained)` does it without waiting: -EAGAIN if it has to wait. `prepare`
// describes it to the ring.
template <class Prepare, class Attempt>
int64_t operate(Wait* what, Prepare prepare, Attempt attempt) {
  DescriptorUse use(detail::descriptor(what->fd));
  if (use.was_closing()) return -EBADF;
  // What would wait again although the socket was shut down for a close must not.
  auto open_attempt = [&](bool* drained) -> int64_t {
    const int64_t result = attempt(drained);
    return result == -EAGAIN && use.closing() ? -ECANCELED : result;
  };
  const int64_t result = operate_open(what, use, prepare, open_attempt);
  // A close shuts the socket down so that we leave: what that looked like to the kernel is not what
  // happened. What had come before stays.
  if ((result < 0 || (result == 0 && what->receives)) && use.closing()) return -ECANCELED;
  return result;
}

unsigned clamp(size_t size) {
  return static_cast<unsigned>(std::min(size, io::blocking::kMaxTransfer));
}

// Makes a descriptor from elsewhere non-blocking, for the calls that know no MSG_DONTWAIT.
void make_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK) == 0) (void)::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int set_option(int fd, int level, int name, int value) {
  return checked([&] { return ::setsockopt(fd, level, name, &value, sizeof(value)); });
}

// 0 or -EAGAIN: readiness may be of before, or a guess.
int ask_ready(int fd, int16_t events) {
  pollfd entry = {fd, events, 0};
  const int ready = checked([&] { return ::poll(&entry, 1, 0); });
  return ready == 0 ? -EAGAIN : std::min(ready, 0);
}

}  // namespace

// --- making, binding, connecting

int socket(int family, int type, int protocol) {
  const int fd =
      checked([&] { return ::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol); });
  if (fd >= 0) detail::descriptor_made(fd);
  return fd;
}

int socket_pair(int fds[2]) {
  const int result = checked(
      [&] { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds); });
  if (result != 0) return result;
  detail::descriptor_made(fds[0]);
  detail::descriptor_made(fds[1]);
  return 0;
}

int bind(int fd, const Address& address) {
  return checked([&] { return ::bind(fd, address.get(), address.size()); });
}

int listen(int fd, int backlog) {
  make_nonblocking(fd);
  return checked([&] { return ::listen(fd, backlog); });
}

int accept(int fd, Address* peer, uint64_t deadline) {
  sockaddr* const to = peer != nullptr ? peer->get() : nullptr;
  socklen_t size = Address::capacity();
  bool nonblocking = false;
  Wait what{fd, POLLIN, deadline};
  const auto result = static_cast<int>(operate(
      &what,
      [&](io_uring_sqe* sqe) {
        io_uring_prep_accept(sqe, fd, to, to != nullptr ? &size : nullptr,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
      },
      [&](bool*) -> int64_t {
        if (!nonblocking) make_nonblocking(fd);
        nonblocking = true;
        const int accepted = checked([&] {
          size = Address::capacity();
          return ::accept4(fd, to, to != nullptr ? &size : nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        });
        if (accepted != -EAGAIN) return accepted;
        // A Unix socket that was shut down goes on to say so, and is always ready.
        pollfd entry = {fd, POLLIN, 0};
        return ::poll(&entry, 1, 0) == 1 && (entry.revents & POLLHUP) != 0 ? -EINVAL : -EAGAIN;
      }));
  if (result < 0) return result;
  detail::descriptor_made(result);
  if (peer != nullptr) peer->set_size(size);
  return result;
}

namespace {

// SUSPENDS until the connection that is under way is there or has failed.
int finish_connect(int fd, uint64_t deadline) {
  Wait what{fd, POLLOUT, deadline};
  return static_cast<int>(operate(&what, NoOperation(), [fd](bool*) -> int64_t {
    const int ready = ask_ready(fd, POLLOUT);
    if (ready != 0) return ready;
    int error = 0;
    socklen_t size = sizeof(error);
    const int got = checked([&] { return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size); });
    return got != 0 ? got : -error;
  }));
}

}  // namespace

int connect(int fd, const Address& address, uint64_t deadline) {
  make_nonblocking(fd);
  for (uint64_t pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    const int result = checked([&] { return ::connect(fd, address.get(), address.size()); });
    if (result == -EINPROGRESS) return finish_connect(fd, deadline);
    if (result != -EAGAIN || address.family() != AF_UNIX) return result;
    const uint64_t next = deadline_after(pause);
    if (deadline != kNoDeadline && now_nanos() >= deadline) return -ETIMEDOUT;
    sleep_until(std::min(next, deadline));
  }
}

// --- transfer

ptrdiff_t recv(int fd, void* data, size_t size, int flags, uint64_t deadline) {
  if ((flags & MSG_WAITALL) != 0) return -EINVAL;
  auto attempt = [&](bool* drained) -> int64_t {
    const ptrdiff_t n = checked([&] { return ::recv(fd, data, size, flags | MSG_DONTWAIT); });
    *drained = n > 0 && static_cast<size_t>(n) < size && flags == 0 && detail::is_tcp(fd);
    return n;
  };
  if (size == 0 || (flags & MSG_DONTWAIT) != 0) {
    bool drained;
    const int64_t n = attempt(&drained);
    return n == -EAGAIN && (flags & MSG_DONTWAIT) == 0 ? 0 : n;
  }
  Descriptor* const known = detail::descriptor(fd);
  const bool readable = known != nullptr && known->readable.load(std::memory_order_relaxed);
  Wait what{fd, POLLIN, deadline, true};
  const ptrdiff_t n = operate(
      &what,
      [&](io_uring_sqe* sqe) {
        io_uring_prep_recv(sqe, fd, data, clamp(size), flags);
        if (!readable) sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
      },
      attempt);
  const bool left = (what.completion_flags & IORING_CQE_F_SOCK_NONEMPTY) != 0;
  if (known != nullptr && left != readable) known->readable.store(left, std::memory_order_relaxed);
  return n;
}

ptrdiff_t send(int fd, const void* data, size_t size, int flags, uint64_t deadline) {
  flags |= MSG_NOSIGNAL;
  auto attempt = [&](bool* drained) -> int64_t {
    const ptrdiff_t n = checked([&] { return ::send(fd, data, size, flags | MSG_DONTWAIT); });
    *drained = n >= 0 && static_cast<size_t>(n) < size;
    return n;
  };
  if (size == 0 || (flags & MSG_DONTWAIT) != 0) {
    bool drained;
    return attempt(&drained);
  }
  Wait what{fd, POLLOUT, deadline};
  return operate(
      &what, [&](io_uring_sqe* sqe) { io_uring_prep_send(sqe, fd, data, clamp(size), flags); },
      attempt);
}

ptrdiff_t recvmsg(int fd, Message* message, int flags, uint64_t deadline) {
  if ((flags & MSG_WAITALL) != 0) return -EINVAL;
  flags |= MSG_CMSG_CLOEXEC;
  auto attempt = [&](bool*) -> int64_t {
    return checked([&] { return ::recvmsg(fd, message, flags | MSG_DONTWAIT); });
  };
  if ((flags & MSG_DONTWAIT) != 0) {
    bool drained;
    return attempt(&drained);
  }
  Wait what{fd, POLLIN, deadline, true};
  return operate(
      &what,
      [&](io_uring_sqe* sqe) {
        io_uring_prep_recvmsg(sqe, fd, message, static_cast<unsigned>(flags));
      },
      attempt);
}

ptrdiff_t sendmsg(int fd, const Message* message, int flags, uint64_t deadline) {
  flags |= MSG_NOSIGNAL;
  auto attempt = [&](bool*) -> int64_t {
    return checked([&] { return ::sendmsg(fd, message, flags | MSG_DONTWAIT); });
  };
  if ((flags & MSG_DONTWAIT) != 0) {
    bool drained;
    return attempt(&drained);
  }
  Wait what{fd, POLLOUT, deadline};
  return operate(
      &what,
      [&](io_uring_sqe* sqe) {
        io_uring_prep_sendmsg(sqe, fd, message, static_cast<unsigned>(flags));
      },
      attempt);
}

// --- ending

int shutdown(int fd, int how) {
  return checked([&] { return ::shutdown(fd, how); });
}

int close(int fd) { return detail::close_descriptor(fd); }

// --- names and options

int local_address(int fd, Address* out) {
  socklen_t size = Address::capacity();
  const int result = checked([&] { return ::getsockname(fd, out->get(), &size); });
  if (result == 0) out->set_size(size);
  return result;
}

int peer_address(int fd, Address* out) {
  socklen_t size = Address::capacity();
  const int result = checked([&] { return ::getpeername(fd, out->get(), &size); });
  if (result == 0) out->set_size(size);
  return result;
}

int set_nodelay(int fd, bool on) { return set_option(fd, IPPROTO_TCP, TCP_NODELAY, on ? 1 : 0); }
int set_reuse_address(int fd, bool on) {
  return set_option(fd, SOL_SOCKET, SO_REUSEADDR, on ? 1 : 0);
}
int set_reuse_port(int fd, bool on) { return set_option(fd, SOL_SOCKET, SO_REUSEPORT, on ? 1 : 0); }
int set_send_buffer(int fd, int bytes) { return set_option(fd, SOL_SOCKET, SO_SNDBUF, bytes); }
int set_receive_buffer(int fd, int bytes) { return set_option(fd, SOL_SOCKET, SO_RCVBUF, bytes); }

}  // namespace fiber::net

namespace fiber::detail {

int wait_until_ready(int fd, short events, uint64_t deadline, bool held) {
  const DescriptorUse use(held ? descriptor(fd) : nullptr);
  if (use.was_closing()) return -EBADF;
  net::NoOperation none;
  auto attempt = [&](bool*) -> int64_t {
    const int ready = net::ask_ready(fd, events);
    return ready == -EAGAIN && use.closing() ? -ECANCELED : ready;
  };
  net::Wait what{fd, events, deadline};
  const int64_t result = net::operate_open(&what, use, none, attempt);
  return use.closing() ? -EBADF : static_cast<int>(result);
}

int64_t call_on_pool(int64_t (*call)(void*), void* context) {
  IoEngine* const engine = net::current_engine();
  if (engine == nullptr) {
    if (simulator() != nullptr) simulate_blocking_call();
    return call(context);
  }
  struct Job {
    int64_t (*call)(void*);
    void* context;
  } job = {call, context};
  IoGroup group(1);
  IoRequest request;
  request.group = &group;
  request.context = &job;
  request.block = [](IoRequest* self) -> int64_t {
    const Job* const it = static_cast<Job*>(self->context);
    return it->call(it->context);
  };
  if (!engine->submit(&request)) return call(context);
  group.waiter.suspend();
  return request.result;
}

}  // namespace fiber::detail
