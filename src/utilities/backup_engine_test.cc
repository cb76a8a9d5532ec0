// What backups do here that RocksDB's do not, or do otherwise: several engines on one directory,
// damaged backups that stay, restores that are refused before anything is lost, backups as
// databases. (The rest: test/conformance/backup_*.cc.)
#include <atomic>
#include <cstring>

#include "fiber/runtime.h"
#include "rocksdb/sst_file_writer.h"
#include "utilities/testing/backup_fixture.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kBackups;
using testing::kDbName;
using testing::kRestored;

class BackupEngineTest : public testing::BackupFixture {
 protected:
  // `count` backups; each has a table that the one before has not.
  void Make(int count) {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    Open(options);
    OpenEngine();
    for (int i = 0; i < count; ++i) {
      PutRange(i * 10, i * 10 + 10, 1);
      MustCreate(/*flush=*/true);
      contents_.push_back(model_);
    }
  }
  void ExpectRefusedRestore(const std::string& dir, const std::string& wal_dir,
                            const std::string& because) {
    const IOStatus s = engine_->RestoreDBFromLatestBackup(dir, wal_dir);
    EXPECT_FALSE(s.ok());
    EXPECT_NE(std::string::npos, s.ToString().find(because)) << s.ToString();
  }
  std::string LastTable() const {
    return "shared_checksum/" + *NamesIn(backups_, Path("shared_checksum")).rbegin();
  }

  std::vector<Contents> contents_;  // of the backups
};

TEST_F(BackupEngineTest, SenselessOptionsAreRefused) {
  const auto refused = [&](const BackupEngineOptions& options, Env* env) {
    BackupEngine* engine = nullptr;
    EXPECT_TRUE(BackupEngine::Open(options, env, &engine).IsInvalidArgument());
    EXPECT_EQ(nullptr, engine);
    BackupEngineReadOnly* reader = nullptr;
    EXPECT_TRUE(BackupEngineReadOnly::Open(options, env, &reader).IsInvalidArgument());
    EXPECT_EQ(nullptr, reader);
  };
  refused(options_, nullptr);
  refused(BackupEngineOptions(""), disk_.env.get());
  BackupEngineOptions options = options_;
  options.max_background_operations = 0;
  refused(options, disk_.env.get());
  options = options_;
  options.share_files_with_checksum_naming = BackupEngineOptions::kFlagIncludeFileSize;
  refused(options, disk_.env.get());
  EXPECT_EQ(Names(), Everything());
  OpenEngine();
  EXPECT_TRUE(engine_->CreateNewBackup(CreateBackupOptions(), nullptr).IsInvalidArgument());
}

TEST_F(BackupEngineTest, ADirectoryThatCannotBeWritten) {
  Make(1);
  engine_.reset();
  backups_.faults->SetReadOnly(true);
  BackupEngineReadOnly* made = nullptr;
  ASSERT_TRUE(BackupEngineReadOnly::Open(options_, disk_.env.get(), &made).ok());
  const std::unique_ptr<BackupEngineReadOnly> reader(made);
  EXPECT_TRUE(reader->RestoreDBFromLatestBackup(kRestored, kRestored).ok());
  ExpectDatabase(kRestored, contents_[0]);
  if (TryOpenEngine().ok()) {
    EXPECT_FALSE(Create().ok());
    EXPECT_FALSE(engine_->DeleteBackup(1).ok());
    ExpectBackup(1, contents_[0]);
  }
}

TEST_F(BackupEngineTest, TwoEnginesTakeTurns) {
  Make(1);
  std::unique_ptr<BackupEngine> other;
  ASSERT_TRUE(OpenAnother(&other).ok());
  MustCreate();
  // The other one sees it before it writes.
  BackupID id = 0;
  ASSERT_TRUE(other->CreateNewBackup(CreateBackupOptions(), db_.get(), &id).ok());
  EXPECT_EQ(3u, id);
  EXPECT_EQ((std::set<BackupID>{1, 2}), Good());
  ASSERT_TRUE(other->DeleteBackup(1).ok());
  ASSERT_TRUE(engine_->GarbageCollect().ok());
  EXPECT_EQ((std::set<BackupID>{2, 3}), Good());
  // A number that is given again is another backup's.
  ASSERT_TRUE(engine_->DeleteBackup(3).ok());
  std::unique_ptr<BackupEngine> third;
  ASSERT_TRUE(OpenAnother(&third).ok());
  PutRange(50, 60, 7);
  ASSERT_TRUE(third->CreateNewBackup(CreateBackupOptions(), db_.get(), &id).ok());
  EXPECT_EQ(3u, id);
  ASSERT_TRUE(other->GarbageCollect().ok());
  other.swap(engine_);
  ExpectBackup(3, model_);
}

TEST_F(BackupEngineTest, TwoEnginesDoNotWriteAtOnce) {
  options_.callback_trigger_interval_size = 1000;
  Make(1);
  PutRange(0, 100, 2);
  std::unique_ptr<BackupEngine> other;
  ASSERT_TRUE(OpenAnother(&other).ok());
  int calls = 0;
  CreateBackupOptions create;
  create.progress_callback = [&] {
    if (calls++ > 0) return;
    EXPECT_TRUE(other->CreateNewBackup(CreateBackupOptions(), db_.get()).IsBusy());
    EXPECT_TRUE(other->DeleteBackup(1).IsBusy());
    EXPECT_TRUE(other->PurgeOldBackups(0).IsBusy());
    EXPECT_TRUE(other->GarbageCollect().IsBusy());
    EXPECT_TRUE(other->VerifyBackup(1, true).ok());
  };
  ASSERT_TRUE(engine_->CreateNewBackup(create, db_.get()).ok());
  EXPECT_GT(calls, 1);
  ExpectBackup(1, contents_[0]);
  ExpectBackup(2, model_);
}

// RocksDB makes no backup of such a database.
TEST_F(BackupEngineTest, TablesOfSeveralPathsComeIntoOneDirectory) {
  Options options = SmallOptions();
  options.db_paths.emplace_back("/tables", 1 << 30);
  options.db_paths.emplace_back("/more", 1 << 30);
  Open(options);
  PutRange(0, 100, 1);
  Flush();
  rocksdb::CompactRangeOptions compact;
  compact.target_path_id = 1;
  ASSERT_TRUE(db_->CompactRange(compact, nullptr, nullptr).ok());
  PutRange(50, 150, 2);
  Flush();
  OpenEngine();
  MustCreate();
  ExpectBackup(1, model_);
  ASSERT_TRUE(engine_->RestoreDBFromLatestBackup(kRestored, kRestored).ok());
  ExpectDatabase(kRestored, model_);
}

TEST_F(BackupEngineTest, TheLatestIsTheLatestThatIsLeft) {
  Make(3);
  ASSERT_TRUE(engine_->DeleteBackup(3).ok());
  BackupInfo info;
  ASSERT_TRUE(engine_->GetLatestBackupInfo(&info).ok());
  EXPECT_EQ(2u, info.backup_id);
  ASSERT_TRUE(engine_->RestoreDBFromLatestBackup(kRestored, kRestored).ok());
  ExpectDatabase(kRestored, contents_[1]);
}

TEST_F(BackupEngineTest, FilesOfCorruptBackupsStayUntilTheseAreDeleted) {
  Make(3);
  engine_.reset();
  const std::string meta = Read("meta/3");
  for (const char* damage : {"schema_version 3.0\nwhatever\n", "damaged\n", "1\n2\n3\nx\n"}) {
    SCOPED_TRACE(damage);
    Write("meta/3", damage);
    const Names before = Everything();
    OpenEngine();
    EXPECT_EQ((std::set<BackupID>{3}), Corrupted());
    ASSERT_TRUE(engine_->GarbageCollect().ok());
    EXPECT_EQ(before, Everything());
    MustCreate();
    ASSERT_TRUE(engine_->DeleteBackup(4).ok());
    EXPECT_EQ(before, Everything());
    // Another version may restore it.
    Write("meta/3", meta);
    OpenEngine();
    ExpectBackup(3, contents_[2]);
  }
  Write("meta/3", "damaged\n");
  Write("shared_checksum/000777_1_1.sst", "x");
  OpenEngine();
  ASSERT_TRUE(engine_->GarbageCollect().ok());
  EXPECT_EQ(1u, Everything().count("shared_checksum/000777_1_1.sst"));
  ASSERT_TRUE(engine_->DeleteBackup(3).ok());
  EXPECT_TRUE(Corrupted().empty());
  EXPECT_EQ(2u, NamesIn(backups_, Path("shared_checksum")).size());
  ExpectBackup(1, contents_[0]);
}

TEST_F(BackupEngineTest, WrongSizesShowWhenTheEngineIsOpened) {
  Make(2);
  engine_.reset();
  const std::string table = LastTable();
  const std::string bytes = Read(table);
  Write(table, bytes.substr(0, bytes.size() - 1));
  OpenEngine();
  EXPECT_EQ((std::set<BackupID>{2}), Corrupted());
  const IOStatus s = engine_->VerifyBackup(2);
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_NE(std::string::npos, s.ToString().find(table)) << s.ToString();
  // The next backup mends it.
  MustCreate();
  EXPECT_EQ(bytes, Read(table));
  OpenEngine();
  EXPECT_TRUE(Corrupted().empty());
  ExpectBackup(2, contents_[1]);
}

TEST_F(BackupEngineTest, TheSecondSchemaKnowsTheSizesOfAllFiles) {
  options_.schema_version = 2;
  Make(1);
  ExpectBackup(1, contents_[0]);
  engine_.reset();
  Write("private/1/CURRENT", Read("private/1/CURRENT") + "\n");
  OpenEngine();
  EXPECT_EQ((std::set<BackupID>{1}), Corrupted());
}

TEST_F(BackupEngineTest, TablesOfTheSameNumberAreNotTakenForOneAnother) {
  options_.share_files_with_checksum = false;
  Make(1);
  Close();
  ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());
  model_.clear();
  Open();
  PutRange(0, 10, 9);  // of the same size
  Flush();
  const Names before = Everything();
  const IOStatus s = Create();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_EQ(before, Everything());
  ExpectBackup(1, contents_[0]);
}

TEST_F(BackupEngineTest, ARestoreIsRefusedBeforeAnythingIsLost) {
  Make(2);
  ExpectRefusedRestore("", "", "no name");
  // A database that is open, by whichever of its names.
  ExpectRefusedRestore(kDbName, kDbName, "lock");
  ExpectModel();
  Close();
  const std::string table = LastTable();
  const std::string bytes = Read(table);
  ASSERT_TRUE(backups_.memory->DeleteFile(Path(table), IOOptions(), nullptr).ok());
  ExpectRefusedRestore(kDbName, kDbName, table);
  Write(table, bytes + "x");
  ExpectRefusedRestore(kDbName, kDbName, table);
  Write(table, bytes);
  engine_->StopBackup();
  EXPECT_TRUE(engine_->RestoreDBFromLatestBackup(kDbName, kDbName).IsIncomplete());
  Open();
  ExpectModel();
}

TEST_F(BackupEngineTest, LogsOfAnotherDatabaseAreNotRemoved) {
  Make(1);
  Close();
  Options options = SmallOptions();
  options.wal_dir = "/wal";
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options, "/other", &other).ok());
  ASSERT_TRUE(other->Put(WriteOptions(), "a", "1").ok());
  ExpectRefusedRestore(kRestored, "/wal", "/other");
  ASSERT_TRUE(other->Close().ok());
  ExpectRefusedRestore(kRestored, "/wal", "/other");
  ASSERT_TRUE(DB::Open(options, "/other", &other).ok());
  std::string value;
  EXPECT_TRUE(other->Get(ReadOptions(), "a", &value).ok());
}

TEST_F(BackupEngineTest, LogsElsewhereAreRestoredInPlace) {
  Options options = SmallOptions();
  options.wal_dir = "/wal";
  Open(options);
  OpenEngine();
  PutRange(0, 10, 1);
  Flush();
  PutRange(5, 20, 2);
  MustCreate();
  const Contents then = model_;
  PutRange(0, 30, 3);
  Close();
  ASSERT_TRUE(engine_->RestoreDBFromLatestBackup(kDbName, "/wal").ok());
  model_ = then;
  Open(options);
  ExpectModel();
  PutRange(0, 30, 4);
  Kill();
  Open(options);
  ExpectModel();
}

TEST_F(BackupEngineTest, AnEmptyNameOfTheLogsMeansTheDatabases) {
  Make(1);
  ASSERT_TRUE(engine_->RestoreDBFromLatestBackup(kRestored, "").ok());
  ExpectDatabase(kRestored, contents_[0]);
}

TEST_F(BackupEngineTest, NothingIsWrittenThroughABackupThatIsRead) {
  Make(2);
  PutRange(100, 110, 1);
  MustCreate();
  const Names before = Everything();
  BackupInfo info;
  ASSERT_TRUE(engine_->GetBackupInfo(3, &info, /*include_file_details=*/true).ok());
  engine_.reset();
  Options options = SmallOptions();
  options.env = info.env_for_open.get();
  std::unique_ptr<DB> backup;
  Status s = DB::OpenForReadOnly(options, info.name_for_open, &backup);
  ASSERT_TRUE(s.ok()) << s.ToString();
  backup.swap(db_);
  ExpectModel();
  backup.swap(db_);
  backup.reset();
  EXPECT_FALSE(DB::Open(options, info.name_for_open, &backup).ok());
  EXPECT_FALSE(DestroyDB(info.name_for_open, options).ok());
  EXPECT_EQ(before, Everything());
  OpenEngine();
  ExpectBackup(3, model_);
}

TEST_F(BackupEngineTest, DetailsNameTheDatabasesFiles) {
  Make(1);
  BackupInfo info;
  ASSERT_TRUE(engine_->GetBackupInfo(1, &info, /*include_file_details=*/true).ok());
  int tables = 0;
  for (const BackupFileInfo& file : info.file_details) {
    EXPECT_EQ(kBackups, file.directory);
    EXPECT_EQ(file.size, backups_.Size(file.directory + "/" + file.relative_filename));
    tables += file.file_type == kTableFile && file.file_number > 0;
  }
  EXPECT_EQ(1, tables);
}

TEST_F(BackupEngineTest, ReadersRunBesideOneAnotherOnFibers) {
  Make(3);
  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = 2;
  runtime_options.stack_size = size_t{256} << 10;
  fiber::Runtime runtime(runtime_options);
  std::vector<fiber::JoinHandle> fibers;
  std::atomic<int> good{0};
  for (BackupID id = 1; id <= 3; ++id) {
    fibers.push_back(runtime.spawn([&, id] {
      const std::string dir = kRestored + std::to_string(id);
      good += engine_->VerifyBackup(id, true).ok();
      good += engine_->RestoreDBFromBackup(id, dir, dir).ok();
    }));
    fibers.push_back(runtime.spawn([&] { good += Create().ok(); }));
  }
  for (fiber::JoinHandle& handle : fibers) handle.join();
  EXPECT_EQ(9, good.load());
  for (int id = 1; id <= 3; ++id) ExpectDatabase(kRestored + std::to_string(id), contents_[id - 1]);
  EXPECT_EQ(6u, Good().size());
}

// Ingestion by RocksDB writes a number into the properties, whose checksum is wrong from then on.
TEST_F(BackupEngineTest, TablesFromOutsideHaveTheirSessionsToo) {
  Open();
  OpenEngine();
  SstFileWriter writer(EnvOptions(), SmallOptions());
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  ASSERT_TRUE(writer.Put("key", "value").ok());
  ASSERT_TRUE(writer.Finish().ok());
  const Status s = db_->IngestExternalFile({"/outside.sst"}, IngestExternalFileOptions());
  ASSERT_TRUE(s.ok()) << s.ToString();
  const std::string table = disk_.Files(FileType::kTableFile).front();
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), table, &bytes).ok());
  const size_t name = bytes.find(".global_seqno");
  ASSERT_NE(std::string::npos, name);
  bytes[name + strlen(".global_seqno")] = 7;
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, table, true).ok());
  MustCreate();
  const Names names = NamesIn(backups_, Path("shared_checksum"));
  ASSERT_EQ(1u, names.size());
  EXPECT_NE(std::string::npos, names.begin()->find("_s")) << *names.begin();
  // Other damage has the table named by its checksum.
  bytes[name] ^= 1;
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, table, true).ok());
  MustCreate();
  EXPECT_EQ(2u, NamesIn(backups_, Path("shared_checksum")).size());
}

// What is open for reading may know a part of the families.
TEST_F(BackupEngineTest, FamiliesThatAreNotOpenAreMissed) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(SmallOptions(), "other", &family).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), family, "a", "1").ok());
  ASSERT_TRUE(db_->Flush(FlushOptions(), family).ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
  Close();
  ASSERT_TRUE(TryOpenReadOnly(SmallOptions()).ok());
  OpenEngine();
  const IOStatus s = Create();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("other")) << s.ToString();
  EXPECT_EQ(Names(), NamesIn(backups_, Path("private")));
  // With all of them it is one.
  db_.reset();
  std::vector<ColumnFamilyHandle*> handles;
  const std::vector<ColumnFamilyDescriptor> families = {{"default", SmallOptions()},
                                                        {"other", SmallOptions()}};
  ASSERT_TRUE(DB::OpenForReadOnly(SmallOptions(), kDbName, families, &handles, &db_).ok());
  MustCreate();
  for (ColumnFamilyHandle* handle : handles) {
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  }
  ASSERT_TRUE(engine_->RestoreDBFromLatestBackup(kRestored, kRestored).ok());
  handles.clear();
  ASSERT_TRUE(DB::Open(SmallOptions(), kRestored, families, &handles, &db_).ok());
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), handles[1], "a", &value).ok());
  for (ColumnFamilyHandle* handle : handles) {
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  }
}

TEST_F(BackupEngineTest, StatisticsCount) {
  BackupStatistics statistics(1, 2);
  statistics.IncrementNumberSuccessBackup();
  statistics.IncrementNumberFailBackup();
  EXPECT_EQ(2u, statistics.GetNumberSuccessBackup());
  EXPECT_EQ(3u, statistics.GetNumberFailBackup());
  EXPECT_EQ("# success backup: 2, # fail backup: 3", statistics.ToString());
}

// What of a database is the backup's may stay where it is.
TEST_F(BackupEngineTest, ARestoreMayKeepWhatIsTheSame) {
  Options of_db = SmallOptions();
  of_db.disable_auto_compactions = true;
  Open(of_db);
  for (uint64_t i = 0; i < 3; ++i) {
    PutRange(i * 100, i * 100 + 100, 1);
    Flush();
  }
  OpenEngine();
  MustCreate(/*flush=*/true);
  const Contents expected = model_;
  std::atomic<int> opened{0};  // tables of the backup
  fault::Rule counts;
  counts.operations = fault::kOpen;
  counts.where = [&opened](const std::string& path) {
    if (path.find("shared_checksum/") != std::string::npos) ++opened;
    return false;
  };
  backups_.faults->AddRule(counts);
  const auto restore = [&](RestoreOptions::Mode mode) {
    opened = 0;
    const RestoreOptions how(/*keep_log_files=*/false, mode);
    const IOStatus s = engine_->RestoreDBFromBackup(how, 1, kRestored, kRestored);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return opened.load();
  };
  using Mode = RestoreOptions::Mode;
  EXPECT_EQ(restore(Mode::kKeepLatestDbSessionIdFiles), 3) << "nothing is there";
  ExpectDatabase(kRestored, expected);
  EXPECT_EQ(restore(Mode::kPurgeAllFiles), 3);
  for (const Mode mode : {Mode::kVerifyChecksum, Mode::kKeepLatestDbSessionIdFiles}) {
    SCOPED_TRACE(mode);
    EXPECT_EQ(restore(mode), 0);
    ExpectDatabase(kRestored, expected);
    // One that is gone, one of another size.
    std::vector<std::string> tables;
    for (const std::string& name : NamesIn(disk_, kRestored)) {
      if (name.ends_with(".sst")) tables.push_back(std::string(kRestored) + "/" + name);
    }
    ASSERT_EQ(tables.size(), 3u);
    ASSERT_TRUE(disk_.memory->DeleteFile(tables[0], IOOptions(), nullptr).ok());
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "cut", tables[1], false).ok());
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "no one's",
                                  std::string(kRestored) + "/000099.sst", false)
                    .ok());
    EXPECT_EQ(restore(mode), 2);
    EXPECT_FALSE(NamesIn(disk_, kRestored).contains("000099.sst"));
    ExpectDatabase(kRestored, expected);
    // One that changed, with its size: only who reads it knows.
    std::string bytes;
    ASSERT_TRUE(ReadFileToString(disk_.memory.get(), tables[2], &bytes).ok());
    bytes[50] = static_cast<char>(bytes[50] ^ 1);
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, tables[2], false).ok());
    EXPECT_EQ(restore(mode), mode == Mode::kVerifyChecksum ? 1 : 0);
    if (mode == Mode::kVerifyChecksum) ExpectDatabase(kRestored, expected);
  }
  EXPECT_EQ(restore(Mode::kVerifyChecksum), 1);
  ExpectDatabase(kRestored, expected);
  EXPECT_TRUE(engine_
                  ->RestoreDBFromBackup(RestoreOptions(false, static_cast<Mode>(3)), 1, kRestored,
                                        kRestored)
                  .IsInvalidArgument());
  // Tables of later times go, and those that another database made are not taken for these.
  Put("later", "v");
  Flush();
  MustCreate(/*flush=*/true);
  {
    const RestoreOptions how(false, Mode::kKeepLatestDbSessionIdFiles);
    ASSERT_TRUE(engine_->RestoreDBFromBackup(how, 2, kRestored, kRestored).ok());
    ExpectDatabase(kRestored, model_);
  }
  EXPECT_EQ(restore(Mode::kKeepLatestDbSessionIdFiles), 0);
  ExpectDatabase(kRestored, expected);
}

TEST_F(BackupEngineTest, CopiesGoByBuffersOfAnySize) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{4096}, UINT64_MAX}) {
    options_.io_buffer_size = size;
    Make(1);
    ExpectBackup(1, contents_.back());
    ASSERT_TRUE(engine_->DeleteBackup(1).ok());
  }
}

}  // namespace
}  // namespace cairn
