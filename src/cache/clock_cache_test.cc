#include "cache/clock_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cache/testing/cache_fixture.h"

namespace cairn {
namespace {

// One shard, and no charge for bookkeeping.
class ClockCacheTest : public testing::CacheFixture {
 protected:
  void Make(size_t capacity, size_t estimated_entry_charge, bool strict = false) {
    Use(HyperClockCacheOptions(capacity, estimated_entry_charge, 0, strict, nullptr,
                               kDontChargeCacheMetadata)
            .MakeSharedCache());
  }
  // 16 slots, all of them held.
  std::vector<Cache::Handle*> FillTheOnlySet() {
    Make(1000, 1000);
    EXPECT_EQ(cache_->GetTableAddressCount(), 16u);
    std::vector<Cache::Handle*> held(16);
    for (int i = 0; i < 16; ++i) {
      EXPECT_TRUE(Insert("k" + std::to_string(i), 100u + i, 1, &held[i]).ok());
      EXPECT_EQ(Lookup("k" + std::to_string(i)), 100u + i);
    }
    return held;
  }
  void Release(const std::vector<Cache::Handle*>& held) {
    for (Cache::Handle* h : held) cache_->Release(h);
  }
};

TEST_F(ClockCacheTest, WhatFindsNoSlotStandsAlone) {
  const auto held = FillTheOnlySet();
  Cache::Handle* alone = nullptr;
  ASSERT_TRUE(Insert("alone", 7, 5, &alone).ok());
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(cache_->Value(alone), testing::Value(7));
  EXPECT_EQ(cache_->GetCharge(alone), 5u);
  EXPECT_EQ(Lookup("alone"), 0u);
  EXPECT_EQ(cache_->GetUsage(), 21u);
  EXPECT_EQ(cache_->GetPinnedUsage(), 21u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 16u);
  EXPECT_TRUE(cache_->Ref(alone));
  EXPECT_FALSE(cache_->Release(alone));
  EXPECT_EQ(testing::deleted, 0);
  EXPECT_TRUE(cache_->Release(alone));
  EXPECT_EQ(testing::deleted, 1);
  EXPECT_EQ(testing::last_deleted, 7u);
  EXPECT_EQ(cache_->GetUsage(), 16u);
  Release(held);
  EXPECT_EQ(cache_->GetPinnedUsage(), 0u);
}

TEST_F(ClockCacheTest, WhatFindsNoSlotAndIsNotHeldIsGone) {
  const auto held = FillTheOnlySet();
  ASSERT_TRUE(Insert("gone", 7).ok());
  EXPECT_EQ(testing::deleted, 1);
  EXPECT_EQ(Lookup("gone"), 0u);
  EXPECT_EQ(cache_->GetUsage(), 16u);
  Release(held);
  ASSERT_TRUE(Insert("comes", 8).ok());
  EXPECT_EQ(Lookup("comes"), 8u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 16u);
  EXPECT_EQ(testing::deleted, 2);
}

TEST_F(ClockCacheTest, GrowsWhenItsEntriesAreSmall) {
  Make(1 << 20, /*estimated_entry_charge=*/0);
  const size_t first = cache_->GetTableAddressCount();
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(Insert("k" + std::to_string(i), 1u + i, 500).ok());
  EXPECT_GE(cache_->GetTableAddressCount(), 2000u);
  EXPECT_GT(cache_->GetTableAddressCount(), 4 * first);
  EXPECT_GT(cache_->GetOccupancyCount(), 1800u);
  EXPECT_EQ(cache_->GetUsage(), cache_->GetOccupancyCount() * 500);
  for (int i = 0; i < 2000; ++i) {
    const uintptr_t found = Lookup("k" + std::to_string(i));
    if (found != 0) {
      EXPECT_EQ(found, 1u + i);
    }
  }
  // And no further than its least entries want.
  for (int i = 0; i < 100000; ++i) ASSERT_TRUE(Insert("s" + std::to_string(i), 1, 1).ok());
  EXPECT_LE(cache_->GetTableAddressCount(), 8192u);
}

TEST_F(ClockCacheTest, WhatIsUsedSurvivesTheHand) {
  Make(100, 1);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Insert("hot" + std::to_string(i), 1).ok());
  int hot = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(Insert("cold" + std::to_string(i), 2).ok());
    for (int k = 0; k < 10; ++k) hot += Lookup("hot" + std::to_string(k)) == 1 ? 1 : 0;
  }
  EXPECT_GT(hot, 9900);
  EXPECT_LE(cache_->GetUsage(), 100u);
}

TEST_F(ClockCacheTest, PrioritiesAreRounds) {
  Make(100, 1);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(Insert("high" + std::to_string(i), 1, 1, nullptr, Cache::Priority::HIGH).ok());
    ASSERT_TRUE(Insert("low" + std::to_string(i), 1, 1, nullptr, Cache::Priority::BOTTOM).ok());
  }
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(Insert("more" + std::to_string(i), 1, 1, nullptr, Cache::Priority::HIGH).ok());
  }
  int high = 0, low = 0;
  for (int i = 0; i < 50; ++i) {
    high += Lookup("high" + std::to_string(i)) != 0 ? 1 : 0;
    low += Lookup("low" + std::to_string(i)) != 0 ? 1 : 0;
  }
  EXPECT_GT(high, 45);
  EXPECT_LT(low, 15);
}

TEST_F(ClockCacheTest, GivesUpOnThePinned) {
  Make(64, 1, /*strict=*/true);
  std::vector<Cache::Handle*> held(64);
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(Insert("k" + std::to_string(i), 1, 1, &held[i]).ok());
  Cache::Handle* more = nullptr;
  EXPECT_TRUE(Insert("more", 1, 1, &more).IsMemoryLimit());
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(cache_->GetUsage(), 64u);
  Release(held);
}

TEST(ClockCacheOptionsTest, WhatCannotBeIsNull) {
  HyperClockCacheOptions options(1 << 20, 0, 16);
  EXPECT_EQ(options.MakeSharedCache(), nullptr);
  options.num_shard_bits = 2;
  EXPECT_NE(options.MakeSharedCache(), nullptr);
}

}  // namespace
}  // namespace cairn
