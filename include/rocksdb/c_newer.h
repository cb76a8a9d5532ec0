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
  rocksdb_block_based_table_index_block_search_type_interpolation = 1
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

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_NEWER_H_ */
