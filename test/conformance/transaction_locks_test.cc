// TransactionDB's locks: who excludes whom, what plain writes do, waits, deadlocks, limits, and
// many transactions at once.
#include <atomic>

#include "transaction_fixture.h"

namespace conformance {
namespace {

using TransactionLocks = TransactionTest;
INSTANTIATE_TEST_SUITE_P(Stripes, TransactionLocks, testing::Values(1, 16));
INSTANTIATE_TEST_SUITE_P(Policies, TransactionLocks,
                         testing::Values(WithPolicy(WRITE_PREPARED), WithPolicy(WRITE_UNPREPARED)),
                         PolicyOf);

TEST_P(TransactionLocks, AWriteExcludesAll) {
  const Txn holder = Begin(), txn = Begin();
  ASSERT_OK(holder->Put("a", "1"));
  EXPECT_LOCK_TIMEOUT(txn->Put("a", "2"));
  EXPECT_LOCK_TIMEOUT(txn->Delete("a"));
  EXPECT_LOCK_TIMEOUT(txn->SingleDelete("a"));
  EXPECT_LOCK_TIMEOUT(txn->Merge(db_->DefaultColumnFamily(), "a", "2"));
  EXPECT_LOCK_TIMEOUT(txn->PutUntracked("a", "2"));
  EXPECT_LOCK_TIMEOUT(txn->DeleteUntracked("a"));
  EXPECT_LOCK_TIMEOUT(Lock(txn.get(), "a"));
  EXPECT_LOCK_TIMEOUT(Lock(txn.get(), "a", /*exclusive=*/false));
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "a"));
  EXPECT_EQ(0u, txn->GetNumKeys());
  ASSERT_OK(holder->Commit());
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=2", Contents());
}

TEST_P(TransactionLocks, OtherKeysAndFamiliesAreFree) {
  const Txn holder = Begin(), txn = Begin();
  ASSERT_OK(holder->Put("a", "1"));
  ASSERT_OK(txn->Put("b", "1"));
  ASSERT_OK(txn->Put(other_, "a", "1"));
  EXPECT_LOCK_TIMEOUT(holder->Put(other_, "a", "2"));
}

TEST_P(TransactionLocks, OneMayLockAgain) {
  const Txn txn = Begin();
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(txn->Put("a", "1"));
    ASSERT_OK(Lock(txn.get(), "a", i % 2 == 0));
  }
  EXPECT_EQ(1u, txn->GetNumKeys());
  ASSERT_OK(txn->Commit());
  EXPECT_TRUE(IsFree("a"));
}

TEST_P(TransactionLocks, SharedOnesShare) {
  const Txn a = Begin(), b = Begin(), writer = Begin();
  ASSERT_OK(Lock(a.get(), "k", false));
  ASSERT_OK(Lock(b.get(), "k", false));
  EXPECT_LOCK_TIMEOUT(writer->Put("k", "1"));
  ASSERT_OK(a->Rollback());
  EXPECT_LOCK_TIMEOUT(writer->Put("k", "1"));
  ASSERT_OK(b->Rollback());
  ASSERT_OK(writer->Put("k", "1"));
}

TEST_P(TransactionLocks, TheOnlyReaderMayWrite) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(Lock(a.get(), "k", false));
  ASSERT_OK(a->Put("k", "1"));
  EXPECT_LOCK_TIMEOUT(Lock(b.get(), "k", false));
  ASSERT_OK(a->Commit());
  EXPECT_EQ("k=1", Contents());
}

TEST_P(TransactionLocks, OneOfTwoReadersMayNotWrite) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(Lock(a.get(), "k", false));
  ASSERT_OK(Lock(b.get(), "k", false));
  EXPECT_LOCK_TIMEOUT(a->Put("k", "1"));
  ASSERT_OK(b->Rollback());
  ASSERT_OK(a->Put("k", "1"));
  ASSERT_OK(a->Commit());
}

TEST_P(TransactionLocks, AWriterIsNoReaderByReading) {
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(a->Put("k", "1"));
  ASSERT_OK(Lock(a.get(), "k", false));
  EXPECT_LOCK_TIMEOUT(Lock(b.get(), "k", false));
}

TEST_P(TransactionLocks, PlainWritesNeedTheLock) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  EXPECT_LOCK_TIMEOUT(Put("a", "plain"));
  EXPECT_LOCK_TIMEOUT(Delete("a"));
  EXPECT_LOCK_TIMEOUT(db_->SingleDelete(WriteOptions(), "a"));
  EXPECT_LOCK_TIMEOUT(db_->Merge(WriteOptions(), "a", "plain"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("b", "plain"));
  ASSERT_OK(batch.Delete("a"));
  EXPECT_LOCK_TIMEOUT(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("", Contents());
  EXPECT_TRUE(IsFree("b"));
  ASSERT_OK(txn->Commit());
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("b=plain", Contents());
  EXPECT_TRUE(IsFree("a"));
}

TEST_P(TransactionLocks, PlainWritesNeedItFromReadersToo) {
  const Txn txn = Begin();
  ASSERT_OK(Lock(txn.get(), "a", false));
  EXPECT_LOCK_TIMEOUT(Put("a", "plain"));
  EXPECT_EQ("NOT_FOUND", Get("a"));
}

TEST_P(TransactionLocks, AKeyTwiceInABatch) {
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put("a", "2"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("a=2", Contents());
}

TEST_P(TransactionLocks, WritesMaySkipLocks) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  TransactionDBWriteOptimizations skip;
  skip.skip_concurrency_control = true;
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "plain"));
  EXPECT_LOCK_TIMEOUT(txn_db_->Write(WriteOptions(), TransactionDBWriteOptimizations(), &batch));
  ASSERT_OK(txn_db_->Write(WriteOptions(), skip, &batch));
  EXPECT_EQ("a=plain", Contents());
}

TEST_P(TransactionLocks, ADatabaseMaySkipThemForBatches) {
  txn_options_.skip_concurrency_control = true;
  OpenTxn();
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "plain"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_LOCK_TIMEOUT(Put("a", "plain"));
}

TEST_P(TransactionLocks, Ranges) {
  COMMITTED_ONLY("RocksDB takes no DeleteRange elsewhere");
  ASSERT_OK(Put("a", "1"));
  EXPECT_CODE(NotSupported, db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "b"));
  WriteBatch batch;
  ASSERT_OK(batch.DeleteRange("a", "b"));
  EXPECT_CODE(InvalidArgument, db_->Write(WriteOptions(), &batch));
  TransactionDBWriteOptimizations skip;
  skip.skip_concurrency_control = true;
  ASSERT_OK(txn_db_->Write(WriteOptions(), skip, &batch));
  EXPECT_EQ("", Contents());
  EXPECT_CODE(NotSupported,
              Begin()->GetRangeLock(db_->DefaultColumnFamily(), Endpoint("a"), Endpoint("b")));
}

TEST_P(TransactionLocks, LockStatusData) {
  EXPECT_TRUE(txn_db_->GetLockStatusData().empty());
  const Txn a = Begin(), b = Begin();
  ASSERT_OK(a->Put(other_, "w", "1"));
  ASSERT_OK(Lock(a.get(), "r", false));
  ASSERT_OK(Lock(b.get(), "r", false));
  const auto locks = txn_db_->GetLockStatusData();
  ASSERT_EQ(2u, locks.size());
  const auto write = locks.find(other_->GetID());
  ASSERT_NE(locks.end(), write);
  EXPECT_EQ("w", write->second.key);
  EXPECT_TRUE(write->second.exclusive);
  EXPECT_EQ(std::vector<TransactionID>{a->GetID()}, write->second.ids);
  const auto read = locks.find(0);
  ASSERT_NE(locks.end(), read);
  EXPECT_EQ("r", read->second.key);
  EXPECT_FALSE(read->second.exclusive);
  const std::set<TransactionID> ids(read->second.ids.begin(), read->second.ids.end());
  EXPECT_EQ((std::set<TransactionID>{a->GetID(), b->GetID()}), ids);
}

TEST_P(TransactionLocks, ALimitOfLocks) {
  txn_options_.max_num_locks = 2;
  OpenTxn();
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Put("b", "1"));
  ASSERT_OK(txn->Put("a", "2"));
  const Status s = txn->Put("c", "1");
  EXPECT_EQ(Status::kLockLimit, s.subcode()) << s.ToString();
  EXPECT_CODE(Busy, s);
  ASSERT_OK(txn->Put(other_, "c", "1"));
  EXPECT_CODE(Busy, Put("d", "1"));
  ASSERT_OK(txn->Commit());
  ASSERT_OK(Put("d", "1"));
}

TEST_P(TransactionLocks, ALockedKeyOfADroppedFamily) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put(other_, "a", "1"));
  ASSERT_OK(db_->DropColumnFamily(other_));
  EXPECT_CODE(InvalidArgument, txn->Put(other_, "b", "1"));
  ASSERT_OK(txn->Rollback());
}

TEST_P(TransactionLocks, FamiliesMadeLaterHaveLocks) {
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "later", &family));
  {
    const Txn a = Begin(), b = Begin();
    ASSERT_OK(a->Put(family, "a", "1"));
    EXPECT_LOCK_TIMEOUT(b->Put(family, "a", "2"));
    ASSERT_OK(a->Commit());
  }
  delete family;
}

TEST_P(TransactionLocks, AnExpiredOneLosesItsLocks) {
  TransactionOptions options;
  options.expiration = 0;
  const Txn expired = Begin(options);
  // (RocksDB takes 0 for an end at once, and looks at it where somebody else needs the lock.)
  ASSERT_OK(expired->Put("a", "expired"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  EXPECT_EQ(Transaction::LOCKS_STOLEN, expired->GetState());
  EXPECT_CODE(Expired, expired->Commit());
  EXPECT_CODE(InvalidArgument, expired->Rollback());
  EXPECT_FALSE(IsFree("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1", Contents());
}

TEST_P(TransactionLocks, AnExpiredOneThatIsDeletedLeavesTheThiefAlone) {
  TransactionOptions options;
  options.expiration = 0;
  Txn expired = Begin(options);
  ASSERT_OK(expired->Put("a", "expired"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  expired.reset();
  EXPECT_FALSE(IsFree("a"));
}

// --- Waits

TEST_P(TransactionLocks, WhoWaitsGetsTheLock) {
  const Txn holder = Begin();
  ASSERT_OK(holder->Put("a", "1"));
  Status s;
  Thread waiter([&] {
    const Txn txn = Begin();
    txn->SetLockTimeout(-1);
    s = txn->Put("a", "2");
    if (s.ok()) s = txn->Commit();
  });
  ASSERT_OK(holder->Commit());
  waiter.join();
  EXPECT_OK(s);
  EXPECT_EQ("a=2", Contents());
}

TEST_P(TransactionLocks, APlainWriteWaits) {
  txn_options_.default_lock_timeout = -1;
  OpenTxn();
  const Txn holder = Begin();
  ASSERT_OK(holder->Put("a", "1"));
  Status s;
  Thread waiter([&] { s = Put("a", "2"); });
  ASSERT_OK(holder->Commit());
  waiter.join();
  EXPECT_OK(s);
  EXPECT_EQ("a=2", Contents());
}

TEST_P(TransactionLocks, NobodyIsWaitedForWhereNobodyWaits) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  uint32_t family = 7;
  std::string key = "x";
  EXPECT_TRUE(txn->GetWaitingTxns(&family, &key).empty());
  EXPECT_EQ(0u, family);
  EXPECT_EQ("", key);
}

// --- Deadlocks. Each has one key, and asks for the next one's.

class Ring {
 public:
  Ring(std::vector<Txn> txns) : txns_(std::move(txns)), statuses_(txns_.size()) {}
  void Run() {
    const size_t n = txns_.size();
    for (size_t i = 0; i < n; i++) ASSERT_OK(txns_[i]->Put(Key(static_cast<int>(i)), "1"));
    std::vector<Thread> threads;
    for (size_t i = 0; i < n; i++) {
      threads.emplace_back([this, i, n] {
        statuses_[i] = txns_[i]->Put(Key(static_cast<int>((i + 1) % n)), "2");
        if (!statuses_[i].ok())
          txns_[i]->Rollback().PermitUncheckedError();
        else
          statuses_[i] = txns_[i]->Commit();
      });
    }
    for (Thread& thread : threads) thread.join();
  }
  std::vector<Txn> txns_;
  std::vector<Status> statuses_;
};

TEST_P(TransactionLocks, ADeadlockIsFound) {
  for (const size_t n : {2, 3, 8}) {
    std::vector<Txn> txns;
    for (size_t i = 0; i < n; i++) txns.push_back(BeginPatient());
    Ring ring(std::move(txns));
    ring.Run();
    size_t refused = 0;
    for (const Status& s : ring.statuses_) {
      if (s.ok()) continue;
      refused++;
      EXPECT_TRUE(s.IsDeadlock()) << s.ToString();
    }
    EXPECT_EQ(1u, refused);
    const std::vector<DeadlockPath> paths = txn_db_->GetDeadlockInfoBuffer();
    ASSERT_FALSE(paths.empty());
    ASSERT_EQ(n, paths[0].path.size());
    EXPECT_FALSE(paths[0].limit_exceeded);
    EXPECT_LT(0, paths[0].deadlock_time);
    // Each waits for the next one's key.
    for (size_t i = 0; i < n; i++) {
      const DeadlockInfo& info = paths[0].path[i];
      EXPECT_TRUE(info.m_exclusive);
      EXPECT_EQ(0u, info.m_cf_id);
      const TransactionID next = paths[0].path[(i + 1) % n].m_txn_id;
      for (size_t k = 0; k < n; k++) {
        if (ring.txns_[k]->GetID() != next) continue;
        EXPECT_EQ(Key(static_cast<int>(k)), info.m_waiting_key);
      }
    }
  }
}

TEST_P(TransactionLocks, TwoUpgradesAreADeadlock) {
  Txn txns[2] = {BeginPatient(), BeginPatient()};
  Status statuses[2];
  for (const Txn& txn : txns) ASSERT_OK(Lock(txn.get(), "k", false));
  std::vector<Thread> threads;
  for (int i = 0; i < 2; i++) {
    threads.emplace_back([&, i] {
      statuses[i] = txns[i]->Put("k", "1");
      statuses[i].ok() ? txns[i]->Commit().PermitUncheckedError()
                       : txns[i]->Rollback().PermitUncheckedError();
    });
  }
  for (Thread& thread : threads) thread.join();
  // (RocksDB 7 refuses both at times: there an upgrade waits for itself, too.)
  EXPECT_TRUE(statuses[0].IsDeadlock() || statuses[1].IsDeadlock());
  for (const Status& s : statuses) EXPECT_TRUE(s.ok() || s.IsDeadlock()) << s.ToString();
}

TEST_P(TransactionLocks, ASearchHasALimit) {
  std::vector<Txn> txns;
  for (int i = 0; i < 4; i++) txns.push_back(BeginPatient(/*depth=*/3));
  Ring ring(std::move(txns));
  ring.Run();
  const std::vector<DeadlockPath> paths = txn_db_->GetDeadlockInfoBuffer();
  ASSERT_FALSE(paths.empty());
  EXPECT_TRUE(paths.back().limit_exceeded);
  EXPECT_TRUE(paths.back().path.empty());
}

TEST_P(TransactionLocks, DeadlocksAreRemembered) {
  EXPECT_TRUE(txn_db_->GetDeadlockInfoBuffer().empty());
  for (size_t n = 2; n < 10; n++) {
    std::vector<Txn> txns;
    for (size_t i = 0; i < n; i++) txns.push_back(BeginPatient());
    Ring(std::move(txns)).Run();
  }
  std::vector<DeadlockPath> paths = txn_db_->GetDeadlockInfoBuffer();
  ASSERT_EQ(5u, paths.size());
  for (size_t i = 0; i < 5; i++) EXPECT_EQ(9 - i, paths[i].path.size());
  txn_db_->SetDeadlockInfoBufferSize(2);
  paths = txn_db_->GetDeadlockInfoBuffer();
  ASSERT_EQ(2u, paths.size());
  EXPECT_EQ(9u, paths[0].path.size());
  EXPECT_EQ(8u, paths[1].path.size());
}

TEST_P(TransactionLocks, TransfersKeepTheSum) {
  constexpr int kAccounts = 6, kThreads = 4, kTransfers = 100;
  for (int i = 0; i < kAccounts; i++) ASSERT_OK(Put(Key(i), "100"));
  std::atomic<int> failures{0};
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      Numbers numbers(static_cast<uint64_t>(t) + 1);
      for (int n = 0; n < kTransfers; n++) {
        const std::string from = Key(static_cast<int>(numbers.Below(kAccounts)));
        const std::string to = Key(static_cast<int>(numbers.Below(kAccounts)));
        if (from == to) continue;
        while (true) {
          const Txn txn = BeginPatient();
          std::string a, b;
          Status s = txn->GetForUpdate(ReadOptions(), from, &a, numbers.Below(2) == 0);
          if (s.ok()) s = txn->GetForUpdate(ReadOptions(), to, &b);
          if (s.ok()) s = txn->Put(from, std::to_string(std::stoi(a) - 1));
          if (s.ok()) s = txn->Put(to, std::to_string(std::stoi(b) + 1));
          if (s.ok()) s = txn->Commit();
          if (s.ok()) break;
          if (!s.IsDeadlock()) {
            failures++;
            break;
          }
        }
      }
    });
  }
  for (Thread& thread : threads) thread.join();
  EXPECT_EQ(0, failures.load());
  int sum = 0;
  for (int i = 0; i < kAccounts; i++) sum += std::stoi(Get(Key(i)));
  EXPECT_EQ(100 * kAccounts, sum);
  EXPECT_TRUE(txn_db_->GetLockStatusData().empty());
}

TEST_P(TransactionLocks, ACounterCountsEveryCommit) {
  constexpr int kThreads = 4, kCommits = 100;
  ASSERT_OK(Put("counter", "0"));
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&] {
      Transaction* reused = nullptr;
      for (int i = 0; i < kCommits; i++) {
        reused = txn_db_->BeginTransaction(WriteOptions(), TransactionOptions(), reused);
        reused->SetLockTimeout(-1);
        std::string value;
        ASSERT_OK(reused->GetForUpdate(ReadOptions(), "counter", &value));
        ASSERT_OK(reused->Put("counter", std::to_string(std::stoi(value) + 1)));
        ASSERT_OK(reused->Commit());
      }
      delete reused;
    });
  }
  for (Thread& thread : threads) thread.join();
  EXPECT_EQ(std::to_string(kThreads * kCommits), Get("counter"));
}

}  // namespace
}  // namespace conformance
