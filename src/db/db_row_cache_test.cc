// DBOptions::row_cache against iterators, which use none, over all that a table can say of a key.
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"

namespace cairn::testing {
namespace {

// Joins operands, but keeps only what is behind the last comma but one: two operands are enough.
class TwoAreEnough final : public MergeOperator {
 public:
  const char* Name() const override { return "TwoAreEnough"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    std::string text = in.existing_value == nullptr ? "" : in.existing_value->ToString();
    for (const Slice& operand : in.operand_list) text += "," + operand.ToString();
    size_t comma = text.rfind(',');
    if (comma != std::string::npos && comma > 0) comma = text.rfind(',', comma - 1);
    out->new_value = comma == std::string::npos ? text : text.substr(comma);
    return true;
  }
  bool ShouldMerge(const std::vector<Slice>& operands) const override {
    return operands.size() >= 2;
  }
};

class DbRowCacheTest : public DbTest {
 protected:
  Options RowOptions() {
    Options options = SmallOptions();
    options.row_cache = NewLRUCache(4 << 20);
    options.statistics = statistics_;
    return options;
  }
  uint64_t Hits() { return statistics_->getTickerCount(ROW_CACHE_HIT); }

  // All of `keys` keys, twice each, as they are and with MultiGet, against the iterator.
  void Compare(uint64_t keys, const Snapshot* snapshot, ReadOptions options = ReadOptions()) {
    options.snapshot = snapshot;
    Contents expected;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      expected[it->key().ToString()] = it->value().ToString();
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    for (int round = 0; round < 2; ++round) {
      std::vector<std::string> names;
      for (uint64_t i = 0; i < keys; ++i) names.push_back(Key(i));
      const std::vector<Slice> slices(names.begin(), names.end());
      std::vector<PinnableSlice> values(keys);
      std::vector<Status> statuses(keys);
      db_->MultiGet(options, db_->DefaultColumnFamily(), keys, slices.data(), values.data(),
                    statuses.data());
      for (uint64_t i = 0; i < keys; ++i) {
        std::string value;
        const Status s = db_->Get(options, names[i], &value);
        const auto found = expected.find(names[i]);
        ASSERT_EQ(s.ok(), found != expected.end()) << names[i] << ": " << s.ToString();
        ASSERT_EQ(statuses[i].code(), s.code()) << statuses[i].ToString();
        if (!s.ok()) continue;
        ASSERT_EQ(value, found->second) << names[i];
        ASSERT_EQ(values[i].ToString(), value) << names[i];
      }
    }
  }

  std::shared_ptr<Statistics> statistics_ = CreateDBStatistics();
};

class DbRowCacheSeedTest : public DbRowCacheTest, public ::testing::WithParamInterface<int> {};

TEST_P(DbRowCacheSeedTest, ReadsAreThoseOfAnIterator) {
  constexpr uint64_t kKeys = 40;
  SCOPED_TRACE(SeedText(static_cast<uint64_t>(GetParam())));
  Random64 random(static_cast<uint64_t>(GetParam()));
  Options options = RowOptions();
  if (random.OneIn(2)) {
    options.merge_operator = std::make_shared<TwoAreEnough>();
  } else {
    ASSERT_TRUE(
        MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
            .ok());
  }
  // A compaction between two reads drops what a tombstone covers: then an iterator and a Get that
  // ignore tombstones may see different things.
  options.disable_auto_compactions = random.OneIn(2);
  options.enable_blob_files = random.OneIn(2);
  options.min_blob_size = 60;
  if (random.OneIn(3)) options.max_open_files = 20;
  if (random.OneIn(3)) options.row_cache = NewLRUCache(2000);
  Open(options);
  std::vector<const Snapshot*> snapshots;
  for (int step = 0; step < 400; ++step) {
    const std::string key = Key(random.Uniform(kKeys));
    const std::string value = Value(static_cast<uint64_t>(step), 10 + random.Uniform(100));
    const WriteOptions write;
    Status s;
    switch (random.Uniform(14)) {
      case 0:
        s = db_->Flush(FlushOptions());
        break;
      case 1:
        if (random.OneIn(6)) s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
        break;
      case 2:
        snapshots.push_back(db_->GetSnapshot());
        break;
      case 3: {
        if (!random.OneIn(3)) break;
        const std::string file = "/outside.sst";
        SstFileWriter writer(EnvOptions(), options);
        ASSERT_TRUE(writer.Open(file).ok());
        ASSERT_TRUE(writer.Put(key, value).ok());
        if (random.OneIn(2)) {
          ASSERT_TRUE(writer.DeleteRange("key000003", "key000005").ok());
        }
        ASSERT_TRUE(writer.Finish().ok());
        IngestExternalFileOptions ingest;
        ingest.move_files = true;
        s = db_->IngestExternalFile({file}, ingest);
        break;
      }
      case 4:
        if (random.OneIn(4)) {
          s = db_->DeleteRange(write, db_->DefaultColumnFamily(), key, key + "~");
        }
        break;
      case 5:
      case 6:
        s = db_->Delete(write, key);
        break;
      case 7:
      case 8:
      case 9:
        s = db_->Merge(write, key, value.substr(0, 5));
        break;
      case 10:
        s = db_->PutEntity(write, db_->DefaultColumnFamily(), key,
                           {{kDefaultWideColumnName, value}, {"other", "column"}});
        break;
      default:
        s = db_->Put(write, key, value);
    }
    ASSERT_TRUE(s.ok()) << s.ToString();
    if (step % 20 != 19) continue;
    ReadOptions read;
    read.async_io = random.OneIn(2);
    read.ignore_range_deletions = options.disable_auto_compactions && random.OneIn(2);
    Compare(kKeys, nullptr, read);
    if (!snapshots.empty()) Compare(kKeys, snapshots[random.Uniform(snapshots.size())], read);
    if (HasFatalFailure()) return;
  }
  for (const Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
  EXPECT_NE(Hits(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DbRowCacheSeedTest, ::testing::Range(0, 12));

TEST_F(DbRowCacheTest, TablesWithRangeTombstonesHaveNoRows) {
  Options options = RowOptions();
  options.disable_auto_compactions = true;  // one would drop what the tombstone covers
  Open(options);
  Put(Key(1), "1");
  Flush();
  EXPECT_EQ(Get(Key(1)), "1");
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(0), Key(9)).ok());
  EXPECT_EQ(Get(Key(1)), "NOT_FOUND");
  Put(Key(2), "2");
  Flush();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Get(Key(1)), "NOT_FOUND");
    EXPECT_EQ(Get(Key(2)), "2");
    ReadOptions all;
    all.ignore_range_deletions = true;
    std::string value;
    ASSERT_TRUE(db_->Get(all, Key(1), &value).ok());
    EXPECT_EQ(value, "1");
  }
}

TEST_F(DbRowCacheTest, TimestampsAreAmongTheRowsOwn) {
  Options options = RowOptions();
  options.disable_auto_compactions = true;  // the hits are counted
  options.comparator = BytewiseComparatorWithU64Ts();
  options.enable_blob_files = true;
  options.min_blob_size = 4;
  Open(options);
  ASSERT_TRUE(db_->Put(WriteOptions(), "a", Ts(1), "1").ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "a", Ts(3), "three, in a blob").ok());
  Flush();
  ASSERT_TRUE(db_->Delete(WriteOptions(), "a", Ts(5)).ok());
  Flush();
  const auto get = [&](uint64_t ts) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions read;
    read.timestamp = &at;
    std::string value, found;
    const Status s = db_->Get(read, "a", &value, &found);
    uint64_t number = 0;
    EXPECT_EQ(DecodeU64Ts(found, &number).ok(), ts != 0);
    return (s.ok()           ? value
            : s.IsNotFound() ? "NOT_FOUND"
                             : s.ToString()) +
           "@" + std::to_string(number);
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(get(0), "NOT_FOUND@0");
    EXPECT_EQ(get(1), "1@1");
    EXPECT_EQ(get(2), "1@1");
    EXPECT_EQ(get(3), "three, in a blob@3");
    EXPECT_EQ(get(4), "three, in a blob@3");
    EXPECT_EQ(get(5), "NOT_FOUND@5");
    EXPECT_EQ(get(9), "NOT_FOUND@5");
  }
  EXPECT_EQ(Hits(), 12u);
}

TEST_F(DbRowCacheTest, EntitiesAndWhetherAKeyExists) {
  Open(RowOptions());
  const WideColumns columns = {{kDefaultWideColumnName, "0"}, {"one", "1"}};
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), Key(1), columns).ok());
  Flush();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Get(Key(1)), "0");
    PinnableWideColumns found;
    ASSERT_TRUE(db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), Key(1), &found).ok());
    EXPECT_EQ(found.columns(), columns);
    std::string value;
    EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), Key(1), &value));
  }
  EXPECT_NE(Hits(), 0u);
}

// A cache that is as strict as it is small keeps no read from its value.
TEST_F(DbRowCacheTest, AFullCacheIsNoError) {
  Options options = RowOptions();
  options.row_cache = NewLRUCache(10, 0, /*strict_capacity_limit=*/true);
  Open(options);
  PutRange(0, 20, 1);
  Flush();
  ExpectModel();
  ExpectModel();
  EXPECT_EQ(Hits(), 0u);
}

// The rows, the blocks and the blobs of a database may be in one cache.
TEST_F(DbRowCacheTest, OneCacheForAll) {
  Options options = RowOptions();
  BlockBasedTableOptions table;
  table.block_cache = options.row_cache;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.blob_cache = options.row_cache;
  options.enable_blob_files = true;
  options.min_blob_size = 50;
  Open(options);
  Put("", "the empty key");
  PutRange(0, 50, 1, 40);
  PutRange(50, 100, 1, 60);
  Flush();
  for (int i = 0; i < 3; ++i) ExpectModel();
  EXPECT_NE(Hits(), 0u);
}

}  // namespace
}  // namespace cairn::testing
