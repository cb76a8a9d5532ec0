// Filters: no key that is there is ever denied, and few others are let through.
#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/convenience.h"
#include "table/block.h"
#include "table/block_memory.h"
#include "table/bloom.h"
#include "table/filter_builder.h"
#include "table/filter_policy.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

std::string FilterKey(int i) { return "key " + std::to_string(i); }

std::vector<uint64_t> Hashes(int n) {
  std::vector<uint64_t> hashes;
  for (int i = 0; i < n; ++i) hashes.push_back(BloomHash(FilterKey(i)));
  return hashes;
}

FilterRecipe RecipeOf(const FilterPolicy* policy, int level = -1, bool is_flush = false,
                      bool for_memory = false) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(policy, [](const FilterPolicy*) {});
  table.optimize_filters_for_memory = for_memory;
  const InternalKeyComparator icmp(BytewiseComparator());
  TableBuilderOptions options(icmp, kNoCompression);
  options.level = level;
  options.is_flush = is_flush;
  return ChooseFilter(table, options);
}

// The share of keys that are not there and are let through. Every one that is there must be.
double FalsePositives(const std::string& filter, int n) {
  const FilterReader reader{Slice(filter)};
  int positives = 0;
  for (int i = 0; i < n; ++i) EXPECT_TRUE(reader.MayMatch(FilterKey(i))) << i;
  constexpr int kOthers = 20000;
  for (int i = 0; i < kOthers; ++i) {
    if (reader.MayMatch(FilterKey(i + 1000000))) ++positives;
  }
  return static_cast<double>(positives) / kOthers;
}

}  // namespace

class FilterBuilderPeer {
 public:
  static std::vector<uint64_t>* Hashes(FilterBuilder* builder) { return &builder->hashes_; }
  static std::string* Bytes(FilterBuilder* builder) { return &builder->partitions_.at(0).bytes; }
};

namespace {

// What becomes of a filter in which `damage` changes a byte before it is written.
Status FilterWith(const BlockBasedTableOptions& table, bool ribbon,
                  const std::function<void(FilterBuilder*)>& damage) {
  const std::unique_ptr<const FilterPolicy> policy(ribbon ? NewRibbonFilterPolicy(10)
                                                          : NewBloomFilterPolicy(10));
  const InternalKeyComparator icmp(BytewiseComparator());
  IndexBuilder index(table, icmp, /*strip_timestamps=*/false);
  const std::string footer(kInternalKeyFooterSize, '\1');
  const std::string first = "key 1" + footer, second = "key 2" + footer;
  const Slice next(second);
  FilterBuilder builder(table, RecipeOf(policy.get()), /*whole_keys=*/true, nullptr, nullptr);
  for (int i = 0; i < 3000; ++i) builder.Add(FilterKey(i));
  if (table.partition_filters) {
    index.AddSeparator(first, &next);
    builder.EndPartition(0, "key 2");
  }
  if (damage) damage(&builder);
  BlockHandle handle;
  if (table.partition_filters) index.AddSeparator(second, nullptr);
  (void)builder.Finish(index, [](const Slice&, BlockHandle*) {}, &handle);
  return builder.status();
}

TEST(FilterBuilderTest, WhatChangesInMemoryIsFound) {
  for (const bool ribbon : {false, true}) {
    BlockBasedTableOptions table;
    const auto hash = [](FilterBuilder* builder) {
      (*FilterBuilderPeer::Hashes(builder))[1234] ^= 1 << 20;
    };
    EXPECT_TRUE(FilterWith(table, ribbon, hash).ok()) << "nobody looks";
    table.detect_filter_construct_corruption = true;
    EXPECT_TRUE(FilterWith(table, ribbon, nullptr).ok());
    Status s = FilterWith(table, ribbon, hash);
    EXPECT_EQ(s.ToString(), "Corruption: Filter's hash entries checksum mismatched");
    table.partition_filters = true;
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = 1 << 20;
    EXPECT_TRUE(FilterWith(table, ribbon, nullptr).ok());
    s = FilterWith(table, ribbon,
                   [](FilterBuilder* builder) { (*FilterBuilderPeer::Bytes(builder))[100] ^= 1; });
    EXPECT_EQ(s.ToString(), "Corruption: Corrupted filter content");
  }
}

TEST(BloomTest, NoFalseNegativesAndFewFalsePositives) {
  for (const double bits : {1.0, 5.0, 10.0, 16.0, 30.0}) {
    std::unique_ptr<const FilterPolicy> policy(NewBloomFilterPolicy(bits));
    constexpr int kKeys = 10000;
    const std::string filter = BuildFilter(RecipeOf(policy.get()), Hashes(kKeys));
    EXPECT_NEAR(static_cast<double>(filter.size()) * 8 / kKeys, bits, 0.2);
    EXPECT_TRUE(BloomReader{Slice(filter)}.is_useful());
    const double limit = bits < 2 ? 0.8 : bits < 6 ? 0.13 : bits < 12 ? 0.015 : 0.002;
    EXPECT_LT(FalsePositives(filter, kKeys), limit) << bits;
    EXPECT_NEAR(FalsePositives(filter, kKeys),
                BloomFalsePositiveRate(static_cast<int>(bits * 1000)), 0.02);
  }
}

TEST(RibbonTest, HasTheFalsePositivesOfABloomFilterInLessSpace) {
  for (const double bits : {1.5, 5.0, 10.0, 16.0, 25.0}) {
    std::unique_ptr<const FilterPolicy> policy(NewRibbonFilterPolicy(bits));
    for (const int keys : {5000, 100000}) {
      SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(keys) + " keys");
      const FilterRecipe recipe = RecipeOf(policy.get());
      const std::string filter = BuildFilter(recipe, Hashes(keys));
      ASSERT_TRUE(RibbonReader::IsRibbon(filter));
      EXPECT_TRUE(FilterReader{Slice(filter)}.is_useful());
      const int millibits = static_cast<int>(bits * 1000);
      EXPECT_LT(filter.size(), BloomSize(static_cast<size_t>(keys), millibits) * 4 / 5);
      EXPECT_EQ(filter.size(), FilterSize(recipe, static_cast<size_t>(keys)));
      const double bloom = BloomFalsePositiveRate(millibits);
      EXPECT_NEAR(FalsePositives(filter, keys), bloom, bloom * 0.15 + 0.001);
    }
  }
}

TEST(RibbonTest, FewKeysGetWhatIsSmaller) {
  std::unique_ptr<const FilterPolicy> policy(NewRibbonFilterPolicy(10));
  const FilterRecipe recipe = RecipeOf(policy.get());
  EXPECT_EQ(BuildFilter(recipe, {}), "");
  bool bloom = false, ribbon = false;
  for (int keys = 1; keys < 1500; keys += keys < 300 ? 1 : 37) {
    const std::string filter = BuildFilter(recipe, Hashes(keys));
    (RibbonReader::IsRibbon(filter) ? ribbon : bloom) = true;
    EXPECT_LE(filter.size(), BloomSize(static_cast<size_t>(keys), 10000)) << keys;
    EXPECT_LT(FalsePositives(filter, keys), 0.02) << keys;
  }
  EXPECT_TRUE(bloom);
  EXPECT_TRUE(ribbon);
}

TEST(RibbonTest, UpperLevelsHaveBloomFilters) {
  const auto is_ribbon = [](int before, int level, bool is_flush) {
    std::unique_ptr<const FilterPolicy> policy(NewRibbonFilterPolicy(10, before));
    return RecipeOf(policy.get(), level, is_flush).ribbon_one_in != 0;
  };
  EXPECT_FALSE(is_ribbon(0, 0, true)) << "a flush";
  EXPECT_TRUE(is_ribbon(-1, 0, true));
  EXPECT_TRUE(is_ribbon(0, 0, false));
  EXPECT_FALSE(is_ribbon(2, 1, false));
  EXPECT_TRUE(is_ribbon(2, 2, false));
  EXPECT_TRUE(is_ribbon(2, -1, false)) << "not known, as of external files";
  EXPECT_FALSE(is_ribbon(INT_MAX, 6, false)) << "never";
  EXPECT_FALSE(is_ribbon(INT_MAX, -1, false));
  std::unique_ptr<const FilterPolicy> policy(NewRibbonFilterPolicy(12.5, 3));
  EXPECT_EQ(policy->GetId(), "ribbonfilter:12.5:3");
}

TEST(RibbonTest, TheLevelIsAnOption) {
  const std::unique_ptr<FilterPolicy> policy(
      const_cast<FilterPolicy*>(NewRibbonFilterPolicy(10, 1)));
  const auto is_ribbon = [&](int level) {
    return RecipeOf(policy.get(), level).ribbon_one_in != 0;
  };
  EXPECT_FALSE(is_ribbon(0));
  const ConfigOptions config;
  ASSERT_TRUE(policy->ConfigureOption(config, "bloom_before_level", "0").ok());
  EXPECT_TRUE(is_ribbon(0));
  // Only in the id: RocksDB 7.8.3 would not read it as an option.
  EXPECT_EQ(policy->ToString(config), "ribbonfilter:10:0");
  EXPECT_FALSE(policy->ConfigureOption(config, "bloom_before_level", "low").ok());
  // What RocksDB 10 and later write.
  std::shared_ptr<const FilterPolicy> read;
  ASSERT_TRUE(
      FilterPolicy::CreateFromString(config, "{id=ribbonfilter:10:-1;bloom_before_level=2;}", &read)
          .ok());
  EXPECT_EQ(read->GetId(), "ribbonfilter:10:2");
  const auto other = WithBloomBeforeLevel(read.get(), 5);
  EXPECT_EQ(other->GetId(), "ribbonfilter:10:5");
  const std::unique_ptr<const FilterPolicy> bloom(NewBloomFilterPolicy(10));
  EXPECT_EQ(WithBloomBeforeLevel(bloom.get(), 5), nullptr);
}

TEST(RibbonTest, WithoutLevelsThereIsOnlyTheLastOne) {
  const std::unique_ptr<const FilterPolicy> policy(NewRibbonFilterPolicy(10, 3));
  BlockBasedTableOptions table;
  table.filter_policy.reset(policy.get(), [](const FilterPolicy*) {});
  const InternalKeyComparator icmp(BytewiseComparator());
  TableBuilderOptions options(icmp, kNoCompression);
  options.level = 0;
  options.is_flush = true;
  EXPECT_EQ(ChooseFilter(table, options).ribbon_one_in, 0);
  options.level_tells_age = false;  // FIFO
  EXPECT_NE(ChooseFilter(table, options).ribbon_one_in, 0);
}

TEST(RibbonTest, AnyBytesCanBeAsked) {
  const std::string filter = BuildRibbon(Hashes(3000), RibbonSize(3000, 100));
  for (const size_t size : {5u, 6u, 20u, 21u, 22u, 37u, 1000u, 4000u}) {
    for (const int blocks : {0, 1, 2, 3, 24, 25, 1000, 0xffffff}) {
      std::string bytes = filter.substr(0, size - 5) + std::string("\xfe\x07", 2);
      for (const int shift : {0, 8, 16}) bytes.push_back(static_cast<char>(blocks >> shift));
      const auto copy = std::make_unique<char[]>(bytes.size());  // so that a sanitizer sees its end
      std::memcpy(copy.get(), bytes.data(), bytes.size());
      const FilterReader reader{Slice(copy.get(), bytes.size())};
      int positives = 0;
      for (int i = 0; i < 2000; ++i) positives += reader.MayMatch(FilterKey(i)) ? 1 : 0;
      if (size > 5 && (blocks < 2 || !reader.is_useful())) {
        EXPECT_EQ(positives, 2000);
      }
    }
  }
}

TEST(FilterPolicyTest, FiltersForMemoryFillTheirBlocks) {
  std::unique_ptr<const FilterPolicy> bloom(NewBloomFilterPolicy(10));
  std::unique_ptr<const FilterPolicy> ribbon(NewRibbonFilterPolicy(10, -1));
  for (const FilterPolicy* policy : {bloom.get(), ribbon.get()}) {
    const FilterRecipe plain = RecipeOf(policy);
    const FilterRecipe fitted = RecipeOf(policy, -1, false, /*for_memory=*/true);
    size_t plain_bytes = 0, fitted_bytes = 0, fitted_memory = 0, plain_memory = 0;
    double rate = 0;
    const auto memory_of = [](const std::string& filter) {
      size_t below, above;
      BlockMemoryAround(sizeof(Block) + filter.size() + kBlockTrailerSize, &below, &above);
      return above;
    };
    int filters = 0;
    for (int keys = 2000; keys < 30000; keys += 937, ++filters) {
      const std::string a = BuildFilter(plain, Hashes(keys));
      const std::string b = BuildFilter(fitted, Hashes(keys));
      plain_bytes += a.size();
      fitted_bytes += b.size();
      plain_memory += memory_of(a);
      fitted_memory += memory_of(b);
      rate += FalsePositives(b, keys);
    }
    EXPECT_LT(fitted_memory, plain_memory);
    EXPECT_NEAR(static_cast<double>(fitted_bytes), static_cast<double>(plain_bytes),
                static_cast<double>(plain_bytes) * 0.01);
    EXPECT_NEAR(rate / filters, 0.0095, 0.0015);
  }
}

TEST(BloomTest, UnknownFiltersMatchEverything) {
  for (const char marker : {-2, -3, 0, 6}) {
    std::string filter(64, '\0');
    filter += std::string(1, marker) + std::string("\0\6\0\0", 4);
    BloomReader reader{Slice(filter)};
    EXPECT_TRUE(reader.MayMatch("anything"));
    EXPECT_FALSE(reader.is_useful());
  }
  EXPECT_FALSE(BloomReader(Slice()).MayMatch("anything"));
  EXPECT_TRUE(BloomReader().MayMatch("anything"));
}

TEST(FilterPolicyTest, FiltersSaveReads) {
  Harness h;
  for (int i = 0; i < 1000; ++i) h.Put("key" + std::to_string(i), 1, "v");
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  Cache* cache = h.factory->options().block_cache.get();
  for (int i = 0; i < 100; ++i) h.CheckGet("key" + std::to_string(i) + "x", 5);
  EXPECT_LT(cache->GetOccupancyCount(), 10u);
}

TEST(FilterPolicyTest, TablesHaveRibbonFilters) {
  for (const bool partitions : {false, true}) {
    Harness h;
    h.table_options.filter_policy.reset(NewRibbonFilterPolicy(10));
    h.table_options.optimize_filters_for_memory = true;
    h.table_options.metadata_block_size = 2000;
    if (partitions) {
      h.table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      h.table_options.partition_filters = true;
    }
    for (int i = 0; i < 20000; ++i) h.Put(FilterKey(i), 1, "v");
    ASSERT_TRUE(h.Build().ok());
    EXPECT_EQ(h.properties.filter_policy_name, "ribbonfilter");
    EXPECT_LT(h.properties.filter_size, BloomSize(20000, 8000));
    EXPECT_GT(h.properties.filter_size, BloomSize(20000, 6000));
    h.statistics = CreateDBStatistics();
    ASSERT_TRUE(h.Open().ok());
    for (int i = 0; i < 20000; i += 7) h.CheckGet(FilterKey(i), 5);
    EXPECT_EQ(h.statistics->getTickerCount(BLOOM_FILTER_USEFUL), 0u);
    for (int i = 0; i < 1000; ++i) h.CheckGet(FilterKey(i) + "x", 5);
    EXPECT_GT(h.statistics->getTickerCount(BLOOM_FILTER_USEFUL), 960u);
  }
}

}  // namespace
}  // namespace cairn
