// DBOptions::row_cache: what it counts, and that no read is told by it what is not true any more.
#include "conformance.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

class RowCacheTest : public DBTest {
 protected:
  RowCacheTest() {
    options_.disable_auto_compactions = true;
    options_.statistics = CreateDBStatistics();
    options_.row_cache = NewLRUCache(1 << 20);
    EXPECT_OK(
        MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options_.merge_operator));
  }
  // "hits/misses" since the last call.
  std::string Counted() {
    const uint64_t hits = options_.statistics->getAndResetTickerCount(ROW_CACHE_HIT);
    const uint64_t misses = options_.statistics->getAndResetTickerCount(ROW_CACHE_MISS);
    return std::to_string(hits) + "/" + std::to_string(misses);
  }
  uint64_t BlocksLookedUp() {
    return options_.statistics->getAndResetTickerCount(BLOCK_CACHE_DATA_HIT) +
           options_.statistics->getAndResetTickerCount(BLOCK_CACHE_DATA_MISS);
  }
};

TEST_F(RowCacheTest, AHitAsksNoBlock) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("c", "3"));
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("0/0", Counted());  // the memtable had it
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("0/1", Counted());
  EXPECT_NE(0u, BlocksLookedUp());
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("1/0", Counted());
  EXPECT_EQ(0u, BlocksLookedUp());
  // What no table has is in no row.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ("NOT_FOUND", Get("b"));
    EXPECT_EQ("0/1", Counted());
  }
  ASSERT_OK(Put("a", "newer"));
  EXPECT_EQ("newer", Get("a"));
  EXPECT_EQ("0/0", Counted());
  ASSERT_OK(Flush());
  EXPECT_EQ("newer", Get("a"));
  EXPECT_EQ("0/1", Counted());
  ASSERT_OK(Compact());
  EXPECT_EQ("newer", Get("a"));
  Counted();
  EXPECT_EQ("newer", Get("a"));
  EXPECT_EQ("1/0", Counted());
}

TEST_F(RowCacheTest, DeletionsAndOperands) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("m", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Delete("a"));
  ASSERT_OK(db_->Merge(WriteOptions(), "m", "2"));
  ASSERT_OK(Flush());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ("NOT_FOUND", Get("a"));
    EXPECT_EQ("1,2", Get("m"));
  }
  ASSERT_OK(db_->Merge(WriteOptions(), "m", "3"));
  EXPECT_EQ("1,2,3", Get("m"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1,2,3", Get("m"));
  EXPECT_EQ("1,2,3", Get("m"));
}

TEST_F(RowCacheTest, SnapshotsSeeTheirOwn) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "1"));
  const Snapshot* const old = db_->GetSnapshot();
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "3"));
  const Snapshot* const later = db_->GetSnapshot();
  ASSERT_OK(Put("d", "4"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ("2", Get("a"));
    EXPECT_EQ("1", Get("a", old));
    EXPECT_EQ("2", Get("a", later));
    EXPECT_EQ(i == 0 ? "1/2" : "3/0", Counted());
  }
  EXPECT_EQ("1", Get("b", old));
  EXPECT_EQ("2", Get("b"));
  db_->ReleaseSnapshot(old);
  db_->ReleaseSnapshot(later);
}

TEST_F(RowCacheTest, MultiGetUsesTheSameRows) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("0/1", Counted());
  const std::vector<Slice> keys = {"a", "b", "c"};
  for (const bool async : {false, true, true}) {
    ReadOptions options;
    options.async_io = async;
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    db_->MultiGet(options, db_->DefaultColumnFamily(), keys.size(), keys.data(), values.data(),
                  statuses.data());
    ASSERT_OK(statuses[0]);
    ASSERT_OK(statuses[1]);
    EXPECT_EQ("1", values[0].ToString());
    EXPECT_EQ("2", values[1].ToString());
    EXPECT_TRUE(statuses[2].IsNotFound());
  }
  EXPECT_EQ("2", Get("b"));
}

TEST_F(RowCacheTest, ARowIsMemory) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a"));
  ReadOptions options;
  options.read_tier = kBlockCacheTier;
  std::string value;
  ASSERT_OK(db_->Get(options, "a", &value));
  EXPECT_EQ("1", value);
  EXPECT_EQ("1/1", Counted());
}

TEST_F(RowCacheTest, AValueOutlivesItsRow) {
  Open();
  ASSERT_OK(Put("a", std::string(1000, 'a')));
  ASSERT_OK(Flush());
  EXPECT_EQ(1000u, Get("a").size());
  {
    PinnableSlice value;
    ASSERT_OK(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "a", &value));
    options_.row_cache->SetCapacity(0);
    options_.row_cache->EraseUnRefEntries();
    EXPECT_EQ(std::string(1000, 'a'), value.ToString());
  }
  EXPECT_EQ(0u, options_.row_cache->GetUsage());
  EXPECT_EQ("1/1", Counted());
  EXPECT_EQ(1000u, Get("a").size());  // nothing fits any more
  EXPECT_EQ("0/1", Counted());
}

TEST_F(RowCacheTest, TwoDatabasesShareOne) {
  Open();
  Options other = options_;
  DB* raw = nullptr;
  ASSERT_OK(DB::Open(other, root_ + "/other", &raw));
  const std::unique_ptr<DB> second(raw);
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "family", &family));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->Put(WriteOptions(), family, "a", "2"));
  ASSERT_OK(second->Put(WriteOptions(), "a", "3"));
  ASSERT_OK(db_->Flush(FlushOptions(), {db_->DefaultColumnFamily(), family}));
  ASSERT_OK(second->Flush(FlushOptions()));
  for (int i = 0; i < 2; ++i) {
    std::string value;
    EXPECT_EQ("1", Get("a"));
    ASSERT_OK(db_->Get(ReadOptions(), family, "a", &value));
    EXPECT_EQ("2", value);
    ASSERT_OK(second->Get(ReadOptions(), "a", &value));
    EXPECT_EQ("3", value);
  }
  EXPECT_EQ("3/3", Counted());
  ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
}

TEST_F(RowCacheTest, AnIngestedFileIsNewerThanRows) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  const Snapshot* const before = db_->GetSnapshot();
  EXPECT_EQ("1", Get("a"));
  const std::string file = root_ + "/outside.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(file));
  ASSERT_OK(writer.Put("a", "2"));
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile({file}, IngestExternalFileOptions()));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ("2", Get("a"));
    EXPECT_EQ("1", Get("a", before));
  }
  db_->ReleaseSnapshot(before);
}

TEST_F(RowCacheTest, ARowIsNotOfTheNextOpening) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a"));
  Counted();
  Shut();
  Open();
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("0/1", Counted());
}

// It is an object: no OPTIONS file has it.
TEST_F(RowCacheTest, TheOptionsFileHasNone) {
  Open();
  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), dir_, &loaded, &families));
  EXPECT_EQ(nullptr, loaded.row_cache);
}

}  // namespace
}  // namespace conformance
