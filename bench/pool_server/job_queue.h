// The hand-over from the I/O threads to the pool: a queue under a mutex, with a condition variable.
// Thread safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace pool_server {

template <typename Job>
class JobQueue {
 public:
  void Push(Job job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(job);
    }
    available_.notify_one();
  }
  // All under one lock.
  void PushAll(const std::vector<Job>& jobs) {
    if (jobs.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      jobs_.insert(jobs_.end(), jobs.begin(), jobs.end());
    }
    for (size_t i = 0; i < jobs.size(); ++i) available_.notify_one();
  }
  // Blocks until there is a job. False: the queue is closed and empty.
  bool Pop(Job* job) {
    std::unique_lock lock(mutex_);
    available_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return false;
    *job = jobs_.front();
    jobs_.pop_front();
    return true;
  }
  // What is in it is done still.
  void Close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    available_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable available_;
  std::deque<Job> jobs_;  // under mutex_
  bool closed_ = false;   // under mutex_
};

}  // namespace pool_server
