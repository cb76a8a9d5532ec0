// Does what it is told to a TransactionDB with two families, and shows what is in it. The public
// API alone: compiled once against Cairn and once against librocksdb, so that two_phase_test.py can
// hand a database with prepared transactions back and forth between the two.
//
//   two_phase_driver DB POLICY STEP ...     (POLICY: the number of a TxnDBWritePolicy; 3: as 0, and
//   the
//                                           second family's keys have timestamps)
//     at NUMBER                           the timestamp of what follows
//     put KEY VALUE | merge KEY VALUE     plain, into both families
//     begin NAME                          what follows is the transaction's ...
//     tput KEY VALUE | tmerge KEY VALUE | tdelete KEY
//     prepare                             ... up to here
//     commit NAME | rollback NAME
//     flush 0|1                           a family
//     show                                prints "prepared NAME ..." and, for each family,
//                                         "family KEY=VALUE ...", KEY=VALUE@NUMBER with timestamps
//     die                                 ends the process here, without closing anything
// A failed step is told on stderr, with exit status 1.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/iterator.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

#ifdef INTEROP_ROCKSDB
namespace rocksdb {
// (7.8.3 has it, and declares it nowhere.)
const Comparator* BytewiseComparatorWithU64Ts();
}  // namespace rocksdb
#endif

namespace {

constexpr int kStamped = 3;

std::string Bytes(uint64_t timestamp) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(timestamp >> (8 * i)));
  return bytes;
}
uint64_t NumberOf(const rocksdb::Slice& bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

using rocksdb::Slice;
using rocksdb::Status;
using rocksdb::Transaction;

class Joined : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             rocksdb::Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "interop.Joined"; }
};

class Driver {
 public:
  Driver(const std::string& path, int policy) : stamped_(policy == kStamped) {
    if (stamped_) policy = 0;
    rocksdb::TransactionDBOptions txn_options;
    txn_options.write_policy = static_cast<rocksdb::TxnDBWritePolicy>(policy);
    txn_options.rollback_merge_operands = policy != 0;
    rocksdb::Options options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.merge_operator = std::make_shared<Joined>();
    options.compression = rocksdb::kNoCompression;
    rocksdb::Options second = options;
    if (stamped_) second.comparator = rocksdb::BytewiseComparatorWithU64Ts();
    Check(rocksdb::TransactionDB::Open(
              options, txn_options, path,
              {rocksdb::ColumnFamilyDescriptor(rocksdb::kDefaultColumnFamilyName, options),
               rocksdb::ColumnFamilyDescriptor("second", second)},
              &families_, &db_),
          "open");
  }
  ~Driver() {
    for (rocksdb::ColumnFamilyHandle* family : families_) delete family;
    delete db_;
  }

  void Run(const std::vector<std::string>& steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::string& step = steps[i];
      const auto next = [&] { return steps.at(++i); };
      if (step == "at") {
        timestamp_ = std::stoull(next());
      } else if (step == "put" || step == "merge") {
        const std::string key = next(), value = next();
        Plain(step == "merge", key, value);
      } else if (step == "begin") {
        rocksdb::TransactionOptions unlocked;
        unlocked.skip_concurrency_control = true;
        txn_ = db_->BeginTransaction(rocksdb::WriteOptions(), unlocked);
        Check(txn_->SetName(next()), "name");
      } else if (step == "tput" || step == "tmerge") {
        const std::string key = next(), value = next();
        for (rocksdb::ColumnFamilyHandle* family : families_) {
          Check(step == "tput" ? txn_->Put(family, key, value) : txn_->Merge(family, key, value),
                step);
        }
      } else if (step == "tdelete") {
        const std::string key = next();
        for (rocksdb::ColumnFamilyHandle* family : families_)
          Check(txn_->Delete(family, key), step);
      } else if (step == "prepare") {
        Check(txn_->Prepare(), step);
      } else if (step == "commit" || step == "rollback") {
        Decide(step == "commit", next());
      } else if (step == "flush") {
        Check(db_->Flush(rocksdb::FlushOptions(), families_.at(std::stoul(next()))), step);
      } else if (step == "show") {
        Show();
      } else if (step == "die") {
        std::fflush(stdout);
        _exit(0);
      }
    }
  }

 private:
  static void Check(const Status& s, const std::string& what) {
    if (s.ok()) return;
    std::fprintf(stderr, "%s: %s\n", what.c_str(), s.ToString().c_str());
    std::fflush(stdout);
    _exit(1);
  }

  void Plain(bool merge, const std::string& key, const std::string& value) {
    if (stamped_) return Commit(merge, key, value);
    rocksdb::WriteBatch batch;
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      Check(merge ? batch.Merge(family, key, value) : batch.Put(family, key, value), "batch");
    }
    // (The recovered hold locks in Cairn.)
    rocksdb::TransactionDBWriteOptimizations unlocked;
    unlocked.skip_concurrency_control = true;
    Check(db_->Write(rocksdb::WriteOptions(), unlocked, &batch), "write");
  }

  // (What has timestamps RocksDB writes by transactions alone.)
  void Commit(bool merge, const std::string& key, const std::string& value) {
    rocksdb::TransactionOptions unlocked;
    unlocked.skip_concurrency_control = true;
    const std::unique_ptr<Transaction> txn(
        db_->BeginTransaction(rocksdb::WriteOptions(), unlocked));
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      Check(merge ? txn->Merge(family, key, value) : txn->Put(family, key, value), "write");
    }
    Check(txn->SetCommitTimestamp(timestamp_), "timestamp");
    Check(txn->Commit(), "commit");
  }

  void Decide(bool commit, const std::string& name) {
    const std::unique_ptr<Transaction> txn(db_->GetTransactionByName(name));
    if (txn == nullptr) Check(Status::NotFound(name), "transaction");
    if (stamped_) Check(txn->SetCommitTimestamp(timestamp_), "timestamp");
    Check(commit ? txn->Commit() : txn->Rollback(), name);
  }

  void Show() {
    std::vector<Transaction*> all;
    db_->GetAllPreparedTransactions(&all);
    std::vector<std::string> names;
    for (const Transaction* txn : all) names.push_back(txn->GetName());
    std::sort(names.begin(), names.end());
    std::string line = "prepared";
    for (const std::string& name : names) line += " " + name;
    std::puts(line.c_str());
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      const bool stamped = stamped_ && family == families_.back();
      const std::string bytes = Bytes(UINT64_MAX);
      const Slice newest(bytes);
      rocksdb::ReadOptions options;
      if (stamped) options.timestamp = &newest;
      const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options, family));
      line = "family";
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        line += " " + it->key().ToString() + "=" + it->value().ToString();
        if (stamped) line += "@" + std::to_string(NumberOf(it->timestamp()));
      }
      Check(it->status(), "iterator");
      std::puts(line.c_str());
    }
  }

  const bool stamped_;
  uint64_t timestamp_ = 0;
  rocksdb::TransactionDB* db_ = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  Transaction* txn_ = nullptr;  // that is made; then the database's
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  Driver driver(argv[1], std::atoi(argv[2]));
  driver.Run(std::vector<std::string>(argv + 3, argv + argc));
  return 0;
}
