#include "compaction/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"

namespace cairn {
namespace {

TEST(BackgroundScheduler, JobsOfAPoolStartInOrder) {
  BackgroundScheduler scheduler("test", 1, 1);
  std::vector<int> order;  // one thread touches it
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(scheduler.Schedule(JobPriority::kLow, [&order, i] { order.push_back(i); }));
  }
  scheduler.WaitForIdle();
  ASSERT_EQ(100u, order.size());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(i, order[static_cast<size_t>(i)]);
  EXPECT_EQ(0u, scheduler.queue_length(JobPriority::kLow));
}

TEST(BackgroundScheduler, AFlushDoesNotWaitForACompaction) {
  BackgroundScheduler scheduler("test", 1, 1);
  fiber::Event release;
  fiber::Event flushed;
  ASSERT_TRUE(scheduler.Schedule(JobPriority::kLow, [&] { release.wait(); }));
  ASSERT_TRUE(scheduler.Schedule(JobPriority::kHigh, [&] { flushed.set(); }));
  flushed.wait();
  release.set();
  scheduler.WaitForIdle();
}

TEST(BackgroundScheduler, TheNumberOfThreadsMayChange) {
  BackgroundScheduler scheduler("test", 1, 1);
  std::atomic<int> running{0}, most{0}, done{0};
  fiber::Event release, three;
  const auto job = [&] {
    const int now = running.fetch_add(1) + 1;
    if (now == 3) three.set();
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    release.wait();
    running.fetch_sub(1);
    done.fetch_add(1);
  };
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(scheduler.Schedule(JobPriority::kLow, job));
  scheduler.SetThreads(1, 3);  // those that wait begin
  three.wait();
  scheduler.SetThreads(1, 1);
  release.set();
  scheduler.WaitForIdle();
  EXPECT_EQ(done.load(), 8);
  EXPECT_EQ(most.load(), 3);
  most.store(0);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(scheduler.Schedule(JobPriority::kLow, job));
  scheduler.WaitForIdle();
  EXPECT_EQ(most.load(), 1);
  EXPECT_EQ(done.load(), 58);
}

TEST(BackgroundScheduler, APoolRunsAsManyJobsAtOnceAsItHasThreads) {
  BackgroundScheduler scheduler("test", 1, 3);
  fiber::Latch all_running(3);
  fiber::Event release;
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(scheduler.Schedule(JobPriority::kLow, [&, i] {
      const int now = running.fetch_add(1) + 1;
      int seen = most.load();
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      if (i < 3) all_running.count_down();
      release.wait();
      running.fetch_sub(1);
    }));
  }
  all_running.wait();
  EXPECT_EQ(3u, scheduler.queue_length(JobPriority::kLow));
  release.set();
  scheduler.WaitForIdle();
  EXPECT_EQ(3, most.load());
}

TEST(BackgroundScheduler, ShutdownRunsWhatIsQueuedAndRefusesMore) {
  std::atomic<int> done{0};
  BackgroundScheduler scheduler("test", 2, 2);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(scheduler.Schedule(i % 2 == 0 ? JobPriority::kLow : JobPriority::kHigh,
                                   [&] { done.fetch_add(1); }));
  }
  scheduler.Shutdown();
  EXPECT_EQ(50, done.load());
  EXPECT_FALSE(scheduler.Schedule(JobPriority::kLow, [&] { done.fetch_add(1); }));
  scheduler.Shutdown();
  EXPECT_EQ(50, done.load());
}

TEST(BackgroundScheduler, JobsMayScheduleJobs) {
  std::atomic<int> depth{0};
  BackgroundScheduler scheduler("test", 1, 1);
  struct Again {
    BackgroundScheduler* scheduler;
    std::atomic<int>* depth;
    void operator()() const {
      if (depth->fetch_add(1) < 20) {
        scheduler->Schedule(depth->load() % 2 == 0 ? JobPriority::kLow : JobPriority::kHigh,
                            Again(*this));
      }
    }
  };
  ASSERT_TRUE(scheduler.Schedule(JobPriority::kLow, Again{&scheduler, &depth}));
  // The chain hops between the pools, but some job is queued or running until its end.
  scheduler.WaitForIdle();
  EXPECT_EQ(21, depth.load());
}

TEST(BackgroundScheduler, FibersMayScheduleAndWait) {
  fiber::Runtime runtime;
  const int done = runtime.run([] {
    std::atomic<int> count{0};
    BackgroundScheduler scheduler("test", 1, 2);
    for (int i = 0; i < 10; ++i) {
      scheduler.Schedule(JobPriority::kLow, [&] { count.fetch_add(1); });
    }
    scheduler.WaitForIdle();
    return count.load();
  });
  EXPECT_EQ(10, done);
}

}  // namespace
}  // namespace cairn
