// The io_uring engine: one ring per worker, created with the worker's first request that wants it
// (a worker that never does I/O, or finds everything in the page cache, has no ring).
//
// Requests are queued and go to the kernel together: when the worker has nothing else to run, every
// ~20 us while it has, or at once when 16 are queued (64 of sockets). What the kernel's ring cannot
// do goes to the blocking pool, or waits in the ring for the descriptor's readiness if it has one.
// If no ring can be had when it is wanted (out of memory or descriptors), an epoll engine takes
// this one's place.
//
// A cancellation is an operation of its own behind the request in the queue; the request's fiber
// goes on when both have completed.
//
// Sleep: without operations in flight the worker sleeps on a futex. With some it sleeps in the
// ring, which then also holds a wait on the same futex (Linux 6.7), or a read of an eventfd.
//
// Thread safety: wakeup() from any thread, all else from the worker's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine_epoll.h"
#include "engine_ring.h"
#include "engine_wake_word.h"
#include "io_engine.h"
#include "io_request.h"

namespace fiber::detail {

class UringEngine final : public IoEngine {
 public:
  // `ring_options` and `use_futex` other than by default are for tests. REQUIRES:
  // ring_support().error == 0.
  explicit UringEngine(const RingOptions& ring_options = {}, bool use_futex = true);
  ~UringEngine() override;

  Engine kind() const override { return Engine::kIoUring; }
  bool submit(IoRequest* request) override;
  void cancel(IoRequest* request) override;
  void flush() override;
  void poll(bool block, uint64_t deadline) override;
  void wakeup() override;

 private:
  static constexpr unsigned kSubmitAt = 16;
  // A socket's operation costs the kernel's time at its submission, a disk's is only started: there
  // is nothing to be gained by starting early.
  static constexpr unsigned kSubmitSocketsAt = 64;
  // A busy worker enters the kernel this often.
  static constexpr uint64_t kPollMicros = 20;

  // False: there is none and there will be none, instead_ is there.
  bool have_ring() {
    return ring_ != nullptr ||
           (instead_.load(std::memory_order_relaxed) == nullptr && create_ring());
  }
  bool create_ring();
  // Counts what instead_ has pending as ours.
  void follow(const EpollEngine* instead) {
    pending_.add(uint64_t{instead->pending()} - pending_.get());
  }
  void push(IoRequest* request);
  // The ring has completed a request, or the wait for its descriptor.
  void completed(IoRequest* request, int32_t result);
  // Waits until the request's descriptor is ready, then calls its `block`.
  void push_poll(IoRequest* request);
  // Puts into the ring what completes at wakeup(), unless it is there already.
  void arm_wake_op();
  void make_wake_op();

  const RingOptions ring_options_;
  const bool use_futex_;
  std::unique_ptr<Ring> ring_;
  uint64_t last_poll_ = 0;
  // Does all the work if there can be no ring; ours. Set once by the worker; atomic because a
  // waker that is late for one sleep may look while it is set.
  std::atomic<EpollEngine*> instead_{nullptr};

  WakeWord wake_word_;
  struct WakeOp : RingOp {
    bool armed = false;
    uint64_t buffer = 0;
  };
  // The operation in the ring that wakeup() completes.
  std::unique_ptr<WakeOp> wake_op_;
  // Linux 6.18 has been seen to lose a ring's wait on a futex: neither queued nor completed. So
  // many sleeps in a row ended for a wake-up that the wait has not told of; then another one takes
  // its place, and the lost one stays until the ring is gone.
  int untold_ = 0;
  std::vector<std::unique_ptr<WakeOp>> lost_;
  int waits_to_lose_;
  const std::atomic<uint32_t> never_{WakeWord::kQuiet};  // what those wait on
  // -1: none. Set before the worker can sleep in the ring and never changed then; relaxed, because
  // the worker's state word, through which a waker learns of the sleep, orders it.
  std::atomic<int> event_fd_{-1};
};

}  // namespace fiber::detail
