// MemoryUtil: the memory of databases and caches, summed up.
#include "rocksdb/utilities/memory_util.h"

#include "conformance.h"

namespace conformance {
namespace {

using Usage = std::map<MemoryUtil::UsageType, uint64_t>;

class MemoryUtilTest : public DBTest {
 protected:
  static Usage Of(const std::vector<DB*>& dbs,
                  const std::unordered_set<const Cache*>& caches = {}) {
    Usage usage = {{MemoryUtil::kNumUsageTypes, 1}};
    EXPECT_OK(MemoryUtil::GetApproximateMemoryUsageByType(dbs, caches, &usage));
    EXPECT_EQ(0u, usage.count(MemoryUtil::kNumUsageTypes)) << "what was in it goes";
    return usage;
  }
};

TEST_F(MemoryUtilTest, NothingIsNothing) { EXPECT_TRUE(Of({}).empty()); }

TEST_F(MemoryUtilTest, FollowsTheProperties) {
  Open();
  ASSERT_OK(Put("a", std::string(100000, 'x')));
  Usage usage = Of({db_});
  EXPECT_EQ(3u, usage.size());
  EXPECT_EQ(IntProperty("rocksdb.size-all-mem-tables"), usage[MemoryUtil::kMemTableTotal]);
  EXPECT_EQ(IntProperty("rocksdb.cur-size-all-mem-tables"), usage[MemoryUtil::kMemTableUnFlushed]);
  EXPECT_LE(100000u, usage[MemoryUtil::kMemTableUnFlushed]);
  EXPECT_EQ(0u, usage[MemoryUtil::kTableReadersTotal]);

  ASSERT_OK(Flush());
  EXPECT_EQ(std::string(100000, 'x'), Get("a"));
  usage = Of({db_});
  EXPECT_GT(100000u, usage[MemoryUtil::kMemTableUnFlushed]);
  EXPECT_LT(0u, usage[MemoryUtil::kTableReadersTotal]);
}

TEST_F(MemoryUtilTest, SumsUpFamiliesDatabasesAndCaches) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "family", &family));
  ASSERT_OK(db_->Put(WriteOptions(), family, "a", std::string(100000, 'x')));
  Options options = options_;
  DB* other = nullptr;
  ASSERT_OK(DB::Open(options, root_ + "/other", &other));
  ASSERT_OK(other->Put(WriteOptions(), "a", std::string(200000, 'x')));
  EXPECT_LE(100000u, Of({db_})[MemoryUtil::kMemTableTotal]);
  EXPECT_EQ(Of({db_})[MemoryUtil::kMemTableTotal] + Of({other})[MemoryUtil::kMemTableTotal],
            Of({db_, other})[MemoryUtil::kMemTableTotal]);

  const std::shared_ptr<Cache> first = NewLRUCache(1 << 20);
  const std::shared_ptr<Cache> second = NewLRUCache(1 << 20);
  Usage usage = Of({}, {first.get(), second.get(), nullptr});
  EXPECT_EQ(1u, usage.size());
  EXPECT_EQ(first->GetUsage() + second->GetUsage(), usage[MemoryUtil::kCacheTotal]);
  delete family;
  delete other;
  RemoveTree(root_ + "/other");
}

TEST_F(MemoryUtilTest, CachesThatWereReadThrough) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(1 << 20);
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  ASSERT_OK(Put("a", std::string(10000, 'x')));
  ASSERT_OK(Flush());
  EXPECT_EQ(std::string(10000, 'x'), Get("a"));
  EXPECT_EQ(0u, Of({db_})[MemoryUtil::kCacheTotal]) << "it was not given";
  const uint64_t bytes = Of({db_}, {table.block_cache.get()})[MemoryUtil::kCacheTotal];
  EXPECT_LE(10000u, bytes);
  EXPECT_EQ(table.block_cache->GetUsage(), bytes);
}

}  // namespace
}  // namespace conformance
