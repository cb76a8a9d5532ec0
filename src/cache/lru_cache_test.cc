#include "cache/lru_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cache/testing/cache_fixture.h"

namespace cairn {
namespace {

class LruCacheTest : public testing::CacheFixture {
 protected:
  LruCacheTest() { Make(); }
  void Make(double high = 0.5, double low = 0.0) {
    Use(NewLRUCache(LRUCacheOptions(10, 0, /*strict=*/false, high, nullptr, false,
                                    kDontChargeCacheMetadata, low)));
  }
};

TEST_F(LruCacheTest, EvictsWhatWasNotUsed) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Insert("k" + std::to_string(i), 100u + i).ok());
  EXPECT_EQ(Lookup("k0"), 100u);  // touched: survives
  for (int i = 10; i < 15; ++i) ASSERT_TRUE(Insert("k" + std::to_string(i), 100u + i).ok());
  EXPECT_EQ(cache_->GetUsage(), 10u);
  EXPECT_EQ(testing::deleted, 5);
  EXPECT_EQ(Lookup("k0"), 100u);
  EXPECT_EQ(Lookup("k1"), 0u);
  EXPECT_EQ(Lookup("k14"), 114u);
}

TEST_F(LruCacheTest, HighPriorityOutlivesLow) {
  Make(/*high=*/0.5);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Insert("h" + std::to_string(i), 1, 1, nullptr, Cache::Priority::HIGH).ok());
  }
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Insert("l" + std::to_string(i), 1).ok());
  for (int i = 0; i < 5; ++i) EXPECT_NE(Lookup("h" + std::to_string(i)), 0u) << i;
}

TEST_F(LruCacheTest, LowPriorityOutlivesBottom) {
  Make(/*high=*/0.0, /*low=*/0.5);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Insert("l" + std::to_string(i), 1).ok());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(Insert("b" + std::to_string(i), 1, 1, nullptr, Cache::Priority::BOTTOM).ok());
  }
  for (int i = 0; i < 5; ++i) EXPECT_NE(Lookup("l" + std::to_string(i)), 0u) << i;
}

// Many readers hold more than there is room for. Nobody then looks for what else could go.
TEST_F(LruCacheTest, WhatIsReleasedMakesTheRoomThatIsMissing) {
  constexpr int kHeld = 300;
  std::vector<Cache::Handle*> held(kHeld);
  for (int i = 0; i < kHeld; ++i) {
    ASSERT_TRUE(Insert("k" + std::to_string(i), 1u + i, 1, &held[i]).ok());
  }
  EXPECT_EQ(cache_->GetUsage(), size_t{kHeld});
  EXPECT_EQ(testing::deleted, 0);
  for (int i = 0; i < kHeld; ++i) {
    EXPECT_EQ(cache_->Release(held[i]), i < kHeld - 10) << i;
    EXPECT_EQ(testing::deleted, std::min(i + 1, kHeld - 10));
    EXPECT_EQ(Lookup("k" + std::to_string(i)), i < kHeld - 10 ? 0 : 1u + i);
  }
  EXPECT_EQ(cache_->GetUsage(), 10u);
}

TEST_F(LruCacheTest, RefusesOptionsOutOfRange) {
  EXPECT_EQ(NewLRUCache(100, 20), nullptr);
  EXPECT_EQ(NewLRUCache(100, 0, false, 1.5), nullptr);
  EXPECT_EQ(NewLRUCache(
                LRUCacheOptions(100, 0, false, 0.7, nullptr, false, kDontChargeCacheMetadata, 0.7)),
            nullptr);
}

}  // namespace
}  // namespace cairn
