// When the system has no memory for a stack.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "testing.h"

namespace fiber {
namespace {

// In a process that may take little memory more: 0 if all fibers ran, though not all at once.
int run_more_fibers_than_memory() {
  constexpr int kFibers = 3000;
  // One worker: nothing begins, nor ends, before the fiber that spawns lets others go first.
  Runtime runtime({.workers = 1, .stack_size = 256 << 10});
  return runtime.run([] {
    rlimit before;
    if (getrlimit(RLIMIT_AS, &before) != 0) return 1;
    bool go_on = false;
    int began = 0;
    int ended = 0;
    // All that the heap gives is taken before the limit: stacks leave no address space to it.
    std::vector<JoinHandle> handles;
    handles.reserve(kFibers);
    for (int i = 0; i < kFibers; i++) {
      handles.push_back(spawn([&] {
        began++;
        while (!go_on) yield();
        ended++;
      }));
    }
    const rlimit little{size_t{256} << 20, before.rlim_max};  // some 1000 stacks of 256 KiB
    if (setrlimit(RLIMIT_AS, &little) != 0) return 2;
    yield();  // until each has a stack, or none was left for it
    const bool some_wait = began < kFibers;
    go_on = true;
    handles.clear();
    if (setrlimit(RLIMIT_AS, &before) != 0) return 3;
    if (!some_wait || ended != kFibers) return 4;
    // And it goes on as if nothing had been.
    bool ran = false;
    spawn([&] { ran = true; }).join();
    return ran ? 0 : 5;
  });
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
