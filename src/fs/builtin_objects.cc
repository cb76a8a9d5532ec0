// File systems, Envs, memory allocators, compaction filters and so on by name: what is built in,
// and the functions of the public API that take a name or a URI.

#include "fs/builtin_objects.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "base/memtable_factory.h"
#include "fs/encryption.h"
#include "fs/fiber_file_system.h"
#include "fs/memory_file_system.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/listener.h"
#include "rocksdb/memory_allocator.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/customizable_util.h"
#include "rocksdb/wal_filter.h"

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

size_t NumberInId(const std::string& id) {
  const size_t colon = id.find(':');
  return colon == std::string::npos ? 0 : std::strtoull(id.c_str() + colon + 1, nullptr, 10);
}

// Under its two names, which ":N" may follow: `make` gets that number, 0 for none.
template <typename T, typename Make>
void RegisterMemtable(ObjectLibrary* library, Make make) {
  auto pattern = ObjectLibrary::PatternEntry(T::kClassName()).AnotherName(T::kNickName());
  pattern.AddNumber(":");
  library->AddFactory<MemTableRepFactory>(
      pattern, [make](const std::string& id, std::unique_ptr<MemTableRepFactory>* guard,
                      std::string* /*message*/) {
        *guard = make(NumberInId(id));
        return guard->get();
      });
}

void RegisterMemtables(ObjectLibrary* library) {
  RegisterMemtable<SkipListFactory>(library, std::make_unique<SkipListFactory, size_t>);
  RegisterMemtable<VectorRepFactory>(library, std::make_unique<VectorRepFactory, size_t>);
  RegisterMemtable<HashSkipListRepFactory>(library, [](size_t buckets) {
    HashSkipListRepOptions options;
    if (buckets != 0) options.bucket_count = buckets;
    return std::make_unique<HashSkipListRepFactory>(options);
  });
  RegisterMemtable<HashLinkListRepFactory>(library, [](size_t buckets) {
    HashLinkListRepOptions options;
    if (buckets != 0) options.bucket_count = buckets;
    return std::make_unique<HashLinkListRepFactory>(options);
  });
  // A kind that RocksDB had once.
  library->AddFactory<MemTableRepFactory>(
      "cuckoo",
      [](const std::string& /*id*/, std::unique_ptr<MemTableRepFactory>* /*guard*/,
         std::string* message) -> MemTableRepFactory* {
        *message = "cuckoo hash memtable is not supported anymore.";
        return nullptr;
      });
}

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
  RegisterEncryptedFileSystem(library.get());
  RegisterMemtables(library.get());
  return library;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

ConfigOptions::ConfigOptions() : registry(ObjectRegistry::NewInstance()) {}

ConfigOptions::ConfigOptions(const DBOptions& db_options)
    : env(db_options.env), registry(ObjectRegistry::NewInstance()) {}

Status FileSystem::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                    std::shared_ptr<FileSystem>* result) {
  std::string id;
  std::unordered_map<std::string, std::string> settings;
  Status s = Customizable::GetOptionsMap(config_options, nullptr, value, &id, &settings);
  if (!s.ok()) return s;
  if (!settings.empty() || !Default()->IsInstanceOf(id)) {
    return LoadSharedObject(config_options, value, result);
  }
  *result = Default();
  return s;
}

Status Env::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                             Env** result) {
  if (!value.empty() && value != kDefaultName()) {
    Env* env = nullptr;
    Status s = LoadStaticObject(config_options, value, &env);
    if (s.ok() && env != nullptr) *result = env;
    return s;
  }
  *result = Default();
  return Status::OK();
}

Status Env::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                             Env** result, std::shared_ptr<Env>* guard) {
  std::string id;
  std::unordered_map<std::string, std::string> settings;
  Status s = Customizable::GetOptionsMap(config_options, nullptr, value, &id, &settings);
  Env* env = Default();
  std::unique_ptr<Env> owned;
  if (s.ok() && !id.empty() && id != kDefaultName()) {
    s = customizable_detail::RegistryOf(config_options).NewObject(id, &env, &owned);
    if (s.IsNotSupported() && config_options.ignore_unsupported_options) return Status::OK();
    if (s.ok()) s = Customizable::ConfigureNewObject(config_options, env, settings);
  }
  if (!s.ok()) return s;
  *result = env;
  *guard = std::move(owned);
  return s;
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
  return LoadSharedObject(options, value, result);
}

Status NewJemallocNodumpAllocator(JemallocAllocatorOptions& /*options*/,
                                  std::shared_ptr<MemoryAllocator>* /*memory_allocator*/) {
  return Status::NotSupported("Not compiled with JEMALLOC");
}

Status CompactionFilter::CreateFromString(const ConfigOptions& config_options,
                                          const std::string& name,
                                          const CompactionFilter** result) {
  return LoadStaticObject(config_options, name, result);
}

Status CompactionFilterFactory::CreateFromString(const ConfigOptions& config_options,
                                                 const std::string& name,
                                                 std::shared_ptr<CompactionFilterFactory>* result) {
  return LoadSharedObject(config_options, name, result);
}

Status EventListener::CreateFromString(const ConfigOptions& options, const std::string& id,
                                       std::shared_ptr<EventListener>* result) {
  return LoadSharedObject(options, id, result);
}

Status WalFilter::CreateFromString(const ConfigOptions& options, const std::string& value,
                                   WalFilter** result) {
  return LoadStaticObject(options, value, result);
}

Status Statistics::CreateFromString(const ConfigOptions& options, const std::string& value,
                                    std::shared_ptr<Statistics>* result) {
  if (!value.empty() && value != "BasicStatistics") {
    return LoadSharedObject(options, value, result);
  }
  *result = CreateDBStatistics();
  return Status::OK();
}

Status BlockCipher::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                     std::shared_ptr<BlockCipher>* result) {
  return LoadSharedObject(config_options, value, result);
}

Status EncryptionProvider::CreateFromString(const ConfigOptions& config_options,
                                            const std::string& value,
                                            std::shared_ptr<EncryptionProvider>* result) {
  return LoadSharedObject(config_options, value, result);
}

}  // namespace ROCKSDB_NAMESPACE
