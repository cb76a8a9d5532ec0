// ConcurrentTaskLimiter: compactions of several databases under one limit.
#include "rocksdb/concurrent_task_limiter.h"

#include "conformance.h"
#include "rocksdb/listener.h"

namespace conformance {
namespace {

// Sees how many compactions run at once, by the limiter.
class Watch : public EventListener {
 public:
  explicit Watch(ConcurrentTaskLimiter* limiter) : limiter_(limiter) {}
  void OnCompactionBegin(DB* /*db*/, const CompactionJobInfo& /*info*/) override {
    Raise(limiter_->GetOutstandingTask());
  }
  int most() const { return most_.load(); }
  int begun() const { return begun_.load(); }

 private:
  void Raise(int running) {
    begun_.fetch_add(1);
    int most = most_.load();
    while (running > most && !most_.compare_exchange_weak(most, running)) {
    }
  }

  ConcurrentTaskLimiter* const limiter_;
  std::atomic<int> most_{0}, begun_{0};
};

class TaskLimiterTest : public DBTest {
 protected:
  TaskLimiterTest() {
    options_.level0_file_num_compaction_trigger = 2;
    options_.level0_slowdown_writes_trigger = 1000;
    options_.level0_stop_writes_trigger = 1000;
    options_.compaction_thread_limiter = limiter_;
  }
  static void AddFiles(DB* db, int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(db->Put(WriteOptions(), "a", std::to_string(i)));
      ASSERT_OK(db->Put(WriteOptions(), "b", std::to_string(i)));
      ASSERT_OK(db->Flush(FlushOptions()));
    }
  }

  std::shared_ptr<ConcurrentTaskLimiter> limiter_{NewConcurrentTaskLimiter("limiter", 1)};
};

TEST_F(TaskLimiterTest, HasANameAndCountsNothing) {
  EXPECT_EQ("limiter", limiter_->GetName());
  EXPECT_EQ(0, limiter_->GetOutstandingTask());
  limiter_->SetMaxOutstandingTask(5);
  limiter_->ResetMaxOutstandingTask();
  EXPECT_EQ(0, limiter_->GetOutstandingTask());
}

TEST_F(TaskLimiterTest, SeveralDatabasesCompactOneAfterTheOther) {
  auto watch = std::make_shared<Watch>(limiter_.get());
  options_.listeners.push_back(watch);
  options_.max_background_jobs = 8;
  std::vector<DB*> dbs(3);
  for (size_t i = 0; i < dbs.size(); ++i) {
    ASSERT_OK(DB::Open(options_, root_ + "/" + std::to_string(i), &dbs[i]));
  }
  for (int round = 0; round < 3; ++round) {
    for (DB* const db : dbs) AddFiles(db, 3);
  }
  // Each comes to an end, though the others hold the limiter at times.
  for (DB* const db : dbs) {
    std::string files = "?";
    for (int i = 0; i < 60000 && files != "0" && files != "1"; ++i) {
      TheEnv()->SleepForMicroseconds(1000);
      ASSERT_TRUE(db->GetProperty("rocksdb.num-files-at-level0", &files));
    }
    EXPECT_TRUE(files == "0" || files == "1") << files;
  }
  for (DB* const db : dbs) delete db;
  EXPECT_LT(0, watch->begun());
  EXPECT_EQ(1, watch->most());
  EXPECT_EQ(0, limiter_->GetOutstandingTask());
  for (size_t i = 0; i < dbs.size(); ++i) RemoveTree(root_ + "/" + std::to_string(i));
}

TEST_F(TaskLimiterTest, WhatTheUserAsksForDoesNotWait) {
  limiter_->SetMaxOutstandingTask(0);
  Open();
  AddFiles(db_, 4);
  EXPECT_EQ(4, FilesAtLevel(0));
  ASSERT_OK(Compact());
  EXPECT_EQ(0, FilesAtLevel(0));
  EXPECT_EQ("a=3,b=3", Contents());
}

TEST_F(TaskLimiterTest, ADatabaseClosesWhileItWaits) {
  limiter_->SetMaxOutstandingTask(0);
  Open();
  AddFiles(db_, 4);
  Shut();
  limiter_->ResetMaxOutstandingTask();
  Open();
  EXPECT_EQ("a=3,b=3", Contents());
}

}  // namespace
}  // namespace conformance
