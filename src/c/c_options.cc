// The C interface: options of a database, of reads, writes, flushes and manual compactions.
#include "c/c_objects.h"
#include "rocksdb/statistics.h"

using namespace rocksdb;  // NOLINT(build/namespaces): every name below is of the public API

extern "C" {

rocksdb_options_t* rocksdb_options_create() { return new rocksdb_options_t; }
void rocksdb_options_destroy(rocksdb_options_t* o) { delete o; }
rocksdb_options_t* rocksdb_options_create_copy(rocksdb_options_t* o) {
  return new rocksdb_options_t(*o);
}
void rocksdb_options_increase_parallelism(rocksdb_options_t* o, int total_threads) {
  o->rep.IncreaseParallelism(total_threads);
}
void rocksdb_options_optimize_for_point_lookup(rocksdb_options_t* o, uint64_t block_cache_size_mb) {
  o->rep.OptimizeForPointLookup(block_cache_size_mb);
}
void rocksdb_options_optimize_level_style_compaction(rocksdb_options_t* o,
                                                     uint64_t memtable_memory_budget) {
  o->rep.OptimizeLevelStyleCompaction(memtable_memory_budget);
}
void rocksdb_options_set_block_based_table_factory(
    rocksdb_options_t* o, rocksdb_block_based_table_options_t* table_options) {
  if (table_options != nullptr)
    o->rep.table_factory.reset(NewBlockBasedTableFactory(table_options->rep));
}
void rocksdb_options_set_env(rocksdb_options_t* o, rocksdb_env_t* env) {
  o->rep.env = env == nullptr ? nullptr : env->rep;
}
void rocksdb_options_set_db_log_dir(rocksdb_options_t* o, const char* v) { o->rep.db_log_dir = v; }
void rocksdb_options_set_wal_dir(rocksdb_options_t* o, const char* v) { o->rep.wal_dir = v; }
void rocksdb_options_compaction_readahead_size(rocksdb_options_t* o, size_t v) {
  o->rep.compaction_readahead_size = v;
}
size_t rocksdb_options_get_compaction_readahead_size(rocksdb_options_t* o) {
  return o->rep.compaction_readahead_size;
}

static void SetCompressionOptions(CompressionOptions* o, int window_bits, int level, int strategy,
                                  int max_dict_bytes) {
  o->window_bits = window_bits;
  o->level = level;
  o->strategy = strategy;
  o->max_dict_bytes = static_cast<uint32_t>(max_dict_bytes);
}
void rocksdb_options_set_compression_options(rocksdb_options_t* o, int window_bits, int level,
                                             int strategy, int max_dict_bytes) {
  SetCompressionOptions(&o->rep.compression_opts, window_bits, level, strategy, max_dict_bytes);
}
void rocksdb_options_set_bottommost_compression_options(rocksdb_options_t* o, int window_bits,
                                                        int level, int strategy, int max_dict_bytes,
                                                        unsigned char enabled) {
  SetCompressionOptions(&o->rep.bottommost_compression_opts, window_bits, level, strategy,
                        max_dict_bytes);
  o->rep.bottommost_compression_opts.enabled = enabled != 0;
}
void rocksdb_options_set_compression_per_level(rocksdb_options_t* o, const int* level_values,
                                               size_t num_levels) {
  o->rep.compression_per_level.clear();
  for (size_t i = 0; i < num_levels; ++i)
    o->rep.compression_per_level.push_back(static_cast<CompressionType>(level_values[i]));
}
void rocksdb_options_set_max_bytes_for_level_multiplier_additional(rocksdb_options_t* o,
                                                                   int* level_values,
                                                                   size_t num_levels) {
  o->rep.max_bytes_for_level_multiplier_additional.assign(level_values, level_values + num_levels);
}
void rocksdb_options_enable_statistics(rocksdb_options_t* o) {
  o->rep.statistics = CreateDBStatistics();
}
char* rocksdb_options_statistics_get_string(rocksdb_options_t* o) {
  return o->rep.statistics == nullptr ? nullptr : cairn::CopyString(o->rep.statistics->ToString());
}
uint64_t rocksdb_options_statistics_get_ticker_count(rocksdb_options_t* o, uint32_t ticker_type) {
  return o->rep.statistics == nullptr ? 0 : o->rep.statistics->getTickerCount(ticker_type);
}

// Opening
void rocksdb_options_set_create_if_missing(rocksdb_options_t* o, unsigned char v) {
  o->rep.create_if_missing = v != 0;
}
unsigned char rocksdb_options_get_create_if_missing(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.create_if_missing);
}
void rocksdb_options_set_create_missing_column_families(rocksdb_options_t* o, unsigned char v) {
  o->rep.create_missing_column_families = v != 0;
}
unsigned char rocksdb_options_get_create_missing_column_families(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.create_missing_column_families);
}
void rocksdb_options_set_error_if_exists(rocksdb_options_t* o, unsigned char v) {
  o->rep.error_if_exists = v != 0;
}
unsigned char rocksdb_options_get_error_if_exists(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.error_if_exists);
}
void rocksdb_options_set_paranoid_checks(rocksdb_options_t* o, unsigned char v) {
  o->rep.paranoid_checks = v != 0;
}
unsigned char rocksdb_options_get_paranoid_checks(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.paranoid_checks);
}
void rocksdb_options_set_max_open_files(rocksdb_options_t* o, int v) { o->rep.max_open_files = v; }
int rocksdb_options_get_max_open_files(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.max_open_files);
}
void rocksdb_options_set_max_file_opening_threads(rocksdb_options_t* o, int v) {
  o->rep.max_file_opening_threads = v;
}
int rocksdb_options_get_max_file_opening_threads(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.max_file_opening_threads);
}
void rocksdb_options_set_wal_recovery_mode(rocksdb_options_t* o, int v) {
  o->rep.wal_recovery_mode = static_cast<WALRecoveryMode>(v);
}
int rocksdb_options_get_wal_recovery_mode(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.wal_recovery_mode);
}
void rocksdb_options_set_skip_stats_update_on_db_open(rocksdb_options_t* o, unsigned char v) {
  o->rep.skip_stats_update_on_db_open = v != 0;
}
unsigned char rocksdb_options_get_skip_stats_update_on_db_open(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.skip_stats_update_on_db_open);
}
void rocksdb_options_set_avoid_unnecessary_blocking_io(rocksdb_options_t* o, unsigned char v) {
  o->rep.avoid_unnecessary_blocking_io = v != 0;
}
unsigned char rocksdb_options_get_avoid_unnecessary_blocking_io(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.avoid_unnecessary_blocking_io);
}
void rocksdb_options_set_write_dbid_to_manifest(rocksdb_options_t* o, unsigned char v) {
  o->rep.write_dbid_to_manifest = v != 0;
}
unsigned char rocksdb_options_get_write_dbid_to_manifest(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.write_dbid_to_manifest);
}
void rocksdb_options_set_track_and_verify_wals_in_manifest(rocksdb_options_t* o, unsigned char v) {
  o->rep.track_and_verify_wals_in_manifest = v != 0;
}
unsigned char rocksdb_options_get_track_and_verify_wals_in_manifest(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.track_and_verify_wals_in_manifest);
}

// Writing
void rocksdb_options_set_write_buffer_size(rocksdb_options_t* o, size_t v) {
  o->rep.write_buffer_size = v;
}
size_t rocksdb_options_get_write_buffer_size(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.write_buffer_size);
}
void rocksdb_options_set_db_write_buffer_size(rocksdb_options_t* o, size_t v) {
  o->rep.db_write_buffer_size = v;
}
size_t rocksdb_options_get_db_write_buffer_size(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.db_write_buffer_size);
}
void rocksdb_options_set_max_write_buffer_number(rocksdb_options_t* o, int v) {
  o->rep.max_write_buffer_number = v;
}
int rocksdb_options_get_max_write_buffer_number(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.max_write_buffer_number);
}
void rocksdb_options_set_min_write_buffer_number_to_merge(rocksdb_options_t* o, int v) {
  o->rep.min_write_buffer_number_to_merge = v;
}
int rocksdb_options_get_min_write_buffer_number_to_merge(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.min_write_buffer_number_to_merge);
}
void rocksdb_options_set_max_write_buffer_size_to_maintain(rocksdb_options_t* o, int64_t v) {
  o->rep.max_write_buffer_size_to_maintain = v;
}
int64_t rocksdb_options_get_max_write_buffer_size_to_maintain(rocksdb_options_t* o) {
  return static_cast<int64_t>(o->rep.max_write_buffer_size_to_maintain);
}
void rocksdb_options_set_arena_block_size(rocksdb_options_t* o, size_t v) {
  o->rep.arena_block_size = v;
}
size_t rocksdb_options_get_arena_block_size(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.arena_block_size);
}
void rocksdb_options_set_memtable_huge_page_size(rocksdb_options_t* o, size_t v) {
  o->rep.memtable_huge_page_size = v;
}
size_t rocksdb_options_get_memtable_huge_page_size(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.memtable_huge_page_size);
}
void rocksdb_options_set_memtable_prefix_bloom_size_ratio(rocksdb_options_t* o, double v) {
  o->rep.memtable_prefix_bloom_size_ratio = v;
}
double rocksdb_options_get_memtable_prefix_bloom_size_ratio(rocksdb_options_t* o) {
  return static_cast<double>(o->rep.memtable_prefix_bloom_size_ratio);
}
void rocksdb_options_set_memtable_whole_key_filtering(rocksdb_options_t* o, unsigned char v) {
  o->rep.memtable_whole_key_filtering = v != 0;
}
void rocksdb_options_set_max_successive_merges(rocksdb_options_t* o, size_t v) {
  o->rep.max_successive_merges = v;
}
size_t rocksdb_options_get_max_successive_merges(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.max_successive_merges);
}
void rocksdb_options_set_bloom_locality(rocksdb_options_t* o, uint32_t v) {
  o->rep.bloom_locality = v;
}
uint32_t rocksdb_options_get_bloom_locality(rocksdb_options_t* o) {
  return static_cast<uint32_t>(o->rep.bloom_locality);
}
void rocksdb_options_set_inplace_update_support(rocksdb_options_t* o, unsigned char v) {
  o->rep.inplace_update_support = v != 0;
}
unsigned char rocksdb_options_get_inplace_update_support(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.inplace_update_support);
}
void rocksdb_options_set_inplace_update_num_locks(rocksdb_options_t* o, size_t v) {
  o->rep.inplace_update_num_locks = v;
}
size_t rocksdb_options_get_inplace_update_num_locks(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.inplace_update_num_locks);
}
void rocksdb_options_set_allow_concurrent_memtable_write(rocksdb_options_t* o, unsigned char v) {
  o->rep.allow_concurrent_memtable_write = v != 0;
}
unsigned char rocksdb_options_get_allow_concurrent_memtable_write(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.allow_concurrent_memtable_write);
}
void rocksdb_options_set_enable_write_thread_adaptive_yield(rocksdb_options_t* o, unsigned char v) {
  o->rep.enable_write_thread_adaptive_yield = v != 0;
}
unsigned char rocksdb_options_get_enable_write_thread_adaptive_yield(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.enable_write_thread_adaptive_yield);
}
void rocksdb_options_set_enable_pipelined_write(rocksdb_options_t* o, unsigned char v) {
  o->rep.enable_pipelined_write = v != 0;
}
unsigned char rocksdb_options_get_enable_pipelined_write(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.enable_pipelined_write);
}
void rocksdb_options_set_unordered_write(rocksdb_options_t* o, unsigned char v) {
  o->rep.unordered_write = v != 0;
}
unsigned char rocksdb_options_get_unordered_write(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.unordered_write);
}
void rocksdb_options_set_atomic_flush(rocksdb_options_t* o, unsigned char v) {
  o->rep.atomic_flush = v != 0;
}
unsigned char rocksdb_options_get_atomic_flush(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.atomic_flush);
}
void rocksdb_options_set_manual_wal_flush(rocksdb_options_t* o, unsigned char v) {
  o->rep.manual_wal_flush = v != 0;
}
unsigned char rocksdb_options_get_manual_wal_flush(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.manual_wal_flush);
}
void rocksdb_options_set_wal_compression(rocksdb_options_t* o, int v) {
  o->rep.wal_compression = static_cast<CompressionType>(v);
}
int rocksdb_options_get_wal_compression(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.wal_compression);
}
void rocksdb_options_set_max_total_wal_size(rocksdb_options_t* o, uint64_t v) {
  o->rep.max_total_wal_size = v;
}
uint64_t rocksdb_options_get_max_total_wal_size(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.max_total_wal_size);
}
void rocksdb_options_set_recycle_log_file_num(rocksdb_options_t* o, size_t v) {
  o->rep.recycle_log_file_num = v;
}
size_t rocksdb_options_get_recycle_log_file_num(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.recycle_log_file_num);
}
void rocksdb_options_set_WAL_ttl_seconds(rocksdb_options_t* o, uint64_t v) {
  o->rep.WAL_ttl_seconds = v;
}
uint64_t rocksdb_options_get_WAL_ttl_seconds(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.WAL_ttl_seconds);
}
void rocksdb_options_set_WAL_size_limit_MB(rocksdb_options_t* o, uint64_t v) {
  o->rep.WAL_size_limit_MB = v;
}
uint64_t rocksdb_options_get_WAL_size_limit_MB(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.WAL_size_limit_MB);
}

// Levels and compaction
void rocksdb_options_set_num_levels(rocksdb_options_t* o, int v) { o->rep.num_levels = v; }
int rocksdb_options_get_num_levels(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.num_levels);
}
void rocksdb_options_set_level0_file_num_compaction_trigger(rocksdb_options_t* o, int v) {
  o->rep.level0_file_num_compaction_trigger = v;
}
int rocksdb_options_get_level0_file_num_compaction_trigger(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.level0_file_num_compaction_trigger);
}
void rocksdb_options_set_level0_slowdown_writes_trigger(rocksdb_options_t* o, int v) {
  o->rep.level0_slowdown_writes_trigger = v;
}
int rocksdb_options_get_level0_slowdown_writes_trigger(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.level0_slowdown_writes_trigger);
}
void rocksdb_options_set_level0_stop_writes_trigger(rocksdb_options_t* o, int v) {
  o->rep.level0_stop_writes_trigger = v;
}
int rocksdb_options_get_level0_stop_writes_trigger(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.level0_stop_writes_trigger);
}
void rocksdb_options_set_target_file_size_base(rocksdb_options_t* o, uint64_t v) {
  o->rep.target_file_size_base = v;
}
uint64_t rocksdb_options_get_target_file_size_base(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.target_file_size_base);
}
void rocksdb_options_set_target_file_size_multiplier(rocksdb_options_t* o, int v) {
  o->rep.target_file_size_multiplier = v;
}
int rocksdb_options_get_target_file_size_multiplier(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.target_file_size_multiplier);
}
void rocksdb_options_set_max_bytes_for_level_base(rocksdb_options_t* o, uint64_t v) {
  o->rep.max_bytes_for_level_base = v;
}
uint64_t rocksdb_options_get_max_bytes_for_level_base(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.max_bytes_for_level_base);
}
void rocksdb_options_set_max_bytes_for_level_multiplier(rocksdb_options_t* o, double v) {
  o->rep.max_bytes_for_level_multiplier = v;
}
double rocksdb_options_get_max_bytes_for_level_multiplier(rocksdb_options_t* o) {
  return static_cast<double>(o->rep.max_bytes_for_level_multiplier);
}
void rocksdb_options_set_level_compaction_dynamic_level_bytes(rocksdb_options_t* o,
                                                              unsigned char v) {
  o->rep.level_compaction_dynamic_level_bytes = v != 0;
}
unsigned char rocksdb_options_get_level_compaction_dynamic_level_bytes(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.level_compaction_dynamic_level_bytes);
}
void rocksdb_options_set_max_compaction_bytes(rocksdb_options_t* o, uint64_t v) {
  o->rep.max_compaction_bytes = v;
}
uint64_t rocksdb_options_get_max_compaction_bytes(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.max_compaction_bytes);
}
void rocksdb_options_set_soft_pending_compaction_bytes_limit(rocksdb_options_t* o, size_t v) {
  o->rep.soft_pending_compaction_bytes_limit = v;
}
size_t rocksdb_options_get_soft_pending_compaction_bytes_limit(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.soft_pending_compaction_bytes_limit);
}
void rocksdb_options_set_hard_pending_compaction_bytes_limit(rocksdb_options_t* o, size_t v) {
  o->rep.hard_pending_compaction_bytes_limit = v;
}
size_t rocksdb_options_get_hard_pending_compaction_bytes_limit(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.hard_pending_compaction_bytes_limit);
}
void rocksdb_options_set_disable_auto_compactions(rocksdb_options_t* o, int v) {
  o->rep.disable_auto_compactions = v != 0;
}
unsigned char rocksdb_options_get_disable_auto_compactions(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.disable_auto_compactions);
}
void rocksdb_options_set_compaction_style(rocksdb_options_t* o, int v) {
  o->rep.compaction_style = static_cast<CompactionStyle>(v);
}
int rocksdb_options_get_compaction_style(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.compaction_style);
}
void rocksdb_options_set_compaction_pri(rocksdb_options_t* o, int v) {
  o->rep.compaction_pri = static_cast<CompactionPri>(v);
}
int rocksdb_options_get_compaction_pri(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.compaction_pri);
}
void rocksdb_options_set_ttl(rocksdb_options_t* o, uint64_t v) { o->rep.ttl = v; }
uint64_t rocksdb_options_get_ttl(rocksdb_options_t* o) { return static_cast<uint64_t>(o->rep.ttl); }
void rocksdb_options_set_periodic_compaction_seconds(rocksdb_options_t* o, uint64_t v) {
  o->rep.periodic_compaction_seconds = v;
}
uint64_t rocksdb_options_get_periodic_compaction_seconds(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.periodic_compaction_seconds);
}
void rocksdb_options_set_max_background_jobs(rocksdb_options_t* o, int v) {
  o->rep.max_background_jobs = v;
}
int rocksdb_options_get_max_background_jobs(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.max_background_jobs);
}
void rocksdb_options_set_max_background_compactions(rocksdb_options_t* o, int v) {
  o->rep.max_background_compactions = v;
}
int rocksdb_options_get_max_background_compactions(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.max_background_compactions);
}
void rocksdb_options_set_max_background_flushes(rocksdb_options_t* o, int v) {
  o->rep.max_background_flushes = v;
}
int rocksdb_options_get_max_background_flushes(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.max_background_flushes);
}
void rocksdb_options_set_max_subcompactions(rocksdb_options_t* o, uint32_t v) {
  o->rep.max_subcompactions = v;
}
uint32_t rocksdb_options_get_max_subcompactions(rocksdb_options_t* o) {
  return static_cast<uint32_t>(o->rep.max_subcompactions);
}
void rocksdb_options_set_compression(rocksdb_options_t* o, int v) {
  o->rep.compression = static_cast<CompressionType>(v);
}
int rocksdb_options_get_compression(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.compression);
}
void rocksdb_options_set_bottommost_compression(rocksdb_options_t* o, int v) {
  o->rep.bottommost_compression = static_cast<CompressionType>(v);
}
int rocksdb_options_get_bottommost_compression(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.bottommost_compression);
}
void rocksdb_options_set_optimize_filters_for_hits(rocksdb_options_t* o, int v) {
  o->rep.optimize_filters_for_hits = v != 0;
}
unsigned char rocksdb_options_get_optimize_filters_for_hits(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.optimize_filters_for_hits);
}
void rocksdb_options_set_max_sequential_skip_in_iterations(rocksdb_options_t* o, uint64_t v) {
  o->rep.max_sequential_skip_in_iterations = v;
}
uint64_t rocksdb_options_get_max_sequential_skip_in_iterations(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.max_sequential_skip_in_iterations);
}
void rocksdb_options_set_report_bg_io_stats(rocksdb_options_t* o, int v) {
  o->rep.report_bg_io_stats = v != 0;
}
unsigned char rocksdb_options_get_report_bg_io_stats(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.report_bg_io_stats);
}

// Files
void rocksdb_options_set_use_fsync(rocksdb_options_t* o, int v) { o->rep.use_fsync = v != 0; }
int rocksdb_options_get_use_fsync(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.use_fsync);
}
void rocksdb_options_set_allow_mmap_reads(rocksdb_options_t* o, unsigned char v) {
  o->rep.allow_mmap_reads = v != 0;
}
unsigned char rocksdb_options_get_allow_mmap_reads(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.allow_mmap_reads);
}
void rocksdb_options_set_allow_mmap_writes(rocksdb_options_t* o, unsigned char v) {
  o->rep.allow_mmap_writes = v != 0;
}
unsigned char rocksdb_options_get_allow_mmap_writes(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.allow_mmap_writes);
}
void rocksdb_options_set_use_direct_reads(rocksdb_options_t* o, unsigned char v) {
  o->rep.use_direct_reads = v != 0;
}
unsigned char rocksdb_options_get_use_direct_reads(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.use_direct_reads);
}
void rocksdb_options_set_use_direct_io_for_flush_and_compaction(rocksdb_options_t* o,
                                                                unsigned char v) {
  o->rep.use_direct_io_for_flush_and_compaction = v != 0;
}
unsigned char rocksdb_options_get_use_direct_io_for_flush_and_compaction(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.use_direct_io_for_flush_and_compaction);
}
void rocksdb_options_set_is_fd_close_on_exec(rocksdb_options_t* o, unsigned char v) {
  o->rep.is_fd_close_on_exec = v != 0;
}
unsigned char rocksdb_options_get_is_fd_close_on_exec(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.is_fd_close_on_exec);
}
void rocksdb_options_set_advise_random_on_open(rocksdb_options_t* o, unsigned char v) {
  o->rep.advise_random_on_open = v != 0;
}
unsigned char rocksdb_options_get_advise_random_on_open(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.advise_random_on_open);
}
void rocksdb_options_set_bytes_per_sync(rocksdb_options_t* o, uint64_t v) {
  o->rep.bytes_per_sync = v;
}
uint64_t rocksdb_options_get_bytes_per_sync(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.bytes_per_sync);
}
void rocksdb_options_set_wal_bytes_per_sync(rocksdb_options_t* o, uint64_t v) {
  o->rep.wal_bytes_per_sync = v;
}
uint64_t rocksdb_options_get_wal_bytes_per_sync(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.wal_bytes_per_sync);
}
void rocksdb_options_set_writable_file_max_buffer_size(rocksdb_options_t* o, uint64_t v) {
  o->rep.writable_file_max_buffer_size = v;
}
uint64_t rocksdb_options_get_writable_file_max_buffer_size(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.writable_file_max_buffer_size);
}
void rocksdb_options_set_manifest_preallocation_size(rocksdb_options_t* o, size_t v) {
  o->rep.manifest_preallocation_size = v;
}
size_t rocksdb_options_get_manifest_preallocation_size(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.manifest_preallocation_size);
}
void rocksdb_options_set_max_manifest_file_size(rocksdb_options_t* o, size_t v) {
  o->rep.max_manifest_file_size = v;
}
size_t rocksdb_options_get_max_manifest_file_size(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.max_manifest_file_size);
}
void rocksdb_options_set_table_cache_numshardbits(rocksdb_options_t* o, int v) {
  o->rep.table_cache_numshardbits = v;
}
int rocksdb_options_get_table_cache_numshardbits(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.table_cache_numshardbits);
}
void rocksdb_options_set_delete_obsolete_files_period_micros(rocksdb_options_t* o, uint64_t v) {
  o->rep.delete_obsolete_files_period_micros = v;
}
uint64_t rocksdb_options_get_delete_obsolete_files_period_micros(rocksdb_options_t* o) {
  return static_cast<uint64_t>(o->rep.delete_obsolete_files_period_micros);
}
void rocksdb_options_set_use_adaptive_mutex(rocksdb_options_t* o, unsigned char v) {
  o->rep.use_adaptive_mutex = v != 0;
}
unsigned char rocksdb_options_get_use_adaptive_mutex(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.use_adaptive_mutex);
}

// Logging and statistics
void rocksdb_options_set_info_log_level(rocksdb_options_t* o, int v) {
  o->rep.info_log_level = static_cast<InfoLogLevel>(v);
}
int rocksdb_options_get_info_log_level(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.info_log_level);
}
void rocksdb_options_set_max_log_file_size(rocksdb_options_t* o, size_t v) {
  o->rep.max_log_file_size = v;
}
size_t rocksdb_options_get_max_log_file_size(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.max_log_file_size);
}
void rocksdb_options_set_log_file_time_to_roll(rocksdb_options_t* o, size_t v) {
  o->rep.log_file_time_to_roll = v;
}
size_t rocksdb_options_get_log_file_time_to_roll(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.log_file_time_to_roll);
}
void rocksdb_options_set_keep_log_file_num(rocksdb_options_t* o, size_t v) {
  o->rep.keep_log_file_num = v;
}
size_t rocksdb_options_get_keep_log_file_num(rocksdb_options_t* o) {
  return static_cast<size_t>(o->rep.keep_log_file_num);
}
void rocksdb_options_set_stats_dump_period_sec(rocksdb_options_t* o, unsigned int v) {
  o->rep.stats_dump_period_sec = v;
}
unsigned int rocksdb_options_get_stats_dump_period_sec(rocksdb_options_t* o) {
  return static_cast<unsigned int>(o->rep.stats_dump_period_sec);
}
void rocksdb_options_set_stats_persist_period_sec(rocksdb_options_t* o, unsigned int v) {
  o->rep.stats_persist_period_sec = v;
}
unsigned int rocksdb_options_get_stats_persist_period_sec(rocksdb_options_t* o) {
  return static_cast<unsigned int>(o->rep.stats_persist_period_sec);
}
void rocksdb_options_set_dump_malloc_stats(rocksdb_options_t* o, unsigned char v) {
  o->rep.dump_malloc_stats = v != 0;
}

// Reads
rocksdb_readoptions_t* rocksdb_readoptions_create() { return new rocksdb_readoptions_t; }
void rocksdb_readoptions_destroy(rocksdb_readoptions_t* o) { delete o; }
void rocksdb_readoptions_set_snapshot(rocksdb_readoptions_t* o,
                                      const rocksdb_snapshot_t* snapshot) {
  o->rep.snapshot = snapshot == nullptr ? nullptr : snapshot->rep;
}
void rocksdb_readoptions_set_iterate_upper_bound(rocksdb_readoptions_t* o, const char* key,
                                                 size_t keylen) {
  o->upper_bound = key == nullptr ? Slice() : Slice(key, keylen);
  o->rep.iterate_upper_bound = key == nullptr ? nullptr : &o->upper_bound;
}
void rocksdb_readoptions_set_iterate_lower_bound(rocksdb_readoptions_t* o, const char* key,
                                                 size_t keylen) {
  o->lower_bound = key == nullptr ? Slice() : Slice(key, keylen);
  o->rep.iterate_lower_bound = key == nullptr ? nullptr : &o->lower_bound;
}
void rocksdb_readoptions_set_deadline(rocksdb_readoptions_t* o, uint64_t microseconds) {
  o->rep.deadline = std::chrono::microseconds(microseconds);
}
uint64_t rocksdb_readoptions_get_deadline(rocksdb_readoptions_t* o) {
  return static_cast<uint64_t>(o->rep.deadline.count());
}
void rocksdb_readoptions_set_io_timeout(rocksdb_readoptions_t* o, uint64_t microseconds) {
  o->rep.io_timeout = std::chrono::microseconds(microseconds);
}
uint64_t rocksdb_readoptions_get_io_timeout(rocksdb_readoptions_t* o) {
  return static_cast<uint64_t>(o->rep.io_timeout.count());
}
void rocksdb_readoptions_set_verify_checksums(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.verify_checksums = v != 0;
}
unsigned char rocksdb_readoptions_get_verify_checksums(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.verify_checksums);
}
void rocksdb_readoptions_set_fill_cache(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.fill_cache = v != 0;
}
unsigned char rocksdb_readoptions_get_fill_cache(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.fill_cache);
}
void rocksdb_readoptions_set_read_tier(rocksdb_readoptions_t* o, int v) {
  o->rep.read_tier = static_cast<ReadTier>(v);
}
int rocksdb_readoptions_get_read_tier(rocksdb_readoptions_t* o) {
  return static_cast<int>(o->rep.read_tier);
}
void rocksdb_readoptions_set_tailing(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.tailing = v != 0;
}
unsigned char rocksdb_readoptions_get_tailing(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.tailing);
}
void rocksdb_readoptions_set_readahead_size(rocksdb_readoptions_t* o, size_t v) {
  o->rep.readahead_size = v;
}
size_t rocksdb_readoptions_get_readahead_size(rocksdb_readoptions_t* o) {
  return static_cast<size_t>(o->rep.readahead_size);
}
void rocksdb_readoptions_set_prefix_same_as_start(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.prefix_same_as_start = v != 0;
}
unsigned char rocksdb_readoptions_get_prefix_same_as_start(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.prefix_same_as_start);
}
void rocksdb_readoptions_set_pin_data(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.pin_data = v != 0;
}
unsigned char rocksdb_readoptions_get_pin_data(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.pin_data);
}
void rocksdb_readoptions_set_total_order_seek(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.total_order_seek = v != 0;
}
unsigned char rocksdb_readoptions_get_total_order_seek(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.total_order_seek);
}
void rocksdb_readoptions_set_max_skippable_internal_keys(rocksdb_readoptions_t* o, uint64_t v) {
  o->rep.max_skippable_internal_keys = v;
}
uint64_t rocksdb_readoptions_get_max_skippable_internal_keys(rocksdb_readoptions_t* o) {
  return static_cast<uint64_t>(o->rep.max_skippable_internal_keys);
}
void rocksdb_readoptions_set_background_purge_on_iterator_cleanup(rocksdb_readoptions_t* o,
                                                                  unsigned char v) {
  o->rep.background_purge_on_iterator_cleanup = v != 0;
}
unsigned char rocksdb_readoptions_get_background_purge_on_iterator_cleanup(
    rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.background_purge_on_iterator_cleanup);
}
void rocksdb_readoptions_set_ignore_range_deletions(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.ignore_range_deletions = v != 0;
}
unsigned char rocksdb_readoptions_get_ignore_range_deletions(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.ignore_range_deletions);
}
void rocksdb_readoptions_set_async_io(rocksdb_readoptions_t* o, unsigned char v) {
  o->rep.async_io = v != 0;
}
unsigned char rocksdb_readoptions_get_async_io(rocksdb_readoptions_t* o) {
  return static_cast<unsigned char>(o->rep.async_io);
}

// Writes
rocksdb_writeoptions_t* rocksdb_writeoptions_create() { return new rocksdb_writeoptions_t; }
void rocksdb_writeoptions_destroy(rocksdb_writeoptions_t* o) { delete o; }
void rocksdb_writeoptions_disable_WAL(rocksdb_writeoptions_t* o, int disable) {
  o->rep.disableWAL = disable != 0;
}
unsigned char rocksdb_writeoptions_get_disable_WAL(rocksdb_writeoptions_t* o) {
  return static_cast<unsigned char>(o->rep.disableWAL);
}
void rocksdb_writeoptions_set_sync(rocksdb_writeoptions_t* o, unsigned char v) {
  o->rep.sync = v != 0;
}
unsigned char rocksdb_writeoptions_get_sync(rocksdb_writeoptions_t* o) {
  return static_cast<unsigned char>(o->rep.sync);
}
void rocksdb_writeoptions_set_ignore_missing_column_families(rocksdb_writeoptions_t* o,
                                                             unsigned char v) {
  o->rep.ignore_missing_column_families = v != 0;
}
unsigned char rocksdb_writeoptions_get_ignore_missing_column_families(rocksdb_writeoptions_t* o) {
  return static_cast<unsigned char>(o->rep.ignore_missing_column_families);
}
void rocksdb_writeoptions_set_no_slowdown(rocksdb_writeoptions_t* o, unsigned char v) {
  o->rep.no_slowdown = v != 0;
}
unsigned char rocksdb_writeoptions_get_no_slowdown(rocksdb_writeoptions_t* o) {
  return static_cast<unsigned char>(o->rep.no_slowdown);
}
void rocksdb_writeoptions_set_low_pri(rocksdb_writeoptions_t* o, unsigned char v) {
  o->rep.low_pri = v != 0;
}
unsigned char rocksdb_writeoptions_get_low_pri(rocksdb_writeoptions_t* o) {
  return static_cast<unsigned char>(o->rep.low_pri);
}
void rocksdb_writeoptions_set_memtable_insert_hint_per_batch(rocksdb_writeoptions_t* o,
                                                             unsigned char v) {
  o->rep.memtable_insert_hint_per_batch = v != 0;
}
unsigned char rocksdb_writeoptions_get_memtable_insert_hint_per_batch(rocksdb_writeoptions_t* o) {
  return static_cast<unsigned char>(o->rep.memtable_insert_hint_per_batch);
}

// Flushes and manual compactions
rocksdb_flushoptions_t* rocksdb_flushoptions_create() { return new rocksdb_flushoptions_t; }
void rocksdb_flushoptions_destroy(rocksdb_flushoptions_t* o) { delete o; }
void rocksdb_flushoptions_set_wait(rocksdb_flushoptions_t* o, unsigned char v) {
  o->rep.wait = v != 0;
}
unsigned char rocksdb_flushoptions_get_wait(rocksdb_flushoptions_t* o) {
  return static_cast<unsigned char>(o->rep.wait);
}
rocksdb_compactoptions_t* rocksdb_compactoptions_create() { return new rocksdb_compactoptions_t; }
void rocksdb_compactoptions_destroy(rocksdb_compactoptions_t* o) { delete o; }
void rocksdb_compactoptions_set_exclusive_manual_compaction(rocksdb_compactoptions_t* o,
                                                            unsigned char v) {
  o->rep.exclusive_manual_compaction = v != 0;
}
unsigned char rocksdb_compactoptions_get_exclusive_manual_compaction(rocksdb_compactoptions_t* o) {
  return static_cast<unsigned char>(o->rep.exclusive_manual_compaction);
}
void rocksdb_compactoptions_set_bottommost_level_compaction(rocksdb_compactoptions_t* o,
                                                            unsigned char v) {
  o->rep.bottommost_level_compaction = static_cast<BottommostLevelCompaction>(v);
}
unsigned char rocksdb_compactoptions_get_bottommost_level_compaction(rocksdb_compactoptions_t* o) {
  return static_cast<unsigned char>(o->rep.bottommost_level_compaction);
}
void rocksdb_compactoptions_set_change_level(rocksdb_compactoptions_t* o, unsigned char v) {
  o->rep.change_level = v != 0;
}
unsigned char rocksdb_compactoptions_get_change_level(rocksdb_compactoptions_t* o) {
  return static_cast<unsigned char>(o->rep.change_level);
}
void rocksdb_compactoptions_set_target_level(rocksdb_compactoptions_t* o, int v) {
  o->rep.target_level = v;
}
int rocksdb_compactoptions_get_target_level(rocksdb_compactoptions_t* o) {
  return static_cast<int>(o->rep.target_level);
}
void rocksdb_compactoptions_set_target_path_id(rocksdb_compactoptions_t* o, int v) {
  o->rep.target_path_id = static_cast<uint32_t>(v);
}
int rocksdb_compactoptions_get_target_path_id(rocksdb_compactoptions_t* o) {
  return static_cast<int>(o->rep.target_path_id);
}
void rocksdb_compactoptions_set_allow_write_stall(rocksdb_compactoptions_t* o, unsigned char v) {
  o->rep.allow_write_stall = v != 0;
}
unsigned char rocksdb_compactoptions_get_allow_write_stall(rocksdb_compactoptions_t* o) {
  return static_cast<unsigned char>(o->rep.allow_write_stall);
}
void rocksdb_compactoptions_set_max_subcompactions(rocksdb_compactoptions_t* o, int v) {
  o->rep.max_subcompactions = static_cast<uint32_t>(v);
}
int rocksdb_compactoptions_get_max_subcompactions(rocksdb_compactoptions_t* o) {
  return static_cast<int>(o->rep.max_subcompactions);
}

}  // extern "C"
