// Memory that there is not: whatever data or clients size fails with MemoryLimit where the system
// refuses it, the process lives, nothing acknowledged is lost, and what was written can be read
// again once there is memory.
#include "base/allocation.h"

#include "base/internal_key.h"
#include "db/testing/db_fixture.h"
#include "db/testing/error_listener.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"

namespace cairn {
namespace {

using testing::Key;

constexpr size_t kLarge = 4 << 20;  // bytes

// No allocation of this size succeeds while it lives.
class AllocationLimit {
 public:
  explicit AllocationLimit(size_t bytes = kLarge) { FailAllocationsFrom(bytes); }
  ~AllocationLimit() { FailAllocationsFrom(0); }
};

class DbAllocationTest : public testing::DbTest {
 protected:
  Options WithListener() {
    Options options = SmallOptions();
    options.merge_operator = Append();
    listener_ = std::make_shared<testing::ErrorListener>();
    options.listeners = {listener_};
    options.max_bgerror_resume_count = INT_MAX;
    options.bgerror_resume_retry_interval = 1000;
    return options;
  }
  static std::shared_ptr<MergeOperator> Append() {
    std::shared_ptr<MergeOperator> append;
    const Status s = MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &append);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return append;
  }
  void AwaitWrites() {
    listener_->Await([&] { return db_->Put(WriteOptions(), "healed", "v").ok(); });
    model_["healed"] = "v";
  }

  std::shared_ptr<testing::ErrorListener> listener_;
};

TEST_F(DbAllocationTest, AWriteWithoutMemoryIsRefusedAndLeavesNothing) {
  Open(WithListener());
  Put("small", "v");
  const std::string large(2 * kLarge, 'x');
  {
    const AllocationLimit limit;
    const Status s = db_->Put(WriteOptions(), "large", large);
    EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
    EXPECT_TRUE(db_->Merge(WriteOptions(), "large", large).IsMemoryLimit());
    WriteBatch batch;
    Status grown;
    int entries = 0;
    for (; grown.ok() && entries < 100; ++entries) grown = batch.Put("k", large.substr(0, 1 << 20));
    EXPECT_TRUE(grown.IsMemoryLimit()) << grown.ToString();
    EXPECT_LT(entries, 10);
    EXPECT_EQ(batch.Count(), static_cast<uint32_t>(entries - 1))
        << "the call that fails adds nothing";
    Put("more", "v");
  }
  // One that had memory when it was made, and the memtable has none.
  WriteBatch made(4 * kLarge);
  ASSERT_TRUE(made.Put("a", "first").ok());
  ASSERT_TRUE(made.Put("made", std::string(5 * kLarge, 'y')).ok());
  {
    const AllocationLimit limit;
    const Status s = db_->Write(WriteOptions(), &made);
    EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
    EXPECT_EQ(Get("a"), "NOT_FOUND");
    Put("even more", "v");
  }
  EXPECT_TRUE(listener_->errors().empty());
  ExpectModel();
  ASSERT_TRUE(db_->Write(WriteOptions(), &made).ok());
  Put("large", large);
  Kill();
  Open();
  EXPECT_EQ(Get("made").size(), 5 * kLarge);
  EXPECT_EQ(Get("large"), large);
}

// What a memtable lacks is in the log: nothing goes on, and no half of a batch lasts.
TEST_F(DbAllocationTest, AMemtableWithoutMemoryStopsTheDatabaseUntilItIsOpenedAgain) {
  Open(WithListener());
  Put("before", "v");
  WriteBatch batch(kLarge);
  ASSERT_TRUE(batch.Put("a", "first").ok());
  ASSERT_TRUE(batch.Put("b", std::string(kLarge / 2, 'y')).ok());  // not asked about
  {
    const AllocationLimit limit(kLarge / 4);
    const Status s = db_->Write(WriteOptions(), &batch);
    EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
  }
  EXPECT_TRUE(db_->Put(WriteOptions(), "refused", "v").IsMemoryLimit());
  EXPECT_TRUE(db_->Resume().IsMemoryLimit()) << "a table of it would have a half of the batch";
  db_->Close().PermitUncheckedError();
  Open();
  EXPECT_EQ(Get("before"), "v");
  EXPECT_EQ(Get("a") == "first", Get("b").size() == kLarge / 2);
}

TEST_F(DbAllocationTest, ARecoveryWithoutMemoryFailsAndSucceedsLater) {
  Open(WithListener());
  Put("small", "v");
  Put("large", std::string(3 * kLarge, 'x'));
  Kill();
  for (const auto mode :
       {WALRecoveryMode::kPointInTimeRecovery, WALRecoveryMode::kAbsoluteConsistency,
        WALRecoveryMode::kTolerateCorruptedTailRecords,
        WALRecoveryMode::kSkipAnyCorruptedRecords}) {
    const AllocationLimit limit;
    Options options = SmallOptions();
    options.wal_recovery_mode = mode;
    const Status s = TryOpen(options);
    EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
    EXPECT_NE(s.ToString().find(".log"), std::string::npos) << s.ToString();
  }
  Open();
  ExpectModel();
}

TEST_F(DbAllocationTest, AReadWithoutMemoryFailsAlone) {
  for (const bool in_table : {false, true}) {
    disk_ = testing::Disk();
    model_.clear();
    Open(WithListener());
    Put("a", "1");
    Put("large", std::string(3 * kLarge, 'x'));
    Put("z", "2");
    if (in_table) Flush();
    {
      const AllocationLimit limit;
      std::string value;
      Status s = db_->Get(ReadOptions(), "large", &value);
      EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
      EXPECT_EQ(Get("a"), "1");
      std::vector<std::string> values;
      const std::vector<Status> all = db_->MultiGet(ReadOptions(), {"a", "large", "z"}, &values);
      EXPECT_TRUE(all[0].ok() && all[2].ok());
      EXPECT_TRUE(all[1].IsMemoryLimit() || all[1].ok()) << all[1].ToString();
    }
    ExpectModel();
  }
}

TEST_F(DbAllocationTest, OperandsThatTogetherAreLargerThanMemory) {
  Options options = WithListener();
  options.disable_auto_compactions = true;
  options.write_buffer_size = 16 << 20;  // so that what is flushed together is ours to say
  Open(options);
  std::string expected;
  for (char c = 'a'; c < 'e'; ++c) {
    const std::string operand(kLarge / 2, c);
    ASSERT_TRUE(db_->Merge(WriteOptions(), "merged", operand).ok());
    expected += (expected.empty() ? "" : ",") + operand;
    Put(Key(static_cast<uint64_t>(c)), "v");
    if (c <= 'b') Flush();  // each by itself: two would become one
  }
  {
    const AllocationLimit limit;
    EXPECT_TRUE(Get("merged").starts_with("Operation aborted: Memory limit"));
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek("merged");
    EXPECT_TRUE(it->status().IsMemoryLimit()) << it->status().ToString();
    it->SeekToLast();
    EXPECT_TRUE(it->status().IsMemoryLimit()) << it->status().ToString();
    it.reset();
    // Where they cannot be merged into one they stay as they are.
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    const Status s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    EXPECT_TRUE(s.ok()) << s.ToString();
    Put("goes on", "v");
  }
  model_["merged"] = expected;
  ExpectModel();
  Compact();
  ExpectModel();
}

TEST_F(DbAllocationTest, AFlushWithoutMemoryHealsByItself) {
  Options options = WithListener();
  options.compression = kSnappyCompression;
  Open(options);
  {
    Put("large", std::string(3 * kLarge, 'x'));
    const AllocationLimit limit;
    const Status s = db_->Flush(FlushOptions());
    EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
    listener_->Await([&] { return !listener_->ended().empty(); });
    EXPECT_FALSE(listener_->ended()[0].new_bg_error.ok());
  }
  AwaitWrites();
  Flush();
  ExpectModel();
  Kill();
  Open();
  ExpectModel();
}

// Nobody reads that far: the memory is not there.
TEST_F(DbAllocationTest, WhatNoTableTakesIsRefusedWhenItIsWritten) {
  Open(WithListener());
  const std::string few = "few bytes";
  const Slice huge(few.data(), kMaxEntrySize - 2);
  EXPECT_TRUE(db_->Put(WriteOptions(), "key", huge).IsInvalidArgument());
  EXPECT_TRUE(db_->Put(WriteOptions(), "key", Slice(few.data(), UINT32_MAX)).IsInvalidArgument());
  EXPECT_TRUE(db_->Delete(WriteOptions(), Slice(few.data(), UINT32_MAX)).IsInvalidArgument());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", std::string(1000, 'v')).ok());
  const Status s = batch.Put("k", Slice(few.data(), kMaxEntrySize - 1));
  EXPECT_TRUE(s.IsMemoryLimit()) << "a batch of 4 GiB: " << s.ToString();
  EXPECT_EQ(batch.Count(), 1u);
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
}

}  // namespace
}  // namespace cairn
