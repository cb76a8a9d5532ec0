// Lookups of a batch that come together to what is cached find and count what lookups one by one
// do.
#include "read/approaches.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "read/point_lookup.h"
#include "read/testing/lsm_fixture.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/perf_context.h"

namespace cairn {
namespace {

struct ApproachMode {
  const char* name;
  bool clock_cache;
  const FilterPolicy* (*filter)();
  int restart_interval = 4;
  BlockBasedTableOptions::DataBlockIndexType index = BlockBasedTableOptions::kDataBlockBinarySearch;
};

const FilterPolicy* NoFilter() { return nullptr; }
const FilterPolicy* Bloom() { return NewBloomFilterPolicy(10); }
const FilterPolicy* FewBits() { return NewBloomFilterPolicy(1); }  // errs often
const FilterPolicy* Ribbon() { return NewRibbonFilterPolicy(10); }

class ApproachesTest : public ::testing::TestWithParam<ApproachMode> {
 protected:
  static constexpr int kKeys = 400;

  ApproachesTest() : options_(Options()), lsm_(BytewiseComparator(), options_) {
    for (int level = 3; level > 0; --level) {
      const int step = 1 << (3 - level);
      for (int i = 0; i < kKeys; i += step) {
        lsm_.Add(kTypeValue, Key(i), "level" + std::to_string(level));
      }
      lsm_.FlushToLevel(level, 4);
    }
    for (int i = 0; i < kKeys; i += 32) lsm_.Add(kTypeValue, Key(i), "older");
    lsm_.FlushToLevel0();
    for (int i = 0; i < kKeys; i += 96) lsm_.Add(kTypeDeletion, Key(i));
    lsm_.FlushToLevel0();
    for (int i = 0; i < kKeys; i += 50) lsm_.Add(kTypeValue, Key(i), "memtable");
    lsm_.Install();
  }

  static BlockBasedTableOptions Options() {
    BlockBasedTableOptions options = LsmFixture::SmallBlocks();
    options.block_restart_interval = GetParam().restart_interval;
    options.data_block_index_type = GetParam().index;
    options.filter_policy.reset(GetParam().filter());
    options.block_cache = GetParam().clock_cache
                              ? HyperClockCacheOptions(8 << 20, 0).MakeSharedCache()
                              : NewLRUCache(8 << 20);
    return options;
  }

  struct Answers {
    std::vector<std::string> texts;
    PerfContext counts;
  };
  static std::string TextOf(const Status& s, const PinnableSlice& value) {
    return s.ok() ? value.ToString() : s.ToString();
  }
  Answers Together(const std::vector<std::string>& keys, const ReadOptions& options) {
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    SuperVersionGuard sv(lsm_.slots());
    get_perf_context()->Reset();
    MultiGetLookup({options, *sv.get(), lsm_.tables(), lsm_.last_sequence()}, keys.size(),
                   slices.data(), values.data(), statuses.data());
    Answers answers{{}, *get_perf_context()};
    for (size_t i = 0; i < keys.size(); ++i)
      answers.texts.push_back(TextOf(statuses[i], values[i]));
    return answers;
  }
  Answers OneByOne(const std::vector<std::string>& keys, const ReadOptions& options) {
    SuperVersionGuard sv(lsm_.slots());
    get_perf_context()->Reset();
    std::vector<std::string> texts;
    for (const std::string& key : keys) {
      PinnableSlice value;
      const Status s =
          PointLookup({options, *sv.get(), lsm_.tables(), lsm_.last_sequence()}, key, {&value});
      texts.push_back(TextOf(s, value));
    }
    return {std::move(texts), *get_perf_context()};
  }

  const BlockBasedTableOptions options_;
  LsmFixture lsm_;
};

INSTANTIATE_TEST_SUITE_P(All, ApproachesTest,
                         ::testing::Values(ApproachMode{"Plain", false, NoFilter},
                                           ApproachMode{"LruBloom", false, Bloom},
                                           ApproachMode{"LruErring", false, FewBits, 1},
                                           ApproachMode{"LruRibbon", false, Ribbon, 16},
                                           ApproachMode{"ClockBloom", true, Bloom},
                                           ApproachMode{
                                               "Hash", false, Bloom, 4,
                                               BlockBasedTableOptions::kDataBlockBinaryAndHash}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(ApproachesTest, TheyFindAndCountWhatLookupsOneByOneDo) {
  Random64 random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> keys;
    // Keys that only tables have: nothing is looked up in vain.
    const size_t count = 4 + random.Uniform(40);
    while (keys.size() < count) {
      const int i = static_cast<int>(random.Uniform(kKeys + 20));
      if (i % 50 == 0) continue;
      keys.push_back(random.OneIn(10) ? Key(i) + "x" : Key(i));
    }
    ReadOptions options;
    if (random.OneIn(4)) options.read_tier = kBlockCacheTier;  // all is there by now, or not
    const Answers before = OneByOne(keys, options);
    const Answers one_by_one = OneByOne(keys, options);
    const Answers together = Together(keys, options);
    ASSERT_EQ(together.texts, one_by_one.texts) << "round " << round;
    const auto expect_same = [&](uint64_t PerfContext::* count, const char* name) {
      EXPECT_EQ(together.counts.*count, one_by_one.counts.*count) << name << ", round " << round;
    };
    expect_same(&PerfContext::block_cache_hit_count, "hits");
    expect_same(&PerfContext::block_cache_read_byte, "bytes");
    expect_same(&PerfContext::block_read_count, "reads");
    expect_same(&PerfContext::bloom_sst_hit_count, "filters passed");
    expect_same(&PerfContext::bloom_sst_miss_count, "filters that excluded");
    if (HasFailure()) return;
  }
}

TEST_P(ApproachesTest, WhatMemtablesHaveIsFoundThere) {
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; i += 25) keys.push_back(Key(i));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(Together(keys, {}).texts, OneByOne(keys, {}).texts);
  }
}

TEST_P(ApproachesTest, NothingIsHeldBehindThem) {
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; i += 3) keys.push_back(Key(i));
  (void)Together(keys, {});
  SuperVersionGuard sv(lsm_.slots());
  const ReadOptions options;
  const LookupRequest request{options, *sv.get(), lsm_.tables(), lsm_.last_sequence()};
  const std::vector<Slice> slices(keys.begin(), keys.end());
  {
    Approaches approaches(request);
    size_t found = 0;
    for (int round = 0; round < 2; ++round) {
      approaches.Start(slices.data(), Approaches::kAtOnce);
      for (size_t i = 0; i < Approaches::kAtOnce; ++i) found += approaches.Of(i) != nullptr ? 1 : 0;
    }
    EXPECT_GT(found, 0u);
  }
  EXPECT_EQ(options_.block_cache->GetPinnedUsage(), 0u);
}

}  // namespace
}  // namespace cairn
