// Simulation: the same seed gives the same run, and the runs are like those of real threads.
#include "fiber/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fiber/cpu.h"
#include "fiber/guest.h"
#include "fiber/local.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fiber/wait.h"
#include "testing.h"

namespace fiber {
namespace {

using ::testing::HasSubstr;
using testing::kMillisecond;
using testing::kSecond;
using ::testing::StartsWith;
using testing::WithoutLeakCheck;
using Status = SimulationResult::Status;

// A bit of everything: threads, two runtimes, locks, timers, guest mode.
void mixed_program(std::string* order) {
  Mutex mutex;
  CondVar changed;
  Semaphore semaphore(2);
  int turns = 0;
  auto note = [&](char c) {
    MutexLock lock(&mutex);
    *order += c;
    turns++;
    changed.notify_one();
  };
  Runtime first({.workers = 3, .name = "first"});
  Runtime second({.workers = 1, .name = "second"});
  std::vector<Thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back("plain", [&, i] {
      for (int n = 0; n < 5; n++) {
        semaphore.acquire();
        note(static_cast<char>('a' + i));
        sleep_for(random_u64() % 1000);
        semaphore.release();
      }
      std::vector<Function> parts;
      for (int p = 0; p < 3; p++) {
        parts.emplace_back([&, p] {
          yield();
          note(static_cast<char>('0' + p));
        });
      }
      gather(parts);
    });
  }
  std::vector<JoinHandle> fibers;
  for (int i = 0; i < 12; i++) {
    fibers.push_back((i % 3 == 0 ? second : first).spawn([&, i] {
      for (int n = 0; n < 3; n++) {
        note(static_cast<char>('A' + i));
        yield();
      }
      spawn([&] { note('+'); }).join();
    }));
  }
  MutexLock lock(&mutex);
  while (turns < 3 * 5 + 3 * 3 + 12 * 4) changed.wait(&mutex);
}

SimulationResult run_mixed_program(uint64_t seed, std::string* order, bool trace = false) {
  order->clear();
  SimulationOptions options;
  options.seed = seed;
  options.trace = trace;
  return Simulation(options).run([order] { mixed_program(order); });
}

TEST(SimulationTest, EqualSeedsGiveEqualRunsAndDifferentSeedsDifferentOnes) {
  std::set<uint64_t> hashes;
  std::set<std::string> orders;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    std::string once, again;
    const SimulationResult a = run_mixed_program(seed, &once, true);
    const SimulationResult b = run_mixed_program(seed, &again, true);
    ASSERT_TRUE(a.ok()) << a.report;
    EXPECT_EQ(a.trace, b.trace) << "seed " << seed;
    EXPECT_EQ(a.hash, b.hash) << "seed " << seed;
    EXPECT_EQ(once, again);
    hashes.insert(a.hash);
    orders.insert(once);
  }
  EXPECT_EQ(hashes.size(), 20u);
  EXPECT_GE(orders.size(), 19u);
}

#if !defined(_WIN32)
// Not only within this process: a child, at other addresses, says the same.
TEST(SimulationTest, EqualSeedsGiveEqualRunsInAnotherProcess) {
  std::string order;
  const SimulationResult here = run_mixed_program(77, &order, true);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl("/proc/self/exe", "fiber_test", "--gtest_filter=SimulationTest.DISABLED_Print",
          "--gtest_also_run_disabled_tests", nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;)
    output.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(output, HasSubstr("order " + order + "\n"));
  EXPECT_THAT(output, HasSubstr("\n" + here.trace));
}
#endif

// For the test above.
TEST(SimulationTest, DISABLED_Print) {
  std::string order;
  const SimulationResult result = run_mixed_program(77, &order, true);
  printf("order %s\n%s", order.c_str(), result.trace.c_str());
}

TEST(SimulationTest, ATraceIsTextAndOnlyOnRequest) {
  std::string order;
  const SimulationResult with = run_mixed_program(5, &order, true);
  const SimulationResult without = run_mixed_program(5, &order);
  EXPECT_EQ(with.hash, without.hash);
  EXPECT_EQ(without.trace, "");
  EXPECT_THAT(with.trace, StartsWith("0 0 start thread 0\n"));
  EXPECT_THAT(with.trace, HasSubstr("run fiber "));
  EXPECT_THAT(with.trace, HasSubstr("interrupt"));
}

TEST(SimulationTest, TimeIsVirtualAndMovesOnOnlyWhenNobodyIsReady) {
  const uint64_t real = now_nanos();
  const SimulationResult result = Simulation(1).run([] {
    const uint64_t start = now_nanos();
    const uint64_t wall = wall_micros();
    sleep_for(3600 * kSecond);
    const uint64_t slept = now_nanos() - start;
    EXPECT_GE(slept, 3600 * kSecond);
    EXPECT_LT(slept, 3600 * kSecond + kMillisecond);
    EXPECT_NEAR(static_cast<double>(wall_micros() - wall), 3600e6, 1000);
  });
  EXPECT_TRUE(result.ok());
  EXPECT_GE(result.nanos, 3600 * kSecond);
  EXPECT_LT(now_nanos() - real, 600 * kSecond);
}

TEST(SimulationTest, TheClockNeverGoesBackAndTimersFireInTheirOrder) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    std::vector<uint64_t> fired;
    const SimulationResult result = Simulation(seed).run([&] {
      Mutex mutex;
      uint64_t latest = now_nanos();
      const uint64_t start = latest;
      auto sleeper = [&](int i) {
        return [&, i] {
          const uint64_t deadline = start + static_cast<uint64_t>(1 + i * 7 % 20) * kMillisecond;
          sleep_until(deadline);
          EXPECT_GE(now_nanos(), deadline);
          MutexLock lock(&mutex);
          const uint64_t now = now_nanos();
          EXPECT_GT(now, latest);
          latest = now;
          fired.push_back(deadline);
        };
      };
      Runtime runtime({.workers = 2});
      std::vector<JoinHandle> fibers;
      std::vector<Thread> threads;
      for (int i = 0; i < 10; i++) fibers.push_back(runtime.spawn(sleeper(i)));
      for (int i = 10; i < 20; i++) threads.emplace_back("sleeper", sleeper(i));
    });
    ASSERT_TRUE(result.ok()) << result.report;
    EXPECT_EQ(fired.size(), 20u);
    EXPECT_TRUE(std::is_sorted(fired.begin(), fired.end())) << "seed " << seed;
  }
}

TEST(SimulationTest, RandomNumbersFollowFromTheSeed) {
  auto draw = [](uint64_t seed) {
    std::vector<uint64_t> numbers;
    EXPECT_TRUE(Simulation(seed)
                    .run([&] {
                      for (int i = 0; i < 4; i++) numbers.push_back(random_u64());
                    })
                    .ok());
    return numbers;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(SimulationTest, ThreadsHaveTheirOwnIdSlotAndLocals) {
  static local<int> mine;
  const SimulationResult result = Simulation(2).run([] {
    EXPECT_EQ(hardware_concurrency(), 4u);
    EXPECT_FALSE(in_fiber());
    Mutex mutex;
    std::set<uint64_t> ids{current_thread_id()};
    std::set<unsigned> slots{slot()};
    Latch all(3);
    std::vector<Thread> threads;
    for (int i = 0; i < 3; i++) {
      threads.emplace_back("t", [&, i] {
        EXPECT_EQ(*mine, 0);
        *mine = i + 1;
        const unsigned my_slot = slot();
        yield();
        all.arrive_and_wait();
        EXPECT_EQ(*mine, i + 1);
        MutexLock lock(&mutex);
        ids.insert(current_thread_id());
        slots.insert(my_slot);
      });
    }
    threads.clear();
    EXPECT_EQ(ids.size(), 4u);
    EXPECT_EQ(slots.size(), 4u);
    EXPECT_LT(*slots.rbegin(), slot_count());
    EXPECT_EQ(*mine, 0);
  });
  EXPECT_TRUE(result.ok());
}

TEST(SimulationTest, ARuntimeHasItsWorkersOnSimulatedThreads) {
  const SimulationResult result = Simulation(3).run([] {
    Runtime runtime({.workers = 3});
    EXPECT_EQ(runtime.engine(), Engine::kSimulated);
    Mutex mutex;
    std::set<uint64_t> ids;
    std::vector<JoinHandle> handles;
    for (int i = 0; i < 30; i++) {
      handles.push_back(runtime.spawn([&] {
        const uint64_t id = current_thread_id();
        sleep_for(kMillisecond);
        EXPECT_EQ(current_thread_id(), id);
        MutexLock lock(&mutex);
        ids.insert(id);
      }));
    }
    handles.clear();
    EXPECT_EQ(ids.size(), 3u);
    EXPECT_EQ(ids.count(current_thread_id()), 0u);
  });
  EXPECT_TRUE(result.ok()) << result.report;
}

TEST(SimulationTest, SpuriousFailuresComeAsOftenAsToldAndOnlyThen) {
  SimulationOptions options;
  auto refused = [&] {
    int count = 0;
    EXPECT_TRUE(Simulation(options)
                    .run([&] {
                      Mutex mutex;
                      for (int i = 0; i < 1000; i++) {
                        if (mutex.try_lock()) {
                          mutex.unlock();
                        } else {
                          count++;
                        }
                      }
                    })
                    .ok());
    return count;
  };
  options.spurious_one_in = 0;
  EXPECT_EQ(refused(), 0);
  options.spurious_one_in = 10;
  EXPECT_NEAR(refused(), 100, 60);
}

// Two threads write their letter five times each, under one mutex: the order in which they came.
std::string order_of_two_writers(const SimulationOptions& options) {
  std::string order;
  const SimulationResult result = Simulation(options).run([&] {
    Mutex mutex;
    auto write = [&](char c) {
      return [&, c] {
        for (int i = 0; i < 5; i++) {
          MutexLock lock(&mutex);
          order += c;
        }
      };
    };
    Thread a("a", write('a')), b("b", write('b'));
  });
  EXPECT_TRUE(result.ok()) << result.report;
  return order;
}

TEST(SimulationTest, WithoutInterruptionsAThreadRunsUntilItWaits) {
  SimulationOptions options;
  options.preempt_every = 0;
  const std::string order = order_of_two_writers(options);
  EXPECT_TRUE(order == "aaaaabbbbb" || order == "bbbbbaaaaa") << order;
  std::set<std::string> orders;
  options.preempt_every = 3;
  for (options.seed = 1; options.seed <= 20; options.seed++)
    orders.insert(order_of_two_writers(options));
  EXPECT_GT(orders.size(), 10u);
}

TEST(SimulationTest, AnInterruptedThreadStallsWhileOthersGetOn) {
  const auto longest_gap = [](uint32_t stall_one_in, uint32_t interleave_stall_one_in = 0) {
    SimulationOptions options;
    options.preempt_every = interleave_stall_one_in != 0 ? 0 : 3;
    options.stall_one_in = stall_one_in;
    options.interleave_stall_one_in = interleave_stall_one_in;
    options.stall_max_nanos = options.interleave_stall_max_nanos = kMillisecond;
    uint64_t longest = 0;
    int naps = 0;  // of the other one, within the longest gap
    const SimulationResult result = Simulation(options).run([&] {
      bool ended = false;
      int taken = 0;
      Thread other("other", [&] {
        for (; !ended; taken++) sleep_for(10'000);
      });
      for (int i = 0; i < 300; i++) {
        const uint64_t before = now_nanos();
        const int taken_before = taken;
        interleave();
        const uint64_t gap = now_nanos() - before;
        if (gap > longest) {
          longest = gap;
          naps = taken - taken_before;
        }
      }
      ended = true;
    });
    EXPECT_TRUE(result.ok()) << result.report;
    return std::pair(longest, naps);
  };
  EXPECT_LT(longest_gap(0).first, 20'000u);
  for (const auto& [longest, naps] : {longest_gap(5), longest_gap(0, 5)}) {
    EXPECT_GT(longest, kMillisecond / 4);
    EXPECT_LT(longest, 2 * kMillisecond);
    EXPECT_GT(naps, 3);
  }
}

// Which of three places keep threads away is the seed's choice: now none, now one or more of them.
TEST(SimulationTest, TheSeedChoosesThePlacesWithLongStalls) {
  std::set<std::array<bool, 3>> seen;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    SimulationOptions options;
    options.seed = seed;
    options.interleave_stall_one_in = 2;
    options.interleave_stall_place_one_in = 2;
    std::array<bool, 3> stalls = {};
    const SimulationResult result = Simulation(options).run([&] {
      for (int i = 0; i < 30; i++) {
        uint64_t before = now_nanos();
        const auto look = [&](size_t place) {
          stalls[place] |= now_nanos() - before > kMillisecond;
          before = now_nanos();
        };
        interleave();
        look(0);
        interleave();
        look(1);
        interleave();
        look(2);
      }
    });
    EXPECT_TRUE(result.ok()) << result.report;
    seen.insert(stalls);
  }
  EXPECT_EQ(seen.size(), 8u);
}

// ---- Found bugs

// Runs `program` with seeds from 1 until it fails; the failing result, or the last one.
template <class Program>
SimulationResult find_failure(uint64_t seeds, const Program& program) {
  SimulationResult result;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    result = Simulation(seed).run([&] { program(); });
    if (!result.ok()) break;
  }
  return result;
}

// A condition variable with the classical fault: between the look at the condition and the falling
// asleep there is a gap, into which a notification falls and is lost.
class BrokenCondVar {
 public:
  void wait(Mutex* mutex) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    mutex->unlock();
    const uint32_t seen = notified_.load();
    fiber::wait(&notified_, seen);
    mutex->lock();
  }
  void notify_one() {
    notified_.fetch_add(1);
    wake(&notified_, 1);
  }

 private:
  std::atomic<uint32_t> notified_{0};
};

template <class Condition>
void hand_over_items() {
  Mutex mutex;
  Condition changed;
  int items = 0;
  auto consume = [&] {
    for (int n = 0; n < 3; n++) {
      mutex.lock();
      while (items == 0) changed.wait(&mutex);
      items--;
      mutex.unlock();
    }
  };
  Thread consumer("consumer", consume);
  for (int n = 0; n < 3; n++) {
    mutex.lock();
    items++;
    mutex.unlock();
    changed.notify_one();
  }
}

TEST(SimulationFindsTest, ALostWakeUp) {
  EXPECT_TRUE(find_failure(200, hand_over_items<CondVar>).ok());
  WithoutLeakCheck leaks;
  const SimulationResult result = find_failure(300, hand_over_items<BrokenCondVar>);
  ASSERT_EQ(result.status, Status::kDeadlock);
  printf("%s", result.report.c_str());
  EXPECT_THAT(result.report, HasSubstr("simulation with seed " + std::to_string(result.seed)));
  EXPECT_THAT(result.report, HasSubstr("'consumer'"));
  EXPECT_THAT(result.report, HasSubstr("waits in fiber::wait"));
  // And again, by its seed.
  const SimulationResult again =
      Simulation(result.seed).run([] { hand_over_items<BrokenCondVar>(); });
  EXPECT_EQ(again.status, Status::kDeadlock);
  EXPECT_EQ(again.hash, result.hash);
  EXPECT_EQ(again.steps, result.steps);  // the report's backtraces may end earlier or later
}

void dine(int philosophers, bool in_order) {
  std::vector<Mutex> forks(static_cast<size_t>(philosophers));
  Runtime runtime({.workers = 2, .name = "table"});
  std::vector<JoinHandle> handles;
  for (int i = 0; i < philosophers; i++) {
    handles.push_back(runtime.spawn([&, i] {
      int left = i, right = (i + 1) % philosophers;
      if (in_order && left > right) std::swap(left, right);
      for (int meals = 0; meals < 2; meals++) {
        MutexLock first(&forks[static_cast<size_t>(left)]);
        MutexLock second(&forks[static_cast<size_t>(right)]);
        yield();
      }
    }));
  }
}

TEST(SimulationFindsTest, TheDeadlockOfTheDiningPhilosophers) {
  EXPECT_TRUE(find_failure(100, [] { dine(5, true); }).ok());
  WithoutLeakCheck leaks;
  const SimulationResult result = find_failure(100, [] { dine(5, false); });
  ASSERT_EQ(result.status, Status::kDeadlock);
  // Five forks, each waited for by one.
  for (int i = 1; i <= 5; i++) {
    EXPECT_THAT(result.report,
                HasSubstr("waits in Mutex::lock, at address #" + std::to_string(i) + "\n"));
  }
  EXPECT_THAT(result.report, HasSubstr("'table/1': a worker without ready fibers"));
}

// A counter that is read, and written after a point where others may have come in between.
TEST(SimulationFindsTest, ALostUpdateOnAtomics) {
  auto count = [](bool broken) {
    std::atomic<int> counter{0};
    {
      auto add = [&] {
        for (int n = 0; n < 3; n++) {
          if (broken) {
            const int seen = counter.load();
            interleave();
            counter.store(seen + 1);
          } else {
            counter.fetch_add(1);
            interleave();
          }
        }
      };
      Thread a("a", add), b("b", add);
    }
    return counter.load();
  };
  int wrong = 0;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    int broken = 0, sound = 0;
    EXPECT_TRUE(Simulation(seed).run([&] { broken = count(true); }).ok());
    EXPECT_TRUE(Simulation(seed).run([&] { sound = count(false); }).ok());
    EXPECT_EQ(sound, 6) << "seed " << seed;
    wrong += broken != 6;
  }
  EXPECT_GT(wrong, 0);
}

// ---- Ends

TEST(SimulationEndTest, ADeadlockOfTheMainThreadIsReportedWithItsWaitSite) {
  WithoutLeakCheck leaks;
  const SimulationResult result = Simulation(3).run([] {
    Semaphore never(0);
    never.acquire();
  });
  EXPECT_EQ(result.status, Status::kDeadlock);
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(result.report, HasSubstr("thread 0 'main'"));
  EXPECT_THAT(result.report, HasSubstr("waits in Semaphore::acquire, at address #1"));
  EXPECT_THAT(result.report, HasSubstr("     1 "));  // a frame
}

TEST(SimulationEndTest, JoinsAndIdleWorkersAreToldApart) {
  WithoutLeakCheck leaks;
  const SimulationResult result = Simulation(4).run([] {
    Runtime runtime({.name = "alone"});
    runtime.run([] {
      Event never;
      JoinHandle child = spawn([&] { never.wait(); });
      child.join();
    });
  });
  EXPECT_EQ(result.status, Status::kDeadlock);
  EXPECT_THAT(result.report, HasSubstr("thread 1 'alone/0': a worker without ready fibers"));
  EXPECT_THAT(result.report, HasSubstr("joins fiber 2"));
  EXPECT_THAT(result.report, HasSubstr("waits in Event::wait"));
}

// What the abandoned waited for is free for others: nothing of them is left in the parking lot.
TEST(SimulationEndTest, AbandonedWaitersAreNotWokenLater) {
  WithoutLeakCheck leaks;
  std::atomic<uint32_t> word{0};
  const SimulationResult result = Simulation(5).run([&] {
    Thread a("a", [&] { wait(&word, 0); });
    Runtime runtime;
    runtime.run([&] { wait(&word, 0); });
  });
  EXPECT_EQ(result.status, Status::kDeadlock);
  EXPECT_EQ(wake(&word, 100), 0u);
}

TEST(SimulationEndTest, ThreadsLeftBehindAreReported) {
  WithoutLeakCheck leaks;
  Thread left;
  Event never;
  const SimulationResult result =
      Simulation(6).run([&] { left = Thread("left", [&] { never.wait(); }); });
  EXPECT_EQ(result.status, Status::kLeftover);
  EXPECT_THAT(result.report, HasSubstr("'left'"));
  left.join();  // says so, and does not hang
  EXPECT_FALSE(left.joinable());
}

TEST(SimulationEndTest, RunWaitsForAllThreads) {
  Thread later;
  bool ended = false;
  const SimulationResult result = Simulation(7).run([&] {
    later = Thread("later", [&] {
      sleep_for(kSecond);
      ended = true;
    });
  });
  EXPECT_TRUE(result.ok());
  EXPECT_TRUE(ended);
  EXPECT_GE(result.nanos, kSecond);
}

TEST(SimulationEndTest, AnExceptionIsHandedOut) {
  const SimulationResult result = Simulation(8).run([] {
    Thread other("other", [] { sleep_for(1000); });
    throw std::runtime_error("no");
  });
  EXPECT_EQ(result.status, Status::kException);
  EXPECT_THROW(std::rethrow_exception(result.exception), std::runtime_error);
}

TEST(SimulationEndTest, LimitsEndALivelock) {
  WithoutLeakCheck leaks;
  std::atomic<bool> never{false};
  auto spin = [&](auto wait) {
    return [&never, wait] {
      while (!never.load()) wait();
    };
  };
  SimulationOptions options;
  options.max_steps = 10000;
  EXPECT_EQ(Simulation(options).run(spin([] { cpu_relax(); })).status, Status::kStepLimit);
  EXPECT_EQ(Simulation(options).run(spin([] { yield(); })).status, Status::kStepLimit);
  // Fibers that yield to one another never leave their worker.
  EXPECT_EQ(Simulation(options)
                .run([&] {
                  Runtime runtime;
                  JoinHandle a = runtime.spawn(spin([] { yield(); }));
                  JoinHandle b = runtime.spawn(spin([] { yield(); }));
                })
                .status,
            Status::kStepLimit);
  // A loop over a lock that nobody waits for, in a run without interruptions.
  options.preempt_every = 0;
  Mutex mutex;
  EXPECT_EQ(Simulation(options)
                .run([&] {
                  Thread other("other", spin([&] { MutexLock lock(&mutex); }));
                  spin([&] { MutexLock lock(&mutex); })();
                })
                .status,
            Status::kStepLimit);
  options.max_steps = 0;
  options.max_nanos = kSecond;
  const SimulationResult result = Simulation(options).run(spin([] { sleep_for(kMillisecond); }));
  EXPECT_EQ(result.status, Status::kTimeLimit);
  EXPECT_GE(result.nanos, kSecond);
}

TEST(SimulationEndTest, ASimulationWithinASimulationIsRefused) {
  EXPECT_FALSE(Simulation::inside());
  Status inner = Status::kFinished;
  const SimulationResult result = Simulation(9).run([&] {
    EXPECT_TRUE(Simulation::inside());
    inner = Simulation(10).run([] { ADD_FAILURE(); }).status;
  });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(inner, Status::kRefused);
  EXPECT_FALSE(Simulation::inside());
}

// ---- The world outside

TEST(SimulationOutsideTest, SimulationsOnSeveralThreadsDoNotDisturbOneAnother) {
  std::string order;
  const uint64_t expected = run_mixed_program(11, &order).hash;
  std::vector<Thread> threads;
  std::atomic<int> equal{0};
  for (int i = 0; i < 4; i++) {
    threads.emplace_back("simulator", [&] {
      std::string mine;
      for (int n = 0; n < 10; n++) equal += run_mixed_program(11, &mine).hash == expected;
    });
  }
  threads.clear();
  EXPECT_EQ(equal.load(), 40);
}

TEST(SimulationOutsideTest, RunsOnAFiberToo) {
  std::string order;
  const uint64_t expected = run_mixed_program(12, &order).hash;
  Runtime runtime;
  EXPECT_EQ(runtime.run([&] {
    const uint64_t hash = run_mixed_program(12, &order).hash;
    EXPECT_TRUE(in_fiber());
    yield();
    return hash;
  }),
            expected);
}

// A thread made before the run is outside. What it wakes is woken, and counted.
TEST(SimulationOutsideTest, AWakeUpFromAForeignThreadIsReported) {
  Event go, done;
  Thread foreign("foreign", [&] {
    go.wait();
    EXPECT_FALSE(Simulation::inside());
    done.set();
  });
  const SimulationResult result = Simulation(13).run([&] {
    go.set();
    // There is work until the other is there: a simulation does not wait for outsiders.
    while (!done.wait_until(deadline_after(kMillisecond))) {
    }
  });
  // (The system may hold the other up between taking the waiter and waking it: nobody inside is
  // ready then, which is told as a deadlock.)
  if (!result.ok()) EXPECT_THAT(result.report, HasSubstr("deadlock"));
  if (result.foreign_wakes != 0) {
    EXPECT_THAT(result.report, HasSubstr("not repeatable"));
  }
}

TEST(SimulationOutsideTest, ClocksRandomAndLocksAreTheSystemsAgainAfterwards) {
  const uint64_t before = now_nanos();
  const unsigned my_slot = slot();
  const uint64_t my_id = current_thread_id();
  EXPECT_TRUE(Simulation(14).run([] { sleep_for(1000 * kSecond); }).ok());
  const uint64_t after = now_nanos();
  EXPECT_GE(after, before);
  EXPECT_LT(after - before, 600 * kSecond);
  EXPECT_EQ(slot(), my_slot);
  EXPECT_EQ(current_thread_id(), my_id);
  EXPECT_NE(random_u64(), random_u64());
}

}  // namespace
}  // namespace fiber
