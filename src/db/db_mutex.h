// The database's mutex and its conditions: fiber's, and at kEnableTime the performance contexts
// have the time that a caller waited for them (db_mutex_lock_nanos, db_condition_wait_nanos).
#pragma once

#include <cstdint>

#include "base/namespace.h"
#include "base/perf.h"
#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"

namespace cairn {

class FIBER_CAPABILITY("mutex") DBMutex : public fiber::Mutex {
 public:
  // SUSPENDS.
  void lock() FIBER_ACQUIRE() {
    const PerfTimer timer(Perf(), &PerfContext::db_mutex_lock_nanos, kEnableTime);
    fiber::Mutex::lock();
  }
};

using DBMutexLock = fiber::BasicMutexLock<DBMutex>;

class DBCondition : public fiber::CondVar {
 public:
  // SUSPENDS (both).
  void wait(DBMutex* mutex) FIBER_REQUIRES(mutex) {
    const PerfTimer timer(Perf(), &PerfContext::db_condition_wait_nanos, kEnableTime);
    fiber::CondVar::wait(mutex);
  }
  bool wait_until(DBMutex* mutex, uint64_t deadline) FIBER_REQUIRES(mutex) {
    const PerfTimer timer(Perf(), &PerfContext::db_condition_wait_nanos, kEnableTime);
    return fiber::CondVar::wait_until(mutex, deadline);
  }
};

}  // namespace cairn
