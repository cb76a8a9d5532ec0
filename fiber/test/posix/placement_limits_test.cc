// Workers and what the system gives them: threads that it refuses, processors, time slices.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "fiber/cpu.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "processors.h"
#include "testing.h"

namespace fiber {
namespace {

// In a process that may take only so much memory: 0 if all is as it should be.
int create_too_many() {
  // Room for two or three stacks, and, when the next one is refused, for all else.
  constexpr size_t kStack = size_t{1} << 30;
  const rlimit limit{4 * kStack, 4 * kStack};
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, kStack) != 0 ||
      pthread_setattr_default_np(&attributes) != 0 || setrlimit(RLIMIT_AS, &limit) != 0) {
    return 1;
  }
  std::unique_ptr<Runtime> runtime;
  std::string error;
  const int result = Runtime::create({.workers = 1000}, &runtime, &error);
  fprintf(stderr, "%s\n", error.c_str());
  if (result == 0 || runtime != nullptr) return 2;
  // A smaller one goes.
  if (Runtime::create({.workers = 2}, &runtime, &error) != 0) return 3;
  return runtime->run([] { return 0; });
}

// The system refuses the threads: an error that says so, and those that had started are gone.
TEST(WorkerCountDeathTest, RefusedThreadsAreAnError) {
#if defined(FIBER_TSAN) || defined(FIBER_ASAN)
  GTEST_SKIP() << "the sanitizers need address space themselves";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(create_too_many()), ::testing::ExitedWithCode(0), "the system refuses thread");
}

TEST(PinningTest, WorkersRunWhereTheyAreBound) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; cpu++) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  Runtime runtime({.workers = 3, .cpus = cpus});
  for (int i = 0; i < 3; i++) {
    runtime.spawn({.worker = i}, [&, i] {
      const int expected = cpus[static_cast<size_t>(i) % cpus.size()];
      EXPECT_EQ(sched_getcpu(), expected);
      cpu_set_t mine;
      EXPECT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
      EXPECT_EQ(CPU_COUNT(&mine), 1);
    });
  }
}

TEST(PinningTest, AThreadThatLeavesAProcessorMayUseTheSameOnesAfterwards) {
  Thread("leave", [] {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    std::vector<int> all;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
      if (CPU_ISSET(cpu, &before)) all.push_back(cpu);
    }
    const auto expect_the_same = [&before] {
      cpu_set_t after;
      ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
      EXPECT_TRUE(CPU_EQUAL(&before, &after));
    };
    EXPECT_EQ(detail::os_leave_cpu({}), all.size() > 1);
    expect_the_same();
    EXPECT_FALSE(detail::os_leave_cpu(all)) << "there is no other one";
    expect_the_same();
    const std::vector<int> none{-1, CPU_SETSIZE};
    EXPECT_EQ(detail::os_leave_cpu(none), all.size() > 1);
    expect_the_same();
  }).join();
}

// What the kernel says of the calling thread's slice; 0: the default one.
uint64_t slice_of_thread() {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {};
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0), 0);
  return attributes.runtime;
}

TEST(PlacementTest, WorkersHaveTheSliceThatWasAskedFor) {
  constexpr uint64_t kSlice = 300'000;
  uint64_t kernels = 0;
  Thread knows("knows", [&kernels] {
    prefer_slice(2 * kSlice);
    kernels = slice_of_thread();
  });
  knows.join();
  if (kernels != 2 * kSlice) GTEST_SKIP() << "this kernel has one slice for all";
  const uint64_t usual = slice_of_thread();
  Runtime runtime({.workers = 2, .slice_nanos = kSlice});
  Runtime other({.workers = 1});
  for (int i = 0; i < 2; ++i) {
    runtime.spawn({.worker = i}, [&] { EXPECT_EQ(slice_of_thread(), kSlice); }).join();
  }
  other.spawn([usual] { EXPECT_EQ(slice_of_thread(), usual); }).join();
  EXPECT_EQ(slice_of_thread(), usual);
}

}  // namespace
}  // namespace fiber
