// track_and_verify_wals: each log tells of the one before it, and recovery compares.
#include <optional>

#include "batch/batch_reader.h"
#include "db/testing/db_fixture.h"
#include "fs/file_reader.h"
#include "fs/file_writer.h"
#include "wal/log_reader.h"
#include "wal/log_writer.h"
#include "wal/wal_link.h"

namespace cairn {
namespace {

using testing::kDbName;

constexpr WALRecoveryMode kEveryMode[] = {
    WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kAbsoluteConsistency,
    WALRecoveryMode::kPointInTimeRecovery, WALRecoveryMode::kSkipAnyCorruptedRecords};

class DbChainedWalsTest : public testing::DbTest {
 protected:
  Options ChainingOptions() {
    Options options = SmallOptions();
    options.track_and_verify_wals = true;
    options.disable_auto_compactions = true;
    options.max_write_buffer_number = 8;
    return options;
  }
  void OpenHolding(const Options& options) {
    Open(options);
    HoldFlushes();
  }
  // Three logs and the beginning of a fourth one: a and b, c and d, e, and nothing.
  void MakeLogs(const Options& options) {
    db_.reset();
    disk_ = testing::Disk();
    model_.clear();
    Options with_env = options;
    with_env.env = disk_.env.get();
    OpenHolding(with_env);
    Put("a", "1");
    Put("b", "1");
    BeginLog();
    Put("c", "1");
    Put("d", "1");
    BeginLog();
    Put("e", "1");
    BeginLog();
    DieBeforeFlushes();
    ASSERT_EQ(Logs().size(), 4u);
  }
  std::vector<std::string> Logs() const { return disk_.Files(FileType::kWalFile); }
  static uint64_t NumberOf(const std::string& log) {
    return std::stoull(log.substr(sizeof(kDbName)));
  }
  void Rewrite(const std::string& path, const std::string& bytes) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path, true).ok());
  }
  std::string Bytes(const std::string& path) {
    std::string bytes;
    EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &bytes).ok());
    return bytes;
  }
  void Remove(const std::string& path) {
    ASSERT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok());
  }
  struct Content {
    std::vector<std::string> records;
    std::vector<uint64_t> ends;
    std::optional<PredecessorWal> predecessor;
    SequenceNumber last_record = 0;
  };
  Content Read(const std::string& path) {
    Content content;
    std::unique_ptr<SequentialFileReader> file;
    EXPECT_TRUE(SequentialFileReader::Open(disk_.memory.get(), path, FileOptions(), &file).ok());
    LogReader reader(nullptr, std::move(file), nullptr, /*checksum=*/true, NumberOf(path));
    std::string scratch;
    Slice record;
    while (reader.ReadRecord(&record, &scratch)) {
      content.records.push_back(record.ToString());
      content.ends.push_back(reader.LastRecordEnd());
      content.last_record = BatchReader(record).sequence();
    }
    EXPECT_TRUE(reader.status().ok());
    content.predecessor = reader.TakePredecessor();
    return content;
  }
  // Without its last record, which leaves no trace in the log itself.
  void CutRecord(const std::string& path) {
    const Content content = Read(path);
    ASSERT_GE(content.records.size(), 2u);
    Rewrite(path, Bytes(path).substr(0, content.ends[content.ends.size() - 2]));
  }
  // As RocksDB would have written them: without the links of Cairn's own.
  void MakeRocksDBs() {
    std::optional<PredecessorWal> last;
    for (const std::string& path : Logs()) {
      const Content content = Read(path);
      std::unique_ptr<FileWriter> file;
      ASSERT_TRUE(FileWriter::Open(disk_.memory.get(), path, FileOptions(), &file).ok());
      LogWriter writer(std::move(file), NumberOf(path), /*recycle_log_files=*/false);
      if (last) {
        ASSERT_TRUE(writer.AddPredecessor(*last).ok());
      }
      last = {NumberOf(path), 0, 0};
      for (const std::string& record : content.records) {
        WalLink link;
        if (WalLink::Decode(record, &link)) continue;
        ASSERT_TRUE(writer.AddRecord(record).ok());
        last->last_record = BatchReader(record).sequence();
      }
      last->bytes = writer.file()->file_size();
      ASSERT_TRUE(writer.Close().ok());
    }
  }
  void ExpectRefused(const Options& options, const std::string& words) {
    for (const bool read_only : {false, true}) {
      const Status s = read_only ? TryOpenReadOnly(options) : TryOpen(options);
      EXPECT_TRUE(s.IsCorruption()) << s.ToString();
      EXPECT_NE(s.ToString().find(words), std::string::npos) << s.ToString();
    }
  }
};

TEST_F(DbChainedWalsTest, EachLogTellsOfTheOneBefore) {
  for (const bool recycle : {false, true}) {
    for (const bool compressed : {false, true}) {
      Options options = ChainingOptions();
      if (recycle) options.recycle_log_file_num = 2;
      if (recycle) options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
      if (compressed) options.wal_compression = kZSTD;
      options.manual_wal_flush = compressed;
      MakeLogs(options);
      const std::vector<std::string> logs = Logs();
      EXPECT_FALSE(Read(logs[0]).predecessor.has_value()) << "the first of a life";
      for (size_t i = 1; i + compressed < logs.size(); ++i) {
        const std::optional<PredecessorWal> said = Read(logs[i]).predecessor;
        ASSERT_TRUE(said.has_value()) << i;
        EXPECT_EQ(said->number, NumberOf(logs[i - 1]));
        EXPECT_EQ(said->bytes, disk_.Size(logs[i - 1]));
        EXPECT_EQ(said->last_record, Read(logs[i - 1]).last_record);
      }
      for (const WALRecoveryMode mode : kEveryMode) {
        if (recycle && mode != WALRecoveryMode::kSkipAnyCorruptedRecords) continue;
        options.wal_recovery_mode = mode;
        options.env = disk_.env.get();
        const Status s = TryOpenReadOnly(options);
        ASSERT_TRUE(s.ok()) << s.ToString();
        ExpectModel();
      }
      Open(options);
      ExpectModel();
      db_.reset();
    }
  }
  // Without the option nobody tells.
  Options options = ChainingOptions();
  options.track_and_verify_wals = false;
  MakeLogs(options);
  for (const std::string& log : Logs()) EXPECT_FALSE(Read(log).predecessor.has_value());
  options = ChainingOptions();
  Open(options);
  ExpectModel();
}

TEST_F(DbChainedWalsTest, WhatIsMissingOrShorterIsCorruption) {
  for (const bool rocksdbs : {false, true}) {
    for (const WALRecoveryMode mode : kEveryMode) {
      for (const int change : {0, 1, 2, 3, 4}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(mode)) + " change " + std::to_string(change) +
                     (rocksdbs ? " RocksDB's" : ""));
        Options options = ChainingOptions();
        MakeLogs(options);
        if (rocksdbs) MakeRocksDBs();
        options.env = disk_.env.get();
        options.wal_recovery_mode = mode;
        const std::vector<std::string> logs = Logs();
        const std::string second = std::to_string(NumberOf(logs[1]));
        std::string words, values;  // what is said; what a point in time has
        switch (change) {
          case 0:
            Remove(logs[0]);
            words = "Missing WAL of log number " + std::to_string(NumberOf(logs[0]));
            break;
          case 1:
            Remove(logs[1]);
            words = "Mismatched predecessor log number of WAL file " + logs[2] + " Recorded " +
                    second + ". Observed " + std::to_string(NumberOf(logs[0]));
            values = "ab";
            break;
          case 2:
            CutRecord(logs[1]);
            words = "Mismatched last sequence number recorded in the WAL of log number " + second;
            values = "abc";
            break;
          case 3: {
            // The last log has no record of its own.
            if (rocksdbs) continue;  // theirs has one record, and no link
            CutRecord(logs[2]);
            words = "Mismatched size of the WAL of log number " + std::to_string(NumberOf(logs[2]));
            values = "abcd";
            break;
          }
          default: {
            // Another log of the same records.
            const Content content = Read(logs[1]);
            std::unique_ptr<FileWriter> file;
            ASSERT_TRUE(FileWriter::Open(disk_.memory.get(), logs[1], FileOptions(), &file).ok());
            LogWriter writer(std::move(file), NumberOf(logs[1]), /*recycle_log_files=*/false);
            if (content.predecessor) {
              ASSERT_TRUE(writer.AddPredecessor(*content.predecessor).ok());
            }
            for (const std::string& record : content.records) {
              WriteBatch batch(record);
              ASSERT_TRUE(batch.PutLogData("more").ok());
              ASSERT_TRUE(writer.AddRecord(batch.Data()).ok());
            }
            ASSERT_TRUE(writer.Close().ok());
            words = "Mismatched size of the WAL of log number " + second;
            values = "abcd";
          }
        }
        if (mode == WALRecoveryMode::kSkipAnyCorruptedRecords) {
          Open(options);
          continue;
        }
        if (mode != WALRecoveryMode::kPointInTimeRecovery) {
          ExpectRefused(options, words);
          options.track_and_verify_wals = false;
          if (rocksdbs && mode == WALRecoveryMode::kTolerateCorruptedTailRecords) Open(options);
          continue;
        }
        const Status s = TryOpen(options);
        if (change < 2 && !rocksdbs && !s.ok()) {
          // Cairn's own links may say that a log was there for good.
          EXPECT_TRUE(s.IsCorruption()) << s.ToString();
          EXPECT_NE(s.ToString().find("is missing, as the next log says"), std::string::npos);
          continue;
        }
        ASSERT_TRUE(s.ok()) << s.ToString();
        for (const char* key : {"a", "b", "c", "d", "e"}) {
          const bool is_there = values.find(key) != std::string::npos;
          EXPECT_EQ(Get(key), is_there ? "1" : "NOT_FOUND") << key;
        }
        db_.reset();
      }
    }
  }
}

// A repair leaves none, nor may a power cut before anything was synced.
TEST_F(DbChainedWalsTest, ADatabaseWithoutAnyLogOpens) {
  Options options = ChainingOptions();
  Open(options);
  Put("a", "1");
  Flush();
  Close();
  for (const std::string& log : Logs()) Remove(log);
  Open(options);
  ExpectModel();
}

// After a log that could not be written a new one does not say what that one has.
TEST_F(DbChainedWalsTest, ALogThatFailedIsNotToldOf) {
  Options options = ChainingOptions();
  Open(options);
  Put("a", "1");
  disk_.faults->SetFreeBytes(10);
  EXPECT_FALSE(db_->Put(WriteOptions(), "b", std::string(100, 'x')).ok());
  disk_.faults->Heal();
  ASSERT_TRUE(db_->Resume().ok());
  EXPECT_FALSE(Read(Logs().back()).predecessor.has_value());
  Put("c", "1");
  Kill();
  Open(options);
  ExpectModel();
}

TEST_F(DbChainedWalsTest, APowerCutTakesNothingThatIsSynced) {
  Options options = ChainingOptions();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::SeedText(seed));
    disk_ = testing::Disk();
    model_.clear();
    Random64 random(seed);
    options.env = disk_.env.get();
    options.max_write_buffer_number = 100;  // nothing is flushed meanwhile
    for (int life = 0; life < 3; ++life) {
      OpenHolding(options);
      for (const auto& [key, value] : model_) EXPECT_EQ(Get(key), value);
      for (int i = 0; i < 20; ++i) {
        if (random.OneIn(4)) BeginLog();
        WriteOptions write;
        write.sync = random.OneIn(5);
        const std::string key = std::to_string(life) + "-" + std::to_string(i);
        ASSERT_TRUE(db_->Put(write, key, "v").ok());
        if (!write.sync) continue;
        for (int j = 0; j <= i; ++j) model_[std::to_string(life) + "-" + std::to_string(j)] = "v";
      }
      disk_.Freeze();
      ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
      db_.reset();
      disk_.faults->Heal();
      ASSERT_TRUE(disk_.faults->DropUnsyncedRandomly(seed).ok());
    }
    Open(options);
    for (const auto& [key, value] : model_) EXPECT_EQ(Get(key), value);
    db_.reset();
  }
}

}  // namespace
}  // namespace cairn
