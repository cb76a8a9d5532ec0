// The mutex of an open database and its conditions: fiber's, and at kEnableTime the performance
// contexts have the time that a caller waited for them (db_mutex_lock_nanos,
// db_condition_wait_nanos).
//
// A database is several classes (db/database.h) under one mutex. Clang's lock analysis compares
// expressions, and would take `db_.mutex` of one class for another mutex than `db_.mutex` of the
// next. So it knows all databases' mutexes as one capability, `database_mutex`: nobody holds two.
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

class DBMutex {
 public:
  DBMutex() = default;
  DBMutex(const DBMutex&) = delete;
  DBMutex& operator=(const DBMutex&) = delete;

  // (What the analysis knows is the role.)
  // SUSPENDS.
  void lock() FIBER_ACQUIRE(database_mutex) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    const PerfTimer timer(Perf(), &PerfContext::db_mutex_lock_nanos, kEnableTime);
    mutex_.lock();
  }
  void unlock() FIBER_RELEASE(database_mutex) FIBER_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  // In debug builds: somebody holds it.
  void assert_held() const FIBER_ASSERT_HELD(database_mutex) { mutex_.assert_held(); }

 private:
  friend class DBCondition;
  fiber::Mutex mutex_;
};

class FIBER_SCOPED_CAPABILITY DBMutexLock {
 public:
  explicit DBMutexLock(DBMutex* mutex) FIBER_ACQUIRE(database_mutex) : mutex_(mutex) {
    mutex_->lock();
  }
  ~DBMutexLock() FIBER_RELEASE() {
    if (held_) mutex_->unlock();
  }
  DBMutexLock(const DBMutexLock&) = delete;
  DBMutexLock& operator=(const DBMutexLock&) = delete;

  // REQUIRES: held. / REQUIRES: not held.
  void unlock() FIBER_RELEASE() {
    held_ = false;
    mutex_->unlock();
  }
  void lock() FIBER_ACQUIRE() {
    mutex_->lock();
    held_ = true;
  }

 private:
  DBMutex* const mutex_;
  bool held_ = true;
};

class DBCondition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }
  // SUSPENDS (both). False: `deadline`, a now_nanos() value, has come.
  void wait(DBMutex* mutex) FIBER_REQUIRES(database_mutex) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    const PerfTimer timer(Perf(), &PerfContext::db_condition_wait_nanos, kEnableTime);
    condition_.wait(&mutex->mutex_);
  }
  bool wait_until(DBMutex* mutex, uint64_t deadline)
      FIBER_REQUIRES(database_mutex) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    const PerfTimer timer(Perf(), &PerfContext::db_condition_wait_nanos, kEnableTime);
    return condition_.wait_until(&mutex->mutex_, deadline);
  }

 private:
  fiber::CondVar condition_;
};

}  // namespace cairn
