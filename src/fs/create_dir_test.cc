// CreateDirDurably: a directory that is there when it returns is there after a power cut, in file
// systems of all kinds.
#include <errno.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/fault_injection.h"
#include "fs/fiber_file_system.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

bool Exists(FileSystem* fs, const std::string& path) {
  return fs->FileExists(path, IOOptions(), nullptr).ok();
}

TEST(CreateDir, ItsNameAndThoseOfItsNewParentsLast) {
  MemoryFileSystem fs;
  for (const char* path : {"/a", "/b/c/d", "/b/c/e/", "/b//f"}) {
    ASSERT_TRUE(CreateDirDurably(&fs, path).ok()) << path;
    fs.DropUnsynced();
    EXPECT_TRUE(Exists(&fs, path)) << path;
  }
}

// Its maker was killed before it synced the name.
TEST(CreateDir, AnEmptyOneMayHaveNoNameThatLasts) {
  MemoryFileSystem fs;
  ASSERT_TRUE(fs.CreateDir("/a", IOOptions(), nullptr).ok());
  ASSERT_TRUE(CreateDirDurably(&fs, "/a").ok());
  fs.DropUnsynced();
  EXPECT_TRUE(Exists(&fs, "/a"));
  // In one that has files nothing is to be done, and nothing is.
  ASSERT_TRUE(WriteStringToFile(&fs, "x", "/a/x").ok());
  ASSERT_TRUE(fs.CreateDir("/b", IOOptions(), nullptr).ok());
  ASSERT_TRUE(CreateDirDurably(&fs, "/a").ok());
  fs.DropUnsynced();
  EXPECT_FALSE(Exists(&fs, "/b"));
}

TEST(CreateDir, AFileOfThatNameIsAnError) {
  MemoryFileSystem fs;
  ASSERT_TRUE(WriteStringToFile(&fs, "x", "/a").ok());
  EXPECT_FALSE(CreateDirDurably(&fs, "/a").ok());
  EXPECT_FALSE(CreateDirDurably(&fs, "/a/b").ok());
}

TEST(CreateDir, ParentsByTheirPaths) {
  for (const auto& [path, parent] :
       std::vector<std::pair<std::string, std::string>>{{"/a/b", "/a"},
                                                        {"/a/b/", "/a"},
                                                        {"/a//b", "/a"},
                                                        {"/a", "/"},
                                                        {"///a", "/"},
                                                        {"/", "/"},
                                                        {"a/b", "a"},
                                                        {"a", "."},
                                                        {"a/", "."},
                                                        {"./a", "."},
                                                        {"", "."}}) {
    EXPECT_EQ(ParentOf(path), parent) << path;
  }
}

// Whoever cannot, or may not, sync a parent makes directories as before; a failure is one.
class StubbornFileSystem : public FileSystemWrapper {
 public:
  explicit StubbornFileSystem(IOStatus error)
      : FileSystemWrapper(std::make_shared<MemoryFileSystem>()), error_(std::move(error)) {}
  const char* Name() const override { return "StubbornFileSystem"; }
  IOStatus NewDirectory(const std::string& /*name*/, const IOOptions& /*options*/,
                        std::unique_ptr<FSDirectory>* /*result*/,
                        IODebugContext* /*dbg*/) override {
    return error_;
  }

 private:
  const IOStatus error_;
};

TEST(CreateDir, AParentThatCannotBeSyncedIsLeftToOthers) {
  for (const int err : {EACCES, EPERM, EROFS, EINVAL, ENOENT}) {
    StubbornFileSystem fs(IOErrorFromErrno("While open directory", "/", err));
    EXPECT_TRUE(CreateDirDurably(&fs, "/a").ok()) << err;
    EXPECT_TRUE(Exists(&fs, "/a")) << err;
  }
  StubbornFileSystem no_directories(IOStatus::NotSupported("directories"));
  EXPECT_TRUE(CreateDirDurably(&no_directories, "/a").ok());
  for (const int err : {EIO, EMFILE, ENOSPC}) {
    StubbornFileSystem fs(IOErrorFromErrno("While open directory", "/", err));
    EXPECT_FALSE(CreateDirDurably(&fs, "/a").ok()) << err;
  }
}

TEST(CreateDir, OnTheLocalDisk) {
  const std::shared_ptr<FileSystem> fs = FileSystem::Default();
  const testing::TempDir dir(fs.get());
  const std::string path = dir.File("made");
  for (int i = 0; i < 2; ++i) {
    const IOStatus s = CreateDirDurably(fs.get(), path);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_TRUE(Exists(fs.get(), path));
  }
  EXPECT_FALSE(CreateDirDurably(fs.get(), dir.File("no/parents/are/made")).ok());
  fault::FaultInjectionFileSystem faults(fs);
  ASSERT_TRUE(faults.CreateDir(dir.File("lost"), IOOptions(), nullptr).ok());
  ASSERT_TRUE(CreateDirDurably(&faults, dir.File("kept")).ok());
  ASSERT_TRUE(faults.CreateDir(dir.File("lost too"), IOOptions(), nullptr).ok());
  ASSERT_TRUE(faults.DropUnsynced().ok());
  EXPECT_TRUE(Exists(fs.get(), dir.File("kept")));
  EXPECT_FALSE(Exists(fs.get(), dir.File("lost too")));
}

}  // namespace
}  // namespace cairn
