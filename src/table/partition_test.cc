// Indexes and filters in partitions: what is written is found again, in every version, and read no
// further than it is wanted.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rocksdb/statistics.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

void Partition(Harness* h, uint64_t metadata_block_size = 512) {
  h->table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  h->table_options.partition_filters = true;
  h->table_options.metadata_block_size = metadata_block_size;
  h->table_options.block_size = 512;
}

TEST(PartitionTest, ReadsBackEveryVersion) {
  uint64_t seed = 0;
  for (uint32_t version = 2; version <= 7; ++version) {
    for (const CompressionType compression : {kNoCompression, kLZ4Compression}) {
      SCOPED_TRACE("version " + std::to_string(version) + " compression " +
                   std::to_string(compression));
      Harness h;
      Partition(&h, 128 << seed % 5);
      h.table_options.format_version = version;
      h.table_options.index_block_restart_interval = static_cast<int>(1 + seed % 4);
      h.compression = compression;
      h.compression_opts.parallel_threads = seed % 3 == 0 ? 2 : 1;
      h.FillRandom(++seed, 4000);
      ASSERT_TRUE(h.Build().ok());
      EXPECT_GT(h.properties.index_partitions, 3u);
      EXPECT_GT(h.properties.top_level_index_size, 50u);
      EXPECT_GT(h.properties.index_size, h.properties.top_level_index_size);
      EXPECT_GT(h.properties.filter_size, 3000u);
      ASSERT_TRUE(h.Open().ok());
      h.CheckAll(seed);
      EXPECT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
      EXPECT_TRUE(h.table->HasFilter());
    }
  }
}

TEST(PartitionTest, ReadsBackTheReverseOrder) {
  Harness h(ReverseBytewiseComparator());
  Partition(&h);
  h.FillRandom(77, 3000);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(78);
}

TEST(PartitionTest, KeepsVersionsOfAKeyApartThatSpanPartitions) {
  for (const uint32_t version : {2u, 5u}) {
    Harness h;
    Partition(&h, 64);
    h.table_options.format_version = version;
    for (SequenceNumber s = 1; s <= 2000; ++s) h.Put("many", s, "value " + std::to_string(s));
    h.Put("a", 3000, "first");
    h.Put("z", 3000, "last");
    ASSERT_TRUE(h.Build().ok());
    EXPECT_EQ(h.properties.index_key_is_user_key, 0u);
    EXPECT_GT(h.properties.index_partitions, 10u);
    ASSERT_TRUE(h.Open().ok());
    h.CheckAll(5);
    for (SequenceNumber s = 0; s <= 2001; s += 3) h.CheckGet("many", s);
  }
}

TEST(PartitionTest, TakesAnEmptyTableAndOneOfOneKey) {
  Harness h;
  Partition(&h);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(1, 5);
  h.Put("k", 1, "v");
  ASSERT_TRUE(h.Build("/u.sst").ok());
  EXPECT_EQ(h.properties.index_partitions, 1u);
  ASSERT_TRUE(h.Open("/u.sst").ok());
  h.CheckAll(1, 20);
}

TEST(PartitionTest, FiltersAreInPartitionsOnlyWithTheIndex) {
  Harness h;
  Partition(&h);
  h.table_options.index_type = BlockBasedTableOptions::kBinarySearch;
  h.FillRandom(3, 2000);
  ASSERT_TRUE(h.Build().ok());
  EXPECT_FALSE(h.factory->options().partition_filters);
  EXPECT_EQ(h.properties.index_partitions, 0u);
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(4);
}

TEST(PartitionTest, ALookupReadsOneFilterPartitionAndNoData) {
  Harness h;
  Partition(&h);
  for (int i = 0; i < 20000; ++i) h.Put("key" + std::to_string(i), 1, "v");
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  Cache* const cache = h.factory->options().block_cache.get();
  EXPECT_EQ(cache->GetOccupancyCount(), 0u) << "the top levels are the reader's own";
  // Nine of ten lookups of keys that are not there end at one of the filter's partitions.
  int read_data = 0;
  for (int i = 0; i < 100; ++i) {
    h.CheckGet("key" + std::to_string(i * 199) + "x", 5);
    cache->EraseUnRefEntries();
    h.CheckGet("key" + std::to_string(i * 199) + "x", 5);
    if (cache->GetOccupancyCount() > 1) ++read_data;
    cache->EraseUnRefEntries();
  }
  EXPECT_LT(read_data, 10);
}

TEST(PartitionTest, DamageIsCorruption) {
  Harness h;
  Partition(&h);
  for (int i = 0; i < 5000; ++i) h.Put("key" + std::to_string(i), 1, "v");
  ASSERT_TRUE(h.Build().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&h.fs, "/t.sst", &bytes).ok());
  // Behind the data lie the filter's partitions, then the index's.
  for (uint64_t at = h.properties.data_size + 10; at + kFooterSize < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(WriteStringToFile(&h.fs, damaged, "/t.sst").ok());
    Status s = h.Open();
    if (s.ok()) s = h.table->VerifyChecksum(ReadOptions());
    EXPECT_FALSE(s.ok()) << at;
  }
}

// --- Pinning

// What of a table of each kind stays pinned in the cache: occupied entries after all that is not
// pinned was evicted.
class PinningTest : public ::testing::Test {
 protected:
  PinningTest() {
    h_.table_options.block_cache = NewLRUCache(8 << 20);
    for (int i = 0; i < 3000; ++i) h_.Put("key" + std::to_string(i), 1, "v");
  }
  Cache& cache() { return *h_.table_options.block_cache; }
  void Build() { ASSERT_TRUE(h_.Build().ok()); }
  // The partitions of index and filter, and their top levels.
  void BuildPartitioned() {
    Partition(&h_, 128);
    Build();
    ASSERT_GT(h_.properties.index_partitions, 3u);
  }
  size_t Pinned() {
    h_.table.reset();
    cache().EraseUnRefEntries();
    EXPECT_EQ(cache().GetOccupancyCount(), 0u);
    const Status s = h_.Open();
    EXPECT_TRUE(s.ok()) << s.ToString();
    cache().EraseUnRefEntries();
    const size_t pinned = cache().GetOccupancyCount();
    EXPECT_EQ(cache().GetPinnedUsage() > 0, pinned > 0);
    h_.CheckAll(5, 50);
    return pinned;
  }
  MetadataCacheOptions& metadata() { return h_.table_options.metadata_cache_options; }

  Harness h_;
};

TEST_F(PinningTest, WholeIndexesAndFiltersAreTheReadersOwnOutsideOfTheCache) {
  Build();
  EXPECT_EQ(Pinned(), 0u);
  const size_t owned = h_.table->ApproximateMemoryUsage();
  EXPECT_GT(owned, h_.properties.index_size + h_.properties.filter_size);
  EXPECT_TRUE(h_.table->FilterAndIndexArePinned());
  h_.table_options.cache_index_and_filter_blocks = true;
  EXPECT_EQ(Pinned(), 0u);
  EXPECT_LT(h_.table->ApproximateMemoryUsage(), owned - h_.properties.filter_size);
  EXPECT_FALSE(h_.table->FilterAndIndexArePinned());
}

TEST_F(PinningTest, WholeOnesGoByUnpartitionedPinning) {
  h_.table_options.cache_index_and_filter_blocks = true;
  h_.table_options.pin_l0_filter_and_index_blocks_in_cache = true;
  Build();
  EXPECT_EQ(Pinned(), 0u) << "the level is not known";
  h_.level = 0;
  EXPECT_EQ(Pinned(), 2u);
  EXPECT_TRUE(h_.table->FilterAndIndexArePinned());
  h_.max_flushed_file_size = h_.file_size;
  EXPECT_EQ(Pinned(), 2u);
  h_.max_flushed_file_size = h_.file_size - 1;
  EXPECT_EQ(Pinned(), 0u) << "too large for a flush";
  metadata().unpartitioned_pinning = PinningTier::kAll;
  EXPECT_EQ(Pinned(), 2u);
  h_.level = 3;
  EXPECT_EQ(Pinned(), 2u);
  metadata().unpartitioned_pinning = PinningTier::kFlushedAndSimilar;
  EXPECT_EQ(Pinned(), 0u);
  h_.level = 0;
  h_.max_flushed_file_size = UINT64_MAX;
  EXPECT_EQ(Pinned(), 2u);
  metadata().unpartitioned_pinning = PinningTier::kNone;
  EXPECT_EQ(Pinned(), 0u);
}

TEST_F(PinningTest, TopLevelsGoByTheirOwn) {
  h_.table_options.cache_index_and_filter_blocks = true;
  BuildPartitioned();
  EXPECT_EQ(Pinned(), 2u);
  h_.table_options.pin_top_level_index_and_filter = false;
  EXPECT_EQ(Pinned(), 0u);
  metadata().top_level_index_pinning = PinningTier::kFlushedAndSimilar;
  EXPECT_EQ(Pinned(), 0u);
  h_.level = 0;
  EXPECT_EQ(Pinned(), 2u);
  metadata().top_level_index_pinning = PinningTier::kAll;
  h_.level = 6;
  EXPECT_EQ(Pinned(), 2u);
  h_.table_options.pin_top_level_index_and_filter = true;
  metadata().top_level_index_pinning = PinningTier::kNone;
  EXPECT_EQ(Pinned(), 0u);
  EXPECT_FALSE(h_.table->FilterAndIndexArePinned());
}

TEST_F(PinningTest, PartitionsAreInTheCacheAndGoByTheirOwn) {
  h_.table_options.pin_l0_filter_and_index_blocks_in_cache = true;
  BuildPartitioned();
  EXPECT_EQ(Pinned(), 0u);
  h_.level = 0;
  const size_t partitions = Pinned();
  EXPECT_GT(partitions, h_.properties.index_partitions);
  EXPECT_TRUE(h_.table->FilterAndIndexArePinned());
  h_.table_options.cache_index_and_filter_blocks = true;
  EXPECT_EQ(Pinned(), partitions + 2);
  metadata().top_level_index_pinning = PinningTier::kNone;
  EXPECT_EQ(Pinned(), partitions);
  EXPECT_FALSE(h_.table->FilterAndIndexArePinned());
  metadata().partition_pinning = PinningTier::kNone;
  EXPECT_EQ(Pinned(), 0u);
  h_.level = 4;
  metadata().partition_pinning = PinningTier::kAll;
  EXPECT_EQ(Pinned(), partitions);
  h_.table.reset();
  EXPECT_EQ(cache().GetPinnedUsage(), 0u);
}

TEST_F(PinningTest, WhatIsPinnedIsNotLookedUp) {
  h_.statistics = CreateDBStatistics();
  h_.table_options.cache_index_and_filter_blocks = true;
  BuildPartitioned();
  const auto count = [this](uint32_t ticker) {
    return h_.statistics->getAndResetTickerCount(ticker);
  };
  EXPECT_EQ(Pinned(), 2u);
  h_.CheckGet("key77", 5);
  ASSERT_TRUE(h_.statistics->Reset().ok());
  h_.CheckGet("key77", 5);
  EXPECT_EQ(count(BLOCK_CACHE_INDEX_HIT), 1u);
  EXPECT_EQ(count(BLOCK_CACHE_FILTER_HIT), 1u);
  EXPECT_EQ(count(BLOCK_CACHE_DATA_HIT), 1u);
  EXPECT_EQ(count(BLOCK_CACHE_HIT), 3u);
  EXPECT_GT(count(BLOCK_CACHE_BYTES_READ), 512u);
  metadata().partition_pinning = PinningTier::kAll;
  h_.table.reset();
  cache().EraseUnRefEntries();
  ASSERT_TRUE(h_.statistics->Reset().ok());
  ASSERT_TRUE(h_.Open().ok());
  EXPECT_EQ(count(BLOCK_CACHE_ADD), cache().GetOccupancyCount());
  EXPECT_EQ(count(BLOCK_CACHE_INDEX_ADD) + count(BLOCK_CACHE_FILTER_ADD),
            cache().GetOccupancyCount());
  EXPECT_EQ(count(BLOCK_CACHE_BYTES_WRITE),
            count(BLOCK_CACHE_INDEX_BYTES_INSERT) + count(BLOCK_CACHE_FILTER_BYTES_INSERT));
  h_.CheckGet("key77", 5);
  EXPECT_EQ(count(BLOCK_CACHE_INDEX_HIT), 0u);
  EXPECT_EQ(count(BLOCK_CACHE_FILTER_HIT), 0u);
}

TEST_F(PinningTest, DamagedPartitionsShowAtOpening) {
  metadata().partition_pinning = PinningTier::kAll;
  BuildPartitioned();
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&h_.fs, "/t.sst", &bytes).ok());
  bytes[h_.properties.data_size + 20] ^= 1;  // the first partition of the filter
  ASSERT_TRUE(WriteStringToFile(&h_.fs, bytes, "/t.sst").ok());
  EXPECT_TRUE(h_.Open().IsCorruption());
  EXPECT_EQ(cache().GetPinnedUsage(), 0u);
}

}  // namespace
}  // namespace cairn
