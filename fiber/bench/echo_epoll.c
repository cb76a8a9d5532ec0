// The echo server that the fiber library is measured against: one thread, a level-triggered epoll
// loop in plain C, as one writes it by hand. See echo_bench.cc.
//
// It is fair to epoll: recv and send are made at once, no third system call (the level-triggered
// wait needs no recv up to EAGAIN), EPOLLOUT is asked for only while a send is short, and a wait
// takes up to 512 events.
#define _GNU_SOURCE
#include "echo_epoll.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kEvents = 512 };

struct connection {
  int fd;
  int wants_out;
  size_t begin, end;  // of what is to be sent
  char* buffer;
};

static void drop(struct connection* c) {
  close(c->fd);
  free(c->buffer);
  free(c);
}

static void watch(int epoll, struct connection* c, int out) {
  if (c->wants_out == out) return;
  c->wants_out = out;
  struct epoll_event event = {.events = out ? EPOLLOUT : EPOLLIN, .data.ptr = c};
  epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static void serve(int epoll, struct connection* c, size_t size) {
  if (!c->wants_out) {
    const ssize_t n = recv(c->fd, c->buffer, size, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      drop(c);
      return;
    }
    c->begin = 0;
    c->end = (size_t)n;
  }
  while (c->begin < c->end) {
    const ssize_t n =
        send(c->fd, c->buffer + c->begin, c->end - c->begin, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      watch(epoll, c, 1);
      return;
    }
    if (n < 0) {
      drop(c);
      return;
    }
    c->begin += (size_t)n;
  }
  watch(epoll, c, 0);
}

void echo_epoll(int listener, size_t buffer_size) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event events[kEvents];
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    const int count = epoll_wait(epoll, events, kEvents, -1);
    for (int i = 0; i < count; i++) {
      struct connection* c = events[i].data.ptr;
      if (c != NULL) {
        serve(epoll, c, buffer_size);
        continue;
      }
      const int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) continue;
      c = calloc(1, sizeof(*c));
      c->fd = fd;
      c->buffer = malloc(buffer_size);
      struct epoll_event in = {.events = EPOLLIN, .data.ptr = c};
      epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &in);
    }
  }
}
