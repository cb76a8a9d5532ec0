// ClipColumnFamily, GetPropertiesOfTablesByLevel, WriteWithCallback, the sequence numbers that
// tables tell of: what came after RocksDB 7.8.
#include <memory>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "fiber/thread.h"
#include "rocksdb/user_write_callback.h"
#include "rocksdb/utilities/stackable_db.h"

namespace cairn {
namespace {

using testing::Key;

class DbWholeFamiliesTest : public testing::DbTest {
 protected:
  DbWholeFamiliesTest() { options_.disable_auto_compactions = true; }
  Status Clip(const std::string& begin, const std::string& end) {
    Status s = db_->ClipColumnFamily(db_->DefaultColumnFamily(), begin, end);
    if (s.ok()) {
      model_.erase(model_.begin(), model_.lower_bound(begin));
      model_.erase(model_.lower_bound(end), model_.end());
    }
    return s;
  }

  Options options_ = SmallOptions();
};

TEST_F(DbWholeFamiliesTest, AClippedFamilyHasTheRangeAlone) {
  Open(options_);
  FillAllLevels();
  ASSERT_TRUE(Clip(Key(100), Key(250)).ok());
  ExpectModel();
  Open(options_);
  ExpectModel();
  // What is written outside afterwards stays.
  Put(Key(5), "five");
  Put(Key(399), "last");
  ExpectModel();
}

TEST_F(DbWholeFamiliesTest, ClippingOfOneSideOrOfAll) {
  Open(options_);
  FillAllLevels();
  ASSERT_TRUE(Clip("", Key(300)).ok());
  ExpectModel();
  ASSERT_TRUE(Clip(Key(20), "z").ok());
  ExpectModel();
  ASSERT_TRUE(Clip("x", "y").ok());
  ExpectModel();
  EXPECT_TRUE(model_.empty());
  ASSERT_TRUE(Clip("a", "b").ok());  // nothing is there
  Put("a", "1");
  ASSERT_TRUE(Clip("a", "a").ok());
  ExpectModel();
}

TEST_F(DbWholeFamiliesTest, ClippingWithMemtablesAlone) {
  Open(options_);
  PutRange(0, 50, 1);
  ASSERT_TRUE(Clip(Key(10), Key(20)).ok());
  EXPECT_EQ(10u, model_.size());
  ExpectModel();
}

TEST_F(DbWholeFamiliesTest, ARangeThatEndsBeforeItBeginsIsRefused) {
  Open(options_);
  PutRange(0, 10, 1);
  EXPECT_TRUE(db_->ClipColumnFamily(db_->DefaultColumnFamily(), "b", "a").IsInvalidArgument());
  ExpectModel();
  ASSERT_TRUE(TryOpenReadOnly(options_).ok());
  EXPECT_TRUE(db_->ClipColumnFamily(db_->DefaultColumnFamily(), "a", "b").IsNotSupported());
}

TEST_F(DbWholeFamiliesTest, PropertiesOfTablesByLevel) {
  Open(options_);
  PutRange(0, 100, 1);
  Flush();
  Compact();
  PutRange(50, 60, 2);
  Flush();
  std::vector<std::unique_ptr<TablePropertiesCollection>> levels;
  ASSERT_TRUE(db_->GetPropertiesOfTablesByLevel(db_->DefaultColumnFamily(), &levels).ok());
  ASSERT_EQ(static_cast<size_t>(options_.num_levels), levels.size());
  size_t tables = 0;
  uint64_t entries = 0;
  for (const auto& level : levels) {
    tables += level->size();
    for (const auto& [path, properties] : *level) entries += properties->num_entries;
  }
  ASSERT_EQ(1u, levels[0]->size());
  EXPECT_EQ(10u, levels[0]->begin()->second->num_entries);
  EXPECT_EQ(110u, entries);
  TablePropertiesCollection all;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
  EXPECT_EQ(all.size(), tables);
}

TEST_F(DbWholeFamiliesTest, TablesTellTheirSequenceNumbers) {
  Open(options_);
  Put("a", "1");
  Put("b", "2");
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "x", "y").ok());
  const Snapshot* const snapshot = db_->GetSnapshot();  // they stay
  Flush();
  TablePropertiesCollection all;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
  ASSERT_EQ(1u, all.size());
  const TableProperties& properties = *all.begin()->second;
  EXPECT_TRUE(properties.HasKeyLargestSeqno() && properties.HasKeySmallestSeqno());
  EXPECT_EQ(3u, properties.key_largest_seqno);
  EXPECT_EQ(1u, properties.key_smallest_seqno);
  EXPECT_EQ(16u, properties.data_block_restart_interval);
  EXPECT_EQ(1u, properties.index_block_restart_interval);
  db_->ReleaseSnapshot(snapshot);
}

class Told final : public UserWriteCallback {
 public:
  explicit Told(DB* db) : db_(db) {}
  void OnWriteEnqueued() override { calls += "enqueued "; }
  void OnWalWriteFinish() override {
    std::string value;
    calls += "logged ";
    if (db_->Get(ReadOptions(), "a", &value).IsNotFound()) calls += "unseen ";
  }
  std::string calls;

 private:
  DB* const db_;
};

TEST_F(DbWholeFamiliesTest, AWriteTellsHowFarItIs) {
  for (const bool pipelined : {false, true}) {
    db_.reset();
    ASSERT_TRUE(DestroyDB(testing::kDbName, options_).ok());
    options_.enable_pipelined_write = pipelined;
    Open(options_);
    Told told(db_.get());
    WriteBatch batch;
    ASSERT_TRUE(batch.Put("a", "1").ok());
    ASSERT_TRUE(db_->WriteWithCallback(WriteOptions(), &batch, &told).ok());
    EXPECT_EQ("enqueued logged unseen ", told.calls);
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), "a", &value).ok());
    told.calls.clear();
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    ASSERT_TRUE(db_->WriteWithCallback(unlogged, &batch, &told).ok());
    EXPECT_EQ("enqueued ", told.calls);
    EXPECT_TRUE(db_->WriteWithCallback(WriteOptions(), &batch, nullptr).IsInvalidArgument());
  }
}

TEST_F(DbWholeFamiliesTest, AWriteThatWaitedForALockWasEnqueuedOnce) {
  Simulate([&] {
    Open(options_);
    Told told(db_.get());
    WriteBatch batch;
    ASSERT_TRUE(batch.Put("a", "1").ok());
    ASSERT_TRUE(db_->LockWAL().ok());
    fiber::Thread writer(
        "writer", [&] { EXPECT_TRUE(db_->WriteWithCallback(WriteOptions(), &batch, &told).ok()); });
    Sleep(1);
    EXPECT_EQ("enqueued ", told.calls);
    ASSERT_TRUE(db_->UnlockWAL().ok());
    writer.join();
    EXPECT_EQ("enqueued logged unseen ", told.calls);
  });
}

TEST_F(DbWholeFamiliesTest, WritersLockedOutGoWhenTheDatabaseCloses) {
  Simulate([&] {
    Open(options_);
    ASSERT_TRUE(db_->LockWAL().ok());
    Status s;
    fiber::Thread writer("writer", [&] { s = db_->Put(WriteOptions(), "a", "1"); });
    Sleep(1);
    EXPECT_TRUE(db_->Close().ok());
    writer.join();
    EXPECT_TRUE(s.IsShutdownInProgress()) << s.ToString();
  });
}

// A flush, and what else needs the log for itself, goes on meanwhile.
TEST_F(DbWholeFamiliesTest, AFlushIsNotHeldUpByALock) {
  Simulate([&] {
    Open(options_);
    Put("a", "1");
    ASSERT_TRUE(db_->LockWAL().ok());
    fiber::Thread writer("writer", [&] { EXPECT_TRUE(db_->Put(WriteOptions(), "b", "2").ok()); });
    Sleep(1);
    Flush();
    Compact();
    EXPECT_TRUE(db_->SyncWAL().ok());
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), "b", &value).IsNotFound());
    ASSERT_TRUE(db_->UnlockWAL().ok());
    writer.join();
    EXPECT_TRUE(db_->Get(ReadOptions(), "b", &value).ok());
  });
}

}  // namespace
}  // namespace cairn
