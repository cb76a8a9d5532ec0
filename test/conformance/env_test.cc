// Env's pools of background threads, and an Env of the user's that a database schedules through.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "conformance.h"

namespace conformance {
namespace {

using Mutex = std::mutex;  // style: RocksDB runs here, too

// Counts down to nothing.
class Latch {
 public:
  explicit Latch(int count) : count_(count) {}
  void CountDown() {
    const std::unique_lock<Mutex> lock(mutex_);
    if (--count_ == 0) zero_.notify_all();
  }
  void Wait() {
    std::unique_lock<Mutex> lock(mutex_);
    zero_.wait(lock, [this] { return count_ <= 0; });
  }

 private:
  Mutex mutex_;
  std::condition_variable zero_;  // style: RocksDB runs here, too
  int count_;
};

// What a scheduled function is given.
struct Call {
  std::atomic<int>* ran;
  std::atomic<int>* unscheduled;
  Latch* begun = nullptr;
  Latch* gate = nullptr;
  Latch* done = nullptr;
};

void RunCall(void* argument) {
  const Call& call = *static_cast<Call*>(argument);
  if (call.begun != nullptr) call.begun->CountDown();
  if (call.gate != nullptr) call.gate->Wait();
  ++*call.ran;
  if (call.done != nullptr) call.done->CountDown();  // the end of the call's life
}

void UnscheduleCall(void* argument) { ++*static_cast<Call*>(argument)->unscheduled; }

TEST(EnvTest, ScheduledFunctionsWaitForAThreadInTheOrderOfComing) {
  Env* const env = TheEnv();
  env->SetBackgroundThreads(1, Env::BOTTOM);
  EXPECT_EQ(1, env->GetBackgroundThreads(Env::BOTTOM));
  env->IncBackgroundThreadsIfNeeded(1, Env::BOTTOM);
  EXPECT_EQ(1, env->GetBackgroundThreads(Env::BOTTOM));
  std::atomic<int> ran{0}, unscheduled{0};
  Latch begun(1), gate(1), done(1);
  Call first{&ran, &unscheduled, &begun, &gate};
  Call waits{&ran, &unscheduled};
  Call last{&ran, &unscheduled, nullptr, nullptr, &done};
  env->Schedule(&RunCall, &first, Env::BOTTOM);
  begun.Wait();
  int tag = 0, other = 0;
  for (int i = 0; i < 3; ++i) {
    env->Schedule(&RunCall, &waits, Env::BOTTOM, &tag, &UnscheduleCall);
  }
  env->Schedule(&RunCall, &waits, Env::BOTTOM, &other);
  env->Schedule(&RunCall, &last, Env::BOTTOM);
  EXPECT_EQ(5u, env->GetThreadPoolQueueLen(Env::BOTTOM));
  EXPECT_EQ(0, env->UnSchedule(&ran, Env::BOTTOM));
  EXPECT_EQ(3, env->UnSchedule(&tag, Env::BOTTOM));
  EXPECT_EQ(3, unscheduled);
  EXPECT_EQ(1, env->UnSchedule(&other, Env::BOTTOM));
  EXPECT_EQ(3, unscheduled) << "it has no function for that";
  EXPECT_EQ(1u, env->GetThreadPoolQueueLen(Env::BOTTOM));
  gate.CountDown();
  done.Wait();
  EXPECT_EQ(2, ran);
  EXPECT_EQ(3, unscheduled);
}

TEST(EnvTest, StartedThreadsAreWaitedFor) {
  std::atomic<int> ran{0}, unscheduled{0};
  Call call{&ran, &unscheduled};
  for (int i = 0; i < 3; ++i) TheEnv()->StartThread(&RunCall, &call);
  TheEnv()->StartThreadTyped([](std::atomic<int>* sum, int n) { *sum += n; }, &ran, 10);
  TheEnv()->WaitForJoin();
  EXPECT_EQ(13, ran);
}

TEST(EnvTest, EnvsShareTheirThreads) {
  const std::unique_ptr<Env> other(NewMemEnv(TheEnv()));
  other->SetBackgroundThreads(3, Env::BOTTOM);
  EXPECT_EQ(3, TheEnv()->GetBackgroundThreads(Env::BOTTOM));
  TheEnv()->SetBackgroundThreads(1, Env::BOTTOM);
  EXPECT_EQ(1, other->GetBackgroundThreads(Env::BOTTOM));
  EXPECT_EQ("Low", Env::PriorityToString(Env::LOW));
  EXPECT_EQ("Bottom", Env::PriorityToString(Env::BOTTOM));
}

// Counts what is scheduled, and leaves it to another Env.
class CountingEnv final : public EnvWrapper {
 public:
  CountingEnv() : EnvWrapper(TheEnv()) {}
  const char* Name() const override { return "CountingEnv"; }
  void Schedule(void (*function)(void* arg), void* arg, Priority pri, void* tag,
                void (*unschedule)(void* arg)) override {
    EXPECT_NE(nullptr, tag);
    EXPECT_NE(nullptr, unschedule);
    ++scheduled[pri];
    EnvWrapper::Schedule(function, arg, pri, tag, unschedule);
  }
  int UnSchedule(void* tag, Priority pri) override {
    ++unscheduled[pri];
    return EnvWrapper::UnSchedule(tag, pri);
  }
  void IncBackgroundThreadsIfNeeded(int number, Priority pri) override {
    wanted[pri] = number;
    EnvWrapper::IncBackgroundThreadsIfNeeded(number, pri);
  }

  std::atomic<int> scheduled[TOTAL] = {}, unscheduled[TOTAL] = {}, wanted[TOTAL] = {};
};

class UserEnvTest : public DBTest {};

TEST_F(UserEnvTest, FlushesAndCompactionsAreScheduledThroughIt) {
  CountingEnv env;
  options_.env = &env;
  options_.max_background_jobs = 8;
  options_.level0_file_num_compaction_trigger = 100;
  Open();
  EXPECT_EQ(2, env.wanted[Env::HIGH]);
  EXPECT_EQ(6, env.wanted[Env::LOW]);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_LE(1, env.scheduled[Env::HIGH]);
  EXPECT_EQ(0, env.scheduled[Env::LOW]);
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(Compact());
  EXPECT_LE(2, env.scheduled[Env::HIGH]);
  // (To the last level by RocksDB in BOTTOM, where that has threads.)
  EXPECT_LE(1, env.scheduled[Env::LOW] + env.scheduled[Env::BOTTOM]);
  EXPECT_EQ("a=2", Contents());
  EXPECT_EQ(0, env.unscheduled[Env::HIGH]);
  Shut();
  EXPECT_LE(1, env.unscheduled[Env::HIGH]);
  EXPECT_LE(1, env.unscheduled[Env::LOW]);
  Open();
  EXPECT_EQ("a=2", Contents());
  Shut();  // before the Env goes
}

TEST_F(UserEnvTest, ADatabaseIsClosedWhileItsJobsWait) {
  CountingEnv env;
  options_.env = &env;
  options_.write_buffer_size = 64 << 10;
  options_.level0_file_num_compaction_trigger = 2;
  for (int round = 0; round < 5; ++round) {
    Open();
    for (int i = 0; i < 3000; ++i) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
    Shut();
  }
  Open();
  EXPECT_EQ(std::string(100, 'v'), Get(Key(2999)));
  Shut();
}

}  // namespace
}  // namespace conformance
