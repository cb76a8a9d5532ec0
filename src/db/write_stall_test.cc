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
  EXPECT_FALSE(DecideStall({.level0_files = 20}, options).near_stop);
  EXPECT_TRUE(DecideStall({.level0_files = 35}, options).near_stop);
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

TEST(DelayedRateTest, FallsWhileDebtGrowsAndRecoversWithinItsBounds) {
  DelayedRate rate(16 << 20);
  const StallDecision delayed{StallCondition::kDelayed, StallCause::kLevel0FileCount, false};
  uint64_t last = rate.Update(delayed, {.level0_files = 20});
  EXPECT_EQ(last, 16u << 20);
  for (int files = 21; files < 80; ++files) {
    const uint64_t now = rate.Update(delayed, {.level0_files = files});
    EXPECT_LE(now, last);
    EXPECT_GE(now, 16u << 10);
    last = now;
  }
  EXPECT_EQ(last, 16u << 10);
  EXPECT_GT(rate.Update(delayed, {.level0_files = 70}), last);
  last = rate.bytes_per_second();
  rate.Recover();
  EXPECT_GT(rate.bytes_per_second(), last);
}

}  // namespace
}  // namespace cairn
