// Writes that cannot be done as asked: a log that fails, a batch that is damaged or larger than a
// memtable, writers that wait when the database is closed. Each gets a Status, and nothing that was
// acknowledged is lost. Faults of every kind at every operation are in db_fault_test.cc.
#include <atomic>
#include <functional>
#include <utility>

#include "base/coding.h"
#include "batch/write_batch_internal.h"
#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

class DbWriteErrorsTest : public testing::DbTest {
 protected:
  static bool IsLog(const std::string& path) { return path.ends_with(".log"); }

  Status PutWith(bool sync, const std::string& key, const std::string& value) {
    WriteOptions options;
    options.sync = sync;
    const Status s = db_->Put(options, key, value);
    if (s.ok()) model_[key] = value;
    return s;
  }
};

// Runs something before a log is made; once.
class HookFileSystem final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  static const char* kClassName() { return "HookFileSystem"; }
  const char* Name() const override { return kClassName(); }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    if (before_log != nullptr && path.ends_with(".log")) std::exchange(before_log, nullptr)();
    return FileSystemWrapper::NewWritableFile(path, options, file, dbg);
  }

  std::function<void()> before_log;
};

struct LogFault {
  const char* name;
  uint32_t operation;
  IOStatus error;
  bool sync;  // of the write that meets it
};

TEST_F(DbWriteErrorsTest, AFailedLogStopsWritesNamesTheFileAndResumes) {
  const LogFault faults[] = {
      {"EIO in a write", fault::kAppend, IOStatus::IOError("injected"), false},
      {"ENOSPC in a write", fault::kAppend, IOStatus::NoSpace("injected"), false},
      {"EIO in a write to be synced", fault::kAppend, IOStatus::IOError("injected"), true},
      {"EIO in a sync", fault::kSync, IOStatus::IOError("injected"), true},
      {"ENOSPC in a sync", fault::kSync, IOStatus::NoSpace("injected"), true},
  };
  for (const bool pipelined : {false, true}) {
    for (const LogFault& fault : faults) {
      SCOPED_TRACE(std::string(fault.name) + (pipelined ? ", pipelined" : ""));
      disk_ = testing::Disk();
      model_.clear();
      Options options = SmallOptions();
      options.enable_pipelined_write = pipelined;
      Open(options);
      PutRange(0, 50, 1, 100);
      const std::string log = disk_.Files(FileType::kWalFile).back();

      disk_.faults->SetFileFilter(IsLog);
      disk_.faults->FailNthOperation(1, fault.operation, fault.error);
      Status s = PutWith(fault.sync, "refused", "v");
      EXPECT_EQ(s.IsNoSpace(), fault.error.IsNoSpace()) << s.ToString();
      EXPECT_TRUE(s.IsIOError() || s.IsNoSpace()) << s.ToString();
      const std::string file = log.substr(log.rfind('/') + 1);
      EXPECT_NE(s.ToString().find(file), std::string::npos) << s.ToString() << " names no " << file;

      // The disk is well, the log's tail is not: nothing goes on by itself.
      disk_.faults->Heal();
      s = PutWith(false, "later", "v");
      EXPECT_FALSE(s.ok());
      EXPECT_NE(s.ToString().find(file), std::string::npos) << s.ToString();
      EXPECT_EQ(Get("refused"), "NOT_FOUND");
      EXPECT_EQ(Get(Key(7)), model_[Key(7)]) << "reads go on";

      s = db_->Resume();
      ASSERT_TRUE(s.ok()) << s.ToString();
      ASSERT_TRUE(PutWith(true, "after", "v").ok());
      Kill();
      Open(options);
      EXPECT_EQ(Get("after"), "v");
      for (const auto& [key, value] : model_) EXPECT_EQ(Get(key), value) << key;
      Close();
    }
  }
}

// A closed log that cannot be synced fails the flush that has to sync it. Resume() seals what
// memory holds, and gives that log up: a flush of its own accord that came before that would meet
// it again.
TEST_F(DbWriteErrorsTest, NoFlushComesBetweenTheErrorAndTheSealedMemtables) {
  const auto hooked = std::make_shared<HookFileSystem>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(hooked);
  Options options = SmallOptions();
  options.env = env.get();
  Simulate([&] {
    Open(options);
    ColumnFamilyHandle* second = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily(options, "second", &second).ok());
    ASSERT_TRUE(PutWith(false, "a", "1").ok());
    disk_.faults->SetFileFilter(IsLog);
    disk_.faults->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected"));
    ASSERT_TRUE(db_->PauseBackgroundWork().ok());
    FlushOptions without_waiting;
    without_waiting.wait = false;
    ASSERT_TRUE(db_->Flush(without_waiting).ok());
    ASSERT_TRUE(PutWith(false, "into the next log", "1").ok());
    ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
    while (Property("background-errors") == "0") fiber::sleep_for(1'000'000);
    disk_.faults->Heal();
    bool asked = false;
    hooked->before_log = [&] {
      asked = true;
      // Whatever is to be done in the background is scheduled.
      EXPECT_TRUE(experimental::SuggestCompactRange(db_.get(), second, nullptr, nullptr).ok());
      fiber::sleep_for(1'000'000'000);
    };
    const Status s = db_->Resume();
    EXPECT_TRUE(s.ok()) << s.ToString();
    EXPECT_TRUE(asked);
    EXPECT_TRUE(PutWith(true, "b", "2").ok());
    EXPECT_EQ(Get("a"), "1");
    delete second;
    Close();
  });
}

TEST_F(DbWriteErrorsTest, AShortWriteToTheLogIsAnErrorAndLosesNothing) {
  for (const uint64_t room : {1, 8, 20, 60, 100}) {
    SCOPED_TRACE("room for " + std::to_string(room) + " bytes of the record");
    disk_ = testing::Disk();
    model_.clear();
    Open();
    PutRange(0, 50, 1, 100);
    disk_.faults->SetFileFilter(IsLog);
    disk_.faults->SetFreeBytes(room);  // what fits is written, then there is no more
    const Status s = PutWith(false, "refused", Value(1, 200));
    EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
    if (room % 20 == 0) {
      Kill();  // the torn record ends the log
    } else {
      disk_.faults->Heal();
      const Status resumed = db_->Resume();
      ASSERT_TRUE(resumed.ok()) << resumed.ToString();
      ASSERT_TRUE(PutWith(false, "after", "v").ok());
      Kill();
    }
    Open();
    ExpectModel();
    Close();
  }
}

TEST_F(DbWriteErrorsTest, WritersOfOneGroupAllHearOfTheFailure) {
  constexpr int kWriters = 8;
  Open();
  disk_.faults->SetFileFilter(IsLog);
  std::atomic<int> started{0};
  std::atomic<int> acknowledged{0};
  disk_.faults->FailRandomly(3, fault::kSync, 2, IOStatus::IOError("injected"));
  fiber::Runtime runtime({.workers = 2});
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    for (int i = 0; i < kWriters; ++i) {
      handles.push_back(fiber::spawn([&, i] {
        ++started;
        WriteOptions sync;
        sync.sync = true;
        for (int n = 0; n < 50; ++n) {
          if (!db_->Put(sync, "w" + std::to_string(i), std::to_string(n)).ok()) return;
          ++acknowledged;
        }
        ADD_FAILURE() << "a failed log stops all writers";
      }));
    }
    for (fiber::JoinHandle& handle : handles) handle.join();
  });
  EXPECT_EQ(started.load(), kWriters);
  disk_.faults->Heal();
  ASSERT_TRUE(db_->Resume().ok());
  EXPECT_TRUE(PutWith(true, "after", "v").ok());
}

TEST_F(DbWriteErrorsTest, ABatchLargerThanTheMemtable) {
  for (const bool sync : {false, true}) {
    Open();
    WriteBatch batch;
    for (uint64_t i = 0; i < 5000; ++i) {  // 2 MB into memtables of 64 KB
      const std::string value = Value(i, 400);
      ASSERT_TRUE(batch.Put(Key(i), value).ok());
      model_[Key(i)] = value;
    }
    WriteOptions options;
    options.sync = sync;
    Status s = db_->Write(options, &batch);
    ASSERT_TRUE(s.ok()) << s.ToString();
    Put("one", Value(1, 3 << 20));
    Put("after", "v");
    ExpectModel();
    Kill();
    Open();
    ExpectModel();
    Flush();
    ExpectModel();
    Close();
  }
}

TEST_F(DbWriteErrorsTest, ADamagedBatchIsRefusedAndLeavesNoTrace) {
  Open();
  PutRange(0, 10, 1);
  WriteBatch good;
  ASSERT_TRUE(good.Put("damaged", "value").ok());
  ASSERT_TRUE(good.Delete(Key(1)).ok());
  const std::string rep = good.Data();
  const size_t header = WriteBatchInternal::kHeader;
  std::vector<std::string> damaged;
  for (size_t size = 0; size < rep.size(); ++size) {
    if (size != header) damaged.push_back(rep.substr(0, size));  // a header alone: the count is off
  }
  damaged.push_back(rep.substr(0, header));
  damaged.push_back(rep + '\x01');
  for (const uint32_t count : {0u, 1u, 3u, 0xffffffffu}) {
    std::string wrong = rep;
    EncodeFixed32(wrong.data() + 8, count);
    damaged.push_back(wrong);
  }
  for (const int tag : {0x40, 0x7f, 0x80, 0xff}) {
    std::string wrong = rep;
    wrong[header] = static_cast<char>(tag);
    damaged.push_back(wrong);
  }
  std::string endless = rep;  // a key of four gigabytes
  endless.replace(header + 1, 1, "\xff\xff\xff\xff\x0f");
  damaged.push_back(endless);
  for (const std::string& bytes : damaged) {
    WriteBatch batch(bytes);
    const Status s = db_->Write(WriteOptions(), &batch);
    EXPECT_TRUE(s.IsCorruption()) << Slice(bytes).ToString(true) << ": " << s.ToString();
  }
  // Nothing of them is in memory or in the log, and the database goes on.
  EXPECT_EQ(Get("damaged"), "NOT_FOUND");
  Put("after", "v");
  ExpectModel();
  Kill();
  Open();
  ExpectModel();
}

TEST_F(DbWriteErrorsTest, WritersThatWaitOutAStallAreSentBackAtTheEnd) {
  Simulate([&] {
    Open();
    ASSERT_TRUE(db_->PauseBackgroundWork().ok());
    WriteOptions no_slowdown;
    no_slowdown.no_slowdown = true;
    Status s;
    for (uint64_t i = 0; s.ok() && i < 2000; ++i) {
      s = db_->Put(no_slowdown, Key(i), Value(i, 500));
      if (s.ok()) model_[Key(i)] = Value(i, 500);
    }
    ASSERT_TRUE(s.IsIncomplete()) << s.ToString();
    std::atomic<int> refused{0};
    std::atomic<int> begun{0};
    const auto stopped = [&](int writer) {
      ++begun;
      const Status end = db_->Put(WriteOptions(), "stopped" + std::to_string(writer), "v");
      EXPECT_TRUE(end.IsShutdownInProgress()) << end.ToString();
      ++refused;
    };
    fiber::Runtime runtime({.workers = 1});
    fiber::JoinHandle on_fiber = runtime.spawn([&] { stopped(0); });
    fiber::Thread on_thread("writer1", [&] { stopped(1); });
    fiber::Thread behind("writer2", [&] { stopped(2); });
    fiber::sleep_for(1'000'000'000);  // all three wait now
    EXPECT_EQ(begun.load(), 3);
    EXPECT_EQ(refused.load(), 0);
    CancelAllBackgroundWork(db_.get(), /*wait=*/true);
    on_fiber.join();
    on_thread.join();
    behind.join();
    EXPECT_EQ(refused.load(), 3);
    Close();
    Open();
    ExpectModel();
  });
}

}  // namespace
}  // namespace cairn
