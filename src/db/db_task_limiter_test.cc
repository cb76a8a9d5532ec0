// Compactions that wait for a user's limiter (compaction_thread_limiter), in simulated time.
#include <memory>

#include "db/testing/db_fixture.h"
#include "rocksdb/concurrent_task_limiter.h"

namespace cairn {
namespace {

class DbTaskLimiterTest : public testing::DbTest {
 protected:
  Options Limited() {
    Options options = SmallOptions();
    options.compaction_thread_limiter = limiter_;
    return options;
  }
  void AddFiles(DB* db, int count) {
    for (int i = 0; i < count; ++i) {
      for (const char* key : {"a", "b"}) {
        ASSERT_TRUE(db->Put(WriteOptions(), key, std::to_string(i)).ok());
      }
      ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    }
  }
  static int Level0(DB* db) {
    std::string files;
    EXPECT_TRUE(db->GetProperty("rocksdb.num-files-at-level0", &files));
    return std::atoi(files.c_str());
  }

  std::shared_ptr<ConcurrentTaskLimiter> limiter_{NewConcurrentTaskLimiter("test", 0)};
};

TEST_F(DbTaskLimiterTest, WhatWaitsBeginsWhenTheLimitRises) {
  Simulate([&] {
    Open(Limited());
    AddFiles(db_.get(), 3);
    fiber::sleep_for(10'000'000'000);
    EXPECT_EQ(FilesAtLevel(0), 3);
    limiter_->SetMaxOutstandingTask(1);
    EXPECT_TRUE(Await([&] { return FilesAtLevel(0) == 0; }));
    EXPECT_EQ(limiter_->GetOutstandingTask(), 0);
    EXPECT_EQ(Get("a"), "2");
  });
}

TEST_F(DbTaskLimiterTest, WaitForCompactWaitsForWhatIsHeldUp) {
  Simulate([&] {
    Open(Limited());
    AddFiles(db_.get(), 3);
    WaitForCompactOptions brief;
    brief.timeout = std::chrono::seconds(5);
    EXPECT_TRUE(db_->WaitForCompact(brief).IsTimedOut());
    limiter_->ResetMaxOutstandingTask();
    EXPECT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
    EXPECT_EQ(FilesAtLevel(0), 0);
  });
}

TEST_F(DbTaskLimiterTest, OneDatabaseDoesNotKeepAnotherFromItsTurn) {
  Simulate([&] {
    limiter_->SetMaxOutstandingTask(1);
    Open(Limited());
    std::unique_ptr<DB> other;
    ASSERT_TRUE(DB::Open(Limited(), "/other", &other).ok());
    for (int round = 0; round < 5; ++round) {
      AddFiles(db_.get(), 3);
      AddFiles(other.get(), 3);
    }
    EXPECT_TRUE(Await([&] { return Level0(db_.get()) < 2 && Level0(other.get()) < 2; }));
    EXPECT_TRUE(Await([&] { return limiter_->GetOutstandingTask() == 0; }));
  });
}

TEST_F(DbTaskLimiterTest, OtherFamiliesGoOn) {
  Simulate([&] {
    Open(Limited());
    ColumnFamilyHandle* raw = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily(SmallOptions(), "free", &raw).ok());
    const std::unique_ptr<ColumnFamilyHandle> handle(raw);
    AddFiles(db_.get(), 3);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), raw, "a", "1").ok());
      ASSERT_TRUE(db_->Flush(FlushOptions(), raw).ok());
    }
    EXPECT_TRUE(Await([&] {
      std::string files;
      db_->GetProperty(raw, "rocksdb.num-files-at-level0", &files);
      return files == "0" || files == "1";
    }));
    EXPECT_EQ(FilesAtLevel(0), 3);
  });
}

TEST_F(DbTaskLimiterTest, ADatabaseThatWaitsCanBeClosedAndItsFamilyDropped) {
  Simulate([&] {
    Open(Limited());
    ColumnFamilyHandle* raw = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily(Limited(), "dropped", &raw).ok());
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), raw, "a", "1").ok());
      ASSERT_TRUE(db_->Flush(FlushOptions(), raw).ok());
    }
    ASSERT_TRUE(db_->DropColumnFamily(raw).ok());
    delete raw;
    EXPECT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok()) << "nothing is due any more";
    AddFiles(db_.get(), 3);
    db_.reset();
    limiter_->ResetMaxOutstandingTask();
    limiter_->SetMaxOutstandingTask(0);
  });
}

TEST_F(DbTaskLimiterTest, OnlyOurLimitersAreTaken) {
  class Own : public ConcurrentTaskLimiter {
   public:
    const std::string& GetName() const override { return name_; }
    void SetMaxOutstandingTask(int32_t /*limit*/) override {}
    void ResetMaxOutstandingTask() override {}
    int32_t GetOutstandingTask() const override { return 0; }

   private:
    const std::string name_ = "own";
  };
  Options options = SmallOptions();
  options.compaction_thread_limiter = std::make_shared<Own>();
  EXPECT_TRUE(TryOpen(options).IsNotSupported());
}

}  // namespace
}  // namespace cairn
