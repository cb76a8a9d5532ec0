// The tables of the options of databases and column families (base/option_fields.h).
#pragma once

#include <span>

#include "base/namespace.h"
#include "base/option_fields.h"
#include "rocksdb/options.h"
#include "table/table_option_fields.h"

namespace cairn {

template <>
std::span<const OptionField<DBOptions>> OptionFields();
template <>
std::span<const OptionField<ColumnFamilyOptions>> OptionFields();

// (options_table_parts.cc)
template <>
std::span<const OptionField<CompressionOptions>> OptionFields();
template <>
std::span<const OptionField<CompactionOptionsFIFO>> OptionFields();
template <>
std::span<const OptionField<CompactionOptionsUniversal>> OptionFields();

}  // namespace cairn
