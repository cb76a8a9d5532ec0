// RepairDB of databases whose keys have timestamps: what a reader at any moment sees, and the mark
// below which nobody reads.
#include <algorithm>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "rocksdb/comparator.h"

namespace cairn {
namespace {

using testing::kDbName;
using testing::Key;
using testing::Ts;

class TimestampsRepairTest : public testing::DbTest {
 protected:
  TimestampsRepairTest() {
    options_ = SmallOptions();
    options_.comparator = BytewiseComparatorWithU64Ts();
    options_.disable_auto_compactions = true;
  }
  void PutAt(const std::string& key, uint64_t ts, const std::string& value) {
    ASSERT_TRUE(db_->Put(WriteOptions(), key, Ts(ts), value).ok());
  }
  std::string GetAt(const std::string& key, uint64_t ts) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    std::string value;
    const Status s = db_->Get(options, key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  // "a=1,b=2".
  std::string ContentsAt(uint64_t ts) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += (text.empty() ? "" : ",") + it->key().ToString() + "=" + it->value().ToString();
    }
    return it->status().ok() ? text : it->status().ToString();
  }
  // The memtable becomes a table of this level.
  void FlushTo(int level) {
    Flush();
    ColumnFamilyMetaData meta;
    db_->GetColumnFamilyMetaData(&meta);
    ASSERT_TRUE(db_->CompactFiles(CompactionOptions(), {meta.levels[0].files[0].name}, level).ok());
  }
  void Lose(FileType type) {
    for (const std::string& path : disk_.Files(type)) {
      ASSERT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok()) << path;
    }
  }
  void Repair() {
    const Status s = RepairDB(kDbName, options_);
    ASSERT_TRUE(s.ok()) << s.ToString();
    Open(options_);
  }
  std::string Low() {
    std::string low;
    EXPECT_TRUE(db_->GetFullHistoryTsLow(db_->DefaultColumnFamily(), &low).ok());
    uint64_t number = 0;
    if (low.empty()) return "none";
    EXPECT_TRUE(DecodeU64Ts(low, &number).ok());
    return std::to_string(number);
  }

  Options options_;
};

// Each version of one key in a table of its own, the oldest in the deepest level, one in the log.
TEST_F(TimestampsRepairTest, VersionsStayInTheirOrder) {
  for (const bool manifest_is_lost : {false, true}) {
    SCOPED_TRACE(manifest_is_lost);
    Open(options_);
    PutAt("k", 1, "1");
    PutAt("other", 1, "o");
    FlushTo(4);
    PutAt("k", 3, "3");
    FlushTo(3);
    ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "j", "l", Ts(5)).ok());
    FlushTo(2);
    PutAt("k", 7, "7");
    Flush();
    PutAt("k", 9, "9");
    ASSERT_TRUE(db_->Delete(WriteOptions(), "other", Ts(9)).ok());
    Kill();
    if (manifest_is_lost) {
      Lose(FileType::kDescriptorFile);
      Lose(FileType::kCurrentFile);
    }
    Repair();
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ("k=1,other=o", ContentsAt(2));
      EXPECT_EQ("k=3,other=o", ContentsAt(4));
      EXPECT_EQ("other=o", ContentsAt(6));
      EXPECT_EQ("k=7,other=o", ContentsAt(8));
      EXPECT_EQ("k=9", ContentsAt(10));
      EXPECT_EQ("1", GetAt("k", 2));
      EXPECT_EQ("3", GetAt("k", 4));
      EXPECT_EQ("NOT_FOUND", GetAt("k", 6));
      EXPECT_EQ("7", GetAt("k", 8));
      EXPECT_EQ("9", GetAt("k", 10));
      Compact();
    }
    Close();
    ASSERT_TRUE(DestroyDB(kDbName, options_).ok());
  }
}

// A table of which some blocks are lost becomes another one, with its range tombstones.
TEST_F(TimestampsRepairTest, WhatIsSavedOfADamagedTableHasItsTimestamps) {
  Open(options_);
  for (uint64_t i = 0; i < 200; ++i) PutAt(Key(i), 2, "old" + std::string(40, 'x'));
  FlushTo(3);
  for (uint64_t i = 100; i < 300; ++i) PutAt(Key(i), 4, "new" + std::string(40, 'x'));
  ASSERT_TRUE(
      db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(50), Key(60), Ts(5)).ok());
  Flush();
  Close();
  // The footer of the newer one.
  std::vector<std::string> tables = disk_.Files(FileType::kTableFile);
  std::sort(tables.begin(), tables.end());
  uint64_t size = 0;
  ASSERT_TRUE(disk_.memory->GetFileSize(tables.back(), IOOptions(), &size, nullptr).ok());
  ASSERT_TRUE(disk_.memory->CorruptFile(tables.back(), size - 3, 1).ok());
  Repair();
  EXPECT_EQ("old" + std::string(40, 'x'), GetAt(Key(55), 4));
  EXPECT_EQ("NOT_FOUND", GetAt(Key(55), 5));
  EXPECT_EQ("NOT_FOUND", GetAt(Key(250), 3));
  EXPECT_EQ("old" + std::string(40, 'x'), GetAt(Key(150), 3));
  EXPECT_EQ("new" + std::string(40, 'x'), GetAt(Key(150), 4));
  EXPECT_EQ("new" + std::string(40, 'x'), GetAt(Key(250), 9));
}

TEST_F(TimestampsRepairTest, TablesWithoutTimestampsAreRefused) {
  options_.persist_user_defined_timestamps = false;
  options_.allow_concurrent_memtable_write = false;
  Open(options_);
  PutAt("k", 1, "1");
  Close();
  EXPECT_TRUE(RepairDB(kDbName, options_).IsNotSupported());
  Open(options_);
  EXPECT_EQ("1", GetAt("k", 2));
}

TEST_F(TimestampsRepairTest, TheMarkIsKeptWhereTheManifestSaysIt) {
  Open(options_);
  for (uint64_t ts = 1; ts <= 6; ++ts) PutAt("k", ts, std::to_string(ts));
  for (const uint64_t low : {2, 4}) {
    ASSERT_TRUE(db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), Ts(low)).ok());
  }
  Compact();
  Close();
  Lose(FileType::kCurrentFile);
  Repair();
  EXPECT_EQ("4", Low());
  EXPECT_NE(std::string::npos, GetAt("k", 3).find("full_history_ts_low"));
  EXPECT_EQ("4", GetAt("k", 4));
  EXPECT_EQ("6", GetAt("k", 9));
  Close();
  // Nothing else says it, as in RocksDB.
  Lose(FileType::kDescriptorFile);
  Lose(FileType::kCurrentFile);
  Repair();
  EXPECT_EQ("none", Low());
  EXPECT_EQ("4", GetAt("k", 4));
  EXPECT_EQ("6", GetAt("k", 9));
}

}  // namespace
}  // namespace cairn
