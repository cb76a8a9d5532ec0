// track_and_verify_wals_in_manifest: an open misses what was synced, and nothing else.
#include "checkpoints.h"
#include "conformance.h"
#include "rocksdb/utilities/backup_engine.h"

namespace conformance {
namespace {

class TrackedWalsTest : public DBTest {
 protected:
  TrackedWalsTest() {
    options_.track_and_verify_wals_in_manifest = true;
    options_.max_write_buffer_number = 8;
    options_.disable_auto_compactions = true;
  }

  // Closed logs stay, until Shut().
  void OpenAndHold() {
    Open();
    ASSERT_OK(db_->PauseBackgroundWork());
    ASSERT_OK(db_->DisableFileDeletions());  // nothing goes while Kill() copies
  }
  void Release() { ASSERT_OK(db_->ContinueBackgroundWork()); }
  void BeginLog() {
    FlushOptions no_wait;
    no_wait.wait = false;
    no_wait.allow_write_stall = true;
    ASSERT_OK(db_->Flush(no_wait));
  }
  // What a kill would leave now; the database is closed.
  void Kill() {
    CopyFiles(dir_, killed_);
    Release();
    Shut();
  }
  Status OpenKilled(bool read_only = false) {
    Shut();
    return read_only ? DB::OpenForReadOnly(options_, killed_, &db_)
                     : DB::Open(options_, killed_, &db_);
  }
  void ExpectCorruption(const Status& s, const std::string& words) {
    EXPECT_CODE(Corruption, s);
    EXPECT_NE(s.ToString().find(words), std::string::npos) << s.ToString();
  }
  std::vector<std::string> KilledLogs() { return FilesEndingIn(".log", killed_); }
  void RemoveKilled(const std::string& name) {
    ASSERT_OK(TheEnv()->DeleteFile(killed_ + "/" + name));
  }
  void CutKilled(const std::string& name) {
    std::string data;
    ASSERT_OK(ReadFileToString(TheEnv(), killed_ + "/" + name, &data));
    ASSERT_FALSE(data.empty());
    data.pop_back();
    ASSERT_OK(WriteStringToFile(TheEnv(), data, killed_ + "/" + name));
  }
  // "a" and "b" in closed logs that are synced, "c" in the last one.
  void Fill() {
    OpenAndHold();
    ASSERT_OK(Put("a", "1"));
    BeginLog();
    ASSERT_OK(Put("b", "2"));
    BeginLog();
    ASSERT_OK(Put("c", "3"));
    ASSERT_OK(db_->SyncWAL());
  }

  const std::string killed_ = root_ + "/killed";
};

TEST_F(TrackedWalsTest, ALogThatIsGoneIsMissed) {
  Fill();
  Kill();
  const std::vector<std::string> logs = KilledLogs();
  ASSERT_EQ(logs.size(), 3u);
  RemoveKilled(logs[0]);
  const std::string words =
      "Missing WAL with log number: " + std::to_string(std::atoi(logs[0].c_str()));
  ExpectCorruption(OpenKilled(), words);
  ExpectCorruption(OpenKilled(/*read_only=*/true), words);
  for (const WALRecoveryMode mode :
       {WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kAbsoluteConsistency,
        WALRecoveryMode::kSkipAnyCorruptedRecords}) {
    options_.wal_recovery_mode = mode;
    ExpectCorruption(OpenKilled(), words);
  }
}

TEST_F(TrackedWalsTest, ALogThatIsShorterIsMissed) {
  Fill();
  Kill();
  CutKilled(KilledLogs()[1]);
  ExpectCorruption(OpenKilled(), "Size mismatch: WAL");
  options_.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  ExpectCorruption(OpenKilled(), "Size mismatch: WAL");
}

TEST_F(TrackedWalsTest, NothingIsMissedThatIsThere) {
  Fill();
  Kill();
  ASSERT_OK(OpenKilled(/*read_only=*/true));
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  ASSERT_OK(OpenKilled());
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  ASSERT_OK(OpenKilled());
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
}

TEST_F(TrackedWalsTest, TheLogThatIsWrittenIsNotTracked) {
  Fill();
  Kill();
  RemoveKilled(KilledLogs()[2]);
  ASSERT_OK(OpenKilled());
  EXPECT_EQ(Contents(), "a=1,b=2");
}

TEST_F(TrackedWalsTest, NorIsOneThatNobodySynced) {
  OpenAndHold();
  ASSERT_OK(Put("a", "1"));
  BeginLog();
  ASSERT_OK(Put("b", "2"));
  Kill();
  RemoveKilled(KilledLogs()[0]);
  ASSERT_OK(OpenKilled());
  EXPECT_EQ(Get("a"), "NOT_FOUND");
}

TEST_F(TrackedWalsTest, ASyncedWriteTracksTheClosedLogs) {
  OpenAndHold();
  ASSERT_OK(Put("a", "1"));
  BeginLog();
  WriteOptions synced;
  synced.sync = true;
  ASSERT_OK(db_->Put(synced, "b", "2"));
  Kill();
  RemoveKilled(KilledLogs()[0]);
  ExpectCorruption(OpenKilled(), "Missing WAL");
}

TEST_F(TrackedWalsTest, AFlushGivesTheLogsUp) {
  Fill();
  Release();
  ASSERT_OK(Flush());
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(Put("k", std::to_string(i)));
    ASSERT_OK(db_->SyncWAL());
    ASSERT_OK(Flush());
  }
  for (int time = 0; time < 2; ++time) {
    Open();
    EXPECT_EQ(Contents(), "a=1,b=2,c=3,k=4");
  }
}

TEST_F(TrackedWalsTest, GoOnInTheNextManifest) {
  options_.max_manifest_file_size = 1;
  Fill();
  BeginLog();
  ASSERT_OK(Put("d", "4"));
  ASSERT_OK(db_->SyncWAL());
  Kill();
  CutKilled(KilledLogs().end()[-2]);
  ExpectCorruption(OpenKilled(), "Size mismatch: WAL");
}

TEST_F(TrackedWalsTest, AFlushOfOneFamilyTracksWhatTheOtherNeeds) {
  Open();
  ColumnFamilyHandle* one = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "one", &one));
  ASSERT_OK(db_->Put(WriteOptions(), one, "k", "1"));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  CopyFiles(dir_, killed_);
  delete one;
  Shut();
  const std::vector<ColumnFamilyDescriptor> families{{"default", options_}, {"one", options_}};
  std::vector<ColumnFamilyHandle*> handles;
  RemoveKilled(KilledLogs()[0]);
  ExpectCorruption(DB::Open(options_, killed_, families, &handles, &db_), "Missing WAL");
}

TEST_F(TrackedWalsTest, WithoutTheOptionTheyAreForgotten) {
  Fill();
  Kill();
  options_.track_and_verify_wals_in_manifest = false;
  ASSERT_OK(OpenKilled());
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  ASSERT_OK(Put("d", "4"));
  ASSERT_OK(Flush());
  options_.track_and_verify_wals_in_manifest = true;
  ASSERT_OK(OpenKilled());
  EXPECT_EQ(Contents(), "a=1,b=2,c=3,d=4");
}

TEST_F(TrackedWalsTest, LogsThatAreRecycled) {
  options_.recycle_log_file_num = 2;
  for (int life = 0; life < 3; ++life) {
    Open();
    for (int i = 0; i < 6; ++i) {
      ASSERT_OK(Put("k" + std::to_string(life), std::string(5000 - 500 * i, 'x')));
      if (i % 2 == 0) {
        ASSERT_OK(db_->SyncWAL());
      }
      ASSERT_OK(Flush());
    }
    ASSERT_OK(db_->PauseBackgroundWork());
    ASSERT_OK(Put("a", std::to_string(life)));
    BeginLog();
    ASSERT_OK(Put("b", std::to_string(life)));
    ASSERT_OK(db_->SyncWAL());
    Release();
    Open();
    EXPECT_EQ(Get("a") + Get("b"), std::to_string(life) + std::to_string(life));
  }
}

TEST_F(TrackedWalsTest, LogsOfAnotherDirectory) {
  options_.wal_dir = root_ + "/logs";
  Fill();
  Release();
  Open();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
}

TEST_F(TrackedWalsTest, ACheckpoint) {
  Fill();
  ASSERT_OK(MakeCheckpoint(db_, root_ + "/copy", /*log_size_for_flush=*/UINT64_MAX));
  Release();
  Shut();
  ASSERT_OK(DB::Open(options_, root_ + "/copy", &db_));
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
}

TEST_F(TrackedWalsTest, ABackup) {
  Fill();
  BackupEngine* made = nullptr;
  ASSERT_OK(BackupEngine::Open(TheEnv(), BackupEngineOptions(root_ + "/backup"), &made));
  const std::unique_ptr<BackupEngine> backups(made);
  ASSERT_OK(backups->CreateNewBackup(db_, /*flush_before_backup=*/false));
  Release();
  Shut();
  ASSERT_OK(backups->RestoreDBFromLatestBackup(dir_, dir_));
  Open();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
}

TEST_F(TrackedWalsTest, ARepairForgetsThem) {
  Fill();
  Kill();
  RemoveKilled(KilledLogs()[0]);
  ASSERT_OK(RepairDB(killed_, options_));
  ASSERT_OK(OpenKilled());
  EXPECT_EQ(Contents(), "b=2,c=3");
}

TEST_F(TrackedWalsTest, TheOptionDoesNotChangeWhileOpen) {
  Open();
  EXPECT_FALSE(db_->SetDBOptions({{"track_and_verify_wals_in_manifest", "false"}}).ok());
  EXPECT_TRUE(db_->GetDBOptions().track_and_verify_wals_in_manifest);
}

}  // namespace
}  // namespace conformance
