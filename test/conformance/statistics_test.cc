// What Statistics counts beyond the reads and writes that other tests look at.
#include "rocksdb/statistics.h"

#include "conformance.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/transaction_log.h"

namespace conformance {
namespace {

class StatisticsConformanceTest : public DBTest {
 protected:
  StatisticsConformanceTest() {
    options_.statistics = CreateDBStatistics();
    options_.disable_auto_compactions = true;
  }
  uint64_t Ticks(Tickers ticker) { return options_.statistics->getTickerCount(ticker); }
  HistogramData Of(Histograms type) {
    HistogramData data;
    options_.statistics->histogramData(type, &data);
    return data;
  }
  uint64_t Times(Histograms type) { return Of(type).count; }
  void Fill(int from, int to, size_t size = 100) {
    for (int i = from; i < to; ++i) {
      ASSERT_OK(Put(Key(i), Numbers(static_cast<uint64_t>(i)).Bytes(size)));
    }
  }
};

TEST_F(StatisticsConformanceTest, SeeksAreTimed) {
  Open();
  Fill(0, 10);
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(3));
  it->SeekForPrev(Key(5));
  it->SeekToFirst();
  it->SeekToLast();
  EXPECT_EQ(2u, Times(DB_SEEK));
  EXPECT_EQ(4u, Ticks(NUMBER_DB_SEEK));
}

TEST_F(StatisticsConformanceTest, TimesAreLeftOutWhereTheLevelSaysSo) {
  options_.statistics->set_stats_level(StatsLevel::kExceptTimers);
  Open();
  Fill(0, 10);
  ASSERT_OK(Flush());
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(3));
  EXPECT_EQ(0u, Times(DB_SEEK));
  EXPECT_EQ(0u, Times(SST_READ_MICROS));
  EXPECT_EQ(0u, Times(TABLE_SYNC_MICROS));
  EXPECT_EQ(1u, Ticks(NUMBER_DB_SEEK));
}

TEST_F(StatisticsConformanceTest, FilesAreTimed) {
  Open();
  EXPECT_LT(0u, Times(MANIFEST_FILE_SYNC_MICROS));
  Fill(0, 100);
  ASSERT_OK(Flush());
  EXPECT_EQ(1u, Times(TABLE_SYNC_MICROS));
  EXPECT_EQ(0u, Times(COMPACTION_OUTFILE_SYNC_MICROS));
  EXPECT_LT(0u, Times(TABLE_OPEN_IO_MICROS));
  EXPECT_LT(0u, Times(WRITE_RAW_BLOCK_MICROS));
  Fill(50, 150);
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ(2u, Times(TABLE_SYNC_MICROS));
  EXPECT_EQ(1u, Times(COMPACTION_OUTFILE_SYNC_MICROS));
  EXPECT_LT(0u, Times(SST_READ_MICROS));
  Open();
  const uint64_t before = Times(READ_BLOCK_GET_MICROS);
  EXPECT_NE("NOT_FOUND", Get(Key(20)));
  EXPECT_LT(before, Times(READ_BLOCK_GET_MICROS));
}

TEST_F(StatisticsConformanceTest, ReadsByLevel) {
  options_.num_levels = 3;
  options_.level_compaction_dynamic_level_bytes = false;
  options_.target_file_size_base = 1 << 20;
  Open();
  Fill(0, 100);
  ASSERT_OK(Flush());
  CompactRangeOptions to_the_last;
  to_the_last.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  to_the_last.change_level = true;
  to_the_last.target_level = 2;
  ASSERT_OK(db_->CompactRange(to_the_last, nullptr, nullptr));
  ASSERT_EQ(1, FilesAtLevel(2));
  Open();
  const uint64_t last = Ticks(LAST_LEVEL_READ_COUNT), bytes = Ticks(LAST_LEVEL_READ_BYTES);
  const uint64_t others = Ticks(NON_LAST_LEVEL_READ_COUNT);
  EXPECT_NE("NOT_FOUND", Get(Key(20)));
  EXPECT_LT(last, Ticks(LAST_LEVEL_READ_COUNT));
  EXPECT_LT(bytes + 4000, Ticks(LAST_LEVEL_READ_BYTES));
  EXPECT_EQ(others, Ticks(NON_LAST_LEVEL_READ_COUNT));
}

TEST_F(StatisticsConformanceTest, Compactions) {
  Open();
  Fill(0, 100);
  ASSERT_OK(Flush());
  Fill(0, 10);
  ASSERT_OK(Delete(Key(50)));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(90), Key(95)));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ(16u, Ticks(COMPACTION_KEY_DROP_NEWER_ENTRY));  // with those of the range
  EXPECT_EQ(2u, Ticks(COMPACTION_KEY_DROP_OBSOLETE));      // with the range
  EXPECT_EQ(5u, Ticks(COMPACTION_KEY_DROP_RANGE_DEL));
  EXPECT_EQ(1u, Ticks(COMPACTION_RANGE_DEL_DROP_OBSOLETE));
  EXPECT_EQ(0u, Ticks(COMPACTION_OPTIMIZED_DEL_DROP_OBSOLETE));
  EXPECT_EQ(1u, Times(COMPACTION_TIME));
  EXPECT_EQ(1u, Times(COMPACTION_CPU_TIME));
}

TEST_F(StatisticsConformanceTest, WhatAFlushLeavesOut) {
  Open();
  for (int round = 0; round < 4; ++round) Fill(0, 10);
  ASSERT_OK(Flush());
  constexpr uint64_t kEntry = 9 + 8 + 100;
  EXPECT_EQ(40 * kEntry, Ticks(MEMTABLE_PAYLOAD_BYTES_AT_FLUSH));
  EXPECT_EQ(30 * kEntry, Ticks(MEMTABLE_GARBAGE_BYTES_AT_FLUSH));
}

TEST_F(StatisticsConformanceTest, MultiGetsHaveASize) {
  Open();
  Fill(0, 10);
  const std::string first = Key(0), second = Key(1), none = "none";
  std::vector<std::string> values;
  db_->MultiGet(ReadOptions(), {first, second, none}, &values);
  EXPECT_EQ(1u, Times(BYTES_PER_MULTIGET));
  EXPECT_EQ(200u, Of(BYTES_PER_MULTIGET).sum);
}

TEST_F(StatisticsConformanceTest, CompressedBlocks) {
  options_.compression = kSnappyCompression;
  options_.statistics->set_stats_level(StatsLevel::kAll);
  Open();
  for (int i = 0; i < 1000; ++i) ASSERT_OK(Put(Key(i), std::string(100, 'x')));
  ASSERT_OK(Flush());
  EXPECT_LT(0u, Times(COMPRESSION_TIMES_NANOS));
  EXPECT_LT(0u, Ticks(NUMBER_BLOCK_COMPRESSED));
  EXPECT_NE("NOT_FOUND", Get(Key(20)));
  EXPECT_LT(0u, Times(DECOMPRESSION_TIMES_NANOS));
  EXPECT_LT(0u, Ticks(NUMBER_BLOCK_DECOMPRESSED));
}

TEST_F(StatisticsConformanceTest, UsersFunctionsAreTimed) {
  class Slow : public CompactionFilter {
   public:
    const char* Name() const override { return "Slow"; }
    bool Filter(int /*level*/, const Slice& key, const Slice& /*value*/, std::string* /*new*/,
                bool* /*changed*/) const override {
      TheEnv()->SleepForMicroseconds(1);
      return key == Key(3);
    }
  };
  class Joined : public AssociativeMergeOperator {
   public:
    const char* Name() const override { return "Joined"; }
    bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
               Logger* /*logger*/) const override {
      *result = (existing == nullptr ? "" : existing->ToString() + ",") + value.ToString();
      return true;
    }
  };
  const Slow filter;
  options_.compaction_filter = &filter;
  options_.merge_operator = std::make_shared<Joined>();
  options_.statistics->set_stats_level(StatsLevel::kAll);
  Open();
  Fill(0, 10);
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_LT(0u, Ticks(FILTER_OPERATION_TOTAL_TIME));
  EXPECT_EQ(1u, Ticks(COMPACTION_KEY_DROP_USER));
  ASSERT_OK(db_->Merge(WriteOptions(), "m", "1"));
  ASSERT_OK(db_->Merge(WriteOptions(), "m", "2"));
  EXPECT_EQ("1,2", Get("m"));
  EXPECT_LT(0u, Ticks(MERGE_OPERATION_TOTAL_TIME));
  Shut();
}

TEST_F(StatisticsConformanceTest, OtherCalls) {
  Open();
  Fill(0, 10);
  std::unique_ptr<TransactionLogIterator> it;
  ASSERT_OK(db_->GetUpdatesSince(1, &it));
  EXPECT_EQ(1u, Ticks(GET_UPDATES_SINCE_CALLS));
  ASSERT_OK(Flush());
  EXPECT_EQ(0u, Ticks(VERIFY_CHECKSUM_READ_BYTES));
  ASSERT_OK(db_->VerifyChecksum());
  EXPECT_LT(1000u, Ticks(VERIFY_CHECKSUM_READ_BYTES));
}

TEST_F(StatisticsConformanceTest, SkippedEntries) {
  Open();
  for (int round = 0; round < 3; ++round) Fill(0, 10, 10);
  ASSERT_OK(Delete(Key(4)));
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
    }
  }
  EXPECT_EQ(22u, Ticks(NUMBER_ITER_SKIP));
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
    }
  }
  EXPECT_EQ(44u, Ticks(NUMBER_ITER_SKIP));
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek(Key(4));
    it->Seek(Key(4));
    it->SeekForPrev(Key(4));
  }
  EXPECT_EQ(58u, Ticks(NUMBER_ITER_SKIP));
}

}  // namespace
}  // namespace conformance
