#include "life.h"

#include <cstdlib>
#include <iterator>
#include <memory>

#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/write_buffer_manager.h"

namespace differential {
namespace {

enum Purpose : uint64_t { kLife = 1, kTraits = 2, kFamily = 3 };

bool OneIn(Numbers& numbers, uint64_t n) { return numbers.Below(n) == 0; }

rocksdb::CompressionType CompressionOf(Numbers& numbers) {
  static constexpr rocksdb::CompressionType kTypes[] = {
      rocksdb::kNoCompression,    rocksdb::kSnappyCompression, rocksdb::kZlibCompression,
      rocksdb::kBZip2Compression, rocksdb::kLZ4Compression,    rocksdb::kZSTD};
  return kTypes[numbers.Below(std::size(kTypes))];
}

std::shared_ptr<rocksdb::TableFactory> TableFactoryOf(Numbers& numbers,
                                                      const FamilyTraits& traits) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = static_cast<uint32_t>(2 + numbers.Below(4));
  static constexpr rocksdb::ChecksumType kChecksums[] = {rocksdb::kCRC32c, rocksdb::kxxHash,
                                                         rocksdb::kxxHash64, rocksdb::kXXH3};
  table.checksum = kChecksums[numbers.Below(std::size(kChecksums))];
  table.block_size = size_t{256} << numbers.Below(6);
  table.block_restart_interval = static_cast<int>(1 + numbers.Below(16));
  table.index_block_restart_interval = static_cast<int>(1 + numbers.Below(4));
  if (OneIn(numbers, 2)) {
    const double bits = 5.0 + static_cast<double>(numbers.Below(10));
    table.filter_policy.reset(OneIn(numbers, 3) ? rocksdb::NewRibbonFilterPolicy(bits)
                                                : rocksdb::NewBloomFilterPolicy(bits));
    table.whole_key_filtering = traits.prefix == 0 || !OneIn(numbers, 3);
  }
  if (OneIn(numbers, 3)) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = table.filter_policy != nullptr && OneIn(numbers, 2);
    table.metadata_block_size = 256;
  }
  if (!traits.reverse && OneIn(numbers, 4)) {
    table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  table.cache_index_and_filter_blocks = OneIn(numbers, 2);
  table.pin_l0_filter_and_index_blocks_in_cache = OneIn(numbers, 2);
  if (OneIn(numbers, 4)) {
    table.no_block_cache = true;
    table.cache_index_and_filter_blocks = false;
    table.pin_l0_filter_and_index_blocks_in_cache = false;
  } else {
    table.block_cache = rocksdb::NewLRUCache(size_t{4} << (10 + numbers.Below(10)));
  }
  table.verify_compression = OneIn(numbers, 2);
  return std::shared_ptr<rocksdb::TableFactory>(rocksdb::NewBlockBasedTableFactory(table));
}

void DrawCompaction(Numbers& numbers, rocksdb::ColumnFamilyOptions& options) {
  options.num_levels = 7;
  options.write_buffer_size = size_t{64} << (10 + numbers.Below(3));
  options.target_file_size_base = uint64_t{16} << (10 + numbers.Below(4));
  options.max_bytes_for_level_base = uint64_t{64} << (10 + numbers.Below(4));
  options.max_bytes_for_level_multiplier = static_cast<double>(2 + numbers.Below(6));
  options.level0_file_num_compaction_trigger = static_cast<int>(1 + numbers.Below(5));
  options.level_compaction_dynamic_level_bytes = OneIn(numbers, 2);
  options.disable_auto_compactions = OneIn(numbers, 4);
  options.max_write_buffer_number = static_cast<int>(2 + numbers.Below(3));
  options.optimize_filters_for_hits = OneIn(numbers, 4);
  // (FIFO drops what is old: which that is depends on the files.)
  if (OneIn(numbers, 4)) {
    options.compaction_style = rocksdb::kCompactionStyleUniversal;
    options.compaction_options_universal.allow_trivial_move = OneIn(numbers, 2);
  }
}

}  // namespace

Numbers NumbersFor(uint64_t seed, uint64_t purpose, const std::string& name) {
  // FNV-1a: a name counts in all its bytes.
  uint64_t hash = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull) ^ (purpose << 56);
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  Numbers numbers(hash);
  for (int i = 0; i < 4; i++) (void)numbers.Next();
  return numbers;
}

Life MakeLife(uint64_t seed, int number, int operations) {
  Numbers numbers = NumbersFor(seed, kLife, std::to_string(number));
  Life life;
  life.seed = seed;
  life.number = number;
  life.operations = operations;
  static constexpr int kKeys[] = {12, 60, 300, 2000};
  life.keys = kKeys[numbers.Below(std::size(kKeys))];
  life.killed = OneIn(numbers, 3);
  life.without_log = !life.killed && OneIn(numbers, 2);

  rocksdb::DBOptions& options = life.options;
  options.create_if_missing = true;
  options.max_open_files = OneIn(numbers, 3) ? 20 : -1;
  options.max_background_jobs = static_cast<int>(1 + numbers.Below(4));
  options.max_subcompactions = static_cast<uint32_t>(1 + numbers.Below(3));
  options.manual_wal_flush = !life.killed && OneIn(numbers, 4);
  options.enable_pipelined_write = OneIn(numbers, 3);
  // (RocksDB 7.8.3 takes one lock twice where a second queue meets a log that is flushed by hand.)
  const bool second_queue = !options.enable_pipelined_write && !options.manual_wal_flush;
  options.unordered_write = second_queue && OneIn(numbers, 6);
  options.two_write_queues = second_queue && OneIn(numbers, 6);
  options.atomic_flush = !options.enable_pipelined_write && OneIn(numbers, 4);
  options.allow_concurrent_memtable_write = true;
  options.use_direct_reads = OneIn(numbers, 6);
  options.use_direct_io_for_flush_and_compaction = OneIn(numbers, 8);
  options.max_total_wal_size = OneIn(numbers, 4) ? uint64_t{128} << 10 : 0;
  options.recycle_log_file_num = 0;
  options.max_manifest_file_size = OneIn(numbers, 4) ? 1024 : uint64_t{64} << 20;
  options.db_write_buffer_size = OneIn(numbers, 6) ? size_t{256} << 10 : 0;
  options.avoid_flush_during_recovery = OneIn(numbers, 2);
  options.paranoid_checks = true;
  if (OneIn(numbers, 5)) {
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  }
  return life;
}

FamilyTraits TraitsOf(uint64_t seed, const std::string& family) {
  Numbers numbers = NumbersFor(seed, kTraits, family);
  FamilyTraits traits;
  traits.reverse = OneIn(numbers, 4);
  traits.merge = static_cast<FamilyTraits::Merge>(numbers.Below(3));
  traits.prefix = OneIn(numbers, 2) ? 1 + numbers.Below(4) : 0;
  traits.capped = OneIn(numbers, 2);
  return traits;
}

rocksdb::ColumnFamilyOptions FamilyOptionsOf(uint64_t seed, int life, const std::string& family) {
  const FamilyTraits traits = TraitsOf(seed, family);
  Numbers numbers = NumbersFor(seed, kFamily, std::to_string(life) + family);
  rocksdb::ColumnFamilyOptions options;
  if (traits.reverse) options.comparator = rocksdb::ReverseBytewiseComparator();
  const char* const merge = traits.merge == FamilyTraits::Merge::kAppend ? "stringappend"
                            : traits.merge == FamilyTraits::Merge::kMax  ? "max"
                                                                         : nullptr;
  if (merge != nullptr && !rocksdb::MergeOperator::CreateFromString(rocksdb::ConfigOptions(), merge,
                                                                    &options.merge_operator)
                               .ok()) {
    std::abort();
  }
  if (traits.prefix != 0) {
    options.prefix_extractor.reset(traits.capped ? rocksdb::NewCappedPrefixTransform(traits.prefix)
                                                 : rocksdb::NewFixedPrefixTransform(traits.prefix));
    if (OneIn(numbers, 2)) options.memtable_prefix_bloom_size_ratio = 0.1;
    options.memtable_whole_key_filtering = OneIn(numbers, 2);
  }
  DrawCompaction(numbers, options);
  options.compression = CompressionOf(numbers);
  options.bottommost_compression =
      OneIn(numbers, 4) ? CompressionOf(numbers) : rocksdb::kDisableCompressionOption;
  if (OneIn(numbers, 4)) {
    options.compression_opts.max_dict_bytes = 2048;
    options.compression_opts.zstd_max_train_bytes = 8192;
  }
  options.max_sequential_skip_in_iterations = uint64_t{1} << numbers.Below(5);
  options.table_factory = TableFactoryOf(numbers, traits);
  return options;
}

}  // namespace differential
