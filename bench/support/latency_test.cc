#include "support/latency.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace bench {
namespace {

TEST(FineLatencyTest, EachDurationIsToldToLessThanAHundredth) {
  for (uint64_t nanos = 1; nanos < uint64_t{1} << 42; nanos += nanos / 37 + 1) {
    FineLatency one;
    one.Add(nanos);
    const double told = one.PercentileMicros(0.5) * 1000;
    EXPECT_NEAR(told, static_cast<double>(nanos), static_cast<double>(nanos) * 0.005) << nanos;
  }
}

TEST(FineLatencyTest, PercentilesOfAUniformSpreadLieWhereTheyShould) {
  FineLatency all;
  for (uint64_t micros = 1; micros <= 100'000; ++micros) all.Add(micros * 1000);
  EXPECT_EQ(all.count(), 100'000u);
  for (const double fraction : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    EXPECT_NEAR(all.PercentileMicros(fraction), fraction * 100'000, fraction * 1000) << fraction;
  }
}

TEST(FineLatencyTest, MergedPartsEqualTheWholeAndSubtractingOneLeavesTheOther) {
  FineLatency fast;
  FineLatency slow;
  for (int i = 0; i < 900; ++i) fast.Add(1'000);
  for (int i = 0; i < 100; ++i) slow.Add(1'000'000);
  FineLatency both;
  both.Merge(fast);
  both.Merge(slow);
  EXPECT_EQ(both.count(), 1000u);
  EXPECT_NEAR(both.PercentileMicros(0.89), 1, 0.01);
  EXPECT_NEAR(both.PercentileMicros(0.91), 1000, 5);
  both.Subtract(fast);
  EXPECT_EQ(both.count(), 100u);
  EXPECT_NEAR(both.PercentileMicros(0.01), 1000, 5);
}

TEST(FineLatencyTest, WhatIsTooLongCountsAsTheLongest) {
  FineLatency all;
  EXPECT_EQ(all.PercentileMicros(0.5), 0);
  all.Add(UINT64_MAX);
  EXPECT_GT(all.PercentileMicros(0.5), 2 * 3600e6);
}

}  // namespace
}  // namespace bench
