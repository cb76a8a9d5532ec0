// When the system has no memory for a stack.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "testing.h"

namespace fiber {
namespace {

// In a process that may take little memory more: 0 if all fibers ran, though not all at once.
int run_more_fibers_than_memory() {
  constexpr int kFibers = 3000;
  rlimit limit{size_t{256} << 20, size_t{256} << 20};  // room for some 1000 stacks of 256 KiB
  Runtime runtime({.stack_size = 256 << 10});
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  std::atomic<int> ended{0};
  std::vector<JoinHandle> handles;
  for (int i = 0; i < kFibers; i++) {
    handles.push_back(runtime.spawn([&] {
      // Long enough that all that can be started are at once.
      for (int n = 0; n < 20; n++) yield();
      ended++;
    }));
  }
  handles.clear();
  // And it goes on as if nothing had been.
  return ended == kFibers && runtime.run([] { return true; }) ? 0 : 2;
}

TEST(NoMemoryDeathTest, FibersWithoutAStackWaitForOne) {
#if defined(FIBER_TSAN) || defined(FIBER_ASAN)
  GTEST_SKIP() << "the sanitizers need address space themselves";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(run_more_fibers_than_memory()), ::testing::ExitedWithCode(0),
              "fiber: the system refuses more guarded stacks");
}

}  // namespace
}  // namespace fiber
