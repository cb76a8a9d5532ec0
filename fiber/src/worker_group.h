// WorkerGroup: what the workers of one runtime share.
//
// Placement: Runtime::spawn() puts a new fiber into the FreshQueue of the less loaded of two
// workers. If that one sleeps it is woken. If it runs, and another one sleeps, that one is woken
// instead and becomes a searcher: it takes the fiber if it still lies there after
// Worker::kStealAgeMicros, or, if that would make the load uneven, after kRescueAgeMicros. So a
// fiber placed behind one that computes for long is rescued, and one whose worker is merely between
// two suspensions, or makes one fiber after the other, is left where it keeps the load even.
//
// Invariant: while a fresh fiber waits at a worker that runs, no worker of the group sleeps without
// a deadline unless somebody has it in hand: a spawner pushes, then reads searchers and sleepers; a
// worker counts itself as asleep, then looks at all queues (both sequentially consistent).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "fiber/wait.h"

namespace fiber::detail {

class Worker;

struct WorkerGroup {
  // Constant from before the first worker runs until after the last one has.
  std::vector<Worker*> workers;
  // Workers with fibers, and fibers on their way to a worker. Woken at zero.
  std::atomic<uint32_t> busy{0};
  // Workers that sleep or are about to; and those of them that look for fibers now and then.
  std::atomic<uint32_t> sleepers{0};
  std::atomic<uint32_t> searchers{0};

  void leave_busy() {
    if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) wake(&busy, SIZE_MAX);
  }
};

}  // namespace fiber::detail
