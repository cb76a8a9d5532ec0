// Making objects from their names: a program registers how a FileSystem or an Env (or a type of its
// own) is made, and gets it by a name or URI from text: an option, a command line.
//
//   static const auto& registered = ObjectLibrary::Default()->AddFactory<FileSystem>(
//       ObjectLibrary::PatternEntry("remote", false).AddSeparator("://"),
//       [](const std::string& uri, std::unique_ptr<FileSystem>* guard, std::string* message) {
//         *guard = ConnectTo(uri, message);  // null: *message says why
//         return guard->get();
//       });
//
// From then on FileSystem::CreateFromString(), Env::CreateFromUri() and db_bench's --fs_uri know
// URIs like "remote://host:9000". Registered from the start are the file systems "posix://" (files
// of the operating system) and "MemoryFileSystem" (a new, empty one), and the Env "MockEnv" (files
// in memory).
//
// A type T that is made so has `static const char* Type()`; one that is managed derives from
// Customizable. Everything here is thread-safe; factories are called without a lock held.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Logger;
class ObjectLibrary;

// Makes a T of what the target string says. The object is returned; who is to own it finds it in
// the unique_ptr too, while an object that lives for ever stands only in the return value. Null on
// failure; the last argument may then say why.
template <typename T>
using FactoryFunc = std::function<T*(const std::string&, std::unique_ptr<T>*, std::string*)>;

// Adds factories to a library and returns how many. Gets the argument that it was registered with.
using RegistrarFunc = std::function<int(ObjectLibrary&, const std::string&)>;

// Sets up an object that was just made.
template <typename T>
using ConfigureFunc = std::function<Status(T*)>;

// Factories by type and pattern.
class ObjectLibrary {
 public:
  // Which targets a factory takes: a name, followed by parts that each begin with a separator.
  class PatternEntry {
   public:
    // NAME, NAME@INSTANCE#PROCESS: what Customizable ids look like.
    static PatternEntry AsIndividualId(const std::string& name) {
      PatternEntry entry(name, true);
      entry.AddSeparator("@");
      entry.AddSeparator("#");
      return entry;
    }

    // With `optional` the name alone matches too, without the parts.
    explicit PatternEntry(const std::string& name, bool optional = true)
        : names_{name}, optional_(optional) {}

    // The target ends here, or goes on with the next separator.
    PatternEntry& AddSuffix(const std::string& suffix) { return Add(suffix, kNothing); }
    // Any text follows, with at_least_one not an empty one.
    PatternEntry& AddSeparator(const std::string& separator, bool at_least_one = true) {
      return Add(separator, at_least_one ? kSomeText : kAnyText);
    }
    // Digits follow, or else digits, a point and digits.
    PatternEntry& AddNumber(const std::string& separator, bool is_int = true) {
      return Add(separator, is_int ? kInteger : kDecimal);
    }
    // A second name for the same.
    PatternEntry& AnotherName(const std::string& alt) {
      names_.push_back(alt);
      return *this;
    }
    PatternEntry& SetOptional(bool optional) {
      optional_ = optional;
      return *this;
    }

    // Each separator is looked for from the left; there is no second try further right.
    bool Matches(const std::string& target) const;
    // The first name.
    const char* Name() const { return names_[0].c_str(); }

   private:
    enum Follows { kNothing, kAnyText, kSomeText, kInteger, kDecimal };

    PatternEntry& Add(const std::string& separator, Follows follows) {
      parts_.emplace_back(separator, follows);
      return *this;
    }
    bool MatchesParts(const std::string& target, size_t at) const;
    static bool Fits(const std::string& text, Follows follows);

    std::vector<std::string> names_;
    bool optional_;
    std::vector<std::pair<std::string, Follows>> parts_;
  };

  explicit ObjectLibrary(const std::string& id);
  ObjectLibrary(const ObjectLibrary&) = delete;
  ObjectLibrary& operator=(const ObjectLibrary&) = delete;
  ~ObjectLibrary();

  const std::string& GetID() const { return id_; }

  // Null if none takes the target; of several the one that was added first. For a `const T` one
  // that makes a T does as well.
  template <typename T>
  FactoryFunc<T> FindFactory(const std::string& target) const {
    using Plain = std::remove_const_t<T>;
    bool is_const = std::is_const_v<T>;
    const auto found = Find(T::Type(), target, &is_const);
    if (found == nullptr) return nullptr;
    if constexpr (std::is_const_v<T>) {
      if (!is_const) {
        return [factory = *static_cast<const FactoryFunc<Plain>*>(found.get())](
                   const std::string& uri, std::unique_ptr<T>* guard, std::string* message) -> T* {
          std::unique_ptr<Plain> made;
          T* object = factory(uri, &made, message);
          *guard = std::move(made);
          return object;
        };
      }
    }
    return *static_cast<const FactoryFunc<T>*>(found.get());
  }

  // All, and the number of types among them; or those of one type.
  size_t GetFactoryCount(size_t* num_types) const;
  size_t GetFactoryCount(const std::string& type) const;
  // Adds the names of the type's factories to *names.
  void GetFactoryNames(const std::string& type, std::vector<std::string>* names) const;
  void GetFactoryTypes(std::unordered_set<std::string>* types) const;
  // Writes what is registered, a line for each type.
  void Dump(Logger* logger) const;

  // For this very name, or for what matches the pattern. Returns a copy that lives as long as the
  // library.
  template <typename T>
  const FactoryFunc<T>& AddFactory(const std::string& name, const FactoryFunc<T>& func) {
    return AddFactory<T>(PatternEntry(name), func);
  }
  template <typename T>
  const FactoryFunc<T>& AddFactory(const PatternEntry& entry, const FactoryFunc<T>& func) {
    const auto kept = std::make_shared<const FactoryFunc<T>>(func);
    Add(T::Type(), entry, kept, std::is_const_v<T>);
    return *kept;
  }

  int Register(const RegistrarFunc& registrar, const std::string& arg) {
    return registrar(*this, arg);
  }

  // The library that every registry knows. Lives as long as the program.
  static std::shared_ptr<ObjectLibrary>& Default();

 private:
  // A factory is kept without its type, which `type` stands for.
  void Add(const char* type, const PatternEntry& entry, std::shared_ptr<const void> factory,
           bool is_const);
  // One that makes const objects only if *is_const, which becomes whether it does.
  std::shared_ptr<const void> Find(const char* type, const std::string& target,
                                   bool* is_const) const;

  struct Rep;
  const std::string id_;
  const std::unique_ptr<Rep> rep_;
};

// Makes objects with the factories of its libraries, and those of its parent; later libraries come
// before earlier ones. May keep track of objects that exist once for each id.
class ObjectRegistry {
 public:
  // A child of `parent`, by default of Default(); what is added to it is seen by it alone.
  static std::shared_ptr<ObjectRegistry> NewInstance();
  static std::shared_ptr<ObjectRegistry> NewInstance(const std::shared_ptr<ObjectRegistry>& parent);
  // Knows ObjectLibrary::Default() and what Cairn itself registers. Lives as long as the program.
  static std::shared_ptr<ObjectRegistry> Default();

  explicit ObjectRegistry(const std::shared_ptr<ObjectRegistry>& parent);
  explicit ObjectRegistry(const std::shared_ptr<ObjectLibrary>& library);
  ObjectRegistry(const ObjectRegistry&) = delete;
  ObjectRegistry& operator=(const ObjectRegistry&) = delete;
  ~ObjectRegistry();

  std::shared_ptr<ObjectLibrary> AddLibrary(const std::string& id);
  void AddLibrary(const std::shared_ptr<ObjectLibrary>& library);
  void AddLibrary(const std::string& id, const RegistrarFunc& registrar, const std::string& arg);
  // A library of its own, named `name`, which `func` also gets as its argument. Returns what `func`
  // returns, -1 if there is no name or function.
  int RegisterPlugin(const std::string& name, const RegistrarFunc& func);

  // The object that `target` names. NotSupported if no factory takes it (the message says which
  // there are), InvalidArgument if the factory failed. *guard owns it, or nobody (FactoryFunc).
  template <typename T>
  Status NewObject(const std::string& target, T** object, std::unique_ptr<T>* guard) {
    guard->reset();
    const FactoryFunc<T> factory = FindFactory<T>(target);
    if (factory == nullptr) return Unknown(T::Type(), target);
    std::string message;
    *object = factory(target, guard, &message);
    return *object != nullptr ? Status::OK() : Failed(T::Type(), target, message);
  }

  // The same for an object with an owner: InvalidArgument if nobody is to own it.
  template <typename T>
  Status NewUniqueObject(const std::string& target, std::unique_ptr<T>* result) {
    T* object = nullptr;
    std::unique_ptr<T> guard;
    Status s = NewObject(target, &object, &guard);
    if (s.ok() && guard == nullptr) s = Failed(T::Type(), target, "the object is not the caller's");
    if (s.ok()) *result = std::move(guard);
    return s;
  }
  template <typename T>
  Status NewSharedObject(const std::string& target, std::shared_ptr<T>* result) {
    std::unique_ptr<T> object;
    Status s = NewUniqueObject(target, &object);
    if (s.ok()) *result = std::move(object);
    return s;
  }

  // The same for an object that lives for ever: InvalidArgument if it wants an owner.
  template <typename T>
  Status NewStaticObject(const std::string& target, T** result) {
    T* object = nullptr;
    std::unique_ptr<T> guard;
    Status s = NewObject(target, &object, &guard);
    if (s.ok() && guard != nullptr) s = Failed(T::Type(), target, "the object needs an owner");
    if (s.ok()) *result = object;
    return s;
  }

  // Lets the object be found by its id (by default its own) as long as it lives; the registry does
  // not own it. InvalidArgument if another one has that id.
  template <typename T>
  Status SetManagedObject(const std::shared_ptr<T>& object) {
    return SetManagedObject<T>(object->GetId(), object);
  }
  template <typename T>
  Status SetManagedObject(const std::string& id, const std::shared_ptr<T>& object) {
    return KeepManaged(T::Type(), id, object) == object
               ? Status::OK()
               : Failed(T::Type(), id, "another object has this id");
  }
  // Null if there is none, here and in the parents.
  template <typename T>
  std::shared_ptr<T> GetManagedObject(const std::string& id) const {
    return std::static_pointer_cast<T>(FindManaged(T::Type(), id));
  }
  // Those of the type that are instances of `id` (Customizable::IsInstanceOf); all if it is empty.
  template <typename T>
  Status ListManagedObjects(const std::string& id, std::vector<std::shared_ptr<T>>* results) const {
    results->clear();
    std::vector<std::shared_ptr<Customizable>> found;
    ListManaged(T::Type(), id, &found);
    for (const auto& object : found) results->push_back(std::static_pointer_cast<T>(object));
    return Status::OK();
  }
  template <typename T>
  Status ListManagedObjects(std::vector<std::shared_ptr<T>>* results) const {
    return ListManagedObjects<T>("", results);
  }
  // The managed object of this id; where there is none a new one, after `cfunc` has set it up.
  // When several do so at once, they all get the same.
  template <typename T>
  Status GetOrCreateManagedObject(const std::string& id, std::shared_ptr<T>* result,
                                  const ConfigureFunc<T>& cfunc = nullptr) {
    std::shared_ptr<T> object = GetManagedObject<T>(id);
    if (object == nullptr) {
      Status s = NewSharedObject(id, &object);
      if (s.ok() && cfunc != nullptr) s = cfunc(object.get());
      if (!s.ok()) return s;
      object = std::static_pointer_cast<T>(KeepManaged(T::Type(), id, object));
    }
    *result = std::move(object);
    return Status::OK();
  }

  // Of the libraries of this registry and its parents.
  size_t GetFactoryCount(const std::string& type) const;
  void GetFactoryNames(const std::string& type, std::vector<std::string>* names) const;
  void GetFactoryTypes(std::unordered_set<std::string>* types) const;
  void Dump(Logger* logger) const;

 private:
  template <typename T>
  FactoryFunc<T> FindFactory(const std::string& target) const {
    for (const auto& library : Libraries()) {
      FactoryFunc<T> factory = library->template FindFactory<T>(target);
      if (factory != nullptr) return factory;
    }
    return parent_ == nullptr ? nullptr : parent_->FindFactory<T>(target);
  }

  // In the order in which they are asked.
  std::vector<std::shared_ptr<ObjectLibrary>> Libraries() const;
  Status Unknown(const char* type, const std::string& target) const;
  static Status Failed(const char* type, const std::string& target, const std::string& why);
  // The living object of that id, which is `object` if there was none.
  std::shared_ptr<Customizable> KeepManaged(const char* type, const std::string& id,
                                            const std::shared_ptr<Customizable>& object);
  std::shared_ptr<Customizable> FindManaged(const char* type, const std::string& id) const;
  void ListManaged(const char* type, const std::string& id,
                   std::vector<std::shared_ptr<Customizable>>* found) const;

  struct Rep;
  const std::shared_ptr<ObjectRegistry> parent_;
  const std::unique_ptr<Rep> rep_;
};

}  // namespace ROCKSDB_NAMESPACE
