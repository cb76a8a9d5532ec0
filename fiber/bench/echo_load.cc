// See echo_load.h.
#include "echo_load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fiber/clock.h"

namespace fiber::bench {

EchoLoad::EchoLoad(uint16_t port, int connections, size_t message, bool streaming)
    : message_(message),
      streaming_(streaming),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      connections_(static_cast<size_t>(connections)),
      out_(message, 'x'),
      in_(size_t{256} << 10) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (Connection& c : connections_) {
    c.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(c.fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return;
    const int on = 1;
    ::setsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.ptr = &c;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, c.fd, &event) != 0) return;
  }
  for (Connection& c : connections_) {
    c.unsent = c.unread = message_;
    if (!send_some(&c)) return;
  }
  connected_ = true;
}

EchoLoad::~EchoLoad() {
  for (Connection& c : connections_) {
    if (c.fd >= 0) ::close(c.fd);
  }
  ::close(epoll_);
}

void EchoLoad::watch(Connection* c, bool out) {
  if (c->wants_out == out) return;
  c->wants_out = out;
  epoll_event event = {};
  event.events = out ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.ptr = c;
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, c->fd, &event);
}

bool EchoLoad::send_some(Connection* c) {
  while (c->unsent != 0) {
    const ssize_t n = ::send(c->fd, out_.data(), c->unsent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) {
      watch(c, true);
      return true;
    }
    if (n <= 0) return false;
    c->unsent -= static_cast<size_t>(n);
    if (streaming_ && c->unsent == 0) {
      c->unsent = message_;
      watch(c, true);
      return true;  // the others have their turn
    }
  }
  watch(c, false);
  return true;
}

int64_t EchoLoad::run(uint64_t nanos) {
  int64_t bytes = 0;
  epoll_event events[512];
  for (const uint64_t deadline = deadline_after(nanos); now_nanos() < deadline;) {
    const int count = ::epoll_wait(epoll_, events, 512, 100);
    for (int i = 0; i < count; ++i) {
      auto* c = static_cast<Connection*>(events[i].data.ptr);
      if ((events[i].events & EPOLLOUT) != 0 && !send_some(c)) return -1;
      if ((events[i].events & ~EPOLLOUT) == 0) continue;
      const ssize_t n = ::recv(c->fd, in_.data(), in_.size(), MSG_DONTWAIT);
      if (n < 0 && errno == EAGAIN) continue;
      if (n <= 0) return -1;
      bytes += n;
      if (streaming_) continue;
      c->unread -= static_cast<size_t>(n);
      if (c->unread != 0) continue;
      c->unsent = c->unread = message_;
      if (!send_some(c)) return -1;
    }
  }
  return bytes;
}

}  // namespace fiber::bench
