// DeleteRange on files that can be looked at: what scans cost, what compactions leave, and what a
// table says of itself.
#include <gtest/gtest.h>

#include "db/testing/db_fixture.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/statistics.h"

namespace cairn::testing {
namespace {

class DbDeleteRangeTest : public DbTest {
 protected:
  Options RangeOptions() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    return options;
  }
  void Fill(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Value(i, 40)).ok());
    }
  }
  void DeleteRange(uint64_t begin, uint64_t end) {
    ASSERT_TRUE(
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(begin), Key(end)).ok());
  }
  void Flush() { ASSERT_TRUE(db_->Flush(FlushOptions()).ok()); }
  void Compact() { ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok()); }
  uint64_t CountKeys() {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    uint64_t count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return count;
  }
  uint64_t Tombstones() {
    TablePropertiesCollection properties;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&properties).ok());
    uint64_t count = 0;
    for (const auto& [name, of_table] : properties) count += of_table->num_range_deletions;
    return count;
  }
};

TEST_F(DbDeleteRangeTest, AScanSeeksOverWhatIsDeleted) {
  Options options = RangeOptions();
  options.statistics = CreateDBStatistics();
  ASSERT_TRUE(TryOpen(options).ok());
  Fill(5000);
  Flush();
  DeleteRange(10, 4990);
  for (const bool flushed : {false, true}) {
    if (flushed) Flush();
    // Of what is deleted a scan must not read all blocks.
    options.statistics->Reset().PermitUncheckedError();
    const uint64_t before = options.statistics->getTickerCount(BLOCK_CACHE_MISS) +
                            options.statistics->getTickerCount(BLOCK_CACHE_HIT);
    EXPECT_EQ(CountKeys(), 20u);
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    uint64_t backwards = 0;
    for (it->SeekToLast(); it->Valid(); it->Prev()) ++backwards;
    EXPECT_EQ(backwards, 20u);
    const uint64_t blocks = options.statistics->getTickerCount(BLOCK_CACHE_MISS) +
                            options.statistics->getTickerCount(BLOCK_CACHE_HIT) - before;
    EXPECT_LT(blocks, 30u);
  }
}

TEST_F(DbDeleteRangeTest, TombstonesGoWithWhatTheyDelete) {
  ASSERT_TRUE(TryOpen(RangeOptions()).ok());
  Fill(100);
  Flush();
  Compact();
  DeleteRange(20, 80);
  Flush();
  EXPECT_EQ(Tombstones(), 1u);
  EXPECT_EQ(CountKeys(), 40u);
  const Snapshot* snapshot = db_->GetSnapshot();
  Compact();
  EXPECT_EQ(Tombstones(), 0u) << "the snapshot is newer";
  EXPECT_EQ(CountKeys(), 40u);
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(DbDeleteRangeTest, AllOfATableMayBeTombstones) {
  ASSERT_TRUE(TryOpen(RangeOptions()).ok());
  Fill(100);
  const Snapshot* snapshot = db_->GetSnapshot();
  Flush();
  DeleteRange(0, 1000);
  Flush();
  EXPECT_EQ(CountKeys(), 0u);
  ASSERT_TRUE(TryOpen(RangeOptions()).ok());  // (the snapshot goes with the database)
  static_cast<void>(snapshot);
  EXPECT_EQ(CountKeys(), 0u);
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), Key(5), &value).IsNotFound());
  ASSERT_TRUE(db_->VerifyChecksum().ok());
  Compact();
  EXPECT_EQ(CountKeys(), 0u);
}

TEST_F(DbDeleteRangeTest, MergeOperandsStandOnNothingWhereItIsDeleted) {
  Options options = RangeOptions();
  ASSERT_TRUE(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
          .ok());
  ASSERT_TRUE(TryOpen(options).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), Key(1), "old").ok());
  ASSERT_TRUE(db_->Merge(WriteOptions(), Key(1), "hidden").ok());
  Flush();
  for (int round = 0; round < 2; ++round) {
    DeleteRange(0, 9);
    if (round == 1) Flush();
    ASSERT_TRUE(db_->Merge(WriteOptions(), Key(1), "1").ok());
    ASSERT_TRUE(db_->Merge(WriteOptions(), Key(1), "2").ok());
    for (int step = 0; step < 3; ++step) {
      std::string value;
      ASSERT_TRUE(db_->Get(ReadOptions(), Key(1), &value).ok());
      EXPECT_EQ(value, "1,2");
      const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      it->SeekToLast();
      ASSERT_TRUE(it->Valid());
      EXPECT_EQ(it->value(), "1,2");
      it->SeekToFirst();
      ASSERT_TRUE(it->Valid());
      EXPECT_EQ(it->value(), "1,2");
      step == 0 ? Flush() : Compact();
    }
  }
}

}  // namespace
}  // namespace cairn::testing
