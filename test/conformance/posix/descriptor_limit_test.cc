// What follows from the process's limit of descriptors.
#include <sys/resource.h>

#include "conformance.h"

namespace conformance {
namespace {

class DescriptorLimitTest : public DBTest {};

TEST_F(DescriptorLimitTest, MaxOpenFilesIsCutToTheDescriptorsOfTheProcess) {
  rlimit limit;
  ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
  if (limit.rlim_cur >= 1'000'000'000) GTEST_SKIP() << "the process has no limit";
  options_.max_open_files = 1'000'000'000;
  Open();
  EXPECT_EQ(static_cast<int>(limit.rlim_cur), db_->GetDBOptions().max_open_files);
  Shut();
  options_.max_open_files = -1;
  Open();
  EXPECT_EQ(-1, db_->GetDBOptions().max_open_files);
}

}  // namespace
}  // namespace conformance
