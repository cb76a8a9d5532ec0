#include "fs/file_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/crc32c.h"
#include "base/random.h"
#include "cairn/fault_injection.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fs/checksum_handoff.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"

namespace cairn {
namespace {

class FileWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<FileWriter> Open(const FileOptions& options = FileOptions()) {
    std::unique_ptr<FileWriter> writer;
    IOStatus s = FileWriter::Open(fs_.get(), "/f", options, &writer);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return writer;
  }
  std::string Contents() {
    std::string data;
    IOStatus s = ReadFileToString(memory_.get(), "/f", &data);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return data;
  }

  const std::shared_ptr<MemoryFileSystem> memory_ = std::make_shared<MemoryFileSystem>();
  const std::shared_ptr<fault::FaultInjectionFileSystem> fs_ =
      std::make_shared<fault::FaultInjectionFileSystem>(memory_);
};

TEST_F(FileWriterTest, AppendsOfAllSizesArriveInOrder) {
  for (const size_t max_buffer : {size_t{1}, size_t{100}, size_t{4096}, size_t{1} << 20}) {
    FileOptions options;
    options.writable_file_max_buffer_size = max_buffer;
    auto writer = Open(options);
    Random64 rng(max_buffer);
    std::string expected;
    for (int i = 0; i < 300; ++i) {
      const std::string piece = rng.RandomBinaryString(rng.Skewed(i % 100 == 0 ? 21 : 12));
      ASSERT_TRUE(writer->Append(piece).ok());
      expected += piece;
      ASSERT_EQ(expected.size(), writer->file_size());
      if (rng.OneIn(50)) {
        ASSERT_TRUE(writer->Flush().ok());
        ASSERT_EQ(expected.size(), writer->flushed_size());
      }
    }
    ASSERT_TRUE(writer->Pad(1000).ok());
    expected.append(1000, '\0');
    ASSERT_TRUE(writer->Close().ok());
    ASSERT_TRUE(writer->Close().ok());
    EXPECT_EQ(expected, Contents());
  }
}

TEST_F(FileWriterTest, SmallAppendsBecomeOneWrite) {
  auto writer = Open();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(writer->Append("0123456789").ok());
  EXPECT_EQ(0u, fs_->OperationCount(fault::kAppend));
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(1u, fs_->OperationCount(fault::kAppend));
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(1u, fs_->OperationCount(fault::kAppend));
}

TEST_F(FileWriterTest, SyncMakesDurableAndFlushDoesNot) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("synced").ok());
  ASSERT_TRUE(writer->Sync(false).ok());
  EXPECT_EQ(0u, memory_->UnsyncedBytes());
  ASSERT_TRUE(writer->Sync(false).ok());
  EXPECT_EQ(1u, fs_->OperationCount(fault::kSync)) << "nothing was written in between";
  ASSERT_TRUE(writer->Append("flushed").ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(7u, memory_->UnsyncedBytes());
  ASSERT_TRUE(writer->SyncWithoutFlush(true).ok());
  EXPECT_EQ(0u, memory_->UnsyncedBytes());
}

TEST_F(FileWriterTest, BytesPerSyncStartsWritebackEarly) {
  FileOptions options;
  options.bytes_per_sync = 64 << 10;
  auto writer = Open(options);
  for (int i = 0; i < 64; ++i) {
    ASSERT_TRUE(writer->Append(std::string(64 << 10, 'x')).ok());
    ASSERT_TRUE(writer->Flush().ok());
  }
  EXPECT_GE(fs_->OperationCount(fault::kSync), 40u);
  EXPECT_LE(fs_->OperationCount(fault::kSync), 64u);
}

TEST_F(FileWriterTest, AnErrorStays) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  fs_->FailNthOperation(1, fault::kAppend, IOStatus::IOError("injected", "once"));
  EXPECT_EQ("IO error: injected: once: /f", writer->Flush().ToString());
  // The disk works again, but the file has a hole.
  EXPECT_EQ("IO error: injected: once: /f", writer->Append("def").ToString());
  EXPECT_EQ("IO error: injected: once: /f", writer->Flush().ToString());
  EXPECT_EQ("IO error: injected: once: /f", writer->Sync(true).ToString());
  EXPECT_EQ("IO error: injected: once: /f", writer->SyncWithoutFlush(true).ToString());
  EXPECT_TRUE(writer->seen_error());
  EXPECT_EQ("IO error: injected: once: /f", writer->Close().ToString());
  EXPECT_EQ(0, fs_->OpenWritableFiles());
}

TEST_F(FileWriterTest, AnErrorNamesTheFileOnce) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  fs_->FailNthOperation(1, fault::kSync, IOStatus::IOError("fsync: /f", "Input/output error"));
  EXPECT_EQ("IO error: fsync: /f: Input/output error", writer->Sync(false).ToString());
  writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  fs_->FailNthOperation(1, fault::kSync, IOStatus::NoSpace());
  EXPECT_EQ("IO error: No space left on device: /f", writer->Sync(false).ToString());
}

TEST_F(FileWriterTest, AFailedSyncStays) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  fs_->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected", "sync"));
  EXPECT_FALSE(writer->Sync(false).ok());
  EXPECT_FALSE(writer->Sync(false).ok()) << "the kernel may have dropped the dirty pages";
}

TEST_F(FileWriterTest, AFullDiskIsReportedAndCloseSucceedsNever) {
  auto writer = Open();
  fs_->SetFreeBytes(10);
  ASSERT_TRUE(writer->Append("0123456789abcdef").ok());
  EXPECT_TRUE(writer->Flush().IsNoSpace());
  EXPECT_TRUE(writer->Close().IsNoSpace());
  EXPECT_EQ("0123456789", Contents());
}

TEST_F(FileWriterTest, AbandonWritesNothingMore) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  writer->Abandon();
  EXPECT_EQ("", Contents());
  EXPECT_EQ(0, fs_->OpenWritableFiles());
  EXPECT_FALSE(writer->Append("x").ok());
}

// A file whose contents are a string of the test's.
class StringFile : public FSWritableFile {
 public:
  IOStatus Truncate(uint64_t size, const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    contents_->resize(size);
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }
  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    return IOStatus::OK();
  }

 protected:
  explicit StringFile(std::string* contents) : contents_(contents) {}
  IOStatus Write(const Slice& data, uint64_t offset) {
    contents_->resize(std::max<size_t>(contents_->size(), offset + data.size()));
    contents_->replace(offset, data.size(), data.data(), data.size());
    return IOStatus::OK();
  }

 private:
  std::string* const contents_;
};

// Keeps what is written, and compares it with the checksums that come with it.
class CheckingFile final : public StringFile {
 public:
  struct Seen {
    std::string contents;
    int checked = 0, unchecked = 0;
  };
  CheckingFile(Seen* seen, bool direct)
      : StringFile(&seen->contents), seen_(seen), direct_(direct) {}
  bool use_direct_io() const override { return direct_; }
  IOStatus Append(const Slice& data, const IOOptions& /*options*/,
                  IODebugContext* /*dbg*/) override {
    ++seen_->unchecked;
    return Write(data, seen_->contents.size());
  }
  IOStatus Append(const Slice& data, const IOOptions& /*options*/, const DataVerificationInfo& info,
                  IODebugContext* /*dbg*/) override {
    IOStatus s = Check(data, info);
    return s.ok() ? Write(data, seen_->contents.size()) : s;
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) override {
    ++seen_->unchecked;
    return Write(data, offset);
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& /*options*/,
                            const DataVerificationInfo& info, IODebugContext* /*dbg*/) override {
    IOStatus s = Check(data, info);
    return s.ok() ? Write(data, offset) : s;
  }

 private:
  IOStatus Check(const Slice& data, const DataVerificationInfo& info) {
    ++seen_->checked;
    EXPECT_EQ(info.checksum.size(), 4u);
    return CheckHandedChecksum("/f", data, info);
  }

  Seen* const seen_;
  const bool direct_;
};

TEST(ChecksumHandoffTest, EachWriteHandsOverTheChecksumOfItsBytes) {
  for (const bool direct : {false, true}) {
    for (const size_t max_buffer : {size_t{1}, size_t{5000}, size_t{64} << 10}) {
      SCOPED_TRACE(std::to_string(max_buffer) + (direct ? " direct" : ""));
      FileOptions options;
      options.writable_file_max_buffer_size = max_buffer;
      CheckingFile::Seen seen;
      FileWriter writer(std::make_unique<CheckingFile>(&seen, direct), "/f", options);
      writer.EnableWriteBehind();
      writer.EnableChecksumHandoff();
      Random64 random(max_buffer);
      std::string expected;
      for (int i = 0; i < 400; ++i) {
        const std::string piece =
            random.RandomBinaryString(random.Uniform(i % 40 == 0 ? 200'000 : 3000));
        IOStatus s;
        switch (random.Uniform(3)) {
          case 0:
            s = writer.Append(piece);
            break;
          case 1:
            s = writer.AppendSummed(piece);
            break;
          default:
            s = writer.AppendSummed(piece, crc32c::Value(piece.data(), piece.size()));
        }
        ASSERT_TRUE(s.ok()) << s.ToString();
        expected += piece;
        if (random.OneIn(20)) {
          ASSERT_TRUE(writer.Pad(100).ok());
          expected.append(100, '\0');
        }
        if (random.OneIn(10)) {
          ASSERT_TRUE(writer.Flush().ok());
        }
      }
      ASSERT_TRUE(writer.Close().ok());
      EXPECT_TRUE(seen.contents == expected);
      EXPECT_GT(seen.checked, 10);
      EXPECT_EQ(seen.unchecked, 0);
    }
  }
}

// What is wrong in the buffer of a log is not written; here the caller says another checksum.
TEST(ChecksumHandoffTest, WhatDiffersIsCorruptionAndStays) {
  CheckingFile::Seen seen;
  FileWriter writer(std::make_unique<CheckingFile>(&seen, /*direct=*/false), "/f", FileOptions());
  writer.EnableChecksumHandoff();
  const std::string piece = "abcdefgh";
  ASSERT_TRUE(writer.AppendSummed(piece, crc32c::Value(piece.data(), piece.size())).ok());
  ASSERT_TRUE(writer.Flush().ok());
  ASSERT_TRUE(writer.AppendSummed(piece, crc32c::Value("abcdefgH", 8)).ok());
  const IOStatus s = writer.Flush();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("/f"), std::string::npos) << s.ToString();
  EXPECT_TRUE(writer.Append(piece).IsCorruption());
  EXPECT_TRUE(writer.Close().IsCorruption());
  EXPECT_EQ(seen.contents, piece);
}

// One that knows nothing of checksums gets the bytes, with direct I/O, too.
TEST_F(FileWriterTest, WhoDoesNotCheckChecksumsIgnoresThem) {
  const HandedChecksum wrong(1);
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(memory_->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->Append("ab", IOOptions(), wrong.info(), nullptr).ok());
  ASSERT_TRUE(file->PositionedAppend("cd", 2, IOOptions(), wrong.info(), nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ(Contents(), "abcd");
  ASSERT_TRUE(fs_->NewWritableFile("/g", FileOptions(), &file, nullptr).ok());
  EXPECT_TRUE(file->Append("ab", IOOptions(), wrong.info(), nullptr).IsCorruption());
  EXPECT_TRUE(file->PositionedAppend("ab", 0, IOOptions(), wrong.info(), nullptr).IsCorruption());
}

// A direct file whose writes wait until they are let go.
class HeldFile final : public StringFile {
 public:
  using FSWritableFile::Append;
  using FSWritableFile::PositionedAppend;
  struct Disk {
    fiber::Semaphore permits{0};
    fiber::Semaphore begun{0};
    std::string contents;
    IOStatus answer;
    bool closed = false;
  };

  explicit HeldFile(Disk* disk) : StringFile(&disk->contents), disk_(disk) {}
  bool use_direct_io() const override { return true; }
  IOStatus Append(const Slice& /*data*/, const IOOptions& /*options*/,
                  IODebugContext* /*dbg*/) override {
    return IOStatus::NotSupported("direct");
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& /*options*/,
                            IODebugContext* /*dbg*/) override {
    disk_->begun.release();
    disk_->permits.acquire();
    EXPECT_FALSE(disk_->closed);
    EXPECT_EQ(offset % kDefaultPageSize, 0u);
    EXPECT_EQ(data.size() % kDefaultPageSize, 0u);
    return disk_->answer.ok() ? Write(data, offset) : disk_->answer;
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    disk_->closed = true;
    return IOStatus::OK();
  }

 private:
  Disk* const disk_;
};

class WriteBehindTest : public ::testing::Test {
 protected:
  static constexpr size_t kBuffer = 64 << 10;

  WriteBehindTest() {
    FileOptions options;
    options.writable_file_max_buffer_size = kBuffer;
    writer_ = std::make_unique<FileWriter>(std::make_unique<HeldFile>(&disk_), "/f", options);
    writer_->EnableWriteBehind();
  }
  void Append(size_t n) {
    const std::string piece = random_.RandomBinaryString(n);
    expected_ += piece;
    ASSERT_TRUE(writer_->Append(piece).ok());
  }

  HeldFile::Disk disk_;
  Random64 random_{4};
  std::string expected_;
  std::unique_ptr<FileWriter> writer_;
};

TEST_F(WriteBehindTest, TheNextBufferIsFilledWhileOneIsWritten) {
  const auto write = [this] {
    Append(kBuffer);
    Append(kBuffer / 2);
    disk_.begun.acquire();  // of the first, which is held
    Append(kBuffer / 2);
    EXPECT_EQ(writer_->flushed_size(), expected_.size() - 2 * kBuffer);
    disk_.permits.release(1000);
    for (int i = 0; i < 40; ++i) Append(1 + random_.Uniform(3 * kBuffer));
    ASSERT_TRUE(writer_->Flush().ok());
    EXPECT_EQ(writer_->flushed_size(), expected_.size());
    EXPECT_EQ(disk_.contents.substr(0, expected_.size()), expected_);
    disk_.permits.release(1000);
    Append(kBuffer);
  };
  write();
  ASSERT_TRUE(writer_->Sync(false).ok());
  Append(3 * kBuffer + 5);
  ASSERT_TRUE(writer_->Close().ok());
  EXPECT_EQ(disk_.contents, expected_);
}

TEST_F(WriteBehindTest, AnErrorStaysAndIsTold) {
  disk_.answer = IOStatus::NoSpace();
  disk_.permits.release(1000);
  Append(kBuffer);
  Append(kBuffer);
  IOStatus s = writer_->Append(std::string(2 * kBuffer, 'x'));
  EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
  EXPECT_TRUE(writer_->seen_error());
  EXPECT_TRUE(writer_->Flush().IsNoSpace());
  EXPECT_TRUE(writer_->Close().IsNoSpace());
  EXPECT_TRUE(disk_.closed);
}

TEST_F(WriteBehindTest, TheLastWritesErrorIsTheClosesError) {
  disk_.answer = IOStatus::IOError("held");
  disk_.permits.release(1000);
  Append(kBuffer);
  Append(1);  // now the first is on its way
  EXPECT_TRUE(writer_->Close().IsIOError());
}

TEST_F(WriteBehindTest, AbandonWaitsForWhatIsUnderWay) {
  Append(kBuffer);
  Append(1);
  disk_.begun.acquire();
  fiber::Thread release("release", [this] { disk_.permits.release(1000); });
  writer_->Abandon();
  EXPECT_TRUE(disk_.closed);
}

}  // namespace
}  // namespace cairn
