// The io_uring engine: one ring per worker, created with the worker's first request that wants it
// (a worker that never does I/O, or finds everything in the page cache, has no ring).
//
// Requests are queued and go to the kernel together: when the worker has nothing else to run, every
// ~20 us while it has, or at once when 16 are queued. What the kernel's ring cannot do goes to the
// blocking pool; so does everything if no ring can be had (out of memory or descriptors).
//
// Sleep: without operations in flight the worker sleeps on a futex. With some it sleeps in the
// ring, which then also holds a wait on the same futex (Linux 6.7), or a read of an eventfd.
//
// Thread safety: wakeup() from any thread, all else from the worker's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

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
  void poll(bool block, uint64_t deadline) override;
  void wakeup() override;

 private:
  static constexpr unsigned kSubmitAt = 16;

  // False: there is none and there will be none.
  bool have_ring() { return ring_ != nullptr || (!ring_failed_ && create_ring()); }
  bool create_ring();
  // Puts into the ring what completes at wakeup(), unless it is there already.
  void arm_wake_op();

  const RingOptions ring_options_;
  const bool use_futex_;
  std::unique_ptr<Ring> ring_;
  bool ring_failed_ = false;

  WakeWord wake_word_;
  // The operation in the ring that wakeup() completes.
  struct WakeOp : RingOp {
    bool armed = false;
    uint64_t buffer = 0;
  } wake_op_;
  // -1: none. Set before the worker can sleep in the ring and never changed then; relaxed, because
  // the worker's state word, through which a waker learns of the sleep, orders it.
  std::atomic<int> event_fd_{-1};
};

}  // namespace fiber::detail
