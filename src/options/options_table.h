// The one table of all options: name, how to print, how to parse.
//
// The OPTIONS file and the string functions of rocksdb/convenience.h are loops over it. The names
// and value notation are those of RocksDB 7.8.3, so that its tools load what is printed here.
//
// Thread safety: constant data and pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "options/option_values.h"
#include "rocksdb/convenience.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace cairn {

enum class SetResult {
  kSet,
  kUnknown,
  kMalformed,
  kUsers,    // an object that does not come with the library: it stays with who has it
  kLacking,  // an object that comes with RocksDB, and not with us
};

template <typename S>
struct OptionField {
  std::string_view name;
  // nullptr: parsed only. An empty result is left out of what is printed.
  std::string (*format)(const S&);
  // nullptr (and build, too): accepted and ignored, for what old versions wrote. false: malformed.
  bool (*parse)(S*, const std::string& value);
  // Of a struct within options: its text without the members that are unknown here. nullptr: none.
  std::string (*known_members)(const std::string& value) = nullptr;
  // Of an object, instead of parse. `config` says where names of the user's are looked up; null:
  // nowhere.
  SetResult (*build)(S*, const std::string& value, const ConfigOptions* config) = nullptr;
  // RocksDB 7.8.3 does not know it: it is printed where it is not what it is by default.
  bool later = false;
};

template <typename S>
std::span<const OptionField<S>> OptionFields();
template <>
std::span<const OptionField<DBOptions>> OptionFields();
template <>
std::span<const OptionField<ColumnFamilyOptions>> OptionFields();
template <>
std::span<const OptionField<BlockBasedTableOptions>> OptionFields();
template <>
std::span<const OptionField<PlainTableOptions>> OptionFields();
template <>
std::span<const OptionField<CuckooTableOptions>> OptionFields();

// Whether an empty value must be written: it is not the default, and is read as what it is. (What
// has no text, an object of the user's own, is empty, too.)
template <typename S>
bool EmptyValueSays(const OptionField<S>& field) {
  S options;
  const bool read = field.build != nullptr ? field.build(&options, "", nullptr) == SetResult::kSet
                                           : field.parse != nullptr && field.parse(&options, "");
  return read && !field.format(S()).empty() && field.format(options).empty();
}

// Each option as prefix + "name=value" + suffix.
template <typename S>
std::string FormatOptions(const S& options, std::string_view prefix, std::string_view suffix) {
  std::string r;
  for (const OptionField<S>& field : OptionFields<S>()) {
    if (field.format == nullptr) continue;
    const std::string value = field.format(options);
    if (value.empty() && !EmptyValueSays(field)) continue;
    r.append(prefix).append(field.name).append("=").append(value).append(suffix);
  }
  return r;
}

struct SetRules {
  bool ignore_unknown = false;  // options, and members of structs, that a later release has more
  bool ignore_users = true;     // objects that only the caller can make; else they are refused
  const ConfigOptions* config = nullptr;  // see OptionField::build
};

SetRules RulesOf(const ConfigOptions& config);

template <typename S>
SetResult SetOption(S* options, const std::string& name, const std::string& value,
                    SetRules rules = {}) {
  for (const OptionField<S>& field : OptionFields<S>()) {
    if (field.name != name) continue;
    if (field.build != nullptr) return field.build(options, value, rules.config);
    if (field.parse == nullptr) return SetResult::kSet;
    const bool filter = rules.ignore_unknown && field.known_members != nullptr;
    return field.parse(options, filter ? field.known_members(value) : value)
               ? SetResult::kSet
               : SetResult::kMalformed;
  }
  return SetResult::kUnknown;
}

// InvalidArgument: malformed, or unknown and not to be ignored. NotSupported: an object that is not
// here.
[[nodiscard]] inline Status StatusOfSet(SetResult result, SetRules rules, const std::string& name,
                                        const std::string& value) {
  switch (result) {
    case SetResult::kSet:
      break;
    case SetResult::kUnknown:
      if (!rules.ignore_unknown) return Status::InvalidArgument("Could not find option", name);
      break;
    case SetResult::kMalformed:
      return Status::InvalidArgument("Error parsing option " + name, value);
    case SetResult::kUsers:
      if (rules.ignore_users) break;
      [[fallthrough]];
    case SetResult::kLacking:
      return Status::NotSupported("Could not load the object that option " + name + " names",
                                  value);
  }
  return Status::OK();
}

// Sets what the map names. After an error *options is partly changed.
template <typename S>
[[nodiscard]] Status SetOptions(const OptionMap& map, SetRules rules, S* options) {
  for (const auto& [name, value] : map) {
    Status s = StatusOfSet(SetOption(options, name, value, rules), rules, name, value);
    if (!s.ok()) return s;
  }
  return Status::OK();
}

// --- Structs within options: "{a=1;b=2;}".

template <typename S>
  requires(std::is_class_v<S>)
std::string FormatValue(const S& v) {
  return "{" + FormatOptions(v, "", ";") + "}";
}

// Without the members that S does not have. A value that is no list of members is what it was.
template <typename S>
std::string KnownMembers(const std::string& text) {
  OptionMap map;
  if (text.find('=') == std::string::npos || !SplitOptions(text, &map).ok()) return text;
  S scratch;
  std::string known;
  for (const auto& [name, value] : map) {
    if (SetOption(&scratch, name, value) == SetResult::kUnknown) continue;
    const bool nested = value.find_first_of("=;") != std::string::npos;
    known.append(name).append(nested ? "={" : "=").append(value).append(nested ? "};" : ";");
  }
  return known;
}

// What is not named keeps its value.
template <typename S>
  requires(std::is_class_v<S>)
bool ParseValue(const std::string& text, S* v) {
  OptionMap map;
  S parsed = *v;
  if (!SplitOptions(text, &map).ok() || !SetOptions(map, SetRules(), &parsed).ok()) return false;
  *v = parsed;
  return true;
}

}  // namespace cairn
