// Watchdog: looks from a thread of its own whether a fiber keeps its worker for long without a
// suspension, and says so on stderr. Costs the workers nothing: it reads their counters.
//
// What counts is the processor time of the worker's thread, not wall time: a worker that the kernel
// keeps waiting is not the fiber's fault. A fiber that blocks its thread in a system call is not
// reported.
//
// Thread safety: created and destroyed by one thread; the group's workers outlive it.
#pragma once

#include <cstdint>

#include "fiber/sync.h"
#include "fiber/thread.h"
#include "worker_group.h"

namespace fiber::detail {

class Watchdog {
 public:
  // Reports a fiber after `limit_nanos` > 0, at the latest after 2.5 times that; each run of a
  // fiber once, and in the whole process one line a second at most. `by_place`: each place where a
  // fiber computes once in the life of the process, with its backtrace, and no more lines than
  // that.
  Watchdog(const WorkerGroup* group, uint64_t limit_nanos, bool by_place);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();

  const WorkerGroup* const group_;
  const uint64_t limit_nanos_;
  const bool by_place_;
  Event stop_;
  Thread thread_;
};

// For tests that run again in one process: all places may be told anew.
void forget_told_places();

// What FIBER_WATCH_MS asks for, from 1 to an hour, in nanoseconds; 0: nothing.
uint64_t asked_watch_nanos();

}  // namespace fiber::detail
