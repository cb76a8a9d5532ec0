// Databases whose logs have transactions that RocksDB's TransactionDB prepared: they are refused
// unless somebody decides them, and nothing of them is deleted.
#include "base/coding.h"
#include "db/testing/db_fixture.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "manifest/version_edit.h"
#include "wal/log_writer.h"

namespace cairn {
namespace {

using testing::kDbName;

// Batches as a TransactionDB logs them.
class Batch {
 public:
  explicit Batch(SequenceNumber first) : first_(first) {}
  Batch& Put(const std::string& key, const std::string& value) {
    ++count_;
    records_.push_back(kTypeValue);
    PutLengthPrefixedSlice(&records_, key);
    PutLengthPrefixedSlice(&records_, value);
    return *this;
  }
  Batch& Mark(ValueType type) {
    records_.push_back(static_cast<char>(type));
    return *this;
  }
  Batch& Mark(ValueType type, const std::string& name) {
    Mark(type);
    PutLengthPrefixedSlice(&records_, name);
    return *this;
  }
  std::string Bytes() const {
    std::string bytes;
    PutFixed64(&bytes, first_);
    PutFixed32(&bytes, count_);
    return bytes + records_;
  }

 private:
  const SequenceNumber first_;
  uint32_t count_ = 0;
  std::string records_;
};

std::string Prepared(SequenceNumber first, const std::string& name) {
  return Batch(first)
      .Mark(kTypeBeginPrepareXID)
      .Put("prepared", "1")
      .Mark(kTypeEndPrepareXID, name)
      .Bytes();
}
std::string Ended(SequenceNumber first, ValueType how, const std::string& name) {
  return Batch(first).Mark(kTypeNoop).Mark(how, name).Bytes();
}
std::string Plain(SequenceNumber first) { return Batch(first).Put("plain", "1").Bytes(); }

class PreparedTransactionsTest : public testing::DbTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(disk_.memory->CreateDirIfMissing(kDbName, IOOptions(), nullptr).ok());
    WriteManifest(4);
  }
  // All is in tables (there are none) up to log #12, and the logs from this one on are kept.
  void WriteManifest(uint64_t min_log_to_keep) {
    VersionEdit edit;
    edit.SetComparatorName(BytewiseComparator()->Name());
    edit.SetLogNumber(12);
    if (min_log_to_keep != 0) edit.SetMinLogNumberToKeep(min_log_to_keep);
    edit.SetNextFile(20);
    edit.SetLastSequence(3);
    std::string record;
    ASSERT_TRUE(edit.EncodeTo(&record));
    WriteLog(std::string(kDbName) + "/MANIFEST-000005", 5, {record});
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "MANIFEST-000005\n",
                                  std::string(kDbName) + "/CURRENT", /*sync=*/true)
                    .ok());
  }
  void WriteLog(const std::string& path, uint64_t number, const std::vector<std::string>& records) {
    std::unique_ptr<FSWritableFile> file;
    ASSERT_TRUE(disk_.memory->NewWritableFile(path, FileOptions(), &file, nullptr).ok());
    LogWriter log(std::make_unique<FileWriter>(std::move(file), path, FileOptions()), number,
                  /*recycle_log_files=*/false);
    for (const std::string& record : records) ASSERT_TRUE(log.AddRecord(record).ok());
    ASSERT_TRUE(log.Close().ok());
  }
  void WriteWal(uint64_t number, const std::vector<std::string>& records) {
    WriteLog(LogFileName(kDbName, number), number, records);
  }
  void ExpectRefusal(const Status& s, const std::string& log) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    for (const std::string& word : {std::string("prepared transactions"), log})
      EXPECT_NE(s.ToString().find(word), std::string::npos) << s.ToString();
  }
};

TEST_F(PreparedTransactionsTest, AKeptLogWithOneIsRefusedAndStays) {
  WriteWal(4, {Plain(1), Prepared(2, "first")});
  WriteWal(7, {Prepared(3, "second"), Ended(4, kTypeCommitXID, "second")});
  WriteWal(12, {Plain(4)});
  const std::set<std::string> before = disk_.Names();
  for (int attempt = 0; attempt < 2; ++attempt) {
    ExpectRefusal(TryOpen(SmallOptions()), "000004.log");
    ExpectRefusal(TryOpenReadOnly(SmallOptions()), "000004.log");
  }
  const std::set<std::string> after = disk_.Names();
  for (const std::string& name : before) EXPECT_TRUE(after.contains(name)) << name;
  EXPECT_NE(TryOpen(SmallOptions()).ToString().find("first"), std::string::npos);
}

TEST_F(PreparedTransactionsTest, WhatWasCommittedOrRolledBackIsNoReason) {
  WriteWal(4, {Prepared(1, "a"), Prepared(2, "b")});
  WriteWal(7, {Ended(3, kTypeCommitXID, "a"), Ended(3, kTypeRollbackXID, "b")});
  WriteWal(12, {Plain(4)});
  Open();
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), "plain", &value).ok());
}

TEST_F(PreparedTransactionsTest, ALogOlderThanTheKeptIsNotLookedAt) {
  WriteWal(3, {Prepared(1, "a")});
  WriteWal(12, {Plain(4)});
  Open();
}

TEST_F(PreparedTransactionsTest, ALogThatIsReplayedMustLeaveNone) {
  WriteWal(12, {Plain(4), Prepared(5, "a")});
  ExpectRefusal(TryOpen(SmallOptions()), "000012.log");
  ExpectRefusal(TryOpenReadOnly(SmallOptions()), "000012.log");
  Options options = SmallOptions();
  ExpectRefusal(RepairDB(kDbName, options), "000012.log");
  ExpectRefusal(TryOpen(SmallOptions()), "000012.log");
}

TEST_F(PreparedTransactionsTest, TheOptionKeepsThem) {
  WriteWal(4, {Plain(1), Prepared(2, "first")});
  WriteWal(12, {Plain(4), Prepared(5, "a")});
  Options options = SmallOptions();
  options.allow_2pc = true;
  Open(options);
  EXPECT_EQ("1", Get("plain"));
  EXPECT_EQ("NOT_FOUND", Get("prepared"));
  db_.reset();
  // In the new log, as the others went.
  const Status s = TryOpen(SmallOptions());
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_EQ(1u, disk_.Files(FileType::kWalFile).size());
}

// RocksDB says nothing of logs to a MANIFEST before the first flush.
TEST_F(PreparedTransactionsTest, AllLogsAreKeptUnlessTheManifestSaysWhich) {
  WriteManifest(/*min_log_to_keep=*/0);
  WriteWal(3, {Prepared(1, "first")});
  WriteWal(12, {Plain(4)});
  for (int attempt = 0; attempt < 2; ++attempt) {
    ExpectRefusal(TryOpen(SmallOptions()), "000003.log");
  }
  Options options = SmallOptions();
  options.allow_2pc = true;
  Open(options);
  db_.reset();
  const Status s = TryOpen(SmallOptions());
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
}

TEST_F(PreparedTransactionsTest, WhatWasCommittedIsReplayed) {
  WriteWal(4, {Prepared(1, "first")});
  WriteWal(12, {Plain(4), Ended(5, kTypeCommitXID, "first"), Prepared(6, "second"),
                Ended(6, kTypeRollbackXID, "second")});
  Open();
  EXPECT_EQ("1", Get("prepared"));
  EXPECT_EQ(5u, db_->GetLatestSequenceNumber());
}

TEST_F(PreparedTransactionsTest, OtherPoliciesAreRefused) {
  for (const ValueType begin : {kTypeBeginPersistedPrepareXID, kTypeBeginUnprepareXID}) {
    const std::string foreign =
        Batch(2).Mark(begin).Put("prepared", "1").Mark(kTypeEndPrepareXID, "first").Bytes();
    for (const uint64_t log : {4, 12}) {
      WriteWal(12, {Plain(4)});
      WriteWal(log, {foreign});
      Options options = SmallOptions();
      options.allow_2pc = true;
      const Status s = TryOpen(options);
      EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    }
    WriteWal(4, {foreign, Ended(3, kTypeCommitXID, "first")});
    WriteWal(12, {Plain(4)});
    Status s = TryOpenReadOnly(SmallOptions());
    EXPECT_TRUE(s.ok()) << s.ToString();
    db_.reset();
    WriteWal(4, {});
  }
}

TEST_F(PreparedTransactionsTest, ACommitOfWhatADamagedLogHadIsDamage) {
  WriteWal(4, {Prepared(1, "first"), Plain(2)});
  WriteWal(12, {Plain(4), Ended(5, kTypeCommitXID, "first"), Batch(6).Put("later", "1").Bytes()});
  disk_.faults->FlipBits(LogFileName(kDbName, 4), 20, 1);
  Options options = SmallOptions();
  options.wal_recovery_mode = WALRecoveryMode::kTolerateCorruptedTailRecords;
  EXPECT_TRUE(TryOpen(options).IsCorruption());
  // The history ends before it.
  Open();
  EXPECT_EQ("1", Get("plain"));
  EXPECT_EQ("NOT_FOUND", Get("later"));
}

}  // namespace
}  // namespace cairn
