// Backups under their options, and of databases under theirs.
#include <atomic>

#include "backup_fixture.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

class BackupOptionsTest : public BackupTest {
 protected:
  // `tables` of about `size` bytes each.
  void Fill(int tables, size_t size) {
    options_.disable_auto_compactions = true;
    Open();
    for (int i = 0; i < tables; i++) {
      ASSERT_OK(Put(Key(i), Numbers(static_cast<uint64_t>(i)).Bytes(size)));
      ASSERT_OK(Flush());
    }
  }
  // Of all files in a backup's lists but those that are written rather than copied.
  uint64_t CopiedBytes(BackupID id) {
    BackupInfo info;
    EXPECT_OK(engine_->GetBackupInfo(id, &info));
    return info.size - SizeOf(Path("private/" + std::to_string(id) + "/CURRENT"));
  }
};

TEST_F(BackupOptionsTest, SeveralFilesAreCopiedAtOnce) {
  backup_options_.max_background_operations = 4;
  Fill(12, 100000);
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ(12u, NamesIn("shared_checksum").size());
  EXPECT_TRUE(Contents() == RestoredContents(1));
}

TEST_F(BackupOptionsTest, ProgressIsTold) {
  backup_options_.callback_trigger_interval_size = 1000;
  Fill(3, 50000);
  OpenEngine();
  std::atomic<uint64_t> calls{0};
  CreateBackupOptions options;
  options.progress_callback = [&calls] { calls++; };
  ASSERT_OK(engine_->CreateNewBackup(options, db_));
  EXPECT_EQ(CopiedBytes(1) / 1000, calls.load());
}

TEST_F(BackupOptionsTest, OneThatIsStoppedIsNone) {
  backup_options_.callback_trigger_interval_size = 1000;
  Fill(3, 50000);
  OpenEngine();
  ASSERT_OK(Create());
  ASSERT_OK(Put("more", Numbers(7).Bytes(20000000)));
  CreateBackupOptions options;
  options.flush_before_backup = true;
  options.progress_callback = [this] { engine_->StopBackup(); };
  EXPECT_CODE(Incomplete, engine_->CreateNewBackup(options, db_));
  // For good.
  EXPECT_CODE(Incomplete, Create());
  EXPECT_EQ((Names{"1"}), NamesIn("meta"));
  ReopenEngine();
  EXPECT_TRUE(Corrupted().empty());
  BackupID id = 0;
  ASSERT_OK(engine_->CreateNewBackup(CreateBackupOptions(), db_, &id));
  EXPECT_EQ(2u, id);
  EXPECT_TRUE(Contents() == RestoredContents(2));
}

TEST_F(BackupOptionsTest, LimitersAreAskedForAllBytes) {
  Fill(3, 50000);
  for (const bool reads : {false, true}) {
    const auto mode = reads ? RateLimiter::Mode::kAllIo : RateLimiter::Mode::kWritesOnly;
    backup_options_.destroy_old_data = true;
    for (auto* limiter :
         {&backup_options_.backup_rate_limiter, &backup_options_.restore_rate_limiter}) {
      limiter->reset(NewGenericRateLimiter(int64_t{1} << 29, 100 * 1000, 10, mode));
    }
    OpenEngine();
    ASSERT_OK(Create());
    BackupInfo info;
    ASSERT_OK(engine_->GetBackupInfo(1, &info));
    const auto least = static_cast<int64_t>(info.size);
    const int64_t asked = backup_options_.backup_rate_limiter->GetTotalBytesThrough();
    EXPECT_GE(asked, reads ? least * 2 - 100 : least);
    EXPECT_EQ(0, backup_options_.restore_rate_limiter->GetTotalBytesThrough());
    ASSERT_OK(engine_->RestoreDBFromLatestBackup(restored_, restored_));
    EXPECT_GE(backup_options_.restore_rate_limiter->GetTotalBytesThrough(),
              reads ? least * 2 : least);
  }
}

TEST_F(BackupOptionsTest, ARateIsKept) {
  backup_options_.backup_rate_limit = 1 << 20;
  backup_options_.restore_rate_limit = 1 << 20;
  Fill(1, 700000);
  OpenEngine();
  uint64_t begin = TheEnv()->NowMicros();
  ASSERT_OK(Create());
  EXPECT_GE(TheEnv()->NowMicros() - begin, 400000u);
  begin = TheEnv()->NowMicros();
  ASSERT_OK(engine_->RestoreDBFromLatestBackup(restored_, restored_));
  EXPECT_GE(TheEnv()->NowMicros() - begin, 400000u);
  EXPECT_TRUE(Contents() == ContentsOf(restored_));
}

TEST_F(BackupOptionsTest, BytesAreCounted) {
  options_.statistics = CreateDBStatistics();
  Fill(3, 50000);
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_GE(options_.statistics->getTickerCount(BACKUP_READ_BYTES), CopiedBytes(1));
  EXPECT_GE(options_.statistics->getTickerCount(BACKUP_WRITE_BYTES), CopiedBytes(1));
}

TEST_F(BackupOptionsTest, ARestoreReplacesWhatIsThere) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(Create());
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("d", "4"));
  Shut();
  ASSERT_OK(TheEnv()->CreateDirIfMissing(dir_ + "/kept"));
  WriteFile("foreign", "x");
  ASSERT_OK(engine_->RestoreDBFromBackup(1, dir_, dir_));
  EXPECT_CODE(NotFound, TheEnv()->FileExists(dir_ + "/foreign"));
  EXPECT_OK(TheEnv()->FileExists(dir_ + "/kept"));
  EXPECT_EQ("a=1,b=2", ContentsOf(dir_));
}

TEST_F(BackupOptionsTest, LogsThatAreKeptGoOn) {
  backup_options_.backup_log_files = false;
  options_.WAL_ttl_seconds = 1000;  // an archive
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "3"));
  Shut();
  ASSERT_OK(engine_->RestoreDBFromBackup(1, dir_, dir_, RestoreOptions(/*keep_log_files=*/true)));
  EXPECT_EQ("a=1,b=2,c=3", ContentsOf(dir_));
  ASSERT_OK(engine_->RestoreDBFromBackup(1, dir_, dir_));
  EXPECT_EQ("a=1", ContentsOf(dir_));
}

TEST_F(BackupOptionsTest, LogsOfAnotherDirectory) {
  options_.wal_dir = root_ + "/wal";
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(Create());
  ASSERT_OK(Put("c", "3"));
  Shut();
  ASSERT_OK(engine_->RestoreDBFromBackup(1, dir_, options_.wal_dir));
  EXPECT_TRUE(FilesEndingIn(".log").empty());
  EXPECT_EQ(1u, FilesEndingIn(".log", options_.wal_dir).size());
  EXPECT_EQ("a=1,b=2", ContentsOf(dir_));
}

TEST_F(BackupOptionsTest, SeveralColumnFamilies) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(ColumnFamilyOptions(options_), "other", &family));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->Put(WriteOptions(), family, "a", "2"));
  ASSERT_OK(db_->Flush(FlushOptions(), family));
  ASSERT_OK(db_->Put(WriteOptions(), family, "b", "3"));
  OpenEngine();
  ASSERT_OK(Create());
  delete family;
  Shut();
  ASSERT_OK(engine_->RestoreDBFromBackup(1, restored_, restored_));
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), restored_, &db_options, &families));
  ASSERT_EQ(2u, families.size());
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_OK(DB::Open(db_options, restored_, families, &handles, &db_));
  std::string value;
  EXPECT_EQ("1", Get("a"));
  ASSERT_OK(db_->Get(ReadOptions(), handles[1], "b", &value));
  EXPECT_EQ("3", value);
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

TEST_F(BackupOptionsTest, ADatabaseThatIsOpenForReading) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  Shut();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  OpenEngine();
  ASSERT_OK(Create());
  Shut();
  EXPECT_EQ("a=1,b=2", RestoredContents(1));
}

TEST_F(BackupOptionsTest, ChecksumsOfTheDatabaseAreCompared) {
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Fill(2, 5000);
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_TRUE(Contents() == RestoredContents(1));
  ASSERT_OK(Put("more", "v"));
  ASSERT_OK(Flush());
  const std::string table = FilesEndingIn(".sst").back();
  FlipByte(table, 10);
  EXPECT_CODE(Corruption, Create());
  EXPECT_EQ((Names{"1"}), NamesIn("meta"));
  FlipByte(table, 10);
  ASSERT_OK(Create());
  EXPECT_TRUE(Contents() == RestoredContents(2));
}

TEST_F(BackupOptionsTest, BackupsAreAsOfAMomentWhileOthersWrite) {
  options_.write_buffer_size = 64 << 10;
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  OpenEngine();
  std::atomic<bool> stop{false};
  std::atomic<int> acknowledged{0};
  Thread writer([&] {
    for (int i = 0; !stop.load(); i++) {
      WriteBatch batch;
      ASSERT_OK(batch.Put(Key(i % 1000), std::to_string(i) + std::string(500, 'v')));
      ASSERT_OK(batch.Put("last", std::to_string(i)));
      ASSERT_OK(db_->Write(WriteOptions(), &batch));
      acknowledged.store(i);
    }
  });
  std::vector<int> least;
  for (int i = 0; i < 6; i++) {
    const int wanted = acknowledged.load() + 300;
    while (acknowledged.load() < wanted) TheEnv()->SleepForMicroseconds(1000);
    least.push_back(acknowledged.load());
    CreateBackupOptions options;
    options.flush_before_backup = i % 3 == 2;
    ASSERT_OK(engine_->CreateNewBackup(options, db_));
  }
  stop.store(true);
  writer.join();
  Shut();
  for (size_t i = 0; i < least.size(); i++) {
    ASSERT_OK(engine_->VerifyBackup(static_cast<BackupID>(i + 1), true));
    RemoveTree(restored_);
    ASSERT_OK(engine_->RestoreDBFromBackup(static_cast<BackupID>(i + 1), restored_, restored_));
    ASSERT_OK(DB::Open(options_, restored_, &db_));
    const int last = std::atoi(Get("last").c_str());
    EXPECT_GE(last, least[i]);
    for (int number = std::max(0, last - 999); number <= last; number++) {
      ASSERT_EQ(std::to_string(number),
                Get(Key(number % 1000)).substr(0, std::to_string(number).size()));
    }
    Shut();
  }
}

}  // namespace
}  // namespace conformance
