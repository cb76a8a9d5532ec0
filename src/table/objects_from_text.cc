// CreateFromString() of caches, filter policies and what makes tables.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "base/option_values.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/flush_block_policy.h"
#include "rocksdb/secondary_cache.h"
#include "rocksdb/table.h"
#include "rocksdb/user_defined_index.h"
#include "rocksdb/utilities/customizable_util.h"
#include "table/adaptive_table_factory.h"
#include "table/flush_block_policy.h"
#include "table/table_option_fields.h"

namespace cairn {

namespace {

constexpr std::string_view kCompressedSecondaryCache = "compressed_secondary_cache://";

// "bloomfilter:10:false", "ribbonfilter:10[:0]", or RocksDB's names of the files' formats.
bool MakeFilterPolicy(const std::string& id, std::shared_ptr<const FilterPolicy>* result) {
  std::vector<std::string> parts;
  double bits = 0;
  if (!ParseValue(id, &parts) || parts.size() < 2 || !ParseValue(parts[1], &bits)) return false;
  if (parts[0] == "bloomfilter" || parts[0] == "rocksdb.internal.FastLocalBloomFilter") {
    result->reset(NewBloomFilterPolicy(bits));
  } else if (parts[0] == "ribbonfilter") {
    int before = 0;
    if (parts.size() > 2 && !ParseValue(parts[2], &before)) return false;
    result->reset(NewRibbonFilterPolicy(bits, before));
  } else if (parts[0] == "rocksdb.internal.Standard128RibbonFilter") {
    result->reset(NewRibbonFilterPolicy(bits, /*bloom_before_level=*/-1));
  } else {
    return false;
  }
  return true;
}

bool MakeTableFactory(const std::string& id, std::shared_ptr<TableFactory>* result) {
  if (id == TableFactory::kBlockBasedTableName()) {
    result->reset(NewBlockBasedTableFactory());
  } else if (id == TableFactory::kPlainTableName()) {
    result->reset(NewPlainTableFactory());
  } else if (id == TableFactory::kCuckooTableName()) {
    result->reset(NewCuckooTableFactory());
  } else {
    return false;
  }
  return true;
}

bool MakeFlushBlockPolicyFactory(const std::string& id,
                                 std::shared_ptr<FlushBlockPolicyFactory>* result) {
  if (id == FlushBlockBySizePolicyFactory::kClassName()) {
    *result = std::make_shared<FlushBlockBySizePolicyFactory>();
  } else if (id == "FlushBlockEveryKeyPolicyFactory") {
    *result = NewFlushBlockEveryKeyPolicyFactory();
  } else {
    return false;
  }
  return true;
}

// The members of a cache's options; the message names the one that is wrong.
template <typename S>
Status ParseMembers(const ConfigOptions& config, const std::string& text, S* options) {
  OptionMap map;
  Status s = SplitOptions(text, &map);
  return s.ok() ? SetOptions(map, RulesOf(config), options) : s;
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status Cache::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                               std::shared_ptr<Cache>* result) {
  if (value == "nullptr") {
    result->reset();
    return Status::OK();
  }
  LRUCacheOptions options;
  if (value.find('=') != std::string::npos) {
    Status s = cairn::ParseMembers(config_options, value, &options);
    if (!s.ok()) return s;
  } else if (!cairn::ParseValue(value, &options.capacity)) {
    return Status::InvalidArgument("Error parsing the capacity of a cache", value);
  }
  std::shared_ptr<Cache> made = NewLRUCache(options);
  if (made == nullptr) return Status::InvalidArgument("Options of a cache are out of range", value);
  *result = std::move(made);
  return Status::OK();
}

Status SecondaryCache::CreateFromString(const ConfigOptions& config_options,
                                        const std::string& value,
                                        std::shared_ptr<SecondaryCache>* result) {
  if (!value.starts_with(cairn::kCompressedSecondaryCache)) {
    return LoadSharedObject(config_options, value, result);
  }
  CompressedSecondaryCacheOptions options;
  Status s = cairn::ParseMembers(config_options,
                                 value.substr(cairn::kCompressedSecondaryCache.size()), &options);
  if (!s.ok()) return s;
  std::shared_ptr<SecondaryCache> made = NewCompressedSecondaryCache(options);
  if (made == nullptr) return Status::InvalidArgument("Options of a cache are out of range", value);
  *result = std::move(made);
  return s;
}

Status FilterPolicy::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                      std::shared_ptr<const FilterPolicy>* result) {
  return LoadSharedObject<const FilterPolicy>(config_options, value, cairn::MakeFilterPolicy,
                                              result);
}

Status TableFactory::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                      std::shared_ptr<TableFactory>* factory) {
  return LoadSharedObject<TableFactory>(config_options, value, cairn::MakeTableFactory, factory);
}

Status UserDefinedIndexFactory::CreateFromString(const ConfigOptions& config_options,
                                                 const std::string& value,
                                                 std::shared_ptr<UserDefinedIndexFactory>* result) {
  return LoadSharedObject<UserDefinedIndexFactory>(config_options, value, result);
}

// The default has an object, unlike in the options.
Status FlushBlockPolicyFactory::CreateFromString(const ConfigOptions& config_options,
                                                 const std::string& value,
                                                 std::shared_ptr<FlushBlockPolicyFactory>* result) {
  return LoadSharedObject<FlushBlockPolicyFactory>(config_options, value,
                                                   cairn::MakeFlushBlockPolicyFactory, result);
}

}  // namespace ROCKSDB_NAMESPACE
