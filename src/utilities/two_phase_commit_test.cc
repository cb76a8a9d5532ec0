// Two-phase commit where RocksDB, which the conformance tests run on, has no such thing or cannot
// be asked: disks that fail or lose power between the steps, plain openings, the logs that are
// kept, recovered locks, a secondary.
#include <memory>
#include <utility>

#include "batch/write_batch_internal.h"
#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "rocksdb/transaction_log.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/utilities/write_batch_with_index.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::Value;

using Txn = std::unique_ptr<Transaction>;

bool IsLog(const std::string& path) { return path.ends_with(".log"); }

class TwoPhaseCommitTest : public testing::DbTest {
 protected:
  Status TryOpenTxn(const Options& options) {
    db_.reset();
    TransactionDB* made = nullptr;
    const Status s = TransactionDB::Open(options, TransactionDBOptions(), testing::kDbName, &made);
    txn_db_ = made;
    db_.reset(made);
    return s;
  }
  void OpenTxn(const Options& options) {
    const Status s = TryOpenTxn(options);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void OpenTxn() { OpenTxn(SmallOptions()); }
  Txn Named(const std::string& name, const WriteOptions& options = {}) {
    Txn txn(txn_db_->BeginTransaction(options));
    EXPECT_TRUE(txn->SetName(name).ok());
    return txn;
  }
  // It writes its name to `key`.
  Txn Prepared(const std::string& name, const std::string& key, const WriteOptions& options = {}) {
    Txn txn = Named(name, options);
    EXPECT_TRUE(txn->Put(key, name).ok());
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
  // The power goes and comes back; what is in memory must be gone before.
  void CutPower() {
    disk_.Freeze();
    db_.reset();
    disk_.faults->Heal();
    disk_.memory->DropUnsynced();
  }
  static WriteOptions Synced() {
    WriteOptions options;
    options.sync = true;
    return options;
  }
  size_t Logs() const { return disk_.Files(FileType::kWalFile).size(); }

  TransactionDB* txn_db_ = nullptr;
};

TEST_F(TwoPhaseCommitTest, APlainOpenDoesNotForgetIt) {
  OpenTxn();
  Leave(Prepared("one", "a"));
  for (const bool flushed : {false, true}) {
    if (flushed) {
      OpenTxn();
      Put("k", "1");
      Flush();
      Put("k", "2");
    }
    Kill();
    for (int attempt = 0; attempt < 2; ++attempt) {
      Status s = TryOpen(SmallOptions());
      EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
      EXPECT_NE(s.ToString().find("WAL contains prepared transactions"), std::string::npos);
      s = TryOpenReadOnly(SmallOptions());
      EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    }
    Options options = SmallOptions();
    options.allow_2pc = true;
    ASSERT_TRUE(TryOpenReadOnly(options).ok());
    EXPECT_EQ("NOT_FOUND", Get("a"));
  }
  OpenTxn();
  ASSERT_TRUE(Recovered("one")->Commit().ok());
  Kill();
  Open();  // all is decided
  EXPECT_EQ("one", Get("a"));
  EXPECT_EQ("2", Get("k"));
}

TEST_F(TwoPhaseCommitTest, TheRecoveredHaveTheirLocks) {
  OpenTxn();
  Leave(Prepared("one", "a"));
  OpenTxn();
  TransactionOptions impatient;
  impatient.lock_timeout = 0;
  const Txn other(txn_db_->BeginTransaction(WriteOptions(), impatient));
  EXPECT_TRUE(other->Put("a", "other").IsTimedOut());
  ASSERT_TRUE(Recovered("one")->Rollback().ok());
  EXPECT_TRUE(other->Put("a", "other").ok());
  ASSERT_TRUE(other->Commit().ok());
  EXPECT_EQ("other", Get("a"));
}

TEST_F(TwoPhaseCommitTest, TwoRecoveredOfOneKeyAreBothThere) {
  OpenTxn();
  TransactionOptions unlocked;
  unlocked.skip_concurrency_control = true;
  for (const char* name : {"one", "two"}) {
    Txn txn(txn_db_->BeginTransaction(WriteOptions(), unlocked));
    ASSERT_TRUE(txn->SetName(name).ok());
    ASSERT_TRUE(txn->Put("a", name).ok());
    ASSERT_TRUE(txn->Prepare().ok());
    Leave(std::move(txn));
  }
  OpenTxn();
  EXPECT_EQ(2u, CountPrepared());
  ASSERT_TRUE(Recovered("two")->Commit().ok());
  ASSERT_TRUE(Recovered("one")->Commit().ok());
  EXPECT_EQ("one", Get("a"));
}

TEST_F(TwoPhaseCommitTest, WritesOfACommitAreCounted) {
  Options options = SmallOptions();
  options.statistics = CreateDBStatistics();
  OpenTxn(options);
  const Txn txn = Named("one");
  for (uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(txn->Put(testing::Key(i), "1").ok());
  ASSERT_TRUE(txn->Prepare().ok());
  ASSERT_TRUE(txn->Commit().ok());
  HistogramData writes;
  options.statistics->histogramData(NUM_OP_PER_TRANSACTION, &writes);
  EXPECT_EQ(writes.count, 1u);
  EXPECT_EQ(writes.sum, 3u);
}

TEST_F(TwoPhaseCommitTest, WhatIsPreparedTakesNoMoreWrites) {
  OpenTxn();
  Txn txn = Prepared("one", "a");
  EXPECT_TRUE(txn->Put("b", "1").IsInvalidArgument());
  EXPECT_TRUE(txn->PutUntracked("b", "1").IsInvalidArgument());
  EXPECT_TRUE(txn->Delete("a").IsInvalidArgument());
  ASSERT_TRUE(txn->GetWriteBatch()->Put("b", "1").ok());
  EXPECT_TRUE(txn->Commit().IsInvalidArgument());
  EXPECT_EQ(Transaction::PREPARED, txn->GetState());
  ASSERT_TRUE(txn->Rollback().ok());
  EXPECT_TRUE(txn->Put("b", "1").ok());  // the transaction may be used again, but not be committed
}

TEST_F(TwoPhaseCommitTest, ADeletedOneKeepsItsName) {
  OpenTxn();
  Prepared("one", "a").reset();
  EXPECT_EQ(nullptr, txn_db_->GetTransactionByName("one"));
  EXPECT_EQ(0u, CountPrepared());
  Txn other(txn_db_->BeginTransaction(WriteOptions()));
  EXPECT_TRUE(other->SetName("one").IsInvalidArgument());
  EXPECT_TRUE(other->Put("a", "other").ok());  // the lock is free
  ASSERT_TRUE(other->Commit().ok());
  other.reset();  // before its database
  OpenTxn();
  EXPECT_EQ(1u, CountPrepared());
  ASSERT_TRUE(Recovered("one")->Rollback().ok());
  EXPECT_EQ("other", Get("a"));
  EXPECT_TRUE(Txn(txn_db_->BeginTransaction(WriteOptions()))->SetName("one").ok());
}

TEST_F(TwoPhaseCommitTest, ItCannotExpire) {
  Simulate([&] {
    OpenTxn();
    TransactionOptions expires;
    expires.expiration = 10;
    Txn txn(txn_db_->BeginTransaction(WriteOptions(), expires));
    Txn late(txn_db_->BeginTransaction(WriteOptions(), expires));
    ASSERT_TRUE(txn->SetName("one").ok());
    ASSERT_TRUE(late->SetName("two").ok());
    ASSERT_TRUE(txn->Put("a", "1").ok());
    ASSERT_TRUE(txn->Prepare().ok());
    fiber::sleep_for(20'000'000);
    const Txn other(txn_db_->BeginTransaction(WriteOptions()));
    EXPECT_TRUE(other->Put("a", "2").IsTimedOut());
    EXPECT_TRUE(late->Prepare().IsExpired());
    EXPECT_TRUE(txn->Commit().ok());
  });
}

// --- The log fails

TEST_F(TwoPhaseCommitTest, AFullDiskAtAStepIsForTheNextOpening) {
  for (const bool at_commit : {false, true}) {
    OpenTxn();
    Txn txn = Named("one");
    ASSERT_TRUE(txn->Put("a", "1").ok());
    if (at_commit) {
      ASSERT_TRUE(txn->Prepare().ok());
    }
    disk_.faults->SetFileFilter(IsLog);
    disk_.faults->SetFreeBytes(3);
    Status s = at_commit ? txn->Commit() : txn->Prepare();
    EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
    disk_.faults->Heal();
    EXPECT_TRUE(txn->Commit().IsInvalidArgument());
    EXPECT_TRUE(txn->Rollback().IsInvalidArgument());
    // What the log ends with is unknown, and it may have others' sections.
    EXPECT_FALSE(db_->Resume().ok());
    EXPECT_FALSE(db_->Put(WriteOptions(), "b", "1").ok());
    txn.reset();
    EXPECT_TRUE(txn_db_->GetLockStatusData().empty());
    OpenTxn();
    EXPECT_EQ(at_commit ? 1u : 0u, CountPrepared());
    if (at_commit) {
      ASSERT_TRUE(Recovered("one")->Commit().ok());
      EXPECT_EQ("1", Get("a"));
    }
  }
}

TEST_F(TwoPhaseCommitTest, WhereNothingWasPreparedAFullLogIsLeftBehind) {
  OpenTxn();
  Put("a", "1");
  disk_.faults->SetFileFilter(IsLog);
  disk_.faults->SetFreeBytes(3);
  EXPECT_TRUE(db_->Put(WriteOptions(), "b", "1").IsNoSpace());
  disk_.faults->Heal();
  EXPECT_TRUE(db_->Resume().ok());
  Put("b", "2");
  Kill();
  OpenTxn();
  EXPECT_EQ("2", Get("b"));
}

TEST_F(TwoPhaseCommitTest, AStepThatIsRefusedMayBeTriedAgain) {
  OpenTxn();
  Txn txn = Prepared("one", "a");
  ASSERT_TRUE(txn->GetCommitTimeWriteBatch()->Merge("m", "1").ok());  // there is no operator
  Status s = txn->Commit();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(Transaction::PREPARED, txn->GetState());
  txn->GetCommitTimeWriteBatch()->Clear();
  EXPECT_TRUE(txn->Commit().ok());
  EXPECT_EQ("one", Get("a"));
}

TEST_F(TwoPhaseCommitTest, ASyncedStepSurvivesAPowerCut) {
  OpenTxn();
  Leave(Prepared("one", "a", Synced()));
  Leave(Prepared("lost", "x"));
  CutPower();
  OpenTxn();
  EXPECT_EQ(1u, CountPrepared());
  // Its log went with the recovery: the copy must be as durable.
  CutPower();
  OpenTxn();
  EXPECT_EQ(1u, CountPrepared());
  ASSERT_TRUE(Recovered("one")->Commit().ok());  // synced, as all of the recovered
  CutPower();
  OpenTxn();
  EXPECT_EQ(0u, CountPrepared());
  EXPECT_EQ("one", Get("a"));
  ExpectContents({{"a", "one"}});
}

TEST_F(TwoPhaseCommitTest, ASyncedCommitKeepsWhatWasPreparedWithoutASync) {
  OpenTxn();
  Txn txn = Prepared("one", "a");
  Put("k", "1");
  Flush();  // the section is in a log that is closed, and kept for it alone
  Put("k", "2");
  *txn->GetWriteOptions() = Synced();
  ASSERT_TRUE(txn->Commit().ok());
  txn.reset();
  CutPower();
  OpenTxn();
  EXPECT_EQ(0u, CountPrepared());
  EXPECT_EQ("one", Get("a"));
  EXPECT_EQ("2", Get("k"));
}

TEST_F(TwoPhaseCommitTest, APowerCutAnywhereInARecoveryLosesNothing) {
  OpenTxn();
  Leave(Prepared("one", "a", Synced()));
  Put("k", "1");
  Flush();
  Leave(Prepared("two", "b", Synced()));
  CutPower();
  for (uint64_t n = 1;; ++n) {
    disk_.faults->SetFileFilter(
        [](const std::string& path) { return path.find("/LOG") == std::string::npos; });
    disk_.faults->FailNthOperation(n, fault::kWrites, IOStatus::IOError("injected"),
                                   /*times=*/UINT64_MAX);
    const Status s = TryOpenTxn(SmallOptions());
    disk_.Freeze();
    db_.reset();
    disk_.faults->Heal();
    disk_.memory->DropUnsyncedRandomly(n);
    if (s.ok()) break;
    ASSERT_LT(n, 200u) << s.ToString();
  }
  OpenTxn();
  EXPECT_EQ(2u, CountPrepared());
  ASSERT_TRUE(Recovered("one")->Commit().ok());
  ASSERT_TRUE(Recovered("two")->Commit().ok());
  ExpectContents({{"a", "one"}, {"b", "two"}, {"k", "1"}});
}

// --- The logs that are kept

TEST_F(TwoPhaseCommitTest, AFullLogSizeDoesNotFlushForWhatNoFlushLetsGo) {
  Options options = SmallOptions();
  options.write_buffer_size = 4 << 20;
  options.max_total_wal_size = 64 << 10;
  options.disable_auto_compactions = true;
  OpenTxn(options);
  // Larger than the limit, and kept.
  Txn txn = Named("one");
  ASSERT_TRUE(txn->Put("a", Value(1, 200 << 10)).ok());
  ASSERT_TRUE(txn->Prepare().ok());
  constexpr int kWrites = 1000;
  for (int i = 0; i < kWrites; ++i) Put(Key(i), Value(i, 200));
  std::string tables;
  ASSERT_TRUE(db_->GetProperty("rocksdb.num-files-at-level0", &tables));
  EXPECT_LE(std::stoi(tables), 8) << "a flush for each write";
  ASSERT_TRUE(txn->Commit().ok());
  Flush();
  Put("z", "1");
  Flush();
  EXPECT_TRUE(Await([&] { return Logs() == 1; }));
}

TEST_F(TwoPhaseCommitTest, TheManifestSaysWhichLogsAreKept) {
  OpenTxn();
  Txn txn = Prepared("one", "a");
  const uint64_t log = txn->GetLogNumber();
  for (int i = 0; i < 3; ++i) {
    Put("k", std::to_string(i));
    Flush();
    uint64_t kept = 0;
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.min-log-number-to-keep", &kept));
    EXPECT_EQ(log, kept);
  }
  EXPECT_GE(Logs(), 2u);
  ASSERT_TRUE(txn->Rollback().ok());
  Put("k", "9");
  Flush();
  uint64_t kept = 0;
  ASSERT_TRUE(db_->GetIntProperty("rocksdb.min-log-number-to-keep", &kept));
  EXPECT_LT(log, kept);
  EXPECT_TRUE(Await([&] { return Logs() == 1; }));
}

TEST_F(TwoPhaseCommitTest, ADroppedFamilyTakesItsPartAlong) {
  OpenTxn();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(ColumnFamilyOptions(SmallOptions()), "x", &handle).ok());
  for (const char* name : {"one", "two"}) {
    Txn txn = Named(name);
    ASSERT_TRUE(txn->Put(name, "1").ok());
    ASSERT_TRUE(txn->Put(handle, name, "1").ok());
    ASSERT_TRUE(txn->Prepare().ok());
    Leave(std::move(txn));
  }
  ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  {
    const Txn one = Recovered("one");
    EXPECT_TRUE(one->Commit().IsInvalidArgument());
    EXPECT_EQ(Transaction::PREPARED, one->GetState());
    one->GetWriteOptions()->ignore_missing_column_families = true;
    EXPECT_TRUE(one->Commit().ok());
  }
  OpenTxn();
  ASSERT_TRUE(Recovered("two")->Commit().ok());
  ExpectContents({{"one", "1"}, {"two", "1"}});
}

TEST_F(TwoPhaseCommitTest, ASecondaryShowsWhatIsCommitted) {
  OpenTxn();
  Txn txn = Prepared("one", "a");
  Put("k", "1");
  Flush();
  Options options = SmallOptions();
  options.max_open_files = -1;
  std::unique_ptr<DB> secondary;
  Status s = DB::OpenAsSecondary(options, testing::kDbName, "/secondary", &secondary);
  ASSERT_TRUE(s.ok()) << s.ToString();
  const auto get = [&](const std::string& key) {
    std::string value;
    return secondary->Get(ReadOptions(), key, &value).ok() ? value : "NOT_FOUND";
  };
  EXPECT_EQ("NOT_FOUND", get("a"));
  EXPECT_EQ("1", get("k"));
  ASSERT_TRUE(txn->Commit().ok());
  Put("k", "2");
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  EXPECT_EQ("one", get("a"));
  EXPECT_EQ("2", get("k"));
}

TEST_F(TwoPhaseCommitTest, ARepairTakesWhatWasCommittedAndRefusesWhatWasNot) {
  OpenTxn();
  Txn txn = Prepared("one", "a");
  ASSERT_TRUE(txn->Commit().ok());
  Leave(Prepared("two", "b"));
  txn.reset();
  db_.reset();
  Options options = SmallOptions();
  const Status s = RepairDB(testing::kDbName, options);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  OpenTxn();
  ASSERT_TRUE(Recovered("two")->Rollback().ok());
  db_.reset();
  ASSERT_TRUE(RepairDB(testing::kDbName, options).ok());
  Open();
  ExpectContents({{"a", "one"}});
}

TEST_F(TwoPhaseCommitTest, TheUpdatesTellEveryStep) {
  Options options = SmallOptions();
  options.WAL_ttl_seconds = 1000;
  OpenTxn(options);
  Put("x", "1");
  Txn one = Prepared("one", "a"), two = Prepared("two", "b");
  Put("y", "1");
  ASSERT_TRUE(one->Commit().ok());
  ASSERT_TRUE(two->Rollback().ok());
  Put("z", "1");
  one.reset();
  two.reset();
  class Steps final : public WriteBatch::Handler {
   public:
    Status PutCF(uint32_t, const Slice& key, const Slice&) override { return Add(key.ToString()); }
    Status MarkBeginPrepare(bool) override { return Add("("); }
    Status MarkEndPrepare(const Slice& name) override { return Add(")" + name.ToString()); }
    Status MarkCommit(const Slice& name) override { return Add("+" + name.ToString()); }
    Status MarkRollback(const Slice& name) override { return Add("-" + name.ToString()); }
    Status MarkNoop(bool) override { return Status::OK(); }
    Status Add(const std::string& step) {
      text += step + " ";
      return Status::OK();
    }
    std::string text;
  };
  for (const bool again : {false, true}) {
    if (again) {
      Kill();
      OpenTxn(options);
    }
    Steps steps;
    std::unique_ptr<TransactionLogIterator> updates;
    ASSERT_TRUE(db_->GetUpdatesSince(1, &updates, {}).ok());
    for (; updates->Valid(); updates->Next()) {
      EXPECT_TRUE(updates->GetBatch().writeBatchPtr->Iterate(&steps).ok());
    }
    EXPECT_TRUE(updates->status().ok()) << updates->status().ToString();
    EXPECT_EQ("x ( a )one ( b )two y +one -two z ", steps.text);
  }
}

}  // namespace
}  // namespace cairn
