/* The C interface: more fields of options, by the names of RocksDB 11. Part of rocksdb/c.h, which
   includes it. */
#ifndef ROCKSDB_INCLUDE_C_FIELDS_H_
#define ROCKSDB_INCLUDE_C_FIELDS_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each of these sets, or gives, the field of its name in a structure of the C++ interface, where
   the unit, the default, and what Cairn refuses stand. Enumerations are their numbers. */

/* Options, options.h and advanced_options.h. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_verify_sst_unique_id_in_manifest(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_verify_sst_unique_id_in_manifest(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_allow_fallocate(rocksdb_options_t* opt,
                                                                    unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_allow_fallocate(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_persist_stats_to_disk(rocksdb_options_t* opt,
                                                                          unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_persist_stats_to_disk(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_stats_history_buffer_size(
    rocksdb_options_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_options_get_stats_history_buffer_size(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_enable_thread_tracking(rocksdb_options_t* opt,
                                                                           unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_enable_thread_tracking(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_write_thread_max_yield_usec(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_write_thread_max_yield_usec(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_write_thread_slow_yield_usec(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_write_thread_slow_yield_usec(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_allow_2pc(rocksdb_options_t* opt,
                                                              unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_allow_2pc(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_dump_malloc_stats(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_avoid_flush_during_recovery(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_avoid_flush_during_recovery(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_two_write_queues(rocksdb_options_t* opt,
                                                                     unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_two_write_queues(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_log_readahead_size(rocksdb_options_t* opt,
                                                                       size_t v);
extern ROCKSDB_LIBRARY_API size_t rocksdb_options_get_log_readahead_size(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_best_efforts_recovery(rocksdb_options_t* opt,
                                                                          unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_best_efforts_recovery(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_allow_data_in_errors(rocksdb_options_t* opt,
                                                                         unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_allow_data_in_errors(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_enforce_single_del_contracts(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_enforce_single_del_contracts(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_memtable_whole_key_filtering(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_force_consistency_checks(rocksdb_options_t* opt,
                                                                             unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_force_consistency_checks(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_last_level_temperature(rocksdb_options_t* opt,
                                                                           int v);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_last_level_temperature(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_preclude_last_level_data_seconds(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_preclude_last_level_data_seconds(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_preserve_internal_time_seconds(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_preserve_internal_time_seconds(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_memtable_protection_bytes_per_key(
    rocksdb_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_options_get_memtable_protection_bytes_per_key(rocksdb_options_t* opt);

/* WriteOptions, options.h. */
extern ROCKSDB_LIBRARY_API void rocksdb_writeoptions_set_protection_bytes_per_key(
    rocksdb_writeoptions_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_writeoptions_get_protection_bytes_per_key(rocksdb_writeoptions_t* opt);

/* FlushOptions, options.h. */
extern ROCKSDB_LIBRARY_API void rocksdb_flushoptions_set_allow_write_stall(
    rocksdb_flushoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_flushoptions_get_allow_write_stall(
    rocksdb_flushoptions_t* opt);

/* CompactionOptionsUniversal, universal_compaction.h. */
extern ROCKSDB_LIBRARY_API void rocksdb_universal_compaction_options_set_allow_trivial_move(
    rocksdb_universal_compaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_universal_compaction_options_get_allow_trivial_move(
    rocksdb_universal_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_universal_compaction_options_set_incremental(
    rocksdb_universal_compaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_universal_compaction_options_get_incremental(
    rocksdb_universal_compaction_options_t* opt);

/* CompactionOptionsFIFO, advanced_options.h. */
extern ROCKSDB_LIBRARY_API void rocksdb_fifo_compaction_options_set_age_for_warm(
    rocksdb_fifo_compaction_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_fifo_compaction_options_get_age_for_warm(rocksdb_fifo_compaction_options_t* opt);

/* BlockBasedTableOptions, table.h. */
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_cache_index_and_filter_blocks(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_cache_index_and_filter_blocks_with_high_priority(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_pin_l0_filter_and_index_blocks_in_cache(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_pin_top_level_index_and_filter(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_index_type(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_data_block_index_type(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_checksum(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_no_block_cache(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_block_based_options_get_block_size(rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_block_size_deviation(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_block_restart_interval(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_index_block_restart_interval(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_block_based_options_get_metadata_block_size(rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_partition_filters(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_optimize_filters_for_memory(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_use_delta_encoding(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_whole_key_filtering(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_detect_filter_construct_corruption(
    rocksdb_block_based_table_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_detect_filter_construct_corruption(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_read_amp_bytes_per_bit(
    rocksdb_block_based_table_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_block_based_options_get_read_amp_bytes_per_bit(rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_block_based_options_get_format_version(rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_block_align(
    rocksdb_block_based_table_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_block_align(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_prepopulate_block_cache(
    rocksdb_block_based_table_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_block_based_options_get_prepopulate_block_cache(
    rocksdb_block_based_table_options_t* opt);

/* IngestExternalFileOptions, options.h. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_move_files(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_ingestexternalfileoptions_set_link_files(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_link_files(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_ingestexternalfileoptions_set_failed_move_fall_back_to_copy(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_ingestexternalfileoptions_get_failed_move_fall_back_to_copy(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_snapshot_consistency(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_allow_global_seqno(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_allow_blocking_flush(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_ingest_behind(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_ingestexternalfileoptions_set_write_global_seqno(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_write_global_seqno(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void
rocksdb_ingestexternalfileoptions_set_verify_checksums_before_ingest(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_ingestexternalfileoptions_get_verify_checksums_before_ingest(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void
rocksdb_ingestexternalfileoptions_set_verify_checksums_readahead_size(
    rocksdb_ingestexternalfileoptions_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_ingestexternalfileoptions_get_verify_checksums_readahead_size(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_ingestexternalfileoptions_set_verify_file_checksum(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_verify_file_checksum(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_ingestexternalfileoptions_get_fail_if_not_bottommost_level(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_ingestexternalfileoptions_set_allow_db_generated_files(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_ingestexternalfileoptions_get_allow_db_generated_files(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_ingestexternalfileoptions_set_fill_cache(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_ingestexternalfileoptions_get_fill_cache(
    rocksdb_ingestexternalfileoptions_t* opt);

/* EnvOptions, env.h. */
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_use_mmap_reads(rocksdb_envoptions_t* opt,
                                                                      unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_use_mmap_reads(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_use_mmap_writes(rocksdb_envoptions_t* opt,
                                                                       unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_use_mmap_writes(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_use_direct_reads(rocksdb_envoptions_t* opt,
                                                                        unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_use_direct_reads(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_use_direct_writes(rocksdb_envoptions_t* opt,
                                                                         unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_use_direct_writes(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_allow_fallocate(rocksdb_envoptions_t* opt,
                                                                       unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_allow_fallocate(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_fd_cloexec(rocksdb_envoptions_t* opt,
                                                                  unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_fd_cloexec(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_bytes_per_sync(rocksdb_envoptions_t* opt,
                                                                      uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_envoptions_get_bytes_per_sync(rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_strict_bytes_per_sync(
    rocksdb_envoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_strict_bytes_per_sync(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_fallocate_with_keep_size(
    rocksdb_envoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_envoptions_get_fallocate_with_keep_size(
    rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_compaction_readahead_size(
    rocksdb_envoptions_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_envoptions_get_compaction_readahead_size(rocksdb_envoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_writable_file_max_buffer_size(
    rocksdb_envoptions_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_envoptions_get_writable_file_max_buffer_size(rocksdb_envoptions_t* opt);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_FIELDS_H_ */
