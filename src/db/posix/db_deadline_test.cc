// ReadOptions::deadline and io_timeout of a whole database whose tables hang in the kernel: their
// reads are made of a pipe that nobody writes to. What is written to it in the end must reach no
// memory that the database has given back (the sanitizers see to that).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

class HangingFileSystem final : public FileSystemWrapper {
 public:
  explicit HangingFileSystem(std::shared_ptr<FileSystem> base)
      : FileSystemWrapper(std::move(base)) {}
  const char* Name() const override { return "HangingFileSystem"; }

  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    std::unique_ptr<FSRandomAccessFile> target;
    IOStatus s = FileSystemWrapper::NewRandomAccessFile(name, options, &target, dbg);
    if (s.ok()) *file = std::make_unique<File>(this, std::move(target));
    return s;
  }

  std::atomic<bool> hangs{false};
  std::unique_ptr<FSRandomAccessFile> pipe;

 private:
  class File final : public FSRandomAccessFile {
   public:
    File(HangingFileSystem* fs, std::unique_ptr<FSRandomAccessFile> target)
        : fs_(fs), target_(std::move(target)) {}
    IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                  IODebugContext* dbg) const override {
      FSRandomAccessFile* const file = fs_->hangs ? fs_->pipe.get() : target_.get();
      return file->Read(offset, n, options, result, scratch, dbg);
    }

   private:
    HangingFileSystem* const fs_;
    const std::unique_ptr<FSRandomAccessFile> target_;
  };
};

// On a plain thread that ends with the body, or on a fiber.
class DbDeadlineTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr uint64_t kKeys = 200;

  void SetUp() override {
    // The blocking pool would be told that a pipe has no positions.
    if (fiber::Runtime().engine() != fiber::Engine::kIoUring) GTEST_SKIP() << "no io_uring";
    const std::string name = dir_.File("pipe");
    ASSERT_EQ(0, mkfifo(name.c_str(), 0600));
    writer_ = fiber::io::open(name.c_str(), O_RDWR);
    ASSERT_GE(writer_, 0);
    ASSERT_TRUE(base_->NewRandomAccessFile(name, FileOptions(), &fs_->pipe, nullptr).ok());

    Options options;
    options.env = env_.get();
    options.create_if_missing = true;
    options.compression = kNoCompression;
    options.disable_auto_compactions = true;
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    const Status s = DB::Open(options, dir_.File("db"), &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Value(i, 500)).ok());
      if (i % 50 == 49) {
        ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
      }
    }
    ASSERT_TRUE(db_->Put(WriteOptions(), "memory", "in memory").ok());
  }
  void TearDown() override {
    db_.reset();
    if (writer_ >= 0) fiber::io::close(writer_);
  }

  void RunOn(const std::function<void()>& body) {
    if (GetParam()) {
      fiber::Runtime runtime;
      runtime.run(body);
    } else {
      fiber::Thread("body", [&] { body(); }).join();
    }
  }
  static ReadOptions Within(int64_t micros) {
    ReadOptions options;
    options.deadline =
        std::chrono::microseconds(static_cast<int64_t>(fiber::wall_micros()) + micros);
    return options;
  }
  static ReadOptions EachWithin(int64_t micros) {
    ReadOptions options;
    options.io_timeout = std::chrono::microseconds(micros);
    return options;
  }
  // Gives the reads that hang, if there are any left, bytes that nobody wants.
  void Wake() {
    const std::string bytes(20'000, 'w');
    EXPECT_EQ(static_cast<ssize_t>(bytes.size()),
              fiber::io::write(writer_, bytes.data(), bytes.size()));
  }

  const std::shared_ptr<FileSystem> base_ = FileSystem::Default();
  const std::shared_ptr<HangingFileSystem> fs_ = std::make_shared<HangingFileSystem>(base_);
  const std::unique_ptr<Env> env_ = NewCompositeEnv(fs_);
  testing::TempDir dir_{base_.get(), "deadline"};
  std::unique_ptr<DB> db_;
  int writer_ = -1;
};

INSTANTIATE_TEST_SUITE_P(Callers, DbDeadlineTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Fiber" : "Thread"; });

TEST_P(DbDeadlineTest, NoReadHoldsItsCallerPastTheDeadline) {
  RunOn([&] {
    fs_->hangs = true;
    std::string value;
    EXPECT_TRUE(db_->Get(Within(2000), Key(7), &value).IsTimedOut());
    EXPECT_TRUE(db_->Get(EachWithin(1000), Key(7), &value).IsTimedOut());
    EXPECT_TRUE(db_->Get(Within(60'000'000), "memory", &value).ok());

    for (const bool async_io : {false, true}) {
      // (On a busy machine what is in memory may take a while, too.)
      ReadOptions options = Within(async_io ? 300'000 : 3000);
      options.async_io = async_io;
      const std::string texts[] = {Key(3), "memory", Key(60), Key(61), Key(120), "absent"};
      const std::vector<Slice> keys(std::begin(texts), std::end(texts));
      std::vector<PinnableSlice> values(keys.size());
      std::vector<Status> statuses(keys.size());
      db_->MultiGet(options, db_->DefaultColumnFamily(), keys.size(), keys.data(), values.data(),
                    statuses.data());
      for (const size_t i : {0, 2, 3, 4}) {
        EXPECT_TRUE(statuses[i].IsTimedOut()) << statuses[i].ToString();
        EXPECT_TRUE(values[i].empty());
      }
      if (async_io) {  // one after the other the time was over
        EXPECT_TRUE(statuses[1].ok()) << statuses[1].ToString();
        EXPECT_EQ("in memory", values[1]);
      }

      options = EachWithin(500);
      options.async_io = async_io;
      const std::unique_ptr<Iterator> it(db_->NewIterator(options));
      it->SeekToFirst();
      EXPECT_FALSE(it->Valid());
      EXPECT_TRUE(it->status().IsTimedOut()) << it->status().ToString();
      fs_->hangs = false;
      it->SeekToFirst();
      for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(it->Valid()) << it->status().ToString();
        it->Next();
      }
      fs_->hangs = true;
      while (it->Valid()) it->Next();
      EXPECT_TRUE(it->status().IsTimedOut()) << it->status().ToString();
    }
    Wake();
    fs_->hangs = false;
    for (uint64_t i = 0; i < kKeys; i += 7) {
      EXPECT_TRUE(db_->Get(Within(60'000'000), Key(i), &value).ok());
      EXPECT_EQ(Value(i, 500), value);
    }
  });
  Wake();
}

TEST_P(DbDeadlineTest, ADatabaseMayBeClosedWhileReadsThatWereLeftHang) {
  RunOn([&] {
    fs_->hangs = true;
    std::string value;
    for (uint64_t i = 0; i < kKeys; i += 20) {
      EXPECT_TRUE(db_->Get(EachWithin(100), Key(i), &value).IsTimedOut());
    }
    db_.reset();
    fs_->pipe.reset();
    Wake();
  });
}

TEST_P(DbDeadlineTest, ADeadlineThatHasPassedIsNotTriedFor) {
  RunOn([&] {
    std::string value;
    EXPECT_TRUE(db_->Get(Within(-1), "memory", &value).IsTimedOut());
    const Slice keys[] = {"memory", "absent"};
    PinnableSlice values[2];
    Status statuses[2];
    db_->MultiGet(Within(-1), db_->DefaultColumnFamily(), 2, keys, values, statuses);
    EXPECT_TRUE(statuses[0].IsTimedOut());
    EXPECT_TRUE(statuses[1].IsTimedOut());
    const std::unique_ptr<Iterator> it(db_->NewIterator(Within(-1)));
    it->SeekToLast();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsTimedOut());
    EXPECT_FALSE(db_->KeyMayExist(Within(60'000'000), "absent", &value));
    // Nobody knows.
    EXPECT_TRUE(db_->KeyMayExist(Within(-1), "memory", &value));
  });
}

}  // namespace
}  // namespace cairn
