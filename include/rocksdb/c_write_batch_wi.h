/* The C interface: batches that can be read before they are written
   (rocksdb/utilities/write_batch_with_index.h). Part of rocksdb/c.h, which includes it.

   What a function of rocksdb_writebatch_t of the same name says is true here, too. Functions
   without a column family are of the default one. Where a record cannot be added (the batch would
   be larger than it may be) and there is no errptr, it is left out. */
#ifndef ROCKSDB_INCLUDE_C_WRITE_BATCH_WI_H_
#define ROCKSDB_INCLUDE_C_WRITE_BATCH_WI_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* reserved_bytes: room for so much at once. overwrite_keys: the index has the last update of each
   key only (a merge does not hide what is below it). Keys are in bytewise order where the first
   key of a column family comes without a handle of it. */
extern ROCKSDB_LIBRARY_API rocksdb_writebatch_wi_t* rocksdb_writebatch_wi_create(
    size_t reserved_bytes, unsigned char overwrite_keys);
/* backup_index_comparator: borrowed by the batch, and used instead of the bytewise order; NULL:
   that. max_bytes: of the whole batch; 0: no limit but 4 GiB. protection_bytes_per_key: 0 or 8,
   see WriteBatch. Newer than RocksDB 7.8. */
extern ROCKSDB_LIBRARY_API rocksdb_writebatch_wi_t* rocksdb_writebatch_wi_create_with_params(
    rocksdb_comparator_t* backup_index_comparator, size_t reserved_bytes,
    unsigned char overwrite_key, size_t max_bytes, size_t protection_bytes_per_key);
/* Not of a batch that a transaction lends (rocksdb_transaction_get_writebatch_wi()). */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_destroy(rocksdb_writebatch_wi_t*);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_clear(rocksdb_writebatch_wi_t*);
/* The updates in it. */
extern ROCKSDB_LIBRARY_API int rocksdb_writebatch_wi_count(rocksdb_writebatch_wi_t* b);

/* ---- What is added */

extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_put(rocksdb_writebatch_wi_t*, const char* key,
                                                          size_t klen, const char* val,
                                                          size_t vlen);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_put_cf(
    rocksdb_writebatch_wi_t*, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* val, size_t vlen);
/* Key and value in parts. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_putv(rocksdb_writebatch_wi_t* b, int num_keys,
                                                           const char* const* keys_list,
                                                           const size_t* keys_list_sizes,
                                                           int num_values,
                                                           const char* const* values_list,
                                                           const size_t* values_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_putv_cf(
    rocksdb_writebatch_wi_t* b, rocksdb_column_family_handle_t* column_family, int num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, int num_values,
    const char* const* values_list, const size_t* values_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_merge(rocksdb_writebatch_wi_t*,
                                                            const char* key, size_t klen,
                                                            const char* val, size_t vlen);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_merge_cf(
    rocksdb_writebatch_wi_t*, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* val, size_t vlen);
/* Key and operand in parts. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_mergev(
    rocksdb_writebatch_wi_t* b, int num_keys, const char* const* keys_list,
    const size_t* keys_list_sizes, int num_values, const char* const* values_list,
    const size_t* values_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_mergev_cf(
    rocksdb_writebatch_wi_t* b, rocksdb_column_family_handle_t* column_family, int num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, int num_values,
    const char* const* values_list, const size_t* values_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_delete(rocksdb_writebatch_wi_t*,
                                                             const char* key, size_t klen);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_delete_cf(
    rocksdb_writebatch_wi_t*, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen);
/* A key in parts. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_deletev(rocksdb_writebatch_wi_t* b,
                                                              int num_keys,
                                                              const char* const* keys_list,
                                                              const size_t* keys_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_deletev_cf(
    rocksdb_writebatch_wi_t* b, rocksdb_column_family_handle_t* column_family, int num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_singledelete(rocksdb_writebatch_wi_t*,
                                                                   const char* key, size_t klen);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_singledelete_cf(
    rocksdb_writebatch_wi_t*, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen);
/* No effect, as in RocksDB: an index of keys does not know ranges. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_delete_range(rocksdb_writebatch_wi_t* b,
                                                                   const char* start_key,
                                                                   size_t start_key_len,
                                                                   const char* end_key,
                                                                   size_t end_key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_delete_range_cf(
    rocksdb_writebatch_wi_t* b, rocksdb_column_family_handle_t* column_family,
    const char* start_key, size_t start_key_len, const char* end_key, size_t end_key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_delete_rangev(
    rocksdb_writebatch_wi_t* b, int num_keys, const char* const* start_keys_list,
    const size_t* start_keys_list_sizes, const char* const* end_keys_list,
    const size_t* end_keys_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_delete_rangev_cf(
    rocksdb_writebatch_wi_t* b, rocksdb_column_family_handle_t* column_family, int num_keys,
    const char* const* start_keys_list, const size_t* start_keys_list_sizes,
    const char* const* end_keys_list, const size_t* end_keys_list_sizes);
/* Goes into the log only; is not in the index. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_put_log_data(rocksdb_writebatch_wi_t*,
                                                                   const char* blob, size_t len);

/* ---- The batch */

/* Calls `put` and `deleted` with `state` for each record of the default family, in order. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_iterate(
    rocksdb_writebatch_wi_t* b, void* state,
    void (*put)(void*, const char* k, size_t klen, const char* v, size_t vlen),
    void (*deleted)(void*, const char* k, size_t klen));
/* Its bytes, as rocksdb_writebatch_create_from() takes them; good until it changes. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_writebatch_wi_data(rocksdb_writebatch_wi_t* b,
                                                                  size_t* size);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_set_save_point(rocksdb_writebatch_wi_t*);
/* An error: there is no save point. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_rollback_to_save_point(
    rocksdb_writebatch_wi_t*, char** errptr);
/* The batch stays as it is. */
extern ROCKSDB_LIBRARY_API void rocksdb_write_writebatch_wi(rocksdb_t* db,
                                                            const rocksdb_writeoptions_t* options,
                                                            rocksdb_writebatch_wi_t* wbwi,
                                                            char** errptr);

/* ---- Reading */

/* What the batch alone gives the key: a malloc()ed value of *vallen bytes; NULL if it has none, or
   deletes it (then *errptr stays as it was), or on failure: operands without what they build on.
   Merges without a column family are a failure. */
extern ROCKSDB_LIBRARY_API char* rocksdb_writebatch_wi_get_from_batch(
    rocksdb_writebatch_wi_t* wbwi, const rocksdb_options_t* options, const char* key, size_t keylen,
    size_t* vallen, char** errptr);
extern ROCKSDB_LIBRARY_API char* rocksdb_writebatch_wi_get_from_batch_cf(
    rocksdb_writebatch_wi_t* wbwi, const rocksdb_options_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, size_t* vallen,
    char** errptr);
/* As rocksdb_get() once the batch was written. */
extern ROCKSDB_LIBRARY_API char* rocksdb_writebatch_wi_get_from_batch_and_db(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db, const rocksdb_readoptions_t* options,
    const char* key, size_t keylen, size_t* vallen, char** errptr);
extern ROCKSDB_LIBRARY_API char* rocksdb_writebatch_wi_get_from_batch_and_db_cf(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, size_t* vallen,
    char** errptr);
/* As rocksdb_get_pinned(); the value is the caller's, also when the batch changes. Newer
   than RocksDB 7.8. */
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t*
rocksdb_writebatch_wi_get_pinned_from_batch_and_db(rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db,
                                                   const rocksdb_readoptions_t* options,
                                                   const char* key, size_t keylen, char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnableslice_t*
rocksdb_writebatch_wi_get_pinned_from_batch_and_db_cf(rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db,
                                                      const rocksdb_readoptions_t* options,
                                                      rocksdb_column_family_handle_t* column_family,
                                                      const char* key, size_t keylen,
                                                      char** errptr);

/* What `base_iterator`, of a database, would show once the batch was written. It goes over to the
   result, and must not be used or destroyed any more; the batch is borrowed, and the result goes
   first. `cf`: the base iterator's family; without it merges are a failure. */
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t* rocksdb_writebatch_wi_create_iterator_with_base(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_iterator_t* base_iterator);
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t* rocksdb_writebatch_wi_create_iterator_with_base_cf(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_iterator_t* base_iterator,
    rocksdb_column_family_handle_t* cf);
/* `options`: those of the base iterator, whose bounds hold for the batch, too. They must outlive
   the result. Newer than RocksDB 7.8. */
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t*
rocksdb_writebatch_wi_create_iterator_with_base_readopts(rocksdb_writebatch_wi_t* wbwi,
                                                         rocksdb_iterator_t* base_iterator,
                                                         const rocksdb_readoptions_t* options);
extern ROCKSDB_LIBRARY_API rocksdb_iterator_t*
rocksdb_writebatch_wi_create_iterator_with_base_cf_readopts(rocksdb_writebatch_wi_t* wbwi,
                                                            rocksdb_iterator_t* base_iterator,
                                                            rocksdb_column_family_handle_t* cf,
                                                            const rocksdb_readoptions_t* options);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_WRITE_BATCH_WI_H_ */
