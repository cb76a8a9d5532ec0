#include "table/block_based_table_factory.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "fiber/random.h"
#include "fs/file_reader.h"
#include "fs/file_writer.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/flush_block_policy.h"
#include "rocksdb/persistent_cache.h"
#include "rocksdb/user_defined_index.h"
#include "table/block_based_table_builder.h"
#include "table/block_based_table_reader.h"
#include "table/table_option_fields.h"

namespace cairn {

namespace {

// What a factory gets that was given no cache.
constexpr size_t kDefaultBlockCacheSize = 8 << 20;

// Both are asked for a block by one key, and have different things there: a PersistentCache over
// the block cache itself would hand out what is none of its bytes.
Status CheckCachesAreApart(const BlockBasedTableOptions& o) {
  if (o.block_cache == nullptr || o.persistent_cache == nullptr) return Status::OK();
  static char of_blocks = 'b';
  constexpr char kPersistent = 'p';
  const BlockCacheKey key(fiber::random_u64(), CachedBlock::kData, fiber::random_u64());
  (void)o.block_cache->Insert(key.slice(), &of_blocks, 1, [](const Slice&, void*) {});
  (void)o.persistent_cache->Insert(key.slice(), &kPersistent, 1);
  if (Cache::Handle* const found = o.block_cache->Lookup(key.slice())) {
    const bool same = o.block_cache->Value(found) == &of_blocks;
    o.block_cache->Release(found);
    o.block_cache->Erase(key.slice());
    if (!same) {
      return Status::InvalidArgument(
          "block_cache and persistent_cache share the same key space, which is not supported");
    }
  }
  std::unique_ptr<char[]> data;
  size_t size = 0;
  const Status s = o.persistent_cache->Lookup(key.slice(), &data, &size);
  if (!s.ok() || data == nullptr || size == 0 || data[0] == kPersistent) return Status::OK();
  if (data[0] == of_blocks) {
    return Status::InvalidArgument(
        "persistent_cache and block_cache share the same key space, which is not supported");
  }
  return Status::Corruption("Unexpected mutation to persistent_cache");
}

// What tables that get a user-defined index cannot have.
Status ValidateUserIndex(const ColumnFamilyOptions& options) {
  if (options.compression_opts.parallel_threads > 1 ||
      options.bottommost_compression_opts.parallel_threads > 1) {
    return Status::InvalidArgument(
        "user_defined_index_factory not supported with parallel compression");
  }
  if (!options.persist_user_defined_timestamps && options.comparator != nullptr &&
      options.comparator->timestamp_size() > 0) {
    return Status::InvalidArgument(
        "user_defined_index_factory not supported with persist_user_defined_timestamps = false");
  }
  return Status::OK();
}

}  // namespace

Status ValidateTableOptions(const BlockBasedTableOptions& o) {
  auto unsupported = [](const char* option) {
    return Status::NotSupported(std::string("BlockBasedTableOptions::") + option +
                                " is not supported");
  };
  auto invalid = [](const std::string& what) {
    return Status::InvalidArgument("BlockBasedTableOptions::" + what);
  };
  if (o.format_version < kMinFormatVersion || o.format_version > kMaxFormatVersion) {
    return invalid("format_version must be 2 to 7, not " + std::to_string(o.format_version));
  }
  if (!IsSupportedChecksumType(static_cast<uint8_t>(o.checksum)))
    return invalid("checksum is unknown");
  if (o.index_type > BlockBasedTableOptions::kBinarySearchWithFirstKey) {
    return invalid("index_type is unknown");
  }
  if (o.data_block_index_type == BlockBasedTableOptions::kDataBlockBinaryAndHash &&
      !(o.data_block_hash_table_util_ratio > 0)) {
    return invalid("data_block_hash_table_util_ratio must be greater than 0");
  }
  if (o.use_udi_as_primary_index) {
    if (o.user_defined_index_factory == nullptr) {
      return Status::InvalidArgument(
          "use_udi_as_primary_index requires user_defined_index_factory");
    }
    if (o.index_type == BlockBasedTableOptions::kTwoLevelIndexSearch) {
      return Status::InvalidArgument(
          "use_udi_as_primary_index is incompatible with partitioned index (kTwoLevelIndexSearch)");
    }
    if (o.partition_filters) {
      return Status::InvalidArgument(
          "use_udi_as_primary_index is incompatible with partitioned filters");
    }
  }
  if (o.separate_key_value_in_data_block) return unsupported("separate_key_value_in_data_block");
  if (o.block_align && !std::has_single_bit(o.block_size)) {
    return invalid("Block alignment requested but block size is not a power of 2");
  }
  if (o.block_cache_compressed != nullptr) return unsupported("block_cache_compressed");
  if (o.no_block_cache && o.cache_index_and_filter_blocks) {
    return invalid("cache_index_and_filter_blocks needs a block cache");
  }
  if (o.no_block_cache && o.pin_l0_filter_and_index_blocks_in_cache) {
    return invalid("pin_l0_filter_and_index_blocks_in_cache needs a block cache");
  }
  if (o.block_size == 0 || o.block_size > (uint64_t{1} << 31))
    return invalid("block_size must be 1 to 2^31");
  if (o.block_size_deviation < 0 || o.block_size_deviation > 100) {
    return invalid("block_size_deviation must be 0 to 100");
  }
  Status s = CheckCachesAreApart(o);
  return s.ok() ? MemoryCharges::Validate(o) : s;
}

BlockBasedTableFactory::BlockBasedTableFactory(const BlockBasedTableOptions& options)
    : options_(options) {
  RegisterOptions(&options_, OptionTypeMap<BlockBasedTableOptions>(MutableTableOptions()));
  Sanitize();
}

void BlockBasedTableFactory::Sanitize() {
  if (options_.no_block_cache) {
    options_.block_cache.reset();
  } else if (options_.block_cache == nullptr) {
    options_.block_cache = NewLRUCache(kDefaultBlockCacheSize);
  }
  if (options_.block_size_deviation < 0 || options_.block_size_deviation > 100)
    options_.block_size_deviation = 0;
  // As in RocksDB: a filter's partitions go with the index's.
  if (options_.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch) {
    options_.partition_filters = false;
  }
  options_.block_restart_interval = std::max(1, options_.block_restart_interval);
  options_.index_block_restart_interval = std::max(1, options_.index_block_restart_interval);
  charges_ = std::make_shared<MemoryCharges>(options_);
}

Status BlockBasedTableFactory::NewTableReader(const TableReaderOptions& options,
                                              std::unique_ptr<RandomAccessFileReader>&& file,
                                              uint64_t file_size,
                                              std::unique_ptr<TableReader>* table_reader) const {
  return BlockBasedTable::Open(options_, options, charges_, std::move(file), file_size,
                               table_reader);
}

TableBuilder* BlockBasedTableFactory::NewTableBuilder(const TableBuilderOptions& options,
                                                      FileWriter* file) const {
  return new BlockBasedTableBuilder(options_, options, charges_, file);
}

const void* BlockBasedTableFactory::GetOptionsPtr(const std::string& name) const {
  if (name == kBlockCacheOpts()) return options_.block_cache.get();
  return TableFactory::GetOptionsPtr(name);
}

Status BlockBasedTableFactory::PrepareOptions(const ConfigOptions& config_options) {
  Sanitize();
  return TableFactory::PrepareOptions(config_options);
}

Status BlockBasedTableFactory::ValidateOptions(const DBOptions& db_options,
                                               const ColumnFamilyOptions& cf_options) const {
  Status s = ValidateTableOptions(options_);
  if (s.ok() && options_.user_defined_index_factory != nullptr) s = ValidateUserIndex(cf_options);
  return s.ok() ? TableFactory::ValidateOptions(db_options, cf_options) : s;
}

std::string BlockBasedTableFactory::GetPrintableOptions() const {
  std::string out;
  auto line = [&](const char* name, const std::string& value) {
    out.append("  ").append(name).append(": ").append(value).append("\n");
  };
  auto number = [&](const char* name, uint64_t value) { line(name, std::to_string(value)); };
  const auto pointer = [](const void* object) {
    char text[32];
    std::snprintf(text, sizeof(text), "%p", object);
    return std::string(text);
  };
  const BlockBasedTableOptions& o = options_;
  line("flush_block_policy_factory",
       (o.flush_block_policy_factory == nullptr ? FlushBlockBySizePolicyFactory::kClassName()
                                                : o.flush_block_policy_factory->Name()) +
           std::string(" (") + pointer(o.flush_block_policy_factory.get()) + ")");
  number("cache_index_and_filter_blocks", o.cache_index_and_filter_blocks);
  number("cache_index_and_filter_blocks_with_high_priority",
         o.cache_index_and_filter_blocks_with_high_priority);
  number("pin_l0_filter_and_index_blocks_in_cache", o.pin_l0_filter_and_index_blocks_in_cache);
  number("pin_top_level_index_and_filter", o.pin_top_level_index_and_filter);
  number("index_type", static_cast<uint64_t>(o.index_type));
  number("data_block_index_type", static_cast<uint64_t>(o.data_block_index_type));
  number("index_shortening", static_cast<uint64_t>(o.index_shortening));
  line("data_block_hash_table_util_ratio", std::to_string(o.data_block_hash_table_util_ratio));
  number("checksum", static_cast<uint64_t>(o.checksum));
  number("no_block_cache", o.no_block_cache);
  line("block_cache", pointer(o.block_cache.get()));
  if (o.block_cache != nullptr) {
    line("block_cache_name", o.block_cache->Name());
    out.append("  block_cache_options:\n").append(o.block_cache->GetPrintableOptions());
  }
  line("block_cache_compressed", pointer(nullptr));
  line("persistent_cache", pointer(o.persistent_cache.get()));
  if (o.persistent_cache != nullptr) {
    out.append("  persistent_cache_options:\n").append(o.persistent_cache->GetPrintableOptions());
  }
  number("block_size", o.block_size);
  number("block_size_deviation", static_cast<uint64_t>(o.block_size_deviation));
  number("block_restart_interval", static_cast<uint64_t>(o.block_restart_interval));
  number("index_block_restart_interval", static_cast<uint64_t>(o.index_block_restart_interval));
  number("metadata_block_size", o.metadata_block_size);
  number("partition_filters", o.partition_filters);
  number("use_delta_encoding", o.use_delta_encoding);
  line("filter_policy", o.filter_policy == nullptr ? "nullptr" : o.filter_policy->Name());
  if (o.user_defined_index_factory != nullptr) {
    line("user_defined_index_factory", o.user_defined_index_factory->Name());
    number("use_udi_as_primary_index", o.use_udi_as_primary_index);
    number("fail_if_no_udi_on_open", o.fail_if_no_udi_on_open);
  }
  number("whole_key_filtering", o.whole_key_filtering);
  number("verify_compression", o.verify_compression);
  number("read_amp_bytes_per_bit", o.read_amp_bytes_per_bit);
  number("format_version", o.format_version);
  number("enable_index_compression", o.enable_index_compression);
  number("block_align", o.block_align);
  number("max_auto_readahead_size", o.max_auto_readahead_size);
  number("prepopulate_block_cache", static_cast<uint64_t>(o.prepopulate_block_cache));
  number("initial_auto_readahead_size", o.initial_auto_readahead_size);
  number("num_file_reads_for_auto_readahead", o.num_file_reads_for_auto_readahead);
  return out;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

TableFactory* NewBlockBasedTableFactory(const BlockBasedTableOptions& table_options) {
  return new cairn::BlockBasedTableFactory(table_options);
}

}  // namespace ROCKSDB_NAMESPACE
