// Stream sockets (TCP over IPv4 and IPv6, Unix) for fibers and plain threads: calls that look
// blocking.
//
// On a fiber a call parks the fiber until the kernel is done or the deadline has passed, and its
// worker runs others meanwhile; on a plain thread it blocks the thread. The meaning of every result
// is the same in both.
//
// Results: >= 0 on success, -errno on failure; errno itself is neither read nor written. EINTR is
// handled inside and never returned. SIGPIPE is never raised: a send to a peer that is gone is
// -EPIPE or -ECONNRESET. Addresses and buffers are borrowed until the call returns; a fiber never
// returns from a call while the kernel may still touch its buffer.
//
// Deadlines are now_nanos() values. When one passes before anything has happened the result is
// -ETIMEDOUT; what happened first wins, also over a cancellation that is under way. A deadline that
// has passed already makes one attempt that does not wait.
//
// Descriptors are the kernel's, and non-blocking (O_NONBLOCK) from birth. A descriptor from
// elsewhere may be used as well; it is to be closed with close() of this header all the same.
//
// Thread safety: every function may be called from any fiber and any thread at once; calls on one
// descriptor are ordered only if the callers order them, except that close() may always come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fiber/clock.h"
#if defined(_WIN32)
#include "fiber/windows/net_types.h"
#else
#include "fiber/posix/net_types.h"
#endif

namespace fiber::net {

// Where a socket is bound or connected to. A value; empty by default (of family kUnspecified).
class Address {
 public:
  Address() = default;

  // A numeric address, "127.0.0.1" or "::1" ("fe80::1%eth0" with a scope); names are not resolved.
  // -EINVAL if it is none.
  static int parse(std::string_view numeric, uint16_t port, Address* out);
  static Address any_v4(uint16_t port);
  static Address any_v6(uint16_t port);
  static Address loopback_v4(uint16_t port);
  static Address loopback_v6(uint16_t port);
  // A Unix socket in the file system, or an abstract one if `path` begins with a zero byte.
  // -ENAMETOOLONG beyond 107 bytes.
  static int unix_path(std::string_view path, Address* out);

  int family() const { return family_of(storage_); }
  // In host byte order; 0 if the family has no ports.
  uint16_t port() const;
  // "127.0.0.1:80", "[::1]:80", "/run/x" or "@abstract"; "" of an empty one.
  std::string to_string() const;

  // For the system calls.
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }
  AddressSize size() const { return size_; }
  // After the kernel has written to get(), where it found capacity() bytes.
  void set_size(AddressSize size) { size_ = size < capacity() ? size : capacity(); }
  static constexpr AddressSize capacity() { return sizeof(AddressStorage); }

 private:
  AddressStorage storage_ = {};
  AddressSize size_ = sizeof(AddressFamily);
};

// --- making, binding, connecting

// A new socket: kIpV4, kIpV6 or kUnix, kStream. Close-on-exec and non-blocking are
// added to `type`.
int socket(int family, int type = kStream, int protocol = 0);
// Two Unix stream sockets connected to each other. (On Windows two of TCP, over the loopback.)
int socket_pair(int fds[2]);
int bind(int fd, const Address& address);
int listen(int fd, int backlog = 1024);
// socket(), set_reuse_address() (but for Unix), bind() and listen(): a listening socket.
int listen_on(const Address& address, int backlog = 1024);

// SUSPENDS until a connection has come. Returns its descriptor, non-blocking and close-on-exec.
// `peer`: where the address of the other side goes, or null. Errors of the connection that was to
// be accepted (-ECONNABORTED, -EPROTO ...) and of the process (-EMFILE, -ENFILE, -ENOBUFS,
// -ENOMEM) do not harm the listening socket: a server goes on after them, in the latter case after
// a pause, since the connection is still there.
int accept(int fd, Address* peer = nullptr, uint64_t deadline = kNoDeadline);

// SUSPENDS until connected. -ECONNREFUSED, -EHOSTUNREACH ... -ETIMEDOUT also if the network's own
// patience ends. After a failure the socket can only be closed. A Unix server whose backlog is full
// is asked again until the deadline.
int connect(int fd, const Address& address, uint64_t deadline = kNoDeadline);
// socket() and connect(): a connected socket.
int connect_to(const Address& address, uint64_t deadline = kNoDeadline);

// --- transfer

// SUSPENDS until there is something. Returns the bytes received, at most `size` and rarely less
// than there are; 0 at the end of what the peer sent (and if size == 0). `flags`: 0 or kPeek
// and the like; -EINVAL for MSG_WAITALL (recv_exactly() does that). With kDontWait never waits:
// -EAGAIN.
ptrdiff_t recv(int fd, void* data, size_t size, int flags = 0, uint64_t deadline = kNoDeadline);
// SUSPENDS while the peer does not read and the kernel's buffer is full. Returns the bytes taken
// over by the kernel, at least 1 unless size == 0, perhaps less than `size`.
ptrdiff_t send(int fd, const void* data, size_t size, int flags = 0,
               uint64_t deadline = kNoDeadline);
// As recvmsg(2) and sendmsg(2), descriptors passed over Unix sockets included (MSG_CMSG_CLOEXEC is
// always added). On Windows a Message has only its parts.
ptrdiff_t recvmsg(int fd, Message* message, int flags = 0, uint64_t deadline = kNoDeadline);
ptrdiff_t sendmsg(int fd, const Message* message, int flags = 0, uint64_t deadline = kNoDeadline);

// SUSPENDS until all is sent. `size`, or the error that stopped it after an unknown part was sent.
ptrdiff_t send_all(int fd, const void* data, size_t size, uint64_t deadline = kNoDeadline);
// SUSPENDS until `size` bytes have come. Less only if the peer's side ended before; an error loses
// what came in until then.
ptrdiff_t recv_exactly(int fd, void* data, size_t size, uint64_t deadline = kNoDeadline);

// --- ending

// `how`: kShutReceive, kShutSend (the peer reads to the end, answers still come in) or kShutBoth.
// Whoever waits finds the end: 0 of a receive, -EPIPE of a send. (On Windows kShutReceive alone
// leaves a receive waiting that has begun.)
int shutdown(int fd, int how);
// SUSPENDS, but briefly. Whoever waits on the descriptor, on any fiber or thread, gets -ECANCELED;
// the number is not given back to the kernel before they all have left. So that they do, the
// connection is then shut down first, for other descriptors of it as well (after dup() or fork()).
int close(int fd);

// --- names and options

int local_address(int fd, Address* out);
int peer_address(int fd, Address* out);
// TCP: sends small messages at once.
int set_nodelay(int fd, bool on);
int set_reuse_address(int fd, bool on);
int set_reuse_port(int fd, bool on);
// The kernel's buffers in bytes (it doubles them and knows limits).
int set_send_buffer(int fd, int bytes);
int set_receive_buffer(int fd, int bytes);

}  // namespace fiber::net
