/* The C interface: what a database is like: its files, its statistics, its memory and its log; and
   the wait for its compactions. Part of rocksdb/c.h, which includes it. */
#ifndef ROCKSDB_INCLUDE_C_MONITORING_H_
#define ROCKSDB_INCLUDE_C_MONITORING_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The files of a column family, as they are now. A level's or a file's object borrows its parent:
   destroy it before. Null: there is no such level or file. Names and keys are for rocksdb_free().
 */
extern ROCKSDB_LIBRARY_API rocksdb_column_family_metadata_t* rocksdb_get_column_family_metadata(
    rocksdb_t* db);
extern ROCKSDB_LIBRARY_API rocksdb_column_family_metadata_t* rocksdb_get_column_family_metadata_cf(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family);
extern ROCKSDB_LIBRARY_API void rocksdb_column_family_metadata_destroy(
    rocksdb_column_family_metadata_t* cf_meta);
/* Bytes. */
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_column_family_metadata_get_size(rocksdb_column_family_metadata_t* cf_meta);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_column_family_metadata_get_file_count(rocksdb_column_family_metadata_t* cf_meta);
extern ROCKSDB_LIBRARY_API char* rocksdb_column_family_metadata_get_name(
    rocksdb_column_family_metadata_t* cf_meta);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_column_family_metadata_get_level_count(rocksdb_column_family_metadata_t* cf_meta);
extern ROCKSDB_LIBRARY_API rocksdb_level_metadata_t*
rocksdb_column_family_metadata_get_level_metadata(rocksdb_column_family_metadata_t* cf_meta,
                                                  size_t i);
extern ROCKSDB_LIBRARY_API void rocksdb_level_metadata_destroy(
    rocksdb_level_metadata_t* level_meta);
extern ROCKSDB_LIBRARY_API int rocksdb_level_metadata_get_level(
    rocksdb_level_metadata_t* level_meta);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_level_metadata_get_size(rocksdb_level_metadata_t* level_meta);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_level_metadata_get_file_count(rocksdb_level_metadata_t* level_meta);
extern ROCKSDB_LIBRARY_API rocksdb_sst_file_metadata_t*
rocksdb_level_metadata_get_sst_file_metadata(rocksdb_level_metadata_t* level_meta, size_t i);
extern ROCKSDB_LIBRARY_API void rocksdb_sst_file_metadata_destroy(
    rocksdb_sst_file_metadata_t* file_meta);
extern ROCKSDB_LIBRARY_API char* rocksdb_sst_file_metadata_get_relative_filename(
    rocksdb_sst_file_metadata_t* file_meta);
extern ROCKSDB_LIBRARY_API char* rocksdb_sst_file_metadata_get_directory(
    rocksdb_sst_file_metadata_t* file_meta);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_sst_file_metadata_get_size(rocksdb_sst_file_metadata_t* file_meta);
extern ROCKSDB_LIBRARY_API char* rocksdb_sst_file_metadata_get_smallestkey(
    rocksdb_sst_file_metadata_t* file_meta, size_t* len);
extern ROCKSDB_LIBRARY_API char* rocksdb_sst_file_metadata_get_largestkey(
    rocksdb_sst_file_metadata_t* file_meta, size_t* len);

/* All tables of all families, as they are now. Index: less than the count. Names, zero-terminated,
   and keys, *size bytes, are valid until the object is destroyed. */
extern ROCKSDB_LIBRARY_API const rocksdb_livefiles_t* rocksdb_livefiles(rocksdb_t* db);
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_destroy(const rocksdb_livefiles_t* files);
extern ROCKSDB_LIBRARY_API int rocksdb_livefiles_count(const rocksdb_livefiles_t* files);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_column_family_name(
    const rocksdb_livefiles_t* files, int index);
/* "/000012.sst" */
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_name(const rocksdb_livefiles_t* files,
                                                              int index);
extern ROCKSDB_LIBRARY_API int rocksdb_livefiles_level(const rocksdb_livefiles_t* files, int index);
/* Bytes. */
extern ROCKSDB_LIBRARY_API size_t rocksdb_livefiles_size(const rocksdb_livefiles_t* files,
                                                         int index);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_smallestkey(
    const rocksdb_livefiles_t* files, int index, size_t* size);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_largestkey(
    const rocksdb_livefiles_t* files, int index, size_t* size);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_livefiles_entries(const rocksdb_livefiles_t* files,
                                                              int index);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_livefiles_deletions(const rocksdb_livefiles_t* files,
                                                                int index);

/* See DB::WaitForCompact. */
extern ROCKSDB_LIBRARY_API void rocksdb_wait_for_compact(
    rocksdb_t* db, rocksdb_wait_for_compact_options_t* options, char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_wait_for_compact_options_t*
rocksdb_wait_for_compact_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_wait_for_compact_options_destroy(
    rocksdb_wait_for_compact_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_wait_for_compact_options_set_abort_on_pause(
    rocksdb_wait_for_compact_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_wait_for_compact_options_get_abort_on_pause(
    rocksdb_wait_for_compact_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_wait_for_compact_options_set_flush(
    rocksdb_wait_for_compact_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_wait_for_compact_options_get_flush(
    rocksdb_wait_for_compact_options_t* opt);
/* Also until files that nobody needs are deleted. Default: 0. */
extern ROCKSDB_LIBRARY_API void rocksdb_wait_for_compact_options_set_wait_for_purge(
    rocksdb_wait_for_compact_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_wait_for_compact_options_get_wait_for_purge(
    rocksdb_wait_for_compact_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_wait_for_compact_options_set_close_db(
    rocksdb_wait_for_compact_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_wait_for_compact_options_get_close_db(
    rocksdb_wait_for_compact_options_t* opt);
/* 0: no limit. */
extern ROCKSDB_LIBRARY_API void rocksdb_wait_for_compact_options_set_timeout(
    rocksdb_wait_for_compact_options_t* opt, uint64_t microseconds);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_wait_for_compact_options_get_timeout(rocksdb_wait_for_compact_options_t* opt);

/* A histogram, which rocksdb_options_statistics_get_histogram_data() fills (c_releases.h). */
extern ROCKSDB_LIBRARY_API rocksdb_statistics_histogram_data_t*
rocksdb_statistics_histogram_data_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_statistics_histogram_data_destroy(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API double rocksdb_statistics_histogram_data_get_median(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API double rocksdb_statistics_histogram_data_get_p95(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API double rocksdb_statistics_histogram_data_get_p99(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API double rocksdb_statistics_histogram_data_get_average(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API double rocksdb_statistics_histogram_data_get_std_dev(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API double rocksdb_statistics_histogram_data_get_max(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API double rocksdb_statistics_histogram_data_get_min(
    rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_statistics_histogram_data_get_count(rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_statistics_histogram_data_get_sum(rocksdb_statistics_histogram_data_t* data);
/* StatsLevel of statistics.h. */
enum {
  rocksdb_statistics_level_disable_all = 0,
  rocksdb_statistics_level_except_tickers = rocksdb_statistics_level_disable_all,
  rocksdb_statistics_level_except_histogram_or_timers = 1,
  rocksdb_statistics_level_except_timers = 2,
  rocksdb_statistics_level_except_detailed_timers = 3,
  rocksdb_statistics_level_except_time_for_mutex = 4,
  rocksdb_statistics_level_all = 5
};
/* A number beyond them is the nearest one. Without statistics: of no effect, and 0. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_statistics_level(rocksdb_options_t*, int level);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_statistics_level(rocksdb_options_t*);

/* The memory of some databases and caches together, in bytes. The databases and caches outlive the
   consumers object. */
extern ROCKSDB_LIBRARY_API rocksdb_memory_consumers_t* rocksdb_memory_consumers_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_memory_consumers_add_db(
    rocksdb_memory_consumers_t* consumers, rocksdb_t* db);
extern ROCKSDB_LIBRARY_API void rocksdb_memory_consumers_add_cache(
    rocksdb_memory_consumers_t* consumers, rocksdb_cache_t* cache);
extern ROCKSDB_LIBRARY_API void rocksdb_memory_consumers_destroy(
    rocksdb_memory_consumers_t* consumers);
extern ROCKSDB_LIBRARY_API rocksdb_memory_usage_t* rocksdb_approximate_memory_usage_create(
    rocksdb_memory_consumers_t* consumers, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_approximate_memory_usage_destroy(
    rocksdb_memory_usage_t* usage);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_approximate_memory_usage_get_mem_table_total(rocksdb_memory_usage_t* usage);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_approximate_memory_usage_get_mem_table_unflushed(rocksdb_memory_usage_t* usage);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_approximate_memory_usage_get_mem_table_readers_total(rocksdb_memory_usage_t* usage);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_approximate_memory_usage_get_cache_total(rocksdb_memory_usage_t* usage);

/* Lines below log_level are left out. The logger may be destroyed while options have it. `callback`
   may come from any thread, with a line that is not zero-terminated. */
extern ROCKSDB_LIBRARY_API rocksdb_logger_t* rocksdb_logger_create_stderr_logger(
    int log_level, const char* prefix);
extern ROCKSDB_LIBRARY_API rocksdb_logger_t* rocksdb_logger_create_callback_logger(
    int log_level, void (*callback)(void* state, unsigned level, char* line, size_t length),
    void* state);
extern ROCKSDB_LIBRARY_API void rocksdb_logger_destroy(rocksdb_logger_t* logger);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_info_log(rocksdb_options_t*,
                                                             rocksdb_logger_t* logger);
/* To be destroyed. */
extern ROCKSDB_LIBRARY_API rocksdb_logger_t* rocksdb_options_get_info_log(rocksdb_options_t*);

/* GetColumnFamilyMetaDataOptions: a range of keys, which are copied (NULL: none), and a level (-1:
   all). A key that was not set is NULL. */
typedef struct rocksdb_column_family_metadata_options_t rocksdb_column_family_metadata_options_t;
extern ROCKSDB_LIBRARY_API rocksdb_column_family_metadata_options_t*
rocksdb_column_family_metadata_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_column_family_metadata_options_destroy(
    rocksdb_column_family_metadata_options_t* options);
extern ROCKSDB_LIBRARY_API const char* rocksdb_column_family_metadata_options_get_end_key(
    const rocksdb_column_family_metadata_options_t* options, size_t* key_len);
extern ROCKSDB_LIBRARY_API int rocksdb_column_family_metadata_options_get_level(
    rocksdb_column_family_metadata_options_t* opt);
extern ROCKSDB_LIBRARY_API const char* rocksdb_column_family_metadata_options_get_start_key(
    const rocksdb_column_family_metadata_options_t* options, size_t* key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_column_family_metadata_options_set_end_key(
    rocksdb_column_family_metadata_options_t* options, const char* key, size_t key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_column_family_metadata_options_set_level(
    rocksdb_column_family_metadata_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API void rocksdb_column_family_metadata_options_set_start_key(
    rocksdb_column_family_metadata_options_t* options, const char* key, size_t key_len);
extern ROCKSDB_LIBRARY_API rocksdb_column_family_metadata_t*
rocksdb_get_column_family_metadata_cf_with_options(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
    const rocksdb_column_family_metadata_options_t* options);
extern ROCKSDB_LIBRARY_API rocksdb_column_family_metadata_t*
rocksdb_get_column_family_metadata_with_options(
    rocksdb_t* db, const rocksdb_column_family_metadata_options_t* options);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_MONITORING_H_ */
