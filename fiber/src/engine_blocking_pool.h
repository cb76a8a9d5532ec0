// A small bounded pool of OS threads for calls that block in the kernel.
//
// Called by the pool engine for every operation, and by the io_uring engine for those that the
// kernel's ring cannot do. One pool serves all runtimes of the process: it starts its first thread
// with the first job, grows while jobs wait and no thread is idle, and keeps its threads to the end
// of the process (an idle one costs a stack). After fork() the child has none of them: it gets a
// pool of its own.
//
// Thread safety: submit() and remove() may be called from any thread.
// Invariants: a job that is not removed runs exactly once, on some pool thread (on the caller's, if
// no thread can be started at all); the pool does not touch a job after run() was entered, so that
// the job may vanish inside run().
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "fifo.h"

namespace fiber::detail {

// Lives with the caller (usually on its stack) until run() has told it that the call is done.
struct PoolJob {
  void (*run)(PoolJob*) = nullptr;
  PoolJob* next = nullptr;
};

class BlockingPool {
 public:
  // Enough to keep a disk busy without the ring, few enough to be cheap.
  static constexpr size_t kMaxThreads = 32;
  // An idle thread that has left reads in flight behind, abandoned at a deadline, looks this often
  // whether they have landed.
  static constexpr std::chrono::milliseconds kLandingInterval{10};

  // The pool of the process. Never destroyed: its threads may run until the last moment.
  static BlockingPool& instance();

  void submit(PoolJob* job);
  // Takes a submitted job back: it will not run. False: it runs, or has run; `job` need not exist.
  bool remove(PoolJob* job);

  // Threads started so far.
  size_t threads() const;

 private:
  static void thread_main(void* self);
  // True if a new thread runs. Called without mutex_: starting a thread is slow.
  bool start_thread();
  void serve();

  mutable std::mutex mutex_;
  std::condition_variable work_;
  // Guarded by mutex_: jobs that no thread has begun, threads that wait on work_, and all threads.
  Fifo<PoolJob> jobs_;
  size_t idle_ = 0;
  size_t threads_ = 0;
};

}  // namespace fiber::detail
