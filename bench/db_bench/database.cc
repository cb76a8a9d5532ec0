#include "db_bench/database.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "db_bench/flags.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace db_bench {

namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

struct NamedCompression {
  const char* flag;
  rocksdb::CompressionType type;
  const char* name;
};
const NamedCompression kCompressions[] = {
    {"none", rocksdb::kNoCompression, "NoCompression"},
    {"snappy", rocksdb::kSnappyCompression, "Snappy"},
    {"zlib", rocksdb::kZlibCompression, "Zlib"},
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
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(FLAGS_bloom_bits));
  }
  return table;
}

void SetLevelOptions(rocksdb::Options* options, rocksdb::CompressionType compression) {
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
  options->max_subcompactions = static_cast<uint32_t>(FLAGS_subcompactions);
  options->max_compaction_bytes = FLAGS_max_compaction_bytes;
  options->soft_pending_compaction_bytes_limit = FLAGS_soft_pending_compaction_bytes_limit;
  options->hard_pending_compaction_bytes_limit = FLAGS_hard_pending_compaction_bytes_limit;
  options->compression = compression;
  options->compression_opts.level = FLAGS_compression_level;
  if (FLAGS_min_level_to_compress >= 0) {
    options->compression_per_level.assign(FLAGS_num_levels, compression);
    const int uncompressed = std::min(FLAGS_min_level_to_compress, FLAGS_num_levels);
    std::fill_n(options->compression_per_level.begin(), uncompressed, rocksdb::kNoCompression);
  }
}

// The Env that --env_uri or --fs_uri names; *guard owns it, or nobody.
rocksdb::Env* MakeEnv(std::shared_ptr<rocksdb::Env>* guard) {
  if (!FLAGS_env_uri.empty() && !FLAGS_fs_uri.empty()) {
    Fail("Error: --env_uri and --fs_uri are mutually exclusive");
  }
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  rocksdb::Env* env = nullptr;
  const rocksdb::Status s =
      rocksdb::Env::CreateFromUri(config, FLAGS_env_uri, FLAGS_fs_uri, &env, guard);
  if (!s.ok()) Fail("Failed creating env: " + s.ToString());
  return env;
}

}  // namespace

Database::Database() : path_(FLAGS_db) {
  options_.env = MakeEnv(&env_);
  if (path_.empty()) {
    const rocksdb::Status s = options_.env->GetTestDirectory(&path_);
    if (!s.ok()) Fail("no test directory, give --db: " + s.ToString());
    path_ += "/dbbench";
  }
  const NamedCompression& compression = ParseCompression(FLAGS_compression_type);
  compression_name_ = compression.name;

  options_.create_if_missing = !FLAGS_use_existing_db;
  options_.write_buffer_size = FLAGS_write_buffer_size;
  options_.max_write_buffer_number = FLAGS_max_write_buffer_number;
  options_.min_write_buffer_number_to_merge = FLAGS_min_write_buffer_number_to_merge;
  options_.arena_block_size = FLAGS_arena_block_size;
  options_.max_background_jobs = FLAGS_max_background_jobs;
  options_.max_background_compactions = FLAGS_max_background_compactions;
  options_.max_background_flushes = FLAGS_max_background_flushes;
  options_.max_open_files = FLAGS_open_files;
  options_.max_file_opening_threads = FLAGS_file_opening_threads;
  options_.table_cache_numshardbits = FLAGS_table_cache_numshardbits;
  options_.use_fsync = FLAGS_use_fsync;
  options_.use_direct_reads = FLAGS_use_direct_reads;
  options_.use_direct_io_for_flush_and_compaction = FLAGS_use_direct_io_for_flush_and_compaction;
  options_.bytes_per_sync = FLAGS_bytes_per_sync;
  options_.wal_bytes_per_sync = FLAGS_wal_bytes_per_sync;
  options_.max_total_wal_size = FLAGS_max_total_wal_size;
  options_.manual_wal_flush = FLAGS_manual_wal_flush;
  options_.allow_concurrent_memtable_write = FLAGS_allow_concurrent_memtable_write;
  options_.enable_pipelined_write = FLAGS_enable_pipelined_write;
  options_.unordered_write = FLAGS_unordered_write;
  options_.enable_write_thread_adaptive_yield = FLAGS_enable_write_thread_adaptive_yield;
  options_.write_thread_max_yield_usec = FLAGS_write_thread_max_yield_usec;
  options_.write_thread_slow_yield_usec = FLAGS_write_thread_slow_yield_usec;
  options_.paranoid_checks = FLAGS_paranoid_checks;
  options_.delayed_write_rate = FLAGS_delayed_write_rate;
  options_.stats_dump_period_sec = static_cast<unsigned>(FLAGS_stats_dump_period_sec);
  SetLevelOptions(&options_, compression.type);
  options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(TableOptions()));
  if (FLAGS_statistics) {
    options_.statistics = rocksdb::CreateDBStatistics();
    options_.statistics->set_stats_level(static_cast<rocksdb::StatsLevel>(FLAGS_stats_level));
  }
}

void Database::OpenFirst() {
  if (!FLAGS_use_existing_db && !FLAGS_readonly) {
    Destroy();
  }
  Open();
}

void Database::Recreate() {
  Close();
  Destroy();
  Open();
}

void Database::Close() { db_.reset(); }

void Database::Destroy() {
  const rocksdb::Status s = rocksdb::DestroyDB(path_, options_);
  // (A path that is made with the database: nothing is there.)
  if (!s.ok() && !s.IsPathNotFound()) Fail("cannot destroy " + path_ + ": " + s.ToString());
}

void Database::Open() {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status s = FLAGS_readonly ? rocksdb::DB::OpenForReadOnly(options_, path_, &db)
                                           : rocksdb::DB::Open(options_, path_, &db);
  if (!s.ok()) Fail("open error: " + s.ToString());
  db_.reset(db);
}

std::string Database::Statistics() const {
  return options_.statistics == nullptr ? std::string() : options_.statistics->ToString();
}

}  // namespace db_bench
