// The socket and readiness calls of a threaded program under their own names: signature, result
// (-1) and errno as POSIX and Linux say, for fibers and plain threads. On a fiber what would wait
// parks the fiber and its worker runs others; on a plain thread it is the system call itself. New
// code is better served by fiber/net.h.
//
// A descriptor is blocking or not as the program made it: nothing here changes its O_NONBLOCK, so
// fcntl(), ioctl(FIONBIO), setsockopt(), bind(), listen(), shutdown(), epoll_create1(),
// epoll_ctl() ... stay the system's. (connect() on a blocking stream socket sets the flag for the
// length of one system call.) A blocking send takes all bytes over, SO_RCVTIMEO and SO_SNDTIMEO are
// obeyed, SIGPIPE is raised where the system raises it.
//
// What is different on a fiber:
//  - No call ends with EINTR: a signal's handler runs, the wait goes on.
//  - close() here while a fiber waits on a socket ends that wait with EBADF (and shuts the
//    connection down); the system would let it wait on.
//  - What cannot be kept is refused: EOPNOTSUPP for MSG_WAITALL with MSG_PEEK, and for MSG_FASTOPEN
//    on a blocking socket; ENOTSUP for a signal mask in ppoll(), pselect() and epoll_pwait().
//
// Descriptors made here are to be closed with fiber::posix::close().
//
// Thread safety: callable from any fiber and any thread at once.
#pragma once

#include <netdb.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

namespace fiber::posix {

// --- sockets

int socket(int family, int type, int protocol);
int socketpair(int family, int type, int protocol, int fds[2]);
// SUSPENDS. A Unix server whose backlog is full is asked again in pauses of 0.2 to 10 ms.
int connect(int fd, const sockaddr* address, socklen_t size);
// SUSPENDS. If another process takes the connection in between, a thread of the blocking pool waits
// for the next one, beyond SO_RCVTIMEO.
int accept(int fd, sockaddr* address, socklen_t* size);
int accept4(int fd, sockaddr* address, socklen_t* size, int flags);
// SUSPEND.
ssize_t recv(int fd, void* data, size_t size, int flags);
ssize_t recvfrom(int fd, void* data, size_t size, int flags, sockaddr* address,
                 socklen_t* address_size);
ssize_t recvmsg(int fd, msghdr* message, int flags);
ssize_t send(int fd, const void* data, size_t size, int flags);
ssize_t sendto(int fd, const void* data, size_t size, int flags, const sockaddr* address,
               socklen_t address_size);
ssize_t sendmsg(int fd, const msghdr* message, int flags);
// SUSPEND. As the system's: recvmmsg() looks at the time only when something came, and waits for
// all messages unless MSG_WAITFORONE. An error after the first message is left to the next call.
int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout);
int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags);

// --- any descriptor

// SUSPEND. As read() and write() of fiber/posix.h.
ssize_t readv(int fd, const iovec* parts, int count);
ssize_t writev(int fd, const iovec* parts, int count);
// `target`, if it is open, is closed by them; nobody may wait on it.
int dup2(int fd, int target);
int dup3(int fd, int target, int flags);

// --- readiness

// SUSPEND. Time-outs are milliseconds, negative ones for ever. A wait for several descriptors, or
// for more than one direction of one, costs an epoll instance for its time.
int poll(pollfd* fds, nfds_t count, int timeout);
int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask);
// The time that is left is stored in *timeout, as Linux does.
int select(int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout);
int pselect(int count, fd_set* in, fd_set* out, fd_set* except, const timespec* timeout,
            const sigset_t* mask);
int epoll_wait(int fd, epoll_event* events, int max, int timeout);
int epoll_pwait(int fd, epoll_event* events, int max, int timeout, const sigset_t* mask);

// --- names

// SUSPEND: a thread of the blocking pool asks.
int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found);
int getnameinfo(const sockaddr* address, socklen_t size, char* host, socklen_t host_size,
                char* service, socklen_t service_size, int flags);

}  // namespace fiber::posix
