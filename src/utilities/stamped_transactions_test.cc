// Timestamps in transactions where RocksDB 7, which the conformance tests run on, has no such thing
// or does otherwise: a commit that lacks its timestamp loses nothing, validation knows tables, and
// can be turned off; locks of recovered and plain writes; logs as others read them.
#include <memory>

#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "fs/file_reader.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/transaction_log.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/utilities/write_batch_with_index.h"
#include "wal/log_reader.h"

namespace cairn {
namespace {

using testing::Ts;

using Txn = std::unique_ptr<Transaction>;

class StampedTransactionsTest : public testing::DbTest {
 protected:
  Options StampedOptions() {
    Options options = SmallOptions();
    options.comparator = BytewiseComparatorWithU64Ts();
    options.disable_auto_compactions = true;
    return options;
  }
  Status TryOpenTxn(const Options& options) {
    db_.reset();
    TransactionDB* made = nullptr;
    const Status s = TransactionDB::Open(options, txn_options_, testing::kDbName, &made);
    txn_db_ = made;
    db_.reset(made);
    return s;
  }
  void OpenTxn() {
    const Status s = TryOpenTxn(StampedOptions());
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  Txn Begin() {
    TransactionOptions impatient;
    impatient.lock_timeout = 0;
    return Txn(txn_db_->BeginTransaction(WriteOptions(), impatient));
  }
  void Commit(const std::string& key, const std::string& value, uint64_t timestamp) {
    const Txn txn = Begin();
    ASSERT_TRUE(txn->Put(key, value).ok());
    ASSERT_TRUE(txn->SetCommitTimestamp(timestamp).ok());
    const Status s = txn->Commit();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // Of a family of its own; nullptr: the default one of db_.
  std::string GetAt(const std::string& key, uint64_t timestamp, DB* db = nullptr) {
    const std::string bytes = Ts(timestamp);
    const Slice at(bytes);
    ReadOptions options;
    options.timestamp = &at;
    std::string value;
    const Status s = (db == nullptr ? db_.get() : db)->Get(options, key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  // Prepared: it writes its name to `key`.
  Txn Prepared(const std::string& name, const std::string& key) {
    Txn txn = Begin();
    EXPECT_TRUE(txn->SetName(name).ok());
    EXPECT_TRUE(txn->Put(key, name).ok());
    const Status s = txn->Prepare();
    EXPECT_TRUE(s.ok()) << s.ToString();
    return txn;
  }

  TransactionDBOptions txn_options_;
  TransactionDB* txn_db_ = nullptr;
};

TEST_F(StampedTransactionsTest, ACommitThatLacksATimestampLosesNothing) {
  OpenTxn();
  Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").ok());
  Status s = txn->Commit();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(Transaction::STARTED, txn->GetState());
  EXPECT_TRUE(Begin()->Put("a", "2").IsTimedOut());
  ASSERT_TRUE(txn->SetCommitTimestamp(5).ok());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ("1", GetAt("a", 5));

  txn = Prepared("one", "b");
  s = txn->Commit();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(Transaction::PREPARED, txn->GetState());
  ASSERT_TRUE(txn->SetCommitTimestamp(6).ok());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ("NOT_FOUND", GetAt("b", 5));
  EXPECT_EQ("one", GetAt("b", 6));
}

TEST_F(StampedTransactionsTest, WhatIsInTablesIsValidated) {
  OpenTxn();
  Commit("a", "1", 10);
  Flush();
  std::string value;
  for (const bool compacted : {false, true}) {
    if (compacted) Compact();
    for (const uint64_t at : {9, 10}) {
      const Txn txn = Begin();
      ASSERT_TRUE(txn->SetReadTimestampForValidation(at).ok());
      const Status s = txn->GetForUpdate(ReadOptions(), "a", &value);
      EXPECT_EQ(at < 10, s.IsBusy()) << s.ToString();
      EXPECT_EQ(at >= 10, s.ok()) << s.ToString();
    }
  }
  // A range that was deleted counts, too.
  ASSERT_TRUE(txn_db_->GetRootDB()
                  ->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "b", Ts(20))
                  .ok());
  for (const bool flushed : {false, true}) {
    if (flushed) Flush();
    for (const uint64_t at : {19, 20}) {
      const Txn txn = Begin();
      ASSERT_TRUE(txn->SetReadTimestampForValidation(at).ok());
      const Status s = txn->GetForUpdate(ReadOptions(), "a", &value);
      EXPECT_EQ(at < 20, s.IsBusy()) << s.ToString();
      EXPECT_EQ(at >= 20, s.IsNotFound()) << s.ToString();
    }
  }
}

TEST_F(StampedTransactionsTest, GetForUpdateWithoutValidationReadsTheNewest) {
  OpenTxn();
  Commit("a", "1", 10);
  Commit("a", "2", 20);
  const Txn txn = Begin();
  std::string value;
  ASSERT_TRUE(txn->GetForUpdate(ReadOptions(), "a", &value, true, /*do_validate=*/false).ok());
  EXPECT_EQ("2", value);
  EXPECT_TRUE(Begin()->Put("a", "3").IsTimedOut());
}

TEST_F(StampedTransactionsTest, ValidationCanBeTurnedOff) {
  txn_options_.enable_udt_validation = false;
  OpenTxn();
  Commit("a", "1", 10);
  Txn txn = Begin();
  std::string value;
  ASSERT_TRUE(txn->GetForUpdate(ReadOptions(), "a", &value).ok());
  EXPECT_EQ("1", value);
  ASSERT_TRUE(txn->SetReadTimestampForValidation(5).ok());
  EXPECT_TRUE(txn->GetForUpdate(ReadOptions(), "a", &value).IsInvalidArgument());
  EXPECT_TRUE(txn->Put("a", "2").ok());  // though 10 is newer than 5
  EXPECT_TRUE(txn->SetCommitTimestamp(4).ok());
  EXPECT_TRUE(txn->SetCommitTimestamp(11).ok());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ("2", GetAt("a", 11));
  // Snapshots are what they were.
  TransactionOptions options;
  options.set_snapshot = true;
  txn.reset(txn_db_->BeginTransaction(WriteOptions(), options));
  Commit("a", "3", 12);
  EXPECT_TRUE(txn->Put("a", "4").IsBusy());
}

TEST_F(StampedTransactionsTest, OtherTimestampsAndPoliciesAreRefusedAtTheOpening) {
  txn_options_.write_policy = WRITE_PREPARED;
  Status s = TryOpenTxn(StampedOptions());
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("u64ts")) << s.ToString();
  txn_options_ = TransactionDBOptions();
  class Short : public Comparator {
   public:
    Short() : Comparator(4) {}
    const char* Name() const override { return "test.Short"; }
    int Compare(const Slice& a, const Slice& b) const override { return a.compare(b); }
    void FindShortestSeparator(std::string*, const Slice&) const override {}
    void FindShortSuccessor(std::string*) const override {}
  };
  static const Short comparator;
  Options options = SmallOptions();
  options.comparator = &comparator;
  s = TryOpenTxn(options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("test.Short")) << s.ToString();

  // And of a database that is wrapped.
  txn_options_.write_policy = WRITE_COMMITTED;
  options = StampedOptions();
  options.allow_2pc = true;
  Open(options);
  TransactionDB* wrapped = nullptr;
  ASSERT_TRUE(TransactionDB::WrapDB(db_.release(), txn_options_, {}, {}, &wrapped).ok());
  db_.reset(wrapped);
  txn_db_ = wrapped;
  Commit("a", "1", 5);
  EXPECT_EQ("1", GetAt("a", 5));
}

TEST_F(StampedTransactionsTest, BareKeysAreLocked) {
  OpenTxn();
  (void)Prepared("one", "a").release();
  OpenTxn();
  EXPECT_TRUE(Begin()->Put("a", "2").IsTimedOut());
  EXPECT_TRUE(Begin()->Put("b", "2").ok());
  // Plain writes wait for them, with whatever timestamp.
  txn_options_.default_lock_timeout = 0;
  OpenTxn();
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", Ts(9), "3").IsTimedOut());
  EXPECT_TRUE(db_->Delete(WriteOptions(), "a", Ts(9)).IsTimedOut());
  WriteBatch batch(0, 0, 0, 8);
  ASSERT_TRUE(batch.Put(db_->DefaultColumnFamily(), "a", Ts(9), "3").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsTimedOut());
  const Txn one(txn_db_->GetTransactionByName("one"));
  ASSERT_TRUE(one->SetCommitTimestamp(5).ok());
  ASSERT_TRUE(one->Commit().ok());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ("one", GetAt("a", 8));
  EXPECT_EQ("3", GetAt("a", 9));
  WriteBatch without(0, 0, 0, 8);
  ASSERT_TRUE(without.Put("a", "4").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &without).IsInvalidArgument());
}

TEST_F(StampedTransactionsTest, RangesOfBareKeysAreLocked) {
  txn_options_.lock_mgr_handle.reset(NewRangeLockManager(nullptr));
  OpenTxn();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->GetRangeLock(db_->DefaultColumnFamily(), Endpoint("b"), Endpoint("d")).ok());
  const Txn other = Begin();
  EXPECT_TRUE(other->Put("a", "1").ok());
  EXPECT_TRUE(other->Put("b", "1").IsTimedOut());
  EXPECT_TRUE(other->Put("c", "1").IsTimedOut());
  EXPECT_TRUE(other->Put("e", "1").ok());
  ASSERT_TRUE(other->SetCommitTimestamp(5).ok());
  ASSERT_TRUE(other->Commit().ok());
  EXPECT_EQ("1", GetAt("e", 5));
}

TEST_F(StampedTransactionsTest, ChecksumsGoWithTheTimestamps) {
  OpenTxn();
  WriteOptions checked;
  checked.protection_bytes_per_key = 8;
  const Txn txn(txn_db_->BeginTransaction(checked));
  ASSERT_TRUE(txn->SetName("one").ok());
  ASSERT_TRUE(txn->Put("a", "1").ok());
  ASSERT_TRUE(txn->Delete("b").ok());
  ASSERT_TRUE(txn->Prepare().ok());
  ASSERT_TRUE(txn->SetCommitTimestamp(5).ok());
  const Status s = txn->Commit();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ("1", GetAt("a", 5));
}

TEST_F(StampedTransactionsTest, IteratorsTellTheTimestampOfTheDatabaseAlone) {
  OpenTxn();
  Commit("a", "1", 5);
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("b", "2").ok());
  const std::string bytes = Ts(9), from = Ts(1);
  const Slice at(bytes), start(from);
  ReadOptions options;
  options.timestamp = &at;
  std::unique_ptr<Iterator> it(txn->GetIterator(options));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("a", it->key());
  EXPECT_EQ(Ts(5), it->timestamp().ToString());
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("b", it->key());
  EXPECT_EQ("", it->timestamp().ToString());
  options.iter_start_ts = &start;
  it.reset(txn->GetIterator(options));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsNotSupported()) << it->status().ToString();
}

TEST_F(StampedTransactionsTest, EntitiesNeedATimestampOfTheRightSize) {
  OpenTxn();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->PutEntity(db_->DefaultColumnFamily(), "a", {{"x", "1"}}).ok());
  PinnableWideColumns columns;
  EXPECT_TRUE(txn->GetEntity(ReadOptions(), nullptr, "a", &columns).IsInvalidArgument());
  const Slice bad("bad");
  ReadOptions options;
  options.timestamp = &bad;
  EXPECT_TRUE(txn->GetEntity(options, nullptr, "a", &columns).IsInvalidArgument());
  const Slice key("a");
  Status told;
  txn->MultiGetEntity(options, nullptr, 1, &key, &columns, &told);
  EXPECT_TRUE(told.IsInvalidArgument());
  ASSERT_TRUE(txn->SetReadTimestampForValidation(5).ok());
  ASSERT_TRUE(txn->GetEntityForUpdate(ReadOptions(), nullptr, "a", &columns).ok());
  EXPECT_EQ("x:1", testing::Text(columns.columns()));
  ASSERT_TRUE(txn->SetCommitTimestamp(6).ok());
  ASSERT_TRUE(txn->Commit().ok());
  const std::string bytes = Ts(6);
  const Slice at(bytes);
  options.timestamp = &at;
  ASSERT_TRUE(db_->GetEntity(options, db_->DefaultColumnFamily(), "a", &columns).ok());
  EXPECT_EQ("x:1", testing::Text(columns.columns()));
}

// --- Where RocksDB 7 errs

TEST_F(StampedTransactionsTest, SavePointsKnowTheKeys) {
  OpenTxn();
  const Txn txn = Begin();
  const auto scan = [&] {
    const std::string bytes = Ts(1);
    const Slice at(bytes);
    ReadOptions options;
    options.timestamp = &at;
    const std::unique_ptr<Iterator> it(txn->GetIterator(options));
    std::string seen;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      seen += it->key().ToString() + "=" + it->value().ToString() + " ";
    }
    return seen;
  };
  ASSERT_TRUE(txn->Put("a", "1").ok());
  txn->SetSavePoint();
  ASSERT_TRUE(txn->Delete("a").ok());
  ASSERT_TRUE(txn->Put("b", "2").ok());
  EXPECT_EQ("b=2 ", scan());
  ASSERT_TRUE(txn->RollbackToSavePoint().ok());
  EXPECT_EQ("a=1 ", scan());
  ASSERT_TRUE(txn->Put("c", "3").ok());
  EXPECT_EQ("a=1 c=3 ", scan());
  ASSERT_TRUE(txn->SetCommitTimestamp(9).ok());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ("1", GetAt("a", 9));
  EXPECT_EQ("NOT_FOUND", GetAt("b", 9));
  EXPECT_EQ("3", GetAt("c", 9));
}

TEST_F(StampedTransactionsTest, ABatchIsTakenWithoutItsTimestamps) {
  OpenTxn();
  WriteBatch batch(0, 0, 0, 8);
  ASSERT_TRUE(batch.Put(db_->DefaultColumnFamily(), "a", Ts(3), "1").ok());
  ASSERT_TRUE(batch.Put("b", "2").ok());
  ASSERT_TRUE(batch.Delete("c").ok());
  const Txn txn = Begin();
  ASSERT_TRUE(txn->RebuildFromWriteBatch(&batch).ok());
  EXPECT_EQ(3u, txn->GetNumKeys());
  ASSERT_TRUE(txn->SetCommitTimestamp(9).ok());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 8));
  EXPECT_EQ("1", GetAt("a", 9));
  EXPECT_EQ("2", GetAt("b", 9));
}

TEST_F(StampedTransactionsTest, WhatRecoveryFindsIsDecidedWithATimestamp) {
  OpenTxn();
  Commit("k", "0", 5);
  for (const char* name : {"one", "two", "three"}) {
    Txn txn = Prepared(name, name);
    (void)txn.release();  // the database's
  }
  for (int round = 0; round < 2; ++round) {
    Kill();
    OpenTxn();
  }
  std::vector<Transaction*> all;
  txn_db_->GetAllPreparedTransactions(&all);
  EXPECT_EQ(3u, all.size());
  for (const char* name : {"one", "two", "three"}) {
    const Txn txn(txn_db_->GetTransactionByName(name));
    ASSERT_NE(nullptr, txn);
    EXPECT_EQ("NOT_FOUND", GetAt(name, 100));
    const std::string bytes = Ts(1);
    const Slice at(bytes);
    ReadOptions options;
    options.timestamp = &at;
    std::string value;
    ASSERT_TRUE(txn->Get(options, name, &value).ok());
    EXPECT_EQ(name, value);
    if (std::string(name) == "two") {
      ASSERT_TRUE(txn->Rollback().ok());
      continue;
    }
    EXPECT_EQ(kMaxTxnTimestamp, txn->GetCommitTimestamp());
    ASSERT_TRUE(txn->SetCommitTimestamp(10).ok());
    ASSERT_TRUE(txn->Commit().ok());
  }
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ("0", GetAt("k", 100));
    for (const char* name : {"one", "three"}) {
      EXPECT_EQ("NOT_FOUND", GetAt(name, 9));
      EXPECT_EQ(name, GetAt(name, 10));
    }
    EXPECT_EQ("NOT_FOUND", GetAt("two", 100));
    if (round == 2) Flush();
    Kill();
    OpenTxn();
  }
}

// (It has no merges there.)
TEST_F(StampedTransactionsTest, MergesStandOnWhatIsReadAt) {
  class Joined : public AssociativeMergeOperator {
   public:
    bool Merge(const Slice&, const Slice* existing, const Slice& value, std::string* result,
               Logger*) const override {
      *result = (existing == nullptr ? "" : existing->ToString() + ",") + value.ToString();
      return true;
    }
    const char* Name() const override { return "Joined"; }
  };
  Options options = StampedOptions();
  options.merge_operator = std::make_shared<Joined>();
  ASSERT_TRUE(TryOpenTxn(options).ok());
  Commit("a", "1", 10);
  Commit("a", "2", 20);
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Merge("a", "x").ok());
  ASSERT_TRUE(txn->Merge("b", "y").ok());
  for (const uint64_t at : {15, 20}) {
    const std::string bytes = Ts(at);
    const Slice timestamp(bytes);
    ReadOptions reading;
    reading.timestamp = &timestamp;
    const std::string merged = at == 15 ? "1,x" : "2,x";
    std::string value;
    ASSERT_TRUE(txn->Get(reading, "a", &value).ok());
    EXPECT_EQ(merged, value);
    ASSERT_TRUE(txn->Get(reading, "b", &value).ok());
    EXPECT_EQ("y", value);
    PinnableSlice values[2];
    Status told[2];
    const Slice keys[2] = {"a", "b"};
    txn->MultiGet(reading, db_->DefaultColumnFamily(), 2, keys, values, told);
    EXPECT_EQ(merged, values[0].ToString());
    EXPECT_EQ("y", values[1].ToString());
    const std::unique_ptr<Iterator> it(txn->GetIterator(reading));
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(merged, it->value().ToString());
  }
  ASSERT_TRUE(txn->SetCommitTimestamp(30).ok());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ("2,x", GetAt("a", 30));
  EXPECT_EQ("2", GetAt("a", 29));
  ASSERT_TRUE(db_->Merge(WriteOptions(), db_->DefaultColumnFamily(), "a", Ts(40), "z").ok());
  EXPECT_EQ("2,x,z", GetAt("a", 40));
  EXPECT_TRUE(db_->Merge(WriteOptions(), "a", "z").IsNotSupported());
}

// --- What others make of the logs

TEST_F(StampedTransactionsTest, PlainOpeningsSecondariesAndRepairsReadTheTimestamp) {
  OpenTxn();
  Options options = StampedOptions();
  options.max_open_files = -1;
  Commit("k", "0", 1);
  Flush();
  Txn txn = Prepared("one", "a");
  std::unique_ptr<DB> secondary;
  ASSERT_TRUE(DB::OpenAsSecondary(options, testing::kDbName, "/secondary", &secondary).ok());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 100, secondary.get()));
  ASSERT_TRUE(txn->SetCommitTimestamp(5).ok());
  ASSERT_TRUE(txn->Commit().ok());
  txn.reset();
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 4, secondary.get()));
  EXPECT_EQ("one", GetAt("a", 5, secondary.get()));
  secondary.reset();
  Kill();
  ASSERT_TRUE(TryOpenReadOnly(StampedOptions()).ok());
  EXPECT_EQ("one", GetAt("a", 5));
  db_.reset();
  const Status s = RepairDB(testing::kDbName, StampedOptions());
  ASSERT_TRUE(s.ok()) << s.ToString();
  Open(StampedOptions());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 4));
  EXPECT_EQ("one", GetAt("a", 5));
  EXPECT_EQ("0", GetAt("k", 5));
}

// RocksDB since 8 takes the keys of a log that does not say it to have no timestamps.
TEST_F(StampedTransactionsTest, ALogSaysTheSizeBeforeWhatARecoveryCopies) {
  OpenTxn();
  (void)Prepared("one", "a").release();
  Kill();
  OpenTxn();
  size_t sections = 0;
  for (const std::string& path : disk_.Files(FileType::kWalFile)) {
    std::unique_ptr<SequentialFileReader> file;
    ASSERT_TRUE(SequentialFileReader::Open(disk_.memory.get(), path, FileOptions(), &file).ok());
    LogReader reader(nullptr, std::move(file), nullptr, /*checksum=*/true, /*log_number=*/0);
    std::string scratch;
    Slice record;
    while (reader.ReadRecord(&record, &scratch)) {
      if (!WriteBatch(record.ToString()).HasBeginPrepare()) continue;
      ++sections;
      EXPECT_EQ(1u, reader.timestamp_sizes().count(0)) << path;
    }
  }
  EXPECT_GE(sections, 1u);
  const Txn one(txn_db_->GetTransactionByName("one"));
  EXPECT_TRUE(one->Rollback().ok());
}

TEST_F(StampedTransactionsTest, AnIteratorOverTheLogsCountsWhatWasCommitted) {
  OpenTxn();
  Commit("a", "1", 1);
  Txn txn = Prepared("one", "b");
  Commit("c", "1", 2);
  ASSERT_TRUE(txn->SetCommitTimestamp(5).ok());
  ASSERT_TRUE(txn->Commit().ok());
  Commit("d", "1", 6);
  std::unique_ptr<TransactionLogIterator> it;
  ASSERT_TRUE(db_->GetUpdatesSince(1, &it).ok());
  size_t records = 0;
  for (; it->Valid(); it->Next()) ++records;
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  EXPECT_GE(records, 4u);
}

TEST_F(StampedTransactionsTest, RecoveryFlushesWhatIsCommittedWithATimestamp) {
  OpenTxn();
  const std::string value(1000, 'v');
  for (int i = 0; i < 100; ++i) {  // more than a memtable
    const Txn txn = Begin();
    ASSERT_TRUE(txn->SetName("t" + std::to_string(i)).ok());
    ASSERT_TRUE(txn->Put(testing::Key(i), value).ok());
    ASSERT_TRUE(txn->Prepare().ok());
    ASSERT_TRUE(txn->SetCommitTimestamp(static_cast<uint64_t>(i) + 1).ok());
    ASSERT_TRUE(txn->Commit().ok());
  }
  Kill();
  OpenTxn();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ("NOT_FOUND", GetAt(testing::Key(i), static_cast<uint64_t>(i)));
    EXPECT_EQ(value, GetAt(testing::Key(i), static_cast<uint64_t>(i) + 1));
  }
}

// --- Where they are still refused

TEST_F(StampedTransactionsTest, OptimisticTransactionsHaveNone) {
  OptimisticTransactionDB* made = nullptr;
  ASSERT_TRUE(OptimisticTransactionDB::Open(SmallOptions(), testing::kDbName, &made).ok());
  db_.reset(made);
  ColumnFamilyHandle* family = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(StampedOptions(), "stamped", &family).ok());
  const Txn txn(made->BeginTransaction(WriteOptions()));
  std::string value;
  EXPECT_TRUE(txn->Put(family, "a", "1").IsNotSupported());
  EXPECT_TRUE(txn->PutUntracked(family, "a", "1").IsNotSupported());
  EXPECT_TRUE(txn->GetForUpdate(ReadOptions(), family, "a", &value).IsNotSupported());
  EXPECT_TRUE(txn->SetCommitTimestamp(5).IsNotSupported());
  EXPECT_TRUE(txn->SetReadTimestampForValidation(5).IsNotSupported());
  EXPECT_TRUE(txn->Put("a", "1").ok());
  EXPECT_TRUE(txn->Commit().ok());
  EXPECT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
}

TEST_F(StampedTransactionsTest, ASnapshotHasTheTimestampOfTheKeys) {
  OpenTxn();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("a", "1").ok());
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot().IsInvalidArgument());
  ASSERT_TRUE(txn->SetCommitTimestamp(5).ok());
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot(nullptr, 6).IsInvalidArgument());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 100));
  std::shared_ptr<const Snapshot> snapshot;
  ASSERT_TRUE(txn->CommitAndTryCreateSnapshot(nullptr, 5, &snapshot).ok());
  ASSERT_NE(nullptr, snapshot);
  EXPECT_EQ(5u, snapshot->GetTimestamp());
  EXPECT_EQ("1", GetAt("a", 5));
}

}  // namespace
}  // namespace cairn
