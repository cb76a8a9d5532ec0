/* The C interface: column families. Part of rocksdb/c.h, which includes it. */
#ifndef ROCKSDB_INCLUDE_C_COLUMN_FAMILIES_H_
#define ROCKSDB_INCLUDE_C_COLUMN_FAMILIES_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Opening, creation, drop. Every handle is the caller's: destroy it before the database is
 * closed. */

/* All families of the database, the default one among them. handles[i] is that of names[i]. */
extern ROCKSDB_LIBRARY_API rocksdb_t* rocksdb_open_column_families(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_t* rocksdb_open_for_read_only_column_families(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, unsigned char error_if_wal_file_exists,
    char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_column_family_handle_t* rocksdb_create_column_family(
    rocksdb_t* db, const rocksdb_options_t* column_family_options, const char* column_family_name,
    char** errptr);
/* Values that expire after `ttl` seconds (0 and less: never), see utilities/db_ttl.h; ttls[i] is
   that of family i. rocksdb_create_column_family_with_ttl: InvalidArgument where the database was
   opened without. */
extern ROCKSDB_LIBRARY_API rocksdb_t* rocksdb_open_with_ttl(const rocksdb_options_t* options,
                                                            const char* name, int ttl,
                                                            char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_t* rocksdb_open_column_families_with_ttl(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, const int* ttls, char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_column_family_handle_t* rocksdb_create_column_family_with_ttl(
    rocksdb_t* db, const rocksdb_options_t* column_family_options, const char* column_family_name,
    int ttl, char** errptr);
/* A list of *lencfs handles: as many as could be made. Destroy each, and the list. */
extern ROCKSDB_LIBRARY_API rocksdb_column_family_handle_t** rocksdb_create_column_families(
    rocksdb_t* db, const rocksdb_options_t* column_family_options, int num_column_families,
    const char* const* column_family_names, size_t* lencfs, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_create_column_families_destroy(
    rocksdb_column_family_handle_t** list);
extern ROCKSDB_LIBRARY_API void rocksdb_drop_column_family(rocksdb_t* db,
                                                           rocksdb_column_family_handle_t* handle,
                                                           char** errptr);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_column_family_handle_get_id(rocksdb_column_family_handle_t* handle);
/* Of name_len bytes, not terminated; free it with rocksdb_free(). */
extern ROCKSDB_LIBRARY_API char* rocksdb_column_family_handle_get_name(
    rocksdb_column_family_handle_t* handle, size_t* name_len);

/* ---- What c.h has without a family */

extern ROCKSDB_LIBRARY_API void rocksdb_singledelete_cf(
    rocksdb_t* db, const rocksdb_writeoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_singledelete_cf(
    rocksdb_writebatch_t* b, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen);
/* column_families[i] is that of key i. */
extern ROCKSDB_LIBRARY_API void rocksdb_multi_get_cf(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    const rocksdb_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_key_may_exist_cf(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t key_len, char** value,
    size_t* val_len, const char* timestamp, size_t timestamp_len, unsigned char* value_found);
/* All see the same state of the database. */
extern ROCKSDB_LIBRARY_API void rocksdb_create_iterators(
    rocksdb_t* db, rocksdb_readoptions_t* opts, rocksdb_column_family_handle_t** column_families,
    rocksdb_iterator_t** iterators, size_t size, char** errptr);
extern ROCKSDB_LIBRARY_API int rocksdb_property_int_cf(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, const char* propname,
    uint64_t* out_val);
extern ROCKSDB_LIBRARY_API void rocksdb_approximate_sizes_cf(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len, uint64_t* sizes,
    char** errptr);
/* What include_flags may have set, at least one: files (the other functions' default), memtables,
   blob files. */
enum {
  rocksdb_size_approximation_flags_none = 0,
  rocksdb_size_approximation_flags_include_memtable = 1 << 0,
  rocksdb_size_approximation_flags_include_files = 1 << 1,
  rocksdb_size_approximation_flags_include_blob_files = 1 << 2,
};
extern ROCKSDB_LIBRARY_API void rocksdb_approximate_sizes_cf_with_flags(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len, uint8_t include_flags,
    uint64_t* sizes, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_compact_range_cf(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, const char* start_key,
    size_t start_key_len, const char* limit_key, size_t limit_key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_compact_range_cf_opt(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, rocksdb_compactoptions_t* opt,
    const char* start_key, size_t start_key_len, const char* limit_key, size_t limit_key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_flush_cf(rocksdb_t* db,
                                                 const rocksdb_flushoptions_t* options,
                                                 rocksdb_column_family_handle_t* column_family,
                                                 char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_flush_cfs(rocksdb_t* db,
                                                  const rocksdb_flushoptions_t* options,
                                                  rocksdb_column_family_handle_t** column_families,
                                                  int num_column_families, char** errptr);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_COLUMN_FAMILIES_H_ */
