#include "compaction/background.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "base/perf.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "rocksdb/env.h"

namespace cairn {

struct BackgroundScheduler::Pool {
  Pool(std::string thread_prefix, Env::Priority thread_priority, int thread_limit, int thread_nice)
      : prefix(std::move(thread_prefix)),
        priority(thread_priority),
        nice(thread_nice),
        limit(thread_limit) {}

  void Run() {
    Perf::State()->io.thread_pool_id = priority;  // for filters, listeners and the like
    fiber::MutexLock lock(&mutex);
    while (true) {
      while (!stopping && (queue.empty() || running >= limit)) work.wait(&mutex);
      if (queue.empty()) return;
      fiber::Function job = std::move(queue.front());
      queue.pop_front();
      ++running;
      lock.unlock();
      job();
      job = nullptr;  // what it captured goes before the job counts as ended
      lock.lock();
      --running;
      if (Idle()) idle.notify_all();
    }
  }

  void StartThreads() FIBER_REQUIRES(mutex) {
    const size_t wanted =
        std::min(queue.size() + static_cast<size_t>(running), static_cast<size_t>(limit));
    while (threads.size() < wanted) {
      threads.emplace_back(prefix + std::to_string(threads.size()), [this] { Run(); }, nice);
    }
  }

  bool Idle() const FIBER_REQUIRES(mutex) { return queue.empty() && running == 0; }

  const std::string prefix;
  const Env::Priority priority;
  const int nice;
  mutable fiber::Mutex mutex;
  int limit FIBER_GUARDED_BY(mutex);
  fiber::CondVar work;
  fiber::CondVar idle;
  std::deque<fiber::Function> queue FIBER_GUARDED_BY(mutex);
  std::vector<fiber::Thread> threads FIBER_GUARDED_BY(mutex);
  int running FIBER_GUARDED_BY(mutex) = 0;
  bool stopping FIBER_GUARDED_BY(mutex) = false;
};

BackgroundScheduler::BackgroundScheduler(std::string name, int high_threads, int low_threads) {
  pools_[0] = std::make_unique<Pool>(name + ":high", Env::HIGH, high_threads, 0);
  pools_[1] = std::make_unique<Pool>(name + ":low", Env::LOW, low_threads, 0);
}

BackgroundScheduler::~BackgroundScheduler() { Shutdown(); }

void BackgroundScheduler::SetThreads(int high_threads, int low_threads) {
  const int limits[] = {high_threads, low_threads};
  for (int i = 0; i < 2; ++i) {
    Pool* const pool = pools_[i].get();
    fiber::MutexLock lock(&pool->mutex);
    if (pool->stopping) continue;
    pool->limit = limits[i];
    pool->StartThreads();
    pool->work.notify_all();
  }
}

bool BackgroundScheduler::Schedule(JobPriority priority, fiber::Function job) {
  Pool* pool = pools_[static_cast<int>(priority)].get();
  {
    fiber::MutexLock lock(&pool->mutex);
    if (pool->stopping) return false;
    pool->queue.push_back(std::move(job));
    pool->StartThreads();
  }
  pool->work.notify_one();
  return true;
}

size_t BackgroundScheduler::queue_length(JobPriority priority) const {
  const Pool* pool = pools_[static_cast<int>(priority)].get();
  fiber::MutexLock lock(&pool->mutex);
  return pool->queue.size();
}

void BackgroundScheduler::WaitForIdle() {
  Pool* const high = pools_[0].get();
  Pool* const low = pools_[1].get();
  while (true) {
    for (Pool* pool : {high, low}) {
      fiber::MutexLock lock(&pool->mutex);
      while (!pool->Idle()) pool->idle.wait(&pool->mutex);
    }
    // A job of one may have scheduled for the other in between: only a look at both tells.
    fiber::MutexLock high_lock(&high->mutex);
    fiber::MutexLock low_lock(&low->mutex);
    if (high->Idle() && low->Idle()) return;
  }
}

void BackgroundScheduler::Shutdown() {
  // Both pools are told first: a job of one may schedule for the other.
  for (const std::unique_ptr<Pool>& pool : pools_) {
    fiber::MutexLock lock(&pool->mutex);
    pool->stopping = true;
    pool->work.notify_all();
  }
  for (const std::unique_ptr<Pool>& pool : pools_) {
    std::vector<fiber::Thread> threads;
    {
      fiber::MutexLock lock(&pool->mutex);
      threads.swap(pool->threads);
    }
    for (fiber::Thread& thread : threads) thread.join();
  }
}

}  // namespace cairn
