// The limits that POSIX sets to a process.
#include "fiber/limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace fiber {
namespace {

TEST(LimitsTest, TheLimitOfDescriptorsIsAskedEachTime) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit now = before;
  now.rlim_cur = 50;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(descriptor_limit(), 50u);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  if (before.rlim_cur != RLIM_INFINITY) {
    EXPECT_EQ(descriptor_limit(), before.rlim_cur);
  }
}

}  // namespace
}  // namespace fiber
