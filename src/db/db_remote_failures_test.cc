// Remote compaction: all that a service, a worker or what lies between them may do wrong. The
// database then is as it was, and goes on.
#include <atomic>
#include <set>

#include "base/coding.h"
#include "base/crc32c.h"
#include "compaction/remote_messages.h"
#include "db/testing/remote_fixture.h"

namespace cairn {
namespace {

using testing::JobStatus;
using testing::kDbName;
using testing::RemoteService;

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

class DbRemoteFailuresTest : public testing::RemoteCompactionTest {};

TEST_F(DbRemoteFailuresTest, AFailureOfTheServiceIsToldAndPasses) {
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

TEST_F(DbRemoteFailuresTest, OfSeveralPartsTheOneThatFailedIsHeard) {
  OpenForParts();
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

TEST_F(DbRemoteFailuresTest, ANarrowStyleMayHaveSeveralDirectories) {
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

TEST_F(DbRemoteFailuresTest, CompactionsOfTheTreesOwnGoOnAfterFailures) {
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

TEST_F(DbRemoteFailuresTest, ADamagedInputIsRefused) {
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

TEST_F(DbRemoteFailuresTest, AnInputOfOtherFilesIsRefused) {
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

TEST_F(DbRemoteFailuresTest, AWorkerThatSeesAnOlderManifestTakesNothing) {
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

TEST_F(DbRemoteFailuresTest, AWorkerWithOtherObjectsIsRefusedOrDoesNoHarm) {
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

TEST_F(DbRemoteFailuresTest, TablesGoToTheDirectoryThatWasPicked) {
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

TEST_F(DbRemoteFailuresTest, AWorkerWhoseFilesAreMissingSaysSo) {
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

TEST_F(DbRemoteFailuresTest, AFullDirectoryIsRefused) {
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

TEST_F(DbRemoteFailuresTest, AResultThatCannotBeReadLeavesItToTheDatabase) {
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

TEST_F(DbRemoteFailuresTest, TablesThatAreNotAsToldAreNotTaken) {
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

TEST_F(DbRemoteFailuresTest, ParanoidChecksReadWhatCameIn) {
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

TEST_F(DbRemoteFailuresTest, AMoveThatFailsHalfwayTakesAllBack) {
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

TEST_F(DbRemoteFailuresTest, AWorkerCanBeCancelled) {
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

TEST_F(DbRemoteFailuresTest, ACloseDoesNotWaitForTheWorkers) {
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

TEST_F(DbRemoteFailuresTest, AKilledPrimaryLosesNothing) {
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
