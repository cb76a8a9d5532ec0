#include "compaction/output_paths.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cairn {
namespace {

std::vector<DbPath> Paths(const std::vector<uint64_t>& sizes) {
  std::vector<DbPath> paths;
  for (const uint64_t size : sizes) paths.emplace_back("/" + std::to_string(paths.size()), size);
  return paths;
}

class PathOfLevelTest : public ::testing::Test {
 protected:
  PathOfLevelTest() {
    options_.max_bytes_for_level_base = 10;
    options_.max_bytes_for_level_multiplier = 10;
    options_.level_compaction_dynamic_level_bytes = false;
  }
  // The paths of levels 0 to 4.
  std::string Of(const std::vector<uint64_t>& sizes) const {
    std::string text;
    for (int level = 0; level < 5; ++level) {
      text += std::to_string(PathOfLevel(Paths(sizes), options_, level));
    }
    return text;
  }

  ColumnFamilyOptions options_;
};

TEST_F(PathOfLevelTest, LevelsFillOneDirectoryAfterTheOther) {
  // Levels 0 and 1 take 10 each, the next ones 100, 1,000 and 10,000.
  EXPECT_EQ("00111", Of({20, 0}));
  EXPECT_EQ("01111", Of({19, 0}));
  EXPECT_EQ("11111", Of({9, 0}));
  EXPECT_EQ("00011", Of({120, 0}));
  EXPECT_EQ("00122", Of({20, 100, 0}));
  EXPECT_EQ("00112", Of({20, 1100, 0}));
  EXPECT_EQ("00222", Of({20, 99, 0}));
  EXPECT_EQ("22222", Of({0, 0, 0}));
  EXPECT_EQ("01333", Of({10, 10, 50, 0}));
  EXPECT_EQ("00000", Of({UINT64_MAX, 0}));
}

TEST_F(PathOfLevelTest, WithOneDirectoryThereIsNoChoice) {
  EXPECT_EQ("00000", Of({}));
  EXPECT_EQ("00000", Of({0}));
}

TEST_F(PathOfLevelTest, GrowthIsThatOfTheOptions) {
  options_.max_bytes_for_level_multiplier_additional = {1, 3, 1};  // level 2 is to have 300
  EXPECT_EQ("00111", Of({319, 0}));
  EXPECT_EQ("00011", Of({320, 0}));
  options_.level_compaction_dynamic_level_bytes = true;  // has no use for it
  EXPECT_EQ("00011", Of({120, 0}));
  options_.max_bytes_for_level_base = UINT64_MAX / 2;
  EXPECT_EQ("00111", Of({UINT64_MAX, 0}));
}

TEST(PathOfRunTest, TheFirstDirectoryWithRoomForItAndForWhatComes) {
  ColumnFamilyOptions options;
  options.compaction_options_universal.size_ratio = 20;
  const auto of = [&](const std::vector<uint64_t>& sizes, uint64_t bytes) {
    return PathOfRun(Paths(sizes), options, bytes);
  };
  EXPECT_EQ(0u, of({}, 5));
  EXPECT_EQ(0u, of({0}, 5));
  // 100 bytes leave 80 to come: 181 hold both.
  EXPECT_EQ(0u, of({181, 0}, 100));
  EXPECT_EQ(1u, of({180, 0}, 100));
  // What was passed over counts for what comes.
  EXPECT_EQ(1u, of({100, 101, 0}, 100));
  EXPECT_EQ(2u, of({79, 101, 0}, 100));
  EXPECT_EQ(2u, of({1000, 100, 0}, 1000));
  options.compaction_options_universal.size_ratio = 1000;  // nothing comes
  EXPECT_EQ(0u, of({101, 0}, 100));
  EXPECT_EQ(1u, of({UINT64_MAX - 1, UINT64_MAX}, UINT64_MAX - 1));
}

}  // namespace
}  // namespace cairn
