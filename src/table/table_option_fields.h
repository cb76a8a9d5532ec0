// The tables of the options of table files and caches (base/option_fields.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "base/option_fields.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"

namespace cairn {

template <>
std::span<const OptionField<BlockBasedTableOptions>> OptionFields();
template <>
std::span<const OptionField<PlainTableOptions>> OptionFields();
template <>
std::span<const OptionField<CuckooTableOptions>> OptionFields();
template <>
std::span<const OptionField<MetadataCacheOptions>> OptionFields();
template <>
std::span<const OptionField<LRUCacheOptions>> OptionFields();
template <>
std::span<const OptionField<CompressedSecondaryCacheOptions>> OptionFields();

// Those of block-based tables that change in a database that is open: of new tables; what readers
// do with a table stays.
std::span<const std::string_view> MutableTableOptions();

// "8M", or members of LRUCacheOptions, "capacity=8M;num_shard_bits=4". False: malformed.
bool ParseCacheText(const std::string& value, std::shared_ptr<Cache>* cache);

}  // namespace cairn
