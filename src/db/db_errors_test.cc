// What listeners hear of errors, and how a database goes on by itself when a full disk has room
// again.
#include <atomic>

#include "db/testing/db_fixture.h"
#include "db/testing/error_listener.h"
#include "fiber/mutex.h"
#include "rocksdb/listener.h"

namespace cairn {
namespace {

using testing::ErrorListener;

bool IsTable(const std::string& path) { return path.ends_with(".sst"); }
bool IsLog(const std::string& path) { return path.ends_with(".log"); }

class DbErrorsTest : public testing::DbTest {
 protected:
  Options WithListener() {
    Options options = SmallOptions();
    options.listeners.push_back(listener_);
    options.max_bgerror_resume_count = INT_MAX;
    options.bgerror_resume_retry_interval = 1000;
    return options;
  }
  void FillTheDisk(bool (*only)(const std::string&)) {
    disk_.faults->SetFileFilter(only);
    disk_.faults->SetFreeBytes(0);
  }

  std::shared_ptr<ErrorListener> listener_ = std::make_shared<ErrorListener>();
};

TEST_F(DbErrorsTest, WritesGoOnByThemselvesWhenAFullDiskHasRoomAgain) {
  for (const bool in_log : {false, true}) {
    SCOPED_TRACE(in_log ? "no room for the log" : "no room for a table");
    disk_ = testing::Disk();
    model_.clear();
    listener_ = std::make_shared<ErrorListener>();
    Open(WithListener());
    PutRange(0, 50, 1);
    FillTheDisk(in_log ? IsLog : IsTable);
    const Status s = in_log ? db_->Put(WriteOptions(), "refused", "v") : db_->Flush(FlushOptions());
    EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
    EXPECT_FALSE(db_->Put(WriteOptions(), "later", "v").ok());
    // Attempts fail, and go on.
    listener_->Await([&] { return listener_->ended().size() >= (in_log ? 0u : 2u); });
    EXPECT_TRUE(listener_->completed().empty());
    disk_.faults->Heal();
    listener_->Await(
        [&] { return !listener_->ended().empty() && listener_->ended().back().new_bg_error.ok(); });
    EXPECT_EQ(1u, listener_->completed().size());
    EXPECT_TRUE(listener_->ended().back().old_bg_error.IsNoSpace());
    Put("after", "v");
    ExpectModel();
    const auto errors = listener_->errors();
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(in_log ? BackgroundErrorReason::kWriteCallback : BackgroundErrorReason::kFlush,
              errors[0].reason);
    EXPECT_TRUE(errors[0].status.IsNoSpace());
    ASSERT_EQ(1u, listener_->begun().size());
    EXPECT_EQ(errors[0].reason, listener_->begun()[0].reason);
    Kill();
    Open();
    ExpectModel();
    Close();
  }
}

TEST_F(DbErrorsTest, ItIsTriedAsOftenAsAsked) {
  Options options = WithListener();
  options.max_bgerror_resume_count = 3;
  Open(options);
  Put("a", "1");
  FillTheDisk(IsTable);
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsNoSpace());
  listener_->Await([&] { return listener_->ended().size() == 3; });
  disk_.faults->Heal();
  EXPECT_FALSE(db_->Put(WriteOptions(), "refused", "v").ok());
  EXPECT_TRUE(db_->Resume().ok());
  Put("b", "2");
  ExpectModel();
  // The next full disk is another matter.
  FillTheDisk(IsTable);
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsNoSpace());
  disk_.faults->Heal();
  listener_->Await([&] { return listener_->completed().size() == 2; });
  Put("c", "3");
  ExpectModel();
}

TEST_F(DbErrorsTest, AListenerMayForbidTheRecovery) {
  listener_->forbid_recovery = true;
  Open(WithListener());
  Put("a", "1");
  FillTheDisk(IsTable);
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsNoSpace());
  listener_->Await([&] { return !listener_->begun().empty(); });
  disk_.faults->Heal();
  EXPECT_FALSE(db_->Put(WriteOptions(), "refused", "v").ok());
  EXPECT_TRUE(db_->Resume().ok());
  EXPECT_EQ(1u, listener_->ended().size());
  Put("b", "2");
  ExpectModel();
}

// Resume() finds an error as soon as the count shows it, not only once all listeners were told.
TEST_F(DbErrorsTest, AnErrorIsCountedWhenItStands) {
  Open(WithListener());
  std::atomic<uint64_t> count_while_told{99};
  listener_->while_told = [&] { count_while_told = std::stoull(Property("background-errors")); };
  Put("a", "1");
  disk_.faults->SetFileFilter(IsTable);
  disk_.faults->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected"));
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsIOError());
  EXPECT_EQ(0u, count_while_told.load());
  EXPECT_EQ("1", Property("background-errors"));
  disk_.faults->Heal();
  EXPECT_TRUE(db_->Resume().ok());
  Put("b", "2");
  ExpectModel();
}

TEST_F(DbErrorsTest, OtherErrorsWaitForTheUser) {
  Open(WithListener());
  Put("a", "1");
  disk_.faults->SetFileFilter(IsTable);
  disk_.faults->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected"));
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsIOError());
  disk_.faults->Heal();
  EXPECT_TRUE(listener_->begun().empty());
  EXPECT_FALSE(db_->Put(WriteOptions(), "refused", "v").ok());
  EXPECT_TRUE(db_->Resume().ok());
  Put("b", "2");
  ExpectModel();
}

TEST_F(DbErrorsTest, ClosingWhileTheDiskIsFullEndsTheAttempts) {
  Open(WithListener());
  Put("a", "1");
  FillTheDisk(IsTable);
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsNoSpace());
  listener_->Await([&] { return !listener_->ended().empty(); });
  db_.reset();
  disk_.faults->Heal();
  Open();
  ExpectModel();
}

TEST_F(DbErrorsTest, AFailedFlushThatAListenerIgnoresIsDoneAgain) {
  listener_->ignore_errors = true;
  Open(WithListener());
  PutRange(0, 50, 1);
  disk_.faults->SetFileFilter(IsTable);
  disk_.faults->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected"));
  EXPECT_TRUE(db_->Flush(FlushOptions()).ok());
  ASSERT_EQ(1u, listener_->errors().size());
  EXPECT_EQ(BackgroundErrorReason::kFlush, listener_->errors()[0].reason);
  EXPECT_EQ(1, FilesAtLevel(0));
  Put("b", "2");
  ExpectModel();
}

TEST_F(DbErrorsTest, AFailedLogCannotBeIgnored) {
  listener_->ignore_errors = true;
  Open(WithListener());
  PutRange(0, 50, 1);
  disk_.faults->SetFileFilter(IsLog);
  disk_.faults->FailNthOperation(1, fault::kAppend, IOStatus::IOError("injected"));
  EXPECT_TRUE(db_->Put(WriteOptions(), "refused", "v").IsIOError());
  disk_.faults->Heal();
  EXPECT_FALSE(db_->Put(WriteOptions(), "refused", "v").ok());
  EXPECT_TRUE(db_->Resume().ok());
  Put("b", "2");
  Kill();
  Open();
  ExpectModel();
}

TEST_F(DbErrorsTest, FailedOperationsOfFilesAreTold) {
  class Watcher final : public EventListener {
   public:
    bool ShouldBeNotifiedOnFileIO() override { return true; }
    void OnIOError(const IOErrorInfo& info) override {
      fiber::MutexLock lock(&mutex);
      errors.push_back(info);
    }
    fiber::Mutex mutex;
    std::vector<IOErrorInfo> errors;
  };
  const auto watcher = std::make_shared<Watcher>();
  Options options = SmallOptions();
  options.listeners.push_back(watcher);
  Open(options);
  Put("a", "1");
  disk_.faults->SetFileFilter(IsTable);
  disk_.faults->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected"));
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsIOError());
  fiber::MutexLock lock(&watcher->mutex);
  ASSERT_EQ(1u, watcher->errors.size());
  EXPECT_EQ(FileOperationType::kSync, watcher->errors[0].operation);
  EXPECT_TRUE(IsTable(watcher->errors[0].file_path));
  EXPECT_TRUE(watcher->errors[0].io_status.IsIOError());
}

}  // namespace
}  // namespace cairn
