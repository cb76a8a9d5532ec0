/* The C interface: databases whose transactions look for conflicts when they commit
   (rocksdb/utilities/optimistic_transaction_db.h). Part of rocksdb/c.h, which includes it. A
   transaction's functions are in c_transactions.h. */
#ifndef ROCKSDB_INCLUDE_C_OPTIMISTIC_TRANSACTIONS_H_
#define ROCKSDB_INCLUDE_C_OPTIMISTIC_TRANSACTIONS_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options: the fields of the same names in OptimisticTransactionOptions and
   OptimisticTransactionDBOptions */

extern ROCKSDB_LIBRARY_API rocksdb_optimistictransaction_options_t*
rocksdb_optimistictransaction_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransaction_options_destroy(
    rocksdb_optimistictransaction_options_t* opt);
/* A snapshot at the begin: keys that somebody writes since are conflicts. */
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransaction_options_set_set_snapshot(
    rocksdb_optimistictransaction_options_t* opt, unsigned char v);
/* Newer than RocksDB 10.4, as all that follows up to rocksdb_optimistictransactiondb_open(). */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_optimistictransaction_options_get_set_snapshot(
    rocksdb_optimistictransaction_options_t* opt);

extern ROCKSDB_LIBRARY_API rocksdb_optimistictransactiondb_options_t*
rocksdb_optimistictransactiondb_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_options_destroy(
    rocksdb_optimistictransactiondb_options_t* opt);
/* 0: one commit at a time is validated; 1: side by side, with locks of buckets of keys. */
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_options_set_validate_policy(
    rocksdb_optimistictransactiondb_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_optimistictransactiondb_options_get_validate_policy(
    rocksdb_optimistictransactiondb_options_t* opt);
/* Buckets of the database's own. */
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_options_set_occ_lock_buckets(
    rocksdb_optimistictransactiondb_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API uint32_t rocksdb_optimistictransactiondb_options_get_occ_lock_buckets(
    rocksdb_optimistictransactiondb_options_t* opt);
/* Buckets that several databases share; NULL: none. May be destroyed while options or databases use
   them. `cache_aligned`: each has a cache line of its own. */
extern ROCKSDB_LIBRARY_API rocksdb_optimistictransactiondb_lock_buckets_t*
rocksdb_optimistictransactiondb_lock_buckets_create(size_t bucket_count,
                                                    unsigned char cache_aligned);
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_lock_buckets_destroy(
    rocksdb_optimistictransactiondb_lock_buckets_t* lock_buckets);
/* Bytes. */
extern ROCKSDB_LIBRARY_API size_t
rocksdb_optimistictransactiondb_lock_buckets_approximate_memory_usage(
    rocksdb_optimistictransactiondb_lock_buckets_t* lock_buckets);
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_options_set_shared_lock_buckets(
    rocksdb_optimistictransactiondb_options_t* opt,
    rocksdb_optimistictransactiondb_lock_buckets_t* lock_buckets);

/* ---- Opening and closing. NULL on failure */

extern ROCKSDB_LIBRARY_API rocksdb_optimistictransactiondb_t* rocksdb_optimistictransactiondb_open(
    const rocksdb_options_t* options, const char* name, char** errptr);
/* As rocksdb_open_column_families(). */
extern ROCKSDB_LIBRARY_API rocksdb_optimistictransactiondb_t*
rocksdb_optimistictransactiondb_open_column_families(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr);
/* Newer than RocksDB 10.4. */
extern ROCKSDB_LIBRARY_API rocksdb_optimistictransactiondb_t*
rocksdb_optimistictransactiondb_open_with_otxn_db_options(
    const rocksdb_options_t* options,
    const rocksdb_optimistictransactiondb_options_t* otxn_db_options, const char* name,
    char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_optimistictransactiondb_t*
rocksdb_optimistictransactiondb_open_column_families_with_otxn_db_options(
    const rocksdb_options_t* options,
    const rocksdb_optimistictransactiondb_options_t* otxn_db_options, const char* name,
    int num_column_families, const char* const* column_family_names,
    const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr);
/* Transactions, handles, base databases and what these gave out must be gone before. */
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_close(
    rocksdb_optimistictransactiondb_t* otxn_db);
/* The database, for all that a rocksdb_t can do. Not for rocksdb_close(), but for
   rocksdb_optimistictransactiondb_close_base_db(), which closes nothing. Its writes are conflicts
   as those of transactions are, unless they come at the very moment of a commit. */
extern ROCKSDB_LIBRARY_API rocksdb_t* rocksdb_optimistictransactiondb_get_base_db(
    rocksdb_optimistictransactiondb_t* otxn_db);
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_close_base_db(rocksdb_t* base_db);

/* ---- Transactions */

/* `old_txn`, if not NULL, is a transaction of this database that is over: it becomes the new one,
   which is returned, and keeps its memory. For rocksdb_transaction_destroy(). */
extern ROCKSDB_LIBRARY_API rocksdb_transaction_t* rocksdb_optimistictransaction_begin(
    rocksdb_optimistictransactiondb_t* otxn_db, const rocksdb_writeoptions_t* write_options,
    const rocksdb_optimistictransaction_options_t* otxn_options, rocksdb_transaction_t* old_txn);
/* Without a transaction, and a conflict for those whose keys it writes. */
extern ROCKSDB_LIBRARY_API void rocksdb_optimistictransactiondb_write(
    rocksdb_optimistictransactiondb_t* otxn_db, const rocksdb_writeoptions_t* options,
    rocksdb_writebatch_t* batch, char** errptr);

/* ---- Administration: as the functions of rocksdb_t */

extern ROCKSDB_LIBRARY_API char* rocksdb_optimistictransactiondb_property_value(
    rocksdb_optimistictransactiondb_t* db, const char* propname);
extern ROCKSDB_LIBRARY_API int rocksdb_optimistictransactiondb_property_int(
    rocksdb_optimistictransactiondb_t* db, const char* propname, uint64_t* out_val);
/* For rocksdb_checkpoint_create() and rocksdb_checkpoint_object_destroy(). NULL on failure. */
extern ROCKSDB_LIBRARY_API rocksdb_checkpoint_t*
rocksdb_optimistictransactiondb_checkpoint_object_create(rocksdb_optimistictransactiondb_t* otxn_db,
                                                         char** errptr);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_OPTIMISTIC_TRANSACTIONS_H_ */
