// Put, Get, Delete, MultiGet, snapshots, statistics: each in every place where data can be.
#include "conformance.h"

namespace conformance {
namespace {

// Where data are when they are read.
enum class Place { kMemtable, kFlushed, kCompacted, kReopened, kMixed };

class PlaceTest : public DBTest, public testing::WithParamInterface<Place> {
 protected:
  // Brings what was written to the place. A mixed one differs from call to call.
  void Settle() {
    switch (GetParam()) {
      case Place::kMemtable:
        break;
      case Place::kFlushed:
        ASSERT_OK(Flush());
        break;
      case Place::kCompacted:
        ASSERT_OK(Compact());
        break;
      case Place::kReopened:
        Open();
        break;
      case Place::kMixed:
        if (calls_++ % 2 == 0) {
          ASSERT_OK(Flush());
        }
        break;
    }
  }
  int calls_ = 0;
};

TEST_P(PlaceTest, PutGetDelete) {
  Open();
  EXPECT_EQ("NOT_FOUND", Get("a"));
  ASSERT_OK(Put("a", "1"));
  Settle();
  EXPECT_EQ("1", Get("a"));
  ASSERT_OK(Put("a", "2"));
  Settle();
  EXPECT_EQ("2", Get("a"));
  ASSERT_OK(Delete("a"));
  Settle();
  EXPECT_EQ("NOT_FOUND", Get("a"));
  ASSERT_OK(Delete("a"));
  ASSERT_OK(Delete("never there"));
  Settle();
  EXPECT_EQ("NOT_FOUND", Get("a"));
  ASSERT_OK(Put("a", "3"));
  Settle();
  EXPECT_EQ("3", Get("a"));
  EXPECT_EQ("a=3", Contents());
}

TEST_P(PlaceTest, SingleDeleteRemovesAKeyThatWasPutOnce) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  Settle();
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "a"));
  Settle();
  EXPECT_EQ("NOT_FOUND", Get("a"));
  EXPECT_EQ("b=2", Contents());
  ASSERT_OK(Put("a", "3"));
  Settle();
  EXPECT_EQ("3", Get("a"));
}

TEST_P(PlaceTest, EmptyKeysAndValuesAndAnyBytes) {
  Open();
  const std::string zeros(3, '\0');
  const std::string high = "\xff\xff";
  ASSERT_OK(Put("", "empty key"));
  ASSERT_OK(Put("empty value", ""));
  ASSERT_OK(Put(zeros, high));
  ASSERT_OK(Put(high, zeros));
  Settle();
  EXPECT_EQ("empty key", Get(""));
  EXPECT_EQ("", Get("empty value"));
  EXPECT_EQ(high, Get(zeros));
  EXPECT_EQ(zeros, Get(high));
  EXPECT_EQ("NOT_FOUND", Get(std::string(2, '\0')));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("", it->key().ToString());
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(high, it->key().ToString());
}

TEST_P(PlaceTest, LargeKeysAndValues) {
  Open();
  Numbers numbers(301);
  const std::string large_key = numbers.Bytes(5000);
  const std::string large_value = numbers.Bytes(3 << 20);
  ASSERT_OK(Put(large_key, "small"));
  ASSERT_OK(Put("small", large_value));
  ASSERT_OK(Put("medium", std::string(100000, 'm')));
  Settle();
  EXPECT_EQ("small", Get(large_key));
  EXPECT_EQ(large_value, Get("small"));
  EXPECT_EQ(std::string(100000, 'm'), Get("medium"));
}

TEST_P(PlaceTest, ManyKeysAmongOverwritesAndDeletes) {
  Open();
  std::map<std::string, std::string> model;
  Numbers numbers(17);
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 1000; i++) {
      const std::string key = Key(static_cast<int>(numbers.Below(700)));
      if (numbers.Below(4) == 0) {
        ASSERT_OK(Delete(key));
        model.erase(key);
      } else {
        const std::string value = "v" + std::to_string(numbers.Next());
        ASSERT_OK(Put(key, value));
        model[key] = value;
      }
    }
    Settle();
    for (int i = 0; i < 700; i++) {
      const auto it = model.find(Key(i));
      ASSERT_EQ(it == model.end() ? "NOT_FOUND" : it->second, Get(Key(i)));
    }
  }
  std::string expected;
  for (const auto& [key, value] : model)
    expected += (expected.empty() ? "" : ",") + key + "=" + value;
  EXPECT_EQ(expected, Contents());
}

TEST_P(PlaceTest, SnapshotsKeepWhatTheySaw) {
  if (GetParam() == Place::kReopened) GTEST_SKIP() << "a snapshot dies with its database";
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "1"));
  const Snapshot* first = db_->GetSnapshot();
  Settle();
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(Delete("b"));
  ASSERT_OK(Put("c", "2"));
  const Snapshot* second = db_->GetSnapshot();
  Settle();
  ASSERT_OK(Put("a", "3"));
  Settle();
  EXPECT_LT(first->GetSequenceNumber(), second->GetSequenceNumber());
  EXPECT_EQ("1", Get("a", first));
  EXPECT_EQ("1", Get("b", first));
  EXPECT_EQ("NOT_FOUND", Get("c", first));
  EXPECT_EQ("2", Get("a", second));
  EXPECT_EQ("NOT_FOUND", Get("b", second));
  EXPECT_EQ("3", Get("a"));
  ReadOptions at_first, at_second;
  at_first.snapshot = first;
  at_second.snapshot = second;
  EXPECT_EQ("a=1,b=1", Contents(at_first));
  EXPECT_EQ("a=2,c=2", Contents(at_second));
  EXPECT_EQ("a=3,c=2", Contents());
  EXPECT_EQ(2u, IntProperty("rocksdb.num-snapshots"));
  db_->ReleaseSnapshot(first);
  Settle();
  EXPECT_EQ("2", Get("a", second));
  db_->ReleaseSnapshot(second);
  EXPECT_EQ(0u, IntProperty("rocksdb.num-snapshots"));
  EXPECT_EQ("a=3,c=2", Contents());
}

TEST_P(PlaceTest, MultiGetAnswersEachKey) {
  Open();
  for (int i = 0; i < 100; i += 2) ASSERT_OK(Put(Key(i), "v" + std::to_string(i)));
  Settle();
  ASSERT_OK(Delete(Key(10)));
  ASSERT_OK(Put(Key(12), "new"));
  const std::vector<Slice> keys = {"key000098", "key000001", "key000010", "key000012",
                                   "key000000", "key000098", ""};
  std::vector<std::string> values;
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), keys, &values);
  ASSERT_EQ(keys.size(), statuses.size());
  ASSERT_EQ(keys.size(), values.size());
  const std::vector<std::string> expected = {"v98", "-", "-", "new", "v0", "v98", "-"};
  for (size_t i = 0; i < keys.size(); i++) {
    if (expected[i] == "-") {
      EXPECT_TRUE(statuses[i].IsNotFound()) << i;
    } else {
      EXPECT_OK(statuses[i]);
      EXPECT_EQ(expected[i], values[i]) << i;
    }
  }
  // The same into pinned slices.
  std::vector<PinnableSlice> pinned(keys.size());
  std::vector<Status> out(keys.size());
  db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), keys.size(), keys.data(), pinned.data(),
                out.data());
  for (size_t i = 0; i < keys.size(); i++) {
    EXPECT_EQ(statuses[i].code(), out[i].code()) << i;
    if (out[i].ok()) {
      EXPECT_EQ(expected[i], pinned[i].ToString()) << i;
    }
  }
}

TEST_P(PlaceTest, PinnedValuesOutliveWhatHappensLater) {
  Open();
  const std::string value(2000, 'p');
  ASSERT_OK(Put("a", value));
  Settle();
  PinnableSlice pinned;
  ASSERT_OK(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "a", &pinned));
  EXPECT_EQ(value, pinned.ToString());
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(Compact());
  EXPECT_EQ(value, pinned.ToString());
  pinned.Reset();
  ASSERT_OK(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "a", &pinned));
  EXPECT_EQ("other", pinned.ToString());
  PinnableSlice moved(std::move(pinned));
  EXPECT_EQ("other", moved.ToString());
  moved.Reset();
}

TEST_P(PlaceTest, KeyMayExistNeverDeniesAKeyThatIsThere) {
  Open();
  for (int i = 0; i < 50; i++) ASSERT_OK(Put(Key(i), "v"));
  Settle();
  for (int i = 0; i < 50; i++) {
    std::string value;
    bool found = false;
    EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), Key(i), &value, &found));
    if (found) {
      EXPECT_EQ("v", value);
    }
  }
}

TEST_F(DBTest, KeyMayExistSaysWhatItIsCertainOf) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  options_.disable_auto_compactions = true;
  Open();
  // "may found value".
  const auto ask = [this](const std::string& key) {
    std::string value = "before";
    bool found = false;
    const bool may = db_->KeyMayExist(ReadOptions(), key, &value, &found);
    return std::to_string(may) + " " + std::to_string(found) + " " + value;
  };
  EXPECT_EQ("0 1 ", ask("a"));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(Delete("b"));
  EXPECT_EQ("1 1 1", ask("a"));
  EXPECT_EQ("0 1 ", ask("b"));
  EXPECT_EQ("0 1 ", ask("c"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1 0 ", ask("a")) << "on disk only";
  EXPECT_EQ("1 0 ", ask("b"));
  EXPECT_EQ("0 1 ", ask("z")) << "beyond all tables";
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("1 1 1", ask("a"));
  EXPECT_EQ("0 1 ", ask("b"));
  ASSERT_OK(Delete("a"));
  EXPECT_EQ("0 1 ", ask("a"));
}

std::string PlaceName(const testing::TestParamInfo<Place>& param) {
  static const char* const kNames[] = {"Memtable", "Flushed", "Compacted", "Reopened", "Mixed"};
  return kNames[static_cast<int>(param.param)];
}

INSTANTIATE_TEST_SUITE_P(Everywhere, PlaceTest,
                         testing::Values(Place::kMemtable, Place::kFlushed, Place::kCompacted,
                                         Place::kReopened, Place::kMixed),
                         PlaceName);

class ReadWriteTest : public DBTest {};

TEST_F(ReadWriteTest, EachEntryTakesASequenceNumber) {
  Open();
  const SequenceNumber start = db_->GetLatestSequenceNumber();
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ(start + 1, db_->GetLatestSequenceNumber());
  ASSERT_OK(Delete("a"));
  ASSERT_OK(Delete("b"));
  EXPECT_EQ(start + 3, db_->GetLatestSequenceNumber());
  const Snapshot* snapshot = db_->GetSnapshot();
  EXPECT_EQ(start + 3, snapshot->GetSequenceNumber());
  EXPECT_GT(snapshot->GetUnixTime(), 1600000000);
  db_->ReleaseSnapshot(snapshot);
  db_->ReleaseSnapshot(nullptr);
}

TEST_F(ReadWriteTest, ManagedSnapshotReleasesItself) {
  Open();
  ASSERT_OK(Put("a", "1"));
  {
    ManagedSnapshot managed(db_);
    ASSERT_OK(Put("a", "2"));
    EXPECT_EQ("1", Get("a", managed.snapshot()));
    EXPECT_EQ(1u, IntProperty("rocksdb.num-snapshots"));
  }
  EXPECT_EQ(0u, IntProperty("rocksdb.num-snapshots"));
}

TEST_F(ReadWriteTest, ReadsFromMemoryOnlySayWhenTheyDoNotKnow) {
  Open();
  ASSERT_OK(Put("in file", "1"));
  ASSERT_OK(Flush());
  Open();
  ASSERT_OK(Put("in memory", "2"));
  ReadOptions memory;
  memory.read_tier = kBlockCacheTier;
  std::string value;
  EXPECT_OK(db_->Get(memory, "in memory", &value));
  EXPECT_TRUE(db_->Get(memory, "in file", &value).IsIncomplete());
  EXPECT_EQ("1", Get("in file"));  // now it is in the block cache
  EXPECT_OK(db_->Get(memory, "in file", &value));
  EXPECT_EQ("1", value);
}

TEST_F(ReadWriteTest, BlocksThatShouldNotFillTheCacheDoNot) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(8 << 20);
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  for (int i = 0; i < 1000; i++) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  ASSERT_OK(Flush());
  const size_t before = table.block_cache->GetUsage();
  ReadOptions no_fill;
  no_fill.fill_cache = false;
  std::string value;
  for (int i = 0; i < 1000; i += 10) EXPECT_OK(db_->Get(no_fill, Key(i), &value));
  EXPECT_EQ(before, table.block_cache->GetUsage());
  for (int i = 0; i < 1000; i += 10) EXPECT_EQ(std::string(100, 'v'), Get(Key(i)));
  EXPECT_GT(table.block_cache->GetUsage(), before + 50000);
  Shut();
}

TEST_F(ReadWriteTest, PinnedValuesPinTheirBlock) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(8 << 20);
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  ASSERT_OK(Put("a", std::string(1000, 'v')));
  ASSERT_OK(Flush());
  EXPECT_EQ(std::string(1000, 'v'), Get("a"));
  PinnableSlice pinned;
  const size_t before = table.block_cache->GetPinnedUsage();
  ASSERT_OK(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "a", &pinned));
  EXPECT_TRUE(pinned.IsPinned());
  EXPECT_GT(table.block_cache->GetPinnedUsage(), before);
  pinned.Reset();
  EXPECT_EQ(before, table.block_cache->GetPinnedUsage());
  Shut();
}

TEST_F(ReadWriteTest, ManyThreadsWriteAndRead) {
  options_.write_buffer_size = 256 << 10;
  Open();
  constexpr int kThreads = 4;
  constexpr int kKeys = 3000;
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kKeys; i++) {
        const std::string key = std::to_string(t) + "." + Key(i);
        EXPECT_OK(Put(key, key + std::string(50, 'v')));
        if (i % 16 == 0) {
          EXPECT_EQ(key + std::string(50, 'v'), Get(key));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  Open();
  for (int t = 0; t < kThreads; t++) {
    for (int i = 0; i < kKeys; i += 7) {
      const std::string key = std::to_string(t) + "." + Key(i);
      ASSERT_EQ(key + std::string(50, 'v'), Get(key));
    }
  }
  EXPECT_EQ(static_cast<SequenceNumber>(kThreads * kKeys), db_->GetLatestSequenceNumber());
}

TEST_F(ReadWriteTest, SmallWriteBuffersSpillIntoFilesAndLoseNothing) {
  options_.write_buffer_size = 64 << 10;
  options_.target_file_size_base = 64 << 10;
  options_.max_bytes_for_level_base = 256 << 10;
  Open();
  std::map<std::string, std::string> model;
  Numbers numbers(5);
  for (int i = 0; i < 15000; i++) {
    const std::string key = Key(static_cast<int>(numbers.Below(5000)));
    const std::string value = std::to_string(i) + numbers.Bytes(60);
    ASSERT_OK(Put(key, value));
    model[key] = value;
  }
  for (int pass = 0; pass < 2; pass++) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    for (const auto& [key, value] : model) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(key, it->key().ToString());
      ASSERT_EQ(value, it->value().ToString());
      it->Next();
    }
    EXPECT_FALSE(it->Valid());
    it.reset();
    EXPECT_GT(IntProperty("rocksdb.total-sst-files-size"), 100000u);
    Open();
  }
}

// --- Statistics ---

class StatisticsTest : public DBTest {
 protected:
  void SetUp() override {
    options_.statistics = CreateDBStatistics();
    Open();
  }
  uint64_t Ticker(uint32_t ticker) { return options_.statistics->getTickerCount(ticker); }
};

TEST_F(StatisticsTest, CountWritesAndReads) {
  for (int i = 0; i < 10; i++) ASSERT_OK(Put(Key(i), "value"));
  for (int i = 0; i < 12; i++) Get(Key(i));
  EXPECT_EQ(10u, Ticker(NUMBER_KEYS_WRITTEN));
  EXPECT_EQ(12u, Ticker(NUMBER_KEYS_READ));
  EXPECT_EQ(50u, Ticker(BYTES_READ));
  EXPECT_GT(Ticker(BYTES_WRITTEN), 10u * (9 + 5));
  EXPECT_EQ(10u, Ticker(MEMTABLE_HIT));
  EXPECT_EQ(2u, Ticker(MEMTABLE_MISS));
  EXPECT_EQ(10u, Ticker(WRITE_WITH_WAL));
  EXPECT_EQ(10u, Ticker(WRITE_DONE_BY_SELF));
  HistogramData data;
  options_.statistics->histogramData(DB_GET, &data);
  EXPECT_EQ(12u, data.count);
  options_.statistics->histogramData(DB_WRITE, &data);
  EXPECT_EQ(10u, data.count);
  options_.statistics->histogramData(BYTES_PER_WRITE, &data);
  EXPECT_EQ(10u, data.count);
}

TEST_F(StatisticsTest, CountSyncs) {
  WriteOptions sync;
  sync.sync = true;
  for (int i = 0; i < 5; i++) ASSERT_OK(db_->Put(i % 2 == 0 ? sync : WriteOptions(), Key(i), "v"));
  EXPECT_EQ(3u, Ticker(WAL_FILE_SYNCED));
  ASSERT_OK(db_->SyncWAL());
  EXPECT_EQ(4u, Ticker(WAL_FILE_SYNCED));
  HistogramData data;
  options_.statistics->histogramData(WAL_FILE_SYNC_MICROS, &data);
  EXPECT_GE(data.count, 3u);
}

TEST_F(StatisticsTest, CountTheBlockCacheAndFlushes) {
  for (int i = 0; i < 100; i++) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  ASSERT_OK(Flush());
  EXPECT_GT(Ticker(FLUSH_WRITE_BYTES), 5000u);
  EXPECT_EQ(std::string(100, 'v'), Get(Key(5)));
  EXPECT_EQ(1u, Ticker(BLOCK_CACHE_DATA_MISS));
  EXPECT_EQ(1u, Ticker(BLOCK_CACHE_DATA_ADD));
  EXPECT_EQ(std::string(100, 'v'), Get(Key(5)));
  EXPECT_EQ(1u, Ticker(BLOCK_CACHE_DATA_HIT));
  EXPECT_EQ(2u, Ticker(GET_HIT_L0));
}

TEST_F(StatisticsTest, CountIterators) {
  for (int i = 0; i < 5; i++) ASSERT_OK(Put(Key(i), "v"));
  {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int n = 0;
    for (it->Seek(Key(0)); it->Valid(); it->Next()) n++;
    EXPECT_EQ(5, n);
    it->Seek("zzz");
  }
  EXPECT_EQ(2u, Ticker(NUMBER_DB_SEEK));
  EXPECT_EQ(1u, Ticker(NUMBER_DB_SEEK_FOUND));
  EXPECT_EQ(5u, Ticker(NUMBER_DB_NEXT));
  EXPECT_EQ(4u, Ticker(NUMBER_DB_NEXT_FOUND));
  EXPECT_EQ(1u, Ticker(NO_ITERATOR_CREATED));
  EXPECT_EQ(1u, Ticker(NO_ITERATOR_DELETED));
}

TEST_F(StatisticsTest, BloomFiltersAreUseful) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  for (int i = 0; i < 1000; i++) ASSERT_OK(Put(Key(2 * i), "v"));
  ASSERT_OK(Flush());
  for (int i = 0; i < 1000; i++) EXPECT_EQ("v", Get(Key(2 * i)));
  EXPECT_EQ(0u, Ticker(BLOOM_FILTER_USEFUL));
  EXPECT_EQ(1000u, Ticker(BLOOM_FILTER_FULL_POSITIVE));
  EXPECT_EQ(1000u, Ticker(BLOOM_FILTER_FULL_TRUE_POSITIVE));
  // 1% of false positives are expected; 5% would be a fault. The last key is left out: it is
  // outside the file's range.
  for (int i = 0; i < 999; i++) EXPECT_EQ("NOT_FOUND", Get(Key(2 * i + 1)));
  EXPECT_GT(Ticker(BLOOM_FILTER_USEFUL), 950u);
}

TEST_F(StatisticsTest, TextNamesEveryTicker) {
  ASSERT_OK(Put("a", "1"));
  const std::string text = options_.statistics->ToString();
  for (const auto& ticker : TickersNameMap) {
    EXPECT_NE(std::string::npos, text.find(ticker.second + " COUNT : ")) << ticker.second;
  }
  EXPECT_NE(std::string::npos, text.find("rocksdb.number.keys.written COUNT : 1\n"));
  EXPECT_EQ(text, Property("rocksdb.options-statistics"));
  ASSERT_OK(options_.statistics->Reset());
  EXPECT_EQ(0u, Ticker(NUMBER_KEYS_WRITTEN));
}

}  // namespace
}  // namespace conformance
