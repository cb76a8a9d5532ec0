#include "compaction/background.h"

#include <typeinfo>
#include <utility>

#include "base/perf.h"
#include "fiber/mutex.h"
#include "fs/thread_pool.h"

namespace cairn {
namespace {

Env::Priority PoolOf(JobPriority priority) {
  return priority == JobPriority::kHigh ? Env::HIGH : Env::LOW;
}

}  // namespace

// Jobs that an Env of the user's runs. Jobs keep it: the last one may end after its scheduler.
struct BackgroundScheduler::Elsewhere {
  struct Job {
    std::shared_ptr<Elsewhere> owner;
    Env::Priority priority;
    fiber::Function run;
  };

  // What the Env calls, from its Schedule's thread or from its UnSchedule: a job that is not to run
  // any more sees by itself that it is late.
  static void Run(void* argument) {
    std::unique_ptr<Job> job(static_cast<Job*>(argument));
    uint64_t& pool = Perf::State()->io.thread_pool_id;
    const uint64_t before = std::exchange(pool, job->priority);
    job->run();
    job->run = nullptr;  // what it captured goes before the job counts as ended
    Perf::State()->io.thread_pool_id = before;
    Elsewhere* const owner = job->owner.get();
    fiber::MutexLock lock(&owner->mutex);
    if (--owner->unfinished == 0) owner->idle.notify_all();
  }

  Env* env = nullptr;
  fiber::Mutex mutex;
  fiber::CondVar idle;
  size_t unfinished FIBER_GUARDED_BY(mutex) = 0;
  bool stopping FIBER_GUARDED_BY(mutex) = false;
};

BackgroundScheduler::BackgroundScheduler(std::string name, int high_threads, int low_threads,
                                         Env* env) {
  pools_[0] = std::make_unique<ThreadPool>(name + ":high", Env::HIGH, high_threads);
  pools_[1] = std::make_unique<ThreadPool>(name + ":low", Env::LOW, low_threads);
  if (env == nullptr) return;
  if (typeid(*env) != typeid(Env)) {
    elsewhere_ = std::make_shared<Elsewhere>();
    elsewhere_->env = env;
  }
  env->IncBackgroundThreadsIfNeeded(low_threads, Env::LOW);
  env->IncBackgroundThreadsIfNeeded(high_threads, Env::HIGH);
}

BackgroundScheduler::~BackgroundScheduler() { Shutdown(); }

void BackgroundScheduler::SetThreads(int high_threads, int low_threads) {
  if (elsewhere_ != nullptr) {
    elsewhere_->env->IncBackgroundThreadsIfNeeded(low_threads, Env::LOW);
    elsewhere_->env->IncBackgroundThreadsIfNeeded(high_threads, Env::HIGH);
    return;
  }
  pools_[0]->SetLimit(high_threads);
  pools_[1]->SetLimit(low_threads);
}

bool BackgroundScheduler::Schedule(JobPriority priority, fiber::Function job) {
  if (elsewhere_ == nullptr) {
    return pools_[static_cast<int>(priority)]->Schedule(std::move(job));
  }
  {
    fiber::MutexLock lock(&elsewhere_->mutex);
    if (elsewhere_->stopping) return false;
    ++elsewhere_->unfinished;
  }
  auto* const scheduled = new Elsewhere::Job{elsewhere_, PoolOf(priority), std::move(job)};
  elsewhere_->env->Schedule(&Elsewhere::Run, scheduled, PoolOf(priority), elsewhere_.get(),
                            &Elsewhere::Run);
  return true;
}

size_t BackgroundScheduler::queue_length(JobPriority priority) const {
  if (elsewhere_ != nullptr) return elsewhere_->env->GetThreadPoolQueueLen(PoolOf(priority));
  return pools_[static_cast<int>(priority)]->queue_length();
}

void BackgroundScheduler::WaitForIdle() {
  if (elsewhere_ == nullptr) return ThreadPool::WaitForIdle(pools_[0].get(), pools_[1].get());
  fiber::MutexLock lock(&elsewhere_->mutex);
  while (elsewhere_->unfinished > 0) elsewhere_->idle.wait(&elsewhere_->mutex);
}

void BackgroundScheduler::Shutdown() {
  if (elsewhere_ != nullptr) {
    {
      fiber::MutexLock lock(&elsewhere_->mutex);
      if (std::exchange(elsewhere_->stopping, true)) return;
    }
    elsewhere_->env->UnSchedule(elsewhere_.get(), Env::LOW);
    elsewhere_->env->UnSchedule(elsewhere_.get(), Env::HIGH);
    return WaitForIdle();
  }
  // Both pools are told first: a job of one may schedule for the other.
  for (const std::unique_ptr<ThreadPool>& pool : pools_) pool->Stop();
  for (const std::unique_ptr<ThreadPool>& pool : pools_) pool->Join();
}

}  // namespace cairn
