// What a StackableDB passes on though DB has an answer of its own (NotSupported) for those that
// do not have the call.
#include "rocksdb/utilities/stackable_db.h"

#include <memory>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/checkpoint.h"

namespace cairn {
namespace {

class StackableDBTest : public testing::DbTest {
 protected:
  void SetUp() override {
    DB* below = nullptr;
    const Status s = DB::Open(SmallOptions(), testing::kDbName, &below);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_ = std::make_unique<StackableDB>(below);
    ASSERT_TRUE(db_->Put(WriteOptions(), "a", "1").ok());
    ASSERT_TRUE(db_->Put(WriteOptions(), "b", "2").ok());
  }
};

TEST_F(StackableDBTest, OptionsChangeBelow) {
  Status s = db_->SetOptions({{"level0_file_num_compaction_trigger", "7"}});
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(db_->GetOptions().level0_file_num_compaction_trigger, 7);
  s = db_->SetDBOptions({{"bytes_per_sync", "12345"}});
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(db_->GetDBOptions().bytes_per_sync, 12345U);
}

TEST_F(StackableDBTest, FilesAreCompactedBelow) {
  ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 1U);
  std::vector<std::string> made;
  Status s = db_->CompactFiles(CompactionOptions(), {files[0].name}, /*output_level=*/2, -1, &made);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(made.size(), 1U);
  s = db_->WaitForCompact(WaitForCompactOptions());
  EXPECT_TRUE(s.ok()) << s.ToString();

  TablePropertiesCollection properties;
  const Range all("a", "z");
  s = db_->GetPropertiesOfTablesInRange(db_->DefaultColumnFamily(), &all, 1, &properties);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(properties.size(), 1U);
}

TEST_F(StackableDBTest, LogsAreThoseBelow) {
  VectorLogPtr logs;
  Status s = db_->GetSortedWalFiles(logs);
  EXPECT_TRUE(s.ok()) << s.ToString();
  ASSERT_EQ(logs.size(), 1U);
  std::unique_ptr<LogFile> current;
  s = db_->GetCurrentWalFile(&current);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(current->LogNumber(), logs[0]->LogNumber());
  std::unique_ptr<TransactionLogIterator> updates;
  s = db_->GetUpdatesSince(1, &updates);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_TRUE(updates->Valid());
  EXPECT_EQ(updates->GetBatch().sequence, 1U);
}

TEST_F(StackableDBTest, ACheckpointHasWhatIsBelow) {
  std::vector<LiveFileStorageInfo> files;
  Status s = db_->GetLiveFilesStorageInfo(LiveFilesStorageInfoOptions(), &files);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_FALSE(files.empty());
  std::unique_ptr<FileChecksumList> checksums(NewFileChecksumList());
  s = db_->GetLiveFilesChecksumInfo(checksums.get());
  EXPECT_TRUE(s.ok()) << s.ToString();

  Checkpoint* made = nullptr;
  s = Checkpoint::Create(db_.get(), &made);
  ASSERT_TRUE(s.ok()) << s.ToString();
  const std::unique_ptr<Checkpoint> checkpoint(made);
  s = checkpoint->CreateCheckpoint("/checkpoint");
  ASSERT_TRUE(s.ok()) << s.ToString();
  std::unique_ptr<DB> copy;
  s = DB::Open(SmallOptions(), "/checkpoint", &copy);
  ASSERT_TRUE(s.ok()) << s.ToString();
  std::string value;
  EXPECT_TRUE(copy->Get(ReadOptions(), "b", &value).ok());
  EXPECT_EQ(value, "2");
}

TEST_F(StackableDBTest, FilesFromOutsideGoBelow) {
  // That there is none the database says.
  const Status s = db_->IngestExternalFiles({});
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
}

}  // namespace
}  // namespace cairn
