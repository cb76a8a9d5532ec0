// Semaphore, Latch, Event, call_once.
#include "fiber/sync.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "fiber/mutex.h"
#include "testing.h"

namespace fiber {
namespace {

using testing::far_deadline;
using testing::kMillisecond;
using testing::kScaleDown;
using testing::run_mixed;

TEST(SemaphoreTest, CountsUnits) {
  Semaphore semaphore(3);
  EXPECT_TRUE(semaphore.try_acquire(2));
  EXPECT_FALSE(semaphore.try_acquire(2));
  semaphore.acquire();
  EXPECT_EQ(semaphore.value(), 0u);
  EXPECT_FALSE(semaphore.acquire_until(now_nanos() + kMillisecond));
  semaphore.release(2);
  EXPECT_TRUE(semaphore.acquire_until(far_deadline(), 2));
}

TEST(SemaphoreTest, FirstComeFirstServedAndATimedOutHeadLetsTheNextGo) {
  Runtime runtime;
  runtime.run([] {
    Semaphore semaphore(1);
    std::string order;
    JoinHandle big = spawn([&] {
      EXPECT_FALSE(semaphore.acquire_until(now_nanos() + 5 * kMillisecond, 5));
      order += "B";
    });
    yield();
    JoinHandle small = spawn([&] {
      semaphore.acquire();
      order += "s";
    });
    yield();
    EXPECT_FALSE(semaphore.try_acquire());  // nobody overtakes
    EXPECT_EQ(order, "");
    small.join();
    big.join();
    EXPECT_EQ(semaphore.value(), 0u);
    EXPECT_EQ(order.size(), 2u);
  });
}

TEST(SemaphoreTest, NeverMoreInsideThanUnitsAndNoneLost) {
  const int contexts = 20, each = 20000 / kScaleDown;
  Semaphore semaphore(5);
  std::atomic<int> inside{0};
  run_mixed(2, 16, 4, [&](int i) {
    for (int n = 0; n < each; n++) {
      const uint32_t units = 1 + (n + i) % 3;
      if ((n + i) % 5 == 0) {
        if (!semaphore.acquire_until(deadline_after(20000), units)) continue;
      } else {
        semaphore.acquire(units);
      }
      EXPECT_LE(inside.fetch_add(static_cast<int>(units)) + static_cast<int>(units), 5);
      if ((n + i) % 4 == 0) yield();
      inside.fetch_sub(static_cast<int>(units));
      semaphore.release(units);
    }
  });
  EXPECT_EQ(semaphore.value(), 5u);
  EXPECT_EQ(inside.load(), 0);
  (void)contexts;
}

// The one that is let go destroys the semaphore while the other is still inside release().
TEST(SemaphoreTest, MayBeDestroyedByTheOneItReleased) {
  const int rounds = 20000 / kScaleDown;
  std::atomic<Semaphore*> box{nullptr};
  run_mixed(1, 1, 1, [&](int i) {
    for (int n = 0; n < rounds; n++) {
      if (i == 0) {
        Semaphore done(0);
        box.store(&done);
        done.acquire();
      } else {
        Semaphore* semaphore;
        while ((semaphore = box.exchange(nullptr)) == nullptr) yield();
        semaphore->release();
      }
    }
  });
}

TEST(LatchTest, LetsEverybodyPassAtZero) {
  Latch latch(3);
  EXPECT_FALSE(latch.try_wait());
  EXPECT_FALSE(latch.wait_until(now_nanos() + kMillisecond));
  latch.count_down(2);
  latch.arrive_and_wait();
  EXPECT_TRUE(latch.try_wait());
  latch.wait();
}

TEST(LatchTest, GathersFibersAndThreadsRoundAfterRound) {
  const int rounds = 2000 / kScaleDown, contexts = 12;
  std::vector<std::unique_ptr<Latch>> latches;
  for (int n = 0; n < rounds; n++) latches.push_back(std::make_unique<Latch>(contexts));
  std::vector<int> seen(contexts * 16);
  run_mixed(2, 8, 4, [&](int i) {
    for (int n = 0; n < rounds; n++) {
      seen[static_cast<size_t>(i) * 16] = n;
      latches[static_cast<size_t>(n)]->arrive_and_wait();
      EXPECT_GE(seen[static_cast<size_t>((i + 1) % contexts) * 16], n);
      // Nobody writes its next round's mark before all have read this one's.
      if (n + 1 < rounds) latches[static_cast<size_t>(++n)]->arrive_and_wait();
    }
  });
}

TEST(EventTest, StaysSetUntilReset) {
  Event event;
  EXPECT_FALSE(event.is_set());
  EXPECT_FALSE(event.wait_until(now_nanos() + kMillisecond));
  event.set();
  event.set();
  event.wait();
  EXPECT_TRUE(event.wait_until(0));
  event.reset();
  EXPECT_FALSE(event.is_set());
}

TEST(EventTest, APulseReleasesAllThatWait) {
  Runtime runtime({.workers = 2});
  Event event;
  std::atomic<int> waiting{0}, released{0};
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 10; i++) {
    handles.push_back(runtime.spawn([&] {
      waiting++;
      EXPECT_TRUE(event.wait_until(far_deadline()));
      released++;
    }));
  }
  // Pulses until all have gone: each releases those asleep at that moment.
  while (released < 10) {
    event.set();
    event.reset();
    yield();
  }
}

TEST(EventTest, MayBeDestroyedByTheOneItReleased) {
  const int rounds = 20000 / kScaleDown;
  std::atomic<Event*> box{nullptr};
  run_mixed(1, 1, 1, [&](int i) {
    for (int n = 0; n < rounds; n++) {
      if (i == 1) {
        Event done;
        box.store(&done);
        done.wait();
      } else {
        Event* event;
        while ((event = box.exchange(nullptr)) == nullptr) yield();
        event->set();
      }
    }
  });
}

TEST(CallOnceTest, RunsOnceAndAllSeeTheResult) {
  for (int round = 0; round < 200 / kScaleDown + 1; round++) {
    OnceFlag flag;
    int value = 0;
    std::atomic<int> runs{0};
    run_mixed(2, 6, 2, [&](int) {
      call_once(flag, [&] {
        runs++;
        yield();
        value = 42;
      });
      EXPECT_EQ(value, 42);
    });
    EXPECT_EQ(runs.load(), 1);
  }
}

TEST(CallOnceTest, AnExceptionLetsTheNextTry) {
  OnceFlag flag;
  int runs = 0;
  EXPECT_THROW(call_once(flag,
                         [&] {
                           runs++;
                           throw std::runtime_error("no");
                         }),
               std::runtime_error);
  call_once(flag, [&] { runs++; });
  call_once(flag, [&] { runs++; });
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace fiber
