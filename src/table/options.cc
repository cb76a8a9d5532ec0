// The option constructors that need a table factory, and the ready-made settings (Optimize...).
// Options as text are in manifest/.

#include "rocksdb/options.h"

#include <algorithm>

#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

AdvancedColumnFamilyOptions::AdvancedColumnFamilyOptions(const Options& options)
    : AdvancedColumnFamilyOptions(static_cast<const AdvancedColumnFamilyOptions&>(options)) {}

ColumnFamilyOptions::ColumnFamilyOptions() : table_factory(NewBlockBasedTableFactory()) {}

ColumnFamilyOptions::ColumnFamilyOptions(const Options& options)
    : ColumnFamilyOptions(static_cast<const ColumnFamilyOptions&>(options)) {}

DBOptions::DBOptions(const Options& options) : DBOptions(static_cast<const DBOptions&>(options)) {}

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeForSmallDb(std::shared_ptr<Cache>* cache) {
  write_buffer_size = 2 << 20;
  target_file_size_base = 2 * 1048576;
  max_bytes_for_level_base = 10 * 1048576;
  soft_pending_compaction_bytes_limit = 256 * 1048576;
  hard_pending_compaction_bytes_limit = 1073741824ul;
  BlockBasedTableOptions table_options;
  if (cache != nullptr) {
    if (*cache == nullptr) *cache = NewLRUCache(16 << 20);
    table_options.block_cache = *cache;
  }
  table_options.cache_index_and_filter_blocks = true;
  table_factory.reset(NewBlockBasedTableFactory(table_options));
  return this;
}

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeForPointLookup(uint64_t block_cache_size_mb) {
  BlockBasedTableOptions table_options;
  table_options.filter_policy.reset(NewBloomFilterPolicy(10));
  table_options.block_cache = NewLRUCache(static_cast<size_t>(block_cache_size_mb * 1024 * 1024));
  table_factory.reset(NewBlockBasedTableFactory(table_options));
  memtable_prefix_bloom_size_ratio = 0.02;
  memtable_whole_key_filtering = true;
  return this;
}

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeLevelStyleCompaction(
    uint64_t memtable_memory_budget) {
  write_buffer_size = static_cast<size_t>(memtable_memory_budget / 4);
  min_write_buffer_number_to_merge = 2;
  // One more than the budget's worth, so that a burst has room.
  max_write_buffer_number = 6;
  level0_file_num_compaction_trigger = 2;
  target_file_size_base = memtable_memory_budget / 8;
  max_bytes_for_level_base = memtable_memory_budget;
  compaction_style = kCompactionStyleLevel;
  // The first levels are small and rewritten often: not worth compressing.
  compression_per_level.resize(static_cast<size_t>(num_levels));
  for (size_t i = 0; i < compression_per_level.size(); ++i) {
    compression_per_level[i] = i < 2 ? kNoCompression : kLZ4Compression;
  }
  return this;
}

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeUniversalStyleCompaction(
    uint64_t memtable_memory_budget) {
  write_buffer_size = static_cast<size_t>(memtable_memory_budget / 4);
  min_write_buffer_number_to_merge = 2;
  max_write_buffer_number = 6;
  compaction_style = kCompactionStyleUniversal;
  // The newest fifth of the data is rewritten most often: it stays uncompressed.
  compaction_options_universal.compression_size_percent = 80;
  return this;
}

namespace {

// Whether a release is older than another.
bool IsBefore(int major, int minor, int other_major, int other_minor) {
  return major < other_major || (major == other_major && minor < other_minor);
}

}  // namespace

ColumnFamilyOptions* ColumnFamilyOptions::OldDefaults(int major, int minor) {
  if (IsBefore(major, minor, 5, 19)) compaction_pri = kByCompensatedSize;
  if (IsBefore(major, minor, 5, 2)) level0_stop_writes_trigger = major < 5 ? 24 : 30;
  if (IsBefore(major, minor, 4, 7)) {
    write_buffer_size = size_t{4} << 20;
    target_file_size_base = uint64_t{2} << 20;
    max_bytes_for_level_base = uint64_t{10} << 20;
    soft_pending_compaction_bytes_limit = 0;
    hard_pending_compaction_bytes_limit = 0;
  }
  return this;
}

DBOptions* DBOptions::OldDefaults(int major, int minor) {
  max_open_files = 5000;
  wal_recovery_mode = WALRecoveryMode::kTolerateCorruptedTailRecords;
  if (IsBefore(major, minor, 5, 6)) {
    delayed_write_rate = uint64_t{IsBefore(major, minor, 5, 2) ? 2u : 16u} << 20;
  }
  if (IsBefore(major, minor, 4, 7)) {
    max_file_opening_threads = 1;
    table_cache_numshardbits = 4;
  }
  return this;
}

Options* Options::DisableExtraChecks() {
  force_consistency_checks = false;
  return this;
}

Options* Options::OldDefaults(int major, int minor) {
  ColumnFamilyOptions::OldDefaults(major, minor);
  DBOptions::OldDefaults(major, minor);
  return this;
}

DBOptions* DBOptions::OptimizeForSmallDb(std::shared_ptr<Cache>* /*cache*/) {
  max_file_opening_threads = 1;
  max_open_files = 5000;
  return this;
}

DBOptions* DBOptions::IncreaseParallelism(int total_threads) {
  max_background_jobs = std::max(1, total_threads);
  return this;
}

Options* Options::PrepareForBulkLoad() {
  // No file is ever too many in level 0.
  level0_file_num_compaction_trigger = 1 << 30;
  level0_slowdown_writes_trigger = 1 << 30;
  level0_stop_writes_trigger = 1 << 30;
  soft_pending_compaction_bytes_limit = 0;
  hard_pending_compaction_bytes_limit = 0;
  max_compaction_bytes = static_cast<uint64_t>(1) << 60;
  disable_auto_compactions = true;
  // One compaction at the end moves everything from level 0 to level 1.
  num_levels = 2;
  max_write_buffer_number = 6;
  min_write_buffer_number_to_merge = 1;
  max_background_flushes = 4;
  max_background_compactions = 2;
  target_file_size_base = 256 * 1024 * 1024;
  return this;
}

Options* Options::OptimizeForSmallDb() {
  std::shared_ptr<Cache> cache = NewLRUCache(16 << 20);
  ColumnFamilyOptions::OptimizeForSmallDb(&cache);
  DBOptions::OptimizeForSmallDb(&cache);
  return this;
}

}  // namespace ROCKSDB_NAMESPACE
