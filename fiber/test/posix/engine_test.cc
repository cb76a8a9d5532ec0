// The engines by themselves: which one is chosen, their sleep and wake, the pool of blocking
// threads.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "engine_blocking_pool.h"
#include "engine_epoll.h"
#include "engine_factory.h"
#include "engine_ring.h"
#include "engine_uring.h"
#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace fiber::detail {
namespace {

// --- choice

// From now on the process's io_uring_setup() fails like this.
void refuse_io_uring(int error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("seccomp");
    std::_Exit(3);
  }
}

// In a process of its own: exits with 0 if a runtime gets this engine and its I/O works.
[[noreturn]] void run_and_exit(Engine requested, Engine expected) {
  {
    Runtime runtime({.workers = 2, .engine = requested});
    if (runtime.engine() != expected) std::_Exit(1);
    const bool right = runtime.run([] {
      const int fd = io::open("/proc/self/stat", O_RDONLY);
      char buffer[64];
      int ends[2];
      if (net::socket_pair(ends) != 0) return false;
      JoinHandle echo = spawn([&] {
        char byte;
        if (net::recv(ends[1], &byte, 1) == 1) net::send(ends[1], &byte, 1);
      });
      const bool socket_works =
          net::send(ends[0], "s", 1) == 1 && net::recv(ends[0], buffer, sizeof(buffer)) == 1;
      echo.join();
      return socket_works && fd >= 0 && io::pread(fd, buffer, sizeof(buffer), 0) > 0 &&
             io::close(fd) == 0 && io::close(ends[0]) == 0 && net::close(ends[1]) == 0;
    });
    if (!right) std::_Exit(2);
  }
  std::_Exit(0);
}

class EngineChoiceDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const char* before = std::getenv("FIBER_ENGINE");
    if (before != nullptr) saved_ = before;
    ::unsetenv("FIBER_ENGINE");
  }
  void TearDown() override {
    ::unsetenv("FIBER_ENGINE");
    if (!saved_.empty()) ::setenv("FIBER_ENGINE", saved_.c_str(), 1);
  }
  std::string saved_;
};

TEST_F(EngineChoiceDeathTest, EnvironmentForcesEpoll) {
  // "pool" is its name from before sockets.
  for (const char* name : {"epoll", "pool"}) {
    ::setenv("FIBER_ENGINE", name, 1);
    EXPECT_EXIT(run_and_exit(Engine::kIoUring, Engine::kEpoll), ::testing::ExitedWithCode(0), "^$");
  }
}

TEST_F(EngineChoiceDeathTest, EnvironmentForcesIoUring) {
  if (ring_support().error != 0) GTEST_SKIP() << "io_uring refused: " << ring_support().error;
  ::setenv("FIBER_ENGINE", "io_uring", 1);
  EXPECT_EXIT(run_and_exit(Engine::kEpoll, Engine::kIoUring), ::testing::ExitedWithCode(0), "^$");
}

TEST_F(EngineChoiceDeathTest, AnUnknownNameInTheEnvironmentIsToldAndIgnored) {
  ::setenv("FIBER_ENGINE", "kqueue", 1);
  EXPECT_EXIT(run_and_exit(Engine::kEpoll, Engine::kEpoll), ::testing::ExitedWithCode(0),
              "^fiber: FIBER_ENGINE=kqueue is neither");
}

TEST_F(EngineChoiceDeathTest, RefusedBySeccompEpollIsTakenSilently) {
  for (int error : {EPERM, ENOSYS, ENOMEM}) {
    EXPECT_EXIT(
        {
          refuse_io_uring(error);
          run_and_exit(Engine::kAuto, Engine::kEpoll);
        },
        ::testing::ExitedWithCode(0), "^$");
  }
}

TEST_F(EngineChoiceDeathTest, ForcedWhereRefusedItIsToldOnce) {
  ::setenv("FIBER_ENGINE", "io_uring", 1);
  EXPECT_EXIT(
      {
        refuse_io_uring(EPERM);
        run_and_exit(Engine::kAuto, Engine::kEpoll);
      },
      ::testing::ExitedWithCode(0), "^fiber: io_uring was asked for but is not available[^\n]*\n$");
}

// --- sleep and wake

struct EngineKind {
  const char* name;
  std::unique_ptr<IoEngine> (*make)();
};

class EngineSleepTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    if (GetParam().make == nullptr) return;
    if (std::strncmp(GetParam().name, "Uring", 5) == 0 && ring_support().error != 0) {
      GTEST_SKIP() << "io_uring refused: " << ring_support().error;
    }
  }

  // A read that stays in the kernel until finish_read(), so that the engine sleeps where its I/O
  // is.
  void start_read(IoEngine* engine) {
    ASSERT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    io_uring_prep_read(&request_.op.ring.sqe, ends_[0], &byte_, 1, ~0ull);
    request_.op.has_sqe = true;
    request_.group = &group_;
    request_.context = this;
    request_.block = [](IoRequest* r) -> int64_t {
      auto* self = static_cast<EngineSleepTest*>(r->context);
      return ::read(self->ends_[0], &self->byte_, 1);
    };
    ASSERT_TRUE(engine->submit(&request_));
  }
  void finish_read(IoEngine* engine) {
    ASSERT_EQ(::write(ends_[1], "x", 1), 1);
    while (engine->pending() != 0) engine->poll(true, kNoDeadline);
    group_.waiter.suspend();
    EXPECT_EQ(request_.result, 1);
    EXPECT_EQ(byte_, 'x');
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  int ends_[2] = {-1, -1};
  char byte_ = 0;
  IoGroup group_{1};
  IoRequest request_;
};

TEST_P(EngineSleepTest, NoWakeupIsLost) {
  for (bool reading : {false, true}) {
    SCOPED_TRACE(reading);
    std::unique_ptr<IoEngine> engine = GetParam().make();
    if (reading) start_read(engine.get());
    // The protocol of the worker: say that one sleeps, look once more, sleep; the waker changes
    // something, then wakes the one that sleeps.
    constexpr uint32_t kRounds = 3000;
    std::atomic<uint32_t> round{0}, answered{0};
    std::atomic<bool> asleep{false};
    Thread waker("waker", [&] {
      for (uint32_t i = 1; i <= kRounds; ++i) {
        round.store(i);
        if (asleep.exchange(false)) engine->wakeup();
        while (answered.load() != i) yield();
      }
    });
    for (uint32_t i = 1; i <= kRounds;) {
      asleep.store(true);
      if (round.load() < i) engine->poll(true, kNoDeadline);
      asleep.store(false);
      if (round.load() >= i) answered.store(i++);
    }
    waker.join();
    if (reading) finish_read(engine.get());
  }
}

TEST_P(EngineSleepTest, AWakeupBeforeTheSleepEndsIt) {
  std::unique_ptr<IoEngine> engine = GetParam().make();
  engine->wakeup();
  engine->poll(true, kNoDeadline);
  start_read(engine.get());
  engine->poll(false, 0);
  engine->wakeup();
  engine->poll(true, kNoDeadline);
  finish_read(engine.get());
}

TEST_P(EngineSleepTest, SleepsUntilTheDeadline) {
  std::unique_ptr<IoEngine> engine = GetParam().make();
  auto sleep_until_deadline = [&] {
    const uint64_t deadline = deadline_after(2000000);
    while (now_nanos() < deadline) engine->poll(true, deadline);
    engine->poll(true, 0);  // long past: returns at once
  };
  sleep_until_deadline();
  start_read(engine.get());
  sleep_until_deadline();
  finish_read(engine.get());
}

INSTANTIATE_TEST_SUITE_P(
    Engines, EngineSleepTest,
    ::testing::Values(
        EngineKind{"Epoll",
                   []() -> std::unique_ptr<IoEngine> { return std::make_unique<EpollEngine>(); }},
        EngineKind{"Uring",
                   []() -> std::unique_ptr<IoEngine> { return std::make_unique<UringEngine>(); }},
        EngineKind{"UringEventfd",
                   []() -> std::unique_ptr<IoEngine> {
                     return std::make_unique<UringEngine>(RingOptions{}, false);
                   }},
        EngineKind{"UringLosesWaits",
                   []() -> std::unique_ptr<IoEngine> {
                     return std::make_unique<UringEngine>(RingOptions{.lost_waits = 2});
                   }},
        EngineKind{"UringTiny",
                   []() -> std::unique_ptr<IoEngine> {
                     return std::make_unique<UringEngine>(
                         RingOptions{.entries = 1, .completions = 2});
                   }}),
    [](const ::testing::TestParamInfo<EngineKind>& info) { return std::string(info.param.name); });

// --- the pool

TEST(BlockingPoolTest, RunsEveryJobAndStaysBounded) {
  struct Job : PoolJob {
    Latch* started;
    Event* go;
    Latch* ended;
  };
  constexpr uint32_t kJobs = 200;
  Latch started(BlockingPool::kMaxThreads), ended(kJobs);
  Event go;
  std::vector<Job> jobs(kJobs);
  for (Job& job : jobs) {
    job.started = &started;
    job.go = &go;
    job.ended = &ended;
    job.run = [](PoolJob* base) {
      auto* self = static_cast<Job*>(base);
      if (!self->go->is_set()) self->started->count_down();
      self->go->wait();
      self->ended->count_down();
    };
    BlockingPool::instance().submit(&job);
  }
  started.wait();  // all threads are in a job at once
  EXPECT_EQ(BlockingPool::instance().threads(), BlockingPool::kMaxThreads);
  go.set();
  ended.wait();
  EXPECT_EQ(BlockingPool::instance().threads(), BlockingPool::kMaxThreads);
}

}  // namespace
}  // namespace fiber::detail
