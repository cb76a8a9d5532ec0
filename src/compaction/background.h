// Where flushes and compactions run: OS threads of their own (fiber::Thread), in two pools so that
// a long compaction never keeps a flush waiting. One per database; db/ decides what to run and how
// many at once. An Env of the user's (a class of its own) runs them itself, as in RocksDB: by its
// Schedule and UnSchedule.
//
// Thread safety: every method may be called from any thread or fiber, with the database mutex held
// or not: none of them but WaitForIdle and Shutdown waits. A job runs without any lock held, and
// must end soon once its owner's own shutting-down flag is set.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "fiber/function.h"
#include "rocksdb/env.h"

namespace cairn {

class ThreadPool;

enum class JobPriority { kHigh, kLow };  // flushes; compactions

class BackgroundScheduler {
 public:
  // Threads start with the first job of their pool. `name` prefixes their names ("rocksdb:high0").
  // `env` (may be null) is told the numbers, in its pools HIGH and LOW; it outlives this.
  BackgroundScheduler(std::string name, int high_threads, int low_threads, Env* env = nullptr);
  // Shutdown().
  ~BackgroundScheduler();
  BackgroundScheduler(const BackgroundScheduler&) = delete;
  BackgroundScheduler& operator=(const BackgroundScheduler&) = delete;

  // From now on. Jobs that run go on; threads that are too many stay idle.
  void SetThreads(int high_threads, int low_threads);
  // Jobs of one pool start in the order of their arrival. false after Shutdown (the job is
  // dropped).
  bool Schedule(JobPriority priority, fiber::Function job);
  // Queued, not yet started.
  size_t queue_length(JobPriority priority) const;
  // Returns when no job is queued or running. SUSPENDS.
  void WaitForIdle();
  // Runs what is queued, joins the threads; later jobs are refused. REQUIRES: not called from a
  // job. SUSPENDS.
  void Shutdown();

 private:
  struct Elsewhere;

  std::unique_ptr<ThreadPool> pools_[2];
  std::shared_ptr<Elsewhere> elsewhere_;  // null: the pools run what there is
};

}  // namespace cairn
