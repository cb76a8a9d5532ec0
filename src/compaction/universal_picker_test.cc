#include "compaction/universal_picker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "compaction/incremental_slice.h"
#include "fiber/clock.h"
#include "manifest/testing/version_fixture.h"

namespace cairn {
namespace {

using List = std::vector<uint64_t>;

List Inputs(const Compaction& c) {
  List numbers;
  for (const CompactionInputFiles& input : c.inputs()) {
    for (const FileMetaData* f : input.files) numbers.push_back(f->number);
  }
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

class UniversalPickerTest : public ::testing::Test {
 protected:
  UniversalPickerTest() : picker_(&db_options_, &v_.icmp()) {
    v_.options().compaction_style = kCompactionStyleUniversal;
    v_.options().level0_file_num_compaction_trigger = 4;
    v_.options().target_file_size_base = 1000;
    v_.options().num_levels = 6;
    v_.options().compression = kLZ4Compression;
  }
  CompactionOptionsUniversal& universal() { return v_.options().compaction_options_universal; }

 public:
  // A run of level 0; the last one added is the oldest.
  UniversalPickerTest& AddRun(uint64_t size) {
    v_.Add(0, next_number_--, "a", "z", size);
    return *this;
  }
  UniversalPickerTest& AddLevel(int level, uint64_t size) {
    v_.Add(level, next_number_--, "a", "k", size / 2);
    v_.Add(level, next_number_--, "l", "z", size - size / 2);
    return *this;
  }
  void Build() { ASSERT_TRUE(v_.Build().ok()); }
  std::unique_ptr<Compaction> Pick() { return picker_.PickCompaction(v_.options(), v_.version()); }

  DBOptions db_options_;
  VersionFixture v_;
  UniversalPicker picker_;
  uint64_t next_number_ = 100;  // the newest run; older ones count down
};

TEST_F(UniversalPickerTest, NothingBelowTheTrigger) {
  Build();
  EXPECT_EQ(Pick(), nullptr);
  EXPECT_FALSE(v_.version()->NeedsCompaction());
  AddRun(10).AddRun(10).AddLevel(5, 10);
  Build();
  EXPECT_EQ(v_.version()->NumSortedRuns(), 3);
  EXPECT_FALSE(v_.version()->NeedsCompaction());
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(UniversalPickerTest, TooMuchSpaceMakesOneRunOfAll) {
  universal().max_size_amplification_percent = 50;
  AddRun(20).AddRun(20).AddLevel(3, 20).AddLevel(5, 100);
  Build();
  EXPECT_TRUE(v_.version()->NeedsCompaction());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kUniversalSizeAmplification);
  EXPECT_EQ(Inputs(*c), (List{100, 99, 98, 97, 96, 95}));
  EXPECT_EQ(c->num_input_levels(), 3u);
  EXPECT_EQ(c->output_level(), 5);
  EXPECT_TRUE(c->bottommost_level());
  EXPECT_FALSE(c->IsTrivialMove());
  EXPECT_EQ(c->target_output_file_size(), 1000u);
  EXPECT_EQ(c->output_compression(), kLZ4Compression);
  EXPECT_EQ(Pick(), nullptr) << "everything is being compacted";
  EXPECT_FALSE(v_.version()->NeedsCompaction());
}

TEST_F(UniversalPickerTest, RunsOfSimilarSizeAreMerged) {
  universal().max_size_amplification_percent = 1000;
  universal().size_ratio = 10;
  // 100 + 100 reach 200; 400 reach 420, but 820 with the tolerance do not reach 1000.
  AddRun(100).AddRun(100).AddRun(200).AddRun(420).AddLevel(4, 1000).AddLevel(5, 9000);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kUniversalSizeRatio);
  EXPECT_EQ(Inputs(*c), (List{100, 99, 98, 97}));
  EXPECT_EQ(c->output_level(), 3) << "just above the next older run";
  EXPECT_FALSE(c->bottommost_level());
}

TEST_F(UniversalPickerTest, TheOutputStaysInLevelZeroAboveAnOlderFile) {
  universal().max_size_amplification_percent = 100000;
  AddRun(100).AddRun(90).AddRun(1000).AddRun(5000).AddLevel(5, 90000);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{100, 99}));
  EXPECT_EQ(c->output_level(), 0);
  EXPECT_EQ(c->MinInputFileEpochNumber(), 99u);
  EXPECT_FALSE(c->bottommost_level());
  // A newer run may be smaller than what it precedes: it is left alone, its elders go together.
  v_.Add(0, 101, "a", "z", 1).Add(0, 102, "a", "z", 1);
  ASSERT_TRUE(v_.Build().ok());
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{102, 101}));
}

TEST_F(UniversalPickerTest, WhatIsNewerThanTheMemtableIsNotMergedWithinLevelZero) {
  universal().max_size_amplification_percent = 100000;
  AddRun(100).AddRun(90).AddRun(1000).AddRun(5000).AddLevel(4, 20000).AddLevel(5, 90000);
  Build();
  // Entries of run 98's time are still in a memtable. The runs above it came from outside.
  picker_.set_unflushed_from(98 * 100);
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{100, 99, 98, 97}));
  EXPECT_EQ(c->output_level(), 3) << "below level 0, with all that is older there";
  EXPECT_EQ(Pick(), nullptr);
  c.reset();
  picker_.set_unflushed_from(98 * 100 + 200);
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->output_level(), 3) << "the newest one alone is enough";
  c.reset();
  picker_.set_unflushed_from(100 * 100 + 100);
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{100, 99}));
  EXPECT_EQ(c->output_level(), 0);
}

TEST_F(UniversalPickerTest, SimilarSizeLooksBothWays) {
  universal().max_size_amplification_percent = 100000;
  universal().stop_style = kCompactionStopStyleSimilarSize;
  universal().size_ratio = 20;
  // The total would take all; but the third is much smaller than the second.
  AddRun(100).AddRun(110).AddRun(10).AddRun(10).AddLevel(5, 90000);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{100, 99}));
}

TEST_F(UniversalPickerTest, TooManyRunsAreMergedWhateverTheirSize) {
  universal().max_size_amplification_percent = 100000;
  AddRun(10).AddRun(100).AddRun(1000).AddRun(10000).AddLevel(4, 100000).AddLevel(5, 10000000);
  Build();
  // Six, two too many: three become one.
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kUniversalSortedRunNum);
  EXPECT_EQ(Inputs(*c), (List{100, 99, 98}));
  EXPECT_EQ(c->output_level(), 0);
  c.reset();
  universal().max_merge_width = 2;
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{100, 99}));
  c.reset();
  universal().max_merge_width = 100;
  universal().min_merge_width = 4;
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(UniversalPickerTest, RunsThatAreBeingCompactedEndASequence) {
  universal().max_size_amplification_percent = 100000;
  AddRun(10).AddRun(10).AddRun(10).AddRun(10).AddRun(10).AddLevel(5, 90000);
  Build();
  v_.file(98)->being_compacted = true;
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{100, 99}));
  EXPECT_EQ(c->output_level(), 0);
  auto second = Pick();  // of the older ones; then comes level 5
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(Inputs(*second), (List{97, 96}));
  EXPECT_EQ(second->output_level(), 4);
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(UniversalPickerTest, OnlyTheOldPartIsCompressed) {
  universal().max_size_amplification_percent = 100000;
  universal().compression_size_percent = 70;
  AddRun(100).AddRun(100).AddRun(100).AddLevel(4, 10000).AddLevel(5, 90000);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->output_compression(), kNoCompression) << "more than 70% are older";
  c.reset();
  universal().compression_size_percent = 100;
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->output_compression(), kLZ4Compression);
}

TEST_F(UniversalPickerTest, MovesWhatDoesNotOverlapIfAsked) {
  v_.Add(0, 20, "m", "n").Add(0, 19, "a", "b").Add(0, 18, "x", "y");
  v_.Add(2, 9, "c", "d").Add(5, 5, "e", "f").Add(5, 6, "g", "h");
  ASSERT_TRUE(v_.Build().ok());
  universal().max_size_amplification_percent = 1;
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_FALSE(c->IsTrivialMove());
  c.reset();
  universal().allow_trivial_move = true;
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->IsTrivialMove());
  VersionEdit edit;
  c->AddTrivialMove(&edit);
  c.reset();
  ASSERT_TRUE(v_.Apply(edit).Build().ok());
  EXPECT_EQ(v_.version()->NumLevelFiles(0), 0);
  EXPECT_EQ(v_.version()->NumLevelFiles(5), 6);
}

TEST_F(UniversalPickerTest, AManualCompactionTakesAll) {
  AddRun(10).AddRun(10).AddLevel(4, 100);
  Build();
  ManualStep step{.conflict = true, .more = true, .resume_at = ""};
  CompactRangeOptions options;
  const Slice from("b"), to("c");
  const auto range = [&] {
    return picker_.CompactRange(v_.options(), v_.version(), options,
                                {.input_level = 0, .output_level = 5, .begin = &from, .end = &to},
                                &step);
  };
  auto c = range();
  ASSERT_NE(c, nullptr);
  EXPECT_FALSE(step.more || step.conflict);
  EXPECT_EQ(Inputs(*c), (List{100, 99, 98, 97}));
  EXPECT_EQ(c->output_level(), 5);
  EXPECT_EQ(range(), nullptr);
  EXPECT_TRUE(step.conflict);
  c.reset();
  v_.Delete(0, 100).Delete(0, 99).Delete(4, 98).Delete(4, 97).Add(5, 3, "a", "z");
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_EQ(range(), nullptr) << "one run, where it belongs";
  EXPECT_FALSE(step.conflict);
  options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  EXPECT_NE(range(), nullptr);
}

TEST_F(UniversalPickerTest, OneLevelWillDo) {
  v_.options().num_levels = 1;
  universal().max_size_amplification_percent = 100;
  AddRun(10).AddRun(10).AddRun(10).AddRun(10);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c).size(), 4u);
  EXPECT_EQ(c->output_level(), 0);
  EXPECT_TRUE(c->bottommost_level()) << "nothing is older, tombstones may go";
}

// Flushes and compactions, up to three at once, that end in any order. What is checked: runs stay
// in order of age, and the database comes to rest below its trigger or with nothing left to do.
TEST_F(UniversalPickerTest, RandomHistoriesKeepRunsInOrderOfAge) {
  const uint64_t seed = fiber::wall_micros() % 1000000;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  universal().max_size_amplification_percent = 50 + static_cast<unsigned>(random.Uniform(300));
  universal().size_ratio = static_cast<unsigned>(random.Uniform(60));
  universal().min_merge_width = 2 + static_cast<unsigned>(random.Uniform(2));
  universal().allow_trivial_move = random.OneIn(2);
  Build();
  uint64_t number = 1;
  std::vector<std::unique_ptr<Compaction>> running;
  const auto finish = [&](size_t which) {
    std::unique_ptr<Compaction> c = std::move(running[which]);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    VersionEdit edit;
    if (c->IsTrivialMove()) {
      c->AddTrivialMove(&edit);
    } else {
      c->AddInputDeletions(&edit);
      FileMetaData out = MakeFile(1000000 + number, c->smallest_user_key().ToString(),
                                  c->largest_user_key().ToString(), c->total_input_bytes());
      out.epoch_number = c->MinInputFileEpochNumber();
      out.largest_seqno = out.smallest_seqno = out.epoch_number * 100;
      edit.AddFile(c->output_level(), out);
    }
    number++;
    c->ReleaseInputs();
    ASSERT_TRUE(v_.Apply(edit).Build().ok());
  };
  for (int step = 0; step < 600; ++step) {
    if (random.OneIn(2)) {
      const std::string key(1, static_cast<char>('a' + random.Uniform(26)));
      const bool narrow = random.OneIn(3);
      FileMetaData f =
          MakeFile(number, narrow ? key : "a", narrow ? key : "z", 50 + random.Uniform(100));
      ++number;
      ASSERT_TRUE(v_.Add(0, f).Build().ok());
    } else if (running.size() < 3 && random.OneIn(2)) {
      if (auto c = Pick()) running.push_back(std::move(c));
    } else if (!running.empty()) {
      ASSERT_NO_FATAL_FAILURE(finish(random.Uniform(running.size())));
    }
    uint64_t before = UINT64_MAX;
    for (int level = 0; level < v_.version()->num_levels(); ++level) {
      uint64_t least = before;
      for (const FileMetaData* f : v_.version()->files(level)) {
        ASSERT_LT(f->epoch_number, before) << "level " << level << ", step " << step;
        least = std::min(least, f->epoch_number);
        if (level == 0) before = f->epoch_number;
      }
      before = least;
    }
  }
  for (int step = 0; step < 1000; ++step) {
    if (auto c = Pick()) {
      running.push_back(std::move(c));
    } else if (running.empty()) {
      break;
    } else {
      ASSERT_NO_FATAL_FAILURE(finish(0));
    }
  }
  EXPECT_TRUE(running.empty());
  EXPECT_LE(v_.version()->NumSortedRuns(), 4 + 2);
}

TEST_F(UniversalPickerTest, AnOldRunIsRewrittenWithWhatIsNewer) {
  v_.options().periodic_compaction_seconds = 100;
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  FileMetaData young = MakeFile(90, "a", "z", 100);
  young.file_creation_time = now;
  FileMetaData old = MakeFile(10, "a", "z", 1000);
  old.file_creation_time = now - 200;
  v_.Add(0, young).Add(5, old);
  Build();
  EXPECT_TRUE(v_.version()->NeedsCompaction());
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kPeriodicCompaction);
  EXPECT_EQ(Inputs(*c), (List{90, 10}));
  EXPECT_EQ(c->output_level(), 5);
  EXPECT_FALSE(c->IsTrivialMove());
}

TEST_F(UniversalPickerTest, YoungRunsWait) {
  v_.options().periodic_compaction_seconds = 100;
  FileMetaData young = MakeFile(90, "a", "z", 100);
  young.file_creation_time = fiber::wall_micros() / 1'000'000;
  v_.Add(0, young);
  Build();
  EXPECT_FALSE(v_.version()->NeedsCompaction());
  EXPECT_EQ(Pick(), nullptr);
}

// --- Files marked for compaction

FileMetaData Marked(uint64_t number, const std::string& smallest, const std::string& largest) {
  FileMetaData f = MakeFile(number, smallest, largest, 10);
  f.marked_for_compaction = true;
  return f;
}

TEST_F(UniversalPickerTest, AMarkedFileOfLevelZeroTakesOlderOnesAndWhatItOverlapsAlong) {
  v_.Add(0, 50, "a", "z", 10).Add(0, Marked(49, "c", "d")).Add(0, 48, "e", "f", 10);
  v_.Add(4, 40, "a", "b", 100).Add(4, 41, "d", "e", 100).Add(4, 42, "g", "h", 100);
  v_.options().level0_file_num_compaction_trigger = 10;
  Build();
  EXPECT_TRUE(v_.version()->NeedsCompaction());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kFilesMarkedForCompaction);
  EXPECT_EQ(Inputs(*c), (List{49, 48, 41}));
  EXPECT_EQ(c->output_level(), 4);
  EXPECT_FALSE(c->IsTrivialMove());
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(UniversalPickerTest, AMarkedFileOfALevelGoesToTheNextOneThatHasFiles) {
  v_.Add(2, Marked(30, "c", "d")).Add(2, 31, "x", "y", 10);
  v_.Add(5, 20, "a", "c", 100).Add(5, 21, "d", "e", 100).Add(5, 22, "f", "y", 100);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{30, 21, 20}));
  EXPECT_EQ(c->output_level(), 5);
  EXPECT_TRUE(c->bottommost_level());
}

TEST_F(UniversalPickerTest, MarkedFilesOfTheOldestRunStay) {
  v_.Add(0, 50, "a", "z", 10).Add(5, Marked(30, "c", "d"));
  Build();
  EXPECT_FALSE(v_.version()->NeedsCompaction());
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(UniversalPickerTest, WithOneLevelTheOldestMarkedFileStays) {
  v_.options().num_levels = 1;
  VersionFixture flat;
  flat.options() = v_.options();
  flat.Add(0, 50, "a", "z", 10).Add(0, Marked(49, "c", "d")).Add(0, Marked(48, "e", "f"));
  ASSERT_TRUE(flat.Build().ok());
  auto c = picker_.PickCompaction(flat.options(), flat.version());
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{49, 48}));
  EXPECT_EQ(c->output_level(), 0);
  EXPECT_TRUE(c->bottommost_level());
  c.reset();
  flat.Delete(0, 49);
  ASSERT_TRUE(flat.Build().ok());
  EXPECT_FALSE(flat.version()->NeedsCompaction());
}

class IncrementalPickerTest : public UniversalPickerTest {
 protected:
  IncrementalPickerTest() {
    universal().incremental = true;
    universal().max_size_amplification_percent = 40;
    v_.options().max_compaction_bytes = 1200;
    v_.options().level0_file_num_compaction_trigger = 2;
  }
  static std::string K(int i) { return "k" + std::to_string(100 + i); }
  // Files of `level`, `width` keys each, one behind the other.
  void AddFiles(int level, uint64_t first_number, int files, int first_key, int width,
                uint64_t size) {
    for (int i = 0; i < files; ++i) {
      const int from = first_key + i * width;
      v_.Add(level, first_number + static_cast<uint64_t>(i), K(from), K(from + width - 1), size);
    }
  }
};

TEST_F(IncrementalPickerTest, ASliceWithWhatItOverlaps) {
  AddFiles(4, 50, 10, 0, 10, 100);
  AddFiles(5, 10, 10, 0, 10, 200);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kUniversalSizeAmplification);
  EXPECT_EQ(c->output_level(), 5);
  EXPECT_EQ(Inputs(*c), (List{51, 50, 11, 10})) << "600 of 1200 bytes";
  EXPECT_TRUE(c->bottommost_level());
  EXPECT_FALSE(c->is_full_compaction());
  EXPECT_EQ(Pick(), nullptr) << "both runs are being compacted";
}

TEST_F(IncrementalPickerTest, TheSliceThatRewritesLeast) {
  universal().max_size_amplification_percent = 30;
  AddFiles(4, 50, 10, 0, 10, 100);
  // Large files; but where keys 50 to 79 are there is one small one.
  AddFiles(5, 10, 5, 0, 10, 400);
  v_.Add(5, 20, K(50), K(79), 150);
  AddFiles(5, 30, 2, 80, 10, 400);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  // 300 bytes over 150, and one file more, as that is less than 600.
  EXPECT_EQ(Inputs(*c), (List{58, 57, 56, 55, 30, 20}));
  EXPECT_EQ(c->total_input_bytes(), 950u);
}

TEST_F(IncrementalPickerTest, NewerRunsGoAlongWhereTheyLieWithin) {
  v_.Add(2, 90, K(12), K(14), 10);  // within, but 80 lies between it and level 4
  v_.Add(2, 91, K(2), K(8), 10);
  v_.Add(3, 80, K(15), K(35), 10);  // not within
  v_.Add(3, 81, K(1), K(9), 10);
  AddFiles(4, 50, 10, 0, 10, 100);
  AddFiles(5, 10, 10, 0, 10, 200);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{91, 81, 51, 50, 11, 10}));
  EXPECT_EQ(c->start_level(), 2);
}

TEST_F(IncrementalPickerTest, ANewerRunStaysAboveOneThatDoesNotGoAlong) {
  v_.Add(2, 90, K(12), K(14), 10);
  v_.Add(3, 80, K(5), K(35), 10);
  AddFiles(4, 50, 10, 0, 10, 100);
  AddFiles(5, 10, 10, 0, 10, 200);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Inputs(*c), (List{51, 50, 11, 10}));
}

TEST_F(IncrementalPickerTest, EverythingWhereLevelZeroIsNextOrSlicesAreNotWorthIt) {
  AddRun(400).AddRun(400);
  AddFiles(5, 10, 10, 0, 10, 200);
  Build();
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->is_full_compaction());
  c.reset();
  // A tiny second run, spread over all of the oldest: each of its bytes would rewrite 100.
  AddFiles(4, 50, 10, 0, 10, 2);
  Build();
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->is_full_compaction());
}

TEST_F(IncrementalPickerTest, SlicesAreNoLongerThanTheyMustBe) {
  Random64 random(301);
  for (int round = 0; round < 200; ++round) {
    std::vector<FileMetaData> metas;
    std::vector<FileMetaData*> newer, oldest;
    const auto fill = [&] {
      for (int key = static_cast<int>(random.Uniform(20)); key < 800;) {
        const int last = key + static_cast<int>(random.Uniform(40));
        metas.push_back(MakeFile(metas.size() + 1, K(key), K(last), 1 + random.Uniform(1000)));
        key = last + 1 + static_cast<int>(random.OneIn(3) ? random.Uniform(60) : 0);
      }
    };
    fill();
    const size_t split = metas.size();
    fill();
    for (size_t i = 0; i < metas.size(); ++i) (i < split ? newer : oldest).push_back(&metas[i]);
    const uint64_t target = 500 + random.Uniform(5000);
    const IncrementalSlice slice =
        CheapestSlice(InternalKeyComparator(BytewiseComparator()), newer, oldest, target, 1e9);
    ASSERT_LT(slice.begin, slice.end) << "round " << round;
    ASSERT_LE(slice.end, newer.size());
    // The model: the bytes of all that lie between the slice's ends.
    uint64_t above = 0, below = 0;
    for (size_t i = slice.begin; i < slice.end; ++i) above += newer[i]->file_size;
    for (const FileMetaData* f : oldest) {
      if (f->largest.user_key().compare(newer[slice.begin]->smallest.user_key()) >= 0 &&
          f->smallest.user_key().compare(newer[slice.end - 1]->largest.user_key()) <= 0) {
        below += f->file_size;
      }
    }
    ASSERT_DOUBLE_EQ(slice.fanout, static_cast<double>(below) / static_cast<double>(above));
    // No longer than it must be.
    if (slice.end - slice.begin > 1) {
      uint64_t below_shorter = 0;
      for (const FileMetaData* f : oldest) {
        if (f->largest.user_key().compare(newer[slice.begin]->smallest.user_key()) >= 0 &&
            f->smallest.user_key().compare(newer[slice.end - 2]->largest.user_key()) <= 0) {
          below_shorter += f->file_size;
        }
      }
      ASSERT_LT(above - newer[slice.end - 1]->file_size + below_shorter, target);
    }
  }
}

}  // namespace
}  // namespace cairn
