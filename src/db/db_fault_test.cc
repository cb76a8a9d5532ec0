// A disk that fails while the database runs: full, read-only, an operation that fails once, a
// directory in use. Always a Status, never a lost acknowledged write. Damaged files are in
// db_corruption_test.cc, crashes in db_crash_test.cc.
#include "db/testing/db_fixture.h"
#include "fs/fiber_file_system.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::SeedText;
using testing::Value;

class DbFaultTest : public testing::DbTest {
 protected:
  static bool IsInfoLog(const std::string& path) { return path.find("/LOG") != std::string::npos; }

  void SetUp() override {
    options_ = SmallOptions();
    // The info log may fail without anybody noticing: it takes no part.
    disk_.faults->SetFileFilter([](const std::string& path) { return !IsInfoLog(path); });
  }
  // Heal() forgets the filter.
  void Heal() {
    disk_.faults->Heal();
    disk_.faults->SetFileFilter([](const std::string& path) { return !IsInfoLog(path); });
  }

  // A write whose outcome is remembered: an acknowledged one must be found, a refused one may.
  Status TryPut(const std::string& key, const std::string& value, bool sync = false) {
    WriteOptions options;
    options.sync = sync;
    const Status s = db_->Put(options, key, value);
    if (s.ok()) {
      model_[key] = value;
      maybe_.erase(key);
    } else {
      maybe_[key].insert(value);
    }
    return s;
  }
  void ExpectAcknowledged() {
    const Contents found = Scan();
    for (const auto& [key, value] : found) {
      const auto it = model_.find(key);
      const bool acknowledged = it != model_.end() && it->second == value;
      ASSERT_TRUE(acknowledged || maybe_[key].contains(value)) << key << " has a wrong value";
    }
    for (const auto& [key, value] : model_) ASSERT_TRUE(found.contains(key)) << key << " is lost";
  }
  // What was found is from now on what must be found.
  void AdoptContents() {
    model_ = Scan();
    maybe_.clear();
  }

  Options options_;
  std::map<std::string, std::set<std::string>> maybe_;
};

TEST_F(DbFaultTest, AFullDiskRefusesWritesAndResumesWithSpace) {
  for (uint64_t free : {0, 1, 5000, 60000, 70000, 100000, 150000, 300000}) {
    SCOPED_TRACE("free bytes " + std::to_string(free));
    Open(options_);
    PutRange(0, 100, free, 300);
    disk_.faults->SetFreeBytes(free);
    Status s;
    for (uint64_t i = 0; i < 3000 && s.ok(); ++i) s = TryPut(Key(i % 500), Value(i + free, 300));
    ASSERT_FALSE(s.ok());
    EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
    EXPECT_FALSE(TryPut("more", "x").ok());
    EXPECT_NE(Property("background-errors"), "0");
    ExpectAcknowledged();
    EXPECT_FALSE(db_->Resume().ok()) << "there is still no space";
    ExpectAcknowledged();
    Heal();
    s = db_->Resume();
    ASSERT_TRUE(s.ok()) << s.ToString();
    s = TryPut("after", Value(free, 100), /*sync=*/true);
    ASSERT_TRUE(s.ok()) << s.ToString();
    ExpectAcknowledged();
    Flush();
    Compact();
    ExpectAcknowledged();
    Close();
    Open(options_);
    ExpectAcknowledged();
    AdoptContents();
    Close();
  }
}

TEST_F(DbFaultTest, AFullDiskAndThenAKillLoseNothingAcknowledged) {
  for (uint64_t free : {0, 100, 3000, 65000, 90000, 120000}) {
    SCOPED_TRACE("free bytes " + std::to_string(free));
    Open(options_);
    disk_.faults->SetFreeBytes(free);
    Status s;
    for (uint64_t i = 0; i < 3000 && s.ok(); ++i) s = TryPut(Key(i % 500), Value(i + free, 300));
    ASSERT_FALSE(s.ok());
    Kill();
    SetUp();
    Open(options_);
    ExpectAcknowledged();
    AdoptContents();
    Close();
  }
}

TEST_F(DbFaultTest, AnOperationThatFailsOnceLosesNothingAcknowledged) {
  uint64_t faulted = 0;
  uint64_t step = 1;
  for (uint64_t n = 1; n < 1500; n += step, step = 1 + n / 15) {
    SCOPED_TRACE("operation " + std::to_string(n));
    disk_ = testing::Disk();
    SetUp();
    model_.clear();
    maybe_.clear();
    Open(options_);
    const uint64_t before = disk_.faults->OperationCount();
    disk_.faults->FailNthOperation(n, fault::kAll, IOStatus::IOError("injected"));
    for (uint64_t i = 0; i < 700; ++i) {
      const Status s = TryPut(Key(i * 7 % 300), Value(n * 1000 + i, 400), i % 50 == 0);
      ASSERT_TRUE(s.ok() || s.IsIOError()) << s.ToString();
      if (!s.ok() && i % 5 == 0) db_->Resume().PermitUncheckedError();
      if (i % 97 == 0) {
        std::string value;
        const Status read = db_->Get(ReadOptions(), Key(i % 300), &value);
        ASSERT_TRUE(read.ok() || read.IsNotFound() || read.IsIOError()) << read.ToString();
      }
      if (i == 500)
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).PermitUncheckedError();
    }
    faulted += disk_.faults->OperationCount() - before >= n;
    Heal();
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    if (n % 2 == 0) {
      db_->Close().PermitUncheckedError();
      db_.reset();
    } else {
      Kill();
      SetUp();
    }
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    Close();
    EXPECT_EQ(disk_.faults->OpenWritableFiles(), 0);
    EXPECT_EQ(disk_.faults->OpenReadableFiles(), 0);
  }
  EXPECT_GT(faulted, 30u) << "most of the faults should have struck";
}

TEST_F(DbFaultTest, RandomFaultsLoseNothingAcknowledged) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    Heal();
    Open(options_);
    disk_.faults->FailRandomly(seed, fault::kAll, 200, IOStatus::IOError("injected"));
    for (uint64_t i = 0; i < 400; ++i) {
      const Status s = TryPut(Key((i * 31 + seed) % 400), Value(seed * 1000 + i, 400), i % 40 == 0);
      if (!s.ok()) db_->Resume().PermitUncheckedError();
      if (i % 150 == 149) db_->Flush(FlushOptions()).PermitUncheckedError();
    }
    Kill();
    SetUp();
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    ASSERT_NO_FATAL_FAILURE(ExpectAcknowledged());
    AdoptContents();
  }
}

TEST_F(DbFaultTest, AnOpenThatFailsCanBeTriedAgain) {
  Open(options_);
  PutRange(0, 300, 1, 300);
  Flush();
  PutRange(200, 400, 2, 300);
  Close();
  for (uint64_t n = 1; n < 150; n += 1 + n / 20) {
    SCOPED_TRACE("operation " + std::to_string(n));
    disk_.faults->FailNthOperation(n, fault::kAll, IOStatus::IOError("injected"));
    const Status s = TryOpen(options_);
    EXPECT_TRUE(s.ok() || s.IsIOError()) << s.ToString();
    db_.reset();
    Heal();
    EXPECT_EQ(disk_.faults->OpenWritableFiles(), 0);
    EXPECT_EQ(disk_.faults->OpenReadableFiles(), 0);
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    ASSERT_NO_FATAL_FAILURE(ExpectModel());
    Put(Key(n), "after " + std::to_string(n));
    Close();
  }
}

TEST_F(DbFaultTest, AFailedSyncIsNotAcknowledged) {
  Open(options_);
  PutRange(0, 10, 1);
  disk_.faults->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected"));
  EXPECT_TRUE(TryPut("synced", "v", /*sync=*/true).IsIOError());
  // What the failed sync left on the disk is unknown: nothing goes on until Resume made it safe.
  EXPECT_FALSE(TryPut("later", "v").ok());
  Heal();
  const Status resumed = db_->Resume();
  ASSERT_TRUE(resumed.ok()) << resumed.ToString();
  ASSERT_TRUE(TryPut("after", "v", /*sync=*/true).ok());
  disk_.memory->CrashAndFreeze();
  db_.reset();
  disk_.memory->DropUnsynced();
  Open(options_);
  ExpectAcknowledged();
}

TEST_F(DbFaultTest, AReadErrorIsReportedAndPasses) {
  Open(options_);
  PutRange(0, 200, 1);
  Flush();
  Close();
  Open(options_);
  disk_.faults->FailNthOperation(1, fault::kReads, IOStatus::IOError("injected"), UINT32_MAX);
  std::string value;
  const Status s = db_->Get(ReadOptions(), Key(5), &value);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIOError()) << it->status().ToString();
  it.reset();
  Heal();
  ExpectModel();
  Put("writes", "go on");
  ExpectModel();
}

TEST_F(DbFaultTest, AReadOnlyDirectoryIsReadOnlyReadable) {
  Open(options_);
  PutRange(0, 100, 1);
  Close();
  disk_.faults->SetFileFilter(nullptr);
  disk_.faults->SetReadOnly(true);
  const Status s = TryOpen(options_);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_NE(s.ToString().find(kDbName), std::string::npos) << s.ToString();
  const Status read_only = TryOpenReadOnly(options_);
  ASSERT_TRUE(read_only.ok()) << read_only.ToString();
  ExpectModel();
  db_.reset();
  Heal();
  Open(options_);
  ExpectModel();
}

TEST_F(DbFaultTest, ASecondOpenOfTheDirectoryIsRefused) {
  Open(options_);
  Put("a", "1");
  std::unique_ptr<DB> second;
  const Status s = DB::Open(options_, kDbName, &second);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_NE(s.ToString().find("LOCK"), std::string::npos) << s.ToString();
  EXPECT_EQ(second, nullptr);
  Put("b", "2");
  ExpectModel();
  Close();
  Open(options_);
  ExpectModel();
}

TEST_F(DbFaultTest, ASecondOpenOfARealDirectoryIsRefused) {
  const std::shared_ptr<FileSystem> fs = FileSystem::Default();
  testing::TempDir dir(fs.get(), "db_fault_test");
  Options options = SmallOptions();
  options.env = Env::Default();
  std::unique_ptr<DB> first;
  ASSERT_TRUE(DB::Open(options, dir.path(), &first).ok());
  std::unique_ptr<DB> second;
  const Status s = DB::Open(options, dir.path(), &second);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_NE(s.ToString().find("LOCK"), std::string::npos) << s.ToString();
  std::unique_ptr<DB> reader;
  EXPECT_TRUE(DB::OpenForReadOnly(options, dir.path(), &reader).ok());
  reader.reset();
  EXPECT_FALSE(DB::Open(options, dir.path(), &second).ok()) << "a reader must not free the lock";
  first.reset();
  EXPECT_TRUE(DB::Open(options, dir.path(), &second).ok());
}

}  // namespace
}  // namespace cairn
