#include "compaction/compaction_job.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "compaction/testing/job_fixture.h"
#include "fs/file_util.h"

namespace cairn {
namespace {

class CompactionJobTest : public ::testing::Test {
 protected:
  // Runs and returns the status; on success outputs_ holds the new files in order.
  Status Run(Compaction* compaction) {
    CompactionJob job(fixture_.env(), compaction);
    const Status s = job.Run();
    stats_ = job.stats();
    outputs_.clear();
    for (const auto& f : compaction->edit()->new_files()) outputs_.push_back(f.meta);
    return s;
  }
  std::vector<TestEntry> ReadOutputs() {
    std::vector<TestEntry> all;
    for (const FileMetaData& meta : outputs_) {
      for (TestEntry& e : fixture_.ReadTable(meta)) all.push_back(std::move(e));
    }
    return all;
  }
  std::vector<uint64_t> OutputNumbers() const {
    std::vector<uint64_t> numbers;
    for (const FileMetaData& meta : outputs_) numbers.push_back(meta.number);
    return numbers;
  }

  JobFixture fixture_;
  std::vector<FileMetaData> outputs_;
  JobStats stats_;
};

TEST_F(CompactionJobTest, NewerFilesWinAndTheEditSwapsTheFiles) {
  fixture_.AddFile(1, {{"a", 1, kTypeValue, "a1"}, {"b", 2, kTypeValue, "b2"}});
  fixture_.AddFile(0, {{"b", 3, kTypeValue, "b3"}, {"c", 4, kTypeValue, "c4"}});
  fixture_.AddFile(0, {{"a", 5, kTypeDeletion, ""}, {"c", 6, kTypeValue, "c6"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1);
  const Status s = Run(compaction.get());
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ((std::vector<TestEntry>{{"b", 0, kTypeValue, "b3"}, {"c", 0, kTypeValue, "c6"}}),
            ReadOutputs());
  ASSERT_EQ(1u, outputs_.size());
  EXPECT_EQ(1u, outputs_[0].epoch_number) << "the oldest input's";
  EXPECT_EQ(1, compaction->edit()->new_files()[0].level);
  EXPECT_EQ(3u, compaction->edit()->deleted_files().size());
  EXPECT_EQ(6u, stats_.records_in);
  EXPECT_EQ(4u, stats_.records_dropped);
  EXPECT_EQ(2, stats_.input_files_start_levels);
  EXPECT_EQ(1, stats_.input_files_output_level);
  EXPECT_EQ(outputs_[0].file_size, stats_.bytes_written);
}

TEST_F(CompactionJobTest, OutputsAreCutAtTheTargetSizeAndNeverInsideAKey) {
  const uint64_t seed = 7;
  Random64 rng(seed);
  std::map<std::string, TestEntry> expected;
  SequenceNumber sequence = 0;
  for (int file = 0; file < 4; ++file) {
    std::map<std::string, TestEntry> entries;
    for (int i = 0; i < 400; ++i) {
      const std::string key = "key" + std::to_string(10000 + rng.Uniform(1000));
      entries[key] = {key, ++sequence, kTypeValue, rng.RandomString(100)};
    }
    std::vector<TestEntry> list;
    for (const auto& [key, entry] : entries) {
      list.push_back(entry);
      expected[key] = entry;
      expected[key].sequence = 0;
    }
    fixture_.AddFile(0, list);
  }
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1, /*target_file_size=*/16 << 10);
  const Status s = Run(compaction.get());
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_GE(outputs_.size(), 4u);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    EXPECT_LE(outputs_[i].file_size, 32u << 10);
    if (i > 0) {
      EXPECT_LT(outputs_[i - 1].largest.user_key().compare(outputs_[i].smallest.user_key()), 0);
    }
  }
  std::vector<TestEntry> list;
  for (const auto& [key, entry] : expected) list.push_back(entry);
  EXPECT_EQ(list, ReadOutputs());
}

TEST_F(CompactionJobTest, ManyVersionsOfOneKeyStayInOneFile) {
  std::vector<TestEntry> entries;
  for (SequenceNumber i = 1; i <= 300; ++i) {
    entries.push_back({"k", i, kTypeValue, std::string(100, 'v')});
    fixture_.env().snapshots.push_back(i);
  }
  fixture_.AddFile(0, entries);
  fixture_.AddFile(0, {{"l", 400, kTypeValue, "x"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1, 4 << 10);
  ASSERT_TRUE(Run(compaction.get()).ok());
  ASSERT_EQ(2u, outputs_.size());
  EXPECT_EQ("k", outputs_[0].largest.user_key().ToString());
  EXPECT_EQ(300u, outputs_[0].num_entries);
}

TEST_F(CompactionJobTest, OutputsSurviveAPowerCut) {
  fixture_.AddFile(0, {{"a", 1, kTypeValue, "1"}});
  fixture_.AddFile(0, {{"b", 2, kTypeValue, "2"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1);
  ASSERT_TRUE(Run(compaction.get()).ok());
  for (const FileMetaData& meta : outputs_) fixture_.tables()->Evict(meta.number);
  static_cast<MemoryFileSystem*>(fixture_.fs()->target())->DropUnsynced();
  EXPECT_EQ(2u, ReadOutputs().size());
}

TEST_F(CompactionJobTest, EverythingDeletedMakesNoFile) {
  fixture_.AddFile(1, {{"a", 1, kTypeValue, "1"}});
  fixture_.AddFile(0, {{"a", 2, kTypeDeletion, ""}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1);
  ASSERT_TRUE(Run(compaction.get()).ok());
  EXPECT_TRUE(outputs_.empty());
  EXPECT_EQ(2u, compaction->edit()->deleted_files().size());
  EXPECT_EQ(2u, fixture_.TablesOnDisk().size());
}

TEST_F(CompactionJobTest, AClosingDatabaseStopsIt) {
  std::vector<TestEntry> entries;
  for (int i = 0; i < 5000; ++i) {
    entries.push_back(
        {"key" + std::to_string(10000 + i), static_cast<SequenceNumber>(i + 1), kTypeValue, "v"});
  }
  fixture_.AddFile(0, entries);
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const std::vector<uint64_t> before = fixture_.TablesOnDisk();
  for (const bool closing : {true, false}) {
    (closing ? fixture_.shutting_down() : fixture_.canceled()).store(true);
    const auto compaction = fixture_.CompactAll(0, 1, 8 << 10);
    const Status s = Run(compaction.get());
    EXPECT_TRUE(closing ? s.IsShutdownInProgress() : s.IsIncomplete()) << s.ToString();
    EXPECT_TRUE(outputs_.empty());
    EXPECT_TRUE(compaction->edit()->deleted_files().empty());
    EXPECT_EQ(before, fixture_.TablesOnDisk());
    fixture_.shutting_down().store(false);
    fixture_.canceled().store(false);
  }
}

TEST_F(CompactionJobTest, AnyFailingOperationLeavesTheInputsOnly) {
  for (int file = 0; file < 2; ++file) {
    std::vector<TestEntry> entries;
    for (int i = 0; i < 100; ++i) {
      entries.push_back({"key" + std::to_string(1000 + i),
                         static_cast<SequenceNumber>(file * 1000 + i + 1), kTypeValue,
                         std::string(500, 'v')});
    }
    fixture_.AddFile(0, entries);
  }
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const std::vector<uint64_t> before = fixture_.TablesOnDisk();
  fixture_.fs()->SetFileFilter([](const std::string& name) { return name != "/LOG"; });
  const uint32_t kOps = fault::kCreate | fault::kAppend | fault::kSync | fault::kClose |
                        fault::kDirSync | fault::kOpen | fault::kRead;
  for (uint64_t n = 1;; ++n) {
    ASSERT_LT(n, 2000u);
    fixture_.fs()->FailNthOperation(n, kOps, IOStatus::IOError("injected", std::to_string(n)));
    const auto compaction = fixture_.CompactAll(0, 1, 16 << 10);
    const Status s = Run(compaction.get());
    fixture_.fs()->FailNthOperation(0, kOps, IOStatus::OK());
    if (s.ok()) break;
    ASSERT_TRUE(s.ToString().starts_with("IO error: injected: " + std::to_string(n)))
        << s.ToString();
    ASSERT_EQ(before, fixture_.TablesOnDisk()) << "operation " << n;
    ASSERT_TRUE(compaction->edit()->deleted_files().empty());
  }
  EXPECT_EQ(100u, ReadOutputs().size());
}

TEST_F(CompactionJobTest, AFlippedBitInAnInputIsCorruptionThatNamesTheFile) {
  std::vector<TestEntry> entries;
  for (int i = 0; i < 200; ++i) {
    entries.push_back({"key" + std::to_string(1000 + i), static_cast<SequenceNumber>(i + 1),
                       kTypeValue, std::string(100, 'v')});
  }
  const FileMetaData meta = fixture_.AddFile(0, entries);
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const std::string name = TableFileName("/db", meta.number);
  fixture_.fs()->FlipBits(name, 10000, 0x10);
  const auto compaction = fixture_.CompactAll(0, 1);
  const Status s = Run(compaction.get());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find(name)) << s.ToString();
  EXPECT_EQ(std::vector<uint64_t>{meta.number}, fixture_.TablesOnDisk());
}

TEST_F(CompactionJobTest, TheLogTellsOfIt) {
  fixture_.AddFile(0, {{"a", 1, kTypeValue, "1"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const auto compaction = fixture_.CompactAll(0, 1);
  ASSERT_TRUE(Run(compaction.get()).ok());
  std::string log;
  ASSERT_TRUE(ReadFileToString(fixture_.fs(), "/LOG", &log).ok());
  EXPECT_NE(std::string::npos, log.find("\"event\": \"compaction_started\"")) << log;
  EXPECT_NE(std::string::npos, log.find("\"files_L0\": [1]")) << log;
  EXPECT_NE(std::string::npos, log.find("\"event\": \"compaction_finished\"")) << log;
}

// An entry that is not read would be lost with the inputs.
TEST_F(CompactionJobTest, ItMustReadAsManyEntriesAsItsTablesHave) {
  const FileMetaData lying =
      fixture_.AddFile(1, {{"a", 1, kTypeValue, "a1"}, {"b", 2, kTypeValue, "b2"}});
  fixture_.AddFile(0, {{"b", 3, kTypeValue, "b3"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const FileMetaData* const file = fixture_.versions().version()->files(1).front();
  TableCache::Ref table;
  ASSERT_TRUE(fixture_.tables()->FindTable(file->TableId(1), &table).ok());
  auto* const properties = const_cast<TableProperties*>(table->GetTableProperties().get());
  ++properties->num_entries;
  const std::vector<uint64_t> before = fixture_.TablesOnDisk();
  const auto compaction = fixture_.CompactAll(0, 1);
  const Status s = Run(compaction.get());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_EQ(s.ToString(), "Corruption: compaction read 3 entries of tables that hold 4");
  EXPECT_EQ(before, fixture_.TablesOnDisk()) << "its outputs are gone";
  DBOptions trusting;
  trusting.compaction_verify_record_count = false;
  fixture_.env().db_options = std::make_shared<const DBOptions>(trusting);
  const auto again = fixture_.CompactAll(0, 1);
  EXPECT_TRUE(Run(again.get()).ok());
}

}  // namespace
}  // namespace cairn
