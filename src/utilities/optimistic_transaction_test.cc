// Optimistic transactions where RocksDB 7, which the conformance tests run on, has no such thing or
// does otherwise: conflicts that only tables know of, ranges deleted under them, plain writes in
// the middle of a commit, entities, errors, and random histories that must be serializable.
#include "rocksdb/utilities/optimistic_transaction_db.h"

#include <atomic>
#include <map>
#include <memory>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/write_batch_with_index.h"
#include "utilities/occ_locks.h"

namespace cairn {
namespace {

using testing::Key;
using testing::SeedText;
using testing::Text;

using Txn = std::unique_ptr<Transaction>;

class OptimisticTransactionTest : public testing::DbTest,
                                  public ::testing::WithParamInterface<OccValidationPolicy> {
 protected:
  void SetUp() override { OpenTxn(SmallOptions()); }

  void OpenTxn(const Options& options, std::shared_ptr<OccLockBuckets> locks = nullptr) {
    db_.reset();
    OptimisticTransactionDBOptions occ;
    occ.validate_policy = GetParam();
    occ.occ_lock_buckets = 64;
    occ.shared_lock_buckets = std::move(locks);
    std::vector<ColumnFamilyHandle*> handles;
    OptimisticTransactionDB* made = nullptr;
    const Status s = OptimisticTransactionDB::Open(
        options, occ, testing::kDbName, {ColumnFamilyDescriptor(kDefaultColumnFamilyName, options)},
        &handles, &made);
    ASSERT_TRUE(s.ok()) << s.ToString();
    delete handles[0];
    txn_db_ = made;
    db_.reset(made);
  }
  Txn Begin(bool set_snapshot = false) {
    OptimisticTransactionOptions options;
    options.set_snapshot = set_snapshot;
    return Txn(txn_db_->BeginTransaction(WriteOptions(), options));
  }
  std::string NumSnapshots() { return Property("num-snapshots"); }

  OptimisticTransactionDB* txn_db_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Policy, OptimisticTransactionTest,
                         ::testing::Values(OccValidationPolicy::kValidateSerial,
                                           OccValidationPolicy::kValidateParallel),
                         [](const auto& info) {
                           return info.param == OccValidationPolicy::kValidateSerial ? "Serial"
                                                                                     : "Parallel";
                         });

// RocksDB says TryAgain to both.
TEST_P(OptimisticTransactionTest, TablesTellAConflictFromNone) {
  for (const bool conflict : {false, true}) {
    Put("a", "before");
    const Txn txn = Begin();
    ASSERT_TRUE(txn->Put("a", "txn").ok());
    PutRange(0, 300, 1);
    Flush();
    if (conflict) Put("a", "other");
    PutRange(300, 600, 2);
    Flush();
    PutRange(0, 600, 3);
    Flush();
    Compact();
    const Status s = txn->Commit();
    EXPECT_EQ(conflict, s.IsBusy()) << s.ToString();
    EXPECT_EQ(!conflict, s.ok()) << s.ToString();
    EXPECT_EQ(conflict ? "other" : "txn", Get("a"));
  }
}

TEST_P(OptimisticTransactionTest, ADeletionIsFoundAfterItWasCompactedToTheBottom) {
  Put("a", "before");
  Flush();
  const Txn txn = Begin();
  std::string value;
  ASSERT_TRUE(txn->GetForUpdate(ReadOptions(), "a", &value).ok());
  Delete("a");
  Flush();
  Compact();
  EXPECT_TRUE(txn->Commit().IsBusy());
}

TEST_P(OptimisticTransactionTest, APutAndASingleDeleteAreFoundAfterTheirCompaction) {
  const Txn early = Begin();
  ASSERT_TRUE(early->Put("x", "1").ok());
  Put("a", "between");
  const Txn txn = Begin();
  std::string value;
  ASSERT_TRUE(txn->GetForUpdate(ReadOptions(), "a", &value).ok());
  ASSERT_TRUE(db_->SingleDelete(WriteOptions(), "a").ok());
  Flush();
  Compact();
  EXPECT_TRUE(txn->Commit().IsBusy());
  EXPECT_TRUE(early->Commit().ok());
}

// DeleteRange is refused here, but the database below takes it.
TEST_P(OptimisticTransactionTest, ARangeDeletedBelowIsAConflict) {
  for (const bool flushed : {false, true}) {
    Put("b", "before");
    Flush();
    const Txn txn = Begin();
    ASSERT_TRUE(txn->Put("b", "txn").ok());
    const Txn beside = Begin();
    ASSERT_TRUE(beside->Put("d", "txn").ok());
    ASSERT_TRUE(txn_db_->GetBaseDB()
                    ->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "c")
                    .ok());
    if (flushed) {
      Flush();
      Compact();
    }
    EXPECT_TRUE(txn->Commit().IsBusy()) << flushed;
    EXPECT_TRUE(beside->Commit().ok()) << flushed;
  }
}

TEST_P(OptimisticTransactionTest, SnapshotsAreHeldWhileKeysAreTracked) {
  const Txn txn = Begin();
  EXPECT_EQ("0", NumSnapshots());
  ASSERT_TRUE(txn->PutUntracked("a", "1").ok());
  EXPECT_EQ("0", NumSnapshots());
  ASSERT_TRUE(txn->Put("b", "1").ok());
  ASSERT_TRUE(txn->Put("c", "1").ok());
  EXPECT_EQ("1", NumSnapshots());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ("0", NumSnapshots());
  {
    const Txn gone = Begin(/*set_snapshot=*/true);
    ASSERT_TRUE(gone->Put("b", "2").ok());
    EXPECT_EQ("1", NumSnapshots());
  }
  EXPECT_EQ("0", NumSnapshots());
}

// Back at a save point, the snapshot is older than the one that was held meanwhile.
TEST_P(OptimisticTransactionTest, ASnapshotThatASavePointBringsBackHolds) {
  Put("a", "1");
  const Txn txn = Begin(/*set_snapshot=*/true);
  txn->SetSavePoint();
  txn->ClearSnapshot();
  Put("a", "2");
  ASSERT_TRUE(txn->Put("x", "1").ok());
  ASSERT_TRUE(txn->RollbackToSavePoint().ok());
  Flush();
  Compact();
  ASSERT_TRUE(txn->Put("a", "txn").ok());
  EXPECT_TRUE(txn->Commit().IsBusy());
}

TEST_P(OptimisticTransactionTest, WhatIsAssumedToBeTrackedMustBe) {
  const Txn txn = Begin();
  EXPECT_TRUE(txn->Put(nullptr, "a", "1", /*assume_tracked=*/true).IsInvalidArgument());
  std::string* const no_value = nullptr;
  ASSERT_TRUE(txn->GetForUpdate(ReadOptions(), "a", no_value).ok());
  EXPECT_TRUE(txn->Put(nullptr, "a", "1", /*assume_tracked=*/true).ok());
  EXPECT_TRUE(txn->Delete(nullptr, "a", /*assume_tracked=*/true).ok());
  EXPECT_EQ(1u, txn->GetNumKeys());
}

TEST_P(OptimisticTransactionTest, ACommitTimeBatchIsNotIgnored) {
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").ok());
  ASSERT_TRUE(txn->GetCommitTimeWriteBatch()->Put("b", "1").ok());
  EXPECT_TRUE(txn->Commit().IsInvalidArgument());
  txn->GetCommitTimeWriteBatch()->Clear();
  EXPECT_TRUE(txn->Commit().ok());
}

TEST_P(OptimisticTransactionTest, TimestampsAreRefused) {
  const Txn txn = Begin();
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot().IsInvalidArgument());
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot(nullptr, 5).IsNotSupported());
  EXPECT_TRUE(txn->SetCommitTimestamp(5).IsNotSupported());
  EXPECT_TRUE(txn->SetReadTimestampForValidation(5).IsNotSupported());
  EXPECT_EQ(nullptr, txn->GetTimestampedSnapshot());
  EXPECT_TRUE(txn->GetRangeLock(nullptr, Endpoint("a"), Endpoint("b")).IsNotSupported());
}

TEST_P(OptimisticTransactionTest, HistoryOfMemtablesIsTakenForGiven) {
  Options options = SmallOptions();
  options.max_write_buffer_size_to_maintain = 1 << 20;
  options.max_write_buffer_number_to_maintain = 2;
  OpenTxn(options);
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").ok());
  ASSERT_TRUE(txn->Commit().ok());
}

TEST_P(OptimisticTransactionTest, EntitiesAndTheirConflicts) {
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), family, "e", {{"x", "1"}}).ok());
  const Txn txn = Begin();
  PinnableWideColumns columns;
  ASSERT_TRUE(txn->GetEntityForUpdate(ReadOptions(), family, "e", &columns).ok());
  EXPECT_EQ("x:1", Text(columns.columns()));
  ASSERT_TRUE(txn->PutEntity(nullptr, "e", {{"x", "2"}}).ok());
  ASSERT_TRUE(txn->PutEntityUntracked(nullptr, "f", {{"y", "3"}}).ok());
  EXPECT_EQ(2u, txn->GetNumPutEntities());
  const Slice keys[] = {"e", "f", "g"};
  PinnableWideColumns results[3];
  Status statuses[3];
  txn->MultiGetEntity(ReadOptions(), nullptr, 3, keys, results, statuses);
  EXPECT_EQ("x:2", Text(results[0].columns()));
  EXPECT_EQ("y:3", Text(results[1].columns()));
  EXPECT_TRUE(statuses[2].IsNotFound());
  const auto it = txn->GetCoalescingIterator(ReadOptions(), {family});
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("y:3", Text(it->columns()));
  const auto groups = txn->GetAttributeGroupIterator(ReadOptions(), {family});
  groups->SeekToFirst();
  ASSERT_TRUE(groups->Valid());
  EXPECT_EQ("e", groups->key());
  EXPECT_TRUE(txn->GetCoalescingIterator(ReadOptions(), {})->status().IsInvalidArgument());
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), family, "e", {{"x", "9"}}).ok());
  EXPECT_TRUE(txn->Commit().IsBusy());
}

TEST_P(OptimisticTransactionTest, AFailedLogWritesNothingAndKeepsTheTransaction) {
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").ok());
  disk_.Freeze();
  WriteOptions sync;
  sync.sync = true;
  txn->SetWriteOptions(sync);
  const Status s = txn->Commit();
  EXPECT_FALSE(s.ok());
  EXPECT_FALSE(s.IsBusy()) << s.ToString();
  EXPECT_EQ("NOT_FOUND", Get("a"));
  EXPECT_EQ(1u, txn->GetNumKeys());
  std::string value;
  EXPECT_TRUE(txn->Get(ReadOptions(), "a", &value).ok());
  disk_.faults->Heal();
}

TEST_P(OptimisticTransactionTest, AFamilyMayLoseItsHandle) {
  ColumnFamilyHandle* family = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(SmallOptions(), "other", &family).ok());
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put(family, "a", "1").ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
  EXPECT_TRUE(txn->Commit().ok());
}

TEST_P(OptimisticTransactionTest, RebuildingFromABatchOfAFamilyThatIsNotThere) {
  WriteBatch batch(std::string("\0\0\0\0\0\0\0\0\1\0\0\0\5\7\1a\1b", 18));
  const Txn txn = Begin();
  EXPECT_TRUE(txn->RebuildFromWriteBatch(&batch).IsInvalidArgument());
  EXPECT_EQ(0u, txn->GetNumKeys());
}

TEST_P(OptimisticTransactionTest, SharedLocksServeSeveralDatabases) {
  const auto locks = MakeSharedOccLockBuckets(4, /*cache_aligned=*/true);
  EXPECT_LE(4u * 64, locks->ApproximateMemoryUsage());
  EXPECT_GT(MakeSharedOccLockBuckets(4)->ApproximateMemoryUsage(), 16u);
  EXPECT_GT(MakeSharedOccLockBuckets(0)->ApproximateMemoryUsage(), 0u);
  OpenTxn(SmallOptions(), locks);
  const Txn txn = Begin();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(txn->Put(Key(i), "1").ok());
  ASSERT_TRUE(txn->Commit().ok());
}

TEST(OccLocksTest, AGuardTakesEachBucketOnce) {
  OccLocks locks(8, /*cache_aligned=*/false);
  {
    const OccLocks::Guard guard(&locks, {7, 3, 3, 0, 7});
  }
  {
    const OccLocks::Guard guard(&locks, {});
  }
  const OccLocks::Guard again(&locks, {0, 3, 7});
  for (int i = 0; i < 100; ++i) {
    EXPECT_GT(8u, locks.BucketOf(1, 0, Key(static_cast<uint64_t>(i))));
  }
}

// Plain writes and transactions add to the same counters, from threads and fibers; the plain ones
// take numbers of their own. No transaction may write over a plain write that it did not read.
TEST_P(OptimisticTransactionTest, PlainWritesAreNotOverwrittenUnseen) {
  constexpr int kRounds = 300;
  std::atomic<int> failures{0};
  Put("k", "0");
  std::atomic<bool> stop{false};
  fiber::Thread plain("plain writes", [&] {
    for (int i = 1; i <= kRounds; ++i) {
      if (!db_->Put(WriteOptions(), "k", std::to_string(i)).ok()) ++failures;
      if (!db_->Put(WriteOptions(), "seen", std::to_string(i)).ok()) ++failures;
    }
    stop = true;
  });
  // A transaction may only ever repeat the number that is there: it never goes down.
  int commits = 0;
  while (!stop || commits == 0) {
    const Txn txn = Begin();
    std::string value;
    if (!txn->GetForUpdate(ReadOptions(), "k", &value).ok()) ++failures;
    if (!txn->Put("k", value).ok()) ++failures;
    commits += txn->Commit().ok();
    std::string seen, now;
    if (db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "seen", &seen).ok()) {
      if (!db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "k", &now).ok()) ++failures;
      EXPECT_LE(std::stoi(seen), std::stoi(now));
    }
  }
  plain.join();
  EXPECT_EQ(0, failures.load());
  EXPECT_EQ(std::to_string(kRounds), Get("k"));
}

// Each transaction reads some registers for update and writes others a version of its own. The
// commits, in some order, must explain what each has read: the order is that of an integer that all
// of them read and add one to.
TEST_P(OptimisticTransactionTest, RandomHistoriesAreSerializable) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  constexpr int kRegisters = 6, kParties = 5, kCommits = 60;
  struct Committed {
    std::map<int, std::string> reads, writes;
  };
  fiber::Mutex mutex;
  std::map<int, Committed> history;  // by the number that the transaction drew
  std::atomic<int> failures{0};
  const auto party = [&](int me) {
    Random64 random(seed + static_cast<uint64_t>(me));
    for (int done = 0, attempt = 0; done < kCommits; ++attempt) {
      const Txn txn = Begin(random.Uniform(2) == 0);
      std::string order;
      const Status drawn = txn->GetForUpdate(ReadOptions(), "order", &order);
      const int number = drawn.ok() ? std::stoi(order) + 1 : 1;
      if (!txn->Put("order", std::to_string(number)).ok()) ++failures;
      Committed mine;
      for (int i = 0; i < 3; ++i) {
        const int reg = static_cast<int>(random.Uniform(kRegisters));
        std::string value;
        const Status s = txn->GetForUpdate(ReadOptions(), Key(reg), &value);
        if (!s.ok() && !s.IsNotFound()) ++failures;
        if (!mine.writes.contains(reg)) mine.reads[reg] = s.ok() ? value : "";
        const int other = static_cast<int>(random.Uniform(kRegisters));
        const std::string version =
            std::to_string(me) + "." + std::to_string(attempt) + "." + std::to_string(i);
        if (!txn->Put(Key(other), version).ok()) ++failures;
        mine.writes[other] = version;
      }
      if (random.Uniform(10) == 0 && !db_->Flush(FlushOptions()).ok()) ++failures;
      const Status s = txn->Commit();
      if (!s.ok()) {
        if (!s.IsBusy()) ++failures;
        continue;
      }
      ++done;
      fiber::MutexLock lock(&mutex);
      if (!history.emplace(number, std::move(mine)).second) ++failures;
    }
  };
  fiber::RuntimeOptions options;
  options.workers = 2;
  fiber::Runtime runtime(options);
  fiber::Thread thread("party", [&] { party(0); });
  runtime.run([&] {
    std::vector<fiber::JoinHandle> fibers;
    for (int i = 1; i < kParties; ++i) {
      fibers.push_back(runtime.spawn([&party, i] { party(i); }));
    }
    for (fiber::JoinHandle& f : fibers) f.join();
  });
  thread.join();
  ASSERT_EQ(0, failures.load());
  ASSERT_EQ(static_cast<size_t>(kParties * kCommits), history.size());
  std::map<int, std::string> registers;
  for (const auto& [number, committed] : history) {
    for (const auto& [reg, value] : committed.reads) {
      ASSERT_EQ(registers.contains(reg) ? registers[reg] : "", value) << "commit " << number;
    }
    for (const auto& [reg, value] : committed.writes) registers[reg] = value;
  }
  for (const auto& [reg, value] : registers) EXPECT_EQ(value, Get(Key(reg)));
}

}  // namespace
}  // namespace cairn
