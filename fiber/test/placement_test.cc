// Where fibers run: placement by load, theft of fresh fibers, migration, worker counts, pinning.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "fiber/clock.h"
#include "fiber/cpu.h"
#include "fiber/guest.h"
#include "fiber/io.h"
#include "fiber/local.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber {
namespace {

using testing::far_deadline;
using testing::kMillisecond;
using testing::kScaleDown;

TEST(PlacementTest, NewFibersGoToTheWorkerWithFewer) {
  Runtime runtime({.workers = 2});
  Event go;
  std::vector<JoinHandle> handles;
  // Ten wait on worker 0. The next ten have worker 1 for themselves.
  for (int i = 0; i < 10; i++) handles.push_back(runtime.spawn({.worker = 0}, [&] { go.wait(); }));
  while (runtime.stats(0).live < 10) yield();
  for (int i = 0; i < 10; i++) {
    handles.push_back(runtime.spawn([&] { go.wait(); }));
    while (runtime.stats().live < 11 + static_cast<uint64_t>(i)) yield();
  }
  // A slow machine may have let worker 0 take some before they could start.
  EXPECT_GE(runtime.stats(1).live + runtime.stats(0).steals, 9u);
  go.set();
}

TEST(PlacementTest, AChosenWorkerIsKeptAndABadOneRefused) {
  Runtime runtime({.workers = 3});
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 30; i++) {
    handles.push_back(runtime.spawn({.worker = i % 3}, [i] {
      EXPECT_EQ(current_worker(), i % 3);
      JoinHandle other =
          spawn({.worker = (i + 1) % 3}, [i] { EXPECT_EQ(current_worker(), (i + 1) % 3); });
      JoinHandle same = spawn([i] { EXPECT_EQ(current_worker(), i % 3); });
    }));
  }
  EXPECT_FALSE(runtime.spawn({.worker = 3}, [] { ADD_FAILURE(); }).joinable());
  EXPECT_FALSE(runtime.spawn({.worker = -2}, [] { ADD_FAILURE(); }).joinable());
  runtime.run([] { EXPECT_FALSE(spawn({.worker = 3}, [] { ADD_FAILURE(); }).joinable()); });
  EXPECT_EQ(current_worker(), -1);
}

// A worker that computes without end has fibers placed behind the one that computes: an idle worker
// takes them.
TEST(PlacementTest, AnIdleWorkerTakesWhatABusyOneDoesNotStart) {
  Runtime runtime({.workers = 2});
  std::atomic<bool> stop{false}, computing{false};
  JoinHandle busy = runtime.spawn({.worker = 0}, [&] {
    computing = true;
    while (!stop) cpu_relax();
  });
  while (!computing) yield();
  Event parked;
  std::vector<JoinHandle> weights;  // make worker 1 look the more loaded one
  for (int i = 0; i < 50; i++)
    weights.push_back(runtime.spawn({.worker = 1}, [&] { parked.wait(); }));
  while (runtime.stats(1).live < 50) yield();
  for (int i = 0; i < 20; i++) {
    std::atomic<uint64_t> started{0};
    const uint64_t placed = now_nanos();
    JoinHandle handle = runtime.spawn([&] {
      started = now_nanos();
      EXPECT_EQ(current_worker(), 1);
    });
    handle.join();  // would never return
    // Whoever has more fibers than the one that does not start it waits longer (2 ms): else an idle
    // worker would end up with all fibers that a busy one makes.
    EXPECT_GE(started - placed, 1500000u);
  }
  EXPECT_GE(runtime.stats(1).steals, 20u);
  EXPECT_EQ(runtime.stats(0).steals, 0u);
  stop = true;
  parked.set();
}

// The same from inside: the fiber that computes has spawned them itself.
TEST(PlacementTest, TheChildrenOfABusyFiberStartElsewhere) {
  Runtime runtime({.workers = 4});
  std::atomic<int> started{0};
  runtime.run([&] {
    std::vector<JoinHandle> handles;
    for (int i = 0; i < 100; i++) handles.push_back(runtime.spawn([&] { started++; }));
    while (started < 100) cpu_relax();  // no suspension
  });
  EXPECT_EQ(started.load(), 100);
}

TEST(PlacementTest, StartedFibersNeverMoveByThemselves) {
  Runtime runtime({.workers = 3});
  std::atomic<bool> stop{false};
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 30; i++) {
    handles.push_back(runtime.spawn([&] {
      const int mine = current_worker();
      while (!stop) {
        yield();
        ASSERT_EQ(current_worker(), mine);
      }
    }));
  }
  // Thefts all around.
  for (int i = 0; i < 2000 / kScaleDown; i++) runtime.spawn([] { yield(); }).join();
  stop = true;
}

TEST(MigrationTest, MovesThreadAndKeepsTheRest) {
  Runtime runtime({.workers = 3});
  static local<int> value;
  runtime.run([&] {
    *value = 7;
    std::array<int, 100> on_the_stack;
    for (int i = 0; i < 100; i++) on_the_stack[static_cast<size_t>(i)] = i;
    std::set<uint64_t> threads;
    for (int turn = 0; turn < 300 / kScaleDown; turn++) {
      const int to = turn % 3;
      ASSERT_EQ(migrate(to), 0);
      ASSERT_EQ(current_worker(), to);
      threads.insert(current_thread_id());
      ASSERT_EQ(*value, 7);
      for (int i = 0; i < 100; i++) ASSERT_EQ(on_the_stack[static_cast<size_t>(i)], i);
      if (turn % 7 == 0) sleep_for(1000);
      if (turn % 5 == 0) yield();
    }
    EXPECT_EQ(threads.size(), 3u);
    EXPECT_EQ(migrate(3), -EINVAL);
    EXPECT_EQ(migrate(-1), -EINVAL);
  });
  EXPECT_EQ(migrate(0), -EPERM);  // a plain thread
  EXPECT_GT(runtime.stats().migrations, 0u);
  while (runtime.stats().live != 0) yield();  // joined, and not quite gone
}

TEST(MigrationTest, CarriesAnExceptionAlong) {
  Runtime runtime({.workers = 2});
  runtime.run([] {
    for (int i = 0; i < 20; i++) {
      try {
        try {
          throw std::runtime_error("outer " + std::to_string(i));
        } catch (const std::exception& error) {
          ASSERT_EQ(migrate(1 - current_worker()), 0);
          EXPECT_EQ(error.what(), "outer " + std::to_string(i));
          try {
            throw 5;
          } catch (int five) {
            ASSERT_EQ(migrate(1 - current_worker()), 0);
            EXPECT_EQ(five, 5);
          }
          ASSERT_EQ(migrate(1 - current_worker()), 0);
          throw;
        }
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "outer " + std::to_string(i));
      }
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
  });
}

TEST(MigrationTest, ManyMoveWhileTheyWaitJoinAndDoIo) {
  Runtime runtime({.workers = 3});
  Mutex mutex;
  int sum = 0;
  const int rounds = 200 / kScaleDown;
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 30; i++) {
    handles.push_back(runtime.spawn([&, i] {
      for (int n = 0; n < rounds; n++) {
        ASSERT_EQ(migrate((i + n) % 3), 0);
        {
          MutexLock lock(&mutex);
          sum++;
          if (n % 10 == 0) yield();
        }
        JoinHandle child = spawn([to = (i + n + 1) % 3] {
          ASSERT_EQ(migrate(to), 0);
          io::FileStatus info;
          EXPECT_EQ(io::status("/", &info), 0);  // by a pool, or the ring
        });
        if (n % 3 == 0) child.detach();
      }
    }));
  }
  handles.clear();
  EXPECT_EQ(sum, 30 * rounds);
}

// A fiber of gather() is counted by its siblings without atomics: it must stay.
TEST(MigrationTest, FibersOfGatherStay) {
  Runtime runtime({.workers = 2});
  auto stay = [] {
    EXPECT_EQ(migrate(1 - current_worker()), -EPERM);
    yield();
  };
  runtime.run([&] {
    std::array<Function, 2> functions{Function(stay), Function(stay)};
    gather(functions);
  });
}

TEST(WorkerCountTest, ZeroMeansOneForEachProcessor) {
  Runtime runtime({.workers = 0});
  EXPECT_EQ(runtime.workers(), static_cast<int>(hardware_concurrency()));
  EXPECT_EQ(runtime.run([] { return 5; }), 5);
}

TEST(WorkerCountTest, WhatCannotBeIsAClearError) {
  for (const RuntimeOptions& options :
       {RuntimeOptions{.workers = -1}, RuntimeOptions{.workers = RuntimeOptions::kMaxWorkers + 1},
        RuntimeOptions{.stack_size = size_t{1} << 50}, RuntimeOptions{.cpus = {0, -1}},
        RuntimeOptions{.cpus = {1 << 20}}}) {
    std::unique_ptr<Runtime> runtime;
    std::string error;
    EXPECT_EQ(Runtime::create(options, &runtime, &error), -EINVAL);
    EXPECT_EQ(runtime, nullptr);
    EXPECT_EQ(error.find("fiber::Runtime: "), 0u) << error;
    try {
      Runtime thrown(options);
      ADD_FAILURE();
    } catch (const std::system_error& caught) {
      EXPECT_EQ(caught.code().value(), EINVAL);
      EXPECT_NE(std::string(caught.what()).find(error), std::string::npos) << caught.what();
    }
  }
}

TEST(WorkerCountTest, ManyMoreThanProcessors) {
  const int count = testing::kThreadSanitizer ? 50 : 1000;
  std::unique_ptr<Runtime> runtime;
  std::string error;
  const int result = Runtime::create({.workers = count}, &runtime, &error);
  if (result == -EAGAIN || result == -ENOMEM) GTEST_SKIP() << error;
  ASSERT_EQ(result, 0) << error;
  EXPECT_EQ(runtime->workers(), count);
  std::atomic<int> sum{0};
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 3 * count; i++) handles.push_back(runtime->spawn([&] { sum++; }));
  handles.clear();
  EXPECT_EQ(sum.load(), 3 * count);
}

// Processor time, not wall time: other programs do not count.
TEST(WorkerCountTest, IdleWorkersDoNotSpin) {
  Runtime runtime({.workers = 32});
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 32; i++) handles.push_back(runtime.spawn({.worker = i}, [] { yield(); }));
  handles.clear();
  // They fall asleep, however long that takes: for good, not for a moment at a time. While this
  // thread computes, they do not.
  bool asleep = false;
  for (int i = 0; i < 100 && !asleep; i++) {
    const uint64_t sleeps = runtime.stats().sleeps;
    const uint64_t before = process_cpu_nanos(), own_before = thread_cpu_nanos();
    while (thread_cpu_nanos() - own_before < 100 * kMillisecond) {
    }
    const uint64_t own = thread_cpu_nanos() - own_before;
    asleep = process_cpu_nanos() - before < own + 50 * kMillisecond &&
             runtime.stats().sleeps - sleeps <= 64;
  }
  EXPECT_TRUE(asleep);
}

TEST(RuntimesTest, SeveralInOneProcessWorkOnTheSameObjects) {
  Runtime one({.workers = 2, .name = "one"});
  Runtime two({.workers = 1, .name = "two"});
  Runtime three({.workers = 3, .stack_size = 128 << 10, .name = "three"});
  Mutex mutex;
  int sum = 0;
  Latch all(30);
  std::vector<JoinHandle> handles;
  for (int i = 0; i < 30; i++) {
    Runtime* const runtime = i % 3 == 0 ? &one : i % 3 == 1 ? &two : &three;
    handles.push_back(runtime->spawn([&, next = i % 3 == 0 ? &two : &one] {
      for (int n = 0; n < 50; n++) {
        MutexLock lock(&mutex);
        sum++;
        if (n % 10 == 0) yield();
      }
      // A fiber of one runtime starts one of another and waits for it.
      EXPECT_EQ(next->run([] { return 3; }), 3);
      all.count_down();
      EXPECT_TRUE(all.wait_until(far_deadline()));
    }));
  }
  handles.clear();
  EXPECT_EQ(sum, 1500);
  while (one.stats().live + two.stats().live + three.stats().live != 0) yield();
}

}  // namespace
}  // namespace fiber
