// The C interface: more fields of options.
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

extern "C" {

CAIRN_C_OPTION(options, unsigned char, verify_sst_unique_id_in_manifest)
CAIRN_C_OPTION(options, unsigned char, allow_fallocate)
CAIRN_C_OPTION(options, unsigned char, persist_stats_to_disk)
CAIRN_C_OPTION(options, size_t, stats_history_buffer_size)
CAIRN_C_OPTION(options, unsigned char, enable_thread_tracking)
CAIRN_C_OPTION(options, uint64_t, write_thread_max_yield_usec)
CAIRN_C_OPTION(options, uint64_t, write_thread_slow_yield_usec)
CAIRN_C_OPTION(options, unsigned char, allow_2pc)
CAIRN_C_GETTER(options, unsigned char, dump_malloc_stats)
CAIRN_C_OPTION(options, unsigned char, avoid_flush_during_recovery)
CAIRN_C_OPTION(options, unsigned char, two_write_queues)
CAIRN_C_OPTION(options, size_t, log_readahead_size)
CAIRN_C_OPTION(options, unsigned char, best_efforts_recovery)
CAIRN_C_OPTION(options, unsigned char, allow_data_in_errors)
CAIRN_C_OPTION(options, unsigned char, enforce_single_del_contracts)
CAIRN_C_GETTER(options, unsigned char, memtable_whole_key_filtering)
CAIRN_C_OPTION(options, unsigned char, force_consistency_checks)
CAIRN_C_OPTION(options, int, last_level_temperature)
CAIRN_C_OPTION(options, uint64_t, preclude_last_level_data_seconds)
CAIRN_C_OPTION(options, uint64_t, preserve_internal_time_seconds)
CAIRN_C_OPTION(options, uint32_t, memtable_protection_bytes_per_key)

CAIRN_C_OPTION(writeoptions, size_t, protection_bytes_per_key)

CAIRN_C_OPTION(flushoptions, unsigned char, allow_write_stall)

CAIRN_C_OPTION(universal_compaction_options, unsigned char, allow_trivial_move)
CAIRN_C_OPTION(universal_compaction_options, unsigned char, incremental)

CAIRN_C_OPTION(fifo_compaction_options, uint64_t, age_for_warm)

CAIRN_C_TABLE_GETTER(unsigned char, cache_index_and_filter_blocks)
CAIRN_C_TABLE_GETTER(unsigned char, cache_index_and_filter_blocks_with_high_priority)
CAIRN_C_TABLE_GETTER(unsigned char, pin_l0_filter_and_index_blocks_in_cache)
CAIRN_C_TABLE_GETTER(unsigned char, pin_top_level_index_and_filter)
CAIRN_C_TABLE_GETTER(int, index_type)
CAIRN_C_TABLE_GETTER(int, data_block_index_type)
CAIRN_C_TABLE_GETTER(int, checksum)
CAIRN_C_TABLE_GETTER(unsigned char, no_block_cache)
CAIRN_C_TABLE_GETTER(uint64_t, block_size)
CAIRN_C_TABLE_GETTER(int, block_size_deviation)
CAIRN_C_TABLE_GETTER(int, block_restart_interval)
CAIRN_C_TABLE_GETTER(int, index_block_restart_interval)
CAIRN_C_TABLE_GETTER(uint64_t, metadata_block_size)
CAIRN_C_TABLE_GETTER(unsigned char, partition_filters)
CAIRN_C_TABLE_GETTER(unsigned char, optimize_filters_for_memory)
CAIRN_C_TABLE_GETTER(unsigned char, use_delta_encoding)
CAIRN_C_TABLE_GETTER(unsigned char, whole_key_filtering)
CAIRN_C_TABLE_OPTION(unsigned char, detect_filter_construct_corruption)
CAIRN_C_TABLE_OPTION(uint32_t, read_amp_bytes_per_bit)
CAIRN_C_TABLE_GETTER(uint32_t, format_version)
CAIRN_C_TABLE_OPTION(unsigned char, block_align)
CAIRN_C_TABLE_OPTION(int, prepopulate_block_cache)

CAIRN_C_GETTER(ingestexternalfileoptions, unsigned char, move_files)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, link_files)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, failed_move_fall_back_to_copy)
CAIRN_C_GETTER(ingestexternalfileoptions, unsigned char, snapshot_consistency)
CAIRN_C_GETTER(ingestexternalfileoptions, unsigned char, allow_global_seqno)
CAIRN_C_GETTER(ingestexternalfileoptions, unsigned char, allow_blocking_flush)
CAIRN_C_GETTER(ingestexternalfileoptions, unsigned char, ingest_behind)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, write_global_seqno)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, verify_checksums_before_ingest)
CAIRN_C_OPTION(ingestexternalfileoptions, size_t, verify_checksums_readahead_size)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, verify_file_checksum)
CAIRN_C_GETTER(ingestexternalfileoptions, unsigned char, fail_if_not_bottommost_level)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, allow_db_generated_files)
CAIRN_C_OPTION(ingestexternalfileoptions, unsigned char, fill_cache)

CAIRN_C_OPTION(envoptions, unsigned char, use_mmap_reads)
CAIRN_C_OPTION(envoptions, unsigned char, use_mmap_writes)
CAIRN_C_OPTION(envoptions, unsigned char, use_direct_reads)
CAIRN_C_OPTION(envoptions, unsigned char, use_direct_writes)
CAIRN_C_OPTION(envoptions, unsigned char, allow_fallocate)
void rocksdb_envoptions_set_fd_cloexec(rocksdb_envoptions_t* opt, unsigned char v) {
  opt->rep.set_fd_cloexec = v != 0;
}
unsigned char rocksdb_envoptions_get_fd_cloexec(rocksdb_envoptions_t* opt) {
  return opt->rep.set_fd_cloexec ? 1 : 0;
}
CAIRN_C_OPTION(envoptions, uint64_t, bytes_per_sync)
CAIRN_C_OPTION(envoptions, unsigned char, strict_bytes_per_sync)
CAIRN_C_OPTION(envoptions, unsigned char, fallocate_with_keep_size)
CAIRN_C_OPTION(envoptions, size_t, compaction_readahead_size)
CAIRN_C_OPTION(envoptions, size_t, writable_file_max_buffer_size)

}  // extern "C"
