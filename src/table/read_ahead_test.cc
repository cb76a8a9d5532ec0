// ReadAhead and PrefetchBuffer in the background: the right bytes in both directions, pieces that
// grow and stay within the limits, and nothing left behind.
#include "table/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/random.h"
#include "fiber/runtime.h"
#include "fs/memory_file_system.h"
#include "table/prefetch_buffer.h"

namespace cairn {
namespace {

// A file whose asynchronous reads are over when they are polled for, or not before.
class LazyDisk final : public FileSystemWrapper {
 public:
  LazyDisk() : FileSystemWrapper(std::make_shared<MemoryFileSystem>()) {}
  const char* Name() const override { return "LazyDisk"; }

  struct Handle {
    LazyDisk* disk;
    FSReadRequest request;
    std::function<void(FSReadRequest&, void*)> callback;
    void* argument;
    bool over;
  };

  class File final : public FSRandomAccessFile {
   public:
    File(LazyDisk* disk, std::string contents) : disk_(disk), contents_(std::move(contents)) {}
    IOStatus Read(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                  char* scratch, IODebugContext* /*dbg*/) const override {
      const size_t at = std::min<size_t>(offset, contents_.size());
      const size_t got = std::min(n, contents_.size() - at);
      std::memcpy(scratch, contents_.data() + at, got);
      *result = Slice(scratch, got);
      return IOStatus::OK();
    }
    IOStatus ReadAsync(FSReadRequest& req, const IOOptions& /*options*/,
                       std::function<void(FSReadRequest&, void*)> cb, void* cb_arg,
                       void** io_handle, IOHandleDeleter* del_fn,
                       IODebugContext* /*dbg*/) override {
      EXPECT_EQ(req.offset % alignment(), 0u);
      EXPECT_EQ(req.len % alignment(), 0u);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(req.scratch) % alignment(), 0u);
      auto* handle = new Handle{disk_, req, std::move(cb), cb_arg, false};
      handle->request.status =
          Read(req.offset, req.len, IOOptions(), &handle->request.result, req.scratch, nullptr);
      if (disk_->broken_offset >= req.offset && disk_->broken_offset < req.offset + req.len) {
        handle->request.status = IOStatus::IOError("broken");
        handle->request.result = Slice();
      }
      disk_->sizes.push_back(req.len);
      disk_->furthest = std::max(disk_->furthest, req.offset + req.len);
      disk_->nearest = std::min(disk_->nearest, req.offset);
      disk_->most_at_once = std::max(disk_->most_at_once, ++disk_->flying);
      ++disk_->handles;
      *io_handle = handle;
      *del_fn = [](void* h) {
        auto* const dead = static_cast<Handle*>(h);
        EXPECT_TRUE(dead->over) << "freed while it may still be written to";
        --dead->disk->handles;
        delete dead;
      };
      return IOStatus::OK();
    }
    bool use_direct_io() const override { return disk_->direct; }
    size_t alignment() const { return disk_->direct ? GetRequiredBufferAlignment() : 1; }

   private:
    LazyDisk* const disk_;
    const std::string contents_;
  };

  IOStatus Poll(std::vector<void*>& handles, size_t /*min_completions*/) override {
    if (slow) fiber::sleep_for(200'000);  // sleeps: as a slow disk
    for (void* h : handles) {
      auto* const handle = static_cast<Handle*>(h);
      if (handle->over) continue;
      handle->over = true;
      --flying;
      handle->callback(handle->request, handle->argument);
    }
    return IOStatus::OK();
  }
  IOStatus AbortIO(std::vector<void*>& handles) override {
    for (void* h : handles) {
      auto* const handle = static_cast<Handle*>(h);
      if (!handle->over) --flying;
      handle->over = true;
    }
    return IOStatus::OK();
  }

  void ResetCounts() {
    sizes.clear();
    most_at_once = 0;
    furthest = 0;
    nearest = UINT64_MAX;
  }

  bool slow = false;
  bool direct = false;
  uint64_t broken_offset = UINT64_MAX;
  std::vector<size_t> sizes;  // asked for
  uint64_t furthest = 0, nearest = UINT64_MAX;
  int flying = 0, handles = 0, most_at_once = 0;
};

class ReadAheadTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr size_t kSize = (3 << 20) + 1234;

  ReadAheadTest() : random_(301) {
    disk_.direct = GetParam();
    contents_.resize(kSize);
    for (char& c : contents_) c = static_cast<char>(random_.Next());
    file_ = std::make_unique<RandomAccessFileReader>(
        std::make_unique<LazyDisk::File>(&disk_, contents_), "lazy", &disk_);
    pace_.first = 8 << 10;
    pace_.largest = 256 << 10;
    pace_.may_widen = true;
  }
  ~ReadAheadTest() override {
    EXPECT_EQ(disk_.handles, 0);
    EXPECT_EQ(disk_.flying, 0);
    EXPECT_EQ(ReadAhead::MemoryInUse(), memory_before_);
  }

  std::unique_ptr<ReadAhead> Make() {
    return std::make_unique<ReadAhead>(file_.get(), kSize, pace_, nullptr);
  }
  void Check(ReadAhead* ahead, uint64_t offset, size_t n, bool forward) {
    Slice result;
    const IOStatus s = ahead->Read(offset, n, forward, &result);
    ASSERT_TRUE(s.ok()) << s.ToString();
    ASSERT_EQ(result.size(), std::min<size_t>(n, kSize - offset));
    ASSERT_EQ(result, Slice(contents_.data() + offset, result.size())) << "at " << offset;
  }

  const size_t memory_before_ = ReadAhead::MemoryInUse();
  LazyDisk disk_;
  Random64 random_;
  std::string contents_;
  std::unique_ptr<RandomAccessFileReader> file_;
  ReadAheadPace pace_;
};

INSTANTIATE_TEST_SUITE_P(BufferedAndDirect, ReadAheadTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Direct" : "Buffered"; });

TEST_P(ReadAheadTest, ForwardInGrowingPieces) {
  const auto ahead = Make();
  for (uint64_t at = 1000; at < kSize;) {
    const size_t n = 1 + random_.Uniform(9000);
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), at, n, true));
    at += n;
  }
  EXPECT_TRUE(ahead->ReachedEnd());
  EXPECT_LT(disk_.sizes.size(), 24u);
  EXPECT_EQ(*std::max_element(disk_.sizes.begin(), disk_.sizes.end()), 256u << 10);
  EXPECT_GE(disk_.most_at_once, 2);
}

TEST_P(ReadAheadTest, BackwardInGrowingPieces) {
  const auto ahead = Make();
  for (uint64_t end = kSize - 5; end > 0;) {
    const size_t n = std::min<size_t>(1 + random_.Uniform(9000), end);
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), end - n, n, false));
    end -= n;
  }
  EXPECT_TRUE(ahead->ReachedEnd());
  EXPECT_LT(disk_.sizes.size(), 24u);
  EXPECT_GE(disk_.most_at_once, 2);
}

TEST_P(ReadAheadTest, AnyOrderGivesTheRightBytes) {
  const auto ahead = Make();
  uint64_t at = 0;
  bool forward = true;
  for (int i = 0; i < 3000; ++i) {
    const size_t n = 1 + random_.Uniform(i % 100 == 0 ? 700'000 : 6000);
    if (random_.OneIn(20)) at = random_.Uniform(kSize);
    if (random_.OneIn(30)) forward = !forward;
    at = std::min<uint64_t>(at, kSize - 1);
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), at, n, forward)) << i;
    if (forward) {
      at += n;
    } else {
      at -= std::min<uint64_t>(at, n);
    }
  }
}

TEST_P(ReadAheadTest, WhoWaitsGetsMoreUnderWayButNotWithoutBounds) {
  disk_.slow = true;
  const auto ahead = Make();
  for (uint64_t at = 0; at + 4096 <= kSize; at += 4096) {
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), at, 4096, true));
  }
  EXPECT_GT(disk_.most_at_once, 3);
  EXPECT_LE(disk_.most_at_once, static_cast<int>(ReadAhead::kMaxPieces) + 1);
}

TEST_P(ReadAheadTest, PiecesOfAFixedNumberStayFew) {
  disk_.slow = true;
  pace_.first = pace_.largest = 64 << 10;
  pace_.may_widen = false;
  const auto ahead = Make();
  for (uint64_t at = 0; at + 4096 <= kSize; at += 4096) {
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), at, 4096, true));
  }
  EXPECT_LE(disk_.most_at_once, 3);
  EXPECT_LE(*std::max_element(disk_.sizes.begin(), disk_.sizes.end()), 64u << 10);
}

TEST_P(ReadAheadTest, NothingIsReadBeyondTheLimits) {
  const auto ahead = Make();
  ahead->SetRange(1 << 20, 2 << 20);
  for (uint64_t at = 1 << 20; at < 2 << 20; at += 4096) {
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), at, 4096, true));
  }
  EXPECT_EQ(disk_.furthest, 2u << 20);
  for (uint64_t at = 2 << 20; at > 1 << 20; at -= 4096) {
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), at - 4096, 4096, false));
  }
  EXPECT_EQ(disk_.nearest, 1u << 20);
  // But what is asked for is.
  ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), 2 << 20, 4096, true));
}

TEST_P(ReadAheadTest, AnErrorIsTheirsWhoAskForThatPart) {
  disk_.broken_offset = 1 << 20;
  const auto ahead = Make();
  uint64_t at = 0;
  Slice result;
  IOStatus s;
  for (; at < 2 << 20; at += 4096) {
    s = ahead->Read(at, 4096, true, &result);
    if (!s.ok()) break;
    ASSERT_EQ(result, Slice(contents_.data() + at, 4096));
  }
  ASSERT_TRUE(s.IsIOError()) << "at " << at;
  EXPECT_LE(at, 1u << 20);
  // Once the disk is well, the same place can be read.
  disk_.broken_offset = UINT64_MAX;
  for (; at < 2 << 20; at += 4096) {
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), at, 4096, true));
  }
}

TEST_P(ReadAheadTest, JumpsLeaveABoundedNumberBehind) {
  const auto ahead = Make();
  for (int i = 0; i < 100; ++i) {
    ASSERT_NO_FATAL_FAILURE(Check(ahead.get(), random_.Uniform(kSize - 4096), 4096, true));
  }
  EXPECT_LE(disk_.flying, static_cast<int>(ReadAhead::kMaxPieces) + 3);
  EXPECT_LE(ReadAhead::MemoryInUse() - memory_before_, 16 * (pace_.largest + 8192));
}

TEST_P(ReadAheadTest, APrefetchBufferTurnsRoundAndGoesOnInAnotherFile) {
  PrefetchOptions options;
  options.initial = 8 << 10;
  options.max = 256 << 10;
  options.reads_before = 2;
  options.background = true;
  PrefetchBuffer buffer(file_.get(), kSize, options);
  Slice result;
  IOStatus s;
  EXPECT_FALSE(buffer.Read(0, 4096, &result, &s));
  EXPECT_FALSE(buffer.Read(4096, 4096, &result, &s));
  EXPECT_FALSE(buffer.Pace().has_value());
  uint64_t at = 8192;
  for (; at < 1 << 20; at += 4096) {
    ASSERT_TRUE(buffer.Read(at, 4096, &result, &s));
    ASSERT_TRUE(s.ok());
    ASSERT_EQ(result, Slice(contents_.data() + at, 4096));
  }
  ASSERT_TRUE(buffer.Pace().has_value());
  EXPECT_EQ(buffer.Pace()->first, 256u << 10);
  disk_.ResetCounts();
  // Back: the window already holds the first of these, the rest is read downwards.
  for (at -= 4096; at > 0; at -= 4096) {
    const bool answered = buffer.Read(at - 4096, 4096, &result, &s);
    if (!answered) continue;
    ASSERT_TRUE(s.ok());
    ASSERT_EQ(result, Slice(contents_.data() + at - 4096, 4096));
  }
  EXPECT_LT(disk_.sizes.size(), 12u);
  EXPECT_EQ(disk_.nearest, 0u);

  disk_.ResetCounts();
  PrefetchBuffer next(file_.get(), kSize, options);
  next.Continue(*buffer.Pace(), /*forward=*/true);
  ASSERT_TRUE(next.Read(0, 4096, &result, &s));
  ASSERT_GE(disk_.sizes.size(), 3u);
  EXPECT_EQ(disk_.sizes[1], 256u << 10);
}

// A file system that has nothing but Read.
class PlainFile final : public FSRandomAccessFile {
 public:
  explicit PlainFile(std::string contents) : contents_(std::move(contents)) {}
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& /*options*/, Slice* result,
                char* scratch, IODebugContext* /*dbg*/) const override {
    const int now = ++at_once_;
    int most = most_at_once.load();
    while (now > most && !most_at_once.compare_exchange_weak(most, now)) {
    }
    fiber::sleep_for(300'000);  // sleeps: as a slow disk
    const size_t at = std::min<size_t>(offset, contents_.size());
    const size_t got = std::min(n, contents_.size() - at);
    std::memcpy(scratch, contents_.data() + at, got);
    *result = Slice(scratch, got);
    --at_once_;
    return IOStatus::OK();
  }
  mutable std::atomic<int> most_at_once{0};

 private:
  const std::string contents_;
  mutable std::atomic<int> at_once_{0};
};

TEST(PrefetchBufferTest, WhatThereIsNoMemoryToReadAheadIsReadByItself) {
  const std::string contents(1 << 20, 'x');
  MemoryFileSystem fs;
  const RandomAccessFileReader reader(std::make_unique<PlainFile>(contents), "plain", &fs);
  PrefetchOptions options;
  options.fixed = 512 << 10;
  PrefetchBuffer buffer(&reader, contents.size(), options);
  Slice result;
  IOStatus s;
  FailAllocationsFrom(512 << 10);
  EXPECT_FALSE(buffer.Read(0, 4096, &result, &s));
  FailAllocationsFrom(0);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_TRUE(buffer.Read(0, 4096, &result, &s));
  EXPECT_TRUE(s.ok());
  EXPECT_EQ(result.size(), 4096u);
}

void ScanPlainFile() {
  std::string contents(2 << 20, '\0');
  Random64 random(17);
  for (char& c : contents) c = static_cast<char>(random.Next());
  auto owned = std::make_unique<PlainFile>(contents);
  const PlainFile& file = *owned;
  MemoryFileSystem fs;
  const RandomAccessFileReader reader(std::move(owned), "plain", &fs);
  ReadAheadPace pace;
  pace.first = pace.largest = 64 << 10;
  ReadAhead ahead(&reader, contents.size(), pace, nullptr);
  for (uint64_t at = 0; at < contents.size(); at += 4096) {
    Slice result;
    const IOStatus s = ahead.Read(at, 4096, true, &result);
    ASSERT_TRUE(s.ok());
    ASSERT_EQ(result, Slice(contents.data() + at, 4096));
  }
  EXPECT_GE(file.most_at_once.load(), 2);
}

TEST(ReadAheadOfAPlainFileTest, GoesOnBesideAFiber) {
  fiber::Runtime runtime;
  runtime.run(&ScanPlainFile);
}

TEST(ReadAheadOfAPlainFileTest, GoesOnBesideAThread) { ScanPlainFile(); }

}  // namespace
}  // namespace cairn
