// A database whose tables' filters hold prefixes: what is sought by prefix is all there, over
// memtables, several levels, deletions and reopenings, and absent prefixes read nothing.
#include <algorithm>

#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): all of it is for us

class DbPrefixTest : public DbTest, public ::testing::WithParamInterface<bool> {
 protected:
  Options PrefixOptions(size_t length = 7) {
    Options options = SmallOptions();
    options.prefix_extractor.reset(NewFixedPrefixTransform(length));
    options.statistics = statistics_;
    BlockBasedTableOptions table;
    table.block_size = 512;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.whole_key_filtering = !GetParam();
    if (GetParam()) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      table.metadata_block_size = 256;
    }
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }

  std::vector<std::string> KeysBetween(const std::string& from, const std::string& to) const {
    std::vector<std::string> keys;
    for (auto at = model_.lower_bound(from); at != model_.end() && at->first < to; ++at) {
      keys.push_back(at->first);
    }
    return keys;
  }

  void CheckSeeks(Random64* random) {
    for (int i = 0; i < 60; ++i) {
      const std::string key = Key(random->Uniform(30000));
      const std::string prefix = key.substr(0, 7);
      const std::string behind = prefix.substr(0, 6) + static_cast<char>(prefix[6] + 1);
      // One prefix, upwards and down.
      ReadOptions one_prefix;
      one_prefix.prefix_same_as_start = true;
      std::unique_ptr<Iterator> it(db_->NewIterator(one_prefix));
      std::vector<std::string> seen;
      for (it->Seek(key); it->Valid(); it->Next()) seen.push_back(it->key().ToString());
      ASSERT_TRUE(it->status().ok());
      ASSERT_EQ(seen, KeysBetween(key, behind));
      seen.clear();
      for (it->SeekForPrev(key); it->Valid(); it->Prev()) seen.push_back(it->key().ToString());
      std::reverse(seen.begin(), seen.end());
      ASSERT_EQ(seen, KeysBetween(prefix, key + '\0'));
      // Up to a bound, whatever prefixes lie before it.
      const std::string bound = random->OneIn(2) ? behind : Key(random->Uniform(30000));
      const Slice bound_slice(bound);
      ReadOptions automatic;
      automatic.auto_prefix_mode = true;
      automatic.iterate_upper_bound = &bound_slice;
      it.reset(db_->NewIterator(automatic));
      seen.clear();
      for (it->Seek(key); it->Valid(); it->Next()) {
        seen.push_back(it->key().ToString());
        if (seen.size() % 8 == 5) {  // and back, where no filter may be asked
          const auto at = model_.find(seen.back());
          it->Prev();
          if (at == model_.begin()) break;
          ASSERT_TRUE(it->Valid());
          ASSERT_EQ(it->key().ToString(), std::prev(at)->first);
          it->Next();
          ASSERT_EQ(it->key().ToString(), seen.back());
        }
      }
      ASSERT_TRUE(it->status().ok());
      ASSERT_EQ(seen, KeysBetween(key, bound));
    }
  }

  std::shared_ptr<Statistics> statistics_ = CreateDBStatistics();
};

INSTANTIATE_TEST_SUITE_P(Filters, DbPrefixTest, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "PartitionsOfPrefixes" : "KeysAndPrefixes");
});

TEST_P(DbPrefixTest, FindsAllOfAPrefix) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Open(PrefixOptions());
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 250; ++i) {
      // Some prefixes of ten keys have none, most have a few.
      const std::string key = Key(random.Uniform(30000) / 70 * 70 + random.Uniform(30));
      if (random.OneIn(4)) {
        Delete(key);
      } else {
        Put(key, "v" + std::to_string(round));
      }
    }
    if (round % 3 != 2) Flush();
    CheckSeeks(&random);
    ExpectModel();
    if (round == 4) {
      Close();
      Open(PrefixOptions());
    }
  }
  EXPECT_GT(statistics_->getTickerCount(BLOOM_FILTER_PREFIX_USEFUL), 100u);
  // Another extractor: the tables' prefixes are not the database's any more.
  Close();
  Open(PrefixOptions(4));
  ExpectModel();
  for (const auto& [key, value] : model_) ASSERT_EQ(Get(key), value);
}

TEST_P(DbPrefixTest, AnAbsentPrefixReadsNoData) {
  Open(PrefixOptions());
  for (uint64_t i = 0; i < 3000; ++i) Put(Key(i * 10), Value(i, 100));
  Flush();
  for (uint64_t i = 0; i < 300; ++i) ASSERT_EQ(Get(Key(i * 100)), Value(i * 10, 100));
  const auto misses = [&] {
    return statistics_->getTickerCount(BLOCK_CACHE_DATA_MISS) +
           statistics_->getTickerCount(BLOCK_CACHE_DATA_HIT);
  };
  const uint64_t before = misses();
  for (uint64_t i = 0; i < 300; ++i) {
    ReadOptions options;
    options.prefix_same_as_start = true;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek("absent" + std::to_string(i));
    ASSERT_FALSE(it->Valid());
    std::string value;
    ASSERT_TRUE(db_->Get(ReadOptions(), "absent" + std::to_string(i), &value).IsNotFound());
  }
  EXPECT_LT(misses() - before, 30u);
}

}  // namespace
}  // namespace cairn
