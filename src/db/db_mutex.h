// The database's mutex and its conditions: fiber's, and at kEnableTime the performance contexts
// have the time that a caller waited for them (db_mutex_lock_nanos, db_condition_wait_nanos).
//
// A database is several classes (db/database.h) under one mutex. Clang's lock analysis compares
// expressions, and would take the mutex that one class reaches for another than that of the next.
// So Database::mutex() is what it knows as `database_mutex`, whichever database's: nobody holds
// two.
#pragma once

#include <cstdint>

#include "base/namespace.h"
#include "base/perf.h"
#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"

namespace cairn {

class FIBER_CAPABILITY("database mutex") DBMutexRole {};
// For FIBER_REQUIRES and FIBER_GUARDED_BY.
inline constexpr DBMutexRole database_mutex;

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
