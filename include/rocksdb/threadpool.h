// ThreadPool: threads that run a program's own functions. (A database's background work has its own
// threads; see DBOptions::max_background_jobs and Env::Schedule.)
#pragma once

#include <functional>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Thread-safe. Destroying it is JoinAllThreads().
class ThreadPool {
 public:
  virtual ~ThreadPool() {}

  // Waits for what runs, drops what is queued, and ends the threads. Later jobs are dropped.
  virtual void JoinAllThreads() = 0;
  // Waits for all that was submitted, and ends the threads. Later jobs are dropped.
  virtual void WaitForJobsAndJoinAllThreads() = 0;

  // How many run at once, from now on; what runs, runs on. 0: none begins. REQUIRES: num >= 0.
  virtual void SetBackgroundThreads(int num) = 0;
  virtual int GetBackgroundThreads() = 0;
  // Submitted, not yet begun.
  virtual unsigned int GetQueueLen() const = 0;

  // Jobs begin in the order of their coming. They must not throw.
  virtual void SubmitJob(const std::function<void()>&) = 0;
  virtual void SubmitJob(std::function<void()>&&) = 0;

  // How many threads were set aside for jobs that need several, or given back: none, unless the
  // pool is one's own.
  virtual int ReserveThreads(int /*threads_to_be_reserved*/) { return 0; }
  virtual int ReleaseThreads(int /*threads_to_be_released*/) { return 0; }
};

// The caller owns it.
extern ThreadPool* NewThreadPool(int num_threads);

}  // namespace ROCKSDB_NAMESPACE
