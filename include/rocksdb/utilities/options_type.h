// OptionTypeInfo: what one setting of a struct is: where it lies, how it is read from text, written
// and compared. A map of them by name describes a struct (see configurable.h).
//
//   static const std::unordered_map<std::string, OptionTypeInfo> kSettings = {
//       {"rows", {offsetof(Settings, rows), OptionType::kSizeT}},
//       {"kind", OptionTypeInfo::Enum(offsetof(Settings, kind), &kKinds)},
//       {"inner", OptionTypeInfo::AsCustomSharedPtr<Shape>(
//                     offsetof(Settings, inner), OptionVerificationType::kByName,
//                     OptionTypeFlags::kAllowNull)}};
//
// The maps live as long as the objects that use them. Thread-safe once they are made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class OptionTypeInfo;
struct ColumnFamilyOptions;
struct DBOptions;

// The type of a setting. Numbers take the suffixes K, M, G and T (times 1024 each).
enum class OptionType {
  kBoolean,
  kInt,
  kInt32T,
  kInt64T,
  kUInt,
  kUInt8T,
  kUInt32T,
  kUInt64T,
  kSizeT,
  kDouble,
  kAtomicInt,  // std::atomic<int>
  kString,     // with a backslash before special characters
  kCompactionStyle,
  kCompactionPri,
  kCompressionType,
  kCompactionStopStyle,
  kChecksumType,
  kEncodingType,
  kEnv,  // read and written by the functions that it is given
  kEnum,
  kStruct,
  kVector,
  kConfigurable,
  kCustomizable,
  kEncodedString,  // a std::string, in hexadecimal
  kTemperature,
  kArray,
  kStringMap,  // std::map<std::string, std::string>
  kUnknown,    // as kEnv
};

// How a setting is compared. By name: where the values differ, their texts are compared.
enum class OptionVerificationType {
  kNormal,
  kByName,
  kByNameAllowNull,      // the other one may be null
  kByNameAllowFromNull,  // the other one, which is the older, may be null
  kDeprecated,           // taken without effect, and neither written nor compared
  kAlias,                // a second name of another setting: read only
};

// Combined with |. The kCompare flags are the least ConfigOptions::sanity_level at which the
// setting is compared.
enum class OptionTypeFlags : uint32_t {
  kNone = 0x00,
  kCompareDefault = 0x0,  // as kCompareExact
  kCompareNever = ConfigOptions::kSanityLevelNone,
  kCompareLoose = ConfigOptions::kSanityLevelLooselyCompatible,
  kCompareExact = ConfigOptions::kSanityLevelExactMatch,

  kMutable = 0x0100,         // may be changed once the object is in use
  kRawPointer = 0x0200,      // the field is a T*
  kShared = 0x0400,          // a std::shared_ptr<T>
  kUnique = 0x0800,          // a std::unique_ptr<T>
  kAllowNull = 0x1000,       // the pointer may be null
  kDontSerialize = 0x2000,   // has no text
  kDontPrepare = 0x4000,     // PrepareOptions() is not called
  kStringNameOnly = 0x8000,  // written as the object's id, but for kDepthDetailed
};

inline OptionTypeFlags operator|(const OptionTypeFlags& a, const OptionTypeFlags& b) {
  return static_cast<OptionTypeFlags>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}

inline OptionTypeFlags operator&(const OptionTypeFlags& a, const OptionTypeFlags& b) {
  return static_cast<OptionTypeFlags>(static_cast<uint32_t>(a) & static_cast<uint32_t>(b));
}

// The value of that name, and back. False: there is none.
template <typename T>
bool ParseEnum(const std::unordered_map<std::string, T>& type_map, const std::string& type,
               T* value) {
  const auto found = type_map.find(type);
  if (found == type_map.end()) return false;
  *value = found->second;
  return true;
}
template <typename T>
bool SerializeEnum(const std::unordered_map<std::string, T>& type_map, const T& type,
                   std::string* value) {
  for (const auto& [name, known] : type_map) {
    if (known != type) continue;
    *value = name;
    return true;
  }
  return false;
}

// What a setting of one's own kind is given; addr is the address of the field.
// Reads `value`.
using ParseFunc = std::function<Status(const ConfigOptions& opts, const std::string& name,
                                       const std::string& value, void* addr)>;
// Writes the field to *value.
using SerializeFunc = std::function<Status(const ConfigOptions& opts, const std::string& name,
                                           const void* addr, std::string* value)>;
// Compares two fields; *mismatch is to name what differs.
using EqualsFunc = std::function<bool(const ConfigOptions& opts, const std::string& name,
                                      const void* addr1, const void* addr2, std::string* mismatch)>;
// What Configurable::PrepareOptions() and ValidateOptions() do with the field.
using PrepareFunc =
    std::function<Status(const ConfigOptions& opts, const std::string& name, void* addr)>;
using ValidateFunc =
    std::function<Status(const DBOptions& db_opts, const ColumnFamilyOptions& cf_opts,
                         const std::string& name, const void* addr)>;

// Lists, "1:2:3" with ':' as separator: an element that has the separator in it stands in braces.
// An array takes exactly as many as it has (InvalidArgument). An object in a vector that nobody
// makes is left out where unsupported options are ignored. After an error *result is as it was.
template <typename T, size_t kSize>
Status ParseArray(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                  char separator, const std::string& name, const std::string& value,
                  std::array<T, kSize>* result);
template <typename T, size_t kSize>
Status SerializeArray(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                      char separator, const std::string& name, const std::array<T, kSize>& array,
                      std::string* value);
template <typename T, size_t kSize>
bool ArraysAreEqual(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                    const std::string& name, const std::array<T, kSize>& array1,
                    const std::array<T, kSize>& array2, std::string* mismatch);
template <typename T>
Status ParseVector(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                   char separator, const std::string& name, const std::string& value,
                   std::vector<T>* result);
template <typename T>
Status SerializeVector(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                       char separator, const std::string& name, const std::vector<T>& vec,
                       std::string* value);
template <typename T>
bool VectorsAreEqual(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                     const std::string& name, const std::vector<T>& vec1,
                     const std::vector<T>& vec2, std::string* mismatch);

class OptionTypeInfo {
 public:
  // A field `offset` bytes into its struct.
  OptionTypeInfo(int offset, OptionType type,
                 OptionVerificationType verification = OptionVerificationType::kNormal,
                 OptionTypeFlags flags = OptionTypeFlags::kNone, const ParseFunc& parse_func = {},
                 const SerializeFunc& serialize_func = {}, const EqualsFunc& equals_func = {})
      : offset_(offset),
        parse_func_(parse_func),
        serialize_func_(serialize_func),
        equals_func_(equals_func),
        type_(type),
        verification_(verification),
        flags_(flags) {}

  // An enumeration, whose values have these names.
  template <typename T>
  static OptionTypeInfo Enum(
      int offset, const std::unordered_map<std::string, T>* const map,
      OptionTypeFlags flags = OptionTypeFlags::kNone,
      OptionVerificationType verification = OptionVerificationType::kNormal) {
    OptionTypeInfo info(offset, OptionType::kEnum, verification, flags);
    info.SetParseFunc(
        [map](const ConfigOptions&, const std::string& name, const std::string& value, void* addr) {
          if (map == nullptr) return Status::NotSupported("No enum mapping", name);
          return ParseEnum<T>(*map, value, static_cast<T*>(addr))
                     ? Status::OK()
                     : Status::InvalidArgument("No mapping for enum " + name, value);
        });
    info.SetSerializeFunc(
        [map](const ConfigOptions&, const std::string& name, const void* addr, std::string* value) {
          if (map == nullptr) return Status::NotSupported("No enum mapping", name);
          return SerializeEnum<T>(*map, *static_cast<const T*>(addr), value)
                     ? Status::OK()
                     : Status::InvalidArgument("No mapping for enum", name);
        });
    info.SetEqualsFunc([](const ConfigOptions&, const std::string&, const void* addr1,
                          const void* addr2, std::string*) {
      return *static_cast<const T*>(addr1) == *static_cast<const T*>(addr2);
    });
    return info;
  }

  // A struct within the struct, which the map describes. The option of the name `struct_name` is
  // the whole ("{a=1;b=2}"; what is not named keeps its value), "struct_name.a" a member.
  static OptionTypeInfo Struct(const std::string& struct_name,
                               const std::unordered_map<std::string, OptionTypeInfo>* struct_map,
                               int offset, OptionVerificationType verification,
                               OptionTypeFlags flags) {
    OptionTypeInfo info(offset, OptionType::kStruct, verification, flags);
    info.SetParseFunc([struct_name, struct_map](const ConfigOptions& opts, const std::string& name,
                                                const std::string& value, void* addr) {
      return ParseStruct(opts, struct_name, struct_map, name, value, addr);
    });
    info.SetSerializeFunc([struct_name, struct_map](const ConfigOptions& opts,
                                                    const std::string& name, const void* addr,
                                                    std::string* value) {
      return SerializeStruct(opts, struct_name, struct_map, name, addr, value);
    });
    info.SetEqualsFunc([struct_name, struct_map](const ConfigOptions& opts, const std::string& name,
                                                 const void* addr1, const void* addr2,
                                                 std::string* mismatch) {
      return StructsAreEqual(opts, struct_name, struct_map, name, addr1, addr2, mismatch);
    });
    return info;
  }
  static OptionTypeInfo Struct(const std::string& struct_name,
                               const std::unordered_map<std::string, OptionTypeInfo>* struct_map,
                               int offset, OptionVerificationType verification,
                               OptionTypeFlags flags, const ParseFunc& parse_func) {
    return Struct(struct_name, struct_map, offset, verification, flags).SetParseFunc(parse_func);
  }

  // A std::array<T, kSize>, each element as elem_info says (its offset is that within an element).
  template <typename T, size_t kSize>
  static OptionTypeInfo Array(int _offset, OptionVerificationType _verification,
                              OptionTypeFlags _flags, const OptionTypeInfo& elem_info,
                              char separator = ':') {
    using Values = std::array<T, kSize>;
    OptionTypeInfo info(_offset, OptionType::kArray, _verification, _flags);
    info.SetParseFunc([elem_info, separator](const ConfigOptions& opts, const std::string& name,
                                             const std::string& value, void* addr) {
      return ParseArray<T, kSize>(opts, elem_info, separator, name, value,
                                  static_cast<Values*>(addr));
    });
    info.SetSerializeFunc([elem_info, separator](const ConfigOptions& opts, const std::string& name,
                                                 const void* addr, std::string* value) {
      return SerializeArray<T, kSize>(opts, elem_info, separator, name,
                                      *static_cast<const Values*>(addr), value);
    });
    info.SetEqualsFunc([elem_info](const ConfigOptions& opts, const std::string& name,
                                   const void* addr1, const void* addr2, std::string* mismatch) {
      return ArraysAreEqual<T, kSize>(opts, elem_info, name, *static_cast<const Values*>(addr1),
                                      *static_cast<const Values*>(addr2), mismatch);
    });
    return info;
  }

  // A std::vector<T>, likewise.
  template <typename T>
  static OptionTypeInfo Vector(int _offset, OptionVerificationType _verification,
                               OptionTypeFlags _flags, const OptionTypeInfo& elem_info,
                               char separator = ':') {
    using Values = std::vector<T>;
    OptionTypeInfo info(_offset, OptionType::kVector, _verification, _flags);
    info.SetParseFunc([elem_info, separator](const ConfigOptions& opts, const std::string& name,
                                             const std::string& value, void* addr) {
      return ParseVector<T>(opts, elem_info, separator, name, value, static_cast<Values*>(addr));
    });
    info.SetSerializeFunc([elem_info, separator](const ConfigOptions& opts, const std::string& name,
                                                 const void* addr, std::string* value) {
      return SerializeVector<T>(opts, elem_info, separator, name, *static_cast<const Values*>(addr),
                                value);
    });
    info.SetEqualsFunc([elem_info](const ConfigOptions& opts, const std::string& name,
                                   const void* addr1, const void* addr2, std::string* mismatch) {
      return VectorsAreEqual<T>(opts, elem_info, name, *static_cast<const Values*>(addr1),
                                *static_cast<const Values*>(addr2), mismatch);
    });
    return info;
  }

  // A std::map<std::string, std::string>: "{key=value;...}", both in hexadecimal.
  static OptionTypeInfo StringMap(int _offset, OptionVerificationType _verification,
                                  OptionTypeFlags _flags, char kv_separator = '=',
                                  char item_separator = ';') {
    using Values = std::map<std::string, std::string>;
    OptionTypeInfo info(_offset, OptionType::kStringMap, _verification, _flags);
    info.SetParseFunc([kv_separator, item_separator](const ConfigOptions&, const std::string& name,
                                                     const std::string& value, void* addr) {
      Values values;
      for (size_t start = 0, end = 0; start < value.size() && end != std::string::npos;
           start = end + 1) {
        std::string item;
        Status s = NextToken(value, item_separator, start, &end, &item);
        if (!s.ok()) return s;
        if (item.empty()) continue;
        const size_t middle = item.find(kv_separator);
        std::string key;
        std::string decoded;
        if (middle == std::string::npos || !Slice(item.data(), middle).DecodeHex(&key) ||
            !Slice(item.data() + middle + 1, item.size() - middle - 1).DecodeHex(&decoded)) {
          return Status::InvalidArgument("Error parsing " + name, item);
        }
        values.emplace(std::move(key), std::move(decoded));
      }
      *static_cast<Values*>(addr) = std::move(values);
      return Status::OK();
    });
    info.SetSerializeFunc([kv_separator, item_separator](const ConfigOptions&, const std::string&,
                                                         const void* addr, std::string* value) {
      value->push_back('{');
      for (const auto& [key, decoded] : *static_cast<const Values*>(addr)) {
        value->append(Slice(key).ToString(true)).push_back(kv_separator);
        value->append(Slice(decoded).ToString(true)).push_back(item_separator);
      }
      value->push_back('}');
      return Status::OK();
    });
    info.SetEqualsFunc([](const ConfigOptions&, const std::string&, const void* addr1,
                          const void* addr2, std::string*) {
      return *static_cast<const Values*>(addr1) == *static_cast<const Values*>(addr2);
    });
    return info;
  }

  // A Customizable that T::CreateFromString() makes, in a shared_ptr<T>, a unique_ptr<T>, or
  // behind a T* that nobody owns. An empty id is null.
  template <typename T>
  static OptionTypeInfo AsCustomSharedPtr(int offset, OptionVerificationType ovt,
                                          OptionTypeFlags flags = OptionTypeFlags::kNone,
                                          const SerializeFunc& serialize_func = {},
                                          const EqualsFunc& equals_func = {}) {
    return OptionTypeInfo(offset, OptionType::kCustomizable, ovt, flags | OptionTypeFlags::kShared,
                          MadeFromString<T, std::shared_ptr<T>>, serialize_func, equals_func);
  }
  template <typename T>
  static OptionTypeInfo AsCustomUniquePtr(int offset, OptionVerificationType ovt,
                                          OptionTypeFlags flags = OptionTypeFlags::kNone,
                                          const SerializeFunc& serialize_func = {},
                                          const EqualsFunc& equals_func = {}) {
    return OptionTypeInfo(offset, OptionType::kCustomizable, ovt, flags | OptionTypeFlags::kUnique,
                          MadeFromString<T, std::unique_ptr<T>>, serialize_func, equals_func);
  }
  template <typename T>
  static OptionTypeInfo AsCustomRawPtr(int offset, OptionVerificationType ovt,
                                       OptionTypeFlags flags = OptionTypeFlags::kNone,
                                       const SerializeFunc& serialize_func = {},
                                       const EqualsFunc& equals_func = {}) {
    return OptionTypeInfo(offset, OptionType::kCustomizable, ovt,
                          flags | OptionTypeFlags::kRawPointer, MadeFromString<T, T*>,
                          serialize_func, equals_func);
  }

  OptionTypeInfo& SetParseFunc(const ParseFunc& f) {
    parse_func_ = f;
    return *this;
  }
  OptionTypeInfo& SetSerializeFunc(const SerializeFunc& f) {
    serialize_func_ = f;
    return *this;
  }
  OptionTypeInfo& SetEqualsFunc(const EqualsFunc& f) {
    equals_func_ = f;
    return *this;
  }
  OptionTypeInfo& SetPrepareFunc(const PrepareFunc& f) {
    prepare_func_ = f;
    return *this;
  }
  OptionTypeInfo& SetValidateFunc(const ValidateFunc& f) {
    validate_func_ = f;
    return *this;
  }

  OptionTypeFlags GetFlags() const { return flags_; }
  void SetFlags(OptionTypeFlags flags) { flags_ = flags; }
  OptionType GetType() const { return type_; }

  bool IsEnabled(OptionTypeFlags otf) const { return (flags_ & otf) == otf; }
  bool IsEnabled(OptionVerificationType ovf) const { return verification_ == ovf; }
  bool IsMutable() const { return IsEnabled(OptionTypeFlags::kMutable); }
  // Whether it may be set under these ConfigOptions.
  bool IsEditable(const ConfigOptions& opts) const {
    return !opts.mutable_options_only || IsMutable();
  }
  bool IsDeprecated() const { return IsEnabled(OptionVerificationType::kDeprecated); }
  bool IsAlias() const { return IsEnabled(OptionVerificationType::kAlias); }

  // The least level at which it is compared; kSanityLevelNone: at none.
  ConfigOptions::SanityLevel GetSanityLevel() const {
    if (IsDeprecated() || IsAlias()) return ConfigOptions::kSanityLevelNone;
    const auto level = static_cast<ConfigOptions::SanityLevel>(
        static_cast<uint32_t>(flags_ & OptionTypeFlags::kCompareExact));
    return level == 0 ? ConfigOptions::kSanityLevelExactMatch : level;
  }

  bool ShouldSerialize() const {
    return !IsDeprecated() && !IsAlias() && !IsEnabled(OptionTypeFlags::kDontSerialize);
  }
  bool ShouldPrepare() const {
    return !IsDeprecated() && !IsAlias() && !IsEnabled(OptionTypeFlags::kDontPrepare) &&
           (prepare_func_ != nullptr || IsConfigurable());
  }
  bool ShouldValidate() const {
    return !IsDeprecated() && !IsAlias() && (validate_func_ != nullptr || IsConfigurable());
  }

  bool CanBeNull() const {
    return IsEnabled(OptionTypeFlags::kAllowNull) ||
           IsEnabled(OptionVerificationType::kByNameAllowNull) ||
           IsEnabled(OptionVerificationType::kByNameAllowFromNull);
  }
  bool IsSharedPtr() const { return IsEnabled(OptionTypeFlags::kShared); }
  bool IsUniquePtr() const { return IsEnabled(OptionTypeFlags::kUnique); }
  bool IsRawPtr() const { return IsEnabled(OptionTypeFlags::kRawPointer); }
  bool IsByName() const {
    return IsEnabled(OptionVerificationType::kByName) ||
           IsEnabled(OptionVerificationType::kByNameAllowNull) ||
           IsEnabled(OptionVerificationType::kByNameAllowFromNull);
  }
  bool IsStruct() const { return type_ == OptionType::kStruct; }
  bool IsConfigurable() const {
    return type_ == OptionType::kConfigurable || type_ == OptionType::kCustomizable;
  }
  bool IsCustomizable() const { return type_ == OptionType::kCustomizable; }

  // The field of the struct at `base`.
  const void* GetOffset(const void* base) const { return static_cast<const char*>(base) + offset_; }
  void* GetOffset(void* base) const { return static_cast<char*>(base) + offset_; }
  template <typename T>
  const T* GetOffsetAs(const void* base) const {
    return static_cast<const T*>(GetOffset(base));
  }
  template <typename T>
  T* GetOffsetAs(void* base) const {
    return static_cast<T*>(GetOffset(base));
  }

  // The object that the field is, or points at by the pointer that the flags say. Null if the
  // pointer or the struct is.
  template <typename T>
  const T* AsRawPointer(const void* base_addr) const {
    if (base_addr == nullptr) return nullptr;
    if (IsUniquePtr()) return GetOffsetAs<std::unique_ptr<T>>(base_addr)->get();
    if (IsSharedPtr()) return GetOffsetAs<std::shared_ptr<T>>(base_addr)->get();
    if (IsRawPtr()) return *GetOffsetAs<T* const>(base_addr);
    return GetOffsetAs<T>(base_addr);
  }
  template <typename T>
  T* AsRawPointer(void* base_addr) const {
    return const_cast<T*>(AsRawPointer<T>(static_cast<const void*>(base_addr)));
  }

  // --- All of these: opt_ptr is the struct. What fails names the option.

  // Sets the field from text. InvalidArgument: malformed; NotSupported: an object that nobody
  // makes; NotFound: no such option of a nested object.
  Status Parse(const ConfigOptions& config_options, const std::string& opt_name,
               const std::string& opt_value, void* opt_ptr) const;
  // The field as text. NotSupported: it is not to have one.
  Status Serialize(const ConfigOptions& config_options, const std::string& opt_name,
                   const void* opt_ptr, std::string* opt_value) const;
  // True as well where the level says that it is not compared.
  bool AreEqual(const ConfigOptions& config_options, const std::string& opt_name, const void* addr1,
                const void* addr2, std::string* mismatch) const;
  // Whether the texts are equal, or may differ, of an option that is compared by name.
  bool AreEqualByName(const ConfigOptions& config_options, const std::string& opt_name,
                      const void* this_ptr, const void* that_ptr) const;
  bool AreEqualByName(const ConfigOptions& config_options, const std::string& opt_name,
                      const void* this_ptr, const std::string& that_value) const;
  Status Prepare(const ConfigOptions& config_options, const std::string& name, void* opt_ptr) const;
  Status Validate(const DBOptions& db_opts, const ColumnFamilyOptions& cf_opts,
                  const std::string& name, const void* opt_ptr) const;

  // --- A struct at opt_addr that the map describes.

  // NotFound: there is no such option; with `unused` it is put there instead.
  static Status ParseType(const ConfigOptions& config_options, const std::string& opts_str,
                          const std::unordered_map<std::string, OptionTypeInfo>& type_map,
                          void* opt_addr,
                          std::unordered_map<std::string, std::string>* unused = nullptr);
  static Status ParseType(const ConfigOptions& config_options,
                          const std::unordered_map<std::string, std::string>& opts_map,
                          const std::unordered_map<std::string, OptionTypeInfo>& type_map,
                          void* opt_addr,
                          std::unordered_map<std::string, std::string>* unused = nullptr);
  // Appends to *value.
  static Status SerializeType(const ConfigOptions& config_options,
                              const std::unordered_map<std::string, OptionTypeInfo>& type_map,
                              const void* opt_addr, std::string* value);
  static bool TypesAreEqual(const ConfigOptions& config_options,
                            const std::unordered_map<std::string, OptionTypeInfo>& map,
                            const void* this_addr, const void* that_addr, std::string* mismatch);

  // --- The same as a whole (opt_name is struct_name, or ends with "." and it), or one member of it
  // ("struct_name.member", or "member").

  static Status ParseStruct(const ConfigOptions& config_options, const std::string& struct_name,
                            const std::unordered_map<std::string, OptionTypeInfo>* map,
                            const std::string& opt_name, const std::string& value, void* opt_addr);
  static Status SerializeStruct(const ConfigOptions& config_options, const std::string& struct_name,
                                const std::unordered_map<std::string, OptionTypeInfo>* map,
                                const std::string& opt_name, const void* opt_addr,
                                std::string* value);
  static bool StructsAreEqual(const ConfigOptions& config_options, const std::string& struct_name,
                              const std::unordered_map<std::string, OptionTypeInfo>* map,
                              const std::string& opt_name, const void* this_offset,
                              const void* that_offset, std::string* mismatch);

  // The option of that name; or, for "a.b", the struct or object "a", and *elem_name is "b" (else
  // it is opt_name). Null: there is none.
  static const OptionTypeInfo* Find(const std::string& opt_name,
                                    const std::unordered_map<std::string, OptionTypeInfo>& opt_map,
                                    std::string* elem_name);

  // The part of `opts` from `start` to the next delimiter, which is at *end (npos: there is none).
  // A part in braces may have the delimiter in it; the braces are taken off. InvalidArgument:
  // braces that do not match, or something after them.
  static Status NextToken(const std::string& opts, char delimiter, size_t start, size_t* end,
                          std::string* token);

  static constexpr const char* kIdPropName() { return "id"; }
  static constexpr const char* kIdPropSuffix() { return ".id"; }

 private:
  template <typename T, typename Pointer>
  static Status MadeFromString(const ConfigOptions& opts, const std::string& name,
                               const std::string& value, void* addr) {
    auto* pointer = static_cast<Pointer*>(addr);
    if (name != kIdPropName() || !value.empty()) return T::CreateFromString(opts, value, pointer);
    *pointer = nullptr;
    return Status::OK();
  }

  int offset_;
  ParseFunc parse_func_;
  SerializeFunc serialize_func_;
  EqualsFunc equals_func_;
  PrepareFunc prepare_func_;
  ValidateFunc validate_func_;
  OptionType type_;
  OptionVerificationType verification_;
  OptionTypeFlags flags_;
};

template <typename T, size_t kSize>
Status ParseArray(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                  char separator, const std::string& name, const std::string& value,
                  std::array<T, kSize>* result) {
  ConfigOptions strict = config_options;
  strict.ignore_unsupported_options = false;  // here, not by the element
  std::array<T, kSize> parsed{};
  if constexpr (std::is_copy_assignable_v<T>) parsed = *result;
  size_t count = 0;
  size_t end = 0;
  for (size_t start = 0; start < value.size() && end != std::string::npos; start = end + 1) {
    std::string token;
    Status s = OptionTypeInfo::NextToken(value, separator, start, &end, &token);
    if (!s.ok()) return s;
    if (count == kSize) {
      return Status::InvalidArgument("Serialized value has more elements than array size", name);
    }
    s = elem_info.Parse(strict, name, token, &parsed[count++]);
    if (!s.ok() && !(s.IsNotSupported() && config_options.ignore_unsupported_options)) return s;
  }
  if (count < kSize) {
    return Status::InvalidArgument("Serialized value has less elements than array size", name);
  }
  *result = std::move(parsed);
  return Status::OK();
}

template <typename T>
Status ParseVector(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                   char separator, const std::string& name, const std::string& value,
                   std::vector<T>* result) {
  ConfigOptions strict = config_options;
  strict.ignore_unsupported_options = false;  // here, not by the element
  std::vector<T> parsed;
  size_t end = 0;
  for (size_t start = 0; start < value.size() && end != std::string::npos; start = end + 1) {
    std::string token;
    Status s = OptionTypeInfo::NextToken(value, separator, start, &end, &token);
    if (!s.ok()) return s;
    T element{};
    s = elem_info.Parse(strict, name, token, &element);
    if (s.ok()) {
      parsed.push_back(std::move(element));
    } else if (!s.IsNotSupported() || !config_options.ignore_unsupported_options) {
      return s;
    }
  }
  *result = std::move(parsed);
  return Status::OK();
}

// What SerializeArray() and SerializeVector() do.
template <typename Values>
Status SerializeElements(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                         char separator, const std::string& name, const Values& values,
                         std::string* value) {
  ConfigOptions embedded = config_options;
  embedded.delimiter = ";";
  std::string list;
  int count = 0;
  for (const auto& element : values) {
    std::string text;
    Status s = elem_info.Serialize(embedded, name, &element, &text);
    if (!s.ok()) return s;
    if (text.empty()) continue;
    if (count++ > 0) list.push_back(separator);
    list += text.find(separator) == std::string::npos ? text : "{" + text + "}";
  }
  const bool braces =
      list.find('=') != std::string::npos || (count > 1 && list.compare(0, 1, "{") == 0);
  *value = braces ? "{" + list + "}" : list;
  return Status::OK();
}

template <typename T, size_t kSize>
Status SerializeArray(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                      char separator, const std::string& name, const std::array<T, kSize>& array,
                      std::string* value) {
  return SerializeElements(config_options, elem_info, separator, name, array, value);
}

template <typename T>
Status SerializeVector(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                       char separator, const std::string& name, const std::vector<T>& vec,
                       std::string* value) {
  return SerializeElements(config_options, elem_info, separator, name, vec, value);
}

template <typename T, size_t kSize>
bool ArraysAreEqual(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                    const std::string& name, const std::array<T, kSize>& array1,
                    const std::array<T, kSize>& array2, std::string* mismatch) {
  for (size_t i = 0; i < kSize; ++i) {
    if (!elem_info.AreEqual(config_options, name, &array1[i], &array2[i], mismatch)) return false;
  }
  return true;
}

template <typename T>
bool VectorsAreEqual(const ConfigOptions& config_options, const OptionTypeInfo& elem_info,
                     const std::string& name, const std::vector<T>& vec1,
                     const std::vector<T>& vec2, std::string* mismatch) {
  if (vec1.size() != vec2.size()) {
    *mismatch = name;
    return false;
  }
  for (size_t i = 0; i < vec1.size(); ++i) {
    if (!elem_info.AreEqual(config_options, name, &vec1[i], &vec2[i], mismatch)) return false;
  }
  return true;
}

}  // namespace ROCKSDB_NAMESPACE
