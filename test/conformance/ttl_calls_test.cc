// DBWithTTL in the calls that ttl_test.cc leaves out.
#include "checkpoints.h"
#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/db_ttl.h"

namespace conformance {
namespace {

class TtlCallsTest : public DBTest {
 protected:
  TtlCallsTest() {
    options_.disable_auto_compactions = true;
    EXPECT_OK(
        MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options_.merge_operator));
  }
  void OpenTtl(int32_t ttl) {
    Shut();
    ASSERT_OK(DBWithTTL::Open(options_, dir_, &ttl_db_, ttl));
    db_ = ttl_db_;
  }
  // As if it had been put at a second of 2014, or so much ago.
  Status PutOld(const std::string& key, const std::string& value, uint32_t ago = 0) {
    int64_t now = 0;
    EXPECT_OK(TheEnv()->GetCurrentTime(&now));
    const uint32_t time = ago == 0 ? 1400000000 : static_cast<uint32_t>(now) - ago;
    std::string stored = value;
    for (int i = 0; i < 4; i++) stored.push_back(static_cast<char>(time >> (8 * i)));
    return ttl_db_->GetBaseDB()->Put(WriteOptions(), key, stored);
  }

  DBWithTTL* ttl_db_ = nullptr;
};

TEST_F(TtlCallsTest, DeletionsOfAllKinds) {
  OpenTtl(100);
  for (const char* key : {"a", "b", "c", "d", "e"}) ASSERT_OK(Put(key, key));
  ASSERT_OK(Delete("a"));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "b"));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "c", "e"));
  for (int round = 0; round < 3; round++) {
    EXPECT_EQ("e=e", Contents());
    if (round == 0) {
      ASSERT_OK(Flush());
    } else {
      ASSERT_OK(Compact());
    }
  }
}

TEST_F(TtlCallsTest, ABatchDeletesToo) {
  OpenTtl(100);
  for (const char* key : {"x", "y", "z"}) ASSERT_OK(Put(key, "1"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Merge("a", "2"));
  ASSERT_OK(batch.Delete("x"));
  ASSERT_OK(batch.DeleteRange("y", "z"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("a=1,2,z=1", Contents());
  OpenTtl(100);
  EXPECT_EQ("a=1,2,z=1", Contents());
}

TEST_F(TtlCallsTest, ASnapshotDoesNotKeepWhatHasExpired) {
  OpenTtl(1000);
  ASSERT_OK(PutOld("a", "1"));
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a", snapshot));
  ASSERT_OK(Compact());
  EXPECT_EQ("NOT_FOUND", Get("a", snapshot));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(TtlCallsTest, UniversalCompactionsDropWhatHasExpired) {
  options_.compaction_style = kCompactionStyleUniversal;
  OpenTtl(1000);
  for (int i = 0; i < 6; i++) {
    ASSERT_OK(i % 2 == 0 ? PutOld(Key(i), "1") : Put(Key(i), "1"));
    ASSERT_OK(Flush());
  }
  EXPECT_EQ("1", Get(Key(0)));
  ASSERT_OK(Compact());
  EXPECT_EQ(Key(1) + "=1," + Key(3) + "=1," + Key(5) + "=1", Contents());
}

TEST_F(TtlCallsTest, ACheckpointHasTheTimes) {
  OpenTtl(1000);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(PutOld("b", "2"));
  ASSERT_OK(MakeCheckpoint(db_, root_ + "/copy"));
  dir_ = root_ + "/copy";
  OpenTtl(1000);
  EXPECT_EQ("a=1,b=2", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1", Contents());
}

TEST_F(TtlCallsTest, TheNewestVersionDecides) {
  OpenTtl(1000);
  ASSERT_OK(PutOld("a", "1", 500));
  ASSERT_OK(PutOld("b", "1", 5000));
  ASSERT_OK(Flush());
  ASSERT_OK(PutOld("b", "2", 500));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1,b=2", Contents());
  ttl_db_->SetTtl(100);
  CompactRangeOptions options;
  options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(options, nullptr, nullptr));
  EXPECT_EQ("", Contents());
}

}  // namespace
}  // namespace conformance
