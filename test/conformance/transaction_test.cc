// TransactionDB: what a transaction reads, writes, tracks and forgets, its states and names.
#include "transaction_fixture.h"

#include "rocksdb/utilities/write_batch_with_index.h"

namespace conformance {
namespace {

using Transactions = TransactionTest;
INSTANTIATE_TEST_SUITE_P(Stripes, Transactions, testing::Values(1, 16));
INSTANTIATE_TEST_SUITE_P(Policies, Transactions,
                         testing::Values(WithPolicy(WRITE_PREPARED), WithPolicy(WRITE_UNPREPARED)),
                         PolicyOf);

TEST_P(Transactions, CommitMakesWritesVisible) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Put(other_, "a", "2"));
  EXPECT_EQ("NOT_FOUND", Get("a"));
  EXPECT_EQ(Transaction::STARTED, txn->GetState());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ(Transaction::COMMITTED, txn->GetState());
  EXPECT_EQ("a=1", Contents());
}

TEST_P(Transactions, RollbackForgetsWritesAndGoesOn) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Rollback());
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "a"));
  EXPECT_TRUE(IsFree("a"));
  ASSERT_OK(txn->Put("b", "1"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("b=1", Contents());
}

TEST_P(Transactions, ACommittedTransactionIsOver) {
  NOT_UNPREPARED("RocksDB takes a rollback to a save point at any time");
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Commit());
  EXPECT_CODE(InvalidArgument, txn->Commit());
  EXPECT_CODE(InvalidArgument, txn->Rollback());
  EXPECT_CODE(InvalidArgument, txn->SetName("late"));
  EXPECT_CODE(InvalidArgument, txn->RollbackToSavePoint());
}

TEST_P(Transactions, DeletingATransactionFreesItsLocks) {
  Begin()->Put("a", "1").PermitUncheckedError();
  EXPECT_TRUE(IsFree("a"));
  EXPECT_EQ("", Contents());
}

TEST_P(Transactions, ReadsItsOwnWrites) {
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("b", "db"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Delete("b"));
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "c", "1"));
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "c", "2"));
  ASSERT_OK(txn->SingleDelete("d"));
  EXPECT_EQ("txn", Read(txn.get(), "a"));
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "b"));
  EXPECT_EQ("1,2", Read(txn.get(), "c"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn,c=1,2", Contents());
}

TEST_P(Transactions, CountsOperations) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->PutUntracked("b", "1"));
  ASSERT_OK(txn->Delete("c"));
  ASSERT_OK(txn->SingleDelete("d"));
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "e", "1"));
  EXPECT_EQ(3u, txn->GetNumPuts());
  EXPECT_EQ(2u, txn->GetNumDeletes());
  EXPECT_EQ(1u, txn->GetNumMerges());
  EXPECT_EQ(5u, txn->GetNumKeys());
}

TEST_P(Transactions, EachHasItsId) {
  const Txn a = Begin(), b = Begin();
  EXPECT_NE(0u, a->GetID());
  EXPECT_NE(a->GetID(), b->GetID());
  EXPECT_FALSE(a->IsDeadlockDetect());
  EXPECT_TRUE(BeginPatient()->IsDeadlockDetect());
}

TEST_P(Transactions, AnOldOneBecomesNew) {
  Transaction* txn = txn_db_->BeginTransaction(WriteOptions());
  ASSERT_OK(txn->SetName("old"));
  const TransactionID id = txn->GetID();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Commit());
  txn = txn_db_->BeginTransaction(WriteOptions(), TransactionOptions(), txn);
  EXPECT_NE(id, txn->GetID());
  EXPECT_EQ("", txn->GetName());
  EXPECT_EQ(Transaction::STARTED, txn->GetState());
  ASSERT_OK(txn->Put("b", "1"));
  ASSERT_OK(txn->Commit());
  delete txn;
  EXPECT_EQ("a=1,b=1", Contents());
}

TEST_P(Transactions, Names) {
  const Txn txn = Begin();
  EXPECT_EQ("", txn->GetName());
  EXPECT_CODE(InvalidArgument, txn->SetName(""));
  EXPECT_CODE(InvalidArgument, txn->SetName(std::string(513, 'x')));
  ASSERT_OK(txn->SetName("one"));
  EXPECT_EQ("one", txn->GetName());
  EXPECT_CODE(InvalidArgument, txn->SetName("two"));
  EXPECT_EQ(txn.get(), txn_db_->GetTransactionByName("one"));
  EXPECT_EQ(nullptr, txn_db_->GetTransactionByName("two"));
  const Txn other = Begin();
  EXPECT_CODE(InvalidArgument, other->SetName("one"));
  EXPECT_EQ("", other->GetName());
  ASSERT_OK(other->SetName(std::string(512, 'x')));
}

TEST_P(Transactions, ANameIsFreeAfterTheCommit) {
  const Txn txn = Begin();
  ASSERT_OK(txn->SetName("one"));
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ(nullptr, txn_db_->GetTransactionByName("one"));
  const Txn next = Begin();
  EXPECT_OK(next->SetName("one"));
}

TEST_P(Transactions, ANameIsFreeAfterTheDeletion) {
  {
    const Txn txn = Begin();
    ASSERT_OK(txn->SetName("one"));
    ASSERT_OK(txn->Rollback());
    EXPECT_EQ(txn.get(), txn_db_->GetTransactionByName("one"));
  }
  EXPECT_EQ(nullptr, txn_db_->GetTransactionByName("one"));
}

TEST_P(Transactions, ANamedOneIsDeletedWithTheDatabase) {
  Txn txn = Begin();
  ASSERT_OK(txn->SetName("left"));
  ASSERT_OK(txn->Put("a", "1"));
  txn.release();
  OpenTxn();
  EXPECT_EQ("", Contents());
}

TEST_P(Transactions, WhatMustBePreparedIsNotCommitted) {
  TransactionOptions options;
  options.skip_prepare = false;
  const Txn txn = Begin(options);
  ASSERT_OK(txn->Put("a", "1"));
  const Status s = txn->Commit();
  EXPECT_TRUE(s.IsTxnNotPrepared()) << s.ToString();
  EXPECT_EQ("NOT_FOUND", Get("a"));
  std::vector<Transaction*> prepared{txn.get()};
  txn_db_->GetAllPreparedTransactions(&prepared);
  EXPECT_TRUE(prepared.empty());
}

TEST_P(Transactions, ACommitTimeBatchWithoutPrepareIsRefused) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->GetCommitTimeWriteBatch()->Put("b", "1"));
  EXPECT_CODE(InvalidArgument, txn->Commit());
  EXPECT_EQ("", Contents());
}

TEST_P(Transactions, ABatchHasALimit) {
  TransactionOptions options;
  options.max_write_batch_size = 40;
  const Txn txn = Begin(options);
  ASSERT_OK(txn->Put("a", "1"));
  EXPECT_CODE(MemoryLimit, txn->Put("b", std::string(100, 'x')));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1", Contents());
}

TEST_P(Transactions, ExpiredAtOnce) {
  TransactionOptions options;
  options.expiration = 0;
  const Txn txn = Begin(options);
  ASSERT_OK(txn->Put("a", "1"));
  EXPECT_CODE(Expired, txn->Commit());
  EXPECT_EQ("", Contents());
}

TEST_P(Transactions, NotYetExpired) {
  TransactionOptions options;
  options.expiration = 1'000'000;
  const Txn txn = Begin(options);
  ASSERT_OK(txn->Put("a", "1"));
  EXPECT_FALSE(IsFree("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_CODE(InvalidArgument, txn->Commit());
  EXPECT_EQ("a=1", Contents());
}

// --- Snapshots

TEST_P(Transactions, AWriteSinceTheSnapshotIsBusyAtOnce) {
  const Txn txn = BeginWithSnapshot();
  ASSERT_OK(Put("a", "other"));
  EXPECT_CODE(Busy, txn->Put("a", "txn"));
  EXPECT_TRUE(IsFree("a"));
  EXPECT_EQ(0u, txn->GetNumKeys());
  ASSERT_OK(txn->Put("b", "txn"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=other,b=txn", Contents());
}

TEST_P(Transactions, WithoutASnapshotItIsNot) {
  const Txn txn = Begin();
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn", Contents());
}

TEST_P(Transactions, ADeletionSinceTheSnapshotIsBusy) {
  ASSERT_OK(Put("a", "1"));
  const Txn txn = BeginWithSnapshot();
  ASSERT_OK(Delete("a"));
  EXPECT_CODE(Busy, Lock(txn.get(), "a"));
}

TEST_P(Transactions, GetForUpdateMayGoWithoutValidation) {
  const Txn txn = BeginWithSnapshot();
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(Lock(txn.get(), "a", /*exclusive=*/true, /*validate=*/false));
  EXPECT_FALSE(IsFree("a"));
  // With validation it is looked at again.
  EXPECT_CODE(Busy, Lock(txn.get(), "a"));
  EXPECT_FALSE(IsFree("a"));
  std::string value;
  ReadOptions options;
  options.snapshot = txn->GetSnapshot();
  EXPECT_CODE(InvalidArgument, txn->GetForUpdate(options, "a", &value, true, false));
}

TEST_P(Transactions, UntrackedWritesAreNotValidated) {
  const Txn txn = BeginWithSnapshot();
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(txn->PutUntracked("a", "txn"));
  ASSERT_OK(txn->DeleteUntracked("b"));
  ASSERT_OK(txn->MergeUntracked("c", "1"));
  ASSERT_OK(txn->SingleDeleteUntracked("d"));
  for (const char* key : {"a", "b", "c", "d"}) EXPECT_FALSE(IsFree(key)) << key;
  EXPECT_EQ(4u, txn->GetNumKeys());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn,c=1", Contents());
}

TEST_P(Transactions, SetSnapshotMovesTheMomentOn) {
  const Txn txn = BeginWithSnapshot();
  ASSERT_OK(Put("a", "other"));
  txn->SetSnapshot();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Commit());
}

TEST_P(Transactions, ALockedKeyNeedsNoLaterValidation) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(Put("b", "other"));
  txn->SetSnapshot();
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=2,b=other", Contents());
}

TEST_P(Transactions, ClearSnapshotEndsIt) {
  const Txn txn = BeginWithSnapshot();
  ASSERT_NE(nullptr, txn->GetSnapshot());
  ASSERT_OK(Put("a", "other"));
  txn->ClearSnapshot();
  EXPECT_EQ(nullptr, txn->GetSnapshot());
  ASSERT_OK(txn->Put("a", "txn"));
}

TEST_P(Transactions, ASnapshotDoesNotChangePlainReads) {
  ASSERT_OK(Put("a", "old"));
  const Txn txn = BeginWithSnapshot();
  ASSERT_OK(Put("a", "new"));
  EXPECT_EQ("new", Read(txn.get(), "a"));
  ReadOptions options;
  options.snapshot = txn->GetSnapshot();
  EXPECT_EQ("old", Read(txn.get(), "a", nullptr, options));
}

class CommitHearer : public TransactionNotifier {
 public:
  void SnapshotCreated(const Snapshot* snapshot) override {
    heard++;
    sequence = snapshot->GetSequenceNumber();
  }
  int heard = 0;
  SequenceNumber sequence = 0;
};

TEST_P(Transactions, ASnapshotOnTheNextOperation) {
  const auto hearer = std::make_shared<CommitHearer>();
  const Txn txn = Begin();
  txn->SetSnapshotOnNextOperation(hearer);
  EXPECT_EQ(nullptr, txn->GetSnapshot());
  ASSERT_OK(Put("a", "other"));
  EXPECT_EQ("other", Read(txn.get(), "a"));
  EXPECT_EQ(0, hearer->heard);
  ASSERT_OK(txn->Put("a", "txn"));
  EXPECT_EQ(1, hearer->heard);
  ASSERT_NE(nullptr, txn->GetSnapshot());
  EXPECT_EQ(hearer->sequence, txn->GetSnapshot()->GetSequenceNumber());
  ASSERT_OK(Put("b", "other"));
  EXPECT_CODE(Busy, txn->Put("b", "txn"));
  ASSERT_OK(txn->Commit());
}

// --- Save points

TEST_P(Transactions, ASavePointGivesBackWritesAndLocks) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->Put("b", "2"));
  ASSERT_OK(Lock(txn.get(), "c"));
  EXPECT_EQ(3u, txn->GetNumKeys());
  ASSERT_OK(txn->RollbackToSavePoint());
  EXPECT_EQ(1u, txn->GetNumKeys());
  EXPECT_EQ("1", Read(txn.get(), "a"));
  EXPECT_FALSE(IsFree("a"));
  EXPECT_TRUE(IsFree("b"));
  EXPECT_TRUE(IsFree("c"));
  EXPECT_CODE(NotFound, txn->RollbackToSavePoint());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1", Contents());
}

TEST_P(Transactions, SavePointsAreAStack) {
  const Txn txn = Begin();
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("b", "1"));
  ASSERT_OK(txn->PopSavePoint());
  EXPECT_FALSE(IsFree("b"));
  ASSERT_OK(txn->RollbackToSavePoint());
  EXPECT_TRUE(IsFree("a"));
  EXPECT_TRUE(IsFree("b"));
  EXPECT_CODE(NotFound, txn->PopSavePoint());
}

TEST_P(Transactions, ASavePointBringsTheSnapshotBack) {
  const Txn txn = BeginWithSnapshot();
  const SequenceNumber then = txn->GetSnapshot()->GetSequenceNumber();
  txn->SetSavePoint();
  ASSERT_OK(Put("a", "other"));
  txn->SetSnapshot();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->RollbackToSavePoint());
  EXPECT_EQ(then, txn->GetSnapshot()->GetSequenceNumber());
  EXPECT_CODE(Busy, txn->Put("a", "txn"));
}

// --- Reads for update

TEST_P(Transactions, GetForUpdateWithoutAValueOnlyLocks) {
  const Txn txn = Begin();
  std::string* const no_value = nullptr;
  ASSERT_OK(txn->GetForUpdate(ReadOptions(), "a", no_value));
  EXPECT_FALSE(IsFree("a"));
  PinnableSlice pinned;
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->GetForUpdate(ReadOptions(), db_->DefaultColumnFamily(), "a", &pinned));
  EXPECT_EQ("1", pinned);
}

TEST_P(Transactions, UndoGetForUpdateFreesTheKey) {
  const Txn txn = Begin();
  ASSERT_OK(Lock(txn.get(), "a"));
  ASSERT_OK(Lock(txn.get(), "a"));
  txn->UndoGetForUpdate("a");
  EXPECT_FALSE(IsFree("a"));
  txn->UndoGetForUpdate("a");
  EXPECT_TRUE(IsFree("a"));
  ASSERT_OK(Lock(txn.get(), "b"));
  ASSERT_OK(txn->Put("b", "1"));
  txn->UndoGetForUpdate("b");
  EXPECT_FALSE(IsFree("b"));
}

TEST_P(Transactions, MultiGetForUpdateLocksAll) {
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("c", "3"));
  const Txn txn = Begin();
  std::vector<std::string> values;
  const std::vector<Status> statuses =
      txn->MultiGetForUpdate(ReadOptions(), {"a", "b", "c"}, &values);
  ASSERT_EQ(3u, statuses.size());
  EXPECT_OK(statuses[0]);
  EXPECT_CODE(NotFound, statuses[1]);
  EXPECT_EQ("1", values[0]);
  EXPECT_EQ("3", values[2]);
  for (const char* key : {"a", "b", "c"}) EXPECT_FALSE(IsFree(key)) << key;
}

TEST_P(Transactions, MultiGetForUpdateIsAllOrNothing) {
  const Txn holder = Begin(), txn = Begin();
  ASSERT_OK(Lock(holder.get(), "b"));
  std::vector<std::string> values;
  for (const Status& s : txn->MultiGetForUpdate(ReadOptions(), {"a", "b"}, &values)) {
    EXPECT_LOCK_TIMEOUT(s);
  }
}

TEST_P(Transactions, IteratorsSeeBoth) {
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("c", "db"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("b", "txn"));
  ASSERT_OK(txn->Delete("c"));
  std::string seen;
  const std::unique_ptr<Iterator> it(txn->GetIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) seen += it->key().ToString();
  EXPECT_EQ("ab", seen);
}

TEST_P(Transactions, RebuildFromWriteBatchLocks) {
  NOT_UNPREPARED("RocksDB forgets the locks");
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put(other_, "b", "2"));
  const Txn txn = Begin();
  ASSERT_OK(txn->RebuildFromWriteBatch(&batch));
  EXPECT_EQ(2u, txn->GetNumKeys());
  EXPECT_FALSE(IsFree("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1", Contents());
}

TEST_P(Transactions, CommitsAreDurable) {
  {
    const Txn txn = Begin();
    ASSERT_OK(txn->Put("a", "1"));
    ASSERT_OK(txn->Commit());
    const Txn open = Begin();
    ASSERT_OK(open->Put("b", "1"));
  }
  OpenTxn();
  EXPECT_EQ("a=1", Contents());
}

TEST_P(Transactions, WithoutConcurrencyControlNothingIsLocked) {
  TransactionOptions options;
  options.skip_concurrency_control = true;
  const Txn txn = Begin(options);
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Put(db_->DefaultColumnFamily(), "b", "1", /*assume_tracked=*/true));
  EXPECT_EQ(0u, txn->GetNumKeys());
  EXPECT_TRUE(IsFree("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1,b=1", Contents());
}

TEST_P(Transactions, AssumeTracked) {
  const Txn txn = Begin();
  EXPECT_CODE(InvalidArgument, txn->Put(db_->DefaultColumnFamily(), "a", "1", true));
  ASSERT_OK(Lock(txn.get(), "b"));
  ASSERT_OK(txn->Put(db_->DefaultColumnFamily(), "b", "1", true));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("b=1", Contents());
}

}  // namespace
}  // namespace conformance
