// Options into the LOG, one per line, for whoever must find out later how a database was
// configured: the lines of RocksDB 7.8.3, as programs that parse LOGs look for them.
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/logging.h"
#include "base/option_values.h"
#include "options/options_table.h"
#include "rocksdb/cache.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/file_system.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_manager.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/wal_filter.h"

namespace ROCKSDB_NAMESPACE {
namespace {

// Writes "Options.<name>: <value>", the colons in a column.
class Lines {
 public:
  explicit Lines(Logger* log) : log_(log) {}

  void operator()(const std::string& name, std::string_view value) const {
    constexpr int kColumn = 50;
    cairn::LogHeader(log_, "%*s: %.*s", kColumn, ("Options." + name).c_str(),
                     static_cast<int>(value.size()), value.data());
  }
  template <typename T>
    requires(std::is_arithmetic_v<T>)
  void operator()(const std::string& name, T value) const {
    (*this)(name, std::string_view(std::to_string(value)));  // flags as 0 and 1
  }
  template <typename E>
    requires(std::is_enum_v<E>)
  void operator()(const std::string& name, E value) const {
    (*this)(name, std::string_view(cairn::FormatValue(value)));
  }

 private:
  Logger* const log_;
};

std::string_view Word(bool value) { return value ? "true" : "false"; }

std::string Pointer(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof(text), "%p", pointer);
  return text;
}

template <typename P>
std::string NameOf(const P& object, const char* none = "None") {
  return object == nullptr ? none : object->Name();
}

// "Snappy" for kSnappyCompression, as the LOG has it.
std::string ShortName(CompressionType type) {
  if (type == kDisableCompressionOption) return "Disabled";
  if (type == kNoCompression) return "NoCompression";
  std::string name = cairn::FormatValue(type);
  constexpr std::string_view kEnd = "Compression";
  if (name.starts_with('k')) name.erase(0, 1);
  if (name.ends_with(kEnd)) name.erase(name.size() - kEnd.size());
  return name;
}

void DumpFiles(const Lines& line, const DBOptions& o) {
  line("error_if_exists", o.error_if_exists);
  line("create_if_missing", o.create_if_missing);
  line("paranoid_checks", o.paranoid_checks);
  line("flush_verify_memtable_count", o.flush_verify_memtable_count);
  line("track_and_verify_wals_in_manifest", o.track_and_verify_wals_in_manifest);
  if (o.track_and_verify_wals) line("track_and_verify_wals", o.track_and_verify_wals);
  line("verify_sst_unique_id_in_manifest", o.verify_sst_unique_id_in_manifest);
  line("env", Pointer(o.env));
  line("fs", std::string_view(o.env->GetFileSystem()->Name()));
  line("info_log", Pointer(o.info_log.get()));
  line("max_file_opening_threads", o.max_file_opening_threads);
  line("statistics", Pointer(o.statistics.get()));
  line("use_fsync", o.use_fsync);
  line("max_log_file_size", o.max_log_file_size);
  line("max_manifest_file_size", o.max_manifest_file_size);
  line("log_file_time_to_roll", o.log_file_time_to_roll);
  line("keep_log_file_num", o.keep_log_file_num);
  line("recycle_log_file_num", o.recycle_log_file_num);
  line("allow_fallocate", o.allow_fallocate);
  line("allow_mmap_reads", o.allow_mmap_reads);
  line("allow_mmap_writes", o.allow_mmap_writes);
  line("use_direct_reads", o.use_direct_reads);
  line("use_direct_io_for_flush_and_compaction", o.use_direct_io_for_flush_and_compaction);
  line("create_missing_column_families", o.create_missing_column_families);
  line("db_log_dir", o.db_log_dir);
  line("wal_dir", o.wal_dir);
  line("table_cache_numshardbits", o.table_cache_numshardbits);
  line("WAL_ttl_seconds", o.WAL_ttl_seconds);
  line("WAL_size_limit_MB", o.WAL_size_limit_MB);
  line("max_write_batch_group_size_bytes", o.max_write_batch_group_size_bytes);
  line("manifest_preallocation_size", o.manifest_preallocation_size);
  line("is_fd_close_on_exec", o.is_fd_close_on_exec);
  line("advise_random_on_open", o.advise_random_on_open);
  line("db_write_buffer_size", o.db_write_buffer_size);
  line("write_buffer_manager", Pointer(o.write_buffer_manager.get()));
  line("access_hint_on_compaction_start", static_cast<int>(o.access_hint_on_compaction_start));
  line("random_access_max_buffer_size", o.random_access_max_buffer_size);
  line("use_adaptive_mutex", o.use_adaptive_mutex);
  line("rate_limiter", Pointer(o.rate_limiter.get()));
  line("sst_file_manager.rate_bytes_per_sec",
       o.sst_file_manager == nullptr ? 0 : o.sst_file_manager->GetDeleteRateBytesPerSecond());
}

void DumpWrites(const Lines& line, const DBOptions& o) {
  line("wal_recovery_mode", static_cast<int>(o.wal_recovery_mode));
  line("enable_thread_tracking", o.enable_thread_tracking);
  line("enable_pipelined_write", o.enable_pipelined_write);
  line("unordered_write", o.unordered_write);
  line("allow_concurrent_memtable_write", o.allow_concurrent_memtable_write);
  line("enable_write_thread_adaptive_yield", o.enable_write_thread_adaptive_yield);
  line("write_thread_max_yield_usec", o.write_thread_max_yield_usec);
  line("write_thread_slow_yield_usec", o.write_thread_slow_yield_usec);
  if (o.row_cache == nullptr) {
    line("row_cache", "None");
  } else {
    line("row_cache", o.row_cache->GetCapacity());
  }
  line("wal_filter", o.wal_filter == nullptr ? "None" : o.wal_filter->Name());
  line("avoid_flush_during_recovery", o.avoid_flush_during_recovery);
  line("allow_ingest_behind", o.allow_ingest_behind);
  line("two_write_queues", o.two_write_queues);
  line("manual_wal_flush", o.manual_wal_flush);
  line("wal_compression", static_cast<int>(o.wal_compression));
  line("atomic_flush", o.atomic_flush);
  line("avoid_unnecessary_blocking_io", o.avoid_unnecessary_blocking_io);
  line("persist_stats_to_disk", o.persist_stats_to_disk);
  line("write_dbid_to_manifest", o.write_dbid_to_manifest);
  line("log_readahead_size", o.log_readahead_size);
  line("file_checksum_gen_factory",
       o.file_checksum_gen_factory != nullptr ? o.file_checksum_gen_factory->Name() : "Unknown");
  line("best_efforts_recovery", o.best_efforts_recovery);
  line("max_bgerror_resume_count", o.max_bgerror_resume_count);
  line("bgerror_resume_retry_interval", o.bgerror_resume_retry_interval);
  line("allow_data_in_errors", o.allow_data_in_errors);
  line("db_host_id", o.db_host_id);
  line("enforce_single_del_contracts", Word(o.enforce_single_del_contracts));
}

void DumpWhatMayChange(const Lines& line, const DBOptions& o) {
  line("max_background_jobs", o.max_background_jobs);
  line("max_background_compactions", o.max_background_compactions);
  line("max_subcompactions", o.max_subcompactions);
  line("avoid_flush_during_shutdown", o.avoid_flush_during_shutdown);
  line("writable_file_max_buffer_size", o.writable_file_max_buffer_size);
  line("delayed_write_rate ", o.delayed_write_rate);
  line("max_total_wal_size", o.max_total_wal_size);
  line("delete_obsolete_files_period_micros", o.delete_obsolete_files_period_micros);
  line("stats_dump_period_sec", o.stats_dump_period_sec);
  line("stats_persist_period_sec", o.stats_persist_period_sec);
  line("stats_history_buffer_size", o.stats_history_buffer_size);
  line("max_open_files", o.max_open_files);
  line("bytes_per_sync", o.bytes_per_sync);
  line("wal_bytes_per_sync", o.wal_bytes_per_sync);
  line("strict_bytes_per_sync", o.strict_bytes_per_sync);
  line("compaction_readahead_size", o.compaction_readahead_size);
  line("max_background_flushes", o.max_background_flushes);
}

void DumpCompression(const Lines& line, const std::string& name, const CompressionOptions& o) {
  line(name + ".window_bits", o.window_bits);
  line(name + ".level", o.level);
  line(name + ".strategy", o.strategy);
  line(name + ".max_dict_bytes", o.max_dict_bytes);
  line(name + ".zstd_max_train_bytes", o.zstd_max_train_bytes);
  line(name + ".parallel_threads", o.parallel_threads);
  line(name + ".enabled", Word(o.enabled));
  line(name + ".max_dict_buffer_bytes", o.max_dict_buffer_bytes);
  line(name + ".use_zstd_dict_trainer", Word(o.use_zstd_dict_trainer));
}

void DumpObjects(const Lines& line, const ColumnFamilyOptions& o) {
  line("comparator", NameOf(o.comparator));
  line("merge_operator", NameOf(o.merge_operator));
  line("compaction_filter", NameOf(o.compaction_filter));
  line("compaction_filter_factory", NameOf(o.compaction_filter_factory));
  line("sst_partitioner_factory", "None");
  line("memtable_factory", NameOf(o.memtable_factory));
  line("table_factory", NameOf(o.table_factory));
}

void DumpMemTables(const Lines& line, const ColumnFamilyOptions& o) {
  line("write_buffer_size", o.write_buffer_size);
  line("max_write_buffer_number", o.max_write_buffer_number);
  line("compression", ShortName(o.compression));
  line("bottommost_compression", ShortName(o.bottommost_compression));
  line("prefix_extractor", NameOf(o.prefix_extractor, "nullptr"));
  line("memtable_insert_with_hint_prefix_extractor",
       NameOf(o.memtable_insert_with_hint_prefix_extractor, "nullptr"));
  line("num_levels", o.num_levels);
  line("min_write_buffer_number_to_merge", o.min_write_buffer_number_to_merge);
  line("max_write_buffer_number_to_maintain", o.max_write_buffer_number_to_maintain);
  line("max_write_buffer_size_to_maintain", o.max_write_buffer_size_to_maintain);
}

void DumpLevels(const Lines& line, const ColumnFamilyOptions& o) {
  line("level0_file_num_compaction_trigger", o.level0_file_num_compaction_trigger);
  line("level0_slowdown_writes_trigger", o.level0_slowdown_writes_trigger);
  line("level0_stop_writes_trigger", o.level0_stop_writes_trigger);
  line("target_file_size_base", o.target_file_size_base);
  line("target_file_size_multiplier", o.target_file_size_multiplier);
  line("max_bytes_for_level_base", o.max_bytes_for_level_base);
  line("level_compaction_dynamic_level_bytes", o.level_compaction_dynamic_level_bytes);
  line("max_bytes_for_level_multiplier", o.max_bytes_for_level_multiplier);
  for (size_t i = 0; i < o.max_bytes_for_level_multiplier_additional.size(); ++i) {
    line("max_bytes_for_level_multiplier_addtl[" + std::to_string(i) + "]",
         o.max_bytes_for_level_multiplier_additional[i]);
  }
  line("max_sequential_skip_in_iterations", o.max_sequential_skip_in_iterations);
  line("max_compaction_bytes", o.max_compaction_bytes);
  line("ignore_max_compaction_bytes_for_input", Word(o.ignore_max_compaction_bytes_for_input));
  line("arena_block_size", o.arena_block_size);
  line("soft_pending_compaction_bytes_limit", o.soft_pending_compaction_bytes_limit);
  line("hard_pending_compaction_bytes_limit", o.hard_pending_compaction_bytes_limit);
  line("disable_auto_compactions", o.disable_auto_compactions);
  line("compaction_style", o.compaction_style);
  line("compaction_pri", o.compaction_pri);
}

void DumpStyles(const Lines& line, const ColumnFamilyOptions& o) {
  line("compaction_options_universal.size_ratio", o.compaction_options_universal.size_ratio);
  line("compaction_options_universal.min_merge_width",
       o.compaction_options_universal.min_merge_width);
  line("compaction_options_universal.max_merge_width",
       o.compaction_options_universal.max_merge_width);
  line("compaction_options_universal.max_size_amplification_percent",
       o.compaction_options_universal.max_size_amplification_percent);
  line("compaction_options_universal.compression_size_percent",
       o.compaction_options_universal.compression_size_percent);
  line("compaction_options_universal.stop_style", o.compaction_options_universal.stop_style);
  line("compaction_options_fifo.max_table_files_size",
       o.compaction_options_fifo.max_table_files_size);
  line("compaction_options_fifo.allow_compaction", o.compaction_options_fifo.allow_compaction);
  std::string collectors;
  for (const auto& factory : o.table_properties_collector_factories) {
    collectors.append(factory->ToString()).append("; ");
  }
  line("table_properties_collectors", collectors);
}

void DumpTheRest(const Lines& line, const ColumnFamilyOptions& o) {
  line("inplace_update_support", o.inplace_update_support);
  line("inplace_update_num_locks", o.inplace_update_num_locks);
  line("memtable_prefix_bloom_size_ratio", o.memtable_prefix_bloom_size_ratio);
  line("memtable_whole_key_filtering", o.memtable_whole_key_filtering);
  line("memtable_huge_page_size", o.memtable_huge_page_size);
  line("bloom_locality", o.bloom_locality);
  line("max_successive_merges", o.max_successive_merges);
  line("optimize_filters_for_hits", o.optimize_filters_for_hits);
  line("paranoid_file_checks", o.paranoid_file_checks);
  line("force_consistency_checks", o.force_consistency_checks);
  line("report_bg_io_stats", o.report_bg_io_stats);
  line("ttl", o.ttl);
  line("periodic_compaction_seconds", o.periodic_compaction_seconds);
  line("preclude_last_level_data_seconds", o.preclude_last_level_data_seconds);
  line("preserve_internal_time_seconds", o.preserve_internal_time_seconds);
}

void DumpBlobs(const Lines& line, const ColumnFamilyOptions& o) {
  line("enable_blob_files", Word(o.enable_blob_files));
  line("min_blob_size", o.min_blob_size);
  line("blob_file_size", o.blob_file_size);
  line("blob_compression_type", ShortName(o.blob_compression_type));
  line("enable_blob_garbage_collection", Word(o.enable_blob_garbage_collection));
  line("blob_garbage_collection_age_cutoff", o.blob_garbage_collection_age_cutoff);
  line("blob_garbage_collection_force_threshold", o.blob_garbage_collection_force_threshold);
  line("blob_compaction_readahead_size", o.blob_compaction_readahead_size);
  line("blob_file_starting_level", o.blob_file_starting_level);
  line("experimental_mempurge_threshold", o.experimental_mempurge_threshold);
}

// What RocksDB 7.8.3 does not know, where it is not what it is by default.
template <typename S>
void DumpLater(const Lines& line, const S& options) {
  for (const cairn::OptionField<S>& field : cairn::OptionFields<S>()) {
    if (!field.later) continue;
    const std::string value = field.format(options);
    if (!value.empty()) line(std::string(field.name), value);
  }
}

}  // namespace

void DBOptions::Dump(Logger* log) const {
  const Lines line(log);
  DumpFiles(line, *this);
  DumpWrites(line, *this);
  DumpWhatMayChange(line, *this);
  DumpLater(line, *this);
}

void ColumnFamilyOptions::Dump(Logger* log) const {
  const Lines line(log);
  DumpObjects(line, *this);
  if (table_factory != nullptr) {
    cairn::LogHeader(log, "           table_factory options: %s",
                     table_factory->GetPrintableOptions().c_str());
  }
  DumpMemTables(line, *this);
  DumpCompression(line, "bottommost_compression_opts", bottommost_compression_opts);
  DumpCompression(line, "compression_opts", compression_opts);
  DumpLevels(line, *this);
  DumpStyles(line, *this);
  DumpTheRest(line, *this);
  DumpBlobs(line, *this);
  DumpLater(line, *this);
}

void Options::DumpCFOptions(Logger* log) const { ColumnFamilyOptions::Dump(log); }

void Options::Dump(Logger* log) const {
  DBOptions::Dump(log);
  ColumnFamilyOptions::Dump(log);
}

}  // namespace ROCKSDB_NAMESPACE
