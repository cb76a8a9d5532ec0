#include "cache/cache_reservation.h"

#include <gtest/gtest.h>

#include <vector>

#include "fiber/thread.h"

namespace cairn {
namespace {

constexpr size_t kUnit = CacheReservation::kUnit;

TEST(CacheReservationTest, TakesRoomInWholeUnitsAndGivesItBack) {
  const auto cache = NewLRUCache(64 << 20, 0);
  {
    CacheReservation memory(cache);
    EXPECT_EQ(memory.reserved(), 0u);
    EXPECT_TRUE(memory.Add(1));
    EXPECT_EQ(memory.reserved(), kUnit);
    EXPECT_GE(cache->GetPinnedUsage(), kUnit);
    EXPECT_TRUE(memory.Add(kUnit));
    EXPECT_EQ(memory.reserved(), 2 * kUnit);
    memory.Remove(2);
    EXPECT_EQ(memory.reserved(), kUnit);
    EXPECT_TRUE(memory.Add(3 * kUnit));
  }
  EXPECT_EQ(cache->GetUsage(), 0u);
}

TEST(CacheReservationTest, ALazyOneKeepsAQuarter) {
  CacheReservation memory(NewLRUCache(64 << 20, 0), /*lazy=*/true);
  EXPECT_TRUE(memory.Add(8 * kUnit));
  memory.Remove(2 * kUnit);
  EXPECT_EQ(memory.reserved(), 8 * kUnit);
  memory.Remove(1);
  EXPECT_EQ(memory.reserved(), 6 * kUnit);
}

TEST(CacheReservationTest, BlocksGiveWay) {
  const auto cache = NewLRUCache(4 * kUnit, 0);
  for (int i = 0; i < 64; ++i) {
    ASSERT_TRUE(
        cache->Insert("block" + std::to_string(i), nullptr, kUnit / 16, [](const Slice&, void*) {})
            .ok());
  }
  CacheReservation memory(cache);
  EXPECT_TRUE(memory.Add(3 * kUnit));
  EXPECT_LE(cache->GetUsage(), 4 * kUnit);
  EXPECT_GE(cache->GetPinnedUsage(), 3 * kUnit);
}

TEST(CacheReservationTest, AStrictCacheRefusesAndIsAskedAgain) {
  const auto cache = NewLRUCache(4 * kUnit, 0, /*strict_capacity_limit=*/true);
  CacheReservation memory(cache);
  CacheCharge first(&memory), second(&memory);
  EXPECT_TRUE(first.Set(2 * kUnit));
  EXPECT_FALSE(second.Set(3 * kUnit));
  EXPECT_EQ(second.bytes(), 3 * kUnit);
  EXPECT_LT(memory.reserved(), 5 * kUnit);
  EXPECT_TRUE(first.Set(0));
  EXPECT_TRUE(second.Set(3 * kUnit - 1));
  EXPECT_EQ(memory.reserved(), 3 * kUnit);
}

TEST(CacheReservationTest, ChargesOfManyThreadsAddUp) {
  const auto cache = NewLRUCache(64 << 20, 0);
  CacheReservation memory(cache);
  std::vector<fiber::Thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("charge", [&memory, t] {
      for (int i = 0; i < 200; ++i) {
        CacheCharge charge(&memory);
        EXPECT_TRUE(charge.Set(static_cast<size_t>(t * 1000 + i * 5000)));
        EXPECT_TRUE(charge.Set(100));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(memory.reserved(), 0u);
  EXPECT_EQ(cache->GetUsage(), 0u);
}

TEST(CacheReservationTest, NoReservationChargesNothing) {
  CacheCharge charge(nullptr);
  EXPECT_TRUE(charge.Set(1 << 20));
}

}  // namespace
}  // namespace cairn
