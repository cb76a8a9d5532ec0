// Opening, closing, recovering, and everything that can be wrong with a database's directory.
#include "conformance.h"

namespace conformance {
namespace {

class OpenTest : public DBTest {};

TEST_F(OpenTest, MissingDatabaseIsInvalidArgumentUnlessItMayBeMade) {
  options_.create_if_missing = false;
  EXPECT_CODE(InvalidArgument, TryOpen());
  EXPECT_EQ(nullptr, db_);
  options_.create_if_missing = true;
  EXPECT_OK(TryOpen());
  EXPECT_NE(nullptr, db_);
}

TEST_F(OpenTest, ExistingDatabaseIsInvalidArgumentIfUnwanted) {
  Open();
  Shut();
  options_.error_if_exists = true;
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(OpenTest, MakesTheFilesOfADatabase) {
  Open();
  EXPECT_OK(Put("a", "1"));
  for (const char* name : {"CURRENT", "IDENTITY", "LOCK", "LOG"}) {
    EXPECT_OK(TheEnv()->FileExists(dir_ + "/" + name)) << name;
  }
  EXPECT_EQ(1u, FilesStartingWith("MANIFEST-").size());
  EXPECT_EQ(1u, FilesStartingWith("OPTIONS-").size());
  EXPECT_EQ(1u, FilesEndingIn(".log").size());
  const std::string current = ReadFile("CURRENT");
  EXPECT_EQ(FilesStartingWith("MANIFEST-")[0] + "\n", current);
}

TEST_F(OpenTest, DataSurviveReopening) {
  Open();
  ASSERT_OK(Put("in log", "1"));
  Open();
  EXPECT_EQ("in log=1", Contents());
  ASSERT_OK(Flush());
  ASSERT_OK(Put("later", "2"));
  ASSERT_OK(Delete("in log"));
  Open();
  EXPECT_EQ("later=2", Contents());
  for (int i = 0; i < 5; i++) Open();
  EXPECT_EQ("later=2", Contents());
}

// Where RocksDB keeps statistics (persist_stats_to_disk): in each opening, asked for or not.
TEST_F(OpenTest, TheFamilyOfTheStatisticsHistoryOpensByItself) {
  const std::string name = "___rocksdb_stats_history___";
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, name, &family));
  ASSERT_OK(db_->Put(WriteOptions(), family, "time#count", "1"));
  ASSERT_OK(db_->Flush(FlushOptions(), family));
  ASSERT_OK(db_->Put(WriteOptions(), family, "time#other", "2"));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
  for (int i = 0; i < 3; ++i) {
    Open();
    EXPECT_EQ("a=1", Contents());
    EXPECT_CODE(InvalidArgument, db_->CreateColumnFamily(options_, name, &family));
    ASSERT_OK(Flush());
    Shut();
    std::vector<std::string> families;
    ASSERT_OK(DB::ListColumnFamilies(options_, dir_, &families));
    EXPECT_EQ((std::vector<std::string>{kDefaultColumnFamilyName, name}), families);
  }
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_EQ("a=1", Contents());
  Shut();
  // Who names it gets it, and what was in its log.
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_OK(DB::Open(options_, dir_, {{kDefaultColumnFamilyName, options_}, {name, options_}},
                     &handles, &db_));
  std::string value;
  EXPECT_OK(db_->Get(ReadOptions(), handles[1], "time#count", &value));
  EXPECT_OK(db_->Get(ReadOptions(), handles[1], "time#other", &value));
  EXPECT_EQ("2", value);
  for (ColumnFamilyHandle* handle : handles) ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
}

TEST_F(OpenTest, SequenceNumbersGoOnAfterReopening) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  Open();
  EXPECT_EQ(before, db_->GetLatestSequenceNumber());
  ASSERT_OK(Put("a", "3"));
  EXPECT_EQ(before + 1, db_->GetLatestSequenceNumber());
  EXPECT_EQ("3", Get("a"));
}

TEST_F(OpenTest, SecondOpeningIsRefusedWhileTheFirstLives) {
  Open();
  DB* other = nullptr;
  const Status s = DB::Open(options_, dir_, &other);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_EQ(nullptr, other);
  EXPECT_OK(Put("still", "works"));
  Shut();
  EXPECT_OK(TryOpen());
  EXPECT_EQ("works", Get("still"));
}

TEST_F(OpenTest, FailedOpeningReleasesTheLock) {
  Open();
  Shut();
  options_.error_if_exists = true;
  EXPECT_FALSE(TryOpen().ok());
  options_.error_if_exists = false;
  EXPECT_OK(TryOpen());
}

TEST_F(OpenTest, MissingCurrentIsAnError) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Shut();
  ASSERT_OK(TheEnv()->DeleteFile(dir_ + "/CURRENT"));
  options_.create_if_missing = false;
  // RocksDB sees no database there; Cairn sees one that has lost a file.
  const Status s = TryOpen();
  EXPECT_TRUE(s.IsInvalidArgument() || s.IsCorruption()) << s.ToString();
}

TEST_F(OpenTest, DamagedCurrentIsCorruption) {
  Open();
  Shut();
  const std::string current = ReadFile("CURRENT");
  WriteFile("CURRENT", current.substr(0, current.size() - 1));
  EXPECT_CODE(Corruption, TryOpen());
  WriteFile("CURRENT", "rubbish\n");
  EXPECT_CODE(Corruption, TryOpen());
  WriteFile("CURRENT", current);
  EXPECT_OK(TryOpen());
}

TEST_F(OpenTest, MissingManifestIsAnError) {
  Open();
  Shut();
  ASSERT_OK(TheEnv()->DeleteFile(dir_ + "/" + FilesStartingWith("MANIFEST-")[0]));
  EXPECT_FALSE(TryOpen().ok());
}

TEST_F(OpenTest, FlippedBitInTheManifestIsCorruption) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  Shut();
  const std::string manifest = FilesStartingWith("MANIFEST-")[0];
  const std::string good = ReadFile(manifest);
  // In the payload of the first record, which names the comparator.
  FlipByte(manifest, 12);
  const Status s = TryOpen();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  WriteFile(manifest, good);
  EXPECT_OK(TryOpen());
  EXPECT_EQ("1", Get("a"));
}

TEST_F(OpenTest, MissingTableIsAnError) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  Shut();
  ASSERT_OK(TheEnv()->DeleteFile(dir_ + "/" + FilesEndingIn(".sst")[0]));
  EXPECT_FALSE(TryOpen().ok());
}

TEST_F(OpenTest, TableOfAnotherSizeIsCorruption) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  Shut();
  const std::string table = FilesEndingIn(".sst")[0];
  WriteFile(table, ReadFile(table) + "x");
  const Status s = TryOpen();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
}

TEST_F(OpenTest, FlippedBitInADataBlockIsCorruptionAtReading) {
  Open();
  for (int i = 0; i < 200; i++) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  ASSERT_OK(Flush());
  Shut();
  const std::string table = FilesEndingIn(".sst")[0];
  FlipByte(table, 50);
  Open();  // data blocks are not read by it
  EXPECT_EQ("CORRUPTION", Get(Key(0)));
  EXPECT_EQ(std::string(100, 'v'), Get(Key(199)));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
  it->Seek(Key(199));
  EXPECT_TRUE(it->Valid());
  EXPECT_OK(it->status());
  EXPECT_CODE(Corruption, db_->VerifyChecksum());
}

TEST_F(OpenTest, AnotherComparatorIsInvalidArgument) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Shut();
  options_.comparator = ReverseBytewiseComparator();
  const Status s = TryOpen();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  options_.comparator = BytewiseComparator();
  EXPECT_OK(TryOpen());
}

TEST_F(OpenTest, IdentityStaysAndSessionsDiffer) {
  Open();
  std::string id, session, session2, again;
  ASSERT_OK(db_->GetDbIdentity(id));
  ASSERT_OK(db_->GetDbSessionId(session));
  EXPECT_FALSE(id.empty());
  EXPECT_EQ(20u, session.size());
  std::string in_file = ReadFile("IDENTITY");
  while (!in_file.empty() && in_file.back() == '\n') in_file.pop_back();
  EXPECT_EQ(id, in_file);
  Open();
  ASSERT_OK(db_->GetDbIdentity(again));
  ASSERT_OK(db_->GetDbSessionId(session2));
  EXPECT_EQ(id, again);
  EXPECT_NE(session, session2);
}

TEST_F(OpenTest, OptionsOutOfRangeAreAdjustedOrRefused) {
  options_.max_write_buffer_number = 1;
  options_.num_levels = 0;
  Open();
  EXPECT_EQ(2, db_->GetOptions().max_write_buffer_number);
  EXPECT_GE(db_->GetOptions().num_levels, 1);
  EXPECT_EQ(db_->GetOptions().num_levels, db_->NumberLevels());
}

TEST_F(OpenTest, ReportsItsNameAndOptions) {
  options_.write_buffer_size = 1 << 20;
  options_.level0_stop_writes_trigger = 50;
  Open();
  EXPECT_EQ(dir_, db_->GetName());
  EXPECT_EQ(size_t{1} << 20, db_->GetOptions().write_buffer_size);
  EXPECT_TRUE(db_->GetDBOptions().create_if_missing);
  EXPECT_EQ(TheEnv(), db_->GetEnv());
  EXPECT_EQ(7, db_->NumberLevels());
  EXPECT_EQ(50, db_->Level0StopWriteTrigger());
  EXPECT_EQ("default", db_->DefaultColumnFamily()->GetName());
  EXPECT_EQ(0u, db_->DefaultColumnFamily()->GetID());
  EXPECT_EQ(BytewiseComparator(), db_->DefaultColumnFamily()->GetComparator());
}

TEST_F(OpenTest, CloseReportsAndLeavesTheDestructorOnly) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->Close());
  Open();
  EXPECT_EQ("1", Get("a"));
}

TEST_F(OpenTest, CloseIsAbortedWhileASnapshotIsHeld) {
  Open();
  const Snapshot* snapshot = db_->GetSnapshot();
  EXPECT_CODE(Aborted, db_->Close());
  db_->ReleaseSnapshot(snapshot);
  EXPECT_OK(db_->Close());
}

TEST_F(OpenTest, WithoutLogDataAreFlushedAtCloseUnlessUnwanted) {
  WriteOptions no_log;
  no_log.disableWAL = true;
  Open();
  ASSERT_OK(db_->Put(no_log, "a", "1"));
  Open();
  EXPECT_EQ("1", Get("a"));
  options_.avoid_flush_during_shutdown = true;
  Open();
  ASSERT_OK(db_->Put(no_log, "b", "2"));
  Open();
  EXPECT_EQ("NOT_FOUND", Get("b"));
  EXPECT_EQ("1", Get("a"));
}

TEST_F(OpenTest, NestedMissingParentIsAnError) {
  dir_ = root_ + "/no/such/parent";
  const Status s = TryOpen();
  EXPECT_TRUE(s.IsIOError() || s.ok()) << s.ToString();
  if (s.ok()) {
    Shut();
    RemoveTree(dir_);
    RemoveTree(root_ + "/no/such");
    RemoveTree(root_ + "/no");
  }
}

TEST_F(OpenTest, WithColumnFamiliesNeedsAllOfThem) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Shut();
  std::vector<ColumnFamilyHandle*> handles;
  const DBOptions db_options(options_);
  const ColumnFamilyOptions cf_options(options_);
  ASSERT_OK(DB::Open(db_options, dir_, {{kDefaultColumnFamilyName, cf_options}}, &handles, &db_));
  ASSERT_EQ(1u, handles.size());
  EXPECT_EQ("default", handles[0]->GetName());
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), handles[0], "a", &value));
  EXPECT_EQ("1", value);
  ASSERT_OK(db_->Put(WriteOptions(), handles[0], "b", "2"));
  EXPECT_EQ("2", Get("b"));
  ColumnFamilyDescriptor descriptor;
  ASSERT_OK(handles[0]->GetDescriptor(&descriptor));
  EXPECT_EQ("default", descriptor.name);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles[0]));
  Shut();

  // One that is not there, and none at all.
  // (Cairn opens the default one only, so far.)
  const Status s =
      DB::Open(db_options, dir_, {{kDefaultColumnFamilyName, cf_options}, {"other", cf_options}},
               &handles, &db_);
  EXPECT_TRUE(s.IsInvalidArgument() || s.IsNotSupported()) << s.ToString();
  EXPECT_EQ(nullptr, db_);
  EXPECT_TRUE(DB::Open(db_options, dir_, {}, &handles, &db_).IsInvalidArgument());
}

TEST_F(OpenTest, ListsColumnFamilies) {
  Open();
  Shut();
  std::vector<std::string> names;
  ASSERT_OK(DB::ListColumnFamilies(options_, dir_, &names));
  EXPECT_EQ(std::vector<std::string>{"default"}, names);
  EXPECT_FALSE(DB::ListColumnFamilies(options_, root_ + "/none", &names).ok());
}

TEST_F(OpenTest, LogsAndInfoLogsMayLiveElsewhere) {
  options_.wal_dir = root_ + "/wal";
  options_.db_log_dir = root_ + "/info";
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ(0u, FilesEndingIn(".log").size());
  EXPECT_EQ(1u, FilesEndingIn(".log", options_.wal_dir).size());
  EXPECT_FALSE(FilesEndingIn("LOG", options_.db_log_dir).empty());
  Open();
  EXPECT_EQ("1", Get("a"));
}

// --- Read-only ---

TEST_F(OpenTest, ReadOnlySeesAllAndWritesNothing) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  Shut();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_EQ("a=1,b=2", Contents());
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("NOT_FOUND", Get("c"));
  EXPECT_CODE(NotSupported, Put("c", "3"));
  EXPECT_CODE(NotSupported, Delete("a"));
  EXPECT_CODE(NotSupported, Flush());
  EXPECT_CODE(NotSupported, Compact());
  WriteBatch batch;
  ASSERT_OK(batch.Put("x", "y"));
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsNotSupported());
}

TEST_F(OpenTest, ReadOnlyWorksBesideAWriter) {
  Open();
  ASSERT_OK(Put("a", "1"));
  DB* reader = nullptr;
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &reader));
  std::string value;
  EXPECT_OK(reader->Get(ReadOptions(), "a", &value));
  ASSERT_OK(Put("b", "2"));
  EXPECT_TRUE(reader->Get(ReadOptions(), "b", &value).IsNotFound());
  delete reader;
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_F(OpenTest, ReadOnlyOfNothingFailsAndMakesNothing) {
  EXPECT_FALSE(DB::OpenForReadOnly(options_, dir_, &db_).ok());
  EXPECT_EQ(nullptr, db_);
  EXPECT_FALSE(TheEnv()->FileExists(dir_ + "/CURRENT").ok());
}

TEST_F(OpenTest, ReadOnlyCanInsistOnNoLog) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Shut();
  // (RocksDB 7.8.3 loses the wish in the form without column families.)
  std::vector<ColumnFamilyHandle*> handles;
  const Status s = DB::OpenForReadOnly(options_, dir_, {{kDefaultColumnFamilyName, options_}},
                                       &handles, &db_, true);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
}

// --- DestroyDB ---

TEST_F(OpenTest, DestroyRemovesEverything) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "1"));
  Shut();
  ASSERT_OK(DestroyDB(dir_, options_));
  EXPECT_FALSE(TheEnv()->FileExists(dir_).ok());
  Open();
  EXPECT_EQ("", Contents());
}

TEST_F(OpenTest, DestroyOfNothingIsOk) { EXPECT_OK(DestroyDB(root_ + "/none", options_)); }

TEST_F(OpenTest, DestroyUnderAMissingDirectoryIsAnError) {
  EXPECT_CODE(IOError, DestroyDB(root_ + "/missing/db", options_));
  EXPECT_CODE(NotFound, TheEnv()->FileExists(root_ + "/missing"));
}

TEST_F(OpenTest, DestroyLeavesForeignFiles) {
  Open();
  Shut();
  WriteFile("precious.txt", "keep me");
  DestroyDB(dir_, options_).PermitUncheckedError();
  EXPECT_EQ("keep me", ReadFile("precious.txt"));
  EXPECT_FALSE(TheEnv()->FileExists(dir_ + "/CURRENT").ok());
}

TEST_F(OpenTest, DestroyOfAnOpenDatabaseIsRefused) {
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_CODE(IOError, DestroyDB(dir_, options_));
  EXPECT_EQ("1", Get("a"));
}

// --- Recovery: the directory is copied while the database is open, as a kill would leave it ---

class RecoveryTest : public DBTest {
 protected:
  // Goes on with a copy of the present files. They must hold still while they are copied.
  void Kill() {
    const std::string copy = root_ + "/copy" + std::to_string(kills_++);
    ASSERT_OK(db_->PauseBackgroundWork());
    ASSERT_OK(db_->DisableFileDeletions());
    CopyFiles(dir_, copy);
    ASSERT_OK(db_->ContinueBackgroundWork());
    Shut();
    dir_ = copy;
  }
  int kills_ = 0;
};

TEST_F(RecoveryTest, AcknowledgedWritesSurviveAKill) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Delete("a"));
  Kill();
  Open();
  EXPECT_EQ("b=2", Contents());
  Kill();
  Open();
  EXPECT_EQ("b=2", Contents());
}

TEST_F(RecoveryTest, WritesWithoutLogDoNot) {
  WriteOptions no_log;
  no_log.disableWAL = true;
  Open();
  ASSERT_OK(db_->Put(no_log, "flushed", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->Put(no_log, "lost", "2"));
  ASSERT_OK(Put("logged", "3"));
  Kill();
  Open();
  EXPECT_EQ("flushed=1,logged=3", Contents());
}

TEST_F(RecoveryTest, ManualWalFlushDefersUntilAsked) {
  options_.manual_wal_flush = true;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->FlushWAL(false));
  ASSERT_OK(Put("b", "2"));
  Kill();
  Open();
  EXPECT_EQ("a=1", Contents());
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(db_->FlushWAL(true));
  Kill();
  Open();
  EXPECT_EQ("a=1,c=3", Contents());
}

TEST_F(RecoveryTest, SeveralLogsAreReplayedInOrder) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 4;
  options_.avoid_flush_during_recovery = true;
  Open();
  for (int i = 0; i < 3000; i++) ASSERT_OK(Put(Key(i % 500), std::to_string(i)));
  Kill();
  Open();
  for (int i = 0; i < 500; i++) EXPECT_EQ(std::to_string(2500 + i), Get(Key(i)));
}

TEST_F(RecoveryTest, TornTailIsForgivenOrNotByMode) {
  Open();
  for (int i = 0; i < 10; i++) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  Kill();
  const std::string log = FilesEndingIn(".log").back();
  const std::string data = ReadFile(log);
  const std::string torn_dir = dir_;
  for (WALRecoveryMode mode :
       {WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kPointInTimeRecovery,
        WALRecoveryMode::kSkipAnyCorruptedRecords, WALRecoveryMode::kAbsoluteConsistency}) {
    SCOPED_TRACE(static_cast<int>(mode));
    CopyFiles(torn_dir, root_ + "/torn");
    dir_ = root_ + "/torn";
    WriteFile(log, data.substr(0, data.size() - 5));
    options_.wal_recovery_mode = mode;
    const Status s = TryOpen();
    if (mode == WALRecoveryMode::kAbsoluteConsistency) {
      EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    } else {
      ASSERT_OK(s);
      EXPECT_EQ(std::string(100, 'v'), Get(Key(8)));
      EXPECT_EQ("NOT_FOUND", Get(Key(9)));
      ASSERT_OK(Put("after", "1"));
      Open();
      EXPECT_EQ("1", Get("after"));
      EXPECT_EQ(std::string(100, 'v'), Get(Key(8)));
    }
    Shut();
  }
}

TEST_F(RecoveryTest, DamageInTheMiddleOfALogIsTreatedByMode) {
  Open();
  for (int i = 0; i < 10; i++) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  Kill();
  const std::string log = FilesEndingIn(".log").back();
  const std::string data = ReadFile(log);
  const std::string damaged_dir = dir_;
  for (WALRecoveryMode mode :
       {WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kPointInTimeRecovery,
        WALRecoveryMode::kSkipAnyCorruptedRecords, WALRecoveryMode::kAbsoluteConsistency}) {
    SCOPED_TRACE(static_cast<int>(mode));
    CopyFiles(damaged_dir, root_ + "/damaged");
    dir_ = root_ + "/damaged";
    FlipByte(log, data.size() / 2);
    options_.wal_recovery_mode = mode;
    const Status s = TryOpen();
    switch (mode) {
      case WALRecoveryMode::kPointInTimeRecovery:
        ASSERT_OK(s);
        EXPECT_EQ(std::string(100, 'v'), Get(Key(0)));
        EXPECT_EQ("NOT_FOUND", Get(Key(9)));
        break;
      case WALRecoveryMode::kSkipAnyCorruptedRecords:
        ASSERT_OK(s);
        EXPECT_EQ(std::string(100, 'v'), Get(Key(0)));
        break;
      default:
        EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    }
    Shut();
  }
}

// A table's end says what it is. (The default: all tables are opened with the database.)
TEST_F(OpenTest, WhatIsNoBlockBasedTableIsFoundWhenTheDatabaseOpens) {
  Open();
  ASSERT_OK(Put("k", "v"));
  ASSERT_OK(Flush());
  Shut();
  const std::vector<std::string> tables = FilesEndingIn(".sst");
  ASSERT_EQ(1u, tables.size());
  const std::string whole = ReadFile(tables[0]);
  std::string zeros = whole;
  zeros.replace(zeros.size() - 48, 48, std::string(48, '\0'));
  std::string plain = whole;  // the magic number of plain tables
  plain.replace(plain.size() - 8, 8, "\x40\x5d\xf0\x4f\x82\x24\x22\x82", 8);
  for (const std::string& damaged : {zeros, plain}) {
    WriteFile(tables[0], damaged);
    EXPECT_CODE(Corruption, TryOpen());
    EXPECT_CODE(Corruption, DB::OpenForReadOnly(options_, dir_, &db_));
  }
  WriteFile(tables[0], whole);
  Open();
  EXPECT_EQ("v", Get("k"));
}

}  // namespace
}  // namespace conformance
