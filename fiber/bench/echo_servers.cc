// See echo_servers.h.
#include "echo_servers.h"

#include <errno.h>
#include <liburing.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"

namespace fiber::bench {

void echo_threads(int listener, size_t buffer_size) {
  for (;;) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    new Thread("echo", [fd, buffer_size] {
      std::unique_ptr<char[]> buffer(new char[buffer_size]);
      for (;;) {
        const ssize_t n = ::recv(fd, buffer.get(), buffer_size, 0);
        if (n <= 0) break;
        for (ssize_t sent = 0; sent < n;) {
          const ssize_t m =
              ::send(fd, buffer.get() + sent, static_cast<size_t>(n - sent), MSG_NOSIGNAL);
          if (m <= 0) break;
          sent += m;
        }
      }
      ::close(fd);
    });
  }
}

namespace {

enum : uint64_t { kAccept = 0, kRecv = 1, kSend = 2 };

struct Connection {
  int fd;
  size_t begin = 0, end = 0;
  // Multishot only: the buffer that is being sent.
  uint16_t buffer_id = 0;
  std::unique_ptr<char[]> buffer;
};

void make_ring(io_uring* ring) {
  io_uring_params params = {};
  params.flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
                 IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
  params.cq_entries = 4096;
  if (io_uring_queue_init_params(2048, ring, &params) != 0) std::_Exit(3);
  io_uring_register_ring_fd(ring);
}

io_uring_sqe* next_sqe(io_uring* ring) {
  for (;;) {
    if (io_uring_sqe* sqe = io_uring_get_sqe(ring)) return sqe;
    io_uring_submit(ring);
  }
}

void tag(io_uring_sqe* sqe, Connection* c, uint64_t what) {
  io_uring_sqe_set_data64(sqe, reinterpret_cast<uint64_t>(c) | what);
}

void queue_accept(io_uring* ring, int listener) {
  io_uring_sqe* sqe = next_sqe(ring);
  io_uring_prep_multishot_accept(sqe, listener, nullptr, nullptr, SOCK_CLOEXEC);
  tag(sqe, nullptr, kAccept);
}

void queue_recv(io_uring* ring, Connection* c, size_t size) {
  io_uring_sqe* sqe = next_sqe(ring);
  io_uring_prep_recv(sqe, c->fd, c->buffer.get(), size, 0);
  sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
  tag(sqe, c, kRecv);
}

void queue_send(io_uring* ring, Connection* c, const char* data) {
  io_uring_sqe* sqe = next_sqe(ring);
  io_uring_prep_send(sqe, c->fd, data + c->begin, c->end - c->begin, MSG_NOSIGNAL | MSG_WAITALL);
  tag(sqe, c, kSend);
}

}  // namespace

void echo_ring(int listener, size_t buffer_size) {
  io_uring ring;
  make_ring(&ring);
  queue_accept(&ring, listener);
  for (;;) {
    io_uring_submit_and_wait(&ring, 1);
    io_uring_cqe* cqe;
    unsigned head, seen = 0;
    io_uring_for_each_cqe(&ring, head, cqe) {
      ++seen;
      const uint64_t data = io_uring_cqe_get_data64(cqe);
      auto* c = reinterpret_cast<Connection*>(data & ~uint64_t{3});
      const int result = cqe->res;
      switch (data & 3) {
        case kAccept:
          if (result >= 0) {
            c = new Connection{.fd = result};
            c->buffer.reset(new char[buffer_size]);
            queue_recv(&ring, c, buffer_size);
          }
          if ((cqe->flags & IORING_CQE_F_MORE) == 0) queue_accept(&ring, listener);
          break;
        case kRecv:
          if (result <= 0) {
            ::close(c->fd);
            delete c;
            break;
          }
          c->begin = 0;
          c->end = static_cast<size_t>(result);
          queue_send(&ring, c, c->buffer.get());
          break;
        case kSend:
          if (result < 0) break;  // the receive in flight tells
          c->begin += static_cast<size_t>(result);
          if (c->begin < c->end) {
            queue_send(&ring, c, c->buffer.get());
          } else {
            queue_recv(&ring, c, buffer_size);
          }
          break;
      }
    }
    io_uring_cq_advance(&ring, seen);
  }
}

void echo_ring_multishot(int listener, size_t buffer_size) {
  io_uring ring;
  make_ring(&ring);
  constexpr unsigned kBuffers = 2048;
  const size_t table_size = kBuffers * sizeof(io_uring_buf);
  void* table_memory =
      ::mmap(nullptr, table_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* table = static_cast<io_uring_buf_ring*>(table_memory);
  io_uring_buf_reg reg = {};
  reg.ring_addr = reinterpret_cast<uint64_t>(table_memory);
  reg.ring_entries = kBuffers;
  if (io_uring_register_buf_ring(&ring, &reg, 0) != 0) std::_Exit(3);
  std::vector<char> memory(kBuffers * buffer_size);
  auto buffer_at = [&](unsigned id) { return memory.data() + id * buffer_size; };
  const int mask = io_uring_buf_ring_mask(kBuffers);
  for (unsigned i = 0; i < kBuffers; ++i)
    io_uring_buf_ring_add(table, buffer_at(i), static_cast<unsigned>(buffer_size),
                          static_cast<uint16_t>(i), mask, static_cast<int>(i));
  io_uring_buf_ring_advance(table, kBuffers);
  auto queue_receives = [&](Connection* c) {
    io_uring_sqe* sqe = next_sqe(&ring);
    io_uring_prep_recv_multishot(sqe, c->fd, nullptr, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = 0;
    sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
    tag(sqe, c, kRecv);
  };
  queue_accept(&ring, listener);
  for (;;) {
    io_uring_submit_and_wait(&ring, 1);
    io_uring_cqe* cqe;
    unsigned head, seen = 0;
    int returned = 0;
    io_uring_for_each_cqe(&ring, head, cqe) {
      ++seen;
      const uint64_t data = io_uring_cqe_get_data64(cqe);
      auto* c = reinterpret_cast<Connection*>(data & ~uint64_t{3});
      const int result = cqe->res;
      switch (data & 3) {
        case kAccept:
          if (result >= 0) queue_receives(new Connection{.fd = result});
          if ((cqe->flags & IORING_CQE_F_MORE) == 0) queue_accept(&ring, listener);
          break;
        case kRecv:
          if (result == -ENOBUFS) {
            queue_receives(c);
            break;
          }
          if (result <= 0) {
            ::close(c->fd);
            delete c;
            break;
          }
          // A ping-pong client sends nothing before it has the answer: one buffer at a time.
          c->buffer_id = static_cast<uint16_t>(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
          c->begin = 0;
          c->end = static_cast<size_t>(result);
          queue_send(&ring, c, buffer_at(c->buffer_id));
          if ((cqe->flags & IORING_CQE_F_MORE) == 0) queue_receives(c);
          break;
        case kSend:
          io_uring_buf_ring_add(table, buffer_at(c->buffer_id), static_cast<unsigned>(buffer_size),
                                c->buffer_id, mask, returned++);
          break;
      }
    }
    io_uring_buf_ring_advance(table, returned);
    io_uring_cq_advance(&ring, seen);
  }
}

namespace {

void echo_fibers(Engine engine, int listener, size_t buffer_size) {
  Runtime runtime({.workers = 1, .engine = engine});
  runtime.run([&] {
    for (;;) {
      const int fd = net::accept(listener);
      if (fd < 0) continue;
      io::keep_registered(fd);
      spawn([fd, buffer_size] {
        std::unique_ptr<char[]> buffer(new char[buffer_size]);
        for (;;) {
          const ssize_t n = net::recv(fd, buffer.get(), buffer_size);
          if (n <= 0 || net::send_all(fd, buffer.get(), static_cast<size_t>(n)) < 0) break;
        }
        net::close(fd);
      }).detach();
    }
  });
}

}  // namespace

void echo_fibers_uring(int listener, size_t buffer_size) {
  echo_fibers(Engine::kIoUring, listener, buffer_size);
}

void echo_fibers_epoll(int listener, size_t buffer_size) {
  echo_fibers(Engine::kEpoll, listener, buffer_size);
}

}  // namespace fiber::bench
