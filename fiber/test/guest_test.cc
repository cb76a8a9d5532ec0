// gather(): on fibers and on plain threads, nested, from many threads, with I/O and with locks
// shared with others.
#include "fiber/guest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "fiber/io.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber {
namespace {

std::vector<Function> functions(int count, const std::function<void(int)>& body) {
  std::vector<Function> result;
  auto shared = std::make_shared<std::function<void(int)>>(body);
  for (int i = 0; i < count; ++i) result.emplace_back([shared, i] { (*shared)(i); });
  return result;
}

// The parameter: gather() called on a fiber, or on a plain thread.
class GuestTest : public ::testing::TestWithParam<bool> {
 protected:
  void run(const std::function<void()>& body) {
    if (GetParam()) {
      Runtime runtime;
      runtime.run([&] { body(); });
    } else {
      body();
    }
  }
  void gather_all(int count, const std::function<void(int)>& body) {
    std::vector<Function> all = functions(count, body);
    gather(all);
  }
};

TEST_P(GuestTest, RunsEachFunctionOnceInOrderWhenNoneWaits) {
  run([&] {
    for (int count : {0, 1, 2, 3, 100}) {
      std::vector<int> order;
      gather_all(count, [&](int i) { order.push_back(i); });
      ASSERT_EQ(order.size(), static_cast<size_t>(count));
      for (int i = 0; i < count; ++i) ASSERT_EQ(order[i], i);
    }
  });
}

TEST_P(GuestTest, StaysOnTheCallersThread) {
  run([&] {
    const uint64_t thread = current_thread_id();
    std::atomic<int> elsewhere{0};
    gather_all(10, [&](int) {
      for (int k = 0; k < 3; ++k) {
        if (current_thread_id() != thread) ++elsewhere;
        yield();
      }
      if (!in_fiber()) ++elsewhere;
    });
    EXPECT_EQ(elsewhere, 0);
  });
  EXPECT_FALSE(in_fiber());
}

TEST_P(GuestTest, EachRunsUntilItsFirstWait) {
  run([&] {
    std::string trace;
    gather_all(3, [&](int i) {
      trace += static_cast<char>('a' + i);
      yield();
      trace += static_cast<char>('A' + i);
    });
    EXPECT_EQ(trace.substr(0, 1), "a");
    EXPECT_EQ(trace.size(), 6u);
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(trace.find(static_cast<char>('a' + i)), trace.find(static_cast<char>('A' + i)));
    }
  });
}

TEST_P(GuestTest, FunctionsWaitForEachOther) {
  run([&] {
    Event event;
    Latch latch(7);
    int passed = 0;
    gather_all(8, [&](int i) {
      if (i < 7) {
        latch.count_down();
        event.wait();
        ++passed;
      } else {
        latch.wait();
        event.set();
      }
    });
    EXPECT_EQ(passed, 7);
  });
}

TEST_P(GuestTest, Nests) {
  run([&] {
    std::atomic<int> leaves{0};
    gather_all(4, [&](int) {
      gather_all(4, [&](int) {
        yield();
        gather_all(4, [&](int) {
          sleep_for(1000);
          ++leaves;
        });
      });
    });
    EXPECT_EQ(leaves, 64);
  });
}

TEST_P(GuestTest, WaitsForWhatWasSpawned) {
  std::atomic<int> ended{0};
  run([&] {
    gather_all(3, [&](int) {
      spawn([&] {
        for (int i = 0; i < 10; ++i) yield();
        ++ended;
      }).detach();
      JoinHandle child = spawn([&] { ++ended; });
      child.join();
    });
    if (!GetParam()) {
      EXPECT_EQ(ended, 6);
    }
  });
  EXPECT_EQ(ended, 6);
}

TEST_P(GuestTest, ReadsFilesWithoutTheirPages) {
  constexpr size_t kBlock = 4096, kBlocks = 128;
  const std::string path = testing::scratch_path("guest");
  const int created = io::open(path.c_str(), io::kCreate | io::kExclusive | io::kReadWrite, 0600);
  ASSERT_GE(created, 0);
  std::string data(kBlock * kBlocks, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i / kBlock * 7 + i);
  ASSERT_EQ(io::pwrite(created, data.data(), data.size(), 0), static_cast<ptrdiff_t>(data.size()));
  ASSERT_EQ(io::fsync(created), 0);
  int fd = io::open(path.c_str(), io::kReadOnly | io::kDirect);
  if (fd == -EINVAL) fd = io::open(path.c_str(), io::kReadOnly);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(io::unlink(path.c_str()), 0);
  run([&] {
    int wrong = 0;
    for (int round = 0; round < 5; ++round) {
      gather_all(kBlocks, [&](int i) {
        char* buffer = static_cast<char*>(operator new(kBlock, std::align_val_t{kBlock}));
        if (io::pread(fd, buffer, kBlock, i * kBlock) != static_cast<ptrdiff_t>(kBlock) ||
            data.compare(i * kBlock, kBlock, buffer, kBlock) != 0) {
          ++wrong;
        }
        operator delete(buffer, std::align_val_t{kBlock});
      });
    }
    EXPECT_EQ(wrong, 0);
  });
  io::close(fd);
  io::close(created);
}

// One mutex and condition variable between guest fibers, plain threads and fibers of a runtime.
TEST(GuestMixedTest, LocksExcludeGuestFibersThreadsAndFibers) {
  Runtime runtime({.workers = 2});
  Mutex mutex;
  CondVar changed;
  int count = 0;
  bool inside = false;
  constexpr int kRounds = 300;
  auto work = [&] {
    for (int i = 0; i < kRounds; ++i) {
      MutexLock lock(&mutex);
      ASSERT_FALSE(inside);
      inside = true;
      if (i % 16 == 0 && in_fiber()) yield();  // keeps the lock
      inside = false;
      ++count;
      if (i % 64 == 0) changed.notify_all();
    }
  };
  constexpr int kGuests = 4, kParts = 5, kThreads = 2, kFibers = 6;
  constexpr int kTotal = (kGuests * kParts + kThreads + kFibers) * kRounds;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int t = 0; t < kGuests; ++t) {
    threads.push_back(std::make_unique<Thread>("guest", [&] {
      std::vector<Function> parts = functions(kParts, [&](int) { work(); });
      gather(parts);
    }));
  }
  for (int t = 0; t < kThreads; ++t) threads.push_back(std::make_unique<Thread>("plain", work));
  std::vector<JoinHandle> fibers;
  for (int f = 0; f < kFibers; ++f) fibers.push_back(runtime.spawn(work));
  // A guest fiber waits for all of it.
  std::vector<Function> watchers = functions(2, [&](int) {
    MutexLock lock(&mutex);
    while (count < kTotal) changed.wait(&mutex);
  });
  threads.push_back(std::make_unique<Thread>("last", [&] {
    for (size_t i = 0; i < kGuests + kThreads; ++i) threads[i]->join();
    for (JoinHandle& fiber : fibers) fiber.join();
    MutexLock lock(&mutex);
    changed.notify_all();
  }));
  gather(watchers);
  threads.back()->join();
  EXPECT_EQ(count, kTotal);
}

TEST(GuestMixedTest, ManyThreadsGatherAtOnceAndAgain) {
  std::atomic<int> ran{0};
  std::vector<std::unique_ptr<Thread>> threads;
  for (int t = 0; t < 16; ++t) {
    threads.push_back(std::make_unique<Thread>("guest", [&] {
      for (int round = 0; round < 20; ++round) {
        std::vector<Function> parts = functions(6, [&](int i) {
          if (i % 2 == 0) yield();
          if (i == 3) sleep_for(10000);
          ++ran;
        });
        gather(parts);
      }
    }));
  }
  for (auto& thread : threads) thread->join();
  EXPECT_EQ(ran, 16 * 20 * 6);
}

TEST(GuestMixedTest, AGatherOnAFiberLetsTheWorkersOtherFibersRun) {
  Runtime runtime;
  Event gathered, others_ran;
  JoinHandle other = runtime.spawn([&] {
    gathered.wait();
    others_ran.set();
  });
  runtime.run([&] {
    std::vector<Function> parts = functions(2, [&](int) {
      gathered.set();
      others_ran.wait();
    });
    gather(parts);
  });
  other.join();
  EXPECT_TRUE(others_ran.is_set());
}

INSTANTIATE_TEST_SUITE_P(Callers, GuestTest, ::testing::Values(true, false),
                         [](const ::testing::TestParamInfo<bool>& info) {
                           return std::string(info.param ? "Fiber" : "Thread");
                         });

}  // namespace
}  // namespace fiber
