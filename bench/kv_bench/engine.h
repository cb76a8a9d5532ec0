// An engine under test: a shared library with RocksDB's C interface, opened at run time, so that
// one program measures Cairn and any release of RocksDB alike. Also pool_server's engine.
#pragma once

#include <string>

#include "fiber/c.h"
#include "rocksdb/c.h"

namespace kv_bench {

// The functions that the workloads call. Constant once loaded.
struct Engine {
  // clang-format off: it never comes to rest on this list
#define KV_BENCH_FUNCTIONS(F) \
  F(rocksdb_open) F(rocksdb_open_for_read_only) F(rocksdb_close) F(rocksdb_destroy_db) F(rocksdb_put) \
  F(rocksdb_write) F(rocksdb_get_pinned) F(rocksdb_pinnableslice_value) \
  F(rocksdb_pinnableslice_destroy) F(rocksdb_multi_get) F(rocksdb_create_iterator) \
  F(rocksdb_iter_destroy) F(rocksdb_iter_valid) F(rocksdb_iter_seek_to_first) \
  F(rocksdb_iter_seek_to_last) F(rocksdb_iter_prev) F(rocksdb_writebatch_delete_range) \
  F(rocksdb_readoptions_set_prefix_same_as_start) F(rocksdb_readoptions_set_total_order_seek) F(rocksdb_options_set_prefix_extractor) \
  F(rocksdb_slicetransform_create_fixed_prefix) F(rocksdb_options_set_target_file_size_base) \
  F(rocksdb_options_set_max_bytes_for_level_base) \
  F(rocksdb_options_set_max_bytes_for_level_multiplier) \
  F(rocksdb_iter_seek) F(rocksdb_iter_next) F(rocksdb_iter_key) F(rocksdb_iter_value) \
  F(rocksdb_iter_get_error) F(rocksdb_flush) F(rocksdb_compact_range) \
  F(rocksdb_property_value) F(rocksdb_property_int) F(rocksdb_writebatch_create) F(rocksdb_writebatch_destroy) \
  F(rocksdb_writebatch_clear) F(rocksdb_writebatch_put) F(rocksdb_writebatch_delete) \
  F(rocksdb_options_create) F(rocksdb_get_options_from_string) \
  F(rocksdb_block_based_options_set_no_block_cache) \
  F(rocksdb_options_destroy) F(rocksdb_options_set_create_if_missing) \
  F(rocksdb_options_set_write_buffer_size) F(rocksdb_options_set_max_write_buffer_number) \
  F(rocksdb_options_set_compression) F(rocksdb_options_set_max_background_jobs) \
  F(rocksdb_options_set_level_compaction_dynamic_level_bytes) \
  F(rocksdb_options_set_block_based_table_factory) F(rocksdb_options_set_use_direct_reads) \
  F(rocksdb_options_set_allow_concurrent_memtable_write) \
  F(rocksdb_options_set_enable_write_thread_adaptive_yield) \
  F(rocksdb_options_set_enable_pipelined_write) F(rocksdb_options_set_unordered_write) \
  F(rocksdb_options_set_recycle_log_file_num) F(rocksdb_options_enable_statistics) \
  F(rocksdb_options_set_disable_auto_compactions) F(rocksdb_options_set_max_open_files) \
  F(rocksdb_block_based_options_set_cache_index_and_filter_blocks) \
  F(rocksdb_block_based_options_set_index_type) \
  F(rocksdb_block_based_options_set_partition_filters) \
  F(rocksdb_options_statistics_get_string) F(rocksdb_readoptions_create) \
  F(rocksdb_readoptions_set_readahead_size) \
  F(rocksdb_readoptions_destroy) F(rocksdb_writeoptions_create) \
  F(rocksdb_writeoptions_destroy) F(rocksdb_writeoptions_set_sync) \
  F(rocksdb_writeoptions_disable_WAL) F(rocksdb_flushoptions_create) \
  F(rocksdb_flushoptions_destroy) F(rocksdb_block_based_options_create) \
  F(rocksdb_block_based_options_destroy) F(rocksdb_block_based_options_set_block_cache) \
  F(rocksdb_block_based_options_set_block_size) \
  F(rocksdb_block_based_options_set_filter_policy) F(rocksdb_filterpolicy_create_bloom_full) \
  F(rocksdb_options_set_enable_blob_files) F(rocksdb_options_set_min_blob_size) \
  F(rocksdb_options_set_blob_file_size) F(rocksdb_options_set_blob_compression_type) \
  F(rocksdb_options_set_enable_blob_gc) F(rocksdb_options_set_blob_gc_age_cutoff) \
  F(rocksdb_options_set_blob_gc_force_threshold) \
  F(rocksdb_options_set_blob_compaction_readahead_size) \
  F(rocksdb_options_set_blob_file_starting_level) F(rocksdb_options_set_blob_cache) \
  F(rocksdb_backup_engine_open) F(rocksdb_backup_engine_close) \
  F(rocksdb_backup_engine_create_new_backup_flush) \
  F(rocksdb_cache_create_lru) F(rocksdb_cache_set_capacity) F(rocksdb_cache_destroy) F(rocksdb_free)
// clang-format on
// Of later releases; null in older ones.
#define KV_BENCH_LATER_FUNCTIONS(F) \
  F(rocksdb_readoptions_set_async_io) F(rocksdb_cache_create_hyper_clock)
// Of Cairn only; null in other libraries.
#define KV_BENCH_FIBER_FUNCTIONS(F) \
  F(fiber_runtime_create) F(fiber_runtime_destroy) F(fiber_spawn) F(fiber_join) F(fiber_yield)
#define KV_BENCH_POINTER(name) decltype(&::name) name = nullptr;
  KV_BENCH_FUNCTIONS(KV_BENCH_POINTER)
  KV_BENCH_LATER_FUNCTIONS(KV_BENCH_POINTER)
  KV_BENCH_FIBER_FUNCTIONS(KV_BENCH_POINTER)
#undef KV_BENCH_POINTER

  bool has_fibers() const { return fiber_runtime_create != nullptr; }
};

// Opens library `name` (a path, or a name that the dynamic linker finds) and looks up every
// function. False: *error says what is missing. The library is never closed. A library of another
// store (bench/peers) has a function that fills the engine; it is told whether writes will be
// synced.
bool Load(const std::string& name, bool sync, Engine* engine, std::string* error);

}  // namespace kv_bench
