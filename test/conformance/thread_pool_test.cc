// ThreadPool: a program's own functions on threads.
#include "rocksdb/threadpool.h"

#include "conformance.h"

namespace conformance {
namespace {

TEST(ThreadPoolTest, RunsAllThatWasSubmitted) {
  const std::unique_ptr<ThreadPool> pool(NewThreadPool(3));
  EXPECT_EQ(3, pool->GetBackgroundThreads());
  std::atomic<int> ran{0};
  const std::function<void()> job = [&ran] { ran.fetch_add(1); };
  for (int i = 0; i < 50; ++i) {
    pool->SubmitJob(job);
    pool->SubmitJob([&ran] { ran.fetch_add(1); });
  }
  pool->WaitForJobsAndJoinAllThreads();
  EXPECT_EQ(100, ran.load());
  EXPECT_EQ(0u, pool->GetQueueLen());
}

TEST(ThreadPoolTest, OneThreadKeepsTheOrder) {
  const std::unique_ptr<ThreadPool> pool(NewThreadPool(1));
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) pool->SubmitJob([&order, i] { order.push_back(i); });
  pool->WaitForJobsAndJoinAllThreads();
  ASSERT_EQ(20u, order.size());
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ThreadPoolTest, JoiningDropsWhatIsQueued) {
  const std::unique_ptr<ThreadPool> pool(NewThreadPool(1));
  std::atomic<bool> begun{false}, may_end{false};
  std::atomic<int> ran{0};
  pool->SubmitJob([&] {
    begun.store(true);
    while (!may_end.load()) TheEnv()->SleepForMicroseconds(100);
    ran.fetch_add(1);
  });
  while (!begun.load()) TheEnv()->SleepForMicroseconds(100);
  for (int i = 0; i < 5; ++i) pool->SubmitJob([&ran] { ran.fetch_add(1); });
  EXPECT_EQ(5u, pool->GetQueueLen());
  Thread other([&] { pool->JoinAllThreads(); });
  // (RocksDB's takes them off when a thread comes by.)
  TheEnv()->SleepForMicroseconds(1000);
  may_end.store(true);
  other.join();
  EXPECT_GE(6, ran.load());
  EXPECT_LE(1, ran.load());
}

TEST(ThreadPoolTest, TheNumberOfThreadsChanges) {
  const std::unique_ptr<ThreadPool> pool(NewThreadPool(1));
  pool->SetBackgroundThreads(4);
  EXPECT_EQ(4, pool->GetBackgroundThreads());
  // All four at once.
  std::atomic<int> inside{0};
  for (int i = 0; i < 4; ++i) {
    pool->SubmitJob([&inside] {
      inside.fetch_add(1);
      while (inside.load() < 4) TheEnv()->SleepForMicroseconds(100);
    });
  }
  pool->WaitForJobsAndJoinAllThreads();
  EXPECT_EQ(4, inside.load());
}

}  // namespace
}  // namespace conformance
