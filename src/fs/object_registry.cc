// Factories by name: ObjectLibrary and ObjectRegistry.

#include "rocksdb/utilities/object_registry.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"
#include "fs/builtin_objects.h"
#include "rocksdb/env.h"

namespace cairn {
namespace {

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

// --- patterns

bool ObjectLibrary::PatternEntry::Fits(const std::string& text, Follows follows) {
  switch (follows) {
    case kNothing:
      return text.empty();
    case kAnyText:
      return true;
    case kSomeText:
      return !text.empty();
    case kInteger:
      return cairn::AllDigits(text);
    case kDecimal: {
      const size_t point = text.find('.');
      return point != std::string::npos && cairn::AllDigits(text.substr(0, point)) &&
             cairn::AllDigits(text.substr(point + 1));
    }
  }
  return false;
}

// Whether `target` goes on with all parts from position `at`, to its end.
bool ObjectLibrary::PatternEntry::MatchesParts(const std::string& target, size_t at) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const auto& [separator, follows] = parts_[i];
    if (target.compare(at, separator.size(), separator) != 0) return false;
    at += separator.size();
    const bool last = i + 1 == parts_.size();
    // What must not be empty is not ended by a separator at its very start.
    const size_t least = follows == kNothing || follows == kAnyText ? 0 : 1;
    const size_t end = last ? target.size()
                            : target.find(parts_[i + 1].first, std::min(at + least, target.size()));
    if (end == std::string::npos || !Fits(target.substr(at, end - at), follows)) return false;
    at = end;
  }
  return at == target.size();
}

bool ObjectLibrary::PatternEntry::Matches(const std::string& target) const {
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    if (!target.starts_with(name)) return false;
    if (target.size() == name.size()) return optional_ || parts_.empty();
    return MatchesParts(target, name.size());
  });
}

// --- a library

struct ObjectLibrary::Rep {
  struct Entry {
    PatternEntry pattern;
    std::shared_ptr<const void> factory;
    bool is_const;
  };

  mutable fiber::Mutex mu;
  // By type.
  std::map<std::string, std::vector<Entry>> entries FIBER_GUARDED_BY(mu);
};

ObjectLibrary::ObjectLibrary(const std::string& id) : id_(id), rep_(std::make_unique<Rep>()) {}

ObjectLibrary::~ObjectLibrary() = default;

std::shared_ptr<ObjectLibrary>& ObjectLibrary::Default() {
  // Never destroyed: static objects may use it until the very end.
  static auto& instance = *new auto(std::make_shared<ObjectLibrary>("default"));
  return instance;
}

void ObjectLibrary::Add(const char* type, const PatternEntry& entry,
                        std::shared_ptr<const void> factory, bool is_const) {
  fiber::MutexLock lock(&rep_->mu);
  rep_->entries[type].push_back({entry, std::move(factory), is_const});
}

std::shared_ptr<const void> ObjectLibrary::Find(const char* type, const std::string& target,
                                                bool* is_const) const {
  fiber::MutexLock lock(&rep_->mu);
  const auto found = rep_->entries.find(type);
  if (found == rep_->entries.end()) return nullptr;
  for (const Rep::Entry& entry : found->second) {
    if ((entry.is_const && !*is_const) || !entry.pattern.Matches(target)) continue;
    *is_const = entry.is_const;
    return entry.factory;
  }
  return nullptr;
}

size_t ObjectLibrary::GetFactoryCount(size_t* num_types) const {
  fiber::MutexLock lock(&rep_->mu);
  *num_types = rep_->entries.size();
  size_t count = 0;
  for (const auto& [type, entries] : rep_->entries) count += entries.size();
  return count;
}

size_t ObjectLibrary::GetFactoryCount(const std::string& type) const {
  fiber::MutexLock lock(&rep_->mu);
  const auto found = rep_->entries.find(type);
  return found == rep_->entries.end() ? 0 : found->second.size();
}

void ObjectLibrary::GetFactoryNames(const std::string& type,
                                    std::vector<std::string>* names) const {
  fiber::MutexLock lock(&rep_->mu);
  const auto found = rep_->entries.find(type);
  if (found == rep_->entries.end()) return;
  for (const Rep::Entry& entry : found->second) names->emplace_back(entry.pattern.Name());
}

void ObjectLibrary::GetFactoryTypes(std::unordered_set<std::string>* types) const {
  fiber::MutexLock lock(&rep_->mu);
  for (const auto& [type, entries] : rep_->entries) types->insert(type);
}

void ObjectLibrary::Dump(Logger* logger) const {
  std::unordered_set<std::string> types;
  GetFactoryTypes(&types);
  for (const std::string& type : types) {
    std::vector<std::string> names;
    GetFactoryNames(type, &names);
    Header(logger, "Library %s: %s: %s", id_.c_str(), type.c_str(), cairn::Joined(names).c_str());
  }
}

// --- a registry

struct ObjectRegistry::Rep {
  mutable fiber::Mutex mu;
  std::vector<std::shared_ptr<ObjectLibrary>> libraries FIBER_GUARDED_BY(mu);
  std::vector<std::string> plugins FIBER_GUARDED_BY(mu);
  // By type and id.
  std::map<std::pair<std::string, std::string>, std::weak_ptr<Customizable>> managed
      FIBER_GUARDED_BY(mu);
};

ObjectRegistry::ObjectRegistry(const std::shared_ptr<ObjectRegistry>& parent)
    : parent_(parent), rep_(std::make_unique<Rep>()) {}

ObjectRegistry::ObjectRegistry(const std::shared_ptr<ObjectLibrary>& library)
    : rep_(std::make_unique<Rep>()) {
  AddLibrary(library);
}

ObjectRegistry::~ObjectRegistry() = default;

std::shared_ptr<ObjectRegistry> ObjectRegistry::Default() {
  // Never destroyed: static objects may use it until the very end.
  static const auto& instance = *[] {
    auto* registry = new auto(std::make_shared<ObjectRegistry>(cairn::NewBuiltinLibrary()));
    (*registry)->AddLibrary(ObjectLibrary::Default());
    return registry;
  }();
  return instance;
}

std::shared_ptr<ObjectRegistry> ObjectRegistry::NewInstance() { return NewInstance(Default()); }

std::shared_ptr<ObjectRegistry> ObjectRegistry::NewInstance(
    const std::shared_ptr<ObjectRegistry>& parent) {
  return std::make_shared<ObjectRegistry>(parent);
}

std::shared_ptr<ObjectLibrary> ObjectRegistry::AddLibrary(const std::string& id) {
  auto library = std::make_shared<ObjectLibrary>(id);
  AddLibrary(library);
  return library;
}

void ObjectRegistry::AddLibrary(const std::shared_ptr<ObjectLibrary>& library) {
  fiber::MutexLock lock(&rep_->mu);
  rep_->libraries.push_back(library);
}

void ObjectRegistry::AddLibrary(const std::string& id, const RegistrarFunc& registrar,
                                const std::string& arg) {
  AddLibrary(id)->Register(registrar, arg);
}

int ObjectRegistry::RegisterPlugin(const std::string& name, const RegistrarFunc& func) {
  if (name.empty() || func == nullptr) return -1;
  {
    fiber::MutexLock lock(&rep_->mu);
    rep_->plugins.push_back(name);
  }
  return AddLibrary(name)->Register(func, name);
}

std::vector<std::shared_ptr<ObjectLibrary>> ObjectRegistry::Libraries() const {
  fiber::MutexLock lock(&rep_->mu);
  return {rep_->libraries.rbegin(), rep_->libraries.rend()};
}

Status ObjectRegistry::Unknown(const char* type, const std::string& target) const {
  std::vector<std::string> names;
  GetFactoryNames(type, &names);
  return Status::NotSupported(std::string("Could not load ") + type,
                              target + " (registered: " + cairn::Joined(names) + ")");
}

Status ObjectRegistry::Failed(const char* type, const std::string& target, const std::string& why) {
  return Status::InvalidArgument(std::string("Could not load ") + type,
                                 why.empty() ? target : target + ": " + why);
}

std::shared_ptr<Customizable> ObjectRegistry::KeepManaged(
    const char* type, const std::string& id, const std::shared_ptr<Customizable>& object) {
  fiber::MutexLock lock(&rep_->mu);
  std::erase_if(rep_->managed, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<Customizable>& place = rep_->managed[{type, id}];
  if (auto other = place.lock()) return other;
  place = object;
  return object;
}

std::shared_ptr<Customizable> ObjectRegistry::FindManaged(const char* type,
                                                          const std::string& id) const {
  {
    fiber::MutexLock lock(&rep_->mu);
    const auto found = rep_->managed.find({type, id});
    if (found != rep_->managed.end()) {
      if (auto object = found->second.lock()) return object;
    }
  }
  return parent_ == nullptr ? nullptr : parent_->FindManaged(type, id);
}

void ObjectRegistry::ListManaged(const char* type, const std::string& id,
                                 std::vector<std::shared_ptr<Customizable>>* found) const {
  std::vector<std::shared_ptr<Customizable>> living;
  {
    fiber::MutexLock lock(&rep_->mu);
    for (const auto& [key, weak] : rep_->managed) {
      if (key.first == type) living.push_back(weak.lock());
    }
  }
  for (auto& object : living) {
    if (object != nullptr && (id.empty() || object->IsInstanceOf(id))) {
      found->push_back(std::move(object));
    }
  }
  if (parent_ != nullptr) parent_->ListManaged(type, id, found);
}

size_t ObjectRegistry::GetFactoryCount(const std::string& type) const {
  size_t count = parent_ == nullptr ? 0 : parent_->GetFactoryCount(type);
  for (const auto& library : Libraries()) count += library->GetFactoryCount(type);
  return count;
}

void ObjectRegistry::GetFactoryNames(const std::string& type,
                                     std::vector<std::string>* names) const {
  if (parent_ != nullptr) parent_->GetFactoryNames(type, names);
  for (const auto& library : Libraries()) library->GetFactoryNames(type, names);
}

void ObjectRegistry::GetFactoryTypes(std::unordered_set<std::string>* types) const {
  if (parent_ != nullptr) parent_->GetFactoryTypes(types);
  for (const auto& library : Libraries()) library->GetFactoryTypes(types);
}

void ObjectRegistry::Dump(Logger* logger) const {
  std::vector<std::string> plugins;
  {
    fiber::MutexLock lock(&rep_->mu);
    plugins = rep_->plugins;
  }
  if (!plugins.empty()) Header(logger, "Registered plugins: %s", cairn::Joined(plugins).c_str());
  for (const auto& library : Libraries()) library->Dump(logger);
  if (parent_ != nullptr) parent_->Dump(logger);
}

}  // namespace ROCKSDB_NAMESPACE
