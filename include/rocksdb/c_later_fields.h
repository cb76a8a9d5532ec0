/* The C interface: fields of options that RocksDB has since releases 8 to 11. Part of rocksdb/c.h,
   which includes it. */
#ifndef ROCKSDB_INCLUDE_C_LATER_FIELDS_H_
#define ROCKSDB_INCLUDE_C_LATER_FIELDS_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each of these sets, or gives, the field of its name in a structure of the C++ interface, where
   the unit, the default, and what Cairn refuses or passes over stand. */

/* Options, options.h and advanced_options.h. Temperatures, and what verify_output_flags is made of,
   are the numbers of the C++ enumerations. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_async_wal_precreate(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_background_close_inactive_wals(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_options_get_blob_direct_write_partitions(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint8_t
rocksdb_options_get_block_protection_bytes_per_key(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_options_get_bottommost_file_compaction_delay(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_cf_allow_ingest_behind(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_compaction_verify_record_count(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_default_temperature(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_default_write_temperature(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_disallow_memtable_writes(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_enable_blob_direct_write(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_options_get_enforce_write_buffer_manager_during_recovery(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_fast_sst_open(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_follower_catchup_retry_count(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_follower_catchup_retry_wait_ms(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_follower_refresh_catchup_period_ms(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_max_compaction_trigger_wakeup_seconds(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_max_manifest_space_amp_pct(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_memtable_batch_lookup_optimization(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_options_get_memtable_max_range_deletions(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_options_get_memtable_verify_per_key_checksum_on_seek(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_metadata_write_temperature(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_options_get_min_tombstones_for_range_conversion(rocksdb_options_t*);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_optimize_manifest_for_recovery(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_paranoid_memory_checks(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_prefix_seek_opt_in_only(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_read_io_executor_threads(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_reuse_manifest_on_open(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_strict_max_successive_merges(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_target_file_size_is_upper_bound(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_track_and_verify_wals(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_options_get_uncache_aggressiveness(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_use_direct_io_for_compaction_reads(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_verify_manifest_content_on_close(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_verify_output_flags(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_wal_write_temperature(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_async_wal_precreate(rocksdb_options_t* opt,
                                                                        unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_background_close_inactive_wals(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_direct_write_partitions(
    rocksdb_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_block_protection_bytes_per_key(
    rocksdb_options_t* opt, uint8_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_bottommost_file_compaction_delay(
    rocksdb_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_cf_allow_ingest_behind(rocksdb_options_t* opt,
                                                                           unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_compaction_verify_record_count(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_default_temperature(rocksdb_options_t* opt,
                                                                        int v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_default_write_temperature(
    rocksdb_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_disallow_memtable_writes(rocksdb_options_t* opt,
                                                                             unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_enable_blob_direct_write(rocksdb_options_t* opt,
                                                                             unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_enforce_write_buffer_manager_during_recovery(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_fast_sst_open(rocksdb_options_t* opt,
                                                                  unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_follower_catchup_retry_count(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_follower_catchup_retry_wait_ms(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_follower_refresh_catchup_period_ms(
    rocksdb_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_max_compaction_trigger_wakeup_seconds(
    rocksdb_options_t* opt, uint64_t val);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_max_manifest_space_amp_pct(
    rocksdb_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_memtable_batch_lookup_optimization(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_memtable_max_range_deletions(
    rocksdb_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_memtable_verify_per_key_checksum_on_seek(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_metadata_write_temperature(
    rocksdb_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_min_tombstones_for_range_conversion(
    rocksdb_options_t*, uint32_t);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_optimize_manifest_for_recovery(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_paranoid_memory_checks(rocksdb_options_t* opt,
                                                                           unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_prefix_seek_opt_in_only(rocksdb_options_t* opt,
                                                                            unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_read_io_executor_threads(rocksdb_options_t* opt,
                                                                             int v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_reuse_manifest_on_open(rocksdb_options_t* opt,
                                                                           unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_strict_max_successive_merges(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_target_file_size_is_upper_bound(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_track_and_verify_wals(rocksdb_options_t* opt,
                                                                          unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_uncache_aggressiveness(rocksdb_options_t* opt,
                                                                           uint32_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_use_direct_io_for_compaction_reads(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_verify_manifest_content_on_close(
    rocksdb_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_verify_output_flags(rocksdb_options_t* opt,
                                                                        int v);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_wal_write_temperature(rocksdb_options_t* opt,
                                                                          int v);

/* BlockBasedTableOptions, table.h. */
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_decouple_partitioned_filters(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_fail_if_no_udi_on_open(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API size_t rocksdb_block_based_options_get_super_block_alignment_size(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_block_based_options_get_super_block_alignment_space_overhead_ratio(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API double rocksdb_block_based_options_get_uniform_cv_threshold(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_block_based_options_get_use_udi_as_primary_index(
    rocksdb_block_based_table_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_decouple_partitioned_filters(
    rocksdb_block_based_table_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_fail_if_no_udi_on_open(
    rocksdb_block_based_table_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_super_block_alignment_size(
    rocksdb_block_based_table_options_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API void
rocksdb_block_based_options_set_super_block_alignment_space_overhead_ratio(
    rocksdb_block_based_table_options_t* opt, size_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_uniform_cv_threshold(
    rocksdb_block_based_table_options_t* opt, double v);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_use_udi_as_primary_index(
    rocksdb_block_based_table_options_t* opt, unsigned char v);

/* CompactionOptionsFIFO, CompactionOptionsUniversal. */
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_fifo_compaction_options_get_allow_trivial_copy_when_change_temperature(
    rocksdb_fifo_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_fifo_compaction_options_get_trivial_copy_buffer_size(
    rocksdb_fifo_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void
rocksdb_fifo_compaction_options_set_allow_trivial_copy_when_change_temperature(
    rocksdb_fifo_compaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_fifo_compaction_options_set_trivial_copy_buffer_size(
    rocksdb_fifo_compaction_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API int rocksdb_universal_compaction_options_get_max_read_amp(
    rocksdb_universal_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_universal_compaction_options_get_reduce_file_locking(
    rocksdb_universal_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_universal_compaction_options_set_max_read_amp(
    rocksdb_universal_compaction_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API void rocksdb_universal_compaction_options_set_reduce_file_locking(
    rocksdb_universal_compaction_options_t* opt, unsigned char v);

/* ReadOptions, WriteOptions, FlushOptions. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_flushoptions_get_force_atomic_flush(
    rocksdb_flushoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_flushoptions_get_listener_wait(
    rocksdb_flushoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_flushoptions_set_force_atomic_flush(
    rocksdb_flushoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_flushoptions_set_listener_wait(rocksdb_flushoptions_t* opt,
                                                                       unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_readoptions_get_auto_refresh_iterator_with_snapshot(rocksdb_readoptions_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_readoptions_get_io_activity(rocksdb_readoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_auto_refresh_iterator_with_snapshot(
    rocksdb_readoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_io_activity(rocksdb_readoptions_t* opt,
                                                                    int v);
extern ROCKSDB_LIBRARY_API int rocksdb_writeoptions_get_io_activity(rocksdb_writeoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_writeoptions_set_io_activity(rocksdb_writeoptions_t* opt,
                                                                     int v);

/* IngestExternalFileOptions. */
extern ROCKSDB_LIBRARY_API int rocksdb_ingestexternalfileoptions_get_file_opening_threads(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_ingestexternalfileoptions_get_prefetch_lmax_index_and_filter_blocks(
    rocksdb_ingestexternalfileoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_ingestexternalfileoptions_set_file_opening_threads(
    rocksdb_ingestexternalfileoptions_t* opt, int v);
extern ROCKSDB_LIBRARY_API void
rocksdb_ingestexternalfileoptions_set_prefetch_lmax_index_and_filter_blocks(
    rocksdb_ingestexternalfileoptions_t* opt, unsigned char v);

/* "23:30-04:00"; copied. The other gives it, *size bytes and a zero, good until it changes. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_options_get_daily_offpeak_time_utc(
    rocksdb_options_t* opt, size_t* size);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_daily_offpeak_time_utc(rocksdb_options_t* opt,
                                                                           const char* v);
extern ROCKSDB_LIBRARY_API double rocksdb_options_get_read_triggered_compaction_threshold(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_read_triggered_compaction_threshold(
    rocksdb_options_t* opt, double val);
/* Sets of CompactionStyle, and of FileType (types.h), by their numbers; others change nothing, and
   are in no set. The former is a hint without effect; a database does not open unless the latter
   is empty. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_calculate_sst_write_lifetime_hint_set_add(
    rocksdb_options_t* opt, int compaction_style);
extern ROCKSDB_LIBRARY_API void rocksdb_options_calculate_sst_write_lifetime_hint_set_clear(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_options_calculate_sst_write_lifetime_hint_set_contains(rocksdb_options_t* opt,
                                                               int compaction_style);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_options_calculate_sst_write_lifetime_hint_set_count(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_calculate_sst_write_lifetime_hint_set_remove(
    rocksdb_options_t* opt, int compaction_style);
extern ROCKSDB_LIBRARY_API void rocksdb_options_checksum_handoff_file_types_add(
    rocksdb_options_t* opt, int file_type);
extern ROCKSDB_LIBRARY_API void rocksdb_options_checksum_handoff_file_types_clear(
    rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_checksum_handoff_file_types_contains(
    rocksdb_options_t* opt, int file_type);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_options_checksum_handoff_file_types_count(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_checksum_handoff_file_types_remove(
    rocksdb_options_t* opt, int file_type);

/* ReadOptions::merge_operand_count_threshold; 0 where there is none. */
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_clear_merge_operand_count_threshold(
    rocksdb_readoptions_t*);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_readoptions_get_merge_operand_count_threshold(rocksdb_readoptions_t*);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_readoptions_has_merge_operand_count_threshold(
    rocksdb_readoptions_t*);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_merge_operand_count_threshold(
    rocksdb_readoptions_t*, size_t threshold);
/* Copied. NULL and *request_id_len = 0: there is none. */
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_clear_request_id(rocksdb_readoptions_t*);
extern ROCKSDB_LIBRARY_API const char* rocksdb_readoptions_get_request_id(rocksdb_readoptions_t*,
                                                                          size_t* request_id_len);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_request_id(rocksdb_readoptions_t*,
                                                                   const char* request_id,
                                                                   size_t request_id_len);

/* A user-defined index (rocksdb/user_defined_index.h), of those that C++ has registered by name or
   text; another one is an error, "Not implemented". NULL as value: none. The name is NULL where
   there is none, and else good as long as the options. */
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_clear_user_defined_index_factory(
    rocksdb_block_based_table_options_t* options);
extern ROCKSDB_LIBRARY_API const char*
rocksdb_block_based_options_get_user_defined_index_factory_name(
    const rocksdb_block_based_table_options_t* options, size_t* name_len);
extern ROCKSDB_LIBRARY_API void
rocksdb_block_based_options_set_user_defined_index_factory_from_string(
    rocksdb_block_based_table_options_t* options, const char* value, size_t value_len,
    char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_clear_table_index_factory(
    rocksdb_readoptions_t*);
extern ROCKSDB_LIBRARY_API const char* rocksdb_readoptions_get_table_index_factory_name(
    const rocksdb_readoptions_t*, size_t* name_len);
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_table_index_factory_from_string(
    rocksdb_readoptions_t*, const char* value, size_t value_len, char** errptr);

/* Limits what is written through these options; shared. */
extern ROCKSDB_LIBRARY_API void rocksdb_envoptions_set_rate_limiter(
    rocksdb_envoptions_t* opt, rocksdb_ratelimiter_t* rate_limiter);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_LATER_FIELDS_H_ */
