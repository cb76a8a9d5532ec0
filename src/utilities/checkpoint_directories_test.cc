// Checkpoints of a database that has its logs elsewhere: they are databases of their own, and leave
// their source's logs alone.
#include <memory>
#include <vector>

#include "db/testing/outside_fixture.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/utilities/options_util.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kCopy;
using testing::kDbName;
using testing::kWalDir;

class CheckpointDirectoriesTest : public testing::OutsideTest {
 protected:
  void CreateCheckpoint(const std::string& dir) {
    Checkpoint* made = nullptr;
    ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
    const std::unique_ptr<Checkpoint> checkpoint(made);
    const Status s = checkpoint->CreateCheckpoint(dir, /*log_size_for_flush=*/UINT64_MAX);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  static std::string IdentityOf(DB* db) {
    std::string id;
    EXPECT_TRUE(db->GetDbIdentity(id).ok());
    return id;
  }
};

TEST_F(CheckpointDirectoriesTest, ACopyThatNamesTheLogsOfALivingDatabaseIsRefused) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  CreateCheckpoint(kCopy);
  PutRange(0, 100, 2);
  ExpectRefused(WithLogs(), kCopy, kWalDir, "/db (id ");
  EXPECT_TRUE(DestroyDB(kCopy, WithLogs()).ok());
  EXPECT_EQ(NamesIn(kCopy), std::set<std::string>());
  PutRange(100, 150, 3);
  Kill();
  Open(WithLogs());
  ExpectModel();
}

TEST_F(CheckpointDirectoriesTest, ACheckpointOpensWithItsOwnOptionsBesideItsSource) {
  Options options = WithLogs();
  options.db_log_dir = "/info";
  Open(options);
  PutRange(0, 50, 1);
  const Contents then = model_;
  CreateCheckpoint(kCopy);
  PutRange(0, 100, 2);
  ConfigOptions config;
  config.env = disk_.env.get();
  DBOptions own;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_TRUE(LoadLatestOptions(config, kCopy, &own, &families).ok());
  EXPECT_EQ(own.wal_dir, "");
  EXPECT_EQ(own.db_log_dir, "");
  EXPECT_EQ(families[0].options.write_buffer_size, options.write_buffer_size);
  std::vector<ColumnFamilyHandle*> handles;
  std::unique_ptr<DB> copy;
  Status s = DB::Open(own, kCopy, families, &handles, &copy);
  ASSERT_TRUE(s.ok()) << s.ToString();
  for (ColumnFamilyHandle* handle : handles) delete handle;
  copy.swap(db_);
  ExpectContents(then);
  copy.swap(db_);
  copy.reset();
  PutRange(100, 150, 3);
  Kill();
  Open(options);
  ExpectModel();
}

TEST_F(CheckpointDirectoriesTest, ARestoreOverTheSourceDoesNotTakeItsNewerLogs) {
  Open(WithLogs());
  PutRange(0, 50, 1);
  const Contents then = model_;
  CreateCheckpoint(kCopy);
  PutRange(0, 50, 2);
  Close();
  Remove(kDbName);
  Copy(kCopy, kDbName);
  ExpectRefused(WithLogs(), kDbName, kWalDir, "not there any more");
  Remove(kWalDir);
  // Its own logs came with it.
  Status s = TryOpen(WithLogs());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("in no table yet"), std::string::npos) << s.ToString();
  model_ = then;
  Open();
  ExpectModel();
  Flush();
  Open(WithLogs());
  ExpectModel();
}

TEST_F(CheckpointDirectoriesTest, ACheckpointHasAnIdentityOfItsOwnForGood) {
  Open();
  PutRange(0, 50, 1);
  Flush();
  PutRange(50, 60, 1);
  const std::string source = IdentityOf(db_.get());
  CreateCheckpoint(kCopy);
  std::string written;
  ASSERT_TRUE(ReadIdentityFile(fs(), kCopy, &written).ok());
  EXPECT_NE(source, written);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(OpenAt(kCopy, SmallOptions()).ok());
    ExpectModel();
    EXPECT_EQ(written, IdentityOf(db_.get()));
    // The MANIFEST knows it, too.
    Close();
    ASSERT_TRUE(fs()->DeleteFile(IdentityFileName(kCopy), IOOptions(), nullptr).ok());
  }
  Open();
  EXPECT_EQ(source, IdentityOf(db_.get()));
  CreateCheckpoint("/copy2");
  std::string other;
  ASSERT_TRUE(ReadIdentityFile(fs(), "/copy2", &other).ok());
  EXPECT_NE(written, other);
}

}  // namespace
}  // namespace cairn
