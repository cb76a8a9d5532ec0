// Backups of databases of several kinds, by engines that are opened in several ways.
#include "backup_fixture.h"
#include "checkpoints.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

namespace conformance {
namespace {

class BackupKindsTest : public BackupTest {
 protected:
  // Of the files in shared_checksum, those that end so.
  size_t Shared(const std::string& suffix) const {
    size_t count = 0;
    for (const std::string& name : NamesIn("shared_checksum")) {
      count += static_cast<size_t>(Slice(name).ends_with(suffix));
    }
    return count;
  }
};

TEST_F(BackupKindsTest, AnEmptyDatabase) {
  Open();
  OpenEngine();
  ASSERT_OK(Create());
  BackupInfo info;
  ASSERT_OK(engine_->GetBackupInfo(1, &info));
  EXPECT_GT(info.number_files, 0u);
  EXPECT_EQ("", RestoredContents(1));
  EXPECT_EQ(0u, Shared(".sst"));
}

TEST_F(BackupKindsTest, BlobFilesAreSharedAsTablesAre) {
  options_.enable_blob_files = true;
  options_.disable_auto_compactions = true;
  Open();
  ASSERT_OK(Put("a", std::string(1000, 'a')));
  ASSERT_OK(Flush());
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ(1u, Shared(".sst"));
  EXPECT_EQ(1u, Shared(".blob"));
  ASSERT_OK(Put("b", std::string(1000, 'b')));
  ASSERT_OK(Flush());
  ASSERT_OK(Create());
  EXPECT_EQ(2u, Shared(".blob"));
  for (const std::string& name : NamesIn("private/1")) {
    EXPECT_FALSE(Slice(name).ends_with(".blob")) << name;
  }
  const std::string contents = Contents();
  EXPECT_EQ(contents, RestoredContents(2));
  ASSERT_OK(engine_->DeleteBackup(1));
  EXPECT_EQ(2u, Shared(".blob")) << "the second has both";
  EXPECT_EQ(contents, RestoredContents(2));
  ASSERT_OK(engine_->DeleteBackup(2));
  EXPECT_EQ(0u, Shared(".blob"));
}

TEST_F(BackupKindsTest, ADamagedBlobFileIsFound) {
  options_.enable_blob_files = true;
  Open();
  ASSERT_OK(Put("a", std::string(1000, 'a')));
  ASSERT_OK(Flush());
  OpenEngine();
  ASSERT_OK(Create());
  for (const std::string& name : NamesIn("shared_checksum")) {
    if (!Slice(name).ends_with(".blob")) continue;
    std::string bytes = ReadBackupFile("shared_checksum/" + name);
    bytes[200] ^= 1;
    WriteBackupFile("shared_checksum/" + name, bytes);
  }
  EXPECT_OK(engine_->VerifyBackup(1));
  EXPECT_CODE(Corruption, engine_->VerifyBackup(1, /*verify_with_checksum=*/true));
  EXPECT_CODE(Corruption, engine_->RestoreDBFromBackup(1, restored_, restored_));
}

TEST_F(BackupKindsTest, ValuesThatExpire) {
  DBWithTTL* db = nullptr;
  ASSERT_OK(DBWithTTL::Open(options_, dir_, &db, 1000));
  db_ = db;
  ASSERT_OK(Put("a", "1"));
  OpenEngine();
  ASSERT_OK(Create());
  ASSERT_OK(Put("a", "2"));
  Shut();
  ASSERT_OK(engine_->RestoreDBFromLatestBackup(dir_, dir_));
  ASSERT_OK(DBWithTTL::Open(options_, dir_, &db, 1000));
  db_ = db;
  EXPECT_EQ("a=1", Contents());
}

TEST_F(BackupKindsTest, APreparedTransactionComesBackPrepared) {
  TransactionDB* db = nullptr;
  ASSERT_OK(TransactionDB::Open(options_, TransactionDBOptions(), dir_, &db));
  db_ = db;
  ASSERT_OK(Put("a", "1"));
  std::unique_ptr<Transaction> transaction(db->BeginTransaction(WriteOptions()));
  ASSERT_OK(transaction->SetName("name"));
  ASSERT_OK(transaction->Put("b", "2"));
  ASSERT_OK(transaction->Prepare());
  OpenEngine();
  ASSERT_OK(Create());
  ASSERT_OK(transaction->Commit());
  transaction.reset();
  EXPECT_EQ("a=1,b=2", Contents());
  Shut();
  ASSERT_OK(engine_->RestoreDBFromLatestBackup(dir_, dir_));
  ASSERT_OK(TransactionDB::Open(options_, TransactionDBOptions(), dir_, &db));
  db_ = db;
  EXPECT_EQ("a=1", Contents());
  transaction.reset(db->GetTransactionByName("name"));
  ASSERT_NE(nullptr, transaction);
  ASSERT_OK(transaction->Commit());
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_F(BackupKindsTest, ACheckpointHasTheSameTables) {
  options_.disable_auto_compactions = true;
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  ASSERT_OK(MakeCheckpoint(db_, root_ + "/copy"));
  Shut();
  dir_ = root_ + "/copy";
  Open();
  ASSERT_OK(Create());
  EXPECT_EQ(1u, Shared(".sst")) << "by the identity that a table has";
  EXPECT_EQ("a=1", RestoredContents(2));
}

TEST_F(BackupKindsTest, AMissingSharedFileIsCopiedAgain) {
  options_.disable_auto_compactions = true;
  ASSERT_NO_FATAL_FAILURE(BackUpATable());
  const std::string table = *NamesIn("shared_checksum").begin();
  ASSERT_OK(TheEnv()->DeleteFile(Path("shared_checksum/" + table)));
  ReopenEngine();
  EXPECT_EQ((std::vector<BackupID>{1}), Corrupted());
  ASSERT_OK(Create());
  EXPECT_EQ((Names{table}), NamesIn("shared_checksum"));
  EXPECT_EQ("a=1", RestoredContents(2));
  ReopenEngine();
  EXPECT_TRUE(Corrupted().empty()) << "the first has its file again";
  EXPECT_EQ("a=1", RestoredContents(1));
}

TEST_F(BackupKindsTest, AReaderSeesWhatWasThereWhenItWasOpened) {
  Open();
  ASSERT_OK(Put("a", "1"));
  OpenEngine();
  ASSERT_OK(Create());
  BackupEngineReadOnly* made = nullptr;
  ASSERT_OK(BackupEngineReadOnly::Open(backup_options_, TheEnv(), &made));
  const std::unique_ptr<BackupEngineReadOnly> reader(made);
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Create());
  std::vector<BackupInfo> infos;
  reader->GetBackupInfo(&infos);
  ASSERT_EQ(1u, infos.size());
  EXPECT_OK(reader->VerifyBackup(1, /*verify_with_checksum=*/true));
  EXPECT_CODE(NotFound, reader->VerifyBackup(2));
  ASSERT_OK(reader->RestoreDBFromLatestBackup(restored_, restored_));
  EXPECT_EQ("a=1", ContentsOf(restored_));
  BackupInfo info;
  ASSERT_OK(reader->GetLatestBackupInfo(&info));
  EXPECT_EQ(1u, info.backup_id);
}

TEST_F(BackupKindsTest, WithoutSyncsItIsTheSame) {
  backup_options_.sync = false;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  OpenEngine();
  ASSERT_OK(Create());
  ReopenEngine();
  EXPECT_TRUE(Corrupted().empty());
  EXPECT_EQ("a=1,b=2", RestoredContents(1));
}

TEST_F(BackupKindsTest, EntitiesAndOperandsComeWithTheLog) {
  ASSERT_OK(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options_.merge_operator));
  Open();
  ASSERT_OK(db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), "e",
                           {{"", "plain"}, {"column", "value"}}));
  ASSERT_OK(Put("m", "1"));
  ASSERT_OK(db_->Merge(WriteOptions(), "m", "2"));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "x", "z"));
  OpenEngine();
  ASSERT_OK(Create());
  EXPECT_EQ("e=plain,m=1,2", RestoredContents(1));
  Shut();
  dir_ = restored_;
  Open();
  PinnableWideColumns columns;
  ASSERT_OK(db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), "e", &columns));
  EXPECT_EQ((WideColumns{{"", "plain"}, {"column", "value"}}), columns.columns());
}

}  // namespace
}  // namespace conformance
