#include "compaction/leveled_picker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "base/random.h"
#include "fiber/clock.h"
#include "manifest/testing/version_fixture.h"

namespace cairn {
namespace {

std::vector<uint64_t> Numbers(const std::vector<FileMetaData*>& files) {
  std::vector<uint64_t> numbers;
  for (const FileMetaData* f : files) numbers.push_back(f->number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

class LeveledPickerTest : public ::testing::Test {
 protected:
  LeveledPickerTest() : picker_(&db_options_, &v_.icmp()) {
    v_.options().level0_file_num_compaction_trigger = 2;
    v_.options().max_bytes_for_level_base = 10000;
    v_.options().target_file_size_base = 1000;
    v_.options().compression = kNoCompression;
    v_.options().num_levels = 5;
  }
  std::unique_ptr<Compaction> Pick() { return picker_.PickCompaction(v_.options(), v_.version()); }

  DBOptions db_options_;
  VersionFixture v_;
  LeveledPicker picker_;
};

TEST_F(LeveledPickerTest, NothingToDo) {
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_EQ(Pick(), nullptr);
  v_.Add(0, 10, "a", "b").Add(1, 1, "a", "z", 9000);
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(LeveledPickerTest, LevelZeroTakesAllThatOverlaps) {
  v_.Add(0, 10, "a", "d").Add(0, 11, "c", "h").Add(0, 12, "x", "z");
  v_.Add(1, 1, "a", "b").Add(1, 2, "g", "i").Add(1, 3, "k", "l");
  v_.Add(2, 5, "b", "c").Add(2, 6, "y", "z");
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->start_level(), 0);
  EXPECT_EQ(c->output_level(), 1);
  if (c->input(0).files.size() == 1) {
    EXPECT_EQ(Numbers(c->input(0).files), (std::vector<uint64_t>{12}));
  } else {
    EXPECT_EQ(Numbers(c->input(0).files), (std::vector<uint64_t>{10, 11}));
    EXPECT_EQ(Numbers(c->input(1).files), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(Numbers(c->grandparents()), (std::vector<uint64_t>{5}));
  }
  EXPECT_EQ(c->reason(), CompactionReason::kLevelL0FilesNum);
}

TEST_F(LeveledPickerTest, PicksTheFileWithTheLeastOverlap) {
  v_.Add(1, 1, "a", "c", 6000).Add(1, 2, "e", "g", 6000).Add(1, 3, "i", "k", 6000);
  v_.Add(2, 4, "a", "b", 5000).Add(2, 5, "e", "f", 10).Add(2, 6, "i", "j", 4000);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Numbers(c->input(0).files), (std::vector<uint64_t>{2}));
  EXPECT_EQ(Numbers(c->input(1).files), (std::vector<uint64_t>{5}));
  EXPECT_FALSE(c->IsTrivialMove());
  EXPECT_TRUE(c->bottommost_level());
  EXPECT_EQ(c->MinInputFileEpochNumber(), 2u);
}

TEST_F(LeveledPickerTest, EqualChoicesTakeTurns) {
  for (uint64_t i = 0; i < 6; ++i) {
    const std::string key(1, static_cast<char>('a' + i));
    v_.Add(1, i + 1, key, key, 9000);
  }
  ASSERT_TRUE(v_.Build().ok());
  std::set<uint64_t> picked;
  for (int i = 0; i < 4; ++i) {
    auto c = Pick();
    ASSERT_NE(c, nullptr);
    picked.insert(c->input(0).files[0]->number);
    VersionEdit edit;
    EXPECT_TRUE(c->IsTrivialMove());
    c.reset();
  }
  EXPECT_EQ(picked.size(), 4u);
}

TEST_F(LeveledPickerTest, GrowsToACleanCut) {
  // The user key "c" continues in the next file, older versions first there.
  FileMetaData left = MakeFile(2, "a", "c", 20000), right = MakeFile(1, "c", "e", 20000);
  v_.Add(1, left).Add(1, right).Add(1, 3, "g", "h", 20000);
  v_.Add(2, 5, "g", "h", 90000);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Numbers(c->input(0).files), (std::vector<uint64_t>{1, 2}));
}

TEST_F(LeveledPickerTest, GrowsTheStartLevelWhenThatIsFree) {
  v_.options().compaction_pri = kByCompensatedSize;
  v_.Add(1, 1, "c", "d", 9000).Add(1, 2, "e", "f", 4000).Add(1, 3, "p", "q", 4000);
  v_.Add(2, 5, "a", "g", 100);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Numbers(c->input(0).files), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(Numbers(c->input(1).files), (std::vector<uint64_t>{5}));
  c.reset();
  v_.options().max_compaction_bytes = 10000;  // too much
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Numbers(c->input(0).files).size(), 1u);
}

TEST_F(LeveledPickerTest, TrivialMoveOnlyWhereItDoesNoHarm) {
  v_.Add(1, 1, "a", "c", 20000);
  v_.Add(3, 5, "a", "b", 100);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->IsTrivialMove());
  EXPECT_FALSE(c->bottommost_level());
  VersionEdit edit;
  c->AddTrivialMove(&edit);
  EXPECT_EQ(edit.deleted_files()[0], (VersionEdit::DeletedFile{1, 1}));
  EXPECT_EQ(edit.new_files()[0].level, 2);
  EXPECT_EQ(edit.new_files()[0].meta.epoch_number, 1u);
  c.reset();
  v_.Apply(edit);
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_FALSE(v_.file(1)->being_compacted);
  EXPECT_EQ(v_.version()->NumLevelFiles(2), 1);

  VersionFixture other;
  other.options() = v_.options();
  other.options().max_compaction_bytes = 30000;
  other.Add(1, 1, "a", "c", 20000).Add(3, 5, "a", "b", 50000);
  ASSERT_TRUE(other.Build().ok());
  c = picker_.PickCompaction(other.options(), other.version());
  ASSERT_NE(c, nullptr);
  EXPECT_FALSE(c->IsTrivialMove());  // too much below
}

TEST_F(LeveledPickerTest, AMoveMustNotKeepTheWrongCompression) {
  v_.options().compression_per_level = {kNoCompression, kNoCompression, kZSTD};
  v_.Add(1, 1, "a", "c", 20000);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->output_compression(), kZSTD);
  EXPECT_FALSE(c->IsTrivialMove());
}

TEST_F(LeveledPickerTest, RunningJobsAreLeftAlone) {
  v_.Add(0, 10, "a", "m").Add(0, 11, "a", "m");
  ASSERT_TRUE(v_.Build().ok());
  auto first = Pick();
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(picker_.Level0Running());
  v_.Add(0, 12, "p", "q").Add(0, 13, "p", "q");
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_EQ(Pick(), nullptr);  // level 0 takes one job at a time
  first.reset();
  EXPECT_FALSE(picker_.HasRunning());
  v_.version()->ComputeCompactionScore(v_.options());
  EXPECT_NE(Pick(), nullptr);
}

TEST_F(LeveledPickerTest, OutputRangesOfRunningJobsDoNotMeet) {
  v_.options().compaction_pri = kByCompensatedSize;
  v_.Add(1, 1, "a", "c", 20000).Add(1, 2, "d", "f", 15000);
  v_.Add(2, 5, "b", "e", 100);
  ASSERT_TRUE(v_.Build().ok());
  auto first = Pick();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->num_input_files(), 2u + (first->input(0).files.size() - 1));
  auto second = Pick();
  EXPECT_EQ(second, nullptr);  // file 2 needs file 5, too
}

TEST_F(LeveledPickerTest, BlockedLevelZeroIsMergedInItself) {
  for (uint64_t n = 10; n < 14; ++n) v_.Add(0, n, "a", "m", 100);
  v_.Add(1, 1, "a", "z", 100);
  ASSERT_TRUE(v_.Build().ok());
  auto down = Pick();
  ASSERT_NE(down, nullptr);
  EXPECT_EQ(down->output_level(), 1);
  for (uint64_t n = 20; n < 24; ++n) v_.Add(0, n, "a", "m", 100);
  ASSERT_TRUE(v_.Build().ok());
  auto within = Pick();
  ASSERT_NE(within, nullptr);
  EXPECT_EQ(within->start_level(), 0);
  EXPECT_EQ(within->output_level(), 0);
  EXPECT_EQ(Numbers(within->input(0).files), (std::vector<uint64_t>{20, 21, 22, 23}));
  EXPECT_FALSE(within->IsTrivialMove());
  EXPECT_FALSE(within->bottommost_level());
  std::vector<size_t> cursors;
  EXPECT_FALSE(within->KeyNotExistsBeyondOutputLevel("zz", &cursors));
}

TEST_F(LeveledPickerTest, LevelZeroGoesToTheDynamicBaseLevel) {
  v_.options().level_compaction_dynamic_level_bytes = true;
  v_.Add(0, 10, "a", "m").Add(0, 11, "a", "m");
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->output_level(), 4);
  EXPECT_TRUE(c->bottommost_level());
  EXPECT_EQ(c->target_output_file_size(), 1000u);
}

TEST_F(LeveledPickerTest, MarkedFilesMoveDown) {
  FileMetaData f = MakeFile(1, "a", "c", 10);
  f.marked_for_compaction = true;
  v_.Add(1, f).Add(2, 2, "a", "b", 10);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kFilesMarkedForCompaction);
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(LeveledPickerTest, MarkedFilesAreMovedUntilTheirTombstonesCanGo) {
  FileMetaData f = MakeFile(1, "a", "c", 10);
  f.marked_for_compaction = true;
  v_.Add(1, f).Add(3, 2, "b", "b", 10);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->IsTrivialMove());
  VersionEdit edit;
  c->AddTrivialMove(&edit);
  ASSERT_EQ(edit.new_files().size(), 1u);
  EXPECT_TRUE(edit.new_files()[0].meta.marked_for_compaction);
  c.reset();
  v_.Apply(edit);
  ASSERT_TRUE(v_.Build().ok());
  c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->output_level(), 3);
  EXPECT_EQ(c->num_input_files(), 2u);
}

TEST_F(LeveledPickerTest, AMarkedFileWithNothingBelowIsRewritten) {
  FileMetaData f = MakeFile(1, "a", "c", 10);
  f.marked_for_compaction = true;
  v_.Add(1, f).Add(2, 2, "x", "y", 10);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->num_input_files(), 1u);
  EXPECT_TRUE(c->bottommost_level());
  EXPECT_FALSE(c->IsTrivialMove());
}

TEST_F(LeveledPickerTest, MarkedFilesOfTheLastLevelStay) {
  FileMetaData f = MakeFile(1, "a", "c", 10);
  f.marked_for_compaction = true;
  v_.Add(2, f);
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_FALSE(v_.version()->NeedsCompaction());
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(LeveledPickerTest, TombstonesGoWhereNothingIsBelow) {
  v_.Add(1, 1, "a", "k", 20000).Add(2, 2, "a", "b", 10).Add(3, 3, "d", "e", 10);
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_FALSE(c->bottommost_level());
  std::vector<size_t> cursors;
  EXPECT_TRUE(c->KeyNotExistsBeyondOutputLevel("a", &cursors));
  EXPECT_FALSE(c->KeyNotExistsBeyondOutputLevel("d", &cursors));
  EXPECT_FALSE(c->KeyNotExistsBeyondOutputLevel("e", &cursors));
  EXPECT_TRUE(c->KeyNotExistsBeyondOutputLevel("f", &cursors));
}

TEST_F(LeveledPickerTest, ManualCompactionGoesInSteps) {
  for (uint64_t i = 0; i < 6; ++i) {
    const std::string key(1, static_cast<char>('a' + i));
    v_.Add(1, i + 1, key, key, 400);
  }
  v_.options().max_compaction_bytes = 1000;
  ASSERT_TRUE(v_.Build().ok());
  std::string from;
  ManualStep step{.conflict = false, .more = true, .resume_at = ""};
  std::vector<uint64_t> seen;
  Slice begin;
  for (int i = 0; step.more && i < 10; ++i) {
    auto c = picker_.CompactRange(
        v_.options(), v_.version(), CompactRangeOptions(),
        {.input_level = 1, .output_level = 2, .begin = i == 0 ? nullptr : &begin}, &step);
    ASSERT_NE(c, nullptr);
    EXPECT_TRUE(c->is_manual());
    EXPECT_TRUE(c->IsTrivialMove());
    for (const uint64_t n : Numbers(c->input(0).files)) seen.push_back(n);
    from = step.resume_at;
    begin = from;
  }
  EXPECT_EQ(seen, (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(LeveledPickerTest, ManualCompactionReportsConflictsAndEmptiness) {
  v_.Add(1, 1, "a", "c", 20000).Add(1, 2, "x", "z", 10);
  ASSERT_TRUE(v_.Build().ok());
  auto running = Pick();
  ASSERT_NE(running, nullptr);
  ManualStep step;
  const Slice b("b"), p("p"), q("q");
  const auto range = [&](const Slice* from, const Slice* to) {
    return picker_.CompactRange(v_.options(), v_.version(), CompactRangeOptions(),
                                {.input_level = 1, .output_level = 2, .begin = from, .end = to},
                                &step);
  };
  EXPECT_EQ(range(&b, &p), nullptr);
  EXPECT_TRUE(step.conflict);
  EXPECT_EQ(range(&p, &q), nullptr);
  EXPECT_FALSE(step.conflict);
}

TEST_F(LeveledPickerTest, AForcedBottommostRewriteSparesItsOwnOutputs) {
  v_.Add(4, 1, "a", "b").Add(4, 50, "c", "d").Add(4, 2, "e", "f").Add(4, 51, "g", "h");
  ASSERT_TRUE(v_.Build().ok());
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForceOptimized;
  ManualRange range{.input_level = 4, .output_level = 4, .ignore_files_from = 50};
  ManualStep step;
  auto c = picker_.CompactRange(v_.options(), v_.version(), force, range, &step);
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(Numbers(c->input(0).files), (std::vector<uint64_t>{1}));
  EXPECT_FALSE(c->IsTrivialMove());
  EXPECT_TRUE(c->bottommost_level());
  ASSERT_TRUE(step.more);
  EXPECT_EQ(step.resume_at, "c");
  const Slice begin("c");
  range.begin = &begin;
  auto next = picker_.CompactRange(v_.options(), v_.version(), force, range, &step);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(Numbers(next->input(0).files), (std::vector<uint64_t>{2}));
}

TEST_F(LeveledPickerTest, OutputsEndBeforeTheyOverlapTooMuchBelow) {
  v_.options().max_compaction_bytes = 2500;
  v_.Add(1, 1, "a", "z", 20000);
  for (uint64_t i = 0; i < 10; ++i) {
    const std::string key(1, static_cast<char>('a' + 2 * i));
    v_.Add(3, i + 10, key, key, 1000);
  }
  ASSERT_TRUE(v_.Build().ok());
  auto c = Pick();
  ASSERT_NE(c, nullptr);
  OutputCutter cutter(c.get());
  int cuts = 0;
  for (char key = 'a'; key <= 'z'; ++key) {
    for (const SequenceNumber seq : {9, 8}) {
      const InternalKey k(std::string(1, key), seq, kTypeValue);
      const bool cut = cutter.ShouldStopBefore(k.Encode(), seq == 9, 10);
      EXPECT_FALSE(cut && seq == 8);  // versions of a key stay together
      cuts += cut ? 1 : 0;
    }
  }
  EXPECT_EQ(cuts, 3);
  OutputCutter by_size(c.get());
  EXPECT_FALSE(by_size.ShouldStopBefore(InternalKey("a", 9, kTypeValue).Encode(), true, 5000));
  EXPECT_TRUE(by_size.ShouldStopBefore(InternalKey("ab", 9, kTypeValue).Encode(), true, 5000));
}

// Runs random flushes and simulated jobs, several at once; the builder refuses any overlap, and no
// file is ever in two jobs.
TEST_F(LeveledPickerTest, RandomJobsNeverConflict) {
  for (const bool dynamic : {false, true}) {
    const uint64_t seed = 77 + (dynamic ? 1 : 0);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random64 random(seed);
    VersionFixture v;
    v.options() = v_.options();
    v.options().level_compaction_dynamic_level_bytes = dynamic;
    v.options().level0_file_num_compaction_trigger = 3;
    ASSERT_TRUE(v.Build().ok());
    LeveledPicker picker(&db_options_, &v.icmp());
    std::deque<std::unique_ptr<Compaction>> running;
    uint64_t next = 100;
    int jobs = 0;
    const auto key = [&](uint64_t k) {
      char text[8];
      std::snprintf(text, sizeof(text), "%04d", static_cast<int>(k));
      return std::string(text);
    };
    for (int round = 0; round < 1500; ++round) {
      if (random.OneIn(3) && v.version()->NumLevelFiles(0) < 30) {
        const uint64_t from = random.Uniform(1000), to = from + random.Uniform(300);
        v.Add(0, next++, key(from), key(to), 2000);
        ASSERT_TRUE(v.Build().ok());
      }
      if (running.size() < 4) {
        if (auto c = picker.PickCompaction(v.options(), v.version()); c != nullptr) {
          running.push_back(std::move(c));
        }
      }
      if (!running.empty() && random.OneIn(2)) {
        // The oldest or the newest job ends: its inputs become outputs that cover the same range.
        if (random.OneIn(2)) std::swap(running.front(), running.back());
        std::unique_ptr<Compaction> c = std::move(running.front());
        running.pop_front();
        VersionEdit edit;
        if (c->IsTrivialMove()) {
          c->AddTrivialMove(&edit);
        } else {
          c->AddInputDeletions(&edit);
          FileMetaData out = MakeFile(next++, c->smallest_user_key().ToString(),
                                      c->largest_user_key().ToString(), 0);
          out.epoch_number = c->MinInputFileEpochNumber();
          out.file_size = std::max<uint64_t>(c->total_input_bytes() * 9 / 10, 10);
          if (out.file_size > 6000) {  // two files with a cut in between
            FileMetaData second = out;
            const std::string cut = c->smallest_user_key().ToString() + "m";
            if (v.icmp().CompareUserKey(cut, c->largest_user_key()) < 0) {
              out.largest = InternalKey(cut, 1, kTypeValue);
              second.number = next++;
              second.smallest = InternalKey(cut + "n", 1, kTypeValue);
              second.file_size = out.file_size /= 2;
              if (v.icmp().CompareUserKey(cut + "n", c->largest_user_key()) < 0 &&
                  c->output_level() > 0) {
                edit.AddFile(c->output_level(), second);
              } else {
                out.largest = second.largest;
              }
            }
          }
          edit.AddFile(c->output_level(), out);
        }
        c.reset();
        v.Apply(edit);
        const Status s = v.Build();
        ASSERT_TRUE(s.ok()) << round << " " << s.ToString();
        ++jobs;
      }
    }
    running.clear();
    EXPECT_GT(jobs, 100);
  }
}

// A file made so many seconds ago, of data that are as old.
FileMetaData Aged(uint64_t number, const std::string& smallest, const std::string& largest,
                  uint64_t age) {
  FileMetaData f = MakeFile(number, smallest, largest);
  f.oldest_ancester_time = f.file_creation_time = fiber::wall_micros() / 1'000'000 - age;
  return f;
}

TEST_F(LeveledPickerTest, WhatIsPastItsTtlGoesToTheNextLevel) {
  v_.options().ttl = 100;
  v_.Add(2, Aged(5, "a", "c", 150)).Add(2, Aged(6, "d", "f", 50)).Add(4, Aged(1, "a", "z", 500));
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_TRUE(v_.version()->NeedsCompaction());
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kTtl);
  EXPECT_EQ(c->start_level(), 2);
  EXPECT_EQ(c->output_level(), 3);
  EXPECT_EQ(c->input(0).files.front()->number, 5u);
  EXPECT_EQ(c->num_input_files(), 1u);
  EXPECT_FALSE(v_.version()->NeedsCompaction()) << "the other is young, the last level the last";
}

TEST_F(LeveledPickerTest, WithoutTtlAgeDoesNotMatter) {
  v_.options().ttl = 0;
  v_.options().periodic_compaction_seconds = 0;
  v_.Add(2, Aged(5, "a", "c", 150)).Add(4, Aged(1, "a", "z", 500));
  ASSERT_TRUE(v_.Build().ok());
  EXPECT_FALSE(v_.version()->NeedsCompaction());
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(LeveledPickerTest, OldFilesAreRewrittenWhereTheyAre) {
  v_.options().ttl = 0;
  v_.options().periodic_compaction_seconds = 300;
  v_.Add(2, Aged(5, "a", "c", 150)).Add(4, Aged(1, "a", "z", 500));
  ASSERT_TRUE(v_.Build().ok());
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kPeriodicCompaction);
  EXPECT_EQ(c->start_level(), 4);
  EXPECT_EQ(c->output_level(), 4);
  EXPECT_FALSE(c->IsTrivialMove());
  EXPECT_EQ(c->num_input_files(), 1u);
  EXPECT_EQ(Pick(), nullptr);
}

TEST_F(LeveledPickerTest, FullLevelsComeBeforeOldFiles) {
  v_.options().ttl = 100;
  v_.Add(0, Aged(8, "a", "c", 150)).Add(0, Aged(9, "a", "c", 150));
  v_.Add(2, Aged(5, "a", "c", 150)).Add(4, Aged(1, "a", "z", 500));
  ASSERT_TRUE(v_.Build().ok());
  const auto c = Pick();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kLevelL0FilesNum);
}

}  // namespace
}  // namespace cairn
