// A server on a disk that is small: what it refuses when that is full, what goes on, and that what
// was deleted gives room.
#include "server/keyspace/disk_reserve.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fiber/io.h"
#include "fiber/mutex.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;
using testing::TestClient;
using testing::TestServer;
using testing::WaitFor;

// A file system in which the files of one directory take no more than a capacity. What the server
// puts there by itself (the reserve) counts.
class SmallDisk : public rocksdb::FileSystemWrapper {
 public:
  SmallDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SmallDisk"; }

  void Set(const std::string& directory, uint64_t capacity) {
    const fiber::MutexLock lock(&mutex_);
    directory_ = directory;
    capacity_ = capacity;
  }
  uint64_t Free() {
    const fiber::MutexLock lock(&mutex_);
    return FreeLocked();
  }
  IOStatus Append(FSWritableFile* file, const Slice& data, const IOOptions& options,
                  IODebugContext* dbg) {
    const fiber::MutexLock lock(&mutex_);
    const uint64_t free = FreeLocked();
    if (data.size() <= free) return file->Append(data, options, dbg);
    // As a disk does: what fits is written.
    file->Append(Slice(data.data(), free), options, dbg).PermitUncheckedError();
    return IOStatus::NoSpace("the small disk is full");
  }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) override {
    return Wrap(FileSystemWrapper::NewWritableFile(name, options, result, dbg), result);
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result,
                              IODebugContext* dbg) override {
    return Wrap(FileSystemWrapper::ReopenWritableFile(name, options, result, dbg), result);
  }
  IOStatus GetFreeSpace(const std::string&, const IOOptions&, uint64_t* free,
                        IODebugContext*) override {
    *free = Free();
    return IOStatus::OK();
  }

 private:
  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(SmallDisk* disk, std::unique_ptr<FSWritableFile>&& file)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}
    IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
      return disk_->Append(target(), data, options, dbg);
    }
    IOStatus Append(const Slice& data, const IOOptions& options,
                    const rocksdb::DataVerificationInfo&, IODebugContext* dbg) override {
      return disk_->Append(target(), data, options, dbg);
    }

   private:
    SmallDisk* const disk_;
  };

  IOStatus Wrap(IOStatus status, std::unique_ptr<FSWritableFile>* file) {
    if (status.ok()) *file = std::make_unique<File>(this, std::move(*file));
    return status;
  }
  uint64_t FreeLocked() FIBER_REQUIRES(mutex_) {
    std::vector<std::string> names;
    fiber::io::list_dir(directory_.c_str(), &names);
    uint64_t used = 0;
    for (const std::string& name : names) {
      fiber::io::FileStatus about = {};
      if (fiber::io::status((directory_ + "/" + name).c_str(), &about) == 0) {
        used += static_cast<uint64_t>(about.st_size);
      }
    }
    return capacity_ - std::min(capacity_, used);
  }

  fiber::Mutex mutex_;
  std::string directory_ FIBER_GUARDED_BY(mutex_);
  uint64_t capacity_ FIBER_GUARDED_BY(mutex_) = UINT64_MAX;
};

class DiskReserveTest : public ::testing::Test {
 protected:
  // More than what is left when half is deleted: each compaction that makes room has room itself.
  static constexpr uint64_t kReserve = 4 << 20;
  static constexpr uint64_t kCapacity = 10 << 20;

  DiskReserveTest()
      : disk_(std::make_shared<SmallDisk>()),
        env_(rocksdb::NewCompositeEnv(disk_)),
        server_([this](ServerOptions& options) {
          disk_->Set(options.directory, kCapacity);
          options.disk_reserve_bytes = kReserve;
          options.engine.env = env_.get();
          options.engine.write_buffer_size = 128 << 10;
          options.engine.target_file_size_base = 256 << 10;
          options.engine.max_bytes_for_level_base = 1 << 20;
          options.engine.compression = rocksdb::kNoCompression;
        }) {}

  static std::string Key(int i) { return "key" + std::to_string(i); }
  // Of some size, different for each key.
  static std::string Value(int i) { return std::string(20'000, static_cast<char>('a' + i % 26)); }

  // Sets keys until one is refused; returns how many there are.
  int Fill(TestClient& client) {
    for (int i = 0; i < 10'000; ++i) {
      const std::string reply = client.Do({"SET", Key(i), Value(i)});
      if (reply == "+OK") continue;
      EXPECT_NE(reply.find("ERR the write failed"), std::string::npos) << reply;
      return i;
    }
    ADD_FAILURE() << "the disk is not full";
    return 0;
  }
  bool HasRoomAgain() {
    return WaitFor([this] { return !server_->state().disk().full(); });
  }
  // Sets a key for which there is room in the end: a compaction, and tables that are about to be
  // deleted, may take that for a moment.
  void SetWhenThereIsRoom(TestClient& client, const std::string& key, const std::string& value) {
    std::string reply = client.Do({"SET", key, value});
    while (reply != "+OK") {
      ASSERT_TRUE(reply.starts_with("-MISCONF") || reply.find("No space left") != std::string::npos)
          << reply;
      ASSERT_TRUE(HasRoomAgain());
      reply = client.Do({"SET", key, value});
    }
  }

  const std::shared_ptr<SmallDisk> disk_;
  const std::unique_ptr<rocksdb::Env> env_;
  TestServer server_;
};

TEST_F(DiskReserveTest, DeletesGoOnWhenTheDiskIsFullAndMakeRoom) {
  TestClient client(server_);
  EXPECT_TRUE(server_->state().disk().held());
  EXPECT_EQ(client.Do("HSET hash a 1 b 2"), ":2");
  EXPECT_EQ(client.Do("RPUSH list a b c d"), ":4");
  EXPECT_EQ(client.Do("SADD set a b"), ":2");
  EXPECT_EQ(client.Do("SET passing x"), "+OK");
  const int count = Fill(client);
  ASSERT_GT(count, 100);
  EXPECT_TRUE(server_->state().disk().full());
  EXPECT_FALSE(server_->state().disk().held());
  // What needs room is refused, with or without a transaction; what is there is read.
  EXPECT_EQ(client.Do("SET more x").substr(0, 8), "-MISCONF");
  EXPECT_EQ(client.Do("MULTI"), "+OK");
  EXPECT_EQ(client.Do("INCR more").substr(0, 8), "-MISCONF");
  EXPECT_EQ(client.Do("EXEC").substr(0, 10), "-EXECABORT");
  EXPECT_EQ(client.Do({"GET", Key(7)}), "\"" + Value(7) + "\"");
  EXPECT_NE(client.Do("INFO persistence").find("disk_full:1"), std::string::npos);
  // All that removes goes on, a transaction of it, too.
  EXPECT_EQ(client.Do("HDEL hash a"), ":1");
  EXPECT_EQ(client.Do("LTRIM list 1 2"), "+OK");
  EXPECT_EQ(client.Do("LPOP list"), "\"b\"");
  EXPECT_EQ(client.Do("SREM set b"), ":1");
  EXPECT_EQ(client.Do("PEXPIRE passing 1"), ":1");
  EXPECT_EQ(client.Do("MULTI"), "+OK");
  EXPECT_EQ(client.Do({"DEL", Key(0)}), "+QUEUED");
  EXPECT_EQ(client.Do({"UNLINK", Key(1)}), "+QUEUED");
  EXPECT_EQ(client.Do("EXEC"), "[:1 :1]");
  for (int i = 2; i < count / 2; ++i) EXPECT_EQ(client.Do({"DEL", Key(i)}), ":1") << i;
  // Then there is room, and everything is as it was.
  ASSERT_TRUE(HasRoomAgain());
  EXPECT_TRUE(server_->state().disk().held());
  SetWhenThereIsRoom(client, "more", "x");
  server_.Restart();
  TestClient again(server_);
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(again.Do({"GET", Key(i)}), i < count / 2 ? "nil" : "\"" + Value(i) + "\"") << i;
  }
  EXPECT_EQ(again.Do("GET more"), "\"x\"");
  EXPECT_EQ(again.Do("HGETALL hash"), "[\"b\" \"2\"]");
  EXPECT_EQ(again.Do("LRANGE list 0 -1"), "[\"c\"]");
  EXPECT_EQ(again.Do("SMEMBERS set"), "[\"a\"]");
  EXPECT_EQ(again.Do("GET passing"), "nil");
}

TEST_F(DiskReserveTest, FlushAllMakesRoomWithoutAnyForCompactions) {
  TestClient client(server_);
  const int count = Fill(client);
  ASSERT_GT(count, 100);
  EXPECT_EQ(client.Do("FLUSHALL"), "+OK");
  ASSERT_TRUE(HasRoomAgain());
  EXPECT_EQ(client.Do("DBSIZE"), ":0");
  for (int i = 0; i < count / 5; ++i) SetWhenThereIsRoom(client, Key(i), Value(i));
  for (int i = 0; i < count / 5; ++i) {
    EXPECT_EQ(client.Do({"GET", Key(i)}), "\"" + Value(i) + "\"") << i;
  }
}

TEST_F(DiskReserveTest, RoomThatOthersMakeCountsToo) {
  TestClient client(server_);
  const int count = Fill(client);
  ASSERT_GT(count, 100);
  disk_->Set(server_->state().options().directory, 2 * kCapacity);
  ASSERT_TRUE(HasRoomAgain());
  for (int i = 0; i < 20; ++i) SetWhenThereIsRoom(client, Key(i), "new");
  EXPECT_EQ(client.Do({"GET", Key(count - 1)}), "\"" + Value(count - 1) + "\"");
}

TEST_F(DiskReserveTest, AStartOnAFullDiskTakesTheReserve) {
  {
    TestClient client(server_);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(client.Do({"SET", Key(i), Value(i)}), "+OK");
  }
  server_.Stop();
  // Somebody else takes all that is left.
  const uint64_t left = disk_->Free();
  disk_->Set(server_.options().directory, kCapacity - left);
  server_.Restart();
  TestClient client(server_);
  EXPECT_EQ(client.Do({"GET", Key(4)}), "\"" + Value(4) + "\"");
}

}  // namespace
}  // namespace cairn::server
