// One budget: a block cache that is charged for all other memory of its databases, too.
#include <memory>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): all of it is for us

using Decision = CacheEntryRoleOptions::Decision;

class DbMemoryBudgetTest : public DbTest {
 protected:
  static BlockBasedTableOptions TableOptions(std::shared_ptr<Cache> cache, Decision readers) {
    BlockBasedTableOptions table;
    table.block_cache = std::move(cache);
    table.filter_policy.reset(NewBloomFilterPolicy(16));
    table.cache_usage_options.options_overrides[CacheEntryRole::kBlockBasedTableReader].charged =
        readers;
    return table;
  }
  static Options WithTables(Options options, const BlockBasedTableOptions& table) {
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }
  // `files` files of `keys` keys each, whose filters and indexes are worth a charge.
  void Fill(int files, int keys) {
    for (int f = 0; f < files; ++f) {
      for (int i = 0; i < keys; ++i) {
        Put(Key(static_cast<uint64_t>(i * files + f)), std::string(20, 'v'));
      }
      Flush();
    }
  }
  Options ManyFiles() {
    Options options = SmallOptions();
    options.write_buffer_size = 64 << 20;
    options.disable_auto_compactions = true;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
    return options;
  }
};

TEST_F(DbMemoryBudgetTest, OpenTablesAreChargedWhereTheOptionsSaySo) {
  for (const Decision decision : {Decision::kEnabled, Decision::kDisabled, Decision::kFallback}) {
    SCOPED_TRACE(static_cast<int>(decision));
    const auto cache = NewLRUCache(64 << 20, 0);
    disk_ = Disk();
    Open(WithTables(ManyFiles(), TableOptions(cache, decision)));
    Fill(4, 50000);
    ASSERT_EQ(Get(Key(7)), std::string(20, 'v'));
    uint64_t readers = 0;
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.estimate-table-readers-mem", &readers));
    ASSERT_GT(readers, uint64_t{400} << 10);
    if (decision == Decision::kEnabled) {
      EXPECT_GE(cache->GetPinnedUsage(), readers);
    } else {
      EXPECT_EQ(cache->GetPinnedUsage(), 0u);
    }
    db_.reset();
    EXPECT_EQ(cache->GetPinnedUsage(), 0u);
  }
}

TEST_F(DbMemoryBudgetTest, ATableThatAStrictCacheHasNoRoomForDoesNotOpen) {
  Open(ManyFiles());
  Fill(1, 1000);
  db_.reset();
  const auto cache = NewLRUCache(100 << 10, 0, /*strict_capacity_limit=*/true);
  Open(WithTables(ManyFiles(), TableOptions(cache, Decision::kEnabled)));
  std::string value;
  const Status s = db_->Get(ReadOptions(), Key(7), &value);
  EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
  EXPECT_NE(s.ToString().find(".sst"), std::string::npos) << s.ToString();
  cache->SetCapacity(4 << 20);
  EXPECT_EQ(Get(Key(7)), std::string(20, 'v'));
}

TEST_F(DbMemoryBudgetTest, WhatCannotBeChargedIsRefused) {
  BlockBasedTableOptions table = TableOptions(NewLRUCache(1 << 20), Decision::kFallback);
  table.cache_usage_options.options_overrides[CacheEntryRole::kFileMetadata].charged =
      Decision::kEnabled;
  EXPECT_TRUE(TryOpen(WithTables(ManyFiles(), table)).IsNotSupported());
  table = TableOptions(nullptr, Decision::kEnabled);
  table.no_block_cache = true;
  EXPECT_TRUE(TryOpen(WithTables(ManyFiles(), table)).IsInvalidArgument());
}

// Memtables, open tables, blocks, filters that are made, what iterators read ahead into: all that
// together never exceeds the capacity, whatever is asked of the database.
TEST_F(DbMemoryBudgetTest, OneBudgetHolds) {
  constexpr size_t kBudget = 24 << 20;
  const auto cache = NewLRUCache(kBudget, 0, /*strict_capacity_limit=*/true);
  BlockBasedTableOptions table = TableOptions(cache, Decision::kEnabled);
  table.cache_usage_options.options.charged = Decision::kEnabled;
  Options options = WithTables(SmallOptions(), table);
  options.write_buffer_size = 1 << 20;
  options.write_buffer_manager =
      std::make_shared<WriteBufferManager>(4 << 20, cache, /*allow_stall=*/true);
  Open(options);
  uint64_t most_read_ahead = 0;
  size_t most = 0;
  const auto check = [&] {
    most = std::max(most, cache->GetUsage());
    ASSERT_LE(cache->GetUsage(), kBudget);
    uint64_t read_ahead = 0, readers = 0, memtables = 0;
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.cairn-readahead-memory", &read_ahead));
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.estimate-table-readers-mem", &readers));
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.size-all-mem-tables", &memtables));
    most_read_ahead = std::max(most_read_ahead, read_ahead);
    // What is charged for them is pinned.
    ASSERT_LE(read_ahead + readers + memtables, cache->GetPinnedUsage() + (1 << 20));
  };
  Random64 random(7);
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 3000; ++i) {
      const uint64_t k = random.Uniform(20000);
      Put(Key(k), Value(k, 1000));
      if (i % 500 == 0) check();
    }
    ReadOptions ahead;
    ahead.async_io = true;
    ahead.readahead_size = 1 << 20;
    std::vector<std::unique_ptr<Iterator>> its;
    for (int i = 0; i < 20; ++i) {
      its.emplace_back(db_->NewIterator(ahead));
      its.back()->Seek(Key(random.Uniform(20000)));
      for (int n = 0; n < 200 && its.back()->Valid(); ++n) its.back()->Next();
      // A strict cache may refuse a block: that, and nothing else, may go wrong.
      ASSERT_TRUE(its.back()->status().ok() || its.back()->status().IsMemoryLimit())
          << its.back()->status().ToString();
      check();
    }
  }
  EXPECT_GT(most_read_ahead, uint64_t{1} << 20);
  EXPECT_GT(most, kBudget / 2);
}

}  // namespace
}  // namespace cairn
