// The C interface of an engine that is loaded at run time: Cairn's library, or that of a release of
// RocksDB. The signatures are those of rocksdb/c.h, which are RocksDB 10.4's.
#pragma once

#include <string>

#include "rocksdb/c.h"

namespace interop {

// What every engine must have, without the prefix rocksdb_.
// clang-format off
#define INTEROP_FUNCTIONS(F)                                                                     \
  F(free) F(options_create) F(options_destroy) F(options_set_create_if_missing)                  \
  F(options_set_create_missing_column_families) F(options_set_write_buffer_size)                 \
  F(options_set_target_file_size_base) F(options_set_max_bytes_for_level_base)                   \
  F(options_set_max_bytes_for_level_multiplier) F(options_set_compression)                       \
  F(options_set_compression_options) F(options_set_compression_options_zstd_max_train_bytes)     \
  F(options_set_compression_options_use_zstd_dict_trainer)                                       \
  F(options_set_compression_options_parallel_threads) F(options_set_compression_per_level)       \
  F(options_set_bottommost_compression) F(options_set_bottommost_compression_options)            \
  F(options_set_block_based_table_factory) F(options_set_comparator)                             \
  F(options_set_merge_operator) F(options_set_prefix_extractor)                                  \
  F(options_set_memtable_prefix_bloom_size_ratio) F(options_set_wal_compression)                 \
  F(options_set_recycle_log_file_num) F(options_set_manual_wal_flush)                            \
  F(options_set_track_and_verify_wals_in_manifest) F(options_set_atomic_flush)                   \
  F(options_set_compaction_style) F(options_set_universal_compaction_options)                    \
  F(options_set_fifo_compaction_options) F(options_set_level_compaction_dynamic_level_bytes)     \
  F(options_set_enable_pipelined_write) F(options_set_max_open_files)                            \
  F(options_set_optimize_filters_for_hits) F(options_set_info_log_level)                         \
  F(universal_compaction_options_create) F(universal_compaction_options_destroy)                 \
  F(universal_compaction_options_set_max_merge_width) F(fifo_compaction_options_create)          \
  F(fifo_compaction_options_destroy) F(fifo_compaction_options_set_max_table_files_size)         \
  F(block_based_options_create) F(block_based_options_destroy)                                   \
  F(block_based_options_set_format_version) F(block_based_options_set_checksum)                  \
  F(block_based_options_set_filter_policy) F(block_based_options_set_index_type)                 \
  F(block_based_options_set_data_block_index_type)                                               \
  F(block_based_options_set_data_block_hash_ratio) F(block_based_options_set_partition_filters)  \
  F(block_based_options_set_metadata_block_size) F(block_based_options_set_whole_key_filtering)  \
  F(block_based_options_set_use_delta_encoding)                                                  \
  F(block_based_options_set_block_restart_interval)                                              \
  F(block_based_options_set_index_block_restart_interval) F(block_based_options_set_block_size)  \
  F(block_based_options_set_cache_index_and_filter_blocks) F(filterpolicy_create_bloom)          \
  F(filterpolicy_create_bloom_full) F(filterpolicy_create_ribbon)                                \
  F(filterpolicy_create_ribbon_hybrid) F(slicetransform_create_fixed_prefix)                     \
  F(mergeoperator_create) F(comparator_create) F(comparator_destroy) F(open_column_families)     \
  F(open_for_read_only_column_families) F(close) F(create_column_family) F(drop_column_family)   \
  F(column_family_handle_destroy) F(list_column_families) F(list_column_families_destroy)        \
  F(writeoptions_create) F(writeoptions_destroy) F(readoptions_create) F(readoptions_destroy)    \
  F(readoptions_set_total_order_seek) F(readoptions_set_prefix_same_as_start)                    \
  F(readoptions_set_verify_checksums) F(flushoptions_create) F(flushoptions_destroy)             \
  F(flushoptions_set_wait) F(writebatch_create) F(writebatch_create_from) F(writebatch_destroy)  \
  F(writebatch_put_cf) F(writebatch_delete_cf) F(writebatch_singledelete_cf)                     \
  F(writebatch_merge_cf) F(writebatch_delete_range_cf) F(write) F(put_cf) F(get_cf)              \
  F(multi_get_cf) F(create_iterator_cf) F(iter_destroy) F(iter_seek) F(iter_seek_to_first)       \
  F(iter_seek_to_last) F(iter_next) F(iter_prev) F(iter_valid) F(iter_key) F(iter_value)         \
  F(iter_get_error) F(flush_cf) F(flush_cfs) F(flush_wal) F(compact_range_cf) F(property_int_cf) \
  F(property_value_cf) F(envoptions_create) F(envoptions_destroy) F(sstfilewriter_create)        \
  F(sstfilewriter_create_with_comparator) F(sstfilewriter_open) F(sstfilewriter_put)             \
  F(sstfilewriter_merge) F(sstfilewriter_delete) F(sstfilewriter_finish)                         \
  F(sstfilewriter_delete_range) F(sstfilewriter_destroy) F(ingestexternalfileoptions_create)     \
  F(ingestexternalfileoptions_destroy) F(ingestexternalfileoptions_set_move_files)               \
  F(ingest_external_file_cf) F(load_latest_options) F(load_latest_options_destroy)               \
  F(create_default_env) F(get_options_from_string) F(options_set_enable_blob_files)              \
  F(options_set_min_blob_size) F(options_set_blob_file_size) F(options_set_enable_blob_gc)       \
  F(options_set_blob_gc_age_cutoff) F(options_set_blob_compression_type)                         \
  F(comparator_with_ts_create) F(writebatch_put_cf_with_ts) F(writebatch_delete_cf_with_ts)      \
  F(readoptions_set_timestamp) F(increase_full_history_ts_low)                                   \
  F(options_set_blob_gc_force_threshold) F(options_set_blob_file_starting_level)                 \
  F(writebatch_singledelete_cf_with_ts) F(readoptions_set_iter_start_ts) F(get_cf_with_ts)       \
  F(multi_get_cf_with_ts) F(iter_timestamp) F(get_full_history_ts_low)                           \
  F(sstfilewriter_put_with_ts) F(sstfilewriter_delete_with_ts)                                   \
  F(options_set_allow_concurrent_memtable_write) F(backup_engine_options_create)                 \
  F(backup_engine_options_destroy) F(backup_engine_options_set_max_background_operations)        \
  F(backup_engine_options_set_share_table_files)                                                 \
  F(backup_engine_options_set_share_files_with_checksum_naming)                                  \
  F(backup_engine_options_set_backup_log_files) F(backup_engine_open_opts) F(backup_engine_close)\
  F(backup_engine_create_new_backup_flush) F(backup_engine_get_backup_info)                      \
  F(backup_engine_info_count) F(backup_engine_info_backup_id) F(backup_engine_info_size)         \
  F(backup_engine_info_number_files) F(backup_engine_info_timestamp)                             \
  F(backup_engine_info_destroy) F(backup_engine_verify_backup) F(backup_engine_purge_old_backups)\
  F(backup_engine_restore_db_from_backup) F(restore_options_create) F(restore_options_destroy)   \
  F(put_cf_with_ts) F(options_set_disable_auto_compactions)                                      \
  F(checkpoint_object_create) F(checkpoint_object_destroy) F(livefiles_count) F(livefiles_name)  \
  F(livefiles_level) F(livefiles_size) F(livefiles_smallestkey) F(livefiles_largestkey)          \
  F(livefiles_entries) F(livefiles_deletions) F(livefiles_destroy)
// Of RocksDB since release 11, and null in earlier ones.
#define INTEROP_LATER_FUNCTIONS(F)                                                               \
  F(checkpoint_export_column_family) F(create_column_family_with_import)                         \
  F(import_column_family_options_create) F(import_column_family_options_destroy)                 \
  F(import_column_family_options_set_move_files) F(export_import_files_metadata_create)          \
  F(export_import_files_metadata_destroy) F(export_import_files_metadata_get_db_comparator_name) \
  F(export_import_files_metadata_set_db_comparator_name)                                         \
  F(export_import_files_metadata_get_files) F(export_import_files_metadata_set_files)            \
  F(livefiles_create) F(livefiles_add) F(livefile_create) F(livefile_set_column_family_name)     \
  F(livefile_set_directory) F(livefile_set_name) F(livefile_set_level) F(livefile_set_size)      \
  F(livefile_set_smallest_seqno) F(livefile_set_largest_seqno) F(livefile_set_num_entries)       \
  F(livefile_set_num_deletions) F(livefile_set_smallest_key) F(livefile_set_largest_key)         \
  F(livefiles_smallest_seqno) F(livefiles_largest_seqno)
// clang-format on

struct Engine {
#define INTEROP_DECLARE(name) decltype(&::rocksdb_##name) name = nullptr;
  INTEROP_FUNCTIONS(INTEROP_DECLARE)
  INTEROP_LATER_FUNCTIONS(INTEROP_DECLARE)
#undef INTEROP_DECLARE

  // Whether it is Cairn.
  bool cairn = false;

  // Of RocksDB 11 alone; null elsewhere.
  void (*block_based_options_set_separate_key_value_in_data_block)(
      rocksdb_block_based_table_options_t*, unsigned char) = nullptr;
  // Of RocksDB alone.
  void (*options_set_plain_table_factory)(rocksdb_options_t*, unsigned, int, double, size_t, size_t,
                                          char, unsigned char, unsigned char) = nullptr;
};

// Opens `library` (a path) and looks the functions up; the library is never closed. False: *error
// says what is missing.
bool Load(const std::string& library, Engine* engine, std::string* error);

}  // namespace interop
