// Worker on a plain thread: what guest mode stands on.
#include "worker.h"

#include <gtest/gtest.h>

#include <string>

#include "fiber/sync.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber::detail {
namespace {

TEST(WorkerTest, AThreadRunsFibersUntilAConditionHoldsAndGoesOn) {
  Worker worker(64 << 10, Engine::kAuto, nullptr);
  for (int round = 0; round < 3; round++) {
    int ended = 0;
    for (int i = 0; i < 5; i++) {
      worker
          .spawn([&] {
            EXPECT_EQ(Worker::current(), &worker);
            yield();
            sleep_for(10000);
            ended++;
          })
          .detach();
    }
    EXPECT_EQ(worker.live(), 5u);
    worker.run_until([&] { return worker.live() == 0; });
    EXPECT_EQ(ended, 5);
    EXPECT_EQ(Worker::current(), nullptr);
    EXPECT_FALSE(in_fiber());
  }
}

TEST(WorkerTest, OtherThreadsWakeItsFibers) {
  Worker worker(64 << 10, Engine::kAuto, nullptr);
  const int rounds = 2000 / testing::kScaleDown;
  Semaphore there(0), back(0);
  Thread echo("echo", [&] {
    for (int i = 0; i < rounds; i++) {
      there.acquire();
      back.release();
    }
  });
  JoinHandle handle = worker.spawn([&] {
    for (int i = 0; i < rounds; i++) {
      there.release();
      back.acquire();
    }
  });
  worker.run_until([&] { return worker.live() == 0; });
  handle.join();
}

TEST(WorkerTest, SpawnNowRunsTheChildToItsFirstSuspension) {
  Worker worker(64 << 10, Engine::kAuto, nullptr);
  std::string order;
  worker
      .spawn([&] {
        JoinHandle a = worker.spawn_now([&] { order += 'a'; });
        order += '1';
        JoinHandle b = worker.spawn_now([&] {
          order += 'b';
          yield();
          order += 'B';
        });
        order += '2';
        b.join();
      })
      .detach();
  worker.run_until([&] { return worker.live() == 0; });
  EXPECT_EQ(order, "a1b2B");
}

TEST(WorkerTest, TimersFireInOrderAndCancel) {
  Worker worker(64 << 10, Engine::kAuto, nullptr);
  static std::string fired;
  fired.clear();
  struct Named : TimerNode {
    char name;
  };
  std::vector<Named> timers(26);
  const uint64_t now = now_nanos();
  for (size_t i = 0; i < timers.size(); i++) {
    timers[i].name = static_cast<char>('a' + i);
    timers[i].deadline = now + (i * 7 % 26) / 2;  // pairs of equal deadlines
    timers[i].fire = [](TimerNode* node) { fired += static_cast<Named*>(node)->name; };
    worker.start_timer(&timers[i]);
  }
  for (size_t i = 0; i < timers.size(); i += 5) worker.cancel_timer(&timers[i]);
  worker.cancel_timer(&timers[0]);
  worker.run_until([&] { return fired.size() == 20; });
  std::string expected;
  for (size_t deadline = 0; deadline < 13; deadline++) {
    for (size_t i = 0; i < 26; i++) {
      if (i % 5 != 0 && (i * 7 % 26) / 2 == deadline) expected += static_cast<char>('a' + i);
    }
  }
  EXPECT_EQ(fired, expected);
}

}  // namespace
}  // namespace fiber::detail
