// Transactions that lock nothing: visitors are counted per page. Who finds at the commit that
// somebody else has written the page's counter meanwhile does it again. A snapshot shows the
// counters of one moment while counting goes on. The program runs with RocksDB, too.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction.h"

namespace {

using rocksdb::OptimisticTransactionDB;
using rocksdb::ReadOptions;
using rocksdb::Status;
using rocksdb::Transaction;
using rocksdb::WriteOptions;

constexpr int kVisitors = 8;
constexpr int kVisits = 200;
const char* const kPages[] = {"page/home", "page/prices", "page/press"};

// The page's counter, and that of all pages, in one transaction.
Status CountVisit(OptimisticTransactionDB* db, const std::string& page) {
  const std::unique_ptr<Transaction> txn(db->BeginTransaction(WriteOptions()));
  for (const std::string& key : {page, std::string("total")}) {
    std::string count = "0";
    Status s = txn->GetForUpdate(ReadOptions(), key, &count);
    if (!s.ok() && !s.IsNotFound()) return s;
    s = txn->Put(key, std::to_string((s.ok() ? std::stoi(count) : 0) + 1));
    if (!s.ok()) return s;
  }
  return txn->Commit();
}

// What the pages have together, and what "total" says, at one moment.
bool Agree(OptimisticTransactionDB* db) {
  ReadOptions then;
  then.snapshot = db->GetSnapshot();
  int sum = 0, total = 0;
  std::string count;
  for (const char* page : kPages) {
    if (db->Get(then, page, &count).ok()) sum += std::stoi(count);
  }
  if (db->Get(then, "total", &count).ok()) total = std::stoi(count);
  db->ReleaseSnapshot(then.snapshot);
  return sum == total;
}

}  // namespace

int main(int argc, char** argv) {
  rocksdb::Options options;
  options.create_if_missing = true;
  const std::string path = argc > 1 ? argv[1] : "/tmp/cairn_optimistic";
  OptimisticTransactionDB* opened = nullptr;
  Status s = DestroyDB(path, options);
  if (s.ok()) s = OptimisticTransactionDB::Open(options, path, &opened);
  const std::unique_ptr<OptimisticTransactionDB> db(opened);
  if (!s.ok()) {
    std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return 1;
  }

  std::atomic<int> conflicts{0}, failures{0};
  std::vector<std::thread> visitors;  // style: a user's program, not the engine
  for (int visitor = 0; visitor < kVisitors; visitor++) {
    visitors.emplace_back([&, visitor] {
      for (int i = 0; i < kVisits; i++) {
        const std::string page = kPages[(visitor + i) % 3];
        Status counted = CountVisit(db.get(), page);
        // Busy: a conflict. TryAgain: RocksDB has forgotten whether there was one.
        while (counted.IsBusy() || counted.IsTryAgain()) {
          conflicts++;
          counted = CountVisit(db.get(), page);
        }
        if (!counted.ok() || (i % 50 == 0 && !Agree(db.get()))) failures++;
      }
    });
  }
  for (auto& visitor : visitors) visitor.join();

  std::string total;
  s = db->Get(ReadOptions(), "total", &total);
  std::printf("visits: %s; conflicts: %d; failures: %d\n",
              s.ok() ? total.c_str() : s.ToString().c_str(), conflicts.load(), failures.load());
  return s.ok() && std::stoi(total) == kVisitors * kVisits && failures == 0 ? 0 : 1;
}
