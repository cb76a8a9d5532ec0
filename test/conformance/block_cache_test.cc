// Block caches that are not the plain LRU cache: the clock cache, and secondary caches.
#include <atomic>
#include <mutex>

#include "conformance.h"
#include "map_cache.h"
#include "rocksdb/secondary_cache.h"

namespace conformance {
namespace {

constexpr int kKeys = 4000;

class BlockCacheTest : public DBTest {
 protected:
  BlockCacheTest() {
    options_.disable_auto_compactions = true;
    options_.statistics = CreateDBStatistics();
    table_.block_size = 1024;
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
  }
  // A database whose one table lies in the file alone.
  void Fill(std::shared_ptr<Cache> cache) {
    ASSERT_NE(nullptr, cache);
    cache_ = std::move(cache);
    table_.block_cache = cache_;
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open();
    Numbers numbers(11);
    for (int i = 0; i < kKeys; i++) {
      values_[Key(i)] = numbers.Bytes(60) + std::string(60, 'v');
      ASSERT_OK(Put(Key(i), values_[Key(i)]));
    }
    ASSERT_OK(Flush());
    Open();
    ASSERT_OK(options_.statistics->Reset());
  }
  void ReadAll() {
    for (const auto& [key, value] : values_) ASSERT_EQ(value, Get(key));
  }
  void ReadAll(int passes) {
    for (int i = 0; i < passes; i++) ReadAll();
  }
  std::shared_ptr<Cache> SmallCache(std::shared_ptr<SecondaryCache> secondary) {
    LRUCacheOptions options(48 << 10, 0, false, 0.0);
    options.secondary_cache = std::move(secondary);
    return NewLRUCache(options);
  }
  uint64_t Count(uint32_t ticker) { return options_.statistics->getAndResetTickerCount(ticker); }

  BlockBasedTableOptions table_;
  std::shared_ptr<Cache> cache_;
  std::map<std::string, std::string> values_;
};

TEST_F(BlockCacheTest, ChecksumsAreCounted) {
  options_.statistics = CreateDBStatistics();
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a"));
  const auto count = [&] {
    return options_.statistics->getTickerCount(BLOCK_CHECKSUM_COMPUTE_COUNT);
  };
  const uint64_t before = count();
  EXPECT_GT(before, 0u);
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ(before + 1, count());
  ReadOptions unchecked;
  unchecked.verify_checksums = false;
  std::string value;
  ASSERT_OK(db_->Get(unchecked, "a", &value));
  EXPECT_EQ(before + 1, count());
}

TEST_F(BlockCacheTest, ANewClockCacheIsAnOrdinaryOne) {
  const std::shared_ptr<Cache> cache = NewClockCache(1 << 20);
  ASSERT_NE(nullptr, cache);
  EXPECT_EQ(size_t{1} << 20, cache->GetCapacity());
  BlockBasedTableOptions table;
  table.block_cache = cache;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a"));
  EXPECT_GT(cache->GetUsage(), 0u);
}

TEST_F(BlockCacheTest, AClockCacheHoldsWhatFits) {
  Fill(HyperClockCacheOptions(8 << 20, 1100).MakeSharedCache());
  ReadAll();
  EXPECT_GT(Count(BLOCK_CACHE_DATA_MISS), 400u);
  EXPECT_GT(cache_->GetUsage(), 400u * 1024);
  EXPECT_LE(cache_->GetUsage(), cache_->GetCapacity());
  ReadAll();
  EXPECT_EQ(0u, Count(BLOCK_CACHE_DATA_MISS));
  EXPECT_GE(Count(BLOCK_CACHE_DATA_HIT), static_cast<uint64_t>(kKeys));
}

TEST_F(BlockCacheTest, AClockCacheEvictsForRoom) {
  Fill(HyperClockCacheOptions(128 << 10, 1100, 0).MakeSharedCache());
  ReadAll(2);
  EXPECT_GT(Count(BLOCK_CACHE_DATA_MISS), 800u);
  EXPECT_LE(cache_->GetUsage(), cache_->GetCapacity() + (16 << 10));
  EXPECT_GT(cache_->GetUsage(), cache_->GetCapacity() / 4);
  cache_->SetCapacity(32 << 10);
  ReadAll();
  EXPECT_LE(cache_->GetUsage(), size_t{48} << 10);
}

TEST_F(BlockCacheTest, AClockCacheServesManyThreads) {
  Fill(HyperClockCacheOptions(256 << 10, 1100, 1).MakeSharedCache());
  std::atomic<int> wrong{0};
  std::vector<Thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&, t] {
      Numbers numbers(static_cast<uint64_t>(t));
      for (int i = 0; i < 10000; i++) {
        const std::string key = Key(static_cast<int>(numbers.Below(kKeys)));
        if (Get(key) != values_.at(key)) wrong++;
      }
    });
  }
  for (Thread& thread : threads) thread.join();
  EXPECT_EQ(0, wrong);
  EXPECT_LE(IntProperty("rocksdb.block-cache-pinned-usage"), 200u);  // not a block
}

TEST_F(BlockCacheTest, WhatIsEvictedComesBackFromTheCompressedCache) {
  Fill(SmallCache(NewCompressedSecondaryCache(8 << 20, 0)));
  ReadAll(5);
  EXPECT_GT(Count(SECONDARY_CACHE_HITS), 400u);
}

TEST_F(BlockCacheTest, TheCompressedCacheKeepsToItsCapacity) {
  const auto secondary = NewCompressedSecondaryCache(64 << 10, 0);
  size_t capacity = 0;
  ASSERT_OK(secondary->GetCapacity(capacity));
  EXPECT_EQ(size_t{64} << 10, capacity);
  Fill(SmallCache(secondary));
  ReadAll(5);
  ASSERT_OK(secondary->SetCapacity(0));
  Count(SECONDARY_CACHE_HITS);
  ReadAll(3);
  EXPECT_EQ(0u, Count(SECONDARY_CACHE_HITS));
}

TEST_F(BlockCacheTest, TheVolatileTierIsThePrimaryAlone) {
  options_.lowest_used_cache_tier = CacheTier::kVolatileTier;
  const auto secondary = std::make_shared<MapCache>();
  Fill(SmallCache(secondary));
  ReadAll(5);
  EXPECT_EQ(0u, Count(SECONDARY_CACHE_HITS));
  EXPECT_EQ(0, secondary->inserted());
  EXPECT_EQ(0, secondary->found());
}

TEST_F(BlockCacheTest, ASecondaryCacheOfOnesOwn) {
  const auto secondary = std::make_shared<MapCache>();
  Fill(SmallCache(secondary));
  ReadAll();
  EXPECT_GT(secondary->inserted(), 300);
  ReadAll(2);
  EXPECT_GT(secondary->found(), 300);
  EXPECT_EQ(static_cast<uint64_t>(secondary->found()), Count(SECONDARY_CACHE_HITS));
}

TEST_F(BlockCacheTest, IndexesAndFiltersGoThereToo) {
  table_.cache_index_and_filter_blocks = true;
  const auto secondary = std::make_shared<MapCache>();
  LRUCacheOptions options(16 << 10, 0, false, 0.0);
  options.secondary_cache = secondary;
  Fill(NewLRUCache(options));
  ReadAll(2);
  EXPECT_GT(secondary->found(), 300);
}

TEST_F(BlockCacheTest, IteratorsReadThroughIt) {
  const auto secondary = std::make_shared<MapCache>();
  Fill(SmallCache(secondary));
  for (int pass = 0; pass < 3; pass++) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    auto expected = values_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_EQ(expected->first, it->key().ToString());
      ASSERT_EQ(expected->second, it->value().ToString());
    }
    ASSERT_OK(it->status());
    ASSERT_EQ(values_.end(), expected);
  }
  EXPECT_GT(secondary->found(), 300);
}

}  // namespace
}  // namespace conformance
