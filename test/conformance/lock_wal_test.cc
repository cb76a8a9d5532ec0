// LockWAL and UnlockWAL, and what else DB says of all families and files at once.
#include <atomic>
#include <map>

#include "checkpoints.h"
#include "conformance.h"

namespace conformance {
namespace {

// RocksDB 7 only kept the log's own lock, from itself too.
#if defined(CAIRN_MAJOR) || ROCKSDB_MAJOR >= 8
class LockWalTest : public DBTest {};

TEST_F(LockWalTest, WritersWaitUntilItIsUnlocked) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->LockWAL());
  std::atomic<bool> done{false};
  Thread writer([&] {
    ASSERT_OK(Put("a", "2"));
    done = true;
  });
  EXPECT_EQ("1", Get("a"));
  WriteOptions in_no_case;
  in_no_case.no_slowdown = true;
  EXPECT_CODE(Incomplete, db_->Put(in_no_case, "b", "3"));
  EXPECT_EQ("1", Get("a"));
  EXPECT_FALSE(done);
  ASSERT_OK(db_->UnlockWAL());
  writer.join();
  EXPECT_EQ("2", Get("a"));
  EXPECT_EQ("NOT_FOUND", Get("b"));
  ASSERT_OK(db_->Put(in_no_case, "b", "4"));
}

TEST_F(LockWalTest, LocksAreCounted) {
  Open();
  EXPECT_CODE(Aborted, db_->UnlockWAL());
  ASSERT_OK(db_->LockWAL());
  ASSERT_OK(db_->LockWAL());
  ASSERT_OK(db_->UnlockWAL());
  WriteOptions in_no_case;
  in_no_case.no_slowdown = true;
  EXPECT_CODE(Incomplete, db_->Put(in_no_case, "a", "1"));
  ASSERT_OK(db_->UnlockWAL());
  EXPECT_CODE(Aborted, db_->UnlockWAL());
  ASSERT_OK(Put("a", "2"));
  EXPECT_EQ("2", Get("a"));
}

TEST_F(LockWalTest, ACheckpointHasWhatWasThere) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(db_->LockWAL());
  const SequenceNumber sequence = db_->GetLatestSequenceNumber();
  Thread writer([&] { ASSERT_OK(Put("c", "3")); });
  ASSERT_OK(MakeCheckpoint(db_, root_ + "/checkpoint", 1 << 20));
  EXPECT_EQ(sequence, db_->GetLatestSequenceNumber());
  ASSERT_OK(db_->UnlockWAL());
  writer.join();
  EXPECT_EQ("a=1,b=2,c=3", Contents());
  dir_ = root_ + "/checkpoint";
  Open();
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_F(LockWalTest, WhatIsBufferedIsHandedOver) {
  options_.manual_wal_flush = true;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->LockWAL());
  // As a copy of the files would have it.
  DB* other = nullptr;
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &other));
  std::string value;
  EXPECT_OK(other->Get(ReadOptions(), "a", &value));
  EXPECT_EQ("1", value);
  delete other;
  ASSERT_OK(db_->UnlockWAL());
}

TEST_F(LockWalTest, ADatabaseForReadingHasNothingToLock) {
  Open();
  Shut();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_CODE(NotSupported, db_->LockWAL());
  EXPECT_CODE(NotSupported, db_->UnlockWAL());
}

#endif

class WholeDatabaseTest : public DBTest {};

TEST_F(WholeDatabaseTest, TheMetaDataOfAllFamilies) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &other));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  std::vector<ColumnFamilyMetaData> all;
  db_->GetAllColumnFamilyMetaData(&all);
  ASSERT_EQ(2u, all.size());
  std::map<std::string, uint64_t> files;
  for (const auto& family : all) files[family.name] = family.file_count;
  EXPECT_EQ(1u, files["default"]);
  EXPECT_EQ(0u, files["other"]);
  ASSERT_OK(db_->DropColumnFamily(other));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(other));
  all.clear();
  db_->GetAllColumnFamilyMetaData(&all);
  EXPECT_EQ(1u, all.size());
}

TEST_F(WholeDatabaseTest, TheOldestFileIsKnownByItsTime) {
  options_.max_open_files = -1;
  Open();
  uint64_t time = 1;
  ASSERT_OK(db_->GetCreationTimeOfOldestFile(&time));
  EXPECT_EQ(UINT64_MAX, time);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  int64_t now = 0;
  ASSERT_OK(TheEnv()->GetCurrentTime(&now));
  ASSERT_OK(db_->GetCreationTimeOfOldestFile(&time));
  EXPECT_LE(time, static_cast<uint64_t>(now));
  EXPECT_GT(time + 3600, static_cast<uint64_t>(now));
  options_.max_open_files = 100;
  Open();
  EXPECT_CODE(NotSupported, db_->GetCreationTimeOfOldestFile(&time));
}

}  // namespace
}  // namespace conformance
