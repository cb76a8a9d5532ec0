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
  // fiber once, and in the whole process one line a second at most.
  Watchdog(const WorkerGroup* group, uint64_t limit_nanos);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();

  const WorkerGroup* const group_;
  const uint64_t limit_nanos_;
  Event stop_;
  Thread thread_;
};

}  // namespace fiber::detail
