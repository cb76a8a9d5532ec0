// A database as its user sees it: what was written is read, over memtable, level 0 and the levels
// below, over snapshots, reopening and compaction. Iterators are in db_iterator_test.cc, files and
// options in db_admin_test.cc, failures in db_fault_test.cc.
#include <algorithm>

#include "db/testing/db_fixture.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::Value;

class DbBasicTest : public testing::DbTest {};

TEST_F(DbBasicTest, ReadsWhatWasWritten) {
  Open();
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  Put("a", "1");
  Put("", "the empty key");
  Put("b", "");
  Put(std::string("n\0n", 3), std::string("\0\xff", 2));
  Put("a", "2");
  Delete("b");
  Delete("never there");
  EXPECT_EQ(Get("a"), "2");
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  ExpectModel();
  Flush();
  ExpectModel();
}

TEST_F(DbBasicTest, SingleDeleteRemovesAKeyWrittenOnce) {
  Open();
  ASSERT_TRUE(db_->Put(WriteOptions(), "once", "v").ok());
  Flush();
  ASSERT_TRUE(db_->SingleDelete(WriteOptions(), "once").ok());
  EXPECT_EQ(Get("once"), "NOT_FOUND");
  Flush();
  Compact();
  EXPECT_EQ(Get("once"), "NOT_FOUND");
  EXPECT_TRUE(Scan().empty());
}

TEST_F(DbBasicTest, ReadsOverEveryLevel) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  EXPECT_EQ(FilesAtLevel(0), 2);
  ExpectModel();
  Compact();
  EXPECT_EQ(FilesAtLevel(0), 0);
  ExpectModel();
}

TEST_F(DbBasicTest, KeepsEverythingOverReopening) {
  Open();
  for (int round = 0; round < 4; ++round) {
    PutRange(round * 50, round * 50 + 200, round);
    Delete(Key(round * 50));
    if (round % 2 == 0) Flush();
    Close();
    Open();
    ExpectModel();
  }
}

TEST_F(DbBasicTest, KeepsLargeValuesAndKeys) {
  Open();
  Put("big", Value(1, 300000));  // more than a memtable
  Put(std::string(20000, 'k'), Value(2, 50000));
  Put("z", "small");
  ExpectModel();
  Close();
  Open();
  ExpectModel();
}

TEST_F(DbBasicTest, AppliesABatchAsAWhole) {
  Open();
  Put("gone", "x");
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Delete("gone").ok());
  ASSERT_TRUE(batch.Put("b", "2").ok());
  ASSERT_TRUE(batch.Delete("a").ok());
  ASSERT_TRUE(batch.Put("a", "3").ok());
  ASSERT_TRUE(batch.PutLogData("not data").ok());
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before + 5);
  const Contents expected = {{"a", "3"}, {"b", "2"}};
  ExpectContents(expected);
  Close();
  Open();
  ExpectContents(expected);
}

TEST_F(DbBasicTest, MultiGetAnswersEachKey) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  std::vector<std::string> names;
  for (uint64_t i = 0; i < 420; i += 3) names.push_back(Key(i));
  std::reverse(names.begin(), names.end());
  const std::vector<Slice> keys(names.begin(), names.end());
  std::vector<std::string> values;
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), keys, &values);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto it = model_.find(names[i]);
    if (it == model_.end()) {
      EXPECT_TRUE(statuses[i].IsNotFound()) << names[i];
    } else {
      ASSERT_TRUE(statuses[i].ok()) << statuses[i].ToString();
      EXPECT_EQ(values[i], it->second);
    }
  }
}

TEST_F(DbBasicTest, PinnedValuesOutliveFlushAndCompaction) {
  Open();
  PutRange(0, 100, 1, 500);
  Flush();
  PinnableSlice pinned;
  ASSERT_TRUE(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), Key(5), &pinned).ok());
  PutRange(0, 100, 2, 500);
  Flush();
  Compact();
  EXPECT_EQ(pinned.ToString(), Value(1000005, 500));
  pinned.Reset();
}

TEST_F(DbBasicTest, SnapshotsStayFixedOverFlushAndCompaction) {
  Open();
  std::vector<std::pair<const Snapshot*, Contents>> snapshots;
  for (int round = 0; round < 5; ++round) {
    PutRange(0, 150, round, 150);
    for (uint64_t i = round; i < 150; i += 5) Delete(Key(i));
    snapshots.emplace_back(db_->GetSnapshot(), model_);
    if (round == 1 || round == 3) Flush();
  }
  for (const auto& [snapshot, contents] : snapshots) ExpectContents(contents, snapshot);
  Compact();
  for (const auto& [snapshot, contents] : snapshots) ExpectContents(contents, snapshot);
  EXPECT_EQ(Property("num-snapshots"), "5");
  db_->ReleaseSnapshot(snapshots[1].first);
  snapshots.erase(snapshots.begin() + 1);
  PutRange(0, 150, 9, 150);
  Compact();
  for (const auto& [snapshot, contents] : snapshots) ExpectContents(contents, snapshot);
  for (const auto& entry : snapshots) db_->ReleaseSnapshot(entry.first);
  Compact();
  ExpectModel();
}

TEST_F(DbBasicTest, CloseRefusesWhileASnapshotLives) {
  Open();
  Put("a", "1");
  const Snapshot* snapshot = db_->GetSnapshot();
  EXPECT_TRUE(db_->Close().IsAborted());
  EXPECT_EQ(Get("a"), "1");
  db_->ReleaseSnapshot(snapshot);
  Close();
}

TEST_F(DbBasicTest, CloseKeepsWhatSkippedTheLog) {
  Open();
  WriteOptions no_log;
  no_log.disableWAL = true;
  for (uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(db_->Put(no_log, Key(i), "unlogged").ok());
  Close();
  Open();
  for (uint64_t i = 0; i < 50; ++i) EXPECT_EQ(Get(Key(i)), "unlogged");
  WriteOptions contradiction = no_log;
  contradiction.sync = true;
  EXPECT_TRUE(db_->Put(contradiction, "k", "v").IsInvalidArgument());
}

TEST_F(DbBasicTest, ManualWalFlushKeepsWhatFlushWalSaw) {
  Options options = SmallOptions();
  options.manual_wal_flush = true;
  Open(options);
  Put("a", "1");
  ASSERT_TRUE(db_->FlushWAL(/*sync=*/false).ok());
  ASSERT_TRUE(db_->SyncWAL().ok());
  Kill();
  Open(options);
  EXPECT_EQ(Get("a"), "1");
  Put("b", "2");
  Close();  // flushes what it still has
  Open(options);
  EXPECT_EQ(Get("b"), "2");
}

}  // namespace
}  // namespace cairn
