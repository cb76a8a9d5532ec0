// The names of the values that options have, as RocksDB 7.8.3 writes them into OPTIONS files.
//
// Thread safety: constant data.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/namespace.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace cairn {

// Each value with its name. An enumeration is usable in the tables of options once it has these.
template <typename E>
std::span<const std::pair<std::string_view, E>> EnumNames();

template <>
std::span<const std::pair<std::string_view, CompressionType>> EnumNames();
template <>
std::span<const std::pair<std::string_view, InfoLogLevel>> EnumNames();
template <>
std::span<const std::pair<std::string_view, WALRecoveryMode>> EnumNames();
template <>
std::span<const std::pair<std::string_view, DBOptions::AccessHint>> EnumNames();
template <>
std::span<const std::pair<std::string_view, CacheTier>> EnumNames();
template <>
std::span<const std::pair<std::string_view, Temperature>> EnumNames();
template <>
std::span<const std::pair<std::string_view, PrepopulateBlobCache>> EnumNames();
template <>
std::span<const std::pair<std::string_view, CompactionStyle>> EnumNames();
template <>
std::span<const std::pair<std::string_view, CompactionPri>> EnumNames();
template <>
std::span<const std::pair<std::string_view, CompactionStopStyle>> EnumNames();
template <>
std::span<const std::pair<std::string_view, ChecksumType>> EnumNames();
template <>
std::span<const std::pair<std::string_view, PinningTier>> EnumNames();
template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::IndexType>> EnumNames();
template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::BlockSearchType>> EnumNames();
template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::DataBlockIndexType>>
EnumNames();
template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::IndexShorteningMode>>
EnumNames();
template <>
std::span<const std::pair<std::string_view, BlockBasedTableOptions::PrepopulateBlockCache>>
EnumNames();
template <>
std::span<const std::pair<std::string_view, EncodingType>> EnumNames();

}  // namespace cairn
