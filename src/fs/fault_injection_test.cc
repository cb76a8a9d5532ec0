#include "cairn/fault_injection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fs/file_util.h"
#include "fs/memory_file_system.h"

namespace cairn {
namespace {

class FaultTest : public ::testing::Test {
 protected:
  IOStatus Write(const std::string& data, const std::string& name = "/f") {
    return WriteStringToFile(fs_.get(), data, name, true);
  }
  std::string Read(const std::string& name = "/f") {
    std::string data;
    const IOStatus s = ReadFileToString(fs_.get(), name, &data);
    return s.ok() ? data : s.ToString();
  }

  const std::shared_ptr<fault::FaultInjectionFileSystem> fs_ =
      std::make_shared<fault::FaultInjectionFileSystem>(std::make_shared<MemoryFileSystem>());
};

TEST_F(FaultTest, PassesOnWhatIsNotFaulted) {
  ASSERT_TRUE(Write("abc").ok());
  EXPECT_EQ("abc", Read());
  EXPECT_EQ(0, fs_->OpenWritableFiles());
  EXPECT_EQ(0, fs_->OpenReadableFiles());
}

TEST_F(FaultTest, InactiveRefusesChangesOnly) {
  ASSERT_TRUE(Write("abc").ok());
  fs_->SetFilesystemActive(false, IOStatus::IOError("off"));
  EXPECT_EQ("IO error: off", Write("def", "/g").ToString());
  EXPECT_EQ("IO error: off", fs_->DeleteFile("/f", IOOptions(), nullptr).ToString());
  EXPECT_EQ("abc", Read());
  fs_->Heal();
  ASSERT_TRUE(Write("def").ok());
}

TEST_F(FaultTest, TheNthOperationFails) {
  // Write = create, append, sync, close.
  for (uint64_t n = 1; n <= 4; ++n) {
    fs_->FailNthOperation(n, fault::kWrites, IOStatus::IOError("nth"));
    EXPECT_FALSE(Write("abc").ok()) << n;
    ASSERT_TRUE(Write("abc").ok()) << "only once";
  }
  fs_->FailNthOperation(1, fault::kRead, IOStatus::IOError("read"), 2);
  EXPECT_EQ("IO error: read", Read());
  EXPECT_EQ("IO error: read", Read());
  EXPECT_EQ("abc", Read());
}

TEST_F(FaultTest, AFullDiskTakesWhatFits) {
  fs_->SetFreeBytes(4);
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
  EXPECT_TRUE(file->Append("abc", IOOptions(), nullptr).ok());
  const IOStatus s = file->Append("def", IOOptions(), nullptr);
  EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("/f"));
  EXPECT_TRUE(file->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ("abcd", Read());
}

TEST_F(FaultTest, AReadOnlyDirectoryTakesNoNewNames) {
  ASSERT_TRUE(Write("abc").ok());
  fs_->SetReadOnly(true);
  EXPECT_EQ("IO error: While changing a read-only directory: /g: Permission denied",
            Write("x", "/g").ToString());
  EXPECT_FALSE(fs_->RenameFile("/f", "/g", IOOptions(), nullptr).ok());
  EXPECT_EQ("abc", Read());
}

TEST_F(FaultTest, FlippedBitsAreSeenByReadersOnly) {
  ASSERT_TRUE(Write("0123456789").ok());
  fs_->FlipBits("/f", 3, 0x01);
  EXPECT_EQ("0122456789", Read());
  std::unique_ptr<FSRandomAccessFile> file;
  ASSERT_TRUE(fs_->NewRandomAccessFile("/f", FileOptions(), &file, nullptr).ok());
  char scratch[8];
  Slice result;
  ASSERT_TRUE(file->Read(2, 3, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("224", result.ToString());
  ASSERT_TRUE(file->Read(4, 3, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("456", result.ToString());
  fs_->FlipBits("/f", 3, 0);
  EXPECT_EQ("0123456789", Read());
}

TEST_F(FaultTest, FilesLeftOpenAreNamed) {
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
  EXPECT_EQ(1, fs_->OpenWritableFiles());
  EXPECT_EQ(std::vector<std::string>{"/f"}, fs_->OpenFileNames());
  file.reset();
  EXPECT_EQ(0, fs_->OpenWritableFiles());
  EXPECT_TRUE(fs_->OpenFileNames().empty());
}

TEST_F(FaultTest, RandomFaultsRepeatWithTheirSeed) {
  std::string outcomes[2];
  for (std::string& outcome : outcomes) {
    fs_->FailRandomly(301, fault::kCreate, 3, IOStatus::IOError("random"));
    for (int i = 0; i < 100; ++i) outcome += Write("x").ok() ? '1' : '0';
  }
  EXPECT_EQ(outcomes[0], outcomes[1]);
  EXPECT_NE(std::string::npos, outcomes[0].find('0'));
  EXPECT_NE(std::string::npos, outcomes[0].find('1'));
}

TEST_F(FaultTest, TheFilterSparesOtherFiles) {
  fs_->SetFileFilter([](const std::string& name) { return name == "/bad"; });
  fs_->SetFilesystemActive(false);
  EXPECT_TRUE(Write("x", "/good").ok());
  EXPECT_FALSE(Write("x", "/bad").ok());
}

TEST_F(FaultTest, ARuleChoosesByKindOfFile) {
  const auto rule = fs_->AddRule({.operations = fault::kCreate,
                                  .files = fault::kTables | fault::kManifests,
                                  .error = IOStatus::IOError("rule")});
  EXPECT_EQ("IO error: rule", Write("x", "/000007.sst").ToString());
  EXPECT_EQ("IO error: rule", Write("x", "/MANIFEST-000003").ToString());
  EXPECT_TRUE(Write("x", "/000007.log").ok());
  EXPECT_EQ(2u, fs_->Hits(rule));
  fs_->RemoveRule(rule);
  EXPECT_TRUE(Write("x", "/000007.sst").ok());
  EXPECT_EQ(0u, fs_->Hits(rule));
}

TEST_F(FaultTest, KindsFollowFromNames) {
  EXPECT_EQ(fault::kLogs, fault::KindOf("/db/000012.log"));
  EXPECT_EQ(fault::kCurrent, fault::KindOf("/db/CURRENT"));
  EXPECT_EQ(fault::kOptionsFiles, fault::KindOf("/db/OPTIONS-000005"));
  EXPECT_EQ(fault::kInfoLogs, fault::KindOf("/db/LOG"));
  EXPECT_EQ(fault::kTemporaryFiles, fault::KindOf("/db/000012.dbtmp"));
  EXPECT_EQ(fault::kOtherFiles, fault::KindOf("/db"));
}

TEST_F(FaultTest, ARulePassesTheFirstOnesAndEndsAfterItsHits) {
  fs_->AddRule({.operations = fault::kCreate,
                .where = [](const std::string& path) { return path == "/bad"; },
                .after = 2,
                .times = 1});
  std::string outcomes;
  for (int i = 0; i < 5; ++i) {
    outcomes += Write("x", "/good").ok() ? '.' : 'g';
    outcomes += Write("x", "/bad").ok() ? '.' : 'b';
  }
  EXPECT_EQ(".....b....", outcomes);
}

TEST_F(FaultTest, ATornAppendLeavesAPart) {
  fs_->AddRule(
      {.operations = fault::kAppend, .times = 1, .seed = 3, .effect = fault::Effect::kTorn});
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
  EXPECT_FALSE(file->Append("0123456789", IOOptions(), nullptr).ok());
  EXPECT_TRUE(file->Close(IOOptions(), nullptr).ok());
  const std::string found = Read();
  EXPECT_LT(found.size(), 10u);
  EXPECT_EQ(std::string("0123456789").substr(0, found.size()), found);
}

TEST_F(FaultTest, AWrongBitIsOneBitOfOneRead) {
  ASSERT_TRUE(Write("0123456789").ok());
  fs_->AddRule({.operations = fault::kRead, .times = 1, .effect = fault::Effect::kWrongBit});
  const std::string found = Read();
  ASSERT_EQ(10u, found.size());
  int bits = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    bits += std::popcount(static_cast<unsigned char>(found[i] ^ "0123456789"[i]));
  }
  EXPECT_EQ(1, bits);
  EXPECT_EQ("0123456789", Read());
}

// What a power cut leaves, over any file system: here the one in memory, whose own power stays on.
class UnsyncedTest : public FaultTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(CreateDirDurably(fs_.get(), "/d").ok());
    ASSERT_TRUE(fs_->NewDirectory("/d", IOOptions(), &directory_, nullptr).ok());
  }
  void SyncDirectory() { ASSERT_TRUE(directory_->Fsync(IOOptions(), nullptr).ok()); }
  std::string Names() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren("/d", IOOptions(), &names, nullptr).ok());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) {
      if (name != "." && name != "..") text += name + " ";
    }
    return text;
  }

  std::unique_ptr<FSDirectory> directory_;
};

TEST_F(UnsyncedTest, UnsyncedBytesAreLost) {
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_->NewWritableFile("/d/f", FileOptions(), &file, nullptr).ok());
  SyncDirectory();
  ASSERT_TRUE(file->Append("synced", IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Sync(IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Append(" or not", IOOptions(), nullptr).ok());
  EXPECT_EQ(7u, fs_->UnsyncedBytes());
  file.reset();
  ASSERT_TRUE(fs_->DropUnsynced().ok());
  EXPECT_EQ("synced", Read("/d/f"));
  EXPECT_EQ(0u, fs_->UnsyncedBytes());
}

TEST_F(UnsyncedTest, WhatIsAppendedToAnOldFileIsLostAlone) {
  ASSERT_TRUE(Write("old", "/d/f").ok());
  SyncDirectory();
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_->ReopenWritableFile("/d/f", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->Append(" new", IOOptions(), nullptr).ok());
  file.reset();
  EXPECT_EQ("old new", Read("/d/f"));
  ASSERT_TRUE(fs_->DropUnsynced().ok());
  EXPECT_EQ("old", Read("/d/f"));
}

TEST_F(UnsyncedTest, ANameLastsWhenItsDirectoryWasSynced) {
  ASSERT_TRUE(Write("1", "/d/lasts").ok());
  SyncDirectory();
  ASSERT_TRUE(Write("2", "/d/goes").ok());  // synced itself, its name is not
  EXPECT_EQ(1u, fs_->UnsyncedNames());
  ASSERT_TRUE(fs_->DropUnsynced().ok());
  EXPECT_EQ("lasts ", Names());
}

TEST_F(UnsyncedTest, ADirectoryIsLostWithAllInItUnlessItsNameWasSynced) {
  for (const bool sync : {false, true}) {
    SCOPED_TRACE(sync);
    ASSERT_TRUE(fs_->CreateDirIfMissing("/d/made/deep", IOOptions(), nullptr).ok());
    ASSERT_TRUE(WriteStringToFile(fs_.get(), "synced", "/d/made/deep/f", true).ok());
    ASSERT_TRUE(SyncDirectoryAt(fs_.get(), "/d/made/deep").ok());
    ASSERT_TRUE(SyncDirectoryAt(fs_.get(), "/d/made").ok());
    if (sync) SyncDirectory();
    ASSERT_TRUE(fs_->DropUnsynced().ok());
    EXPECT_EQ(sync ? "made " : "", Names());
    EXPECT_EQ(sync, fs_->FileExists("/d/made/deep/f", IOOptions(), nullptr).ok());
  }
  ASSERT_TRUE(fs_->RenameFile("/d/made", "/d/renamed", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->DropUnsynced().ok());
  EXPECT_EQ("made ", Names());
}

TEST_F(UnsyncedTest, ARenameIsTakenBackWithWhatItReplaced) {
  ASSERT_TRUE(Write("old", "/d/CURRENT").ok());
  SyncDirectory();
  ASSERT_TRUE(Write("new", "/d/temporary").ok());
  ASSERT_TRUE(fs_->RenameFile("/d/temporary", "/d//CURRENT", IOOptions(), nullptr).ok());
  EXPECT_EQ("new", Read("/d/CURRENT"));
  ASSERT_TRUE(fs_->DropUnsynced().ok());
  EXPECT_EQ("old", Read("/d/CURRENT"));
  EXPECT_EQ("CURRENT ", Names());
}

TEST_F(UnsyncedTest, ASyncedRenameLastsAndADeletionAlways) {
  ASSERT_TRUE(Write("a", "/d/a").ok());
  ASSERT_TRUE(Write("b", "/d/b").ok());
  ASSERT_TRUE(fs_->RenameFile("/d/a", "/d/c", IOOptions(), nullptr).ok());
  SyncDirectory();
  ASSERT_TRUE(fs_->DeleteFile("/d/b", IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->DropUnsynced().ok());
  EXPECT_EQ("c ", Names());
  EXPECT_EQ("a", Read("/d/c"));
}

TEST_F(UnsyncedTest, ByChanceAPartSurvivesTheSameForTheSameSeed) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string both[2];
    for (std::string& outcome : both) {
      std::unique_ptr<FSWritableFile> file;
      ASSERT_TRUE(fs_->NewWritableFile("/d/f", FileOptions(), &file, nullptr).ok());
      SyncDirectory();
      ASSERT_TRUE(file->Append("01", IOOptions(), nullptr).ok());
      ASSERT_TRUE(file->Sync(IOOptions(), nullptr).ok());
      ASSERT_TRUE(file->Append("23", IOOptions(), nullptr).ok());
      file.reset();
      ASSERT_TRUE(Write("x", "/d/n1").ok());
      ASSERT_TRUE(Write("x", "/d/n2").ok());
      ASSERT_TRUE(fs_->DropUnsyncedRandomly(seed).ok());
      outcome = Names() + Read("/d/f");
      for (const char* name : {"/d/n1", "/d/n2"}) {
        fs_->DeleteFile(name, IOOptions(), nullptr).PermitUncheckedError();
      }
    }
    EXPECT_EQ(both[0], both[1]) << "seed " << seed;
    outcomes.insert(both[0]);
  }
  EXPECT_EQ((std::set<std::string>{"f 01", "f 012", "f 0123", "f n1 01", "f n1 012", "f n1 0123",
                                   "f n1 n2 01", "f n1 n2 012", "f n1 n2 0123"}),
            outcomes);
}

}  // namespace
}  // namespace cairn
