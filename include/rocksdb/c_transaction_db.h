/* The C interface: databases whose transactions lock their keys
   (rocksdb/utilities/transaction_db.h). Part of rocksdb/c.h, which includes it. Functions that get
   an option, and those that set what no comment explains, are newer than RocksDB 10.4. */
#ifndef ROCKSDB_INCLUDE_C_TRANSACTION_DB_H_
#define ROCKSDB_INCLUDE_C_TRANSACTION_DB_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options: the fields of the same names in TransactionDBOptions say what each is */

extern ROCKSDB_LIBRARY_API rocksdb_transactiondb_options_t* rocksdb_transactiondb_options_create(
    void);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_destroy(
    rocksdb_transactiondb_options_t* opt);
/* Keys of one column family that may be locked at once; not positive: no limit. */
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_max_num_locks(
    rocksdb_transactiondb_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transactiondb_options_get_max_num_locks(rocksdb_transactiondb_options_t* opt);
/* Parts of the lock table. */
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_num_stripes(
    rocksdb_transactiondb_options_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_transactiondb_options_get_num_stripes(rocksdb_transactiondb_options_t* opt);
/* How long a transaction waits for a key, in milliseconds, if its own options do not say; negative:
   for ever. */
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_transaction_lock_timeout(
    rocksdb_transactiondb_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transactiondb_options_get_transaction_lock_timeout(rocksdb_transactiondb_options_t* opt);
/* The same of writes without a transaction. */
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_default_lock_timeout(
    rocksdb_transactiondb_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transactiondb_options_get_default_lock_timeout(rocksdb_transactiondb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_max_num_deadlocks(
    rocksdb_transactiondb_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_transactiondb_options_get_max_num_deadlocks(rocksdb_transactiondb_options_t* opt);
/* What it means: TransactionDBOptions::write_policy. Newer than
   RocksDB 10.4. */
enum {
  rocksdb_txndb_write_policy_write_committed = 0,
  rocksdb_txndb_write_policy_write_prepared = 1,
  rocksdb_txndb_write_policy_write_unprepared = 2,
};
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_write_policy(
    rocksdb_transactiondb_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_transactiondb_options_get_write_policy(
    rocksdb_transactiondb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_rollback_merge_operands(
    rocksdb_transactiondb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transactiondb_options_get_rollback_merge_operands(
    rocksdb_transactiondb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_use_per_key_point_lock_mgr(
    rocksdb_transactiondb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_transactiondb_options_get_use_per_key_point_lock_mgr(rocksdb_transactiondb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_skip_concurrency_control(
    rocksdb_transactiondb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transactiondb_options_get_skip_concurrency_control(
    rocksdb_transactiondb_options_t* opt);
extern ROCKSDB_LIBRARY_API void
rocksdb_transactiondb_options_set_default_write_batch_flush_threshold(
    rocksdb_transactiondb_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transactiondb_options_get_default_write_batch_flush_threshold(
    rocksdb_transactiondb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_options_set_enable_udt_validation(
    rocksdb_transactiondb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transactiondb_options_get_enable_udt_validation(
    rocksdb_transactiondb_options_t* opt);
extern ROCKSDB_LIBRARY_API void
rocksdb_transactiondb_options_set_txn_commit_bypass_memtable_threshold(
    rocksdb_transactiondb_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_transactiondb_options_get_txn_commit_bypass_memtable_threshold(
    rocksdb_transactiondb_options_t* opt);

/* ---- Options of a transaction: the fields of TransactionOptions */

extern ROCKSDB_LIBRARY_API rocksdb_transaction_options_t* rocksdb_transaction_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_destroy(
    rocksdb_transaction_options_t* opt);
/* A snapshot at the begin: keys that somebody writes since are conflicts. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_set_snapshot(
    rocksdb_transaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transaction_options_get_set_snapshot(
    rocksdb_transaction_options_t* opt);
/* A deadlock is an error at once; else it ends by the timeout. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_deadlock_detect(
    rocksdb_transaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transaction_options_get_deadlock_detect(
    rocksdb_transaction_options_t* opt);
/* Milliseconds; 0: it does not wait; negative: transaction_lock_timeout of the database. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_lock_timeout(
    rocksdb_transaction_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transaction_options_get_lock_timeout(rocksdb_transaction_options_t* opt);
/* Milliseconds after which others may take its locks, and it cannot be committed; negative: never.
 */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_expiration(
    rocksdb_transaction_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transaction_options_get_expiration(rocksdb_transaction_options_t* opt);
/* How many transactions a search visits before it takes it for a deadlock. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_deadlock_detect_depth(
    rocksdb_transaction_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transaction_options_get_deadlock_detect_depth(rocksdb_transaction_options_t* opt);
/* Bytes of its writes; 0: no limit. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_max_write_batch_size(
    rocksdb_transaction_options_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_transaction_options_get_max_write_batch_size(rocksdb_transaction_options_t* opt);
/* 0: a commit without rocksdb_transaction_prepare() is an error. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_skip_prepare(
    rocksdb_transaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transaction_options_get_skip_prepare(
    rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void
rocksdb_transaction_options_set_use_only_the_last_commit_time_batch_for_recovery(
    rocksdb_transaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_transaction_options_get_use_only_the_last_commit_time_batch_for_recovery(
    rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_deadlock_timeout_us(
    rocksdb_transaction_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transaction_options_get_deadlock_timeout_us(rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_skip_concurrency_control(
    rocksdb_transaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transaction_options_get_skip_concurrency_control(
    rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_write_batch_flush_threshold(
    rocksdb_transaction_options_t* opt, int64_t v);
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_transaction_options_get_write_batch_flush_threshold(rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_write_batch_track_timestamp_size(
    rocksdb_transaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_transaction_options_get_write_batch_track_timestamp_size(
    rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_commit_bypass_memtable(
    rocksdb_transaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_transaction_options_get_commit_bypass_memtable(
    rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_options_set_large_txn_commit_optimize_threshold(
    rocksdb_transaction_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_transaction_options_get_large_txn_commit_optimize_threshold(
    rocksdb_transaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void
rocksdb_transaction_options_set_large_txn_commit_optimize_byte_threshold(
    rocksdb_transaction_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_transaction_options_get_large_txn_commit_optimize_byte_threshold(
    rocksdb_transaction_options_t* opt);

/* ---- Opening and closing */

/* NULL on failure. */
extern ROCKSDB_LIBRARY_API rocksdb_transactiondb_t* rocksdb_transactiondb_open(
    const rocksdb_options_t* options, const rocksdb_transactiondb_options_t* txn_db_options,
    const char* name, char** errptr);
/* As rocksdb_open_column_families(). */
extern ROCKSDB_LIBRARY_API rocksdb_transactiondb_t* rocksdb_transactiondb_open_column_families(
    const rocksdb_options_t* options, const rocksdb_transactiondb_options_t* txn_db_options,
    const char* name, int num_column_families, const char* const* column_family_names,
    const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr);
/* Transactions, iterators, snapshots, pinned values, handles and base databases must be gone
   before. */
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_close(rocksdb_transactiondb_t* txn_db);
/* The database without its transactions, for functions that want a rocksdb_t. Not for
   rocksdb_close(), but for rocksdb_transactiondb_close_base_db(), which closes nothing. Its writes
   lock nothing. Newer than RocksDB 7.8. */
extern ROCKSDB_LIBRARY_API rocksdb_t* rocksdb_transactiondb_get_base_db(
    rocksdb_transactiondb_t* txn_db);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_close_base_db(rocksdb_t* base_db);
/* NULL on failure. The caller's, as that of rocksdb_create_column_family(). */
extern ROCKSDB_LIBRARY_API rocksdb_column_family_handle_t*
rocksdb_transactiondb_create_column_family(rocksdb_transactiondb_t* txn_db,
                                           const rocksdb_options_t* column_family_options,
                                           const char* column_family_name, char** errptr);

/* ---- Transactions */

/* `old_txn`, if not NULL, is a transaction of this database: it is rolled back, becomes the new
   one, which is returned, and keeps its memory. For rocksdb_transaction_destroy(). */
extern ROCKSDB_LIBRARY_API rocksdb_transaction_t* rocksdb_transaction_begin(
    rocksdb_transactiondb_t* txn_db, const rocksdb_writeoptions_t* write_options,
    const rocksdb_transaction_options_t* txn_options, rocksdb_transaction_t* old_txn);
/* Those that are prepared and neither committed nor rolled back, above all those that were so when
   the database was closed: *cnt of them, each for rocksdb_transaction_destroy(), in an array for
   rocksdb_free(). NULL: there are none. Do not ask for what somebody has from
   rocksdb_transaction_begin(): it must be destroyed once. */
extern ROCKSDB_LIBRARY_API rocksdb_transaction_t** rocksdb_transactiondb_get_prepared_transactions(
    rocksdb_transactiondb_t* txn_db, size_t* cnt);

/* ---- Without a transaction. As the functions of rocksdb_t of the same names; but what is written
   is locked meanwhile, and an error if somebody has it for too long. */

extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_put(rocksdb_transactiondb_t* txn_db,
                                                          const rocksdb_writeoptions_t* options,
                                                          const char* key, size_t klen,
                                                          const char* val, size_t vlen,
                                                          char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_put_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_writeoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, const char* val,
    size_t vallen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_delete(rocksdb_transactiondb_t* txn_db,
                                                             const rocksdb_writeoptions_t* options,
                                                             const char* key, size_t klen,
                                                             char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_delete_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_writeoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_merge(rocksdb_transactiondb_t* txn_db,
                                                            const rocksdb_writeoptions_t* options,
                                                            const char* key, size_t klen,
                                                            const char* val, size_t vlen,
                                                            char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_merge_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_writeoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t klen, const char* val,
    size_t vlen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_write(rocksdb_transactiondb_t* txn_db,
                                                            const rocksdb_writeoptions_t* options,
                                                            rocksdb_writebatch_t* batch,
                                                            char** errptr);

extern ROCKSDB_LIBRARY_API char* rocksdb_transactiondb_get(rocksdb_transactiondb_t* txn_db,
                                                           const rocksdb_readoptions_t* options,
                                                           const char* key, size_t klen,
                                                           size_t* vlen, char** errptr);
extern ROCKSDB_LIBRARY_API char* rocksdb_transactiondb_get_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, size_t* vallen,
    char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t* rocksdb_transactiondb_get_pinned(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options, const char* key,
    size_t klen, char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t* rocksdb_transactiondb_get_pinned_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_multi_get(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_multi_get_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options,
    const rocksdb_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t* rocksdb_transactiondb_create_iterator(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options);
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t* rocksdb_transactiondb_create_iterator_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family);

extern ROCKSDB_LIBRARY_API const rocksdb_snapshot_t* rocksdb_transactiondb_create_snapshot(
    rocksdb_transactiondb_t* txn_db);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_release_snapshot(
    rocksdb_transactiondb_t* txn_db, const rocksdb_snapshot_t* snapshot);

/* ---- Administration */

extern ROCKSDB_LIBRARY_API char* rocksdb_transactiondb_property_value(rocksdb_transactiondb_t* db,
                                                                      const char* propname);
extern ROCKSDB_LIBRARY_API int rocksdb_transactiondb_property_int(rocksdb_transactiondb_t* db,
                                                                  const char* propname,
                                                                  uint64_t* out_val);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_flush(rocksdb_transactiondb_t* txn_db,
                                                            const rocksdb_flushoptions_t* options,
                                                            char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_flush_cf(
    rocksdb_transactiondb_t* txn_db, const rocksdb_flushoptions_t* options,
    rocksdb_column_family_handle_t* column_family, char** errptr);
/* Newer than RocksDB 7.8. */
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_flush_cfs(
    rocksdb_transactiondb_t* txn_db, const rocksdb_flushoptions_t* options,
    rocksdb_column_family_handle_t** column_families, int num_column_families, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_flush_wal(rocksdb_transactiondb_t* txn_db,
                                                                unsigned char sync, char** errptr);
/* For rocksdb_checkpoint_create() and rocksdb_checkpoint_object_destroy(). NULL on failure. */
extern ROCKSDB_LIBRARY_API rocksdb_checkpoint_t* rocksdb_transactiondb_checkpoint_object_create(
    rocksdb_transactiondb_t* txn_db, char** errptr);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_TRANSACTION_DB_H_ */
