#include "base/allocation.h"
#include "fiber/sanitizers.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn {
namespace {

TEST(Allocation, WhatFailsLeavesTheStringAsItWas) {
  std::string s = "before";
  EXPECT_FALSE(ReserveIfPossible(&s, SIZE_MAX));  // more than a string may have
#if !defined(FIBER_ASAN) && !defined(FIBER_TSAN)
  // More than any address space has. A sanitizer's allocator ends the process instead of throwing.
  EXPECT_FALSE(ReserveIfPossible(&s, size_t{1} << 60));
  EXPECT_FALSE(MemoryIsThere(size_t{1} << 60));
#endif
  EXPECT_EQ("before", s);
  EXPECT_TRUE(MemoryIsThere(1000));
  const std::string more(3000, 'x');
  FailAllocationsFrom(1000);
  EXPECT_FALSE(AppendIfPossible(&s, more.data(), more.size()));
  EXPECT_EQ("before", s);
  EXPECT_TRUE(AppendIfPossible(&s, more.data(), 100));
  EXPECT_FALSE(AssignIfPossible(&s, more.data(), more.size()));
  EXPECT_EQ("", s);
  PinnableSlice value;
  EXPECT_TRUE(CopyInto(&value, more).IsMemoryLimit());
  EXPECT_TRUE(value.empty());
  FailAllocationsFrom(0);
  EXPECT_TRUE(CopyInto(&value, more).ok());
  EXPECT_EQ(more, value.ToString());
}

TEST(Allocation, GrowsByDoublingAndByWhatIsNeededWhereThereIsNoMore) {
  std::string s;
  ASSERT_TRUE(ReserveIfPossible(&s, 1000));
  ASSERT_TRUE(ReserveIfPossible(&s, 1001));
  EXPECT_GE(s.capacity(), 2000u);
  const size_t before = s.capacity();
  FailAllocationsFrom(before + 100);
  ASSERT_TRUE(ReserveIfPossible(&s, before + 1));
  EXPECT_LT(s.capacity(), before + 100);
  FailAllocationsFrom(0);
}

}  // namespace
}  // namespace cairn
