// fiber_std::counting_semaphore, latch, barrier.
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "fiber/std/barrier.h"
#include "fiber/std/latch.h"
#include "fiber/std/semaphore.h"
#include "std_testing.h"

namespace fiber_std {
namespace {

using namespace std::chrono_literals;
using namespace fiber_std::testing;  // NOLINT(google-build-using-namespace): std_testing.h
using std::chrono::steady_clock;

class StdSyncTest : public testing::ModalTest {};
FIBER_STD_MODES(StdSyncTest);

TEST_P(StdSyncTest, SemaphoreCountsAndTimesOut) {
  run([] {
    static_assert(binary_semaphore::max() >= 1 && counting_semaphore<1000>::max() >= 1000);
    counting_semaphore<10> semaphore(2);
    semaphore.acquire();
    EXPECT_TRUE(semaphore.try_acquire());
    EXPECT_FALSE(semaphore.try_acquire());
    const Stopwatch watch;
    const auto start = steady_clock::now();
    EXPECT_FALSE(semaphore.try_acquire_for(2ms));
    EXPECT_FALSE(semaphore.try_acquire_until(start + 4ms));
    EXPECT_GE(watch.elapsed(), 4ms);
    EXPECT_FALSE(semaphore.try_acquire_for(-1h));
    EXPECT_FALSE(semaphore.try_acquire_until(start));
    const auto slow = SlowClock::now() + 1ms;
    EXPECT_FALSE(semaphore.try_acquire_until(slow));
    EXPECT_GE(SlowClock::now(), slow);
    EXPECT_FALSE(semaphore.try_acquire_until(FastClock::now() + 8ms));
    semaphore.release(0);
    EXPECT_FALSE(semaphore.try_acquire());
    semaphore.release(2);
    EXPECT_TRUE(semaphore.try_acquire_for(kForever));
    EXPECT_TRUE(semaphore.try_acquire_until(start));  // there is one: no time needed
  });
}

TEST_P(StdSyncTest, SemaphoreLetsInNoMoreThanItsCount) {
  run([this] {
    const int each = 2000 / kScaleDown;
    counting_semaphore<3> semaphore(3);
    std::atomic<int> inside{0};
    {
      auto all = crew();
      for (int i = 0; i < 8; i++) {
        all.start([&, i] {
          for (int n = 0; n < each; n++) {
            const int way = (n + i) % 4;
            if (way == 0 && !semaphore.try_acquire_for(20us)) continue;
            if (way == 1 && !semaphore.try_acquire_for(std::chrono::hours::max())) continue;
            if (way > 1) semaphore.acquire();
            EXPECT_LE(++inside, 3);
            if (n % 3 == 0) this_thread::yield();
            inside--;
            semaphore.release();
          }
        });
      }
    }
    int left = 0;
    while (semaphore.try_acquire()) left++;
    EXPECT_EQ(left, 3);
  });
}

TEST_P(StdSyncTest, BinarySemaphoresPassATurn) {
  run([this] {
    const int rounds = 3000 / kScaleDown;
    binary_semaphore ping(1), pong(0);
    int64_t count = 0;
    {
      auto both = crew();
      both.start([&] {
        for (int n = 0; n < rounds; n++) {
          ping.acquire();
          count++;
          pong.release();
        }
      });
      both.start([&] {
        for (int n = 0; n < rounds; n++) {
          ASSERT_TRUE(pong.try_acquire_for(kForever));
          count++;
          ping.release();
        }
      });
    }
    EXPECT_EQ(count, 2 * rounds);
  });
}

TEST_P(StdSyncTest, LatchOpensAtZeroForAll) {
  run([this] {
    static_assert(latch::max() >= 1000);
    latch open(0);
    EXPECT_TRUE(open.try_wait());
    open.wait();
    for (int round = 0; round < 100 / kScaleDown + 1; round++) {
      auto door = std::make_unique<latch>(5);
      std::vector<int> written(5);
      std::atomic<int> through{0};
      {
        auto all = crew();
        for (int i = 0; i < 4; i++) {
          all.start([&, i] {
            written[static_cast<size_t>(i)] = 1;
            if (i == 3) {
              door->count_down(2);
              door->wait();
            } else {
              door->arrive_and_wait();
            }
            for (int k = 0; k < 4; k++) EXPECT_EQ(written[static_cast<size_t>(k)], 1);
            through++;
          });
        }
        door->wait();
        EXPECT_TRUE(door->try_wait());
      }
      EXPECT_EQ(through, 4);
    }
  });
}

TEST_P(StdSyncTest, BarrierPhasesFollowOneAnother) {
  run([this] {
    constexpr int kContexts = 5;
    const int rounds = 400 / kScaleDown + 1;
    int completed = 0;  // by the completion only, read between phases
    std::vector<int> round_of(kContexts, -1);
    auto completion = [&]() noexcept {
      // All have written this phase's number, and none has gone on.
      for (int mark : round_of) EXPECT_EQ(mark, completed);
      completed++;
    };
    barrier meeting(kContexts, completion);
    {
      auto all = crew();
      for (int i = 0; i < kContexts; i++) {
        all.start([&, i] {
          for (int n = 0; n < rounds; n++) {
            round_of[static_cast<size_t>(i)] = n;
            if ((n + i) % 2 == 0) {
              meeting.arrive_and_wait();
            } else {
              auto token = meeting.arrive();
              this_thread::yield();
              meeting.wait(std::move(token));
            }
            EXPECT_EQ(completed, n + 1);
            // The next phase's completion needs all: completed may be read until we arrive.
          }
        });
      }
    }
    EXPECT_EQ(completed, rounds);
  });
}

TEST_P(StdSyncTest, BarrierExpectsThoseWhoDroppedNoMore) {
  run([this] {
    std::atomic<int> phases{0};
    auto count = [&]() noexcept { phases++; };
    barrier<decltype(count)> meeting(3, count);
    {
      auto all = crew();
      for (int i = 0; i < 3; i++) {
        all.start([&, i] {
          // The first takes part in one phase, the second in two, the third in three.
          for (int n = 0; n < i; n++) meeting.arrive_and_wait();
          meeting.arrive_and_drop();
        });
      }
    }
    EXPECT_EQ(phases, 3);
    barrier<> several(4);
    auto token = several.arrive(3);
    auto other = crew();
    other.start([&] { several.arrive_and_wait(); });
    several.wait(std::move(token));
  });
}

TEST_P(StdSyncTest, BarrierMayBeDestroyedByWhoReturned) {
  run([this] {
    for (int round = 0; round < 500 / kScaleDown + 1; round++) {
      auto meeting = std::make_unique<barrier<>>(2);
      auto other = crew();
      other.start([&, raw = meeting.get()] { (void)raw->arrive(); });
      meeting->arrive_and_wait();
      meeting.reset();
    }
  });
}

}  // namespace
}  // namespace fiber_std
