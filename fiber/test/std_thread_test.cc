// fiber_std::thread, jthread, this_thread, and where their fibers run.
#include "fiber/std/thread.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "fiber/default_runtime.h"
#include "fiber/guest.h"
#include "fiber/sanitizers.h"
#include "fiber/std/mutex.h"
#include "fiber/sync.h"
#include "port_testing.h"
#include "std_testing.h"

namespace fiber_std {
namespace {

using namespace std::chrono_literals;
using namespace fiber_std::testing;  // NOLINT(google-build-using-namespace): std_testing.h

class StdThreadTest : public testing::ModalTest {};
FIBER_STD_MODES(StdThreadTest);

TEST_P(StdThreadTest, RunsTheFunctionWithDecayedCopiesOfTheArguments) {
  run([] {
    int sum = 0;
    auto moved = std::make_unique<int>(30);
    int by_reference = 0;
    const int original = 5;
    thread worker(
        [&sum](std::unique_ptr<int> a, int b, int& c) {
          EXPECT_TRUE(fiber::in_fiber());
          c = 7;
          sum = *a + b;
        },
        std::move(moved), original, std::ref(by_reference));
    EXPECT_EQ(moved, nullptr);
    worker.join();
    EXPECT_EQ(sum, 35);
    EXPECT_EQ(by_reference, 7);
  });
}

struct Counter {
  int count = 0;
  void add(int n) { count += n; }
};

TEST_P(StdThreadTest, CallsMemberFunctionsAndCallableObjects) {
  run([] {
    Counter counter;
    thread(&Counter::add, &counter, 3).join();
    thread(&Counter::add, std::ref(counter), 4).join();
    EXPECT_EQ(counter.count, 7);
    struct Callable {
      std::atomic<int>* hits;
      std::array<char, 200> large{};  // does not fit into a fiber::Function
      void operator()() { ++*hits; }
    };
    std::atomic<int> hits{0};
    thread(Callable{&hits}).join();
    EXPECT_EQ(hits, 1);
  });
}

TEST_P(StdThreadTest, JoinableFromStartToJoinOrDetach) {
  run([] {
    thread none;
    EXPECT_FALSE(none.joinable());
    EXPECT_EQ(none.get_id(), thread::id());
    EXPECT_EQ(none.native_handle(), 0u);
    thread worker([] {});
    EXPECT_TRUE(worker.joinable());
    EXPECT_NE(worker.get_id(), thread::id());
    const thread::id id = worker.get_id();
    thread other(std::move(worker));
    EXPECT_FALSE(worker.joinable());
    EXPECT_EQ(other.get_id(), id);
    none = std::move(other);
    EXPECT_EQ(none.get_id(), id);
    swap(none, other);
    EXPECT_FALSE(none.joinable());
    other.join();
    EXPECT_FALSE(other.joinable());
    EXPECT_EQ(other.get_id(), thread::id());
  });
}

TEST_P(StdThreadTest, ErrorsOfJoinAndDetach) {
  run([] {
    thread none;
    FIBER_STD_EXPECT_CODE(none.join(), std::system_error, std::errc::invalid_argument);
    FIBER_STD_EXPECT_CODE(none.detach(), std::system_error, std::errc::invalid_argument);
    thread worker;
    fiber::Event assigned;
    worker = thread([&] {
      assigned.wait();
      FIBER_STD_EXPECT_CODE(worker.join(), std::system_error,
                            std::errc::resource_deadlock_would_occur);
      EXPECT_TRUE(worker.joinable());
    });
    assigned.set();
    worker.join();
    FIBER_STD_EXPECT_CODE(worker.join(), std::system_error, std::errc::invalid_argument);
  });
}

TEST_P(StdThreadTest, DetachedGoesOnAlone) {
  run([] {
    auto go = std::make_shared<fiber::Event>();
    auto done = std::make_shared<fiber::Event>();
    {
      thread worker([go, done] {
        go->wait();
        done->set();
      });
      worker.detach();
      EXPECT_FALSE(worker.joinable());
    }
    go->set();
    EXPECT_TRUE(done->wait_until(fiber::testing::far_deadline()));
  });
}

TEST_P(StdThreadTest, WhatItDidHappensBeforeJoinReturnsItsLocalsToo) {
  run([] {
    struct Mark {
      int* target = nullptr;
      ~Mark() { *target = 2; }
    };
    static fiber::local<Mark> mark;
    for (int n = 0; n < 200 / testing::kScaleDown + 1; n++) {
      int value = 0;
      thread worker([&value] {
        value = 1;
        mark->target = &value;
      });
      worker.join();
      ASSERT_EQ(value, 2);
    }
  });
}

TEST_P(StdThreadTest, IdsAreDistinctOrderedHashableAndPrintable) {
  run([this] {
    EXPECT_EQ(this_thread::get_id(), this_thread::get_id());
    mutex lock;
    std::set<thread::id> seen{this_thread::get_id()};
    std::unordered_set<thread::id> hashed;
    {
      auto others = crew();
      for (int i = 0; i < 10; i++) {
        others.start([&] {
          const thread::id mine = this_thread::get_id();
          this_thread::yield();
          EXPECT_EQ(mine, this_thread::get_id());
          lock_guard guard(lock);
          seen.insert(mine);
          hashed.insert(mine);
        });
      }
    }
    EXPECT_EQ(seen.size(), 11u);
    EXPECT_EQ(hashed.size(), 10u);
    EXPECT_EQ(seen.count(thread::id()), 0u);
    EXPECT_LT(thread::id(), *seen.begin());
    std::set<std::string> printed;
    for (const thread::id id : seen) {
      std::ostringstream out;
      out << id;
      printed.insert(out.str());
    }
    EXPECT_EQ(printed.size(), 11u);
    thread::id inside;
    thread worker([&] { inside = this_thread::get_id(); });
    const thread::id outside = worker.get_id();
    worker.join();
    EXPECT_EQ(inside, outside);
  });
}

TEST_P(StdThreadTest, SleepsAtLeastAsLongAsSaid) {
  run([] {
    const Stopwatch watch;
    const auto start = std::chrono::steady_clock::now();
    this_thread::sleep_for(3ms);
    EXPECT_GE(watch.elapsed(), 3ms);
    this_thread::sleep_for(std::chrono::duration<double>(0.001));
    this_thread::sleep_for(-5s);
    this_thread::sleep_for(std::chrono::nanoseconds::min());
    this_thread::sleep_until(start);
    const auto until = std::chrono::system_clock::now() + 3ms;
    this_thread::sleep_until(until);
    EXPECT_GE(std::chrono::system_clock::now(), until);
    const auto slow = SlowClock::now() + 1ms;
    this_thread::sleep_until(slow);
    EXPECT_GE(SlowClock::now(), slow);
    const auto fast = FastClock::now() + 80ms;
    this_thread::sleep_until(fast);
    EXPECT_GE(FastClock::now(), fast);
    this_thread::sleep_until(std::chrono::time_point<SlowClock, std::chrono::hours>::min());
  });
}

TEST_P(StdThreadTest, JThreadStopsAndJoinsInItsDestructor) {
  run([] {
    std::atomic<bool> ended{false};
    {
      jthread worker([&](stop_token token) {
        while (!token.stop_requested()) this_thread::yield();
        ended = true;
      });
      EXPECT_TRUE(worker.joinable());
      EXPECT_TRUE(worker.get_stop_source().stop_possible());
      EXPECT_FALSE(worker.get_stop_token().stop_requested());
    }
    EXPECT_TRUE(ended);
  });
}

TEST_P(StdThreadTest, JThreadPassesArgumentsWithAndWithoutAToken) {
  run([] {
    int a = 0, b = 0;
    {
      jthread first([&](int n) { a = n; }, 3);
      jthread second([&](stop_token token, int n) { b = token.stop_possible() ? n : -1; }, 4);
    }
    EXPECT_EQ(a, 3);
    EXPECT_EQ(b, 4);
  });
}

TEST_P(StdThreadTest, JThreadMovesItsStopStateAndAssignmentEndsTheOldOne) {
  run([] {
    std::atomic<int> ended{0};
    auto until_stopped = [&](stop_token token) {
      while (!token.stop_requested()) this_thread::yield();
      ended++;
    };
    jthread a(until_stopped);
    jthread b(std::move(a));
    EXPECT_FALSE(a.joinable());
    EXPECT_FALSE(a.get_stop_source().stop_possible());
    EXPECT_FALSE(a.request_stop());
    b = jthread(until_stopped);
    EXPECT_EQ(ended, 1);
    EXPECT_TRUE(b.request_stop());
    EXPECT_FALSE(b.request_stop());
    b.join();
    EXPECT_EQ(ended, 2);
    jthread none;
    EXPECT_FALSE(none.joinable());
    EXPECT_FALSE(none.get_stop_token().stop_possible());
    swap(none, b);
    EXPECT_TRUE(none.get_stop_source().stop_requested());
  });
}

TEST(StdThreadPlaceTest, GoesToTheRuntimeOfTheFiberElseToTheDefaultOne) {
  fiber::Runtime* on = nullptr;
  thread([&on] { on = fiber::Runtime::current(); }).join();
  EXPECT_EQ(on, &fiber::default_runtime());
  fiber::Runtime mine({.workers = 3});
  mine.run([&] {
    EXPECT_EQ(fiber::Runtime::current(), &mine);
    std::atomic<int> elsewhere{0};
    std::vector<thread> workers;
    for (int i = 0; i < 12; i++) {
      workers.emplace_back([&] { elsewhere += fiber::Runtime::current() != &mine; });
    }
    for (thread& worker : workers) worker.join();
    EXPECT_EQ(elsewhere, 0);
  });
  EXPECT_EQ(fiber::Runtime::current(), nullptr);
}

TEST(StdThreadPlaceTest, InsideAGatherItStaysOnTheGatheringThread) {
  const uint64_t here = fiber::current_thread_id();
  uint64_t there[2] = {0, 0};
  fiber::Function functions[2];
  for (int i = 0; i < 2; i++) {
    functions[i] = [&there, i] {
      thread([&there, i] { there[i] = fiber::current_thread_id(); }).join();
    };
  }
  fiber::gather(functions);
  EXPECT_EQ(there[0], here);
  EXPECT_EQ(there[1], here);
}

TEST(StdThreadDeathTest, TerminatesWhereTheStandardSays) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::set_terminate([] {
          fprintf(stderr, "terminated\n");
          abort();
        });
        thread([] { throw std::runtime_error("out"); }).join();
      },
      "terminated");
  EXPECT_DEATH(
      {
        std::set_terminate([] {
          fprintf(stderr, "terminated\n");
          abort();
        });
        thread forgotten([] {});
      },
      "terminated");
}

#if defined(FIBER_ASAN)
constexpr bool kLeakChecked = true;
#else
constexpr bool kLeakChecked = false;
#endif

// main() returns while detached threads compute, wait, hold locks and start others.
TEST(StdThreadDeathTest, TheProcessEndsInPeaceWithDetachedThreadsStillRunning) {
  if (kLeakChecked)
    GTEST_SKIP() << "to the leak checker a fiber on its way between two lists is lost";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static mutex* const held = new mutex;
        static fiber::Event* const running = new fiber::Event;
        held->lock();
        thread([] { held->lock(); }).detach();
        thread([] { this_thread::sleep_for(1h); }).detach();
        thread([] {
          for (;;) {
            thread([] { this_thread::yield(); }).detach();
            running->set();
            this_thread::yield();
          }
        }).detach();
        running->wait();
        exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(DefaultRuntimeDeathTest, TakesItsSizeFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        fiber::testing::set_environment("FIBER_WORKERS", "3");
        fiber::testing::set_environment("FIBER_STACK_SIZE", "131072");
        fiber::set_default_stack_size(size_t{8} << 20);  // the environment's word stands
        const fiber::RuntimeOptions options = fiber::default_runtime_options();
        const bool right = fiber::default_runtime().workers() == 3 && options.workers == 3 &&
                           options.stack_size == 131072;
        exit(right ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "^$");
}

TEST(DefaultRuntimeDeathTest, TakesTheStacksThatTheProgramAsksForFirst) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const auto& [asked, given] :
       {std::pair<size_t, size_t>{8 << 20, 8 << 20}, std::pair<size_t, size_t>{1, 16 << 10},
        std::pair<size_t, size_t>{SIZE_MAX, size_t{1} << 30}}) {
    EXPECT_EXIT(
        {
          fiber::set_default_stack_size(asked);
          const size_t stack_size = fiber::default_runtime_options().stack_size;
          fiber::set_default_stack_size(size_t{1} << 20);
          exit(stack_size == given && fiber::default_runtime_options().stack_size == given ? 7 : 1);
        },
        ::testing::ExitedWithCode(7), "^$");
  }
}

TEST(DefaultRuntimeDeathTest, NamesAndIgnoresABadEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* bad : {"0", "1025", "-1", "4x", "", "99999999999999999999999"}) {
    if (*bad == '\0' && !fiber::testing::kEmptyVariables) continue;
    EXPECT_EXIT(
        {
          fiber::testing::set_environment("FIBER_WORKERS", bad);
          fiber::testing::set_environment("FIBER_STACK_SIZE", "12");
          const fiber::RuntimeOptions options = fiber::default_runtime_options();
          (void)fiber::default_runtime_options();
          exit(options.workers >= 1 && options.workers != 1025 && options.stack_size == 256 << 10
                   ? 7
                   : 1);
        },
        ::testing::ExitedWithCode(7),
        "^fiber: FIBER_WORKERS=.* ignored: not a number from 1 to 1024\n"
        "fiber: FIBER_STACK_SIZE=12 ignored: not a number from 16384 to 1073741824\n$");
  }
}

}  // namespace
}  // namespace fiber_std
