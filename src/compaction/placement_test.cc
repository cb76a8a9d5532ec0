// Compactions that leave young entries above the last level: where the pickers allow it
// (Placement), and what a job writes to which level (EntryAges, LevelOutput).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "compaction/compaction_job.h"
#include "compaction/testing/job_fixture.h"
#include "compaction/universal_picker.h"
#include "fiber/clock.h"
#include "rocksdb/listener.h"

namespace cairn {
namespace {

constexpr int kLast = 6;
constexpr int kProximal = 5;

// --- Jobs

class PlacementJobTest : public ::testing::Test {
 protected:
  PlacementJobTest() {
    fixture_.cf_options().preclude_last_level_data_seconds = 1000;
    fixture_.cf_options().last_level_temperature = Temperature::kCold;
  }
  // What was written up to `sequence` is too old to stay above the last level; the rest is young.
  void OldUpTo(SequenceNumber sequence) {
    const uint64_t now = fiber::wall_micros() / 1'000'000;
    fixture_.env().times = std::make_shared<const SeqnoToTimeMapping>(
        std::vector<SeqnoTimePair>{{sequence, now - 5000}, {1'000'000, now - 10}});
  }
  Status Run(Compaction* compaction) {
    CompactionJob job(fixture_.env(), compaction);
    const Status s = job.Run();
    files_.clear();
    for (const auto& f : compaction->edit()->new_files()) files_[f.level].push_back(f.meta);
    stats_ = job.stats();
    young_stats_ = job.proximal_stats();
    return s;
  }
  std::vector<TestEntry> Read(int level) {
    std::vector<TestEntry> all;
    for (const FileMetaData& meta : files_[level]) {
      for (TestEntry& e : fixture_.ReadTable(meta)) all.push_back(std::move(e));
    }
    return all;
  }

  JobFixture fixture_;
  std::map<int, std::vector<FileMetaData>> files_;  // of the outputs, by level
  JobStats stats_, young_stats_;
};

TEST_F(PlacementJobTest, EntriesGoWhereTheirAgeSays) {
  fixture_.AddFile(kProximal, {{"a", 10, kTypeValue, "a10"}, {"c", 30, kTypeValue, "c30"}});
  fixture_.AddFile(kLast, {{"a", 0, kTypeValue, "a0"}, {"b", 5, kTypeValue, "b5"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  OldUpTo(20);
  const auto compaction = fixture_.StartAll(kProximal, kLast);
  ASSERT_EQ(compaction->proximal_level(), kProximal);
  EXPECT_FALSE(compaction->IsTrivialMove());
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_EQ(Read(kLast),
            (std::vector<TestEntry>{{"a", 0, kTypeValue, "a10"}, {"b", 0, kTypeValue, "b5"}}));
  EXPECT_EQ(Read(kProximal), (std::vector<TestEntry>{{"c", 30, kTypeValue, "c30"}}));
  EXPECT_EQ(files_[kLast][0].temperature, Temperature::kCold);
  EXPECT_EQ(files_[kProximal][0].temperature, Temperature::kUnknown);
  EXPECT_EQ(stats_.output_files, 2);
  EXPECT_EQ(young_stats_.output_files, 1);
  EXPECT_EQ(young_stats_.records_in, 1u);
  EXPECT_EQ(young_stats_.bytes_written, files_[kProximal][0].file_size);
  EXPECT_EQ(stats_.bytes_written, files_[kProximal][0].file_size + files_[kLast][0].file_size);
}

TEST_F(PlacementJobTest, WhatIsNotKnownToBeOldIsYoung) {
  fixture_.AddFile(kProximal, {{"a", 10, kTypeValue, "a10"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  ASSERT_EQ(fixture_.env().times, nullptr);
  const auto compaction = fixture_.StartAll(kProximal, kLast);
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_EQ(Read(kProximal), (std::vector<TestEntry>{{"a", 10, kTypeValue, "a10"}}));
  EXPECT_TRUE(files_[kLast].empty());
}

// The tables' own times count as well as the database's.
TEST_F(PlacementJobTest, TablesTellTheirTimes) {
  OldUpTo(20);
  fixture_.AddFile(kProximal, {{"a", 10, kTypeValue, "a10"}, {"b", 20, kTypeValue, "b20"}});
  fixture_.env().times = nullptr;
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.StartAll(kProximal, kLast);
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_TRUE(files_[kProximal].empty());
  EXPECT_EQ(Read(kLast).size(), 2u);
}

TEST_F(PlacementJobTest, TheOutputsTellThemAgain) {
  OldUpTo(20);
  fixture_.AddFile(kProximal, {{"a", 10, kTypeValue, "a10"}, {"b", 30, kTypeValue, "b30"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.StartAll(kProximal, kLast);
  ASSERT_TRUE(Run(compaction.get()).ok());
  TableCache::Ref table;
  ASSERT_TRUE(fixture_.tables()->FindTable(files_[kProximal][0].TableId(), &table).ok());
  std::vector<SeqnoTimePair> pairs;
  ASSERT_TRUE(
      SeqnoToTimeMapping::Decode(table->GetTableProperties()->seqno_to_time_mapping, &pairs).ok());
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].sequence, 20u);
}

// In leveled style the last level's entries stay there, and so does what is older than they are.
TEST_F(PlacementJobTest, NothingComesUpInLeveledStyle) {
  fixture_.AddFile(kProximal, {{"a", 40, kTypeValue, "a40"}, {"b", 60, kTypeValue, "b60"}});
  fixture_.AddFile(kLast, {{"a", 30, kTypeValue, "a30"}, {"c", 50, kTypeValue, "c50"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  OldUpTo(20);
  const auto compaction = fixture_.StartAll(kProximal, kLast);
  EXPECT_EQ(compaction->placement().stays_through, 50u);
  EXPECT_FALSE(compaction->placement().full_range);
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_EQ(Read(kProximal), (std::vector<TestEntry>{{"b", 60, kTypeValue, "b60"}}));
  EXPECT_EQ(Read(kLast),
            (std::vector<TestEntry>{{"a", 40, kTypeValue, "a40"}, {"c", 50, kTypeValue, "c50"}}));
}

TEST_F(PlacementJobTest, InUniversalStyleTheyDo) {
  fixture_.cf_options().compaction_style = kCompactionStyleUniversal;
  fixture_.AddFile(0, {{"a", 40, kTypeValue, "a40"}, {"b", 60, kTypeValue, "b60"}});
  fixture_.AddFile(kLast, {{"a", 30, kTypeValue, "a30"}, {"c", 50, kTypeValue, "c50"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  OldUpTo(20);
  const auto compaction = fixture_.StartAll(0, kLast);
  EXPECT_TRUE(compaction->placement().full_range);
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_EQ(Read(kProximal), (std::vector<TestEntry>{{"a", 40, kTypeValue, "a40"},
                                                     {"b", 60, kTypeValue, "b60"},
                                                     {"c", 50, kTypeValue, "c50"}}));
  EXPECT_TRUE(files_[kLast].empty());
}

// Versions of one key in both levels; and of the last level's some are cut off from others only
// between keys.
TEST_F(PlacementJobTest, SnapshotsKeepWhatIsNewerAbove) {
  std::vector<TestEntry> entries;
  for (const char* key : {"a", "b", "c", "d"}) {
    for (const SequenceNumber n : {30u, 20u, 10u}) {
      const auto nth = static_cast<SequenceNumber>(key[0] - 'a');
      entries.push_back({key, n + nth, kTypeValue, std::string(3000, key[0])});
    }
  }
  fixture_.AddFile(kProximal, entries);
  ASSERT_TRUE(fixture_.versions().Build().ok());
  OldUpTo(100);
  fixture_.env().snapshots = {15, 25};
  const auto compaction = fixture_.StartAll(kProximal, kLast, /*target_file_size=*/4 << 10);
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_EQ(Read(kLast).size(), 4u);
  EXPECT_EQ(Read(kProximal).size(), 8u);
  for (const TestEntry& e : Read(kLast)) EXPECT_EQ(e.sequence, 0u) << e;
  for (const TestEntry& e : Read(kProximal)) EXPECT_GT(e.sequence, 15u) << e;
  for (const int level : {kProximal, kLast}) {
    const std::vector<FileMetaData>& files = files_[level];
    EXPECT_GT(files.size(), 1u) << level;
    for (size_t i = 1; i < files.size(); ++i) {
      EXPECT_LT(files[i - 1].largest.user_key().compare(files[i].smallest.user_key()), 0) << level;
    }
  }
}

TEST_F(PlacementJobTest, SequenceNumbersOfYoungEntriesArePreserved) {
  fixture_.cf_options().preclude_last_level_data_seconds = 0;
  fixture_.cf_options().preserve_internal_time_seconds = 1000;
  fixture_.AddFile(kProximal, {{"a", 20, kTypeValue, "a20"}, {"b", 21, kTypeValue, "b21"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  OldUpTo(20);
  const auto compaction = fixture_.StartAll(kProximal, kLast);
  EXPECT_EQ(compaction->proximal_level(), -1);
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_EQ(Read(kLast),
            (std::vector<TestEntry>{{"a", 0, kTypeValue, "a20"}, {"b", 21, kTypeValue, "b21"}}));
}

TEST_F(PlacementJobTest, AFailureLeavesNeitherLevelsFiles) {
  fixture_.AddFile(kProximal, {{"a", 10, kTypeValue, std::string(5000, 'a')},
                               {"b", 30, kTypeValue, std::string(5000, 'b')},
                               {"c", 11, kTypeValue, std::string(5000, 'c')},
                               {"d", 31, kTypeValue, std::string(5000, 'd')}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  OldUpTo(20);
  const std::vector<uint64_t> before = fixture_.TablesOnDisk();
  int failures = 0;
  for (int room = 0; room < 10; ++room) {
    fixture_.env().check_space = [left = std::make_shared<int>(room)] {
      return (*left)-- > 0 ? Status::OK() : Status::SpaceLimit("none is left");
    };
    const auto compaction = fixture_.StartAll(kProximal, kLast, /*target_file_size=*/4 << 10);
    const Status s = Run(compaction.get());
    if (s.ok()) break;
    ++failures;
    EXPECT_EQ(s.subcode(), Status::kSpaceLimit) << s.ToString();
    EXPECT_TRUE(files_.empty());
    EXPECT_EQ(fixture_.TablesOnDisk(), before);
  }
  EXPECT_EQ(failures, 4) << "tables";
}

// However versions, tombstones and snapshots lie: what is young is above, what is old below, and
// together they are what a compaction without placement keeps.
TEST_F(PlacementJobTest, BothLevelsTogetherAreWhatOneWouldBe) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    JobFixture one;
    Random64 rng(seed);
    one.cf_options().compaction_style =
        rng.OneIn(2) ? kCompactionStyleUniversal : kCompactionStyleLevel;
    one.cf_options().preserve_internal_time_seconds = 1000;
    SequenceNumber sequence = 0;
    for (const int level : {kLast, kProximal}) {
      std::vector<TestEntry> entries;
      const uint64_t count = 1 + rng.Uniform(60);
      for (uint64_t i = 0; i < count; ++i) {
        const std::string key(1, static_cast<char>('a' + rng.Uniform(20)));
        const uint64_t kind = rng.Uniform(8);
        const ValueType type = kind == 0   ? kTypeDeletion
                               : kind == 1 ? kTypeSingleDeletion
                                           : kTypeValue;
        ++sequence;
        entries.push_back(
            {key, sequence, type, type == kTypeValue ? rng.RandomString(300) : std::string()});
      }
      one.AddFile(level, entries);
    }
    ASSERT_TRUE(one.versions().Build().ok());
    const uint64_t now = fiber::wall_micros() / 1'000'000;
    const SequenceNumber old = rng.Uniform(sequence + 1);
    one.env().times = std::make_shared<const SeqnoToTimeMapping>(
        std::vector<SeqnoTimePair>{{old, now - 5000}, {sequence, now - 10}});
    for (uint64_t i = rng.Uniform(3); i > 0; --i) {
      one.env().snapshots.push_back(1 + rng.Uniform(sequence));
    }
    std::sort(one.env().snapshots.begin(), one.env().snapshots.end());
    const auto run = [&](std::map<int, std::vector<TestEntry>>* found) {
      const auto compaction = one.StartAll(kProximal, kLast, /*target_file_size=*/1 << 10);
      CompactionJob job(one.env(), compaction.get());
      ASSERT_TRUE(job.Run().ok());
      for (const auto& f : compaction->edit()->new_files()) {
        for (TestEntry& e : one.ReadTable(f.meta)) (*found)[f.level].push_back(std::move(e));
      }
    };
    std::map<int, std::vector<TestEntry>> whole, placed;
    run(&whole);
    ASSERT_TRUE(whole[kProximal].empty());
    one.cf_options().preclude_last_level_data_seconds = 1000;
    const SequenceNumber stays = one.StartAll(kProximal, kLast)->placement().stays_through;
    run(&placed);
    const SequenceNumber oldest_snapshot =
        one.env().snapshots.empty() ? kMaxSequenceNumber : one.env().snapshots.front();
    const SequenceNumber border = std::max(std::min(old, oldest_snapshot), stays);
    for (const TestEntry& e : placed[kProximal]) EXPECT_GT(e.sequence, border) << e;
    for (const TestEntry& e : placed[kLast]) EXPECT_LE(e.sequence, border) << e;
    std::vector<TestEntry> together = placed[kProximal];
    together.insert(together.end(), placed[kLast].begin(), placed[kLast].end());
    const auto in_order = [](const TestEntry& a, const TestEntry& b) {
      return a.key != b.key ? a.key < b.key : a.sequence > b.sequence;
    };
    std::sort(together.begin(), together.end(), in_order);
    EXPECT_EQ(together, whole[kLast]);
  }
}

// --- Pickers

// Files are numbered n, with sequence numbers from 100 * n (MakeFile).
class PlacementPickerTest : public ::testing::Test {
 protected:
  PlacementPickerTest() {
    v_.options().num_levels = kLast + 1;
    v_.options().preclude_last_level_data_seconds = 1000;
    v_.options().max_bytes_for_level_base = 100;
    v_.options().max_bytes_for_level_multiplier = 1;
    v_.options().level0_file_num_compaction_trigger = 2;
  }
  void UseUniversal() { v_.options().compaction_style = kCompactionStyleUniversal; }
  std::unique_ptr<Compaction> PickLeveled() {
    return leveled_.PickCompaction(v_.options(), v_.version());
  }
  std::unique_ptr<Compaction> PickUniversal() {
    return universal_.PickCompaction(v_.options(), v_.version());
  }
  Status CompactFiles(CompactionPicker* picker, const std::set<uint64_t>& numbers,
                      std::unique_ptr<Compaction>* compaction, int level = kLast) {
    return picker->CompactFiles(v_.options(), v_.version(), CompactionOptions(), numbers, level, 0,
                                compaction);
  }

  DBOptions db_options_;
  VersionFixture v_;
  LeveledPicker leveled_{&db_options_, &v_.icmp()};
  UniversalPicker universal_{&db_options_, &v_.icmp()};
};

TEST_F(PlacementPickerTest, OnlyTheWayToTheLastLevelIsPlaced) {
  v_.Add(4, 4, "a", "c").Add(kProximal, 3, "a", "c").Add(kLast, 2, "a", "c");
  ASSERT_TRUE(v_.Build().ok());
  std::unique_ptr<Compaction> c;
  ASSERT_TRUE(CompactFiles(&leveled_, {4}, &c, kProximal).ok());
  EXPECT_EQ(c->proximal_level(), -1);
  c.reset();
  ASSERT_TRUE(CompactFiles(&leveled_, {3}, &c).ok());
  EXPECT_EQ(c->proximal_level(), kProximal);
  EXPECT_EQ(c->placement().stays_through, 299u);
  c.reset();
  v_.options().preclude_last_level_data_seconds = 0;
  ASSERT_TRUE(CompactFiles(&leveled_, {3}, &c).ok());
  EXPECT_EQ(c->proximal_level(), -1);
}

TEST_F(PlacementPickerTest, TheLastLevelAloneIsPlacedOnlyIntoAnEmptyOne) {
  v_.Add(kLast, 2, "a", "c").Add(kLast, 1, "d", "f");
  ASSERT_TRUE(v_.Build().ok());
  std::unique_ptr<Compaction> c;
  ASSERT_TRUE(CompactFiles(&leveled_, {2}, &c).ok());
  EXPECT_EQ(c->proximal_level(), -1);
  c.reset();
  UseUniversal();
  ASSERT_TRUE(CompactFiles(&universal_, {2}, &c).ok());
  EXPECT_EQ(c->proximal_level(), kProximal);
  EXPECT_TRUE(c->placement().full_range);
  c.reset();
  v_.Add(kProximal, 3, "x", "z");
  ASSERT_TRUE(v_.Build().ok());
  ASSERT_TRUE(CompactFiles(&universal_, {2}, &c).ok());
  EXPECT_EQ(c->proximal_level(), -1);
}

TEST_F(PlacementPickerTest, Level0IsNoPlace) {
  v_.options().num_levels = 2;
  v_.Add(0, 3, "a", "c").Add(1, 2, "a", "c");
  ASSERT_TRUE(v_.Build().ok());
  std::unique_ptr<Compaction> c;
  ASSERT_TRUE(CompactFiles(&leveled_, {3}, &c, 1).ok());
  EXPECT_EQ(c->proximal_level(), -1);
}

// The whole range where all of the proximal level goes in, else that of what comes from above.
TEST_F(PlacementPickerTest, TheRangeIsThatOfWhatMayComeUp) {
  UseUniversal();
  v_.Add(kProximal, 4, "d", "e").Add(kProximal, 5, "p", "q");
  v_.Add(kLast, 2, "a", "k").Add(kLast, 3, "m", "z");
  ASSERT_TRUE(v_.Build().ok());
  std::unique_ptr<Compaction> c;
  ASSERT_TRUE(CompactFiles(&universal_, {4}, &c).ok());
  EXPECT_FALSE(c->placement().full_range);
  EXPECT_EQ(c->placement().stays_through, 299u);
  EXPECT_EQ(c->placement().smallest, "d");
  EXPECT_EQ(c->placement().largest, "e");
  c.reset();
  ASSERT_TRUE(CompactFiles(&universal_, {4, 5}, &c).ok());
  EXPECT_TRUE(c->placement().full_range);
  EXPECT_EQ(c->placement().stays_through, 0u);
  EXPECT_EQ(c->placement().smallest, "a");
  EXPECT_EQ(c->placement().largest, "z");
}

TEST_F(PlacementPickerTest, NobodyElseWritesWhereYoungEntriesMayCome) {
  UseUniversal();
  v_.Add(4, 5, "b", "c").Add(4, 6, "x", "z");
  v_.Add(kLast, 2, "a", "k").Add(kLast, 3, "m", "p");
  ASSERT_TRUE(v_.Build().ok());
  std::unique_ptr<Compaction> placed, other;
  ASSERT_TRUE(CompactFiles(&universal_, {2}, &placed).ok());
  ASSERT_TRUE(placed->placement().full_range);
  EXPECT_TRUE(universal_.RangeOverlapsRunning("b", "c", kProximal));
  EXPECT_FALSE(universal_.RangeOverlapsRunning("b", "c", 4));
  EXPECT_TRUE(CompactFiles(&universal_, {5}, &other, kProximal).IsAborted());
  ASSERT_TRUE(CompactFiles(&universal_, {6}, &other, kProximal).ok());
  placed.reset();
  other.reset();
  // And the other way round.
  ASSERT_TRUE(CompactFiles(&universal_, {5}, &other, kProximal).ok());
  EXPECT_TRUE(CompactFiles(&universal_, {2}, &placed).IsAborted());
  ASSERT_TRUE(CompactFiles(&universal_, {3}, &placed).ok());
}

// Else they were written anew for ever.
TEST_F(PlacementPickerTest, FilesThatAreAllYoungAreNotSentDown) {
  v_.Add(kProximal, 5, "a", "c").Add(kProximal, 6, "d", "f").Add(kLast, 2, "a", "f");
  ASSERT_TRUE(v_.Build().ok());
  leveled_.set_young_after(499);
  EXPECT_EQ(PickLeveled(), nullptr);
  leveled_.set_young_after(510);
  const auto c = PickLeveled();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->input(0).files[0]->number, 5u);
  EXPECT_EQ(c->placement().level, kProximal);
}

TEST_F(PlacementPickerTest, NorInUniversalStyle) {
  UseUniversal();
  v_.options().level0_file_num_compaction_trigger = 1;
  v_.Add(kProximal, 5, "a", "c", 1000).Add(kLast, 2, "a", "f", 100);
  ASSERT_TRUE(v_.Build().ok());
  universal_.set_young_after(499);
  EXPECT_EQ(PickUniversal(), nullptr);
  universal_.set_young_after(510);
  EXPECT_NE(PickUniversal(), nullptr);
}

TEST_F(PlacementPickerTest, TheLastLevelIsNoMeasureOfSpace) {
  UseUniversal();
  v_.options().level0_file_num_compaction_trigger = 3;
  v_.options().compaction_options_universal.max_size_amplification_percent = 50;
  v_.options().compaction_options_universal.size_ratio = 0;
  v_.Add(0, 9, "a", "z", 60).Add(kProximal, 5, "a", "z", 100).Add(kLast, 2, "a", "z", 10'000);
  ASSERT_TRUE(v_.Build().ok());
  auto c = PickUniversal();
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->reason(), CompactionReason::kUniversalSizeAmplification);
  EXPECT_EQ(c->output_level(), kProximal);
  EXPECT_EQ(c->num_input_files(), 2u);
  c.reset();
  v_.options().preclude_last_level_data_seconds = 0;
  EXPECT_EQ(PickUniversal(), nullptr);
}

}  // namespace
}  // namespace cairn
