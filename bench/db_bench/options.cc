#include "db_bench/options.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/workloads.h"
#include "rocksdb/cache.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/write_buffer_manager.h"

namespace db_bench {

namespace {

// The value of a flag that numbers an enumeration.
int64_t InRange(const char* flag, int64_t value, int64_t last) {
  if (value < 0 || value > last) {
    Fail("--" + std::string(flag) + "=" + std::to_string(value) + ": 0 to " + std::to_string(last));
  }
  return value;
}

constexpr size_t kHugePage = size_t{2} << 20;  // bytes

// rocksdb.Uint64Comparator: keys of 8 bytes are numbers as this machine has them.
class Uint64Comparator : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "rocksdb.Uint64Comparator"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    const uint64_t x = NumberOf(a), y = NumberOf(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  static uint64_t NumberOf(const rocksdb::Slice& key) {
    uint64_t number = 0;
    std::memcpy(&number, key.data(), std::min(key.size(), sizeof(number)));
    return number;
  }
};

class KeepAll : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "db_bench.KeepAll"; }
  bool Filter(int /*level*/, const rocksdb::Slice& /*key*/, const rocksdb::Slice& /*value*/,
              std::string* /*new_value*/, bool* /*value_changed*/) const override {
    return false;
  }
};

class StderrLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    // One call, so that lines stay whole.
    char line[1024];
    std::vsnprintf(line, sizeof(line), format, ap);
    std::fprintf(stderr, "%s\n", line);
  }
};

struct NamedCompression {
  const char* flag;
  rocksdb::CompressionType type;
  const char* name;
};
const NamedCompression kCompressions[] = {
    {"none", rocksdb::kNoCompression, "NoCompression"},
    {"snappy", rocksdb::kSnappyCompression, "Snappy"},
    {"zlib", rocksdb::kZlibCompression, "Zlib"},
    {"bzip2", rocksdb::kBZip2Compression, "BZip2"},
    {"lz4", rocksdb::kLZ4Compression, "LZ4"},
    {"lz4hc", rocksdb::kLZ4HCCompression, "LZ4HC"},
    {"zstd", rocksdb::kZSTD, "ZSTD"},
};

const NamedCompression& ParseCompression(const std::string& flag) {
  for (const auto& known : kCompressions) {
    if (flag == known.flag) return known;
  }
  Fail("Cannot parse compression type '" + flag + "'");
}

std::shared_ptr<rocksdb::SecondaryCache> CompressedSecondaryCache() {
  rocksdb::CompressedSecondaryCacheOptions cache;
  cache.capacity = static_cast<size_t>(FLAGS_compressed_secondary_cache_size);
  cache.num_shard_bits = FLAGS_compressed_secondary_cache_numshardbits;
  cache.high_pri_pool_ratio = FLAGS_compressed_secondary_cache_high_pri_pool_ratio;
  cache.low_pri_pool_ratio = FLAGS_compressed_secondary_cache_low_pri_pool_ratio;
  cache.compression_type = ParseCompression(FLAGS_compressed_secondary_cache_compression_type).type;
  std::shared_ptr<rocksdb::SecondaryCache> made = rocksdb::NewCompressedSecondaryCache(cache);
  if (made == nullptr) {
    Fail(
        "--compressed_secondary_cache_*: no such cache (too many shards, ratios above 1 together, "
        "or a compression that this build lacks)");
  }
  return made;
}

std::shared_ptr<rocksdb::Cache> BlockCache() {
  std::shared_ptr<rocksdb::SecondaryCache> secondary;
  if (FLAGS_use_compressed_secondary_cache) secondary = CompressedSecondaryCache();
  const auto capacity = static_cast<size_t>(FLAGS_cache_size);
  std::shared_ptr<rocksdb::Cache> cache;
  if (FLAGS_cache_type == "lru_cache") {
    rocksdb::LRUCacheOptions options(capacity, FLAGS_cache_numshardbits,
                                     /*strict_capacity_limit=*/false,
                                     FLAGS_cache_high_pri_pool_ratio);
    options.low_pri_pool_ratio = FLAGS_cache_low_pri_pool_ratio;
    options.secondary_cache = std::move(secondary);
    cache = rocksdb::NewLRUCache(options);
  } else if (FLAGS_cache_type.ends_with("hyper_clock_cache")) {
    const bool fixed = FLAGS_cache_type == "fixed_hyper_clock_cache";
    rocksdb::HyperClockCacheOptions options(
        capacity, fixed ? static_cast<size_t>(FLAGS_block_size) : 0, FLAGS_cache_numshardbits);
    options.secondary_cache = std::move(secondary);
    cache = options.MakeSharedCache();
  } else {
    Fail("--cache_type=" + FLAGS_cache_type +
         ": there are lru_cache, hyper_clock_cache and fixed_hyper_clock_cache");
  }
  if (cache == nullptr) Fail("--cache_numshardbits: 19 at most (hyper_clock_cache: 15)");
  return cache;
}

rocksdb::BlockBasedTableOptions TableOptions() {
  rocksdb::BlockBasedTableOptions table;
  table.block_size = FLAGS_block_size;
  table.block_align = FLAGS_block_align;
  table.block_restart_interval = FLAGS_block_restart_interval;
  table.index_block_restart_interval = FLAGS_index_block_restart_interval;
  table.format_version = static_cast<uint32_t>(FLAGS_format_version);
  table.checksum = static_cast<rocksdb::ChecksumType>(FLAGS_checksum_type);
  table.whole_key_filtering = FLAGS_whole_key_filtering;
  table.cache_index_and_filter_blocks = FLAGS_cache_index_and_filter_blocks;
  table.pin_l0_filter_and_index_blocks_in_cache = FLAGS_pin_l0_filter_and_index_blocks_in_cache;
  table.initial_auto_readahead_size = FLAGS_initial_auto_readahead_size;
  table.max_auto_readahead_size = FLAGS_max_auto_readahead_size;
  table.num_file_reads_for_auto_readahead = FLAGS_num_file_reads_for_auto_readahead;
  if (FLAGS_cache_size > 0) {
    table.block_cache = BlockCache();
  } else {
    table.no_block_cache = true;
  }
  if (FLAGS_bloom_bits > 0) {
    table.filter_policy.reset(FLAGS_use_ribbon_filter
                                  ? rocksdb::NewRibbonFilterPolicy(FLAGS_bloom_bits)
                                  : rocksdb::NewBloomFilterPolicy(FLAGS_bloom_bits));
  }
  table.read_amp_bytes_per_bit = static_cast<uint32_t>(FLAGS_read_amp_bytes_per_bit);
  table.optimize_filters_for_memory = FLAGS_optimize_filters_for_memory;
  if (FLAGS_partition_index || FLAGS_partition_index_and_filters) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = FLAGS_partition_index_and_filters;
  }
  if (FLAGS_index_with_first_key) {
    table.index_type = rocksdb::BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }
  if (FLAGS_use_hash_search) {
    if (FLAGS_prefix_size == 0) Fail("--use_hash_search needs --prefix_size");
    table.index_type = rocksdb::BlockBasedTableOptions::kHashSearch;
  }
  table.metadata_block_size = static_cast<uint64_t>(FLAGS_metadata_block_size);
  table.pin_top_level_index_and_filter = FLAGS_pin_top_level_index_and_filter;
  table.enable_index_compression = FLAGS_enable_index_compression;
  table.index_shortening = static_cast<rocksdb::BlockBasedTableOptions::IndexShorteningMode>(
      InRange("index_shortening_mode", FLAGS_index_shortening_mode, 2));
  if (FLAGS_use_data_block_hash_index) {
    table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
    table.data_block_hash_table_util_ratio = FLAGS_data_block_hash_table_util_ratio;
  }
  table.prepopulate_block_cache =
      static_cast<rocksdb::BlockBasedTableOptions::PrepopulateBlockCache>(
          InRange("prepopulate_block_cache", FLAGS_prepopulate_block_cache, 2));
  table.verify_compression = FLAGS_verify_compression;
  table.decouple_partitioned_filters = FLAGS_decouple_partitioned_filters;
  const auto charge = [&table](rocksdb::CacheEntryRole role, bool charged) {
    using Decision = rocksdb::CacheEntryRoleOptions::Decision;
    table.cache_usage_options.options_overrides[role].charged =
        charged ? Decision::kEnabled : Decision::kDisabled;
  };
  charge(rocksdb::CacheEntryRole::kCompressionDictionaryBuildingBuffer,
         FLAGS_charge_compression_dictionary_building_buffer);
  charge(rocksdb::CacheEntryRole::kFilterConstruction, FLAGS_charge_filter_construction);
  charge(rocksdb::CacheEntryRole::kBlockBasedTableReader, FLAGS_charge_table_reader);
  return table;
}

rocksdb::TableFactory* PlainTables() {
  rocksdb::PlainTableOptions table;
  table.user_key_len = static_cast<uint32_t>(FLAGS_key_size);
  if (FLAGS_bloom_bits >= 0) table.bloom_bits_per_key = FLAGS_bloom_bits;
  if (FLAGS_prefix_size == 0) table.hash_table_ratio = 0;  // (there is nothing to hash)
  return rocksdb::NewPlainTableFactory(table);
}

rocksdb::TableFactory* CuckooTables() {
  if (!(FLAGS_cuckoo_hash_ratio > 0 && FLAGS_cuckoo_hash_ratio <= 1)) {
    Fail("--cuckoo_hash_ratio must be above 0, and at most 1");
  }
  rocksdb::CuckooTableOptions table;
  table.hash_table_ratio = FLAGS_cuckoo_hash_ratio;
  table.identity_as_first_hash = FLAGS_identity_as_first_hash;
  return rocksdb::NewCuckooTableFactory(table);
}

void SetLevelOptions(rocksdb::Options* options) {
  options->num_levels = FLAGS_num_levels;
  options->level0_file_num_compaction_trigger = FLAGS_level0_file_num_compaction_trigger;
  options->level0_slowdown_writes_trigger = FLAGS_level0_slowdown_writes_trigger;
  options->level0_stop_writes_trigger = FLAGS_level0_stop_writes_trigger;
  options->target_file_size_base = FLAGS_target_file_size_base;
  options->target_file_size_multiplier = FLAGS_target_file_size_multiplier;
  options->max_bytes_for_level_base = FLAGS_max_bytes_for_level_base;
  options->max_bytes_for_level_multiplier = FLAGS_max_bytes_for_level_multiplier;
  options->level_compaction_dynamic_level_bytes = FLAGS_level_compaction_dynamic_level_bytes;
  options->disable_auto_compactions = FLAGS_disable_auto_compactions;
  options->compaction_style = static_cast<rocksdb::CompactionStyle>(FLAGS_compaction_style);
  rocksdb::CompactionOptionsUniversal& universal = options->compaction_options_universal;
  // 0 means the database's own default.
  const auto set = [](unsigned int* option, int32_t flag) {
    if (flag != 0) *option = static_cast<unsigned int>(flag);
  };
  set(&universal.size_ratio, FLAGS_universal_size_ratio);
  set(&universal.min_merge_width, FLAGS_universal_min_merge_width);
  set(&universal.max_merge_width, FLAGS_universal_max_merge_width);
  set(&universal.max_size_amplification_percent, FLAGS_universal_max_size_amplification_percent);
  universal.compression_size_percent = FLAGS_universal_compression_size_percent;
  universal.allow_trivial_move = FLAGS_universal_allow_trivial_move;
  universal.stop_style = static_cast<rocksdb::CompactionStopStyle>(
      InRange("universal_stop_style", FLAGS_universal_stop_style, 1));
  universal.incremental = FLAGS_universal_incremental;
  universal.max_read_amp = FLAGS_universal_max_read_amp;
  rocksdb::CompactionOptionsFIFO& fifo = options->compaction_options_fifo;
  if (FLAGS_fifo_compaction_max_table_files_size_mb != 0) {
    fifo.max_table_files_size = FLAGS_fifo_compaction_max_table_files_size_mb << 20;
  }
  fifo.max_data_files_size = FLAGS_fifo_compaction_max_data_files_size_mb << 20;
  fifo.allow_compaction = FLAGS_fifo_compaction_allow_compaction;
  options->compaction_pri =
      static_cast<rocksdb::CompactionPri>(InRange("compaction_pri", FLAGS_compaction_pri, 4));
  // --fifo_compaction_ttl is the older name.
  options->ttl = FLAGS_fifo_compaction_ttl != 0 ? FLAGS_fifo_compaction_ttl : FLAGS_ttl_seconds;
  options->periodic_compaction_seconds = FLAGS_periodic_compaction_seconds;
  options->preclude_last_level_data_seconds =
      static_cast<uint64_t>(std::max<int64_t>(FLAGS_preclude_last_level_data_seconds, 0));
  options->preserve_internal_time_seconds =
      static_cast<uint64_t>(std::max<int64_t>(FLAGS_preserve_internal_time_seconds, 0));
  options->max_subcompactions = static_cast<uint32_t>(FLAGS_subcompactions);
  options->max_compaction_bytes = FLAGS_max_compaction_bytes;
  options->soft_pending_compaction_bytes_limit = FLAGS_soft_pending_compaction_bytes_limit;
  options->hard_pending_compaction_bytes_limit = FLAGS_hard_pending_compaction_bytes_limit;
}

void SetCompression(rocksdb::Options* options) {
  const rocksdb::CompressionType compression = ParseCompression(FLAGS_compression_type).type;
  options->compression = compression;
  options->compression_opts.level = FLAGS_compression_level;
  if (FLAGS_min_level_to_compress >= 0) {
    options->compression_per_level.assign(FLAGS_num_levels, compression);
    const int uncompressed = std::min(FLAGS_min_level_to_compress, FLAGS_num_levels);
    std::fill_n(options->compression_per_level.begin(), uncompressed, rocksdb::kNoCompression);
  }
  rocksdb::CompressionOptions& details = options->compression_opts;
  details.max_dict_bytes = static_cast<uint32_t>(FLAGS_compression_max_dict_bytes);
  details.zstd_max_train_bytes = static_cast<uint32_t>(FLAGS_compression_zstd_max_train_bytes);
  details.max_dict_buffer_bytes = FLAGS_compression_max_dict_buffer_bytes;
  details.use_zstd_dict_trainer = FLAGS_compression_use_zstd_dict_trainer;
  details.parallel_threads = static_cast<uint32_t>(FLAGS_compression_parallel_threads);
  options->sample_for_compression = static_cast<uint64_t>(FLAGS_sample_for_compression);
}

// Prefixes are for keys that begin alike: those of --key_size digits.
void SetPrefixes(rocksdb::Options* options) {
  if (FLAGS_prefix_size != 0) {
    options->prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(static_cast<size_t>(FLAGS_prefix_size)));
  }
  options->memtable_prefix_bloom_size_ratio = FLAGS_memtable_bloom_size_ratio;
  options->experimental_mempurge_threshold = FLAGS_experimental_mempurge_threshold;
  options->memtable_protection_bytes_per_key = FLAGS_memtable_protection_bytes_per_key;
  options->memtable_verify_per_key_checksum_on_seek =
      FLAGS_memtable_verify_per_key_checksum_on_seek;
  options->paranoid_memory_checks = FLAGS_paranoid_memory_checks;
  options->block_protection_bytes_per_key =
      static_cast<uint8_t>(std::min<uint32_t>(FLAGS_block_protection_bytes_per_key, UINT8_MAX));
  options->memtable_whole_key_filtering = FLAGS_memtable_whole_key_filtering;
  options->memtable_huge_page_size = FLAGS_memtable_use_huge_page ? kHugePage : 0;
  options->bloom_locality = static_cast<uint32_t>(FLAGS_bloom_locality);
  if (FLAGS_memtable_insert_with_hint_prefix_size > 0) {
    options->memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(
        static_cast<size_t>(FLAGS_memtable_insert_with_hint_prefix_size)));
  }
  if (FLAGS_memtablerep == "prefix_hash") {
    if (FLAGS_prefix_size == 0) Fail("--memtablerep=prefix_hash needs --prefix_size");
    options->memtable_factory.reset(
        rocksdb::NewHashSkipListRepFactory(static_cast<size_t>(FLAGS_hash_bucket_count)));
  } else if (FLAGS_memtablerep == "hash_linkedlist") {
    if (FLAGS_prefix_size == 0) Fail("--memtablerep=hash_linkedlist needs --prefix_size");
    options->memtable_factory.reset(
        rocksdb::NewHashLinkListRepFactory(static_cast<size_t>(FLAGS_hash_bucket_count)));
  } else if (FLAGS_memtablerep == "vector") {
    options->memtable_factory = std::make_shared<rocksdb::VectorRepFactory>();
  } else if (FLAGS_memtablerep == "skip_list") {
    options->memtable_factory =
        std::make_shared<rocksdb::SkipListFactory>(static_cast<size_t>(FLAGS_skip_list_lookahead));
  } else {
    Fail("--memtablerep=" + FLAGS_memtablerep +
         ": there are skip_list, vector, prefix_hash and hash_linkedlist");
  }
}

void SetBlobs(rocksdb::Options* options, const std::shared_ptr<rocksdb::Cache>& block_cache) {
  options->enable_blob_files = FLAGS_enable_blob_files;
  options->min_blob_size = FLAGS_min_blob_size;
  options->blob_file_size = FLAGS_blob_file_size;
  options->blob_compression_type = ParseCompression(FLAGS_blob_compression_type).type;
  options->enable_blob_garbage_collection = FLAGS_enable_blob_garbage_collection;
  options->blob_garbage_collection_age_cutoff = FLAGS_blob_garbage_collection_age_cutoff;
  options->blob_garbage_collection_force_threshold = FLAGS_blob_garbage_collection_force_threshold;
  options->blob_compaction_readahead_size = FLAGS_blob_compaction_readahead_size;
  options->blob_file_starting_level = FLAGS_blob_file_starting_level;
  options->prepopulate_blob_cache = static_cast<rocksdb::PrepopulateBlobCache>(
      InRange("prepopulate_blob_cache", FLAGS_prepopulate_blob_cache, 1));
  if (!FLAGS_use_blob_cache) return;
  if (FLAGS_use_shared_block_and_blob_cache) {
    options->blob_cache = block_cache;
  } else if (FLAGS_blob_cache_size > 0) {
    options->blob_cache =
        rocksdb::NewLRUCache(FLAGS_blob_cache_size, FLAGS_blob_cache_numshardbits);
    if (options->blob_cache == nullptr) Fail("--blob_cache_numshardbits: 19 at most");
  }
}

void SetMergeOperator(rocksdb::Options* options) {
  if (FLAGS_merge_operator.empty()) return;
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  const rocksdb::Status s = rocksdb::MergeOperator::CreateFromString(config, FLAGS_merge_operator,
                                                                     &options->merge_operator);
  if (!s.ok()) Fail("--merge_operator=" + FLAGS_merge_operator + ": " + s.ToString());
}

void SetMore(rocksdb::Options* options) {
  std::stringstream multipliers(FLAGS_max_bytes_for_level_multiplier_additional);
  if (!FLAGS_max_bytes_for_level_multiplier_additional.empty()) {
    options->max_bytes_for_level_multiplier_additional.clear();
  }
  for (std::string each; std::getline(multipliers, each, ',');) {
    size_t used = 0;
    int multiplier = 0;
    if (each.size() < 10 && each.find_first_not_of("0123456789") == std::string::npos) {
      multiplier = std::stoi(each, &used);
    }
    if (used != each.size() || multiplier <= 0) {
      Fail("--max_bytes_for_level_multiplier_additional: '" + each + "' is no positive number");
    }
    options->max_bytes_for_level_multiplier_additional.push_back(multiplier);
  }
  options->enable_thread_tracking = FLAGS_thread_status_per_interval > 0;
  if (FLAGS_use_stderr_info_logger) options->info_log = std::make_shared<StderrLogger>();
  options->dump_malloc_stats = FLAGS_dump_malloc_stats;
  options->max_compaction_trigger_wakeup_seconds = FLAGS_max_compaction_trigger_wakeup_seconds;
  options->delete_obsolete_files_period_micros = FLAGS_delete_obsolete_files_period_micros;
  options->allow_data_in_errors = FLAGS_allow_data_in_errors;
  options->stats_history_buffer_size = FLAGS_stats_history_buffer_size;
  options->stats_persist_period_sec = static_cast<unsigned>(FLAGS_stats_persist_period_sec);
  options->persist_stats_to_disk = FLAGS_persist_stats_to_disk;
  options->verify_manifest_content_on_close = FLAGS_verify_manifest_content_on_close;
  options->advise_random_on_open = FLAGS_advise_random_on_open;
  options->random_access_max_buffer_size = static_cast<size_t>(FLAGS_random_access_max_buffer_size);
  options->avoid_flush_during_shutdown = FLAGS_avoid_flush_during_shutdown;
  options->max_manifest_file_size = static_cast<uint64_t>(FLAGS_max_manifest_file_size);
  options->max_manifest_space_amp_pct = FLAGS_max_manifest_space_amp_pct;
  options->skip_stats_update_on_db_open = FLAGS_skip_stats_update_on_db_open;
  const auto threads = [options](int count, rocksdb::Env::Priority priority) {
    if (count > 0) options->env->SetBackgroundThreads(count, priority);
  };
  threads(FLAGS_num_low_pri_threads, rocksdb::Env::LOW);
  threads(FLAGS_num_high_pri_threads, rocksdb::Env::HIGH);
  threads(FLAGS_num_bottom_pri_threads, rocksdb::Env::BOTTOM);
  options->track_and_verify_wals = FLAGS_track_and_verify_wals;
  options->track_and_verify_wals_in_manifest = FLAGS_track_and_verify_wals_in_manifest;
}

void SetLogs(rocksdb::Options* options) {
  options->wal_dir = FLAGS_wal_dir;
  options->WAL_ttl_seconds = FLAGS_wal_ttl_seconds;
  options->WAL_size_limit_MB = FLAGS_wal_size_limit_MB;
  options->wal_compression = ParseCompression(FLAGS_wal_compression).type;
  options->wal_bytes_per_sync = FLAGS_wal_bytes_per_sync;
  options->max_total_wal_size = FLAGS_max_total_wal_size;
  options->manual_wal_flush = FLAGS_manual_wal_flush;
  options->avoid_flush_during_recovery = FLAGS_avoid_flush_during_recovery;
  options->log_readahead_size = static_cast<size_t>(FLAGS_log_readahead_size);
}

void SetRateLimiter(rocksdb::Options* options) {
  if (FLAGS_rate_limiter_bytes_per_sec == 0) return;
  options->rate_limiter.reset(rocksdb::NewGenericRateLimiter(
      static_cast<int64_t>(FLAGS_rate_limiter_bytes_per_sec), FLAGS_rate_limiter_refill_period_us,
      /*fairness=*/10,
      FLAGS_rate_limit_bg_reads ? rocksdb::RateLimiter::Mode::kReadsOnly
                                : rocksdb::RateLimiter::Mode::kWritesOnly,
      FLAGS_rate_limiter_auto_tuned, FLAGS_rate_limiter_single_burst_bytes));
  if (options->rate_limiter == nullptr) Fail("--rate_limiter_*: no such limiter");
}

}  // namespace

rocksdb::CompressionType CompressionOfFlag() {
  return ParseCompression(FLAGS_compression_type).type;
}

const char* CompressionName() { return ParseCompression(FLAGS_compression_type).name; }

namespace {

void SetFromFlags(rocksdb::Options* options) {
  if (FLAGS_user_timestamp_size > 0) options->comparator = rocksdb::BytewiseComparatorWithU64Ts();
  if (FLAGS_use_uint64_comparator) {
    static const Uint64Comparator comparator;
    options->comparator = &comparator;
  }
  options->write_buffer_size = FLAGS_write_buffer_size;
  options->max_write_buffer_number = FLAGS_max_write_buffer_number;
  options->min_write_buffer_number_to_merge = FLAGS_min_write_buffer_number_to_merge;
  options->max_write_buffer_number_to_maintain = FLAGS_max_write_buffer_number_to_maintain;
  options->max_write_buffer_size_to_maintain = FLAGS_max_write_buffer_size_to_maintain;
  options->arena_block_size = FLAGS_arena_block_size;
  options->max_background_jobs = FLAGS_max_background_jobs;
  options->max_background_compactions = FLAGS_max_background_compactions;
  options->max_background_flushes = FLAGS_max_background_flushes;
  options->max_open_files = FLAGS_open_files;
  options->max_file_opening_threads = FLAGS_file_opening_threads;
  options->table_cache_numshardbits = FLAGS_table_cache_numshardbits;
  options->use_fsync = FLAGS_use_fsync;
  options->use_direct_reads = FLAGS_use_direct_reads;
  options->allow_mmap_reads = FLAGS_mmap_read;
  options->allow_mmap_writes = FLAGS_mmap_write;
  options->use_direct_io_for_flush_and_compaction = FLAGS_use_direct_io_for_flush_and_compaction;
  options->bytes_per_sync = FLAGS_bytes_per_sync;
  options->allow_concurrent_memtable_write = FLAGS_allow_concurrent_memtable_write;
  options->inplace_update_support = FLAGS_inplace_update_support;
  options->inplace_update_num_locks = FLAGS_inplace_update_num_locks;
  options->enable_pipelined_write = FLAGS_enable_pipelined_write;
  options->unordered_write = FLAGS_unordered_write;
  options->enable_write_thread_adaptive_yield = FLAGS_enable_write_thread_adaptive_yield;
  options->write_thread_max_yield_usec = FLAGS_write_thread_max_yield_usec;
  options->write_thread_slow_yield_usec = FLAGS_write_thread_slow_yield_usec;
  options->paranoid_checks = FLAGS_paranoid_checks;
  options->delayed_write_rate = FLAGS_delayed_write_rate;
  options->stats_dump_period_sec = static_cast<unsigned>(FLAGS_stats_dump_period_sec);
  options->db_write_buffer_size = static_cast<size_t>(FLAGS_db_write_buffer_size);
  options->writable_file_max_buffer_size = static_cast<size_t>(FLAGS_writable_file_max_buffer_size);
  options->max_successive_merges = static_cast<size_t>(FLAGS_max_successive_merges);
  options->strict_max_successive_merges = FLAGS_strict_max_successive_merges;
  options->optimize_filters_for_hits = FLAGS_optimize_filters_for_hits;
  options->force_consistency_checks = FLAGS_force_consistency_checks;
  options->report_bg_io_stats = FLAGS_report_bg_io_stats;
  options->use_adaptive_mutex = FLAGS_use_adaptive_mutex;
  if (FLAGS_compaction_readahead_size != 0) {
    options->compaction_readahead_size = static_cast<size_t>(FLAGS_compaction_readahead_size);
  }
  SetLogs(options);
  SetLevelOptions(options);
  SetCompression(options);
  SetPrefixes(options);
  SetMergeOperator(options);
  SetMore(options);
  const rocksdb::BlockBasedTableOptions table = TableOptions();
  options->table_factory.reset(FLAGS_use_plain_table ? PlainTables()
                               : FLAGS_use_cuckoo_table
                                   ? CuckooTables()
                                   : rocksdb::NewBlockBasedTableFactory(table));
  if (FLAGS_cost_write_buffer_to_cache) {
    options->write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(
        static_cast<size_t>(FLAGS_db_write_buffer_size), table.block_cache);
  }
  SetBlobs(options, table.block_cache);
}

// What a file of options cannot say, or leaves out.
void Complete(rocksdb::Options* options) {
  options->create_if_missing = !FLAGS_use_existing_db;
  options->create_missing_column_families = FLAGS_num_column_families > 1;
  if (options->rate_limiter == nullptr) SetRateLimiter(options);
  if (FLAGS_file_checksum && options->file_checksum_gen_factory == nullptr) {
    options->file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  }
  if (options->compaction_filter == nullptr) options->compaction_filter = ExpiredSamples();
  if (FLAGS_use_keep_filter && options->compaction_filter == nullptr) {
    static const KeepAll filter;
    options->compaction_filter = &filter;
  }
  options->compaction_service = RemoteJobs();
  if (FLAGS_row_cache_size > 0) {
    options->row_cache = rocksdb::NewLRUCache(static_cast<size_t>(FLAGS_row_cache_size));
  }
  if (FLAGS_statistics) {
    options->statistics = rocksdb::CreateDBStatistics();
    options->statistics->set_stats_level(static_cast<rocksdb::StatsLevel>(FLAGS_stats_level));
  }
}

// The database's, and those of its first family. The block cache, and the filter policy where there
// is none, are the flags'.
void SetFromFile(rocksdb::Options* options) {
  rocksdb::Env* const env = options->env;
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.env = env;
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const rocksdb::Status s =
      rocksdb::LoadOptionsFromFile(config, FLAGS_options_file, &db_options, &families);
  if (!s.ok()) Fail("Unable to load options file " + FLAGS_options_file + ": " + s.ToString());
  db_options.env = env;
  *options = rocksdb::Options(db_options, families.at(0).options);
  const auto* found =
      std::as_const(*options->table_factory).GetOptions<rocksdb::BlockBasedTableOptions>();
  if (found == nullptr) return;
  rocksdb::BlockBasedTableOptions table = *found;
  const rocksdb::BlockBasedTableOptions flags = TableOptions();
  if (FLAGS_cache_size > 0) table.block_cache = flags.block_cache;
  if (table.filter_policy == nullptr) table.filter_policy = flags.filter_policy;
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

}  // namespace

void SetOptions(rocksdb::Options* options) {
  FLAGS_options_file.empty() ? SetFromFlags(options) : SetFromFile(options);
  Complete(options);
}

}  // namespace db_bench
