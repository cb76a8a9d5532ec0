#include "txn_bench/bank.h"

#include <algorithm>
#include <cstring>

namespace txn_bench {
namespace {

constexpr size_t kKeySize = 16;
constexpr uint64_t kAccountsInABatch = 1000;

// The balance is the first eight bytes of a value, in the machine's order.
int64_t BalanceOf(const char* value) {
  int64_t balance;
  std::memcpy(&balance, value, sizeof balance);
  return balance;
}

// A transaction of its own for each transfer; the object is used again, as RocksDB advises.
class Attempt {
 public:
  explicit Attempt(const Bank& bank)
      : bank_(bank),
        engine_(*bank.engine),
        calls_(*bank.transactions),
        first_key_(kKeySize),
        second_key_(kKeySize) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    if (transaction_ != nullptr) calls_.rocksdb_transaction_destroy(transaction_);
  }

  // Moves `amount` from one account to another. False: *error, and nothing is moved or locked.
  bool Move(uint64_t from, uint64_t to, int64_t amount, std::string* error) {
    transaction_ =
        calls_.rocksdb_transaction_begin(bank_.db, bank_.writing, bank_.options, transaction_);
    const bool swap = bank_.ordered && from > to;
    const rocksdb::Slice first = first_key_.Set(swap ? to : from);
    const rocksdb::Slice second = second_key_.Set(swap ? from : to);
    const int64_t first_change = swap ? amount : -amount;
    std::string first_value, second_value;
    char* message = nullptr;
    if (Lock(first, &first_value, error) && Lock(second, &second_value, error) &&
        Change(first, &first_value, first_change, error) &&
        Change(second, &second_value, -first_change, error)) {
      calls_.rocksdb_transaction_commit(transaction_, &message);
      if (message == nullptr) return true;
      Take(message, error);
    }
    message = nullptr;
    calls_.rocksdb_transaction_rollback(transaction_, &message);
    engine_.rocksdb_free(message);
    return false;
  }

  // Locks the account, and lets go at once.
  bool Wait(uint64_t account, std::string* error) {
    transaction_ =
        calls_.rocksdb_transaction_begin(bank_.db, bank_.writing, bank_.options, transaction_);
    std::string value;
    const bool locked = Lock(first_key_.Set(account), &value, error);
    char* message = nullptr;
    calls_.rocksdb_transaction_rollback(transaction_, &message);
    engine_.rocksdb_free(message);
    return locked;
  }

 private:
  void Take(char* message, std::string* error) {
    *error = message;
    engine_.rocksdb_free(message);
  }

  bool Lock(rocksdb::Slice key, std::string* value, std::string* error) {
    char* message = nullptr;
    size_t size = 0;
    char* const read = calls_.rocksdb_transaction_get_for_update(
        transaction_, bank_.reading, key.data(), key.size(), &size, 1, &message);
    if (message != nullptr) {
      Take(message, error);
      return false;
    }
    if (read == nullptr || size < sizeof(int64_t)) {
      engine_.rocksdb_free(read);
      *error = "an account is missing";
      return false;
    }
    value->assign(read, size);
    engine_.rocksdb_free(read);
    return true;
  }

  bool Change(rocksdb::Slice key, std::string* value, int64_t change, std::string* error) {
    const int64_t balance = BalanceOf(value->data()) + change;
    std::memcpy(value->data(), &balance, sizeof balance);
    char* message = nullptr;
    calls_.rocksdb_transaction_put(transaction_, key.data(), key.size(), value->data(),
                                   value->size(), &message);
    if (message == nullptr) return true;
    Take(message, error);
    return false;
  }

  const Bank& bank_;
  const kv_bench::Engine& engine_;
  const Transactions& calls_;
  db_bench::KeyBuffer first_key_, second_key_;
  rocksdb_transaction_t* transaction_ = nullptr;
};

// What two clients who want the same accounts may expect, and try again after.
bool MayTryAgain(const std::string& error) {
  return error.starts_with("Operation timed out") || error.starts_with("Resource busy") ||
         error.starts_with("Operation failed. Try again.");
}

}  // namespace

std::string OpenAccounts(const Bank& bank) {
  db_bench::ValueGenerator values = *bank.values;
  db_bench::KeyBuffer key(kKeySize);
  rocksdb_writebatch_t* const batch = bank.engine->rocksdb_writebatch_create();
  char* message = nullptr;
  for (uint64_t begin = 0; begin < bank.accounts && message == nullptr;
       begin += kAccountsInABatch) {
    bank.engine->rocksdb_writebatch_clear(batch);
    const uint64_t end = std::min(bank.accounts, begin + kAccountsInABatch);
    for (uint64_t account = begin; account < end; ++account) {
      const rocksdb::Slice text = values.Next(bank.value_size);
      std::string value(text.data(), text.size());
      std::memcpy(value.data(), &kFirstBalance, sizeof kFirstBalance);
      const rocksdb::Slice name = key.Set(account);
      bank.engine->rocksdb_writebatch_put(batch, name.data(), name.size(), value.data(),
                                          value.size());
    }
    bank.transactions->rocksdb_transactiondb_write(bank.db, bank.writing, batch, &message);
  }
  bank.engine->rocksdb_writebatch_destroy(batch);
  const std::string error = message == nullptr ? "" : message;
  bank.engine->rocksdb_free(message);
  return error;
}

void Transfer(Client* client) {
  Bank& bank = *client->bank;
  Attempt attempt(bank);
  kv_bench::Meter meter(&client->measured, &bank.pauses, bank.begin);
  for (uint64_t now = bank.begin; now < bank.deadline;) {
    const uint64_t from = client->numbers.Uniform(bank.accounts);
    // Another one: as far from `from` as the second number says, around the end.
    const uint64_t to = (from + 1 + client->numbers.Uniform(bank.accounts - 1)) % bank.accounts;
    const auto amount = static_cast<int64_t>(1 + client->numbers.Uniform(100));
    std::string error;
    while (!attempt.Move(from, to, amount, &error)) {
      if (!MayTryAgain(error)) {
        client->error = error;
        return;
      }
      ++client->refused;
      if (fiber::now_nanos() >= bank.deadline) return;
    }
    now = meter.Tick(1);
  }
}

void WaitForAccount(Client* client) {
  Attempt attempt(*client->bank);
  client->bank->ready.fetch_add(1);
  attempt.Wait(0, &client->error);
}

bool SumOf(const Bank& bank, int64_t* sum, std::string* error) {
  const kv_bench::Engine& engine = *bank.engine;
  rocksdb_iterator_t* const it =
      bank.transactions->rocksdb_transactiondb_create_iterator(bank.db, bank.reading);
  *sum = 0;
  for (engine.rocksdb_iter_seek_to_first(it); engine.rocksdb_iter_valid(it);
       engine.rocksdb_iter_next(it)) {
    size_t size = 0;
    const char* const value = engine.rocksdb_iter_value(it, &size);
    if (size >= sizeof(int64_t)) *sum += BalanceOf(value);
  }
  char* message = nullptr;
  engine.rocksdb_iter_get_error(it, &message);
  engine.rocksdb_iter_destroy(it);
  if (message == nullptr) return true;
  *error = message;
  engine.rocksdb_free(message);
  return false;
}

}  // namespace txn_bench
