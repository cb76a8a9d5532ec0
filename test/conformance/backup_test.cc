// Backups: what an engine does and answers, and what lies in its directory.
#include "backup_fixture.h"

namespace conformance {
namespace {

TEST_F(BackupTest, ABackupIsRestored) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(Create());
  ASSERT_OK(Put("b", "3"));
  ASSERT_OK(Put("c", "3"));
  EXPECT_EQ("a=1,b=2", RestoredContents(1));
  EXPECT_EQ("a=1,b=3,c=3", Contents()) << "the database goes on";
}

TEST_F(BackupTest, EachBackupHasItsMoment) {
  Open();
  OpenEngine();
  std::string contents;
  for (int i = 1; i <= 5; i++) {
    ASSERT_OK(Put(Key(i), std::to_string(i)));
    if (i % 2 == 0) {
      ASSERT_OK(Flush());
    }
    BackupID id = 0;
    ASSERT_OK(engine_->CreateNewBackup(CreateBackupOptions(), db_, &id));
    EXPECT_EQ(static_cast<BackupID>(i), id);
  }
  for (int i = 1; i <= 5; i++) {
    contents += (i == 1 ? "" : ",") + Key(i) + "=" + std::to_string(i);
    EXPECT_EQ(contents, RestoredContents(static_cast<BackupID>(i)));
  }
  ReopenEngine();
  EXPECT_EQ(contents, RestoredContents(5));
  ASSERT_OK(engine_->RestoreDBFromLatestBackup(restored_, restored_));
  EXPECT_EQ(contents, ContentsOf(restored_));
}

TEST_F(BackupTest, WritesWithoutALogComeByAFlush) {
  Open();
  OpenEngine();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_OK(db_->Put(unlogged, "a", "1"));
  ASSERT_OK(Create());
  ASSERT_OK(engine_->CreateNewBackup(db_, /*flush_before_backup=*/true));
  EXPECT_EQ("", RestoredContents(1));
  EXPECT_EQ("a=1", RestoredContents(2));
}

TEST_F(BackupTest, LogsMayBeLeftOut) {
  backup_options_.backup_log_files = false;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ("a=1", RestoredContents(1));
  for (const std::string& name : NamesIn("private/1")) {
    EXPECT_EQ(std::string::npos, name.find(".log")) << name;
  }
}

TEST_F(BackupTest, TheDirectoryIsLaidOutLikeThis) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ((Names{"1"}), NamesIn("meta"));
  EXPECT_EQ((Names{"1"}), NamesIn("private"));
  const std::string table = FilesEndingIn(".sst")[0];
  TablePropertiesCollection properties;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&properties));
  const std::string session = properties.begin()->second->db_session_id;
  EXPECT_EQ((Names{table.substr(0, 6) + "_s" + session + "_" +
                   std::to_string(SizeOf(dir_ + "/" + table)) + ".sst"}),
            NamesIn("shared_checksum"));
  int manifests = 0, options = 0, logs = 0;
  for (const std::string& name : NamesIn("private/1")) {
    manifests += Slice(name).starts_with("MANIFEST-");
    options += Slice(name).starts_with("OPTIONS-");
    logs += Slice(name).ends_with(".log");
  }
  EXPECT_EQ(1, manifests);
  EXPECT_EQ(1, options);
  EXPECT_EQ(1, logs);
  EXPECT_EQ(4u, NamesIn("private/1").size()) << "and CURRENT";
}

TEST_F(BackupTest, TheMetaFileSaysThis) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(engine_->CreateNewBackupWithMetadata(db_, std::string("\x01\xfe ", 3), true));
  const std::vector<std::string> lines = Lines(ReadBackupFile("meta/1"));
  ASSERT_GE(lines.size(), 4u);
  BackupInfo info;
  ASSERT_OK(engine_->GetBackupInfo(1, &info));
  EXPECT_EQ(std::to_string(info.timestamp), lines[0]);
  EXPECT_EQ("2", lines[1]);
  EXPECT_EQ("metadata 01FE20", lines[2]);
  EXPECT_EQ("4", lines[3]) << "a table, MANIFEST, CURRENT, OPTIONS";
  EXPECT_EQ(8u, lines.size());
  for (size_t i = 4; i < lines.size(); i++) {
    const size_t space = lines[i].find(' ');
    EXPECT_EQ(" crc32 ", lines[i].substr(space, 7)) << lines[i];
    EXPECT_OK(TheEnv()->FileExists(Path(lines[i].substr(0, space))));
  }
  EXPECT_EQ('\n', ReadBackupFile("meta/1").back());
}

TEST_F(BackupTest, TheSecondSchemaSaysItsVersion) {
  backup_options_.schema_version = 2;
  Open();
  ASSERT_OK(Put("a", "1"));
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ("schema_version 2.0", Lines(ReadBackupFile("meta/1"))[0]);
  ReopenEngine();
  EXPECT_EQ("a=1", RestoredContents(1));
}

TEST_F(BackupTest, UnknownSchemasAreNotWritten) {
  Open();
  for (const int schema : {-1, 0, 3}) {
    backup_options_.schema_version = schema;
    OpenEngine();
    const Status s = Create();
    EXPECT_TRUE(schema < 1 ? s.IsInvalidArgument() : s.IsNotSupported()) << s.ToString();
  }
  EXPECT_EQ(Names(), NamesIn("meta"));
}

TEST_F(BackupTest, TablesAreCopiedOnce) {
  Open();
  OpenEngine();
  for (int i = 1; i <= 3; i++) {
    ASSERT_OK(Put(Key(i), "v"));
    ASSERT_OK(engine_->CreateNewBackup(db_, true));
    EXPECT_EQ(static_cast<size_t>(i), NamesIn("shared_checksum").size());
  }
  const Names before = NamesIn("shared_checksum");
  // Their bytes are not looked at again.
  const std::string name = "shared_checksum/" + *before.begin();
  std::string bytes = ReadBackupFile(name);
  bytes[bytes.size() / 2] ^= 1;
  WriteBackupFile(name, bytes);
  ReopenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ(before, NamesIn("shared_checksum"));
  EXPECT_EQ(bytes, ReadBackupFile(name));
}

TEST_F(BackupTest, OlderNamesHaveTheChecksum) {
  backup_options_.share_files_with_checksum_naming = BackupEngineOptions::kLegacyCrc32cAndFileSize;
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  ASSERT_OK(Create());
  const std::string table = FilesEndingIn(".sst")[0];
  const Names names = NamesIn("shared_checksum");
  ASSERT_EQ(1u, names.size());
  std::string crc;
  for (const std::string& line : Lines(ReadBackupFile("meta/2"))) {
    if (line.find(*names.begin()) != std::string::npos) crc = line.substr(line.rfind(' ') + 1);
  }
  EXPECT_EQ(
      table.substr(0, 6) + "_" + crc + "_" + std::to_string(SizeOf(dir_ + "/" + table)) + ".sst",
      *names.begin());
  EXPECT_EQ("a=1", RestoredContents(2));
}

TEST_F(BackupTest, NamesMayLeaveOutTheSize) {
  backup_options_.share_files_with_checksum_naming = BackupEngineOptions::kUseDbSessionId;
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  const std::string name = *NamesIn("shared_checksum").begin();
  EXPECT_EQ(1, std::count(name.begin(), name.end(), '_')) << name;
  EXPECT_EQ("a=1", RestoredContents(1));
  // Another name is another file.
  backup_options_.share_files_with_checksum_naming =
      BackupEngineOptions::kUseDbSessionId | BackupEngineOptions::kFlagIncludeFileSize;
  ReopenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ(2u, NamesIn("shared_checksum").size());
  EXPECT_EQ("a=1", RestoredContents(2));
}

TEST_F(BackupTest, TablesAreSharedByNumberAlone) {
  backup_options_.share_files_with_checksum = false;
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Create());
  const std::vector<std::string> tables = FilesEndingIn(".sst");
  EXPECT_EQ(Names(tables.begin(), tables.end()), NamesIn("shared"));
  EXPECT_EQ(Names(), NamesIn("shared_checksum"));
  EXPECT_EQ("a=1", RestoredContents(1));
  EXPECT_EQ("a=1,b=2", RestoredContents(2));
}

TEST_F(BackupTest, NothingMayBeShared) {
  backup_options_.share_table_files = false;
  backup_options_.share_files_with_checksum = false;
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  ASSERT_OK(Create());
  const std::string table = FilesEndingIn(".sst")[0];
  EXPECT_EQ(1u, NamesIn("private/1").count(table));
  EXPECT_EQ(1u, NamesIn("private/2").count(table));
  EXPECT_EQ(Names(), NamesIn("shared"));
  EXPECT_EQ("a=1", RestoredContents(2));
}

TEST_F(BackupTest, HistoriesThatPartedShareADirectory) {
  Open();
  OpenEngine();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(engine_->CreateNewBackup(db_, true));
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(engine_->CreateNewBackup(db_, true));
  Shut();
  ASSERT_OK(engine_->RestoreDBFromBackup(1, dir_, dir_));
  Open();
  ASSERT_OK(Put("a", "3"));
  ASSERT_OK(engine_->CreateNewBackup(db_, true));
  EXPECT_EQ("a=1", RestoredContents(1));
  EXPECT_EQ("a=2", RestoredContents(2));
  EXPECT_EQ("a=3", RestoredContents(3));
}

TEST_F(BackupTest, InfoTellsOfEachBackup) {
  Open();
  ASSERT_OK(Put("a", "1"));
  OpenEngine();
  int64_t before = 0, after = 0;
  ASSERT_OK(TheEnv()->GetCurrentTime(&before));
  BackupID id = 0;
  ASSERT_OK(engine_->CreateNewBackupWithMetadata(CreateBackupOptions(), db_, "first", &id));
  EXPECT_EQ(1u, id);
  ASSERT_OK(engine_->CreateNewBackupWithMetadata(CreateBackupOptions(), db_, "second", &id));
  EXPECT_EQ(2u, id);
  ASSERT_OK(TheEnv()->GetCurrentTime(&after));
  for (const bool reopened : {false, true}) {
    if (reopened) ReopenEngine();
    std::vector<BackupInfo> infos;
    engine_->GetBackupInfo(&infos);
    ASSERT_EQ(2u, infos.size());
    for (size_t i = 0; i < 2; i++) {
      EXPECT_EQ(i + 1, infos[i].backup_id);
      EXPECT_GE(infos[i].timestamp, before);
      EXPECT_LE(infos[i].timestamp, after);
      EXPECT_EQ(i == 0 ? "first" : "second", infos[i].app_metadata);
      uint64_t bytes = 0;
      for (const std::string& name : NamesIn("private/" + std::to_string(i + 1))) {
        bytes += SizeOf(Path("private/" + std::to_string(i + 1) + "/" + name));
      }
      EXPECT_EQ(bytes, infos[i].size);
      EXPECT_EQ(4u, infos[i].number_files);
      EXPECT_TRUE(infos[i].file_details.empty());
      EXPECT_TRUE(infos[i].name_for_open.empty());
      EXPECT_EQ(nullptr, infos[i].env_for_open);
    }
    BackupInfo latest;
    ASSERT_OK(engine_->GetLatestBackupInfo(&latest));
    EXPECT_EQ(2u, latest.backup_id);
    EXPECT_EQ("second", latest.app_metadata);
  }
}

TEST_F(BackupTest, InfoNamesTheFiles) {
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  BackupInfo info;
  ASSERT_OK(engine_->GetBackupInfo(1, &info, /*include_file_details=*/true));
  EXPECT_EQ(info.number_files, info.file_details.size());
  uint64_t bytes = 0;
  for (const BackupFileInfo& file : info.file_details) {
    EXPECT_EQ(SizeOf(Path(file.relative_filename)), file.size);
    bytes += file.size;
  }
  EXPECT_EQ(info.size, bytes);
  EXPECT_EQ(Path("private/1"), info.name_for_open);
}

TEST_F(BackupTest, ABackupOpensAsADatabase) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(Create());
  ASSERT_OK(Put("c", "3"));
  BackupInfo info;
  ASSERT_OK(engine_->GetBackupInfo(1, &info, /*include_file_details=*/true));
  CloseEngine();
  Shut();
  Options options = options_;
  options.create_if_missing = false;
  options.env = info.env_for_open.get();
  ASSERT_OK(DB::OpenForReadOnly(options, info.name_for_open, &db_));
  EXPECT_EQ("a=1,b=2", Contents());
  Shut();
}

TEST_F(BackupTest, MetadataHasALimit) {
  Open();
  OpenEngine();
  const std::string most(1 << 20, 'm');
  ASSERT_OK(engine_->CreateNewBackupWithMetadata(db_, most));
  EXPECT_CODE(InvalidArgument, engine_->CreateNewBackupWithMetadata(db_, most + "m"));
  ReopenEngine();
  BackupInfo info;
  ASSERT_OK(engine_->GetLatestBackupInfo(&info));
  EXPECT_EQ(1u, info.backup_id);
  EXPECT_TRUE(most == info.app_metadata);
}

TEST_F(BackupTest, WhatIsNotThereIsNotFound) {
  Open();
  OpenEngine();
  BackupInfo info;
  EXPECT_CODE(NotFound, engine_->GetLatestBackupInfo(&info));
  EXPECT_CODE(NotFound, engine_->GetBackupInfo(7, &info));
  EXPECT_CODE(NotFound, engine_->VerifyBackup(7));
  EXPECT_CODE(NotFound, engine_->DeleteBackup(7));
  EXPECT_CODE(NotFound, engine_->RestoreDBFromBackup(7, restored_, restored_));
  EXPECT_CODE(NotFound, engine_->RestoreDBFromLatestBackup(restored_, restored_));
  ASSERT_OK(engine_->PurgeOldBackups(0));
  std::vector<BackupInfo> infos(3);
  engine_->GetBackupInfo(&infos);
  EXPECT_TRUE(infos.empty());
}

TEST_F(BackupTest, OldOnesArePurged) {
  Open();
  OpenEngine();
  for (int i = 1; i <= 4; i++) {
    ASSERT_OK(Put("a", std::to_string(i)));
    ASSERT_OK(engine_->CreateNewBackup(db_, true));
    ASSERT_OK(Compact());
  }
  ASSERT_OK(engine_->PurgeOldBackups(2));
  EXPECT_EQ((Names{"3", "4"}), NamesIn("meta"));
  EXPECT_EQ((Names{"3", "4"}), NamesIn("private"));
  ASSERT_OK(engine_->PurgeOldBackups(2));
  EXPECT_EQ("a=3", RestoredContents(3));
  EXPECT_EQ("a=4", RestoredContents(4));
  ASSERT_OK(Create());
  EXPECT_EQ((Names{"3", "4", "5"}), NamesIn("meta"));
  ASSERT_OK(engine_->PurgeOldBackups(0));
  EXPECT_EQ(Names(), NamesIn("shared_checksum"));
}

TEST_F(BackupTest, DeletingKeepsWhatOthersNeed) {
  Open();
  OpenEngine();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(engine_->CreateNewBackup(db_, true));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(engine_->CreateNewBackup(db_, true));
  ReopenEngine();
  ASSERT_OK(engine_->DeleteBackup(1));
  EXPECT_CODE(NotFound, engine_->DeleteBackup(1));
  EXPECT_EQ((Names{"2"}), NamesIn("private"));
  EXPECT_EQ(2u, NamesIn("shared_checksum").size());
  EXPECT_EQ("a=1,b=2", RestoredContents(2));
  ASSERT_OK(engine_->DeleteBackup(2));
  EXPECT_EQ(Names(), NamesIn("private"));
  EXPECT_EQ(Names(), NamesIn("shared_checksum"));
  // Numbers are not given again.
  ASSERT_OK(Create());
  EXPECT_EQ((Names{"3"}), NamesIn("meta"));
}

TEST_F(BackupTest, OldDataIsDestroyedOnRequest) {
  Open();
  OpenEngine();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(engine_->CreateNewBackup(db_, true));
  backup_options_.destroy_old_data = true;
  ReopenEngine();
  for (const char* dir : {"meta", "private", "shared_checksum"}) {
    EXPECT_EQ(Names(), NamesIn(dir)) << dir;
  }
  ASSERT_OK(Create());
  EXPECT_EQ("a=1", RestoredContents(1));
}

TEST_F(BackupTest, GarbageGoes) {
  Open();
  OpenEngine();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(engine_->CreateNewBackup(db_, true));
  const Names shared = NamesIn("shared_checksum");
  WriteBackupFile("shared_checksum/000099_s0123456789ABCDEFGHIJ_1.sst", "x");
  WriteBackupFile("shared_checksum/.000098_1_1.sst.tmp", "x");
  ASSERT_OK(TheEnv()->CreateDir(Path("private/7")));
  WriteBackupFile("private/7/CURRENT", "x");
  ASSERT_OK(engine_->GarbageCollect());
  EXPECT_EQ(shared, NamesIn("shared_checksum"));
  EXPECT_EQ((Names{"1"}), NamesIn("private"));
  EXPECT_EQ("a=1", RestoredContents(1));
}

TEST_F(BackupTest, WhatAKilledBackupLeftDoesNotDisturbTheNext) {
  Open();
  ASSERT_OK(Put("a", "1"));
  OpenEngine();
  ASSERT_OK(TheEnv()->CreateDir(Path("private/1")));
  WriteBackupFile("private/1/CURRENT", "x");
  WriteBackupFile("private/1/000099.log", "x");
  WriteBackupFile("meta/.1.tmp", "x");
  ASSERT_OK(Create());
  EXPECT_EQ(0u, NamesIn("private/1").count("000099.log"));
  EXPECT_EQ((Names{"1"}), NamesIn("meta"));
  EXPECT_EQ("a=1", RestoredContents(1));
}

TEST_F(BackupTest, NumbersGoOnAfterTheLargest) {
  Open();
  OpenEngine();
  for (int i = 0; i < 12; i++) ASSERT_OK(Create());
  ASSERT_OK(engine_->DeleteBackup(3));
  ReopenEngine();
  BackupID id = 0;
  ASSERT_OK(engine_->CreateNewBackup(CreateBackupOptions(), db_, &id));
  EXPECT_EQ(13u, id);
}

// As programs do that know one directory only.
TEST_F(BackupTest, BackupsLieInTheDatabasesOwnDirectory) {
  backup_options_.backup_dir = dir_;
  Open();
  OpenEngine();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Create());
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Create());
  EXPECT_EQ("a=1", RestoredContents(1));
  Open();
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(Create());
  Shut();
  ASSERT_OK(engine_->RestoreDBFromBackup(2, dir_, dir_));
  EXPECT_EQ("a=1,b=2", ContentsOf(dir_));
  ReopenEngine();
  EXPECT_EQ("a=1,b=2,c=3", RestoredContents(3)) << "the backups stay";
}

}  // namespace
}  // namespace conformance
