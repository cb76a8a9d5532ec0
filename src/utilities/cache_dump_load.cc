#include "rocksdb/utilities/cache_dump_load.h"

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/namespace.h"
#include "db/db_impl.h"
#include "fs/file_writer.h"
#include "rocksdb/version.h"
#include "table/block_cache_key.h"
#include "table/cached_block.h"
#include "table/compressed_secondary_cache.h"
#include "utilities/cache_dump.h"

namespace cairn {
namespace {

constexpr const char* kMagic = "feedcafedeadbeef";
// What is in the values, and under which keys.
constexpr const char* kFormat = "Format: Cairn's blocks, as for a secondary cache";

std::string HeaderOfDump() {
  return std::string(kMagic) +
         "\tCache dump format version: " + std::to_string(kCacheDumpMajorVersion) + "." +
         std::to_string(kCacheDumpMinorVersion) +
         "\tRocksDB Version: " + std::to_string(ROCKSDB_MAJOR) + "." +
         std::to_string(ROCKSDB_MINOR) + "\t" + kFormat + "\n";
}

Status CheckHeaderOfDump(const DumpUnit& unit) {
  const std::string text = unit.value.ToString();
  if (unit.type != DumpUnitType::kHeader || !text.starts_with(kMagic)) {
    return Status::Corruption("not a dump of a block cache");
  }
  const std::string version =
      "\tCache dump format version: " + std::to_string(kCacheDumpMajorVersion) + "." +
      std::to_string(kCacheDumpMinorVersion) + "\t";
  if (text.find(version) == std::string::npos) {
    return Status::NotSupported("a dump of a block cache in another version", text);
  }
  if (text.find(kFormat) == std::string::npos) {
    return Status::NotSupported("a dump of RocksDB's block cache, whose keys are others", text);
  }
  return Status::OK();
}

// --- The file: each piece with its size in 4 bytes before it.

class FileDumpWriter final : public CacheDumpWriter {
 public:
  explicit FileDumpWriter(std::unique_ptr<FileWriter> file) : file_(std::move(file)) {}
  IOStatus WriteMetadata(const Slice& metadata) override { return Add(metadata); }
  IOStatus WritePacket(const Slice& data) override { return Add(data); }
  IOStatus Close() override { return file_->Close(); }

 private:
  IOStatus Add(const Slice& bytes) {
    std::string size;
    PutFixed32(&size, static_cast<uint32_t>(bytes.size()));
    IOStatus s = file_->Append(size);
    return s.ok() ? file_->Append(bytes) : s;
  }

  const std::unique_ptr<FileWriter> file_;
};

class FileDumpReader final : public CacheDumpReader {
 public:
  FileDumpReader(std::unique_ptr<FSSequentialFile> file, std::string name, uint64_t size)
      : file_(std::move(file)), name_(std::move(name)), left_(size) {}
  IOStatus ReadMetadata(std::string* metadata) override { return Next(metadata); }
  IOStatus ReadPacket(std::string* data) override { return Next(data); }

 private:
  IOStatus Next(std::string* bytes) {
    std::string size;
    IOStatus s = Read(sizeof(uint32_t), &size);
    return s.ok() ? Read(DecodeFixed32(size.data()), bytes) : s;
  }
  IOStatus Read(uint64_t n, std::string* bytes) {
    if (n > left_) return IOStatus::Corruption("the dump of a block cache is cut off", name_);
    bytes->resize(n);
    Slice got;
    IOStatus s = file_->Read(n, IOOptions(), &got, bytes->data(), nullptr);
    if (!s.ok()) return s;
    if (got.size() != n) {
      return IOStatus::Corruption("the dump of a block cache is cut off", name_);
    }
    if (got.data() != bytes->data()) bytes->assign(got.data(), n);
    left_ -= n;
    return s;
  }

  const std::unique_ptr<FSSequentialFile> file_;
  const std::string name_;
  uint64_t left_;  // bytes
};

// --- The dump

struct DumpedKind {
  DumpUnitType type;
  CachedBlock kind;
  const Cache::CacheItemHelper* helper;
};

const std::array<DumpedKind, 3>& DumpedKinds() {
  static const std::array<DumpedKind, 3> kinds = {{
      {DumpUnitType::kData, CachedBlock::kData, DataBlockHelper()},
      {DumpUnitType::kIndex, CachedBlock::kIndex, IndexBlockHelper()},
      {DumpUnitType::kFilter, CachedBlock::kFilter, FilterBlockHelper()},
  }};
  return kinds;
}

// Null: not a block of a table.
const DumpedKind* KindOf(Cache::DeleterFn deleter) {
  for (const DumpedKind& one : DumpedKinds()) {
    if (one.helper->del_cb == deleter) return &one;
  }
  return nullptr;
}

class CacheDumperImpl final : public CacheDumper {
 public:
  CacheDumperImpl(const CacheDumpOptions& options, std::shared_ptr<Cache> cache,
                  std::unique_ptr<CacheDumpWriter> writer)
      : options_(options), cache_(std::move(cache)), writer_(std::move(writer)) {}

  Status SetDumpFilter(std::vector<DB*> db_list) override {
    std::unordered_set<std::string> prefixes;
    for (DB* const db : db_list) {
      auto* const own = db == nullptr ? nullptr : dynamic_cast<DBImpl*>(db->GetRootDB());
      if (own == nullptr) return Status::InvalidArgument("A dump of a cache: not a database");
      std::vector<uint64_t> of_tables;
      Status s = own->GetBlockCachePrefixes(&of_tables);
      if (!s.ok()) return s;
      for (const uint64_t prefix : of_tables) {
        for (const DumpedKind& one : DumpedKinds()) {
          prefixes.insert(PrefixOf(BlockCacheKey(prefix, one.kind, 0).slice()));
        }
      }
    }
    all_ = db_list.empty();
    prefixes_ = std::move(prefixes);
    return Status::OK();
  }

  IOStatus DumpCacheEntriesToWriter() override {
    if (cache_ == nullptr) return IOStatus::InvalidArgument("Cache is null");
    if (writer_ == nullptr) return IOStatus::InvalidArgument("CacheDumpWriter is null");
    if (options_.clock == nullptr) return IOStatus::InvalidArgument("System clock is null");
    sequence_ = 0;
    bytes_ = 0;
    IOStatus s = WriteUnit(DumpUnitType::kHeader, "header", HeaderOfDump());
    // First the keys: while the cache is gone through nothing may be written.
    std::vector<std::string> keys;
    if (s.ok()) {
      cache_->ApplyToAllEntries(
          [&](const Slice& key, void* /*value*/, size_t /*charge*/, Cache::DeleterFn deleter) {
            if (KindOf(deleter) != nullptr && IsWanted(key)) keys.push_back(key.ToString());
          },
          {});
    }
    for (const std::string& key : keys) {
      if (!s.ok() || IsEnough()) break;
      s = WriteBlock(key);
    }
    if (s.ok()) s = WriteUnit(DumpUnitType::kFooter, "footer", "cache dump completed");
    IOStatus closed = writer_->Close();
    return s.ok() ? closed : s;
  }

 private:
  static std::string PrefixOf(const Slice& key) { return std::string(key.data(), 8); }
  bool IsWanted(const Slice& key) const {
    return all_ || (key.size() >= 8 && prefixes_.count(PrefixOf(key)) != 0);
  }
  bool IsEnough() const {
    if (options_.max_size_bytes > 0 && bytes_ >= options_.max_size_bytes) return true;
    return options_.deadline.count() > 0 &&
           options_.clock->NowMicros() >= static_cast<uint64_t>(options_.deadline.count());
  }

  // Of what is there still.
  IOStatus WriteBlock(const std::string& key) {
    Cache::Handle* const handle = cache_->Lookup(key);
    if (handle == nullptr) return IOStatus::OK();
    IOStatus s;
    if (const DumpedKind* const kind = KindOf(cache_->GetDeleter(handle))) {
      void* const value = cache_->Value(handle);
      std::string saved(kind->helper->size_cb(value), '\0');
      s = status_to_io_status(kind->helper->saveto_cb(value, 0, saved.size(), saved.data()));
      if (s.ok()) s = WriteUnit(kind->type, key, saved);
    }
    cache_->Release(handle);
    return s;
  }
  IOStatus WriteUnit(DumpUnitType type, const Slice& key, const Slice& value) {
    DumpUnit unit;
    unit.micros = options_.clock->NowMicros();
    unit.type = type;
    unit.key = key;
    unit.value = value;
    std::string metadata, packet;
    EncodeDumpUnit(unit, sequence_++, &metadata, &packet);
    bytes_ += metadata.size() + packet.size();
    IOStatus s = writer_->WriteMetadata(metadata);
    return s.ok() ? writer_->WritePacket(packet) : s;
  }

  const CacheDumpOptions options_;
  const std::shared_ptr<Cache> cache_;
  const std::unique_ptr<CacheDumpWriter> writer_;
  bool all_ = true;
  std::unordered_set<std::string> prefixes_;  // of keys
  uint32_t sequence_ = 0;                     // of the next unit
  uint64_t bytes_ = 0;
};

// --- And back

size_t SizeOfSaved(void* value) { return static_cast<std::string*>(value)->size(); }
Status CopySaved(void* value, size_t offset, size_t length, void* out) {
  const auto& saved = *static_cast<std::string*>(value);
  if (offset > saved.size() || length > saved.size() - offset) {
    return Status::InvalidArgument("a part of a saved block that it does not have");
  }
  std::memcpy(out, saved.data() + offset, length);
  return Status::OK();
}
void LeaveSaved(const Slice& /*key*/, void* /*value*/) {}  // it is the loader's

class CacheDumpedLoaderImpl final : public CacheDumpedLoader {
 public:
  CacheDumpedLoaderImpl(std::shared_ptr<SecondaryCache> cache,
                        std::unique_ptr<CacheDumpReader> reader)
      : cache_(std::move(cache)), reader_(std::move(reader)) {}

  IOStatus RestoreCacheEntriesToSecondaryCache() override {
    if (cache_ == nullptr) return IOStatus::InvalidArgument("Secondary Cache is null");
    if (reader_ == nullptr) return IOStatus::InvalidArgument("CacheDumpReader is null");
    Status s;
    for (uint32_t sequence = 0; s.ok(); ++sequence) {
      std::string metadata, packet;
      DumpUnit unit;
      s = reader_->ReadMetadata(&metadata);
      if (s.ok()) s = reader_->ReadPacket(&packet);
      if (s.ok()) s = DecodeDumpUnit(metadata, packet, sequence, &unit);
      if (!s.ok()) break;
      if (sequence == 0) {
        s = CheckHeaderOfDump(unit);
      } else if (unit.type == DumpUnitType::kFooter) {
        break;
      } else {
        s = Insert(unit.key, unit.value.ToString());
      }
    }
    return status_to_io_status(std::move(s));
  }

 private:
  Status Insert(const Slice& key, std::string saved) {
    // Our own would take a block that it does not know at the second time only.
    if (auto* const own = dynamic_cast<CompressedSecondaryCache*>(cache_.get())) {
      return own->InsertSaved(key, std::move(saved));
    }
    static const Cache::CacheItemHelper helper(&SizeOfSaved, &CopySaved, &LeaveSaved);
    return cache_->Insert(key, &saved, &helper);
  }

  const std::shared_ptr<SecondaryCache> cache_;
  const std::unique_ptr<CacheDumpReader> reader_;
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

IOStatus NewToFileCacheDumpWriter(const std::shared_ptr<FileSystem>& fs,
                                  const FileOptions& file_opts, const std::string& file_name,
                                  std::unique_ptr<CacheDumpWriter>* writer) {
  std::unique_ptr<cairn::FileWriter> file;
  IOStatus s = cairn::FileWriter::Open(fs.get(), file_name, file_opts, &file);
  if (s.ok()) *writer = std::make_unique<cairn::FileDumpWriter>(std::move(file));
  return s;
}

IOStatus NewFromFileCacheDumpReader(const std::shared_ptr<FileSystem>& fs,
                                    const FileOptions& file_opts, const std::string& file_name,
                                    std::unique_ptr<CacheDumpReader>* reader) {
  uint64_t size = 0;
  std::unique_ptr<FSSequentialFile> file;
  IOStatus s = fs->GetFileSize(file_name, IOOptions(), &size, nullptr);
  if (s.ok()) s = fs->NewSequentialFile(file_name, file_opts, &file, nullptr);
  if (s.ok()) *reader = std::make_unique<cairn::FileDumpReader>(std::move(file), file_name, size);
  return s;
}

Status NewDefaultCacheDumper(const CacheDumpOptions& dump_options,
                             const std::shared_ptr<Cache>& cache,
                             std::unique_ptr<CacheDumpWriter>&& writer,
                             std::unique_ptr<CacheDumper>* cache_dumper) {
  *cache_dumper = std::make_unique<cairn::CacheDumperImpl>(dump_options, cache, std::move(writer));
  return Status::OK();
}

Status NewDefaultCacheDumpedLoader(const CacheDumpOptions& /*dump_options*/,
                                   const BlockBasedTableOptions& /*toptions*/,
                                   const std::shared_ptr<SecondaryCache>& secondary_cache,
                                   std::unique_ptr<CacheDumpReader>&& reader,
                                   std::unique_ptr<CacheDumpedLoader>* cache_dump_loader) {
  *cache_dump_loader =
      std::make_unique<cairn::CacheDumpedLoaderImpl>(secondary_cache, std::move(reader));
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
