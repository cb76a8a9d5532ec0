// Customizable: what the pluggable parts of the API (comparators, table factories, environments,
// ...) share: a name, settings (Configurable), and that they are made from text.
//
// As text an object is its id, or "{id=NAME;a=1;b=2}" with settings. It is made by the factory that
// is registered for the id (utilities/object_registry.h), and then configured. A type T of such
// objects has `static const char* Type()` and CreateFromString(), which
// utilities/customizable_util.h makes a one-liner; a class has `static const char* kClassName()`.
#pragma once

#include <string>
#include <unordered_map>

#include "rocksdb/configurable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Customizable : public Configurable {
 public:
  ~Customizable() override = default;

  // Names the implementation. What is stored in files (comparator, filter policy, ...) must never
  // change for equal behaviour, and must change when the behaviour does. NUL-terminated, lives as
  // long as the object.
  virtual const char* Name() const = 0;

  // Names this instance, and makes one like it from text; the same as Name() unless its settings
  // matter. Empty: it has no text.
  virtual std::string GetId() const { return Name(); }

  // True for this class's name and for its nickname, if it has one.
  virtual bool IsInstanceOf(const std::string& name) const {
    const char* nickname = NickName();
    return !name.empty() && (name == Name() || (nickname != nullptr && name == nickname));
  }

  // Of this object, else of the one that it wraps.
  const void* GetOptionsPtr(const std::string& name) const override {
    const void* options = Configurable::GetOptionsPtr(name);
    const Customizable* inner = options == nullptr ? Inner() : nullptr;
    return inner != nullptr ? inner->GetOptionsPtr(name) : options;
  }

  // This object as a T if it is one (by T::kClassName()), else the one that it wraps, else null.
  template <typename T>
  const T* CheckedCast() const {
    if (IsInstanceOf(T::kClassName())) return static_cast<const T*>(this);
    const Customizable* inner = Inner();
    return inner == nullptr ? nullptr : inner->CheckedCast<T>();
  }
  template <typename T>
  T* CheckedCast() {
    return const_cast<T*>(const_cast<const Customizable*>(this)->CheckedCast<T>());
  }

  // The ids are compared, too (*mismatch is "id"); with kSanityLevelLooselyCompatible nothing else.
  bool AreEquivalent(const ConfigOptions& config_options, const Configurable* other,
                     std::string* mismatch) const override;
  // "id" is an option.
  Status GetOption(const ConfigOptions& config_options, const std::string& name,
                   std::string* value) const override;

  // Splits the text of an object into the id and the settings. Where `custom` is of the class that
  // the text names (or the text names none), its settings stand in for those that the text lacks.
  static Status GetOptionsMap(const ConfigOptions& config_options, const Customizable* custom,
                              const std::string& opt_value, std::string* id,
                              std::unordered_map<std::string, std::string>* options);

  // Configures an object that was just made. InvalidArgument: settings for null.
  static Status ConfigureNewObject(const ConfigOptions& config_options, Customizable* object,
                                   const std::unordered_map<std::string, std::string>& options);

  // The object that this one wraps, or null.
  virtual const Customizable* Inner() const { return nullptr; }

 protected:
  // "NAME@address#process", for objects that must not be taken for another of their class.
  std::string GenerateIndividualId() const;

  // A second, shorter name of the class; empty: none.
  virtual const char* NickName() const { return ""; }

  // "NAME.option" is the option.
  std::string GetOptionName(const std::string& long_name) const override;
  // The id alone where there are no other pairs.
  std::string SerializeOptions(const ConfigOptions& options,
                               const std::string& prefix) const override;
};

}  // namespace ROCKSDB_NAMESPACE
