#include "fs/thread_pool.h"

#include <algorithm>
#include <utility>

#include "base/perf.h"
#include "fs/thread_list.h"

namespace cairn {

ThreadPool::ThreadPool(std::string name, Env::Priority priority, int limit)
    : name_(std::move(name)), priority_(priority), limit_(limit) {}

ThreadPool::~ThreadPool() {
  Stop();
  Join();
}

void ThreadPool::Run() {
  Perf::State()->io.thread_pool_id = priority_;  // for filters, listeners and the like
  const ListedThread listed(priority_);
  fiber::MutexLock lock(&mutex_);
  while (true) {
    while (!stopping_ && (queue_.empty() || running_ >= limit_)) work_.wait(&mutex_);
    if (queue_.empty()) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    job.run();
    job = Job();  // what it captured goes before the job counts as ended
    lock.lock();
    --running_;
    if (Idle()) idle_.notify_all();
  }
}

void ThreadPool::StartThreads() {
  const size_t wanted = std::min(queue_.size() + static_cast<size_t>(running_),
                                 static_cast<size_t>(std::max(limit_, 0)));
  while (threads_.size() < wanted) {
    threads_.emplace_back(name_ + std::to_string(threads_.size()), [this] { Run(); });
  }
}

void ThreadPool::SetLimit(int limit) {
  fiber::MutexLock lock(&mutex_);
  if (stopping_) return;
  limit_ = limit;
  StartThreads();
  work_.notify_all();
}

void ThreadPool::RaiseLimit(int limit) {
  fiber::MutexLock lock(&mutex_);
  if (stopping_ || limit <= limit_) return;
  limit_ = limit;
  if (queue_.empty()) return;
  StartThreads();
  work_.notify_all();
}

int ThreadPool::limit() const {
  fiber::MutexLock lock(&mutex_);
  return limit_;
}

bool ThreadPool::Schedule(fiber::Function job, const void* tag, fiber::Function instead) {
  {
    fiber::MutexLock lock(&mutex_);
    if (stopping_) return false;
    queue_.push_back({std::move(job), tag, std::move(instead)});
    StartThreads();
  }
  work_.notify_one();
  return true;
}

int ThreadPool::Unschedule(const void* tag) {
  std::vector<Job> dropped;
  {
    fiber::MutexLock lock(&mutex_);
    std::deque<Job> kept;
    for (Job& job : queue_) {
      if (job.tag == tag) {
        dropped.push_back(std::move(job));
      } else {
        kept.push_back(std::move(job));
      }
    }
    queue_ = std::move(kept);
    if (Idle()) idle_.notify_all();
  }
  for (Job& job : dropped) {
    if (job.instead) job.instead();
  }
  return static_cast<int>(dropped.size());
}

size_t ThreadPool::queue_length() const {
  fiber::MutexLock lock(&mutex_);
  return queue_.size();
}

void ThreadPool::WaitForIdle(ThreadPool* a, ThreadPool* b) {
  while (true) {
    for (ThreadPool* pool : {a, b}) {
      fiber::MutexLock lock(&pool->mutex_);
      while (!pool->Idle()) pool->idle_.wait(&pool->mutex_);
    }
    // Only a look at both tells.
    fiber::MutexLock lock_a(&a->mutex_);
    fiber::MutexLock lock_b(&b->mutex_);
    if (a->Idle() && b->Idle()) return;
  }
}

void ThreadPool::Stop() {
  fiber::MutexLock lock(&mutex_);
  stopping_ = true;
  work_.notify_all();
}

void ThreadPool::Join() {
  std::vector<fiber::Thread> threads;
  {
    fiber::MutexLock lock(&mutex_);
    threads.swap(threads_);
  }
  for (fiber::Thread& thread : threads) thread.join();
}

}  // namespace cairn
