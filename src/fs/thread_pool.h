// ThreadPool: OS threads that run jobs, in the order of their coming. Threads start when there is
// something to do, and stay.
//
// Used by Env::Schedule, whose pools all databases and users of a process share, and by each
// database for its flushes and compactions (compaction/background.h).
//
// Thread safety: every method may be called from any thread or fiber. Only WaitForIdle and Join
// wait, but for what Unschedule calls.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fiber/function.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "rocksdb/env.h"

namespace cairn {

class ThreadPool {
 public:
  // `name` prefixes the threads' names; `priority` is what they say of themselves
  // (IOStatsContext::thread_pool_id).
  ThreadPool(std::string name, Env::Priority priority, int limit);
  // Stop(), Join().
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // How many jobs may run at once, from now on. Jobs that run go on; threads that are too many stay
  // idle.
  void SetLimit(int limit);
  void RaiseLimit(int limit);  // if it is lower
  int limit() const;
  // A job runs without any lock held. `tag` and `instead` are for Unschedule. false after Stop: the
  // job is dropped.
  bool Schedule(fiber::Function job, const void* tag = nullptr, fiber::Function instead = nullptr);
  // Drops the queued jobs of this tag, and calls what was given to run instead of them. Returns how
  // many there were.
  int Unschedule(const void* tag);
  // Queued, not yet started.
  size_t queue_length() const;

  // Returns when neither has a job queued or running: a job of one may schedule for the other.
  // SUSPENDS.
  static void WaitForIdle(ThreadPool* a, ThreadPool* b);
  // Later jobs are refused.
  void Stop();
  // After Stop: returns when what was queued has run. REQUIRES: not called from a job. SUSPENDS.
  void Join();

 private:
  struct Job {
    fiber::Function run;
    const void* tag;
    fiber::Function instead;
  };

  void Run();
  void StartThreads() FIBER_REQUIRES(mutex_);
  bool Idle() const FIBER_REQUIRES(mutex_) { return queue_.empty() && running_ == 0; }

  const std::string name_;
  const Env::Priority priority_;
  mutable fiber::Mutex mutex_;
  fiber::CondVar work_;
  fiber::CondVar idle_;
  int limit_ FIBER_GUARDED_BY(mutex_);
  std::deque<Job> queue_ FIBER_GUARDED_BY(mutex_);
  std::vector<fiber::Thread> threads_ FIBER_GUARDED_BY(mutex_);
  int running_ FIBER_GUARDED_BY(mutex_) = 0;
  bool stopping_ FIBER_GUARDED_BY(mutex_) = false;
};

}  // namespace cairn
