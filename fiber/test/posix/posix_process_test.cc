// waitpid(), flock(), lockf() and fcntl(F_SETLKW) of fiber/posix/process.h, on plain threads and on
// fibers with every engine: who ends the child, or holds the lock, is a fiber of the same workers.
#include "fiber/posix/process.h"

#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "fiber/posix.h"
#include "net_testing.h"
#include "sim_hooks.h"

namespace fiber::testing {
namespace {

class PosixProcessTest : public NetTest {
 protected:
  void SetUp() override {
    if (detail::simulator() != nullptr) GTEST_SKIP() << "a simulation does not fork";
    NetTest::SetUp();
  }

  // Until another task is about to ask: a fiber of the same worker then waits already.
  static void await(const std::atomic<bool>& asked) {
    while (!asked) posix::sched_yield();
  }

  // A child of this process that ends with `status` when somebody writes to `tell()`.
  class Child {
   public:
    explicit Child(int status) {
      int ends[2];
      EXPECT_EQ(0, ::pipe(ends));
      pid_ = ::fork();
      if (pid_ == 0) {
        char byte = 0;
        ::alarm(120);
        while (::read(ends[0], &byte, 1) != 1) continue;
        ::_exit(status);
      }
      EXPECT_GT(pid_, 0);
      ::close(ends[0]);
      tell_ = ends[1];
    }
    ~Child() { ::close(tell_); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    pid_t pid() const { return pid_; }
    void end() const { EXPECT_EQ(1, ::write(tell_, "x", 1)); }

   private:
    pid_t pid_ = -1;
    int tell_ = -1;
  };

  // Kills the child once `waits` is about to wait for it.
  template <class Waits>
  void kill_while(const Child& child, Waits waits) {
    std::atomic<bool> asked{false};
    Task waiter = start([&] {
      asked = true;
      waits();
    });
    Task kills = start([&] {
      await(asked);
      EXPECT_EQ(0, ::kill(child.pid(), SIGKILL));
    });
    waiter.join();
    kills.join();
  }
  template <class Wait>
  static void expect_killed(const Child& child, Wait wait) {
    int status = 0;
    EXPECT_EQ(child.pid(), wait(&status));
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }

  // A file to lock, opened as often as somebody asks.
  class LockFile {
   public:
    LockFile() { ::close(::mkstemp(name_)); }
    ~LockFile() { ::unlink(name_); }
    int open() const {
      const int fd = ::open(name_, O_RDWR | O_CLOEXEC);
      EXPECT_GE(fd, 0);
      return fd;
    }

   private:
    char name_[32] = "/tmp/fiber_lock_XXXXXX";
  };

  // Two tasks take a lock again and again, each with what it opened itself; only one has it at
  // once.
  template <class Lock, class Unlock>
  void exclude_each_other(Lock lock, Unlock unlock) {
    const LockFile file;
    std::atomic<int> inside{0};
    std::atomic<int> together{0};
    const auto body = [&] {
      const int fd = file.open();
      for (int i = 0; i < 20; i++) {
        EXPECT_EQ(0, lock(fd)) << errno;
        if (inside.fetch_add(1) != 0) together.fetch_add(1);
        posix::sched_yield();
        inside.fetch_sub(1);
        EXPECT_EQ(0, unlock(fd));
        posix::sched_yield();
      }
      EXPECT_EQ(0, ::close(fd));
    };
    Task first = start(body), second = start(body);
    first.join();
    second.join();
    EXPECT_EQ(0, together.load());
  }
};

TEST_P(PosixProcessTest, AChildIsWaitedFor) {
  const Child child(7);
  std::atomic<bool> asked{false}, ended{false};
  Task waits = start([&] {
    int status = 0;
    asked = true;
    EXPECT_EQ(child.pid(), posix::waitpid(child.pid(), &status, 0));
    EXPECT_TRUE(ended.load());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  });
  Task ends = start([&] {
    await(asked);
    ended = true;
    child.end();
  });
  waits.join();
  ends.join();
}

TEST_P(PosixProcessTest, AChildThatHasEndedIsToldAtOnceAndOnce) {
  const Child child(0);
  run([&] {
    int status = -1;
    EXPECT_EQ(0, posix::waitpid(child.pid(), &status, WNOHANG));
    EXPECT_EQ(-1, status);
    child.end();
    EXPECT_EQ(child.pid(), posix::waitpid(child.pid(), &status, 0));
    EXPECT_EQ(0, status);
    errno = 0;
    EXPECT_EQ(-1, posix::waitpid(child.pid(), &status, 0));
    EXPECT_EQ(ECHILD, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::waitpid(child.pid(), &status, 1 << 20));
    EXPECT_EQ(EINVAL, errno);
  });
}

TEST_P(PosixProcessTest, AnyChildIsWaitedForAndSignalsAreTold) {
  const Child child(0);
  kill_while(child, [&] { expect_killed(child, [](int* status) { return posix::wait(status); }); });
}

// Of a group, because the process may have a child that no test made: a sanitizer's symbolizer.
TEST_P(PosixProcessTest, AnyChildOfAGroupIsWaitedForUntilThereIsNone) {
  const Child child(0);
  EXPECT_EQ(0, ::setpgid(child.pid(), child.pid()));
  kill_while(child, [&] {
    const auto any_of_it = [&](int* status) { return posix::waitpid(-child.pid(), status, 0); };
    expect_killed(child, any_of_it);
    errno = 0;
    EXPECT_EQ(-1, any_of_it(nullptr));
    EXPECT_EQ(ECHILD, errno);
  });
}

TEST_P(PosixProcessTest, AStoppedChildIsToldToWhoAsksForIt) {
  const Child child(0);
  Task waits = start([&] {
    int status = 0;
    EXPECT_EQ(child.pid(), posix::waitpid(child.pid(), &status, WUNTRACED));
    EXPECT_TRUE(WIFSTOPPED(status)) << status;
    EXPECT_EQ(0, ::kill(child.pid(), SIGCONT));
    EXPECT_EQ(child.pid(), posix::waitpid(child.pid(), &status, WCONTINUED));
    EXPECT_TRUE(WIFCONTINUED(status)) << status;
    child.end();
    EXPECT_EQ(child.pid(), posix::waitpid(child.pid(), &status, WUNTRACED));
    EXPECT_TRUE(WIFEXITED(status)) << status;
  });
  Task stops = start([&] { EXPECT_EQ(0, ::kill(child.pid(), SIGSTOP)); });
  waits.join();
  stops.join();
}

TEST_P(PosixProcessTest, AFilesLockExcludesWhoOpenedItToo) {
  exclude_each_other([](int fd) { return posix::flock(fd, LOCK_EX); },
                     [](int fd) { return posix::flock(fd, LOCK_UN); });
}

TEST_P(PosixProcessTest, ARecordLockOfAnOpenFileExcludesWhoOpenedItToo) {
  const auto change = [](int fd, int command, short type) {
    struct flock lock = {};
    lock.l_type = type;
    return posix::fcntl(fd, command, &lock);
  };
  exclude_each_other([&](int fd) { return change(fd, F_OFD_SETLKW, F_WRLCK); },
                     [&](int fd) { return change(fd, F_OFD_SETLK, F_UNLCK); });
}

// (Of the process itself they exclude nobody: a child holds the lock.)
TEST_P(PosixProcessTest, RecordLocksOfAnotherProcessAreWaitedFor) {
  for (const bool by_lockf : {false, true}) {
    const LockFile file;
    int locked[2], release[2];
    ASSERT_EQ(0, ::pipe(locked));
    ASSERT_EQ(0, ::pipe(release));
    const int fd = file.open();
    const pid_t holder = ::fork();
    if (holder == 0) {
      char byte = 0;
      ::alarm(120);
      if (::lockf(fd, F_LOCK, 0) != 0 || ::write(locked[1], "x", 1) != 1) ::_exit(1);
      while (::read(release[0], &byte, 1) != 1) continue;
      ::_exit(0);
    }
    std::atomic<bool> asked{false}, released{false};
    Task waits = start([&] {
      char byte = 0;
      EXPECT_EQ(1, posix::read(locked[0], &byte, 1));
      errno = 0;
      EXPECT_EQ(-1, posix::lockf(fd, F_TLOCK, 0));
      EXPECT_TRUE(errno == EAGAIN || errno == EACCES) << errno;
      Task releases = start([&] {
        await(asked);
        released = true;
        EXPECT_EQ(1, ::write(release[1], "x", 1));
      });
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      asked = true;
      EXPECT_EQ(0, by_lockf ? posix::lockf(fd, F_LOCK, 0) : posix::fcntl(fd, F_SETLKW, &lock));
      EXPECT_TRUE(released.load());
      releases.join();
      int status = -1;
      EXPECT_EQ(holder, posix::waitpid(holder, &status, 0));
      EXPECT_EQ(0, status);
    });
    waits.join();
    for (const int end : {fd, locked[0], locked[1], release[0], release[1]}) posix::close(end);
  }
}

TEST_P(PosixProcessTest, LocksThatAreNotWaitedForAndErrors) {
  const LockFile file;
  run([&] {
    const int mine = file.open(), other = file.open();
    EXPECT_EQ(0, posix::flock(mine, LOCK_SH));
    EXPECT_EQ(0, posix::flock(other, LOCK_SH));
    errno = 0;
    EXPECT_EQ(-1, posix::flock(other, LOCK_EX | LOCK_NB));
    EXPECT_EQ(EWOULDBLOCK, errno);
    EXPECT_EQ(0, posix::flock(mine, LOCK_UN));
    EXPECT_EQ(0, posix::flock(other, LOCK_EX));
    errno = 0;
    EXPECT_EQ(-1, posix::flock(-1, LOCK_EX));
    EXPECT_EQ(EBADF, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::flock(mine, 0));
    EXPECT_EQ(EINVAL, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::lockf(-1, F_LOCK, 0));
    EXPECT_EQ(EBADF, errno);
    struct flock wrong = {};
    wrong.l_type = 77;
    errno = 0;
    EXPECT_EQ(-1, posix::fcntl(mine, F_SETLKW, &wrong));
    EXPECT_EQ(EINVAL, errno);
    EXPECT_GE(posix::fcntl(mine, F_GETFL), 0);
    EXPECT_EQ(0, ::close(mine) + ::close(other));
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, PosixProcessTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

}  // namespace
}  // namespace fiber::testing
