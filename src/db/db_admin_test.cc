// What an operator does with a database: properties, files in the directory, read-only opening,
// DestroyDB, manual compaction, and options that this version refuses.
#include "db/testing/db_fixture.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;

class DbAdminTest : public testing::DbTest {};

TEST_F(DbAdminTest, PropertiesTellTheState) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  EXPECT_EQ(Property("num-files-at-level0"), "0");
  PutRange(0, 100, 1);
  EXPECT_EQ(Property("num-entries-active-mem-table"), "100");
  EXPECT_EQ(Property("estimate-num-keys"), "100");
  Flush();
  EXPECT_EQ(Property("num-files-at-level0"), "1");
  EXPECT_EQ(Property("num-entries-active-mem-table"), "0");
  EXPECT_EQ(Property("num-immutable-mem-table"), "0");
  EXPECT_EQ(Property("background-errors"), "0");
  EXPECT_EQ(Property("is-write-stopped"), "0");
  EXPECT_NE(Property("levelstats"), "");
  EXPECT_NE(Property("stats").find("L0"), std::string::npos);
  Compact();
  EXPECT_EQ(Property("num-files-at-level0"), "0");
  uint64_t bytes = 0;
  EXPECT_TRUE(db_->GetIntProperty("rocksdb.total-sst-files-size", &bytes));
  EXPECT_GT(bytes, 100u * 100);
  std::string value;
  EXPECT_FALSE(db_->GetProperty("rocksdb.no-such-thing", &value));
  EXPECT_FALSE(db_->GetProperty("rocksdb.num-files-at-level99", &value));
  EXPECT_FALSE(db_->GetProperty("stats", &value));
}

TEST_F(DbAdminTest, LiveFilesAreThoseOfTheDirectory) {
  Open();
  PutRange(0, 1500, 1);
  PutRange(0, 1500, 2);
  Flush();
  Compact();
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  ASSERT_GT(live.size(), 1u);
  uint64_t entries = 0;
  std::set<std::string> named;
  for (const LiveFileMetaData& file : live) {
    named.insert(file.name);
    entries += file.num_entries;
    EXPECT_EQ(file.column_family_name, "default");
    EXPECT_LE(file.smallestkey, file.largestkey);
    EXPECT_EQ(disk_.Size(kDbName + file.name), file.size);
  }
  EXPECT_EQ(named.size(), live.size());
  EXPECT_EQ(entries, 1500u);
  EXPECT_TRUE(db_->VerifyChecksum().ok());
}

TEST_F(DbAdminTest, LeaksNoFiles) {
  Open();
  for (int round = 0; round < 6; ++round) {
    PutRange(0, 600, round, 200);
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));  // keeps files alive for a while
    it->SeekToFirst();
    if (round % 2 == 0) Compact();
  }
  Compact();
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  Close();
  std::set<std::string> expected = {"CURRENT", "IDENTITY", "LOCK", "LOG"};
  for (const LiveFileMetaData& file : live) expected.insert(file.name.substr(1));
  int logs = 0;
  int manifests = 0;
  int options_files = 0;
  for (const std::string& name : disk_.Names()) {
    uint64_t number;
    FileType type;
    ASSERT_TRUE(ParseFileName(name, &number, &type)) << name;
    if (type == FileType::kWalFile) {
      ++logs;
    } else if (type == FileType::kDescriptorFile) {
      ++manifests;
    } else if (type == FileType::kOptionsFile) {
      ++options_files;
    } else {
      EXPECT_EQ(expected.erase(name), 1u) << name << " is left over";
    }
  }
  EXPECT_TRUE(expected.empty()) << *expected.begin() << " is missing";
  EXPECT_EQ(logs, 1);
  EXPECT_EQ(manifests, 1);
  EXPECT_EQ(options_files, 1);
  EXPECT_EQ(disk_.faults->OpenWritableFiles(), 0);
  EXPECT_EQ(disk_.faults->OpenReadableFiles(), 0);
}

TEST_F(DbAdminTest, OpeningRemovesTheRemainsOfADeadProcess) {
  Open();
  PutRange(0, 300, 1);
  Flush();
  Close();
  for (const char* name : {"/db/000003.sst", "/db/000004.dbtmp"}) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "half", name).ok());
  }
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "mine", "/db/notes.txt").ok());
  Open();
  ExpectModel();
  Close();
  const std::set<std::string> names = disk_.Names();
  EXPECT_FALSE(names.contains("000003.sst"));
  EXPECT_FALSE(names.contains("000004.dbtmp"));
  EXPECT_TRUE(names.contains("notes.txt"));
}

// A power cut leaves files whose numbers are beyond what the manifest knew.
TEST_F(DbAdminTest, OpeningRemovesWhatWasWrittenAfterTheLastEdit) {
  Open();
  PutRange(0, 300, 1);
  Flush();
  Close();
  for (const char* name : {"/db/000900.sst", "/db/MANIFEST-000901"}) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "half", name).ok());
  }
  Open();
  EXPECT_FALSE(disk_.Names().contains("000900.sst"));
  EXPECT_FALSE(disk_.Names().contains("MANIFEST-000901"));
  PutRange(0, 300, 2);
  Flush();
  for (const std::string& table : disk_.Files(FileType::kTableFile)) {
    EXPECT_NE(table, "/db/000900.sst");
  }
  ExpectModel();
  Close();
  Open();
  ExpectModel();
  EXPECT_EQ(disk_.Files(FileType::kDescriptorFile).size(), 1u);
}

TEST_F(DbAdminTest, ObsoleteLogsAreClosedWithoutAWritersHelp) {
  Open();
  for (int round = 0; round < 3; ++round) {
    PutRange(0, 100, round, 200);
    Flush();
    ASSERT_TRUE(db_->DisableFileDeletions().ok());
    ASSERT_TRUE(db_->EnableFileDeletions().ok());  // looks for obsolete files here and now
    int logs = 0;
    for (const std::string& name : disk_.faults->OpenFileNames()) logs += name.ends_with(".log");
    EXPECT_EQ(logs, 1) << "the one in use";
  }
}

TEST_F(DbAdminTest, ObsoleteLogsAreRecycled) {
  Options options = SmallOptions();
  options.recycle_log_file_num = 1;
  options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  Open(options);
  for (int round = 0; round < 6; ++round) {
    PutRange(0, 100, round, 200);
    Flush();
    // Looks for obsolete files here and now; the flush does so after its callers were woken.
    ASSERT_TRUE(db_->DisableFileDeletions().ok());
    ASSERT_TRUE(db_->EnableFileDeletions().ok());
    // One in use, at most one that waits; what is behind the end of the present log is not its own.
    EXPECT_LE(disk_.Files(FileType::kWalFile).size(), 2u);
  }
  PutRange(0, 3, 99, 10);
  const std::string current = disk_.Files(FileType::kWalFile).back();
  EXPECT_GT(disk_.Size(current), 100u * 200) << "a new file, not a recycled one";
  disk_.Freeze();  // or the close would cut it off
  db_.reset();
  disk_.faults->Heal();
  Open();  // by now without: what is left is only deleted, and read to a point in time
  ExpectModel();
  EXPECT_EQ(disk_.Files(FileType::kWalFile).size(), 1u);
}

TEST_F(DbAdminTest, WritesOfLowPriorityWaitWhileCompactionIsBehind) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  WriteOptions low;
  low.low_pri = true;
  low.no_slowdown = true;
  const std::string value(64 << 10, 'v');  // a sixteenth of a second's worth
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(db_->Put(low, "k", value).ok()) << "nothing is behind yet";
    Flush();
  }
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  ASSERT_TRUE(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}).ok());
  EXPECT_TRUE(db_->Put(low, "k", value).IsIncomplete());
  EXPECT_TRUE(db_->Put(WriteOptions(), "k", "v").ok()) << "others do not wait";
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  low.no_slowdown = false;
  EXPECT_TRUE(db_->Put(low, "k", value).ok());
  std::map<std::string, std::string> stalls;
  EXPECT_TRUE(db_->GetMapProperty("rocksdb.cf-write-stall-stats", &stalls));
  EXPECT_EQ(stalls.at("total-delays"), "0") << "which is of all writes";
}

TEST_F(DbAdminTest, LogsAreNotRecycledWhereTheirRemainsWouldBeDamage) {
  for (const auto mode :
       {WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kAbsoluteConsistency,
        WALRecoveryMode::kPointInTimeRecovery}) {
    Options options = SmallOptions();
    options.recycle_log_file_num = 1;
    options.wal_recovery_mode = mode;
    Open(options);
    EXPECT_EQ(db_->GetDBOptions().recycle_log_file_num, 0u);
  }
}

TEST_F(DbAdminTest, ReadOnlyReadsTheLogAndWritesNothing) {
  Open();
  PutRange(0, 300, 1);
  Flush();
  PutRange(200, 400, 2);
  Close();
  const std::set<std::string> before = disk_.Names();
  const uint64_t writes = disk_.faults->OperationCount(fault::kWrites);
  ASSERT_TRUE(TryOpenReadOnly(SmallOptions()).ok());
  ExpectModel();
  EXPECT_TRUE(db_->Put(WriteOptions(), "k", "v").IsNotSupported());
  EXPECT_TRUE(db_->Delete(WriteOptions(), "k").IsNotSupported());
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsNotSupported());
  EXPECT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).IsNotSupported());
  EXPECT_TRUE(db_->SyncWAL().IsNotSupported());
  db_.reset();
  EXPECT_EQ(disk_.faults->OperationCount(fault::kWrites), writes);
  EXPECT_TRUE(disk_.Names() == before);
  EXPECT_FALSE(DB::OpenForReadOnly(SmallOptions(), kDbName, &db_, true).ok());
}

TEST_F(DbAdminTest, DestroyRemovesTheDatabaseAndLeavesTheRest) {
  Open();
  PutRange(0, 300, 1);
  Flush();
  EXPECT_FALSE(DestroyDB(kDbName, SmallOptions()).ok()) << "it is open";
  Close();
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "mine", "/db/notes.txt").ok());
  ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());
  EXPECT_EQ(disk_.Names(), std::set<std::string>{"notes.txt"});
  ASSERT_TRUE(disk_.memory->DeleteFile("/db/notes.txt", IOOptions(), nullptr).ok());
  ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());
  EXPECT_FALSE(disk_.memory->FileExists(kDbName, IOOptions(), nullptr).ok());
  EXPECT_TRUE(DestroyDB(kDbName, SmallOptions()).ok()) << "what is not there is destroyed";
  Options options = SmallOptions();
  options.create_if_missing = false;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
}

// GetOptions() names the database's own directories.
TEST_F(DbAdminTest, DestroyWithAnothersOptionsLeavesThatOnesManifest) {
  Open();
  const Options options = db_->GetOptions();
  ASSERT_TRUE(options.env->CreateDirIfMissing("/another").ok());
  ASSERT_TRUE(DestroyDB("/another", options).ok());
  EXPECT_EQ(disk_.Files(FileType::kDescriptorFile).size(), 1u);
  EXPECT_EQ(disk_.Files(FileType::kCurrentFile).size(), 1u);
  EXPECT_EQ(disk_.Files(FileType::kOptionsFile).size(), 1u);
}

TEST_F(DbAdminTest, CompactRangeTakesAPartOrAll) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  const std::string begin_text = Key(100);
  const std::string end_text = Key(200);
  const Slice begin = begin_text;
  const Slice end = end_text;
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), &begin, &end).ok());
  ExpectModel();
  EXPECT_TRUE(db_->CompactRange(CompactRangeOptions(), &end, &begin).IsInvalidArgument());
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  force.exclusive_manual_compaction = true;
  ASSERT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  ExpectModel();
  EXPECT_EQ(FilesAtLevel(0), 0);
  for (const auto& [key, value] : Contents(model_)) Delete(key);
  ASSERT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  EXPECT_TRUE(Scan().empty());
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  EXPECT_TRUE(live.empty()) << "only tombstones were left to drop";
}

TEST_F(DbAdminTest, ErrorIfExistsIsHonoured) {
  Open();
  Close();
  Options options = SmallOptions();
  options.error_if_exists = true;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
}

// --- Options

class DbOptionsTest : public testing::DbTest {
 protected:
  // Opening with `options` fails with a text that names `what`, and leaves nothing behind.
  void ExpectRefused(const Options& options, const std::string& what) {
    const Status s = TryOpen(options);
    EXPECT_TRUE(s.IsNotSupported() || s.IsInvalidArgument()) << what << ": " << s.ToString();
    EXPECT_NE(s.ToString().find(what), std::string::npos) << s.ToString();
    EXPECT_TRUE(disk_.Names().empty());
  }
};

TEST_F(DbOptionsTest, NamesTheOptionThatItRefuses) {
  Options options = SmallOptions();
  options.inplace_update_support = true;
  ExpectRefused(options, "inplace_update_support");
  options = SmallOptions();
  options.comparator = nullptr;
  ExpectRefused(options, "comparator");
  options = SmallOptions();
  options.max_bytes_for_level_multiplier = -1;
  ExpectRefused(options, "max_bytes_for_level_multiplier");
  options = SmallOptions();
  options.keep_log_file_num = 0;
  ExpectRefused(options, "keep_log_file_num");
  options = SmallOptions();
  BlockBasedTableOptions table;
  table.format_version = 99;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  ExpectRefused(options, "format_version");
  options = SmallOptions();
  options.compression = static_cast<CompressionType>(0x55);
  ExpectRefused(options, "compression");
}

TEST_F(DbOptionsTest, RefusesOperationsThatItDoesNotHave) {
  Open();
  Put("k", "v");
  EXPECT_TRUE(db_->Merge(WriteOptions(), "k", "x").IsNotSupported());
  EXPECT_FALSE(db_->Write(WriteOptions(), nullptr).ok());
  EXPECT_FALSE(db_->Put(WriteOptions(), nullptr, "k", "v").ok());
  ReadOptions managed;
  managed.managed = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(managed));
  EXPECT_TRUE(it->status().IsNotSupported());
  EXPECT_NE(it->status().ToString().find("managed"), std::string::npos);
  EXPECT_EQ(Get("k"), "v");
}

TEST_F(DbOptionsTest, SmallestSizesStillWork) {
  Options options = SmallOptions();
  options.write_buffer_size = 1;
  options.max_write_buffer_number = 0;
  options.level0_slowdown_writes_trigger = 0;
  options.level0_stop_writes_trigger = 0;
  options.level0_file_num_compaction_trigger = 0;
  options.max_background_jobs = 0;
  options.max_open_files = 1;
  options.target_file_size_base = 1;
  Open(options);
  PutRange(0, 400, 1, 300);
  ExpectModel();
  Close();
  Open(options);
  ExpectModel();
}

}  // namespace
}  // namespace cairn
