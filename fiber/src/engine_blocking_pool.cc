// See engine_blocking_pool.h.
#include "engine_blocking_pool.h"

#include <atomic>

#include "fork.h"
#include "guest.h"
#include "keep_loaded.h"
#include "os_thread.h"
#include "worker.h"

namespace fiber::detail {

namespace {
constinit std::atomic<BlockingPool*> g_pool{nullptr};
}  // namespace

BlockingPool& BlockingPool::instance() {
  BlockingPool* pool = g_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  auto* const made = new BlockingPool;
  if (g_pool.compare_exchange_strong(pool, made, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
    return *made;
  }
  delete made;
  return *pool;
}

void forget_blocking_pool() { g_pool.store(nullptr, std::memory_order_relaxed); }

size_t BlockingPool::threads() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return threads_;
}

void BlockingPool::submit(PoolJob* job) {
  bool grow;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // Idle threads that were woken but have not yet taken their job still count as idle, so compare
    // with the queue.
    grow = jobs_.size() >= idle_ && threads_ < kMaxThreads;
    if (grow) ++threads_;
    jobs_.push_back(job);
  }
  work_.notify_one();
  if (!grow || start_thread()) return;

  // No thread could be started. With others alive the job only waits longer; alone, the caller does
  // the work.
  Fifo<PoolJob> orphans;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--threads_ == 0) {
      while (PoolJob* const orphan = jobs_.pop_front()) orphans.push_back(orphan);
    }
  }
  while (PoolJob* const orphan = orphans.pop_front()) orphan->run(orphan);
}

bool BlockingPool::remove(PoolJob* job) {
  std::lock_guard<std::mutex> lock(mutex_);
  return jobs_.remove(job);
}

bool BlockingPool::start_thread() {
  keep_loaded();  // nobody joins it
  return os_start_detached(thread_main, this);
}

void BlockingPool::thread_main(void* self) {
  os_name_thread("fiber-io");
  static_cast<BlockingPool*>(self)->serve();
}

void BlockingPool::serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    while (jobs_.empty()) {
      Worker* const guest = existing_guest_worker();
      const bool flights = guest != nullptr && guest->has_flights();
      ++idle_;
      if (flights) {
        work_.wait_for(lock, kLandingInterval);
      } else {
        work_.wait(lock);
      }
      --idle_;
      if (!flights || !jobs_.empty()) continue;
      lock.unlock();
      guest->take_turn();
      lock.lock();
    }
    PoolJob* const job = jobs_.pop_front();
    lock.unlock();
    job->run(job);
    lock.lock();
  }
}

}  // namespace fiber::detail
