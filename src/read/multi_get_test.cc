// MultiGet, with async_io and without: the same answers as Get, from reads that wait together.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "read/point_lookup.h"
#include "read/testing/lsm_fixture.h"
#include "read/testing/slow_disk.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"

namespace cairn {
namespace {

// Level 3 has every key, level 2 every second, level 1 every fourth, in 8 files each; level 0 a few
// in two files, one deleted; the memtable one.
class MultiGetTest : public ::testing::TestWithParam<std::pair<bool, bool>> {
 protected:
  static constexpr int kKeys = 512;

  MultiGetTest()
      : disk_(std::make_shared<SlowDisk>()),
        lsm_(BytewiseComparator(), LsmFixture::SmallBlocks(), disk_) {
    for (int level = 3; level > 0; --level) {
      const int step = 1 << (3 - level);
      for (int i = 0; i < kKeys; i += step) {
        lsm_.Add(kTypeValue, Key(i), "level" + std::to_string(level));
      }
      lsm_.FlushToLevel(level, 8);
    }
    for (int i = 0; i < kKeys; i += 64) lsm_.Add(kTypeValue, Key(i), "older");
    lsm_.FlushToLevel0();
    for (int i = 0; i < kKeys; i += 128) lsm_.Add(kTypeValue, Key(i), "newer");
    lsm_.Add(kTypeDeletion, Key(64));
    lsm_.FlushToLevel0();
    lsm_.Add(kTypeValue, Key(3), "memtable");
    lsm_.Install();
  }

  // What the keys have, in words; asked with the test's options.
  std::vector<std::string> Ask(const std::vector<std::string>& keys, ReadOptions options = {}) {
    std::tie(options.async_io, options.optimize_multiget_for_io) = GetParam();
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    SuperVersionGuard sv(lsm_.slots());
    MultiGetLookup({options, *sv.get(), lsm_.tables(), lsm_.last_sequence()}, keys.size(),
                   slices.data(), values.data(), statuses.data());
    std::vector<std::string> result;
    for (size_t i = 0; i < keys.size(); ++i) {
      result.push_back(statuses[i].ok() ? values[i].ToString() : statuses[i].ToString());
    }
    return result;
  }
  std::vector<std::string> AskOneByOne(const std::vector<std::string>& keys) {
    std::vector<std::string> result;
    for (const std::string& key : keys) {
      SuperVersionGuard sv(lsm_.slots());
      PinnableSlice value;
      const Status s = PointLookup({ReadOptions(), *sv.get(), lsm_.tables(), lsm_.last_sequence()},
                                   key, {&value});
      result.push_back(s.ok() ? value.ToString() : s.ToString());
    }
    return result;
  }
  static bool together() { return GetParam().first; }

  const std::shared_ptr<SlowDisk> disk_;
  LsmFixture lsm_;
};

INSTANTIATE_TEST_SUITE_P(Modes, MultiGetTest,
                         ::testing::Values(std::pair(false, true), std::pair(true, false),
                                           std::pair(true, true)),
                         [](const auto& test) {
                           return std::string(!test.param.first   ? "AsNeeded"
                                              : test.param.second ? "AllLevels"
                                                                  : "LevelByLevel");
                         });

TEST_P(MultiGetTest, AgreesWithGet) {
  const uint64_t seed = 20;
  SCOPED_TRACE(seed);
  Random64 random(seed);
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> keys;
    const size_t count = 1 + random.Uniform(round == 0 ? 200 : 20);
    while (keys.size() < count) {
      const int i = static_cast<int>(random.Uniform(kKeys + 20));  // some do not exist
      keys.push_back(random.OneIn(10) ? Key(i) + "x" : Key(i));
    }
    const std::vector<std::string> answers = Ask(keys);
    EXPECT_EQ(answers, AskOneByOne(keys));
  }
}

TEST_P(MultiGetTest, OnAFiberToo) {
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; i += 31) keys.push_back(Key(i));
  std::vector<std::string> answers;
  fiber::Runtime runtime({.workers = 1});
  runtime.spawn([&] { answers = Ask(keys); }).join();
  EXPECT_GT(disk_->most_at_once, 1);
  EXPECT_EQ(answers, AskOneByOne(keys));
}

TEST_P(MultiGetTest, ReadsOfManyFilesWaitTogether) {
  std::vector<std::string> keys;  // only on level 3, one in each of its files
  for (int file = 0; file < 8; ++file) keys.push_back(Key(file * 64 + 5));
  EXPECT_EQ(Ask(keys), std::vector<std::string>(8, "level3"));
  // The first two alone, if it is not said beforehand.
  EXPECT_GE(disk_->most_at_once, together() ? 8 : 6);
}

TEST_P(MultiGetTest, NeighboursShareReads) {
  // Two keys of each file, to open them.
  std::vector<std::string> keys;
  for (int i = 1; i < kKeys; i += 32) keys.push_back(Key(i));
  Ask(keys);
  // All the others: each block is read once at most, and adjoining ones together.
  keys.clear();
  for (int i = 0; i < kKeys; ++i) keys.push_back(Key(i));
  disk_->ResetCounts();
  const std::vector<std::string> answers = Ask(keys);
  const uint64_t bytes = disk_->bytes;
  EXPECT_LE(disk_->reads, 4 * 8 * 3) << "levels, files, runs between the blocks that are cached";
  uint64_t data = 0;
  for (int level = 0; level < lsm_.version()->num_non_empty_levels(); ++level) {
    const LevelFiles& files = lsm_.version()->level_files(level);
    for (size_t i = 0; i < files.size; ++i) data += files[i].file_size;
  }
  EXPECT_LE(bytes, data);
  EXPECT_EQ(answers, AskOneByOne(keys));
}

TEST(ReadPaceTest, OneSlowReadIsNoSlowDevice) {
  ReadPace pace;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(pace.IsSlow(50'000, 0)) << "that thread was held up, it may be";
    EXPECT_FALSE(pace.IsSlow(10'000, 0));
    EXPECT_FALSE(pace.IsSlow(50'000, 0));
    EXPECT_FALSE(pace.IsSlow(50'000, 10)) << "these were eleven";
  }
  EXPECT_FALSE(pace.IsSlow(50'000, 0));
  EXPECT_TRUE(pace.IsSlow(50'000, 0));
  EXPECT_TRUE(pace.IsSlow(50'000, 0));
}

// Where processors are what all wait for, waiting together saves nothing.
TEST(ReadPaceTest, TogetherMustBeMuchLess) {
  ReadPace pace;
  pace.TookOneByOne(200'000, 2);
  pace.TookTogether(1'600'000, 31);
  EXPECT_FALSE(pace.WantsTogether()) << "52 us each, after 100";
  pace.TookTogether(1'500'000, 31);
  EXPECT_TRUE(pace.WantsTogether()) << "48 us each";
  ReadPace of_three;
  of_three.TookOneByOne(2'000'000, 2);
  of_three.TookTogether(1'000'000, 1);
  EXPECT_TRUE(of_three.WantsTogether()) << "as far as one tells";
}

// Slow reads are tried one by one every now and then: they may have become fast.
TEST(ReadPaceTest, IsTriedAgain) {
  ReadPace pace;
  pace.TookOneByOne(1'000'000, 1);
  EXPECT_FALSE(pace.WantsTogether());
  pace.TookTogether(80'000, 31);  // the slow one was alone
  EXPECT_FALSE(pace.WantsTogether());
  for (int round = 0; round < 2; ++round) {
    pace.TookTogether(1'000'000, 31);
    int together = 0;
    while (pace.WantsTogether()) ++together;
    EXPECT_EQ(64, together);
  }
}

TEST_P(MultiGetTest, WhatIsInMemoryIsNotRead) {
  const std::vector<std::string> keys = {Key(3), Key(5), Key(64), Key(128), Key(500), "z"};
  const std::vector<std::string> first = Ask(keys);
  EXPECT_EQ(first, (std::vector<std::string>{"memtable", "level3", "NotFound: ", "newer", "level1",
                                             "NotFound: "}));
  disk_->ResetCounts();
  EXPECT_EQ(Ask(keys), first);
  EXPECT_EQ(disk_->reads, 0);
}

TEST_P(MultiGetTest, OnlyTheCache) {
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  disk_->ResetCounts();
  const std::vector<std::string> answers = Ask({Key(3), Key(5)}, cached);
  EXPECT_EQ(answers[0], "memtable");
  EXPECT_NE(answers[1].find("incomplete"), std::string::npos) << answers[1];
  EXPECT_EQ(disk_->reads, 0);
}

TEST_P(MultiGetTest, AFailedReadIsTheFailureOfItsKeysAlone) {
  std::vector<std::string> keys;
  for (int file = 0; file < 8; ++file) keys.push_back(Key(file * 64 + 45));
  // Opened while all is well; the data blocks are read later.
  EXPECT_EQ(Ask({Key(64 + 1), Key(6 * 64 + 1)}), std::vector<std::string>(2, "level3"));
  const Version* const version = lsm_.version();
  for (const size_t file : {size_t{1}, size_t{6}}) {
    disk_->broken.insert(TableFileName("/db", version->level_files(3)[file].number));
  }
  const std::vector<std::string> answers = Ask(keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i == 1 || i == 6) {
      EXPECT_NE(answers[i].find("broken"), std::string::npos) << answers[i];
    } else {
      EXPECT_EQ(answers[i], "level3");
    }
  }
  disk_->broken.clear();
  EXPECT_EQ(Ask(keys), std::vector<std::string>(8, "level3"));
}

// With filters, and filters and indexes in the block cache.
class ColdGetTest : public ::testing::Test {
 protected:
  ColdGetTest()
      : disk_(std::make_shared<SlowDisk>()), lsm_(BytewiseComparator(), Options(), disk_) {
    for (int level = 3; level > 0; --level) {
      for (int i = 0; i < 300; ++i) {
        lsm_.Add(kTypeValue, Key(i * 10 + level), "level" + std::to_string(level));
      }
      lsm_.FlushToLevel(level, 4);
    }
    for (int file = 0; file < 4; ++file) {
      for (int i = 0; i < 300; ++i) lsm_.Add(kTypeValue, Key(i * 10 + 4 + file), "level0");
      lsm_.FlushToLevel0();
    }
    lsm_.Install();
  }
  BlockBasedTableOptions Options() {
    BlockBasedTableOptions options = LsmFixture::SmallBlocks();
    options.filter_policy.reset(NewBloomFilterPolicy(30));
    options.cache_index_and_filter_blocks = true;
    options.block_cache = cache_;
    return options;
  }
  void Get(const std::string& key, const std::string& expected, bool together) {
    ReadOptions options;
    options.async_io = together;
    const Slice slice(key);
    PinnableSlice value;
    Status s;
    SuperVersionGuard sv(lsm_.slots());
    MultiGetLookup({options, *sv.get(), lsm_.tables(), lsm_.last_sequence()}, 1, &slice, &value,
                   &s);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(value, expected);
  }

  const std::shared_ptr<Cache> cache_ = NewLRUCache(8 << 20);
  const std::shared_ptr<SlowDisk> disk_;
  LsmFixture lsm_;
};

TEST_F(ColdGetTest, OverSevenRunsTakesTwoRounds) {
  // Nothing is open: the tails of seven files, then a block.
  Get(Key(1503), "level3", /*together=*/true);
  EXPECT_EQ(disk_->reads, 8);
  EXPECT_LE(disk_->rounds, 2);
  EXPECT_EQ(disk_->most_at_once, 7);

  // The tables are open, but nothing is cached: seven filters and indexes, then a block.
  disk_->ResetCounts();
  cache_->EraseUnRefEntries();
  Get(Key(1503), "level3", /*together=*/true);
  EXPECT_EQ(disk_->reads, 15);
  EXPECT_LE(disk_->rounds, 2);
  EXPECT_EQ(disk_->most_at_once, 14);

  disk_->ResetCounts();
  Get(Key(1503), "level3", /*together=*/true);
  EXPECT_EQ(disk_->reads, 0);
}

TEST_F(ColdGetTest, OneByOneTakesARoundForEachRead) {
  Get(Key(1503), "level3", /*together=*/false);
  EXPECT_EQ(disk_->rounds, disk_->reads);
  EXPECT_GE(disk_->reads, 8);
}

// Level 2 has all keys, level 1 every fourth one, with filters that often err. The tables are open.
class ErringFilters {
 public:
  static constexpr int kKeys = 1600;

  ErringFilters()
      : disk_(std::make_shared<SlowDisk>()), lsm_(BytewiseComparator(), Options(), disk_) {
    for (const int level : {2, 1}) {
      for (int i = 0; i < kKeys; i += level == 2 ? 1 : 4) {
        lsm_.Add(kTypeValue, Key(i), "level" + std::to_string(level));
      }
      lsm_.FlushToLevel(level, 1);
    }
    lsm_.Install();
    ReadCold({1});
  }

  // Reads keys, no block of which is cached. Returns the nanoseconds it took.
  uint64_t ReadCold(const std::vector<int>& keys) {
    cache_->EraseUnRefEntries();
    disk_->ResetCounts();
    ReadOptions options;
    options.async_io = keys.size() > 1;
    std::vector<std::string> names;
    for (const int key : keys) names.push_back(Key(key));
    const std::vector<Slice> slices(names.begin(), names.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    SuperVersionGuard sv(lsm_.slots());
    const uint64_t start = fiber::now_nanos();
    MultiGetLookup({options, *sv.get(), lsm_.tables(), lsm_.last_sequence()}, keys.size(),
                   slices.data(), values.data(), statuses.data());
    const uint64_t took = fiber::now_nanos() - start;
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(statuses[i].ok()) << statuses[i].ToString();
      EXPECT_EQ(values[i], keys[i] % 4 == 0 ? "level1" : "level2");
    }
    return took;
  }
  int reads() const { return disk_->reads; }

 private:
  BlockBasedTableOptions Options() {
    BlockBasedTableOptions options = LsmFixture::SmallBlocks();
    options.filter_policy.reset(NewBloomFilterPolicy(4));
    options.block_cache = cache_;
    return options;
  }

  const std::shared_ptr<Cache> cache_ = NewLRUCache(8 << 20);
  const std::shared_ptr<SlowDisk> disk_;
  LsmFixture lsm_;
};

// By the virtual clock: two reads that wait together take the time of one.
void PlayErringFilters(void (*play)(ErringFilters*)) {
  fiber::SimulationOptions options;
  options.preempt_every = 0;
  const auto result = fiber::Simulation(options).run([play] {
    ErringFilters filters;
    play(&filters);
  });
  EXPECT_TRUE(result.ok()) << result.report;
}

TEST(MultiGetErringFiltersTest, AFewCostTheBatchNoRound) {
  PlayErringFilters([](ErringFilters* filters) {
    std::vector<int> clear;
    std::vector<int> erring;
    // (Far from one another: no read of the one has the other's block.)
    for (int i = 1; i < ErringFilters::kKeys; i += 4) {
      filters->ReadCold({i});
      ASSERT_LE(filters->reads(), 2);
      if (i < ErringFilters::kKeys / 2 && filters->reads() == 2) erring.push_back(i);
      if (i > ErringFilters::kKeys / 4 * 3 && filters->reads() == 1) clear.push_back(i);
    }
    clear.resize(24);
    erring.resize(2);
    std::vector<int> keys = clear;
    keys.insert(keys.end(), erring.begin(), erring.end());
    EXPECT_LT(filters->ReadCold(keys), 2 * SlowDisk::kReadNanos);
  });
}

// Where most keys are in two files, the second ones would be read for nothing.
TEST(MultiGetErringFiltersTest, OverwrittenKeysAreReadOnce) {
  PlayErringFilters([](ErringFilters* filters) {
    std::vector<int> keys;
    for (int i = 0; i < ErringFilters::kKeys; i += 200) keys.push_back(i);
    EXPECT_LT(filters->ReadCold(keys), 2 * SlowDisk::kReadNanos);
    EXPECT_EQ(filters->reads(), static_cast<int>(keys.size()));
  });
}

}  // namespace
}  // namespace cairn
