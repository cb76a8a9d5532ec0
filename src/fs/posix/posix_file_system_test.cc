#include "fs/fiber_file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fiber/io.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

class PosixFileSystemTest : public ::testing::Test {
 protected:
  const std::shared_ptr<FileSystem> fs_ = NewFiberFileSystem();
  testing::TempDir dir_{fs_.get(), "posix"};
};

TEST_F(PosixFileSystemTest, ErrnosMapToStatuses) {
  EXPECT_TRUE(IOErrorFromErrno("writing", "f", ENOSPC).IsNoSpace());
  EXPECT_EQ("IO error: No space left on device: writing: f: No space left on device",
            IOErrorFromErrno("writing", "f", ENOSPC).ToString());
  EXPECT_TRUE(IOErrorFromErrno("opening", "f", ENOENT).IsPathNotFound());
  EXPECT_TRUE(IOErrorFromErrno("opening", "f", EACCES).IsIOError());
  EXPECT_EQ("IO error: opening: f: Permission denied",
            IOErrorFromErrno("opening", "f", EACCES).ToString());
}

TEST_F(PosixFileSystemTest, AnAsynchronousReadReportsItsError) {
  std::unique_ptr<FSRandomAccessFile> file;
  ASSERT_TRUE(fs_->NewRandomAccessFile(dir_.path(), FileOptions(), &file, nullptr).ok());
  char scratch[16];
  FSReadRequest req;
  req.offset = 32;
  req.len = sizeof(scratch);
  req.scratch = scratch;
  void* handle = nullptr;
  IOHandleDeleter deleter;
  std::string status;
  const auto callback = [](FSReadRequest& done, void* arg) {
    *static_cast<std::string*>(arg) = done.status.ToString();
  };
  ASSERT_TRUE(
      file->ReadAsync(req, IOOptions(), callback, &status, &handle, &deleter, nullptr).ok());
  std::vector<void*> handles = {nullptr, handle};
  ASSERT_TRUE(fs_->Poll(handles, 2).ok());
  EXPECT_EQ("IO error: While pread offset 32 len 16: " + dir_.path() + ": Is a directory", status);
  deleter(handle);
}

TEST_F(PosixFileSystemTest, ALockExcludesAnotherProcess) {
  const std::string name = dir_.File("LOCK");
  int ready[2];
  int done[2];
  ASSERT_EQ(0, pipe(ready));
  ASSERT_EQ(0, pipe(done));
  // style: a second process is what this test is about
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Only system calls here: the parent's other threads do not exist in this process.
    const int fd = fiber::io::open(name.c_str(), O_RDWR | O_CREAT, 0644);
    char c = fiber::io::lock_file(fd) >= 0 ? 'y' : 'n';
    (void)fiber::io::write(ready[1], &c, 1);
    (void)fiber::io::read(done[0], &c, 1);
    _exit(0);
  }
  char c = 0;
  ASSERT_EQ(1, fiber::io::read(ready[0], &c, 1));
  ASSERT_EQ('y', c);
  FileLock* lock = nullptr;
  const IOStatus s = fs_->LockFile(name, IOOptions(), &lock, nullptr);
  EXPECT_EQ("IO error: While lock file: " + name + ": Resource temporarily unavailable",
            s.ToString());
  ASSERT_EQ(1, fiber::io::write(done[1], &c, 1));
  int status;
  // style: a second process is what this test is about
  ASSERT_EQ(child, waitpid(child, &status, 0));
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
  for (int fd : {ready[0], ready[1], done[0], done[1]}) fiber::io::close(fd);
}

TEST_F(PosixFileSystemTest, ALockIsSeenThroughAnotherNameOfTheFile) {
  const std::string name = dir_.File("LOCK");
  FileLock* lock = nullptr;
  FileLock* other = nullptr;
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  ASSERT_EQ(0, symlink(dir_.path().c_str(), (dir_.path() + "-link").c_str()));
  EXPECT_FALSE(fs_->LockFile(dir_.path() + "-link/LOCK", IOOptions(), &other, nullptr).ok());
  EXPECT_FALSE(
      NewFiberFileSystem()->LockFile(dir_.path() + "//LOCK", IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(fs_->DeleteFile(dir_.path() + "-link", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
}

TEST_F(PosixFileSystemTest, ALockOutlivesItsFile) {
  const std::string name = dir_.File("LOCK");
  FileLock* lock = nullptr;
  FileLock* other = nullptr;
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  ASSERT_TRUE(fs_->DeleteFile(name, IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_->LockFile(name, IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "", name).ok());
  EXPECT_FALSE(fs_->LockFile(name, IOOptions(), &other, nullptr).ok());
  // Also where another directory has come under the name, and where its own has another name.
  const std::string moved = dir_.path() + "-moved";
  ASSERT_TRUE(fs_->RenameFile(dir_.path(), moved, IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_->LockFile(moved + "/LOCK", IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(fs_->CreateDir(dir_.path(), IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_->LockFile(name, IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  ASSERT_TRUE(fs_->LockFile(moved + "/LOCK", IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(other, IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->DeleteFile(moved + "/LOCK", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->DeleteDir(moved, IOOptions(), nullptr).ok());
}

TEST_F(PosixFileSystemTest, AnotherNameOfALockedFileIsLocked) {
  const std::string name = dir_.File("LOCK");
  const std::string hard = dir_.File("hard");
  FileLock* lock = nullptr;
  FileLock* other = nullptr;
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  ASSERT_TRUE(fs_->LinkFile(name, hard, IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_->LockFile(hard, IOOptions(), &other, nullptr).ok());
  ASSERT_EQ(0, symlink(name.c_str(), dir_.File("soft").c_str()));
  EXPECT_FALSE(fs_->LockFile(dir_.File("soft"), IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
}

// With POSIX's locks any close of the file in the process frees it. RocksDB asks for one.
TEST_F(PosixFileSystemTest, ALockOutlivesACloseOfItsFileAndExcludesBothKinds) {
  const std::string name = dir_.File("LOCK");
  FileLock* lock = nullptr;
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  std::string text;
  ASSERT_TRUE(ReadFileToString(fs_.get(), name, &text).ok());
  // style: a second process is what this test is about
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // style: the very system calls, as another program makes them
    const int fd = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
    struct flock wanted = {};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    int got = fd < 0 ? 4 : 0;
    if (::fcntl(fd, F_SETLK, &wanted) == 0) got |= 1;      // style: what another program calls
    if (::fcntl(fd, F_OFD_SETLK, &wanted) == 0) got |= 2;  // style: what another program calls
    _exit(got);
  }
  int status = 0;
  // style: a second process is what this test is about
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_EQ(0, WEXITSTATUS(status)) << "1: POSIX's lock was given, 2: an open file's";
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
}

TEST_F(PosixFileSystemTest, ALockIsRefusedWhileAnotherProcessHasPosixsKind) {
  const std::string name = dir_.File("LOCK");
  int ready[2];
  int done[2];
  ASSERT_EQ(0, pipe(ready));
  ASSERT_EQ(0, pipe(done));
  // style: a second process is what this test is about
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // style: the very system calls, as RocksDB makes them
    const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    struct flock wanted = {};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    char c = ::fcntl(fd, F_SETLK, &wanted) == 0 ? 'y' : 'n';  // style: what RocksDB calls
    (void)fiber::io::write(ready[1], &c, 1);
    (void)fiber::io::read(done[0], &c, 1);
    _exit(0);
  }
  char c = 0;
  ASSERT_EQ(1, fiber::io::read(ready[0], &c, 1));
  ASSERT_EQ('y', c);
  FileLock* lock = nullptr;
  EXPECT_FALSE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  ASSERT_EQ(1, fiber::io::write(done[1], &c, 1));
  int status;
  // style: a second process is what this test is about
  ASSERT_EQ(child, waitpid(child, &status, 0));
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
  for (int fd : {ready[0], ready[1], done[0], done[1]}) fiber::io::close(fd);
}

TEST_F(PosixFileSystemTest, AReadOnlyDirectoryIsToldClearly) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  ASSERT_EQ(0, chmod(dir_.path().c_str(), 0555));
  std::unique_ptr<FSWritableFile> file;
  const IOStatus s = fs_->NewWritableFile(dir_.File("a"), FileOptions(), &file, nullptr);
  EXPECT_TRUE(s.IsIOError());
  EXPECT_NE(std::string::npos, s.ToString().find(dir_.File("a") + ": Permission denied"))
      << s.ToString();
  ASSERT_EQ(0, chmod(dir_.path().c_str(), 0755));
}

TEST_F(PosixFileSystemTest, AFullDiskIsNoSpace) {
  FileOptions options;
  std::unique_ptr<FSWritableFile> file;
  if (!fs_->NewWritableFile("/dev/full", options, &file, nullptr).ok()) {
    GTEST_SKIP() << "no /dev/full";
  }
  const IOStatus s = file->Append("x", IOOptions(), nullptr);
  EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("/dev/full")) << s.ToString();
}

TEST_F(PosixFileSystemTest, PreallocatedSpaceIsGivenBackAtClose) {
  const std::string name = dir_.File("a");
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile(name, FileOptions(), &file, nullptr).ok());
  file->SetPreallocationBlockSize(1 << 20);
  auto writer = std::make_unique<FileWriter>(std::move(file), name, FileOptions());
  ASSERT_TRUE(writer->Append("abc").ok());
  ASSERT_TRUE(writer->Flush().ok());
  struct stat st;
  ASSERT_EQ(0, fiber::io::stat(name.c_str(), &st));
  EXPECT_EQ(3, st.st_size);
  const auto allocated = st.st_blocks;
  ASSERT_TRUE(writer->Close().ok());
  ASSERT_EQ(0, fiber::io::stat(name.c_str(), &st));
  EXPECT_EQ(3, st.st_size);
  if (allocated * 512 >= 1 << 20) {
    EXPECT_LT(st.st_blocks, allocated);
  }
}

TEST_F(PosixFileSystemTest, DirectIoWritesAndReadsTheSameBytes) {
  const std::string name = dir_.File("a");
  FileOptions options;
  options.use_direct_writes = options.use_direct_reads = true;
  options.writable_file_max_buffer_size = 8192;
  std::unique_ptr<FileWriter> writer;
  IOStatus s = FileWriter::Open(fs_.get(), name, options, &writer);
  if (s.IsInvalidArgument()) GTEST_SKIP() << s.ToString();
  ASSERT_TRUE(s.ok()) << s.ToString();
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string piece = "piece" + std::to_string(i);
    ASSERT_TRUE(writer->Append(piece).ok());
    expected += piece;
    if (i % 500 == 0) {
      ASSERT_TRUE(writer->Flush().ok());
      ASSERT_TRUE(writer->Sync(false).ok());
    }
  }
  const std::string big(30000, 'b');
  ASSERT_TRUE(writer->Append(big).ok());
  expected += big + "end";
  ASSERT_TRUE(writer->Append("end").ok());
  EXPECT_EQ(expected.size(), writer->file_size());
  ASSERT_TRUE(writer->Close().ok());

  std::string got;
  ASSERT_TRUE(ReadFileToString(fs_.get(), name, &got).ok());
  EXPECT_EQ(expected, got);

  std::unique_ptr<RandomAccessFileReader> reader;
  ASSERT_TRUE(RandomAccessFileReader::Open(fs_.get(), name, options, &reader).ok());
  EXPECT_TRUE(reader->use_direct_io());
  std::string scratch(10000, '\0');
  for (uint64_t offset : {uint64_t{0}, uint64_t{1}, uint64_t{4095}, uint64_t{4096}, uint64_t{5000},
                          expected.size() - 10, expected.size(), expected.size() + 9999}) {
    Slice result;
    ASSERT_TRUE(reader->Read(IOOptions(), offset, 6000, &result, scratch.data()).ok());
    EXPECT_EQ(offset < expected.size() ? expected.substr(offset, 6000) : "", result.ToString());
  }
  std::unique_ptr<SequentialFileReader> sequential;
  ASSERT_TRUE(SequentialFileReader::Open(fs_.get(), name, options, &sequential).ok());
  std::string all;
  Slice piece;
  do {
    ASSERT_TRUE(sequential->Read(777, &piece, scratch.data()).ok());
    all.append(piece.data(), piece.size());
  } while (!piece.empty());
  EXPECT_EQ(expected, all);
}

TEST(PosixErrors, WhatPassesIsRetryable) {
  for (const int err : {EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, ENOSPC, EDQUOT}) {
    EXPECT_TRUE(IOErrorFromErrno("while", "file", err).GetRetryable()) << err;
  }
  for (const int err : {EIO, ENOENT, EROFS, ESTALE}) {
    EXPECT_FALSE(IOErrorFromErrno("while", "file", err).GetRetryable()) << err;
  }
  EXPECT_TRUE(IOErrorFromErrno("while", "file", EDQUOT).IsNoSpace());
  EXPECT_TRUE(IOErrorFromErrno("while", "file", EMFILE).IsIOError());
}

}  // namespace
}  // namespace cairn
