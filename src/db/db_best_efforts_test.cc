// best_efforts_recovery: what becomes of the files that it does not use. (What it recovers is in
// manifest/best_efforts_test.cc and test/conformance/best_efforts_test.cc.)
#include "db/testing/db_fixture.h"

namespace cairn {
namespace {

using testing::kDbName;

class DbBestEffortsTest : public testing::DbTest {
 protected:
  Options BestEfforts(bool best = true) {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    options.best_efforts_recovery = best;
    return options;
  }
  void PutAndFlush(const std::string& key) {
    Put(key, key + "'s");
    Flush();
  }
  // For good: no power cut brings it back.
  void Remove(const std::string& path) {
    ASSERT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok()) << path;
    std::unique_ptr<FSDirectory> directory;
    ASSERT_TRUE(disk_.memory->NewDirectory(kDbName, IOOptions(), &directory, nullptr).ok());
    ASSERT_TRUE(directory->Fsync(IOOptions(), nullptr).ok());
  }
  std::vector<std::string> Lost(const std::string& dir) const {
    std::vector<std::string> names, logs;
    disk_.memory->GetChildren(dir + "/lost", IOOptions(), &names, nullptr).PermitUncheckedError();
    for (const std::string& name : names) {
      if (Slice(name).ends_with(".log")) logs.push_back(name);
    }
    return logs;
  }
};

TEST_F(DbBestEffortsTest, LogsThatAreNotReplayedAreKeptAside) {
  for (const std::string wal_dir : {"", "/logs"}) {
    SCOPED_TRACE(wal_dir);
    disk_ = testing::Disk();
    model_.clear();
    Options options = BestEfforts();
    options.wal_dir = wal_dir;
    const std::string logs = wal_dir.empty() ? kDbName : wal_dir;
    Open(options);
    PutAndFlush("a");
    Put("b", "b's");
    Kill();
    model_.erase("b");
    Open(options);
    ExpectModel();
    ASSERT_EQ(Lost(logs).size(), 1u);
    std::string contents;
    ASSERT_TRUE(
        ReadFileToString(disk_.memory.get(), logs + "/lost/" + Lost(logs)[0], &contents).ok());
    EXPECT_NE(contents.find("b's"), std::string::npos);
    // No later opening takes what they had, and none is left with writes that follow nothing.
    PutAndFlush("c");
    options.best_efforts_recovery = false;
    Open(options);
    ExpectModel();
    Open(options);
    ExpectModel();
    EXPECT_EQ(Lost(logs).size(), 1u);
    db_.reset();
  }
}

TEST_F(DbBestEffortsTest, ReadingOnlyChangesNothing) {
  Open(BestEfforts());
  PutAndFlush("a");
  PutAndFlush("b");
  Put("c", "1");
  Kill();
  Remove(disk_.Files(FileType::kTableFile).back());
  Remove(CurrentFileName(kDbName));
  const std::set<std::string> before = disk_.Names();
  const Status s = TryOpenReadOnly(BestEfforts());
  ASSERT_TRUE(s.ok()) << s.ToString();
  ExpectContents({{"a", "a's"}});
  db_.reset();
  EXPECT_EQ(disk_.Names(), before);
}

TEST_F(DbBestEffortsTest, NumbersOfFilesThatAnOlderManifestDoesNotKnowAreNotGivenAgain) {
  Open(BestEfforts(false));
  PutAndFlush("a");
  db_.reset();
  const std::string path = disk_.Files(FileType::kDescriptorFile).back();
  std::string older;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), path, &older).ok());
  Open(BestEfforts(false));
  for (const char* key : {"b", "c", "d"}) PutAndFlush(key);
  db_.reset();
  const std::string newest_table = disk_.Files(FileType::kTableFile).back();
  Remove(disk_.Files(FileType::kDescriptorFile).back());
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), older, path, true).ok());
  Open(BestEfforts());
  model_ = {{"a", "a's"}};
  ExpectModel();
  PutAndFlush("e");
  EXPECT_GT(disk_.Files(FileType::kTableFile).back(), newest_table);
  Open(BestEfforts(false));
  ExpectModel();
}

TEST_F(DbBestEffortsTest, FamiliesThatAreNotThereAreMade) {
  Open(BestEfforts());
  PutAndFlush("a");
  db_.reset();
  Remove(CurrentFileName(kDbName));
  Options options = BestEfforts();
  options.create_missing_column_families = true;
  std::vector<ColumnFamilyHandle*> handles;
  for (int time = 0; time < 2; ++time) {
    const Status s =
        DB::Open(options, kDbName, {{"default", options}, {"one", options}}, &handles, &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
    ExpectModel();
    EXPECT_TRUE(db_->Put(WriteOptions(), handles[1], "k", "1").ok());
    EXPECT_TRUE(db_->Flush(FlushOptions(), handles[1]).ok());
    for (ColumnFamilyHandle* handle : handles) delete handle;
    handles.clear();
    db_.reset();
  }
}

TEST_F(DbBestEffortsTest, TablesWithoutAManifestAreNotTakenForNothing) {
  Open(BestEfforts());
  PutAndFlush("a");
  db_.reset();
  for (const std::string& path : disk_.Files(FileType::kDescriptorFile)) Remove(path);
  const size_t tables = disk_.Files(FileType::kTableFile).size();
  const Status s = TryOpen(BestEfforts());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("every MANIFEST"), std::string::npos) << s.ToString();
  EXPECT_EQ(disk_.Files(FileType::kTableFile).size(), tables);
}

// Wherever an opening dies, the next one finds the same.
TEST_F(DbBestEffortsTest, AnOpeningThatFailsAnywhereCanBeRepeated) {
  bool done = false;
  for (uint64_t n = 1; !done && n < 200; ++n) {
    SCOPED_TRACE("operation " + std::to_string(n));
    disk_ = testing::Disk();
    model_.clear();
    Open(BestEfforts());
    PutAndFlush("a");
    PutAndFlush("b");
    Put("c", "1");
    Kill();
    Remove(disk_.Files(FileType::kTableFile).back());
    model_ = {{"a", "a's"}};
    fault::Rule rule;
    rule.operations = fault::kWrites;
    rule.files = fault::kAnyFile & ~fault::kInfoLogs;
    rule.after = n - 1;
    disk_.faults->AddRule(rule);
    const Status s = TryOpen(BestEfforts());
    done = s.ok();
    disk_.Freeze();
    db_.reset();
    disk_.faults->Heal();
    disk_.memory->DropUnsynced();
    Open(BestEfforts());
    ExpectModel();
    db_.reset();
    if (HasFailure()) return;
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace cairn
