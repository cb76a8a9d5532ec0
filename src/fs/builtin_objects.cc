// File systems, Envs, memory allocators and compaction filters by name: what is built in, and the
// functions of the public API that take a name or a URI.

#include "fs/builtin_objects.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "fs/encryption.h"
#include "fs/fiber_file_system.h"
#include "fs/memory_file_system.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/memory_allocator.h"

namespace cairn {

namespace {

class DefaultMemoryAllocator final : public MemoryAllocator {
 public:
  static const char* kClassName() { return "DefaultMemoryAllocator"; }
  const char* Name() const override { return kClassName(); }
  void* Allocate(size_t size) override { return std::malloc(size); }
  void Deallocate(void* p) override { std::free(p); }
};

// RocksDB's, which its options texts and OPTIONS files may name: an empty value is none.
class RemoveEmptyValueCompactionFilter final : public CompactionFilter {
 public:
  static const char* kClassName() { return "RemoveEmptyValueCompactionFilter"; }
  const char* Name() const override { return kClassName(); }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& existing_value,
              std::string* /*new_value*/, bool* /*value_changed*/) const override {
    return existing_value.empty();
  }
};

}  // namespace

std::shared_ptr<ObjectLibrary> NewBuiltinLibrary() {
  auto library = std::make_shared<ObjectLibrary>("builtin");
  library->AddFactory<FileSystem>(
      ObjectLibrary::PatternEntry("posix").AddSeparator("://", false),
      [](const std::string& /*uri*/, std::unique_ptr<FileSystem>* guard, std::string* /*message*/) {
        *guard = NewFiberFileSystem();
        return guard->get();
      });
  library->AddFactory<FileSystem>(
      MemoryFileSystem::kClassName(),
      [](const std::string& /*name*/, std::unique_ptr<FileSystem>* guard,
         std::string* /*message*/) {
        *guard = std::make_unique<MemoryFileSystem>(MemoryFileSystem::Durability::kUntracked);
        return guard->get();
      });
  library->AddFactory<Env>("MockEnv", [](const std::string& /*name*/, std::unique_ptr<Env>* guard,
                                         std::string* /*message*/) {
    guard->reset(NewMemEnv(nullptr));
    return guard->get();
  });
  library->AddFactory<MemoryAllocator>(
      DefaultMemoryAllocator::kClassName(),
      [](const std::string& /*name*/, std::unique_ptr<MemoryAllocator>* guard,
         std::string* /*message*/) {
        *guard = std::make_unique<DefaultMemoryAllocator>();
        return guard->get();
      });
  library->AddFactory<CompactionFilter>(
      RemoveEmptyValueCompactionFilter::kClassName(),
      [](const std::string& /*name*/, std::unique_ptr<CompactionFilter>* /*guard*/,
         std::string* /*message*/) -> CompactionFilter* {
        static auto* const filter = new RemoveEmptyValueCompactionFilter;
        return filter;
      });
  RegisterEncryption(library.get());
  return library;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

ConfigOptions::ConfigOptions() : registry(ObjectRegistry::NewInstance()) {}

ConfigOptions::ConfigOptions(const DBOptions& db_options)
    : env(db_options.env), registry(ObjectRegistry::NewInstance()) {}

namespace {

// "NAME", or "id=NAME" as in an options text. Settings for the object are not supported.
Status IdOf(const char* type, const std::string& value, std::string* id) {
  if (!value.starts_with("id=")) {
    *id = value;
    return Status::OK();
  }
  *id = value.substr(3);
  const size_t end = id->find(';');
  if (end != std::string::npos && end + 1 < id->size()) {
    return Status::InvalidArgument(std::string(type) + ": no settings can be given", value);
  }
  id->resize(std::min(end, id->size()));
  return Status::OK();
}

// What is not known is no error where the caller wants it so: the result then stays as it is.
Status Excused(const ConfigOptions& options, Status s) {
  return s.IsNotSupported() && options.ignore_unsupported_options ? Status::OK() : s;
}

ObjectRegistry& RegistryOf(const ConfigOptions& options) {
  return options.registry != nullptr ? *options.registry : *ObjectRegistry::Default();
}

template <typename T>
Status SharedFromString(const ConfigOptions& options, const std::string& value,
                        std::shared_ptr<T>* result) {
  std::string id;
  Status s = IdOf(T::Type(), value, &id);
  if (!s.ok()) return s;
  if (id.empty() || id == "nullptr") {
    result->reset();
    return s;
  }
  return Excused(options, RegistryOf(options).NewSharedObject(id, result));
}

}  // namespace

Status FileSystem::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                    std::shared_ptr<FileSystem>* result) {
  std::string id;
  Status s = IdOf(Type(), value, &id);
  if (!s.ok()) return s;
  if (id.empty()) {
    result->reset();
    return Status::OK();
  }
  if (Default()->IsInstanceOf(id)) {
    *result = Default();
    return Status::OK();
  }
  return Excused(config_options, RegistryOf(config_options).NewSharedObject(id, result));
}

Status Env::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                             Env** result) {
  std::string id;
  Status s = IdOf(Type(), value, &id);
  if (!s.ok()) return s;
  if (id.empty() || id == kDefaultName()) {
    *result = Default();
    return Status::OK();
  }
  return Excused(config_options, RegistryOf(config_options).NewStaticObject(id, result));
}

Status Env::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                             Env** result, std::shared_ptr<Env>* guard) {
  std::string id;
  Status s = IdOf(Type(), value, &id);
  if (!s.ok()) return s;
  Env* env = Default();
  std::unique_ptr<Env> owned;
  if (!id.empty() && id != kDefaultName()) {
    s = RegistryOf(config_options).NewObject(id, &env, &owned);
    if (!s.ok()) return Excused(config_options, std::move(s));
  }
  *result = env;
  *guard = std::move(owned);
  return Status::OK();
}

Status Env::CreateFromUri(const ConfigOptions& config_options, const std::string& env_uri,
                          const std::string& fs_uri, Env** result, std::shared_ptr<Env>* guard) {
  if (!env_uri.empty() && !fs_uri.empty()) {
    return Status::InvalidArgument("cannot specify both fs_uri and env_uri");
  }
  *result = config_options.env;
  if (fs_uri.empty()) {
    guard->reset();
    return env_uri.empty() ? Status::OK()
                           : CreateFromString(config_options, env_uri, result, guard);
  }
  std::shared_ptr<FileSystem> fs;
  ConfigOptions strict = config_options;
  strict.ignore_unsupported_options = false;  // there is no Env without files
  Status s = FileSystem::CreateFromString(strict, fs_uri, &fs);
  if (!s.ok()) return s;
  if (fs == nullptr) return Status::InvalidArgument("no file system is named", fs_uri);
  *guard = NewCompositeEnv(fs);
  *result = guard->get();
  return Status::OK();
}

Status MemoryAllocator::CreateFromString(const ConfigOptions& options, const std::string& value,
                                         std::shared_ptr<MemoryAllocator>* result) {
  return SharedFromString(options, value, result);
}

Status NewJemallocNodumpAllocator(JemallocAllocatorOptions& /*options*/,
                                  std::shared_ptr<MemoryAllocator>* /*memory_allocator*/) {
  return Status::NotSupported("Not compiled with JEMALLOC");
}

Status CompactionFilter::CreateFromString(const ConfigOptions& config_options,
                                          const std::string& name,
                                          const CompactionFilter** result) {
  std::string id;
  Status s = IdOf(Type(), name, &id);
  if (!s.ok()) return s;
  CompactionFilter* filter = nullptr;
  if (!id.empty() && id != "nullptr") {
    s = RegistryOf(config_options).NewStaticObject(id, &filter);
    if (!s.ok()) return Excused(config_options, std::move(s));
  }
  *result = filter;
  return s;
}

Status CompactionFilterFactory::CreateFromString(const ConfigOptions& config_options,
                                                 const std::string& name,
                                                 std::shared_ptr<CompactionFilterFactory>* result) {
  return SharedFromString(config_options, name, result);
}

Status BlockCipher::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                     std::shared_ptr<BlockCipher>* result) {
  return SharedFromString(config_options, value, result);
}

Status EncryptionProvider::CreateFromString(const ConfigOptions& config_options,
                                            const std::string& value,
                                            std::shared_ptr<EncryptionProvider>* result) {
  return SharedFromString(config_options, value, result);
}

}  // namespace ROCKSDB_NAMESPACE
