// The functions of io.h, the same suite in every mode: plain threads, fibers on io_uring, fibers on
// epoll and the blocking pool, one worker and several.
#include "fiber/io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/falloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine_modes.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace fiber {
namespace {

constexpr size_t kBlock = 4096;

// The byte at `offset` of a test file with this seed.
char expected_byte(uint64_t seed, uint64_t offset) {
  return static_cast<char>((offset * 0x9e3779b97f4a7c15ull + seed) >> 56);
}

std::string pattern(uint64_t seed, uint64_t offset, size_t size) {
  std::string data(size, '\0');
  for (size_t i = 0; i < size; ++i) data[i] = expected_byte(seed, offset + i);
  return data;
}

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};
using AlignedBuffer = std::unique_ptr<char, FreeDeleter>;
AlignedBuffer aligned(size_t size) {
  return AlignedBuffer(static_cast<char*>(std::aligned_alloc(kBlock, size)));
}

class IoTest : public ::testing::TestWithParam<testing::EngineMode> {
 protected:
  void SetUp() override {
    FIBER_SKIP_WHERE_REFUSED(GetParam());
    char dir[] = "/var/tmp/fiber_io_XXXXXX";
    ASSERT_NE(::mkdtemp(dir), nullptr);
    dir_ = dir;
    runtime_ = GetParam().make_runtime();
    if (runtime_ && std::getenv("FIBER_ENGINE") == nullptr && !Simulation::inside()) {
      ASSERT_EQ(runtime_->engine(), GetParam().engine);
    }
  }

  void TearDown() override {
    runtime_.reset();
    if (dir_.empty()) return;
    std::vector<std::string> names;
    io::list_dir(dir_.c_str(), &names);
    for (const std::string& name : names) {
      if (io::unlink(path(name).c_str()) != 0) io::rmdir(path(name).c_str());
    }
    EXPECT_EQ(io::rmdir(dir_.c_str()), 0);
  }

  std::string path(const std::string& name) const { return dir_ + "/" + name; }

  // Runs the body on a fiber, or here.
  void run(const std::function<void()>& body) {
    if (runtime_) {
      runtime_->run([&] { body(); });
    } else {
      body();
    }
  }

  // Runs body(0) ... body(count - 1) at once: as fibers over all workers, or on a few threads.
  void run_all(int count, const std::function<void(int)>& body) {
    if (runtime_) {
      std::vector<JoinHandle> handles;
      for (int i = 0; i < count; ++i) handles.push_back(runtime_->spawn([&body, i] { body(i); }));
      for (JoinHandle& handle : handles) handle.join();
      return;
    }
    std::atomic<int> next{0};
    std::vector<std::unique_ptr<Thread>> threads;
    for (int t = 0; t < 4; ++t) {
      threads.push_back(std::make_unique<Thread>("io_test", [&] {
        for (int i = next++; i < count; i = next++) body(i);
      }));
    }
    for (auto& thread : threads) thread->join();
  }

  // A synced file of `size` bytes of pattern(seed), dropped from the page cache as far as the
  // kernel does it.
  std::string make_file(const std::string& name, uint64_t seed, size_t size) {
    const std::string file = path(name);
    const int fd = io::open(file.c_str(), O_CREAT | O_TRUNC | O_RDWR);
    EXPECT_GE(fd, 0);
    const std::string data = pattern(seed, 0, size);
    for (size_t done = 0; done < size;) {
      const ssize_t n = io::pwrite(fd, data.data() + done, size - done, done);
      if (n <= 0) {
        ADD_FAILURE() << n;
        break;
      }
      done += static_cast<size_t>(n);
    }
    EXPECT_EQ(io::fsync(fd), 0);
    EXPECT_EQ(io::fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    EXPECT_EQ(io::close(fd), 0);
    return file;
  }

  std::string dir_;
  std::unique_ptr<Runtime> runtime_;
};

TEST_P(IoTest, WrittenBytesAreReadBack) {
  run([&] {
    const int fd = io::open(path("file").c_str(), O_CREAT | O_RDWR);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    ASSERT_EQ(io::write(fd, "hello ", 6), 6);
    ASSERT_EQ(io::write(fd, "world", 5), 5);
    ASSERT_EQ(io::pwrite(fd, "W", 1, 6), 1);
    char head[3], tail[20];
    const iovec parts[] = {{head, sizeof(head)}, {tail, sizeof(tail)}};
    ASSERT_EQ(io::preadv(fd, parts, 2, 1), 10);
    EXPECT_EQ(std::string(head, 3), "ell");
    EXPECT_EQ(std::string(tail, 7), "o World");
    char a[] = "12", b[] = "345";
    const iovec out[] = {{a, 2}, {b, 3}};
    ASSERT_EQ(io::pwritev(fd, out, 2, 100), 5);
    char back[200];
    ASSERT_EQ(io::pread(fd, back, sizeof(back), 0), 105);
    EXPECT_EQ(std::string(back + 98, 7), std::string("\0\00012345", 7));
    EXPECT_EQ(::lseek(fd, 0, SEEK_SET), 0);
    ASSERT_EQ(io::read(fd, back, 5), 5);
    ASSERT_EQ(io::read(fd, back + 5, 6), 6);
    EXPECT_EQ(std::string(back, 11), "hello World");
    EXPECT_EQ(io::close(fd), 0);
  });
}

TEST_P(IoTest, LargeTransfersComeBackWhole) {
  run([&] {
    const size_t size = (2 << 20) + 17;
    const std::string file = make_file("large", 5, size);
    const int fd = io::open(file.c_str(), O_RDONLY);
    ASSERT_GE(fd, 0);
    std::string back(size + 100, '\0');
    ASSERT_EQ(io::pread(fd, back.data(), back.size(), 0), static_cast<ssize_t>(size));
    back.resize(size);
    EXPECT_TRUE(back == pattern(5, 0, size));
    // Half of it in the cache, half not.
    ASSERT_EQ(io::fadvise(fd, 1 << 20, 0, POSIX_FADV_DONTNEED), 0);
    std::fill(back.begin(), back.end(), '\0');
    ASSERT_EQ(io::pread(fd, back.data(), back.size(), 0), static_cast<ssize_t>(size));
    EXPECT_TRUE(back == pattern(5, 0, size));
    ASSERT_EQ(io::fadvise(fd, 1 << 20, 0, POSIX_FADV_DONTNEED), 0);
    std::fill(back.begin(), back.end(), '\0');
    const iovec parts[] = {{back.data(), 1000000},
                           {back.data() + 1000000, 1},
                           {nullptr, 0},
                           {back.data() + 1000001, back.size() - 1000001}};
    ASSERT_EQ(io::preadv(fd, parts, 4, 0), static_cast<ssize_t>(size));
    EXPECT_TRUE(back == pattern(5, 0, size));
    io::close(fd);
  });
}

TEST_P(IoTest, ReadsFallShortAtTheEndOfTheFile) {
  run([&] {
    const std::string file = make_file("short", 9, 10000);
    const int fd = io::open(file.c_str(), O_RDONLY);
    ASSERT_GE(fd, 0);
    for (int round = 0; round < 2; ++round) {  // from the device, then from the cache
      std::string back(kBlock, 'x');
      EXPECT_EQ(io::pread(fd, back.data(), kBlock, 8192), 1808);
      EXPECT_EQ(back.substr(0, 1808), pattern(9, 8192, 1808));
      EXPECT_EQ(back[1808], 'x');
      EXPECT_EQ(io::pread(fd, back.data(), kBlock, 10000), 0);
      EXPECT_EQ(io::pread(fd, back.data(), kBlock, 1 << 30), 0);
      EXPECT_EQ(io::pread(fd, back.data(), 0, 0), 0);
    }
    io::close(fd);
  });
}

TEST_P(IoTest, FailuresAreNegativeErrno) {
  run([&] {
    char byte = 0;
    struct stat info;
    std::vector<std::string> names;
    const std::string missing = path("missing");
    EXPECT_EQ(io::open(missing.c_str(), O_RDONLY), -ENOENT);
    EXPECT_EQ(io::open(dir_.c_str(), O_RDWR), -EISDIR);
    EXPECT_EQ(io::unlink(missing.c_str()), -ENOENT);
    EXPECT_EQ(io::rename(missing.c_str(), path("x").c_str()), -ENOENT);
    EXPECT_EQ(io::link(missing.c_str(), path("x").c_str()), -ENOENT);
    EXPECT_EQ(io::stat(missing.c_str(), &info), -ENOENT);
    EXPECT_EQ(io::access(missing.c_str(), F_OK), -ENOENT);
    EXPECT_EQ(io::list_dir(missing.c_str(), &names), -ENOENT);
    EXPECT_EQ(io::mkdir(dir_.c_str(), 0755), -EEXIST);
    EXPECT_EQ(io::rmdir(missing.c_str()), -ENOENT);
    EXPECT_EQ(io::close(-1), -EBADF);
    EXPECT_EQ(io::pread(-1, &byte, 1, 0), -EBADF);
    EXPECT_EQ(io::pwrite(-1, &byte, 1, 0), -EBADF);
    EXPECT_EQ(io::write(1 << 20, &byte, 1), -EBADF);
    EXPECT_EQ(io::fsync(-1), -EBADF);
    EXPECT_EQ(io::fdatasync(-1), -EBADF);
    EXPECT_EQ(io::ftruncate(-1, 0), -EBADF);
    EXPECT_EQ(io::fstat(-1, &info), -EBADF);

    const int full = io::open("/dev/full", O_RDWR);
    ASSERT_GE(full, 0);
    EXPECT_EQ(io::write(full, &byte, 1), -ENOSPC);
    EXPECT_EQ(io::pwrite(full, &byte, 1, 0), -ENOSPC);
    EXPECT_EQ(io::close(full), 0);

    const int fd = io::open(path("file").c_str(), O_CREAT | O_RDONLY);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(io::pwrite(fd, &byte, 1, 0), -EBADF);
    EXPECT_EQ(io::pread(fd, nullptr, 1, 0), 0);  // at the end of the file before the address counts
    EXPECT_EQ(io::pread(fd, &byte, 1, ~0ull), -EINVAL);
    EXPECT_EQ(io::rmdir(path("file").c_str()), -ENOTDIR);
    io::close(fd);
    const int directory = io::open(dir_.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_GE(directory, 0);
    EXPECT_EQ(io::pread(directory, &byte, 1, 0), -EISDIR);
    EXPECT_EQ(io::fsync(directory), 0);
    io::close(directory);
  });
}

TEST_P(IoTest, NamesCanBeMadeMovedListedAndRemoved) {
  run([&] {
    ASSERT_EQ(io::mkdir(path("d").c_str(), 0755), 0);
    const std::string a = path("d/a"), b = path("d/b");
    const int fd = io::open(a.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(io::open(a.c_str(), O_CREAT | O_EXCL | O_WRONLY), -EEXIST);
    ASSERT_EQ(io::write(fd, "abc", 3), 3);
    struct stat info;
    ASSERT_EQ(io::fstat(fd, &info), 0);
    EXPECT_EQ(info.st_size, 3);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    ASSERT_EQ(io::close(fd), 0);
    ASSERT_EQ(io::link(a.c_str(), b.c_str()), 0);
    ASSERT_EQ(io::rename(a.c_str(), path("d/c").c_str()), 0);
    std::vector<std::string> names = {"old"};
    ASSERT_EQ(io::list_dir(path("d").c_str(), &names), 0);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(io::rmdir(path("d").c_str()), -ENOTEMPTY);
    ASSERT_EQ(io::stat(b.c_str(), &info), 0);
    EXPECT_EQ(info.st_nlink, 2u);
    EXPECT_EQ(io::access(b.c_str(), R_OK), 0);
    EXPECT_EQ(io::unlink(b.c_str()), 0);
    EXPECT_EQ(io::unlink(path("d/c").c_str()), 0);
    EXPECT_EQ(io::rmdir(path("d").c_str()), 0);
    uint64_t free_bytes = 0;
    EXPECT_EQ(io::statfs_free(dir_.c_str(), &free_bytes), 0);
    EXPECT_GT(free_bytes, 0u);
  });
}

TEST_P(IoTest, SpaceIsAllocatedAndCut) {
  run([&] {
    const int fd = io::open(path("file").c_str(), O_CREAT | O_RDWR);
    ASSERT_GE(fd, 0);
    struct stat info;
    const int allocated = io::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1 << 20);
    if (allocated != -EOPNOTSUPP) {
      EXPECT_EQ(allocated, 0);
      ASSERT_EQ(io::fstat(fd, &info), 0);
      EXPECT_EQ(info.st_size, 0);
      EXPECT_GE(info.st_blocks * 512, 1 << 20);
    }
    ASSERT_EQ(io::ftruncate(fd, 12345), 0);
    ASSERT_EQ(io::fstat(fd, &info), 0);
    EXPECT_EQ(info.st_size, 12345);
    EXPECT_EQ(io::sync_file_range(fd, 0, 12345, SYNC_FILE_RANGE_WRITE), 0);
    EXPECT_EQ(io::fdatasync(fd), 0);
    EXPECT_EQ(io::fsync(fd), 0);
    EXPECT_EQ(io::fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
    io::close(fd);
  });
}

TEST_P(IoTest, AFileLockKeepsOtherProcessesOut) {
  run([&] {
    const int fd = io::open(path("LOCK").c_str(), O_CREAT | O_RDWR);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(io::lock_file(fd), 0);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    // Whoever opens the file anew is another to it, and so is a process that asks for POSIX's kind.
    const int other = io::open(path("LOCK").c_str(), O_RDWR);
    ASSERT_GE(other, 0);
    ASSERT_EQ(::fcntl(other, F_OFD_GETLK, &lock), 0);
    EXPECT_EQ(lock.l_type, F_WRLCK);
    EXPECT_LT(io::lock_file(other), 0);
    lock.l_type = F_WRLCK;
    lock.l_pid = 0;
    ASSERT_EQ(::fcntl(other, F_GETLK, &lock), 0);
    EXPECT_EQ(lock.l_type, F_WRLCK);
    io::close(other);  // frees nothing
    ASSERT_EQ(::fcntl(fd, F_GETLK, &lock), 0);
    EXPECT_EQ(lock.l_type, F_WRLCK);
    ASSERT_EQ(io::unlock_file(fd), 0);
    EXPECT_EQ(io::lock_file(fd), 0);
    EXPECT_EQ(io::unlock_file(fd), 0);
    io::close(fd);
  });
}

TEST_P(IoTest, ThousandsOfReadsAtOnce) {
  constexpr int kReads = 2000;
  constexpr size_t kBlocks = 512;
  std::string file;
  run([&] { file = make_file("many", 77, kBlocks * kBlock); });
  for (int flags : {O_RDONLY, O_RDONLY | O_DIRECT}) {
    const int fd = io::open(file.c_str(), flags);
    if (fd == -EINVAL) continue;  // no direct I/O on this file system
    ASSERT_GE(fd, 0);
    std::atomic<int> wrong{0};
    run_all(kReads, [&](int i) {
      const uint64_t offset = (static_cast<uint64_t>(i) * 7919 % kBlocks) * kBlock;
      AlignedBuffer buffer = aligned(kBlock);
      std::memset(buffer.get(), 0, kBlock);
      const ssize_t n = io::pread(fd, buffer.get(), kBlock, offset);
      if (n != static_cast<ssize_t>(kBlock)) {
        ++wrong;
        return;
      }
      for (size_t k = 0; k < kBlock; k += 97) {
        if (buffer.get()[k] != expected_byte(77, offset + k)) {
          ++wrong;
          return;
        }
      }
    });
    EXPECT_EQ(wrong, 0);
    io::close(fd);
  }
}

TEST_P(IoTest, ConcurrentWritesAndSyncsLoseNothing) {
  constexpr int kWriters = 64;
  const int fd = io::open(path("log").c_str(), O_CREAT | O_RDWR);
  ASSERT_GE(fd, 0);
  std::atomic<int> failures{0};
  run_all(kWriters, [&](int i) {
    // Small ones only copy into the cache, the last ones are long enough to be handed to the
    // kernel.
    const size_t size = i < 56 ? kBlock : 100 * kBlock;
    const uint64_t offset = static_cast<uint64_t>(i) * 100 * kBlock;
    const std::string data = pattern(3, offset, size);
    for (size_t done = 0; done < size;) {
      const ssize_t n = io::pwrite(fd, data.data() + done, size - done, offset + done);
      if (n <= 0) {
        ++failures;
        return;
      }
      done += static_cast<size_t>(n);
    }
    if ((i % 2 == 0 ? io::fdatasync(fd) : io::fsync(fd)) != 0) ++failures;
    std::string back(size, '\0');
    if (io::pread(fd, back.data(), size, offset) != static_cast<ssize_t>(size) || back != data) {
      ++failures;
    }
  });
  EXPECT_EQ(failures, 0);
  io::close(fd);
}

TEST_P(IoTest, ABatchReadsEveryPartByItself) {
  const uint64_t seed = 4242;
  std::mt19937_64 random(seed);
  SCOPED_TRACE(seed);
  constexpr size_t kSize = 300 * kBlock + 123;
  run([&] {
    const std::string file = make_file("batch", 1, kSize);
    for (size_t count : {0, 1, 2, 15, 16, 17, 33, 1000}) {
      const int fd = io::open(file.c_str(), O_RDONLY);
      ASSERT_GE(fd, 0);
      io::fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      char warm[kBlock];
      io::pread(fd, warm, sizeof(warm), 100 * kBlock);
      std::vector<io::ReadRequest> requests(count);
      std::vector<std::string> buffers(count);
      for (size_t i = 0; i < count; ++i) {
        buffers[i].assign(random() % (2 * kBlock), '\0');
        // Some begin behind the end or run into it.
        const uint64_t offset = random() % (kSize + kBlock);
        requests[i] = {i % 50 == 7 ? -1 : fd, buffers[i].data(), buffers[i].size(), offset, 12345};
      }
      io::pread_batch(requests);
      for (size_t i = 0; i < count; ++i) {
        const io::ReadRequest& r = requests[i];
        if (r.fd == -1) {
          EXPECT_EQ(r.result, -EBADF);
          continue;
        }
        const size_t expected = r.offset >= kSize ? 0 : std::min<size_t>(r.size, kSize - r.offset);
        ASSERT_EQ(r.result, static_cast<ssize_t>(expected));
        ASSERT_TRUE(buffers[i].substr(0, expected) == pattern(1, r.offset, expected));
      }
      io::close(fd);
    }
  });
}

TEST_P(IoTest, BatchesOfManyFibersDoNotMix) {
  constexpr size_t kBlocks = 256;
  std::string file;
  run([&] { file = make_file("batches", 8, kBlocks * kBlock); });
  int fd = io::open(file.c_str(), O_RDONLY | O_DIRECT);
  if (fd == -EINVAL) fd = io::open(file.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  std::atomic<int> wrong{0};
  run_all(100, [&](int f) {
    constexpr size_t kParts = 24;
    AlignedBuffer buffer = aligned(kParts * kBlock);
    std::vector<io::ReadRequest> requests(kParts);
    for (size_t i = 0; i < kParts; ++i) {
      requests[i] = {fd, buffer.get() + i * kBlock, kBlock, (f * 31 + i * 17) % kBlocks * kBlock,
                     0};
    }
    io::pread_batch(requests);
    for (const io::ReadRequest& r : requests) {
      if (r.result != static_cast<ssize_t>(kBlock) ||
          static_cast<char*>(r.data)[5] != expected_byte(8, r.offset + 5)) {
        ++wrong;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  io::close(fd);
}

TEST_P(IoTest, FibersAndPlainThreadsUseOneFileAtOnce) {
  constexpr size_t kBlocks = 64;
  std::string file;
  run([&] { file = make_file("shared", 6, kBlocks * kBlock); });
  const int fd = io::open(file.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  Mutex mutex;
  int ops = 0;
  std::atomic<int> wrong{0};
  auto work = [&](int seed) {
    char buffer[512];
    for (int i = 0; i < 200; ++i) {
      const uint64_t offset = static_cast<uint64_t>((seed * 37 + i * 11) % kBlocks) * kBlock;
      if (i % 10 == 0) io::fadvise(fd, offset, kBlock, POSIX_FADV_DONTNEED);
      if (io::pread(fd, buffer, sizeof(buffer), offset) != sizeof(buffer) ||
          buffer[9] != expected_byte(6, offset + 9)) {
        ++wrong;
      }
      MutexLock lock(&mutex);
      ++ops;
    }
  };
  std::vector<std::unique_ptr<Thread>> threads;
  for (int t = 0; t < 3; ++t) {
    threads.push_back(std::make_unique<Thread>("io_test", [&, t] { work(1000 + t); }));
  }
  run_all(20, work);
  for (auto& thread : threads) thread->join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ops, 23 * 200);
  io::close(fd);
}

// A reader in the kernel keeps the worker asleep in its engine; another thread's unlock must wake
// it each time.
TEST_P(IoTest, AThreadsUnlockWakesAWorkerThatSleepsInItsEngine) {
  if (!runtime_) GTEST_SKIP() << "only for workers";
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  JoinHandle reader = runtime_->spawn([&] {
    char byte = 0;
    EXPECT_EQ(io::read(ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'z');
  });
  Mutex mutex;
  CondVar changed;
  int turn = 0;  // even: the thread's, odd: the fiber's
  constexpr int kRounds = 2000;
  JoinHandle player = runtime_->spawn([&] {
    for (int round = 0; round < kRounds; ++round) {
      MutexLock lock(&mutex);
      while (turn % 2 == 0) changed.wait(&mutex);
      ++turn;
      changed.notify_all();
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    MutexLock lock(&mutex);
    ++turn;
    changed.notify_all();
    while (turn % 2 == 1) changed.wait(&mutex);
  }
  player.join();
  EXPECT_EQ(turn, 2 * kRounds);
  ASSERT_EQ(io::write(ends[1], "z", 1), 1);
  reader.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(IoTest, TimersFireWhileAReadIsOutstanding) {
  if (!runtime_) GTEST_SKIP() << "only for workers";
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  JoinHandle reader = runtime_->spawn([&] {
    char bytes[2];
    EXPECT_EQ(io::read(ends[0], bytes, 2), 1);
  });
  runtime_->run([&] {
    for (int i = 0; i < 20; ++i) {
      const uint64_t deadline = deadline_after(1000000);
      sleep_until(deadline);
      EXPECT_GE(now_nanos(), deadline);
    }
    EXPECT_EQ(io::write(ends[1], "z", 1), 1);
  });
  reader.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

// A worker that always has something to run still submits and completes I/O.
TEST_P(IoTest, BusyFibersDoNotStarveReads) {
  if (!runtime_) GTEST_SKIP() << "only for workers";
  std::string file;
  run([&] { file = make_file("busy", 2, 64 * kBlock); });
  int fd = io::open(file.c_str(), O_RDONLY | O_DIRECT);
  if (fd == -EINVAL) fd = io::open(file.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  std::atomic<bool> stop{false};
  std::vector<JoinHandle> busy;
  for (int i = 0; i < 8; ++i) {
    busy.push_back(runtime_->spawn([&] {
      while (!stop.load(std::memory_order_relaxed)) yield();
    }));
  }
  runtime_->run([&] {
    AlignedBuffer buffer = aligned(kBlock);
    for (int i = 0; i < 30; ++i) {
      ASSERT_EQ(io::pread(fd, buffer.get(), kBlock, i % 64 * kBlock), static_cast<ssize_t>(kBlock));
      ASSERT_EQ(buffer.get()[1], expected_byte(2, i % 64 * kBlock + 1));
    }
  });
  stop = true;
  for (JoinHandle& handle : busy) handle.join();
  io::close(fd);
}

INSTANTIATE_TEST_SUITE_P(Modes, IoTest, ::testing::ValuesIn(testing::EngineMode::all()),
                         testing::EngineMode::name_of);

}  // namespace
}  // namespace fiber
