#include "db/write_stall.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(WriteStallTest, RunsFreelyWithDefaultsAndNoDebt) {
  EXPECT_EQ(DecideStall({}, ColumnFamilyOptions()), StallDecision{});
}

TEST(WriteStallTest, StopsWhenAllMemtablesWaitForFlush) {
  ColumnFamilyOptions options;
  options.max_write_buffer_number = 2;
  const StallDecision d = DecideStall({.unflushed_memtables = 2}, options);
  EXPECT_EQ(d.condition, StallCondition::kStopped);
  EXPECT_EQ(d.cause, StallCause::kMemtableLimit);
}

TEST(WriteStallTest, DelaysThenStopsByLevel0Files) {
  const ColumnFamilyOptions options;  // 20 and 36
  EXPECT_EQ(DecideStall({.level0_files = 19}, options).condition, StallCondition::kNormal);
  EXPECT_EQ(DecideStall({.level0_files = 20}, options).condition, StallCondition::kDelayed);
  EXPECT_EQ(DecideStall({.level0_files = 36}, options).condition, StallCondition::kStopped);
}

TEST(WriteStallTest, IgnoresCompactionDebtWithoutAutomaticCompactions) {
  const ColumnFamilyOptions options;
  EXPECT_EQ(DecideStall({.level0_files = 100, .auto_compactions = false}, options).condition,
            StallCondition::kNormal);
  EXPECT_EQ(DecideStall({.unflushed_memtables = 9, .auto_compactions = false}, options).condition,
            StallCondition::kStopped);
}

TEST(WriteStallTest, StopsAtTheHardLimitOfPendingBytes) {
  const ColumnFamilyOptions options;
  const uint64_t soft = options.soft_pending_compaction_bytes_limit;
  const uint64_t hard = options.hard_pending_compaction_bytes_limit;
  EXPECT_EQ(DecideStall({.pending_compaction_bytes = soft}, options).condition,
            StallCondition::kDelayed);
  EXPECT_EQ(DecideStall({.pending_compaction_bytes = hard}, options).condition,
            StallCondition::kStopped);
}

TEST(WriteStallTest, PressureBeginsBeforeTheSlowdown) {
  ColumnFamilyOptions options;  // trigger 4, slowdown 20
  EXPECT_FALSE(IsCompactionBehind({.level0_files = 7}, options));
  EXPECT_TRUE(IsCompactionBehind({.level0_files = 8}, options));
  EXPECT_EQ(DecideStall({.level0_files = 8}, options).condition, StallCondition::kNormal);
  EXPECT_FALSE(IsCompactionBehind({.level0_files = 8, .auto_compactions = false}, options));
  const uint64_t soft = options.soft_pending_compaction_bytes_limit;
  EXPECT_TRUE(IsCompactionBehind({.pending_compaction_bytes = soft / 4}, options));
  options.level0_file_num_compaction_trigger = 16;
  EXPECT_TRUE(IsCompactionBehind({.level0_files = 17}, options));
}

TEST(StallTimesTest, AreKeptByCauseAndKind) {
  StallTimes times;
  times.Add({StallCondition::kStopped, StallCause::kMemtableLimit}, 5);
  times.Add({StallCondition::kStopped, StallCause::kMemtableLimit}, 6);
  times.Add({StallCondition::kDelayed, StallCause::kLevel0FileCount}, 7);
  EXPECT_EQ(times.total_micros(), 18u);
  const auto map = times.ToMap();
  EXPECT_EQ(map.at("memtable-limit-stops"), "2");
  EXPECT_EQ(map.at("memtable-limit-stops-micros"), "11");
  EXPECT_EQ(map.at("l0-file-count-limit-delays"), "1");
  EXPECT_EQ(map.at("l0-file-count-limit-stops"), "0");
  EXPECT_EQ(map.at("pending-compaction-bytes-delays"), "0");
  EXPECT_EQ(map.at("total-stops"), "2");
  EXPECT_EQ(map.at("total-delays"), "1");
}

TEST(DelayedWriteRateTest, FallsSmoothlyWithTheDebtAndComesBackWithIt) {
  const ColumnFamilyOptions options;  // delays from 20 files of level 0 on, stops at 36
  constexpr uint64_t kMax = 16 << 20;
  const auto rate = [&](int files) {
    return DelayedWriteRate(
        kMax, StallDepth(StallCause::kLevel0FileCount, {.level0_files = files}, options));
  };
  EXPECT_EQ(rate(20), kMax);
  for (int files = 21; files <= 36; ++files) {
    const double step = static_cast<double>(rate(files)) / static_cast<double>(rate(files - 1));
    EXPECT_NEAR(step, 0.77, 0.01) << files << ": each file slows writes by the same factor";
  }
  EXPECT_EQ(rate(36), kMax / 64);
  EXPECT_EQ(rate(100), kMax / 64);
}

TEST(DelayedWriteRateTest, StaysWithinItsBounds) {
  EXPECT_EQ(DelayedWriteRate(100 << 10, 1), 16u << 10);
  EXPECT_EQ(DelayedWriteRate(1000, 0), 1000u) << "what the user wants is not raised";
  EXPECT_EQ(DelayedWriteRate(1000, 1), 1000u);
}

TEST(StallDepthTest, GoesFromTheLimitThatDelaysToTheOneThatStops) {
  ColumnFamilyOptions options;
  options.soft_pending_compaction_bytes_limit = 100;
  options.hard_pending_compaction_bytes_limit = 300;
  const auto depth = [&](uint64_t bytes) {
    return StallDepth(StallCause::kPendingCompactionBytes, {.pending_compaction_bytes = bytes},
                      options);
  };
  EXPECT_DOUBLE_EQ(depth(100), 0);
  EXPECT_DOUBLE_EQ(depth(150), 0.25);
  EXPECT_DOUBLE_EQ(depth(1000), 1);
  options.hard_pending_compaction_bytes_limit = 0;
  EXPECT_DOUBLE_EQ(depth(250), 0.5) << "no hard limit";
  EXPECT_DOUBLE_EQ(StallDepth(StallCause::kMemtableLimit, {}, options), 0.5);
  EXPECT_DOUBLE_EQ(StallDepth(StallCause::kNone, {}, options), 0);
  options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 8;
  EXPECT_DOUBLE_EQ(StallDepth(StallCause::kLevel0FileCount, {.level0_files = 8}, options), 0);
}

}  // namespace
}  // namespace cairn
