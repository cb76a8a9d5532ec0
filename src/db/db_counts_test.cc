// Tickers and histograms that RocksDB has since release 8: what they say of flushes, files that are
// read, blocks that are read ahead, prepared scans.
#include "db/testing/db_fixture.h"
#include "rocksdb/multi_scan.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

class DbCountsTest : public testing::DbTest {
 protected:
  Options Counted(size_t cache_bytes = 8 << 20) {
    Options options = SmallOptions();
    options.statistics = statistics_;
    options.disable_auto_compactions = true;
    BlockBasedTableOptions table;
    table.block_size = 1024;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.no_block_cache = cache_bytes == 0;
    if (cache_bytes != 0) table.block_cache = NewLRUCache(cache_bytes);
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }
  uint64_t Ticks(Tickers ticker) const { return statistics_->getTickerCount(ticker); }
  HistogramData Of(Histograms histogram) const {
    HistogramData data;
    statistics_->histogramData(histogram, &data);
    return data;
  }
  void Forget() { ASSERT_TRUE(statistics_->Reset().ok()); }

  const std::shared_ptr<Statistics> statistics_ = CreateDBStatistics();
};

TEST_F(DbCountsTest, FlushesByWhatAskedForThem) {
  Open(Counted());
  PutRange(0, 100, 1);
  Flush();
  EXPECT_EQ(Of(FLUSH_MEMTABLE_MEMORY_BYTES).count, 1u);
  EXPECT_GE(Of(FLUSH_MEMTABLE_MEMORY_BYTES).sum, Of(FLUSH_MEMTABLE_TOTAL_DATA_SIZE).sum);
  EXPECT_GE(Of(FLUSH_MEMTABLE_TOTAL_DATA_SIZE).sum, 100u * 109);
  EXPECT_EQ(Ticks(FLUSH_REASON_WRITE_BUFFER_FULL), 0u);
  PutRange(0, 2000, 2);
  WaitUntilIdle();
  const uint64_t full = Ticks(FLUSH_REASON_WRITE_BUFFER_FULL);
  EXPECT_GE(full, 2u);
  EXPECT_EQ(Of(FLUSH_WRITE_BUFFER_FULL_MEMTABLE_MEMORY_BYTES).count, full);
  EXPECT_EQ(Of(FLUSH_MEMTABLE_MEMORY_BYTES).count, full + 1);
  EXPECT_EQ(Ticks(FLUSH_REASON_WRITE_BUFFER_MANAGER), 0u);
  EXPECT_EQ(Ticks(ATOMIC_FLUSH_REQUEST_REASON_OTHER), 0u);
}

TEST_F(DbCountsTest, AtomicFlushesOnceForAllFamilies) {
  Options options = Counted();
  options.atomic_flush = true;
  Open(options);
  ColumnFamilyHandle* second = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options, "second", &second).ok());
  Put("a", "1");
  ASSERT_TRUE(db_->Put(WriteOptions(), second, "b", "2").ok());
  Forget();
  Flush();
  EXPECT_EQ(Ticks(ATOMIC_FLUSH_REQUEST_REASON_OTHER), 1u);
  EXPECT_EQ(Ticks(ATOMIC_FLUSH_REQUEST_REASON_WRITE_BUFFER_FULL), 0u);
  EXPECT_EQ(Of(FLUSH_MEMTABLE_MEMORY_BYTES).count, 2u) << "a flush of each family";
  for (uint64_t i = 0; i < 1000; ++i) Put(Key(i), Value(i, 100));
  WaitUntilIdle();
  EXPECT_GE(Ticks(ATOMIC_FLUSH_REQUEST_REASON_WRITE_BUFFER_FULL), 1u);
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(second).ok());
}

TEST_F(DbCountsTest, ReadsOfFilesByWhatTheyAreFor) {
  statistics_->set_stats_level(StatsLevel::kAll);
  Options options = Counted(/*cache_bytes=*/0);
  options.max_open_files = -1;
  Open(options);
  PutRange(0, 300, 1);
  Flush();
  PutRange(100, 200, 2);
  Flush();
  EXPECT_EQ(Get(Key(5)), model_[Key(5)]);
  const uint64_t of_get = Of(FILE_READ_GET_MICROS).count;
  EXPECT_GE(of_get, 1u);
  EXPECT_EQ(Of(FILE_READ_DB_ITERATOR_MICROS).count, 0u);
  Scan();
  EXPECT_GE(Of(FILE_READ_DB_ITERATOR_MICROS).count, 10u);
  EXPECT_EQ(Of(FILE_READ_GET_MICROS).count, of_get);
  const std::string first = Key(1), second = Key(250);
  const Slice sought[] = {first, second};
  PinnableSlice values[2];
  Status statuses[2];
  db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), 2, sought, values, statuses);
  ASSERT_TRUE(statuses[0].ok() && statuses[1].ok());
  EXPECT_GE(Of(FILE_READ_MULTIGET_MICROS).count, 1u);
  EXPECT_EQ(Of(FILE_READ_GET_MICROS).count, of_get);
  ASSERT_TRUE(db_->VerifyChecksum().ok());
  EXPECT_GE(Of(FILE_READ_VERIFY_DB_CHECKSUM_MICROS).count, 2u);
  EXPECT_EQ(Of(FILE_READ_COMPACTION_MICROS).count, 0u);
  Compact();
  EXPECT_GE(Of(FILE_READ_COMPACTION_MICROS).count, 2u);
  EXPECT_GE(Of(COMPACTION_PREFETCH_BYTES).count, 2u);
  Forget();
  statistics_->set_stats_level(StatsLevel::kExceptDetailedTimers);
  Open(options);
  EXPECT_GE(Of(FILE_READ_DB_OPEN_MICROS).count, 1u);
  EXPECT_GE(Of(TABLE_OPEN_PREFETCH_TAIL_READ_BYTES).count, 1u);
  EXPECT_GE(Ticks(TABLE_OPEN_PREFETCH_TAIL_HIT), 2u) << "footer, properties, index, filter";
  EXPECT_EQ(Get(Key(5)), model_[Key(5)]);
  EXPECT_EQ(Of(FILE_READ_GET_MICROS).count, 0u) << "that would be a detail";
}

TEST_F(DbCountsTest, WritesOfARecoveryAreTheOpenings) {
  Options options = Counted();
  options.avoid_flush_during_shutdown = true;
  Open(options);
  PutRange(0, 100, 1);
  Kill();
  Forget();
  Open(options);
  Flush();
  const uint64_t writes = Of(FILE_WRITE_DB_OPEN_MICROS).count + Of(FILE_WRITE_FLUSH_MICROS).count;
  EXPECT_EQ(writes, Of(SST_WRITE_MICROS).count);
  EXPECT_GE(Of(FILE_WRITE_DB_OPEN_MICROS).count, 1u);
  ExpectModel();
}

TEST_F(DbCountsTest, SeeksByLevelAndFilter) {
  Options options = Counted();
  options.num_levels = 2;
  options.prefix_extractor.reset(NewFixedPrefixTransform(6));  // "key000"
  Open(options);
  PutRange(0, 200, 1);
  Flush();
  CompactRangeOptions rewritten;  // to the last level
  rewritten.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(rewritten, nullptr, nullptr).ok());
  PutRange(1000, 1200, 1);
  Flush();
  Forget();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(10));  // "key000": the table of level 0 has "key001"
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Ticks(LAST_LEVEL_SEEK_FILTER_MATCH), 1u);
  EXPECT_EQ(Ticks(LAST_LEVEL_SEEK_DATA), 1u);
  EXPECT_EQ(Ticks(LAST_LEVEL_SEEK_FILTERED), 0u);
  EXPECT_EQ(Ticks(NON_LAST_LEVEL_SEEK_FILTERED), 1u);
  EXPECT_EQ(Ticks(NON_LAST_LEVEL_SEEK_DATA), 0u);
  it->Seek(Key(1010));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Ticks(NON_LAST_LEVEL_SEEK_FILTER_MATCH), 1u);
  EXPECT_EQ(Ticks(NON_LAST_LEVEL_SEEK_DATA), 1u);
}

TEST_F(DbCountsTest, WhatIteratorsReadAhead) {
  Options options = Counted(/*cache_bytes=*/0);
  Open(options);
  PutRange(0, 400, 1);
  Flush();
  Forget();
  ReadOptions ahead;
  ahead.readahead_size = 16 << 10;
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ahead));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
    }
    ASSERT_TRUE(it->status().ok());
  }
  EXPECT_GE(Ticks(PREFETCH_BYTES), 400u * 100);
  EXPECT_GE(Ticks(PREFETCH_HITS), 20u) << "blocks of 1 KiB, 16 at a time";
  EXPECT_GE(Ticks(PREFETCH_BYTES_USEFUL), 20u * 1000);
  EXPECT_LE(Ticks(PREFETCH_BYTES_USEFUL), Ticks(PREFETCH_BYTES));
  Forget();
  EXPECT_EQ(Get(Key(7)), model_[Key(7)]);
  EXPECT_EQ(Ticks(PREFETCH_BYTES), 0u);
}

TEST_F(DbCountsTest, PreparedScans) {
  Options options = Counted();
  Open(options);
  PutRange(0, 400, 1);
  Flush();
  Forget();
  const auto scan = [this](bool whole) {
    const std::string from = Key(10), to = Key(30), from2 = Key(300), to2 = Key(320);
    MultiScanArgs args(BytewiseComparator());
    args.insert(from, to);
    args.insert(from2, to2);
    size_t seen = 0;
    const auto scans = db_->NewMultiScan(ReadOptions(), db_->DefaultColumnFamily(), args);
    for (auto range : *scans) {
      for (const auto& entry : range) seen += entry.first.empty() ? 0 : 1;
      if (!whole) break;
    }
    return seen;
  };
  EXPECT_EQ(scan(/*whole=*/true), 40u);
  EXPECT_EQ(Ticks(MULTISCAN_PREPARE_CALLS), 1u);
  EXPECT_EQ(Ticks(MULTISCAN_PREPARE_ERRORS), 0u);
  const uint64_t blocks = Ticks(MULTISCAN_BLOCKS_PREFETCHED);
  EXPECT_GE(blocks, 4u);
  EXPECT_EQ(Of(MULTISCAN_BLOCKS_PER_PREPARE).sum, blocks);
  EXPECT_EQ(Ticks(MULTISCAN_BLOCKS_FROM_CACHE), 0u);
  EXPECT_EQ(Ticks(MULTISCAN_IO_REQUESTS), 2u) << "each range is one read";
  EXPECT_GE(Ticks(MULTISCAN_PREFETCH_BYTES), 40u * 100);
  const uint64_t wasted = Ticks(MULTISCAN_PREFETCH_BLOCKS_WASTED);
  EXPECT_LE(wasted, 2u) << "at the ends of the ranges";
  EXPECT_EQ(Of(MULTISCAN_PREPARE_MICROS).count, 1u);
  EXPECT_EQ(scan(/*whole=*/false), 20u);
  EXPECT_EQ(Ticks(MULTISCAN_BLOCKS_FROM_CACHE), blocks) << "they are cached now";
  EXPECT_EQ(Ticks(MULTISCAN_BLOCKS_PREFETCHED), blocks);
  EXPECT_GT(Ticks(MULTISCAN_PREFETCH_BLOCKS_WASTED), wasted) << "of what nobody looked at";
}

TEST_F(DbCountsTest, SecondaryHitsByKind) {
  Options options = Counted();
  LRUCacheOptions cache;
  cache.capacity = 4 << 10;  // nothing stays
  cache.num_shard_bits = 0;
  cache.secondary_cache = NewCompressedSecondaryCache(8 << 20, 0);
  BlockBasedTableOptions table;
  table.block_size = 1024;
  table.block_cache = NewLRUCache(cache);
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  PutRange(0, 400, 1);
  Flush();
  for (int round = 0; round < 4; ++round) {
    for (uint64_t i = 0; i < 400; i += 5) ASSERT_EQ(Get(Key(i)), model_[Key(i)]);
  }
  EXPECT_GT(Ticks(SECONDARY_CACHE_DATA_HITS), 0u);
  EXPECT_EQ(Ticks(SECONDARY_CACHE_HITS), Ticks(SECONDARY_CACHE_DATA_HITS) +
                                             Ticks(SECONDARY_CACHE_INDEX_HITS) +
                                             Ticks(SECONDARY_CACHE_FILTER_HITS));
}

TEST_F(DbCountsTest, ADamagedFooter) {
  Open(Counted());
  PutRange(0, 50, 1);
  Flush();
  Close();
  const std::string table = disk_.Files(FileType::kTableFile).front();
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), table, &bytes).ok());
  bytes.back() = static_cast<char>(bytes.back() ^ 0x55);  // the magic number
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, table, /*sync=*/true).ok());
  Options options = Counted();
  options.paranoid_checks = false;
  Open(options);
  EXPECT_NE(Get(Key(1)), model_[Key(1)]);
  EXPECT_GE(Ticks(SST_FOOTER_CORRUPTION_COUNT), 1u);
}

TEST_F(DbCountsTest, IngestionsThatGoWell) {
  Options options = Counted();
  Open(options);
  const std::string path = std::string(testing::kDbName) + "/outside";
  SstFileWriter writer(EnvOptions(), options);
  ASSERT_TRUE(writer.Open(path).ok());
  ASSERT_TRUE(writer.Put("a", "1").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_FALSE(db_->IngestExternalFile({path + "none"}, IngestExternalFileOptions()).ok());
  EXPECT_EQ(Of(INGEST_EXTERNAL_FILE_PREPARE_TIME).count, 0u);
  ASSERT_TRUE(db_->IngestExternalFile({path}, IngestExternalFileOptions()).ok());
  EXPECT_EQ(Of(INGEST_EXTERNAL_FILE_PREPARE_TIME).count, 1u);
  EXPECT_EQ(Of(INGEST_EXTERNAL_FILE_RUN_TIME).count, 1u);
  EXPECT_EQ(Get("a"), "1");
}

}  // namespace
}  // namespace cairn
