// Transactions that lock their keys: ten tellers move money between accounts, on plain threads. Two
// that want the same accounts in opposite order are a deadlock: one of them hears of it, and tries
// again. The program runs with RocksDB, too.
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

namespace {

using rocksdb::ReadOptions;
using rocksdb::Status;
using rocksdb::Transaction;
using rocksdb::TransactionDB;
using rocksdb::WriteOptions;

constexpr int kAccounts = 5;
constexpr int kTellers = 10;
constexpr int kTransfers = 100;

std::string Account(int i) { return "account" + std::to_string(i % kAccounts); }

// Adds `amount` to an account; who reads for an update has the key until the transaction ends.
Status Change(Transaction* txn, const std::string& account, int amount) {
  std::string balance;
  Status s = txn->GetForUpdate(ReadOptions(), account, &balance);
  if (!s.ok()) return s;
  return txn->Put(account, std::to_string(std::stoi(balance) + amount));
}

Status Transfer(TransactionDB* db, const std::string& from, const std::string& to, int amount) {
  rocksdb::TransactionOptions options;
  options.deadlock_detect = true;
  const std::unique_ptr<Transaction> txn(db->BeginTransaction(WriteOptions(), options));
  Status s = Change(txn.get(), from, -amount);
  if (s.ok()) s = Change(txn.get(), to, amount);
  return s.ok() ? txn->Commit() : s;  // what is not committed goes with the transaction
}

int Sum(TransactionDB* db) {
  int sum = 0;
  for (int i = 0; i < kAccounts; i++) {
    std::string balance;
    const Status s = db->Get(ReadOptions(), Account(i), &balance);
    if (s.ok()) sum += std::stoi(balance);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  rocksdb::Options options;
  options.create_if_missing = true;
  TransactionDB* opened = nullptr;
  Status s = TransactionDB::Open(options, rocksdb::TransactionDBOptions(),
                                 argc > 1 ? argv[1] : "/tmp/cairn_transactions", &opened);
  const std::unique_ptr<TransactionDB> db(opened);
  for (int i = 0; i < kAccounts && s.ok(); i++) s = db->Put(WriteOptions(), Account(i), "1000");
  if (!s.ok()) {
    std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return 1;
  }

  std::vector<int> failures(kTellers), again(kTellers);
  std::vector<std::thread> tellers;  // style: a user's program, not the engine
  for (int teller = 0; teller < kTellers; teller++) {
    tellers.emplace_back([&, teller] {
      for (int i = 0; i < kTransfers; i++) {
        const std::string from = Account(teller + i), to = Account(teller * i + 1);
        if (from == to) continue;
        Status done = Transfer(db.get(), from, to, 1 + i % 7);
        // A deadlock, or somebody who had the key for too long.
        while (done.IsBusy() || done.IsTimedOut()) {
          again[teller]++;
          done = Transfer(db.get(), from, to, 1 + i % 7);
        }
        if (!done.ok()) failures[teller]++;
      }
    });
  }
  for (auto& teller : tellers) teller.join();

  int failed = 0, repeated = 0;
  for (int teller = 0; teller < kTellers; teller++) {
    failed += failures[teller];
    repeated += again[teller];
  }
  const int sum = Sum(db.get());
  std::printf("sum of all accounts: %d; failed: %d; tried again: %d\n", sum, failed, repeated);
  return sum == kAccounts * 1000 && failed == 0 ? 0 : 1;
}
