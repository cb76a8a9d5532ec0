// IoRequest: one operation of io.h or net.h on its way through an engine.
//
// Made by io.cc or net.cc on the stack of the fiber that waits (an array of them for a batch),
// taken in by IoEngine::submit(), completed by the engine. The fiber does not return before each of
// its requests has completed, so that nothing here is ever freed under the kernel.
//
// Thread safety: a request belongs to one thread at a time: the submitting fiber's, the ring's or
// the pool's; the group's count hands the results back.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine_blocking_pool.h"
#include "io_operation.h"
#include "waiter.h"

namespace fiber::detail {

// What one fiber waits for: all of its `pending` requests.
struct IoGroup {
  explicit IoGroup(uint32_t count) : pending(count) {}

  std::atomic<uint32_t> pending;
  // Null, or called instead of resuming the waiter: nobody may be waiting yet (flight.cc).
  void (*over)(IoGroup*) = nullptr;
  Waiter waiter;

  // One of what is pending is over. The group may be gone afterwards.
  void part_done() {
    // Release: the waiter reads the results; acquire: the last one passes on those of the others.
    if (pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (over != nullptr) [[unlikely]] {
      over(this);
    } else {
      waiter.resume();
    }
  }
};

class IoEngine;

struct IoRequest;

struct IoRequest {
  // What the engines of this system need to know of it (posix/io_operation.h,
  // windows/io_operation.h).
  IoOperation op;
  // The operation as a call. Result: >= 0 or -errno. May block, unless the request has an `fd`.
  int64_t (*block)(IoRequest*) = nullptr;
  // For `block`: what to call it with.
  void* context = nullptr;

  // A descriptor that can be waited for (a socket). `block` then never blocks; it says -EAGAIN if
  // it has to wait until poll(2) would report `events` (kPollIn or kPollOut). -1: there is none.
  int fd = -1;
  int16_t events = 0;
  // Set by `block`: it took less than it could have, so that the next attempt would be in vain.
  bool drained = false;
  // Set by submit(): it is done already, `result` is there, and nobody will be resumed.
  bool answered = false;
  // Set by cancel().
  bool cancelled = false;
  // Handed to the blocking pool. Set by submit(), before a thread of the pool has it.
  bool pooled = false;
  // Whether cancel() has something to do; the engine's thread only.
  bool in_engine = false;
  // Where cancel() may queue an operation of its own; lives as long as the request's group.
  CancelOp* cancel_op = nullptr;

  int64_t result = 0;
  IoGroup* group = nullptr;
  // The requests of a batch go to IoEngine::submit() as one list.
  IoRequest* next = nullptr;

  // The engine's.
  IoEngine* engine = nullptr;
  PoolJob job;

  // Any thread, once. The request and its group may be gone afterwards.
  void complete(int64_t value) {
    result = value;
    group->part_done();
  }
};

// Lets a thread of the pool run request->block and complete the request.
void submit_to_pool(IoRequest* request);
// Completes a pooled request with -ECANCELED, if no thread of the pool has begun with it. Any
// thread that knows the request to exist.
void cancel_in_pool(IoRequest* request);

}  // namespace fiber::detail
