// randomtransaction: each transaction adds one number to a random key of each of several sets, so
// that the sums of all sets are equal whatever was aborted; they are compared at the end.

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/iterator.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/write_batch.h"

namespace db_bench {

namespace {

// What a set's keys begin with: its number, from 1 on.
std::string Prefix(uint64_t set) {
  char text[24];
  std::snprintf(text, sizeof(text), "%04" PRIu64, set + 1);
  return text;
}

uint64_t NumberIn(const rocksdb::Slice& value) {
  uint64_t number = 0;
  for (size_t i = 0; i < value.size(); i++) {
    if (value[i] < '0' || value[i] > '9') {
      Fail("randomtransaction: the database has a value that is no number: give it a new one");
    }
    number = number * 10 + static_cast<uint64_t>(value[i] - '0');
  }
  return number;
}

class Adder {
 public:
  explicit Adder(Client* client)
      : client_(client),
        db_(client->shared->db),
        pessimistic_(dynamic_cast<rocksdb::TransactionDB*>(db_)),
        optimistic_(dynamic_cast<rocksdb::OptimisticTransactionDB*>(db_)),
        order_(FLAGS_transaction_sets) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  void Run() {
    int64_t done = 0;
    Duration duration(FLAGS_duration, ReadsAndWrites());
    while (!duration.Done(1)) {
      pessimistic_ != nullptr || optimistic_ != nullptr ? Transact() : WriteBatch();
      done++;
      client_->stats.FinishedOps(db_, 1, OpKind::kOther);
    }
    client_->stats.AddBytes(bytes_);
    client_->stats.AddMessage(pessimistic_ != nullptr || optimistic_ != nullptr
                                  ? "( transactions:" + std::to_string(done) +
                                        " aborts:" + std::to_string(aborts_) + ")"
                                  : "( batches:" + std::to_string(done) + " )");
  }

 private:
  // A random key of one set, and what is added: small enough for sums of 2^64.
  std::string RandomKey(uint64_t set) {
    return Prefix(set) + std::to_string(client_->random.Uniform(FLAGS_num));
  }
  uint64_t RandomNumber() { return client_->random.Uniform(100) + 1; }
  // Other transactions take the sets in other orders.
  void Shuffle() {
    for (size_t i = order_.size(); i > 1; i--) {
      std::swap(order_[i - 1], order_[client_->random.Uniform(i)]);
    }
  }

  rocksdb::Transaction* Begin() {
    if (pessimistic_ != nullptr) {
      rocksdb::TransactionOptions options;
      options.lock_timeout = static_cast<int64_t>(FLAGS_transaction_lock_timeout);
      options.set_snapshot = FLAGS_transaction_set_snapshot;
      return pessimistic_->BeginTransaction(write_options_, options, txn_.release());
    }
    rocksdb::OptimisticTransactionOptions options;
    options.set_snapshot = FLAGS_transaction_set_snapshot;
    return optimistic_->BeginTransaction(write_options_, options, txn_.release());
  }

  void Transact() {
    txn_.reset(Begin());
    Shuffle();
    const uint64_t number = RandomNumber();
    uint64_t bytes = 0;
    rocksdb::Status s;
    for (size_t i = 0; i < order_.size() && s.ok(); i++) {
      const std::string key = RandomKey(order_[i]);
      std::string value;
      s = txn_->GetForUpdate(read_options_, key, &value);
      if (!s.ok() && !s.IsNotFound()) break;
      if (FLAGS_transaction_sleep > 0) {
        fiber::sleep_for(client_->random.Uniform(FLAGS_transaction_sleep) * 1000);
      }
      value = std::to_string(NumberIn(value) + number);
      s = txn_->Put(key, value);
      bytes += key.size() + value.size();
    }
    if (s.ok()) s = txn_->Commit();
    if (s.ok()) {
      bytes_ += bytes;
      return;
    }
    // Another had the key, or wrote it meanwhile, or too much was written to tell.
    if (!s.IsBusy() && !s.IsTimedOut() && !s.IsTryAgain()) Fail("transaction", s);
    aborts_++;
    s = txn_->Rollback();
    if (!s.ok()) Fail("rollback", s);
  }

  // Without transactions two clients may read the same number, and one sum is lost: refused.
  void WriteBatch() {
    rocksdb::WriteBatch batch;
    const uint64_t number = RandomNumber();
    for (const uint64_t set : order_) {
      const std::string key = RandomKey(set);
      std::string value;
      rocksdb::Status s = db_->Get(read_options_, key, &value);
      if (!s.ok() && !s.IsNotFound()) Fail("get", s);
      value = std::to_string(NumberIn(value) + number);
      s = batch.Put(key, value);
      if (!s.ok()) Fail("put", s);
      bytes_ += key.size() + value.size();
    }
    const rocksdb::Status s = db_->Write(write_options_, &batch);
    if (!s.ok()) Fail("write", s);
  }

  Client* const client_;
  rocksdb::DB* const db_;
  rocksdb::TransactionDB* const pessimistic_;  // either, or none
  rocksdb::OptimisticTransactionDB* const optimistic_;
  const rocksdb::ReadOptions read_options_ = MakeReadOptions();
  const rocksdb::WriteOptions write_options_ = MakeWriteOptions();
  std::unique_ptr<rocksdb::Transaction> txn_;  // used again and again
  std::vector<uint64_t> order_;                // of the sets
  int64_t aborts_ = 0;
  uint64_t bytes_ = 0;
};

// The sums of all sets must be equal.
void Verify(rocksdb::DB* db) {
  rocksdb::ReadOptions options = MakeReadOptions();
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(options));
  uint64_t first = 0;
  for (uint64_t set = 0; set < FLAGS_transaction_sets; set++) {
    const std::string prefix = Prefix(set);
    uint64_t sum = 0;
    for (iter->Seek(prefix); iter->Valid() && iter->key().starts_with(prefix); iter->Next()) {
      sum += NumberIn(iter->value());
    }
    if (!iter->status().ok()) Fail("iterator", iter->status());
    if (set == 0) first = sum;
    if (sum != first) {
      Fail("RandomTransactionVerify Failed: set " + Prefix(0) + " has the sum " +
           std::to_string(first) + ", set " + prefix + " has " + std::to_string(sum));
    }
  }
  std::printf("RandomTransactionVerify Success.\n");
}

std::string WhyNoTransactions() {
  if (FLAGS_transaction_sets < 1 || FLAGS_transaction_sets > 9999) {
    return "--transaction_sets must be from 1 to 9999";
  }
  if (!FLAGS_transaction_db && !FLAGS_optimistic_transaction_db && FLAGS_threads > 1) {
    return "randomtransaction of several clients needs --transaction_db or "
           "--optimistic_transaction_db";
  }
  return "";
}

}  // namespace

std::vector<NamedWorkload> TransactionWorkloads() {
  return {{.name = "randomtransaction",
           .help = "N transactions over --transaction_sets keys each, verified",
           .run = [](Client* client) { Adder(client).Run(); },
           .refusal = WhyNoTransactions,
           .after = Verify}};
}

}  // namespace db_bench
