// Tables that lie under the name of another one, as after a restore that went wrong: of the same
// database and the same size, of another database, nothing but zeros. Whoever opens one says so.
#include "db/testing/db_fixture.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/unique_id.h"
#include "table/unique_id.h"

namespace cairn {
namespace {

using testing::kDbName;
using testing::Key;

class DbSwappedTablesTest : public testing::DbTest {
 protected:
  static Options QuietOptions(const testing::Disk& disk, int max_open_files) {
    Options options;
    options.env = disk.env.get();
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = kNoCompression;
    options.max_open_files = max_open_files;
    return options;
  }
  Options QuietOptions(int max_open_files = -1) { return QuietOptions(disk_, max_open_files); }

  std::string Read(const std::string& path) {
    std::string data;
    EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &data).ok()) << path;
    return data;
  }
  void Overwrite(const std::string& path, const std::string& data) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path, /*sync=*/true).ok()) << path;
  }
  // Two tables of the same keys and size; the paths, oldest first.
  std::vector<std::string> MakeTwoTables() {
    Open(QuietOptions());
    for (const char* generation : {"old", "new"}) {
      for (uint64_t i = 0; i < 50; ++i) {
        EXPECT_TRUE(db_->Put(WriteOptions(), Key(i), generation).ok());
      }
      Flush();
    }
    Close();
    std::vector<std::string> tables = disk_.Files(FileType::kTableFile);
    EXPECT_EQ(tables.size(), 2u);
    EXPECT_EQ(disk_.Size(tables[0]), disk_.Size(tables[1]));
    return tables;
  }
  void Swap(const std::vector<std::string>& tables) {
    const std::string first = Read(tables[0]);
    Overwrite(tables[0], Read(tables[1]));
    Overwrite(tables[1], first);
  }
  static void ExpectMismatch(const Status& s) {
    EXPECT_TRUE(IsUniqueIdMismatch(s)) << s.ToString();
  }
};

TEST_F(DbSwappedTablesTest, TheOpenSaysIt) {
  const std::vector<std::string> tables = MakeTwoTables();
  Swap(tables);
  ExpectMismatch(TryOpen(QuietOptions()));
  ExpectMismatch(TryOpenReadOnly(QuietOptions()));
  std::unique_ptr<DB> secondary;
  Status s = DB::OpenAsSecondary(QuietOptions(), kDbName, "/secondary", &secondary);
  if (s.ok()) {
    std::string value;
    s = secondary->Get(ReadOptions(), Key(7), &value);
  }
  ExpectMismatch(s);
  secondary.reset();
  Swap(tables);
  Open(QuietOptions());
  EXPECT_EQ(Get(Key(7)), "new");
}

TEST_F(DbSwappedTablesTest, WithFewOpenFilesEachReaderSaysIt) {
  Swap(MakeTwoTables());
  Open(QuietOptions(/*max_open_files=*/20));
  std::string value;
  ExpectMismatch(db_->Get(ReadOptions(), Key(7), &value));
  ExpectMismatch(db_->Get(ReadOptions(), Key(7), &value));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  ExpectMismatch(it->status());
  it.reset();
  ExpectMismatch(db_->VerifyChecksum());
  ExpectMismatch(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
}

TEST_F(DbSwappedTablesTest, WhoDoesNotWantToKnow) {
  Swap(MakeTwoTables());
  Options options = QuietOptions();
  options.verify_sst_unique_id_in_manifest = false;
  Open(options);
  EXPECT_FALSE(Get(Key(7)).empty());
}

TEST_F(DbSwappedTablesTest, ATableOfAnotherDatabaseOrOfNothing) {
  const std::vector<std::string> tables = MakeTwoTables();
  const std::string mine = Read(tables[1]);
  testing::Disk elsewhere;
  std::string other;
  {
    std::unique_ptr<DB> db;
    ASSERT_TRUE(DB::Open(QuietOptions(elsewhere, -1), kDbName, &db).ok());
    for (const char* generation : {"1st", "2nd"}) {
      for (uint64_t i = 0; i < 50; ++i) {
        ASSERT_TRUE(db->Put(WriteOptions(), Key(i), generation).ok());
      }
      ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    }
    ASSERT_TRUE(db->Close().ok());
    const std::string path = elsewhere.Files(FileType::kTableFile)[1];
    ASSERT_TRUE(ReadFileToString(elsewhere.memory.get(), path, &other).ok());
  }
  ASSERT_EQ(other.size(), mine.size());
  Overwrite(tables[1], other);
  ExpectMismatch(TryOpen(QuietOptions()));

  Overwrite(tables[1], std::string(mine.size(), '\0'));
  const Status no_table = TryOpen(QuietOptions());
  EXPECT_TRUE(no_table.IsCorruption()) << no_table.ToString();
  Options careless = QuietOptions();
  careless.paranoid_checks = false;
  Open(careless);
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), Key(7), &value).IsCorruption());
  EXPECT_FALSE(db_->VerifyChecksum().ok());
  db_.reset();
  Overwrite(tables[1], mine);
  Open(QuietOptions());
  EXPECT_EQ(Get(Key(7)), "new");
}

// What is flushed, compacted, moved, ingested and repaired keeps its id, over reopening.
TEST_F(DbSwappedTablesTest, AllTablesHaveTheirIdInTheManifest) {
  Options options = QuietOptions();
  Open(options);
  for (int i = 0; i < 3; ++i) {
    Put(Key(i), "flushed");
    Flush();
  }
  Compact();
  Put("moved", "1");
  Flush();
  const std::string external = "/external.sst";
  {
    SstFileWriter writer(EnvOptions(), options);
    ASSERT_TRUE(writer.Open(external).ok());
    ASSERT_TRUE(writer.Put("zz", "ingested").ok());
    ASSERT_TRUE(writer.Finish().ok());
  }
  ASSERT_TRUE(db_->IngestExternalFile({external}, IngestExternalFileOptions()).ok());
  model_["zz"] = "ingested";
  Put("replayed", "1");
  Close();
  const auto check_each = [&](const std::string& name) {
    SCOPED_TRACE(name);
    std::unique_ptr<DB> db;
    Status s = DB::Open(options, name, &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    std::vector<LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    db.reset();
    EXPECT_GE(files.size(), 3u);
    // Each in its turn becomes another one: copies of the first, which all sizes fit.
    for (const LiveFileMetaData& file : files) {
      for (const LiveFileMetaData& other : files) {
        if (file.name == other.name) continue;
        const std::string path = name + "/" + file.relative_filename;
        const std::string good = Read(path);
        Overwrite(path, Read(name + "/" + other.relative_filename));
        Options unsized = options;
        unsized.skip_checking_sst_file_sizes_on_db_open = true;
        unsized.paranoid_checks = false;
        s = DB::OpenForReadOnly(unsized, name, &db);
        if (s.ok()) {
          // The footer lies elsewhere.
          EXPECT_NE(good.size(), Read(path).size()) << path;
          s = db->VerifyChecksum();
        }
        EXPECT_TRUE(s.IsCorruption()) << s.ToString();
        db.reset();
        Overwrite(path, good);
      }
    }
  };
  check_each(kDbName);
  ASSERT_TRUE(RepairDB(kDbName, options).ok());
  check_each(kDbName);
  Open(options);
  ExpectModel();
}

// Tables that are swapped are told apart by what the old MANIFEST remembers of them.
TEST_F(DbSwappedTablesTest, RepairIsNotMisled) {
  Swap(MakeTwoTables());
  const Status s = RepairDB(kDbName, QuietOptions());
  ASSERT_TRUE(s.ok()) << s.ToString();
  Open(QuietOptions());
  EXPECT_EQ(Get(Key(7)), "new");
}

TEST_F(DbSwappedTablesTest, ThePublicIdIsThatOfTheProperties) {
  MakeTwoTables();
  Open(QuietOptions());
  TablePropertiesCollection properties;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&properties).ok());
  std::set<std::string> ids;
  for (const auto& [path, one] : properties) {
    std::string id;
    const Status s = GetUniqueIdFromTableProperties(*one, &id);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(id.size(), 16u);
    ids.insert(id);
    std::string session;
    ASSERT_TRUE(db_->GetDbSessionId(session).ok());
    EXPECT_NE(session, one->db_session_id);
  }
  EXPECT_EQ(ids.size(), 2u);
}

}  // namespace
}  // namespace cairn
