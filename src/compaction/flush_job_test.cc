#include "compaction/flush_job.h"

#include <gtest/gtest.h>

#include "compaction/testing/job_fixture.h"
#include "fs/file_util.h"

namespace cairn {
namespace {

class FlushJobTest : public ::testing::Test {
 protected:
  ~FlushJobTest() override {
    for (MemTable* table : memtables_) table->Unref();
  }

  void AddMemTable(const std::vector<TestEntry>& entries) {
    memtables_.push_back(fixture_.Fill(entries));
  }
  Status Flush(uint64_t number = 7) {
    FlushJob job(fixture_.env(), fixture_.cf_options(), memtables_, /*epoch_number=*/42, "test");
    const Status s = job.Run(number, &meta_);
    stats_ = job.stats();
    return s;
  }

  JobFixture fixture_;
  std::vector<MemTable*> memtables_;
  FileMetaData meta_;
  JobStats stats_;
};

TEST_F(FlushJobTest, SeveralMemtablesBecomeOneTable) {
  AddMemTable(
      {{"a", 1, kTypeValue, "a1"}, {"b", 2, kTypeValue, "b2"}, {"d", 3, kTypeDeletion, ""}});
  AddMemTable({{"b", 4, kTypeValue, "b4"}, {"c", 5, kTypeValue, "c5"}});
  const Status s = Flush();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ((std::vector<TestEntry>{{"a", 1, kTypeValue, "a1"},
                                    {"b", 4, kTypeValue, "b4"},
                                    {"c", 5, kTypeValue, "c5"},
                                    {"d", 3, kTypeDeletion, ""}}),
            fixture_.ReadTable(meta_));
  EXPECT_EQ(7u, meta_.number);
  EXPECT_EQ(42u, meta_.epoch_number);
  EXPECT_EQ("a", meta_.smallest.user_key().ToString());
  EXPECT_EQ("d", meta_.largest.user_key().ToString());
  EXPECT_EQ(1u, meta_.smallest_seqno);
  EXPECT_EQ(5u, meta_.largest_seqno);
  EXPECT_EQ(4u, meta_.num_entries);
  EXPECT_EQ(1u, meta_.num_deletions);
  EXPECT_GT(meta_.file_creation_time, 1600000000u);
  uint64_t size = 0;
  ASSERT_TRUE(fixture_.fs()->GetFileSize("/db/000007.sst", IOOptions(), &size, nullptr).ok());
  EXPECT_EQ(size, meta_.file_size);
  EXPECT_EQ(size, stats_.bytes_written);
  EXPECT_EQ(5u, stats_.records_in);
  EXPECT_EQ(1u, stats_.records_dropped);
  EXPECT_EQ(0, fixture_.fs()->OpenWritableFiles() - 1) << "only the info log is open";
}

TEST_F(FlushJobTest, VersionsThatSnapshotsSeeStay) {
  AddMemTable({{"a", 1, kTypeValue, "1"}, {"a", 2, kTypeValue, "2"}, {"a", 3, kTypeValue, "3"}});
  fixture_.env().snapshots = {2};
  ASSERT_TRUE(Flush().ok());
  EXPECT_EQ((std::vector<TestEntry>{{"a", 3, kTypeValue, "3"}, {"a", 2, kTypeValue, "2"}}),
            fixture_.ReadTable(meta_));
}

TEST_F(FlushJobTest, TheTableSurvivesAPowerCut) {
  AddMemTable({{"a", 1, kTypeValue, "1"}});
  ASSERT_TRUE(Flush().ok());
  auto* memory = static_cast<MemoryFileSystem*>(fixture_.fs()->target());
  fixture_.tables()->Evict(meta_.number);
  memory->DropUnsynced();
  EXPECT_EQ((std::vector<TestEntry>{{"a", 1, kTypeValue, "1"}}), fixture_.ReadTable(meta_));
}

TEST_F(FlushJobTest, NothingToWriteMakesNoFile) {
  AddMemTable({});
  const Status s = Flush();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(0u, meta_.file_size);
  EXPECT_TRUE(fixture_.TablesOnDisk().empty());
}

TEST_F(FlushJobTest, AnyFailingOperationLeavesNoFileBehind) {
  std::vector<TestEntry> entries;
  for (int i = 0; i < 200; ++i) {
    entries.push_back({"key" + std::to_string(1000 + i), static_cast<SequenceNumber>(i + 1),
                       kTypeValue, std::string(1000, 'v')});
  }
  AddMemTable(entries);
  fixture_.fs()->SetFileFilter([](const std::string& name) { return name != "/LOG"; });
  const uint32_t kOps = fault::kCreate | fault::kAppend | fault::kSync | fault::kClose |
                        fault::kDirSync | fault::kOpen | fault::kRead;
  uint64_t failures = 0;
  for (uint64_t n = 1;; ++n) {
    fixture_.fs()->FailNthOperation(n, kOps, IOStatus::IOError("injected", std::to_string(n)));
    const Status s = Flush(100 + n);
    fixture_.fs()->FailNthOperation(0, kOps, IOStatus::OK());
    if (s.ok()) break;
    ++failures;
    EXPECT_TRUE(s.ToString().starts_with("IO error: injected: " + std::to_string(n)))
        << s.ToString();
    EXPECT_TRUE(fixture_.TablesOnDisk().empty()) << "operation " << n;
    EXPECT_EQ(0u, meta_.file_size);
    ASSERT_LT(n, 1000u);
  }
  EXPECT_GE(failures, 6u);
  EXPECT_EQ(entries, fixture_.ReadTable(meta_));
}

TEST_F(FlushJobTest, AFullDiskIsNoSpace) {
  AddMemTable({{"a", 1, kTypeValue, std::string(10000, 'v')}});
  fixture_.fs()->SetFreeBytes(5000);
  const Status s = Flush();
  EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("/db/000007.sst")) << s.ToString();
  EXPECT_TRUE(fixture_.TablesOnDisk().empty());
}

TEST_F(FlushJobTest, TheLogTellsOfIt) {
  AddMemTable({{"a", 1, kTypeValue, "1"}});
  ASSERT_TRUE(Flush().ok());
  std::string log;
  ASSERT_TRUE(ReadFileToString(fixture_.fs(), "/LOG", &log).ok());
  for (const char* event : {"flush_started", "flush_finished", "table_file_creation"}) {
    EXPECT_NE(std::string::npos, log.find("\"event\": \"" + std::string(event) + "\"")) << log;
  }
  EXPECT_NE(std::string::npos, log.find("EVENT_LOG_v1 {\"time_micros\": ")) << log;
}

}  // namespace
}  // namespace cairn
