// RepairDB: what it makes of a database whose files are gone or damaged. (What 7.8.3 cannot repair,
// as tables of several levels, which it loses, is in src/repair/db_repair_test.cc.)
#include "conformance.h"

namespace conformance {
namespace {

class RepairTest : public DBTest {
 protected:
  RepairTest() { options_.disable_auto_compactions = true; }

  void Remove(const std::string& name) { ASSERT_OK(TheEnv()->DeleteFile(dir_ + "/" + name)); }
  void RemoveAll(const std::string& prefix) {
    for (const std::string& name : FilesStartingWith(prefix)) Remove(name);
  }
  void Cut(const std::string& name, size_t size) {
    WriteFile(name, ReadFile(name).substr(0, size));
  }
  std::vector<std::string> Lost(const std::string& suffix) {
    return FilesEndingIn(suffix, dir_ + "/lost");
  }
  void RepairAndOpen() {
    Shut();
    ASSERT_OK(RepairDB(dir_, options_));
    options_.create_if_missing = false;
    Open();
  }
  // "a" and "b" in a table each, "c" in the log.
  void Fill() {
    Open();
    ASSERT_OK(Put("a", "1"));
    ASSERT_OK(Flush());
    ASSERT_OK(Put("b", "2"));
    ASSERT_OK(Flush());
    ASSERT_OK(Put("c", "3"));
    Shut();
  }
};

TEST_F(RepairTest, ALostManifest) {
  Fill();
  RemoveAll("MANIFEST");
  EXPECT_FALSE(TryOpen().ok());
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  EXPECT_EQ(FilesAtLevel(0), 3);
}

TEST_F(RepairTest, ALostCurrent) {
  Fill();
  Remove("CURRENT");
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
}

TEST_F(RepairTest, BothLost) {
  Fill();
  Remove("CURRENT");
  RemoveAll("MANIFEST");
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  ASSERT_OK(Put("d", "4"));
  ASSERT_OK(Compact());
  Open();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3,d=4");
}

TEST_F(RepairTest, ADamagedManifestAndCurrent) {
  Fill();
  FlipByte(FilesStartingWith("MANIFEST")[0], 10);
  WriteFile("CURRENT", "nonsense");
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
}

TEST_F(RepairTest, AnOlderManifest) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  const std::string name = FilesStartingWith("MANIFEST")[0];
  const std::string older = ReadFile(name);
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  Shut();
  WriteFile(name, older);
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2");
}

TEST_F(RepairTest, OverwrittenAndDeletedKeysStaySo) {
  Open();
  for (const char* const value : {"1", "2", "3"}) {
    ASSERT_OK(Put("k", value));
    ASSERT_OK(Put("gone", value));
    ASSERT_OK(Flush());
  }
  ASSERT_OK(Delete("gone"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("k", "4"));
  Shut();
  RemoveAll("MANIFEST");
  RepairAndOpen();
  EXPECT_EQ(Contents(), "k=4");
  EXPECT_GE(db_->GetLatestSequenceNumber(), 8u);
}

TEST_F(RepairTest, RangesStayDeleted) {
  Open();
  for (const char* const key : {"a", "b", "c", "d", "e"}) ASSERT_OK(Put(key, "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "b", "d"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "e", "f"));
  Shut();
  RemoveAll("MANIFEST");
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,c=2,d=1");
}

TEST_F(RepairTest, ADamagedTableIsLost) {
  Fill();
  const std::vector<std::string> tables = FilesEndingIn(".sst");
  ASSERT_EQ(tables.size(), 2u);
  FlipByte(tables[0], 3);
  RepairAndOpen();
  EXPECT_EQ(Contents(), "b=2,c=3");
  EXPECT_EQ(Lost(".sst"), (std::vector<std::string>{tables[0]}));
}

// (Cairn saves what is left of its blocks: here there is none.)
TEST_F(RepairTest, ATableCutShortIsLost) {
  Fill();
  const std::vector<std::string> tables = FilesEndingIn(".sst");
  Cut(tables[1], 10);
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,c=3");
  EXPECT_EQ(Lost(".sst"), (std::vector<std::string>{tables[1]}));
}

TEST_F(RepairTest, AMissingTable) {
  Fill();
  Remove(FilesEndingIn(".sst")[0]);
  EXPECT_FALSE(TryOpen().ok());
  RepairAndOpen();
  EXPECT_EQ(Contents(), "b=2,c=3");
}

TEST_F(RepairTest, ATornLog) {
  Open();
  for (int i = 0; i < 10; ++i) ASSERT_OK(Put(Key(i), "v"));
  Shut();
  const std::string log = FilesEndingIn(".log")[0];
  Cut(log, ReadFile(log).size() - 5);
  RepairAndOpen();
  for (int i = 0; i < 9; ++i) EXPECT_EQ(Get(Key(i)), "v");
  EXPECT_EQ(Get(Key(9)), "NOT_FOUND");
}

TEST_F(RepairTest, LogsAndManifestsAreMovedAway) {
  Fill();
  const std::vector<std::string> logs = FilesEndingIn(".log");
  const std::vector<std::string> manifests = FilesStartingWith("MANIFEST");
  ASSERT_OK(RepairDB(dir_, options_));
  EXPECT_TRUE(FilesEndingIn(".log").empty());
  EXPECT_EQ(Lost(".log"), logs);
  EXPECT_EQ(Lost(manifests[0]), manifests);
  EXPECT_EQ(FilesEndingIn(".sst").size(), 3u);
  EXPECT_FALSE(FilesStartingWith("CURRENT").empty());
}

TEST_F(RepairTest, ASoundDatabase) {
  Fill();
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
}

TEST_F(RepairTest, AnEmptyDirectoryBecomesAnEmptyDatabase) {
  ASSERT_OK(TheEnv()->CreateDirIfMissing(dir_));
  RepairAndOpen();
  EXPECT_EQ(Contents(), "");
}

TEST_F(RepairTest, ADirectoryThatIsNotThereBecomesOne) {
  RepairAndOpen();
  EXPECT_EQ(Contents(), "");
}

TEST_F(RepairTest, AnOpenDatabaseIsRefused) {
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_CODE(IOError, RepairDB(dir_, options_));
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(RepairTest, LogsElsewhere) {
  options_.wal_dir = root_ + "/logs";
  Fill();
  RemoveAll("MANIFEST");
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  EXPECT_EQ(FilesEndingIn(".log", options_.wal_dir + "/lost").size(), 1u);
  Shut();
  RemoveTree(options_.wal_dir);
}

TEST_F(RepairTest, TablesElsewhere) {
  options_.db_paths = {{root_ + "/tables", 1 << 30}};
  Fill();
  RepairAndOpen();
  EXPECT_EQ(Contents(), "a=1,b=2,c=3");
  EXPECT_EQ(FilesEndingIn(".sst", root_ + "/tables").size(), 3u);
  Shut();
  RemoveTree(root_ + "/tables");
}

class RepairFamiliesTest : public RepairTest {
 protected:
  ~RepairFamiliesTest() override { Leave(); }

  void Leave() {
    for (ColumnFamilyHandle* handle : handles_) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    }
    handles_.clear();
    Shut();
  }
  Status OpenFamilies(const std::vector<std::string>& names) {
    Leave();
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options_);
    return DB::Open(options_, dir_, families, &handles_, &db_);
  }
  std::string GetFrom(size_t family, const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), handles_[family], key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  // "k" in a table of each family, "l" in the log.
  void FillFamilies() {
    options_.create_missing_column_families = true;
    ASSERT_OK(OpenFamilies({"default", "one", "two"}));
    for (size_t i = 0; i < handles_.size(); ++i) {
      ASSERT_OK(db_->Put(WriteOptions(), handles_[i], "k", std::to_string(i)));
    }
    // (All of the log: 7.8.3 fails where a log repeats what a table has.)
    ASSERT_OK(db_->Flush(FlushOptions(), handles_));
    for (size_t i = 0; i < handles_.size(); ++i) {
      ASSERT_OK(db_->Put(WriteOptions(), handles_[i], "l", std::to_string(i)));
    }
    Leave();
    options_.create_missing_column_families = false;
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    EXPECT_OK(DB::ListColumnFamilies(options_, dir_, &names));
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<ColumnFamilyHandle*> handles_;
};

TEST_F(RepairFamiliesTest, AllAreTakenWithTheSameOptions) {
  FillFamilies();
  RemoveAll("MANIFEST");
  ASSERT_OK(RepairDB(dir_, options_));
  EXPECT_EQ(Names(), (std::vector<std::string>{"default", "one", "two"}));
  ASSERT_OK(OpenFamilies({"default", "one", "two"}));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(GetFrom(i, "k"), std::to_string(i));
    EXPECT_EQ(GetFrom(i, "l"), std::to_string(i));
  }
}

TEST_F(RepairFamiliesTest, UnknownOnesAreTakenWithOptionsOfTheirOwn) {
  FillFamilies();
  RemoveAll("MANIFEST");
  ASSERT_OK(RepairDB(dir_, options_, {{"default", options_}, {"one", options_}},
                     ColumnFamilyOptions(options_)));
  ASSERT_OK(OpenFamilies({"default", "one", "two"}));
  EXPECT_EQ(GetFrom(2, "k"), "2");
}

TEST_F(RepairFamiliesTest, UnknownOnesAreLostWhereTheyAreNotAskedFor) {
  FillFamilies();
  RemoveAll("MANIFEST");
  ASSERT_OK(RepairDB(dir_, options_, {{"default", options_}, {"one", options_}}));
  EXPECT_EQ(Names(), (std::vector<std::string>{"default", "one"}));
  EXPECT_EQ(Lost(".sst").size(), 1u);
  ASSERT_OK(OpenFamilies({"default", "one"}));
  EXPECT_EQ(GetFrom(0, "k"), "0");
  EXPECT_EQ(GetFrom(1, "k"), "1");
}

TEST_F(RepairFamiliesTest, TheDefaultOneMustBeNamed) {
  FillFamilies();
  EXPECT_CODE(InvalidArgument, RepairDB(dir_, options_, {{"one", options_}}));
  EXPECT_CODE(InvalidArgument, RepairDB(dir_, options_, {}, ColumnFamilyOptions(options_)));
  ASSERT_OK(OpenFamilies({"default", "one", "two"}));
  EXPECT_EQ(GetFrom(1, "l"), "1");
}

TEST_F(RepairFamiliesTest, ADroppedOneStaysAway) {
  FillFamilies();
  ASSERT_OK(OpenFamilies({"default", "one", "two"}));
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[1]));
  handles_.erase(handles_.begin() + 1);
  Leave();
  ASSERT_OK(OpenFamilies({"default", "two"}));  // its files are deleted by now
  Leave();
  RemoveAll("MANIFEST");
  ASSERT_OK(RepairDB(dir_, options_));
  EXPECT_EQ(Names(), (std::vector<std::string>{"default", "two"}));
}

}  // namespace
}  // namespace conformance
