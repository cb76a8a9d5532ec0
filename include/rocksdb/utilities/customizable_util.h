// What the CreateFromString() of a type of Customizable objects does: finds the factory of the id
// in ConfigOptions::registry, makes the object and configures it.
//
//   Status Shape::CreateFromString(const ConfigOptions& options, const std::string& value,
//                                  std::shared_ptr<Shape>* result) {
//     return LoadSharedObject<Shape>(options, value, result);
//   }
//
// All of these: with settings of another error than below, as Configurable::ConfigureFromMap().
// NotSupported: no factory knows the id, or there are settings and no id; the former is OK, and
// changes nothing, with ignore_unsupported_options. After an error *result is what it was.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "rocksdb/convenience.h"
#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/object_registry.h"

namespace ROCKSDB_NAMESPACE {

// Makes an object without the registry; false: it does not know the id.
template <typename T>
using SharedFactoryFunc = std::function<bool(const std::string& id, std::shared_ptr<T>* result)>;
template <typename T>
using UniqueFactoryFunc = std::function<bool(const std::string& id, std::unique_ptr<T>* result)>;
template <typename T>
using StaticFactoryFunc = std::function<bool(const std::string& id, T** result)>;

// What the functions below share. Not for use elsewhere.
namespace customizable_detail {

using OptionMap = std::unordered_map<std::string, std::string>;

inline ObjectRegistry& RegistryOf(const ConfigOptions& config_options) {
  return config_options.registry != nullptr ? *config_options.registry : *ObjectRegistry::Default();
}

template <typename T>
Customizable* Mutable(T* object) {
  return const_cast<Customizable*>(static_cast<const Customizable*>(object));
}

// `make` fills a Pointer; `raw` is the object in it.
template <typename Pointer, typename Make, typename Raw>
Status Create(const ConfigOptions& config_options, const std::string& id, const OptionMap& opt_map,
              const Make& make, const Raw& raw, Pointer* result) {
  if (id.empty()) {
    if (!opt_map.empty()) {
      return Status::NotSupported("There is no object to configure", opt_map.begin()->first);
    }
    *result = nullptr;
    return Status::OK();
  }
  Pointer made = nullptr;
  Status s = make(&made);
  if (s.IsNotSupported() && config_options.ignore_unsupported_options) return Status::OK();
  if (s.ok()) s = Customizable::ConfigureNewObject(config_options, raw(made), opt_map);
  if (s.ok()) *result = std::move(made);
  return s;
}

}  // namespace customizable_detail

// Each kind: a new object by its id, with these settings; and from text, "id" or "{id=...;a=1}",
// where an object of that id that *result has already gives the settings that the text lacks. No id
// and no settings: null.

template <typename T>
Status NewSharedObject(const ConfigOptions& config_options, const std::string& id,
                       const std::unordered_map<std::string, std::string>& opt_map,
                       std::shared_ptr<T>* result) {
  using namespace customizable_detail;  // NOLINT(build/namespaces)
  return Create(
      config_options, id, opt_map,
      [&](std::shared_ptr<T>* made) {
        return RegistryOf(config_options).NewSharedObject(id, made);
      },
      [](const std::shared_ptr<T>& made) { return Mutable(made.get()); }, result);
}

template <typename T>
Status LoadSharedObject(const ConfigOptions& config_options, const std::string& value,
                        std::shared_ptr<T>* result) {
  std::string id;
  std::unordered_map<std::string, std::string> opt_map;
  Status s = Customizable::GetOptionsMap(config_options, result->get(), value, &id, &opt_map);
  return s.ok() ? NewSharedObject(config_options, id, opt_map, result) : s;
}

template <typename T>
Status NewUniqueObject(const ConfigOptions& config_options, const std::string& id,
                       const std::unordered_map<std::string, std::string>& opt_map,
                       std::unique_ptr<T>* result) {
  using namespace customizable_detail;  // NOLINT(build/namespaces)
  return Create(
      config_options, id, opt_map,
      [&](std::unique_ptr<T>* made) {
        return RegistryOf(config_options).NewUniqueObject(id, made);
      },
      [](const std::unique_ptr<T>& made) { return Mutable(made.get()); }, result);
}

template <typename T>
Status LoadUniqueObject(const ConfigOptions& config_options, const std::string& value,
                        std::unique_ptr<T>* result) {
  std::string id;
  std::unordered_map<std::string, std::string> opt_map;
  Status s = Customizable::GetOptionsMap(config_options, result->get(), value, &id, &opt_map);
  return s.ok() ? NewUniqueObject(config_options, id, opt_map, result) : s;
}

// Of objects that live for ever.
template <typename T>
Status NewStaticObject(const ConfigOptions& config_options, const std::string& id,
                       const std::unordered_map<std::string, std::string>& opt_map, T** result) {
  using namespace customizable_detail;  // NOLINT(build/namespaces)
  return Create(
      config_options, id, opt_map,
      [&](T** made) { return RegistryOf(config_options).NewStaticObject(id, made); },
      [](T* made) { return Mutable(made); }, result);
}

template <typename T>
Status LoadStaticObject(const ConfigOptions& config_options, const std::string& value, T** result) {
  std::string id;
  std::unordered_map<std::string, std::string> opt_map;
  Status s = Customizable::GetOptionsMap(config_options, *result, value, &id, &opt_map);
  return s.ok() ? NewStaticObject(config_options, id, opt_map, result) : s;
}

// One object for each id (ObjectRegistry::GetOrCreateManagedObject()): the settings are those of
// the first call. Without an id NotSupported.
template <typename T>
Status NewManagedObject(const ConfigOptions& config_options, const std::string& id,
                        const std::unordered_map<std::string, std::string>& opt_map,
                        std::shared_ptr<T>* result) {
  if (id.empty()) return Status::NotSupported("Cannot reset object");
  Status s = customizable_detail::RegistryOf(config_options)
                 .template GetOrCreateManagedObject<T>(id, result, [&](T* object) {
                   return object->ConfigureFromMap(config_options, opt_map);
                 });
  return s.IsNotSupported() && config_options.ignore_unsupported_options ? Status::OK() : s;
}

template <typename T>
Status LoadManagedObject(const ConfigOptions& config_options, const std::string& value,
                         std::shared_ptr<T>* result) {
  std::string id;
  std::unordered_map<std::string, std::string> opt_map;
  Status s = Customizable::GetOptionsMap(config_options, nullptr, value, &id, &opt_map);
  if (!s.ok()) return s;
  if (!value.empty()) return NewManagedObject(config_options, id, opt_map, result);
  result->reset();
  return s;
}

// As in RocksDB 7: `func`, which may be null, is asked before the registry.

template <typename T>
Status LoadSharedObject(const ConfigOptions& config_options, const std::string& value,
                        const SharedFactoryFunc<T>& func, std::shared_ptr<T>* result) {
  std::string id;
  std::unordered_map<std::string, std::string> opt_map;
  Status s = Customizable::GetOptionsMap(config_options, result->get(), value, &id, &opt_map);
  std::shared_ptr<T> made;
  if (!s.ok()) return s;
  if (func == nullptr || !func(id, &made)) {
    return NewSharedObject(config_options, id, opt_map, result);
  }
  s = Customizable::ConfigureNewObject(config_options, customizable_detail::Mutable(made.get()),
                                       opt_map);
  if (s.ok()) *result = std::move(made);
  return s;
}

template <typename T>
Status LoadUniqueObject(const ConfigOptions& config_options, const std::string& value,
                        const UniqueFactoryFunc<T>& func, std::unique_ptr<T>* result) {
  std::string id;
  std::unordered_map<std::string, std::string> opt_map;
  Status s = Customizable::GetOptionsMap(config_options, result->get(), value, &id, &opt_map);
  std::unique_ptr<T> made;
  if (!s.ok()) return s;
  if (func == nullptr || !func(id, &made)) {
    return NewUniqueObject(config_options, id, opt_map, result);
  }
  s = Customizable::ConfigureNewObject(config_options, customizable_detail::Mutable(made.get()),
                                       opt_map);
  if (s.ok()) *result = std::move(made);
  return s;
}

template <typename T>
Status LoadStaticObject(const ConfigOptions& config_options, const std::string& value,
                        const StaticFactoryFunc<T>& func, T** result) {
  std::string id;
  std::unordered_map<std::string, std::string> opt_map;
  Status s = Customizable::GetOptionsMap(config_options, *result, value, &id, &opt_map);
  T* made = nullptr;
  if (!s.ok()) return s;
  if (func == nullptr || !func(id, &made)) {
    return NewStaticObject(config_options, id, opt_map, result);
  }
  s = Customizable::ConfigureNewObject(config_options, customizable_detail::Mutable(made), opt_map);
  if (s.ok()) *result = made;
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
