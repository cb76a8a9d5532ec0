// The C interface: databases whose transactions lock their keys, and the options of both.
#include <string>
#include <vector>

#include "c/c_answers.h"
#include "c/c_objects.h"
#include "c/c_transaction_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::GetBy;
using cairn::GetPinnedBy;
using cairn::Handles;
using cairn::Report;
using cairn::Slices;

struct rocksdb_transactiondb_options_t {
  TransactionDBOptions rep;
};
struct rocksdb_transaction_options_t {
  TransactionOptions rep;
};

extern "C" {

rocksdb_transactiondb_options_t* rocksdb_transactiondb_options_create() {
  return new rocksdb_transactiondb_options_t;
}
void rocksdb_transactiondb_options_destroy(rocksdb_transactiondb_options_t* opt) { delete opt; }
CAIRN_C_OPTION(transactiondb_options, int64_t, max_num_locks)
CAIRN_C_OPTION(transactiondb_options, size_t, num_stripes)
CAIRN_C_OPTION(transactiondb_options, int64_t, transaction_lock_timeout)
CAIRN_C_OPTION(transactiondb_options, int64_t, default_lock_timeout)
CAIRN_C_OPTION(transactiondb_options, uint32_t, max_num_deadlocks)
CAIRN_C_OPTION(transactiondb_options, int, write_policy)
CAIRN_C_OPTION(transactiondb_options, unsigned char, rollback_merge_operands)
CAIRN_C_OPTION(transactiondb_options, unsigned char, use_per_key_point_lock_mgr)
CAIRN_C_OPTION(transactiondb_options, unsigned char, skip_concurrency_control)
CAIRN_C_OPTION(transactiondb_options, int64_t, default_write_batch_flush_threshold)
CAIRN_C_OPTION(transactiondb_options, unsigned char, enable_udt_validation)
CAIRN_C_OPTION(transactiondb_options, uint32_t, txn_commit_bypass_memtable_threshold)

rocksdb_transaction_options_t* rocksdb_transaction_options_create() {
  return new rocksdb_transaction_options_t;
}
void rocksdb_transaction_options_destroy(rocksdb_transaction_options_t* opt) { delete opt; }
CAIRN_C_OPTION(transaction_options, unsigned char, set_snapshot)
CAIRN_C_OPTION(transaction_options, unsigned char, deadlock_detect)
CAIRN_C_OPTION(transaction_options, int64_t, lock_timeout)
CAIRN_C_OPTION(transaction_options, int64_t, expiration)
CAIRN_C_OPTION(transaction_options, int64_t, deadlock_detect_depth)
CAIRN_C_OPTION(transaction_options, size_t, max_write_batch_size)
CAIRN_C_OPTION(transaction_options, unsigned char, skip_prepare)
CAIRN_C_OPTION(transaction_options, unsigned char, use_only_the_last_commit_time_batch_for_recovery)
CAIRN_C_OPTION(transaction_options, int64_t, deadlock_timeout_us)
CAIRN_C_OPTION(transaction_options, unsigned char, skip_concurrency_control)
CAIRN_C_OPTION(transaction_options, int64_t, write_batch_flush_threshold)
CAIRN_C_OPTION(transaction_options, unsigned char, write_batch_track_timestamp_size)
CAIRN_C_OPTION(transaction_options, unsigned char, commit_bypass_memtable)
CAIRN_C_OPTION(transaction_options, uint32_t, large_txn_commit_optimize_threshold)
CAIRN_C_OPTION(transaction_options, uint64_t, large_txn_commit_optimize_byte_threshold)

// Opening and closing
rocksdb_transactiondb_t* rocksdb_transactiondb_open(
    const rocksdb_options_t* options, const rocksdb_transactiondb_options_t* txn_db_options,
    const char* name, char** errptr) {
  TransactionDB* db = nullptr;
  if (!Report(errptr, TransactionDB::Open(options->rep, txn_db_options->rep, name, &db))) {
    return nullptr;
  }
  return new rocksdb_transactiondb_t{std::unique_ptr<TransactionDB>(db)};
}
rocksdb_transactiondb_t* rocksdb_transactiondb_open_column_families(
    const rocksdb_options_t* options, const rocksdb_transactiondb_options_t* txn_db_options,
    const char* name, int num_column_families, const char* const* column_family_names,
    const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr) {
  std::unique_ptr<TransactionDB> db = cairn::OpenFamilies<TransactionDB>(
      num_column_families, column_family_names, column_family_options, column_family_handles,
      errptr, [&](const auto& families, auto* handles, TransactionDB** opened) {
        return TransactionDB::Open(DBOptions(options->rep), txn_db_options->rep, name, families,
                                   handles, opened);
      });
  return db == nullptr ? nullptr : new rocksdb_transactiondb_t{std::move(db)};
}
void rocksdb_transactiondb_close(rocksdb_transactiondb_t* txn_db) { delete txn_db; }
rocksdb_t* rocksdb_transactiondb_get_base_db(rocksdb_transactiondb_t* txn_db) {
  return cairn::LendBase(txn_db->rep.get());
}
void rocksdb_transactiondb_close_base_db(rocksdb_t* base_db) { cairn::EndLoan(base_db); }
rocksdb_column_family_handle_t* rocksdb_transactiondb_create_column_family(
    rocksdb_transactiondb_t* txn_db, const rocksdb_options_t* column_family_options,
    const char* column_family_name, char** errptr) {
  return cairn::CreateFamily(txn_db->rep.get(), column_family_options, column_family_name, errptr);
}

// Transactions
rocksdb_transaction_t* rocksdb_transaction_begin(rocksdb_transactiondb_t* txn_db,
                                                 const rocksdb_writeoptions_t* write_options,
                                                 const rocksdb_transaction_options_t* txn_options,
                                                 rocksdb_transaction_t* old_txn) {
  return cairn::Begin(txn_db->rep.get(), write_options->rep, txn_options->rep, old_txn);
}
rocksdb_transaction_t** rocksdb_transactiondb_get_prepared_transactions(
    rocksdb_transactiondb_t* txn_db, size_t* cnt) {
  std::vector<Transaction*> prepared;
  txn_db->rep->GetAllPreparedTransactions(&prepared);
  *cnt = prepared.size();
  if (prepared.empty()) return nullptr;
  auto** const list = static_cast<rocksdb_transaction_t**>(
      std::malloc(sizeof(rocksdb_transaction_t*) * prepared.size()));
  for (size_t i = 0; i < prepared.size(); ++i) {
    list[i] = new rocksdb_transaction_t{std::unique_ptr<Transaction>(prepared[i])};
  }
  return list;
}

// Writing
void rocksdb_transactiondb_put(rocksdb_transactiondb_t* txn_db,
                               const rocksdb_writeoptions_t* options, const char* key, size_t klen,
                               const char* val, size_t vlen, char** errptr) {
  Report(errptr, txn_db->rep->Put(options->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_transactiondb_put_cf(rocksdb_transactiondb_t* txn_db,
                                  const rocksdb_writeoptions_t* options,
                                  rocksdb_column_family_handle_t* column_family, const char* key,
                                  size_t keylen, const char* val, size_t vallen, char** errptr) {
  Report(errptr, txn_db->rep->Put(options->rep, column_family->rep, Slice(key, keylen),
                                  Slice(val, vallen)));
}
void rocksdb_transactiondb_delete(rocksdb_transactiondb_t* txn_db,
                                  const rocksdb_writeoptions_t* options, const char* key,
                                  size_t klen, char** errptr) {
  Report(errptr, txn_db->rep->Delete(options->rep, Slice(key, klen)));
}
void rocksdb_transactiondb_delete_cf(rocksdb_transactiondb_t* txn_db,
                                     const rocksdb_writeoptions_t* options,
                                     rocksdb_column_family_handle_t* column_family, const char* key,
                                     size_t keylen, char** errptr) {
  Report(errptr, txn_db->rep->Delete(options->rep, column_family->rep, Slice(key, keylen)));
}
void rocksdb_transactiondb_merge(rocksdb_transactiondb_t* txn_db,
                                 const rocksdb_writeoptions_t* options, const char* key,
                                 size_t klen, const char* val, size_t vlen, char** errptr) {
  Report(errptr, txn_db->rep->Merge(options->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_transactiondb_merge_cf(rocksdb_transactiondb_t* txn_db,
                                    const rocksdb_writeoptions_t* options,
                                    rocksdb_column_family_handle_t* column_family, const char* key,
                                    size_t klen, const char* val, size_t vlen, char** errptr) {
  Report(errptr,
         txn_db->rep->Merge(options->rep, column_family->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_transactiondb_write(rocksdb_transactiondb_t* txn_db,
                                 const rocksdb_writeoptions_t* options, rocksdb_writebatch_t* batch,
                                 char** errptr) {
  Report(errptr, txn_db->rep->Write(options->rep, &batch->rep));
}

// Reading
char* rocksdb_transactiondb_get(rocksdb_transactiondb_t* txn_db,
                                const rocksdb_readoptions_t* options, const char* key, size_t klen,
                                size_t* vlen, char** errptr) {
  return GetBy(vlen, errptr, [&](PinnableSlice* value) {
    return txn_db->rep->Get(options->rep, txn_db->rep->DefaultColumnFamily(), Slice(key, klen),
                            value);
  });
}
char* rocksdb_transactiondb_get_cf(rocksdb_transactiondb_t* txn_db,
                                   const rocksdb_readoptions_t* options,
                                   rocksdb_column_family_handle_t* column_family, const char* key,
                                   size_t keylen, size_t* vallen, char** errptr) {
  return GetBy(vallen, errptr, [&](PinnableSlice* value) {
    return txn_db->rep->Get(options->rep, column_family->rep, Slice(key, keylen), value);
  });
}
rocksdb_pinnableslice_t* rocksdb_transactiondb_get_pinned(rocksdb_transactiondb_t* txn_db,
                                                          const rocksdb_readoptions_t* options,
                                                          const char* key, size_t klen,
                                                          char** errptr) {
  return GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return txn_db->rep->Get(options->rep, txn_db->rep->DefaultColumnFamily(), Slice(key, klen),
                            value);
  });
}
rocksdb_pinnableslice_t* rocksdb_transactiondb_get_pinned_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, char** errptr) {
  return GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return txn_db->rep->Get(options->rep, column_family->rep, Slice(key, keylen), value);
  });
}
void rocksdb_transactiondb_multi_get(rocksdb_transactiondb_t* txn_db,
                                     const rocksdb_readoptions_t* options, size_t num_keys,
                                     const char* const* keys_list, const size_t* keys_list_sizes,
                                     char** values_list, size_t* values_list_sizes, char** errs) {
  cairn::MultiGetFrom(txn_db->rep.get(), options->rep, txn_db->rep->DefaultColumnFamily(),
                      Slices(num_keys, keys_list, keys_list_sizes), values_list, values_list_sizes,
                      errs);
}
void rocksdb_transactiondb_multi_get_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options,
    const rocksdb_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs) {
  cairn::MultiGetFrom(txn_db->rep.get(), options->rep, Handles(num_keys, column_families),
                      Slices(num_keys, keys_list, keys_list_sizes), values_list, values_list_sizes,
                      errs);
}
rocksdb_iterator_t* rocksdb_transactiondb_create_iterator(rocksdb_transactiondb_t* txn_db,
                                                          const rocksdb_readoptions_t* options) {
  return cairn::Own(txn_db->rep->NewIterator(options->rep));
}
rocksdb_iterator_t* rocksdb_transactiondb_create_iterator_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family) {
  return cairn::Own(txn_db->rep->NewIterator(options->rep, column_family->rep));
}
const rocksdb_snapshot_t* rocksdb_transactiondb_create_snapshot(rocksdb_transactiondb_t* txn_db) {
  return new rocksdb_snapshot_t{txn_db->rep->GetSnapshot()};
}
void rocksdb_transactiondb_release_snapshot(rocksdb_transactiondb_t* txn_db,
                                            const rocksdb_snapshot_t* snapshot) {
  txn_db->rep->ReleaseSnapshot(snapshot->rep);
  delete snapshot;
}

// Administration
char* rocksdb_transactiondb_property_value(rocksdb_transactiondb_t* db, const char* propname) {
  return cairn::PropertyOf(db->rep.get(), propname);
}
int rocksdb_transactiondb_property_int(rocksdb_transactiondb_t* db, const char* propname,
                                       uint64_t* out_val) {
  return db->rep->GetIntProperty(propname, out_val) ? 0 : -1;
}
void rocksdb_transactiondb_flush(rocksdb_transactiondb_t* txn_db,
                                 const rocksdb_flushoptions_t* options, char** errptr) {
  Report(errptr, txn_db->rep->Flush(options->rep));
}
void rocksdb_transactiondb_flush_cf(rocksdb_transactiondb_t* txn_db,
                                    const rocksdb_flushoptions_t* options,
                                    rocksdb_column_family_handle_t* column_family, char** errptr) {
  Report(errptr, txn_db->rep->Flush(options->rep, column_family->rep));
}
void rocksdb_transactiondb_flush_cfs(rocksdb_transactiondb_t* txn_db,
                                     const rocksdb_flushoptions_t* options,
                                     rocksdb_column_family_handle_t** column_families,
                                     int num_column_families, char** errptr) {
  Report(errptr, txn_db->rep->Flush(options->rep, Handles(num_column_families, column_families)));
}
void rocksdb_transactiondb_flush_wal(rocksdb_transactiondb_t* txn_db, unsigned char sync,
                                     char** errptr) {
  Report(errptr, txn_db->rep->FlushWAL(sync != 0));
}

}  // extern "C"
