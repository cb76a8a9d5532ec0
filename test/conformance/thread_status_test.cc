// Env::GetThreadList: what background threads do.
#include "rocksdb/thread_status.h"

#include "conformance.h"
#include "rocksdb/listener.h"

namespace conformance {
namespace {

// Looks at the list from inside of jobs.
class Looker : public EventListener {
 public:
  void OnFlushBegin(DB* db, const FlushJobInfo& /*info*/) override { Look(db, &flush); }
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    Look(nullptr, info.reason == TableFileCreationReason::kFlush ? &flushed : &compacted);
  }
  void OnCompactionBegin(DB* db, const CompactionJobInfo& /*info*/) override {
    Look(db, &compaction);
  }

  std::vector<ThreadStatus> flush, flushed, compaction, compacted;  // that work

 private:
  void Look(DB* /*db*/, std::vector<ThreadStatus>* found) {
    std::vector<ThreadStatus> threads;
    EXPECT_OK(TheEnv()->GetThreadList(&threads));
    found->clear();
    for (const ThreadStatus& thread : threads) {
      if (thread.operation_type == ThreadStatus::OP_UNKNOWN) continue;
      found->emplace_back(thread.thread_id, thread.thread_type, thread.db_name, thread.cf_name,
                          thread.operation_type, thread.op_elapsed_micros, thread.operation_stage,
                          thread.op_properties, thread.state_type);
    }
  }
};

class ThreadStatusTest : public DBTest {
 protected:
  ThreadStatusTest() {
    options_.listeners.push_back(looker_);
    options_.disable_auto_compactions = true;
    options_.enable_thread_tracking = true;
  }
  void FlushAndCompact() {
    for (int i = 0; i < 2; ++i) {
      ASSERT_OK(Put("a", std::string(1000, 'a')));
      ASSERT_OK(Put("b", std::string(1000, 'b')));
      ASSERT_OK(Flush());
    }
    ASSERT_OK(Compact());
  }

  std::shared_ptr<Looker> looker_ = std::make_shared<Looker>();
};

TEST_F(ThreadStatusTest, AFlushIsListed) {
  Open();
  FlushAndCompact();
  ASSERT_EQ(1u, looker_->flush.size());
  const ThreadStatus& flush = looker_->flush[0];
  EXPECT_EQ(ThreadStatus::OP_FLUSH, flush.operation_type);
  EXPECT_EQ(ThreadStatus::HIGH_PRIORITY, flush.thread_type);
  EXPECT_EQ(dir_, flush.db_name);
  EXPECT_EQ("default", flush.cf_name);
  EXPECT_EQ(ThreadStatus::STATE_UNKNOWN, flush.state_type);
  ASSERT_EQ(1u, looker_->flushed.size());
  EXPECT_EQ(ThreadStatus::STAGE_FLUSH_WRITE_L0, looker_->flushed[0].operation_stage);
  const auto properties = ThreadStatus::InterpretOperationProperties(
      ThreadStatus::OP_FLUSH, looker_->flushed[0].op_properties);
  EXPECT_EQ(3u, properties.size());
  EXPECT_LT(2000u, properties.at("BytesMemtables"));
  EXPECT_LT(0u, properties.at("JobID"));
}

TEST_F(ThreadStatusTest, ACompactionIsListed) {
  Open();
  FlushAndCompact();
  ASSERT_EQ(1u, looker_->compaction.size());
  const ThreadStatus& compaction = looker_->compaction[0];
  EXPECT_EQ(ThreadStatus::OP_COMPACTION, compaction.operation_type);
  EXPECT_EQ(ThreadStatus::LOW_PRIORITY, compaction.thread_type);
  EXPECT_EQ(dir_, compaction.db_name);
  EXPECT_EQ("default", compaction.cf_name);
  const auto properties = ThreadStatus::InterpretOperationProperties(ThreadStatus::OP_COMPACTION,
                                                                     compaction.op_properties);
  EXPECT_EQ(0u, properties.at("BaseInputLevel"));
  EXPECT_LT(0u, properties.at("OutputLevel"));
  EXPECT_LT(4000u, properties.at("TotalInputBytes"));
  EXPECT_EQ(0u, properties.at("IsTrivialMove"));
  EXPECT_EQ(0u, properties.at("IsDeletion"));
  ASSERT_EQ(1u, looker_->compacted.size());
  EXPECT_EQ(ThreadStatus::STAGE_COMPACTION_SYNC_FILE, looker_->compacted[0].operation_stage);
}

TEST_F(ThreadStatusTest, NothingIsToldWithoutTracking) {
  options_.enable_thread_tracking = false;
  Open();
  FlushAndCompact();
  EXPECT_TRUE(looker_->flush.empty());
  EXPECT_TRUE(looker_->flushed.empty());
  EXPECT_TRUE(looker_->compaction.empty());
  EXPECT_TRUE(looker_->compacted.empty());
  // The threads are there all the same.
  std::vector<ThreadStatus> threads;
  ASSERT_OK(TheEnv()->GetThreadList(&threads));
  EXPECT_LE(2u, threads.size());
}

TEST_F(ThreadStatusTest, WhoIsDoneDoesNothing) {
  Open();
  FlushAndCompact();
  Shut();
  std::vector<ThreadStatus> threads;
  ASSERT_OK(TheEnv()->GetThreadList(&threads));
  for (const ThreadStatus& thread : threads) {
    EXPECT_EQ(ThreadStatus::OP_UNKNOWN, thread.operation_type);
    EXPECT_EQ("", thread.db_name);
    EXPECT_EQ("", thread.cf_name);
  }
}

TEST_F(ThreadStatusTest, AColumnFamilyHasItsName) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &family));
  ASSERT_OK(db_->Put(WriteOptions(), family, "a", "1"));
  ASSERT_OK(db_->Flush(FlushOptions(), family));
  ASSERT_EQ(1u, looker_->flush.size());
  EXPECT_EQ("other", looker_->flush[0].cf_name);
  delete family;
}

TEST(ThreadStatusNamesTest, AreRocksDBs) {
  EXPECT_EQ("High Pri", ThreadStatus::GetThreadTypeName(ThreadStatus::HIGH_PRIORITY));
  EXPECT_EQ("Low Pri", ThreadStatus::GetThreadTypeName(ThreadStatus::LOW_PRIORITY));
  EXPECT_EQ("User", ThreadStatus::GetThreadTypeName(ThreadStatus::USER));
  EXPECT_EQ("Bottom Pri", ThreadStatus::GetThreadTypeName(ThreadStatus::BOTTOM_PRIORITY));
  EXPECT_EQ("", ThreadStatus::GetOperationName(ThreadStatus::OP_UNKNOWN));
  EXPECT_EQ("Compaction", ThreadStatus::GetOperationName(ThreadStatus::OP_COMPACTION));
  EXPECT_EQ("Flush", ThreadStatus::GetOperationName(ThreadStatus::OP_FLUSH));
  EXPECT_EQ("", ThreadStatus::GetOperationName(static_cast<ThreadStatus::OperationType>(99)));
  EXPECT_EQ("FlushJob::WriteLevel0Table",
            ThreadStatus::GetOperationStageName(ThreadStatus::STAGE_FLUSH_WRITE_L0));
  EXPECT_EQ("CompactionJob::Install",
            ThreadStatus::GetOperationStageName(ThreadStatus::STAGE_COMPACTION_INSTALL));
  EXPECT_EQ(
      "MemTableList::TryInstallMemtableFlushResults",
      ThreadStatus::GetOperationStageName(ThreadStatus::STAGE_MEMTABLE_INSTALL_FLUSH_RESULTS));
  EXPECT_EQ("Mutex Wait", ThreadStatus::GetStateName(ThreadStatus::STATE_MUTEX_WAIT));
  EXPECT_EQ("TotalInputBytes",
            ThreadStatus::GetOperationPropertyName(ThreadStatus::OP_COMPACTION,
                                                   ThreadStatus::COMPACTION_TOTAL_INPUT_BYTES));
  EXPECT_EQ("BytesWritten", ThreadStatus::GetOperationPropertyName(
                                ThreadStatus::OP_FLUSH, ThreadStatus::FLUSH_BYTES_WRITTEN));
  EXPECT_EQ("", ThreadStatus::GetOperationPropertyName(ThreadStatus::OP_FLUSH, 5));
  EXPECT_EQ("", ThreadStatus::MicrosToString(0));
  EXPECT_EQ("5 us", ThreadStatus::MicrosToString(5));
  EXPECT_EQ("12.345 ms", ThreadStatus::MicrosToString(12345));
}

}  // namespace
}  // namespace conformance
