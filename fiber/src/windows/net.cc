// The functions of net.h. Each is described twice: as an overlapped operation, which a fiber hands
// to its worker's engine and a plain thread waits for with an event; and as an attempt that does
// not wait, for kDontWait, for deadlines that have passed, and for the simulation.
//
// Sockets are overlapped and, for the attempts, non-blocking. A listening socket has the port for
// itself, as elsewhere: SO_REUSEADDR means something else here and is never set.
#include "fiber/net.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <mutex>

#include "descriptor.h"
#include "fiber/runtime.h"
#include "handles.h"
#include "io_blocking.h"
#include "io_engine.h"
#include "io_request.h"
#include "os_net.h"
#include "sim_hooks.h"
#include "win_error.h"
#include "worker.h"
// After winsock2.h.
#include <mswsock.h>

namespace fiber::net {

using detail::DescriptorUse;
using detail::HandleEntry;
using detail::HandleKind;
using detail::IoEngine;
using detail::IoGroup;
using detail::IoOperation;
using detail::IoRequest;

namespace {

using Kind = IoOperation::Kind;

IoEngine* current_engine() {
  return detail::Worker::current_fiber() != nullptr ? detail::Worker::current()->engine() : nullptr;
}

int socket_error() { return detail::errno_of(static_cast<DWORD>(WSAGetLastError())); }

// The socket of a descriptor; an error if it is none.
int socket_of(int fd, SOCKET* out) {
  const HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  if (entry->kind != HandleKind::kSocket) return -ENOTSOCK;
  *out = reinterpret_cast<SOCKET>(detail::handle_of(fd));
  return 0;
}

// `call(socket)` as a result: 0 or more, else -errno.
template <class Call>
int64_t on_socket(int fd, Call call) {
  SOCKET socket;
  if (const int error = socket_of(fd, &socket); error != 0) return error;
  const int64_t result = call(socket);
  return result >= 0 ? result : socket_error();
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

// What is waited for.
struct Wait {
  int fd;
  int16_t events;  // when another attempt may succeed
  uint64_t deadline;
  bool receives = false;  // 0 is the end of a stream
};

template <class Prepare, class Attempt>
int64_t on_thread(const Wait& what, DescriptorUse* use, Prepare& prepare, Attempt& attempt) {
  if (detail::simulator() != nullptr) {
    detail::simulate_before_wait();
    for (;;) {
      const int64_t result = attempt();
      if (result != -EAGAIN) return result;
      if (!detail::simulate_stream_wait(what.fd, what.events, what.deadline)) return -ETIMEDOUT;
    }
  }
  IoOperation operation;
  operation.fd = what.fd;
  if (const int64_t error = prepare(&operation); error != 0) return error;
  return detail::perform_on_thread(
      &operation, what.deadline, [](void* u) { return static_cast<DescriptorUse*>(u)->closing(); },
      use);
}

// The same, while the descriptor cannot be closed under it. SUSPENDS.
template <class Prepare, class Attempt>
int64_t operate_open(const Wait& what, DescriptorUse* use, Prepare& prepare, Attempt& attempt) {
  if (what.deadline != kNoDeadline && what.deadline <= now_nanos()) {
    const int64_t result = attempt();
    return result == -EAGAIN ? -ETIMEDOUT : result;
  }
  IoEngine* const engine = current_engine();
  if (engine == nullptr) return on_thread(what, use, prepare, attempt);
  EngineWait wait;
  IoRequest& request = wait.request;
  request.fd = what.fd;
  request.events = what.events;
  request.group = &wait.group;
  request.cancel_op = &wait.cancel;
  request.context = &attempt;
  request.block = [](IoRequest* r) -> int64_t { return (*static_cast<Attempt*>(r->context))(); };
  request.op.fd = what.fd;
  if (const int64_t error = prepare(&request.op); error != 0) return error;
  if (!engine->submit(&request)) return on_thread(what, use, prepare, attempt);
  if (!request.answered) {
    // A close that came meanwhile has not seen the operation.
    if (use->closing()) engine->cancel(&request);
    (void)wait.group.waiter.suspend_until(what.deadline, [](detail::Waiter* waiter) {
      detail::Worker::current()->engine()->cancel(&EngineWait::of(waiter)->request);
      return false;  // the completion ends the wait
    });
  }
  return request.result;
}

bool is_shut(int fd, uint8_t direction) {
  const HandleEntry* const entry = detail::handle_entry(fd);
  return entry != nullptr && (entry->shut.load(std::memory_order_acquire) & direction) != 0;
}

// SUSPENDS. `prepare(IoOperation*)` describes it (0, or an error that ends it), `attempt()` does it
// without waiting: -EAGAIN if it has to wait.
template <class Prepare, class Attempt>
int64_t operate(const Wait& what, Prepare prepare, Attempt attempt) {
  DescriptorUse use(detail::descriptor(what.fd));
  if (use.was_closing()) return -EBADF;
  SOCKET socket;
  if (const int error = socket_of(what.fd, &socket); error != 0) return error;
  auto open_attempt = [&]() -> int64_t {
    const int64_t result = attempt();
    return result == -EAGAIN && use.closing() ? -ECANCELED : result;
  };
  int64_t result;
  for (;;) {
    result = operate_open(what, &use, prepare, open_attempt);
    if (result != -ECANCELED || use.closing()) break;
    // Cancelled by its deadline, or by a shutdown, which does not know which way a wait goes.
    if (is_shut(what.fd, what.receives ? HandleEntry::kShutReceive : HandleEntry::kShutSend))
      return -EPIPE;
    if (what.deadline != kNoDeadline && what.deadline <= now_nanos()) return -ETIMEDOUT;
  }
  // A close cancels what waits: what that looked like is not what happened.
  if ((result < 0 || (result == 0 && what.receives)) && use.closing()) return -ECANCELED;
  return result;
}

size_t clamp(size_t size) { return std::min(size, io::blocking::kMaxTransfer); }

// Winsock is there from the first socket on, for good.
void start_winsock() {
  static std::once_flag once;
  std::call_once(once, [] {
    WSADATA data;
    (void)WSAStartup(MAKEWORD(2, 2), &data);  // a failure is socket()'s to tell
  });
}

int set_option(int fd, int level, int name, int value) {
  return static_cast<int>(on_socket(fd, [&](SOCKET socket) {
    return setsockopt(socket, level, name, reinterpret_cast<const char*>(&value), sizeof(value));
  }));
}

// Takes the socket over, also if it fails.
int made_socket(SOCKET socket, int family) {
  u_long on = 1;
  (void)ioctlsocket(socket, FIONBIO, &on);
  const int fd =
      detail::make_handle(reinterpret_cast<void*>(socket), HandleKind::kSocket, false, family);
  if (fd < 0) {
    closesocket(socket);
    return fd;
  }
  detail::descriptor_made(fd);
  return fd;
}

bool known_flags(int flags) { return (flags & ~(kPeek | kDontWait)) == 0; }

// What Windows calls an abort is a reset elsewhere.
int64_t transfer_result(int64_t result) { return result == -ECONNABORTED ? -ECONNRESET : result; }

// To receive after one's own shutdown() is no error elsewhere, but the end of the stream. (Wine
// says the same of a peer's reset that its server has seen before us.)
int64_t received(int fd, int64_t result) {
  if (result != -EPIPE) return transfer_result(result);
  return is_shut(fd, HandleEntry::kShutReceive) ? 0 : -ECONNRESET;
}

}  // namespace

// --- making, binding, connecting

int socket(int family, int type, int protocol) {
  if (family == kUnspecified) return -EAFNOSUPPORT;  // Windows would choose one
  start_winsock();
  const SOCKET made = WSASocketW(family, type, protocol, nullptr, 0,
                                 WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  return made != INVALID_SOCKET ? made_socket(made, family) : socket_error();
}

int socket_pair(int fds[2]) {
  const int listener = listen_on(Address::loopback_v4(0), 1);
  if (listener < 0) return listener;
  Address at, here, there;
  int error = local_address(listener, &at);
  fds[0] = error == 0 ? connect_to(at) : error;
  fds[1] = -1;
  error = std::min(fds[0], 0);
  if (error == 0) error = local_address(fds[0], &here);
  // Somebody else may have been faster than we.
  while (error == 0 && fds[1] < 0) {
    fds[1] = accept(listener, &there);
    error = std::min(fds[1], 0);
    if (error == 0 && there.port() != here.port()) {
      (void)close(fds[1]);
      fds[1] = -1;
    }
  }
  (void)close(listener);
  if (error == 0) {
    (void)set_nodelay(fds[0], true);
    (void)set_nodelay(fds[1], true);
    return 0;
  }
  if (fds[0] >= 0) (void)close(fds[0]);
  return error;
}

int bind(int fd, const Address& address) {
  const auto result = static_cast<int>(
      on_socket(fd, [&](SOCKET socket) { return ::bind(socket, address.get(), address.size()); }));
  if (result == 0) detail::handle_entry(fd)->bound.store(true, std::memory_order_relaxed);
  return result;
}

int listen(int fd, int backlog) {
  return static_cast<int>(
      on_socket(fd, [&](SOCKET socket) { return ::listen(socket, std::max(backlog, 1)); }));
}

int accept(int fd, Address* peer, uint64_t deadline) {
  struct Made {
    int fd = -1;
    ~Made() {
      if (fd >= 0) (void)close(fd);
    }
  } made;
  alignas(8) char addresses[IoOperation::kAddressBytes];
  const HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  // Not every system refuses to wait for connections to a socket that does not listen.
  int listens = 0;
  int size = sizeof(listens);
  const int64_t asked = on_socket(fd, [&](SOCKET socket) {
    return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, reinterpret_cast<char*>(&listens), &size);
  });
  if (asked < 0) return static_cast<int>(asked);
  if (listens == 0) return -EINVAL;
  const int64_t result = operate(
      {fd, detail::kPollIn, deadline},
      [&](IoOperation* operation) -> int64_t {
        if (detail::simulator() != nullptr) return 0;
        if (made.fd < 0) made.fd = socket(entry->family);
        if (made.fd < 0) return made.fd;
        operation->kind = Kind::kAccept;
        operation->accepted = made.fd;
        operation->data = addresses;
        return 0;
      },
      [&]() -> int64_t {
        const int64_t accepted = on_socket(fd, [&](SOCKET listener) -> int64_t {
          const SOCKET socket = ::accept(listener, nullptr, nullptr);
          return socket != INVALID_SOCKET ? static_cast<int64_t>(socket) : -1;
        });
        if (accepted < 0) return accepted;
        return made_socket(static_cast<SOCKET>(accepted), entry->family);
      });
  if (result < 0) return result == -ECONNRESET ? -ECONNABORTED : static_cast<int>(result);
  int accepted = static_cast<int>(result);
  if (accepted == 0) {  // by the operation
    SOCKET listener;
    if (socket_of(fd, &listener) == 0)
      (void)setsockopt(reinterpret_cast<SOCKET>(detail::handle_of(made.fd)), SOL_SOCKET,
                       SO_UPDATE_ACCEPT_CONTEXT, reinterpret_cast<const char*>(&listener),
                       sizeof(listener));
    accepted = made.fd;
    made.fd = -1;
  }
  if (peer != nullptr && peer_address(accepted, peer) != 0) *peer = Address();
  return accepted;
}

namespace {

// ConnectEx wants a bound socket.
int bind_anywhere(int fd, int family) {
  HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  if (entry->bound.load(std::memory_order_relaxed) || family == kUnix) return 0;
  const int result = bind(fd, family == kIpV6 ? Address::any_v6(0) : Address::any_v4(0));
  return result == -EINVAL ? 0 : result;  // it is
}

}  // namespace

int connect(int fd, const Address& address, uint64_t deadline) {
  bool begun = false;
  const auto result = static_cast<int>(operate(
      {fd, detail::kPollOut, deadline},
      [&](IoOperation* operation) -> int64_t {
        if (detail::simulator() != nullptr) return 0;
        if (const int error = bind_anywhere(fd, address.family()); error != 0) return error;
        operation->kind = Kind::kConnect;
        operation->address = address.get();
        operation->address_size = address.size();
        return 0;
      },
      [&]() -> int64_t {
        if (!begun) {
          begun = true;
          const int64_t first = on_socket(
              fd, [&](SOCKET socket) { return ::connect(socket, address.get(), address.size()); });
          return first == -EINPROGRESS ? -EAGAIN : first;
        }
        detail::PollEntry entry{fd, detail::kPollOut, 0};
        if (detail::os_poll(&entry, 1) == 0) return -EAGAIN;
        int error = 0;
        int size = sizeof(error);
        const int64_t got = on_socket(fd, [&](SOCKET socket) {
          return getsockopt(socket, SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&error), &size);
        });
        if (got < 0 || error == 0) return got;
        return detail::errno_of(static_cast<DWORD>(error));
      }));
  if (result == 0 && !begun) {
    // Only then it has a peer, and can be shut down.
    (void)on_socket(fd, [](SOCKET socket) {
      return setsockopt(socket, SOL_SOCKET, SO_UPDATE_CONNECT_CONTEXT, nullptr, 0);
    });
  }
  return std::min(result, 0);
}

// --- transfer

ptrdiff_t recv(int fd, void* data, size_t size, int flags, uint64_t deadline) {
  if (!known_flags(flags)) return -EINVAL;
  auto attempt = [&]() -> int64_t {
    return on_socket(fd, [&](SOCKET socket) {
      return ::recv(socket, static_cast<char*>(data), static_cast<int>(clamp(size)),
                    flags & ~kDontWait);
    });
  };
  if (size == 0 || (flags & kDontWait) != 0) {
    const int64_t n = received(fd, attempt());
    return n == -EAGAIN && (flags & kDontWait) == 0 ? 0 : static_cast<ptrdiff_t>(n);
  }
  const int64_t n = operate(
      {fd, detail::kPollIn, deadline, true},
      [&](IoOperation* operation) -> int64_t {
        operation->kind = Kind::kReceive;
        operation->data = data;
        operation->size = clamp(size);
        operation->flags = flags;
        return 0;
      },
      attempt);
  return static_cast<ptrdiff_t>(received(fd, n));
}

ptrdiff_t send(int fd, const void* data, size_t size, int flags, uint64_t deadline) {
  if ((flags & ~kDontWait) != 0) return -EINVAL;
  auto attempt = [&]() -> int64_t {
    return on_socket(fd, [&](SOCKET socket) {
      return ::send(socket, static_cast<const char*>(data), static_cast<int>(clamp(size)), 0);
    });
  };
  if (size == 0 || (flags & kDontWait) != 0)
    return static_cast<ptrdiff_t>(transfer_result(attempt()));
  return static_cast<ptrdiff_t>(transfer_result(operate(
      {fd, detail::kPollOut, deadline},
      [&](IoOperation* operation) -> int64_t {
        operation->kind = Kind::kSend;
        operation->data = const_cast<void*>(data);
        operation->size = clamp(size);
        return 0;
      },
      attempt)));
}

namespace {

// A message's parts by one call that does not wait.
int64_t attempt_parts(int fd, Kind kind, const io::IoVec* parts, size_t count, int flags) {
  WSABUF buffers[IoOperation::kMaxParts];
  count = std::min(count, IoOperation::kMaxParts);
  for (size_t i = 0; i < count; i++) {
    buffers[i] = {static_cast<ULONG>(clamp(parts[i].iov_len)),
                  static_cast<char*>(parts[i].iov_base)};
  }
  return on_socket(fd, [&](SOCKET socket) -> int64_t {
    DWORD bytes = 0;
    DWORD how = static_cast<DWORD>(flags & ~kDontWait);
    const auto n = static_cast<DWORD>(count);
    const int error = kind == Kind::kReceive
                          ? WSARecv(socket, buffers, n, &bytes, &how, nullptr, nullptr)
                          : WSASend(socket, buffers, n, &bytes, how, nullptr, nullptr);
    return error == 0 ? int64_t{bytes} : -1;
  });
}

ptrdiff_t transfer_message(int fd, Kind kind, const io::IoVec* parts, size_t count, int flags,
                           uint64_t deadline) {
  auto attempt = [&] { return attempt_parts(fd, kind, parts, count, flags); };
  const bool receives = kind == Kind::kReceive;
  const auto result_of = [&](int64_t result) {
    return receives ? received(fd, result) : transfer_result(result);
  };
  if ((flags & kDontWait) != 0 || count == 0) return static_cast<ptrdiff_t>(result_of(attempt()));
  return static_cast<ptrdiff_t>(result_of(operate(
      {fd, receives ? detail::kPollIn : detail::kPollOut, deadline, receives},
      [&](IoOperation* operation) -> int64_t {
        operation->kind = kind;
        operation->parts = parts;
        operation->part_count = count;
        operation->flags = flags;
        return 0;
      },
      attempt)));
}

}  // namespace

ptrdiff_t recvmsg(int fd, Message* message, int flags, uint64_t deadline) {
  if (!known_flags(flags)) return -EINVAL;
  message->msg_flags = 0;
  return transfer_message(fd, Kind::kReceive, message->msg_iov, message->msg_iovlen, flags,
                          deadline);
}

ptrdiff_t sendmsg(int fd, const Message* message, int flags, uint64_t deadline) {
  if ((flags & ~kDontWait) != 0) return -EINVAL;
  return transfer_message(fd, Kind::kSend, message->msg_iov, message->msg_iovlen, flags, deadline);
}

// --- ending

int shutdown(int fd, int how) {
  const auto result =
      static_cast<int>(on_socket(fd, [how](SOCKET socket) { return ::shutdown(socket, how); }));
  HandleEntry* const entry = detail::handle_entry(fd);
  if (result != 0 || entry == nullptr) return result;
  const int shut = (how != kShutSend ? HandleEntry::kShutReceive : 0) |
                   (how != kShutReceive ? HandleEntry::kShutSend : 0);
  entry->shut.fetch_or(static_cast<uint8_t>(shut), std::memory_order_release);
  // The system refuses what begins from now on; what waits it leaves waiting. A receive that is
  // cancelled by mistake begins again; a send could not, as part of it may have gone.
  if (how != kShutReceive) detail::os_end_waits(fd);
  return 0;
}

int close(int fd) {
  return detail::handle_entry(fd) != nullptr ? detail::close_descriptor(fd) : -EBADF;
}

// --- names and options

int local_address(int fd, Address* out) {
  AddressSize size = Address::capacity();
  const auto result = static_cast<int>(
      on_socket(fd, [&](SOCKET socket) { return ::getsockname(socket, out->get(), &size); }));
  if (result == 0) out->set_size(size);
  return result;
}

int peer_address(int fd, Address* out) {
  AddressSize size = Address::capacity();
  const auto result = static_cast<int>(
      on_socket(fd, [&](SOCKET socket) { return ::getpeername(socket, out->get(), &size); }));
  if (result == 0) out->set_size(size);
  return result;
}

int set_nodelay(int fd, bool on) { return set_option(fd, IPPROTO_TCP, TCP_NODELAY, on ? 1 : 0); }

int set_reuse_address(int fd, bool on) {
  // An address whose connections linger may be bound anew here in any case. What must not be had is
  // Windows' SO_REUSEADDR, by which another process takes a port that is in use.
  return set_option(fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, on ? 1 : 0);
}
int set_reuse_port(int fd, bool /*on*/) {
  SOCKET socket;
  const int error = socket_of(fd, &socket);
  return error != 0 ? error : -EOPNOTSUPP;
}
int set_send_buffer(int fd, int bytes) { return set_option(fd, SOL_SOCKET, SO_SNDBUF, bytes); }
int set_receive_buffer(int fd, int bytes) { return set_option(fd, SOL_SOCKET, SO_RCVBUF, bytes); }

}  // namespace fiber::net
