// What is Windows' own in the default file system: sharing, long paths, names, locks of files.
#include <errno.h>
#include <gtest/gtest.h>
#include <windows.h>
// After windows.h, whose types it needs.
#include <winioctl.h>
// Names of methods in headers that another file of the same batch may have included before.
#undef DeleteFile
#undef GetFreeSpace

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fiber/io.h"
#include "fs/fiber_file_system.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

class WindowsFileSystemTest : public ::testing::Test {
 protected:
  std::string Read(const std::string& name) {
    std::string text;
    const IOStatus s = ReadFileToString(fs_.get(), name, &text);
    return s.ok() ? text : s.ToString();
  }

  const std::shared_ptr<FileSystem> fs_ = NewFiberFileSystem();
  testing::TempDir dir_{fs_.get(), "windows"};
};

TEST_F(WindowsFileSystemTest, AnOpenFileIsDeletedRenamedAndReplaced) {
  const std::string name = dir_.File("a"), other = dir_.File("b");
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "first", name).ok());
  std::unique_ptr<FSRandomAccessFile> open;
  ASSERT_TRUE(fs_->NewRandomAccessFile(name, FileOptions(), &open, nullptr).ok());
  ASSERT_TRUE(fs_->RenameFile(name, other, IOOptions(), nullptr).ok());
  EXPECT_TRUE(fs_->FileExists(name, IOOptions(), nullptr).IsNotFound());
  char scratch[16];
  Slice result;
  ASSERT_TRUE(open->Read(0, 16, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("first", result.ToString());
  ASSERT_TRUE(fs_->DeleteFile(other, IOOptions(), nullptr).ok());
  ASSERT_TRUE(open->Read(0, 16, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("first", result.ToString());
  open.reset();
  EXPECT_TRUE(fs_->FileExists(other, IOOptions(), nullptr).IsNotFound());
  EXPECT_TRUE(fs_->DeleteFile(other, IOOptions(), nullptr).IsPathNotFound());
}

TEST_F(WindowsFileSystemTest, NamesInAnyLanguageComeBackAsTheyWere) {
  const std::vector<std::string> names = {"\xc3\xa4\xc3\xb6", "\xe6\x97\xa5\xe6\x9c\xac",
                                          "\xf0\x9f\x98\x80", "a b"};
  for (const std::string& name : names) {
    ASSERT_TRUE(WriteStringToFile(fs_.get(), name, dir_.File(name)).ok()) << name;
  }
  std::vector<std::string> found;
  ASSERT_TRUE(fs_->GetChildren(dir_.path(), IOOptions(), &found, nullptr).ok());
  std::sort(found.begin(), found.end());
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, found);
  for (const std::string& name : names) EXPECT_EQ(name, Read(dir_.File(name)));
}

TEST_F(WindowsFileSystemTest, PathsMayBeLongAndHaveEitherSeparator) {
  std::string path = dir_.path();
  std::vector<std::string> made;
  for (int i = 0; i < 4; ++i) {
    path += (i % 2 == 0 ? "\\" : "/") + std::string(100, 'd');
    ASSERT_TRUE(fs_->CreateDirIfMissing(path, IOOptions(), nullptr).ok());
  }
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "deep", path + "\\.\\x\\../file").ok());
  EXPECT_EQ("deep", Read(path + "/file"));
  std::string absolute;
  ASSERT_TRUE(fs_->GetAbsolutePath(path + "/file", IOOptions(), &absolute, nullptr).ok());
  EXPECT_EQ("deep", Read(absolute));
  uint64_t free = 0;
  ASSERT_TRUE(fs_->GetFreeSpace(path, IOOptions(), &free, nullptr).ok());
  EXPECT_GT(free, 0u);
}

TEST_F(WindowsFileSystemTest, NamesThatNoFileCanHaveAreToldClearly) {
  for (const std::string& name : {dir_.File("CON"), dir_.File("a\xff"), dir_.File("x?"),
                                  dir_.File("nul.sst"), dir_.File(std::string(300, 'x'))}) {
    std::unique_ptr<FSWritableFile> file;
    const IOStatus s = fs_->NewWritableFile(name, FileOptions(), &file, nullptr);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(name)) << s.ToString();
    EXPECT_TRUE(fs_->CreateDir(name, IOOptions(), nullptr).IsInvalidArgument());
    EXPECT_TRUE(fs_->RenameFile(dir_.File("a"), name, IOOptions(), nullptr).IsInvalidArgument());
  }
  std::vector<std::string> found;
  ASSERT_TRUE(fs_->GetChildren(dir_.path(), IOOptions(), &found, nullptr).ok());
  EXPECT_TRUE(found.empty());
}

TEST_F(WindowsFileSystemTest, ALockExcludesOtherHandlesAndSpellings) {
  const std::string name = dir_.File("LOCK");
  FileLock* lock = nullptr;
  FileLock* other = nullptr;
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &lock, nullptr).ok());
  EXPECT_FALSE(fs_->LockFile(dir_.path() + "\\lock", IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(fs_->LinkFile(name, dir_.File("hard"), IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_->LockFile(dir_.File("hard"), IOOptions(), &other, nullptr).ok());
  // As another process would have it: through a handle of its own.
  const int fd = fiber::io::open(name.c_str(), fiber::io::kReadWrite);
  ASSERT_GE(fd, 0);
  EXPECT_LT(fiber::io::lock_file(fd), 0);
  ASSERT_TRUE(fs_->UnlockFile(lock, IOOptions(), nullptr).ok());
  EXPECT_EQ(0, fiber::io::lock_file(fd));
  EXPECT_FALSE(fs_->LockFile(name, IOOptions(), &other, nullptr).ok());
  fiber::io::close(fd);
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &other, nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(other, IOOptions(), nullptr).ok());
}

// One who does not share, as some scanners do, for ever.
TEST_F(WindowsFileSystemTest, AFileThatAnotherDoesNotShareIsAnErrorThatNamesIt) {
  const std::string name = dir_.File("a");
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "x", name).ok());
  const HANDLE hoarder = CreateFileA(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr,
                                     OPEN_EXISTING, 0, nullptr);
  ASSERT_NE(INVALID_HANDLE_VALUE, hoarder);
  const IOStatus deleted = fs_->DeleteFile(name, IOOptions(), nullptr);
  EXPECT_TRUE(deleted.IsIOError()) << deleted.ToString();
  EXPECT_NE(std::string::npos, deleted.ToString().find(name));
  EXPECT_TRUE(fs_->RenameFile(name, dir_.File("b"), IOOptions(), nullptr).IsIOError());
  CloseHandle(hoarder);
  EXPECT_TRUE(fs_->DeleteFile(name, IOOptions(), nullptr).ok());
}

TEST_F(WindowsFileSystemTest, FilesAreTheSameByTheirIdentity) {
  const std::string name = dir_.File("a");
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "x", name).ok());
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "x", dir_.File("c")).ok());
  ASSERT_TRUE(fs_->LinkFile(name, dir_.File("b"), IOOptions(), nullptr).ok());
  bool same = false;
  uint64_t links = 0;
  ASSERT_TRUE(fs_->AreFilesSame(name, dir_.path() + "\\B", IOOptions(), &same, nullptr).ok() ||
              fs_->AreFilesSame(name, dir_.File("b"), IOOptions(), &same, nullptr).ok());
  EXPECT_TRUE(same);
  ASSERT_TRUE(fs_->AreFilesSame(name, dir_.File("c"), IOOptions(), &same, nullptr).ok());
  EXPECT_FALSE(same);
  ASSERT_TRUE(fs_->NumFileLinks(name, IOOptions(), &links, nullptr).ok());
  EXPECT_EQ(2u, links);
}

TEST_F(WindowsFileSystemTest, OffsetsHave64Bits) {
  const std::string name = dir_.File("a");
  const int fd = fiber::io::open(name.c_str(), fiber::io::kReadWrite | fiber::io::kCreate);
  ASSERT_GE(fd, 0);
  // Else five gigabytes of zeros would be written.
  DWORD bytes = 0;
  OVERLAPPED wait = {};
  wait.hEvent = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  HANDLE file = fiber::io::native_handle(fd);
  if (!DeviceIoControl(file, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &bytes, &wait)) {
    (void)GetOverlappedResult(file, &wait, &bytes, TRUE);
  }
  CloseHandle(wait.hEvent);
  constexpr uint64_t kFar = uint64_t{5} << 30;
  ASSERT_EQ(0, fiber::io::set_size(fd, kFar));
  fiber::io::FileStatus status;
  ASSERT_EQ(0, fiber::io::file_status(fd, &status));
  EXPECT_EQ(kFar, static_cast<uint64_t>(status.st_size));
  ASSERT_EQ(3, fiber::io::pwrite(fd, "end", 3, kFar - 3));
  fiber::io::close(fd);
  std::unique_ptr<FSRandomAccessFile> open;
  ASSERT_TRUE(fs_->NewRandomAccessFile(name, FileOptions(), &open, nullptr).ok());
  char scratch[16];
  Slice result;
  ASSERT_TRUE(open->Read(kFar - 3, 16, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("end", result.ToString());
}

TEST_F(WindowsFileSystemTest, UnbufferedFilesWriteAndReadTheSameBytes) {
  const std::string name = dir_.File("a");
  FileOptions options;
  options.use_direct_writes = options.use_direct_reads = true;
  options.writable_file_max_buffer_size = 8192;
  std::unique_ptr<FileWriter> writer;
  ASSERT_TRUE(FileWriter::Open(fs_.get(), name, options, &writer).ok());
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string piece = "piece" + std::to_string(i);
    ASSERT_TRUE(writer->Append(piece).ok());
    expected += piece;
    if (i % 1000 == 0) {
      ASSERT_TRUE(writer->Sync(false).ok());
    }
  }
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(expected, Read(name));
  std::unique_ptr<RandomAccessFileReader> reader;
  ASSERT_TRUE(RandomAccessFileReader::Open(fs_.get(), name, options, &reader).ok());
  EXPECT_TRUE(reader->use_direct_io());
  std::string scratch(10000, '\0');
  for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, uint64_t{4095}, uint64_t{5000},
                                uint64_t{expected.size() - 10}, uint64_t{expected.size() + 9}}) {
    Slice result;
    ASSERT_TRUE(reader->Read(IOOptions(), offset, 6000, &result, scratch.data()).ok());
    EXPECT_EQ(offset < expected.size() ? expected.substr(offset, 6000) : "", result.ToString());
  }
}

TEST_F(WindowsFileSystemTest, ADirectoryIsSynced) {
  std::unique_ptr<FSDirectory> directory;
  ASSERT_TRUE(fs_->NewDirectory(dir_.path(), IOOptions(), &directory, nullptr).ok());
  const IOStatus s = directory->Fsync(IOOptions(), nullptr);
  EXPECT_TRUE(s.ok()) << s.ToString();
}

}  // namespace
}  // namespace cairn
