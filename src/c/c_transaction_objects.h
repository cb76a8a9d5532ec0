// What stands behind the opaque types of rocksdb/c_write_batch_wi.h and rocksdb/c_transactions.h.
#pragma once

#include <memory>

#include "c/c_objects.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/utilities/write_batch_with_index.h"

// No unique_ptr: what a transaction lends lies in malloc()ed memory and goes by rocksdb_free().
struct rocksdb_writebatch_wi_t {
  rocksdb::WriteBatchWithIndex* rep;
};
struct rocksdb_transactiondb_t {
  std::unique_ptr<rocksdb::TransactionDB> rep;
};
struct rocksdb_optimistictransactiondb_t {
  std::unique_ptr<rocksdb::OptimisticTransactionDB> rep;
};
struct rocksdb_transaction_t {
  std::unique_ptr<rocksdb::Transaction> rep;
};

namespace cairn {

// The database under one with transactions, for rocksdb_..._close_base_db().
inline rocksdb_t* LendBase(rocksdb::StackableDB* db) {
  return new rocksdb_t{std::unique_ptr<rocksdb::DB>(db->GetBaseDB())};
}
inline void EndLoan(rocksdb_t* base) {
  // The owner has it.
  (void)base->rep.release();
  delete base;
}

// `old` is null, or becomes the new one.
template <class Database, class Options>
rocksdb_transaction_t* Begin(Database* db, const rocksdb::WriteOptions& write_options,
                             const Options& options, rocksdb_transaction_t* old) {
  if (old == nullptr) {
    return new rocksdb_transaction_t{
        std::unique_ptr<rocksdb::Transaction>(db->BeginTransaction(write_options, options))};
  }
  old->rep.reset(db->BeginTransaction(write_options, options, old->rep.release()));
  return old;
}

}  // namespace cairn
