// Damaged, missing and foreign files: a flipped bit anywhere gives Corruption that names the file,
// or the right value; never a wrong value or a crash. And what each WAL recovery mode makes of a
// damaged log.
#include <atomic>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/internal_key.h"
#include "db/testing/db_fixture.h"
#include "fiber/runtime.h"
#include "rocksdb/listener.h"
#include "rocksdb/table.h"
#include "rocksdb/transaction_log.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::Value;

class DbCorruptionTest : public testing::DbTest {
 protected:
  void SetUp() override { options_ = SmallOptions(); }

  std::string Read(const std::string& path) {
    std::string data;
    EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &data).ok()) << path;
    return data;
  }
  void Overwrite(const std::string& path, const std::string& data) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path, /*sync=*/true).ok()) << path;
  }
  void Flip(const std::string& path, uint64_t offset) {
    ASSERT_TRUE(disk_.memory->CorruptFile(path, offset, 1 << (offset % 8)).ok()) << path;
  }
  void Remove(const std::string& path) {
    ASSERT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok()) << path;
  }
  static void ExpectCorruptionOf(const Status& s, const std::string& path) {
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    EXPECT_NE(s.ToString().find(path.substr(path.rfind('/') + 1)), std::string::npos)
        << s.ToString() << " does not name " << path;
  }

  // The same, or a footer that claims a newer format, for which one flipped bit is enough.
  static void ExpectNoticed(const Status& s, const std::string& path) {
    if (s.IsNotSupported() && s.ToString().find("format_version") != std::string::npos) return;
    ExpectCorruptionOf(s, path);
  }

  // Reads everything in every way; each answer is right or a Corruption that names `path`. Returns
  // whether any read noticed the damage.
  bool ReadAllRightOrCorrupt(const std::string& path) {
    bool noticed = false;
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    auto at = model_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
      if (at == model_.end() || it->key() != Slice(at->first) || it->value() != Slice(at->second)) {
        ADD_FAILURE() << "the iterator gives a wrong entry: " << it->key().ToString();
        return true;
      }
    }
    if (it->status().ok()) {
      EXPECT_TRUE(at == model_.end()) << "the iterator ends early without an error";
    } else {
      ExpectNoticed(it->status(), path);
      noticed = true;
    }
    for (const auto& [key, expected] : model_) {
      std::string value;
      const Status s = db_->Get(ReadOptions(), key, &value);
      if (s.ok()) {
        EXPECT_EQ(value, expected) << key;
      } else {
        ExpectNoticed(s, path);
        noticed = true;
      }
      if (HasFailure()) break;
    }
    return noticed;
  }

  // The database with one table of several blocks; its path.
  std::string MakeTable() {
    Open(options_);
    PutRange(0, 60, 1, 80);
    Flush();
    Close();
    const std::vector<std::string> tables = disk_.Files(FileType::kTableFile);
    EXPECT_EQ(tables.size(), 1u);
    return tables.at(0);
  }

  // Two logs, as the background work stays paused: keys 0..99 in the first, 100..149 in the second.
  void MakeTwoLogs() {
    Options options = options_;
    options.max_write_buffer_number = 4;
    Open(options);
    ASSERT_TRUE(db_->PauseBackgroundWork().ok());
    PutRange(0, 100, 1, 1000);
    for (uint64_t i = 100; disk_.Files(FileType::kWalFile).size() < 2; ++i) {
      ASSERT_LT(i, 300u);
      Put(Key(i), Value(1000000 + i, 1000));
    }
    for (uint64_t i = 300; i < 330; ++i) Put(Key(i), Value(1000000 + i, 100));
  }

  Options options_;
};

TEST_F(DbCorruptionTest, AFlippedBitInATableIsNoticedOrHarmless) {
  const std::string path = MakeTable();
  const uint64_t size = disk_.Size(path);
  uint64_t noticed = 0;
  uint64_t tried = 0;
  // A sample of data, filter, index, properties and metaindex; every byte of the footer.
  constexpr uint64_t kFooterSize = 53;
  const auto step = [size](uint64_t offset) {
    return offset + kFooterSize >= size ? 1 : offset + 1800 >= size ? 11 : 47;
  };
  for (uint64_t offset = 0; offset < size; offset += step(offset)) {
    SCOPED_TRACE("offset " + std::to_string(offset) + " of " + std::to_string(size));
    Flip(path, offset);
    ++tried;
    // With a block cache of its own: that of options_ may have the good blocks.
    const Status s = TryOpenReadOnly(SmallOptions());
    if (s.ok()) {
      noticed += ReadAllRightOrCorrupt(path);
    } else {
      ExpectNoticed(s, path);
      ++noticed;
    }
    db_.reset();
    Flip(path, offset);
    if (HasFailure()) return;
  }
  // Only the footer's padding means nothing.
  EXPECT_GE(noticed + 40, tried) << noticed << " of " << tried;
  ASSERT_TRUE(TryOpenReadOnly(options_).ok());
  ExpectModel();
}

TEST_F(DbCorruptionTest, VerifyChecksumFindsADamagedDataBlock) {
  const std::string path = MakeTable();
  Flip(path, 100);
  ASSERT_TRUE(TryOpenReadOnly(options_).ok());
  ExpectCorruptionOf(db_->VerifyChecksum(), path);
}

TEST_F(DbCorruptionTest, ACompactionDoesNotSpreadDamage) {
  options_.disable_auto_compactions = true;
  const std::string path = MakeTable();
  Flip(path, 100);
  Open(options_);
  PutRange(20, 90, 2, 80);
  const Status s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  ExpectCorruptionOf(s, path);
  ReadAllRightOrCorrupt(path);
  EXPECT_FALSE(db_->Put(WriteOptions(), "k", "v").ok()) << "the database has stopped";
  EXPECT_FALSE(db_->Resume().ok());
  db_.reset();
  Flip(path, 100);
  Open(options_);
  ExpectModel();
  Compact();
  ExpectModel();
}

TEST_F(DbCorruptionTest, ATruncatedOrMissingTableIsNamed) {
  const std::string path = MakeTable();
  const std::string data = Read(path);
  for (const size_t size : {size_t{0}, size_t{10}, data.size() / 2, data.size() - 1}) {
    Overwrite(path, data.substr(0, size));
    Status s = TryOpen(options_);
    if (s.ok()) s = db_->VerifyChecksum();
    ExpectCorruptionOf(s, path);
  }
  Remove(path);
  ExpectCorruptionOf(TryOpen(options_), path);
  ExpectCorruptionOf(TryOpenReadOnly(options_), path);
  Overwrite(path, data);
  Open(options_);
  ExpectModel();
}

TEST_F(DbCorruptionTest, ATableOfANewerFormatIsRefused) {
  const std::string path = MakeTable();
  std::string data = Read(path);
  const std::string good = data;
  EncodeFixed32(data.data() + data.size() - 12, 99);
  Overwrite(path, data);
  Status s = TryOpen(options_);
  std::string value;
  if (s.ok()) s = db_->Get(ReadOptions(), Key(1), &value);
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.ToString().find("99"), std::string::npos) << s.ToString();
  EXPECT_NE(s.ToString().find(path.substr(path.rfind('/') + 1)), std::string::npos) << s.ToString();
  db_.reset();
  Overwrite(path, good);
  Open(options_);
  ExpectModel();
}

TEST_F(DbCorruptionTest, AFlippedBitInTheManifestIsNamed) {
  MakeTable();
  const std::string path = disk_.Files(FileType::kDescriptorFile).at(0);
  const uint64_t size = disk_.Size(path);
  for (uint64_t offset = 0; offset < size; ++offset) {
    SCOPED_TRACE("offset " + std::to_string(offset) + " of " + std::to_string(size));
    Flip(path, offset);
    ExpectCorruptionOf(TryOpenReadOnly(options_), path);
    Flip(path, offset);
    if (HasFailure()) return;
  }
  Open(options_);
  ExpectModel();
}

TEST_F(DbCorruptionTest, AnUnknownManifestTagIsRefusedUnlessSafeToIgnore) {
  MakeTable();
  const std::string path = disk_.Files(FileType::kDescriptorFile).at(0);
  const std::string good = Read(path);
  for (const uint32_t tag : {500u, (1u << 13) | 500u}) {
    std::string payload;
    PutVarint32(&payload, tag);
    PutLengthPrefixedSlice(&payload, "what a newer version wrote");
    std::string typed(1, '\1');  // a full record
    typed += payload;
    std::string record;
    PutFixed32(&record, crc32c::Mask(crc32c::Value(typed.data(), typed.size())));
    record.push_back(static_cast<char>(payload.size() & 0xff));
    record.push_back(static_cast<char>(payload.size() >> 8));
    record += typed;
    Overwrite(path, good + record);
    const Status s = TryOpenReadOnly(options_);
    if (tag == 500) {
      ExpectCorruptionOf(s, path);
      EXPECT_NE(s.ToString().find("500"), std::string::npos) << s.ToString();
    } else {
      EXPECT_TRUE(s.ok()) << s.ToString();
    }
  }
}

TEST_F(DbCorruptionTest, ADamagedOrMissingCurrentIsNamed) {
  MakeTable();
  const std::string path = CurrentFileName(kDbName);
  const std::string good = Read(path);
  for (uint64_t offset = 0; offset < good.size(); ++offset) {
    SCOPED_TRACE("offset " + std::to_string(offset));
    Flip(path, offset);
    const Status s = TryOpen(options_);
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    EXPECT_NE(s.ToString().find("CURRENT"), std::string::npos) << s.ToString();
    Flip(path, offset);
    if (HasFailure()) return;
  }
  for (const char* content : {"", "MANIFEST-", "nonsense\n", "MANIFEST-000001", "\n"}) {
    Overwrite(path, content);
    const Status s = TryOpen(options_);
    EXPECT_TRUE(s.IsCorruption()) << content << ": " << s.ToString();
  }
  Remove(path);
  const std::set<std::string> before = disk_.Names();
  const Status s = TryOpen(options_);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("CURRENT"), std::string::npos) << s.ToString();
  EXPECT_FALSE(TryOpenReadOnly(options_).ok());
  for (const std::string& name : before) EXPECT_TRUE(disk_.Names().contains(name)) << name;
  Overwrite(path, good);
  Open(options_);
  ExpectModel();
}

TEST_F(DbCorruptionTest, AMissingManifestIsNamed) {
  MakeTable();
  const std::string path = disk_.Files(FileType::kDescriptorFile).at(0);
  const std::string good = Read(path);
  Remove(path);
  ExpectCorruptionOf(TryOpen(options_), path);
  Overwrite(path, good);
  Open(options_);
  ExpectModel();
}

TEST_F(DbCorruptionTest, AWrongComparatorIsRefusedByName) {
  MakeTable();
  Options wrong = options_;
  wrong.comparator = ReverseBytewiseComparator();
  const Status s = TryOpen(wrong);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("leveldb.BytewiseComparator"), std::string::npos) << s.ToString();
  EXPECT_NE(s.ToString().find("rocksdb.ReverseBytewiseComparator"), std::string::npos)
      << s.ToString();
  Open(options_);
  ExpectModel();
}

// --- The write-ahead log

class DbWalRecoveryTest : public DbCorruptionTest {
 protected:
  static constexpr WALRecoveryMode kModes[] = {
      WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kAbsoluteConsistency,
      WALRecoveryMode::kPointInTimeRecovery, WALRecoveryMode::kSkipAnyCorruptedRecords};

  Status OpenInMode(WALRecoveryMode mode) {
    Options options = options_;
    options.wal_recovery_mode = mode;
    return TryOpenReadOnly(options);
  }
  // How many keys of the model, in their order of writing (which is the keys' order), are there
  // without a hole; fails when a later one is there too.
  size_t PrefixLength() {
    const Contents found = Scan();
    size_t length = 0;
    auto at = model_.begin();
    for (; at != model_.end() && found.contains(at->first); ++at, ++length) {
      EXPECT_EQ(found.at(at->first), at->second);
    }
    EXPECT_EQ(found.size(), length) << "there is a hole after " << length << " keys";
    return length;
  }
};

TEST_F(DbWalRecoveryTest, ATornTailIsDroppedButByAbsoluteConsistency) {
  Open(options_);
  PutRange(0, 50, 1);
  Kill();
  const std::string path = disk_.Files(FileType::kWalFile).back();
  const std::string good = Read(path);
  for (const size_t cut : {1, 5, 50, 110}) {
    Overwrite(path, good.substr(0, good.size() - cut));
    for (const WALRecoveryMode mode : kModes) {
      SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)) + " cut " +
                   std::to_string(cut));
      const Status s = OpenInMode(mode);
      if (mode == WALRecoveryMode::kAbsoluteConsistency) {
        ExpectCorruptionOf(s, path);
        continue;
      }
      ASSERT_TRUE(s.ok()) << s.ToString();
      EXPECT_EQ(PrefixLength(), 49u);
    }
  }
}

TEST_F(DbWalRecoveryTest, AFlippedBitEndsTheHistoryAtAPointInTime) {
  Open(options_);
  PutRange(0, 50, 1);
  Kill();
  const std::string path = disk_.Files(FileType::kWalFile).back();
  const uint64_t size = disk_.Size(path);
  const uint64_t record = size / 50;
  for (uint64_t offset = 0; offset < size; offset += 13) {
    SCOPED_TRACE("offset " + std::to_string(offset));
    Flip(path, offset);
    Status s = OpenInMode(WALRecoveryMode::kPointInTimeRecovery);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(PrefixLength(), offset / record);
    ExpectCorruptionOf(OpenInMode(WALRecoveryMode::kAbsoluteConsistency), path);
    s = OpenInMode(WALRecoveryMode::kSkipAnyCorruptedRecords);
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (const auto& [key, value] : Scan()) ASSERT_EQ(model_.at(key), value) << key;
    s = OpenInMode(WALRecoveryMode::kTolerateCorruptedTailRecords);
    if (s.ok()) {
      PrefixLength();
    } else {
      ExpectCorruptionOf(s, path);
    }
    db_.reset();
    Flip(path, offset);
    if (HasFailure()) return;
  }
}

TEST_F(DbWalRecoveryTest, DamageInTheFirstOfTwoLogsLeavesNoHole) {
  ASSERT_NO_FATAL_FAILURE(MakeTwoLogs());
  Kill();
  const std::vector<std::string> logs = disk_.Files(FileType::kWalFile);
  ASSERT_EQ(logs.size(), 2u);
  const std::string good = Read(logs[0]);
  ASSERT_TRUE(OpenInMode(WALRecoveryMode::kAbsoluteConsistency).ok());
  EXPECT_EQ(PrefixLength(), model_.size());

  Flip(logs[0], good.size() / 2);
  ExpectCorruptionOf(OpenInMode(WALRecoveryMode::kAbsoluteConsistency), logs[0]);
  ExpectCorruptionOf(OpenInMode(WALRecoveryMode::kTolerateCorruptedTailRecords), logs[0]);
  ASSERT_TRUE(OpenInMode(WALRecoveryMode::kSkipAnyCorruptedRecords).ok());
  EXPECT_EQ(Get(model_.rbegin()->first), model_.rbegin()->second);
  ASSERT_TRUE(OpenInMode(WALRecoveryMode::kPointInTimeRecovery).ok());
  const size_t in_the_middle = PrefixLength();
  EXPECT_GT(in_the_middle, 10u);
  EXPECT_LT(in_the_middle, 60u);
  // A torn tail of the first log is a hole too, as there is a second one.
  Overwrite(logs[0], good.substr(0, good.size() - 20));
  ASSERT_TRUE(OpenInMode(WALRecoveryMode::kPointInTimeRecovery).ok());
  EXPECT_LT(PrefixLength(), model_.size() - 29);

  // Opened for writing, the history goes on from there and stays.
  Options options = options_;
  options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  Open(options);
  const size_t recovered = PrefixLength();
  model_ = Scan();
  Put("zzz", "goes on");
  Kill();
  Open(options);
  EXPECT_EQ(PrefixLength(), recovered + 1);
}

// (Seed 432785966.)
TEST_F(DbWalRecoveryTest, UpdatesGoOnWhereARecoveryEndedADamagedLog) {
  Options options = options_;
  options.WAL_ttl_seconds = 3600;
  Open(options);
  std::string name;
  for (uint64_t crash = 1; crash <= 2; ++crash) {
    PutRange(0, 50, crash);
    Kill();
    name = disk_.Files(FileType::kWalFile).back();
    Flip(name, disk_.Size(name) / 2);
    Open(options);
    ASSERT_LT(db_->GetLatestSequenceNumber(), 50 * crash);
  }
  const size_t recovered = db_->GetLatestSequenceNumber();
  Put("zzz", "goes on");
  Flush();
  Put("zzzz", "and on");
  size_t shown = 0;
  const auto updates = [&] {
    shown = 0;
    std::unique_ptr<rocksdb::TransactionLogIterator> it;
    const Status s = db_->GetUpdatesSince(1, &it);
    if (!s.ok()) return s;
    for (; it->Valid(); it->Next()) EXPECT_EQ(++shown, it->GetBatch().sequence);
    return it->status();
  };
  const Status s = updates();
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(recovered + 2, shown);

  // Damage that came later leaves a gap.
  const std::string archived = std::string(kDbName) + "/archive" + name.substr(name.rfind('/'));
  Flip(archived, disk_.Size(archived) / 4);
  ExpectCorruptionOf(updates(), archived);
  EXPECT_GT(recovered, shown);
}

// (Seed 617407725.)
TEST_F(DbWalRecoveryTest, UpdatesBehindADamagedLogAreAwaitedBeforeThereAreAny) {
  Options options = options_;
  options.WAL_ttl_seconds = 3600;
  Open(options);
  PutRange(0, 50, 1);
  Kill();
  const std::string name = disk_.Files(FileType::kWalFile).back();
  Flip(name, disk_.Size(name) / 2);
  Open(options);
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(db_->Put(unlogged, "zzz", "in no log").ok());
  std::unique_ptr<rocksdb::TransactionLogIterator> it;
  const Status s = db_->GetUpdatesSince(1, &it);
  ASSERT_TRUE(s.ok()) << s.ToString();
  while (it->Valid()) it->Next();
  EXPECT_TRUE(it->status().IsTryAgain()) << it->status().ToString();
}

// A flush that ends late records a sequence number that covers the log after its own. When that log
// is damaged from the start, the number must not let the one behind it follow.
TEST_F(DbWalRecoveryTest, TheManifestsSequenceNumberBridgesNoHole) {
  Open(options_);
  FlushOptions no_wait;
  no_wait.wait = false;
  Put("a", "flushed, late");
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  ASSERT_TRUE(db_->Flush(no_wait).ok());
  Put("b", "in the log that is damaged");
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  uint64_t unflushed = 1;
  while (unflushed > 0) {
    fiber::yield();
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.num-immutable-mem-table", &unflushed));
  }
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  ASSERT_TRUE(db_->Flush(no_wait).ok());
  Put("c", "in the log behind it");
  Kill();
  std::vector<std::string> logs = disk_.Files(FileType::kWalFile);
  ASSERT_GE(logs.size(), 2u);
  Flip(logs[logs.size() - 2], 20);
  ASSERT_TRUE(OpenInMode(WALRecoveryMode::kPointInTimeRecovery).ok());
  EXPECT_EQ(PrefixLength(), 1u);
}

// A log with a sound checksum, but from the other end of the numbers.
TEST_F(DbWalRecoveryTest, SequenceNumbersThatDoNotFitAKeyAreDamage) {
  Open(options_);
  Put("a", "1");
  Kill();
  const std::string path = disk_.Files(FileType::kWalFile).back();
  const std::string log = Read(path);
  constexpr size_t kRecordHeader = 7, kType = 6;
  const size_t length = DecodeFixed16(log.data() + 4);
  for (const SequenceNumber sequence :
       {~SequenceNumber{0}, kMaxSequenceNumber, kMaxSequenceNumber - 5}) {
    SCOPED_TRACE(sequence);
    std::string record = log.substr(0, kRecordHeader + length);
    EncodeFixed64(record.data() + kRecordHeader, sequence);
    const uint32_t crc = crc32c::Value(record.data() + kType, 1 + length);
    EncodeFixed32(record.data(), crc32c::Mask(crc));
    Overwrite(path, record);
    Options options = options_;
    options.wal_recovery_mode = WALRecoveryMode::kAbsoluteConsistency;
    const Status s = TryOpen(options);
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
    const bool fits_a_key = sequence < kMaxSequenceNumber;
    EXPECT_EQ(TryOpenReadOnly(options).ok(), true);
    EXPECT_EQ(Scan().size(), fits_a_key ? 1u : 0u);
    db_.reset();
  }
}

// A bit of what was written is another one when it is read back: noticed before anything depends on
// it, without block checksums, too.
TEST_F(DbCorruptionTest, ParanoidFileChecksReadNewTablesBack) {
  struct Flipper : EventListener {
    void OnTableFileCreationStarted(const TableFileCreationBriefInfo& info) override {
      if (flips) faults->FlipBits(info.file_path, 100, 1);
    }
    fault::FaultInjectionFileSystem* faults = nullptr;
    std::atomic<bool> flips{false};
  };
  const auto flipper = std::make_shared<Flipper>();
  flipper->faults = disk_.faults.get();
  for (const ChecksumType checksum : {kCRC32c, kNoChecksum}) {
    for (const bool paranoid : {false, true}) {
      SCOPED_TRACE(std::to_string(checksum) + " " + std::to_string(paranoid));
      BlockBasedTableOptions table;
      table.checksum = checksum;
      options_.table_factory.reset(NewBlockBasedTableFactory(table));
      options_.compression = kNoCompression;
      options_.paranoid_file_checks = paranoid;
      options_.listeners = {flipper};
      flipper->flips = false;
      Open(options_);
      Put("a", std::string(1000, 'v'));
      ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
      flipper->flips = true;
      Put("b", std::string(1000, 'v'));
      const Status s = db_->Flush(FlushOptions());
      EXPECT_EQ(s.IsCorruption(), paranoid) << s.ToString();
      EXPECT_EQ(s.ok(), !paranoid) << s.ToString();
      Kill();
      ASSERT_TRUE(DestroyDB(kDbName, options_).ok());
      model_.clear();
    }
  }
}

// The same of compactions alone.
TEST_F(DbCorruptionTest, CompactionsReadNewTablesBackWhereFlagsSaySo) {
  struct Flipper : EventListener {
    void OnTableFileCreationStarted(const TableFileCreationBriefInfo& info) override {
      if (flips) faults->FlipBits(info.file_path, 100, 1);
    }
    fault::FaultInjectionFileSystem* faults = nullptr;
    std::atomic<bool> flips{false};
  };
  using Flags = VerifyOutputFlags;
  struct {
    Flags flags;
    bool notices;
  } const kCases[] = {{Flags::kVerifyNone, false},
                      {Flags::kVerifyIteration, false},
                      {Flags::kEnableForLocalCompaction, false},
                      {Flags::kVerifyIteration | Flags::kEnableForLocalCompaction, true},
                      {Flags::kVerifyBlockChecksum | Flags::kEnableForLocalCompaction, true},
                      {Flags::kVerifyFileChecksum | Flags::kEnableForLocalCompaction, true},
                      {Flags::kVerifyFileChecksum | Flags::kEnableForRemoteCompaction, false},
                      {Flags::kVerifyAll, true}};
  for (const auto& [flags, notices] : kCases) {
    SCOPED_TRACE(static_cast<uint32_t>(flags));
    const auto flipper = std::make_shared<Flipper>();
    flipper->faults = disk_.faults.get();
    options_.compression = kNoCompression;
    options_.disable_auto_compactions = true;
    options_.verify_output_flags = flags;
    options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
    options_.listeners = {flipper};
    Open(options_);
    for (const char* key : {"a", "b"}) {
      Put(key, std::string(1000, 'v'));
      Put("z", key);
      ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    }
    flipper->flips = true;
    const Status s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    EXPECT_EQ(s.IsCorruption(), notices) << s.ToString();
    EXPECT_EQ(s.ok(), !notices) << s.ToString();
    Kill();
    ASSERT_TRUE(DestroyDB(kDbName, options_).ok());
    model_.clear();
  }
}

}  // namespace
}  // namespace cairn
