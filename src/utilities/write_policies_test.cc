// WRITE_PREPARED and WRITE_UNPREPARED where RocksDB, which the conformance tests run on, cannot be
// asked: power cuts between and within the steps, closes with prepared transactions, the updates,
// a secondary, a repair.
#include <memory>
#include <utility>

#include "batch/write_batch_internal.h"
#include "db/testing/db_fixture.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/statistics.h"
#include "rocksdb/transaction_log.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

namespace cairn {
namespace {

using testing::Key;

using Txn = std::unique_ptr<Transaction>;

class Listed final : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result = existing == nullptr ? value.ToString() : existing->ToString() + value.ToString();
    return true;
  }
  const char* Name() const override { return "write_policies_test.Listed"; }
};

// The same; with `pause`, seconds, it takes its time, once, over the value "0".
class SlowOnce final : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& key, const Slice* existing, const Slice& value, std::string* result,
             Logger* logger) const override {
    if (pause != 0 && existing != nullptr && *existing == "0") {
      fiber::sleep_for(std::exchange(pause, 0) * 1'000'000'000);  // sleeps: that is it
    }
    return Listed().Merge(key, existing, value, result, logger);
  }
  const char* Name() const override { return "write_policies_test.SlowOnce"; }

  mutable uint64_t pause = 0;
};

class WritePoliciesTest : public testing::DbTest,
                          public ::testing::WithParamInterface<TxnDBWritePolicy> {
 protected:
  WritePoliciesTest() {
    txn_options_.write_policy = GetParam();
    options_ = SmallOptions();
    options_.merge_operator = std::make_shared<Listed>();
  }
  Status TryOpenTxn() {
    db_.reset();
    txn_db_ = nullptr;
    const Status s = TransactionDB::Open(options_, txn_options_, testing::kDbName, &txn_db_);
    db_.reset(txn_db_);
    return s;
  }
  void OpenTxn() {
    const Status s = TryOpenTxn();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // It writes its name to `key`, and appends it to "m".
  Txn Prepared(const std::string& name, const std::string& key) {
    WriteOptions synced;
    synced.sync = true;
    Txn txn(txn_db_->BeginTransaction(synced));
    EXPECT_TRUE(txn->SetName(name).ok());
    EXPECT_TRUE(txn->Put(key, name).ok());
    EXPECT_TRUE(txn->Merge(key + "m", name).ok());
    EXPECT_TRUE(txn->Merge(key + "m", "+").ok());
    const Status s = txn->Prepare();
    EXPECT_TRUE(s.ok()) << s.ToString();
    return txn;
  }
  // From here on it is the database's.
  static void Leave(Txn txn) { (void)txn.release(); }
  Txn Recovered(const std::string& name) { return Txn(txn_db_->GetTransactionByName(name)); }
  size_t CountPrepared() {
    std::vector<Transaction*> all;
    txn_db_->GetAllPreparedTransactions(&all);
    return all.size();
  }
  void CutPower() {
    disk_.Freeze();
    db_.reset();
    disk_.faults->Heal();
    disk_.memory->DropUnsynced();
  }
  static bool IsLog(const std::string& path) { return path.ends_with(".log"); }

  TransactionDBOptions txn_options_;
  Options options_;
  TransactionDB* txn_db_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Policies, WritePoliciesTest,
                         ::testing::Values(WRITE_PREPARED, WRITE_UNPREPARED), [](const auto& info) {
                           return info.param == WRITE_PREPARED ? "Prepared" : "Unprepared";
                         });

TEST_P(WritePoliciesTest, WhatIsPreparedStaysSoThroughLives) {
  OpenTxn();
  Put("a", "0");
  Put("bm", "0");
  Leave(Prepared("one", "a"));
  Leave(Prepared("two", "b"));
  for (int life = 0; life < 4; ++life) {
    SCOPED_TRACE(life);
    if (life % 2 == 0) Put("k", std::to_string(life));
    if (life == 1) Flush();
    if (life < 3) {
      OpenTxn();
    } else {
      Kill();
      OpenTxn();
    }
    EXPECT_EQ(2u, CountPrepared());
    ExpectContents({{"a", "0"}, {"bm", "0"}, {"k", life < 2 ? "0" : "2"}});
  }
  ASSERT_TRUE(Recovered("one")->Rollback().ok());
  ASSERT_TRUE(Recovered("two")->Commit().ok());
  for (int life = 0; life < 3; ++life) {
    ExpectContents({{"a", "0"}, {"b", "two"}, {"bm", "0two+"}, {"k", "2"}});
    OpenTxn();
    EXPECT_EQ(0u, CountPrepared());
  }
}

TEST_P(WritePoliciesTest, PreparedSectionsWhoseKeysWereComparedAreCounted) {
  for (const TxnDBWritePolicy policy : {WRITE_COMMITTED, GetParam()}) {
    options_.statistics = CreateDBStatistics();
    txn_options_.write_policy = policy;
    OpenTxn();
    Put("k", "1");
    Txn one = Prepared("one", "a"), two = Prepared("two", "b");
    ASSERT_TRUE(one->Commit().ok());
    ASSERT_TRUE(two->Rollback().ok());
    EXPECT_EQ(policy == WRITE_COMMITTED ? 0u : 2u,
              options_.statistics->getTickerCount(TXN_DUPLICATE_KEY_OVERHEAD));
    Flush();  // the other policy's logs are to be none of its own
    one.reset();
    two.reset();
    OpenTxn();
  }
}

TEST_P(WritePoliciesTest, WhatIsPreparedGoesOnFromLogToLog) {
  OpenTxn();
  Put("bm", "0");
  Leave(Prepared("one", "a"));
  Txn two = Prepared("two", "b"), three = Prepared("three", "c");
  const uint64_t log = three->GetLogNumber();
  for (int i = 0; i < 3; ++i) {
    Put("k", std::to_string(i));
    Flush();
    if (i == 0) {
      ASSERT_TRUE(two->Commit().ok());
    }
    if (i == 1) {
      ASSERT_TRUE(three->Rollback().ok());
    }
  }
  uint64_t needed = 0;
  ASSERT_TRUE(db_->GetIntProperty(DB::Properties::kMinLogNumberToKeep, &needed));
  EXPECT_GT(needed, log);
  two.reset();
  three.reset();
  CutPower();
  OpenTxn();
  EXPECT_EQ(1u, CountPrepared());
  ExpectContents({{"b", "two"}, {"bm", "0two+"}, {"k", "2"}});
  ASSERT_TRUE(Recovered("one")->Commit().ok());
  ExpectContents({{"a", "one"}, {"am", "one+"}, {"b", "two"}, {"bm", "0two+"}, {"k", "2"}});
}

TEST_P(WritePoliciesTest, APowerCutAnywhereInARecoveryLosesNothing) {
  OpenTxn();
  Put("a", "0");
  Put("bm", "0");
  Leave(Prepared("one", "a"));
  Put("k", "1");
  Flush();
  Leave(Prepared("two", "b"));
  CutPower();
  for (uint64_t n = 1;; ++n) {
    disk_.faults->SetFileFilter(
        [](const std::string& path) { return path.find("/LOG") == std::string::npos; });
    disk_.faults->FailNthOperation(n, fault::kWrites, IOStatus::IOError("injected"),
                                   /*times=*/UINT64_MAX);
    const Status s = TryOpenTxn();
    disk_.Freeze();
    db_.reset();
    disk_.faults->Heal();
    disk_.memory->DropUnsyncedRandomly(n);
    if (s.ok()) break;
    ASSERT_LT(n, 200u) << s.ToString();
  }
  OpenTxn();
  EXPECT_EQ(2u, CountPrepared());
  ExpectContents({{"a", "0"}, {"bm", "0"}, {"k", "1"}});
  ASSERT_TRUE(Recovered("one")->Commit().ok());
  ASSERT_TRUE(Recovered("two")->Commit().ok());
  ExpectContents({{"a", "one"}, {"am", "one+"}, {"b", "two"}, {"bm", "0two+"}, {"k", "1"}});
}

TEST_P(WritePoliciesTest, AFailedCopyIntoANewLogIsForTheNextOpening) {
  OpenTxn();
  Put("k", "1");
  Leave(Prepared("one", "a"));
  disk_.faults->SetFileFilter(IsLog);
  disk_.faults->FailNthOperation(1, fault::kSync, IOStatus::IOError("injected"), UINT64_MAX);
  EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
  disk_.faults->Heal();
  EXPECT_FALSE(db_->Put(WriteOptions(), "l", "1").ok());
  CutPower();
  OpenTxn();
  EXPECT_EQ(1u, CountPrepared());
  ASSERT_TRUE(Recovered("one")->Commit().ok());
  ExpectContents({{"a", "one"}, {"am", "one+"}, {"k", "1"}});
}

TEST_P(WritePoliciesTest, TheUpdatesTellEveryStep) {
  options_.WAL_ttl_seconds = 1000;
  OpenTxn();
  Put("x", "1");
  Txn one = Prepared("one", "a"), two = Prepared("two", "b"), three = Prepared("three", "c");
  Put("y", "1");
  Flush();
  ASSERT_TRUE(one->Commit().ok());
  ASSERT_TRUE(two->Rollback().ok());
  Put("z", "1");
  Flush();
  ASSERT_TRUE(three->Commit().ok());
  for (Txn* const txn : {&one, &two, &three}) txn->reset();
  for (const bool again : {false, true}) {
    if (again) OpenTxn();
    size_t batches = 0;
    std::unique_ptr<TransactionLogIterator> updates;
    ASSERT_TRUE(db_->GetUpdatesSince(1, &updates, {}).ok());
    for (; updates->Valid(); updates->Next()) ++batches;
    EXPECT_TRUE(updates->status().ok()) << updates->status().ToString();
    EXPECT_EQ(13u, batches);  // of them 4 of copies
  }
}

TEST_P(WritePoliciesTest, ACommitHasWritesOfItsOwnOnlyWhereTheOptionsSaySo) {
  OpenTxn();
  TransactionOptions options;
  for (const bool allowed : {false, true}) {
    options.use_only_the_last_commit_time_batch_for_recovery = allowed;
    const Txn txn(txn_db_->BeginTransaction(WriteOptions(), options));
    ASSERT_TRUE(txn->SetName("one").ok());
    ASSERT_TRUE(txn->Put("a", "1").ok());
    ASSERT_TRUE(txn->Prepare().ok());
    ASSERT_TRUE(txn->GetCommitTimeWriteBatch()->Put("t", "1").ok());
    const Status s = txn->Commit();
    EXPECT_EQ(allowed, s.ok()) << s.ToString();
    EXPECT_EQ(!allowed, s.IsInvalidArgument()) << s.ToString();
    if (!allowed) {
      ASSERT_TRUE(txn->Rollback().ok());
    }
  }
  ExpectContents({{"a", "1"}, {"t", "1"}});
}

// (Where tables are too old, the clock asked for compactions as soon as a family was there. One
// merged undecided operands into what they were over.)
TEST_P(WritePoliciesTest, NothingIsCompactedBeforeTheUndecidedAreHidden) {
  const auto slow = std::make_shared<SlowOnce>();
  options_.merge_operator = slow;
  options_.level0_file_num_compaction_trigger = 1;
  options_.periodic_compaction_seconds = 2;
  Simulate([&] {
    OpenTxn();
    Put("am", "0");
    Put("bm", "0");
    Flush();
    Compact();
    for (const char* key : {"am", "bm"}) {
      ASSERT_TRUE(db_->Merge(WriteOptions(), key, "1").ok());
    }
    Leave(Prepared("t", "a"));
    Leave(Prepared("u", "b"));
    db_.reset();
    fiber::sleep_for(5'000'000'000);  // sleeps: the table gets too old
    slow->pause = 5;
    OpenTxn();
    EXPECT_EQ(0u, slow->pause);
    EXPECT_EQ(2u, CountPrepared());
    EXPECT_EQ("01", Get("am"));
    EXPECT_EQ("01", Get("bm"));
    ASSERT_TRUE(Recovered("t")->Commit().ok());
    ASSERT_TRUE(Recovered("u")->Rollback().ok());
    EXPECT_EQ("01t+", Get("am"));
    EXPECT_EQ("01", Get("bm"));
  });
}

TEST_P(WritePoliciesTest, OthersRefuseWhatIsPrepared) {
  OpenTxn();
  Put("k", "1");
  Leave(Prepared("one", "a"));
  db_.reset();
  std::unique_ptr<DB> plain;
  const auto refused = [](const Status& s) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("policy")) << s.ToString();
  };
  refused(DB::Open(options_, testing::kDbName, &plain));
  refused(DB::OpenForReadOnly(options_, testing::kDbName, &plain));
  options_.max_open_files = -1;
  refused(DB::OpenAsSecondary(options_, testing::kDbName, "/secondary", &plain));
  refused(RepairDB(testing::kDbName, options_));
  txn_options_.write_policy = WRITE_COMMITTED;
  refused(TryOpenTxn());
  txn_options_.write_policy = GetParam();
  OpenTxn();
  EXPECT_EQ(1u, CountPrepared());
  ExpectContents({{"k", "1"}});
}

}  // namespace
}  // namespace cairn
