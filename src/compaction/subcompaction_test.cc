#include "compaction/subcompaction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "compaction/compaction_job.h"
#include "compaction/testing/job_fixture.h"
#include "fiber/random.h"

namespace cairn {
namespace {

class SubcompactionTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kTargetSize = 8 << 10;

  // Files of level 1 and of level 0 with values, tombstones and many versions of a key, and some
  // snapshots.
  void FillRandomly(Random64* random, int files = 5) {
    SequenceNumber sequence = 0;
    for (int file = 0; file < files; ++file) {
      std::vector<TestEntry> entries;
      for (int i = 0; i < 400; ++i) {
        const std::string key = "key" + std::to_string(1000 + random->Uniform(500));
        const bool gone = random->OneIn(5);
        entries.push_back({key, ++sequence, gone ? kTypeDeletion : kTypeValue,
                           gone ? "" : random->RandomString(60)});
        if (random->OneIn(100)) fixture_.env().snapshots.push_back(sequence);
      }
      fixture_.AddFile(file == 0 ? 1 : 0, entries);
    }
    ASSERT_TRUE(fixture_.versions().Build().ok());
  }

  Status Run(Compaction* compaction, std::vector<FileMetaData>* outputs) {
    CompactionJob job(fixture_.env(), compaction);
    const Status s = job.Run();
    outputs->clear();
    for (const auto& f : compaction->edit()->new_files()) outputs->push_back(f.meta);
    return s;
  }

  std::vector<TestEntry> Read(const std::vector<FileMetaData>& files) {
    std::vector<TestEntry> all;
    for (const FileMetaData& meta : files) {
      for (TestEntry& e : fixture_.ReadTable(meta)) all.push_back(std::move(e));
    }
    return all;
  }

  JobFixture fixture_;
};

TEST_F(SubcompactionTest, PartsGiveWhatOneCompactionGives) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  FillRandomly(&random);
  std::vector<TestEntry> expected;
  for (const uint32_t parts : {1, 2, 4, 7}) {
    const auto compaction = fixture_.CompactAll(0, 1, kTargetSize, parts);
    std::vector<std::string> boundaries;
    ASSERT_TRUE(PlanSubcompactions(*compaction, fixture_.tables(), &boundaries).ok());
    EXPECT_EQ(parts - 1, boundaries.size());
    EXPECT_TRUE(std::is_sorted(boundaries.begin(), boundaries.end()));
    std::vector<FileMetaData> outputs;
    const Status s = Run(compaction.get(), &outputs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (size_t i = 1; i < outputs.size(); ++i) {
      ASSERT_LT(outputs[i - 1].largest.user_key().compare(outputs[i].smallest.user_key()), 0)
          << "a user key in two files";
    }
    const std::vector<TestEntry> entries = Read(outputs);
    if (parts == 1) expected = entries;
    ASSERT_EQ(expected, entries) << parts;
    EXPECT_EQ(5u, compaction->edit()->deleted_files().size());
  }
}

TEST_F(SubcompactionTest, PartsAreOfAboutEqualSize) {
  std::vector<TestEntry> entries;
  for (int i = 0; i < 2000; ++i) {
    entries.push_back({"key" + std::to_string(10000 + i), static_cast<SequenceNumber>(i + 1),
                       kTypeValue, std::string(50, 'v')});
  }
  fixture_.AddFile(0, entries);
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1, kTargetSize, 4);
  std::vector<std::string> boundaries;
  ASSERT_TRUE(PlanSubcompactions(*compaction, fixture_.tables(), &boundaries).ok());
  ASSERT_EQ(3u, boundaries.size());
  for (int i = 0; i < 3; ++i) {
    // Separators are shortened.
    const int key = std::stoi((boundaries[static_cast<size_t>(i)].substr(3) + "0000").substr(0, 5));
    EXPECT_NEAR(10000 + (i + 1) * 500, key, 100);
  }
}

TEST_F(SubcompactionTest, WhatMakesOneFileIsNotCut) {
  Random64 random(3);
  FillRandomly(&random);
  std::vector<std::string> boundaries = {"x"};
  const auto small = fixture_.CompactAll(0, 1, /*target_file_size=*/100 << 20, 4);
  ASSERT_TRUE(PlanSubcompactions(*small, fixture_.tables(), &boundaries).ok());
  EXPECT_TRUE(boundaries.empty());
}

TEST_F(SubcompactionTest, AnAutomaticCompactionBetweenDeeperLevelsIsNotCut) {
  Random64 random(4);
  FillRandomly(&random, /*files=*/1);
  const auto compaction = fixture_.CompactAll(1, 2, kTargetSize, 4);
  std::vector<std::string> boundaries = {"x"};
  ASSERT_TRUE(PlanSubcompactions(*compaction, fixture_.tables(), &boundaries).ok());
  EXPECT_TRUE(boundaries.empty());
}

TEST_F(SubcompactionTest, TheVersionsOfOneKeyStayInOneFile) {
  std::vector<TestEntry> entries;
  for (SequenceNumber i = 1; i <= 1000; ++i) {
    entries.push_back({"k", i, kTypeValue, std::string(100, 'v')});
    fixture_.env().snapshots.push_back(i);
  }
  fixture_.AddFile(0, entries);
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1, kTargetSize, 4);
  std::vector<FileMetaData> outputs;
  ASSERT_TRUE(Run(compaction.get(), &outputs).ok());
  ASSERT_EQ(1u, outputs.size());
  EXPECT_EQ(1000u, outputs[0].num_entries);
}

TEST_F(SubcompactionTest, AnyFailingOperationOfAnyPartLeavesTheInputsOnly) {
  Random64 random(5);
  FillRandomly(&random, 3);
  const std::vector<uint64_t> before = fixture_.TablesOnDisk();
  fixture_.fs()->SetFileFilter([](const std::string& name) { return name != "/LOG"; });
  const uint32_t kOps = fault::kCreate | fault::kAppend | fault::kSync | fault::kClose |
                        fault::kDirSync | fault::kOpen | fault::kRead;
  std::vector<FileMetaData> outputs;
  uint64_t n = 1;
  for (;; ++n) {
    ASSERT_LT(n, 2000u);
    fixture_.fs()->FailNthOperation(n, kOps, IOStatus::IOError("injected", std::to_string(n)));
    const auto compaction = fixture_.CompactAll(0, 1, kTargetSize, 3);
    const Status s = Run(compaction.get(), &outputs);
    fixture_.fs()->FailNthOperation(0, kOps, IOStatus::OK());
    if (s.ok()) break;
    ASSERT_TRUE(s.ToString().starts_with("IO error: injected: " + std::to_string(n)))
        << s.ToString();
    ASSERT_EQ(before, fixture_.TablesOnDisk()) << "operation " << n;
    ASSERT_TRUE(compaction->edit()->deleted_files().empty());
    ASSERT_TRUE(outputs.empty());
  }
  EXPECT_GT(n, 10u);
  EXPECT_FALSE(outputs.empty());
}

TEST_F(SubcompactionTest, ACancelStopsAllParts) {
  Random64 random(6);
  FillRandomly(&random);
  const std::vector<uint64_t> before = fixture_.TablesOnDisk();
  for (const bool closing : {true, false}) {
    (closing ? fixture_.shutting_down() : fixture_.canceled()).store(true);
    const auto compaction = fixture_.CompactAll(0, 1, kTargetSize, 4);
    std::vector<FileMetaData> outputs;
    const Status s = Run(compaction.get(), &outputs);
    EXPECT_TRUE(closing ? s.IsShutdownInProgress() : s.IsIncomplete()) << s.ToString();
    EXPECT_TRUE(outputs.empty());
    EXPECT_EQ(before, fixture_.TablesOnDisk());
    fixture_.shutting_down().store(false);
    fixture_.canceled().store(false);
  }
}

}  // namespace
}  // namespace cairn
