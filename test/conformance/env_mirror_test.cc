// An Env that does everything in two others (utilities/env_mirror.h).
#include "rocksdb/utilities/env_mirror.h"

#include "conformance.h"

namespace conformance {
namespace {

class EnvMirrorTest : public DBTest {
 protected:
  // (RocksDB's files on disk and in memory do not list a directory alike.)
  EnvMirrorTest()
      : first_(NewMemEnv(TheEnv())),
        second_(NewMemEnv(TheEnv())),
        mirror_(first_.get(), second_.get()) {
    EXPECT_OK(mirror_.CreateDirIfMissing(root_));
    EXPECT_OK(mirror_.CreateDirIfMissing(dir_));
  }
  ~EnvMirrorTest() override { Shut(); }

  Status Write(Env* env, const std::string& name, const std::string& data) {
    return WriteStringToFile(env, data, dir_ + "/" + name);
  }
  std::string Read(Env* env, const std::string& name) {
    std::string data;
    const Status s = ReadFileToString(env, dir_ + "/" + name, &data);
    return s.ok() ? data : s.ToString();
  }

  const std::unique_ptr<Env> first_, second_;
  EnvMirror mirror_;
};

TEST_F(EnvMirrorTest, WritesBoth) {
  ASSERT_OK(Write(&mirror_, "f", "hello"));
  EXPECT_EQ("hello", Read(first_.get(), "f"));
  EXPECT_EQ("hello", Read(second_.get(), "f"));
  EXPECT_EQ("hello", Read(&mirror_, "f"));
  uint64_t size = 0;
  ASSERT_OK(mirror_.GetFileSize(dir_ + "/f", &size));
  EXPECT_EQ(5u, size);
  ASSERT_OK(mirror_.RenameFile(dir_ + "/f", dir_ + "/g"));
  EXPECT_CODE(NotFound, second_->FileExists(dir_ + "/f"));
  EXPECT_CODE(NotFound, first_->FileExists(dir_ + "/f"));
  EXPECT_CODE(NotFound, mirror_.FileExists(dir_ + "/f"));
  EXPECT_OK(mirror_.FileExists(dir_ + "/g"));
  std::vector<std::string> names;
  ASSERT_OK(mirror_.GetChildren(dir_, &names));
  EXPECT_EQ(std::vector<std::string>{"g"}, names);
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_OK(mirror_.NewRandomAccessFile(dir_ + "/g", &file, EnvOptions()));
  char scratch[10];
  Slice got;
  ASSERT_OK(file->Read(1, 3, &got, scratch));
  EXPECT_EQ("ell", got.ToString());
  ASSERT_OK(file->Read(3, 10, &got, scratch));
  EXPECT_EQ("lo", got.ToString());
  file.reset();
  std::unique_ptr<SequentialFile> sequential;
  ASSERT_OK(mirror_.NewSequentialFile(dir_ + "/g", &sequential, EnvOptions()));
  ASSERT_OK(sequential->Skip(2));
  ASSERT_OK(sequential->Read(2, &got, scratch));
  EXPECT_EQ("ll", got.ToString());
  ASSERT_OK(mirror_.DeleteFile(dir_ + "/g"));
  ASSERT_OK(mirror_.GetChildren(dir_, &names));
  EXPECT_TRUE(names.empty());
  FileLock* lock = nullptr;
  ASSERT_OK(mirror_.LockFile(dir_ + "/LOCK", &lock));
  ASSERT_OK(mirror_.UnlockFile(lock));
}

TEST_F(EnvMirrorTest, ADatabaseInBoth) {
  options_.env = &mirror_;
  // (RocksDB's mirror has a LOG on one side only, and stumbles over that.)
  ASSERT_OK(TheEnv()->NewLogger(root_ + "/LOG", &options_.info_log));
  options_.write_buffer_size = 64 << 10;
  Open();
  for (int i = 0; i < 1000; ++i) ASSERT_OK(Put(Key(i), std::string(200, 'a' + i % 26)));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  for (int i = 0; i < 500; ++i) ASSERT_OK(Delete(Key(i)));
  Open();
  for (int i = 0; i < 1000; i += 7) {
    EXPECT_EQ(i < 500 ? "NOT_FOUND" : std::string(200, 'a' + i % 26), Get(Key(i)));
  }
  Shut();
  // Each of them has all of it.
  options_.env = second_.get();
  Open();
  EXPECT_EQ("NOT_FOUND", Get(Key(499)));
  EXPECT_EQ(std::string(200, 'a' + 500 % 26), Get(Key(500)));
  Shut();
  options_.env = first_.get();
  Open();
  EXPECT_EQ(std::string(200, 'a' + 999 % 26), Get(Key(999)));
}

}  // namespace
}  // namespace conformance
