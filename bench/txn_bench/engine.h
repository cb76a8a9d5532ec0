// The transactions of an engine under test: RocksDB's C interface of TransactionDB, looked up in
// the same library as kv_bench's functions.
#pragma once

#include <string>

#include "rocksdb/c.h"

namespace txn_bench {

// Constant once loaded.
struct Transactions {
  // clang-format off: it never comes to rest on this list
#define TXN_BENCH_FUNCTIONS(F) \
  F(rocksdb_transactiondb_options_create) F(rocksdb_transactiondb_options_destroy) \
  F(rocksdb_transactiondb_options_set_transaction_lock_timeout) \
  F(rocksdb_transactiondb_open) \
  F(rocksdb_transactiondb_close) F(rocksdb_transactiondb_write) \
  F(rocksdb_transactiondb_create_iterator) F(rocksdb_transaction_options_create) \
  F(rocksdb_transaction_options_destroy) F(rocksdb_transaction_options_set_deadlock_detect) \
  F(rocksdb_transaction_begin) F(rocksdb_transaction_get_for_update) F(rocksdb_transaction_put) \
  F(rocksdb_transaction_commit) F(rocksdb_transaction_rollback) F(rocksdb_transaction_destroy)
  // clang-format on
#define TXN_BENCH_POINTER(name) decltype(&::name) name = nullptr;
  TXN_BENCH_FUNCTIONS(TXN_BENCH_POINTER)
#undef TXN_BENCH_POINTER
};

// Opens library `name` (a path, or a name that the dynamic linker finds) and looks up every
// function. False: *error says what is missing. The library is never closed.
bool Load(const std::string& name, Transactions* transactions, std::string* error);

}  // namespace txn_bench
