// IoRequest: one operation of io.h on its way through an engine.
//
// Made by io.cc on the stack of the fiber that waits (an array of them for a batch), taken in by
// IoEngine::submit(), completed by the engine. The fiber does not return before each of its
// requests has completed, so that nothing here is ever freed under the kernel.
//
// Thread safety: a request belongs to one thread at a time: the submitting fiber's, the ring's or
// the pool's; the group's count hands the results back.
#pragma once

#include <liburing.h>

#include <atomic>
#include <cstdint>

#include "engine_blocking_pool.h"
#include "engine_ring.h"
#include "waiter.h"

namespace fiber::detail {

// What one fiber waits for: all of its `pending` requests.
struct IoGroup {
  explicit IoGroup(uint32_t count) : pending(count) {}

  std::atomic<uint32_t> pending;
  Waiter waiter;
};

class IoEngine;

struct IoRequest {
  // Whether io_uring has this operation at all; then `ring.sqe` describes it. (This kernel may
  // still not have it.)
  bool has_sqe = false;
  // The operation as a blocking call. Result: >= 0 or -errno.
  int64_t (*block)(IoRequest*) = nullptr;
  // For `block`: what to call it with.
  void* context = nullptr;

  int64_t result = 0;
  IoGroup* group = nullptr;
  // The requests of a batch go to IoEngine::submit() as one list.
  IoRequest* next = nullptr;

  // The engine's, but for `ring.sqe`.
  IoEngine* engine = nullptr;
  RingOp ring;
  PoolJob job;

  // Any thread, once. The request and its group may be gone afterwards.
  void complete(int64_t value) {
    result = value;
    // Release: the waiter reads the results; acquire: the last one passes on those of the others.
    IoGroup* const g = group;
    if (g->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) g->waiter.resume();
  }
};

// Lets a thread of the pool run request->block and complete the request.
void submit_to_pool(IoRequest* request);

}  // namespace fiber::detail
