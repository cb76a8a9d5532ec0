// Customizable: what the pluggable parts of the API (comparators, table factories, environments,
// ...) share: a name, and access to their options by type.
#pragma once

#include <string>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Customizable {
 public:
  virtual ~Customizable() = default;

  // Names the implementation. What is stored in files (comparator, filter policy, ...) must never
  // change for equal behaviour, and must change when the behaviour does. NUL-terminated, lives as
  // long as the object.
  virtual const char* Name() const = 0;

  // Names this instance; the same as Name() unless its settings matter.
  virtual std::string GetId() const { return Name(); }

  // True for this class's name and for its nickname, if it has one.
  virtual bool IsInstanceOf(const std::string& name) const {
    return !name.empty() && (name == Name() || name == NickName());
  }

  // This object as a T if it is one (by T::kClassName()), else null.
  template <typename T>
  T* CheckedCast() {
    return IsInstanceOf(T::kClassName()) ? static_cast<T*>(this) : nullptr;
  }
  template <typename T>
  const T* CheckedCast() const {
    return IsInstanceOf(T::kClassName()) ? static_cast<const T*>(this) : nullptr;
  }

  // The options of type T (by T::kName()) that this object was made with, or null. Owned by this
  // object; change them only before a database uses it.
  template <typename T>
  T* GetOptions() {
    return static_cast<T*>(const_cast<void*>(GetOptionsPtr(T::kName())));
  }
  template <typename T>
  const T* GetOptions() const {
    return static_cast<const T*>(GetOptionsPtr(T::kName()));
  }

  // The settings as text for the LOG file, several lines; may be empty.
  virtual std::string GetPrintableOptions() const { return ""; }

 protected:
  virtual const char* NickName() const { return ""; }
  virtual const void* GetOptionsPtr(const std::string& /*name*/) const { return nullptr; }
};

}  // namespace ROCKSDB_NAMESPACE
