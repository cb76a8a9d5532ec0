/* The C interface: transactions (rocksdb/utilities/transaction.h). Part of rocksdb/c.h, which
   includes it. c_transaction_db.h and c_optimistic_transactions.h open the databases and begin
   transactions; what a transaction's functions report beyond what is said here is there, and in
   the C++ headers.

   A transaction is for one user at a time. Functions without a column family are of the default
   one. After an error that is not the database's own (a key that somebody else has, a conflict)
   the transaction is as it was before the call. */
#ifndef ROCKSDB_INCLUDE_C_TRANSACTIONS_H_
#define ROCKSDB_INCLUDE_C_TRANSACTIONS_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was not committed is forgotten. Iterators of the transaction must be gone before, and it
   before its database is closed. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_destroy(rocksdb_transaction_t* txn);

/* ---- The end */

/* Writes all, and makes it visible at once. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_commit(rocksdb_transaction_t* txn,
                                                           char** errptr);
/* Forgets all writes, and gives back all locks. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_rollback(rocksdb_transaction_t* txn,
                                                             char** errptr);
/* The first step of a commit in two; the transaction must have a name. Of a database with locks. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_prepare(rocksdb_transaction_t* txn,
                                                            char** errptr);
/* By which a prepared transaction is found again after a crash: 1 to 512 bytes that no other one
   of the database has, once. Of a database with locks. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_set_name(rocksdb_transaction_t* txn,
                                                             const char* name, size_t name_len,
                                                             char** errptr);
/* malloc()ed, *name_len bytes, not terminated; never NULL. */
extern ROCKSDB_LIBRARY_API char* rocksdb_transaction_get_name(rocksdb_transaction_t* txn,
                                                              size_t* name_len);

/* ---- Save points: a stack */

extern ROCKSDB_LIBRARY_API void rocksdb_transaction_set_savepoint(rocksdb_transaction_t* txn);
/* Forgets what came since the last save point, which is taken off. An error: there is none. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_rollback_to_savepoint(
    rocksdb_transaction_t* txn, char** errptr);

/* ---- Snapshots */

/* For rocksdb_free(), never NULL. The snapshot itself is the transaction's (see set_snapshot of its
   options), and good until it ends; given to read options where there is none, they have none. */
extern ROCKSDB_LIBRARY_API const rocksdb_snapshot_t* rocksdb_transaction_get_snapshot(
    rocksdb_transaction_t* txn);

/* ---- Reads: the transaction's own writes over the database. As the functions of rocksdb_t of the
   same names. */

extern ROCKSDB_LIBRARY_API char* rocksdb_transaction_get(rocksdb_transaction_t* txn,
                                                         const rocksdb_readoptions_t* options,
                                                         const char* key, size_t klen, size_t* vlen,
                                                         char** errptr);
extern ROCKSDB_LIBRARY_API char* rocksdb_transaction_get_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t klen, size_t* vlen,
    char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options, const char* key, size_t klen,
    char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t klen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_multi_get(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);
/* column_families[i] is that of key i. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_multi_get_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    const rocksdb_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);

/* The key is read and tracked: nobody else may write it until the transaction ends. Where keys are
   locked, others may have it, too, if `exclusive` is 0. NULL, and a message: also because it cannot
   be tracked. */
extern ROCKSDB_LIBRARY_API char* rocksdb_transaction_get_for_update(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options, const char* key, size_t klen,
    size_t* vlen, unsigned char exclusive, char** errptr);
extern ROCKSDB_LIBRARY_API char* rocksdb_transaction_get_for_update_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t klen, size_t* vlen,
    unsigned char exclusive, char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned_for_update(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options, const char* key, size_t klen,
    unsigned char exclusive, char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned_for_update_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t klen,
    unsigned char exclusive, char** errptr);
/* All are tracked, exclusively, then all are read; if one cannot be tracked, all have its message.
   Newer than RocksDB 7.8. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_multi_get_for_update(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_multi_get_for_update_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    const rocksdb_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);

/* Tracks nothing. Sees writes that the transaction makes later. */
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t* rocksdb_transaction_create_iterator(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options);
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t* rocksdb_transaction_create_iterator_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family);

/* ---- Writes: the key is tracked, and what is written seen by the transaction alone until it is
   committed. */

extern ROCKSDB_LIBRARY_API void rocksdb_transaction_put(rocksdb_transaction_t* txn, const char* key,
                                                        size_t klen, const char* val, size_t vlen,
                                                        char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_put_cf(
    rocksdb_transaction_t* txn, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* val, size_t vlen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_merge(rocksdb_transaction_t* txn,
                                                          const char* key, size_t klen,
                                                          const char* val, size_t vlen,
                                                          char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_merge_cf(
    rocksdb_transaction_t* txn, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* val, size_t vlen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_delete(rocksdb_transaction_t* txn,
                                                           const char* key, size_t klen,
                                                           char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_delete_cf(
    rocksdb_transaction_t* txn, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, char** errptr);
/* Goes into the log only, with the commit. Newer than RocksDB 10.4. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_put_log_data(rocksdb_transaction_t* txn,
                                                                 const char* blob, size_t len);

/* The writes so far. For rocksdb_free(), which leaves them as they are, not for
   rocksdb_writebatch_wi_destroy(). What is added to it directly is committed, but not tracked. */
extern ROCKSDB_LIBRARY_API rocksdb_writebatch_wi_t* rocksdb_transaction_get_writebatch_wi(
    rocksdb_transaction_t* txn);
/* Does what the batch says, each of its writes tracked. An error: a column family does not exist,
   or the batch has ranges or marks of a two-phase commit. */
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_rebuild_from_writebatch(
    rocksdb_transaction_t* txn, rocksdb_writebatch_t* writebatch, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_rebuild_from_writebatch_wi(
    rocksdb_transaction_t* txn, rocksdb_writebatch_wi_t* wi, char** errptr);

/* ---- Timestamps: see Transaction in rocksdb/utilities/transaction.h. What is refused there (a
   commit timestamp that is not larger than that for validation, one for validation that is smaller
   than the former one, a database without them) has no effect. */

extern ROCKSDB_LIBRARY_API void rocksdb_transaction_set_commit_timestamp(rocksdb_transaction_t* txn,
                                                                         uint64_t commit_timestamp);
extern ROCKSDB_LIBRARY_API void rocksdb_transaction_set_read_timestamp_for_validation(
    rocksdb_transaction_t* txn, uint64_t read_timestamp);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_TRANSACTIONS_H_ */
