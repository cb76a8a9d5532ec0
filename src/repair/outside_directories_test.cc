// Directories outside of the database's own (wal_dir, db_paths): whose they are, and that what is
// another database's is neither read nor deleted.
#include "db/outside_directories.h"

#include "db/testing/outside_fixture.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kCopy;
using testing::kDbName;
using testing::kTableDir;
using testing::kWalDir;

TEST(DirectoryOwnerTest, IsReadAsItWasWritten) {
  DirectoryOwner owner;
  owner.db_id = "1234-5678";
  owner.db_path = "/a b/c=d\ne";
  owner.foreign_logs_below = 7;
  owner.foreign_tables_below = UINT64_MAX;
  DirectoryOwner read;
  ASSERT_TRUE(DirectoryOwner::Decode(owner.Encode(), &read));
  EXPECT_EQ(read.db_id, owner.db_id);
  EXPECT_EQ(read.db_path, owner.db_path);
  EXPECT_EQ(read.foreign_logs_below, owner.foreign_logs_below);
  EXPECT_EQ(read.foreign_tables_below, owner.foreign_tables_below);
}

TEST(DirectoryOwnerTest, AnEmptyOneHasNoOwnerAndADamagedOneIsRefused) {
  DirectoryOwner owner;
  ASSERT_TRUE(DirectoryOwner::Decode(" \n", &owner));
  EXPECT_TRUE(owner.db_id.empty());
  for (const char* text : {"x", "db_id=1\n", "db_path=/a\n", "db_id=1\ndb_path=/a\n\1",
                           "db_id=1\ndb_path=/a\nforeign_logs_below=-1\n"}) {
    EXPECT_FALSE(DirectoryOwner::Decode(text, &owner)) << text;
  }
  EXPECT_TRUE(DirectoryOwner::Decode("db_id=1\ndb_path=/a\nof_a_newer_release=1\n", &owner));
}

class OutsideDirectoriesTest : public testing::OutsideTest {};

TEST_F(OutsideDirectoriesTest, APlainCopyIsRefusedAlsoWhenItsSourceIsClosed) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  Copy(kDbName, kCopy);
  ExpectRefused(WithLogs(), kCopy, kWalDir, "/db (id ");
  const Contents logs = BytesIn(kWalDir);
  EXPECT_TRUE(DestroyDB(kCopy, WithLogs()).ok());
  EXPECT_EQ(logs, BytesIn(kWalDir));
  Open(WithLogs());
  ExpectModel();
}

TEST_F(OutsideDirectoriesTest, ACopyWithLogsOfItsOwnOpens) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  Copy(kDbName, kCopy);
  Copy(kWalDir, "/wal2");
  Options options = WithLogs();
  options.wal_dir = "/wal2";
  // The logs' copy says what the original says.
  EXPECT_TRUE(OpenAt(kCopy, options).IsInvalidArgument());
  ASSERT_TRUE(fs()->DeleteFile("/wal2/OWNER", IOOptions(), nullptr).ok());
  ASSERT_TRUE(OpenAt(kCopy, options).ok());
  ExpectModel();
  Close();
  Open(WithLogs());
  ExpectModel();
}

TEST_F(OutsideDirectoriesTest, AMovedDatabaseTakesItsLogsAlong) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  Copy(kDbName, kCopy);
  Remove(kDbName);
  ASSERT_TRUE(OpenAt(kCopy, WithLogs()).ok());
  ExpectModel();
  PutRange(50, 60, 1);
  Close();
  // Now it is the old place that is a copy.
  Copy(kCopy, kDbName);
  ExpectRefused(WithLogs(), kDbName, kWalDir, "/copy (id ");
  ASSERT_TRUE(OpenAt(kCopy, WithLogs()).ok());
  ExpectModel();
}

TEST_F(OutsideDirectoriesTest, ReadersOfAMovedDatabaseChangeNothing) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  Copy(kDbName, kCopy);
  Remove(kDbName);
  const Contents before = BytesIn(kWalDir);
  ASSERT_TRUE(DB::OpenForReadOnly(WithLogs(), kCopy, &db_).ok());
  ExpectModel();
  db_.reset();
  EXPECT_EQ(before, BytesIn(kWalDir));
}

TEST_F(OutsideDirectoriesTest, LogsOfADestroyedDatabaseAreNotReplayedIntoANewOne) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());  // without its wal_dir
  const Contents logs = BytesIn(kWalDir);
  Status s = TryOpen(WithLogs());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find(".log"), std::string::npos) << s.ToString();
  EXPECT_EQ(logs, BytesIn(kWalDir));
  s = OpenAt(kCopy, WithLogs());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(logs, BytesIn(kWalDir));
  for (const std::string& name : NamesIn(kWalDir, FileType::kWalFile)) {
    ASSERT_TRUE(fs()->DeleteFile(kWalDir + ("/" + name), IOOptions(), nullptr).ok());
  }
  model_.clear();
  Open(WithLogs());
  ExpectModel();
  PutRange(0, 10, 2);
  Open(WithLogs());
  ExpectModel();
}

TEST_F(OutsideDirectoriesTest, NothingIsLeftOfADatabaseThatIsDestroyedWithItsOptions) {
  Options options = WithLogs();
  options.db_paths = {{kTableDir, UINT64_MAX}};
  Open(options);
  PutRange(0, 50, 1);
  Flush();
  PutRange(50, 60, 1);
  Close();
  ASSERT_TRUE(DestroyDB(kDbName, options).ok());
  for (const char* dir : {kDbName, kWalDir, kTableDir}) {
    EXPECT_FALSE(fs()->FileExists(dir, IOOptions(), nullptr).ok()) << dir;
  }
  model_.clear();
  Open(options);
  ExpectModel();
}

TEST_F(OutsideDirectoriesTest, TwoDatabasesDoNotShareADirectory) {
  for (Options options : {WithLogs(), WithTables()}) {
    Open(options);
    PutRange(0, 50, 1);
    std::unique_ptr<DB> other;
    Status s = DB::Open(options, kCopy, &other);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    Close();
    s = DB::Open(options, kCopy, &other);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(s.ToString().find("/db (id "), std::string::npos) << s.ToString();
    Open(options);
    ExpectModel();
    Close();
    ASSERT_TRUE(DestroyDB(kDbName, options).ok());
    model_.clear();
  }
}

TEST_F(OutsideDirectoriesTest, ADatabasesOwnDirectoryIsNobodyElses) {
  Open();
  PutRange(0, 50, 1);
  Close();
  const Contents before = BytesIn(kDbName);
  Options options = SmallOptions();
  options.wal_dir = kDbName;
  EXPECT_TRUE(OpenAt(kCopy, options).IsInvalidArgument());
  options = SmallOptions();
  options.db_paths = {{kDbName, UINT64_MAX}};
  EXPECT_TRUE(OpenAt(kCopy, options).IsInvalidArgument());
  EXPECT_TRUE(DestroyDB(kCopy, options).ok());
  EXPECT_EQ(before, BytesIn(kDbName));
}

TEST_F(OutsideDirectoriesTest, ItsOwnDirectoryByAnotherNameIsItsOwn) {
  Options options = SmallOptions();
  options.wal_dir = "//db/.";
  options.db_paths = {{"/db//", UINT64_MAX}};
  Open(options);
  PutRange(0, 50, 1);
  Flush();
  PutRange(50, 60, 1);
  Open(options);
  ExpectModel();
  EXPECT_FALSE(NamesIn(kDbName).contains("OWNER"));
}

// As RocksDB leaves it.
TEST_F(OutsideDirectoriesTest, WithoutAnOwnerLogsThatGoOnAreAdopted) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  ASSERT_TRUE(fs()->DeleteFile("/wal/OWNER", IOOptions(), nullptr).ok());
  // One that was not needed any more: nobody can say whose it is.
  ASSERT_TRUE(WriteStringToFile(fs(), "old", "/wal/000001.log").ok());
  Open(WithLogs());
  ExpectModel();
  EXPECT_TRUE(NamesIn(kWalDir).contains("OWNER"));
  Flush();
  PutRange(50, 60, 1);
  Open(WithLogs());
  ExpectModel();
  const std::set<std::string> logs = NamesIn(kWalDir, FileType::kWalFile);
  EXPECT_TRUE(logs.contains("000001.log"));
  EXPECT_EQ(logs.size(), 2u) << "what was replayed is its own";
}

// A copy of what RocksDB made, whose source went on: the log that the copy's MANIFEST names is
// gone.
TEST_F(OutsideDirectoriesTest, WithoutAnOwnerLogsThatDoNotGoOnAreRefused) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  Copy(kDbName, kCopy);
  Open(WithLogs());
  PutRange(0, 50, 2);
  Flush();
  PutRange(0, 50, 3);
  Close();
  ASSERT_TRUE(fs()->DeleteFile("/wal/OWNER", IOOptions(), nullptr).ok());
  const Contents before = BytesIn(kWalDir);
  const Status s = OpenAt(kCopy, WithLogs());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("does not continue"), std::string::npos) << s.ToString();
  EXPECT_EQ(before, BytesIn(kWalDir));
  EXPECT_TRUE(DB::OpenForReadOnly(WithLogs(), kCopy, &db_).IsInvalidArgument());
  Open(WithLogs());
  ExpectModel();
}

TEST_F(OutsideDirectoriesTest, AnEmptyOwnerHasTheDirectoryAdopted) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  Copy(kDbName, kCopy);
  ASSERT_TRUE(WriteStringToFile(fs(), "", "/wal/OWNER").ok());
  ASSERT_TRUE(OpenAt(kCopy, WithLogs()).ok());
  ExpectModel();
  Close();
  ExpectRefused(WithLogs(), kDbName, kWalDir, "/copy (id ");
}

TEST_F(OutsideDirectoriesTest, ADamagedOwnerIsNamed) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  ASSERT_TRUE(WriteStringToFile(fs(), "db_id=", "/wal/OWNER").ok());
  const Status s = TryOpen(WithLogs());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("/wal/OWNER"), std::string::npos) << s.ToString();
}

TEST_F(OutsideDirectoriesTest, ACopyDoesNotDeleteTheTablesOfItsSource) {
  Open(WithTables());
  PutRange(0, 50, 1);
  Flush();
  Close();
  Copy(kDbName, kCopy);
  Open(WithTables());
  PutRange(0, 50, 2);
  Flush();
  ExpectRefused(WithTables(), kCopy, kTableDir, "/db (id ");
  const std::set<std::string> tables = NamesIn(kTableDir);
  EXPECT_TRUE(DestroyDB(kCopy, WithTables()).ok());
  EXPECT_EQ(tables, NamesIn(kTableDir));
  Open(WithTables());
  ExpectModel();
}

// Nobody says whose they are: the copy is opened, but what it does not know it leaves.
TEST_F(OutsideDirectoriesTest, TablesThatWereThereBeforeAreNeitherDeletedNorOverwritten) {
  Open(WithTables());
  PutRange(0, 50, 1);
  Flush();
  PutRange(50, 60, 1);
  const Contents then = model_;
  Close();
  Copy(kDbName, kCopy);
  Open(WithTables());
  PutRange(0, 50, 2);
  Flush();
  Close();
  ASSERT_TRUE(fs()->DeleteFile("/tables/OWNER", IOOptions(), nullptr).ok());
  Contents newer = BytesIn(kTableDir);
  ASSERT_TRUE(OpenAt(kCopy, WithTables()).ok());
  ExpectContents(then);
  ASSERT_TRUE(OpenAt(kCopy, WithTables()).ok());
  ExpectContents(then);
  Close();
  const Contents now = BytesIn(kTableDir);
  for (const auto& [name, bytes] : newer) {
    ASSERT_TRUE(now.contains(name)) << name;
    EXPECT_EQ(now.at(name), bytes) << name;
  }
  // In here new garbage is deleted as ever.
  ASSERT_TRUE(WriteStringToFile(fs(), "x", "/tables/000900.sst").ok());
  ASSERT_TRUE(OpenAt(kCopy, WithTables()).ok());
  EXPECT_FALSE(NamesIn(kTableDir).contains("000900.sst"));
}

TEST_F(OutsideDirectoriesTest, ANewDatabaseDoesNotBuryTablesOfAnother) {
  ASSERT_TRUE(fs()->CreateDir(kTableDir, IOOptions(), nullptr).ok());
  ASSERT_TRUE(WriteStringToFile(fs(), "x", "/tables/000900.sst").ok());
  const Status s = TryOpen(WithTables());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(NamesIn(kTableDir).contains("000900.sst"));
  EXPECT_FALSE(NamesIn(kDbName).contains("CURRENT"));
}

TEST_F(OutsideDirectoriesTest, ARepairKeepsTheLogsEvenIfNothingElseSaysWhoItIs) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  Close();
  for (const std::string& name : NamesIn(kDbName)) {
    ASSERT_TRUE(fs()->DeleteFile(kDbName + ("/" + name), IOOptions(), nullptr).ok());
  }
  ASSERT_TRUE(RepairDB(kDbName, WithLogs()).ok());
  Open(WithLogs());
  ExpectModel();
}

TEST_F(OutsideDirectoriesTest, APowerCutAtAnyMomentOfTheFirstOpenings) {
  for (uint64_t at = 0; at < 60; ++at) {
    SCOPED_TRACE(at);
    db_.reset();
    disk_ = testing::Disk();
    Options options = WithLogs();
    options.db_paths = {{kTableDir, UINT64_MAX}};
    ASSERT_TRUE(fs()->CreateDir(kDbName, IOOptions(), nullptr).ok());
    ASSERT_TRUE(fs()->CreateDir(kWalDir, IOOptions(), nullptr).ok());
    ASSERT_TRUE(fs()->CreateDir(kTableDir, IOOptions(), nullptr).ok());
    fault::Rule rule;
    rule.after = at;
    rule.times = UINT64_MAX;
    disk_.faults->AddRule(rule);
    model_.clear();
    WriteOptions synced;
    synced.sync = true;
    if (TryOpen(options).ok() && db_->Put(synced, "a", "1").ok()) model_["a"] = "1";
    disk_.Freeze();
    db_.reset();
    disk_.faults->Heal();
    disk_.memory->DropUnsyncedRandomly(at);
    Open(options);
    if (model_.contains("a")) ExpectModel();
    Close();
  }
}

}  // namespace
}  // namespace cairn
