// What the tests of TransactionDB share: one with two column families, whose lock table has one
// stripe or several, and shorthands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conformance.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

namespace conformance {

using Txn = std::unique_ptr<Transaction>;

class Joined : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "conformance.Joined"; }
};

// A parameter of TransactionTest: the stripes of the lock table, and the policy.
constexpr size_t WithPolicy(TxnDBWritePolicy policy, size_t stripes = 16) {
  return 1000 * static_cast<size_t>(policy) + stripes;
}
inline std::string PolicyOf(const testing::TestParamInfo<size_t>& info) {
  return info.param / 1000 == WRITE_PREPARED ? "Prepared" : "Unprepared";
}

class TransactionTest : public DBTest, public testing::WithParamInterface<size_t> {
 protected:
  TransactionTest() {
    options_.merge_operator = std::make_shared<Joined>();
    options_.create_missing_column_families = true;
    txn_options_.num_stripes = GetParam() % 1000;
    txn_options_.write_policy = static_cast<TxnDBWritePolicy>(GetParam() / 1000);
    // (Without it RocksDB's other policies leave merges that were rolled back.)
    txn_options_.rollback_merge_operands = IsCommitted() == false;
    txn_options_.transaction_lock_timeout = 0;
    txn_options_.default_lock_timeout = 0;
  }
  ~TransactionTest() override { ShutAll(); }

  void SetUp() override { OpenTxn(); }

  void OpenTxn() {
    ShutAll();
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_OK(TransactionDB::Open(options_, txn_options_, dir_,
                                  {ColumnFamilyDescriptor(kDefaultColumnFamilyName, options_),
                                   ColumnFamilyDescriptor("other", options_)},
                                  &handles, &txn_db_));
    ASSERT_EQ(2u, handles.size());
    delete handles[0];
    other_ = handles[1];
    db_ = txn_db_;
  }
  // For threads that lock at once. With no timeout RocksDB gives up where a stripe of its locks
  // is busy for a moment, though nobody has the key.
  void OpenForThreads() {
    txn_options_.transaction_lock_timeout = txn_options_.default_lock_timeout = 60'000;  // ms
    OpenTxn();
  }
  bool IsCommitted() const { return txn_options_.write_policy == WRITE_COMMITTED; }

  void ShutAll() {
    if (txn_db_ != nullptr && !IsCommitted()) {
      for (Transaction* const txn : RollBackPrepared()) delete txn;
    }
    delete other_;
    other_ = nullptr;
    db_ = nullptr;
    delete txn_db_;
    txn_db_ = nullptr;
  }

  // RocksDB's other policies assert, when they are closed, that nothing is prepared.
  std::vector<Transaction*> RollBackPrepared() {
    std::vector<Transaction*> all;
    txn_db_->GetAllPreparedTransactions(&all);
    for (Transaction* const txn : all) EXPECT_OK(txn->Rollback());
    return all;
  }

  Txn Begin(const TransactionOptions& options = TransactionOptions()) {
    return Txn(txn_db_->BeginTransaction(WriteOptions(), options));
  }
  Txn BeginWithSnapshot() {
    TransactionOptions options;
    options.set_snapshot = true;
    return Begin(options);
  }
  // One that waits for locks for ever, and looks for deadlocks.
  Txn BeginPatient(int64_t depth = 50) {
    TransactionOptions options;
    options.deadlock_detect = true;
    options.deadlock_detect_depth = depth;
    Txn txn = Begin(options);
    txn->SetLockTimeout(-1);
    return txn;
  }
  std::string Read(Transaction* txn, const std::string& key, ColumnFamilyHandle* family = nullptr,
                   const ReadOptions& options = ReadOptions()) {
    if (family == nullptr) family = db_->DefaultColumnFamily();
    std::string value;
    const Status s = txn->Get(options, family, key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? value : s.ToString();
  }
  // Locks; a key that is not there is fine.
  Status Lock(Transaction* txn, const std::string& key, bool exclusive = true,
              bool validate = true) {
    std::string value;
    const Status s = txn->GetForUpdate(ReadOptions(), key, &value, exclusive, validate);
    return s.IsNotFound() ? Status::OK() : s;
  }
  static bool IsLockTimeout(const Status& s) {
    return s.IsTimedOut() && s.subcode() == Status::kLockTimeout;
  }
  // Whether somebody else could lock the key exclusively.
  bool IsFree(const std::string& key) { return Lock(Begin().get(), key).ok(); }

  TransactionDBOptions txn_options_;
  TransactionDB* txn_db_ = nullptr;
  ColumnFamilyHandle* other_ = nullptr;
};

// Of a case that says what WRITE_COMMITTED alone does.
#define COMMITTED_ONLY(why) \
  if (!IsCommitted()) GTEST_SKIP() << (why)

// Of one that RocksDB's WRITE_UNPREPARED, which is young, does otherwise than the other two.
#define NOT_UNPREPARED(why) \
  if (txn_options_.write_policy == WRITE_UNPREPARED) GTEST_SKIP() << (why)

#define EXPECT_LOCK_TIMEOUT(expression)                                               \
  do {                                                                                \
    const ::rocksdb::Status status_ = (expression);                                   \
    EXPECT_TRUE(IsLockTimeout(status_)) << #expression << ": " << status_.ToString(); \
  } while (0)

}  // namespace conformance
