// IoEngine: what one worker sleeps in, and what does the I/O of its fibers. Each Worker owns one,
// created on the thread that will run it (an io_uring instance has one issuer).
//
// The seam: worker.cc calls poll() and wakeup() and reads pending(); io.cc calls submit() from
// fibers of the worker; an engine resumes the fiber of a completed request by Waiter::resume()
// (worker.h), from the worker's thread or any other. Nothing here throws.
#pragma once

#include <cstdint>
#include <memory>

#include "counter.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/stats.h"

namespace fiber::detail {

// One operation in flight, a record on the stack of the fiber that waits for it. Defined by io.cc
// and the engines.
struct IoRequest;

class IoEngine {
 public:
  IoEngine() = default;
  virtual ~IoEngine() = default;
  IoEngine(const IoEngine&) = delete;
  IoEngine& operator=(const IoEngine&) = delete;

  // kIoUring or kEpoll.
  virtual Engine kind() const = 0;

  // Owner thread. Takes the request in; its fiber then suspends until completion. False: this
  // engine does no I/O, the caller makes a blocking call. Must not resume the request's fiber from
  // inside.
  virtual bool submit(IoRequest* /*request*/) { return false; }

  // Owner thread. Gives the kernel what submit() has queued.
  virtual void flush() {}

  // Owner thread. Makes a request that has a `cancel_op` (io_request.h) and is in this engine, not
  // in the pool, complete soon: with -ECANCELED, or with what happened first. It is not over before
  // its group says so. Nothing happens if it has completed already. Without this the waits of net.h
  // have no deadlines.
  virtual void cancel(IoRequest* /*request*/) {}

  // Owner thread, on the worker's own stack. Hands queued requests to the kernel and resumes the
  // fibers of completed ones. With `block` sleeps until there is a completion, a wakeup() since the
  // last blocking poll, or `deadline` (a now_nanos() value); may return early for no reason.
  // Without it makes at most one quick system call, and none if pending() == 0.
  virtual void poll(bool block, uint64_t deadline) = 0;

  // Any thread. Makes the current or else the next blocking poll() return. The worker's state word
  // sees to it that this is called only when the worker is asleep or about to be, at most once for
  // each sleep. May run in another thread while the poll() it wakes returns for another reason;
  // never after the destructor has begun.
  virtual void wakeup() = 0;

  // Owner thread. Requests queued or in flight. While nonzero, a busy worker calls poll(false)
  // about every 20 us.
  uint32_t pending() const { return static_cast<uint32_t>(pending_.get()); }

  // Any thread. Adds what the engine counts.
  void add_stats(Stats* stats) const {
    stats->io_pending += pending_.get();
    stats->ring_submissions += submissions_.get();
    stats->ring_operations += operations_.get();
  }

 protected:
  Counter pending_;
  // System calls that handed over operations, and the operations: for engines that queue.
  Counter submissions_;
  Counter operations_;
};

// Creates the engine of the calling thread's worker: `requested`, or what the environment says, or
// the best that works. Never fails: falls back to one that works. (engine_factory.cc)
std::unique_ptr<IoEngine> create_io_engine(Engine requested);

// The fallback of fallbacks: no I/O, sleeps on a futex. (futex_engine.cc)
std::unique_ptr<IoEngine> create_futex_engine();

}  // namespace fiber::detail
