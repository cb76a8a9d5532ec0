/* The C interface: the room that the tables and blob files of databases take, its limit, and the
   deletion of files at a rate; where tables lie, and the blocks of caches. Part of rocksdb/c.h,
   which includes it; rocksdb/sst_file_manager.h and memory_allocator.h say what each function does.
 */
#ifndef ROCKSDB_INCLUDE_C_SPACE_H_
#define ROCKSDB_INCLUDE_C_SPACE_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rocksdb_sst_file_manager_t rocksdb_sst_file_manager_t;

/* The files are those of `env`, which must outlive the manager and the databases with it. */
extern ROCKSDB_LIBRARY_API rocksdb_sst_file_manager_t* rocksdb_sst_file_manager_create(
    rocksdb_env_t* env);
/* Options and databases that were given the manager keep what they need of it. */
extern ROCKSDB_LIBRARY_API void rocksdb_sst_file_manager_destroy(rocksdb_sst_file_manager_t* sfm);
/* NULL: none, the default. (In RocksDB since release 11.) */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_sst_file_manager(
    rocksdb_options_t* opt, rocksdb_sst_file_manager_t* sfm);

/* Bytes; 0: no limit. */
extern ROCKSDB_LIBRARY_API void rocksdb_sst_file_manager_set_max_allowed_space_usage(
    rocksdb_sst_file_manager_t* sfm, uint64_t max_allowed_space);
extern ROCKSDB_LIBRARY_API void rocksdb_sst_file_manager_set_compaction_buffer_size(
    rocksdb_sst_file_manager_t* sfm, uint64_t compaction_buffer_size);
extern ROCKSDB_LIBRARY_API bool rocksdb_sst_file_manager_is_max_allowed_space_reached(
    rocksdb_sst_file_manager_t* sfm);
extern ROCKSDB_LIBRARY_API bool
rocksdb_sst_file_manager_is_max_allowed_space_reached_including_compactions(
    rocksdb_sst_file_manager_t* sfm);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_sst_file_manager_get_total_size(rocksdb_sst_file_manager_t* sfm);

/* Bytes per second; 0, the default: files are deleted at once. */
extern ROCKSDB_LIBRARY_API int64_t
rocksdb_sst_file_manager_get_delete_rate_bytes_per_second(rocksdb_sst_file_manager_t* sfm);
extern ROCKSDB_LIBRARY_API void rocksdb_sst_file_manager_set_delete_rate_bytes_per_second(
    rocksdb_sst_file_manager_t* sfm, int64_t delete_rate);
extern ROCKSDB_LIBRARY_API double rocksdb_sst_file_manager_get_max_trash_db_ratio(
    rocksdb_sst_file_manager_t* sfm);
extern ROCKSDB_LIBRARY_API void rocksdb_sst_file_manager_set_max_trash_db_ratio(
    rocksdb_sst_file_manager_t* sfm, double ratio);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_sst_file_manager_get_total_trash_size(rocksdb_sst_file_manager_t* sfm);

typedef struct rocksdb_dbpath_t rocksdb_dbpath_t;

/* A directory for tables, and how many bytes it should have. The path is copied. */
extern ROCKSDB_LIBRARY_API rocksdb_dbpath_t* rocksdb_dbpath_create(const char* path,
                                                                   uint64_t target_size);
extern ROCKSDB_LIBRARY_API void rocksdb_dbpath_destroy(rocksdb_dbpath_t*);
/* The paths are copied: DBOptions::db_paths, and ColumnFamilyOptions::cf_paths. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_db_paths(rocksdb_options_t* opt,
                                                             const rocksdb_dbpath_t** path_values,
                                                             size_t num_paths);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_cf_paths(rocksdb_options_t* opt,
                                                             const rocksdb_dbpath_t** path_values,
                                                             size_t num_paths);

/* DBOptions::row_cache. The cache is shared, and may be destroyed at once; NULL: none. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_row_cache(rocksdb_options_t* opt,
                                                              rocksdb_cache_t* cache);

typedef struct rocksdb_memory_allocator_t rocksdb_memory_allocator_t;

/* NULL, and an error "Not implemented": the library is not built with jemalloc. */
extern ROCKSDB_LIBRARY_API rocksdb_memory_allocator_t* rocksdb_jemalloc_nodump_allocator_create(
    char** errptr);
/* Options and caches that were given it keep what they need of it. NULL is fine. */
extern ROCKSDB_LIBRARY_API void rocksdb_memory_allocator_destroy(rocksdb_memory_allocator_t*);
/* NULL: the program's, the default. */
extern ROCKSDB_LIBRARY_API void rocksdb_lru_cache_options_set_memory_allocator(
    rocksdb_lru_cache_options_t* opt, rocksdb_memory_allocator_t* allocator);
extern ROCKSDB_LIBRARY_API void rocksdb_hyper_clock_cache_options_set_memory_allocator(
    rocksdb_hyper_clock_cache_options_t* opt, rocksdb_memory_allocator_t* allocator);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_SPACE_H_ */
