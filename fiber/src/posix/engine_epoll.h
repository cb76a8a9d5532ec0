// The epoll engine: sockets by readiness, everything else as blocking calls on the threads of the
// blocking pool. Works on every kernel and where io_uring is refused.
//
// Each worker has an epoll instance, made with its first wait for a socket. A descriptor is
// registered once, for both directions and edge-triggered. Of each direction the engine remembers
// whether an attempt may succeed: yes at first and after an edge, no after an attempt that said
// -EAGAIN or took less than there was room for. So a ping-pong costs one receive, one send and its
// share of an epoll_wait for each request. Requests that wait stand in a list per direction and are
// attempted by poll() in the order they came.
//
// A number that means another file than when it was registered is noticed by its generation
// (descriptor.h) and registered anew.
//
// Sleep: on a futex before there is an epoll instance, in it afterwards, where an eventfd ends it.
//
// Thread safety: wakeup() from any thread, all else from the worker's.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine_wake_word.h"
#include "io_engine.h"
#include "io_request.h"

namespace fiber::detail {

class EpollEngine final : public IoEngine {
 public:
  EpollEngine() = default;
  ~EpollEngine() override;

  Engine kind() const override { return Engine::kEpoll; }
  bool submit(IoRequest* request) override;
  void cancel(IoRequest* request) override;
  void poll(bool block, uint64_t deadline) override;
  void wakeup() override;

 private:
  // What waits for one direction of a descriptor.
  struct Direction {
    bool ready = true;  // an attempt may succeed
    IoRequest* head = nullptr;
    IoRequest* tail = nullptr;
  };
  struct Watched {
    uint16_t generation = 0;
    bool registered = false;
    bool ended = false;  // the peer is gone or has shut down: attempts never wait again
    Direction in, out;

    Direction* direction(const IoRequest* request);
  };

  // 0 or -errno.
  int create();
  // The entry of a descriptor, registered. Null and -errno in *error if that cannot be.
  Watched* watch(int fd, int* error);
  void submit_one(IoRequest* request);
  // Attempts what waits until it would have to wait again.
  void run(Watched* watched, Direction* direction);
  static int64_t attempt(Watched* watched, Direction* direction, IoRequest* request);
  void take_events(int count);

  static constexpr int kMaxEvents = 256;
  static constexpr uint64_t kWakeEvent = UINT64_MAX;
  // A busy worker looks for events this often.
  static constexpr uint64_t kPollMicros = 20;

  int epoll_fd_ = -1;
  uint64_t last_poll_ = 0;
  std::vector<Watched> watched_;  // by descriptor
  struct Events;
  Events* events_ = nullptr;

  WakeWord wake_word_;
  // -1: none. Set before the worker can sleep in epoll and never changed then; relaxed, because the
  // worker's state word, through which a waker learns of the sleep, orders it.
  std::atomic<int> event_fd_{-1};
};

}  // namespace fiber::detail
