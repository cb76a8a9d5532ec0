// OptimisticTransactionDB: conflicts, snapshots, save points, reads of one's own writes, and many
// transactions at once; with serial and with parallel validation.
#include "rocksdb/utilities/optimistic_transaction_db.h"

#include <atomic>

#include "conformance.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/write_batch_with_index.h"

namespace conformance {
namespace {

class Appending : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "conformance.Appending"; }
};

using Txn = std::unique_ptr<Transaction>;

class Optimistic : public DBTest, public testing::WithParamInterface<OccValidationPolicy> {
 protected:
  Optimistic() {
    options_.merge_operator = std::make_shared<Appending>();
    options_.create_missing_column_families = true;
  }
  ~Optimistic() override { ShutAll(); }

  void SetUp() override { OpenTxn(); }

  void OpenTxn() {
    ShutAll();
    OptimisticTransactionDBOptions occ;
    occ.validate_policy = GetParam();
    occ.occ_lock_buckets = 1 << 10;
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_OK(
        OptimisticTransactionDB::Open(options_, occ, dir_,
                                      {ColumnFamilyDescriptor(kDefaultColumnFamilyName, options_),
                                       ColumnFamilyDescriptor("other", options_)},
                                      &handles, &txn_db_));
    ASSERT_EQ(2u, handles.size());
    delete handles[0];
    other_ = handles[1];
    db_ = txn_db_;
  }
  void ShutAll() {
    delete other_;
    other_ = nullptr;
    db_ = nullptr;
    delete txn_db_;
    txn_db_ = nullptr;
  }

  Txn Begin(bool set_snapshot = false) {
    OptimisticTransactionOptions options;
    options.set_snapshot = set_snapshot;
    return Txn(txn_db_->BeginTransaction(WriteOptions(), options));
  }
  std::string Read(Transaction* txn, const std::string& key, ColumnFamilyHandle* family = nullptr,
                   const ReadOptions& options = ReadOptions()) {
    if (family == nullptr) family = db_->DefaultColumnFamily();
    std::string value;
    const Status s = txn->Get(options, family, key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? value : s.ToString();
  }
  std::string ReadForUpdate(Transaction* txn, const std::string& key) {
    std::string value;
    const Status s = txn->GetForUpdate(ReadOptions(), key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? value : s.ToString();
  }

  OptimisticTransactionDB* txn_db_ = nullptr;
  ColumnFamilyHandle* other_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Policy, Optimistic,
                         testing::Values(OccValidationPolicy::kValidateSerial,
                                         OccValidationPolicy::kValidateParallel));

TEST_P(Optimistic, CommitMakesWritesVisible) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Put("b", "2"));
  EXPECT_EQ("NOT_FOUND", Get("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_P(Optimistic, RollbackForgetsWrites) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Rollback());
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("", Contents());
}

TEST_P(Optimistic, ATransactionThatIsDeletedWritesNothing) {
  Begin()->Put("a", "1").PermitUncheckedError();
  EXPECT_EQ("", Contents());
}

TEST_P(Optimistic, ReadsItsOwnWrites) {
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("b", "db"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Delete("b"));
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "c", "1"));
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "c", "2"));
  EXPECT_EQ("txn", Read(txn.get(), "a"));
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "b"));
  EXPECT_EQ("1,2", Read(txn.get(), "c"));
  EXPECT_EQ("db", Get("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn,c=1,2", Contents());
}

TEST_P(Optimistic, AWriteOfTheSameKeyIsAConflict) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(Put("a", "other"));
  EXPECT_CODE(Busy, txn->Commit());
  EXPECT_EQ("a=other", Contents());
}

TEST_P(Optimistic, ADeletionOfTheSameKeyIsAConflict) {
  ASSERT_OK(Put("a", "old"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(Delete("a"));
  EXPECT_CODE(Busy, txn->Commit());
  EXPECT_EQ("", Contents());
}

TEST_P(Optimistic, ASingleDeleteOfTheSameKeyIsAConflict) {
  ASSERT_OK(Put("a", "old"));
  const Txn txn = Begin();
  EXPECT_EQ("old", ReadForUpdate(txn.get(), "a"));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "a"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, AMergeIntoTheSameKeyIsAConflict) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "a", "1"));
  ASSERT_OK(db_->Merge(WriteOptions(), "a", "2"));
  EXPECT_CODE(Busy, txn->Commit());
  EXPECT_EQ("a=2", Contents());
}

TEST_P(Optimistic, ABatchWithTheSameKeyIsAConflict) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("b", "txn"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put("b", "1"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, OtherKeysAreNoConflict) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(Put("b", "other"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn,b=other", Contents());
}

TEST_P(Optimistic, AWriteBeforeTheKeyIsTrackedIsNoConflict) {
  const Txn txn = Begin();
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn", Contents());
}

TEST_P(Optimistic, WithASnapshotItIs) {
  const Txn txn = Begin(/*set_snapshot=*/true);
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(txn->Put("a", "txn"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, SetSnapshotMovesTheMomentOn) {
  const Txn txn = Begin(/*set_snapshot=*/true);
  ASSERT_OK(Put("a", "other"));
  txn->SetSnapshot();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn", Contents());
}

TEST_P(Optimistic, AKeyKeepsTheMomentItWasTrackedAt) {
  const Txn txn = Begin(/*set_snapshot=*/true);
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(Put("a", "other"));
  txn->SetSnapshot();
  ASSERT_OK(txn->Put("a", "again"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, ClearSnapshotEndsIt) {
  const Txn txn = Begin(/*set_snapshot=*/true);
  EXPECT_NE(nullptr, txn->GetSnapshot());
  ASSERT_OK(Put("a", "other"));
  txn->ClearSnapshot();
  EXPECT_EQ(nullptr, txn->GetSnapshot());
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Commit());
}

TEST_P(Optimistic, ASnapshotDoesNotChangePlainReads) {
  ASSERT_OK(Put("a", "old"));
  const Txn txn = Begin(/*set_snapshot=*/true);
  ASSERT_OK(Put("a", "new"));
  EXPECT_EQ("new", Read(txn.get(), "a"));
  ReadOptions options;
  options.snapshot = txn->GetSnapshot();
  EXPECT_EQ("old", Read(txn.get(), "a", nullptr, options));
}

class Hearer : public TransactionNotifier {
 public:
  void SnapshotCreated(const Snapshot* snapshot) override {
    heard++;
    sequence = snapshot->GetSequenceNumber();
  }
  int heard = 0;
  SequenceNumber sequence = 0;
};

TEST_P(Optimistic, ASnapshotOnTheNextOperation) {
  const auto hearer = std::make_shared<Hearer>();
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
  ASSERT_OK(txn->Put("b", "txn"));
  EXPECT_EQ(1, hearer->heard);
  ASSERT_OK(txn->Commit());
}

TEST_P(Optimistic, GetForUpdateProtectsWhatWasRead) {
  ASSERT_OK(Put("a", "1"));
  const Txn txn = Begin();
  EXPECT_EQ("1", ReadForUpdate(txn.get(), "a"));
  ASSERT_OK(txn->Put("b", "from a"));
  ASSERT_OK(Put("a", "2"));
  EXPECT_CODE(Busy, txn->Commit());
  EXPECT_EQ("a=2", Contents());
}

TEST_P(Optimistic, GetForUpdateProtectsWhatIsNotThere) {
  const Txn txn = Begin();
  EXPECT_EQ("NOT_FOUND", ReadForUpdate(txn.get(), "a"));
  ASSERT_OK(Put("a", "other"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, APlainGetProtectsNothing) {
  ASSERT_OK(Put("a", "1"));
  const Txn txn = Begin();
  EXPECT_EQ("1", Read(txn.get(), "a"));
  ASSERT_OK(txn->Put("b", "from a"));
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(txn->Commit());
}

TEST_P(Optimistic, GetForUpdateWithoutAValueOnlyTracks) {
  const Txn txn = Begin();
  std::string* const no_value = nullptr;
  ASSERT_OK(txn->GetForUpdate(ReadOptions(), "a", no_value));
  EXPECT_EQ(1u, txn->GetNumKeys());
  ASSERT_OK(Put("a", "other"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, GetForUpdateWithoutValidationTracksNothing) {
  const Txn txn = Begin(/*set_snapshot=*/true);
  std::string value;
  EXPECT_CODE(NotFound, txn->GetForUpdate(ReadOptions(), "a", &value, /*exclusive=*/true,
                                          /*do_validate=*/false));
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(txn->Commit());
  ReadOptions options;
  const Txn next = Begin(/*set_snapshot=*/true);
  options.snapshot = next->GetSnapshot();
  EXPECT_CODE(InvalidArgument, next->GetForUpdate(options, "a", &value, true, false));
}

TEST_P(Optimistic, UndoGetForUpdateEndsTheProtection) {
  const Txn txn = Begin();
  ReadForUpdate(txn.get(), "a");
  ReadForUpdate(txn.get(), "b");
  EXPECT_EQ(2u, txn->GetNumKeys());
  txn->UndoGetForUpdate("a");
  EXPECT_EQ(1u, txn->GetNumKeys());
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(txn->Commit());
}

TEST_P(Optimistic, UndoGetForUpdateCountsReadsAndKeepsWrites) {
  const Txn txn = Begin();
  ReadForUpdate(txn.get(), "a");
  ReadForUpdate(txn.get(), "a");
  txn->UndoGetForUpdate("a");
  EXPECT_EQ(1u, txn->GetNumKeys());
  txn->UndoGetForUpdate("a");
  EXPECT_EQ(0u, txn->GetNumKeys());
  ReadForUpdate(txn.get(), "a");
  ASSERT_OK(txn->Put("a", "txn"));
  txn->UndoGetForUpdate("a");
  EXPECT_EQ(1u, txn->GetNumKeys());
  ASSERT_OK(Put("a", "other"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, UntrackedWritesOverwrite) {
  const Txn txn = Begin(/*set_snapshot=*/true);
  ASSERT_OK(txn->PutUntracked("a", "txn"));
  ASSERT_OK(txn->DeleteUntracked("b"));
  EXPECT_EQ(0u, txn->GetNumKeys());
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(Put("b", "other"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn", Contents());
}

TEST_P(Optimistic, AfterAConflictItIsAsBefore) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(Put("a", "other"));
  EXPECT_CODE(Busy, txn->Commit());
  EXPECT_EQ("txn", Read(txn.get(), "a"));
  EXPECT_CODE(Busy, txn->Commit());
  ASSERT_OK(txn->Rollback());
  ASSERT_OK(txn->Put("a", "again"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=again", Contents());
}

TEST_P(Optimistic, ATransactionGoesOnAfterItsCommit) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ(0u, txn->GetNumKeys());
  ASSERT_OK(txn->Put("b", "2"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_P(Optimistic, AnObjectIsUsedAgain) {
  Txn txn = Begin(/*set_snapshot=*/true);
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(Put("a", "other"));
  Transaction* const same =
      txn_db_->BeginTransaction(WriteOptions(), OptimisticTransactionOptions(), txn.get());
  EXPECT_EQ(txn.get(), same);
  EXPECT_EQ(nullptr, txn->GetSnapshot());
  EXPECT_EQ(0u, txn->GetNumKeys());
  EXPECT_EQ("other", Read(txn.get(), "a"));
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=2", Contents());
}

TEST_P(Optimistic, TwoTransactionsTheFirstToCommitWins) {
  ASSERT_OK(Put("a", "0"));
  const Txn one = Begin(), two = Begin();
  EXPECT_EQ("0", ReadForUpdate(one.get(), "a"));
  EXPECT_EQ("0", ReadForUpdate(two.get(), "a"));
  ASSERT_OK(one->Put("a", "1"));
  ASSERT_OK(two->Put("a", "2"));
  ASSERT_OK(two->Commit());
  EXPECT_CODE(Busy, one->Commit());
  EXPECT_EQ("a=2", Contents());
}

TEST_P(Optimistic, WriteSkewIsPreventedByGetForUpdate) {
  ASSERT_OK(Put("a", "on"));
  ASSERT_OK(Put("b", "on"));
  const Txn one = Begin(), two = Begin();
  EXPECT_EQ("on", ReadForUpdate(one.get(), "b"));
  EXPECT_EQ("on", ReadForUpdate(two.get(), "a"));
  ASSERT_OK(one->Put("a", "off"));
  ASSERT_OK(two->Put("b", "off"));
  ASSERT_OK(one->Commit());
  EXPECT_CODE(Busy, two->Commit());
}

TEST_P(Optimistic, RollbackToSavePointTakesWritesBack) {
  const Txn txn = Begin();
  EXPECT_CODE(NotFound, txn->RollbackToSavePoint());
  EXPECT_CODE(NotFound, txn->PopSavePoint());
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->Put("b", "2"));
  ASSERT_OK(txn->RollbackToSavePoint());
  EXPECT_EQ("1", Read(txn.get(), "a"));
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "b"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1", Contents());
}

TEST_P(Optimistic, RollbackToSavePointEndsTheProtectionOfNewKeys) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("b", "2"));
  ReadForUpdate(txn.get(), "c");
  EXPECT_EQ(3u, txn->GetNumKeys());
  ASSERT_OK(txn->RollbackToSavePoint());
  EXPECT_EQ(1u, txn->GetNumKeys());
  ASSERT_OK(Put("b", "other"));
  ASSERT_OK(Put("c", "other"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1,b=other,c=other", Contents());
}

TEST_P(Optimistic, RollbackToSavePointKeepsTheProtectionOfOldKeys) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->RollbackToSavePoint());
  ASSERT_OK(Put("a", "other"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, PopSavePointLeavesItToTheOuterOne) {
  const Txn txn = Begin();
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSavePoint();
  ASSERT_OK(txn->Put("b", "2"));
  ASSERT_OK(txn->PopSavePoint());
  EXPECT_EQ(2u, txn->GetNumKeys());
  ASSERT_OK(txn->RollbackToSavePoint());
  EXPECT_EQ(0u, txn->GetNumKeys());
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "b"));
}

TEST_P(Optimistic, SavePointsRememberSnapshotsAndFigures) {
  const Txn txn = Begin(/*set_snapshot=*/true);
  const SequenceNumber first = txn->GetSnapshot()->GetSequenceNumber();
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSavePoint();
  ASSERT_OK(Put("x", "other"));
  txn->SetSnapshot();
  ASSERT_OK(txn->Put("b", "1"));
  ASSERT_OK(txn->Delete("c"));
  EXPECT_EQ(2u, txn->GetNumPuts());
  EXPECT_EQ(1u, txn->GetNumDeletes());
  ASSERT_OK(txn->RollbackToSavePoint());
  EXPECT_EQ(1u, txn->GetNumPuts());
  EXPECT_EQ(0u, txn->GetNumDeletes());
  ASSERT_NE(nullptr, txn->GetSnapshot());
  EXPECT_EQ(first, txn->GetSnapshot()->GetSequenceNumber());
}

TEST_P(Optimistic, Figures) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->Delete("b"));
  ASSERT_OK(txn->SingleDelete("c"));
  ASSERT_OK(txn->Merge("d", "1"));
  EXPECT_EQ(4u, txn->GetNumKeys());
  EXPECT_EQ(2u, txn->GetNumPuts());
  EXPECT_EQ(2u, txn->GetNumDeletes());
  EXPECT_EQ(1u, txn->GetNumMerges());
  ASSERT_OK(txn->Rollback());
  EXPECT_EQ(0u, txn->GetNumPuts() + txn->GetNumDeletes() + txn->GetNumMerges() + txn->GetNumKeys());
}

TEST_P(Optimistic, FamiliesAreApart) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put(other_, "a", "txn"));
  ASSERT_OK(Put("a", "default"));
  ASSERT_OK(txn->Put("b", "txn"));
  ASSERT_OK(db_->Put(WriteOptions(), other_, "b", "other"));
  EXPECT_EQ(2u, txn->GetNumKeys());
  ASSERT_OK(txn->Commit());
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), other_, "a", &value));
  EXPECT_EQ("txn", value);
}

TEST_P(Optimistic, AConflictInAnotherFamily) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(txn->Put(other_, "b", "txn"));
  ASSERT_OK(db_->Put(WriteOptions(), other_, "b", "other"));
  EXPECT_CODE(Busy, txn->Commit());
  EXPECT_EQ("", Contents());
}

TEST_P(Optimistic, AKeyOfADroppedFamily) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put(other_, "a", "txn"));
  ASSERT_OK(db_->DropColumnFamily(other_));
  EXPECT_CODE(InvalidArgument, txn->Commit());
}

TEST_P(Optimistic, MultiGetReadsBoth) {
  ASSERT_OK(Put("a", "db"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("b", "txn"));
  ASSERT_OK(txn->Put(other_, "a", "other"));
  std::vector<std::string> values;
  std::vector<Status> statuses = txn->MultiGet(ReadOptions(), {"a", "b", "c"}, &values);
  ASSERT_OK(statuses[0]);
  EXPECT_EQ("db", values[0]);
  ASSERT_OK(statuses[1]);
  EXPECT_EQ("txn", values[1]);
  EXPECT_CODE(NotFound, statuses[2]);
  statuses =
      txn->MultiGet(ReadOptions(), {db_->DefaultColumnFamily(), other_}, {"a", "a"}, &values);
  EXPECT_EQ("db", values[0]);
  EXPECT_EQ("other", values[1]);
  const Slice keys[] = {"a", "b", "c"};
  PinnableSlice pinned[3];
  Status codes[3];
  txn->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), 3, keys, pinned, codes);
  EXPECT_EQ("db", pinned[0]);
  EXPECT_EQ("txn", pinned[1]);
  EXPECT_CODE(NotFound, codes[2]);
}

TEST_P(Optimistic, MultiGetForUpdateProtectsAll) {
  ASSERT_OK(Put("a", "1"));
  const Txn txn = Begin();
  std::vector<std::string> values;
  const std::vector<Status> statuses = txn->MultiGetForUpdate(ReadOptions(), {"a", "b"}, &values);
  ASSERT_OK(statuses[0]);
  EXPECT_EQ("1", values[0]);
  EXPECT_CODE(NotFound, statuses[1]);
  EXPECT_EQ(2u, txn->GetNumKeys());
  ASSERT_OK(Put("b", "other"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, IteratorsShowBoth) {
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("b", "db"));
  ASSERT_OK(Put("d", "db"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("c", "txn"));
  ASSERT_OK(txn->Put("b", "txn"));
  ASSERT_OK(txn->Delete("d"));
  std::unique_ptr<Iterator> it(txn->GetIterator(ReadOptions()));
  std::string seen;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    seen += it->key().ToString() + "=" + it->value().ToString() + " ";
  }
  EXPECT_EQ("a=db b=txn c=txn ", seen);
  it.reset(txn->GetIterator(ReadOptions(), other_));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
}

TEST_P(Optimistic, WithoutIndexingWritesAreNotRead) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  txn->DisableIndexing();
  ASSERT_OK(txn->Put("b", "2"));
  EXPECT_EQ("NOT_FOUND", Read(txn.get(), "b"));
  txn->EnableIndexing();
  ASSERT_OK(txn->Put("c", "3"));
  EXPECT_EQ("3", Read(txn.get(), "c"));
  EXPECT_EQ(3u, txn->GetNumKeys());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1,b=2,c=3", Contents());
}

TEST_P(Optimistic, RebuildFromWriteBatchTracks) {
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Delete("b"));
  ASSERT_OK(batch.Put(other_, "c", "2"));
  const Txn txn = Begin();
  ASSERT_OK(txn->RebuildFromWriteBatch(&batch));
  EXPECT_EQ(3u, txn->GetNumKeys());
  EXPECT_EQ("1", Read(txn.get(), "a"));
  EXPECT_EQ("2", Read(txn.get(), "c", other_));
  ASSERT_OK(Put("b", "other"));
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, TheBatchOfWritesIsThere) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  EXPECT_EQ(1u, txn->GetWriteBatch()->GetWriteBatch()->Count());
  // What is added to it is committed without protection.
  ASSERT_OK(txn->GetWriteBatch()->Put("b", "2"));
  EXPECT_EQ("2", Read(txn.get(), "b"));
  EXPECT_EQ(1u, txn->GetNumKeys());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_P(Optimistic, NoTwoPhaseCommit) {
  const Txn txn = Begin();
  EXPECT_CODE(InvalidArgument, txn->Prepare());
  EXPECT_CODE(InvalidArgument, txn->SetName("name"));
  EXPECT_EQ("", txn->GetName());
}

TEST_P(Optimistic, RangesAreRefused) {
  EXPECT_CODE(NotSupported, db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "b"));
  WriteBatch batch;
  ASSERT_OK(batch.DeleteRange("a", "b"));
  EXPECT_CODE(NotSupported, db_->Write(WriteOptions(), &batch));
}

TEST_P(Optimistic, CommitsAreDurable) {
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

TEST_P(Optimistic, OneFlushIsNoConflict) {
  ASSERT_OK(Put("a", "1"));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(Put("b", "other"));
  ASSERT_OK(Flush());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=txn,b=other", Contents());
}

TEST_P(Optimistic, AConflictIsFoundAfterAFlush) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "txn"));
  ASSERT_OK(Put("a", "other"));
  ASSERT_OK(Flush());
  EXPECT_CODE(Busy, txn->Commit());
}

TEST_P(Optimistic, AnEmptyTransactionCommits) {
  ASSERT_OK(Begin()->Commit());
  const Txn read_only = Begin();
  ReadForUpdate(read_only.get(), "a");
  ASSERT_OK(read_only->Commit());
}

TEST_P(Optimistic, TransfersKeepTheSum) {
  constexpr int kAccounts = 8, kThreads = 4, kTransfers = 150;
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
          const Txn txn = Begin();
          std::string a, b;
          if (!txn->GetForUpdate(ReadOptions(), from, &a).ok() ||
              !txn->GetForUpdate(ReadOptions(), to, &b).ok() ||
              !txn->Put(from, std::to_string(std::stoi(a) - 1)).ok() ||
              !txn->Put(to, std::to_string(std::stoi(b) + 1)).ok()) {
            failures++;
            break;
          }
          const Status s = txn->Commit();
          if (s.ok()) break;
          if (!s.IsBusy() && !s.IsTryAgain()) {
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
}

TEST_P(Optimistic, ACounterCountsEveryCommit) {
  constexpr int kThreads = 4, kCommits = 100;
  ASSERT_OK(Put("counter", "0"));
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&] {
      Transaction* reused = nullptr;
      for (int done = 0; done < kCommits;) {
        reused = txn_db_->BeginTransaction(WriteOptions(), OptimisticTransactionOptions(), reused);
        std::string value;
        ASSERT_OK(reused->GetForUpdate(ReadOptions(), "counter", &value));
        ASSERT_OK(reused->Put("counter", std::to_string(std::stoi(value) + 1)));
        done += reused->Commit().ok();
      }
      delete reused;
    });
  }
  for (Thread& thread : threads) thread.join();
  EXPECT_EQ(std::to_string(kThreads * kCommits), Get("counter"));
}

}  // namespace
}  // namespace conformance
