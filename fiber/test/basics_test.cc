// Clocks, random, cpu, Function, Thread, local.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "fiber/clock.h"
#include "fiber/cpu.h"
#include "fiber/function.h"
#include "fiber/local.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber {
namespace {

TEST(ClockTest, GoesForward) {
  const uint64_t start = now_nanos();
  uint64_t last = start;
  for (int i = 0; i < 1000; i++) {
    const uint64_t now = now_nanos();
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_GT(wall_micros(), 1700000000000000u);
  EXPECT_GT(process_cpu_nanos(), 0u);
  EXPECT_GT(thread_cpu_nanos(), 0u);
  EXPECT_EQ(deadline_after(UINT64_MAX - 5), kNoDeadline);
  EXPECT_LT(deadline_after(1000), kNoDeadline);
}

TEST(RandomTest, DiffersBetweenCallsAndThreads) {
  std::set<uint64_t> seen;
  Mutex mutex;
  testing::run_mixed(1, 2, 2, [&](int) {
    for (int i = 0; i < 100; i++) {
      const uint64_t value = random_u64();
      MutexLock lock(&mutex);
      EXPECT_TRUE(seen.insert(value).second);
    }
  });
}

TEST(CpuTest, LiveThreadsHaveDistinctSlotsWhichAreReused) {
  EXPECT_GE(hardware_concurrency(), 1u);
  EXPECT_EQ(slot_count() & (slot_count() - 1), 0u);
  for (int round = 0; round < 20; round++) {
    std::atomic<uint64_t> taken{0};
    Latch all(3);
    std::vector<Thread> threads;
    for (int i = 0; i < 3; i++) {
      threads.emplace_back("slot", [&] {
        const unsigned mine = slot();
        EXPECT_LT(mine, slot_count());
        if (mine < 64) {
          EXPECT_EQ(taken.fetch_or(uint64_t{1} << mine) & (uint64_t{1} << mine), 0u);
        }
        all.arrive_and_wait();
        EXPECT_EQ(slot(), mine);
      });
    }
  }
}

TEST(FunctionTest, KeepsSmallAndLargeMoveOnlyCallables) {
  int calls = 0;
  Function empty;
  EXPECT_FALSE(empty);
  auto token = std::make_shared<int>(0);
  {
    Function small([&calls, token, only = std::make_unique<int>(3)] { calls += *only; });
    std::array<char, 200> big{};
    big[199] = 4;
    Function large([&calls, token, big] { calls += big[199]; });
    EXPECT_EQ(token.use_count(), 3);
    small();
    large();
    EXPECT_EQ(calls, 7);
    Function moved = std::move(small);
    EXPECT_FALSE(small);  // NOLINT(bugprone-use-after-move): what is left is empty
    moved();
    small = std::move(large);
    small();
    EXPECT_EQ(calls, 14);
    moved = Function();
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST(ThreadTest, RunsJoinsAndMoves) {
  std::atomic<int> ran{0};
  Thread none;
  EXPECT_FALSE(none.joinable());
  Thread thread("a name far longer than the kernel takes", [&] { ran++; }, 5);
  Thread other = std::move(thread);
  EXPECT_FALSE(thread.joinable());  // NOLINT(bugprone-use-after-move): what is left is empty
  other.join();
  EXPECT_EQ(ran.load(), 1);
  other = Thread("again", [&] { ran++; });
  other = Thread();
  EXPECT_EQ(ran.load(), 2);
}

TEST(ThreadTest, AFiberThatJoinsOneLetsItsWorkerGoOn) {
  Runtime runtime;
  Event go;
  JoinHandle joiner = runtime.spawn([&] { Thread("slow", [&] { go.wait(); }).join(); });
  runtime.run([&] { go.set(); });  // would hang if the worker were blocked
}

struct Counted {
  static std::atomic<int> live;
  Counted() { live++; }
  ~Counted() { live--; }
  int value = 0;
};
std::atomic<int> Counted::live{0};

TEST(LocalTest, AValueForEveryFiberAndThreadDestroyedAtItsEnd) {
  static local<Counted> counted;
  static local<std::string> text;
  testing::run_mixed(2, 20, 3, [&](int i) {
    EXPECT_EQ(counted->value, 0);
    counted->value = i;
    text.get() = std::to_string(i);
    for (int n = 0; n < 10; n++) {
      yield();
      EXPECT_EQ(counted->value, i);
      EXPECT_EQ(*text, std::to_string(i));
    }
  });
  EXPECT_EQ(Counted::live.load(), 0);
}

TEST(LocalTest, ANewLocalDoesNotSeeAFormerOnesValues) {
  Thread("local", [] {
    for (int i = 0; i < 5; i++) {
      local<Counted> each;
      EXPECT_EQ(each->value, 0);
      each->value = 1;
    }
  }).join();
  EXPECT_EQ(Counted::live.load(), 0);
}

// Each value makes the next one while it is being made, and asks for another at its end: the place
// of all of them moves meanwhile.
struct ChainedLocal {
  static constexpr size_t kCount = 20;
  static std::vector<local<ChainedLocal>> links;
  static std::vector<local<size_t>> numbers;
  static thread_local size_t made;
  static std::atomic<size_t> ended;

  ChainedLocal() : place(made++) {
    if (place + 1 < kCount) (void)links[place + 1].get();
    *numbers[place] = place;
  }
  ~ChainedLocal() {
    EXPECT_EQ(*numbers[2 * kCount - 1 - place], 0u);
    ended++;
  }
  const size_t place;
};
std::vector<local<ChainedLocal>> ChainedLocal::links(kCount);
std::vector<local<size_t>> ChainedLocal::numbers(2 * kCount);
thread_local size_t ChainedLocal::made = 0;
std::atomic<size_t> ChainedLocal::ended{0};

TEST(LocalTest, ValuesStayWhileMoreAreMade) {
  ChainedLocal::ended = 0;
  testing::run_mixed(2, 6, 2, [&](int) {
    ChainedLocal::made = 0;
    (void)ChainedLocal::links[0].get();  // all of them, in one go
    for (int round = 0; round < 2; round++) {
      for (size_t i = 0; i < ChainedLocal::kCount; i++) {
        EXPECT_EQ(*ChainedLocal::numbers[i], i);
        EXPECT_EQ(ChainedLocal::links[i]->place, i);
      }
      yield();
    }
  });
  EXPECT_EQ(ChainedLocal::ended.load(), (6 + 2) * ChainedLocal::kCount);
}

}  // namespace
}  // namespace fiber
