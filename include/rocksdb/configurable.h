// Configurable: an object whose settings are read from text, written to it and compared.
//
// A class of one's own says in its constructor which settings it has, and the rest follows:
//
//   struct Settings {
//     static const char* kName() { return "MySettings"; }
//     size_t rows = 10;
//   };
//   static const std::unordered_map<std::string, OptionTypeInfo> kSettings = {
//       {"rows", {offsetof(Settings, rows), OptionType::kSizeT}}};
//   MyObject::MyObject() { RegisterOptions(&settings_, &kSettings); }
//
// (utilities/options_type.h has OptionTypeInfo.) Text is "name=value" pairs with ";" between them.
// Values of nested structs and objects stand in braces; a member of one is also "outer.inner".
//
// Not thread-safe while it is configured; what only reads is.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class OptionTypeInfo;
struct ColumnFamilyOptions;
struct ConfigOptions;
struct DBOptions;

class Configurable {
 protected:
  friend class ConfigurableHelper;
  struct RegisteredOptions {
    std::string name;
    // Where the struct lies, from `this` on: so a copy of the object finds its own.
    intptr_t opt_offset;
    // By name; null: the struct is found by its name, and has no text.
    const std::unordered_map<std::string, OptionTypeInfo>* type_map;
  };

 public:
  virtual ~Configurable() = default;

  // The struct of settings that was registered under this name (by default T::kName()), or null.
  // Owned by this object; change it only before a database uses the object.
  template <typename T>
  const T* GetOptions() const {
    return GetOptions<T>(T::kName());
  }
  template <typename T>
  T* GetOptions() {
    return GetOptions<T>(T::kName());
  }
  template <typename T>
  const T* GetOptions(const std::string& name) const {
    return static_cast<const T*>(GetOptionsPtr(name));
  }
  template <typename T>
  T* GetOptions(const std::string& name) {
    return static_cast<T*>(const_cast<void*>(GetOptionsPtr(name)));
  }

  // Sets what the map names, and then calls PrepareOptions() if the ConfigOptions say so. Settings
  // of nested objects follow the objects themselves. After an error everything is as it was: values
  // are read back from the text that they had, shared objects come back themselves.
  // - NotFound: there is no such option. With `unused` such options are put there instead; with
  //   ignore_unknown_options they are left out.
  // - NotSupported: an object that nobody makes; left out with ignore_unsupported_options.
  // - InvalidArgument: a malformed value, or with mutable_options_only an option that is not
  //   mutable.
  // The message names the option.
  Status ConfigureFromMap(const ConfigOptions& config_options,
                          const std::unordered_map<std::string, std::string>& opt_map);
  Status ConfigureFromMap(const ConfigOptions& config_options,
                          const std::unordered_map<std::string, std::string>& opt_map,
                          std::unordered_map<std::string, std::string>* unused);
  // The same for "a=1;b={c=2}". Text without "=" and ";" goes to ParseStringOptions().
  Status ConfigureFromString(const ConfigOptions& config_options, const std::string& opts);
  // Sets one option, and prepares nothing. Errors as above.
  Status ConfigureOption(const ConfigOptions& config_options, const std::string& name,
                         const std::string& value);

  // All options that have a text, for ConfigureFromString(). InvalidArgument if one cannot be
  // written, or if objects hold one another in a circle.
  Status GetOptionString(const ConfigOptions& config_options, std::string* result) const;
  // The same in braces (none where there are no pairs), with `prefix` before each name.
  std::string ToString(const ConfigOptions& config_options) const {
    return ToString(config_options, "");
  }
  std::string ToString(const ConfigOptions& config_options, const std::string& prefix) const;

  // Adds the names, without those that are deprecated or a second name.
  Status GetOptionNames(const ConfigOptions& config_options,
                        std::unordered_set<std::string>* result) const;

  // The value of one option, as ConfigureOption() takes it. NotFound: there is none of that name.
  virtual Status GetOption(const ConfigOptions& config_options, const std::string& name,
                           std::string* value) const;

  // Whether the settings are the same, as far as config_options.sanity_level compares them. False:
  // *name is the option that differs, "outer.inner" if it is a nested one. REQUIRES: an object of
  // the same class.
  virtual bool AreEquivalent(const ConfigOptions& config_options, const Configurable* other,
                             std::string* name) const;

  // The settings for the LOG file, several lines; may be empty.
  virtual std::string GetPrintableOptions() const { return ""; }

  // Makes the object ready for use with its settings; by default does so with nested objects. May
  // be called more than once. NotFound: a nested object that must not be null is.
  virtual Status PrepareOptions(const ConfigOptions& config_options);

  // Whether the settings go together, and with those of the database; by default asks the nested
  // objects.
  virtual Status ValidateOptions(const DBOptions& db_opts,
                                 const ColumnFamilyOptions& cf_opts) const;

  // Splits the text of an object into its id and the other pairs. A text that is no list of pairs
  // is the id; one that names no id has default_id.
  static Status GetOptionsMap(const std::string& opt_value, const std::string& default_id,
                              std::string* id,
                              std::unordered_map<std::string, std::string>* options);

 protected:
  // What GetOptions() returns; null for an unknown name.
  virtual const void* GetOptionsPtr(const std::string& name) const;

  // For text that is no list of pairs. By default InvalidArgument.
  virtual Status ParseStringOptions(const ConfigOptions& config_options,
                                    const std::string& opts_str);

  // What ConfigureFromMap() does.
  virtual Status ConfigureOptions(const ConfigOptions& config_options,
                                  const std::unordered_map<std::string, std::string>& opts_map,
                                  std::unordered_map<std::string, std::string>* unused);

  // Sets an option of the registered struct at opt_ptr.
  virtual Status ParseOption(const ConfigOptions& config_options, const OptionTypeInfo& opt_info,
                             const std::string& opt_name, const std::string& opt_value,
                             void* opt_ptr);

  // Compares an option of two such structs.
  virtual bool OptionsAreEqual(const ConfigOptions& config_options, const OptionTypeInfo& opt_info,
                               const std::string& name, const void* this_ptr, const void* that_ptr,
                               std::string* bad_name) const;

  // What ToString() puts into braces.
  virtual std::string SerializeOptions(const ConfigOptions& config_options,
                                       const std::string& header) const;

  // The name under which an option is registered, of one that may be longer.
  virtual std::string GetOptionName(const std::string& long_name) const;

  // Registers a struct, which lies in this object or lives as long, and its options. A class that
  // is derived may add its own.
  template <typename T>
  void RegisterOptions(T* opt_ptr, const std::unordered_map<std::string, OptionTypeInfo>* opt_map) {
    RegisterOptions(T::kName(), opt_ptr, opt_map);
  }
  void RegisterOptions(const std::string& name, void* opt_ptr,
                       const std::unordered_map<std::string, OptionTypeInfo>* opt_map);

  bool HasRegisteredOptions() const { return !options_.empty(); }

 private:
  std::vector<RegisteredOptions> options_;
};

}  // namespace ROCKSDB_NAMESPACE
