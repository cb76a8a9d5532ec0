// BackgroundCall: what is started goes on meanwhile, and is over after wait().
#include "fiber/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <utility>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace fiber {
namespace {

TEST(BackgroundCallTest, NothingToWaitForAtFirst) {
  BackgroundCall call;
  EXPECT_FALSE(call.started());
  EXPECT_TRUE(call.done());
  call.wait();
}

// The function waits for the caller: it can only end if both go on.
void RunsBesideItsCaller() {
  Event from_caller, from_function;
  int value = 0;
  BackgroundCall call;
  call.start([&] {
    from_function.set();
    from_caller.wait();
    value = 7;
  });
  EXPECT_TRUE(call.started());
  from_function.wait();
  EXPECT_FALSE(call.done());
  from_caller.set();
  call.wait();
  EXPECT_EQ(value, 7);
  EXPECT_TRUE(call.done());
  EXPECT_FALSE(call.started());
  call.start([&] { value = 8; });
  call.wait();
  EXPECT_EQ(value, 8);
}

TEST(BackgroundCallTest, RunsBesideAThread) { RunsBesideItsCaller(); }

TEST(BackgroundCallTest, RunsBesideAFiber) {
  Runtime runtime;
  runtime.run(&RunsBesideItsCaller);
}

TEST(SimulationBackgroundCallTest, RunsBesideAThreadAndAFiber) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulationResult result = Simulation({.seed = seed}).run([] {
      RunsBesideItsCaller();
      Runtime runtime;
      runtime.run(&RunsBesideItsCaller);
    });
    EXPECT_TRUE(result.ok()) << result.report;
  }
}

TEST(BackgroundCallTest, TheDestructorWaits) {
  std::atomic<int> ended{0};
  {
    BackgroundCall a, b;
    a.start([&] { ++ended; });
    b = std::move(a);
    BackgroundCall c(std::move(b));
    b.start([&] { ++ended; });
  }
  EXPECT_EQ(ended, 2);
}

TEST(BackgroundCallTest, AnotherThreadWaits) {
  Runtime runtime;
  int value = 0;
  BackgroundCall call;
  runtime.run([&] { call.start([&] { value = 3; }); });
  call.wait();
  EXPECT_EQ(value, 3);
  call.start([&] { value = 4; });
  runtime.run([&] { call.wait(); });
  EXPECT_EQ(value, 4);
}

TEST(BackgroundCallTest, ManyAtOnce) {
  std::atomic<int> ended{0};
  std::vector<BackgroundCall> calls(100);
  for (BackgroundCall& call : calls) call.start([&] { ++ended; });
  for (BackgroundCall& call : calls) call.wait();
  EXPECT_EQ(ended, 100);
}

}  // namespace
}  // namespace fiber
