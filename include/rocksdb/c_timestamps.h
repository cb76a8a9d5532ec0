/* The C interface: user-defined timestamps. Part of rocksdb/c.h, which includes it.

   They are for families whose comparator has them (rocksdb_comparator_with_ts_create(), or one by
   its name in an OPTIONS file). rocksdb/db.h says what each call does; where a timestamp is
   missing, of another size, or below the family's mark, the error says so ("Invalid argument"). */
#ifndef ROCKSDB_INCLUDE_C_TIMESTAMPS_H_
#define ROCKSDB_INCLUDE_C_TIMESTAMPS_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of keys that end in a timestamp of timestamp_size bytes. compare() gets keys with theirs, and
   puts the newer one of equal keys first; compare_without_ts() is told which of the two has one.
   Larger timestamps, as compare_ts() says, are newer; bytes of 0xff are the largest of all, zeros
   the smallest. The rest as in rocksdb_comparator_create(). */
extern ROCKSDB_LIBRARY_API rocksdb_comparator_t* rocksdb_comparator_with_ts_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b, size_t blen),
    int (*compare_ts)(void*, const char* a_ts, size_t a_tslen, const char* b_ts, size_t b_tslen),
    int (*compare_without_ts)(void*, const char* a, size_t alen, unsigned char a_has_ts,
                              const char* b, size_t blen, unsigned char b_has_ts),
    const char* (*name)(void*), size_t timestamp_size);

/* ---- Writing */

extern ROCKSDB_LIBRARY_API void rocksdb_put_with_ts(rocksdb_t* db,
                                                    const rocksdb_writeoptions_t* options,
                                                    const char* key, size_t keylen, const char* ts,
                                                    size_t tslen, const char* val, size_t vallen,
                                                    char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_put_cf_with_ts(
    rocksdb_t* db, const rocksdb_writeoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, const char* ts,
    size_t tslen, const char* val, size_t vallen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_delete_with_ts(rocksdb_t* db,
                                                       const rocksdb_writeoptions_t* options,
                                                       const char* key, size_t keylen,
                                                       const char* ts, size_t tslen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_delete_cf_with_ts(
    rocksdb_t* db, const rocksdb_writeoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, const char* ts,
    size_t tslen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_singledelete_with_ts(rocksdb_t* db,
                                                             const rocksdb_writeoptions_t* options,
                                                             const char* key, size_t keylen,
                                                             const char* ts, size_t tslen,
                                                             char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_singledelete_cf_with_ts(
    rocksdb_t* db, const rocksdb_writeoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, const char* ts,
    size_t tslen, char** errptr);

/* Into a batch: what is wrong (see WriteBatch::Put) is left out in silence, as in RocksDB. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_put_cf_with_ts(
    rocksdb_writebatch_t*, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* ts, size_t tslen, const char* val, size_t vlen);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_delete_cf_with_ts(
    rocksdb_writebatch_t*, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* ts, size_t tslen);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_singledelete_cf_with_ts(
    rocksdb_writebatch_t* b, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* ts, size_t tslen);
/* All keys of the batch get this one. get_ts_size(state, id): the bytes of the timestamps of family
   `id`; 0: it has none; SIZE_MAX: it is not known, an error. Called before this returns. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_update_timestamps(
    rocksdb_writebatch_t* wb, const char* ts, size_t tslen, void* state,
    size_t (*get_ts_size)(void*, uint32_t), char** errptr);

/* The same of a batch with an index, which so far takes no keys of families with timestamps. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_wi_update_timestamps(
    rocksdb_writebatch_wi_t* wbwi, const char* ts, size_t tslen, void* state,
    size_t (*get_ts_size)(void*, uint32_t), char** errptr);

/* ---- Reading */

/* What a read sees: needed where there are timestamps, refused where there are none. The bytes are
   borrowed until the next call or the end of the options. NULL: none. */
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_timestamp(rocksdb_readoptions_t*,
                                                                  const char* ts, size_t tslen);
/* An iterator shows all versions from this one to the other, deletions, too; its keys are internal
   ones. The bytes are borrowed as above. NULL: none. */
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_iter_start_ts(rocksdb_readoptions_t*,
                                                                      const char* ts, size_t tslen);

/* The value and *ts, its timestamp, are malloc()ed. NULL both: there is none, or an error. */
extern ROCKSDB_LIBRARY_API char* rocksdb_get_with_ts(rocksdb_t* db,
                                                     const rocksdb_readoptions_t* options,
                                                     const char* key, size_t keylen, size_t* vallen,
                                                     char** ts, size_t* tslen, char** errptr);
extern ROCKSDB_LIBRARY_API char* rocksdb_get_cf_with_ts(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, size_t* vallen,
    char** ts, size_t* tslen, char** errptr);
/* As rocksdb_multi_get(), with a timestamp for each value; all are malloc()ed. */
extern ROCKSDB_LIBRARY_API void rocksdb_multi_get_with_ts(
    rocksdb_t* db, const rocksdb_readoptions_t* options, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** timestamp_list, size_t* timestamp_list_sizes, char** errs);
extern ROCKSDB_LIBRARY_API void rocksdb_multi_get_cf_with_ts(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    const rocksdb_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** timestamps_list, size_t* timestamps_list_sizes, char** errs);

/* Of the entry, good as long as its key. Only of iterators over families with timestamps. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_iter_timestamp(const rocksdb_iterator_t*,
                                                              size_t* tslen);

/* ---- History */

/* From now on nobody reads below ts_low. It never goes down. */
extern ROCKSDB_LIBRARY_API void rocksdb_increase_full_history_ts_low(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, const char* ts_low,
    size_t ts_lowlen, char** errptr);
/* malloc()ed; of no bytes: it was never set. NULL: an error. */
extern ROCKSDB_LIBRARY_API char* rocksdb_get_full_history_ts_low(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, size_t* ts_lowlen, char** errptr);
/* A compaction of all raises it first. The bytes are borrowed by the options. NULL: it does not. */
extern ROCKSDB_LIBRARY_API void rocksdb_compactoptions_set_full_history_ts_low(
    rocksdb_compactoptions_t*, char* ts, size_t tslen);

/* What is newer than trim_ts goes before it opens: see DB::OpenAndTrimHistory. NULL on failure. */
extern ROCKSDB_LIBRARY_API rocksdb_t* rocksdb_open_and_trim_history(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char* trim_ts, size_t trim_tslen,
    char** errptr);

/* ---- Files */

extern ROCKSDB_LIBRARY_API void rocksdb_sstfilewriter_put_with_ts(rocksdb_sstfilewriter_t* writer,
                                                                  const char* key, size_t keylen,
                                                                  const char* ts, size_t tslen,
                                                                  const char* val, size_t vallen,
                                                                  char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_sstfilewriter_delete_with_ts(
    rocksdb_sstfilewriter_t* writer, const char* key, size_t keylen, const char* ts, size_t tslen,
    char** errptr);

#ifdef __cplusplus
}
#endif

#endif
