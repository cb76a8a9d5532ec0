// DBOptions::wal_filter: what is recovered from the logs, as the filter says.
#include "rocksdb/wal_filter.h"
#include "conformance.h"

namespace conformance {
namespace {

using Option = WalFilter::WalProcessingOption;

// Lets pass all but what a case says of the n-th write that it is shown.
class LogFilter final : public WalFilter {
 public:
  const char* Name() const override { return "filter of the test"; }
  void ColumnFamilyLogNumberMap(const std::map<uint32_t, uint64_t>& logs,
                                const std::map<std::string, uint32_t>& ids) override {
    ++told;
    first_logs = logs;
    family_ids = ids;
  }
  Option LogRecordFound(unsigned long long log, const std::string& path, const WriteBatch& batch,
                        WriteBatch* new_batch, bool* changed) override {
    logs.push_back(log);
    paths.push_back(path);
    counts.push_back(batch.Count());
    const int n = static_cast<int>(logs.size());
    if (change && change(n, new_batch)) *changed = true;
    return n == at ? option : Option::kContinueProcessing;
  }

  int at = 0;
  Option option = Option::kContinueProcessing;
  std::function<bool(int n, WriteBatch* batch)> change;
  int told = 0;
  std::map<uint32_t, uint64_t> first_logs;
  std::map<std::string, uint32_t> family_ids;
  std::vector<uint64_t> logs;
  std::vector<std::string> paths;
  std::vector<uint32_t> counts;
};

// Four writes: a and b; c; d; e.
class WalFilterTest : public DBTest {
 protected:
  void Fill() {
    options_.avoid_flush_during_shutdown = true;
    Open();
    WriteBatch batch;
    ASSERT_OK(batch.Put("a", "1"));
    ASSERT_OK(batch.Put("b", "1"));
    ASSERT_OK(db_->Write(WriteOptions(), &batch));
    ASSERT_OK(Put("c", "1"));
    ASSERT_OK(Put("d", "1"));
    ASSERT_OK(Put("e", "1"));
    Shut();
  }
  void Recover() {
    options_.wal_filter = &filter_;
    Open();
    Shut();
    // What was recovered stays so without the filter.
    options_.wal_filter = nullptr;
    Open();
  }
  LogFilter filter_;
};

TEST_F(WalFilterTest, SeesEachWriteAndTheFamilies) {
  Open();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &handle));
  const uint32_t id = handle->GetID();
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put(handle, "b", "1"));
  ASSERT_OK(batch.Delete("c"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  ASSERT_OK(Put("d", "1"));
  delete handle;
  Shut();

  options_.wal_filter = &filter_;
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_OK(DB::Open(options_, dir_, {{"default", options_}, {"other", options_}}, &handles, &db_));
  for (ColumnFamilyHandle* each : handles) delete each;
  EXPECT_EQ(1, filter_.told);
  EXPECT_EQ((std::map<std::string, uint32_t>{{"default", 0}, {"other", id}}), filter_.family_ids);
  EXPECT_EQ(2u, filter_.first_logs.size());
  EXPECT_EQ((std::vector<uint32_t>{3, 1}), filter_.counts);
  ASSERT_EQ(2u, filter_.paths.size());
  EXPECT_EQ(filter_.paths[0], filter_.paths[1]);
  EXPECT_NE(std::string::npos, filter_.paths[0].find(std::to_string(filter_.logs[0]) + ".log"));
}

TEST_F(WalFilterTest, PassesAllByDefault) {
  Fill();
  Recover();
  EXPECT_EQ("a=1,b=1,c=1,d=1,e=1", Contents());
  EXPECT_EQ((std::vector<uint32_t>{2, 1, 1, 1}), filter_.counts);
}

TEST_F(WalFilterTest, DropsAWrite) {
  Fill();
  filter_.at = 1;
  filter_.option = Option::kIgnoreCurrentRecord;
  Recover();
  EXPECT_EQ("c=1,d=1,e=1", Contents());
  ASSERT_OK(Put("f", "1"));
  EXPECT_EQ("c=1,d=1,e=1,f=1", Contents());
}

TEST_F(WalFilterTest, DropsTheLastWrite) {
  Fill();
  filter_.at = 4;
  filter_.option = Option::kIgnoreCurrentRecord;
  Recover();
  EXPECT_EQ("a=1,b=1,c=1,d=1", Contents());
}

TEST_F(WalFilterTest, EndsTheHistory) {
  Fill();
  filter_.at = 2;
  filter_.option = Option::kStopReplay;
  Recover();
  EXPECT_EQ("a=1,b=1", Contents());
  EXPECT_EQ(2u, filter_.logs.size());
  // What is written next is there.
  ASSERT_OK(Put("f", "1"));
  Shut();
  Open();
  EXPECT_EQ("a=1,b=1,f=1", Contents());
}

TEST_F(WalFilterTest, EndsTheHistoryWithLaterLogs) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &other));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(db_->Put(WriteOptions(), other, "o", "1"));
  ASSERT_OK(db_->Flush(FlushOptions(), other));  // a new log; the older one has a and b
  ASSERT_OK(Put("c", "1"));
  delete other;
  CopyFiles(dir_, root_ + "/copy");
  Shut();
  dir_ = root_ + "/copy";

  filter_.at = 2;
  filter_.option = Option::kStopReplay;
  const auto open = [&] {
    Shut();
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_OK(
        DB::Open(options_, dir_, {{"default", options_}, {"other", options_}}, &handles, &db_));
    std::string value;
    EXPECT_OK(db_->Get(ReadOptions(), handles[1], "o", &value));
    for (ColumnFamilyHandle* each : handles) delete each;
  };
  options_.wal_filter = &filter_;
  open();
  EXPECT_EQ("a=1", Contents());
  ASSERT_OK(Put("d", "1"));
  options_.wal_filter = nullptr;
  open();
  EXPECT_EQ("a=1,d=1", Contents());
}

TEST_F(WalFilterTest, ChangesAWrite) {
  Fill();
  filter_.change = [](int n, WriteBatch* batch) {
    if (n != 1) return false;
    EXPECT_OK(batch->Put("x", "2"));
    return true;
  };
  Recover();
  EXPECT_EQ("c=1,d=1,e=1,x=2", Contents());
}

TEST_F(WalFilterTest, MayNotMakeMoreOfAWrite) {
  Fill();
  filter_.change = [](int n, WriteBatch* batch) {
    if (n != 2) return false;
    EXPECT_OK(batch->Put("x", "2"));
    EXPECT_OK(batch->Put("y", "2"));
    return true;
  };
  options_.wal_filter = &filter_;
  EXPECT_CODE(NotSupported, TryOpen());
  options_.wal_filter = nullptr;
  Open();
  EXPECT_EQ("a=1,b=1,c=1,d=1,e=1", Contents());
}

TEST_F(WalFilterTest, MayCallTheLogDamaged) {
  Fill();
  filter_.at = 2;
  filter_.option = Option::kCorruptedRecord;
  options_.wal_filter = &filter_;
  options_.wal_recovery_mode = WALRecoveryMode::kAbsoluteConsistency;
  EXPECT_CODE(Corruption, TryOpen());
  filter_.logs.clear();
  options_.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  Open();
  EXPECT_EQ("a=1,b=1", Contents());
}

TEST_F(WalFilterTest, IsAskedWhereADatabaseIsOpenedForReading) {
  Fill();
  filter_.at = 1;
  filter_.option = Option::kIgnoreCurrentRecord;
  options_.wal_filter = &filter_;
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_EQ("c=1,d=1,e=1", Contents());
  // Nothing became of the files.
  options_.wal_filter = nullptr;
  Open();
  EXPECT_EQ("a=1,b=1,c=1,d=1,e=1", Contents());
}

}  // namespace
}  // namespace conformance
