// best_efforts_recovery: what is had of a database that lost files.
#include "conformance.h"

namespace conformance {
namespace {

class BestEffortsTest : public DBTest {
 protected:
  BestEffortsTest() { options_.disable_auto_compactions = true; }

  void Remove(const std::string& name) { ASSERT_OK(TheEnv()->DeleteFile(dir_ + "/" + name)); }
  std::vector<std::string> Tables() { return FilesEndingIn(".sst"); }
  std::vector<std::string> Manifests() { return FilesStartingWith("MANIFEST"); }
  // "a", "b" and so on, a table each.
  void MakeTables(int count) {
    Open();
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(Put(std::string(1, static_cast<char>('a' + i)), std::to_string(i)));
      ASSERT_OK(Flush());
    }
  }
  Status TryOpenBest() {
    options_.best_efforts_recovery = true;
    options_.create_if_missing = false;
    return TryOpen();
  }
  void OpenBest() { ASSERT_OK(TryOpenBest()); }
  // It is a database as others are, afterwards.
  void ExpectSound(const std::string& contents) {
    EXPECT_EQ(Contents(), contents);
    options_.best_efforts_recovery = false;
    Open();
    EXPECT_EQ(Contents(), contents);
    ASSERT_OK(Put("z", "new"));
    ASSERT_OK(Flush());
    ASSERT_OK(Compact());
    Open();
    EXPECT_EQ(Contents(), contents + (contents.empty() ? "" : ",") + "z=new");
  }
};

TEST_F(BestEffortsTest, NothingIsMissing) {
  MakeTables(3);
  OpenBest();
  ExpectSound("a=0,b=1,c=2");
}

TEST_F(BestEffortsTest, TheNewestTableIsGone) {
  MakeTables(3);
  Shut();
  Remove(Tables().back());
  EXPECT_CODE(Corruption, TryOpen());
  OpenBest();
  ExpectSound("a=0,b=1");
}

TEST_F(BestEffortsTest, ATableInBetweenIsGone) {
  MakeTables(4);
  Shut();
  Remove(Tables()[1]);
  OpenBest();
  ExpectSound("a=0");
}

TEST_F(BestEffortsTest, AllTablesAreGone) {
  MakeTables(3);
  Shut();
  for (const std::string& table : Tables()) Remove(table);
  OpenBest();
  ExpectSound("");
}

TEST_F(BestEffortsTest, ATableOfAnotherSize) {
  MakeTables(3);
  Shut();
  WriteFile(Tables()[2], ReadFile(Tables()[2]) + "x");
  OpenBest();
  ExpectSound("a=0,b=1");
}

TEST_F(BestEffortsTest, BehindACompactionThereIsNoWayBack) {
  MakeTables(2);
  ASSERT_OK(Put("a", "0"));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  ASSERT_OK(Put("c", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("d", "3"));
  ASSERT_OK(Flush());
  Shut();
  ASSERT_EQ(Tables().size(), 3u);
  const std::string compacted = Tables()[0];
  Remove(Tables()[2]);
  OpenBest();
  EXPECT_EQ(Contents(), "a=0,b=1,c=2");
  Shut();
  Remove(compacted);
  OpenBest();
  ExpectSound("");
}

TEST_F(BestEffortsTest, CurrentIsGone) {
  MakeTables(2);
  Shut();
  Remove("CURRENT");
  OpenBest();
  ExpectSound("a=0,b=1");
}

TEST_F(BestEffortsTest, CurrentIsNonsense) {
  MakeTables(2);
  Shut();
  WriteFile("CURRENT", "nonsense");
  OpenBest();
  ExpectSound("a=0,b=1");
}

TEST_F(BestEffortsTest, AnOlderManifestIsTaken) {
  MakeTables(1);
  Shut();
  const std::string name = Manifests().back();
  const std::string older = ReadFile(name);
  Open();
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(Flush());
  Shut();
  WriteFile(name, older);
  FlipByte(Manifests().back(), 12);
  EXPECT_FALSE(TryOpen().ok());
  OpenBest();
  ExpectSound("a=0");
}

TEST_F(BestEffortsTest, ACutManifestIsReadToItsEnd) {
  MakeTables(2);
  Shut();
  const std::string name = Manifests().back();
  const std::string whole = ReadFile(name);
  WriteFile(name, whole.substr(0, whole.size() - 5));
  OpenBest();
  EXPECT_EQ(Get("a"), "0");
}

TEST_F(BestEffortsTest, WithoutAManifestThereIsNothing) {
  Open();
  Shut();
  Remove("CURRENT");
  for (const std::string& name : Manifests()) Remove(name);
  for (const std::string& name : FilesEndingIn(".log")) Remove(name);
  EXPECT_CODE(InvalidArgument, TryOpenBest());
  options_.create_if_missing = true;
  Open();
  EXPECT_EQ(Contents(), "");
}

TEST_F(BestEffortsTest, LogsAreNotReplayed) {
  MakeTables(1);
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(db_->SyncWAL());
  OpenBest();
  EXPECT_EQ(Contents(), "a=0");
  ASSERT_OK(Put("c", "2"));
  EXPECT_EQ(Contents(), "a=0,c=2");
}

TEST_F(BestEffortsTest, NorAreTrackedLogsMissed) {
  options_.track_and_verify_wals_in_manifest = true;
  options_.max_write_buffer_number = 8;
  Open();
  ASSERT_OK(db_->PauseBackgroundWork());
  ASSERT_OK(Put("b", "1"));
  FlushOptions no_wait;
  no_wait.wait = false;
  no_wait.allow_write_stall = true;
  ASSERT_OK(db_->Flush(no_wait));
  ASSERT_OK(Put("c", "2"));
  ASSERT_OK(db_->SyncWAL());
  CopyFiles(dir_, root_ + "/killed");
  ASSERT_OK(db_->ContinueBackgroundWork());
  Shut();
  dir_ = root_ + "/killed";
  Remove(FilesEndingIn(".log")[0]);
  EXPECT_CODE(Corruption, TryOpen());
  OpenBest();
  EXPECT_EQ(Contents(), "");
}

TEST_F(BestEffortsTest, FamiliesAreApart) {
  Open();
  ColumnFamilyHandle* one = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "one", &one));
  ASSERT_OK(Put("a", "0"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->Put(WriteOptions(), one, "k", "1"));
  ASSERT_OK(db_->Flush(FlushOptions(), one));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(Flush());
  delete one;
  Shut();
  Remove(Tables()[1]);
  EXPECT_CODE(InvalidArgument, TryOpenBest());  // not all families are named
  const std::vector<ColumnFamilyDescriptor> families{{"default", options_}, {"one", options_}};
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_OK(DB::Open(options_, dir_, families, &handles, &db_));
  EXPECT_EQ(Contents(), "a=0,b=1");
  std::string value;
  EXPECT_CODE(NotFound, db_->Get(ReadOptions(), handles[1], "k", &value));
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

TEST_F(BestEffortsTest, BlobFiles) {
  options_.enable_blob_files = true;
  MakeTables(2);
  Shut();
  Remove(FilesEndingIn(".blob")[1]);
  OpenBest();
  ExpectSound("a=0");
}

TEST_F(BestEffortsTest, ForReadingOnly) {
  MakeTables(2);
  Shut();
  Remove(Tables().back());
  Remove("CURRENT");
  options_.best_efforts_recovery = true;
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_EQ(Contents(), "a=0");
}

TEST_F(BestEffortsTest, ThatThereIsADatabase) {
  MakeTables(1);
  Shut();
  Remove("CURRENT");
  options_.error_if_exists = true;
  EXPECT_CODE(InvalidArgument, TryOpenBest());
}

TEST_F(BestEffortsTest, NotWithAtomicFlush) {
  options_.atomic_flush = true;
  options_.best_efforts_recovery = true;
  const Status s = TryOpen();
  EXPECT_CODE(InvalidArgument, s);
  EXPECT_NE(s.ToString().find("atomic_flush"), std::string::npos) << s.ToString();
}

}  // namespace
}  // namespace conformance
