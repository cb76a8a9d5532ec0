// Option values as text: one Format and one Parse per type, in the notation of RocksDB's OPTIONS
// files.
//
// For options_table.cc, and what writes values into the LOG. Parse returns false for text that does
// not denote a value of the type, and then leaves the target as it was.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/namespace.h"
#include "base/string_util.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"

namespace cairn {

using OptionMap = std::unordered_map<std::string, std::string>;

// Splits "a=1; b={c=2;d=3}" into its top-level pairs; braces around a value are taken off.
[[nodiscard]] Status SplitOptions(std::string_view text, OptionMap* map);

// A backslash before what the OPTIONS file would take for syntax, and back.
std::string EscapeOptionString(std::string_view raw);
std::string UnescapeOptionString(std::string_view escaped);

bool ParseUnsigned(std::string_view text, uint64_t* value);  // "12", "64M"
bool ParseSigned(std::string_view text, int64_t* value);

std::string FormatValue(bool v);
std::string FormatValue(double v);
std::string FormatValue(const std::string& v);
bool ParseValue(const std::string& text, bool* v);
bool ParseValue(const std::string& text, double* v);
bool ParseValue(const std::string& text, std::string* v);

template <typename T>
  requires(std::is_integral_v<T>)
std::string FormatValue(T v) {
  return std::to_string(v);
}

template <typename T>
  requires(std::is_integral_v<T>)
bool ParseValue(const std::string& text, T* v) {
  if constexpr (std::is_signed_v<T>) {
    int64_t n;
    if (!ParseSigned(text, &n) || n != static_cast<T>(n)) return false;
    *v = static_cast<T>(n);
  } else {
    uint64_t n;
    if (!ParseUnsigned(text, &n) || n != static_cast<T>(n)) return false;
    *v = static_cast<T>(n);
  }
  return true;
}

template <typename E>
  requires(std::is_enum_v<E>)
std::string FormatValue(E v) {
  for (const auto& [name, value] : EnumNames<E>()) {
    if (value == v) return std::string(name);
  }
  return std::to_string(static_cast<int64_t>(v));
}

// (A set of bits: its number.)
inline std::string FormatValue(VerifyOutputFlags v) {
  return std::to_string(static_cast<uint32_t>(v));
}
inline bool ParseValue(const std::string& text, VerifyOutputFlags* v) {
  uint32_t bits;
  if (!ParseValue(text, &bits)) return false;
  *v = static_cast<VerifyOutputFlags>(bits);
  return true;
}

template <typename E>
  requires(std::is_enum_v<E>)
bool ParseValue(const std::string& text, E* v) {
  for (const auto& [name, value] : EnumNames<E>()) {
    if (name != text) continue;
    *v = value;
    return true;
  }
  return false;
}

// "1:2:3"; empty: none.
template <typename T>
std::string FormatValue(const std::vector<T>& v) {
  std::string r;
  for (const T& item : v) {
    if (!r.empty()) r.push_back(':');
    r.append(FormatValue(item));
  }
  return r;
}

template <typename T>
bool ParseValue(const std::string& text, std::vector<T>* v) {
  std::vector<T> items;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(':', at);
    if (end == std::string::npos) end = text.size();
    T item{};
    if (!ParseValue(std::string(Trim(std::string_view(text).substr(at, end - at))), &item)) {
      return false;
    }
    items.push_back(item);
    at = end + 1;
  }
  *v = std::move(items);
  return true;
}

}  // namespace cairn
