// BlockBasedTableOptions::prepopulate_block_cache: what flushes and compactions write is in the
// block cache before anybody reads it, and is what the file has.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/cache.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using testing::Key;
using Prepopulate = BlockBasedTableOptions::PrepopulateBlockCache;

class DbPrepopulateTest : public testing::DbTest {
 protected:
  DbPrepopulateTest() {
    table_.block_size = 1024;
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
    table_.block_cache = NewLRUCache(8 << 20);
    table_.prepopulate_block_cache = Prepopulate::kFlushOnly;
  }
  Options WarmOptions() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    options.statistics = statistics_ = CreateDBStatistics();
    options.table_factory.reset(NewBlockBasedTableFactory(table_));
    return options;
  }
  void Fill(int first, int last) {
    for (int i = first; i < last; ++i)
      Put(Key(i), std::string(60, static_cast<char>('a' + i % 26)));
  }
  // Whether all is in the cache, and what it should be.
  ::testing::AssertionResult IsAllCached() {
    ReadOptions options;
    options.read_tier = kBlockCacheTier;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    auto expected = model_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      if (expected == model_.end() || it->key() != expected->first ||
          it->value() != expected->second) {
        return ::testing::AssertionFailure() << "not the model's: " << it->key().ToString();
      }
    }
    if (!it->status().ok()) return ::testing::AssertionFailure() << it->status().ToString();
    if (expected != model_.end()) return ::testing::AssertionFailure() << "ends before the model";
    for (const auto& [key, value] : model_) {
      std::string found;
      const Status s = db_->Get(options, key, &found);
      if (!s.ok()) return ::testing::AssertionFailure() << key << ": " << s.ToString();
      if (found != value) return ::testing::AssertionFailure() << key << " has another value";
    }
    return ::testing::AssertionSuccess();
  }
  uint64_t Ticks(uint32_t ticker) { return statistics_->getTickerCount(ticker); }

  BlockBasedTableOptions table_;
  std::shared_ptr<Statistics> statistics_;
};

TEST_F(DbPrepopulateTest, WhatAFlushWritesIsThere) {
  Open(WarmOptions());
  Fill(0, 500);
  Flush();
  EXPECT_GT(Ticks(BLOCK_CACHE_DATA_ADD), 20u);
  EXPECT_EQ(Ticks(BLOCK_CACHE_DATA_ADD), Ticks(BLOCK_CACHE_ADD));
  EXPECT_EQ(Ticks(BLOCK_CACHE_DATA_BYTES_INSERT), Ticks(BLOCK_CACHE_BYTES_WRITE));
  EXPECT_TRUE(IsAllCached());
  EXPECT_EQ(0u, Ticks(BLOCK_CACHE_MISS));
}

TEST_F(DbPrepopulateTest, WithoutItNothingIs) {
  table_.prepopulate_block_cache = Prepopulate::kDisable;
  Open(WarmOptions());
  Fill(0, 500);
  Flush();
  EXPECT_EQ(0u, Ticks(BLOCK_CACHE_ADD));
  EXPECT_FALSE(IsAllCached());
}

TEST_F(DbPrepopulateTest, AllKindsOfTables) {
  const std::vector<std::pair<const char*, std::function<void(Options*)>>> kinds = {
      {"compressed", [&](Options* o) { o->compression = kLZ4Compression; }},
      {"compressed beside the builder",
       [&](Options* o) {
         o->compression = kZSTD;
         o->compression_opts.parallel_threads = 3;
       }},
      {"with a dictionary",
       [&](Options* o) {
         o->compression = kZSTD;
         o->compression_opts.max_dict_bytes = 4096;
       }},
      {"with hash indexes",
       [&](Options*) {
         table_.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
       }},
      {"protected", [&](Options* o) { o->block_protection_bytes_per_key = 8; }},
      {"aligned", [&](Options*) { table_.block_align = true; }},
      {"in partitions",
       [&](Options*) {
         table_.block_align = false;
         table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
         table_.partition_filters = true;
         table_.metadata_block_size = 128;
       }},
      {"in partitions, all cached", [&](Options*) { table_.cache_index_and_filter_blocks = true; }},
      {"of an old format", [&](Options*) { table_.format_version = 2; }},
      {"with first keys",
       [&](Options*) {
         table_.format_version = 6;
         table_.partition_filters = false;
         table_.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
       }},
  };
  for (const auto& [name, change] : kinds) {
    SCOPED_TRACE(name);
    db_.reset();
    model_.clear();
    ASSERT_TRUE(DestroyDB(testing::kDbName, SmallOptions()).ok());
    Options options = WarmOptions();
    change(&options);
    options.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open(options);
    Fill(0, 500);
    Flush();
    EXPECT_TRUE(IsAllCached());
    // (The top levels are read when the table is opened.)
    EXPECT_LE(Ticks(BLOCK_CACHE_MISS), 2u);
  }
}

TEST_F(DbPrepopulateTest, BlocksStayOfUseWhenTheDatabaseIsOpenedAgain) {
  Open(WarmOptions());
  Fill(0, 500);
  Flush();
  Open(WarmOptions());
  EXPECT_TRUE(IsAllCached());
}

TEST_F(DbPrepopulateTest, CompactionsHaveAModeOfTheirOwn) {
  Open(WarmOptions());
  Fill(0, 500);
  Flush();
  Fill(250, 750);
  Flush();
  EXPECT_TRUE(IsAllCached());
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  EXPECT_FALSE(IsAllCached());

  table_.prepopulate_block_cache = Prepopulate::kFlushAndCompaction;
  Open(WarmOptions());
  Fill(100, 200);
  Flush();
  CompactRangeOptions all;
  all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(all, nullptr, nullptr).ok());
  EXPECT_TRUE(IsAllCached());
}

// Else the comparison would be one of the memory with itself.
TEST_F(DbPrepopulateTest, WhatIsReadBackComesFromTheFile) {
  Options options = WarmOptions();
  options.paranoid_file_checks = true;
  Open(options);
  Fill(0, 500);
  Flush();
  EXPECT_EQ(0u, Ticks(BLOCK_CACHE_ADD));
  EXPECT_FALSE(IsAllCached());
}

TEST_F(DbPrepopulateTest, ACacheWithoutRoomLeavesThemOut) {
  table_.block_cache = NewLRUCache(4096, 0, /*strict_capacity_limit=*/true);
  Open(WarmOptions());
  Fill(0, 500);
  Flush();
  EXPECT_LE(table_.block_cache->GetUsage(), 4096u);
  EXPECT_FALSE(IsAllCached());
  for (const auto& [key, value] : model_) {
    std::string found;
    ReadOptions past;
    past.fill_cache = false;
    ASSERT_TRUE(db_->Get(past, key, &found).ok());
    EXPECT_EQ(value, found);
  }
}

TEST_F(DbPrepopulateTest, FamiliesShareACache) {
  Open(WarmOptions());
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(WarmOptions(), "other", &other).ok());
  Fill(0, 300);
  ASSERT_TRUE(db_->Put(WriteOptions(), other, Key(1), "another").ok());
  ASSERT_TRUE(db_->Flush(FlushOptions(), {db_->DefaultColumnFamily(), other}).ok());
  EXPECT_TRUE(IsAllCached());
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  std::string found;
  ASSERT_TRUE(db_->Get(cached, other, Key(1), &found).ok());
  EXPECT_EQ("another", found);
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
}

}  // namespace
}  // namespace cairn
