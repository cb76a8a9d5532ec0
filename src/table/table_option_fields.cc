#include "table/table_option_fields.h"

#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "fs/object_texts.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/flush_block_policy.h"
#include "rocksdb/user_defined_index.h"
#include "table/filter_policy.h"

namespace cairn {

namespace {

constexpr std::string_view kMutableTableOptions[] = {
    "block_size",
    "block_size_deviation",
    "block_restart_interval",
    "index_block_restart_interval",
    "metadata_block_size",
    "checksum",
    "format_version",
    "index_type",
    "index_shortening",
    "enable_index_compression",
    "data_block_index_type",
    "data_block_hash_table_util_ratio",
    "use_delta_encoding",
    "partition_filters",
    "optimize_filters_for_memory",
    "verify_compression",
    "prepopulate_block_cache",
    "filter_policy.bloom_before_level",
};

// An object of which none is here, while RocksDB makes one of any text.
SetResult LacksAny(BlockBasedTableOptions*, const std::string& value, const ConfigOptions*) {
  return IsNullText(value) ? SetResult::kSet : SetResult::kLacking;
}

std::string FormatFilterPolicy(const BlockBasedTableOptions& options) {
  return FormatObject(options.filter_policy.get());
}

SetResult BuildFilterPolicy(BlockBasedTableOptions* options, const std::string& value,
                            const ConfigOptions* config) {
  const SetResult result = BuildObject<FilterPolicy>(value, config, &options->filter_policy);
  // Of RocksDB's, which has more of them.
  return result == SetResult::kUsers && value.starts_with("rocksdb.internal.") ? SetResult::kLacking
                                                                               : result;
}

// Of a Ribbon policy, whose place a new one takes: others may share the old one.
bool ParseBloomBeforeLevel(BlockBasedTableOptions* options, const std::string& value) {
  int level = 0;
  if (!ParseValue(value, &level)) return false;
  auto changed = WithBloomBeforeLevel(options->filter_policy.get(), level);
  if (changed == nullptr) return false;
  options->filter_policy = std::move(changed);
  return true;
}

// Nothing for none, as of releases before.
std::string FormatUserIndexFactory(const BlockBasedTableOptions& options) {
  const auto& factory = options.user_defined_index_factory;
  return factory == nullptr ? std::string() : FormatObject(factory.get());
}

SetResult BuildUserIndexFactory(BlockBasedTableOptions* options, const std::string& value,
                                const ConfigOptions* config) {
  return BuildObject<UserDefinedIndexFactory>(value, config, &options->user_defined_index_factory);
}

std::string FormatFlushBlockPolicyFactory(const BlockBasedTableOptions& options) {
  return options.flush_block_policy_factory == nullptr
             ? FlushBlockBySizePolicyFactory::kClassName()
             : FormatObject(options.flush_block_policy_factory.get());
}

SetResult BuildFlushBlockPolicyFactory(BlockBasedTableOptions* options, const std::string& value,
                                       const ConfigOptions* config) {
  std::shared_ptr<FlushBlockPolicyFactory> made = options->flush_block_policy_factory;
  const SetResult result = BuildObject<FlushBlockPolicyFactory>(value, config, &made);
  if (result != SetResult::kSet) return result;
  // By size is what tables do without one.
  const bool by_size =
      made == nullptr || made->IsInstanceOf(FlushBlockBySizePolicyFactory::kClassName());
  options->flush_block_policy_factory = by_size ? nullptr : std::move(made);
  return result;
}

bool ParseBlockCache(BlockBasedTableOptions* options, const std::string& value) {
  return ParseCacheText(value, &options->block_cache);
}

}  // namespace

std::span<const std::string_view> MutableTableOptions() { return kMutableTableOptions; }

bool ParseCacheText(const std::string& value, std::shared_ptr<Cache>* cache) {
  if (value == "nullptr") {
    cache->reset();
    return true;
  }
  LRUCacheOptions options;
  if (value.find('=') != std::string::npos ? !ParseValue(value, &options)
                                           : !ParseValue(value, &options.capacity)) {
    return false;
  }
  std::shared_ptr<Cache> made = NewLRUCache(options);
  if (made == nullptr) return false;
  *cache = std::move(made);
  return true;
}

template <>
std::span<const OptionField<BlockBasedTableOptions>> OptionFields() {
  static constexpr OptionField<BlockBasedTableOptions> kFields[] = {
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::initial_auto_readahead_size>(
          "initial_auto_readahead_size"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::pin_top_level_index_and_filter>(
          "pin_top_level_index_and_filter"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::block_align>("block_align"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::block_size_deviation>(
          "block_size_deviation"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::checksum>("checksum"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::index_shortening>("index_shortening"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::num_file_reads_for_auto_readahead>(
          "num_file_reads_for_auto_readahead"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::whole_key_filtering>(
          "whole_key_filtering"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::data_block_index_type>(
          "data_block_index_type"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::index_type>("index_type"),
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::index_block_search_type>(
          "index_block_search_type"),
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::separate_key_value_in_data_block>(
          "separate_key_value_in_data_block"),
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::decouple_partitioned_filters>(
          "decouple_partitioned_filters"),
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::super_block_alignment_size>(
          "super_block_alignment_size"),
      LaterField<BlockBasedTableOptions,
                 &BlockBasedTableOptions::super_block_alignment_space_overhead_ratio>(
          "super_block_alignment_space_overhead_ratio"),
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::uniform_cv_threshold>(
          "uniform_cv_threshold"),
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::fail_if_no_udi_on_open>(
          "fail_if_no_udi_on_open"),
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::use_udi_as_primary_index>(
          "use_udi_as_primary_index"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::no_block_cache>("no_block_cache"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::index_block_restart_interval>(
          "index_block_restart_interval"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::data_block_hash_table_util_ratio>(
          "data_block_hash_table_util_ratio"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::prepopulate_block_cache>(
          "prepopulate_block_cache"),
      Field<BlockBasedTableOptions,
            &BlockBasedTableOptions::pin_l0_filter_and_index_blocks_in_cache>(
          "pin_l0_filter_and_index_blocks_in_cache"),
      {"filter_policy", FormatFilterPolicy, nullptr, nullptr, BuildFilterPolicy},
      {"filter_policy.bloom_before_level", nullptr, ParseBloomBeforeLevel},
      {"user_defined_index_factory", FormatUserIndexFactory, nullptr, nullptr,
       BuildUserIndexFactory, /*later=*/true},
      Field<BlockBasedTableOptions,
            &BlockBasedTableOptions::cache_index_and_filter_blocks_with_high_priority>(
          "cache_index_and_filter_blocks_with_high_priority"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::verify_compression>(
          "verify_compression"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::block_restart_interval>(
          "block_restart_interval"),
      // (7.8.3 has the option, but not its name in strings.)
      LaterField<BlockBasedTableOptions, &BlockBasedTableOptions::use_delta_encoding>(
          "use_delta_encoding"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::max_auto_readahead_size>(
          "max_auto_readahead_size"),
      {"flush_block_policy_factory", FormatFlushBlockPolicyFactory, nullptr, nullptr,
       BuildFlushBlockPolicyFactory},
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::partition_filters>(
          "partition_filters"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::cache_index_and_filter_blocks>(
          "cache_index_and_filter_blocks"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::block_size>("block_size"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::metadata_block_size>(
          "metadata_block_size"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::optimize_filters_for_memory>(
          "optimize_filters_for_memory"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::detect_filter_construct_corruption>(
          "detect_filter_construct_corruption"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::format_version>("format_version"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::metadata_cache_options>(
          "metadata_cache_options"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::read_amp_bytes_per_bit>(
          "read_amp_bytes_per_bit"),
      Field<BlockBasedTableOptions, &BlockBasedTableOptions::enable_index_compression>(
          "enable_index_compression"),
      Ignored<BlockBasedTableOptions>("skip_table_builder_flush"),
      Ignored<BlockBasedTableOptions>("hash_index_allow_collision"),
      {"persistent_cache", nullptr, nullptr, nullptr, LacksAny},
      {"block_cache_compressed", nullptr, nullptr, nullptr, LacksAny},
      {"block_cache", nullptr, ParseBlockCache},
  };
  return kFields;
}

template <>
std::span<const OptionField<MetadataCacheOptions>> OptionFields() {
  using S = MetadataCacheOptions;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::unpartitioned_pinning>("unpartitioned_pinning"),
      Field<S, &S::partition_pinning>("partition_pinning"),
      Field<S, &S::top_level_index_pinning>("top_level_index_pinning"),
  };
  return kFields;
}

template <>
std::span<const OptionField<LRUCacheOptions>> OptionFields() {
  using S = LRUCacheOptions;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::capacity>("capacity"),
      Field<S, &S::num_shard_bits>("num_shard_bits"),
      Field<S, &S::strict_capacity_limit>("strict_capacity_limit"),
      Field<S, &S::high_pri_pool_ratio>("high_pri_pool_ratio"),
      Field<S, &S::low_pri_pool_ratio>("low_pri_pool_ratio"),
  };
  return kFields;
}

template <>
std::span<const OptionField<PlainTableOptions>> OptionFields() {
  using S = PlainTableOptions;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::user_key_len>("user_key_len"),
      Field<S, &S::bloom_bits_per_key>("bloom_bits_per_key"),
      Field<S, &S::hash_table_ratio>("hash_table_ratio"),
      Field<S, &S::index_sparseness>("index_sparseness"),
      Field<S, &S::huge_page_tlb_size>("huge_page_tlb_size"),
      Field<S, &S::encoding_type>("encoding_type"),
      Field<S, &S::full_scan_mode>("full_scan_mode"),
      Field<S, &S::store_index_in_file>("store_index_in_file"),
  };
  return kFields;
}

template <>
std::span<const OptionField<CuckooTableOptions>> OptionFields() {
  using S = CuckooTableOptions;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::hash_table_ratio>("hash_table_ratio"),
      Field<S, &S::max_search_depth>("max_search_depth"),
      Field<S, &S::cuckoo_block_size>("cuckoo_block_size"),
      Field<S, &S::identity_as_first_hash>("identity_as_first_hash"),
      Field<S, &S::use_module_hash>("use_module_hash"),
  };
  return kFields;
}

template <>
std::span<const OptionField<CompressedSecondaryCacheOptions>> OptionFields() {
  using S = CompressedSecondaryCacheOptions;
  static constexpr OptionField<S> kFields[] = {
      Field<S, &S::capacity>("capacity"),
      Field<S, &S::num_shard_bits>("num_shard_bits"),
      Field<S, &S::strict_capacity_limit>("strict_capacity_limit"),
      Field<S, &S::high_pri_pool_ratio>("high_pri_pool_ratio"),
      Field<S, &S::low_pri_pool_ratio>("low_pri_pool_ratio"),
      Field<S, &S::compression_type>("compression_type"),
      Field<S, &S::compress_format_version>("compress_format_version"),
      Field<S, &S::enable_custom_split_merge>("enable_custom_split_merge"),
  };
  return kFields;
}

}  // namespace cairn
