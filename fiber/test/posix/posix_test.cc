// fiber/posix.h keeps POSIX's contract on fibers and on plain threads: each case runs on both.
#include "fiber/posix.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <string>

#include "fiber/clock.h"
#include "fiber/runtime.h"

namespace fiber {
namespace {

class PosixTest : public ::testing::TestWithParam<bool> {
 protected:
  PosixTest() {
    char name[] = "/tmp/fiber_posix_XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~PosixTest() override { (void)std::system(("rm -rf " + folder_).c_str()); }

  void run(const std::function<void()>& body) {
    if (GetParam()) {
      Runtime runtime;
      runtime.run(body);
    } else {
      body();
    }
  }
  std::string path(const char* name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_P(PosixTest, FilesAreWrittenReadAndNamed) {
  run([this] {
    const std::string a = path("a"), b = path("b");
    const int fd = posix::open(a.c_str(), O_CREAT | O_RDWR, 0600);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(5, posix::write(fd, "hello", 5));
    EXPECT_EQ(6, posix::pwrite(fd, " world", 6, 5));
    char text[16] = {};
    EXPECT_EQ(11, posix::pread(fd, text, sizeof(text), 0));
    EXPECT_STREQ("hello world", text);
    EXPECT_EQ(6, posix::read(fd, text, sizeof(text)));  // goes on where write() ended
    iovec parts[] = {{text, 5}, {text + 8, 6}};
    EXPECT_EQ(11, posix::preadv(fd, parts, 2, 0));
    EXPECT_EQ(2, posix::pwritev(fd, std::begin({iovec{text, 1}, iovec{text, 1}}), 2, 11));
    EXPECT_EQ(0, posix::fsync(fd));
    EXPECT_EQ(0, posix::fdatasync(fd));
    EXPECT_EQ(0, posix::ftruncate(fd, 3));
    EXPECT_EQ(0, posix::close(fd));
    EXPECT_EQ(0, posix::rename(a.c_str(), b.c_str()));
    struct stat info;
    EXPECT_EQ(0, posix::stat(b.c_str(), &info));
    EXPECT_EQ(3, info.st_size);
    EXPECT_EQ(mode_t{0600}, info.st_mode & 0777);
    EXPECT_EQ(0, posix::link(b.c_str(), a.c_str()));
    EXPECT_EQ(0, posix::access(a.c_str(), R_OK));
    EXPECT_EQ(0, posix::unlink(a.c_str()));
    EXPECT_EQ(0, posix::mkdir(a.c_str(), 0700));
    EXPECT_EQ(0, posix::remove(a.c_str()));  // a folder
    EXPECT_EQ(0, posix::remove(b.c_str()));  // a file
  });
}

TEST_P(PosixTest, ErrorsAreMinusOneAndErrno) {
  run([this] {
    const std::string missing = path("missing");
    errno = 0;
    EXPECT_EQ(-1, posix::open(missing.c_str(), O_RDONLY));
    EXPECT_EQ(ENOENT, errno);
    char byte;
    errno = 0;
    EXPECT_EQ(-1, posix::read(-1, &byte, 1));
    EXPECT_EQ(EBADF, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::close(-1));
    EXPECT_EQ(EBADF, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::pread(0, &byte, 1, -1));
    EXPECT_EQ(EINVAL, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::unlink(missing.c_str()));
    EXPECT_EQ(ENOENT, errno);
    errno = 0;
    EXPECT_EQ(-1, posix::ftruncate(-1, -1));
    EXPECT_TRUE(errno == EINVAL || errno == EBADF) << errno;
    const timespec wrong{0, 1'000'000'000};
    errno = 0;
    EXPECT_EQ(-1, posix::nanosleep(&wrong, nullptr));
    EXPECT_EQ(EINVAL, errno);
  });
}

TEST_P(PosixTest, CloseOnExecIsWhatTheCallerAskedFor) {
  run([this] {
    const int kept = posix::open(path("kept").c_str(), O_CREAT | O_WRONLY, 0600);
    const int closed = posix::open(path("closed").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    EXPECT_EQ(0, ::fcntl(kept, F_GETFD) & FD_CLOEXEC);
    EXPECT_EQ(FD_CLOEXEC, ::fcntl(closed, F_GETFD) & FD_CLOEXEC);
    posix::close(kept);
    posix::close(closed);
  });
}

TEST_P(PosixTest, SleepsLastAtLeastAsLong) {
  run([] {
    const uint64_t begin = now_nanos();
    EXPECT_EQ(0, posix::usleep(2000));
    EXPECT_GE(now_nanos() - begin, 2'000'000u);
    const timespec duration{0, 2'000'000};
    timespec left{7, 7};
    EXPECT_EQ(0, posix::nanosleep(&duration, &left));
    EXPECT_GE(now_nanos() - begin, 4'000'000u);
    EXPECT_EQ(0u, posix::sleep(0));
    EXPECT_EQ(0, posix::sched_yield());
  });
}

INSTANTIATE_TEST_SUITE_P(OnThreadAndFiber, PosixTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Fiber" : "Thread"; });

TEST(PosixWorkerTest, AFiberDoesNotRenameItsWorkerNorChangeItsPriority) {
  RuntimeOptions options;
  options.name = "steady";
  Runtime runtime(options);
  runtime.run([] {
    EXPECT_EQ(0, posix::pthread_setname_np(::pthread_self(), "mine"));
    EXPECT_EQ(0, posix::pthread_setname_np(static_cast<pthread_t>(7), "mine"));  // no thread at all
    EXPECT_EQ(0, posix::prctl(PR_SET_NAME, "mine"));
    char name[16];
    ASSERT_EQ(0, ::pthread_getname_np(::pthread_self(), name, sizeof(name)));
    EXPECT_EQ(0, std::string(name).find("steady")) << name;

    const int before = ::getpriority(PRIO_PROCESS, 0);
    EXPECT_EQ(0, posix::setpriority(PRIO_PROCESS, 0, 19));
    EXPECT_EQ(before, posix::nice(5));
    EXPECT_EQ(before, ::getpriority(PRIO_PROCESS, 0));
    cpu_set_t none;
    CPU_ZERO(&none);
    EXPECT_EQ(0, posix::sched_setaffinity(0, sizeof(none), &none));
    EXPECT_EQ(0, posix::pthread_setaffinity_np(::pthread_self(), sizeof(none), &none));
  });
}

TEST(PosixWorkerTest, APlainThreadIsNamed) {
  char before[16], name[16];
  ASSERT_EQ(0, ::pthread_getname_np(::pthread_self(), before, sizeof(before)));
  EXPECT_EQ(0, posix::pthread_setname_np(::pthread_self(), "plain"));
  ASSERT_EQ(0, ::pthread_getname_np(::pthread_self(), name, sizeof(name)));
  EXPECT_STREQ("plain", name);
  EXPECT_EQ(0, posix::prctl(PR_SET_NAME, before));
}

// While one fiber sleeps or reads a pipe, the other fibers of its only worker run.
TEST(PosixWorkerTest, AWaitLeavesTheWorkerToOthers) {
  Runtime runtime;
  int ends[2];
  ASSERT_EQ(0, ::pipe(ends));
  runtime.run([&] {
    std::string order;
    JoinHandle reader = spawn([&] {
      char byte = 0;
      EXPECT_EQ(1, posix::read(ends[0], &byte, 1));
      order += byte;
    });
    JoinHandle writer = spawn([&] {
      posix::usleep(1000);
      order += 'a';
      EXPECT_EQ(1, posix::write(ends[1], "b", 1));
    });
    reader.join();
    writer.join();
    EXPECT_EQ("ab", order);
  });
  ::close(ends[0]);
  ::close(ends[1]);
}

// A threaded program may take a lock or sleep between a failed call and the look at errno.
TEST(PosixWorkerTest, ErrnoIsTheFibersOwnAcrossASuspension) {
  Runtime runtime;
  runtime.run([] {
    JoinHandle other = spawn([] {
      for (int i = 0; i < 3; i++) {
        errno = EIO;
        yield();
        EXPECT_EQ(EIO, errno);
      }
    });
    EXPECT_EQ(-1, posix::unlink("/nonexistent/file"));
    for (int i = 0; i < 3; i++) {
      yield();
      EXPECT_EQ(ENOENT, errno);
    }
    other.join();
    EXPECT_EQ(ENOENT, errno);
  });
}

}  // namespace
}  // namespace fiber
