// What NewThreadPool() gives: our own pool (thread_pool.h) behind the public interface.
#include <algorithm>
#include <utility>

#include "fs/thread_pool.h"
#include "rocksdb/threadpool.h"

namespace ROCKSDB_NAMESPACE {
namespace {

class PublicThreadPool final : public ThreadPool {
 public:
  explicit PublicThreadPool(int threads) : pool_("rocksdb:pool", Env::USER, std::max(threads, 0)) {}
  ~PublicThreadPool() override { JoinAllThreads(); }

  void JoinAllThreads() override {
    pool_.Unschedule(nullptr);
    pool_.Stop();
    pool_.Join();
  }
  void WaitForJobsAndJoinAllThreads() override {
    pool_.Stop();  // its threads run what is queued before they end
    pool_.Join();
  }
  void SetBackgroundThreads(int num) override { pool_.SetLimit(std::max(num, 0)); }
  int GetBackgroundThreads() override { return pool_.limit(); }
  unsigned int GetQueueLen() const override {
    return static_cast<unsigned int>(pool_.queue_length());
  }
  void SubmitJob(const std::function<void()>& job) override { SubmitJob(std::function(job)); }
  void SubmitJob(std::function<void()>&& job) override { pool_.Schedule(std::move(job)); }

 private:
  cairn::ThreadPool pool_;
};

}  // namespace

ThreadPool* NewThreadPool(int num_threads) { return new PublicThreadPool(num_threads); }

}  // namespace ROCKSDB_NAMESPACE
