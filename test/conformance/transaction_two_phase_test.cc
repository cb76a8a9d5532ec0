// TransactionDB: two-phase commit. What is prepared survives a kill and is decided afterwards.
#include "transaction_fixture.h"

#include "rocksdb/utilities/checkpoint.h"

namespace conformance {
namespace {

class TwoPhase : public TransactionTest {
 protected:
  // A transaction that is prepared: it writes a=`value` to both families.
  Txn Prepared(const std::string& name, const std::string& value, const std::string& key = "a") {
    Txn txn = Begin();
    EXPECT_OK(txn->SetName(name));
    EXPECT_OK(txn->Put(key, value));
    EXPECT_OK(txn->Put(other_, key, value));
    EXPECT_OK(txn->Prepare());
    return txn;
  }
  // The database goes on as it would after a kill at this moment.
  void Kill() {
    const std::string next = dir_ + "x";
    Copy(next);
    OpenAt(next);
  }
  // (Nothing comes or goes meanwhile: else the MANIFEST could name a table that was not there when
  // the files were listed.)
  void Copy(const std::string& to) {
    ASSERT_OK(txn_db_->DisableFileDeletions());
    ASSERT_OK(txn_db_->PauseBackgroundWork());
    CopyFiles(dir_, to);
    ASSERT_OK(txn_db_->ContinueBackgroundWork());
  }
  void OpenAt(const std::string& dir) {
    ShutAll();
    dir_ = dir;
    OpenTxn();
  }
  // From here on it is the database's.
  static void Leave(Txn txn) { (void)txn.release(); }
  // Null: there is none.
  Txn Recovered(const std::string& name) { return Txn(txn_db_->GetTransactionByName(name)); }
  std::vector<std::string> PreparedNames() {
    std::vector<Transaction*> all;
    txn_db_->GetAllPreparedTransactions(&all);
    std::vector<std::string> names;
    for (const Transaction* txn : all) names.push_back(txn->GetName());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string GetOther(const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), other_, key, &value);
    return s.IsNotFound() ? "NOT_FOUND" : s.ok() ? value : s.ToString();
  }
  // What was written goes to tables, and a new log begins.
  void FlushBoth() {
    ASSERT_OK(txn_db_->Flush(FlushOptions(), db_->DefaultColumnFamily()));
    ASSERT_OK(txn_db_->Flush(FlushOptions(), other_));
  }
  using Names = std::vector<std::string>;
};
INSTANTIATE_TEST_SUITE_P(Stripes, TwoPhase, testing::Values(16));
INSTANTIATE_TEST_SUITE_P(Policies, TwoPhase,
                         testing::Values(WithPolicy(WRITE_PREPARED), WithPolicy(WRITE_UNPREPARED)),
                         PolicyOf);

TEST_P(TwoPhase, WhatIsPreparedIsSeenWhenItIsCommitted) {
  const Txn txn = Prepared("one", "1");
  EXPECT_EQ(Transaction::PREPARED, txn->GetState());
  EXPECT_EQ("", Contents());
  EXPECT_EQ("1", Read(txn.get(), "a"));
  EXPECT_EQ(Names{"one"}, PreparedNames());
  EXPECT_NE(0u, txn->GetLogNumber());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ(Transaction::COMMITTED, txn->GetState());
  EXPECT_EQ("a=1", Contents());
  EXPECT_EQ("1", GetOther("a"));
  EXPECT_EQ(Names{}, PreparedNames());
  EXPECT_EQ(nullptr, txn_db_->GetTransactionByName("one"));
}

TEST_P(TwoPhase, WhatIsRolledBackIsGone) {
  const Txn txn = Prepared("one", "1");
  ASSERT_OK(txn->Rollback());
  EXPECT_EQ(Transaction::ROLLEDBACK, txn->GetState());
  EXPECT_EQ("", Contents());
  EXPECT_TRUE(IsFree("a"));
  EXPECT_EQ(Names{}, PreparedNames());
}

TEST_P(TwoPhase, AStateAllowsWhatItAllows) {
  NOT_UNPREPARED("RocksDB takes a rollback to a save point at any time");
  const Txn unnamed = Begin();
  ASSERT_OK(unnamed->Put("u", "1"));
  EXPECT_CODE(InvalidArgument, unnamed->Prepare());
  EXPECT_EQ(Transaction::STARTED, unnamed->GetState());
  ASSERT_OK(unnamed->Commit());

  const Txn txn = Prepared("one", "1");
  EXPECT_CODE(InvalidArgument, txn->Prepare());
  EXPECT_CODE(InvalidArgument, txn->SetName("two"));
  EXPECT_CODE(InvalidArgument, txn->RollbackToSavePoint());
  ASSERT_OK(txn->Commit());
  EXPECT_CODE(InvalidArgument, txn->Prepare());
  EXPECT_CODE(InvalidArgument, txn->Commit());
  EXPECT_CODE(InvalidArgument, txn->Rollback());

  const Txn gone = Prepared("two", "2");
  ASSERT_OK(gone->Rollback());
  EXPECT_CODE(InvalidArgument, gone->Commit());
  EXPECT_CODE(InvalidArgument, gone->Rollback());
  EXPECT_CODE(InvalidArgument, gone->Prepare());
  EXPECT_EQ("a=1,u=1", Contents());
}

TEST_P(TwoPhase, StatusTextsAreTheSame) {
  const auto text = [](const Status& s) { return s.ToString(); };
  const Txn txn = Begin(), twin = Begin();
  EXPECT_EQ("Invalid argument: Cannot prepare a transaction that has not been named.",
            text(txn->Prepare()));
  ASSERT_OK(txn->SetName("one"));
  EXPECT_EQ("Invalid argument: Transaction name must be unique.", text(twin->SetName("one")));
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Prepare());
  EXPECT_EQ("Invalid argument: Transaction has already been prepared.", text(txn->Prepare()));
  EXPECT_EQ("Invalid argument: Transaction is beyond state for naming.", text(txn->SetName("b")));
  ASSERT_OK(txn->Rollback());
  EXPECT_EQ("Invalid argument: Transaction has already been rolledback.", text(txn->Commit()));
  EXPECT_EQ("Invalid argument: Transaction has already been rolledback.", text(txn->Prepare()));
  EXPECT_EQ("Invalid argument: Two phase transaction is not in state for rollback.",
            text(txn->Rollback()));
}

TEST_P(TwoPhase, LocksAreHeldUntilItIsDecided) {
  const Txn committed = Prepared("one", "1", "a"), rolled_back = Prepared("two", "2", "b");
  EXPECT_FALSE(IsFree("a"));
  EXPECT_FALSE(IsFree("b"));
  EXPECT_LOCK_TIMEOUT(Put("a", "2"));
  ASSERT_OK(committed->Commit());
  ASSERT_OK(rolled_back->Rollback());
  EXPECT_TRUE(IsFree("a"));
  EXPECT_TRUE(IsFree("b"));
  EXPECT_OK(Put("a", "2"));
}

TEST_P(TwoPhase, AKillLeavesItPrepared) {
  ASSERT_OK(Put("b", "0"));
  Leave(Prepared("one", "1", "a"));
  Leave(Prepared("two", "2", "b"));
  ASSERT_OK(Put("c", "3"));
  Kill();
  EXPECT_EQ((Names{"one", "two"}), PreparedNames());
  EXPECT_EQ("b=0,c=3", Contents());
  {
    const Txn one = Recovered("one"), two = Recovered("two");
    ASSERT_NE(nullptr, one);
    ASSERT_NE(nullptr, two);
    EXPECT_EQ(Transaction::PREPARED, one->GetState());
    EXPECT_EQ("one", one->GetName());
    EXPECT_EQ("1", Read(one.get(), "a"));
    EXPECT_EQ("2", Read(two.get(), "b"));
    ASSERT_OK(one->Commit());
    ASSERT_OK(two->Rollback());
  }
  EXPECT_EQ("a=1,b=0,c=3", Contents());
  EXPECT_EQ("1", GetOther("a"));
  EXPECT_EQ("NOT_FOUND", GetOther("b"));
  Kill();
  EXPECT_EQ(Names{}, PreparedNames());
  EXPECT_EQ("a=1,b=0,c=3", Contents());
  EXPECT_EQ("1", GetOther("a"));
}

TEST_P(TwoPhase, ACloseLeavesItPreparedToo) {
  COMMITTED_ONLY("RocksDB asserts that nothing is prepared");
  Leave(Prepared("one", "1"));
  for (int life = 0; life < 3; ++life) {
    OpenTxn();
    EXPECT_EQ(Names{"one"}, PreparedNames()) << life;
    EXPECT_EQ("", Contents());
    if (life == 1) FlushBoth();
  }
  ASSERT_OK(Recovered("one")->Commit());
  OpenTxn();
  EXPECT_EQ("a=1", Contents());
  EXPECT_EQ(Names{}, PreparedNames());
}

TEST_P(TwoPhase, ItsLogIsKeptThroughFlushes) {
  Txn txn = Prepared("one", "1");
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(Put("k", std::to_string(i)));
    ASSERT_OK(db_->Put(WriteOptions(), other_, "k", std::to_string(i)));
    FlushBoth();
  }
  ASSERT_OK(Compact());
  Leave(std::move(txn));
  Kill();
  EXPECT_EQ(Names{"one"}, PreparedNames());
  EXPECT_EQ("k=4", Contents());
  ASSERT_OK(Recovered("one")->Commit());
  EXPECT_EQ("a=1,k=4", Contents());
  EXPECT_EQ("1", GetOther("a"));
}

TEST_P(TwoPhase, ItsLogIsKeptUntilTheCommitIsInTables) {
  Txn txn = Prepared("one", "1");
  ASSERT_OK(Put("k", "0"));
  FlushBoth();  // the section is in an older log than the commit
  ASSERT_OK(txn->Commit());
  ASSERT_OK(Put("k", "1"));
  // One of the two families has it in a table, the other one not.
  ASSERT_OK(txn_db_->Flush(FlushOptions(), other_));
  txn.reset();
  Kill();
  EXPECT_EQ(Names{}, PreparedNames());
  EXPECT_EQ("a=1,k=1", Contents());
  EXPECT_EQ("1", GetOther("a"));
}

TEST_P(TwoPhase, ItsLogGoesWhenAllIsInTables) {
  Txn txn = Prepared("one", "1"), other = Prepared("two", "2", "b");
  const uint64_t log = txn->GetLogNumber();
  ASSERT_OK(Put("k", "0"));
  FlushBoth();
  ASSERT_OK(txn->Commit());
  ASSERT_OK(other->Rollback());
  FlushBoth();
  ASSERT_OK(Put("k", "1"));
  FlushBoth();
  VectorLogPtr logs;
  ASSERT_OK(txn_db_->GetSortedWalFiles(logs));
  for (const auto& one : logs) EXPECT_GT(one->LogNumber(), log);
  txn.reset();
  other.reset();
  Kill();
  EXPECT_EQ("a=1,k=1", Contents());
}

TEST_P(TwoPhase, TheLogsThatAreNeededAreListed) {
  COMMITTED_ONLY("elsewhere what is prepared may go on from log to log");
  const Txn txn = Prepared("one", "1");
  ASSERT_OK(Put("k", "0"));
  FlushBoth();
  VectorLogPtr logs;
  ASSERT_OK(txn_db_->GetSortedWalFiles(logs));
  ASSERT_FALSE(logs.empty());
  EXPECT_EQ(txn->GetLogNumber(), logs[0]->LogNumber());
}

TEST_P(TwoPhase, ACheckpointHasIt) {
  Txn txn = Prepared("one", "1");
  ASSERT_OK(Put("k", "0"));
  FlushBoth();
  ASSERT_OK(Put("l", "0"));
  Checkpoint* checkpoint = nullptr;
  ASSERT_OK(Checkpoint::Create(txn_db_, &checkpoint));
  const std::unique_ptr<Checkpoint> owned(checkpoint);
  const std::string flushed = root_ + "/flushed", with_logs = root_ + "/with_logs";
  ASSERT_OK(checkpoint->CreateCheckpoint(flushed));
  ASSERT_OK(checkpoint->CreateCheckpoint(with_logs, UINT64_MAX));
  ASSERT_OK(txn->Rollback());
  txn.reset();
  for (const std::string& dir : {flushed, with_logs}) {
    OpenAt(dir);
    EXPECT_EQ(Names{"one"}, PreparedNames()) << dir;
    ASSERT_OK(Recovered("one")->Commit());
    EXPECT_EQ("a=1,k=0,l=0", Contents());
    EXPECT_EQ("1", GetOther("a"));
  }
}

TEST_P(TwoPhase, OrderIsThatOfTheCommits) {
  COMMITTED_ONLY("elsewhere who writes the same key needs its lock");
  TransactionOptions unlocked;
  unlocked.skip_concurrency_control = true;
  const auto prepare = [&](const std::string& name) {
    Txn txn = Begin(unlocked);
    EXPECT_OK(txn->SetName(name));
    EXPECT_OK(txn->Merge(db_->DefaultColumnFamily(), "m", name));
    EXPECT_OK(txn->Put("p", name));
    EXPECT_OK(txn->Prepare());
    return txn;
  };
  const auto merge = [&](const std::string& operand) {
    ASSERT_OK(db_->Merge(WriteOptions(), db_->DefaultColumnFamily(), "m", operand));
    ASSERT_OK(Put("p", operand));
  };
  Txn one = prepare("one");
  merge("x");
  Txn two = prepare("two");
  ASSERT_OK(two->Commit());
  EXPECT_EQ("m=x,two,p=two", Contents());
  FlushBoth();
  merge("y");
  ASSERT_OK(one->Commit());
  EXPECT_EQ("m=x,two,y,one,p=one", Contents());
  merge("z");
  one.reset();
  two.reset();
  for (int life = 0; life < 2; ++life) {
    Kill();
    EXPECT_EQ("m=x,two,y,one,z,p=z", Contents());
  }
}

TEST_P(TwoPhase, EachKindOfWriteIsPrepared) {
  for (const char* key : {"b", "c"}) ASSERT_OK(Put(key, "0"));
  Txn txn = Begin();
  ASSERT_OK(txn->SetName("one"));
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->Delete("b"));
  ASSERT_OK(txn->SingleDelete("c"));
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "d", "1"));
  ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "d", "2"));
  txn->PutLogData("blob");
  ASSERT_OK(txn->PutUntracked("e", "1"));
  ASSERT_OK(txn->Prepare());
  EXPECT_EQ("b=0,c=0", Contents());
  Leave(std::move(txn));
  Kill();
  EXPECT_EQ("b=0,c=0", Contents());
  ASSERT_OK(Recovered("one")->Commit());
  EXPECT_EQ("a=2,d=1,2,e=1", Contents());
  Kill();
  EXPECT_EQ("a=2,d=1,2,e=1", Contents());
}

TEST_P(TwoPhase, TheCommitMayHaveWritesOfItsOwn) {
  COMMITTED_ONLY("refused elsewhere");
  Txn txn = Prepared("one", "1");
  ASSERT_OK(txn->GetCommitTimeWriteBatch()->Put("t", "1"));
  ASSERT_OK(txn->GetCommitTimeWriteBatch()->Put("a", "0"));
  FlushBoth();
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("a=1,t=1", Contents());  // what was prepared is later
  ASSERT_OK(Put("z", "1"));
  txn.reset();
  Kill();
  EXPECT_EQ("a=1,t=1,z=1", Contents());
}

TEST_P(TwoPhase, AnEmptyOneIsPrepared) {
  Txn txn = Begin();
  ASSERT_OK(txn->SetName("one"));
  ASSERT_OK(txn->Prepare());
  EXPECT_EQ(Names{"one"}, PreparedNames());
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("", Contents());
  txn.reset();
  Kill();
  EXPECT_EQ("", Contents());
}

TEST_P(TwoPhase, ItIsLoggedThoughWritesAreNot) {
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  Txn txn(txn_db_->BeginTransaction(unlogged));
  ASSERT_OK(txn->SetName("one"));
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Prepare());
  Leave(std::move(txn));
  Kill();
  EXPECT_EQ(Names{"one"}, PreparedNames());
}

TEST_P(TwoPhase, ANameIsUsedAgain) {
  for (int i = 0; i < 4; ++i) {
    const Txn txn = Prepared("one", std::to_string(i), Key(i));
    ASSERT_OK(i % 2 == 0 ? txn->Commit() : txn->Rollback());
    if (i == 1) FlushBoth();
  }
  Leave(Prepared("one", "4", Key(4)));
  Kill();
  EXPECT_EQ(Names{"one"}, PreparedNames());
  EXPECT_EQ(Key(0) + "=0," + Key(2) + "=2", Contents());
  ASSERT_OK(Recovered("one")->Commit());
  EXPECT_EQ(Key(0) + "=0," + Key(2) + "=2," + Key(4) + "=4", Contents());
}

TEST_P(TwoPhase, APlainOpenKeepsItIfItIsToldTo) {
  COMMITTED_ONLY("refused elsewhere");
  Leave(Prepared("one", "1"));
  ShutAll();
  DBOptions keeps = options_;
  keeps.allow_2pc = true;
  for (int life = 0; life < 2; ++life) {
    DB* plain = nullptr;
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_OK(DB::Open(keeps, dir_,
                       {ColumnFamilyDescriptor(kDefaultColumnFamilyName, options_),
                        ColumnFamilyDescriptor("other", options_)},
                       &handles, &plain));
    ASSERT_OK(plain->Put(WriteOptions(), Key(life), "plain"));
    ASSERT_OK(plain->Flush(FlushOptions()));
    for (ColumnFamilyHandle* handle : handles) delete handle;
    delete plain;
  }
  OpenTxn();
  EXPECT_EQ(Names{"one"}, PreparedNames());
  ASSERT_OK(Recovered("one")->Commit());
  EXPECT_EQ("a=1," + Key(0) + "=plain," + Key(1) + "=plain", Contents());
}

TEST_P(TwoPhase, ADatabaseIsWrapped) {
  COMMITTED_ONLY("elsewhere only TransactionDB::Open opens it");
  Leave(Prepared("one", "1"));
  for (const bool stacked : {false, true}) {
    ShutAll();
    DBOptions db_options = options_;
    std::vector<ColumnFamilyDescriptor> families = {
        ColumnFamilyDescriptor(kDefaultColumnFamilyName, options_),
        ColumnFamilyDescriptor("other", options_)};
    std::vector<size_t> compacting;
    TransactionDB::PrepareWrap(&db_options, &families, &compacting);
    EXPECT_TRUE(db_options.allow_2pc);
    DB* plain = nullptr;
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_OK(DB::Open(db_options, dir_, families, &handles, &plain));
    if (stacked) {
      ASSERT_OK(TransactionDB::WrapStackableDB(new StackableDB(plain), txn_options_, compacting,
                                               handles, &txn_db_));
    } else {
      ASSERT_OK(TransactionDB::WrapDB(plain, txn_options_, compacting, handles, &txn_db_));
    }
    db_ = txn_db_;
    delete handles[0];
    other_ = handles[1];
    EXPECT_EQ(Names{"one"}, PreparedNames());
  }
  ASSERT_OK(Recovered("one")->Commit());
  EXPECT_EQ("a=1", Contents());
}

class OtherPolicies : public TwoPhase {};
INSTANTIATE_TEST_SUITE_P(Policies, OtherPolicies,
                         testing::Values(WithPolicy(WRITE_PREPARED), WithPolicy(WRITE_UNPREPARED)),
                         PolicyOf);

TEST_P(OtherPolicies, WhatIsPreparedIsOfThePolicy) {
  const TxnDBWritePolicy policy = txn_options_.write_policy;
  Leave(Prepared("one", "1"));
  const std::string next = dir_ + "x";
  Copy(next);
  txn_options_.write_policy = WRITE_COMMITTED;
  TransactionDB* refused = nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  EXPECT_CODE(NotSupported,
              TransactionDB::Open(options_, txn_options_, next,
                                  {ColumnFamilyDescriptor(kDefaultColumnFamilyName, options_),
                                   ColumnFamilyDescriptor("other", options_)},
                                  &handles, &refused));
  txn_options_.write_policy = policy;
  OpenAt(next);
  EXPECT_EQ(Names{"one"}, PreparedNames());
}

// And of WRITE_COMMITTED's the others open nothing.
TEST_P(OtherPolicies, WhatWasCommittedLateIsNot) {
  const TxnDBWritePolicy policy = txn_options_.write_policy;
  ShutAll();
  txn_options_.write_policy = WRITE_COMMITTED;
  OpenTxn();
  Leave(Prepared("one", "1"));
  const std::string next = dir_ + "x";
  Copy(next);
  txn_options_.write_policy = policy;
  TransactionDB* refused = nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  EXPECT_CODE(NotSupported,
              TransactionDB::Open(options_, txn_options_, next,
                                  {ColumnFamilyDescriptor(kDefaultColumnFamilyName, options_),
                                   ColumnFamilyDescriptor("other", options_)},
                                  &handles, &refused));
}

TEST_P(OtherPolicies, RollbacksBringBackWhatWasThere) {
  for (const char* key : {"b", "c", "d", "e"}) ASSERT_OK(Put(key, "0"));
  ASSERT_OK(db_->Merge(WriteOptions(), db_->DefaultColumnFamily(), "d", "1"));
  FlushBoth();
  ASSERT_OK(db_->Merge(WriteOptions(), db_->DefaultColumnFamily(), "d", "2"));
  for (const bool flushed : {false, true}) {
    Txn txn = Begin();
    ASSERT_OK(txn->SetName("one"));
    ASSERT_OK(txn->Put("a", "1"));
    ASSERT_OK(txn->Put("a", "2"));
    ASSERT_OK(txn->Delete("b"));
    ASSERT_OK(txn->Put("c", "2"));
    ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "d", "3"));
    ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), "f", "3"));
    ASSERT_OK(txn->Prepare());
    ASSERT_OK(Put("e", flushed ? "2" : "1"));
    if (flushed) FlushBoth();
    Leave(std::move(txn));
    Kill();
    EXPECT_EQ(flushed ? "b=0,c=0,d=0,1,2,e=2" : "b=0,c=0,d=0,1,2,e=1", Contents());
    ASSERT_OK(Recovered("one")->Rollback());
    for (int life = 0; life < 2; ++life) {
      EXPECT_EQ(flushed ? "b=0,c=0,d=0,1,2,e=2" : "b=0,c=0,d=0,1,2,e=1", Contents());
      if (life == 0 && flushed) FlushBoth();
      Kill();
    }
  }
}

TEST_P(OtherPolicies, CommitsMergeOnce) {
  ASSERT_OK(Put("a", "0"));
  ASSERT_OK(Put("b", "0"));
  const auto merge = [&](Transaction* txn, const std::string& key, const std::string& operand) {
    ASSERT_OK(txn->Merge(db_->DefaultColumnFamily(), key, operand));
    ASSERT_OK(txn->Merge(other_, key, operand));
  };
  Txn one = Begin(), two = Begin();
  ASSERT_OK(one->SetName("one"));
  ASSERT_OK(two->SetName("two"));
  merge(one.get(), "a", "1");
  merge(one.get(), "a", "2");
  merge(two.get(), "b", "3");
  ASSERT_OK(one->Prepare());
  ASSERT_OK(two->Prepare());
  ASSERT_OK(Put("c", "0"));
  ASSERT_OK(txn_db_->Flush(FlushOptions(), other_));
  ASSERT_OK(one->Commit());
  EXPECT_EQ("a=0,1,2,b=0,c=0", Contents());
  one.reset();
  Leave(std::move(two));
  Kill();
  EXPECT_EQ("a=0,1,2,b=0,c=0", Contents());
  EXPECT_EQ("1,2", GetOther("a"));
  ASSERT_OK(Recovered("two")->Commit());
  for (int life = 0; life < 2; ++life) {
    EXPECT_EQ("a=0,1,2,b=0,3,c=0", Contents());
    EXPECT_EQ("3", GetOther("b"));
    Kill();
  }
}

// Whoever committed has it under the number of the prepare, or of the commit.
TEST_P(OtherPolicies, SnapshotsSeeCommitsThatPrecedeThem) {
  ASSERT_OK(Put("a", "0"));
  Txn txn = Prepared("one", "1");
  const Snapshot* const before = db_->GetSnapshot();
  ASSERT_OK(txn->Commit());
  const Snapshot* const after = db_->GetSnapshot();
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(Compact());
  ReadOptions at;
  std::string value;
  at.snapshot = before;
  ASSERT_OK(db_->Get(at, "a", &value));
  EXPECT_EQ("0", value);
  at.snapshot = after;
  ASSERT_OK(db_->Get(at, "a", &value));
  EXPECT_EQ("1", value);
  db_->ReleaseSnapshot(before);
  db_->ReleaseSnapshot(after);
}

TEST_P(TwoPhase, ManyAtOnce) {
  OpenForThreads();
  constexpr int kThreads = 4, kEach = 25;
  std::vector<Thread> threads;
  std::vector<std::vector<Txn>> left(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const int n = t * kEach + i;
        Txn txn = Prepared(Key(n), std::to_string(n), Key(n));
        Status s;
        if (n % 3 == 0) s = txn->Commit();
        if (n % 3 == 1) s = txn->Rollback();
        if (n % 3 == 2) left[t].push_back(std::move(txn));
        EXPECT_OK(s);
        if (i == kEach / 2) s = Flush();
        EXPECT_OK(s);
      }
    });
  }
  for (Thread& thread : threads) thread.join();
  Copy(dir_ + "x");
  if (!IsCommitted()) RollBackPrepared();
  left.clear();
  OpenAt(dir_ + "x");
  Names names;
  for (int n = 0; n < kThreads * kEach; ++n) {
    EXPECT_EQ(n % 3 == 0 ? std::to_string(n) : "NOT_FOUND", Get(Key(n)));
    EXPECT_EQ(n % 3 == 0 ? std::to_string(n) : "NOT_FOUND", GetOther(Key(n)));
    if (n % 3 == 2) names.push_back(Key(n));
  }
  EXPECT_EQ(names, PreparedNames());
  for (const std::string& name : names) ASSERT_OK(Recovered(name)->Commit());
  Kill();
  for (int n = 0; n < kThreads * kEach; ++n) {
    EXPECT_EQ(n % 3 != 1 ? std::to_string(n) : "NOT_FOUND", Get(Key(n)));
  }
}

}  // namespace
}  // namespace conformance
