// io.h and flight.h on Windows, on plain threads and on fibers: files, names, locks, what is
// refused.
#include "fiber/io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <vector>

#include "descriptor.h"
#include "engine_modes.h"
#include "fiber/flight.h"
#include "fiber/mutex.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber::testing {
namespace {

using ::testing::UnorderedElementsAre;

class IoTest : public ::testing::TestWithParam<EngineMode> {
 protected:
  void SetUp() override {
    runtime_ = GetParam().make_runtime();
    folder_ = scratch_path("io");
    ASSERT_EQ(io::mkdir(folder_.c_str(), 0755), 0);
  }
  void TearDown() override {
    run([&] {
      std::vector<std::string> names;
      EXPECT_EQ(io::list_dir(folder_.c_str(), &names), 0);
      for (const std::string& name : names) {
        if (io::unlink(path(name).c_str()) != 0)
          EXPECT_EQ(io::rmdir(path(name).c_str()), 0) << name;
      }
      EXPECT_EQ(io::rmdir(folder_.c_str()), 0);
    });
    runtime_.reset();
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void run(const std::function<void()>& body) {
    if (runtime_ != nullptr) {
      runtime_->run([&] { body(); });
    } else {
      body();
    }
  }
  int make(const std::string& name, const std::string& content) {
    const int fd = io::open(path(name).c_str(), io::kCreate | io::kTruncate | io::kReadWrite);
    EXPECT_GE(fd, 0);
    EXPECT_EQ(io::pwrite(fd, content.data(), content.size(), 0),
              static_cast<ptrdiff_t>(content.size()));
    return fd;
  }
  std::string content(const std::string& name) {
    const int fd = io::open(path(name).c_str(), io::kReadOnly);
    if (fd < 0) return "error " + std::to_string(fd);
    char data[256];
    const ptrdiff_t n = io::pread(fd, data, sizeof(data), 0);
    EXPECT_EQ(io::close(fd), 0);
    return n < 0 ? "error " + std::to_string(n) : std::string(data, static_cast<size_t>(n));
  }

  std::string folder_;
  std::unique_ptr<Runtime> runtime_;
};

TEST_P(IoTest, WhatIsWrittenIsRead) {
  run([&] {
    const int fd = make("file", "0123456789");
    char data[16] = {};
    EXPECT_EQ(io::pread(fd, data, sizeof(data), 4), 6);
    EXPECT_EQ(std::string(data, 6), "456789");
    EXPECT_EQ(io::pread(fd, data, sizeof(data), 10), 0);
    EXPECT_EQ(io::pread(fd, data, sizeof(data), uint64_t{1} << 40), 0);
    EXPECT_EQ(io::pread(fd, data, 1, UINT64_MAX), -EINVAL);
    EXPECT_EQ(io::pwrite(fd, "xx", 2, 12), 2);
    EXPECT_EQ(io::pread(fd, data, sizeof(data), 0), 14);
    EXPECT_EQ(std::string(data, 14), std::string("0123456789\0\0xx", 14));
    EXPECT_EQ(io::set_size(fd, 3), 0);
    EXPECT_EQ(io::pread(fd, data, sizeof(data), 0), 3);
    EXPECT_EQ(io::fsync(fd), 0);
    EXPECT_EQ(io::fdatasync(fd), 0);
    EXPECT_EQ(io::close(fd), 0);
    EXPECT_EQ(io::close(fd), -EBADF);
    EXPECT_EQ(io::pread(fd, data, 1, 0), -EBADF);
  });
}

TEST_P(IoTest, ADescriptorHasAPosition) {
  run([&] {
    const int fd = io::open(path("file").c_str(), io::kCreate | io::kReadWrite);
    ASSERT_EQ(io::write(fd, "hello ", 6), 6);
    ASSERT_EQ(io::write(fd, "world", 5), 5);
    char data[16];
    EXPECT_EQ(io::read(fd, data, sizeof(data)), 0);
    const int other = io::open(path("file").c_str(), io::kReadOnly);
    EXPECT_EQ(io::read(other, data, 5), 5);
    EXPECT_EQ(io::read(other, data + 5, sizeof(data) - 5), 6);
    EXPECT_EQ(std::string(data, 11), "hello world");
    EXPECT_EQ(io::close(other), 0);
    EXPECT_EQ(io::close(fd), 0);
  });
}

TEST_P(IoTest, AppendingGoesToTheEnd) {
  run([&] {
    EXPECT_EQ(io::close(make("file", "abc")), 0);
    const int fd = io::open(path("file").c_str(), io::kWriteOnly | io::kAppend);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(io::write(fd, "de", 2), 2);
    EXPECT_EQ(io::pwrite(fd, "f", 1, 0), 1);
    EXPECT_EQ(io::close(fd), 0);
    EXPECT_EQ(content("file"), "abcdef");
  });
}

TEST_P(IoTest, PartsAndBatches) {
  run([&] {
    const int fd = make("file", "");
    char a[] = "abc", b[] = "de", c[] = "fghi";
    const io::IoVec out[] = {{a, 3}, {nullptr, 0}, {b, 2}, {c, 4}};
    EXPECT_EQ(io::pwritev(fd, out, 4, 5), 9);
    char x[4] = {}, y[16] = {};
    const io::IoVec in[] = {{x, 4}, {y, 16}};
    EXPECT_EQ(io::preadv(fd, in, 2, 5), 9);
    EXPECT_EQ(std::string(x, 4), "abcd");
    EXPECT_EQ(std::string(y, 5), "efghi");
    char parts[40][2];
    std::vector<io::ReadRequest> requests;
    for (size_t i = 0; i < 40; i++)
      requests.push_back({.fd = i == 7 ? 60000 : fd, .data = parts[i], .size = 2, .offset = i});
    requests[8].offset = UINT64_MAX;
    io::pread_batch(requests);
    for (size_t i = 0; i < 40; i++) {
      const ptrdiff_t expected = i == 7 ? -EBADF : i == 8 ? -EINVAL : i < 13 ? 2 : i == 13 ? 1 : 0;
      EXPECT_EQ(requests[i].result, expected) << i;
    }
    EXPECT_EQ(parts[9][0], 'e');
    EXPECT_EQ(io::close(fd), 0);
  });
}

TEST_P(IoTest, NamesOfOpenFilesChange) {
  run([&] {
    const int old = make("old", "old");
    const int fresh = make("fresh", "fresh");
    EXPECT_EQ(io::link(path("old").c_str(), path("link").c_str()), 0);
    EXPECT_EQ(io::link(path("old").c_str(), path("link").c_str()), -EEXIST);
    io::FileStatus one, two;
    EXPECT_EQ(io::status(path("link").c_str(), &one), 0);
    EXPECT_EQ(io::file_status(old, &two), 0);
    EXPECT_EQ(one.st_ino, two.st_ino);
    EXPECT_EQ(one.st_dev, two.st_dev);
    EXPECT_EQ(one.st_nlink, 2u);
    EXPECT_EQ(one.st_size, 3);
    EXPECT_EQ(io::unlink(path("link").c_str()), 0);
    EXPECT_EQ(io::rename(path("fresh").c_str(), path("moved").c_str()), 0);
    EXPECT_EQ(content("moved"), "fresh");
    EXPECT_EQ(io::close(old), 0);
    EXPECT_EQ(io::rename(path("moved").c_str(), path("old").c_str()), 0) << "over a closed file";
    EXPECT_EQ(content("old"), "fresh");
    EXPECT_EQ(io::unlink(path("old").c_str()), 0) << "while it is open";
    char data[8];
    EXPECT_EQ(io::pread(fresh, data, sizeof(data), 0), 5);
    EXPECT_EQ(io::close(fresh), 0);
    EXPECT_EQ(io::status(path("old").c_str(), &one), -ENOENT);
    EXPECT_EQ(io::rename(path("none").c_str(), path("any").c_str()), -ENOENT);
  });
}

TEST_P(IoTest, Directories) {
  run([&] {
    EXPECT_EQ(io::mkdir(path("d").c_str(), 0755), 0);
    EXPECT_EQ(io::mkdir(path("d").c_str(), 0755), -EEXIST);
    EXPECT_EQ(io::close(make("d/file", "x")), 0);
    EXPECT_EQ(io::close(make("\xc3\xa4\xe6\x97\xa5.sst", "x")), 0);
    std::vector<std::string> names;
    EXPECT_EQ(io::list_dir(folder_.c_str(), &names), 0);
    EXPECT_THAT(names, UnorderedElementsAre("d", "\xc3\xa4\xe6\x97\xa5.sst"));
    EXPECT_EQ(io::list_dir(path("none").c_str(), &names), -ENOENT);
    EXPECT_EQ(io::rmdir(path("d").c_str()), -ENOTEMPTY);
    EXPECT_EQ(io::unlink(path("d").c_str()), -EISDIR);
    EXPECT_EQ(io::open(path("d").c_str(), io::kReadWrite), -EISDIR);
    EXPECT_EQ(io::open(path("d/file").c_str(), io::kReadOnly | io::kDirectory), -ENOTDIR);
    const int fd = io::open(path("d").c_str(), io::kReadOnly | io::kDirectory);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(io::fsync(fd), 0);
    char byte;
    EXPECT_EQ(io::pread(fd, &byte, 1, 0), -EISDIR);
    io::FileStatus info;
    EXPECT_EQ(io::file_status(fd, &info), 0);
    EXPECT_EQ(info.st_mode & io::kModeType, io::kModeDirectory);
    EXPECT_EQ(io::close(fd), 0);
    EXPECT_EQ(io::unlink(path("d/file").c_str()), 0);
    EXPECT_EQ(io::rmdir(path("d").c_str()), 0);
    uint64_t free_bytes = 0;
    EXPECT_EQ(io::statfs_free(folder_.c_str(), &free_bytes), 0);
    EXPECT_GT(free_bytes, 0u);
  });
}

TEST_P(IoTest, NamesThatWindowsCannotHold) {
  run([&] {
    for (const char* name :
         {"CON", "nul.txt", "Com1", "a:b", "a?b", "a*", "tail.", "tail ", "a\tb"})
      EXPECT_EQ(io::open(path(name).c_str(), io::kCreate | io::kReadWrite), -EINVAL) << name;
    EXPECT_EQ(io::open(path("\xff\xfe").c_str(), io::kReadOnly), -EILSEQ);
    EXPECT_EQ(io::open("", io::kReadOnly), -ENOENT);
    EXPECT_EQ(io::open(path(std::string(256, 'n')).c_str(), io::kReadOnly), -ENAMETOOLONG);
    EXPECT_EQ(io::open(path("x").c_str(), io::kCreate | io::kReadWrite | 0x40000), -EINVAL);
  });
}

TEST_P(IoTest, LongPaths) {
  run([&] {
    std::string name(200, 'a');
    ASSERT_EQ(io::mkdir(path(name).c_str(), 0755), 0);
    const std::string inner = name + "/" + std::string(200, 'b');
    EXPECT_EQ(io::close(make(inner, "far")), 0);
    EXPECT_EQ(content(inner), "far");
    EXPECT_EQ(io::rename(path(inner).c_str(), path("near").c_str()), 0);
    EXPECT_EQ(content("near"), "far");
    EXPECT_EQ(io::rmdir(path(name).c_str()), 0);
  });
}

TEST_P(IoTest, OneHoldsTheLock) {
  run([&] {
    const int one = make("LOCK", "");
    const int two = io::open(path("LOCK").c_str(), io::kReadWrite);
    EXPECT_EQ(io::lock_file(one), 0);
    EXPECT_EQ(io::lock_file(two), -EAGAIN);
    EXPECT_EQ(io::pwrite(two, "x", 1, 0), 1) << "the bytes are not locked";
    EXPECT_EQ(io::unlock_file(one), 0);
    EXPECT_EQ(io::lock_file(two), 0);
    EXPECT_EQ(io::close(two), 0);
    EXPECT_EQ(io::lock_file(one), 0) << "a close frees";
    EXPECT_EQ(io::close(one), 0);
  });
}

TEST_P(IoTest, ReadOnlyIsReadOnly) {
  run([&] {
    EXPECT_EQ(io::close(make("file", "abc")), 0);
    const int fd = io::open(path("file").c_str(), io::kReadOnly);
    EXPECT_LT(io::pwrite(fd, "x", 1, 0), 0);
    EXPECT_LT(io::set_size(fd, 0), 0);
    EXPECT_EQ(io::close(fd), 0);
    EXPECT_EQ(io::open(path("file").c_str(), io::kReadOnly | io::kTruncate), -EINVAL);
    EXPECT_EQ(io::open(path("file").c_str(), io::kCreate | io::kExclusive | io::kReadWrite),
              -EEXIST);
    EXPECT_EQ(content("file"), "abc");
  });
}

TEST_P(IoTest, ManyAtOnce) {
  constexpr int kTasks = 50;
  constexpr size_t kBlock = 4096;
  int fd = -1;
  run([&] { fd = make("file", ""); });
  std::atomic<int> wrong{0};
  auto body = [&](int i) {
    std::string mine(kBlock, static_cast<char>('a' + i % 26)), back(kBlock, '\0');
    for (uint64_t round = 0; round < 10; round++) {
      const uint64_t at = (static_cast<uint64_t>(i) * 10 + round) * kBlock;
      if (io::pwrite(fd, mine.data(), kBlock, at) != static_cast<ptrdiff_t>(kBlock)) wrong++;
      if (io::pread(fd, back.data(), kBlock, at) != static_cast<ptrdiff_t>(kBlock)) wrong++;
      if (back != mine) wrong++;
    }
  };
  if (runtime_ != nullptr) {
    std::vector<JoinHandle> fibers;
    for (int i = 0; i < kTasks; i++) fibers.push_back(runtime_->spawn([&, i] { body(i); }));
  } else {
    std::vector<Thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back("io", [&, i] { body(i); });
  }
  EXPECT_EQ(wrong.load(), 0);
  run([&] { EXPECT_EQ(io::close(fd), 0); });
}

// A read that waits (of a socket, which is a file here as well) ends when its descriptor is closed.
TEST_P(IoTest, AClosedDescriptorSendsItsReaderAway) {
  int fds[2];
  run([&] { ASSERT_EQ(net::socket_pair(fds), 0); });
  Thread closer("closer", [&] {
    while (detail::descriptor(fds[0])->waits.load() == 0) yield();
    EXPECT_EQ(io::close(fds[0]), 0);
  });
  run([&] {
    char byte;
    EXPECT_EQ(io::read(fds[0], &byte, 1), -ECANCELED);
    EXPECT_EQ(io::read(fds[0], &byte, 1), -EBADF);
    EXPECT_EQ(net::close(fds[1]), 0);
  });
}

// A descriptor outlives the runtime that used it first: its completions find the next one.
TEST_P(IoTest, ADescriptorServesOneRuntimeAfterTheOther) {
  int fd = -1;
  run([&] { fd = make("file", "abc"); });
  for (int round = 0; round < 3; round++) {
    Runtime other({.workers = 2});
    for (int worker = 0; worker < 2; worker++) {
      other
          .spawn({.worker = worker},
                 [&] {
                   char data[4];
                   EXPECT_EQ(io::pwrite(fd, "abc", 3, 0), 3);
                   EXPECT_EQ(io::pread(fd, data, 4, 0), 3);
                 })
          .join();
    }
  }
  char data[4];
  EXPECT_EQ(io::pread(fd, data, 4, 0), 3) << "and a plain thread";
  EXPECT_EQ(io::close(fd), 0);
}

TEST_P(IoTest, ReadsInFlight) {
  run([&] {
    std::string data(1 << 16, '\0');
    for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<char>(i / 512);
    const int fd = io::open(path("file").c_str(), io::kCreate | io::kReadWrite);
    ASSERT_EQ(io::pwrite(fd, data.data(), data.size(), 0), static_cast<ptrdiff_t>(data.size()));
    constexpr size_t kReads = 16, kEach = 4096;
    std::string back(data.size(), '\0');
    io::PendingRead reads[kReads];
    std::vector<io::PendingRead*> all;
    for (size_t i = 0; i < kReads; i++) {
      EXPECT_EQ(reads[i].start(fd, &back[i * kEach], kEach, i * kEach), 0);
      all.push_back(&reads[i]);
    }
    EXPECT_GE(io::wait_any(all), 0);
    EXPECT_EQ(io::wait_all(all), 0);
    for (io::PendingRead* read : all) EXPECT_EQ(read->wait(), static_cast<ptrdiff_t>(kEach));
    EXPECT_EQ(back, data);
    // Past the end; cancelled; abandoned.
    char byte[8];
    EXPECT_EQ(reads[0].start(fd, byte, sizeof(byte), data.size()), 0);
    EXPECT_EQ(reads[0].wait(), 0);
    EXPECT_EQ(reads[1].start(fd, byte, sizeof(byte), 0), 0);
    reads[1].cancel();
    EXPECT_THAT(reads[1].wait(), ::testing::AnyOf(8, -ECANCELED));
    Event released;
    EXPECT_EQ(reads[2].start(fd, byte, sizeof(byte), 0), 0);
    reads[2].abandon([&] { released.set(); });
    EXPECT_EQ(reads[3].start(fd, byte, sizeof(byte), 0, {.any_thread = true}), 0);
    EXPECT_EQ(reads[3].wait(), 8);
    while (!released.is_set()) {
      (void)reads[3].start(fd, byte, sizeof(byte), 0);  // serves a plain thread's
      (void)reads[3].wait();
      yield();
    }
    EXPECT_EQ(io::close(fd), 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, IoTest, ::testing::ValuesIn(EngineMode::all()),
                         EngineMode::name_of);

}  // namespace
}  // namespace fiber::testing
