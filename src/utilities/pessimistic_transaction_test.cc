// Transactions that lock, where RocksDB 7, which the conformance tests run on, has no such thing or
// does otherwise: what is refused at the open, conflicts that only tables know of, waits and expiry
// in virtual time, mutexes of one's own, errors, and random histories that must be serializable.
#include <atomic>
#include <map>
#include <memory>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/utilities/write_batch_with_index.h"

namespace cairn {
namespace {

using testing::Key;
using testing::SeedText;

using Txn = std::unique_ptr<Transaction>;
constexpr uint64_t kMilli = 1'000'000;  // nanoseconds

class PessimisticTransactionTest : public testing::DbTest {
 protected:
  Status TryOpenTxn(const Options& options) {
    db_.reset();
    TransactionDB* made = nullptr;
    const Status s = TransactionDB::Open(options, txn_options_, testing::kDbName, &made);
    txn_db_ = made;
    db_.reset(made);
    return s;
  }
  void OpenTxn() {
    const Status s = TryOpenTxn(SmallOptions());
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  Txn Begin(const TransactionOptions& options = TransactionOptions()) {
    return Txn(txn_db_->BeginTransaction(WriteOptions(), options));
  }
  Txn BeginWithSnapshot() {
    TransactionOptions options;
    options.set_snapshot = true;
    return Begin(options);
  }
  static Status Lock(Transaction* txn, const std::string& key, bool exclusive = true,
                     bool validate = true) {
    std::string* const no_value = nullptr;
    return txn->GetForUpdate(ReadOptions(), key, no_value, exclusive, validate);
  }

  TransactionDBOptions txn_options_;
  TransactionDB* txn_db_ = nullptr;
};

TEST_F(PessimisticTransactionTest, WhatIsNotSupportedIsRefusedByName) {
  const auto refused = [&](const char* name) {
    const Status s = TryOpenTxn(SmallOptions());
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(name)) << s.ToString();
    EXPECT_EQ(nullptr, txn_db_);
    txn_options_ = TransactionDBOptions();
  };
  class Handle : public LockManagerHandle {
    LockManager* getLockManager() override { return nullptr; }
  };
  txn_options_.lock_mgr_handle = std::make_shared<Handle>();
  refused("lock_mgr_handle");
  txn_options_.lock_mgr_handle.reset(NewRangeLockManager(nullptr));
  ASSERT_TRUE(TryOpenTxn(SmallOptions()).ok());
  TransactionDB* second = nullptr;
  const Status s = TransactionDB::Open(SmallOptions(), txn_options_,
                                       std::string(testing::kDbName) + ".second", &second);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(nullptr, second);
  txn_options_ = TransactionDBOptions();
  Options options = SmallOptions();
  options.unordered_write = true;
  EXPECT_TRUE(TryOpenTxn(options).IsNotSupported());
  options = SmallOptions();
  options.max_write_buffer_size_to_maintain = 1 << 20;
  EXPECT_TRUE(TryOpenTxn(options).ok());
}

TEST_F(PessimisticTransactionTest, SnapshotsWithTimestampsAreOfWriteCommittedAlone) {
  txn_options_.write_policy = WRITE_PREPARED;
  OpenTxn();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->SetName("name").ok());
  ASSERT_TRUE(txn->Put("a", "1").ok());
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot(nullptr, 5).IsNotSupported());
  EXPECT_TRUE(txn_db_->CreateTimestampedSnapshot(5).first.IsNotSupported());
  EXPECT_TRUE(txn_db_->CreateTimestampedSnapshot(kMaxTxnTimestamp).first.IsInvalidArgument());
  EXPECT_EQ(nullptr, txn_db_->GetLatestTimestampedSnapshot());
  std::vector<std::shared_ptr<const Snapshot>> snapshots{nullptr};
  EXPECT_TRUE(txn_db_->GetAllTimestampedSnapshots(snapshots).ok());
  EXPECT_TRUE(snapshots.empty());
  // One that was asked for, and that no operation took, is not missed.
  txn->SetSnapshotOnNextOperation();
  EXPECT_TRUE(txn->Commit().ok());
}

// In RocksDB the transaction is stuck then.
TEST_F(PessimisticTransactionTest, ACommitThatLacksItsSnapshotsTimestampMayGetIt) {
  OpenTxn();
  for (const bool prepares : {false, true}) {
    const Txn txn = Begin();
    ASSERT_TRUE(txn->SetName("name").ok());
    ASSERT_TRUE(txn->Put("a", prepares ? "2" : "1").ok());
    if (prepares) {
      ASSERT_TRUE(txn->Prepare().ok());
    }
    txn->SetSnapshotOnNextOperation();
    EXPECT_TRUE(txn->Commit().IsInvalidArgument());
    ASSERT_TRUE(txn->SetCommitTimestamp(prepares ? 8 : 7).ok());
    EXPECT_TRUE(txn->Commit().ok());
  }
  for (const uint64_t timestamp : {7, 8}) {
    const std::shared_ptr<const Snapshot> snapshot = txn_db_->GetTimestampedSnapshot(timestamp);
    ASSERT_NE(nullptr, snapshot);
    ReadOptions read;
    read.snapshot = snapshot.get();
    std::string value;
    ASSERT_TRUE(txn_db_->Get(read, "a", &value).ok());
    EXPECT_EQ(timestamp == 7 ? "1" : "2", value);
  }
}

// The log fails under the commit: there is no snapshot of what was not committed.
TEST_F(PessimisticTransactionTest, NoSnapshotOfACommitThatFails) {
  OpenTxn();
  Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").ok());
  disk_.faults->SetFilesystemActive(false, IOStatus::IOError("no disk"));
  std::shared_ptr<const Snapshot> snapshot;
  EXPECT_FALSE(txn->CommitAndTryCreateSnapshot(nullptr, 5, &snapshot).ok());
  disk_.faults->Heal();
  EXPECT_EQ(nullptr, snapshot);
  EXPECT_EQ(nullptr, txn_db_->GetLatestTimestampedSnapshot());
  uint64_t live = 1;
  EXPECT_TRUE(txn_db_->GetIntProperty("rocksdb.num-snapshots", &live));
  EXPECT_EQ(0u, live);
}

// RocksDB says TryAgain to both.
TEST_F(PessimisticTransactionTest, TablesTellAConflictFromNone) {
  OpenTxn();
  for (const bool conflict : {false, true}) {
    Put("a", "before");
    const Txn txn = BeginWithSnapshot();
    PutRange(0, 300, 1);
    Flush();
    if (conflict) Put("a", "other");
    PutRange(300, 600, 2);
    Flush();
    Compact();
    const Status s = txn->Put("a", "txn");
    EXPECT_EQ(conflict, s.IsBusy()) << s.ToString();
    EXPECT_EQ(!conflict, s.ok()) << s.ToString();
  }
}

// RocksDB 7 loses the conflict: the shared lock that it takes again makes the operation OK.
TEST_F(PessimisticTransactionTest, AFailedUpgradeIsBusyAndKeepsTheSharedLock) {
  txn_options_.transaction_lock_timeout = 0;
  OpenTxn();
  const Txn txn = BeginWithSnapshot();
  Put("k", "other");
  ASSERT_TRUE(Lock(txn.get(), "k", false, /*validate=*/false).ok());
  EXPECT_TRUE(txn->Put("k", "txn").IsBusy());
  EXPECT_TRUE(Lock(Begin().get(), "k", false).ok());
  EXPECT_TRUE(Lock(Begin().get(), "k").IsTimedOut());
}

TEST_F(PessimisticTransactionTest, CollapseKeyPutsWhatIsThere) {
  OpenTxn();
  Put("a", "1");
  const Txn txn = Begin();
  EXPECT_TRUE(txn->CollapseKey(ReadOptions(), "a").ok());
  EXPECT_TRUE(txn->CollapseKey(ReadOptions(), "b").IsNotFound());
  EXPECT_EQ(1u, txn->GetNumPuts());
}

TEST_F(PessimisticTransactionTest, EntitiesAreLocked) {
  txn_options_.transaction_lock_timeout = txn_options_.default_lock_timeout = 0;
  OpenTxn();
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->PutEntity(family, "e", {{"x", "1"}}).ok());
  EXPECT_TRUE(db_->PutEntity(WriteOptions(), family, "e", {{"x", "2"}}).IsTimedOut());
  PinnableWideColumns columns;
  EXPECT_TRUE(Begin()->GetEntityForUpdate(ReadOptions(), family, "e", &columns).IsTimedOut());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_TRUE(Begin()->GetEntityForUpdate(ReadOptions(), family, "e", &columns).ok());
  EXPECT_EQ("x:1", testing::Text(columns.columns()));
}

TEST_F(PessimisticTransactionTest, AFailedLogEndsTheTransactionAndFreesItsLocks) {
  txn_options_.transaction_lock_timeout = 0;
  OpenTxn();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").ok());
  disk_.Freeze();
  const Status s = txn->Commit();
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(txn->Commit().IsInvalidArgument());
  EXPECT_TRUE(txn->Rollback().IsInvalidArgument());
  EXPECT_TRUE(Lock(Begin().get(), "a").ok());
  EXPECT_EQ("NOT_FOUND", Get("a"));
  disk_.faults->Heal();
}

TEST_F(PessimisticTransactionTest, TimeoutsAreKept) {
  Simulate([&] {
    txn_options_.transaction_lock_timeout = 30;
    txn_options_.default_lock_timeout = 50;
    OpenTxn();
    const Txn holder = Begin();
    ASSERT_TRUE(holder->Put("a", "1").ok());
    const auto waited = [&](uint64_t millis, const auto& operation) {
      const uint64_t start = fiber::now_nanos();
      const Status s = operation();
      EXPECT_EQ(Status::kLockTimeout, s.subcode()) << s.ToString();
      const uint64_t took = fiber::now_nanos() - start;
      EXPECT_LE(millis * kMilli, took);
      EXPECT_GT((millis + 10) * kMilli, took);
    };
    SetPerfLevel(kEnableTime);
    get_perf_context()->Reset();
    {
      const Txn txn = Begin();
      waited(30, [&] { return txn->Put("a", "2"); });
      txn->SetLockTimeout(70);
      waited(70, [&] { return txn->Put("a", "2"); });
      txn->SetLockTimeout(0);
      waited(0, [&] { return txn->Put("a", "2"); });
      uint32_t family;
      std::string key;
      EXPECT_EQ(std::vector<TransactionID>{holder->GetID()}, txn->GetWaitingTxns(&family, &key));
      EXPECT_EQ("a", key);
      TransactionOptions options;
      options.lock_timeout = 20;
      const Txn other = Begin(options);
      waited(20, [&] { return other->Put("a", "2"); });
    }
    waited(50, [&] { return db_->Put(WriteOptions(), "a", "2"); });
    EXPECT_EQ(4u, get_perf_context()->key_lock_wait_count);
    EXPECT_LE(170 * kMilli, get_perf_context()->key_lock_wait_time);
    SetPerfLevel(kEnableCount);
  });
}

TEST_F(PessimisticTransactionTest, WaitersTakeTheLocksOfTheExpired) {
  Simulate([&] {
    OpenTxn();
    TransactionOptions options;
    options.expiration = 40;
    const Txn expires = Begin(options);
    ASSERT_TRUE(expires->Put("a", "expired").ok());
    ASSERT_TRUE(expires->Put("b", "expired").ok());
    const uint64_t start = fiber::now_nanos();
    const Txn txn = Begin();
    ASSERT_TRUE(txn->Put("a", "txn").ok());
    EXPECT_LE(39 * kMilli, fiber::now_nanos() - start);
    EXPECT_EQ(Transaction::LOCKS_STOLEN, expires->GetState());
    // (RocksDB gives the first one away only.)
    ASSERT_TRUE(txn->Put("b", "txn").ok());
    EXPECT_TRUE(expires->Commit().IsExpired());
    EXPECT_TRUE(expires->RollbackToSavePoint().IsInvalidArgument());
    ASSERT_TRUE(txn->Commit().ok());
    EXPECT_EQ("txn", Get("a"));
  });
}

// A mutex and a condition of one's own: both are used, and what they say is said. (Their interfaces
// have no annotations, so that who holds what cannot be checked.)
class CountedMutex : public TransactionDBMutex {
 public:
  explicit CountedMutex(bool* fails) : fails_(fails) {}
  Status Lock() override FIBER_NO_THREAD_SAFETY_ANALYSIS {
    mutex_.lock();
    return Status::OK();
  }
  Status TryLockFor(int64_t /*timeout_time*/) override {
    return *fails_ ? Status::TimedOut(Status::kMutexTimeout) : Lock();
  }
  void UnLock() override FIBER_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  fiber::Mutex mutex_;
  bool* const fails_;
};
class CountedCondVar : public TransactionDBCondVar {
 public:
  CountedCondVar(int* waits, bool* fails) : waits_(waits), fails_(fails) {}
  Status Wait(std::shared_ptr<TransactionDBMutex> mutex) override FIBER_NO_THREAD_SAFETY_ANALYSIS {
    ++*waits_;
    if (*fails_) return Status::Aborted("killed");
    condition_.wait(&static_cast<CountedMutex*>(mutex.get())->mutex_);
    return Status::OK();
  }
  Status WaitFor(std::shared_ptr<TransactionDBMutex> mutex,
                 int64_t timeout_time) override FIBER_NO_THREAD_SAFETY_ANALYSIS {
    ++*waits_;
    if (*fails_) return Status::Aborted("killed");
    const uint64_t deadline = fiber::deadline_after(static_cast<uint64_t>(timeout_time) * 1000);
    return condition_.wait_until(&static_cast<CountedMutex*>(mutex.get())->mutex_, deadline)
               ? Status::OK()
               : Status::TimedOut(Status::kMutexTimeout);
  }
  void Notify() override { condition_.notify_one(); }
  void NotifyAll() override { condition_.notify_all(); }

 private:
  fiber::CondVar condition_;
  int* const waits_;
  bool* const fails_;
};
class CountedFactory : public TransactionDBMutexFactory {
 public:
  std::shared_ptr<TransactionDBMutex> AllocateMutex() override {
    ++mutexes;
    return std::make_shared<CountedMutex>(&mutex_fails);
  }
  std::shared_ptr<TransactionDBCondVar> AllocateCondVar() override {
    return std::make_shared<CountedCondVar>(&waits, &wait_fails);
  }
  int mutexes = 0, waits = 0;
  bool mutex_fails = false, wait_fails = false;
};

TEST_F(PessimisticTransactionTest, MutexesOfOnesOwn) {
  Simulate([&] {
    const auto factory = std::make_shared<CountedFactory>();
    txn_options_.custom_mutex_factory = factory;
    txn_options_.num_stripes = 3;
    txn_options_.transaction_lock_timeout = 30;
    OpenTxn();
    EXPECT_EQ(3, factory->mutexes);
    Txn holder = Begin();
    ASSERT_TRUE(holder->Put("a", "1").ok());
    const Txn txn = Begin();
    Status s = txn->Put("a", "2");
    EXPECT_EQ(Status::kLockTimeout, s.subcode()) << s.ToString();
    EXPECT_LE(1, factory->waits);
    factory->wait_fails = true;
    EXPECT_TRUE(txn->Put("a", "2").IsAborted());
    factory->wait_fails = false;
    factory->mutex_fails = true;
    s = txn->Put("a", "2");
    EXPECT_EQ(Status::kMutexTimeout, s.subcode()) << s.ToString();
    factory->mutex_fails = false;
    txn->SetLockTimeout(-1);
    fiber::Thread thread("waits", [&] { EXPECT_TRUE(txn->Put("a", "2").ok()); });
    fiber::sleep_for(kMilli);
    EXPECT_TRUE(holder->Commit().ok());
    thread.join();
    txn_options_ = TransactionDBOptions();
  });
}

// Each transaction reads some registers for update and writes others a version of its own. The
// commits, in some order, must explain what each has read: the order is that of an integer that all
// of them read and add one to. Deadlocks and plain reads in between.
TEST_F(PessimisticTransactionTest, RandomHistoriesAreSerializable) {
  OpenTxn();
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
      TransactionOptions options;
      options.deadlock_detect = true;
      const Txn txn = Begin(options);
      txn->SetLockTimeout(-1);
      Committed mine;
      Status s;
      for (int i = 0; s.ok() && i < 3; ++i) {
        const int reg = static_cast<int>(random.Uniform(kRegisters));
        std::string value;
        s = txn->GetForUpdate(ReadOptions(), Key(reg), &value, random.Uniform(2) == 0);
        const bool found = s.ok();
        if (s.IsNotFound()) s = Status::OK();
        if (!s.ok()) break;
        if (!mine.writes.contains(reg)) mine.reads[reg] = found ? value : "";
        const int other = static_cast<int>(random.Uniform(kRegisters));
        const std::string version =
            std::to_string(me) + "." + std::to_string(attempt) + "." + std::to_string(i);
        s = txn->Put(Key(other), version);
        mine.writes[other] = version;
      }
      // Last, so that others meet on the registers.
      std::string order;
      int number = 0;
      if (s.ok()) {
        s = txn->GetForUpdate(ReadOptions(), "order", &order);
        number = s.ok() ? std::stoi(order) + 1 : 1;
        if (s.IsNotFound()) s = Status::OK();
      }
      if (s.ok()) s = txn->Put("order", std::to_string(number));
      if (random.Uniform(10) == 0 && !db_->Flush(FlushOptions()).ok()) ++failures;
      if (s.ok()) {
        s = txn->Commit();
        if (!s.ok()) ++failures;
      }
      if (!s.ok()) {
        if (!s.IsDeadlock()) ++failures;
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
  EXPECT_TRUE(txn_db_->GetLockStatusData().empty());
}

}  // namespace
}  // namespace cairn
