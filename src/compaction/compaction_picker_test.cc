// CompactFiles: what a user's choice of files is grown to, and when it is refused.
#include "compaction/compaction_picker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compaction/leveled_picker.h"
#include "manifest/testing/version_fixture.h"

namespace cairn {
namespace {

std::vector<uint64_t> Numbers(const std::vector<FileMetaData*>& files) {
  std::vector<uint64_t> numbers;
  for (const FileMetaData* f : files) numbers.push_back(f->number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

using List = std::vector<uint64_t>;

class CompactFilesTest : public ::testing::Test {
 protected:
  CompactFilesTest() : picker_(&db_options_, &v_.icmp()) {
    v_.options().num_levels = 5;
    v_.options().level0_file_num_compaction_trigger = 2;
    v_.options().compression = kNoCompression;
  }
  Status Choose(const std::set<uint64_t>& numbers, int output_level) {
    chosen_.reset();
    return picker_.CompactFiles(v_.options(), v_.version(), compact_options_, numbers, output_level,
                                /*output_path_id=*/0, &chosen_);
  }

  DBOptions db_options_;
  VersionFixture v_;
  LeveledPicker picker_;
  CompactionOptions compact_options_;
  std::unique_ptr<Compaction> chosen_;
};

TEST_F(CompactFilesTest, GrowsDownwards) {
  v_.Add(0, 30, "a", "b").Add(0, 29, "x", "y").Add(0, 28, "c", "d");
  v_.Add(1, 20, "d", "f").Add(1, 21, "g", "h").Add(1, 22, "z", "zz");
  v_.Add(2, 10, "e", "g").Add(2, 11, "m", "n");
  v_.Add(3, 5, "f", "f");
  ASSERT_TRUE(v_.Build().ok());
  // Level 0: all older ones. They reach from c to y, so that levels 1 and 2 follow.
  ASSERT_TRUE(Choose({29}, 2).ok());
  ASSERT_EQ(chosen_->num_input_levels(), 3u);
  EXPECT_EQ(Numbers(chosen_->input(0).files), (List{28, 29}));
  EXPECT_EQ(Numbers(chosen_->input(1).files), (List{20, 21}));
  EXPECT_EQ(Numbers(chosen_->input(2).files), (List{10, 11}));
  EXPECT_EQ(Numbers(chosen_->grandparents()), (List{5}));
  EXPECT_FALSE(chosen_->IsTrivialMove());
  EXPECT_FALSE(chosen_->bottommost_level());
  // A level with no chosen file of its own is looked at, too.
  ASSERT_TRUE(Choose({28}, 3).ok());
  ASSERT_EQ(chosen_->num_input_levels(), 4u);
  EXPECT_EQ(Numbers(chosen_->input(1).files), (List{20}));
  EXPECT_EQ(Numbers(chosen_->input(2).files), (List{10}));
  EXPECT_TRUE(chosen_->bottommost_level());
}

TEST_F(CompactFilesTest, TakesWhatLiesBetweenAndKeepsUserKeysTogether) {
  FileMetaData left = MakeFile(8, "m", "o", 1000), right = MakeFile(7, "o", "q", 1000);
  v_.Add(0, 33, "a", "b").Add(0, 32, "k", "l").Add(0, 31, "e", "f").Add(0, 30, "c", "d");
  v_.Add(1, 1, "a", "b").Add(1, 2, "d", "e").Add(1, 3, "g", "h").Add(1, left).Add(1, right);
  ASSERT_TRUE(v_.Build().ok());
  ASSERT_TRUE(Choose({1, 3}, 1).ok());
  EXPECT_EQ(Numbers(chosen_->input(0).files), (List{1, 2, 3}));
  ASSERT_TRUE(Choose({8}, 2).ok());
  EXPECT_EQ(Numbers(chosen_->input(0).files), (List{7, 8}));
  // Into level 0: a run of it, and nothing older.
  ASSERT_TRUE(Choose({33, 31}, 0).ok());
  EXPECT_EQ(Numbers(chosen_->input(0).files), (List{31, 32, 33}));
  EXPECT_FALSE(chosen_->bottommost_level());
  EXPECT_EQ(chosen_->MinInputFileEpochNumber(), 31u);
}

// One output may reach from the upper file's keys to the lower file's.
TEST_F(CompactFilesTest, TakesWhatLiesBetweenFilesOfTwoLevels) {
  v_.Add(1, 20, "a", "c").Add(1, 21, "m", "n");
  v_.Add(2, 10, "e", "g").Add(2, 11, "k", "l").Add(2, 12, "x", "z");
  v_.Add(3, 1, "a", "b").Add(3, 2, "e", "f").Add(3, 3, "x", "y");
  ASSERT_TRUE(v_.Build().ok());
  ASSERT_TRUE(Choose({20, 11}, 2).ok());
  ASSERT_EQ(chosen_->num_input_levels(), 2u);
  EXPECT_EQ(Numbers(chosen_->input(1).files), (List{10, 11}));
  ASSERT_TRUE(Choose({21, 10}, 2).ok());
  EXPECT_EQ(Numbers(chosen_->input(1).files), (List{10, 11}));
  // What stays in a level between is newer than what goes below it, and has none of its keys.
  ASSERT_TRUE(Choose({20, 11}, 3).ok());
  ASSERT_EQ(chosen_->num_input_levels(), 3u);
  EXPECT_EQ(Numbers(chosen_->input(1).files), (List{11}));
  EXPECT_EQ(Numbers(chosen_->input(2).files), (List{1, 2}));
}

TEST_F(CompactFilesTest, IsAbortedWhereAnotherCompactionWorks) {
  v_.Add(0, 33, "a", "b").Add(0, 32, "k", "l");
  v_.Add(1, 1, "a", "b").Add(1, 2, "k", "l").Add(1, 3, "x", "z");
  v_.Add(2, 5, "a", "c").Add(2, 6, "x", "x");
  ASSERT_TRUE(v_.Build().ok());
  ASSERT_TRUE(Choose({1}, 2).ok());
  const std::unique_ptr<Compaction> running = std::move(chosen_);
  EXPECT_TRUE(Choose({1}, 3).IsAborted());
  EXPECT_TRUE(Choose({33}, 1).IsAborted()) << "it overlaps file 1";
  EXPECT_TRUE(Choose({5}, 4).IsAborted());
  EXPECT_TRUE(Choose({3}, 2).ok());
  EXPECT_TRUE(Choose({33, 32}, 0).ok());
  // Nor does an automatic one start on chosen files.
  auto automatic = picker_.PickCompaction(v_.options(), v_.version());
  EXPECT_EQ(automatic, nullptr);
}

TEST_F(CompactFilesTest, LevelZeroKeepsNothingThatIsNewerThanTheMemtable) {
  v_.Add(0, 10, "a", "z").Add(0, 11, "a", "z").Add(0, 12, "a", "z");
  ASSERT_TRUE(v_.Build().ok());
  picker_.set_unflushed_from(12 * 100);
  const Status s = Choose({11, 12}, 0);
  EXPECT_TRUE(s.IsAborted()) << s.ToString();
  EXPECT_TRUE(Choose({12}, 0).ok()) << "it stays where it is";
  chosen_.reset();
  EXPECT_TRUE(Choose({11, 12}, 1).ok());
  chosen_.reset();
  EXPECT_TRUE(Choose({10, 11}, 0).ok());
}

TEST_F(CompactFilesTest, TheUsersOptionsCount) {
  v_.Add(0, 33, "a", "b").Add(1, 1, "a", "b");
  ASSERT_TRUE(v_.Build().ok());
  compact_options_.output_file_size_limit = 12345;
  compact_options_.compression = kLZ4Compression;
  compact_options_.max_subcompactions = 3;
  ASSERT_TRUE(Choose({33}, 4).ok());
  EXPECT_EQ(chosen_->target_output_file_size(), 12345u);
  EXPECT_EQ(chosen_->output_compression(), kLZ4Compression);
  EXPECT_EQ(chosen_->max_subcompactions(), 3u);
  EXPECT_TRUE(chosen_->is_manual());
  compact_options_.compression = kDisableCompressionOption;
  compact_options_.max_subcompactions = 0;
  picker_.set_max_subcompactions(7);
  ASSERT_TRUE(Choose({33}, 1).ok());
  EXPECT_EQ(chosen_->output_compression(), kNoCompression);
  EXPECT_EQ(chosen_->max_subcompactions(), 7u);
}

}  // namespace
}  // namespace cairn
