// What an EnvMirror says where its two environments differ. (That it mirrors is in
// test/conformance.)
#include "rocksdb/utilities/env_mirror.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/env.h"

namespace cairn {
namespace {

class EnvMirrorDifferenceTest : public ::testing::Test {
 protected:
  EnvMirrorDifferenceTest()
      : a_(NewMemEnv(nullptr)), b_(NewMemEnv(nullptr)), mirror_(a_.get(), b_.get()) {
    EXPECT_TRUE(mirror_.CreateDirIfMissing("/d").ok());
  }
  static bool Tells(const Status& s, const std::string& name) {
    return s.IsCorruption() && s.ToString().find(name) != std::string::npos;
  }

  const std::unique_ptr<Env> a_, b_;
  EnvMirror mirror_;
};

TEST_F(EnvMirrorDifferenceTest, OfBytes) {
  ASSERT_TRUE(WriteStringToFile(&mirror_, "hello", "/d/f").ok());
  ASSERT_TRUE(WriteStringToFile(b_.get(), "hullo", "/d/f").ok());
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(mirror_.NewRandomAccessFile("/d/f", &file, EnvOptions()).ok());
  char scratch[10];
  Slice got;
  EXPECT_TRUE(file->Read(2, 3, &got, scratch).ok());
  EXPECT_EQ(got.ToString(), "llo");
  EXPECT_TRUE(Tells(file->Read(0, 5, &got, scratch), "/d/f"));
  std::unique_ptr<SequentialFile> sequential;
  ASSERT_TRUE(mirror_.NewSequentialFile("/d/f", &sequential, EnvOptions()).ok());
  EXPECT_TRUE(Tells(sequential->Read(5, &got, scratch), "/d/f"));
  std::string all;
  EXPECT_TRUE(Tells(ReadFileToString(&mirror_, "/d/f", &all), "/d/f"));
}

TEST_F(EnvMirrorDifferenceTest, OfLengths) {
  ASSERT_TRUE(WriteStringToFile(&mirror_, "hello", "/d/f").ok());
  for (Env* const shorter : {a_.get(), b_.get()}) {
    ASSERT_TRUE(WriteStringToFile(a_.get(), "hello", "/d/f").ok());
    ASSERT_TRUE(WriteStringToFile(b_.get(), "hello", "/d/f").ok());
    ASSERT_TRUE(WriteStringToFile(shorter, "hell", "/d/f").ok());
    uint64_t size = 99;
    EXPECT_TRUE(Tells(mirror_.GetFileSize("/d/f", &size), "/d/f"));
    EXPECT_EQ(size, 99u);
    std::unique_ptr<RandomAccessFile> file;
    ASSERT_TRUE(mirror_.NewRandomAccessFile("/d/f", &file, EnvOptions()).ok());
    char scratch[10];
    Slice got;
    EXPECT_TRUE(file->Read(0, 4, &got, scratch).ok());
    EXPECT_TRUE(Tells(file->Read(0, 10, &got, scratch), "/d/f"));
    EXPECT_TRUE(Tells(file->Read(4, 1, &got, scratch), "/d/f"));
  }
}

TEST_F(EnvMirrorDifferenceTest, OfNamesAndStatuses) {
  ASSERT_TRUE(WriteStringToFile(a_.get(), "x", "/d/only").ok());
  std::vector<std::string> names;
  EXPECT_TRUE(Tells(mirror_.GetChildren("/d", &names), "/d"));
  EXPECT_TRUE(names.empty());
  EXPECT_TRUE(Tells(mirror_.FileExists("/d/only"), "FileExists"));
  std::unique_ptr<SequentialFile> file;
  EXPECT_TRUE(Tells(mirror_.NewSequentialFile("/d/only", &file, EnvOptions()), "/d/only"));
  EXPECT_EQ(file, nullptr);
  EXPECT_TRUE(Tells(mirror_.DeleteFile("/d/only"), "DeleteFile"));
  std::unique_ptr<RandomRWFile> both;
  EXPECT_TRUE(mirror_.NewRandomRWFile("/d/f", &both, EnvOptions()).IsNotSupported());
  // A lock that one side does not give is not held on the other one.
  FileLock* held = nullptr;
  ASSERT_TRUE(b_->LockFile("/d/LOCK", &held).ok());
  FileLock* lock = nullptr;
  EXPECT_FALSE(mirror_.LockFile("/d/LOCK", &lock).ok());
  ASSERT_TRUE(b_->UnlockFile(held).ok());
  ASSERT_TRUE(mirror_.LockFile("/d/LOCK", &lock).ok());
  EXPECT_FALSE(a_->LockFile("/d/LOCK", &held).ok());
  ASSERT_TRUE(mirror_.UnlockFile(lock).ok());
  ASSERT_TRUE(a_->LockFile("/d/LOCK", &held).ok());
  ASSERT_TRUE(a_->UnlockFile(held).ok());
}

}  // namespace
}  // namespace cairn
