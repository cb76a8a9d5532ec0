// TransactionDB with locks on ranges: GetRangeLock(), keys beside ranges, prefixes, when locks end,
// what is told of them.
#include <cerrno>

#include "transaction_fixture.h"

namespace conformance {
namespace {

class RangeLocks : public TransactionTest {
 protected:
  RangeLocks() {
    ranges_.reset(NewRangeLockManager(nullptr));
    txn_options_.lock_mgr_handle = ranges_;
  }
  ~RangeLocks() override { ShutAll(); }

  Status LockRange(const Txn& txn, const Endpoint& start, const Endpoint& end,
                   ColumnFamilyHandle* family = nullptr) {
    return txn->GetRangeLock(family == nullptr ? db_->DefaultColumnFamily() : family, start, end);
  }

  std::shared_ptr<RangeLockManagerHandle> ranges_;
};
INSTANTIATE_TEST_SUITE_P(One, RangeLocks, testing::Values(16));

TEST_P(RangeLocks, ARangeExcludesRangesAndKeys) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(LockRange(a, Endpoint("c"), Endpoint("f")));
  EXPECT_LOCK_TIMEOUT(b->Put("c", "1"));
  EXPECT_LOCK_TIMEOUT(b->Put("d", "1"));
  EXPECT_LOCK_TIMEOUT(b->Put("f", "1"));
  EXPECT_LOCK_TIMEOUT(Lock(b.get(), "e"));
  EXPECT_LOCK_TIMEOUT(LockRange(b, Endpoint("f"), Endpoint("h")));
  EXPECT_LOCK_TIMEOUT(LockRange(b, Endpoint("a"), Endpoint("z")));
  ASSERT_OK(b->Put("b", "1"));
  ASSERT_OK(b->Put("fa", "1"));
  ASSERT_OK(LockRange(b, Endpoint("g"), Endpoint("h")));
  ASSERT_OK(a->Put("d", "2"));
  ASSERT_OK(a->Commit());
  ASSERT_OK(b->Put("d", "3"));
  ASSERT_OK(b->Commit());
  EXPECT_EQ("b=1,d=3,fa=1", Contents());
}

TEST_P(RangeLocks, AKeyExcludesRanges) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(a->Put("d", "1"));
  EXPECT_LOCK_TIMEOUT(LockRange(b, Endpoint("a"), Endpoint("f")));
  EXPECT_LOCK_TIMEOUT(LockRange(b, Endpoint("d"), Endpoint("d")));
  ASSERT_OK(LockRange(b, Endpoint("da"), Endpoint("f")));
  EXPECT_LOCK_TIMEOUT(a->Put("e", "1"));
  ASSERT_OK(a->Rollback());
  ASSERT_OK(LockRange(b, Endpoint("a"), Endpoint("f")));
}

TEST_P(RangeLocks, ReadersShareKeys) {
  const Txn a = Begin(), b = Begin(), c = Begin();
  ASSERT_OK(Lock(a.get(), "k", false));
  ASSERT_OK(Lock(b.get(), "k", false));
  EXPECT_LOCK_TIMEOUT(c->Put("k", "1"));
  EXPECT_LOCK_TIMEOUT(LockRange(c, Endpoint("a"), Endpoint("z")));
  ASSERT_OK(a->Rollback());
  EXPECT_LOCK_TIMEOUT(c->Put("k", "1"));
  ASSERT_OK(b->Commit());
  ASSERT_OK(c->Put("k", "1"));
}

TEST_P(RangeLocks, APrefixIsARange) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(LockRange(a, Endpoint("ab", false), Endpoint("ab", true)));
  EXPECT_LOCK_TIMEOUT(b->Put("ab", "1"));
  EXPECT_LOCK_TIMEOUT(b->Put("abzzz", "1"));
  EXPECT_LOCK_TIMEOUT(LockRange(b, Endpoint("a"), Endpoint("ac")));
  ASSERT_OK(b->Put("a", "1"));
  ASSERT_OK(b->Put("aa", "1"));
  ASSERT_OK(b->Put("ac", "1"));
}

TEST_P(RangeLocks, FamiliesHaveTheirOwn) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(LockRange(a, Endpoint("a"), Endpoint("z")));
  ASSERT_OK(b->Put(other_, "k", "1"));
  EXPECT_LOCK_TIMEOUT(LockRange(a, Endpoint("k"), Endpoint("l"), other_));
  ASSERT_OK(LockRange(a, Endpoint("l"), Endpoint("m"), other_));
}

TEST_P(RangeLocks, LocksStayToTheEnd) {
  const Txn a = Begin(), b = Begin();
  a->SetSavePoint();
  ASSERT_OK(LockRange(a, Endpoint("c"), Endpoint("f")));
  ASSERT_OK(a->Put("k", "1"));
  ASSERT_OK(Lock(a.get(), "m"));
  a->UndoGetForUpdate("m");
  ASSERT_OK(a->RollbackToSavePoint());
  EXPECT_LOCK_TIMEOUT(b->Put("d", "1"));
  EXPECT_LOCK_TIMEOUT(b->Put("k", "1"));
  EXPECT_LOCK_TIMEOUT(b->Put("m", "1"));
  ASSERT_OK(a->Commit());
  ASSERT_OK(b->Put("d", "1"));
  ASSERT_OK(b->Put("k", "1"));
  ASSERT_OK(b->Put("m", "1"));
}

TEST_P(RangeLocks, PlainWritesWaitForThem) {
  const Txn a = Begin();
  ASSERT_OK(LockRange(a, Endpoint("c"), Endpoint("f")));
  EXPECT_LOCK_TIMEOUT(Put("d", "1"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put("e", "1"));
  EXPECT_LOCK_TIMEOUT(db_->Write(WriteOptions(), &batch));
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(a->Commit());
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("a=1,e=1", Contents());
}

TEST_P(RangeLocks, WritesAreValidatedAsEver) {
  ASSERT_OK(Put("k", "1"));
  const Txn a = BeginWithSnapshot();
  ASSERT_OK(Put("k", "2"));
  EXPECT_CODE(Busy, a->Put("k", "3"));
  ASSERT_OK(LockRange(a, Endpoint("k"), Endpoint("l")));  // a range is not
}

TEST_P(RangeLocks, StatusTellsThem) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(LockRange(a, Endpoint("c"), Endpoint("f", true)));
  ASSERT_OK(Lock(b.get(), "k", false));
  ASSERT_OK(b->Put(other_, "w", "1"));
  const auto locks = ranges_->GetRangeLockStatusData();
  ASSERT_EQ(3u, locks.size());
  bool range = false, key = false;
  for (const auto& [family, info] : locks) {
    if (family != 0) {
      EXPECT_EQ(other_->GetID(), family);
      EXPECT_EQ("w", info.start.slice);
      EXPECT_EQ("w", info.end.slice);
      EXPECT_TRUE(info.exclusive);
    } else if (info.start.slice == "c") {
      range = true;
      EXPECT_FALSE(info.start.inf_suffix);
      EXPECT_EQ("f", info.end.slice);
      EXPECT_TRUE(info.end.inf_suffix);
      EXPECT_TRUE(info.exclusive);
      EXPECT_EQ(std::vector<TransactionID>{a->GetID()}, info.ids);
    } else {
      key = true;
      EXPECT_EQ("k", info.start.slice);
      EXPECT_FALSE(info.exclusive);
      EXPECT_EQ(std::vector<TransactionID>{b->GetID()}, info.ids);
    }
  }
  EXPECT_TRUE(range && key);
  ASSERT_OK(a->Rollback());
  ASSERT_OK(b->Rollback());
  EXPECT_TRUE(ranges_->GetRangeLockStatusData().empty());
}

TEST_P(RangeLocks, MemoryIsLimited) {
  EXPECT_EQ(0, ranges_->SetMaxLockMemory(1 << 20));
  EXPECT_EQ(size_t{1} << 20, ranges_->GetMaxLockMemory());
  const Txn a = Begin();
  for (int i = 0; i < 100; i++) ASSERT_OK(a->Put("key" + std::to_string(i), "1"));
  EXPECT_GT(ranges_->GetStatus().current_lock_memory, 0u);
  EXPECT_EQ(EDOM, ranges_->SetMaxLockMemory(1));
  // Escalated, if need be: all of them are still locked, and nothing of another's.
  EXPECT_EQ(0, ranges_->SetMaxLockMemory(ranges_->GetStatus().current_lock_memory + 500));
  for (int i = 100; i < 200; i++) ASSERT_OK(a->Put("key" + std::to_string(i), "1"));
  EXPECT_GT(ranges_->GetStatus().escalation_count, 0u);
  const Txn b = Begin();
  for (int i = 0; i < 200; i++) EXPECT_LOCK_TIMEOUT(b->Put("key" + std::to_string(i), "1"));
  ASSERT_OK(a->Commit());
  ASSERT_OK(b->Put("key50", "1"));
}

TEST_P(RangeLocks, ADeadlockIsFoundAndTold) {
  const Txn a = BeginPatient(), b = BeginPatient();
  ASSERT_OK(LockRange(a, Endpoint("a"), Endpoint("c")));
  ASSERT_OK(LockRange(b, Endpoint("x"), Endpoint("z")));
  // Who comes second closes the circle.
  Status first, second;
  Thread thread([&] {
    first = a->Put("y", "1");
    if (!first.ok()) {
      EXPECT_OK(a->Rollback());
    }
  });
  second = LockRange(b, Endpoint("b"), Endpoint("k"));
  if (!second.ok()) {
    EXPECT_OK(b->Rollback());
  }
  thread.join();
  EXPECT_NE(first.ok(), second.ok());
  EXPECT_CODE(Busy, first.ok() ? second : first);
  EXPECT_EQ(Status::kDeadlock, (first.ok() ? second : first).subcode());
  const std::vector<RangeDeadlockPath> deadlocks = ranges_->GetRangeDeadlockInfoBuffer();
  ASSERT_EQ(1u, deadlocks.size());
  EXPECT_EQ(2u, deadlocks[0].path.size());
}

}  // namespace
}  // namespace conformance
