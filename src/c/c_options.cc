// The C interface: options of a database, of reads, writes, flushes and manual compactions.
#include <algorithm>

#include "c/c_objects.h"
#include "rocksdb/convenience.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/utilities/table_properties_collectors.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

extern "C" {

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
void rocksdb_options_optimize_universal_style_compaction(rocksdb_options_t* o,
                                                         uint64_t memtable_memory_budget) {
  o->rep.OptimizeUniversalStyleCompaction(memtable_memory_budget);
}
void rocksdb_options_prepare_for_bulk_load(rocksdb_options_t* o) { o->rep.PrepareForBulkLoad(); }
void rocksdb_get_options_from_string(const rocksdb_options_t* base_options, const char* opts_str,
                                     rocksdb_options_t* new_options, char** errptr) {
  cairn::Report(errptr, GetOptionsFromString(base_options->rep, opts_str, &new_options->rep));
}
void rocksdb_load_latest_options(const char* db_path, rocksdb_env_t* env,
                                 bool ignore_unknown_options, rocksdb_cache_t* cache,
                                 rocksdb_options_t** db_options, size_t* num_column_families,
                                 char*** column_family_names,
                                 rocksdb_options_t*** column_family_options, char** errptr) {
  DBOptions of_db;
  std::vector<ColumnFamilyDescriptor> families;
  ConfigOptions how;
  how.env = env->rep;
  how.ignore_unknown_options = ignore_unknown_options;
  const Status s =
      LoadLatestOptions(how, db_path, &of_db, &families, cache == nullptr ? nullptr : &cache->rep);
  if (!cairn::Report(errptr, s)) return;
  *num_column_families = families.size();
  *column_family_names = static_cast<char**>(std::malloc(families.size() * sizeof(char*)));
  *column_family_options =
      static_cast<rocksdb_options_t**>(std::malloc(families.size() * sizeof(rocksdb_options_t*)));
  for (size_t i = 0; i < families.size(); ++i) {
    (*column_family_names)[i] = cairn::CopyString(families[i].name);
    (*column_family_options)[i] = new rocksdb_options_t{Options(DBOptions(), families[i].options)};
  }
  *db_options = new rocksdb_options_t{Options(of_db, ColumnFamilyOptions())};
}
void rocksdb_load_latest_options_destroy(rocksdb_options_t* db_options,
                                         char** list_column_family_names,
                                         rocksdb_options_t** list_column_family_options,
                                         size_t len) {
  delete db_options;
  for (size_t i = 0; i < len; ++i) {
    std::free(list_column_family_names[i]);
    delete list_column_family_options[i];
  }
  std::free(list_column_family_names);
  std::free(list_column_family_options);
}
void rocksdb_options_set_min_level_to_compress(rocksdb_options_t* o, int level) {
  if (level < 0) return;
  std::vector<CompressionType>& levels = o->rep.compression_per_level;
  levels.assign(static_cast<size_t>(o->rep.num_levels), o->rep.compression);
  for (int i = 0; i < std::min(level, o->rep.num_levels); ++i) {
    levels[static_cast<size_t>(i)] = kNoCompression;
  }
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
void rocksdb_options_set_compression_options_zstd_max_train_bytes(rocksdb_options_t* o, int v) {
  o->rep.compression_opts.zstd_max_train_bytes = static_cast<uint32_t>(v);
}
int rocksdb_options_get_compression_options_zstd_max_train_bytes(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.compression_opts.zstd_max_train_bytes);
}
void rocksdb_options_set_compression_options_use_zstd_dict_trainer(rocksdb_options_t* o,
                                                                   unsigned char v) {
  o->rep.compression_opts.use_zstd_dict_trainer = v != 0;
}
unsigned char rocksdb_options_get_compression_options_use_zstd_dict_trainer(rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.compression_opts.use_zstd_dict_trainer);
}
void rocksdb_options_set_compression_options_parallel_threads(rocksdb_options_t* o, int v) {
  o->rep.compression_opts.parallel_threads = static_cast<uint32_t>(v);
}
int rocksdb_options_get_compression_options_parallel_threads(rocksdb_options_t* o) {
  return static_cast<int>(o->rep.compression_opts.parallel_threads);
}
void rocksdb_options_set_compression_options_max_dict_buffer_bytes(rocksdb_options_t* o,
                                                                   uint64_t v) {
  o->rep.compression_opts.max_dict_buffer_bytes = v;
}
uint64_t rocksdb_options_get_compression_options_max_dict_buffer_bytes(rocksdb_options_t* o) {
  return o->rep.compression_opts.max_dict_buffer_bytes;
}
void rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(
    rocksdb_options_t* o, int v, unsigned char enabled) {
  o->rep.bottommost_compression_opts.zstd_max_train_bytes = static_cast<uint32_t>(v);
  o->rep.bottommost_compression_opts.enabled = enabled != 0;
}
void rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(
    rocksdb_options_t* o, unsigned char v, unsigned char enabled) {
  o->rep.bottommost_compression_opts.use_zstd_dict_trainer = v != 0;
  o->rep.bottommost_compression_opts.enabled = enabled != 0;
}
unsigned char rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(
    rocksdb_options_t* o) {
  return static_cast<unsigned char>(o->rep.bottommost_compression_opts.use_zstd_dict_trainer);
}
void rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(
    rocksdb_options_t* o, uint64_t v, unsigned char enabled) {
  o->rep.bottommost_compression_opts.max_dict_buffer_bytes = v;
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
void rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(
    rocksdb_options_t* o, size_t window_size, size_t num_dels_trigger, double deletion_ratio,
    uint64_t min_file_size) {
  o->rep.table_properties_collector_factories.push_back(NewCompactOnDeletionCollectorFactory(
      window_size, num_dels_trigger, deletion_ratio, min_file_size));
}
void rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(rocksdb_options_t* o,
                                                                         size_t window_size,
                                                                         size_t num_dels_trigger,
                                                                         double deletion_ratio) {
  rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(
      o, window_size, num_dels_trigger, deletion_ratio, 0);
}
void rocksdb_options_add_compact_on_deletion_collector_factory(rocksdb_options_t* o,
                                                               size_t window_size,
                                                               size_t num_dels_trigger) {
  rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(o, window_size,
                                                                      num_dels_trigger, 0);
}
void rocksdb_options_enable_statistics(rocksdb_options_t* o) {
  o->rep.statistics = CreateDBStatistics();
}
char* rocksdb_options_statistics_get_string(rocksdb_options_t* o) {
  return o->rep.statistics == nullptr ? nullptr : cairn::CopyString(o->rep.statistics->ToString());
}

// Opening
CAIRN_C_OPTION(options, unsigned char, create_if_missing)
CAIRN_C_OPTION(options, unsigned char, create_missing_column_families)
CAIRN_C_OPTION(options, unsigned char, error_if_exists)
CAIRN_C_OPTION(options, unsigned char, paranoid_checks)
CAIRN_C_OPTION(options, int, max_open_files)
CAIRN_C_OPTION(options, int, max_file_opening_threads)
CAIRN_C_OPTION(options, int, wal_recovery_mode)
CAIRN_C_OPTION(options, unsigned char, skip_stats_update_on_db_open)
CAIRN_C_OPTION(options, unsigned char, avoid_unnecessary_blocking_io)
CAIRN_C_OPTION(options, unsigned char, write_dbid_to_manifest)
CAIRN_C_OPTION(options, unsigned char, write_identity_file)
CAIRN_C_OPTION(options, unsigned char, track_and_verify_wals_in_manifest)

// Writing
CAIRN_C_OPTION(options, size_t, write_buffer_size)
CAIRN_C_OPTION(options, size_t, db_write_buffer_size)
CAIRN_C_OPTION(options, int, max_write_buffer_number)
CAIRN_C_OPTION(options, int, min_write_buffer_number_to_merge)
CAIRN_C_OPTION(options, int, max_write_buffer_number_to_maintain)
CAIRN_C_OPTION(options, int64_t, max_write_buffer_size_to_maintain)
CAIRN_C_OPTION(options, uint32_t, memtable_op_scan_flush_trigger)
CAIRN_C_OPTION(options, uint32_t, memtable_avg_op_scan_flush_trigger)
CAIRN_C_OPTION(options, size_t, arena_block_size)
CAIRN_C_OPTION(options, size_t, memtable_huge_page_size)
CAIRN_C_OPTION(options, double, memtable_prefix_bloom_size_ratio)
CAIRN_C_SETTER(options, unsigned char, memtable_whole_key_filtering)
CAIRN_C_OPTION(options, size_t, max_successive_merges)
CAIRN_C_OPTION(options, uint32_t, bloom_locality)
CAIRN_C_OPTION(options, unsigned char, inplace_update_support)
CAIRN_C_OPTION(options, size_t, inplace_update_num_locks)
CAIRN_C_OPTION(options, unsigned char, allow_concurrent_memtable_write)
CAIRN_C_OPTION(options, unsigned char, enable_write_thread_adaptive_yield)
CAIRN_C_OPTION(options, unsigned char, enable_pipelined_write)
CAIRN_C_OPTION(options, unsigned char, unordered_write)
CAIRN_C_OPTION(options, unsigned char, atomic_flush)
CAIRN_C_OPTION(options, unsigned char, manual_wal_flush)
CAIRN_C_OPTION(options, int, wal_compression)
CAIRN_C_OPTION(options, uint64_t, max_total_wal_size)
CAIRN_C_OPTION(options, size_t, recycle_log_file_num)
CAIRN_C_OPTION(options, uint64_t, WAL_ttl_seconds)
CAIRN_C_OPTION(options, unsigned char, allow_ingest_behind)
CAIRN_C_OPTION(options, unsigned char, skip_checking_sst_file_sizes_on_db_open)
CAIRN_C_OPTION(options, double, experimental_mempurge_threshold)
CAIRN_C_OPTION(options, uint64_t, WAL_size_limit_MB)

// Levels and compaction
CAIRN_C_OPTION(options, int, num_levels)
CAIRN_C_OPTION(options, int, level0_file_num_compaction_trigger)
CAIRN_C_OPTION(options, int, level0_slowdown_writes_trigger)
CAIRN_C_OPTION(options, int, level0_stop_writes_trigger)
CAIRN_C_OPTION(options, uint64_t, target_file_size_base)
CAIRN_C_OPTION(options, int, target_file_size_multiplier)
CAIRN_C_OPTION(options, uint64_t, max_bytes_for_level_base)
CAIRN_C_OPTION(options, double, max_bytes_for_level_multiplier)
CAIRN_C_OPTION(options, unsigned char, level_compaction_dynamic_level_bytes)
CAIRN_C_OPTION(options, uint64_t, max_compaction_bytes)
CAIRN_C_OPTION(options, size_t, soft_pending_compaction_bytes_limit)
CAIRN_C_OPTION(options, size_t, hard_pending_compaction_bytes_limit)
CAIRN_C_SETTER(options, int, disable_auto_compactions)
CAIRN_C_GETTER(options, unsigned char, disable_auto_compactions)
CAIRN_C_OPTION(options, int, compaction_style)
CAIRN_C_OPTION(options, int, compaction_pri)
CAIRN_C_OPTION(options, uint64_t, ttl)
CAIRN_C_OPTION(options, uint64_t, periodic_compaction_seconds)
CAIRN_C_OPTION(options, int, lowest_used_cache_tier)
CAIRN_C_OPTION(options, int, max_background_jobs)
CAIRN_C_OPTION(options, int, max_background_compactions)
CAIRN_C_OPTION(options, int, max_background_flushes)
CAIRN_C_OPTION(options, uint32_t, max_subcompactions)
CAIRN_C_OPTION(options, int, compression)
CAIRN_C_OPTION(options, int, bottommost_compression)
CAIRN_C_SETTER(options, int, optimize_filters_for_hits)
CAIRN_C_GETTER(options, unsigned char, optimize_filters_for_hits)
CAIRN_C_OPTION(options, uint64_t, max_sequential_skip_in_iterations)
CAIRN_C_SETTER(options, int, report_bg_io_stats)
CAIRN_C_GETTER(options, unsigned char, report_bg_io_stats)

// Universal compaction
rocksdb_universal_compaction_options_t* rocksdb_universal_compaction_options_create() {
  return new rocksdb_universal_compaction_options_t;
}
void rocksdb_universal_compaction_options_destroy(rocksdb_universal_compaction_options_t* o) {
  delete o;
}
CAIRN_C_OPTION(universal_compaction_options, int, size_ratio)
CAIRN_C_OPTION(universal_compaction_options, int, min_merge_width)
CAIRN_C_OPTION(universal_compaction_options, int, max_merge_width)
CAIRN_C_OPTION(universal_compaction_options, int, max_size_amplification_percent)
CAIRN_C_OPTION(universal_compaction_options, int, compression_size_percent)
CAIRN_C_OPTION(universal_compaction_options, int, stop_style)
void rocksdb_options_set_universal_compaction_options(rocksdb_options_t* o,
                                                      rocksdb_universal_compaction_options_t* v) {
  o->rep.compaction_options_universal = v->rep;
}

// Rate limiter
rocksdb_ratelimiter_t* rocksdb_ratelimiter_create_with_mode(int64_t rate_bytes_per_sec,
                                                            int64_t refill_period_us,
                                                            int32_t fairness, int mode,
                                                            bool auto_tuned) {
  RateLimiter* const limiter =
      NewGenericRateLimiter(rate_bytes_per_sec, refill_period_us, fairness,
                            static_cast<RateLimiter::Mode>(mode), auto_tuned);
  if (limiter == nullptr) return nullptr;
  return new rocksdb_ratelimiter_t{std::shared_ptr<RateLimiter>(limiter)};
}
rocksdb_ratelimiter_t* rocksdb_ratelimiter_create(int64_t rate_bytes_per_sec,
                                                  int64_t refill_period_us, int32_t fairness) {
  return rocksdb_ratelimiter_create_with_mode(rate_bytes_per_sec, refill_period_us, fairness,
                                              static_cast<int>(RateLimiter::Mode::kWritesOnly),
                                              /*auto_tuned=*/false);
}
rocksdb_ratelimiter_t* rocksdb_ratelimiter_create_auto_tuned(int64_t rate_bytes_per_sec,
                                                             int64_t refill_period_us,
                                                             int32_t fairness) {
  return rocksdb_ratelimiter_create_with_mode(rate_bytes_per_sec, refill_period_us, fairness,
                                              static_cast<int>(RateLimiter::Mode::kWritesOnly),
                                              /*auto_tuned=*/true);
}
void rocksdb_ratelimiter_destroy(rocksdb_ratelimiter_t* limiter) { delete limiter; }
void rocksdb_options_set_ratelimiter(rocksdb_options_t* o, rocksdb_ratelimiter_t* limiter) {
  o->rep.rate_limiter = limiter == nullptr ? nullptr : limiter->rep;
}

// FIFO compaction
rocksdb_fifo_compaction_options_t* rocksdb_fifo_compaction_options_create() {
  return new rocksdb_fifo_compaction_options_t;
}
void rocksdb_fifo_compaction_options_destroy(rocksdb_fifo_compaction_options_t* o) { delete o; }
CAIRN_C_OPTION(fifo_compaction_options, unsigned char, allow_compaction)
CAIRN_C_OPTION(fifo_compaction_options, uint64_t, max_table_files_size)
void rocksdb_options_set_fifo_compaction_options(rocksdb_options_t* o,
                                                 rocksdb_fifo_compaction_options_t* v) {
  o->rep.compaction_options_fifo = v->rep;
}

// Files
CAIRN_C_OPTION(options, int, use_fsync)
CAIRN_C_OPTION(options, unsigned char, allow_mmap_reads)
CAIRN_C_OPTION(options, unsigned char, allow_mmap_writes)
CAIRN_C_OPTION(options, unsigned char, use_direct_reads)
CAIRN_C_OPTION(options, unsigned char, use_direct_io_for_flush_and_compaction)
CAIRN_C_OPTION(options, unsigned char, is_fd_close_on_exec)
CAIRN_C_OPTION(options, unsigned char, advise_random_on_open)
CAIRN_C_OPTION(options, uint64_t, bytes_per_sync)
CAIRN_C_OPTION(options, uint64_t, wal_bytes_per_sync)
CAIRN_C_OPTION(options, uint64_t, writable_file_max_buffer_size)
CAIRN_C_OPTION(options, size_t, manifest_preallocation_size)
CAIRN_C_OPTION(options, size_t, max_manifest_file_size)
CAIRN_C_OPTION(options, int, table_cache_numshardbits)
CAIRN_C_OPTION(options, uint64_t, delete_obsolete_files_period_micros)
CAIRN_C_OPTION(options, int, access_hint_on_compaction_start)
CAIRN_C_OPTION(options, unsigned char, use_adaptive_mutex)

// Logging and statistics
CAIRN_C_OPTION(options, int, info_log_level)
CAIRN_C_OPTION(options, size_t, max_log_file_size)
CAIRN_C_OPTION(options, size_t, log_file_time_to_roll)
CAIRN_C_OPTION(options, size_t, keep_log_file_num)
CAIRN_C_OPTION(options, unsigned int, stats_dump_period_sec)
CAIRN_C_OPTION(options, unsigned int, stats_persist_period_sec)
CAIRN_C_SETTER(options, unsigned char, dump_malloc_stats)

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
CAIRN_C_OPTION(readoptions, unsigned char, verify_checksums)
CAIRN_C_OPTION(readoptions, unsigned char, fill_cache)
CAIRN_C_OPTION(readoptions, int, read_tier)
CAIRN_C_OPTION(readoptions, unsigned char, tailing)
CAIRN_C_OPTION(readoptions, size_t, readahead_size)
CAIRN_C_OPTION(readoptions, unsigned char, prefix_same_as_start)
CAIRN_C_OPTION(readoptions, unsigned char, pin_data)
CAIRN_C_OPTION(readoptions, unsigned char, total_order_seek)
CAIRN_C_OPTION(readoptions, uint64_t, max_skippable_internal_keys)
CAIRN_C_OPTION(readoptions, unsigned char, background_purge_on_iterator_cleanup)
CAIRN_C_OPTION(readoptions, unsigned char, ignore_range_deletions)
CAIRN_C_OPTION(readoptions, unsigned char, async_io)
CAIRN_C_SETTER(readoptions, unsigned char, auto_readahead_size)
void rocksdb_readoptions_set_managed(rocksdb_readoptions_t*, unsigned char) {}

// Writes
rocksdb_writeoptions_t* rocksdb_writeoptions_create() { return new rocksdb_writeoptions_t; }
void rocksdb_writeoptions_destroy(rocksdb_writeoptions_t* o) { delete o; }
void rocksdb_writeoptions_disable_WAL(rocksdb_writeoptions_t* o, int disable) {
  o->rep.disableWAL = disable != 0;
}
unsigned char rocksdb_writeoptions_get_disable_WAL(rocksdb_writeoptions_t* o) {
  return static_cast<unsigned char>(o->rep.disableWAL);
}
CAIRN_C_OPTION(writeoptions, unsigned char, sync)
CAIRN_C_OPTION(writeoptions, unsigned char, ignore_missing_column_families)
CAIRN_C_OPTION(writeoptions, unsigned char, no_slowdown)
CAIRN_C_OPTION(writeoptions, unsigned char, low_pri)
CAIRN_C_OPTION(writeoptions, unsigned char, memtable_insert_hint_per_batch)

// Flushes and manual compactions
rocksdb_flushoptions_t* rocksdb_flushoptions_create() { return new rocksdb_flushoptions_t; }
void rocksdb_flushoptions_destroy(rocksdb_flushoptions_t* o) { delete o; }
CAIRN_C_OPTION(flushoptions, unsigned char, wait)
rocksdb_compactoptions_t* rocksdb_compactoptions_create() { return new rocksdb_compactoptions_t; }
void rocksdb_compactoptions_destroy(rocksdb_compactoptions_t* o) { delete o; }
CAIRN_C_OPTION(compactoptions, unsigned char, exclusive_manual_compaction)
CAIRN_C_OPTION(compactoptions, unsigned char, bottommost_level_compaction)
CAIRN_C_OPTION(compactoptions, unsigned char, change_level)
CAIRN_C_OPTION(compactoptions, int, target_level)
CAIRN_C_OPTION(compactoptions, int, target_path_id)
CAIRN_C_OPTION(compactoptions, unsigned char, allow_write_stall)
CAIRN_C_OPTION(compactoptions, int, max_subcompactions)

}  // extern "C"
