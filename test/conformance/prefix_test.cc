// Reads with a prefix extractor (prefix seek, total_order_seek, auto_prefix_mode), and kinds of
// filters and indexes, which must change nothing but the cost.
#include "conformance.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table_properties.h"

namespace conformance {
namespace {

// Keys of a prefix "p000" to "p199" and a number of two digits; every third prefix is missing.
class PrefixTest : public DBTest {
 protected:
  static constexpr int kPrefixes = 200;
  static constexpr int kPerPrefix = 7;

  PrefixTest() {
    options_.disable_auto_compactions = true;
    options_.statistics = CreateDBStatistics();
    options_.prefix_extractor.reset(NewFixedPrefixTransform(4));
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
    table_.block_size = 512;
  }
  static std::string Prefix(int i) {
    char text[8];
    std::snprintf(text, sizeof(text), "p%03d", i);
    return text;
  }
  static std::string KeyOf(int prefix, int i) { return Prefix(prefix) + std::to_string(10 + i); }
  static bool IsThere(int prefix) { return prefix % 3 != 0; }

  void OpenTables() {
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open();
  }
  // Two tables with alternating prefixes, and the last tenth in memory.
  void Fill() {
    OpenTables();
    for (int half = 0; half < 2; ++half) {
      for (int p = half; p < kPrefixes * 9 / 10; p += 2) FillPrefix(p);
      ASSERT_OK(Flush());
    }
    for (int p = kPrefixes * 9 / 10; p < kPrefixes; ++p) FillPrefix(p);
  }
  void FillPrefix(int p) {
    if (!IsThere(p)) return;
    for (int i = 0; i < kPerPrefix; ++i) ASSERT_OK(Put(KeyOf(p, i), std::to_string(p * 100 + i)));
  }
  // All present keys are found, others are not, each prefix gives its keys, and a scan all keys.
  void CheckAll() {
    for (int p = 0; p < kPrefixes; ++p) {
      for (int i = 0; i < kPerPrefix + 1; ++i) {
        const bool there = IsThere(p) && i < kPerPrefix;
        ASSERT_EQ(there ? std::to_string(p * 100 + i) : "NOT_FOUND", Get(KeyOf(p, i)));
      }
    }
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (int p = 0; p < kPrefixes; ++p) {
      int count = 0;
      for (it->Seek(Prefix(p)); it->Valid() && it->key().starts_with(Prefix(p)); it->Next()) {
        ASSERT_EQ(KeyOf(p, count++), it->key().ToString());
      }
      ASSERT_OK(it->status());
      ASSERT_EQ(IsThere(p) ? kPerPrefix : 0, count) << p;
    }
    EXPECT_EQ(AllKeys(), Keys(TotalOrder()));
  }
  static ReadOptions TotalOrder() {
    ReadOptions options;
    options.total_order_seek = true;
    return options;
  }
  static std::vector<std::string> AllKeys() {
    std::vector<std::string> keys;
    for (int p = 0; p < kPrefixes; ++p) {
      for (int i = 0; IsThere(p) && i < kPerPrefix; ++i) keys.push_back(KeyOf(p, i));
    }
    return keys;
  }
  std::vector<std::string> Keys(const ReadOptions& options) {
    std::vector<std::string> keys;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    for (it->SeekToFirst(); it->Valid(); it->Next()) keys.push_back(it->key().ToString());
    EXPECT_OK(it->status());
    return keys;
  }
  uint64_t Ticks(uint32_t ticker) { return options_.statistics->getTickerCount(ticker); }

  BlockBasedTableOptions table_;
};

TEST_F(PrefixTest, FiltersOfPrefixesAlone) {
  table_.whole_key_filtering = false;
  Fill();
  CheckAll();
  EXPECT_LT(0u, Ticks(BLOOM_FILTER_PREFIX_CHECKED));
  EXPECT_LT(0u, Ticks(BLOOM_FILTER_PREFIX_USEFUL));
}

TEST_F(PrefixTest, FiltersOfPrefixesAndKeys) {
  options_.memtable_prefix_bloom_size_ratio = 0.1;
  options_.memtable_whole_key_filtering = true;
  Fill();
  CheckAll();
  EXPECT_LT(0u, Ticks(BLOOM_FILTER_PREFIX_USEFUL));
  EXPECT_LT(0u, Ticks(BLOOM_FILTER_USEFUL));
}

TEST_F(PrefixTest, TotalOrderSeekPassesOverPrefixes) {
  Fill();
  std::unique_ptr<Iterator> it(db_->NewIterator(TotalOrder()));
  const std::vector<std::string> keys = AllKeys();
  for (int p = 0; p < kPrefixes; ++p) {
    it->Seek(Prefix(p));
    const auto at = std::lower_bound(keys.begin(), keys.end(), Prefix(p));
    ASSERT_EQ(at != keys.end(), it->Valid()) << p;
    if (it->Valid()) {
      EXPECT_EQ(*at, it->key().ToString());
    }
    it->SeekForPrev(Prefix(p));
    ASSERT_EQ(at != keys.begin(), it->Valid()) << p;
    if (it->Valid()) {
      EXPECT_EQ(*std::prev(at), it->key().ToString());
    }
  }
}

TEST_F(PrefixTest, AutoPrefixModeFindsWhatTotalOrderFinds) {
  Fill();
  const std::vector<std::string> keys = AllKeys();
  for (int p = 0; p < kPrefixes; ++p) {
    // Within the prefix, at its successor, and far beyond it.
    for (const std::string& bound :
         {Prefix(p) + "13", Prefix(p + 1), Prefix(p + 5), std::string()}) {
      ReadOptions options;
      options.auto_prefix_mode = true;
      const Slice upper(bound);
      if (!bound.empty()) options.iterate_upper_bound = &upper;
      std::unique_ptr<Iterator> it(db_->NewIterator(options));
      auto at = std::lower_bound(keys.begin(), keys.end(), Prefix(p));
      it->Seek(Prefix(p));
      for (int steps = 0; steps < 20; ++steps, ++at, it->Next()) {
        const bool valid = at != keys.end() && (bound.empty() || *at < bound);
        ASSERT_EQ(valid, it->Valid()) << p << " " << bound;
        if (!valid) break;
        ASSERT_EQ(*at, it->key().ToString());
      }
      ASSERT_OK(it->status());
    }
  }
}

TEST_F(PrefixTest, PrefixSameAsStartEndsWithThePrefix) {
  Fill();
  ReadOptions options;
  options.prefix_same_as_start = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  for (int p = 0; p < kPrefixes; ++p) {
    std::vector<std::string> keys;
    for (it->Seek(Prefix(p) + "12"); it->Valid(); it->Next()) keys.push_back(it->key().ToString());
    ASSERT_OK(it->status());
    ASSERT_EQ(IsThere(p) ? kPerPrefix - 2u : 0u, keys.size()) << p;
    if (!keys.empty()) {
      EXPECT_EQ(KeyOf(p, 2), keys.front());
    }
  }
}

TEST_F(PrefixTest, KeysOutsideOfTheDomainAreFound) {
  Fill();
  ASSERT_OK(Put("p", "short"));
  ASSERT_OK(Put("", "empty"));
  ASSERT_OK(Flush());
  EXPECT_EQ("short", Get("p"));
  EXPECT_EQ("empty", Get(""));
  EXPECT_EQ("NOT_FOUND", Get("q"));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek("p");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("p", it->key().ToString());
}

TEST_F(PrefixTest, AnotherExtractorThanTheTablesIsNoHarm) {
  Fill();
  ASSERT_OK(Flush());
  for (const size_t length : {size_t{3}, size_t{0}}) {
    options_.prefix_extractor.reset(length == 0 ? nullptr : NewFixedPrefixTransform(length));
    OpenTables();
    CheckAll();
  }
}

TEST_F(PrefixTest, RibbonFiltersAreAsUseful) {
  for (const int bloom_before_level : {-1, 0, 1}) {
    table_.filter_policy.reset(NewRibbonFilterPolicy(10, bloom_before_level));
    DestroyDB(dir_, options_).PermitUncheckedError();
    Fill();
    ASSERT_OK(Flush());
    const uint64_t before = Ticks(BLOOM_FILTER_USEFUL);
    CheckAll();
    EXPECT_LT(kPrefixes * 2u, Ticks(BLOOM_FILTER_USEFUL) - before);
    ASSERT_OK(Compact());
    CheckAll();
    Shut();
  }
}

TEST_F(PrefixTest, PartitionedIndexesAndFilters) {
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_.partition_filters = true;
  table_.metadata_block_size = 64;
  for (const bool cached : {false, true}) {
    table_.cache_index_and_filter_blocks = cached;
    table_.pin_top_level_index_and_filter = !cached;
    DestroyDB(dir_, options_).PermitUncheckedError();
    Fill();
    CheckAll();
    TablePropertiesCollection all;
    ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
    ASSERT_FALSE(all.empty());
    for (const auto& table : all) {
      EXPECT_LT(1u, table.second->index_partitions);
      EXPECT_LT(0u, table.second->top_level_index_size);
    }
    Shut();
  }
}

TEST_F(PrefixTest, OtherIndexesOfTables) {
  for (const auto type :
       {BlockBasedTableOptions::kHashSearch, BlockBasedTableOptions::kBinarySearchWithFirstKey}) {
    table_.index_type = type;
    for (const uint32_t version : {2u, 5u}) {
      table_.format_version = version;
      DestroyDB(dir_, options_).PermitUncheckedError();
      Fill();
      CheckAll();
      ASSERT_OK(Delete(KeyOf(1, 1)));
      ASSERT_OK(Flush());
      ASSERT_OK(Compact());
      EXPECT_EQ("NOT_FOUND", Get(KeyOf(1, 1)));
      ASSERT_OK(Put(KeyOf(1, 1), "101"));
      CheckAll();
      Shut();
      // What was written so is read by those who ask for a plain index.
      table_.index_type = BlockBasedTableOptions::kBinarySearch;
      OpenTables();
      CheckAll();
      Shut();
      table_.index_type = type;
    }
  }
}

TEST_F(PrefixTest, OptimizedFiltersForHits) {
  options_.optimize_filters_for_hits = true;
  Fill();
  ASSERT_OK(Compact());
  CheckAll();
}

TEST_F(PrefixTest, HashIndexesOfDataBlocks) {
  table_.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  for (const double ratio : {0.3, 0.75, 1.0}) {
    table_.data_block_hash_table_util_ratio = ratio;
    DestroyDB(dir_, options_).PermitUncheckedError();
    Fill();
    ASSERT_OK(Delete(KeyOf(1, 1)));
    ASSERT_OK(Flush());
    EXPECT_EQ("NOT_FOUND", Get(KeyOf(1, 1)));
    ASSERT_OK(Put(KeyOf(1, 1), "101"));
    CheckAll();
    Shut();
  }
}

// Keys that differ in upper and lower case alone are one key.
class CaselessComparator final : public Comparator {
 public:
  const char* Name() const override { return "Caseless"; }
  int Compare(const Slice& a, const Slice& b) const override { return Lower(a).compare(Lower(b)); }
  void FindShortestSeparator(std::string* /*start*/, const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  static std::string Lower(const Slice& key) {
    std::string lower = key.ToString();
    for (char& c : lower) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
  }
};

TEST_F(PrefixTest, HashIndexesOfDataBlocksGiveWayToAComparatorThatTakesOtherBytesForEqual) {
  const CaselessComparator caseless;
  options_.comparator = &caseless;
  options_.prefix_extractor.reset();
  table_.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table_.filter_policy.reset();  // it goes by bytes
  OpenTables();
  for (int i = 0; i < 200; ++i) ASSERT_OK(Put(Key(i), std::to_string(i)));
  ASSERT_OK(Flush());
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 200; ++i) {
      std::string other = Key(i);
      other.replace(0, 3, i % 2 == 0 ? "KEY" : "kEy");
      EXPECT_EQ(std::to_string(i), Get(other));
    }
    ASSERT_OK(Compact());
  }
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "another", &family));
  ASSERT_OK(db_->Put(WriteOptions(), family, "Key", "1"));
  ASSERT_OK(db_->Flush(FlushOptions(), family));
  std::string value;
  EXPECT_OK(db_->Get(ReadOptions(), family, "kEY", &value));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
  Shut();  // before its comparator goes
}

TEST_F(PrefixTest, IndexKeysShortenedOrNot) {
  for (const auto mode :
       {BlockBasedTableOptions::IndexShorteningMode::kNoShortening,
        BlockBasedTableOptions::IndexShorteningMode::kShortenSeparators,
        BlockBasedTableOptions::IndexShorteningMode::kShortenSeparatorsAndSuccessor}) {
    table_.index_shortening = mode;
    table_.index_block_restart_interval = 4;
    DestroyDB(dir_, options_).PermitUncheckedError();
    Fill();
    CheckAll();
    Shut();
  }
}

TEST_F(PrefixTest, TablesOfSeveralKindsMeet) {
  Fill();
  ASSERT_OK(Flush());
  table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_.partition_filters = true;
  table_.filter_policy.reset(NewRibbonFilterPolicy(8));
  OpenTables();
  for (int p = 0; p < kPrefixes; p += 4) FillPrefix(p);
  ASSERT_OK(Flush());
  table_.filter_policy.reset();
  table_.partition_filters = false;
  table_.index_type = BlockBasedTableOptions::kBinarySearch;
  table_.checksum = kCRC32c;
  OpenTables();
  for (int p = 1; p < kPrefixes; p += 4) FillPrefix(p);
  ASSERT_OK(Flush());
  CheckAll();
  ASSERT_OK(Compact());
  CheckAll();
  ASSERT_OK(db_->VerifyChecksum());
}

}  // namespace
}  // namespace conformance
