// TransactionDB and WriteBatchWithIndex over families with user-defined timestamps: what gets the
// commit's timestamp, what reads see, what is validated, and two-phase commit.
#include "rocksdb/utilities/write_batch_with_index.h"
#include "transaction_fixture.h"

namespace conformance {
namespace {

// A database of two families: the parameter says which one, 0 or 1, has timestamps.
class StampedTransactions : public DBTest, public testing::WithParamInterface<size_t> {
 protected:
  StampedTransactions() {
    options_.create_missing_column_families = true;
    options_.disable_auto_compactions = true;
    options_.merge_operator = std::make_shared<Joined>();
    txn_options_.transaction_lock_timeout = 0;
    txn_options_.default_lock_timeout = 0;
  }
  ~StampedTransactions() override { ShutAll(); }
  void SetUp() override { OpenTxn(); }

  Options OptionsOf(size_t family) const {
    Options options = options_;
    if (family == GetParam()) options.comparator = TimestampComparator();
    return options;
  }
  void OpenTxn() {
    ShutAll();
    ASSERT_OK(TransactionDB::Open(options_, txn_options_, dir_,
                                  {ColumnFamilyDescriptor(kDefaultColumnFamilyName, OptionsOf(0)),
                                   ColumnFamilyDescriptor("second", OptionsOf(1))},
                                  &families_, &txn_db_));
    db_ = txn_db_;
    stamped_ = families_[GetParam()];
    plain_ = families_[1 - GetParam()];
  }
  void ShutAll() {
    for (ColumnFamilyHandle* const family : families_) delete family;
    families_.clear();
    db_ = nullptr;
    delete txn_db_;
    txn_db_ = nullptr;
  }
  // The database goes on as it would after a kill at this moment.
  void Kill() {
    const std::string next = dir_ + "x";
    ASSERT_OK(txn_db_->DisableFileDeletions());
    ASSERT_OK(txn_db_->PauseBackgroundWork());
    CopyFiles(dir_, next);
    ASSERT_OK(txn_db_->ContinueBackgroundWork());
    ShutAll();
    dir_ = next;
    OpenTxn();
  }

  static std::string Bytes(uint64_t timestamp) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(timestamp >> (8 * i)));
    return bytes;
  }
  static uint64_t NumberOf(const Slice& bytes) {
    uint64_t number = 0;
    for (size_t i = bytes.size(); i > 0; --i) {
      number = number << 8 | static_cast<uint8_t>(bytes[i - 1]);
    }
    return number;
  }
  // Options that read at a timestamp, for as long as it lives.
  struct At {
    explicit At(uint64_t timestamp) : bytes(Bytes(timestamp)), slice(bytes) {
      options.timestamp = &slice;
    }
    std::string bytes;
    Slice slice;
    ReadOptions options;
  };

  Txn Begin(const TransactionOptions& options = TransactionOptions()) {
    return Txn(txn_db_->BeginTransaction(WriteOptions(), options));
  }
  // One that writes "key", in both families.
  Txn Writing(const std::string& key, const std::string& value) {
    Txn txn = Begin();
    EXPECT_OK(txn->Put(stamped_, key, value));
    EXPECT_OK(txn->Put(plain_, key, value));
    return txn;
  }
  void Commit(const std::string& key, const std::string& value, uint64_t timestamp) {
    const Txn txn = Begin();
    ASSERT_OK(txn->Put(stamped_, key, value));
    ASSERT_OK(txn->SetCommitTimestamp(timestamp));
    ASSERT_OK(txn->Commit());
  }
  static std::string Text(const Status& s, const std::string& value) {
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  // "value@5" of the database. (RocksDB 7's stacked ones do not pass that on.)
  std::string GetAt(const std::string& key, uint64_t timestamp) {
    const At at(timestamp);
    std::string value, found;
    const Status s = db_->GetRootDB()->Get(at.options, stamped_, key, &value, &found);
    return Text(s, s.ok() ? value + "@" + std::to_string(NumberOf(found)) : "");
  }
  std::string GetPlain(const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), plain_, key, &value);
    return Text(s, value);
  }
  // Of a transaction.
  std::string Read(Transaction* txn, const std::string& key, uint64_t timestamp) {
    const At at(timestamp);
    std::string value;
    const Status s = txn->Get(at.options, stamped_, key, &value);
    return Text(s, value);
  }
  std::string Scan(Transaction* txn, uint64_t timestamp) {
    const At at(timestamp);
    const std::unique_ptr<Iterator> it(txn->GetIterator(at.options, stamped_));
    return BothWays(it.get());
  }
  Status Lock(Transaction* txn, const std::string& key, std::string* value,
              const ReadOptions& options = ReadOptions(), bool validate = true) {
    return txn->GetForUpdate(options, stamped_, key, value, /*exclusive=*/true, validate);
  }

  TransactionDBOptions txn_options_;
  TransactionDB* txn_db_ = nullptr;
  std::vector<ColumnFamilyHandle*> families_;
  ColumnFamilyHandle* stamped_ = nullptr;
  ColumnFamilyHandle* plain_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Family, StampedTransactions, testing::Values(0, 1));

TEST_P(StampedTransactions, WhatIsWrittenGetsTheTimestampOfTheCommit) {
  Txn txn = Writing("a", "1");
  ASSERT_OK(txn->Put(stamped_, "b", "2"));
  ASSERT_OK(txn->SetCommitTimestamp(10));
  EXPECT_EQ(10u, txn->GetCommitTimestamp());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 100));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 9));
  EXPECT_EQ("1@10", GetAt("a", 10));
  EXPECT_EQ("2@10", GetAt("b", 11));
  EXPECT_EQ("1", GetPlain("a"));

  txn = Begin();
  ASSERT_OK(txn->Put(stamped_, "a", "3"));
  ASSERT_OK(txn->Delete(stamped_, "b"));
  ASSERT_OK(txn->SetCommitTimestamp(20));
  ASSERT_OK(txn->Commit());
  txn.reset();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ("1@10", GetAt("a", 19));
    EXPECT_EQ("3@20", GetAt("a", 20));
    EXPECT_EQ("2@10", GetAt("b", 19));
    EXPECT_EQ("NOT_FOUND", GetAt("b", 20));
    if (round == 0) OpenTxn();
    if (round == 1) {
      ASSERT_OK(db_->Flush(FlushOptions(), stamped_));
    }
  }
}

TEST_P(StampedTransactions, ACommitNeedsATimestampForThem) {
  EXPECT_CODE(InvalidArgument, Writing("a", "1")->Commit());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 100));
  EXPECT_EQ("NOT_FOUND", GetPlain("a"));
  // Where there are none it needs none, and may have one.
  const Txn plain = Begin();
  ASSERT_OK(plain->Put(plain_, "a", "1"));
  EXPECT_EQ(kMaxTxnTimestamp, plain->GetCommitTimestamp());
  ASSERT_OK(plain->Commit());
  const Txn with = Begin();
  ASSERT_OK(with->Put(plain_, "b", "2"));
  ASSERT_OK(with->SetCommitTimestamp(5));
  ASSERT_OK(with->Commit());
  EXPECT_EQ("1", GetPlain("a"));
  EXPECT_EQ("2", GetPlain("b"));
}

TEST_P(StampedTransactions, TheLastCommitTimestampCounts) {
  const Txn txn = Writing("a", "1");
  ASSERT_OK(txn->SetCommitTimestamp(20));
  ASSERT_OK(txn->SetCommitTimestamp(10));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("1@10", GetAt("a", 100));
}

TEST_P(StampedTransactions, ATransactionBeginsWithoutTimestamps) {
  Txn txn = Writing("a", "1");
  ASSERT_OK(txn->SetReadTimestampForValidation(5));
  ASSERT_OK(txn->SetCommitTimestamp(10));
  ASSERT_OK(txn->Commit());
  ASSERT_EQ(txn.get(), txn_db_->BeginTransaction(WriteOptions(), TransactionOptions(), txn.get()));
  EXPECT_EQ(kMaxTxnTimestamp, txn->GetCommitTimestamp());
  ASSERT_OK(txn->SetReadTimestampForValidation(1));
  ASSERT_OK(txn->SetCommitTimestamp(2));
}

TEST_P(StampedTransactions, TimestampsThatDoNotFitTogether) {
  const Txn txn = Begin();
  ASSERT_OK(txn->SetReadTimestampForValidation(10));
  ASSERT_OK(txn->SetReadTimestampForValidation(10));
  EXPECT_CODE(InvalidArgument, txn->SetReadTimestampForValidation(9));
  ASSERT_OK(txn->SetReadTimestampForValidation(12));
  EXPECT_CODE(InvalidArgument, txn->SetCommitTimestamp(11));
  EXPECT_CODE(InvalidArgument, txn->SetCommitTimestamp(12));
  EXPECT_EQ(kMaxTxnTimestamp, txn->GetCommitTimestamp());
  ASSERT_OK(txn->SetCommitTimestamp(13));
}

TEST_P(StampedTransactions, OwnWritesAreSeenAtAnyTimestamp) {
  Commit("a", "old", 10);
  Commit("b", "old", 10);
  Commit("c", "old", 10);
  const Txn txn = Begin();
  ASSERT_OK(txn->Put(stamped_, "a", "new"));
  ASSERT_OK(txn->Delete(stamped_, "b"));
  ASSERT_OK(txn->Put(stamped_, "d", "new"));
  for (const uint64_t at : {5, 10, 50}) {
    EXPECT_EQ("new", Read(txn.get(), "a", at));
    EXPECT_EQ("NOT_FOUND", Read(txn.get(), "b", at));
    EXPECT_EQ(at < 10 ? "NOT_FOUND" : "old", Read(txn.get(), "c", at));
    EXPECT_EQ(at < 10 ? "a=new,d=new" : "a=new,c=old,d=new", Scan(txn.get(), at));
    const At options(at);
    std::vector<Slice> keys{"a", "b", "c", "d"};
    std::vector<std::string> values;
    const std::vector<Status> statuses = txn->MultiGet(
        options.options, std::vector<ColumnFamilyHandle*>(4, stamped_), keys, &values);
    EXPECT_EQ("new", Text(statuses[0], values[0]));
    EXPECT_CODE(NotFound, statuses[1]);
    EXPECT_EQ(at < 10 ? "NOT_FOUND" : "old", Text(statuses[2], values[2]));
    EXPECT_EQ("new", Text(statuses[3], values[3]));
    PinnableSlice pinned[4];
    Status told[4];
    txn->MultiGet(options.options, stamped_, 4, keys.data(), pinned, told);
    EXPECT_EQ("new", Text(told[0], pinned[0].ToString()));
    EXPECT_CODE(NotFound, told[1]);
    EXPECT_EQ(at < 10 ? "NOT_FOUND" : "old", Text(told[2], pinned[2].ToString()));
  }
  ASSERT_OK(txn->Rollback());
  EXPECT_EQ("old@10", GetAt("a", 50));
}

TEST_P(StampedTransactions, ReadsNeedATimestamp) {
  const Txn txn = Begin();
  ASSERT_OK(txn->Put(stamped_, "a", "1"));
  std::string value;
  for (const char* key : {"a", "b"}) {
    EXPECT_CODE(InvalidArgument, txn->Get(ReadOptions(), stamped_, key, &value));
    PinnableSlice pinned;
    Status told;
    const Slice slice(key);
    txn->MultiGet(ReadOptions(), stamped_, 1, &slice, &pinned, &told);
    EXPECT_CODE(InvalidArgument, told);
  }
  const std::unique_ptr<Iterator> it(txn->GetIterator(ReadOptions(), stamped_));
  it->SeekToFirst();
  EXPECT_CODE(InvalidArgument, it->status());
  // One of another size, and one where there are none.
  Slice bad("bad");
  ReadOptions options;
  options.timestamp = &bad;
  EXPECT_CODE(InvalidArgument, txn->Get(options, stamped_, "b", &value));
  EXPECT_CODE(InvalidArgument, txn->Get(At(5).options, plain_, "b", &value));
}

TEST_P(StampedTransactions, IteratorsShowBatchOverDatabase) {
  for (const char* key : {"b", "d", "f", "h"}) Commit(key, "db", 10);
  Commit("d", "later", 20);
  const Txn txn = Begin();
  for (const char* key : {"a", "d", "g"}) ASSERT_OK(txn->Put(stamped_, key, "txn"));
  ASSERT_OK(txn->Delete(stamped_, "f"));
  EXPECT_EQ("a=txn,b=db,d=txn,g=txn,h=db", Scan(txn.get(), 15));
  EXPECT_EQ("a=txn,d=txn,g=txn", Scan(txn.get(), 9));
  At at(15);
  const Slice to("h");
  at.options.iterate_upper_bound = &to;
  const std::unique_ptr<Iterator> it(txn->GetIterator(at.options, stamped_));
  EXPECT_EQ("a=txn,b=db,d=txn,g=txn", BothWays(it.get()));
  it->Seek("c");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("d", it->key());
  it->SeekForPrev("f");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("d", it->key());
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("b", it->key());
  it->Next();
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("g", it->key());
}

TEST_P(StampedTransactions, KeysThatAreShorterThanTheirTimestamps) {
  const Txn txn = Begin();
  const std::vector<std::string> keys{"", "x", std::string(300, 'y'), std::string("\0\xff", 2)};
  for (const std::string& key : keys) ASSERT_OK(txn->Put(stamped_, key, "v" + key));
  for (const std::string& key : keys) EXPECT_EQ("v" + key, Read(txn.get(), key, 1));
  ASSERT_OK(txn->SetCommitTimestamp(7));
  ASSERT_OK(txn->Commit());
  for (const std::string& key : keys) EXPECT_EQ("v" + key + "@7", GetAt(key, 7));
}

TEST_P(StampedTransactions, GetForUpdateReadsAtTheTimestampOfValidation) {
  Commit("a", "1", 10);
  const Txn txn = Begin();
  std::string value;
  EXPECT_CODE(InvalidArgument, Lock(txn.get(), "a", &value));
  EXPECT_CODE(InvalidArgument, Lock(txn.get(), "a", &value, At(10).options));
  ASSERT_OK(txn->SetReadTimestampForValidation(15));
  EXPECT_CODE(InvalidArgument, Lock(txn.get(), "a", &value, At(14).options));
  EXPECT_CODE(InvalidArgument, Lock(txn.get(), "a", &value, ReadOptions(), /*validate=*/false));
  Slice bad("bad");
  ReadOptions options;
  options.timestamp = &bad;
  EXPECT_CODE(InvalidArgument, Lock(txn.get(), "a", &value, options));
  ASSERT_OK(Lock(txn.get(), "a", &value));
  EXPECT_EQ("1", value);
  const At same(15);
  ASSERT_OK(Lock(txn.get(), "a", &value, same.options));
  EXPECT_CODE(NotFound, Lock(txn.get(), "b", &value));
  // (In the other family all is as ever.)
  EXPECT_CODE(NotFound, txn->GetForUpdate(ReadOptions(), plain_, "a", &value));
  EXPECT_CODE(InvalidArgument, txn->GetForUpdate(same.options, plain_, "a", &value));
  const Txn other = Begin();
  ASSERT_OK(other->SetReadTimestampForValidation(15));
  EXPECT_CODE(TimedOut, Lock(other.get(), "a", &value));
  ASSERT_OK(txn->Put(stamped_, "a", "2"));
  ASSERT_OK(txn->SetCommitTimestamp(16));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("2@16", GetAt("a", 100));
}

TEST_P(StampedTransactions, ANewerTimestampIsAConflict) {
  Commit("a", "1", 10);
  for (const uint64_t at : {9, 10, 11}) {
    const Txn txn = Begin();
    ASSERT_OK(txn->SetReadTimestampForValidation(at));
    std::string value;
    const Status s = Lock(txn.get(), "a", &value);
    EXPECT_EQ(at < 10, s.IsBusy()) << s.ToString();
    // Writes validate, too.
    EXPECT_EQ(at < 10, txn->Put(stamped_, "a", "2").IsBusy());
    EXPECT_EQ(at < 10, txn->Delete(stamped_, "a").IsBusy());
    ASSERT_OK(txn->PutUntracked(stamped_, "a", "2"));
    ASSERT_OK(txn->Rollback());
    // What was not locked is free.
    ASSERT_OK(Begin()->Put(stamped_, "a", "3"));
  }
  // A deletion is a version.
  const Txn deletes = Begin();
  ASSERT_OK(deletes->Delete(stamped_, "a"));
  ASSERT_OK(deletes->SetCommitTimestamp(20));
  ASSERT_OK(deletes->Commit());
  const Txn txn = Begin();
  ASSERT_OK(txn->SetReadTimestampForValidation(15));
  std::string value;
  EXPECT_CODE(Busy, Lock(txn.get(), "a", &value));
  // A later moment may do.
  ASSERT_OK(txn->SetReadTimestampForValidation(20));
  EXPECT_CODE(NotFound, Lock(txn.get(), "a", &value));
}

TEST_P(StampedTransactions, SnapshotsAreValidatedBesides) {
  Commit("a", "1", 10);
  TransactionOptions with_snapshot;
  with_snapshot.set_snapshot = true;
  const Txn txn = Begin(with_snapshot);
  Commit("a", "2", 20);
  EXPECT_CODE(Busy, txn->Put(stamped_, "a", "3"));
  ASSERT_OK(txn->Put(stamped_, "b", "3"));
  ASSERT_OK(txn->SetReadTimestampForValidation(30));
  std::string value;
  EXPECT_CODE(Busy, Lock(txn.get(), "a", &value));
  txn->SetSnapshot();
  ASSERT_OK(Lock(txn.get(), "a", &value));
  EXPECT_EQ("2", value);
}

TEST_P(StampedTransactions, UnindexedWritesGetItToo) {
  // (RocksDB knows families without timestamps by their indexed writes.)
  const Txn txn = Writing("a", "1");
  txn->DisableIndexing();
  ASSERT_OK(txn->Put(stamped_, "b", "2"));
  ASSERT_OK(txn->Put(plain_, "b", "2"));
  txn->EnableIndexing();
  EXPECT_EQ("a=1", Scan(txn.get(), 1));
  ASSERT_OK(txn->SetCommitTimestamp(9));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("1@9", GetAt("a", 9));
  EXPECT_EQ("2@9", GetAt("b", 9));
  EXPECT_EQ("2", GetPlain("b"));
}

TEST_P(StampedTransactions, PlainWritesNeedATimestamp) {
  const WriteOptions options;
  EXPECT_CODE(NotSupported, db_->Put(options, stamped_, "a", "1"));
  EXPECT_CODE(NotSupported, db_->Delete(options, stamped_, "a"));
  EXPECT_CODE(NotSupported, db_->SingleDelete(options, stamped_, "a"));
  ASSERT_OK(db_->Put(options, plain_, "a", "1"));
  ASSERT_OK(db_->Delete(options, plain_, "a"));
  ASSERT_OK(db_->Put(options, stamped_, "a", Bytes(5), "1"));
  EXPECT_EQ("1@5", GetAt("a", 5));
  ASSERT_OK(db_->Delete(options, stamped_, "a", Bytes(6)));
  EXPECT_EQ("NOT_FOUND", GetAt("a", 6));
  EXPECT_CODE(InvalidArgument, db_->Put(options, stamped_, "a", "short", "1"));
  EXPECT_CODE(InvalidArgument, db_->Put(options, plain_, "a", Bytes(5), "1"));
}

TEST_P(StampedTransactions, FamiliesThatComeLater) {
  class Short : public Comparator {
   public:
    Short() : Comparator(4) {}
    const char* Name() const override { return "conformance.Short"; }
    int Compare(const Slice& a, const Slice& b) const override { return a.compare(b); }
    void FindShortestSeparator(std::string*, const Slice&) const override {}
    void FindShortSuccessor(std::string*) const override {}
  };
  static const Short comparator;
  ColumnFamilyOptions options(options_);
  options.comparator = &comparator;
  ColumnFamilyHandle* family = nullptr;
  EXPECT_CODE(InvalidArgument, db_->CreateColumnFamily(options, "short", &family));
  options.comparator = TimestampComparator();
  ASSERT_OK(db_->CreateColumnFamily(options, "later", &family));
  const Txn txn = Begin();
  ASSERT_OK(txn->Put(family, "a", "1"));
  ASSERT_OK(txn->SetCommitTimestamp(5));
  ASSERT_OK(txn->Commit());
  std::string value;
  const At at(5);
  ASSERT_OK(db_->Get(at.options, family, "a", &value));
  EXPECT_EQ("1", value);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
}

// --- Two phases

TEST_P(StampedTransactions, WhatIsPreparedGetsItsTimestampWithTheCommit) {
  Txn txn = Writing("a", "1");
  ASSERT_OK(txn->SetName("one"));
  ASSERT_OK(txn->Prepare());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 100));
  EXPECT_EQ("1", Read(txn.get(), "a", 1));
  ASSERT_OK(txn->SetCommitTimestamp(10));
  ASSERT_OK(txn->Commit());
  Txn second = Begin();
  ASSERT_OK(second->SetName("two"));
  ASSERT_OK(second->Put(stamped_, "a", "2"));
  ASSERT_OK(second->Delete(stamped_, "b"));
  ASSERT_OK(second->SetCommitTimestamp(20));
  ASSERT_OK(second->Prepare());
  ASSERT_OK(second->Commit());
  Txn third = Writing("c", "3");
  ASSERT_OK(third->SetName("three"));
  ASSERT_OK(third->Prepare());
  ASSERT_OK(third->Rollback());
  txn.reset();
  second.reset();
  third.reset();
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ("NOT_FOUND", GetAt("a", 9));
    EXPECT_EQ("1@10", GetAt("a", 19));
    EXPECT_EQ("2@20", GetAt("a", 20));
    EXPECT_EQ("1", GetPlain("a"));
    EXPECT_EQ("NOT_FOUND", GetAt("c", 100));
    Kill();
  }
}

// --- WriteBatchWithIndex

TEST_P(StampedTransactions, ABatchWithIndexOverTimestamps) {
  Commit("b", "db", 10);
  WriteBatchWithIndex batch(GetParam() == 0 ? TimestampComparator() : BytewiseComparator(), 0,
                            /*overwrite_key=*/true);
  EXPECT_CODE(InvalidArgument, batch.Put(nullptr, "a", Bytes(1), "1"));
  EXPECT_CODE(NotSupported, batch.Put(stamped_, "a", Bytes(1), "1"));
  EXPECT_CODE(NotSupported, batch.Delete(stamped_, "a", Bytes(1)));
  EXPECT_CODE(NotSupported, batch.SingleDelete(stamped_, "a", Bytes(1)));
  for (const char* key : {"c", "a", "longer than a timestamp"}) {
    ASSERT_OK(batch.Put(stamped_, key, "old"));
    ASSERT_OK(batch.Put(stamped_, key, key));
  }
  ASSERT_OK(batch.Delete(stamped_, "d"));
  const std::unique_ptr<WBWIIterator> it(batch.NewIterator(stamped_));
  std::string keys;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    keys += it->Entry().key.ToString() + "=" + it->Entry().value.ToString() + ",";
  }
  EXPECT_EQ("a=a,c=c,d=,longer than a timestamp=longer than a timestamp,", keys);
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("c", it->Entry().key);

  std::string value;
  ASSERT_OK(batch.GetFromBatch(stamped_, DBOptions(), "a", &value));
  EXPECT_EQ("a", value);
  EXPECT_CODE(NotFound, batch.GetFromBatch(stamped_, DBOptions(), "b", &value));
  EXPECT_CODE(InvalidArgument, batch.GetFromBatchAndDB(db_, ReadOptions(), stamped_, "a", &value));
  const At at(10);
  ASSERT_OK(batch.GetFromBatchAndDB(db_, at.options, stamped_, "a", &value));
  EXPECT_EQ("a", value);
  ASSERT_OK(batch.GetFromBatchAndDB(db_, at.options, stamped_, "b", &value));
  EXPECT_EQ("db", value);
  EXPECT_CODE(NotFound, batch.GetFromBatchAndDB(db_, At(9).options, stamped_, "b", &value));
  const std::unique_ptr<Iterator> over(
      batch.NewIteratorWithBase(stamped_, db_->NewIterator(at.options, stamped_), &at.options));
  EXPECT_EQ("a=a,b=db,c=c,longer than a timestamp=longer than a timestamp", BothWays(over.get()));

  ASSERT_OK(batch.GetWriteBatch()->UpdateTimestamps(
      Bytes(20), [&](uint32_t family) { return family == stamped_->GetID() ? 8 : 0; }));
  ASSERT_OK(batch.GetFromBatch(stamped_, DBOptions(), "c", &value));
  EXPECT_EQ("c", value);
  ASSERT_OK(db_->GetRootDB()->Write(WriteOptions(), batch.GetWriteBatch()));
  EXPECT_EQ("a@20", GetAt("a", 20));
  EXPECT_EQ("NOT_FOUND", GetAt("c", 19));
}

// What WRITE_COMMITTED alone has.
TEST_P(StampedTransactions, OtherPoliciesHaveNoTimestamps) {
  ShutAll();
  options_.create_missing_column_families = false;
  dir_ += ".other";
  for (const TxnDBWritePolicy policy : {WRITE_PREPARED, WRITE_UNPREPARED}) {
    txn_options_.write_policy = policy;
    TransactionDB* made = nullptr;
    ASSERT_OK(TransactionDB::Open(options_, txn_options_, dir_, &made));
    const std::unique_ptr<TransactionDB> db(made);
    ColumnFamilyOptions options(options_);
    options.comparator = TimestampComparator();
    ColumnFamilyHandle* family = nullptr;
    EXPECT_CODE(NotSupported, db->CreateColumnFamily(options, "stamped", &family));
    const Txn txn(db->BeginTransaction(WriteOptions()));
    EXPECT_CODE(NotSupported, txn->SetReadTimestampForValidation(5));
    EXPECT_CODE(NotSupported, txn->SetCommitTimestamp(5));
    EXPECT_EQ(kMaxTxnTimestamp, txn->GetCommitTimestamp());
  }
}

}  // namespace
}  // namespace conformance
