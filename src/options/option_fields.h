// How the tables of options (options_table.h) are written: a field of a struct by its member.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "options/option_values.h"
#include "options/options_table.h"
#include "rocksdb/cache.h"

namespace cairn {

// (options_table_parts.cc)
template <>
std::span<const OptionField<CompressionOptions>> OptionFields();
template <>
std::span<const OptionField<CompactionOptionsFIFO>> OptionFields();
template <>
std::span<const OptionField<CompactionOptionsUniversal>> OptionFields();
template <>
std::span<const OptionField<MetadataCacheOptions>> OptionFields();
template <>
std::span<const OptionField<LRUCacheOptions>> OptionFields();

// Whether it is a struct with members of its own here.
template <typename T>
inline constexpr bool kHasMembers = std::is_class_v<T>;
template <>
inline constexpr bool kHasMembers<std::string> = false;
template <typename T>
inline constexpr bool kHasMembers<std::vector<T>> = false;

template <typename S, auto Member>
constexpr OptionField<S> Field(std::string_view name) {
  using T = std::remove_cvref_t<decltype(std::declval<S&>().*Member)>;
  std::string (*known_members)(const std::string&) = nullptr;
  if constexpr (kHasMembers<T>) known_members = KnownMembers<T>;
  return {name, [](const S& s) -> std::string { return FormatValue(s.*Member); },
          [](S* s, const std::string& value) -> bool { return ParseValue(value, &(s->*Member)); },
          known_members};
}

// An option that RocksDB 7.8.3 does not know: left out where it has its default.
template <typename S, auto Member>
constexpr OptionField<S> LaterField(std::string_view name) {
  OptionField<S> field = Field<S, Member>(name);
  field.format = [](const S& s) -> std::string {
    return s.*Member == S().*Member ? std::string() : FormatValue(s.*Member);
  };
  field.later = true;
  return field;
}

// Of old versions: accepted, without effect.
template <typename S>
constexpr OptionField<S> Ignored(std::string_view name) {
  return {name, nullptr, nullptr};
}

}  // namespace cairn
