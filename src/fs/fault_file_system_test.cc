#include "fs/fault_file_system.h"

#include <gtest/gtest.h>

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

  const std::shared_ptr<FaultInjectionFileSystem> fs_ =
      std::make_shared<FaultInjectionFileSystem>(std::make_shared<MemoryFileSystem>());
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
    fs_->FailNthOperation(n, kFaultWrites, IOStatus::IOError("nth"));
    EXPECT_FALSE(Write("abc").ok()) << n;
    ASSERT_TRUE(Write("abc").ok()) << "only once";
  }
  fs_->FailNthOperation(1, kFaultRead, IOStatus::IOError("read"), 2);
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
    fs_->FailRandomly(301, kFaultCreate, 3, IOStatus::IOError("random"));
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

}  // namespace
}  // namespace cairn
