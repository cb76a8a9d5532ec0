#include "options/options_table.h"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/option_fields.h"
#include "fs/object_texts.h"
#include "options/object_strings.h"
#include "rocksdb/advanced_compression.h"
#include "rocksdb/cache.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/listener.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_partitioner.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/wal_filter.h"
#include "table/adaptive_table_factory.h"

namespace cairn {

namespace {

// An object with its text. Of the user's it is made where a ConfigOptions says how
// (utilities/object_registry.h), and else stays with the caller.
template <typename S, auto Member, typename T>
constexpr OptionField<S> Object(std::string_view name) {
  return {name,
          [](const S& s) -> std::string {
            if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(s.*Member)>>) {
              return FormatObject(s.*Member);
            } else {
              return FormatObject((s.*Member).get());
            }
          },
          nullptr, nullptr,
          [](S* s, const std::string& value, const ConfigOptions* config) -> SetResult {
            return BuildObject<T>(value, config, &(s->*Member));
          }};
}

// "{A:{id=B;c=1}}". A listener without a name has no text.
std::string FormatListeners(const DBOptions& options) {
  std::string list;
  for (const auto& listener : options.listeners) {
    if (listener == nullptr || listener->GetId().empty()) continue;
    list += (list.empty() ? "" : ":") + FormatObject(listener.get());
  }
  return list.empty() ? list : "{" + list + "}";
}

SetResult BuildListeners(DBOptions* options, const std::string& value,
                         const ConfigOptions* config) {
  return BuildObjects<EventListener>(value, config, &options->listeners);
}

// --- Options whose text is not that of their type.

// The notation of old files:
// "window_bits:level:strategy[:max_dict_bytes[:zstd_max_train_bytes[...]]]".
bool ParseCompressionOptions(const std::string& text, CompressionOptions* options) {
  if (text.find('=') != std::string::npos || text.empty()) return ParseValue(text, options);
  std::vector<std::string> parts;
  if (!ParseValue(text, &parts) || parts.size() < 3 || parts.size() > 9) return false;
  CompressionOptions parsed;
  const auto number = [&parts](size_t i, auto* v) {
    return i >= parts.size() || ParseValue(parts[i], v);
  };
  if (!number(0, &parsed.window_bits) || !number(1, &parsed.level) ||
      !number(2, &parsed.strategy) || !number(3, &parsed.max_dict_bytes) ||
      !number(4, &parsed.zstd_max_train_bytes) || !number(5, &parsed.parallel_threads) ||
      !number(6, &parsed.enabled) || !number(7, &parsed.max_dict_buffer_bytes) ||
      !number(8, &parsed.use_zstd_dict_trainer)) {
    return false;
  }
  *options = parsed;
  return true;
}

std::string FormatComparator(const ColumnFamilyOptions& options) {
  return options.comparator->Name();
}

// (A comparator is part of the data: no text makes that there is none.)
SetResult BuildComparator(ColumnFamilyOptions* options, const std::string& value,
                          const ConfigOptions* config) {
  return IsNullText(value) ? SetResult::kUsers
                           : BuildObject<Comparator>(value, config, &options->comparator);
}

std::string FormatMemtableFactory(const ColumnFamilyOptions& options) {
  return FormatObject(options.memtable_factory.get());
}

SetResult BuildMemtableFactory(ColumnFamilyOptions* options, const std::string& value,
                               const ConfigOptions* config) {
  std::shared_ptr<MemTableRepFactory> made;
  const SetResult result =
      IsNullText(value) ? SetResult::kUsers : BuildObject<MemTableRepFactory>(value, config, &made);
  if (made != nullptr) options->memtable_factory = std::move(made);
  return result;
}

// (Not of RocksDB 7.8.3.)
std::string FormatCompressionManager(const ColumnFamilyOptions& options) {
  const auto& manager = options.compression_manager;
  return manager == nullptr ? std::string() : FormatObject(manager.get());
}

SetResult BuildCompressionManager(ColumnFamilyOptions* options, const std::string& value,
                                  const ConfigOptions* config) {
  return BuildObject<CompressionManager>(value, config, &options->compression_manager);
}

template <auto Member>
constexpr OptionField<ColumnFamilyOptions> PrefixExtractor(std::string_view name) {
  OptionField<ColumnFamilyOptions> field =
      Object<ColumnFamilyOptions, Member, SliceTransform>(name);
  field.format = [](const ColumnFamilyOptions& s) -> std::string {
    return s.*Member == nullptr ? "nullptr" : (s.*Member)->AsString();
  };
  return field;
}

bool ParseRateLimiter(DBOptions* options, const std::string& value) {
  int64_t bytes_per_second = 0;
  if (!ParseValue(value, &bytes_per_second) || bytes_per_second <= 0) return false;
  options->rate_limiter.reset(NewGenericRateLimiter(bytes_per_second));
  return true;
}

// "{A:{id=B;c=1}}".
std::string FormatCollectors(const ColumnFamilyOptions& options) {
  std::string list;
  for (const auto& factory : options.table_properties_collector_factories) {
    if (factory == nullptr) continue;
    list += (list.empty() ? "" : ":") + FormatObject(factory.get());
  }
  return list.empty() ? list : "{" + list + "}";
}

SetResult BuildCollectors(ColumnFamilyOptions* options, const std::string& value,
                          const ConfigOptions* config) {
  return BuildObjects<TablePropertiesCollectorFactory>(
      value, config, &options->table_properties_collector_factories);
}

std::string FormatTableFactory(const ColumnFamilyOptions& options) {
  return options.table_factory == nullptr ? "nullptr" : options.table_factory->Name();
}

// The nested options change those that are set already, if these are of the same format. `value` is
// a list of them, or the factory's name alone.
template <typename S>
SetResult BuildFactoryOf(ColumnFamilyOptions* options, const std::string& value,
                         const ConfigOptions* config, TableFactory* (*make)(const S&)) {
  S table_options;
  if (options->table_factory != nullptr) {
    if (const auto* set = std::as_const(*options->table_factory).GetOptions<S>(); set != nullptr) {
      table_options = *set;
    }
  }
  OptionMap map;
  if (!SplitOptions(value, &map).ok()) return SetResult::kMalformed;
  map.erase("id");
  const SetRules rules = config == nullptr ? SetRules() : RulesOf(*config);
  SetResult worst = SetResult::kSet;
  for (const auto& [name, member] : map) {
    const SetResult result = SetOption(&table_options, name, member, rules);
    if (result == SetResult::kUsers) {
      worst = result;  // the rest is set nevertheless
    } else if (result == SetResult::kLacking) {
      return result;
    } else if (result == SetResult::kMalformed ||
               (result == SetResult::kUnknown && !rules.ignore_unknown)) {
      return SetResult::kMalformed;
    }
  }
  options->table_factory.reset(make(table_options));
  return worst;
}

SetResult BuildBlockBasedTableFactory(ColumnFamilyOptions* options, const std::string& value,
                                      const ConfigOptions* config) {
  return BuildFactoryOf<BlockBasedTableOptions>(options, value, config, NewBlockBasedTableFactory);
}

SetResult BuildPlainTableFactory(ColumnFamilyOptions* options, const std::string& value,
                                 const ConfigOptions* config) {
  return BuildFactoryOf<PlainTableOptions>(options, value, config, NewPlainTableFactory);
}

SetResult BuildTableFactory(ColumnFamilyOptions* options, const std::string& value,
                            const ConfigOptions* config) {
  const bool empty = value == "{}";
  const std::string name = empty ? TableFactory::kBlockBasedTableName() : NameInObjectText(value);
  const std::string settings = empty || value == name ? "" : value;
  if (name == TableFactory::kBlockBasedTableName()) {
    return BuildBlockBasedTableFactory(options, settings, config);
  }
  if (name == TableFactory::kPlainTableName()) {
    return BuildPlainTableFactory(options, settings, config);
  }
  if (name == TableFactory::kCuckooTableName()) {
    return BuildFactoryOf<CuckooTableOptions>(options, settings, config, NewCuckooTableFactory);
  }
  // What an adaptive one is made of has no text, as in RocksDB.
  if (name == AdaptiveTableFactory::kClassName()) return SetResult::kUsers;
  const SetResult result = BuildObject<TableFactory>(value, config, &options->table_factory);
  return result == SetResult::kUsers ? SetResult::kMalformed : result;
}

bool ParseBlobCache(ColumnFamilyOptions* options, const std::string& value) {
  return ParseCacheText(value, &options->blob_cache);
}

template <auto Member>
constexpr OptionField<ColumnFamilyOptions> CompressionField(std::string_view name) {
  return {name, [](const ColumnFamilyOptions& s) -> std::string { return FormatValue(s.*Member); },
          [](ColumnFamilyOptions* s, const std::string& value) -> bool {
            return ParseCompressionOptions(value, &(s->*Member));
          },
          KnownMembers<CompressionOptions>};
}

}  // namespace

template <>
std::span<const OptionField<DBOptions>> OptionFields() {
  static constexpr OptionField<DBOptions> kFields[] = {
      Field<DBOptions, &DBOptions::compaction_readahead_size>("compaction_readahead_size"),
      Field<DBOptions, &DBOptions::strict_bytes_per_sync>("strict_bytes_per_sync"),
      Field<DBOptions, &DBOptions::bytes_per_sync>("bytes_per_sync"),
      Field<DBOptions, &DBOptions::max_background_jobs>("max_background_jobs"),
      Field<DBOptions, &DBOptions::avoid_flush_during_shutdown>("avoid_flush_during_shutdown"),
      Field<DBOptions, &DBOptions::max_background_flushes>("max_background_flushes"),
      Field<DBOptions, &DBOptions::delayed_write_rate>("delayed_write_rate"),
      Field<DBOptions, &DBOptions::max_open_files>("max_open_files"),
      Field<DBOptions, &DBOptions::max_subcompactions>("max_subcompactions"),
      Field<DBOptions, &DBOptions::writable_file_max_buffer_size>("writable_file_max_buffer_size"),
      Field<DBOptions, &DBOptions::wal_bytes_per_sync>("wal_bytes_per_sync"),
      Field<DBOptions, &DBOptions::max_background_compactions>("max_background_compactions"),
      Field<DBOptions, &DBOptions::max_total_wal_size>("max_total_wal_size"),
      Field<DBOptions, &DBOptions::delete_obsolete_files_period_micros>(
          "delete_obsolete_files_period_micros"),
      Field<DBOptions, &DBOptions::stats_dump_period_sec>("stats_dump_period_sec"),
      Field<DBOptions, &DBOptions::stats_history_buffer_size>("stats_history_buffer_size"),
      Field<DBOptions, &DBOptions::stats_persist_period_sec>("stats_persist_period_sec"),
      Field<DBOptions, &DBOptions::enforce_single_del_contracts>("enforce_single_del_contracts"),
      Field<DBOptions, &DBOptions::lowest_used_cache_tier>("lowest_used_cache_tier"),
      Field<DBOptions, &DBOptions::bgerror_resume_retry_interval>("bgerror_resume_retry_interval"),
      Field<DBOptions, &DBOptions::best_efforts_recovery>("best_efforts_recovery"),
      Field<DBOptions, &DBOptions::log_readahead_size>("log_readahead_size"),
      Field<DBOptions, &DBOptions::write_dbid_to_manifest>("write_dbid_to_manifest"),
      LaterField<DBOptions, &DBOptions::write_identity_file>("write_identity_file"),
      LaterField<DBOptions, &DBOptions::open_files_async>("open_files_async"),
      LaterField<DBOptions, &DBOptions::compaction_verify_record_count>(
          "compaction_verify_record_count"),
      LaterField<DBOptions, &DBOptions::max_manifest_space_amp_pct>("max_manifest_space_amp_pct"),
      LaterField<DBOptions, &DBOptions::verify_manifest_content_on_close>(
          "verify_manifest_content_on_close"),
      LaterField<DBOptions, &DBOptions::optimize_manifest_for_recovery>(
          "optimize_manifest_for_recovery"),
      LaterField<DBOptions, &DBOptions::reuse_manifest_on_open>("reuse_manifest_on_open"),
      LaterField<DBOptions, &DBOptions::async_wal_precreate>("async_wal_precreate"),
      LaterField<DBOptions, &DBOptions::background_close_inactive_wals>(
          "background_close_inactive_wals"),
      LaterField<DBOptions, &DBOptions::use_direct_io_for_compaction_reads>(
          "use_direct_io_for_compaction_reads"),
      LaterField<DBOptions, &DBOptions::prefix_seek_opt_in_only>("prefix_seek_opt_in_only"),
      LaterField<DBOptions, &DBOptions::wal_write_temperature>("wal_write_temperature"),
      LaterField<DBOptions, &DBOptions::metadata_write_temperature>("metadata_write_temperature"),
      LaterField<DBOptions, &DBOptions::daily_offpeak_time_utc>("daily_offpeak_time_utc"),
      LaterField<DBOptions, &DBOptions::follower_refresh_catchup_period_ms>(
          "follower_refresh_catchup_period_ms"),
      LaterField<DBOptions, &DBOptions::follower_catchup_retry_count>(
          "follower_catchup_retry_count"),
      LaterField<DBOptions, &DBOptions::follower_catchup_retry_wait_ms>(
          "follower_catchup_retry_wait_ms"),
      LaterField<DBOptions, &DBOptions::enforce_write_buffer_manager_during_recovery>(
          "enforce_write_buffer_manager_during_recovery"),
      LaterField<DBOptions, &DBOptions::max_compaction_trigger_wakeup_seconds>(
          "max_compaction_trigger_wakeup_seconds"),
      LaterField<DBOptions, &DBOptions::fast_sst_open>("fast_sst_open"),
      LaterField<DBOptions, &DBOptions::read_io_executor_threads>("read_io_executor_threads"),
      LaterField<DBOptions, &DBOptions::track_and_verify_wals>("track_and_verify_wals"),
      Field<DBOptions, &DBOptions::wal_compression>("wal_compression"),
      Field<DBOptions, &DBOptions::manual_wal_flush>("manual_wal_flush"),
      Field<DBOptions, &DBOptions::db_host_id>("db_host_id"),
      Field<DBOptions, &DBOptions::two_write_queues>("two_write_queues"),
      Field<DBOptions, &DBOptions::random_access_max_buffer_size>("random_access_max_buffer_size"),
      Field<DBOptions, &DBOptions::avoid_unnecessary_blocking_io>("avoid_unnecessary_blocking_io"),
      Field<DBOptions, &DBOptions::skip_checking_sst_file_sizes_on_db_open>(
          "skip_checking_sst_file_sizes_on_db_open"),
      Field<DBOptions, &DBOptions::flush_verify_memtable_count>("flush_verify_memtable_count"),
      Field<DBOptions, &DBOptions::fail_if_options_file_error>("fail_if_options_file_error"),
      Field<DBOptions, &DBOptions::atomic_flush>("atomic_flush"),
      Field<DBOptions, &DBOptions::verify_sst_unique_id_in_manifest>(
          "verify_sst_unique_id_in_manifest"),
      Field<DBOptions, &DBOptions::skip_stats_update_on_db_open>("skip_stats_update_on_db_open"),
      Field<DBOptions, &DBOptions::track_and_verify_wals_in_manifest>(
          "track_and_verify_wals_in_manifest"),
      Field<DBOptions, &DBOptions::paranoid_checks>("paranoid_checks"),
      Field<DBOptions, &DBOptions::create_if_missing>("create_if_missing"),
      Field<DBOptions, &DBOptions::max_write_batch_group_size_bytes>(
          "max_write_batch_group_size_bytes"),
      Field<DBOptions, &DBOptions::avoid_flush_during_recovery>("avoid_flush_during_recovery"),
      Object<DBOptions, &DBOptions::file_checksum_gen_factory, FileChecksumGenFactory>(
          "file_checksum_gen_factory"),
      Field<DBOptions, &DBOptions::enable_thread_tracking>("enable_thread_tracking"),
      Field<DBOptions, &DBOptions::allow_fallocate>("allow_fallocate"),
      Field<DBOptions, &DBOptions::allow_data_in_errors>("allow_data_in_errors"),
      Field<DBOptions, &DBOptions::error_if_exists>("error_if_exists"),
      Field<DBOptions, &DBOptions::use_direct_io_for_flush_and_compaction>(
          "use_direct_io_for_flush_and_compaction"),
      Field<DBOptions, &DBOptions::create_missing_column_families>(
          "create_missing_column_families"),
      Field<DBOptions, &DBOptions::WAL_size_limit_MB>("WAL_size_limit_MB"),
      Field<DBOptions, &DBOptions::use_direct_reads>("use_direct_reads"),
      Field<DBOptions, &DBOptions::persist_stats_to_disk>("persist_stats_to_disk"),
      Field<DBOptions, &DBOptions::allow_mmap_reads>("allow_mmap_reads"),
      Field<DBOptions, &DBOptions::allow_mmap_writes>("allow_mmap_writes"),
      Field<DBOptions, &DBOptions::use_adaptive_mutex>("use_adaptive_mutex"),
      Field<DBOptions, &DBOptions::allow_2pc>("allow_2pc"),
      Field<DBOptions, &DBOptions::is_fd_close_on_exec>("is_fd_close_on_exec"),
      Field<DBOptions, &DBOptions::max_log_file_size>("max_log_file_size"),
      Field<DBOptions, &DBOptions::access_hint_on_compaction_start>(
          "access_hint_on_compaction_start"),
      Field<DBOptions, &DBOptions::max_file_opening_threads>("max_file_opening_threads"),
      Object<DBOptions, &DBOptions::wal_filter, WalFilter>("wal_filter"),
      {"listeners", FormatListeners, nullptr, nullptr, BuildListeners},
      Field<DBOptions, &DBOptions::use_fsync>("use_fsync"),
      Field<DBOptions, &DBOptions::table_cache_numshardbits>("table_cache_numshardbits"),
      Field<DBOptions, &DBOptions::dump_malloc_stats>("dump_malloc_stats"),
      Field<DBOptions, &DBOptions::db_write_buffer_size>("db_write_buffer_size"),
      Field<DBOptions, &DBOptions::allow_ingest_behind>("allow_ingest_behind"),
      Field<DBOptions, &DBOptions::keep_log_file_num>("keep_log_file_num"),
      Field<DBOptions, &DBOptions::max_bgerror_resume_count>("max_bgerror_resume_count"),
      Field<DBOptions, &DBOptions::allow_concurrent_memtable_write>(
          "allow_concurrent_memtable_write"),
      Field<DBOptions, &DBOptions::recycle_log_file_num>("recycle_log_file_num"),
      Field<DBOptions, &DBOptions::log_file_time_to_roll>("log_file_time_to_roll"),
      Field<DBOptions, &DBOptions::manifest_preallocation_size>("manifest_preallocation_size"),
      Field<DBOptions, &DBOptions::enable_write_thread_adaptive_yield>(
          "enable_write_thread_adaptive_yield"),
      Field<DBOptions, &DBOptions::WAL_ttl_seconds>("WAL_ttl_seconds"),
      Field<DBOptions, &DBOptions::max_manifest_file_size>("max_manifest_file_size"),
      Field<DBOptions, &DBOptions::wal_recovery_mode>("wal_recovery_mode"),
      Field<DBOptions, &DBOptions::enable_pipelined_write>("enable_pipelined_write"),
      Field<DBOptions, &DBOptions::write_thread_slow_yield_usec>("write_thread_slow_yield_usec"),
      Field<DBOptions, &DBOptions::unordered_write>("unordered_write"),
      Field<DBOptions, &DBOptions::write_thread_max_yield_usec>("write_thread_max_yield_usec"),
      Field<DBOptions, &DBOptions::advise_random_on_open>("advise_random_on_open"),
      Field<DBOptions, &DBOptions::info_log_level>("info_log_level"),
      Field<DBOptions, &DBOptions::wal_dir>("wal_dir"),
      Field<DBOptions, &DBOptions::db_log_dir>("db_log_dir"),
      {"rate_limiter_bytes_per_sec", nullptr, ParseRateLimiter},
      Ignored<DBOptions>("skip_log_error_on_recovery"),
      Ignored<DBOptions>("preserve_deletes"),
      Ignored<DBOptions>("base_background_compactions"),
      Ignored<DBOptions>("disableDataSync"),
      Ignored<DBOptions>("disable_data_sync"),
      Ignored<DBOptions>("new_table_reader_for_compaction_inputs"),
      Ignored<DBOptions>("concurrent_prepare"),
      Ignored<DBOptions>("max_mem_compaction_level"),
  };
  return kFields;
}

template <>
std::span<const OptionField<ColumnFamilyOptions>> OptionFields() {
  static constexpr OptionField<ColumnFamilyOptions> kFields[] = {
      CompressionField<&ColumnFamilyOptions::compression_opts>("compression_opts"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_protection_bytes_per_key>(
          "memtable_protection_bytes_per_key"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::target_file_size_multiplier>(
          "target_file_size_multiplier"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::report_bg_io_stats>("report_bg_io_stats"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::write_buffer_size>("write_buffer_size"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_huge_page_size>(
          "memtable_huge_page_size"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_successive_merges>(
          "max_successive_merges"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_write_buffer_number>(
          "max_write_buffer_number"),
      PrefixExtractor<&ColumnFamilyOptions::prefix_extractor>("prefix_extractor"),
      CompressionField<&ColumnFamilyOptions::bottommost_compression_opts>(
          "bottommost_compression_opts"),
      {"compression_manager", FormatCompressionManager, nullptr, nullptr, BuildCompressionManager,
       /*later=*/true},
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::paranoid_file_checks>(
          "paranoid_file_checks"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::blob_garbage_collection_force_threshold>(
          "blob_garbage_collection_force_threshold"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::enable_blob_files>("enable_blob_files"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::blob_file_starting_level>(
          "blob_file_starting_level"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_prefix_bloom_size_ratio>(
          "memtable_prefix_bloom_size_ratio"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::inplace_update_num_locks>(
          "inplace_update_num_locks"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::blob_compaction_readahead_size>(
          "blob_compaction_readahead_size"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::ignore_max_compaction_bytes_for_input>(
          "ignore_max_compaction_bytes_for_input"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::arena_block_size>("arena_block_size"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::level0_stop_writes_trigger>(
          "level0_stop_writes_trigger"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::blob_compression_type>(
          "blob_compression_type"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::level0_slowdown_writes_trigger>(
          "level0_slowdown_writes_trigger"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::hard_pending_compaction_bytes_limit>(
          "hard_pending_compaction_bytes_limit"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::soft_pending_compaction_bytes_limit>(
          "soft_pending_compaction_bytes_limit"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::target_file_size_base>(
          "target_file_size_base"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::level0_file_num_compaction_trigger>(
          "level0_file_num_compaction_trigger"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_compaction_bytes>(
          "max_compaction_bytes"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::disable_auto_compactions>(
          "disable_auto_compactions"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::check_flush_compaction_key_order>(
          "check_flush_compaction_key_order"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::min_blob_size>("min_blob_size"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_whole_key_filtering>(
          "memtable_whole_key_filtering"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_bytes_for_level_base>(
          "max_bytes_for_level_base"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::last_level_temperature>(
          "last_level_temperature"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::compaction_options_fifo>(
          "compaction_options_fifo"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_bytes_for_level_multiplier>(
          "max_bytes_for_level_multiplier"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_bytes_for_level_multiplier_additional>(
          "max_bytes_for_level_multiplier_additional"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_sequential_skip_in_iterations>(
          "max_sequential_skip_in_iterations"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::prepopulate_blob_cache>(
          "prepopulate_blob_cache"),
      {"blob_cache", nullptr, ParseBlobCache},
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::compression>("compression"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::compression_per_level>(
          "compression_per_level"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::compaction_options_universal>(
          "compaction_options_universal"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::blob_garbage_collection_age_cutoff>(
          "blob_garbage_collection_age_cutoff"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::ttl>("ttl"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::periodic_compaction_seconds>(
          "periodic_compaction_seconds"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::sample_for_compression>(
          "sample_for_compression"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::blob_file_size>("blob_file_size"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::enable_blob_garbage_collection>(
          "enable_blob_garbage_collection"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::experimental_mempurge_threshold>(
          "experimental_mempurge_threshold"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::bottommost_compression>(
          "bottommost_compression"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::min_write_buffer_number_to_merge>(
          "min_write_buffer_number_to_merge"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::preserve_internal_time_seconds>(
          "preserve_internal_time_seconds"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::preclude_last_level_data_seconds>(
          "preclude_last_level_data_seconds"),
      Object<ColumnFamilyOptions, &ColumnFamilyOptions::sst_partitioner_factory,
             SstPartitionerFactory>("sst_partitioner_factory"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::num_levels>("num_levels"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::force_consistency_checks>(
          "force_consistency_checks"),
      PrefixExtractor<&ColumnFamilyOptions::memtable_insert_with_hint_prefix_extractor>(
          "memtable_insert_with_hint_prefix_extractor"),
      {"memtable_factory", FormatMemtableFactory, nullptr, nullptr, BuildMemtableFactory},
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::level_compaction_dynamic_file_size>(
          "level_compaction_dynamic_file_size"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_write_buffer_number_to_maintain>(
          "max_write_buffer_number_to_maintain"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::optimize_filters_for_hits>(
          "optimize_filters_for_hits"),
      {"table_properties_collectors", FormatCollectors, nullptr, nullptr, BuildCollectors},
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::level_compaction_dynamic_level_bytes>(
          "level_compaction_dynamic_level_bytes"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::compaction_style>("compaction_style"),
      Object<ColumnFamilyOptions, &ColumnFamilyOptions::compaction_filter, CompactionFilter>(
          "compaction_filter"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::inplace_update_support>(
          "inplace_update_support"),
      Object<ColumnFamilyOptions, &ColumnFamilyOptions::merge_operator, MergeOperator>(
          "merge_operator"),
      {"table_factory", FormatTableFactory, nullptr, nullptr, BuildTableFactory},
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::bloom_locality>("bloom_locality"),
      {"comparator", FormatComparator, nullptr, nullptr, BuildComparator},
      Object<ColumnFamilyOptions, &ColumnFamilyOptions::compaction_filter_factory,
             CompactionFilterFactory>("compaction_filter_factory"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::max_write_buffer_size_to_maintain>(
          "max_write_buffer_size_to_maintain"),
      Field<ColumnFamilyOptions, &ColumnFamilyOptions::compaction_pri>("compaction_pri"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::persist_user_defined_timestamps>(
          "persist_user_defined_timestamps"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_op_scan_flush_trigger>(
          "memtable_op_scan_flush_trigger"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_avg_op_scan_flush_trigger>(
          "memtable_avg_op_scan_flush_trigger"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_max_range_deletions>(
          "memtable_max_range_deletions"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::uncache_aggressiveness>(
          "uncache_aggressiveness"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::strict_max_successive_merges>(
          "strict_max_successive_merges"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::verify_output_flags>(
          "verify_output_flags"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::disallow_memtable_writes>(
          "disallow_memtable_writes"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::default_write_temperature>(
          "default_write_temperature"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::default_temperature>(
          "default_temperature"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::target_file_size_is_upper_bound>(
          "target_file_size_is_upper_bound"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::cf_allow_ingest_behind>(
          "cf_allow_ingest_behind"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::bottommost_file_compaction_delay>(
          "bottommost_file_compaction_delay"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::memtable_batch_lookup_optimization>(
          "memtable_batch_lookup_optimization"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::paranoid_memory_checks>(
          "paranoid_memory_checks"),
      LaterField<ColumnFamilyOptions,
                 &ColumnFamilyOptions::memtable_verify_per_key_checksum_on_seek>(
          "memtable_verify_per_key_checksum_on_seek"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::block_protection_bytes_per_key>(
          "block_protection_bytes_per_key"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::read_triggered_compaction_threshold>(
          "read_triggered_compaction_threshold"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::min_tombstones_for_range_conversion>(
          "min_tombstones_for_range_conversion"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::enable_blob_direct_write>(
          "enable_blob_direct_write"),
      LaterField<ColumnFamilyOptions, &ColumnFamilyOptions::blob_direct_write_partitions>(
          "blob_direct_write_partitions"),
      Ignored<ColumnFamilyOptions>("bottommost_temperature"),
      Ignored<ColumnFamilyOptions>("snap_refresh_nanos"),
      Ignored<ColumnFamilyOptions>("hard_rate_limit"),
      Ignored<ColumnFamilyOptions>("soft_rate_limit"),
      Ignored<ColumnFamilyOptions>("max_mem_compaction_level"),
      Ignored<ColumnFamilyOptions>("rate_limit_delay_max_milliseconds"),
      Ignored<ColumnFamilyOptions>("purge_redundant_kvs_while_flush"),
      Ignored<ColumnFamilyOptions>("verify_checksums_in_compaction"),
      Ignored<ColumnFamilyOptions>("filter_deletes"),
      Ignored<ColumnFamilyOptions>("max_grandparent_overlap_factor"),
      Ignored<ColumnFamilyOptions>("expanded_compaction_factor"),
      Ignored<ColumnFamilyOptions>("source_compaction_factor"),
      Ignored<ColumnFamilyOptions>("min_partial_merge_operands"),
      {"block_based_table_factory", nullptr, nullptr, nullptr, BuildBlockBasedTableFactory},
      {"plain_table_factory", nullptr, nullptr, nullptr, BuildPlainTableFactory},
      {"memtable", nullptr, nullptr, nullptr, BuildMemtableFactory},
  };
  return kFields;
}

}  // namespace cairn
