// Logs that are lost, zeroed or cut after a kill, and a MANIFEST that lost its last records: no
// open but one that skips whatever is missing shows a part of a batch, or a write without those
// before it, and says OK.
#include <functional>

#include "db/testing/db_fixture.h"
#include "fiber/runtime.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::kDbName;

constexpr WALRecoveryMode kTolerate = WALRecoveryMode::kTolerateCorruptedTailRecords;
constexpr WALRecoveryMode kAbsolute = WALRecoveryMode::kAbsoluteConsistency;
constexpr WALRecoveryMode kPointInTime = WALRecoveryMode::kPointInTimeRecovery;
constexpr WALRecoveryMode kSkip = WALRecoveryMode::kSkipAnyCorruptedRecords;
constexpr WALRecoveryMode kModes[] = {kTolerate, kAbsolute, kPointInTime, kSkip};

class DbLostLogTest : public testing::DbTest {
 protected:
  using Image = std::map<std::string, std::string>;  // contents by name

  void TearDown() override { Shut(); }

  void Shut() {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    db_.reset();
  }
  Status TryOpen(WALRecoveryMode mode, bool read_only) {
    Shut();
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    options.max_write_buffer_number = 8;
    options.wal_recovery_mode = mode;
    EXPECT_TRUE(
        MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
            .ok());
    options.create_missing_column_families = true;
    const std::vector<ColumnFamilyDescriptor> families{{"default", options}, {"one", options}};
    return read_only ? DB::OpenForReadOnly(options, kDbName, families, &handles_, &db_)
                     : DB::Open(options, kDbName, families, &handles_, &db_);
  }
  void Open() {
    const Status s = TryOpen(kPointInTime, /*read_only=*/false);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // (Of both families.)
  void BeginLog() {
    FlushOptions no_wait;
    no_wait.wait = false;
    no_wait.allow_write_stall = true;
    ASSERT_TRUE(db_->Flush(no_wait, handles_).ok());
  }
  void DieBeforeFlushes() {
    disk_.Freeze();
    ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
    Kill();
  }
  // Batch number `n`, of both families.
  void Write(bool sync = true) {
    const std::string n = std::to_string(++written_);
    WriteBatch batch;
    for (ColumnFamilyHandle* handle : handles_) {
      ASSERT_TRUE(batch.Put(handle, "#", n).ok());
      ASSERT_TRUE(batch.Put(handle, "k" + n, n).ok());
      ASSERT_TRUE(batch.Merge(handle, "all", "x").ok());
    }
    WriteOptions options;
    options.sync = sync;
    const Status s = db_->Write(options, &batch);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void FlushFamily(size_t family) {
    const Status s = db_->Flush(FlushOptions(), handles_[family]);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // The process dies; what was there then.
  void Kill() {
    disk_.Freeze();
    Shut();
    disk_.faults->Heal();
    for (const std::string& name : disk_.Names()) {
      ASSERT_TRUE(ReadFileToString(disk_.memory.get(), Path(name), &image_[name]).ok());
    }
  }
  void AwaitLogs(size_t count) {
    while (disk_.Files(FileType::kWalFile).size() > count) fiber::yield();
  }
  static std::string Path(const std::string& name) { return std::string(kDbName) + "/" + name; }
  std::vector<std::string> Names(FileType wanted) const {
    std::vector<std::string> names;
    for (const auto& [name, contents] : image_) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type) && type == wanted) names.push_back(name);
    }
    return names;
  }
  void Restore(const Image& image) {
    Shut();
    for (const std::string& name : disk_.Names()) {
      ASSERT_TRUE(disk_.memory->DeleteFile(Path(name), IOOptions(), nullptr).ok());
    }
    for (const auto& [name, contents] : image) {
      ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), contents, Path(name), true).ok());
    }
  }

  // How many batches there are. Checks that each is whole, and, unless `holes`, that they are the
  // first ones.
  uint64_t Found(bool holes) {
    uint64_t found = 0;
    uint64_t newest = 0;
    for (uint64_t n = 1; n <= written_; ++n) {
      bool has[2];
      for (const size_t f : {0, 1}) {
        std::string value;
        has[f] = db_->Get(ReadOptions(), handles_[f], "k" + std::to_string(n), &value).ok();
      }
      EXPECT_EQ(has[0], has[1]) << "half of batch " << n;
      found += has[0] ? 1 : 0;
      newest = has[0] ? n : newest;
    }
    for (ColumnFamilyHandle* handle : handles_) {  // operands, each once, with a comma between
      std::string all;
      EXPECT_TRUE(db_->Get(ReadOptions(), handle, "all", &all).ok() || found == 0);
      EXPECT_EQ(all.size(), found == 0 ? 0 : 2 * found - 1);
    }
    EXPECT_TRUE(holes || newest == found) << found << " batches, but " << newest << " is there";
    return found;
  }

  // What the four modes, reading and writing, make of `image`.
  void Check(const Image& image, const std::string& what) {
    SCOPED_TRACE(what);
    for (const WALRecoveryMode mode : kModes) {
      for (const bool read_only : {true, false}) {
        SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)));
        Restore(image);
        const Status s = TryOpen(mode, read_only);
        ++opens_;
        if (!s.ok()) {
          EXPECT_TRUE(s.IsCorruption()) << s.ToString();
          EXPECT_NE(mode, kSkip) << s.ToString();
          ++refused_;
          continue;
        }
        if (mode == kSkip) continue;  // it makes no promise
        const uint64_t found = Found(/*holes=*/mode == kTolerate);
        EXPECT_TRUE(mode != kAbsolute || found == written_) << found << " of " << written_;
        if (HasFailure()) return;
      }
    }
  }
  // Each log is deleted, zeroed, emptied, and cut.
  void CheckEachLog() {
    for (const std::string& log : Names(FileType::kWalFile)) {
      const std::string whole = image_.at(log);
      Image image = image_;
      image.erase(log);
      // The newest log's end is any crash's to take; so is all of it when nothing else knows of it.
      const bool newest = log == Names(FileType::kWalFile).back();
      const auto check = [&](const Image& damaged, const std::string& what) {
        if (newest) {
          const uint64_t written = written_;
          Restore(damaged);
          const Status s = TryOpen(kPointInTime, /*read_only=*/true);
          if (s.ok()) written_ = Found(/*holes=*/false);
          Check(damaged, what);
          written_ = written;
        } else {
          Check(damaged, what);
        }
      };
      check(image, "deleted " + log);
      for (const size_t size : {size_t{0}, whole.size() / 2, whole.size() - 1}) {
        if (size >= whole.size()) continue;
        image[log] = whole.substr(0, size);
        check(image,
              log + " cut to " + std::to_string(size) + " of " + std::to_string(whole.size()));
      }
      image[log] = std::string(whole.size(), '\0');
      check(image, "zeroed " + log);
      for (const std::string& other : Names(FileType::kWalFile)) {
        image = image_;
        std::swap(image.at(log), image.at(other));
        std::string what = "swapped " + log;
        Check(image, what.append(" and ").append(other));
      }
      if (HasFailure()) return;
    }
  }

  std::vector<ColumnFamilyHandle*> handles_;
  uint64_t written_ = 0;
  Image image_;
  int opens_ = 0;
  int refused_ = 0;
};

// One family has all three batches but the last in tables, the other has none.
TEST_F(DbLostLogTest, OneFamilyIsAheadOfLogs) {
  Open();
  for (int n = 1; n <= 3; ++n) {
    Write();
    Write();
    if (n < 3) FlushFamily(0);
  }
  Kill();
  ASSERT_EQ(Names(FileType::kWalFile).size(), 3u);
  Check(image_, "nothing");
  EXPECT_EQ(refused_, 0);
  CheckEachLog();
  EXPECT_GT(refused_, opens_ / 4);
}

// No later log says that something is missing.
TEST_F(DbLostLogTest, OneFamilyIsAheadOfTheNewestLogWithRecords) {
  Open();
  Write();
  Write();
  FlushFamily(1);
  Kill();
  ASSERT_EQ(Names(FileType::kWalFile).size(), 2u);
  Check(image_, "nothing");
  EXPECT_EQ(refused_, 0);
  const std::string log = Names(FileType::kWalFile).front();
  for (const auto& [what, contents] :
       Image{{"emptied", ""},
             {"zeroed", std::string(image_[log].size(), '\0')},
             {"cut", image_[log].substr(0, image_[log].size() - 3)}}) {
    Image image = image_;
    image[log] = contents;
    refused_ = opens_ = 0;
    Check(image, what);
    EXPECT_EQ(refused_, 6) << what;
  }
  Image image = image_;
  image.erase(log);
  refused_ = 0;
  Check(image, "deleted");
  EXPECT_EQ(refused_, 6);
}

// Nobody is ahead: what is lost ends the history.
TEST_F(DbLostLogTest, NobodyIsAhead) {
  Open();
  HoldFlushes();
  for (int n = 1; n <= 2; ++n) {
    Write();
    Write();
    BeginLog();
  }
  Write();
  DieBeforeFlushes();
  ASSERT_EQ(Names(FileType::kWalFile).size(), 3u);
  Check(image_, "nothing");
  EXPECT_EQ(refused_, 0);
  CheckEachLog();
}

// A power cut may take a log's name, and leave that of the next one, unless the directory was
// synced in between: then the log was deleted.
TEST_F(DbLostLogTest, ANameThatNoSyncMadeDurable) {
  for (const bool synced : {false, true}) {
    SCOPED_TRACE(synced ? "synced" : "not synced");
    Restore({});
    image_.clear();
    written_ = 0;
    Open();
    HoldFlushes();
    Write(/*sync=*/false);
    BeginLog();
    Write(/*sync=*/false);
    const Status sync = synced ? db_->SyncWAL() : Status::OK();
    ASSERT_TRUE(sync.ok()) << sync.ToString();
    BeginLog();
    Write(/*sync=*/false);
    DieBeforeFlushes();
    const std::vector<std::string> logs = Names(FileType::kWalFile);
    ASSERT_EQ(logs.size(), 3u);
    Image image = image_;
    image.erase(logs[1]);
    for (const WALRecoveryMode mode : kModes) {
      SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)));
      Restore(image);
      const Status s = TryOpen(mode, /*read_only=*/false);
      if (mode == kAbsolute || (synced && mode != kSkip)) {
        EXPECT_TRUE(s.IsCorruption()) << s.ToString();
        continue;
      }
      ASSERT_TRUE(s.ok()) << s.ToString();
      const bool hole = mode != kPointInTime;
      EXPECT_EQ(Found(hole), hole ? 2u : 1u);
    }
  }
}

// The logs that the lost records made obsolete are gone.
TEST_F(DbLostLogTest, AManifestThatLostItsLastRecords) {
  Open();
  Write();
  FlushFamily(0);
  Write();
  FlushFamily(1);
  Write();
  FlushFamily(0);
  FlushFamily(1);
  AwaitLogs(1);
  Kill();
  // A life that replays, so that a new MANIFEST has the recovery's records.
  image_.clear();
  Open();
  AwaitLogs(1);
  Write();
  FlushFamily(1);
  Write();
  FlushFamily(0);
  FlushFamily(1);
  Write();
  AwaitLogs(1);
  Kill();
  const std::string manifest = Names(FileType::kDescriptorFile).back();
  const std::string whole = image_.at(manifest);
  Check(image_, "nothing");
  EXPECT_EQ(refused_, 0);
  int records = 0;
  for (size_t end = 0; end + 7 < whole.size();) {
    end += 7 + static_cast<uint8_t>(whole[end + 4]) +
           256 * static_cast<size_t>(static_cast<uint8_t>(whole[end + 5]));
    if (end >= whole.size()) break;
    ++records;
    Image image = image_;
    image[manifest] = whole.substr(0, end);
    // What only the lost records knew may be gone, as a whole.
    for (const WALRecoveryMode mode : {kTolerate, kAbsolute, kPointInTime}) {
      for (const bool read_only : {true, false}) {
        SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)) + ", MANIFEST cut to " +
                     std::to_string(end) + " of " + std::to_string(whole.size()));
        Restore(image);
        const Status s = TryOpen(mode, read_only);
        if (s.ok()) {
          Found(/*holes=*/false);
        } else {
          EXPECT_TRUE(s.IsCorruption() || s.IsInvalidArgument()) << s.ToString();
        }
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(records, 8);
}

}  // namespace
}  // namespace cairn
