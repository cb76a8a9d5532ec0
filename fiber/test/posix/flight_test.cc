// Reads in flight (flight.h), the same suite in every mode: plain threads, fibers on io_uring,
// fibers on epoll and the blocking pool, one worker and several.
#include "fiber/flight.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine_blocking_pool.h"
#include "engine_modes.h"
#include "fiber/guest.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber {
namespace {

using io::PendingRead;

constexpr size_t kBlock = 4096;
constexpr size_t kFileSize = 256 * kBlock + 100;

char byte_at(uint64_t offset) {
  return static_cast<char>((offset * 0x9e3779b97f4a7c15ull + 11) >> 56);
}

// All threads of the blocking pool, kept busy until the end of this.
class BusyPool {
 public:
  BusyPool() : ended_(detail::BlockingPool::kMaxThreads) {
    if (::pipe2(pipe_, O_CLOEXEC) != 0) std::abort();
    for (Job& job : jobs_) {
      job.owner = this;
      job.run = [](detail::PoolJob* self) {
        BusyPool* const owner = static_cast<Job*>(self)->owner;
        owner->begun_.fetch_add(1);
        char c;
        (void)!::read(owner->pipe_[0], &c, 1);
        owner->ended_.count_down();
      };
      detail::BlockingPool::instance().submit(&job);
    }
    while (begun_.load() != detail::BlockingPool::kMaxThreads) ::usleep(100);
  }
  ~BusyPool() {
    ::close(pipe_[1]);
    ended_.wait();
    ::close(pipe_[0]);
  }

 private:
  struct Job : detail::PoolJob {
    BusyPool* owner = nullptr;
  };
  int pipe_[2];
  std::atomic<size_t> begun_{0};
  Latch ended_;
  Job jobs_[detail::BlockingPool::kMaxThreads];
};

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<char, FreeDeleter>;
Buffer aligned(size_t size = kBlock) {
  Buffer buffer(static_cast<char*>(std::aligned_alloc(kBlock, size)));
  std::memset(buffer.get(), '?', size);
  return buffer;
}

class FlightTest : public ::testing::TestWithParam<testing::EngineMode> {
 protected:
  void SetUp() override {
    FIBER_SKIP_WHERE_REFUSED(GetParam());
    char name[] = "/var/tmp/fiber_flight_XXXXXX";
    const int fd = ::mkstemp(name);
    ASSERT_GE(fd, 0);
    path_ = name;
    std::string data(kFileSize, '\0');
    for (size_t i = 0; i < kFileSize; ++i) data[i] = byte_at(i);
    ASSERT_EQ(::write(fd, data.data(), data.size()), static_cast<ssize_t>(data.size()));
    ASSERT_EQ(::fsync(fd), 0);
    ::close(fd);
    runtime_ = GetParam().make_runtime();
  }

  void TearDown() override {
    runtime_.reset();
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  // Runs the body on a fiber, or on a thread that ends with it.
  void run(std::function<void()> body) {
    if (runtime_) {
      runtime_->run([&] { body(); });
    } else {
      Thread("flight", [&] { body(); }).join();
    }
  }

  // Without what is in the page cache of it, as far as the kernel does that.
  int open(int flags = 0) {
    const int fd = io::open(path_.c_str(), O_RDONLY | flags);
    EXPECT_GE(fd, 0);
    if (flags == 0) {
      EXPECT_EQ(io::fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    }
    return fd;
  }

  // Whether the pool makes the reads that are started here.
  bool by_pool() const {
    if (Simulation::inside()) return false;
    const char* const forced = std::getenv("FIBER_ENGINE");
    if (forced != nullptr && std::string(forced) != "io_uring") return true;
    return GetParam().engine == Engine::kEpoll ||
           GetParam().make_engine == testing::make_failing_ring ||
           detail::ring_support().error != 0;
  }

  std::string path_;
  std::unique_ptr<Runtime> runtime_;
};

// Reads that do not end before release() or the end of this: of an empty pipe where there is a
// ring, in the queue of a busy pool where there is none.
class Stuck {
 public:
  explicit Stuck(bool by_pool, const std::string& path) {
    if (by_pool) {
      pool_ = std::make_unique<BusyPool>();
      fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
    } else {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
      fd_ = ends[0];
      writer_ = ends[1];
    }
  }
  ~Stuck() {
    release();
    ::close(fd_);
  }
  int fd() const { return fd_; }
  void release() {
    pool_.reset();
    if (writer_ >= 0) ::close(std::exchange(writer_, -1));
  }

 private:
  std::unique_ptr<BusyPool> pool_;
  int fd_ = -1;
  int writer_ = -1;
};

bool is_file(const char* data, size_t size, uint64_t offset) {
  for (size_t i = 0; i < size; ++i) {
    if (data[i] != byte_at(offset + i)) return false;
  }
  return true;
}

TEST_P(FlightTest, ManyInFlightHaveTheirBytesInAnyOrderOfWaiting) {
  run([&] {
    std::mt19937_64 random(5);
    for (int flags : {0, O_DIRECT}) {
      const int fd = open(flags);
      constexpr size_t kReads = 64;
      std::vector<PendingRead> reads(kReads);
      std::vector<Buffer> buffers;
      std::vector<uint64_t> offsets;
      std::vector<size_t> order;
      for (size_t i = 0; i < kReads; ++i) {
        buffers.push_back(aligned());
        offsets.push_back(random() % 256 * kBlock);
        order.push_back(i);
        ASSERT_EQ(reads[i].start(fd, buffers[i].get(), kBlock, offsets[i], {.more = i % 3 != 0}),
                  0);
      }
      std::shuffle(order.begin(), order.end(), random);
      for (size_t i : order) {
        ASSERT_EQ(reads[i].wait(), static_cast<ssize_t>(kBlock));
        EXPECT_TRUE(reads[i].done());
        EXPECT_FALSE(reads[i].in_flight());
        EXPECT_TRUE(is_file(buffers[i].get(), kBlock, offsets[i]));
        EXPECT_EQ(reads[i].wait(), static_cast<ssize_t>(kBlock));
      }
      EXPECT_EQ(io::close(fd), 0);
    }
  });
}

TEST_P(FlightTest, WaitAnyFindsEachOfManyOnce) {
  run([&] {
    const int fd = open(O_DIRECT);
    constexpr size_t kReads = 40;
    std::vector<PendingRead> reads(kReads);
    std::vector<Buffer> buffers;
    std::vector<PendingRead*> waiting;
    for (size_t i = 0; i < kReads; ++i) {
      buffers.push_back(aligned());
      ASSERT_EQ(reads[i].start(fd, buffers[i].get(), kBlock, i * kBlock, {.more = true}), 0);
      waiting.push_back(&reads[i]);
    }
    waiting.push_back(waiting[3]);  // twice the same
    for (size_t left = kReads; left > 0; --left) {
      const ssize_t found = io::wait_any(waiting);
      ASSERT_GE(found, 0);
      PendingRead* const read = waiting[static_cast<size_t>(found)];
      ASSERT_NE(read, nullptr);
      const size_t i = static_cast<size_t>(read - reads.data());
      EXPECT_EQ(read->wait(), static_cast<ssize_t>(kBlock));
      EXPECT_TRUE(is_file(buffers[i].get(), kBlock, i * kBlock));
      std::replace(waiting.begin(), waiting.end(), read, static_cast<PendingRead*>(nullptr));
    }
    EXPECT_EQ(io::wait_any(waiting), -EINVAL);
    EXPECT_EQ(io::wait_all(waiting), 0);
    EXPECT_EQ(io::close(fd), 0);
  });
}

TEST_P(FlightTest, ACachedReadIsDoneAtOnce) {
  if (Simulation::inside()) GTEST_SKIP() << "what is in the page cache decides nothing there";
  run([&] {
    const int fd = io::open(path_.c_str(), O_RDONLY);
    std::string all(kFileSize, '\0');
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(io::pread(fd, all.data(), kFileSize, 0), static_cast<ssize_t>(kFileSize));
      PendingRead read;
      Buffer buffer = aligned();
      ASSERT_EQ(read.start(fd, buffer.get(), kBlock, 7), 0);
      const bool in_flight = read.in_flight();
      EXPECT_EQ(read.wait(), static_cast<ssize_t>(kBlock));
      EXPECT_TRUE(is_file(buffer.get(), kBlock, 7));
      if (!in_flight) break;
      ASSERT_LT(i, 99);  // the kernel may drop a page now and then
    }
    EXPECT_EQ(io::close(fd), 0);
  });
}

TEST_P(FlightTest, DoneBecomesTrueWithoutAWait) {
  run([&] {
    const int fd = open(O_DIRECT);
    PendingRead read;
    EXPECT_TRUE(read.done());
    Buffer buffer = aligned();
    ASSERT_EQ(read.start(fd, buffer.get(), kBlock, kBlock), 0);
    const uint64_t deadline = testing::far_deadline();
    while (!read.done() && now_nanos() < deadline) yield();
    EXPECT_FALSE(read.in_flight());
    EXPECT_TRUE(is_file(buffer.get(), kBlock, kBlock));
    EXPECT_EQ(io::close(fd), 0);
  });
}

TEST_P(FlightTest, ResultsAreThoseOfPread) {
  run([&] {
    for (int flags : {0, O_DIRECT}) {
      const int fd = open(flags);
      PendingRead read;
      EXPECT_EQ(read.wait(), -EINVAL);
      Buffer buffer = aligned(4 * kBlock);
      ASSERT_EQ(read.start(fd, buffer.get(), 4 * kBlock, 255 * kBlock), 0);
      EXPECT_EQ(read.wait(), static_cast<ssize_t>(kBlock + 100));
      EXPECT_TRUE(is_file(buffer.get(), kBlock + 100, 255 * kBlock));
      ASSERT_EQ(read.start(fd, buffer.get(), kBlock, 300 * kBlock), 0);
      EXPECT_EQ(read.wait(), 0);
      ASSERT_EQ(read.start(fd, buffer.get(), 0, 0), 0);
      EXPECT_EQ(read.wait(), 0);
      ASSERT_EQ(read.start(fd, buffer.get(), kBlock, UINT64_MAX - 5), 0);
      EXPECT_EQ(read.wait(), -EINVAL);
      ASSERT_EQ(read.start(fd, nullptr, kBlock, 0), 0);
      EXPECT_EQ(read.wait(), -EFAULT);
      EXPECT_EQ(io::close(fd), 0);
      ASSERT_EQ(read.start(-1, buffer.get(), kBlock, 0), 0);
      EXPECT_EQ(read.wait(), -EBADF);
      const int directory = io::open("/var/tmp", O_RDONLY | O_DIRECTORY);
      ASSERT_EQ(read.start(directory, buffer.get(), kBlock, 0), 0);
      EXPECT_EQ(read.wait(), -EISDIR);
      EXPECT_EQ(io::close(directory), 0);
    }
  });
}

TEST_P(FlightTest, WhatIsHalfInTheCacheComesWhole) {
  run([&] {
    const int fd = open();
    std::string warm(kFileSize / 2, '\0');
    ASSERT_GT(io::pread(fd, warm.data(), warm.size(), 0), 0);
    ASSERT_EQ(io::fadvise(fd, 128 * kBlock, 0, POSIX_FADV_DONTNEED), 0);
    std::string data(kFileSize + 10, '\0');
    PendingRead read;
    ASSERT_EQ(read.start(fd, data.data(), data.size(), 0), 0);
    EXPECT_EQ(read.wait(), static_cast<ssize_t>(kFileSize));
    EXPECT_TRUE(is_file(data.data(), kFileSize, 0));
    EXPECT_EQ(io::close(fd), 0);
  });
}

TEST_P(FlightTest, CancelEndsAReadThatWouldNotEnd) {
  const int fd = open();  // while the pool is free
  Stuck stuck(by_pool(), path_);
  run([&] {
    constexpr size_t kReads = 8;  // more than the smallest ring takes
    PendingRead reads[kReads];
    Buffer buffer = aligned(kReads * kBlock);
    for (size_t i = 0; i < kReads; ++i) {
      ASSERT_EQ(reads[i].start(stuck.fd(), buffer.get() + i * kBlock, kBlock, 0), 0);
      EXPECT_EQ(reads[i].start(stuck.fd(), buffer.get() + i * kBlock, kBlock, 0), -EBUSY);
    }
    for (PendingRead& read : reads) {
      EXPECT_TRUE(read.in_flight());
      EXPECT_FALSE(read.done());
    }
    // The last ones first, so that some never get to the kernel.
    for (size_t i = kReads; i-- > 0;) {
      reads[i].cancel();
      EXPECT_FALSE(reads[i].in_flight());
      EXPECT_EQ(reads[i].wait(), -ECANCELED);
    }
    // The object is as good as new.
    stuck.release();
    ASSERT_EQ(reads[0].start(fd, buffer.get(), kBlock, 0), 0);
    EXPECT_EQ(reads[0].wait(), static_cast<ssize_t>(kBlock));
    EXPECT_TRUE(is_file(buffer.get(), kBlock, 0));
  });
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(FlightTest, AWaitEndsAtItsDeadline) {
  const int fd = open(O_DIRECT);  // while the pool is free
  auto stuck = std::make_unique<Stuck>(by_pool(), path_);
  run([&] {
    Buffer buffer = aligned(2 * kBlock);
    PendingRead read, other;
    EXPECT_EQ(read.wait_until(now_nanos()), -EINVAL);
    ASSERT_EQ(read.start(stuck->fd(), buffer.get(), kBlock, 0), 0);
    ASSERT_EQ(other.start(stuck->fd(), buffer.get() + kBlock, kBlock, 0), 0);
    for (uint64_t nanos : {uint64_t{2'000'000}, uint64_t{100'000}, uint64_t{0}}) {
      const uint64_t deadline = deadline_after(nanos);
      EXPECT_EQ(read.wait_until(deadline), -ETIMEDOUT);
      EXPECT_GE(now_nanos(), deadline);
      EXPECT_TRUE(read.in_flight());
    }
    other.cancel();
    read.cancel();
    EXPECT_EQ(read.wait_until(0), 0);
    EXPECT_EQ(read.wait(), -ECANCELED);
    stuck->release();
    ASSERT_EQ(read.start(fd, buffer.get(), kBlock, 0), 0);
    EXPECT_EQ(read.wait_until(testing::far_deadline()), 0);
    EXPECT_EQ(read.wait(), static_cast<ssize_t>(kBlock));
    EXPECT_TRUE(is_file(buffer.get(), kBlock, 0));
  });
  stuck.reset();
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(FlightTest, TheDestructorAndMovesCancel) {
  Stuck stuck(by_pool(), path_);
  run([&] {
    Buffer buffer = aligned(2 * kBlock);
    PendingRead outer;
    {
      PendingRead inner;
      ASSERT_EQ(inner.start(stuck.fd(), buffer.get(), kBlock, 0), 0);
      outer = std::move(inner);
      EXPECT_TRUE(outer.in_flight());
      PendingRead third;
      ASSERT_EQ(third.start(stuck.fd(), buffer.get() + kBlock, kBlock, 0), 0);
      outer = std::move(third);
      PendingRead fourth(std::move(outer));
      EXPECT_TRUE(fourth.in_flight());
    }
    EXPECT_EQ(outer.wait(), -EINVAL);
  });
}

TEST_P(FlightTest, AnAbandonedReadReleasesItsBufferOnceItIsOver) {
  std::atomic<int> released{0};
  auto stuck = std::make_unique<Stuck>(by_pool(), path_);
  const int fd = open(O_DIRECT);
  run([&] {
    for (int i = 0; i < 20; ++i) {
      PendingRead read;
      auto buffer = std::make_shared<Buffer>(aligned());
      ASSERT_EQ(read.start(fd, buffer->get(), kBlock, 0), 0);
      if (i % 2 == 0) (void)read.done();
      read.abandon([buffer, &released] { released.fetch_add(1); });
      EXPECT_TRUE(read.done());
      EXPECT_EQ(read.wait(), -EINVAL);
    }
    // One that is idle, and one that is done.
    PendingRead idle;
    const int before = released.load();
    idle.abandon([&] { released.fetch_add(1); });
    EXPECT_GE(released.load(), before + 1);
    if (by_pool()) return;
    // One that would not end by itself: its home asks the kernel to end it.
    PendingRead read;
    auto buffer = std::make_shared<Buffer>(aligned());
    ASSERT_EQ(read.start(stuck->fd(), buffer->get(), kBlock, 0), 0);
    read.abandon([buffer, &released] { released.fetch_add(1); });
  });
  stuck.reset();
  // A thread that has ended, and a runtime, leave none behind.
  runtime_.reset();
  EXPECT_EQ(released.load(), by_pool() ? 21 : 22);
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(FlightTest, ReadsOutliveTheirHome) {
  constexpr size_t kReads = 16;
  std::vector<PendingRead> reads(kReads);
  std::vector<Buffer> buffers;
  const int fd = open(O_DIRECT);
  run([&] {
    for (size_t i = 0; i < kReads; ++i) {
      buffers.push_back(aligned());
      ASSERT_EQ(reads[i].start(fd, buffers[i].get(), kBlock, i * kBlock, {.more = i % 2 == 0}), 0);
    }
  });
  runtime_.reset();
  for (size_t i = 0; i < kReads; ++i) {
    EXPECT_FALSE(reads[i].in_flight());
    EXPECT_EQ(reads[i].wait(), static_cast<ssize_t>(kBlock));
    EXPECT_TRUE(is_file(buffers[i].get(), kBlock, i * kBlock));
  }
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(FlightTest, OthersMayWaitForAReadOfARuntime) {
  if (runtime_ == nullptr) GTEST_SKIP();
  std::mt19937_64 random(3);
  const int fd = open(O_DIRECT);
  for (int round = 0; round < 200 / testing::kScaleDown; ++round) {
    PendingRead read, unread;
    Buffer buffer = aligned();
    const uint64_t offset = random() % 256 * kBlock;
    run([&] { ASSERT_EQ(read.start(fd, buffer.get(), kBlock, offset), 0); });
    auto check = [&] {
      if (round % 4 < 2) {
        PendingRead* const both[] = {&unread, &read};
        EXPECT_EQ(io::wait_any(both), 1);
      }
      EXPECT_EQ(read.wait(), static_cast<ssize_t>(kBlock));
      EXPECT_TRUE(is_file(buffer.get(), kBlock, offset));
    };
    if (round % 2 == 0) {
      check();
    } else {
      runtime_->spawn([&] { check(); }).join();
    }
  }
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(FlightTest, AFiberThatMigratesKeepsItsReads) {
  if (GetParam().workers < 2) GTEST_SKIP();
  Stuck stuck(by_pool(), path_);
  const int fd = open(O_DIRECT);
  run([&] {
    Buffer buffer = aligned(2 * kBlock);
    PendingRead read, endless;
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(endless.start(stuck.fd(), buffer.get(), kBlock, 0), 0);
      if (!by_pool()) ASSERT_EQ(read.start(fd, buffer.get() + kBlock, kBlock, 0), 0);
      ASSERT_EQ(migrate((i + 1) % 2), 0);
      if (!by_pool()) EXPECT_EQ(read.wait(), static_cast<ssize_t>(kBlock));
      endless.cancel();
      EXPECT_EQ(endless.wait(), -ECANCELED);
    }
  });
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(FlightTest, AnotherThreadsReadIsRefusedAndCanBeAbandoned) {
  if (runtime_ != nullptr || by_pool()) GTEST_SKIP();
  Stuck stuck(false, path_);
  std::atomic<int> released{0};
  Event handed_over, done_with;
  PendingRead read;
  Buffer buffer = aligned();
  Thread owner("owner", [&] {
    ASSERT_EQ(read.start(stuck.fd(), buffer.get(), kBlock, 0), 0);
    handed_over.set();
    done_with.wait();
  });
  handed_over.wait();
  EXPECT_EQ(read.wait(), -EXDEV);
  PendingRead* const one[] = {&read};
  EXPECT_EQ(io::wait_any(one), -EXDEV);
  EXPECT_EQ(io::wait_all(one), -EXDEV);
  EXPECT_TRUE(read.in_flight());
  read.abandon([&] { released.fetch_add(1); });
  EXPECT_EQ(released.load(), 0);
  stuck.release();
  done_with.set();
  owner.join();
  EXPECT_EQ(released.load(), 1);
}

// A read for any thread: its starter, or a function that it gathers, may leave it to others.
TEST_P(FlightTest, AnyThreadMayWaitForAReadThatIsStartedSo) {
  if (runtime_ != nullptr || Simulation::inside()) GTEST_SKIP();
  const int fd = open(O_DIRECT);
  Buffer buffer = aligned(3 * kBlock);
  PendingRead reads[3];
  Event started, done_with;
  Thread owner("owner", [&] {
    const auto start = [&](size_t i) {
      ASSERT_EQ(
          reads[i].start(fd, buffer.get() + i * kBlock, kBlock, i * kBlock, {.any_thread = true}),
          0);
    };
    start(0);
    Function parts[] = {[&] { start(1); }, [&] { start(2); }};
    gather(parts);
    started.set();
    done_with.wait();
  });
  started.wait();
  for (PendingRead& read : reads) EXPECT_EQ(read.wait(), static_cast<ssize_t>(kBlock));
  EXPECT_TRUE(is_file(buffer.get(), 3 * kBlock, 0));
  done_with.set();
  owner.join();
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(FlightTest, AGatheredFunctionMayLeaveAReadToItsThread) {
  if (runtime_ != nullptr) GTEST_SKIP();
  const int fd = open(O_DIRECT);
  run([&] {
    PendingRead reads[2], own;
    Buffer buffer = aligned(3 * kBlock);
    ASSERT_EQ(own.start(fd, buffer.get() + 2 * kBlock, kBlock, 2 * kBlock), 0);
    std::vector<Function> parts;
    for (size_t i = 0; i < 2; ++i) {
      parts.emplace_back([&, i] {
        ASSERT_EQ(reads[i].start(fd, buffer.get() + i * kBlock, kBlock, i * kBlock), 0);
        if (i == 1) EXPECT_EQ(own.wait(), static_cast<ssize_t>(kBlock));
      });
    }
    gather(parts);
    for (PendingRead& read : reads) EXPECT_EQ(read.wait(), static_cast<ssize_t>(kBlock));
    EXPECT_TRUE(is_file(buffer.get(), 3 * kBlock, 0));
  });
  EXPECT_EQ(io::close(fd), 0);
}

// A thread waits for reads of its own and of a runtime at once.
TEST_P(FlightTest, WaitAnyMixesHomes) {
  if (runtime_ == nullptr || by_pool()) GTEST_SKIP();
  Stuck never(false, path_), later(false, path_);
  Buffer buffer = aligned(2 * kBlock);
  PendingRead own, other;
  ASSERT_EQ(own.start(never.fd(), buffer.get(), kBlock, 0), 0);
  run([&] { ASSERT_EQ(other.start(later.fd(), buffer.get() + kBlock, kBlock, 0), 0); });
  PendingRead* const both[] = {&own, &other};
  JoinHandle releases = runtime_->spawn([&] {
    sleep_for(5 * testing::kMillisecond);
    later.release();
  });
  EXPECT_EQ(io::wait_any(both), 1);
  EXPECT_EQ(other.wait(), Simulation::inside() ? -ESPIPE : 0);  // a simulation calls pread()
  releases.join();
  EXPECT_TRUE(own.in_flight());
  own.cancel();
  EXPECT_EQ(own.wait(), -ECANCELED);
}

// Whatever is done with the reads: those that are waited for have their bytes, and a buffer is not
// written to once its read is over.
TEST_P(FlightTest, SoakOfRandomCancels) {
  constexpr int kOwners = 6;
  const int steps = 3000 / testing::kScaleDown;
  const int direct = open(O_DIRECT), buffered = open();
  auto owner = [&](uint64_t seed) {
    std::mt19937_64 random(seed);
    constexpr size_t kReads = 6;
    struct Slot {
      PendingRead read;
      Buffer buffer;
      uint64_t offset = 0;
    } slots[kReads];
    std::vector<Buffer> quiet;  // what must stay as it is
    std::atomic<int> abandoned{0}, released{0};
    for (int step = 0; step < steps; ++step) {
      Slot& slot = slots[random() % kReads];
      if (!slot.read.in_flight()) {
        slot.buffer = aligned();
        slot.offset = random() % 256 * kBlock;
        if (random() % 64 == 0)
          io::fadvise(buffered, slot.offset, 16 * kBlock, POSIX_FADV_DONTNEED);
        ASSERT_EQ(slot.read.start(random() % 2 == 0 ? direct : buffered, slot.buffer.get(), kBlock,
                                  slot.offset, {.more = random() % 2 == 0}),
                  0);
        continue;
      }
      switch (random() % 7) {
        case 6: {  // a deadline that may or may not be met
          const int error = slot.read.wait_until(deadline_after(random() % 200'000));
          ASSERT_TRUE(error == 0 || error == -ETIMEDOUT);
          if (error == 0) {
            ASSERT_EQ(slot.read.wait(), static_cast<ssize_t>(kBlock));
            ASSERT_TRUE(is_file(slot.buffer.get(), kBlock, slot.offset));
          }
          break;
        }
        case 0:
          slot.read.cancel();
          std::memset(slot.buffer.get(), 'q', kBlock);
          quiet.push_back(std::move(slot.buffer));
          break;
        case 1:
          slot.read = PendingRead();
          std::memset(slot.buffer.get(), 'q', kBlock);
          quiet.push_back(std::move(slot.buffer));
          break;
        case 2: {
          ++abandoned;
          std::shared_ptr<Buffer> kept = std::make_shared<Buffer>(std::move(slot.buffer));
          slot.read.abandon([kept, &released] { released.fetch_add(1); });
          break;
        }
        case 3: {
          PendingRead* all[kReads];
          for (size_t i = 0; i < kReads; ++i) all[i] = &slots[i].read;
          EXPECT_GE(io::wait_any(all), 0);
          break;
        }
        case 4:
          (void)slot.read.done();
          yield();
          break;
        default:
          ASSERT_EQ(slot.read.wait(), static_cast<ssize_t>(kBlock));
          ASSERT_TRUE(is_file(slot.buffer.get(), kBlock, slot.offset));
      }
      if (quiet.size() > 64) quiet.erase(quiet.begin(), quiet.begin() + 32);
      for (const Buffer& buffer : quiet) ASSERT_EQ(buffer.get()[random() % kBlock], 'q');
    }
    for (Slot& slot : slots) slot.read.cancel();
    const uint64_t deadline = testing::far_deadline();
    PendingRead pump;  // lets a plain thread's engine run
    Buffer last = aligned();
    while (released.load() != abandoned.load() && now_nanos() < deadline) {
      ASSERT_EQ(pump.start(direct, last.get(), kBlock, 0), 0);
      ASSERT_EQ(pump.wait(), static_cast<ssize_t>(kBlock));
    }
    EXPECT_EQ(released.load(), abandoned.load());
  };
  if (runtime_) {
    std::vector<JoinHandle> fibers;
    for (uint64_t i = 0; i < kOwners; ++i) fibers.push_back(runtime_->spawn([&, i] { owner(i); }));
    for (JoinHandle& fiber : fibers) fiber.join();
  } else {
    std::vector<Thread> threads;
    for (uint64_t i = 0; i < kOwners; ++i) threads.emplace_back("owner", [&, i] { owner(i); });
    for (Thread& thread : threads) thread.join();
  }
  EXPECT_EQ(io::close(direct), 0);
  EXPECT_EQ(io::close(buffered), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, FlightTest, ::testing::ValuesIn(testing::EngineMode::all()),
                         testing::EngineMode::name_of);

// The same seed gives the same run, with reads that end in another order than they began.
TEST(SimulationFlightTest, SeedsDecideTheOrderOfLandings) {
  char name[] = "/var/tmp/fiber_flight_XXXXXX";
  const int fd = ::mkstemp(name);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::ftruncate(fd, 64 * kBlock), 0);
  auto program = [&](std::string* order) {
    auto owner = [&](char who) {
      PendingRead reads[4];
      char data[4][64];
      PendingRead* all[4];
      for (size_t i = 0; i < 4; ++i) {
        ASSERT_EQ(reads[i].start(fd, data[i], sizeof(data[i]), i * kBlock), 0);
        all[i] = &reads[i];
      }
      reads[3].cancel();
      *order += reads[0].wait_until(deadline_after(50'000)) == 0 ? 'd' : 't';
      for (int n = 0; n < 4; ++n) {
        const ssize_t i = io::wait_any(all);
        ASSERT_GE(i, 0);
        *order += who;
        *order += static_cast<char>('0' + i);
        all[i] = nullptr;
      }
    };
    Runtime runtime({.workers = 2});
    Thread plain("plain", [&] { owner('p'); });
    JoinHandle one = runtime.spawn([&] { owner('f'); });
    JoinHandle two = runtime.spawn([&] { owner('g'); });
    one.join();
    two.join();
    plain.join();
  };
  std::vector<std::string> orders;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    uint64_t hashes[2];
    std::string runs[2];
    for (int i = 0; i < 2; ++i) {
      SimulationOptions options;
      options.seed = seed;
      const SimulationResult result = Simulation(options).run([&] { program(&runs[i]); });
      ASSERT_TRUE(result.ok()) << result.report;
      hashes[i] = result.hash;
    }
    EXPECT_EQ(hashes[0], hashes[1]) << "seed " << seed;
    EXPECT_EQ(runs[0], runs[1]) << "seed " << seed;
    EXPECT_EQ(runs[0].size(), 27u) << "seed " << seed;
    orders.push_back(runs[0]);
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  EXPECT_GT(orders.size(), 5u);
  ::close(fd);
  ::unlink(name);
}

}  // namespace
}  // namespace fiber
