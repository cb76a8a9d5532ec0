// Reads with IOOptions::timeout: of files that hang (a pipe under the name of a file), and of files
// that may or may not be in time.
#include "fs/timed_read.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/thread.h"
#include "fs/fiber_file_system.h"
#include "fs/file_util.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

IOOptions Within(int64_t micros) {
  IOOptions options;
  options.timeout = std::chrono::microseconds(micros);
  return options;
}

// On a plain thread that ends with the body, or on a fiber.
void RunOn(bool on_fiber, const std::function<void()>& body) {
  if (on_fiber) {
    fiber::Runtime runtime;
    runtime.run(body);
  } else {
    fiber::Thread("body", [&] { body(); }).join();
  }
}

class HangingReadTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    // The blocking pool would be told that a pipe has no positions.
    if (fiber::Runtime().engine() != fiber::Engine::kIoUring) GTEST_SKIP() << "no io_uring";
    ASSERT_EQ(0, mkfifo(name_.c_str(), 0600));
    const int both = fiber::io::open(name_.c_str(), O_RDWR);
    ASSERT_TRUE(fs_->NewRandomAccessFile(name_, FileOptions(), &file_, nullptr).ok());
    writer_ = fiber::io::open(name_.c_str(), O_WRONLY);
    ASSERT_GE(writer_, 0);
    fiber::io::close(both);
  }
  void TearDown() override {
    file_.reset();
    if (writer_ >= 0) fiber::io::close(writer_);
  }
  // Whether a descriptor for reading is left.
  bool HasReaders() const {
    pollfd fd{.fd = writer_, .events = POLLOUT, .revents = 0};
    // style: asks, without waiting
    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLERR) == 0;
  }

  const std::shared_ptr<FileSystem> fs_ = NewFiberFileSystem();
  testing::TempDir dir_{fs_.get(), "hang"};
  const std::string name_ = dir_.File("pipe");
  std::unique_ptr<FSRandomAccessFile> file_;
  int writer_ = -1;
};

INSTANTIATE_TEST_SUITE_P(Callers, HangingReadTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Fiber" : "Thread"; });

TEST_P(HangingReadTest, EndsInTimeAndLeavesTheCallersMemoryAlone) {
  RunOn(GetParam(), [&] {
    std::string scratch(4096, 'q');
    Slice result;
    const uint64_t start = fiber::now_nanos();
    IOStatus s = file_->Read(0, 4096, Within(3000), &result, scratch.data(), nullptr);
    EXPECT_TRUE(s.IsTimedOut()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(name_)) << s.ToString();
    EXPECT_GE(fiber::now_nanos() - start, 3'000'000u);
    EXPECT_TRUE(result.empty());

    FSReadRequest requests[3];
    std::string more(3 * 4096, 'q');
    for (size_t i = 0; i < 3; ++i) {
      requests[i].len = 4096;
      requests[i].scratch = more.data() + i * 4096;
    }
    ASSERT_TRUE(file_->MultiRead(requests, 3, Within(1000), nullptr).ok());
    for (const FSReadRequest& r : requests) EXPECT_TRUE(r.status.IsTimedOut());

    // What comes now reaches none of them.
    const std::string late(4096, 'w');
    ASSERT_EQ(4096, fiber::io::write(writer_, late.data(), late.size()));
    s = file_->Read(0, 4096, Within(60'000'000), &result, scratch.data(), nullptr);
    EXPECT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(late, result.ToString());
    EXPECT_EQ(std::string(3 * 4096, 'q'), more);
  });
}

TEST_P(HangingReadTest, TheDescriptorIsClosedWithTheLastReadThatWasLeft) {
  RunOn(GetParam(), [&] {
    std::string scratch(64, 'q');
    Slice result;
    EXPECT_TRUE(file_->Read(0, 64, Within(500), &result, scratch.data(), nullptr).IsTimedOut());
    file_.reset();
  });
  // A thread, and a runtime, have ended what was left on them.
  EXPECT_FALSE(HasReaders());
}

TEST(TimedReadTest, IsTheReadWithoutATimeout) {
  const std::shared_ptr<FileSystem> fs = NewFiberFileSystem();
  testing::TempDir dir(fs.get(), "timed");
  std::string data;
  for (int i = 0; i < 5000; ++i) data += "piece" + std::to_string(i);
  ASSERT_TRUE(WriteStringToFile(fs.get(), data, dir.File("a")).ok());
  for (const bool on_fiber : {false, true}) {
    RunOn(on_fiber, [&] {
      std::unique_ptr<FSRandomAccessFile> file;
      ASSERT_TRUE(fs->NewRandomAccessFile(dir.File("a"), FileOptions(), &file, nullptr).ok());
      const int64_t hour = 3'600'000'000;
      for (const int64_t timeout : {hour, std::numeric_limits<int64_t>::max()}) {
        for (const uint64_t offset :
             {uint64_t{0}, uint64_t{4095}, data.size() - 10, data.size(), data.size() + 99}) {
          ASSERT_TRUE(file->InvalidateCache(0, 0).ok());
          std::string scratch(9000, '?');
          Slice result;
          const IOStatus s =
              file->Read(offset, 9000, Within(timeout), &result, scratch.data(), nullptr);
          ASSERT_TRUE(s.ok()) << s.ToString();
          EXPECT_EQ(offset < data.size() ? data.substr(offset, 9000) : "", result.ToString());
        }
      }
      FSReadRequest requests[5];
      std::string scratch(5 * 700, '?');
      for (size_t i = 0; i < 5; ++i) {
        requests[i].offset = i * 11'111;
        requests[i].len = 700;
        requests[i].scratch = scratch.data() + i * 700;
      }
      ASSERT_TRUE(file->MultiRead(requests, 5, Within(hour), nullptr).ok());
      for (const FSReadRequest& r : requests) {
        EXPECT_TRUE(r.status.ok()) << r.status.ToString();
        EXPECT_EQ(r.offset < data.size() ? data.substr(r.offset, 700) : "", r.result.ToString());
      }
    });
  }
}

TEST(TimedReadTest, AnErrorIsTheReadsError) {
  const std::shared_ptr<FileSystem> fs = NewFiberFileSystem();
  testing::TempDir dir(fs.get(), "timed");
  std::unique_ptr<FSRandomAccessFile> file;
  ASSERT_TRUE(fs->NewRandomAccessFile(dir.path(), FileOptions(), &file, nullptr).ok());
  char scratch[16];
  Slice result;
  const IOStatus s = file->Read(32, 16, Within(60'000'000), &result, scratch, nullptr);
  EXPECT_EQ("IO error: While pread offset 32 len 16: " + dir.path() + ": Is a directory",
            s.ToString());
}

// Disks and clocks of many seeds: a read has the right bytes, or is late and changes nothing.
TEST(TimedReadTest, UnderEverySeedAReadIsRightOrLate) {
  const std::shared_ptr<FileSystem> fs = NewFiberFileSystem();
  testing::TempDir dir(fs.get(), "timed");
  std::string data(64 << 10, '\0');
  Random64 fill(7);
  for (char& c : data) c = static_cast<char>(fill.Next());
  ASSERT_TRUE(WriteStringToFile(fs.get(), data, dir.File("a")).ok());
  int late = 0, in_time = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto reader = [&](uint64_t who) {
      Random64 random(seed * 100 + who);
      for (int round = 0; round < 3; ++round) {
        std::unique_ptr<FSRandomAccessFile> file;
        ASSERT_TRUE(fs->NewRandomAccessFile(dir.File("a"), FileOptions(), &file, nullptr).ok());
        for (int i = 0; i < 8; ++i) {
          const size_t n = 1 + random.Uniform(4000);
          const uint64_t offset = random.Uniform(60'000);
          const auto timeout = static_cast<int64_t>(1 + random.Uniform(300));
          std::string scratch(n, '?');
          Slice result;
          const uint64_t start = fiber::now_nanos();
          const IOStatus s =
              file->Read(offset, n, Within(timeout), &result, scratch.data(), nullptr);
          if (s.ok()) {
            ++in_time;
            ASSERT_EQ(data.substr(offset, n), result.ToString());
          } else {
            ++late;
            ASSERT_TRUE(s.IsTimedOut()) << s.ToString();
            ASSERT_EQ(std::string(n, '?'), scratch);
            ASSERT_GE(fiber::now_nanos() - start, static_cast<uint64_t>(timeout) * 1000);
          }
        }
        // With what was left still going on.
      }
    };
    const fiber::SimulationResult result = fiber::Simulation(seed).run([&] {
      fiber::Runtime runtime({.workers = 2});
      fiber::Thread thread("thread", [&] { reader(0); });
      fiber::JoinHandle one = runtime.spawn([&] { reader(1); });
      fiber::JoinHandle two = runtime.spawn([&] { reader(2); });
      one.join();
      two.join();
      thread.join();
    });
    ASSERT_TRUE(result.ok()) << "seed " << seed << "\n" << result.report;
  }
  EXPECT_GT(late, 0);
  EXPECT_GT(in_time, 0);
}

}  // namespace
}  // namespace cairn
