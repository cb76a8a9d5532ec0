// OptionTypeInfo: one setting of a struct from text, to text, and compared.
#include <atomic>
#include <cmath>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "base/option_values.h"
#include "base/saved_option.h"
#include "rocksdb/customizable.h"
#include "rocksdb/utilities/options_type.h"

namespace cairn {

namespace {

constexpr const char* kNull = "nullptr";

// Calls f with a pointer to the type's values; false if it has no one type.
template <typename F>
bool WithType(OptionType type, F f) {
  switch (type) {
    case OptionType::kBoolean:
      return f(static_cast<bool*>(nullptr));
    case OptionType::kInt:
      return f(static_cast<int*>(nullptr));
    case OptionType::kInt32T:
      return f(static_cast<int32_t*>(nullptr));
    case OptionType::kInt64T:
      return f(static_cast<int64_t*>(nullptr));
    case OptionType::kUInt:
      return f(static_cast<unsigned int*>(nullptr));
    case OptionType::kUInt8T:
      return f(static_cast<uint8_t*>(nullptr));
    case OptionType::kUInt32T:
      return f(static_cast<uint32_t*>(nullptr));
    case OptionType::kUInt64T:
      return f(static_cast<uint64_t*>(nullptr));
    case OptionType::kSizeT:
      return f(static_cast<size_t*>(nullptr));
    case OptionType::kDouble:
      return f(static_cast<double*>(nullptr));
    case OptionType::kAtomicInt:
      return f(static_cast<std::atomic<int>*>(nullptr));
    case OptionType::kString:
    case OptionType::kEncodedString:
      return f(static_cast<std::string*>(nullptr));
    case OptionType::kCompactionStyle:
      return f(static_cast<CompactionStyle*>(nullptr));
    case OptionType::kCompactionPri:
      return f(static_cast<CompactionPri*>(nullptr));
    case OptionType::kCompressionType:
      return f(static_cast<CompressionType*>(nullptr));
    case OptionType::kCompactionStopStyle:
      return f(static_cast<CompactionStopStyle*>(nullptr));
    case OptionType::kChecksumType:
      return f(static_cast<ChecksumType*>(nullptr));
    case OptionType::kEncodingType:
      return f(static_cast<EncodingType*>(nullptr));
    case OptionType::kTemperature:
      return f(static_cast<Temperature*>(nullptr));
    case OptionType::kEnv:
    case OptionType::kEnum:
    case OptionType::kStruct:
    case OptionType::kVector:
    case OptionType::kConfigurable:
    case OptionType::kCustomizable:
    case OptionType::kArray:
    case OptionType::kStringMap:
    case OptionType::kUnknown:
      break;
  }
  return false;
}

// What it is made of has backslashes of its own, and takes them off itself.
bool IsNested(OptionType type) {
  switch (type) {
    case OptionType::kStruct:
    case OptionType::kVector:
    case OptionType::kConfigurable:
    case OptionType::kCustomizable:
    case OptionType::kArray:
      return true;
    default:
      return false;
  }
}

// `text` without its backslashes. An encoded string is what its hexadecimal digits say.
bool ParsePlain(OptionType type, const std::string& text, void* addr) {
  return WithType(type, [&]<typename T>(T* /*type*/) {
    if constexpr (std::is_same_v<T, std::atomic<int>>) {
      int value = 0;
      if (!ParseValue(text, &value)) return false;
      static_cast<T*>(addr)->store(value);
      return true;
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::string value = text;
      if (type == OptionType::kEncodedString && !Slice(text).DecodeHex(&value)) return false;
      *static_cast<T*>(addr) = std::move(value);
      return true;
    } else {
      return ParseValue(text, static_cast<T*>(addr));
    }
  });
}

// A backslash as well before what ends a value in a list of pairs.
std::string EscapeSyntax(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == ';' || c == '{' || c == '}') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

bool FormatPlain(OptionType type, const void* addr, std::string* text) {
  return WithType(type, [&]<typename T>(T* /*type*/) {
    const T& value = *static_cast<const T*>(addr);
    if constexpr (std::is_same_v<T, std::atomic<int>>) {
      *text = FormatValue(value.load());
    } else if constexpr (std::is_same_v<T, std::string>) {
      *text = type == OptionType::kEncodedString ? Slice(value).ToString(/*hex=*/true)
                                                 : EscapeSyntax(FormatValue(value));
    } else if constexpr (std::is_enum_v<T>) {
      *text = FormatValue(value);
      T back;
      return ParseValue(*text, &back);  // a number that is none of its values has no text
    } else {
      *text = FormatValue(value);
    }
    return true;
  });
}

bool PlainValuesAreEqual(OptionType type, const void* a, const void* b) {
  return WithType(type, [&]<typename T>(T* /*type*/) {
    const T& x = *static_cast<const T*>(a);
    const T& y = *static_cast<const T*>(b);
    if constexpr (std::is_same_v<T, std::atomic<int>>) {
      return x.load() == y.load();
    } else if constexpr (std::is_same_v<T, double>) {
      return std::fabs(x - y) < 0.00001;  // what its text tells apart
    } else {
      return x == y;
    }
  });
}

bool EndsWithName(const std::string& text, const std::string& name) {
  return text == name || text.ends_with("." + name);
}

// The member that `opt_name` names of the struct, "struct.member" or "member".
std::string MemberOf(const std::string& struct_name, const std::string& opt_name) {
  return opt_name.starts_with(struct_name + ".") ? opt_name.substr(struct_name.size() + 1)
                                                 : opt_name;
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status OptionTypeInfo::NextToken(const std::string& opts, char delimiter, size_t start, size_t* end,
                                 std::string* token) {
  constexpr const char* kBlanks = " \t\n\r\v\f";
  start = opts.find_first_not_of(kBlanks, start);
  if (start == std::string::npos) {
    token->clear();
    *end = std::string::npos;
    return Status::OK();
  }
  if (opts[start] != '{') {
    *end = opts.find(delimiter, start);
    *token = cairn::Trim(std::string_view(opts).substr(start, *end - start));
    return Status::OK();
  }
  int depth = 0;
  size_t closing = start;
  for (; closing < opts.size(); ++closing) {
    if (opts[closing] == '{') ++depth;
    if (opts[closing] == '}' && --depth == 0) break;
  }
  if (closing == opts.size()) {
    return Status::InvalidArgument("Mismatched curly braces for nested options", opts);
  }
  *token = cairn::Trim(std::string_view(opts).substr(start + 1, closing - start - 1));
  *end = opts.find_first_not_of(kBlanks, closing + 1);
  if (*end != std::string::npos && opts[*end] != delimiter) {
    return Status::InvalidArgument("Unexpected chars after nested options", opts.substr(*end));
  }
  return Status::OK();
}

Status OptionTypeInfo::Parse(const ConfigOptions& config_options, const std::string& opt_name,
                             const std::string& opt_value, void* opt_ptr) const {
  if (IsDeprecated()) return Status::OK();
  if (opt_ptr == nullptr) return Status::NotFound("Could not find option", opt_name);
  ConfigOptions embedded = config_options;
  embedded.invoke_prepare_options = false;
  const std::string value = config_options.input_strings_escaped && !cairn::IsNested(type_)
                                ? cairn::UnescapeOptionString(opt_value)
                                : opt_value;
  if (parse_func_ != nullptr) {
    // Functions of the user's may use what throws, std::stoi and so on.
    try {
      return parse_func_(embedded, opt_name, value, GetOffset(opt_ptr));
    } catch (const std::exception& e) {
      return Status::InvalidArgument("Error parsing " + opt_name, e.what());
    }
  }
  if (cairn::ParsePlain(type_, value, GetOffset(opt_ptr))) return Status::OK();
  if (IsConfigurable()) {
    if (value.empty()) return Status::OK();
    auto* object = AsRawPointer<Configurable>(opt_ptr);
    if (object == nullptr) return Status::NotFound("Could not find configurable", opt_name);
    embedded.ignore_unknown_options = false;
    return value.find('=') != std::string::npos
               ? object->ConfigureFromString(embedded, value)
               : object->ConfigureOption(embedded, opt_name, value);
  }
  if (IsByName()) {
    return Status::NotSupported("Deserializing the option " + opt_name + " is not supported");
  }
  return Status::InvalidArgument("Error parsing " + opt_name, opt_value);
}

Status OptionTypeInfo::Serialize(const ConfigOptions& config_options, const std::string& opt_name,
                                 const void* opt_ptr, std::string* opt_value) const {
  if (opt_ptr == nullptr || IsDeprecated()) return Status::OK();
  if (IsEnabled(OptionTypeFlags::kDontSerialize)) {
    return Status::NotSupported("Cannot serialize option", opt_name);
  }
  if (serialize_func_ != nullptr) {
    return serialize_func_(config_options, opt_name, GetOffset(opt_ptr), opt_value);
  }
  const bool wanted = !config_options.mutable_options_only || IsMutable();
  ConfigOptions embedded = config_options;
  embedded.delimiter = ";";
  if (IsCustomizable()) {
    const auto* object = AsRawPointer<Customizable>(opt_ptr);
    opt_value->clear();
    if (object == nullptr) {
      if (wanted) *opt_value = cairn::kNull;
    } else if (IsEnabled(OptionTypeFlags::kStringNameOnly) && !config_options.IsDetailed()) {
      if (wanted) *opt_value = object->GetId();
    } else {
      // What is in a mutable object may change with it. Of another one only its own mutable
      // options are told: not its id alone.
      if (IsMutable()) embedded.mutable_options_only = false;
      std::string text = object->ToString(embedded);
      if (wanted || text.find('=') != std::string::npos) *opt_value = std::move(text);
    }
    return Status::OK();
  }
  if (IsConfigurable()) {
    const auto* object = AsRawPointer<Configurable>(opt_ptr);
    if (object != nullptr) *opt_value = object->ToString(embedded);
    return Status::OK();
  }
  if (!wanted) return Status::OK();
  return cairn::FormatPlain(type_, GetOffset(opt_ptr), opt_value)
             ? Status::OK()
             : Status::InvalidArgument("Cannot serialize option", opt_name);
}

bool OptionTypeInfo::AreEqual(const ConfigOptions& config_options, const std::string& opt_name,
                              const void* addr1, const void* addr2, std::string* mismatch) const {
  const ConfigOptions::SanityLevel level = GetSanityLevel();
  if (!config_options.IsCheckEnabled(level) || addr1 == addr2) return true;
  if (addr1 != nullptr && addr2 != nullptr) {
    if (equals_func_ != nullptr) {
      if (equals_func_(config_options, opt_name, GetOffset(addr1), GetOffset(addr2), mismatch)) {
        return true;
      }
    } else if (cairn::PlainValuesAreEqual(type_, GetOffset(addr1), GetOffset(addr2))) {
      return true;
    } else if (IsConfigurable()) {
      const auto* one = AsRawPointer<Configurable>(addr1);
      const auto* other = AsRawPointer<Configurable>(addr2);
      if (one == other) return true;
      if (one != nullptr && other != nullptr) {
        ConfigOptions nested = config_options;
        if (level < nested.sanity_level) nested.sanity_level = level;
        std::string inner;
        if (one->AreEquivalent(nested, other, &inner)) return true;
        *mismatch = inner.empty() ? opt_name : opt_name + "." + inner;
      }
    }
  }
  if (mismatch->empty()) *mismatch = opt_name;
  return false;
}

bool OptionTypeInfo::AreEqualByName(const ConfigOptions& config_options,
                                    const std::string& opt_name, const void* this_ptr,
                                    const void* that_ptr) const {
  std::string that_value;
  return IsByName() && Serialize(config_options, opt_name, that_ptr, &that_value).ok() &&
         AreEqualByName(config_options, opt_name, this_ptr, that_value);
}

bool OptionTypeInfo::AreEqualByName(const ConfigOptions& config_options,
                                    const std::string& opt_name, const void* this_ptr,
                                    const std::string& that_value) const {
  std::string this_value;
  if (!IsByName() || !Serialize(config_options, opt_name, this_ptr, &this_value).ok()) return false;
  return this_value == that_value ||
         (that_value == cairn::kNull && !IsEnabled(OptionVerificationType::kByName));
}

Status OptionTypeInfo::Prepare(const ConfigOptions& config_options, const std::string& name,
                               void* opt_ptr) const {
  if (!ShouldPrepare()) return Status::OK();
  if (prepare_func_ != nullptr) return prepare_func_(config_options, name, GetOffset(opt_ptr));
  auto* object = AsRawPointer<Configurable>(opt_ptr);
  if (object != nullptr) return object->PrepareOptions(config_options);
  return CanBeNull() ? Status::OK() : Status::NotFound("Missing configurable object", name);
}

Status OptionTypeInfo::Validate(const DBOptions& db_opts, const ColumnFamilyOptions& cf_opts,
                                const std::string& name, const void* opt_ptr) const {
  if (!ShouldValidate()) return Status::OK();
  if (validate_func_ != nullptr) return validate_func_(db_opts, cf_opts, name, GetOffset(opt_ptr));
  const auto* object = AsRawPointer<Configurable>(opt_ptr);
  if (object != nullptr) return object->ValidateOptions(db_opts, cf_opts);
  return CanBeNull() ? Status::OK() : Status::NotFound("Missing configurable object", name);
}

const OptionTypeInfo* OptionTypeInfo::Find(
    const std::string& opt_name, const std::unordered_map<std::string, OptionTypeInfo>& opt_map,
    std::string* elem_name) {
  const auto whole = opt_map.find(opt_name);
  if (whole != opt_map.end()) {
    *elem_name = opt_name;
    return &whole->second;
  }
  const size_t point = opt_name.find('.');
  if (point == std::string::npos) return nullptr;
  const auto outer = opt_map.find(opt_name.substr(0, point));
  if (outer == opt_map.end() || !(outer->second.IsStruct() || outer->second.IsConfigurable())) {
    return nullptr;
  }
  *elem_name = opt_name.substr(point + 1);
  return &outer->second;
}

// --- structs

Status OptionTypeInfo::ParseType(const ConfigOptions& config_options, const std::string& opts_str,
                                 const std::unordered_map<std::string, OptionTypeInfo>& type_map,
                                 void* opt_addr,
                                 std::unordered_map<std::string, std::string>* unused) {
  cairn::OptionMap opts_map;
  Status s = cairn::SplitOptions(opts_str, &opts_map);
  return s.ok() ? ParseType(config_options, opts_map, type_map, opt_addr, unused) : s;
}

Status OptionTypeInfo::ParseType(const ConfigOptions& config_options,
                                 const std::unordered_map<std::string, std::string>& opts_map,
                                 const std::unordered_map<std::string, OptionTypeInfo>& type_map,
                                 void* opt_addr,
                                 std::unordered_map<std::string, std::string>* unused) {
  cairn::SavedOptions saved(config_options);
  Status s;
  for (const auto& [name, value] : opts_map) {
    std::string member;
    const OptionTypeInfo* info = Find(name, type_map, &member);
    if (info != nullptr) {
      saved.Save(*info, member == name ? name : name.substr(0, name.find('.')), opt_addr);
      s = info->Parse(config_options, member, value, opt_addr);
    } else if (unused != nullptr) {
      (*unused)[name] = value;
    } else if (!config_options.ignore_unknown_options) {
      s = Status::NotFound("Unrecognized option", name);
    }
    if (!s.ok()) {
      saved.Restore();
      break;
    }
  }
  return s;
}

Status OptionTypeInfo::SerializeType(
    const ConfigOptions& config_options,
    const std::unordered_map<std::string, OptionTypeInfo>& type_map, const void* opt_addr,
    std::string* value) {
  for (const auto& [name, info] : type_map) {
    if (!info.ShouldSerialize()) continue;
    std::string single;
    Status s = info.Serialize(config_options, name, opt_addr, &single);
    if (!s.ok()) return s;
    value->append(name).append("=").append(single).append(config_options.delimiter);
  }
  return Status::OK();
}

bool OptionTypeInfo::TypesAreEqual(const ConfigOptions& config_options,
                                   const std::unordered_map<std::string, OptionTypeInfo>& map,
                                   const void* this_addr, const void* that_addr,
                                   std::string* mismatch) {
  for (const auto& [name, info] : map) {
    if (!info.AreEqual(config_options, name, this_addr, that_addr, mismatch)) return false;
  }
  return true;
}

Status OptionTypeInfo::ParseStruct(const ConfigOptions& config_options,
                                   const std::string& struct_name,
                                   const std::unordered_map<std::string, OptionTypeInfo>* map,
                                   const std::string& opt_name, const std::string& value,
                                   void* opt_addr) {
  if (cairn::EndsWithName(opt_name, struct_name)) {
    Status s = ParseType(config_options, value, *map, opt_addr);
    // (RocksDB says so of structs, and NotFound of objects.)
    return s.IsNotFound()
               ? Status::InvalidArgument("Unrecognized option of " + struct_name, s.ToString())
               : s;
  }
  const std::string member = cairn::MemberOf(struct_name, opt_name);
  std::string rest;
  const OptionTypeInfo* info = Find(member, *map, &rest);
  return info != nullptr
             ? info->Parse(config_options, rest, value, opt_addr)
             : Status::InvalidArgument("Unrecognized option", struct_name + "." + member);
}

Status OptionTypeInfo::SerializeStruct(const ConfigOptions& config_options,
                                       const std::string& struct_name,
                                       const std::unordered_map<std::string, OptionTypeInfo>* map,
                                       const std::string& opt_name, const void* opt_addr,
                                       std::string* value) {
  std::string rest;
  const OptionTypeInfo* info = cairn::EndsWithName(opt_name, struct_name)
                                   ? nullptr
                                   : Find(cairn::MemberOf(struct_name, opt_name), *map, &rest);
  if (info != nullptr) {
    return info->ShouldSerialize() ? info->Serialize(config_options, rest, opt_addr, value)
                                   : Status::OK();
  }
  // The whole (with a prefix, maybe, that does not end with a point).
  if (!opt_name.ends_with(struct_name)) {
    return Status::InvalidArgument("Unrecognized option", opt_name);
  }
  ConfigOptions embedded = config_options;
  embedded.delimiter = ";";
  std::string members;
  Status s = SerializeType(embedded, *map, opt_addr, &members);
  if (s.ok()) *value = "{" + members + "}";
  return s;
}

bool OptionTypeInfo::StructsAreEqual(const ConfigOptions& config_options,
                                     const std::string& struct_name,
                                     const std::unordered_map<std::string, OptionTypeInfo>* map,
                                     const std::string& opt_name, const void* this_offset,
                                     const void* that_offset, std::string* mismatch) {
  std::string member;
  if (cairn::EndsWithName(opt_name, struct_name)) {
    if (TypesAreEqual(config_options, *map, this_offset, that_offset, &member)) return true;
  } else {
    std::string rest;
    member = cairn::MemberOf(struct_name, opt_name);
    const OptionTypeInfo* info = Find(member, *map, &rest);
    std::string inner;
    if (info != nullptr && info->AreEqual(config_options, rest, this_offset, that_offset, &inner)) {
      return true;
    }
    if (info != nullptr) member = inner;
  }
  *mismatch = struct_name + "." + member;
  return false;
}

}  // namespace ROCKSDB_NAMESPACE
