// track_and_verify_wals_in_manifest: which logs the MANIFEST tells of, and what an open makes of
// those that are gone or too short.
#include "db/testing/db_fixture.h"
#include "manifest/manifest_reader.h"
#include "manifest/tracked_wals.h"

namespace cairn {
namespace {

using testing::kDbName;

class DbTrackedWalsTest : public testing::DbTest {
 protected:
  Options TrackingOptions() {
    Options options = SmallOptions();
    options.track_and_verify_wals_in_manifest = true;
    options.disable_auto_compactions = true;
    options.max_write_buffer_number = 8;
    return options;
  }
  void OpenTracking() {
    Open(TrackingOptions());
    HoldFlushes();
  }
  void SyncedPut(const std::string& key) {
    WriteOptions options;
    options.sync = true;
    const Status s = db_->Put(options, key, key + "'s");
    ASSERT_TRUE(s.ok()) << s.ToString();
    model_[key] = key + "'s";
  }
  // "4:100 5:200 from 3": what the newest MANIFEST says.
  std::string Tracked() {
    const std::string path = disk_.Files(FileType::kDescriptorFile).back();
    uint64_t number = 0;
    FileType type;
    EXPECT_TRUE(ParseFileName(path.substr(sizeof(kDbName)), &number, &type));
    std::unique_ptr<ManifestReader> reader;
    EXPECT_TRUE(ManifestReader::Open(disk_.memory.get(), path, number, &reader).ok());
    TrackedWals tracked;
    VersionEdit edit;
    while (reader->Next(&edit)) EXPECT_TRUE(tracked.Apply(edit).ok());
    EXPECT_TRUE(reader->status().ok());
    std::string text;
    const VersionEdit additions = tracked.Additions();
    for (const WalAddition& wal : additions.wal_additions()) {
      text += std::to_string(wal.number) + ":" + std::to_string(*wal.synced_bytes) + " ";
    }
    return text + "from " + std::to_string(tracked.kept_from());
  }
  std::vector<std::string> Logs() const { return disk_.Files(FileType::kWalFile); }
  static uint64_t NumberOf(const std::string& log) {
    return std::stoull(log.substr(sizeof(kDbName)));
  }
  // As Tracked() says it.
  std::string Entry(const std::string& log) const {
    return std::to_string(NumberOf(log)) + ":" + std::to_string(disk_.Size(log)) + " ";
  }
  void Cut(const std::string& path, uint64_t bytes_less) {
    std::string contents;
    ASSERT_TRUE(ReadFileToString(disk_.memory.get(), path, &contents).ok());
    contents.resize(contents.size() - bytes_less);
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), contents, path, true).ok());
  }
  void Remove(const std::string& path) {
    ASSERT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok());
  }
};

TEST_F(DbTrackedWalsTest, ALogIsTrackedOnceItIsClosedAndSynced) {
  OpenTracking();
  const uint64_t first = NumberOf(Logs().front());
  const std::string from = "from " + std::to_string(first);
  SyncedPut("a");
  EXPECT_EQ(Tracked(), from) << "the one that is written is not";
  BeginLog();
  EXPECT_EQ(Tracked(), from);
  Put("b", "1");
  EXPECT_EQ(Tracked(), from) << "nobody asked for a sync";
  SyncedPut("c");
  const std::vector<std::string> logs = Logs();
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(Tracked(), Entry(logs[0]) + from);
  BeginLog();
  ASSERT_TRUE(db_->SyncWAL().ok());
  EXPECT_EQ(Tracked(), Entry(logs[0]) + Entry(logs[1]) + from);
  SyncedPut("d");
  DieBeforeFlushes();
  Open(TrackingOptions());
  ExpectModel();
  EXPECT_EQ(Tracked(), "from " + std::to_string(NumberOf(Logs().back())))
      << "what was replayed is in tables";
}

TEST_F(DbTrackedWalsTest, AFlushGivesThemUp) {
  OpenTracking();
  SyncedPut("a");
  BeginLog();
  SyncedPut("b");
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  Flush();
  EXPECT_EQ(Tracked(), "from " + std::to_string(NumberOf(Logs().back())));
  Kill();
  Open(TrackingOptions());
  ExpectModel();
}

TEST_F(DbTrackedWalsTest, WhatIsMissingIsMissedInEveryMode) {
  for (const bool cut : {false, true}) {
    for (const WALRecoveryMode mode :
         {WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kAbsoluteConsistency,
          WALRecoveryMode::kPointInTimeRecovery, WALRecoveryMode::kSkipAnyCorruptedRecords}) {
      SCOPED_TRACE((cut ? "cut, mode " : "gone, mode ") + std::to_string(static_cast<int>(mode)));
      disk_ = testing::Disk();
      OpenTracking();
      SyncedPut("a");
      BeginLog();
      SyncedPut("b");
      DieBeforeFlushes();
      const std::string log = Logs().front();
      if (cut) {
        Cut(log, 1);
      } else {
        Remove(log);
      }
      Options options = TrackingOptions();
      options.wal_recovery_mode = mode;
      const std::string words = cut ? "Size mismatch: WAL" : "Missing WAL with log number";
      for (const bool read_only : {false, true}) {
        const Status s = read_only ? TryOpenReadOnly(options) : TryOpen(options);
        EXPECT_TRUE(s.IsCorruption()) << s.ToString();
        EXPECT_NE(s.ToString().find(words), std::string::npos) << s.ToString();
        EXPECT_NE(s.ToString().find(log), std::string::npos) << s.ToString();
      }
      options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
      options.track_and_verify_wals_in_manifest = false;
      Open(options);
      EXPECT_EQ(Get("b"), "b's");
      // What that life did not track is not missed.
      options.track_and_verify_wals_in_manifest = true;
      Open(options);
      db_.reset();
    }
  }
}

TEST_F(DbTrackedWalsTest, APowerCutTakesNothingThatIsTracked) {
  for (const bool recycle : {false, true}) {
    disk_ = testing::Disk();
    model_.clear();
    Options options = TrackingOptions();
    if (recycle) options.recycle_log_file_num = 2;
    for (int life = 0; life < 4; ++life) {
      Open(options);
      ExpectModel();
      for (int log = 0; log < 4; ++log) {
        SyncedPut(std::to_string(life) + "-" + std::to_string(log));
        if (log == 1) Flush();
        ASSERT_TRUE(db_->PauseBackgroundWork().ok());
        BeginLog();
        SyncedPut(std::to_string(life) + "+" + std::to_string(log));
        if (log < 3) {
          ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
        }
      }
      disk_.Freeze();
      ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
      db_.reset();
      disk_.faults->Heal();
      disk_.memory->DropUnsynced();
    }
    Open(options);
    ExpectModel();
    db_.reset();
  }
}

TEST_F(DbTrackedWalsTest, AFailedWriteOfTheManifestIsTold) {
  OpenTracking();
  SyncedPut("a");
  BeginLog();
  Put("b", "1");
  fault::Rule rule;
  rule.files = fault::kManifests;
  rule.operations = fault::kWrites;
  disk_.faults->AddRule(rule);
  const Status s = db_->SyncWAL();
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_FALSE(db_->Put(WriteOptions(), "c", "1").ok());
  DieBeforeFlushes();
  Open(TrackingOptions());
  ExpectModel();
}

TEST_F(DbTrackedWalsTest, FamiliesThatAreFlushedApartKeepTheLogs) {
  Options options = TrackingOptions();
  Open(options);
  ColumnFamilyHandle* made = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options, "one", &made).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), made, "k", "1").ok());
  Put("a", "1");
  const std::string log = Logs().back();
  Flush();  // syncs the closed log, which the other family needs
  const std::string entry = Entry(log);
  EXPECT_NE(Tracked().find(entry), std::string::npos) << Tracked();
  ASSERT_TRUE(db_->Flush(FlushOptions(), made).ok());
  EXPECT_EQ(Tracked().find(entry), std::string::npos) << Tracked();
  delete made;
}

}  // namespace
}  // namespace cairn
