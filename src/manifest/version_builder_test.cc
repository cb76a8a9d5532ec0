#include "manifest/version_builder.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "manifest/testing/version_fixture.h"

namespace cairn {
namespace {

std::vector<uint64_t> Numbers(const std::vector<FileMetaData*>& files) {
  std::vector<uint64_t> numbers;
  for (const FileMetaData* f : files) numbers.push_back(f->number);
  return numbers;
}

TEST(VersionBuilder, OrdersLevelZeroByEpochAndTheOthersByKey) {
  VersionFixture v;
  v.Add(0, 3, "a", "z").Add(0, 9, "a", "z").Add(0, 5, "c", "d");
  v.Add(1, 7, "m", "p").Add(1, 8, "a", "c").Add(1, 6, "x", "y");
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(Numbers(v.version()->files(0)), (std::vector<uint64_t>{9, 5, 3}));
  EXPECT_EQ(Numbers(v.version()->files(1)), (std::vector<uint64_t>{8, 7, 6}));
  EXPECT_EQ(v.version()->num_non_empty_levels(), 2);
  EXPECT_EQ(v.version()->NumLevelBytes(1), 3000u);
}

TEST(VersionBuilder, RefusesOverlapAndReversedBounds) {
  {
    VersionFixture v;
    v.Add(2, 1, "a", "m").Add(2, 2, "k", "z");
    const Status s = v.Build();
    EXPECT_TRUE(s.IsCorruption());
    EXPECT_NE(s.ToString().find("overlaps"), std::string::npos) << s.ToString();
  }
  {
    VersionFixture v;
    v.Add(1, 1, "m", "a");
    EXPECT_TRUE(v.Build().IsCorruption());
  }
  {
    VersionFixture
        v;  // the same user key on both sides of a border is legal: older versions go right
    FileMetaData left = MakeFile(2, "a", "k"), right = MakeFile(1, "k", "z");
    v.Add(1, left).Add(1, right);
    EXPECT_TRUE(v.Build().ok());
  }
}

TEST(VersionBuilder, RefusesEditsThatDoNotFit) {
  VersionFixture v;
  v.Add(1, 1, "a", "b");
  ASSERT_TRUE(v.Build().ok());
  v.Delete(2, 1);
  EXPECT_TRUE(v.Build().IsCorruption());  // another level
  v.Delete(1, 5);
  EXPECT_TRUE(v.Build().IsCorruption());  // not there
  v.Add(2, 1, "a", "b");
  EXPECT_TRUE(v.Build().IsCorruption());  // there already
  v.Delete(1, 1).Add(2, 1, "a", "b");
  EXPECT_TRUE(v.Build().ok());  // moved
  v.Add(7, 9, "a", "b");
  EXPECT_TRUE(v.Build().IsInvalidArgument());  // no such level
}

TEST(VersionBuilder, InfersMissingEpochsFromTheShape) {
  VersionFixture v;
  for (const auto& [level, number] :
       std::vector<std::pair<int, uint64_t>>{{0, 20}, {0, 10}, {1, 3}, {6, 1}, {6, 2}}) {
    FileMetaData f = MakeFile(number, std::string(1, static_cast<char>('a' + number)),
                              std::string(1, static_cast<char>('a' + number)));
    if (number != 3) f.epoch_number = kUnknownEpochNumber;  // one that has it does not help
    v.Add(level, f);
  }
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.file(1)->epoch_number, 2u);
  EXPECT_EQ(v.file(2)->epoch_number, 2u);
  EXPECT_EQ(v.file(3)->epoch_number, 3u);
  EXPECT_EQ(v.file(10)->epoch_number, 4u);
  EXPECT_EQ(v.file(20)->epoch_number, 5u);
  EXPECT_EQ(Numbers(v.version()->files(0)), (std::vector<uint64_t>{20, 10}));
}

TEST(VersionBuilder, LevelZeroFilesNeedDistinctEpochs) {
  VersionFixture v;
  FileMetaData a = MakeFile(1, "a", "b"), b = MakeFile(2, "a", "b");
  b.epoch_number = a.epoch_number = 9;
  v.Add(0, a).Add(0, b);
  EXPECT_TRUE(v.Build().IsCorruption());
}

TEST(VersionBuilder, LevelZeroFilesWithoutACommonKeyMayShareAnEpoch) {
  VersionFixture v;
  FileMetaData a = MakeFile(1, "a", "b"), b = MakeFile(2, "c", "d");
  b.epoch_number = a.epoch_number = 9;
  v.Add(0, a).Add(0, b);
  EXPECT_TRUE(v.Build().ok());
  EXPECT_EQ(Numbers(v.version()->files(0)), (std::vector<uint64_t>{2, 1}));
}

// Random edits against a map from number to (level, slot of the key space).
TEST(VersionBuilder, AgreesWithAModel) {
  const uint64_t seed = 20240607;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  VersionFixture v;
  ASSERT_TRUE(v.Build().ok());
  std::map<uint64_t, std::pair<int, int>> model;
  std::set<std::pair<int, int>> used;
  uint64_t next = 1;
  const auto key = [](int slot) { return std::string(1, static_cast<char>(slot)); };
  for (int round = 0; round < 400; ++round) {
    for (auto it = model.begin(); it != model.end();) {
      if (!random.OneIn(4)) {
        ++it;
        continue;
      }
      const auto [level, slot] = it->second;
      v.Delete(level, it->first);
      used.erase({level, slot});
      if (level > 0 && level < 6 && random.OneIn(2) && used.count({level + 1, slot}) == 0) {
        v.Add(level + 1, *v.file(it->first));
        it->second = {level + 1, slot};
        used.insert(it->second);
        ++it;
      } else {
        it = model.erase(it);
      }
    }
    for (uint64_t n = random.Uniform(6); n > 0; --n) {
      const int level = static_cast<int>(random.Uniform(7));
      const int slot = 1 + static_cast<int>(random.Uniform(120));
      if (level > 0 && used.count({level, slot}) != 0) continue;
      used.insert({level, slot});
      v.Add(level, MakeFile(next, key(slot), key(slot)));
      model[next++] = {level, slot};
    }
    ASSERT_TRUE(v.Build().ok());
    size_t total = 0;
    for (int level = 0; level < 7; ++level) total += v.version()->files(level).size();
    ASSERT_EQ(total, model.size());
    for (const auto& [number, where] : model) {
      int level = -1;
      const FileMetaData* f = v.version()->FindFileByNumber(number, &level);
      ASSERT_NE(f, nullptr);
      ASSERT_EQ(level, where.first);
      if (level == 0) continue;
      const InternalKey probe(key(where.second), kMaxSequenceNumber, kValueTypeForSeek);
      const LevelFiles& files = v.version()->level_files(level);
      const size_t at = FindFile(v.icmp(), files, probe.Encode());
      ASSERT_LT(at, files.size);
      ASSERT_EQ(files[at].number, number);
    }
  }
}

TEST(Version, OverlappingInputsGrowOnLevelZeroOnly) {
  VersionFixture v;
  v.Add(0, 10, "a", "d").Add(0, 11, "c", "h").Add(0, 12, "g", "k").Add(0, 13, "x", "z");
  v.Add(1, 1, "a", "b").Add(1, 2, "c", "d").Add(1, 3, "e", "f").Add(1, 4, "m", "n");
  ASSERT_TRUE(v.Build().ok());
  const Slice begin("b"), end("c");
  std::vector<FileMetaData*> files;
  v.version()->GetOverlappingInputs(0, &begin, &end, &files);
  EXPECT_EQ(Numbers(files), (std::vector<uint64_t>{12, 11, 10}));
  v.version()->GetOverlappingInputs(1, &begin, &end, &files);
  EXPECT_EQ(Numbers(files), (std::vector<uint64_t>{1, 2}));
  v.version()->GetOverlappingInputs(1, nullptr, &end, &files);
  EXPECT_EQ(Numbers(files), (std::vector<uint64_t>{1, 2}));
  v.version()->GetOverlappingInputs(1, &end, nullptr, &files);
  EXPECT_EQ(Numbers(files), (std::vector<uint64_t>{2, 3, 4}));
  const Slice gap("g"), gap_end("l");
  EXPECT_FALSE(v.version()->OverlapInLevel(1, &gap, &gap_end));
  EXPECT_TRUE(v.version()->OverlapInLevel(0, &gap, &gap_end));
  EXPECT_FALSE(v.version()->RangeMightExistBelow(1, begin, end));
  EXPECT_TRUE(v.version()->RangeMightExistBelow(0, begin, end));
}

TEST(Version, StaticTargetsMultiply) {
  VersionFixture v;
  v.options().max_bytes_for_level_base = 1000;
  v.options().max_bytes_for_level_multiplier = 10;
  v.options().max_bytes_for_level_multiplier_additional = {1, 2, 1, 1, 1, 1, 1};
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->base_level(), 1);
  EXPECT_EQ(v.version()->MaxBytesForLevel(1), 1000u);
  EXPECT_EQ(v.version()->MaxBytesForLevel(2), 20000u);
  EXPECT_EQ(v.version()->MaxBytesForLevel(3), 200000u);
}

TEST(Version, StaticTargetsSaturate) {
  VersionFixture v;
  v.options().max_bytes_for_level_base = 10ull << 30;
  v.options().max_bytes_for_level_multiplier = 100000;
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->MaxBytesForLevel(3), UINT64_MAX);
  EXPECT_EQ(v.version()->MaxBytesForLevel(6), UINT64_MAX);
}

// The figures of these cases come from the rule: the last level is as large as its data, each above
// a tenth, the base level's target between base / 10 and base.
TEST(Version, DynamicTargetsFollowTheLastLevel) {
  VersionFixture v;
  v.options().level_compaction_dynamic_level_bytes = true;
  v.options().max_bytes_for_level_base = 100;
  v.options().max_bytes_for_level_multiplier = 10;
  v.options().num_levels = 5;
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->base_level(), 4);  // empty: straight to the last

  v.Add(4, 1, "a", "b", 60);
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->base_level(), 4);

  v.Add(4, 2, "c", "d", 240);  // 300: the base moves up, target 30
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->base_level(), 3);
  EXPECT_EQ(v.version()->MaxBytesForLevel(4), 300u);
  EXPECT_EQ(v.version()->MaxBytesForLevel(3), 100u);

  v.Add(4, 3, "e", "f", 3000000);
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->base_level(), 1);
  EXPECT_EQ(v.version()->MaxBytesForLevel(1), 100u);
}

TEST(Version, DynamicTargetsYieldToALargeLevelZero) {
  VersionFixture v;
  v.options().level_compaction_dynamic_level_bytes = true;
  v.options().max_bytes_for_level_base = 100;
  v.options().max_bytes_for_level_multiplier = 10;
  v.options().num_levels = 4;
  v.Add(3, 1, "a", "b", 100000).Add(0, 20, "a", "b", 1000);
  ASSERT_TRUE(v.Build().ok());
  // 100000 -> 10000 -> 1000 <= max(base, level 0): level 1 it is, and level 0 is no larger than it.
  EXPECT_EQ(v.version()->base_level(), 1);
  EXPECT_DOUBLE_EQ(v.version()->level_multiplier(), 10.0);
  v.Add(0, 21, "a", "b", 9000);
  ASSERT_TRUE(v.Build().ok());
  // Level 0 has 10000: base level 2 fits now, with a target as large as level 0.
  EXPECT_EQ(v.version()->MaxBytesForLevel(v.version()->base_level()), 10000u);
}

TEST(Version, ScoresCountFilesAndBytes) {
  VersionFixture v;
  v.options().level0_file_num_compaction_trigger = 4;
  v.options().max_bytes_for_level_base = 10000;
  v.Add(0, 10, "a", "b").Add(0, 11, "a", "b");
  v.Add(1, 1, "a", "b", 15000).Add(1, 2, "c", "d", 15000);
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->CompactionScoreLevel(0), 1);
  EXPECT_DOUBLE_EQ(v.version()->CompactionScore(0), 3.0);
  EXPECT_EQ(v.version()->CompactionScoreLevel(1), 0);
  EXPECT_DOUBLE_EQ(v.version()->CompactionScore(1), 0.5);
  EXPECT_TRUE(v.version()->NeedsCompaction());
  EXPECT_GT(v.version()->estimated_compaction_needed_bytes(), 0u);

  v.file(1)->being_compacted = v.file(2)->being_compacted = true;
  v.version()->ComputeCompactionScore(v.options());
  EXPECT_FALSE(v.version()->NeedsCompaction());
}

TEST(Version, TombstonesMakeAFileLarger) {
  VersionFixture v;
  FileMetaData live = MakeFile(1, "a", "b", 1000), dead = MakeFile(2, "c", "d", 1000);
  live.num_entries = 100;
  live.raw_key_size = 100;
  live.raw_value_size = 900;
  dead.num_entries = 100;
  dead.num_deletions = 90;
  dead.raw_key_size = 100;
  dead.raw_value_size = 90;
  v.Add(1, live).Add(1, dead);
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.file(1)->compensated_file_size, 1000u);
  EXPECT_GT(v.file(2)->compensated_file_size, 1000u);
  EXPECT_EQ(v.version()->GetEstimatedActiveKeys(), 200u - 2 * 90u);
}

TEST(Version, LiveDataCountsWhatIsNotOverlappedFromBelow) {
  VersionFixture v;
  v.Add(1, 5, "a", "c", 10).Add(1, 6, "x", "z", 20);
  v.Add(2, 1, "a", "d", 100).Add(2, 2, "e", "f", 200);
  ASSERT_TRUE(v.Build().ok());
  EXPECT_EQ(v.version()->EstimateLiveDataSize(), 320u);
}

}  // namespace
}  // namespace cairn
