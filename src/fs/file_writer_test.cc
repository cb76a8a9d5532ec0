#include "fs/file_writer.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "fs/fault_file_system.h"
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
  const std::shared_ptr<FaultInjectionFileSystem> fs_ =
      std::make_shared<FaultInjectionFileSystem>(memory_);
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
  EXPECT_EQ(0u, fs_->OperationCount(kFaultAppend));
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(1u, fs_->OperationCount(kFaultAppend));
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(1u, fs_->OperationCount(kFaultAppend));
}

TEST_F(FileWriterTest, SyncMakesDurableAndFlushDoesNot) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("synced").ok());
  ASSERT_TRUE(writer->Sync(false).ok());
  EXPECT_EQ(0u, memory_->UnsyncedBytes());
  ASSERT_TRUE(writer->Sync(false).ok());
  EXPECT_EQ(1u, fs_->OperationCount(kFaultSync)) << "nothing was written in between";
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
  EXPECT_GE(fs_->OperationCount(kFaultSync), 40u);
  EXPECT_LE(fs_->OperationCount(kFaultSync), 64u);
}

TEST_F(FileWriterTest, AnErrorStays) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  fs_->FailNthOperation(1, kFaultAppend, IOStatus::IOError("injected", "once"));
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
  fs_->FailNthOperation(1, kFaultSync, IOStatus::IOError("fsync: /f", "Input/output error"));
  EXPECT_EQ("IO error: fsync: /f: Input/output error", writer->Sync(false).ToString());
  writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  fs_->FailNthOperation(1, kFaultSync, IOStatus::NoSpace());
  EXPECT_EQ("IO error: No space left on device: /f", writer->Sync(false).ToString());
}

TEST_F(FileWriterTest, AFailedSyncStays) {
  auto writer = Open();
  ASSERT_TRUE(writer->Append("abc").ok());
  fs_->FailNthOperation(1, kFaultSync, IOStatus::IOError("injected", "sync"));
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

}  // namespace
}  // namespace cairn
