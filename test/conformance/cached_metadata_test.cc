// Indexes and filters in the block cache: what is charged, counted and pinned.
#include "conformance.h"

namespace conformance {
namespace {

// Bytes that may be pinned for what is no block.
constexpr uint64_t kNothing = 200;

class CachedMetadataTest : public DBTest {
 protected:
  CachedMetadataTest() {
    options_.disable_auto_compactions = true;
    options_.statistics = CreateDBStatistics();
    table_.cache_index_and_filter_blocks = true;
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
    table_.block_size = 1024;
  }
  // A database with one table in level 0.
  void Fill() {
    dir_ = root_ + "/db" + std::to_string(++databases_);
    cache_ = NewLRUCache(32 << 20, 0, false);
    table_.block_cache = cache_;
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    ASSERT_OK(options_.statistics->Reset());
    Open();
    Numbers numbers(5);
    for (int i = 0; i < 5000; i++) ASSERT_OK(Put(Key(i), numbers.Bytes(50)));
    ASSERT_OK(Flush());
    ASSERT_NE("NOT_FOUND", Get(Key(77)));
  }
  uint64_t Pinned() { return IntProperty("rocksdb.block-cache-pinned-usage"); }
  uint64_t Count(uint32_t ticker) { return options_.statistics->getAndResetTickerCount(ticker); }

  BlockBasedTableOptions table_;
  std::shared_ptr<Cache> cache_;
  int databases_ = 0;
};

TEST_F(CachedMetadataTest, TheyAreChargedToTheCacheAndNotToTheReaders) {
  Fill();
  const uint64_t cached = cache_->GetUsage();
  const uint64_t readers = IntProperty("rocksdb.estimate-table-readers-mem");
  EXPECT_EQ(IntProperty("rocksdb.block-cache-usage"), cached);
  table_.cache_index_and_filter_blocks = false;
  Fill();
  // 5000 keys of 10 bits, and an index of some 300 blocks.
  EXPECT_LT(cache_->GetUsage() + 9000, cached);
  EXPECT_GT(IntProperty("rocksdb.estimate-table-readers-mem"), readers + 9000);
}

TEST_F(CachedMetadataTest, ReadersAreChargedWhereTheOptionsSaySo) {
  table_.cache_index_and_filter_blocks = false;
  Fill();
  EXPECT_LT(Pinned(), 1000u);
  table_.cache_usage_options.options_overrides[CacheEntryRole::kBlockBasedTableReader].charged =
      CacheEntryRoleOptions::Decision::kEnabled;
  Fill();
  EXPECT_GE(Pinned(), IntProperty("rocksdb.estimate-table-readers-mem"));
  Shut();
  EXPECT_EQ(0u, cache_->GetPinnedUsage());
}

TEST_F(CachedMetadataTest, AStrictCacheWithoutRoomRefusesToOpenATable) {
  table_.cache_index_and_filter_blocks = false;
  Fill();
  Shut();
  table_.block_cache = NewLRUCache(100 << 10, 0, true);
  table_.cache_usage_options.options_overrides[CacheEntryRole::kBlockBasedTableReader].charged =
      CacheEntryRoleOptions::Decision::kEnabled;
  options_.table_factory.reset(NewBlockBasedTableFactory(table_));
  // When the database opens, or when the table is asked.
  Status s = TryOpen();
  std::string value;
  if (s.ok()) s = db_->Get(ReadOptions(), Key(77), &value);
  EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
}

TEST_F(CachedMetadataTest, WhatCannotBeChargedIsRefused) {
  table_.cache_usage_options.options_overrides[CacheEntryRole::kDataBlock].charged =
      CacheEntryRoleOptions::Decision::kEnabled;
  options_.table_factory.reset(NewBlockBasedTableFactory(table_));
  EXPECT_CODE(NotSupported, TryOpen());
  table_.cache_usage_options.options_overrides.clear();
  table_.cache_usage_options.options_overrides[CacheEntryRole::kFilterConstruction].charged =
      CacheEntryRoleOptions::Decision::kEnabled;
  table_.no_block_cache = true;
  table_.block_cache.reset();
  table_.cache_index_and_filter_blocks = false;
  options_.table_factory.reset(NewBlockBasedTableFactory(table_));
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(CachedMetadataTest, TickersTellThemApart) {
  Fill();
  EXPECT_GE(Count(BLOCK_CACHE_INDEX_ADD), 1u);
  EXPECT_GE(Count(BLOCK_CACHE_FILTER_ADD), 1u);
  EXPECT_GT(Count(BLOCK_CACHE_FILTER_BYTES_INSERT), 5000u);
  EXPECT_GT(Count(BLOCK_CACHE_INDEX_BYTES_INSERT), 1000u);
  ASSERT_OK(options_.statistics->Reset());
  ASSERT_NE("NOT_FOUND", Get(Key(77)));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_INDEX_HIT));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_FILTER_HIT));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_DATA_HIT));
  EXPECT_EQ(3u, Count(BLOCK_CACHE_HIT));
  EXPECT_EQ(0u, Count(BLOCK_CACHE_MISS));
  EXPECT_GT(Count(BLOCK_CACHE_BYTES_READ), 6000u);
  cache_->EraseUnRefEntries();
  ASSERT_NE("NOT_FOUND", Get(Key(77)));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_INDEX_MISS));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_FILTER_MISS));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_DATA_MISS));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_INDEX_ADD));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_FILTER_ADD));
  EXPECT_GT(Count(BLOCK_CACHE_BYTES_WRITE), 6000u);
}

TEST_F(CachedMetadataTest, WithoutItReadsDoNotLookThemUp) {
  table_.cache_index_and_filter_blocks = false;
  Fill();
  ASSERT_OK(options_.statistics->Reset());
  ASSERT_NE("NOT_FOUND", Get(Key(77)));
  EXPECT_EQ(0u, Count(BLOCK_CACHE_INDEX_HIT));
  EXPECT_EQ(0u, Count(BLOCK_CACHE_FILTER_HIT));
  EXPECT_EQ(1u, Count(BLOCK_CACHE_HIT));
}

TEST_F(CachedMetadataTest, FlushedTablesArePinnedIfAsked) {
  Fill();
  EXPECT_LT(Pinned(), kNothing);
  table_.pin_l0_filter_and_index_blocks_in_cache = true;
  Fill();
  const uint64_t pinned = Pinned();
  EXPECT_GT(pinned, 7000u);
  ASSERT_OK(options_.statistics->Reset());
  ASSERT_NE("NOT_FOUND", Get(Key(77)));
  EXPECT_EQ(0u, Count(BLOCK_CACHE_INDEX_HIT));
  EXPECT_EQ(0u, Count(BLOCK_CACHE_FILTER_HIT));
  cache_->EraseUnRefEntries();
  EXPECT_EQ(pinned, Pinned());
}

TEST_F(CachedMetadataTest, PinningByTier) {
  table_.pin_l0_filter_and_index_blocks_in_cache = true;
  MetadataCacheOptions& tiers = table_.metadata_cache_options;
  tiers.unpartitioned_pinning = PinningTier::kNone;
  Fill();
  EXPECT_LT(Pinned(), kNothing);
  table_.pin_l0_filter_and_index_blocks_in_cache = false;
  tiers.unpartitioned_pinning = PinningTier::kFlushedAndSimilar;
  Fill();
  EXPECT_GT(Pinned(), 7000u);
  tiers.unpartitioned_pinning = PinningTier::kAll;
  Fill();
  EXPECT_GT(Pinned(), 7000u);
}

TEST_F(CachedMetadataTest, PartitionsAndTopLevelsHaveTheirOwnTiers) {
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_.partition_filters = true;
  table_.metadata_block_size = 512;
  MetadataCacheOptions& tiers = table_.metadata_cache_options;
  Fill();
  const uint64_t top_levels = Pinned();
  EXPECT_GT(top_levels, kNothing);
  EXPECT_LT(top_levels, 6000u);
  tiers.partition_pinning = PinningTier::kAll;
  Fill();
  EXPECT_GT(Pinned(), top_levels + 5000);
  table_.pin_top_level_index_and_filter = false;
  tiers.partition_pinning = PinningTier::kFallback;
  Fill();
  EXPECT_LT(Pinned(), kNothing);
  tiers.top_level_index_pinning = PinningTier::kAll;
  Fill();
  EXPECT_NEAR(static_cast<double>(top_levels), static_cast<double>(Pinned()), 200);
  // Partitions are in the cache without cache_index_and_filter_blocks, too.
  table_.cache_index_and_filter_blocks = false;
  table_.pin_l0_filter_and_index_blocks_in_cache = true;
  Fill();
  EXPECT_GT(Pinned(), 5000u);
}

TEST_F(CachedMetadataTest, NoBlockCacheCannotHoldThem) {
  table_.no_block_cache = true;
  options_.table_factory.reset(NewBlockBasedTableFactory(table_));
  EXPECT_CODE(InvalidArgument, TryOpen());
  table_.cache_index_and_filter_blocks = false;
  table_.pin_l0_filter_and_index_blocks_in_cache = true;
  options_.table_factory.reset(NewBlockBasedTableFactory(table_));
  EXPECT_CODE(InvalidArgument, TryOpen());
}

}  // namespace
}  // namespace conformance
