// Remote compaction: a CompactionService and DB::OpenAndCompact. The workers run in this process;
// neither library knows the difference. RocksDB has this form of it since release 9.
#include "conformance.h"

#if defined(CAIRN_MAJOR) || ROCKSDB_MAJOR >= 9

#include <atomic>
#include <mutex>

#include "rocksdb/listener.h"
#include "rocksdb/merge_operator.h"

namespace conformance {
namespace {

using RemoteMutex = std::mutex;  // style: RocksDB runs here, too
using RemoteStatus = CompactionServiceJobStatus;

class RemoteJoin final : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice&, const Slice* existing, const Slice& value, std::string* result,
             Logger*) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "+" + value.ToString();
    return true;
  }
  const char* Name() const override { return "RemoteJoin"; }
};

class Service final : public CompactionService {
 public:
  Service(std::string db, std::string root) : db_(std::move(db)), root_(std::move(root)) {}

  const char* Name() const override { return "Service"; }
  CompactionServiceScheduleResponse Schedule(const CompactionServiceJobInfo& info,
                                             const std::string& input) override {
    const std::lock_guard<RemoteMutex> lock(mutex_);
    const std::string id = std::to_string(inputs.size());
    infos.push_back(info);
    inputs.push_back(input);
    return CompactionServiceScheduleResponse(id, scheduled);
  }
  RemoteStatus Wait(const std::string& id, std::string* result) override {
    if (waited != RemoteStatus::kSuccess) return waited;
    std::string input;
    {
      const std::lock_guard<RemoteMutex> lock(mutex_);
      input = inputs[std::stoul(id)];
    }
    const Status s = Work(input, Directory(id), result);
    if (alter != nullptr) alter(Directory(id), result);
    return s.ok() ? RemoteStatus::kSuccess : RemoteStatus::kFailure;
  }
  void OnInstallation(const std::string&, RemoteStatus status) override {
    const std::lock_guard<RemoteMutex> lock(mutex_);
    installed.push_back(status);
  }
  void CancelAwaitingJobs() override { canceled = true; }

  std::string Directory(const std::string& id) const { return root_ + "/remote" + id; }
  Status Work(const std::string& input, const std::string& directory, std::string* result) const {
    return DB::OpenAndCompact(how, db_, directory, input, result, overrides);
  }

  OpenAndCompactOptions how;
  CompactionServiceOptionsOverride overrides;
  RemoteStatus scheduled = RemoteStatus::kSuccess;
  RemoteStatus waited = RemoteStatus::kSuccess;
  std::function<void(const std::string& directory, std::string* result)> alter;
  std::atomic<bool> canceled{false};
  std::vector<CompactionServiceJobInfo> infos;
  std::vector<std::string> inputs;
  std::vector<RemoteStatus> installed;

 private:
  const std::string db_, root_;
  RemoteMutex mutex_;
};

class RemoteListener final : public EventListener {
 public:
  void OnCompactionCompleted(DB*, const CompactionJobInfo& info) override {
    was_remote = info.stats.is_remote_compaction;
  }
  std::atomic<bool> was_remote{false};
};

class RemoteCompactionTest : public DBTest {
 protected:
  RemoteCompactionTest() {
    service_ = std::make_shared<Service>(dir_, root_);
    options_.compaction_service = service_;
    options_.disable_auto_compactions = true;
    options_.listeners = {listener_};
    options_.merge_operator = std::make_shared<RemoteJoin>();
    service_->overrides.merge_operator = options_.merge_operator;
    service_->overrides.table_factory = options_.table_factory;
  }
  // Four tables that overlap.
  void Fill() {
    for (int round = 0; round < 4; ++round) {
      for (int i = round; i < 40; ++i) ASSERT_OK(Put(Key(i), std::to_string(round)));
      ASSERT_OK(Delete(Key(10 + round)));
      ASSERT_OK(db_->Merge(WriteOptions(), Key(5), "m" + std::to_string(round)));
      if (round == 2) {
        ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(20), Key(30)));
      }
      ASSERT_OK(Flush());
    }
  }
  void OpenAndFill() {
    Open();
    Fill();
  }
  // The database has what it had, and a compaction that is not disturbed works.
  void ExpectUnharmed(const std::string& contents) {
    EXPECT_EQ(contents, Contents());
    service_->scheduled = service_->waited = RemoteStatus::kSuccess;
    service_->alter = nullptr;
    ASSERT_OK(Compact());
    EXPECT_EQ(contents, Contents());
    EXPECT_TRUE(listener_->was_remote);
    ASSERT_FALSE(service_->installed.empty());
    EXPECT_EQ(RemoteStatus::kSuccess, service_->installed.back());
  }

  std::shared_ptr<Service> service_;
  const std::shared_ptr<RemoteListener> listener_ = std::make_shared<RemoteListener>();
};

TEST_F(RemoteCompactionTest, AWorkerMergesWhatThePrimaryPicked) {
  for (const CompactionStyle style : {kCompactionStyleLevel, kCompactionStyleUniversal}) {
    SCOPED_TRACE(testing::Message() << style);
    options_.compaction_style = style;
    OpenAndFill();
    const std::string contents = Contents();
    const Snapshot* const snapshot = db_->GetSnapshot();
    ASSERT_OK(Delete(Key(3)));
    ASSERT_OK(Put(Key(10), "new"));
    ASSERT_OK(db_->Merge(WriteOptions(), Key(5), "more"));
    ASSERT_OK(Flush());
    const std::string now = Contents();
    ASSERT_OK(Compact());
    EXPECT_TRUE(listener_->was_remote);
    EXPECT_EQ(now, Contents());
    ReadOptions old;
    old.snapshot = snapshot;
    EXPECT_EQ(contents, Contents(old));
    db_->ReleaseSnapshot(snapshot);

    ASSERT_FALSE(service_->infos.empty());
    const CompactionServiceJobInfo& info = service_->infos.back();
    EXPECT_EQ(dir_, info.db_name);
    std::string id;
    ASSERT_OK(db_->GetDbIdentity(id));
    EXPECT_EQ(id, info.db_id);
    ASSERT_OK(db_->GetDbSessionId(id));
    EXPECT_EQ(id, info.db_session_id);
    EXPECT_EQ(0u, info.cf_id);
    EXPECT_EQ("default", info.cf_name);
    EXPECT_TRUE(info.is_manual_compaction);
    EXPECT_TRUE(info.is_full_compaction);
    EXPECT_TRUE(info.bottommost_level);
    EXPECT_EQ(0, info.base_input_level);
    EXPECT_GT(info.output_level, 0);
    EXPECT_EQ(CompactionReason::kManualCompaction, info.compaction_reason);
    const std::string directory = service_->Directory(std::to_string(service_->infos.size() - 1));
    EXPECT_TRUE(FilesEndingIn(".sst", directory).empty()) << "they are the database's now";
    Open();
    EXPECT_EQ(now, Contents());
    ASSERT_OK(db_->VerifyChecksum());
    Shut();
    ASSERT_OK(DestroyDB(dir_, options_));
  }
  EXPECT_TRUE(service_->canceled) << "as a database is closed";
}

TEST_F(RemoteCompactionTest, PartsOfACompactionAreJobs) {
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 64 << 10;
  Open();
  Numbers numbers(301);
  std::map<std::string, std::string> expected;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 1000; ++i) {
      const std::string key = Key(static_cast<int>(numbers.Below(4000)));
      expected[key] = numbers.Bytes(300);
      ASSERT_OK(Put(key, expected[key]));
    }
    ASSERT_OK(Flush());
  }
  ASSERT_OK(Compact());
  EXPECT_GT(service_->infos.size(), 1u);
  std::set<uint64_t> ids;
  for (const CompactionServiceJobInfo& info : service_->infos) ids.insert(info.job_id);
  EXPECT_EQ(service_->infos.size(), ids.size());
  for (const auto& [key, value] : expected) ASSERT_EQ(value, Get(key)) << key;
}

TEST_F(RemoteCompactionTest, AServiceMayDecline) {
  OpenAndFill();
  const std::string contents = Contents();
  service_->scheduled = RemoteStatus::kUseLocal;
  ASSERT_OK(Compact());
  EXPECT_FALSE(listener_->was_remote);
  EXPECT_EQ(contents, Contents());
  Fill();
  const std::string again = Contents();
  service_->scheduled = RemoteStatus::kSuccess;
  service_->waited = RemoteStatus::kUseLocal;
  ASSERT_OK(Compact());
  EXPECT_FALSE(listener_->was_remote);
  Fill();
  ExpectUnharmed(again);
}

#ifdef CAIRN_MAJOR
// (A database of RocksDB that met such an error takes no more compactions.)
TEST_F(RemoteCompactionTest, AServiceThatFailsIsTriedAgain) {
  OpenAndFill();
  const std::string contents = Contents();
  service_->scheduled = RemoteStatus::kFailure;
  EXPECT_CODE(Incomplete, Compact());
  service_->scheduled = RemoteStatus::kAborted;
  EXPECT_CODE(Aborted, Compact());
  service_->scheduled = RemoteStatus::kSuccess;
  service_->waited = RemoteStatus::kFailure;
  EXPECT_CODE(Incomplete, Compact());
  service_->waited = RemoteStatus::kAborted;
  EXPECT_CODE(Aborted, Compact());
  EXPECT_TRUE(service_->installed.empty());
  ExpectUnharmed(contents);
}

TEST_F(RemoteCompactionTest, TablesThatAreNotThereAreAFailure) {
  OpenAndFill();
  const std::string contents = Contents();
  service_->alter = [this](const std::string& directory, std::string*) {
    const std::string in = directory + "/";
    for (const std::string& name : FilesEndingIn(".sst", directory)) {
      EXPECT_OK(TheEnv()->DeleteFile(in + name));
    }
  };
  EXPECT_FALSE(Compact().ok());
  EXPECT_EQ(RemoteStatus::kFailure, service_->installed.back());
  ExpectUnharmed(contents);
}

TEST_F(RemoteCompactionTest, AnOutputDirectoryMustBeEmpty) {
  OpenAndFill();
  const std::string contents = Contents();
  const std::string directory = service_->Directory("0");
  ASSERT_OK(TheEnv()->CreateDirIfMissing(directory));
  ASSERT_OK(WriteStringToFile(TheEnv(), "x", directory + "/000007.sst"));
  EXPECT_CODE(InvalidArgument, Compact());
  ExpectUnharmed(contents);
}

TEST_F(RemoteCompactionTest, ResumptionIsRefused) {
  OpenAndFill();
  const std::string contents = Contents();
  service_->how.allow_resumption = true;
  EXPECT_CODE(NotSupported, Compact());
  service_->how.allow_resumption = false;
  ExpectUnharmed(contents);
}
#endif

TEST_F(RemoteCompactionTest, AResultThatCannotBeReadLeavesItToTheDatabase) {
  OpenAndFill();
  const std::string contents = Contents();
  service_->alter = [](const std::string&, std::string* result) { *result = "no result"; };
  ASSERT_OK(Compact());
  EXPECT_FALSE(listener_->was_remote);
  EXPECT_EQ(std::vector<RemoteStatus>{RemoteStatus::kUseLocal}, service_->installed);
  Fill();
  ExpectUnharmed(contents);
}

TEST_F(RemoteCompactionTest, AWorkerRefusesWhatItCannotRead) {
  OpenAndFill();
  service_->scheduled = RemoteStatus::kUseLocal;
  ASSERT_OK(Compact());
  ASSERT_EQ(1u, service_->inputs.size());
  const std::string input = service_->inputs[0];
  std::string result;
  const std::string directory = root_ + "/work";
  EXPECT_FALSE(service_->Work("", directory, &result).ok());
  EXPECT_FALSE(service_->Work("no input", directory, &result).ok());
  EXPECT_FALSE(service_->Work(input.substr(0, input.size() / 2), directory, &result).ok());
  // Its files were compacted meanwhile.
  EXPECT_CODE(InvalidArgument, service_->Work(input, directory, &result));
  EXPECT_TRUE(FilesEndingIn(".sst", directory).empty());
}

TEST_F(RemoteCompactionTest, AWorkerCanBeCancelled) {
  OpenAndFill();
  std::atomic<bool> canceled{true};
  service_->how.canceled = &canceled;
  service_->scheduled = RemoteStatus::kUseLocal;
  ASSERT_OK(Compact());
  std::string result;
  EXPECT_CODE(ManualCompactionPaused,
              service_->Work(service_->inputs[0], root_ + "/work", &result));
}

}  // namespace
}  // namespace conformance

#endif
