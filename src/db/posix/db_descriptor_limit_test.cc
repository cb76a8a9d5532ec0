// A process that may have few descriptors. (db_shortage_test.cc has the shortages of other kinds.)
#include <sys/resource.h>

#include "db/testing/db_fixture.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

class DbDescriptorLimitTest : public testing::DbTest {};

// The soft limit of descriptors while it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    EXPECT_EQ(0, getrlimit(RLIMIT_NOFILE, &before_));
    rlimit now = before_;
    now.rlim_cur = most;
    EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &now));
  }
  ~DescriptorLimit() { EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &before_)); }

 private:
  rlimit before_;
};

TEST_F(DbDescriptorLimitTest, AnyMaxOpenFilesWorksUnderASmallLimit) {
  const std::shared_ptr<FileSystem> fs = FileSystem::Default();
  const testing::TempDir dir(fs.get(), "db_shortage_test");
  Options options = SmallOptions();
  options.env = Env::Default();
  options.disable_auto_compactions = true;
  options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, dir.path(), &db).ok());
  constexpr uint64_t kTables = 80;
  for (uint64_t i = 0; i < kTables; ++i) {
    ASSERT_TRUE(db->Put(WriteOptions(), Key(i), Value(i, 20)).ok());
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
  }
  for (const int max_open_files : {-1, 5000}) {
    SCOPED_TRACE(max_open_files);
    db.reset();
    const DescriptorLimit limit(64);
    options.max_open_files = max_open_files;
    ASSERT_TRUE(DB::Open(options, dir.path(), &db).ok());
    EXPECT_EQ(max_open_files < 0 ? -1 : 64, db->GetDBOptions().max_open_files);
    for (int round = 0; round < 2; ++round) {
      for (uint64_t i = 0; i < kTables; ++i) {
        std::string value;
        const Status s = db->Get(ReadOptions(), Key(i), &value);
        ASSERT_TRUE(s.ok()) << s.ToString();
        EXPECT_EQ(value, Value(i, 20));
      }
      ASSERT_TRUE(db->Put(WriteOptions(), "more", "v").ok());
      ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    }
  }
  db.reset();
}

}  // namespace
}  // namespace cairn
