// Remote compaction: compactions of all styles run by workers, in the same process here. What goes
// wrong: db_remote_failures_test.cc.
#include <atomic>
#include <set>

#include "base/coding.h"
#include "db/testing/remote_fixture.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::JobStatus;
using testing::kDbName;
using testing::Key;
using testing::RemoteService;

class DropOddKeys final : public CompactionFilter {
 public:
  bool Filter(int /*level*/, const Slice& key, const Slice& /*value*/, std::string* /*new_value*/,
              bool* /*changed*/) const override {
    return (key[key.size() - 1] - '0') % 2 == 1;
  }
  const char* Name() const override { return "DropOddKeys"; }
};

class DbRemoteCompactionTest : public testing::RemoteCompactionTest {};

TEST_F(DbRemoteCompactionTest, EveryStyleMergesElsewhereWhatItWouldMergeHere) {
  for (const CompactionStyle style :
       {kCompactionStyleLevel, kCompactionStyleUniversal, kCompactionStyleFIFO}) {
    SCOPED_TRACE(static_cast<int>(style));
    const auto service = std::make_shared<RemoteService>();
    service->overrides = service_->overrides;
    Options options = options_;
    options.compaction_service = service;
    options.compaction_style = style;
    options.max_open_files = -1;
    options.ttl = 0;
    options.periodic_compaction_seconds = 0;
    options.statistics = CreateDBStatistics();
    options.compaction_options_fifo.allow_compaction = true;
    Open(options);
    model_.clear();
    FillOverlapping(2, 100);
    DeleteRange(30, 40);
    const Snapshot* const snapshot = db_->GetSnapshot();
    const Contents at_snapshot = model_;
    Flush();
    DeleteRange(50, 70);
    PutRange(60, 120, 9);
    Flush();
    ASSERT_TRUE(TryCompact().ok());
    ExpectModel();
    ExpectContents(at_snapshot, snapshot);
    ExpectNoStrayTables();
    const std::vector<RemoteService::Job> jobs = service->jobs();
    ASSERT_FALSE(jobs.empty());
    for (const RemoteService::Job& job : jobs) {
      EXPECT_TRUE(job.worked.ok()) << job.worked.ToString();
      EXPECT_TRUE(TablesIn(job.directory).empty());
      EXPECT_EQ(kDbName, job.info.db_name);
      EXPECT_EQ("default", job.info.cf_name);
      EXPECT_EQ(style != kCompactionStyleFIFO, job.info.is_manual_compaction);
    }
    EXPECT_EQ(std::vector<JobStatus>(jobs.size(), JobStatus::kSuccess), service->installations());
    const CompactionJobInfo info = told_->info();
    EXPECT_TRUE(info.status.ok());
    EXPECT_TRUE(info.stats.is_remote_compaction);
    EXPECT_GT(info.stats.num_input_records, 0u);
    EXPECT_GT(info.stats.total_output_bytes, 0u);
    EXPECT_FALSE(info.output_files.empty());
    EXPECT_GT(options.statistics->getTickerCount(REMOTE_COMPACT_READ_BYTES), 0u);
    EXPECT_GT(options.statistics->getTickerCount(REMOTE_COMPACT_WRITE_BYTES), 0u);
    EXPECT_EQ(0u, options.statistics->getTickerCount(COMPACT_WRITE_BYTES));

    db_->ReleaseSnapshot(snapshot);
    Open(options);
    ExpectModel();
    if (style != kCompactionStyleFIFO) {
      CompactRangeOptions all;
      all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
      ASSERT_TRUE(db_->CompactRange(all, nullptr, nullptr).ok());
      ExpectModel();
    }
    ASSERT_TRUE(db_->VerifyChecksum().ok());
    Close();
    ASSERT_TRUE(DestroyDB(kDbName, options).ok());
    for (const RemoteService::Job& job : service->jobs()) {
      ASSERT_TRUE(disk_.memory->DeleteFile(job.directory + "/LOG", IOOptions(), nullptr).ok());
    }
  }
}

TEST_F(DbRemoteCompactionTest, PartsAreJobsOfTheirOwn) {
  OpenForParts();
  ASSERT_TRUE(TryCompact().ok());
  const std::vector<RemoteService::Job> jobs = service_->jobs();
  EXPECT_GT(jobs.size(), 1u);
  std::set<uint64_t> ids;
  for (const RemoteService::Job& job : jobs) ids.insert(job.info.job_id);
  EXPECT_EQ(jobs.size(), ids.size());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  EXPECT_GT(files.size(), jobs.size());
  ExpectModel();
  ExpectNoStrayTables();
}

TEST_F(DbRemoteCompactionTest, SomePartsMayRunHere) {
  OpenForParts();
  std::atomic<int> asked{0};
  service_->schedules = [&](const CompactionServiceJobInfo& /*info*/) {
    return asked.fetch_add(1) % 2 == 0 ? JobStatus::kUseLocal : JobStatus::kSuccess;
  };
  ASSERT_TRUE(TryCompact().ok());
  EXPECT_GT(asked.load(), 1);
  EXPECT_TRUE(told_->info().stats.is_remote_compaction);
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AServiceMayLeaveItToTheDatabaseAtAnyTime) {
  OpenDb();
  FillOverlapping();
  service_->schedules = [](const CompactionServiceJobInfo& /*info*/) {
    return JobStatus::kUseLocal;
  };
  ASSERT_TRUE(TryCompact().ok());
  EXPECT_FALSE(told_->info().stats.is_remote_compaction);
  FillOverlapping();
  service_->schedules = nullptr;
  service_->waits = [](RemoteService::Job* /*job*/, std::string* /*result*/) {
    return JobStatus::kUseLocal;
  };
  ASSERT_TRUE(TryCompact().ok());
  EXPECT_FALSE(told_->info().stats.is_remote_compaction);
  EXPECT_EQ(2u, service_->jobs().size());
  EXPECT_TRUE(service_->installations().empty()) << "nothing was there to install";
  FillOverlapping();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AFamilyIsCompactedWithItsOwnOrderAndFilter) {
  OpenDb();
  ColumnFamilyOptions reverse(options_);
  reverse.comparator = ReverseBytewiseComparator();
  const DropOddKeys filter;
  reverse.compaction_filter = &filter;
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(reverse, "reverse", &handle).ok());
  service_->overrides.comparator = reverse.comparator;
  service_->overrides.compaction_filter = &filter;
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), handle, Key(i), std::to_string(round)).ok());
    }
    ASSERT_TRUE(db_->Flush(FlushOptions(), handle).ok());
  }
  const Status s = db_->CompactRange(CompactRangeOptions(), handle, nullptr, nullptr);
  EXPECT_TRUE(s.ok()) << s.ToString();
  ASSERT_EQ(1u, service_->jobs().size());
  EXPECT_EQ("reverse", service_->jobs()[0].info.cf_name);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), handle));
  uint64_t expected = 100;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    expected -= 2;
    EXPECT_EQ(Key(expected), it->key().ToString());
    EXPECT_EQ("2", it->value().ToString());
  }
  EXPECT_EQ(0u, expected);
  it.reset();
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
}

TEST_F(DbRemoteCompactionTest, HistoryWithTimestampsIsCutWhereThePrimarySays) {
  options_.comparator = BytewiseComparatorWithU64Ts();
  options_.merge_operator = nullptr;
  service_->overrides.merge_operator = nullptr;
  service_->overrides.comparator = options_.comparator;
  OpenDb();
  const auto stamp = [](uint64_t at) {
    std::string bytes;
    PutFixed64(&bytes, at);
    return bytes;
  };
  for (uint64_t at = 1; at <= 4; ++at) {
    for (uint64_t i = 0; i < 50; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), stamp(at), std::to_string(at)).ok());
    }
    Flush();
  }
  ASSERT_TRUE(db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), stamp(3)).ok());
  ASSERT_TRUE(TryCompact().ok());
  ASSERT_FALSE(service_->installations().empty());
  EXPECT_EQ(JobStatus::kSuccess, service_->installations().back());
  uint64_t entries = 0;
  TablePropertiesCollection tables;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
  for (const auto& [path, properties] : tables) entries += properties->num_entries;
  EXPECT_EQ(150u, entries) << "of each key what is new, and what the mark still sees";
}

TEST_F(DbRemoteCompactionTest, WhatAWorkerCannotDoRunsHere) {
  options_.enable_blob_files = true;
  options_.min_blob_size = 50;
  OpenDb();
  FillOverlapping(3, 100);
  ASSERT_TRUE(TryCompact().ok());
  EXPECT_TRUE(service_->jobs().empty());
  ExpectModel();
  // What blob files have stays so, whether or not new ones are made.
  options_.enable_blob_files = false;
  OpenDb();
  FillOverlapping(3, 100);
  ASSERT_TRUE(TryCompact().ok());
  EXPECT_TRUE(service_->jobs().empty());
  ExpectModel();
}

TEST_F(DbRemoteCompactionTest, FilesThatOnlyMoveAreNotSent) {
  OpenDb();
  PutRange(0, 50, 1);
  Flush();
  PutRange(50, 100, 1);
  Flush();
  ASSERT_TRUE(TryCompact().ok());
  EXPECT_TRUE(service_->jobs().empty());
}

TEST_F(DbRemoteCompactionTest, OptionsThatChangeMeanwhileAreNoHarm) {
  OpenDb();
  FillOverlapping();
  service_->waits = [this](RemoteService::Job* /*job*/, std::string* /*result*/) {
    // The file that the job names is gone after this.
    for (const char* size : {"100000", "110000", "120000"}) {
      EXPECT_TRUE(db_->SetOptions({{"target_file_size_base", size}}).ok());
    }
    return JobStatus::kSuccess;
  };
  ASSERT_TRUE(TryCompact().ok());
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AWorkerChangesNothingOfTheDatabase) {
  OpenDb();
  FillOverlapping();
  std::map<std::string, uint64_t> before, after;
  const auto look = [this](std::map<std::string, uint64_t>* sizes) {
    for (const std::string& name : disk_.Names()) {
      (*sizes)[name] = disk_.Size(std::string(kDbName) + "/" + name);
    }
    sizes->erase("LOG");
  };
  service_->waits = [&](RemoteService::Job* job, std::string* result) {
    look(&before);
    EXPECT_TRUE(service_->Work(job->input, job->directory, result).ok());
    look(&after);
    return JobStatus::kUseLocal;
  };
  // (The log of the last flush is removed in the background.)
  ASSERT_TRUE(db_->DisableFileDeletions().ok());
  ASSERT_TRUE(TryCompact().ok());
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(before, after);
  ExpectModel();
}

}  // namespace
}  // namespace cairn
