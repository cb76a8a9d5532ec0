#include "base/task_limiter.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

struct Counter : TaskLimiter::Waiter {
  void LimiterMayHaveRoom() override { ++calls; }
  int calls = 0;
};

TEST(TaskLimiterTest, RefusesWhatIsTooMuchAndCallsWhenThereIsRoom) {
  auto limiter = std::make_shared<TaskLimiter>("name", 2);
  EXPECT_EQ(limiter->GetName(), "name");
  Counter waiter, other;
  LimitedTask first(limiter, &waiter), second(limiter, &waiter), third(limiter, &waiter);
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_FALSE(third);
  EXPECT_FALSE(LimitedTask(limiter, &waiter)) << "who waits already is called once";
  EXPECT_FALSE(LimitedTask(limiter, &other));
  EXPECT_EQ(limiter->GetOutstandingTask(), 2);
  second.Reset();
  EXPECT_EQ(limiter->GetOutstandingTask(), 1);
  EXPECT_EQ(waiter.calls, 1);
  EXPECT_EQ(other.calls, 1);
  third = LimitedTask(limiter, &waiter);
  EXPECT_TRUE(third);
  first.Reset();
  EXPECT_EQ(waiter.calls, 1) << "nobody waits";
}

TEST(TaskLimiterTest, ALimitChangesWhileTasksRun) {
  auto limiter = std::make_shared<TaskLimiter>("", 0);
  Counter waiter;
  EXPECT_FALSE(LimitedTask(limiter, &waiter));
  limiter->SetMaxOutstandingTask(0);
  EXPECT_EQ(waiter.calls, 0);
  limiter->SetMaxOutstandingTask(1);
  EXPECT_EQ(waiter.calls, 1);
  LimitedTask first(limiter, &waiter);
  EXPECT_TRUE(first);
  limiter->ResetMaxOutstandingTask();
  LimitedTask second(limiter, &waiter);
  EXPECT_TRUE(second);
  limiter->SetMaxOutstandingTask(1);
  EXPECT_FALSE(LimitedTask(limiter, &waiter));
  second.Reset();
  EXPECT_EQ(waiter.calls, 1) << "there is still no room";
  first.Reset();
  EXPECT_EQ(waiter.calls, 2);
}

TEST(TaskLimiterTest, ForcedTasksCountAndTheForgottenAreNotCalled) {
  auto limiter = std::make_shared<TaskLimiter>("", 1);
  Counter waiter;
  {
    LimitedTask forced(limiter, nullptr), another(limiter, nullptr);
    EXPECT_TRUE(forced);
    EXPECT_EQ(limiter->GetOutstandingTask(), 2);
    EXPECT_FALSE(LimitedTask(limiter, &waiter));
    limiter->Forget(&waiter);
    const LimitedTask moved = std::move(forced);
    EXPECT_FALSE(forced);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(limiter->GetOutstandingTask(), 2);
  }
  EXPECT_EQ(limiter->GetOutstandingTask(), 0);
  EXPECT_EQ(waiter.calls, 0);
  EXPECT_TRUE(LimitedTask(nullptr, &waiter)) << "without a limiter";
}

}  // namespace
}  // namespace cairn
