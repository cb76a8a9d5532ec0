// Runtime, fibers, timers, stacks.
#include "fiber/runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "fiber/cpu.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "port_testing.h"
#include "testing.h"

namespace fiber {
namespace {

using testing::kMillisecond;
using testing::kScaleDown;
using testing::kThreadSanitizer;

TEST(RuntimeTest, RunReturnsTheResultOfAFunctionOnAFiber) {
  Runtime runtime({.workers = 2});
  EXPECT_EQ(runtime.workers(), 2);
  EXPECT_NE(runtime.engine(), Engine::kAuto);
  EXPECT_FALSE(in_fiber());
  EXPECT_TRUE(runtime.run([] { return in_fiber(); }));
  EXPECT_EQ(*runtime.run([] { return std::make_unique<int>(7); }), 7);
  int here = 0;
  int& reference = runtime.run([&]() -> int& { return here; });
  EXPECT_EQ(&reference, &here);
  runtime.run([&] { here = 5; });
  EXPECT_EQ(here, 5);
  EXPECT_EQ(runtime.run([&] { return runtime.run([] { return 6; }); }),
            6);  // from a fiber of its own
}

TEST(RuntimeTest, FibersTakeTurnsInOrder) {
  Runtime runtime;
  std::string order;
  runtime.run([&] {
    JoinHandle a = spawn([&] {
      for (int i = 0; i < 3; i++) {
        order += 'a';
        yield();
      }
    });
    JoinHandle b = spawn([&] {
      for (int i = 0; i < 3; i++) {
        order += 'b';
        yield();
      }
    });
    a.join();
    b.join();
  });
  EXPECT_EQ(order, "ababab");
}

TEST(RuntimeTest, FibersStayOnTheirWorkers) {
  Runtime runtime({.workers = 3});
  Mutex mutex;
  std::set<uint64_t> threads;
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 30; i++) {
    handles.push_back(runtime.spawn({.worker = i % 3}, [&] {
      const uint64_t thread = current_thread_id();
      const unsigned my_slot = slot();
      for (int n = 0; n < 20; n++) {
        yield();
        if (n % 10 == 0) sleep_for(1000);
        EXPECT_EQ(current_thread_id(), thread);
        EXPECT_EQ(slot(), my_slot);
      }
      JoinHandle child = spawn([&] { EXPECT_EQ(current_thread_id(), thread); });
      child.join();
      MutexLock lock(&mutex);
      threads.insert(thread);
    }));
  }
  handles.clear();
  EXPECT_EQ(threads.size(), 3u);
}

TEST(RuntimeTest, DestructorWaitsForDetachedFibersAndTheirChildren) {
  std::atomic<int> ended{0};
  {
    Runtime runtime({.workers = 2});
    for (int i = 0; i < 10; i++) {
      runtime
          .spawn([&] {
            sleep_for(2 * kMillisecond);
            runtime
                .spawn([&] {
                  sleep_for(kMillisecond);
                  ended++;
                })
                .detach();
            ended++;
          })
          .detach();
    }
  }
  EXPECT_EQ(ended.load(), 20);
}

TEST(RuntimeTest, JoinHandleJoinsOnDestructionAndMoves) {
  Runtime runtime;
  int value = 0;
  {
    JoinHandle a = runtime.spawn([&] {
      sleep_for(kMillisecond);
      value = 1;
    });
    JoinHandle b = std::move(a);
    EXPECT_FALSE(a.joinable());  // NOLINT(bugprone-use-after-move): that is the point
    EXPECT_TRUE(b.joinable());
  }
  EXPECT_EQ(value, 1);
  JoinHandle ended = runtime.spawn([] {});
  runtime.run([] { yield(); });
  ended.join();  // long after the end
}

TEST(RuntimeTest, ManyRuntimesComeAndGo) {
  for (int i = 0; i < 300 / kScaleDown; i++) {
    std::atomic<int> count{0};  // outlives the runtime, which waits for its detached fibers
    Runtime runtime({.workers = 1 + i % 3});
    std::vector<JoinHandle> handles;
    for (int n = 0; n < 10; n++) handles.push_back(runtime.spawn([&] { count++; }));
    if (i % 2 == 0) {
      handles.clear();
      EXPECT_EQ(count.load(), 10);
    } else {
      for (JoinHandle& handle : handles) handle.detach();
      runtime.run([] { sleep_for(10000); });
    }
  }
}

// The last thing that happens to a runtime is a wake from a foreign thread, whose waker is still
// inside wake() when the runtime goes.
TEST(RuntimeTest, MayEndWhileAForeignWakerIsStillAtIt) {
  for (int i = 0; i < 1000 / kScaleDown; i++) {
    auto runtime = std::make_unique<Runtime>();
    auto event = std::make_unique<Event>();
    JoinHandle waiter = runtime->spawn([&] { event->wait(); });
    Thread thread("setter", [&] { event->set(); });
    waiter.join();
    runtime.reset();
  }
}

TEST(RuntimeTest, TwoRuntimesTalk) {
  Runtime left, right;
  Semaphore ping(0), pong(0);
  const int rounds = 20000 / kScaleDown;
  JoinHandle a = left.spawn([&] {
    for (int i = 0; i < rounds; i++) {
      ping.release();
      pong.acquire();
    }
  });
  JoinHandle b = right.spawn([&] {
    for (int i = 0; i < rounds; i++) {
      ping.acquire();
      pong.release();
    }
  });
}

TEST(RuntimeTest, TenThousandFibersAtOnce) {
  const int count =
      kThreadSanitizer ? 1000 : 10000;  // TSan knows about 8,000 threads and fibers at most
  Runtime runtime({.workers = 2});
  Event go;
  Mutex mutex;
  int sum = 0;
  std::atomic<int> waiting{0};
  std::vector<JoinHandle> handles;
  for (int i = 0; i < count; i++) {
    handles.push_back(runtime.spawn([&] {
      waiting++;
      go.wait();
      for (int n = 0; n < 3; n++) {
        MutexLock lock(&mutex);
        sum++;
        yield();
      }
    }));
  }
  while (waiting < count) sleep_for(kMillisecond);
  go.set();
  handles.clear();
  EXPECT_EQ(sum, 3 * count);
}

TEST(RuntimeTest, ManyIdleFibersTakeLittleMemory) {
  const int count = kThreadSanitizer ? 1000 : testing::kIdleFibers;
  Runtime runtime({.workers = 2});
  Event go;
  std::atomic<int> waiting{0}, ended{0};
  const size_t before = testing::resident_bytes();
  std::vector<JoinHandle> handles;
  handles.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; i++) {
    handles.push_back(runtime.spawn([&] {
      waiting++;
      go.wait();
      ended++;
    }));
  }
  while (waiting < count) sleep_for(kMillisecond);
  const size_t each = (testing::resident_bytes() - before) / static_cast<size_t>(count);
  printf("resident per idle fiber: %zu bytes\n", each);
#if defined(NDEBUG) && !defined(FIBER_TSAN) && !defined(FIBER_ASAN)
  EXPECT_LE(each, 8192u);
#endif
  go.set();
  handles.clear();
  EXPECT_EQ(ended.load(), count);
}

TEST(TimerTest, SleepersWakeInTheOrderOfTheirDeadlines) {
  Runtime runtime;
  // If the machine is too slow to have all asleep before the first deadline, once more with more
  // time.
  for (uint64_t lead = 5 * kMillisecond;; lead *= 4) {
    ASSERT_LT(lead, 1000 * testing::kSecond);
    std::vector<int> order;
    bool late = false;
    runtime.run([&] {
      const uint64_t start = now_nanos() + lead;
      std::vector<JoinHandle> handles;
      for (int i = 0; i < 200; i++) {
        handles.push_back(spawn([&, delay = i * 7919 % 200] {
          const uint64_t deadline = start + static_cast<uint64_t>(delay) * 10000;
          if (now_nanos() >= start) late = true;
          sleep_until(deadline);
          EXPECT_GE(now_nanos(), deadline);
          order.push_back(delay);
        }));
      }
    });
    if (late) continue;
    ASSERT_EQ(order.size(), 200u);
    for (int i = 0; i < 200; i++) EXPECT_EQ(order[static_cast<size_t>(i)], i);
    break;
  }
}

TEST(TimerTest, ABusyWorkerStillServesTimersAndOtherThreads) {
  Runtime runtime;
  std::atomic<bool> stop{false};
  JoinHandle a = runtime.spawn([&] {
    while (!stop) yield();
  });
  JoinHandle b = runtime.spawn([&] {
    while (!stop) yield();
  });
  const uint64_t start = now_nanos();
  runtime.run([] { sleep_for(2 * kMillisecond); });
  EXPECT_GE(now_nanos() - start, 2 * kMillisecond);
  stop = true;
}

// Two fibers that wake each other would run for ever from the slot; the others have their turn
// nevertheless.
TEST(RuntimeTest, APingPongDoesNotStarveTheQueue) {
  Runtime runtime;
  runtime.run([] {
    Semaphore ping(0), pong(0);
    bool stop = false;
    JoinHandle a = spawn([&] {
      while (!stop) {
        ping.release();
        pong.acquire();
      }
      ping.release();
    });
    JoinHandle b = spawn([&] {
      while (!stop) {
        ping.acquire();
        pong.release();
      }
    });
    for (int i = 0; i < 100; i++) yield();
    stop = true;
    pong.release(10);
    ping.release(10);
  });
}

TEST(ExceptionTest, ThrownAndCaughtAcrossSuspensions) {
  Runtime runtime({.workers = 2});
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 50; i++) {
    handles.push_back(runtime.spawn([i] {
      for (int n = 0; n < 20; n++) {
        try {
          try {
            yield();
            throw std::runtime_error(std::to_string(i));
          } catch (const std::exception& error) {
            // Others throw, catch and suspend in their handlers meanwhile.
            EXPECT_EQ(std::uncaught_exceptions(), 0);
            yield();
            EXPECT_EQ(error.what(), std::to_string(i));
            yield();
            throw;
          }
        } catch (const std::runtime_error& error) {
          EXPECT_EQ(error.what(), std::to_string(i));
        }
        EXPECT_EQ(std::current_exception(), nullptr);
      }
    }));
  }
}

TEST(ExceptionTest, ADestructorMaySuspendWhileOneIsInFlight) {
  Runtime runtime;
  struct Yields {
    ~Yields() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      yield();
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 5; i++) {
    handles.push_back(runtime.spawn([] {
      for (int n = 0; n < 5; n++) {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        try {
          Yields yields;
          throw n;
        } catch (int caught) {
          EXPECT_EQ(caught, n);
        }
      }
    }));
  }
}

__attribute__((noinline)) int recurse(int depth) {
  volatile char frame[1024];
  memset(const_cast<char*>(frame), depth, sizeof(frame));
  if (depth == 1 << 30) return 0;
  return recurse(depth + 1) + frame[5];
}

TEST(StackDeathTest, AnOverflowHitsTheGuard) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Runtime runtime;
        runtime.run([] { return recurse(0); });
      },
      "");
}

TEST(StackTest, AllOfTheStackIsUsable) {
  Runtime runtime({.stack_size = 1 << 20});
  const int sum = runtime.run([] {
    volatile char frame[900 << 10];
    for (size_t i = 0; i < sizeof(frame); i += 4096) frame[i] = 1;
    yield();
    int total = 0;
    for (size_t i = 0; i < sizeof(frame); i += 4096) total += frame[i];
    return total;
  });
  EXPECT_EQ(sum, 225);
}

// The registers that the ABI lets a function keep survive a switch, the floating point state too.
TEST(ContextTest, RegistersSurvive) {
  Runtime runtime;
  std::vector<JoinHandle> handles;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    handles.push_back(runtime.spawn([seed] {
      uint64_t a = seed, b = seed * 3, c = seed * 5, d = seed * 7, e = seed * 11, f = seed * 13,
               g = seed * 17;
      double x = static_cast<double>(seed) / 3;
      for (int i = 0; i < 1000; i++) {
        a += b, b ^= c, c += d, d ^= e, e += f, f ^= g, g += a, x = x * 1.0000001 + 1;
        yield();
      }
      uint64_t a2 = seed, b2 = seed * 3, c2 = seed * 5, d2 = seed * 7, e2 = seed * 11,
               f2 = seed * 13, g2 = seed * 17;
      double x2 = static_cast<double>(seed) / 3;
      for (int i = 0; i < 1000; i++) {
        a2 += b2, b2 ^= c2, c2 += d2, d2 ^= e2, e2 += f2, f2 ^= g2, g2 += a2,
            x2 = x2 * 1.0000001 + 1;
      }
      EXPECT_EQ(a + b + c + d + e + f + g, a2 + b2 + c2 + d2 + e2 + f2 + g2);
      EXPECT_EQ(x, x2);
    }));
  }
}

TEST(RuntimeTest, YieldAndSleepWorkOnAPlainThread) {
  yield();
  const uint64_t start = now_nanos();
  sleep_for(kMillisecond);
  EXPECT_GE(now_nanos() - start, kMillisecond);
}

// Random spawning, waiting, sleeping, from everywhere.
TEST(RuntimeTest, StormOfSpawns) {
  Runtime runtime({.workers = 3});
  // Counted by the spawner: a detached fiber that has not started yet needs `grow`, too.
  std::atomic<int> live{0};
  std::function<void(int)> grow = [&](int depth) {
    std::vector<JoinHandle> children;
    if (depth > 0) {
      for (int i = 0; i < 3; i++) {
        live++;
        switch (random_u64() % 3) {
          case 0:
            children.push_back(spawn([&grow, depth] { grow(depth - 1); }));
            break;
          case 1:
            children.push_back(runtime.spawn([&grow, depth] { grow(depth - 1); }));
            break;
          default:
            runtime.spawn([&grow, depth] { grow(depth - 1); }).detach();
        }
        if (random_u64() % 4 == 0) yield();
        if (random_u64() % 16 == 0) sleep_for(random_u64() % 50000);
      }
    }
    children.clear();
    live--;
  };
  const int depth = kThreadSanitizer ? 4 : 7;
  for (int round = 0; round < 3; round++) {
    live++;
    runtime.run([&] { grow(depth); });
  }
  while (live != 0) sleep_for(kMillisecond);
}

TEST(RuntimeTest, YieldTellsWhetherOthersWentFirst) {
  Runtime runtime({.workers = 1});
  runtime.run([] {
    EXPECT_FALSE(yield()) << "nobody else is there";
    bool ran = false;
    JoinHandle other = spawn([&ran] { ran = true; });
    // (At once, but for a simulation, which may choose the same fiber again.)
    while (!ran) {
      const bool others = yield();
      EXPECT_EQ(others, ran);
    }
  });
}

}  // namespace
}  // namespace fiber
