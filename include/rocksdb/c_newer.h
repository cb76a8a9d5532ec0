/* The C interface: options that RocksDB's C header has since release 11, and a database's checksums
   and background work. Part of rocksdb/c.h, which includes it. The fields of the same names in
   rocksdb/options.h, advanced_options.h and table.h say what each option is. */
#ifndef ROCKSDB_INCLUDE_C_NEWER_H_
#define ROCKSDB_INCLUDE_C_NEWER_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads every block of every table. */
extern ROCKSDB_LIBRARY_API void rocksdb_verify_checksum(rocksdb_t* db, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_verify_checksum_with_options(
    rocksdb_t* db, const rocksdb_readoptions_t* options, char** errptr);
/* Flushes and compactions end; no new ones start until rocksdb_continue_background_work(), once for
   each call. */
extern ROCKSDB_LIBRARY_API void rocksdb_pause_background_work(rocksdb_t* db, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_continue_background_work(rocksdb_t* db, char** errptr);

extern ROCKSDB_LIBRARY_API void rocksdb_options_set_flush_verify_memtable_count(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_flush_verify_memtable_count(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_strict_bytes_per_sync(rocksdb_options_t* opt,
                                                                          unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_strict_bytes_per_sync(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_delayed_write_rate(rocksdb_options_t* opt,
                                                                       uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_options_get_delayed_write_rate(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_max_write_batch_group_size_bytes(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_max_write_batch_group_size_bytes(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_avoid_flush_during_shutdown(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_avoid_flush_during_shutdown(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_max_bgerror_resume_count(rocksdb_options_t* opt,
                                                                             int v);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_max_bgerror_resume_count(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_bgerror_resume_retry_interval(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_bgerror_resume_retry_interval(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_paranoid_file_checks(rocksdb_options_t* opt,
                                                                         unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_paranoid_file_checks(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_sample_for_compression(rocksdb_options_t* opt,
                                                                           uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_sample_for_compression(rocksdb_options_t* opt);

extern ROCKSDB_LIBRARY_API void rocksdb_options_set_open_files_async(rocksdb_options_t* opt,
                                                                     unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_open_files_async(
    rocksdb_options_t* opt);

extern ROCKSDB_LIBRARY_API void rocksdb_fifo_compaction_options_set_max_data_files_size(
    rocksdb_fifo_compaction_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_fifo_compaction_options_get_max_data_files_size(rocksdb_fifo_compaction_options_t* opt);

extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_value_size_soft_limit(
    rocksdb_readoptions_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_readoptions_get_value_size_soft_limit(rocksdb_readoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_optimize_multiget_for_io(
    rocksdb_readoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_readoptions_get_optimize_multiget_for_io(
    rocksdb_readoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_auto_prefix_mode(rocksdb_readoptions_t* opt,
                                                                         unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_readoptions_get_auto_prefix_mode(
    rocksdb_readoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_adaptive_readahead(
    rocksdb_readoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_readoptions_get_adaptive_readahead(
    rocksdb_readoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_rate_limiter_priority(
    rocksdb_readoptions_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_readoptions_get_rate_limiter_priority(
    rocksdb_readoptions_t* opt);

extern ROCKSDB_LIBRARY_API void rocksdb_writeoptions_set_rate_limiter_priority(
    rocksdb_writeoptions_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_writeoptions_get_rate_limiter_priority(
    rocksdb_writeoptions_t* opt);

extern ROCKSDB_LIBRARY_API unsigned char rocksdb_readoptions_get_auto_readahead_size(
    rocksdb_readoptions_t* opt);

enum {
  rocksdb_block_based_table_index_block_search_type_binary = 0,
  rocksdb_block_based_table_index_block_search_type_interpolation = 1,
  rocksdb_block_based_table_index_block_search_type_auto = 2
};
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_index_block_search_type(
    rocksdb_block_based_table_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_index_block_search_type(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_data_block_hash_table_util_ratio(
    rocksdb_block_based_table_options_t* opt, double v);
extern ROCKSDB_LIBRARY_API double rocksdb_block_based_options_get_data_block_hash_table_util_ratio(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_verify_compression(
    rocksdb_block_based_table_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_verify_compression(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_enable_index_compression(
    rocksdb_block_based_table_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_enable_index_compression(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_index_shortening(
    rocksdb_block_based_table_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_index_shortening(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_initial_auto_readahead_size(
    rocksdb_block_based_table_options_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t rocksdb_block_based_options_get_initial_auto_readahead_size(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_max_auto_readahead_size(
    rocksdb_block_based_table_options_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_block_based_options_get_max_auto_readahead_size(rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_num_file_reads_for_auto_readahead(
    rocksdb_block_based_table_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_block_based_options_get_num_file_reads_for_auto_readahead(
    rocksdb_block_based_table_options_t* opt);

/* Fields of these names in DBOptions and ColumnFamilyOptions. Texts are not terminated, and valid
   until the options change. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_options_get_db_log_dir(rocksdb_options_t* opt,
                                                                      size_t* size);
extern ROCKSDB_LIBRARY_API const char* rocksdb_options_get_wal_dir(rocksdb_options_t* opt,
                                                                   size_t* size);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_db_host_id(rocksdb_options_t* opt,
                                                               const char* v);
extern ROCKSDB_LIBRARY_API const char* rocksdb_options_get_db_host_id(rocksdb_options_t* opt,
                                                                      size_t* size);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_persist_user_defined_timestamps(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_persist_user_defined_timestamps(
    rocksdb_options_t* opt);

/* Where compactions cut their files: between keys whose first prefix_len bytes differ. The factory
   is shared, and may be destroyed at once; NULL changes nothing. */
extern ROCKSDB_LIBRARY_API rocksdb_sst_partitioner_factory_t*
rocksdb_sst_partitioner_fixed_prefix_factory_create(size_t prefix_len);
extern ROCKSDB_LIBRARY_API void rocksdb_sst_partitioner_factory_destroy(
    rocksdb_sst_partitioner_factory_t* factory);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_sst_partitioner_factory(
    rocksdb_options_t* opt, rocksdb_sst_partitioner_factory_t* factory);

/* Each new table file gets a checksum of the whole file (CRC32C), which
   rocksdb_verify_file_checksums() checks. Shared and destroyed as above. */
extern ROCKSDB_LIBRARY_API rocksdb_file_checksum_gen_factory_t*
rocksdb_file_checksum_gen_crc32c_factory_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_file_checksum_gen_factory_destroy(
    rocksdb_file_checksum_gen_factory_t* factory);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_file_checksum_gen_factory(
    rocksdb_options_t* opt, rocksdb_file_checksum_gen_factory_t* factory);

/* Iterators leave out the tables that `table_filter` gives 0 for; the properties are valid in the
   call. It may be called by several threads. `destructor`, which may be NULL, is called with
   `state` once neither the options nor an iterator has the filter. A `table_filter` of NULL clears.
 */
typedef unsigned char (*rocksdb_readoptions_table_filter_cb)(
    void* state, const rocksdb_table_properties_t* table_properties);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_table_filter(
    rocksdb_readoptions_t* opt, void* state, void (*destructor)(void*),
    rocksdb_readoptions_table_filter_cb table_filter);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_clear_table_filter(rocksdb_readoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_readoptions_has_table_filter(
    const rocksdb_readoptions_t* opt);

/* As rocksdb_flush_wal(), and of a database with transactions. The caller destroys the options.
   sync: also to the disk, 0 by default. */
typedef struct rocksdb_flushwaloptions_t rocksdb_flushwaloptions_t;
extern ROCKSDB_LIBRARY_API rocksdb_flushwaloptions_t* rocksdb_flushwaloptions_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_flushwaloptions_destroy(rocksdb_flushwaloptions_t* options);
extern ROCKSDB_LIBRARY_API void rocksdb_flushwaloptions_set_sync(rocksdb_flushwaloptions_t* opt,
                                                                 unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_flushwaloptions_get_sync(
    rocksdb_flushwaloptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_flush_wal_with_options(
    rocksdb_t* db, const rocksdb_flushwaloptions_t* options, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_transactiondb_flush_wal_with_options(
    rocksdb_transactiondb_t* txn_db, const rocksdb_flushwaloptions_t* options, char** errptr);

/* FlushWALOptions. */
extern ROCKSDB_LIBRARY_API int rocksdb_flushwaloptions_get_rate_limiter_priority(
    rocksdb_flushwaloptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_flushwaloptions_set_rate_limiter_priority(
    rocksdb_flushwaloptions_t* opt, int v);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_NEWER_H_ */
