// Remote compaction: compactions of all styles run by workers, in the same process here, and all
// that a service, a worker or what lies between them may do wrong: the database then is as it was,
// and goes on.
#include <atomic>
#include <set>

#include "base/coding.h"
#include "base/crc32c.h"
#include "compaction/remote_messages.h"
#include "db/testing/db_fixture.h"
#include "db/testing/remote_service.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::RemoteService;
using testing::Value;
using JobStatus = CompactionServiceJobStatus;

class Appender final : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result = (existing == nullptr ? "" : existing->ToString() + "+") + value.ToString();
    return true;
  }
  const char* Name() const override { return "Appender"; }
};

class DropOddKeys final : public CompactionFilter {
 public:
  bool Filter(int /*level*/, const Slice& key, const Slice& /*value*/, std::string* /*new_value*/,
              bool* /*changed*/) const override {
    return (key[key.size() - 1] - '0') % 2 == 1;
  }
  const char* Name() const override { return "DropOddKeys"; }
};

// Keeps what the last compaction told.
class LastCompaction final : public EventListener {
 public:
  void OnCompactionCompleted(DB* /*db*/, const CompactionJobInfo& info) override {
    fiber::MutexLock lock(&mutex_);
    info_ = info;
  }
  CompactionJobInfo info() {
    fiber::MutexLock lock(&mutex_);
    return info_;
  }

 private:
  fiber::Mutex mutex_;
  CompactionJobInfo info_ FIBER_GUARDED_BY(mutex_);
};

// A worker's: cancels it once it has begun.
class CancelAtStart final : public EventListener {
 public:
  explicit CancelAtStart(std::atomic<bool>* canceled) : canceled_(canceled) {}
  void OnSubcompactionBegin(const SubcompactionJobInfo& /*info*/) override {
    canceled_->store(true);
  }

 private:
  std::atomic<bool>* const canceled_;
};

class DbRemoteCompactionTest : public testing::DbTest {
 protected:
  void SetUp() override {
    options_ = SmallOptions();
    options_.disable_auto_compactions = true;
    options_.compaction_service = service_;
    options_.listeners = {told_};
    options_.merge_operator = std::make_shared<Appender>();
    service_->overrides.env = disk_.env.get();
    service_->overrides.merge_operator = options_.merge_operator;
  }
  void OpenDb() { Open(options_); }

  // Tables that overlap: overwrites, deletions and merges between them.
  void FillOverlapping(int rounds = 4, uint64_t keys = 300) {
    for (int round = 0; round < rounds; ++round) {
      const auto version = static_cast<uint64_t>(round);
      PutRange(version * 20, keys, version + 1);
      for (uint64_t i = version; i < keys; i += 9) Delete(Key(i));
      for (uint64_t i = version; i < keys; i += 13) Append(Key(i), std::to_string(round));
      Flush();
    }
  }
  void Append(const std::string& key, const std::string& operand) {
    ASSERT_TRUE(db_->Merge(WriteOptions(), key, operand).ok());
    std::string& value = model_[key];
    value += (value.empty() ? "" : "+") + operand;
  }
  void DeleteRange(uint64_t from, uint64_t to) {
    ASSERT_TRUE(
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(from), Key(to)).ok());
    model_.erase(model_.lower_bound(Key(from)), model_.lower_bound(Key(to)));
  }
  Status TryCompact() { return db_->CompactRange(CompactRangeOptions(), nullptr, nullptr); }

  std::set<std::string> TablesIn(const std::string& directory) const {
    std::vector<std::string> names;
    disk_.memory->GetChildren(directory, IOOptions(), &names, nullptr).PermitUncheckedError();
    std::set<std::string> tables;
    for (const std::string& name : names) {
      if (name.ends_with(".sst")) tables.insert(name);
    }
    return tables;
  }
  // Nothing but what the database knows lies in its directory.
  void ExpectNoStrayTables() {
    // (What is not needed any more is gone when this returns.)
    ASSERT_TRUE(db_->DisableFileDeletions().ok());
    ASSERT_TRUE(db_->EnableFileDeletions(/*force=*/true).ok());
    std::vector<LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    std::set<std::string> known;
    for (const LiveFileMetaData& file : live) known.insert(file.relative_filename);
    EXPECT_EQ(known, TablesIn(kDbName));
  }
  // The compaction that failed has left all as it was, and the next one works.
  void ExpectUnharmed() {
    ExpectNoStrayTables();
    ExpectModel();
    service_->schedules = nullptr;
    service_->waits = nullptr;
    service_->alters = nullptr;
    Put("one more", "value");
    Flush();
    const Status s = TryCompact();
    ASSERT_TRUE(s.ok()) << s.ToString();
    ExpectModel();
    ExpectNoStrayTables();
    ASSERT_FALSE(service_->installations().empty());
    EXPECT_EQ(JobStatus::kSuccess, service_->installations().back());
  }
  // The input of a job, whose compaction then runs here.
  std::string TakeInput() {
    service_->schedules = [](const CompactionServiceJobInfo& /*info*/) {
      return JobStatus::kUseLocal;
    };
    EXPECT_TRUE(TryCompact().ok());
    const std::vector<RemoteService::Job> jobs = service_->jobs();
    EXPECT_FALSE(jobs.empty());
    return jobs.empty() ? "" : jobs[0].input;
  }

  const std::shared_ptr<RemoteService> service_ = std::make_shared<RemoteService>();
  const std::shared_ptr<LastCompaction> told_ = std::make_shared<LastCompaction>();
  Options options_;
};

// --- What works

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
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 16 << 10;
  OpenDb();
  FillOverlapping(6, 1500);
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
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 16 << 10;
  OpenDb();
  FillOverlapping(6, 1500);
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

// --- What goes wrong

TEST_F(DbRemoteCompactionTest, AFailureOfTheServiceIsToldAndPasses) {
  OpenDb();
  FillOverlapping();
  service_->schedules = [](const CompactionServiceJobInfo& /*info*/) {
    return JobStatus::kFailure;
  };
  EXPECT_TRUE(TryCompact().IsIncomplete());
  service_->schedules = [](const CompactionServiceJobInfo& /*info*/) {
    return JobStatus::kAborted;
  };
  EXPECT_TRUE(TryCompact().IsAborted());
  service_->schedules = nullptr;
  // A worker that died.
  service_->waits = [](RemoteService::Job* /*job*/, std::string* /*result*/) {
    return JobStatus::kFailure;
  };
  EXPECT_TRUE(TryCompact().IsIncomplete());
  service_->waits = [](RemoteService::Job* /*job*/, std::string* /*result*/) {
    return JobStatus::kAborted;
  };
  EXPECT_TRUE(TryCompact().IsAborted());
  // One that failed, and says why.
  service_->waits = [](RemoteService::Job* /*job*/, std::string* result) {
    RemoteResult failed;
    failed.status = Status::Corruption("a block", "is damaged");
    *result = failed.Encode();
    return JobStatus::kFailure;
  };
  const Status s = TryCompact();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("a block: is damaged"), std::string::npos) << s.ToString();
  EXPECT_TRUE(service_->installations().empty());
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, OfSeveralPartsTheOneThatFailedIsHeard) {
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 16 << 10;
  OpenDb();
  FillOverlapping(6, 1500);
  // The others are told to stop, and say so with the same code.
  std::atomic<int> asked{0};
  service_->schedules = [&](const CompactionServiceJobInfo& /*info*/) {
    return asked.fetch_add(1) == 0 ? JobStatus::kAborted : JobStatus::kUseLocal;
  };
  const Status s = TryCompact();
  EXPECT_TRUE(s.IsAborted()) << s.ToString();
  EXPECT_NE(s.ToString().find("Scheduling"), std::string::npos) << s.ToString();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, ANarrowStyleMayHaveSeveralDirectories) {
  options_.compaction_style = kCompactionStyleFIFO;
  options_.compaction_options_fifo.allow_compaction = true;
  options_.max_open_files = -1;
  options_.ttl = 0;
  options_.db_paths = {{kDbName, 1 << 30}, {"/second", 1 << 30}};
  OpenDb();
  FillOverlapping();
  ASSERT_TRUE(TryCompact().ok());
  ASSERT_FALSE(service_->installations().empty());
  EXPECT_EQ(JobStatus::kSuccess, service_->installations().back());
  ExpectModel();
}

TEST_F(DbRemoteCompactionTest, CompactionsOfTheTreesOwnGoOnAfterFailures) {
  options_.disable_auto_compactions = false;
  Simulate([&] {
    Open(options_);
    std::atomic<int> left{3};
    service_->schedules = [&](const CompactionServiceJobInfo& /*info*/) {
      return left.fetch_sub(1) > 0 ? JobStatus::kFailure : JobStatus::kSuccess;
    };
    FillOverlapping();
    const Status s = db_->WaitForCompact(WaitForCompactOptions());
    EXPECT_TRUE(s.ok()) << s.ToString();
    EXPECT_LE(left.load(), 0);
    EXPECT_FALSE(service_->installations().empty());
    ExpectModel();
  });
}

TEST_F(DbRemoteCompactionTest, ADamagedInputIsRefused) {
  OpenDb();
  FillOverlapping(2, 50);
  service_->schedules = [](const CompactionServiceJobInfo& /*info*/) {
    return JobStatus::kFailure;
  };
  EXPECT_TRUE(TryCompact().IsIncomplete());
  const std::string input = service_->jobs().at(0).input;
  std::string result;
  for (size_t size = 0; size < input.size(); ++size) {
    ASSERT_TRUE(service_->Work(input.substr(0, size), "/work", &result).IsCorruption()) << size;
  }
  for (size_t i = 0; i < input.size(); ++i) {
    std::string flipped = input;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    ASSERT_TRUE(service_->Work(flipped, "/work", &result).IsCorruption()) << i;
    RemoteResult told;
    ASSERT_TRUE(told.Decode(result).ok());
    ASSERT_TRUE(told.status.IsCorruption());
  }
  EXPECT_TRUE(service_->Work(input + "x", "/work", &result).IsCorruption());
  // Of another version, and whole.
  std::string newer = input.substr(0, input.size() - 8);
  PutFixed32(&newer, 2);
  PutFixed32(&newer, crc32c::Mask(crc32c::Value(newer.data(), newer.size())));
  const Status s = service_->Work(newer, "/work", &result);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_TRUE(disk_.memory->FileExists("/work", IOOptions(), nullptr).IsNotFound())
      << "nothing was begun";
  EXPECT_TRUE(service_->Work(input, "/work", &result).ok());
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AnInputOfOtherFilesIsRefused) {
  OpenDb();
  FillOverlapping();
  const std::string input = TakeInput();
  std::string result;
  // They are gone by now.
  Status s = service_->Work(input, "/work", &result);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  // And this is of another database.
  Close();
  ASSERT_TRUE(DestroyDB(kDbName, options_).ok());
  model_.clear();
  OpenDb();
  FillOverlapping();
  s = service_->Work(input, "/work2", &result);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(TablesIn("/work").empty());
  EXPECT_TRUE(TablesIn("/work2").empty());
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AWorkerThatSeesAnOlderManifestTakesNothing) {
  OpenDb();
  FillOverlapping();
  service_->waits = [](RemoteService::Job* job, std::string* /*result*/) {
    RemoteJob later;
    EXPECT_TRUE(later.Decode(job->input).ok());
    EXPECT_GT(later.manifest_bytes, 0u);
    ++later.manifest_bytes;
    job->input = later.Encode();
    return JobStatus::kSuccess;
  };
  Status s = TryCompact();
  EXPECT_TRUE(s.IsTryAgain()) << s.ToString();
  service_->waits = [](RemoteService::Job* job, std::string* /*result*/) {
    RemoteJob later;
    EXPECT_TRUE(later.Decode(job->input).ok());
    ++later.manifest_number;
    job->input = later.Encode();
    return JobStatus::kSuccess;
  };
  s = TryCompact();
  EXPECT_TRUE(s.IsTryAgain()) << s.ToString();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AWorkerWithOtherObjectsIsRefusedOrDoesNoHarm) {
  OpenDb();
  FillOverlapping();
  service_->overrides.comparator = ReverseBytewiseComparator();
  const Status s = TryCompact();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  service_->overrides.comparator = nullptr;
  EXPECT_TRUE(TryCompact().IsInvalidArgument());
  service_->overrides.comparator = BytewiseComparator();
  // It cannot merge: the operands stay, or it says so.
  service_->overrides.merge_operator = nullptr;
  TryCompact().PermitUncheckedError();
  ExpectModel();
  service_->overrides.merge_operator = options_.merge_operator;
  FillOverlapping();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, TablesGoToTheDirectoryThatWasPicked) {
  options_.db_paths = {{kDbName, 1 << 30}, {"/second", 1 << 30}};
  OpenDb();
  FillOverlapping();
  CompactRangeOptions to_second;
  to_second.target_path_id = 1;
  to_second.change_level = true;
  ASSERT_TRUE(db_->CompactRange(to_second, nullptr, nullptr).ok());
  ASSERT_EQ(JobStatus::kSuccess, service_->installations().back());
  EXPECT_TRUE(TablesIn(kDbName).empty());
  EXPECT_FALSE(TablesIn("/second").empty());
  ExpectModel();
  // And from there.
  PutRange(0, 100, 7);
  Flush();
  const Status s = TryCompact();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(std::vector<JobStatus>(2, JobStatus::kSuccess), service_->installations());
  ExpectModel();
  OpenDb();
  ExpectModel();
}

TEST_F(DbRemoteCompactionTest, AWorkerWhoseFilesAreMissingSaysSo) {
  OpenDb();
  FillOverlapping();
  // (They are open here.)
  const std::vector<std::string> tables = disk_.Files(FileType::kTableFile);
  service_->waits = [&](RemoteService::Job* /*job*/, std::string* /*result*/) {
    EXPECT_TRUE(disk_.memory->RenameFile(tables[1], "/elsewhere", IOOptions(), nullptr).ok());
    return JobStatus::kSuccess;
  };
  service_->alters = [&](const RemoteService::Job& job, std::string* /*result*/) {
    EXPECT_FALSE(job.worked.ok());
    EXPECT_TRUE(TablesIn(job.directory).empty());
    EXPECT_TRUE(disk_.memory->RenameFile("/elsewhere", tables[1], IOOptions(), nullptr).ok());
  };
  const Status s = TryCompact();
  EXPECT_FALSE(s.ok());
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AFullDirectoryIsRefused) {
  OpenDb();
  FillOverlapping();
  service_->waits = [this](RemoteService::Job* job, std::string* /*result*/) {
    EXPECT_TRUE(disk_.memory->CreateDirIfMissing(job->directory, IOOptions(), nullptr).ok());
    EXPECT_TRUE(
        WriteStringToFile(disk_.memory.get(), "x", job->directory + "/000012.sst", true).ok());
    return JobStatus::kSuccess;
  };
  const Status s = TryCompact();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(std::set<std::string>{"000012.sst"}, TablesIn(service_->jobs()[0].directory));
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AResultThatCannotBeReadLeavesItToTheDatabase) {
  OpenDb();
  for (const bool cut : {true, false}) {
    FillOverlapping();
    service_->alters = [cut](const RemoteService::Job& /*job*/, std::string* result) {
      if (cut) {
        result->pop_back();
      } else {
        (*result)[result->size() / 2] ^= 1;
      }
    };
    ASSERT_TRUE(TryCompact().ok());
    EXPECT_EQ(JobStatus::kUseLocal, service_->installations().back());
    EXPECT_FALSE(told_->info().stats.is_remote_compaction);
    ExpectModel();
  }
  FillOverlapping();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, TablesThatAreNotAsToldAreNotTaken) {
  OpenDb();
  FillOverlapping(4, 1000);
  // Changes one table of a result, or what is told of it: found before any was moved, or later.
  enum class When { kBefore, kLater };
  struct Change {
    const char* name;
    When found;
    std::function<void(const std::string& path, RemoteResult*)> make;
  };
  const std::vector<Change> changes = {
      {"missing", When::kBefore,
       [this](const std::string& path, RemoteResult* /*told*/) {
         EXPECT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok());
       }},
      {"shorter", When::kBefore,
       [this](const std::string& path, RemoteResult* /*told*/) {
         std::string bytes;
         EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &bytes).ok());
         bytes.pop_back();
         EXPECT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path, true).ok());
       }},
      {"no table", When::kLater,
       [this](const std::string& path, RemoteResult* told) {
         const std::string bytes(told->files.back().file_size, 'x');
         EXPECT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path, true).ok());
       }},
      {"another table", When::kLater,
       [](const std::string& /*path*/, RemoteResult* told) {
         std::swap(told->files[0].unique_id, told->files[1].unique_id);
       }},
      {"another order", When::kBefore,
       [](const std::string& /*path*/, RemoteResult* told) {
         std::swap(told->files[0], told->files[1]);
       }},
      {"another directory", When::kBefore,
       [](const std::string& /*path*/, RemoteResult* told) { told->output_path = "/nowhere"; }},
      {"another level", When::kBefore,
       [](const std::string& /*path*/, RemoteResult* told) { told->output_level = 3; }},
      {"keys of others", When::kBefore,
       [](const std::string& /*path*/, RemoteResult* told) {
         told->files.back().largest = InternalKey("z", 1, kTypeValue);
       }},
      {"a failure", When::kBefore,
       [](const std::string& /*path*/, RemoteResult* told) {
         told->status = Status::IOError("a worker's disk");
       }},
  };
  size_t installations = 0;
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    std::string first;
    service_->alters = [&](const RemoteService::Job& job, std::string* result) {
      RemoteResult told;
      ASSERT_TRUE(told.Decode(*result).ok());
      ASSERT_GT(told.files.size(), 1u);
      first = TableFileName(job.directory, told.files.front().number);
      change.make(TableFileName(job.directory, told.files.back().number), &told);
      *result = told.Encode();
    };
    const Status s = TryCompact();
    EXPECT_FALSE(s.ok());
    EXPECT_EQ(++installations, service_->installations().size());
    EXPECT_EQ(JobStatus::kFailure, service_->installations().back());
    EXPECT_EQ(change.found == When::kBefore,
              disk_.memory->FileExists(first, IOOptions(), nullptr).ok());
    ExpectNoStrayTables();
  }
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, ParanoidChecksReadWhatCameIn) {
  options_.paranoid_file_checks = true;
  OpenDb();
  FillOverlapping();
  service_->alters = [this](const RemoteService::Job& job, std::string* result) {
    RemoteResult told;
    ASSERT_TRUE(told.Decode(*result).ok());
    const std::string path = TableFileName(job.directory, told.files.back().number);
    std::string bytes;
    EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &bytes).ok());
    bytes[bytes.size() / 4] ^= 1;
    EXPECT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path, true).ok());
  };
  const Status s = TryCompact();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AMoveThatFailsHalfwayTakesAllBack) {
  OpenDb();
  FillOverlapping(4, 1000);
  fault::RuleId rule = 0;
  service_->alters = [&](const RemoteService::Job& /*job*/, std::string* /*result*/) {
    rule = disk_.faults->AddRule(
        {.operations = fault::kRename, .files = fault::kTables, .after = 1, .times = 1});
  };
  const Status s = TryCompact();
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_EQ(1u, disk_.faults->Hits(rule));
  EXPECT_EQ(JobStatus::kFailure, service_->installations().back());
  disk_.faults->Heal();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AWorkerCanBeCancelled) {
  OpenDb();
  FillOverlapping(4, 1000);
  std::atomic<bool> canceled{true};
  service_->options.canceled = &canceled;
  Status s = TryCompact();
  EXPECT_TRUE(s.IsManualCompactionPaused()) << s.ToString();
  // And while it works.
  canceled = false;
  service_->overrides.listeners = {std::make_shared<CancelAtStart>(&canceled)};
  s = TryCompact();
  EXPECT_TRUE(s.IsManualCompactionPaused()) << s.ToString();
  EXPECT_TRUE(canceled);
  EXPECT_TRUE(TablesIn(service_->jobs().back().directory).empty());
  service_->overrides.listeners.clear();
  service_->options.canceled = nullptr;
  service_->options.allow_resumption = true;
  s = TryCompact();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(s.ToString().find("allow_resumption"), std::string::npos) << s.ToString();
  service_->options.allow_resumption = false;
  ExpectUnharmed();
}

// --- The end of the primary

TEST_F(DbRemoteCompactionTest, ACloseDoesNotWaitForTheWorkers) {
  options_.disable_auto_compactions = false;
  service_->waits = [this](RemoteService::Job* /*job*/, std::string* /*result*/) {
    return service_->WaitForTheEnd();
  };
  OpenDb();
  FillOverlapping();
  service_->AwaitWaiter();
  Close();
  options_.disable_auto_compactions = true;
  service_->waits = nullptr;
  OpenDb();
  ExpectUnharmed();
}

TEST_F(DbRemoteCompactionTest, AKilledPrimaryLosesNothing) {
  for (const bool installs : {false, true}) {
    SCOPED_TRACE(installs);
    OpenDb();
    FillOverlapping(4, 1000);
    service_->alters = [&](const RemoteService::Job& /*job*/, std::string* /*result*/) {
      if (installs) {
        // It dies when the tables are in its directory, before the MANIFEST says so.
        disk_.faults->AddRule({.operations = fault::kWrites, .files = fault::kManifests});
      } else {
        disk_.Freeze();
      }
    };
    EXPECT_FALSE(TryCompact().ok());
    service_->alters = nullptr;
    Kill();
    OpenDb();
    ExpectModel();
    ExpectNoStrayTables();
  }
  FillOverlapping(2, 100);
  ExpectUnharmed();
}

}  // namespace
}  // namespace cairn
