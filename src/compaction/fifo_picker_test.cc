#include "compaction/fifo_picker.h"

#include <gtest/gtest.h>

#include "fiber/clock.h"
#include "manifest/testing/version_fixture.h"

namespace cairn {
namespace {

using List = std::vector<uint64_t>;

class FifoPickerTest : public ::testing::Test {
 protected:
  FifoPickerTest() : picker_(&db_options_, &v_.icmp()) {
    v_.options().compaction_style = kCompactionStyleFIFO;
    v_.options().level0_file_num_compaction_trigger = 4;
    v_.options().write_buffer_size = 1000;
    v_.options().ttl = 0;
    v_.options().periodic_compaction_seconds = 0;
    fifo().max_table_files_size = 1000;
  }
  CompactionOptionsFIFO& fifo() { return v_.options().compaction_options_fifo; }
  // `age` in seconds.
  void AddFile(uint64_t number, uint64_t size, uint64_t age = 0) {
    FileMetaData f = MakeFile(number, "a", "z", size);
    f.oldest_ancester_time = f.file_creation_time = fiber::wall_micros() / 1'000'000 - age;
    v_.Add(0, f);
  }
  std::unique_ptr<Compaction> Pick() {
    EXPECT_TRUE(v_.Build().ok());
    return picker_.PickCompaction(v_.options(), v_.version());
  }
  static List Inputs(const Compaction& c) {
    List numbers;
    for (const FileMetaData* f : c.input(0).files) numbers.push_back(f->number);
    return numbers;
  }

  DBOptions db_options_;
  VersionFixture v_;
  FifoPicker picker_;
};

TEST_F(FifoPickerTest, NothingGoesWhileThereIsRoom) {
  AddFile(1, 500);
  AddFile(2, 500);
  EXPECT_EQ(Pick(), nullptr);
  EXPECT_FALSE(v_.version()->NeedsCompaction());
}

TEST_F(FifoPickerTest, TheOldestGoUntilTheRestFits) {
  for (uint64_t number = 1; number <= 5; ++number) AddFile(number, 300);
  const auto c = Pick();
  EXPECT_TRUE(v_.version()->NeedsCompaction() || c != nullptr);
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->drops_inputs());
  EXPECT_EQ(Inputs(*c), (List{2, 1}));
  EXPECT_EQ(c->reason(), CompactionReason::kFIFOMaxSize);
  // One at a time.
  EXPECT_EQ(picker_.PickCompaction(v_.options(), v_.version()), nullptr);
}

TEST_F(FifoPickerTest, WhatIsExpiredGoesIfTheRestFits) {
  v_.options().ttl = 100;
  AddFile(1, 100, /*age=*/200);
  AddFile(2, 100, /*age=*/150);
  AddFile(3, 100, /*age=*/50);
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->drops_inputs());
  EXPECT_EQ(Inputs(*c), (List{2, 1}));
  EXPECT_EQ(c->reason(), CompactionReason::kFIFOTtl);
}

TEST_F(FifoPickerTest, ElseTheSizeDecides) {
  v_.options().ttl = 100;
  AddFile(1, 100, /*age=*/200);
  AddFile(2, 800);
  AddFile(3, 800);
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{2, 1}));
  EXPECT_EQ(c->reason(), CompactionReason::kFIFOMaxSize);
}

TEST_F(FifoPickerTest, ANewerFileKeepsNoOlderOneThatIsNotExpired) {
  v_.options().ttl = 100;
  AddFile(1, 100, /*age=*/50);
  AddFile(2, 100, /*age=*/200);
  EXPECT_EQ(Pick(), nullptr) << "only from the oldest on";
}

TEST_F(FifoPickerTest, SmallFilesAreMergedIfAllowed) {
  for (uint64_t number = 1; number <= 4; ++number) AddFile(number, 10);
  EXPECT_EQ(Pick(), nullptr);
  fifo().allow_compaction = true;
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_FALSE(c->drops_inputs());
  EXPECT_EQ(Inputs(*c), (List{4, 3, 2, 1}));
  EXPECT_EQ(c->output_level(), 0);
  EXPECT_EQ(c->reason(), CompactionReason::kFIFOReduceNumFiles);
}

TEST_F(FifoPickerTest, WhatIsNewerThanTheMemtableIsNotMerged) {
  fifo().allow_compaction = true;
  for (uint64_t number = 1; number <= 6; ++number) AddFile(number, 10);
  picker_.set_unflushed_from(5 * 100);
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{4, 3, 2, 1}));
}

TEST_F(FifoPickerTest, LargeFilesAreNot) {
  fifo().allow_compaction = true;
  fifo().max_table_files_size = 1'000'000;
  for (uint64_t number = 1; number <= 4; ++number) AddFile(number, 1000);
  EXPECT_EQ(Pick(), nullptr) << "1333 bytes for each file that goes";
}

TEST_F(FifoPickerTest, OfAnotherStylesLevelsTheLastGoesFirst) {
  AddFile(9, 300);
  v_.Add(3, 1, "a", "c", 400);
  v_.Add(3, 2, "d", "f", 400);
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->drops_inputs());
  EXPECT_EQ(c->start_level(), 3);
  EXPECT_EQ(Inputs(*c), List{1});
}

TEST_F(FifoPickerTest, ByHandAsByItself) {
  for (uint64_t number = 1; number <= 5; ++number) AddFile(number, 300);
  ASSERT_TRUE(v_.Build().ok());
  ManualStep step{.conflict = true, .more = true, .resume_at = ""};
  const auto c =
      picker_.CompactRange(v_.options(), v_.version(), CompactRangeOptions(), ManualRange(), &step);
  ASSERT_NE(c, nullptr);
  EXPECT_FALSE(step.more);
  EXPECT_FALSE(step.conflict);
  EXPECT_EQ(Inputs(*c), (List{2, 1}));
}

TEST_F(FifoPickerTest, ByTheirAgeFilesChangeTheirTemperature) {
  v_.options().num_levels = 1;
  fifo().max_table_files_size = 1'000'000;
  fifo().file_temperature_age_thresholds = {{Temperature::kWarm, 100}, {Temperature::kCold, 200}};
  AddFile(1, 100, /*age=*/400);
  AddFile(2, 100, /*age=*/250);  // the newest entry of 1 is older than this
  AddFile(3, 100, /*age=*/150);
  AddFile(4, 100, /*age=*/50);
  const auto c = Pick();
  EXPECT_TRUE(v_.version()->NeedsCompaction());
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), List{1}) << "one at a time";
  EXPECT_FALSE(c->drops_inputs());
  EXPECT_EQ(c->output_level(), 0);
  EXPECT_EQ(c->reason(), CompactionReason::kChangeTemperature);
  EXPECT_EQ(c->output_temperature(), Temperature::kCold);
  EXPECT_EQ(v_.version()->TemperatureAt(v_.options(), 2, fiber::wall_micros() / 1'000'000),
            Temperature::kWarm)
      << "file 2";
  EXPECT_EQ(v_.version()->TemperatureAt(v_.options(), 1, fiber::wall_micros() / 1'000'000),
            Temperature::kUnknown)
      << "file 3 has entries that are 50 seconds old";
}

TEST_F(FifoPickerTest, WhatHasItsTemperatureStays) {
  v_.options().num_levels = 1;
  fifo().max_table_files_size = 1'000'000;
  fifo().file_temperature_age_thresholds = {{Temperature::kWarm, 100}, {Temperature::kCold, 200}};
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  for (const uint64_t number : {1, 2}) {
    FileMetaData f = MakeFile(number, "a", "z", 100);
    f.oldest_ancester_time = f.file_creation_time = now - 150;
    f.temperature = number == 1 ? Temperature::kWarm : Temperature::kHot;
    v_.Add(0, f);
  }
  EXPECT_EQ(Pick(), nullptr) << "nobody knows how old the newest file's entries are";
  EXPECT_FALSE(v_.version()->NeedsCompaction());
  EXPECT_EQ(v_.version()->next_expiry(), now - 150 + 200 - 1) << "when file 1 becomes cold";
}

}  // namespace
}  // namespace cairn
