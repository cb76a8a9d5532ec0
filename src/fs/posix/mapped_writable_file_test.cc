// Files that are written through mappings: their bytes, their sizes, and a disk that is full.
#include "fs/mapped_writable_file.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "fiber/runtime.h"
#include "fs/fiber_file_system.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

class MappedWritableFileTest : public ::testing::Test {
 protected:
  MappedWritableFileTest() { options_.use_mmap_writes = true; }
  std::unique_ptr<FSWritableFile> Open() {
    std::unique_ptr<FSWritableFile> file;
    const IOStatus s = fs_->NewWritableFile(path_, options_, &file, nullptr);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return file;
  }
  static void Append(FSWritableFile* file, const std::string& data) {
    const IOStatus s = file->Append(data, IOOptions(), nullptr);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  uint64_t FileSize() {
    uint64_t size = 0;
    EXPECT_TRUE(fs_->GetFileSize(path_, IOOptions(), &size, nullptr).ok());
    return size;
  }
  std::string Contents() {
    std::string data;
    EXPECT_TRUE(ReadFileToString(fs_.get(), path_, &data).ok());
    return data;
  }

  const std::shared_ptr<FileSystem> fs_ = NewFiberFileSystem();
  testing::TempDir dir_{fs_.get(), "mapped"};
  const std::string path_ = dir_.File("f");
  FileOptions options_;
};

TEST_F(MappedWritableFileTest, AppendsSyncsAndClosesInAnyOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random64 random(seed);
    options_.allow_fallocate = !random.OneIn(8);
    options_.fallocate_with_keep_size = random.OneIn(2);
    auto file = Open();
    EXPECT_FALSE(file->use_direct_io());
    EXPECT_FALSE(file->IsSyncThreadSafe());
    if (random.OneIn(2)) file->SetPreallocationBlockSize(300'000);
    std::string expected;
    for (int i = 0; i < 60; ++i) {
      const std::string piece =
          random.RandomBinaryString(random.Uniform(random.OneIn(15) ? 1'500'000 : 20'000));
      file->PrepareWrite(expected.size(), piece.size(), IOOptions(), nullptr);
      Append(file.get(), piece);
      expected += piece;
      ASSERT_EQ(file->GetFileSize(IOOptions(), nullptr), expected.size());
      switch (random.Uniform(12)) {
        case 0:
          ASSERT_TRUE(file->Sync(IOOptions(), nullptr).ok());
          if (options_.fallocate_with_keep_size) {
            ASSERT_EQ(FileSize(), expected.size());
          }
          break;
        case 1:
          ASSERT_TRUE(file->Fsync(IOOptions(), nullptr).ok());
          break;
        case 2:
          ASSERT_TRUE(file->RangeSync(0, expected.size(), IOOptions(), nullptr).ok());
          break;
        case 3:
          expected.resize(random.Uniform(expected.size() + 1));
          ASSERT_TRUE(file->Truncate(expected.size(), IOOptions(), nullptr).ok());
          break;
        case 4:
          ASSERT_TRUE(Contents().substr(0, expected.size()) == expected);
          break;
        default:
          break;
      }
    }
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
    file.reset();
    ASSERT_TRUE(Contents() == expected);
    // And goes on behind what is there.
    ASSERT_TRUE(fs_->ReopenWritableFile(path_, options_, &file, nullptr).ok());
    Append(file.get(), "more");
    file.reset();
    ASSERT_TRUE(Contents() == expected + "more");
  }
}

// The file is longer while it is written: that tells that it is.
TEST_F(MappedWritableFileTest, ItIsMappedByThreadsAndNotByFibers) {
  auto file = Open();
  Append(file.get(), "ten bytes.");
  EXPECT_GT(FileSize(), 10u);
  ASSERT_TRUE(file->Sync(IOOptions(), nullptr).ok());
  EXPECT_EQ(FileSize(), 10u);
  fiber::Runtime runtime;
  runtime.run([&] { Append(file.get(), " On a fiber."); });
  EXPECT_EQ(FileSize(), 22u);
  Append(file.get(), " And here.");
  EXPECT_GT(FileSize(), 32u);
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ(Contents(), "ten bytes. On a fiber. And here.");
  options_.allow_fallocate = false;
  file = Open();
  Append(file.get(), "plain");
  EXPECT_EQ(FileSize(), 5u);
}

TEST_F(MappedWritableFileTest, AFileWriterOverOneIsNeverDirect) {
  options_.use_direct_writes = true;  // mapping goes first, as in RocksDB
  std::unique_ptr<FileWriter> writer;
  ASSERT_TRUE(FileWriter::Open(fs_.get(), path_, options_, &writer).ok());
  EXPECT_FALSE(writer->use_direct_io());
  std::string expected;
  Random64 random(3);
  for (int i = 0; i < 100; ++i) {
    expected += random.RandomBinaryString(random.Uniform(100'000));
    ASSERT_TRUE(writer->Append(Slice(expected).ToString().substr(writer->file_size())).ok());
  }
  ASSERT_TRUE(writer->Sync(/*use_fsync=*/false).ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_TRUE(Contents() == expected);
}

// What a child does on a file system of 256 KiB. Exit status 0: all is as it must be.
int FillSmallDisk(FileSystem* fs, const std::string& dir) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
  if (mount("tmpfs", dir.c_str(), "tmpfs", 0, "size=256k") != 0) return 77;
  FileOptions options;
  options.use_mmap_writes = true;
  std::unique_ptr<FSWritableFile> file;
  if (!fs->NewWritableFile(dir + "/f", options, &file, nullptr).ok()) return 1;
  const std::string piece(10'000, 'x');
  uint64_t written = 0;
  IOStatus s;
  for (int i = 0; i < 100 && s.ok(); ++i) {
    s = file->Append(piece, IOOptions(), nullptr);
    if (s.ok()) written += piece.size();
  }
  // Nearly all of it was used, and the end is an error, not a signal.
  if (!s.IsNoSpace()) return 2;
  if (written < 230'000 || written > 256 << 10) return 3;
  if (!file->Close(IOOptions(), nullptr).ok()) return 4;
  std::string data;
  if (!ReadFileToString(fs, dir + "/f", &data).ok()) return 5;
  return data.compare(0, written, std::string(written, 'x')) == 0 ? 0 : 6;
}

TEST_F(MappedWritableFileTest, AFullDiskIsAnError) {
  const pid_t child = fork();  // style: a process of the test, with mounts of its own
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::unique_ptr<FileSystem> fs = NewFiberFileSystem();
    _exit(FillSmallDisk(fs.get(), dir_.path()));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);  // style: a process of the test
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no file system may be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace cairn
