// The string functions of rocksdb/convenience.h: options from text and back, over the one table of
// options.
//
// Thread safety: pure functions.

#include "options/options_table.h"
#include "rocksdb/convenience.h"
#include "table/compression.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Starts from `base` and changes *result only on success.
template <typename S>
Status FromMap(const ConfigOptions& config, const S& base, const cairn::OptionMap& map, S* result) {
  S parsed = base;
  Status s = cairn::SetOptions(map, cairn::RulesOf(config), &parsed);
  *result = s.ok() ? parsed : base;
  return s;
}

template <typename S>
Status FromString(const ConfigOptions& config, const S& base, const std::string& text, S* result) {
  cairn::OptionMap map;
  Status s = cairn::SplitOptions(text, &map);
  if (!s.ok()) {
    *result = base;
    return s;
  }
  return FromMap(config, base, map, result);
}

ConfigOptions DefaultConfig() {
  ConfigOptions config;
  config.ignore_unknown_options = false;
  return config;
}

}  // namespace

Status StringToMap(const std::string& opts_str,
                   std::unordered_map<std::string, std::string>* opts_map) {
  return cairn::SplitOptions(opts_str, opts_map);
}

Status GetDBOptionsFromMap(const ConfigOptions& config_options, const DBOptions& base_options,
                           const std::unordered_map<std::string, std::string>& opts_map,
                           DBOptions* new_options) {
  return FromMap(config_options, base_options, opts_map, new_options);
}

Status GetColumnFamilyOptionsFromMap(const ConfigOptions& config_options,
                                     const ColumnFamilyOptions& base_options,
                                     const std::unordered_map<std::string, std::string>& opts_map,
                                     ColumnFamilyOptions* new_options) {
  return FromMap(config_options, base_options, opts_map, new_options);
}

Status GetBlockBasedTableOptionsFromMap(
    const ConfigOptions& config_options, const BlockBasedTableOptions& table_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    BlockBasedTableOptions* new_table_options) {
  return FromMap(config_options, table_options, opts_map, new_table_options);
}

Status GetPlainTableOptionsFromMap(const ConfigOptions& config_options,
                                   const PlainTableOptions& table_options,
                                   const std::unordered_map<std::string, std::string>& opts_map,
                                   PlainTableOptions* new_table_options) {
  return FromMap(config_options, table_options, opts_map, new_table_options);
}

Status GetPlainTableOptionsFromString(const ConfigOptions& config_options,
                                      const PlainTableOptions& table_options,
                                      const std::string& opts_str,
                                      PlainTableOptions* new_table_options) {
  return FromString(config_options, table_options, opts_str, new_table_options);
}

Status GetPlainTableOptionsFromString(const PlainTableOptions& table_options,
                                      const std::string& opts_str,
                                      PlainTableOptions* new_table_options) {
  return FromString(DefaultConfig(), table_options, opts_str, new_table_options);
}

Status GetDBOptionsFromString(const ConfigOptions& config_options, const DBOptions& base_options,
                              const std::string& opts_str, DBOptions* new_options) {
  return FromString(config_options, base_options, opts_str, new_options);
}

Status GetDBOptionsFromString(const DBOptions& base_options, const std::string& opts_str,
                              DBOptions* new_options) {
  return FromString(DefaultConfig(), base_options, opts_str, new_options);
}

Status GetColumnFamilyOptionsFromString(const ConfigOptions& config_options,
                                        const ColumnFamilyOptions& base_options,
                                        const std::string& opts_str,
                                        ColumnFamilyOptions* new_options) {
  return FromString(config_options, base_options, opts_str, new_options);
}

Status GetColumnFamilyOptionsFromString(const ColumnFamilyOptions& base_options,
                                        const std::string& opts_str,
                                        ColumnFamilyOptions* new_options) {
  return FromString(DefaultConfig(), base_options, opts_str, new_options);
}

Status GetBlockBasedTableOptionsFromString(const ConfigOptions& config_options,
                                           const BlockBasedTableOptions& table_options,
                                           const std::string& opts_str,
                                           BlockBasedTableOptions* new_table_options) {
  return FromString(config_options, table_options, opts_str, new_table_options);
}

Status GetBlockBasedTableOptionsFromString(const BlockBasedTableOptions& table_options,
                                           const std::string& opts_str,
                                           BlockBasedTableOptions* new_table_options) {
  return FromString(DefaultConfig(), table_options, opts_str, new_table_options);
}

Status GetOptionsFromString(const ConfigOptions& config_options, const Options& base_options,
                            const std::string& opts_str, Options* new_options) {
  *new_options = base_options;
  cairn::OptionMap map;
  Status s = cairn::SplitOptions(opts_str, &map);
  DBOptions db_options(base_options);
  ColumnFamilyOptions cf_options(base_options);
  const cairn::SetRules rules = cairn::RulesOf(config_options);
  for (auto it = map.begin(); s.ok() && it != map.end(); ++it) {
    const auto& [name, value] = *it;
    cairn::SetResult result = cairn::SetOption(&db_options, name, value, rules);
    if (result == cairn::SetResult::kUnknown) {
      result = cairn::SetOption(&cf_options, name, value, rules);
    }
    s = cairn::StatusOfSet(result, rules, name, value);
  }
  if (s.ok()) *new_options = Options(db_options, cf_options);
  return s;
}

Status GetOptionsFromString(const Options& base_options, const std::string& opts_str,
                            Options* new_options) {
  return GetOptionsFromString(DefaultConfig(), base_options, opts_str, new_options);
}

Status GetStringFromDBOptions(const ConfigOptions& config_options, const DBOptions& db_options,
                              std::string* opts_str) {
  *opts_str = cairn::FormatOptions(db_options, "", config_options.delimiter);
  return Status::OK();
}

Status GetStringFromDBOptions(std::string* opts_str, const DBOptions& db_options,
                              const std::string& delimiter) {
  *opts_str = cairn::FormatOptions(db_options, "", delimiter);
  return Status::OK();
}

Status GetStringFromColumnFamilyOptions(const ConfigOptions& config_options,
                                        const ColumnFamilyOptions& cf_options,
                                        std::string* opts_str) {
  *opts_str = cairn::FormatOptions(cf_options, "", config_options.delimiter);
  return Status::OK();
}

Status GetStringFromColumnFamilyOptions(std::string* opts_str,
                                        const ColumnFamilyOptions& cf_options,
                                        const std::string& delimiter) {
  *opts_str = cairn::FormatOptions(cf_options, "", delimiter);
  return Status::OK();
}

Status GetStringFromCompressionType(std::string* compression_str,
                                    CompressionType compression_type) {
  for (const auto& [name, value] : cairn::EnumNames<CompressionType>()) {
    if (value != compression_type) continue;
    *compression_str = name;
    return Status::OK();
  }
  compression_str->clear();
  return Status::InvalidArgument("Invalid compression types");
}

std::vector<CompressionType> GetSupportedCompressions() {
  std::vector<CompressionType> supported;
  for (const auto& [name, value] : cairn::EnumNames<CompressionType>()) {
    if (value != kDisableCompressionOption && cairn::IsCompressionSupported(value)) {
      supported.push_back(value);
    }
  }
  return supported;
}

}  // namespace ROCKSDB_NAMESPACE
