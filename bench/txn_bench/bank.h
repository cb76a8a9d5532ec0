// A bank: accounts of one balance each in a TransactionDB, and clients that move money between two
// of them in a transaction. However it goes, the sum of all balances stays.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "db_bench/generator.h"
#include "kv_bench/engine.h"
#include "kv_bench/meter.h"
#include "txn_bench/engine.h"

namespace txn_bench {

// What all clients share. Constant while they run, but for the atomics.
struct Bank {
  const kv_bench::Engine* engine = nullptr;
  const Transactions* transactions = nullptr;
  rocksdb_transactiondb_t* db = nullptr;
  rocksdb_readoptions_t* reading = nullptr;
  rocksdb_writeoptions_t* writing = nullptr;
  rocksdb_transaction_options_t* options = nullptr;
  uint64_t accounts = 0;
  uint64_t value_size = 0;  // bytes; the balance and what fills it up
  bool ordered = true;      // a transfer locks the account with the lower number first
  uint64_t begin = 0;       // of the run, a now_nanos() value
  uint64_t deadline = 0;    // a now_nanos() value
  const db_bench::ValueGenerator* values = nullptr;
  kv_bench::Pauses pauses;
  std::atomic<int> ready{0};  // clients that are about to wait
};

struct Client {
  Client(Bank* bank_, uint64_t seed) : bank(bank_), numbers(seed) {}

  Bank* const bank;
  db_bench::Random numbers;
  kv_bench::Measured measured;
  uint64_t refused = 0;  // attempts that ended with a timeout, a deadlock or a conflict
  std::string error;     // anything else, after which the client stopped
};

constexpr int64_t kFirstBalance = 1000;

// Writes every account with kFirstBalance. Empty: done; else what went wrong.
std::string OpenAccounts(const Bank& bank);
// Transfers until the deadline. A refused attempt is rolled back and tried again.
void Transfer(Client* client);
// Locks account 0, and waits for it for as long as it takes. Counts itself in bank->ready before.
void WaitForAccount(Client* client);
// The sum of all balances. False: *error.
bool SumOf(const Bank& bank, int64_t* sum, std::string* error);

}  // namespace txn_bench
