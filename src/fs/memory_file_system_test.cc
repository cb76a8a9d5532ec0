#include "fs/memory_file_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fs/file_util.h"

namespace cairn {
namespace {

class PowerCutTest : public ::testing::Test {
 protected:
  PowerCutTest() { EXPECT_TRUE(CreateDirDurably(&fs_, "/db").ok()); }

  std::unique_ptr<FSWritableFile> Create(const std::string& name) {
    std::unique_ptr<FSWritableFile> file;
    EXPECT_TRUE(fs_.NewWritableFile(name, FileOptions(), &file, nullptr).ok());
    return file;
  }
  void Append(FSWritableFile* file, const std::string& data) {
    EXPECT_TRUE(file->Append(data, IOOptions(), nullptr).ok());
  }
  void Sync(FSWritableFile* file) { EXPECT_TRUE(file->Sync(IOOptions(), nullptr).ok()); }
  void SyncDir() {
    std::unique_ptr<FSDirectory> dir;
    ASSERT_TRUE(fs_.NewDirectory("/db", IOOptions(), &dir, nullptr).ok());
    ASSERT_TRUE(dir->Fsync(IOOptions(), nullptr).ok());
  }
  std::string Read(const std::string& name) {
    std::string data;
    const IOStatus s = ReadFileToString(&fs_, name, &data);
    return s.ok() ? data : "(none)";
  }

  MemoryFileSystem fs_;
};

TEST_F(PowerCutTest, UnsyncedBytesAreLost) {
  auto file = Create("/db/a");
  SyncDir();
  Append(file.get(), "synced");
  Sync(file.get());
  Append(file.get(), "lost");
  EXPECT_EQ(4u, fs_.UnsyncedBytes());
  EXPECT_EQ("syncedlost", Read("/db/a"));
  fs_.DropUnsynced();
  EXPECT_EQ("synced", Read("/db/a"));
  EXPECT_EQ(0u, fs_.UnsyncedBytes());
}

TEST_F(PowerCutTest, UnsyncedNamesAreLostEvenIfTheirBytesWereSynced) {
  auto file = Create("/db/a");
  Append(file.get(), "bytes");
  Sync(file.get());
  EXPECT_EQ(1u, fs_.UnsyncedDirectoryOperations());
  fs_.DropUnsynced();
  EXPECT_EQ("(none)", Read("/db/a"));
}

TEST_F(PowerCutTest, ADurableNameOfUnsyncedBytesIsAnEmptyFile) {
  auto file = Create("/db/a");
  Append(file.get(), "bytes");
  SyncDir();
  fs_.DropUnsynced();
  EXPECT_EQ("", Read("/db/a"));
}

TEST_F(PowerCutTest, RenamesAndDeletionsAreUndoneUnlessTheDirectoryWasSynced) {
  ASSERT_TRUE(WriteStringToFile(&fs_, "old", "/db/CURRENT", true).ok());
  ASSERT_TRUE(WriteStringToFile(&fs_, "victim", "/db/b", true).ok());
  SyncDir();
  ASSERT_TRUE(WriteStringToFile(&fs_, "new", "/db/tmp", true).ok());
  ASSERT_TRUE(fs_.RenameFile("/db/tmp", "/db/CURRENT", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_.DeleteFile("/db/b", IOOptions(), nullptr).ok());
  EXPECT_EQ("new", Read("/db/CURRENT"));
  fs_.DropUnsynced();
  EXPECT_EQ("old", Read("/db/CURRENT"));
  EXPECT_EQ("victim", Read("/db/b"));
  EXPECT_EQ("(none)", Read("/db/tmp"));

  ASSERT_TRUE(WriteStringToFile(&fs_, "new", "/db/tmp", true).ok());
  ASSERT_TRUE(fs_.RenameFile("/db/tmp", "/db/CURRENT", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_.DeleteFile("/db/b", IOOptions(), nullptr).ok());
  SyncDir();
  fs_.DropUnsynced();
  EXPECT_EQ("new", Read("/db/CURRENT"));
  EXPECT_EQ("(none)", Read("/db/b"));
}

TEST_F(PowerCutTest, SetCurrentFileIsAtomicUnderAnyPartialSurvival) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_TRUE(SetCurrentFile(&fs_, "/db", 1, nullptr).ok());
    SyncDir();
    ASSERT_TRUE(SetCurrentFile(&fs_, "/db", 2, nullptr).ok());
    fs_.DropUnsyncedRandomly(seed);
    const std::string current = Read("/db/CURRENT");
    EXPECT_TRUE(current == "MANIFEST-000001\n" || current == "MANIFEST-000002\n") << current;
  }
}

TEST_F(PowerCutTest, PartialSurvivalKeepsWhatWasSyncedAndRepeatsWithItsSeed) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    std::string results[2];
    for (std::string& result : results) {
      MemoryFileSystem fs;
      ASSERT_TRUE(CreateDirDurably(&fs, "/db").ok());
      std::unique_ptr<FSWritableFile> file;
      ASSERT_TRUE(fs.NewWritableFile("/db/a", FileOptions(), &file, nullptr).ok());
      std::unique_ptr<FSDirectory> dir;
      ASSERT_TRUE(fs.NewDirectory("/db", IOOptions(), &dir, nullptr).ok());
      ASSERT_TRUE(dir->Fsync(IOOptions(), nullptr).ok());
      Append(file.get(), "durable");
      Sync(file.get());
      Append(file.get(), "0123456789");
      fs.DropUnsyncedRandomly(seed);
      ASSERT_TRUE(ReadFileToString(&fs, "/db/a", &result).ok());
      ASSERT_EQ("durable", result.substr(0, 7)) << "seed " << seed;
    }
    ASSERT_EQ(results[0], results[1]) << "seed " << seed;
    outcomes.insert(results[0]);
  }
  EXPECT_TRUE(outcomes.contains("durable"));
  EXPECT_TRUE(outcomes.contains("durable0123456789"));
  EXPECT_TRUE(outcomes.contains("durable0123"));
  EXPECT_GT(outcomes.size(), 10u);
}

TEST_F(PowerCutTest, OverwritesAndTruncationsAreLostToo) {
  ASSERT_TRUE(WriteStringToFile(&fs_, "0123456789", "/db/a", true).ok());
  SyncDir();
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_.ReopenWritableFile("/db/a", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->PositionedAppend("ABCD", 2, IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Truncate(8, IOOptions(), nullptr).ok());
  EXPECT_EQ("01ABCD67", Read("/db/a"));
  fs_.DropUnsynced();
  EXPECT_EQ("0123456789", Read("/db/a"));

  ASSERT_TRUE(fs_.ReopenWritableFile("/db/a", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->PositionedAppend("ABCD", 2, IOOptions(), nullptr).ok());
  Sync(file.get());
  fs_.DropUnsynced();
  EXPECT_EQ("01ABCD6789", Read("/db/a"));

  // Emptied by opening it anew, never synced.
  file = Create("/db/a");
  EXPECT_EQ("", Read("/db/a"));
  fs_.DropUnsynced();
  EXPECT_EQ("01ABCD6789", Read("/db/a"));
}

TEST_F(PowerCutTest, OpenFilesAreDeadAfterIt) {
  auto file = Create("/db/a");
  SyncDir();
  Append(file.get(), "x");
  Sync(file.get());
  std::unique_ptr<FSRandomAccessFile> reader;
  ASSERT_TRUE(fs_.NewRandomAccessFile("/db/a", FileOptions(), &reader, nullptr).ok());
  FileLock* lock = nullptr;
  ASSERT_TRUE(fs_.LockFile("/db/LOCK", IOOptions(), &lock, nullptr).ok());
  fs_.DropUnsynced();
  EXPECT_FALSE(file->Append("y", IOOptions(), nullptr).ok());
  EXPECT_FALSE(file->Sync(IOOptions(), nullptr).ok());
  EXPECT_FALSE(file->Close(IOOptions(), nullptr).ok());
  char scratch[4];
  Slice result;
  EXPECT_FALSE(reader->Read(0, 1, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("x", Read("/db/a"));
  // The lock went with the process that held it; giving it back late harms nobody.
  FileLock* second = nullptr;
  ASSERT_TRUE(fs_.LockFile("/db/LOCK", IOOptions(), &second, nullptr).ok());
  ASSERT_TRUE(fs_.UnlockFile(lock, IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_.LockFile("/db/LOCK", IOOptions(), &lock, nullptr).ok());
  ASSERT_TRUE(fs_.UnlockFile(second, IOOptions(), nullptr).ok());
}

TEST_F(PowerCutTest, ADirectoryIsLostWithAllInItUnlessItsNameWasSynced) {
  ASSERT_TRUE(fs_.CreateDirIfMissing("/db/made/deep", IOOptions(), nullptr).ok());
  for (const bool sync : {false, true}) {
    ASSERT_TRUE(fs_.CreateDirIfMissing("/db/made/deep", IOOptions(), nullptr).ok());
    ASSERT_TRUE(WriteStringToFile(&fs_, "synced", "/db/made/deep/a", true).ok());
    ASSERT_TRUE(SyncDirectoryAt(&fs_, "/db/made/deep").ok());
    ASSERT_TRUE(SyncDirectoryAt(&fs_, "/db/made").ok());
    if (sync) SyncDir();
    fs_.DropUnsynced();
    EXPECT_EQ(sync ? "synced" : "(none)", Read("/db/made/deep/a"));
    EXPECT_EQ(sync, fs_.FileExists("/db/made", IOOptions(), nullptr).ok());
  }
  // Renamed, and removed.
  ASSERT_TRUE(fs_.RenameFile("/db/made", "/db/renamed", IOOptions(), nullptr).ok());
  EXPECT_EQ("synced", Read("/db/renamed/deep/a"));
  EXPECT_EQ("(none)", Read("/db/made/deep/a"));
  fs_.DropUnsynced();
  EXPECT_EQ("synced", Read("/db/made/deep/a"));
  EXPECT_FALSE(fs_.FileExists("/db/renamed", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_.RenameFile("/db/made", "/db/renamed", IOOptions(), nullptr).ok());
  SyncDir();
  fs_.DropUnsynced();
  EXPECT_EQ("synced", Read("/db/renamed/deep/a"));
  EXPECT_FALSE(fs_.DeleteDir("/db/renamed/deep", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_.DeleteFile("/db/renamed/deep/a", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_.DeleteDir("/db/renamed/deep", IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_.FileExists("/db/renamed/deep", IOOptions(), nullptr).ok());
  fs_.DropUnsynced();
  EXPECT_EQ("synced", Read("/db/renamed/deep/a"));
}

// How often by what came before: the nth survives in part of the seeds.
TEST_F(PowerCutTest, DirectoriesSurviveInTheOrderOfTheirMaking) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    MemoryFileSystem fs;
    for (const char* dir : {"/a", "/b"}) {
      ASSERT_TRUE(fs.CreateDir(dir, IOOptions(), nullptr).ok());
    }
    fs.DropUnsyncedRandomly(seed);
    std::vector<std::string> names;
    ASSERT_TRUE(fs.GetChildren("/", IOOptions(), &names, nullptr).ok());
    std::string text;
    for (const std::string& name : names) text += name;
    outcomes.insert(text);
  }
  EXPECT_EQ(outcomes, (std::set<std::string>{"", "a", "ab"}));
}

TEST_F(PowerCutTest, FrozenUntilTheReboot) {
  auto file = Create("/db/a");
  Append(file.get(), "x");
  Sync(file.get());
  SyncDir();
  fs_.CrashAndFreeze();
  EXPECT_FALSE(file->Append("y", IOOptions(), nullptr).ok());
  EXPECT_FALSE(fs_.DeleteFile("/db/a", IOOptions(), nullptr).ok());
  std::unique_ptr<FSWritableFile> other;
  EXPECT_FALSE(fs_.NewWritableFile("/db/b", FileOptions(), &other, nullptr).ok());
  EXPECT_EQ("(none)", Read("/db/a"));
  fs_.DropUnsynced();
  EXPECT_EQ("x", Read("/db/a"));
  EXPECT_EQ("(none)", Read("/db/b"));
}

TEST_F(PowerCutTest, CorruptionReachesTheDisk) {
  ASSERT_TRUE(WriteStringToFile(&fs_, "abc", "/db/a", true).ok());
  SyncDir();
  ASSERT_TRUE(fs_.CorruptFile("/db/a", 1, 0x01).ok());
  EXPECT_EQ("acc", Read("/db/a"));
  ASSERT_TRUE(fs_.TruncateFile("/db/a", 2).ok());
  fs_.DropUnsynced();
  EXPECT_EQ("ac", Read("/db/a"));
  EXPECT_FALSE(fs_.CorruptFile("/db/a", 2, 1).ok());
}

TEST(MemoryFileSystem, UntrackedLosesNothing) {
  MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
  ASSERT_TRUE(WriteStringToFile(&fs, "abc", "/a").ok());
  fs.DropUnsynced();
  std::string data;
  ASSERT_TRUE(ReadFileToString(&fs, "/a", &data).ok());
  EXPECT_EQ("abc", data);
}

}  // namespace
}  // namespace cairn
