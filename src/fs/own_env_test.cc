// Envs of the user's own: what they do not override, what they pass on, and their clocks.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fs/parking_reads.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/system_clock.h"

namespace cairn {
namespace {

// Overrides nothing that it need not.
class BareEnv : public Env {
 public:
  const char* Name() const override { return "BareEnv"; }
};

TEST(OwnEnvTest, WhatIsNotOverriddenSaysSo) {
  BareEnv env;
  const std::shared_ptr<FileSystem>& fs = env.GetFileSystem();
  const auto refuses = [](const Status& s, const char* function) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(function)) << s.ToString();
  };
  std::unique_ptr<FSSequentialFile> sequential;
  refuses(fs->NewSequentialFile("f", FileOptions(), &sequential, nullptr), "NewSequentialFile");
  std::unique_ptr<FSRandomAccessFile> random;
  refuses(fs->NewRandomAccessFile("f", FileOptions(), &random, nullptr), "NewRandomAccessFile");
  std::unique_ptr<FSWritableFile> writable;
  refuses(fs->NewWritableFile("f", FileOptions(), &writable, nullptr), "NewWritableFile");
  refuses(fs->ReopenWritableFile("f", FileOptions(), &writable, nullptr), "ReopenWritableFile");
  // It renames, and opens.
  refuses(fs->ReuseWritableFile("f", "g", FileOptions(), &writable, nullptr), "RenameFile");
  std::unique_ptr<FSRandomRWFile> both;
  refuses(fs->NewRandomRWFile("f", FileOptions(), &both, nullptr), "NewRandomRWFile");
  std::unique_ptr<MemoryMappedFileBuffer> mapped;
  refuses(fs->NewMemoryMappedFileBuffer("f", &mapped), "NewMemoryMappedFileBuffer");
  std::unique_ptr<FSDirectory> directory;
  refuses(fs->NewDirectory("d", IOOptions(), &directory, nullptr), "NewDirectory");
  refuses(env.FileExists("f"), "FileExists");
  std::vector<Env::FileAttributes> files;
  refuses(env.GetChildrenFileAttributes("d", &files), "GetChildren");
  refuses(env.DeleteFile("f"), "DeleteFile");
  FileLock* lock = nullptr;
  refuses(fs->LockFile("f", IOOptions(), &lock, nullptr), "LockFile");
  std::shared_ptr<Logger> logger;
  refuses(env.NewLogger("f", &logger), "NewWritableFile");
  std::shared_ptr<DynamicLibrary> library;
  refuses(env.LoadLibrary("l", "", &library), "LoadLibrary");
  std::vector<void*> handles;
  EXPECT_TRUE(fs->Poll(handles, 0).ok());
  EXPECT_TRUE(fs->AbortIO(handles).ok());
  // What needs no files works.
  EXPECT_GT(env.NowMicros(), 0u);
  EXPECT_EQ(36u, env.GenerateUniqueId().size());
  std::string host;
  EXPECT_TRUE(env.GetHostNameString(&host).ok());
}

// GetChildrenFileAttributes is made of these.
class ListingEnv final : public BareEnv {
 public:
  Status GetChildren(const std::string& /*dir*/, std::vector<std::string>* result) override {
    *result = {"a", "gone", "bad"};
    if (!has_bad) result->pop_back();
    return Status::OK();
  }
  Status GetFileSize(const std::string& f, uint64_t* size) override {
    if (f == "d/bad") return Status::IOError("the size cannot be had", f);
    if (f == "d/gone") return Status::PathNotFound(f);
    *size = 7;
    return Status::OK();
  }
  Status FileExists(const std::string& f) override {
    return f == "d/gone" ? Status::NotFound() : Status::OK();
  }
  bool has_bad = false;
};

TEST(OwnEnvTest, AttributesAreMadeOfNamesAndSizes) {
  ListingEnv env;
  std::vector<Env::FileAttributes> files;
  ASSERT_TRUE(
      env.GetFileSystem()->GetChildrenFileAttributes("d", IOOptions(), &files, nullptr).ok());
  ASSERT_EQ(1u, files.size());
  EXPECT_EQ("a", files[0].name);
  EXPECT_EQ(7u, files[0].size_bytes);
  env.has_bad = true;
  EXPECT_TRUE(env.GetChildrenFileAttributes("d", &files).IsIOError());
}

TEST(OwnEnvTest, AWrapperHandsFilesOnAsTheyAre) {
  const std::unique_ptr<Env> memory(NewMemEnv(nullptr));
  ASSERT_TRUE(memory->CreateDir("/d").ok());  // style: a test of it
  EnvWrapper first(memory.get());
  EnvWrapper wrapper(&first);
  ASSERT_TRUE(WriteStringToFile(&wrapper, "hello", "/d/f").ok());
  std::unique_ptr<FSRandomAccessFile> file;
  FileSystem& fs = *wrapper.GetFileSystem();
  ASSERT_TRUE(fs.NewRandomAccessFile("/d/f", FileOptions(), &file, nullptr).ok());
  // That of the innermost file system, which says that it may be read on a fiber.
  EXPECT_NE(nullptr, dynamic_cast<ParkingReads*>(file.get()));
  // Through an Env that has another one's for its own use it stays one of an Env.
  std::unique_ptr<RandomAccessFile> of_env;
  ASSERT_TRUE(wrapper.NewRandomAccessFile("/d/f", &of_env, EnvOptions()).ok());
  char scratch[8];
  Slice got;
  ASSERT_TRUE(of_env->Read(1, 3, &got, scratch).ok());
  EXPECT_EQ("ell", got);
}

class BorrowingEnv final : public BareEnv {
 public:
  explicit BorrowingEnv(Env* from) : from_(from) {}
  Status NewRandomAccessFile(const std::string& f, std::unique_ptr<RandomAccessFile>* r,
                             const EnvOptions& options) override {
    return from_->NewRandomAccessFile(f, r, options);
  }

 private:
  Env* const from_;
};

// Who would poll its reads?
TEST(OwnEnvTest, AFileOfAStrangersFileSystemStaysWrapped) {
  const std::unique_ptr<Env> memory(NewMemEnv(nullptr));
  ASSERT_TRUE(memory->CreateDir("/d").ok());  // style: a test of it
  ASSERT_TRUE(WriteStringToFile(memory.get(), "hello", "/d/f").ok());
  BorrowingEnv env(memory.get());
  std::unique_ptr<FSRandomAccessFile> file;
  ASSERT_TRUE(env.GetFileSystem()->NewRandomAccessFile("/d/f", FileOptions(), &file, nullptr).ok());
  EXPECT_EQ(nullptr, dynamic_cast<ParkingReads*>(file.get()));
  FSReadRequest request;
  char scratch[8];
  request.offset = 2;
  request.len = 3;
  request.scratch = scratch;
  void* handle = nullptr;
  IOHandleDeleter deleter;
  bool read = false;
  ASSERT_TRUE(file->ReadAsync(
                      request, IOOptions(),
                      [](FSReadRequest& answered, void* done) {
                        EXPECT_TRUE(answered.status.ok());
                        EXPECT_EQ("llo", answered.result);
                        *static_cast<bool*>(done) = true;
                      },
                      &read, &handle, &deleter, nullptr)
                  .ok());
  EXPECT_TRUE(read);
  EXPECT_EQ(nullptr, handle);
}

class LateEnv final : public EnvWrapper {
 public:
  LateEnv() : EnvWrapper(Env::Default()) {}
  uint64_t NowMicros() override { return 42; }
};

TEST(OwnEnvTest, AClockIsTheEnvs) {
  LateEnv env;
  EXPECT_EQ(42u, env.GetSystemClock()->NowMicros());
  EXPECT_EQ(SystemClock::Default(), Env::Default()->GetSystemClock());
  Env with_clock(FileSystem::Default(), env.GetSystemClock());
  EXPECT_EQ(42u, with_clock.NowMicros());
  EXPECT_EQ(Env::Default()->GetFileSystem(), with_clock.GetFileSystem());
}

// What says how files of a kind are opened.
class WishfulEnv final : public EnvWrapper {
 public:
  WishfulEnv() : EnvWrapper(Env::Default()) {}
  EnvOptions OptimizeForLogWrite(const EnvOptions& options, const DBOptions& db) const override {
    EnvOptions wish = EnvWrapper::OptimizeForLogWrite(options, db);
    wish.writable_file_max_buffer_size = 4711;
    return wish;
  }
};

TEST(OwnEnvTest, ItsWishesForFilesAreItsFileSystems) {
  WishfulEnv env;
  DBOptions db;
  db.wal_bytes_per_sync = 99;
  const FileOptions options = env.GetFileSystem()->OptimizeForLogWrite(FileOptions(db), db);
  EXPECT_EQ(4711u, options.writable_file_max_buffer_size);
  EXPECT_EQ(99u, options.bytes_per_sync);
}

TEST(OwnEnvTest, ADebugContextIsText) {
  IODebugContext context;
  EXPECT_EQ("", context.ToString());
  context.file_path = "/f";
  std::string name = "reads";
  context.AddCounter(name, 3);
  context.msg = "slow";
  context.SetRequestId("r1");
  EXPECT_EQ("file_path: /f, reads: 3, msg: slow, request_id: r1", context.ToString());
}

}  // namespace
}  // namespace cairn
