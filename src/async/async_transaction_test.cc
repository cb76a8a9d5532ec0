// AsyncTransaction: its answers are the transaction's, who waits for a key is in nobody's way, and
// what is cancelled or dropped holds nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdlib>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cairn/async.h"
#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "fiber/sync.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace cairn::async {
namespace {

using rocksdb::OptimisticTransactionDB;
using rocksdb::ReadOptions;
using rocksdb::Transaction;
using rocksdb::TransactionDB;
using rocksdb::WriteOptions;
using testing::Key;

using Txn = std::unique_ptr<AsyncTransaction>;

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

class AsyncTransactionTest : public testing::DbTest {
 protected:
  void OpenLocking(const Options& async_options = {}) {
    rocksdb::TransactionDBOptions options;
    options.transaction_lock_timeout = -1;  // for ever: what ends a wait is what a test is about
    TransactionDB* made = nullptr;
    const Status s = TransactionDB::Open(SmallOptions(), options, testing::kDbName, &made);
    ASSERT_TRUE(s.ok()) << s.ToString();
    locking_ = made;
    Take(made, async_options);
  }
  void OpenOptimistic(const Options& async_options = {}) {
    OptimisticTransactionDB* made = nullptr;
    const Status s = OptimisticTransactionDB::Open(SmallOptions(), testing::kDbName, &made);
    ASSERT_TRUE(s.ok()) << s.ToString();
    optimistic_ = made;
    Take(made, async_options);
  }
  void Take(rocksdb::DB* made, const Options& async_options) {
    db_.reset(made);
    const Status s = AsyncDB::Create(made, async_options, &async_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void TearDown() override {
    async_.reset();
    DbTest::TearDown();
  }
  Txn Begin() {
    rocksdb::TransactionOptions options;
    options.deadlock_detect = true;
    Transaction* const txn = locking_ != nullptr
                                 ? locking_->BeginTransaction(WriteOptions(), options)
                                 : optimistic_->BeginTransaction(WriteOptions());
    return async_->Transact(std::unique_ptr<Transaction>(txn));
  }
  std::string Stored(const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), key, &value);
    return s.ok() ? value : s.ToString();
  }
  void CheckRandomTransactions(uint64_t seed);

  TransactionDB* locking_ = nullptr;
  OptimisticTransactionDB* optimistic_ = nullptr;
  std::unique_ptr<AsyncDB> async_;
};

void AsyncTransactionTest::CheckRandomTransactions(uint64_t seed) {
  SCOPED_TRACE(testing::SeedText(seed));
  Random64 random(seed);
  std::map<std::string, std::string> committed;
  for (int round = 0; round < 60; ++round) {
    std::map<std::string, std::string> model = committed;
    const Txn txn = Begin();
    for (int step = 0; step < 20; ++step) {
      const std::string key = Key(random.Uniform(40));
      const std::string value = std::to_string(random.Next());
      const std::string expected = model.contains(key) ? model[key] : "NotFound: ";
      switch (random.Uniform(6)) {
        case 0:
          ASSERT_TRUE(txn->Put(key, value).Future().get().ok());
          model[key] = value;
          break;
        case 1:
          ASSERT_TRUE(txn->Delete(key).Future().get().ok());
          model.erase(key);
          break;
        case 2: {
          rocksdb::WriteBatch batch;
          ASSERT_TRUE(batch.Put(key, value).ok());
          ASSERT_TRUE(batch.Put(Key(1), value).ok());
          ASSERT_TRUE(txn->Write(std::move(batch)).Future().get().ok());
          model[key] = model[Key(1)] = value;
          break;
        }
        case 3: {
          GetResult got = random.OneIn(2) ? txn->Get(ReadOptions(), key).Future().get()
                                          : txn->GetForUpdate(ReadOptions(), key).Future().get();
          ASSERT_EQ(expected, got.status.ok() ? got.value.ToString() : got.status.ToString());
          break;
        }
        default: {
          const std::vector<std::string> keys = {key, Key(1), Key(99)};
          MultiGetResult got = random.OneIn(2)
                                   ? txn->MultiGet(ReadOptions(), keys).Future().get()
                                   : txn->MultiGetForUpdate(ReadOptions(), keys).Future().get();
          ASSERT_EQ(3u, got.statuses.size());
          ASSERT_EQ(expected,
                    got.statuses[0].ok() ? got.values[0].ToString() : got.statuses[0].ToString());
          ASSERT_EQ(model.contains(Key(1)), got.statuses[1].ok());
          ASSERT_TRUE(got.statuses[2].IsNotFound());
        }
      }
    }
    if (random.OneIn(3)) {
      ASSERT_TRUE(txn->Rollback().Future().get().ok());
    } else {
      const Status s = txn->Commit().Future().get();
      ASSERT_TRUE(s.ok()) << s.ToString();
      committed = model;
    }
  }
  for (const auto& [key, value] : committed) ASSERT_EQ(value, Stored(key));
}

TEST_F(AsyncTransactionTest, EveryFormAgreesWithAModel) {
  OpenLocking();
  CheckRandomTransactions(1);
}

TEST_F(AsyncTransactionTest, EveryFormAgreesWithAModelWithoutLocks) {
  OpenOptimistic();
  CheckRandomTransactions(2);
}

TEST_F(AsyncTransactionTest, AConflictShowsWhenItCommits) {
  OpenOptimistic();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->GetForUpdate(ReadOptions(), "k").Future().get().status.IsNotFound());
  ASSERT_TRUE(async_->Put(WriteOptions(), "k", "plain").Future().get().ok());
  EXPECT_TRUE(txn->Put("k", "mine").Future().get().ok());
  EXPECT_TRUE(txn->Commit().Future().get().IsBusy());
  EXPECT_EQ("plain", Stored("k"));
}

TEST_F(AsyncTransactionTest, WhatMemoryAnswersIsAnsweredInTheCall) {
  OpenLocking();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("k", "v").Future().get().ok());
  bool called = false;
  txn->Get(ReadOptions(), "k").Then([&](GetResult got) {
    called = true;
    EXPECT_EQ("v", got.value.ToString());
  });
  EXPECT_TRUE(called);
}

// Those that wait could keep out who has the key: with one place, for ever.
TEST_F(AsyncTransactionTest, WhoWaitsForAKeyTakesNoPlace) {
  Options options;
  options.max_in_flight = 1;
  OpenLocking(options);
  constexpr int kWaiting = 20;
  const Txn holder = Begin();
  ASSERT_TRUE(holder->Put("k", "0").Future().get().ok());
  std::vector<Txn> waiting;
  fiber::Latch over(kWaiting);
  std::atomic<int> failures = 0;
  for (int i = 0; i < kWaiting; ++i) {
    waiting.push_back(Begin());
    AsyncTransaction* const txn = waiting.back().get();
    txn->Put("k", std::to_string(i + 1)).Then([&, txn](const Status& put) {
      if (!put.ok()) ++failures;
      txn->Commit().Then([&](const Status& committed) {
        if (!committed.ok()) ++failures;
        over.count_down();
      });
    });
  }
  EXPECT_GE(async_->in_flight(), static_cast<size_t>(kWaiting));
  ASSERT_TRUE(async_->Put(WriteOptions(), "other", "1").Future().get().ok());
  ASSERT_TRUE(holder->Commit().Future().get().ok());
  over.wait();
  EXPECT_EQ(0, failures);
  EXPECT_NE("0", Stored("k"));
}

// Moves amounts between accounts, each with a transaction of its own; deadlocks are tried again.
Detached Transfer(std::function<Txn()> begin, uint64_t seed, fiber::Latch* over,
                  std::atomic<int>* done) {
  Random64 random(seed);
  for (int i = 0; i < 20; ++i) {
    const std::string from = Key(random.Uniform(4)), to = Key(random.Uniform(4));
    if (from == to) continue;
    for (bool again = true; again;) {
      const Txn txn = begin();
      GetResult of_from = co_await txn->GetForUpdate(ReadOptions(), from);
      GetResult of_to;
      if (of_from.status.ok()) of_to = co_await txn->GetForUpdate(ReadOptions(), to);
      again = !of_from.status.ok() || !of_to.status.ok();
      if (again) continue;  // a deadlock: the transaction is dropped
      const int amount = 1 + static_cast<int>(random.Uniform(5));
      const std::string less = std::to_string(std::stoi(of_from.value.ToString()) - amount);
      const std::string more = std::to_string(std::stoi(of_to.value.ToString()) + amount);
      Status s = co_await txn->Put(from, less);
      if (s.ok()) s = co_await txn->Put(to, more);
      if (s.ok()) s = co_await txn->Commit();
      if (s.ok()) ++*done;
      again = !s.ok();
    }
  }
  over->count_down();
}

TEST_F(AsyncTransactionTest, TransfersOfManyCoroutinesKeepTheSum) {
  Options options;
  options.workers = 2;
  OpenLocking(options);
  for (uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "100").ok());
  constexpr int kClients = 30;
  fiber::Latch over(kClients);
  std::atomic<int> done = 0;
  for (uint64_t i = 0; i < kClients; ++i) {
    Transfer([this] { return Begin(); }, i, &over, &done);
  }
  over.wait();
  int sum = 0;
  for (uint64_t i = 0; i < 4; ++i) sum += std::stoi(Stored(Key(i)));
  EXPECT_EQ(400, sum);
  EXPECT_GT(done, 0);
}

TEST_F(AsyncTransactionTest, ACancelledWaitIsOverAtOnceAndGoesOnBehind) {
  OpenLocking();
  for (const bool by_deadline : {false, true}) {
    SCOPED_TRACE(by_deadline);
    const Txn holder = Begin();
    ASSERT_TRUE(holder->Put("k", "held").Future().get().ok());
    const Txn waits = Begin();
    std::stop_source source;
    Call call;
    if (by_deadline) {
      call.deadline = std::chrono::microseconds(static_cast<int64_t>(fiber::wall_micros()) + 2000);
    } else {
      call.stop = source.get_token();
    }
    auto put = waits->Put("k", "late", call).Future();
    source.request_stop();
    const Status s = put.get();
    EXPECT_TRUE(by_deadline ? s.IsTimedOut() : s.IsAborted()) << s.ToString();
    // Comes behind the wait, which ends with the holder.
    auto rollback = waits->Rollback().Future();
    ASSERT_TRUE(holder->Commit().Future().get().ok());
    EXPECT_TRUE(rollback.get().ok());
    const Txn next = Begin();
    EXPECT_TRUE(next->Put("k", "next").Future().get().ok());
    EXPECT_TRUE(next->Commit().Future().get().ok());
    EXPECT_EQ("next", Stored("k"));
  }
}

TEST_F(AsyncTransactionTest, WhatIsDroppedGivesItsKeysBack) {
  OpenLocking();
  Txn dropped = Begin();
  ASSERT_TRUE(dropped->Put("k", "dropped").Future().get().ok());
  const Txn next = Begin();
  auto put = next->Put("k", "next").Future();
  dropped.reset();
  EXPECT_TRUE(put.get().ok());
  EXPECT_TRUE(next->Commit().Future().get().ok());
  EXPECT_EQ("next", Stored("k"));
}

TEST_F(AsyncTransactionTest, AllElseRunsWithTheTransactionAlone) {
  OpenLocking();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").Future().get().ok());
  const Status s =
      txn->Do([](Transaction* own) {
           own->SetSavePoint();
           Status made = own->Put("b", "2");
           EXPECT_TRUE(made.ok());
           const std::unique_ptr<rocksdb::Iterator> it(own->GetIterator(ReadOptions()));
           it->SeekToLast();
           EXPECT_EQ("b", it->key().ToString());
           EXPECT_TRUE(fiber::in_fiber());
           return own->RollbackToSavePoint();
         })
          .Future()
          .get();
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_TRUE(txn->Commit().Future().get().ok());
  EXPECT_EQ("1", Stored("a"));
  EXPECT_EQ("NotFound: ", Stored("b"));
}

TEST_F(AsyncTransactionTest, RefusedOnceItIsClosed) {
  OpenLocking();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").Future().get().ok());
  ASSERT_TRUE(async_->Close().ok());
  EXPECT_TRUE(txn->Put("a", "2").Future().get().IsShutdownInProgress());
  EXPECT_TRUE(txn->Get(ReadOptions(), "a").Future().get().status.IsShutdownInProgress());
  const MultiGetResult many = txn->MultiGet(ReadOptions(), {"a", "b"}).Future().get();
  ASSERT_EQ(2u, many.statuses.size());
  EXPECT_TRUE(many.statuses[1].IsShutdownInProgress());
  EXPECT_TRUE(txn->Commit().Future().get().IsShutdownInProgress());
}

TEST_F(AsyncTransactionTest, ClosingMayCancelWaits) {
  OpenLocking();
  const Txn holder = Begin();
  ASSERT_TRUE(holder->Put("k", "held").Future().get().ok());
  std::vector<Txn> waiting;
  fiber::Latch over(5);
  std::atomic<int> aborted = 0;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(Begin());
    // Else the wait goes on for ever, and closing with it.
    ASSERT_TRUE(waiting.back()
                    ->Do([](Transaction* own) {
                      own->SetLockTimeout(1);
                      return Status::OK();
                    })
                    .Future()
                    .get()
                    .ok());
  }
  for (const Txn& txn : waiting) {
    txn->Put("k", "late").Then([&](const Status& s) {
      if (s.IsAborted() || s.IsTimedOut()) ++aborted;
      over.count_down();
    });
  }
  EXPECT_TRUE(async_->Close(AsyncDB::InFlight::kCancel).ok());
  over.wait();
  EXPECT_EQ(5, aborted);
}

}  // namespace
}  // namespace cairn::async
