#include "fs/full_read.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <string>

#include "fiber/io.h"
#include "fs/fiber_file_system.h"
#include "fs/file_util.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

class FullReadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(WriteStringToFile(fs_.get(), std::string(kSize, 'x'), path_).ok());
    fd_ = fiber::io::open(path_.c_str(), fiber::io::kReadOnly, 0);
    ASSERT_GE(fd_, 0);
  }
  void TearDown() override { (void)fiber::io::close(fd_); }
  FullRead Read(bool direct, uint64_t offset, size_t size) const {
    return {fd_, path_, direct, offset, size};
  }

  static constexpr size_t kSize = 3 * kDefaultPageSize + 100;
  const std::shared_ptr<FileSystem> fs_ = NewFiberFileSystem();
  testing::TempDir dir_{fs_.get(), "full_read"};
  const std::string path_ = dir_.File("a");
  int fd_ = -1;
};

TEST_F(FullReadTest, IsOverWhenAllIsThere) {
  FullRead read = Read(false, 7, 100);
  read.Add(100);
  EXPECT_TRUE(read.over());
  EXPECT_TRUE(read.status().ok());
  EXPECT_EQ(100u, read.done());
  EXPECT_TRUE(Read(false, 7, 0).over());
}

TEST_F(FullReadTest, GoesOnWhereItStoppedShort) {
  FullRead read = Read(false, 7, 100);
  read.Add(30);
  EXPECT_FALSE(read.over());
  read.Add(0);  // more is there, by the file's size
  EXPECT_FALSE(read.over());
  EXPECT_EQ(37u, read.offset());
  EXPECT_EQ(70u, read.left());
  read.Add(70);
  EXPECT_TRUE(read.over() && read.status().ok());
}

TEST_F(FullReadTest, EndsWithTheFile) {
  FullRead read = Read(false, kSize - 10, 100);
  read.Add(10);
  EXPECT_FALSE(read.over());
  read.Add(0);
  EXPECT_TRUE(read.over() && read.status().ok());
  EXPECT_EQ(10u, read.done());
}

TEST_F(FullReadTest, ADirectOneGoesOnAtAPage) {
  FullRead read = Read(true, 0, 4 * kDefaultPageSize);
  read.Add(kDefaultPageSize + 5);
  EXPECT_FALSE(read.over());
  EXPECT_EQ(kDefaultPageSize, read.offset());
  read.Add(2 * kDefaultPageSize + 100);
  EXPECT_TRUE(read.over() && read.status().ok());
  EXPECT_EQ(kSize, read.done());
}

TEST_F(FullReadTest, FailsWhereTheReadFails) {
  FullRead read = Read(false, 0, 100);
  read.Add(40);
  read.Add(-EIO);
  EXPECT_TRUE(read.over());
  EXPECT_EQ(0u, read.done());
  EXPECT_EQ("IO error: While pread offset 40 len 60: " + path_ + ": Input/output error",
            read.status().ToString());
}

// A short answer would be taken for a damaged file, or for the end of a log.
TEST_F(FullReadTest, FailsWhereTheSizeCannotBeHad) {
  FullRead read(-1, path_, false, 0, 100);
  read.Add(40);
  EXPECT_FALSE(read.over());
  read.Add(0);
  EXPECT_TRUE(read.over());
  EXPECT_TRUE(read.status().IsIOError()) << read.status().ToString();
  EXPECT_EQ(0u, read.done());
}

TEST_F(FullReadTest, DoesNotTryForEver) {
  FullRead read = Read(false, 0, 100);
  int tries = 0;
  while (!read.over() && tries < 100'000) {
    read.Add(0);
    ++tries;
  }
  EXPECT_TRUE(read.over());
  EXPECT_GT(tries, 10);
  EXPECT_TRUE(read.status().IsIOError()) << read.status().ToString();
}

}  // namespace
}  // namespace cairn
