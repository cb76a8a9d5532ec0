// What an option is in the tables of options: its name, how it is printed and parsed; and how the
// tables are written, a field of a struct by its member.
//
// The OPTIONS file, the string functions of rocksdb/convenience.h and what our own objects are as
// Configurables are loops over the tables: options/options_table.h has those of a database,
// table/table_options.h those of tables and caches. The names and value notation are those of
// RocksDB 7.8.3, so that its tools load what is printed here.
//
// Thread safety: constant data and pure functions.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "base/option_values.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_type.h"

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

inline SetRules RulesOf(const ConfigOptions& config) {
  return {.ignore_unknown = config.ignore_unknown_options,
          .ignore_users = config.ignore_unsupported_options,
          .config = &config};
}

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

// --- The table as a Configurable has it: the struct is at offset 0. It lives for ever;
// `mutable_names` are of options that may change in use.

template <typename S>
OptionTypeInfo OptionInfo(const OptionField<S>* field, OptionTypeFlags flags) {
  if (field->parse == nullptr && field->build == nullptr) {
    return {0, OptionType::kUnknown, OptionVerificationType::kDeprecated};
  }
  if (field->format == nullptr) {
    flags = flags | OptionTypeFlags::kDontSerialize | OptionTypeFlags::kCompareNever;
  }
  const bool is_struct = field->known_members != nullptr;
  OptionTypeInfo info(0, is_struct ? OptionType::kStruct : OptionType::kUnknown,
                      OptionVerificationType::kNormal, flags);
  info.SetParseFunc([field](const ConfigOptions& config, const std::string& name,
                            const std::string& value, void* addr) {
    // A member of a struct comes by its own name.
    const bool whole = name == field->name;
    const std::string& text = whole ? value : name + "=" + value;
    const SetRules rules = RulesOf(config);
    const std::string option(field->name);
    return StatusOfSet(SetOption(static_cast<S*>(addr), option, text, rules), rules, option, text);
  });
  if (field->format != nullptr) {
    info.SetSerializeFunc([field](const ConfigOptions& /*config*/, const std::string& /*name*/,
                                  const void* addr, std::string* value) {
      *value = field->format(*static_cast<const S*>(addr));
      return Status::OK();
    });
    info.SetEqualsFunc([field](const ConfigOptions& /*config*/, const std::string& /*name*/,
                               const void* a, const void* b, std::string* /*mismatch*/) {
      return field->format(*static_cast<const S*>(a)) == field->format(*static_cast<const S*>(b));
    });
  }
  return info;
}

template <typename S>
const std::unordered_map<std::string, OptionTypeInfo>* OptionTypeMap(
    std::span<const std::string_view> mutable_names = {}) {
  static const auto* const map = [&] {
    auto* made = new std::unordered_map<std::string, OptionTypeInfo>;
    for (const OptionField<S>& field : OptionFields<S>()) {
      const bool is_mutable =
          std::find(mutable_names.begin(), mutable_names.end(), field.name) != mutable_names.end();
      made->emplace(field.name, OptionInfo(&field, is_mutable ? OptionTypeFlags::kMutable
                                                              : OptionTypeFlags::kNone));
    }
    return made;
  }();
  return map;
}

}  // namespace cairn
