// fork(): what a child finds of its parent's runtime, and what it may make for itself.
#include "fiber/fork.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "fiber/background.h"
#include "fiber/default_runtime.h"
#include "fiber/guest.h"
#include "fiber/io.h"
#include "fiber/local.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/sanitizers.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fiber/wait.h"
#include "sim_hooks.h"
#include "testing.h"

namespace fiber {
namespace {

// The exit status of a process that runs `child` (-n: signal n ended it) and what it said.
int in_child(const std::function<int()>& child, std::string* said = nullptr) {
  int text[2];
  EXPECT_EQ(pipe(text), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(120);  // a hang is a failure, too
    dup2(text[1], 2);
    _exit(child());
  }
  close(text[1]);
  char buffer[4096];
  for (ssize_t n; (n = read(text[0], buffer, sizeof(buffer))) > 0;) {
    if (said != nullptr) said->append(buffer, static_cast<size_t>(n));
  }
  close(text[0]);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class ForkDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (detail::simulator() != nullptr) GTEST_SKIP() << "a simulation does not fork";
#if defined(FIBER_TSAN) || (defined(FIBER_ASAN) && !defined(__clang__))
    // GCC 12's do not keep their allocators usable across a fork beside other threads, as glibc
    // does: a child hangs whenever one of them was allocating. Clang's for threads ends a child
    // that starts one.
    if (getenv("CAIRN_FORK_UNDER_SANITIZER") == nullptr) GTEST_SKIP() << "the sanitizer may hang";
#endif
  }
};

TEST_F(ForkDeathTest, AChildHasAnotherGeneration) {
  const uint32_t mine = process_generation();
  EXPECT_EQ(in_child([mine] {
              const uint32_t child = process_generation();
              if (child == mine) return 1;
              return in_child([=] { return process_generation() == child ? 1 : 0; });
            }),
            0);
  EXPECT_EQ(process_generation(), mine);
}

TEST_F(ForkDeathTest, ARuntimeOfTheParentRefusesAndEndsAtOnce) {
  auto runtime = std::make_unique<Runtime>(RuntimeOptions{.workers = 2});
  runtime->run([] {});
  std::string said;
  EXPECT_EQ(in_child(
                [&] {
                  runtime->run([] {});
                  return 0;
                },
                &said),
            -SIGABRT);
  EXPECT_NE(said.find("forked"), std::string::npos) << said;
  EXPECT_EQ(in_child([&] {
              runtime.reset();
              return 7;
            }),
            7);
  runtime->run([] {});
}

TEST_F(ForkDeathTest, AJoinOfAFiberOfTheParentRefuses) {
  Runtime runtime({.workers = 1});
  Event go;
  JoinHandle waiting = runtime.spawn([&] { go.wait(); });
  std::string said;
  EXPECT_EQ(in_child(
                [&] {
                  waiting.join();
                  return 0;
                },
                &said),
            -SIGABRT);
  EXPECT_NE(said.find("forked"), std::string::npos) << said;
  go.set();
  waiting.join();
}

TEST_F(ForkDeathTest, ThreadsAndBackgroundCallsOfTheParentAreNotWaitedFor) {
  Event go;
  Thread thread("waits", [&] { go.wait(); });
  BackgroundCall call;
  call.start([&] { go.wait(); });
  EXPECT_EQ(in_child([&] {
              thread.join();
              call.wait();
              return 7;
            }),
            7);
  go.set();
}

TEST_F(ForkDeathTest, AChildOnAFiberIsAPlainThread) {
  char path[] = "/tmp/fiber-fork-XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  Runtime runtime({.workers = 2});
  std::atomic<int> others{0};
  std::string said;
  runtime.run([&] {
    for (int i = 0; i < 10; i++) {
      spawn([&] {
        yield();
        others++;
      }).detach();
    }
    EXPECT_EQ(in_child([&] {
                if (in_fiber() || Runtime::current() != nullptr) return 1;
                yield();
                sleep_for(1000);
                if (others.load() != 0) return 2;  // they are the parent's
                if (io::pwrite(fd, "abc", 3, 0) != 3 || io::fsync(fd) != 0) return 3;
                char back[3];
                if (io::pread(fd, back, 3, 0) != 3 || back[0] != 'a') return 4;
                Mutex mutex;
                MutexLock lock(&mutex);
                return 0;
              }),
              0);
    EXPECT_EQ(in_child(
                  [&] {
                    spawn([] {}).join();
                    return 0;
                  },
                  &said),
              -SIGABRT);
    // The parent's fiber is one still, and so is its I/O.
    EXPECT_TRUE(in_fiber());
    EXPECT_EQ(io::pwrite(fd, "xyz", 3, 0), 3);
  });
  EXPECT_NE(said.find("forked"), std::string::npos) << said;
  runtime.run([&] {
    // The end of the fiber is the end of the child.
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(120);
      const int null = ::open("/dev/null", O_WRONLY);
      dup2(null, 2);
      return;
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  });
  close(fd);
  unlink(path);
}

TEST_F(ForkDeathTest, AChildMakesWhatItNeedsAnew) {
  default_runtime().run([] {});
  Function twice[2] = {[] { yield(); }, [] { yield(); }};
  gather(twice);
  BackgroundCall call;
  call.start([] {});
  call.wait();
  // Somebody waits for a word of the parent's.
  Mutex mutex;
  mutex.lock();
  Thread blocked("blocked", [&] { MutexLock lock(&mutex); });
  EXPECT_EQ(in_child([] {
              int ran = 0;
              default_runtime().run([&ran] { ran++; });
              Function again[2] = {[&ran] { ran++; }, [&ran] { ran++; }};
              gather(again);
              BackgroundCall own;
              own.start([&ran] { ran++; });
              own.wait();
              Runtime runtime({.workers = 2});
              Event event;
              Thread thread("child", [&event] { event.set(); });
              runtime.run([&] {
                event.wait();
                ran++;
              });
              thread.join();
              return ran;
            }),
            5);
  mutex.unlock();
}

TEST_F(ForkDeathTest, ForksBesideThreadsThatUseEverything) {
  std::atomic<bool> over{false};
  Runtime runtime({.workers = 2});
  Mutex mutex;
  uint64_t turns = 0;
  std::vector<JoinHandle> fibers;
  for (int i = 0; i < 8; i++) {
    fibers.push_back(runtime.spawn([&] {
      while (!over.load()) {
        MutexLock lock(&mutex);
        turns++;
        yield();
        spawn([] {}).join();
      }
    }));
  }
  for (int i = 0; i < 30; i++) {
    EXPECT_EQ(in_child([] {
                // All that is global: buckets, slots, keys of locals, stacks.
                std::atomic<uint32_t> word{0};
                if (fiber::wait(&word, 1) != WaitResult::kValueChanged) return 1;
                Event event;
                event.set();
                event.wait();
                return 0;
              }),
              0);
  }
  over.store(true);
  for (JoinHandle& fiber : fibers) fiber.join();
  EXPECT_GT(turns, 0u);
}

TEST_F(ForkDeathTest, ADescriptorIsClosedInTheChild) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  close_on_fork(fds[0]);
  close_on_fork(fds[1]);
  forget_on_fork(fds[1]);
  EXPECT_EQ(in_child([&] {
              return (fcntl(fds[0], F_GETFD) < 0 ? 1 : 0) | (fcntl(fds[1], F_GETFD) >= 0 ? 2 : 0);
            }),
            3);
  EXPECT_GE(fcntl(fds[0], F_GETFD), 0);
  forget_on_fork(fds[0]);
  close(fds[0]);
  close(fds[1]);
}

// The child of a fiber is a thread: what is local to it there is the thread's, not the fiber's.
TEST_F(ForkDeathTest, TheChildOfAFiberHasTheThreadsLocals) {
  static local<int> number;
  Runtime runtime({.workers = 1});
  runtime.run([] {
    *number = 7;
    EXPECT_EQ(in_child([] {
                const int before = *number;
                *number = 5;
                return before * 16 + *number;
              }),
              5);
    EXPECT_EQ(*number, 7);
  });
}

}  // namespace
}  // namespace fiber
