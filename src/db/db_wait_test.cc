// WaitForCompact: when it returns, and with what.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "fiber/thread.h"

namespace cairn::testing {
namespace {

// A file system on which it takes a second to delete a table.
class SlowDeletions final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  static const char* kClassName() { return "SlowDeletions"; }
  const char* Name() const override { return kClassName(); }

  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* dbg) override {
    if (name.ends_with(".sst")) fiber::sleep_for(1'000'000'000);
    return FileSystemWrapper::DeleteFile(name, options, dbg);
  }
};

class DbWaitTest : public DbTest {
 protected:
  uint64_t Running() {
    uint64_t sum = 0, one = 0;
    for (const char* name : {"num-running-flushes", "num-running-compactions", "compaction-pending",
                             "mem-table-flush-pending"}) {
      EXPECT_TRUE(db_->GetIntProperty(std::string("rocksdb.") + name, &one));
      sum += one;
    }
    return sum;
  }
};

TEST_F(DbWaitTest, NothingRunsOrIsDueAfterwards) {
  Open();
  for (int round = 0; round < 5; ++round) {
    PutRange(0, 600, static_cast<uint64_t>(round) + 1, 300);
    WaitForCompactOptions options;
    options.flush = round % 2 == 0;
    const Status s = db_->WaitForCompact(options);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(Running(), 0u);
    if (options.flush) {
      EXPECT_EQ(Property("num-entries-active-mem-table"), "0");
    }
  }
  ExpectModel();
}

TEST_F(DbWaitTest, WaitsOutAPauseOrGivesUp) {
  Options options = SmallOptions();
  options.level0_file_num_compaction_trigger = 1;
  Open(options);
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  PutRange(0, 10, 1);
  FlushOptions soon;
  soon.wait = false;
  soon.allow_write_stall = true;
  ASSERT_TRUE(db_->Flush(soon).ok());
  WaitForCompactOptions wait;
  wait.abort_on_pause = true;
  EXPECT_TRUE(db_->WaitForCompact(wait).IsAborted());
  wait.abort_on_pause = false;
  wait.timeout = std::chrono::microseconds(1000);
  EXPECT_TRUE(db_->WaitForCompact(wait).IsTimedOut());
  wait.timeout = std::chrono::microseconds::zero();
  Status s = Status::Incomplete();
  fiber::Thread waiter("waiter", [&] { s = db_->WaitForCompact(wait); });
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  waiter.join();
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(Running(), 0u);
  ExpectModel();
}

TEST_F(DbWaitTest, MayWaitUntilObsoleteFilesAreGone) {
  const std::unique_ptr<Env> env = NewCompositeEnv(std::make_shared<SlowDeletions>(disk_.faults));
  Options options = SmallOptions();
  options.env = env.get();
  options.level0_file_num_compaction_trigger = 2;
  Simulate([&] {
    Open(options);
    for (uint64_t version : {1, 2}) {
      PutRange(0, 20, version);
      Flush();
    }
    WaitForCompactOptions wait;
    ASSERT_TRUE(db_->WaitForCompact(wait).ok());
    EXPECT_GT(disk_.Files(FileType::kTableFile).size(), 1u);  // the compaction's end is enough
    wait.wait_for_purge = true;
    ASSERT_TRUE(db_->WaitForCompact(wait).ok());
    EXPECT_EQ(disk_.Files(FileType::kTableFile).size(), 1u);
    ExpectModel();
    Close();
  });
}

TEST_F(DbWaitTest, TellsOfErrorsAndMayClose) {
  Open();
  PutRange(0, 10, 1);
  WaitForCompactOptions options;
  options.close_db = true;
  ASSERT_TRUE(db_->WaitForCompact(options).ok());
  Open();
  ExpectModel();
  fault::Rule failure;
  failure.operations = fault::kCreate;
  failure.files = fault::kTables;
  disk_.faults->AddRule(failure);
  FlushOptions soon;
  soon.wait = false;
  PutRange(0, 10, 2);
  ASSERT_TRUE(db_->Flush(soon).ok());
  EXPECT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).IsIOError());
}

}  // namespace
}  // namespace cairn::testing
