// The built-in compressions as a CompressionManager (rocksdb/advanced_compression.h), for those
// that wrap it. Tables without a manager go the direct way (compression.h); the bytes are the same.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "rocksdb/advanced_compression.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/customizable_util.h"
#include "table/compression.h"
#include "table/dictionary_buffer.h"

namespace cairn {

namespace {

constexpr char kBuiltinName[] = "BuiltinV2";

class BuiltinCompressor final : public Compressor {
 public:
  BuiltinCompressor(CompressionType type, const CompressionOptions& options, std::string dict)
      : type_(type),
        options_(options),
        name_(std::string("Builtin") + CompressionPropertyName(type) + "CompressorV2"),
        dict_(dict.empty() ? nullptr
                           : std::make_unique<CompressionDict>(std::move(dict), type, options)) {}

  const char* Name() const override { return name_.c_str(); }
  DictConfig GetDictGuidance(CacheEntryRole role) const override {
    if (role != CacheEntryRole::kDataBlock || options_.max_dict_bytes == 0 ||
        !TakesDictionary(type_)) {
      return DictDisabled{};
    }
    return DictSampling{SampleBytes(type_, options_)};
  }
  Slice GetSerializedDict() const override {
    return dict_ == nullptr ? Slice() : Slice(dict_->raw());
  }
  CompressionType GetPreferredCompressionType() const override { return type_; }
  uint32_t GetRecommendedParallelThreads() const override { return options_.parallel_threads; }
  std::unique_ptr<Compressor> Clone() const override {
    return std::make_unique<BuiltinCompressor>(type_, options_, GetSerializedDict().ToString());
  }
  std::unique_ptr<Compressor> MaybeCloneSpecialized(CacheEntryRole /*role*/,
                                                    DictConfigArgs&& config) const override {
    std::string dict;
    if (auto* const samples = std::get_if<DictSamples>(&config)) {
      dict = DictionaryOfSamples(type_, options_, std::move(*samples));
    } else if (auto* const given = std::get_if<DictPreDefined>(&config)) {
      dict = std::move(given->dict_data);
    }
    if (dict.empty() || !TakesDictionary(type_)) return nullptr;
    return std::make_unique<BuiltinCompressor>(type_, options_, std::move(dict));
  }

  void ReleaseWorkingArea(WorkingArea* area) override { delete static_cast<Area*>(area); }
  ManagedWorkingArea ObtainWorkingArea() override {
    return {new Area(type_, options_, dict_.get()), this};
  }
  Status CompressBlock(Slice raw, char* output, size_t* output_size, CompressionType* type,
                       ManagedWorkingArea* area) override {
    *type = kNoCompression;
    const ManagedWorkingArea own =
        area != nullptr && area->owner() == this ? ManagedWorkingArea() : ObtainWorkingArea();
    auto* const used = static_cast<Area*>(own ? own.get() : area->get());
    const size_t room = *output_size;
    *output_size = 1;  // tried in vain
    Slice compressed;
    if (!used->compressor.CompressAnyway(raw, &compressed) || compressed.size() > room) {
      return Status::OK();
    }
    std::memcpy(output, compressed.data(), compressed.size());
    *output_size = compressed.size();
    *type = type_;
    return Status::OK();
  }

 private:
  struct Area : WorkingArea {
    Area(CompressionType type, const CompressionOptions& options, const CompressionDict* dict)
        : compressor(type, options, dict) {}
    BlockCompressor compressor;
  };

  const CompressionType type_;
  const CompressionOptions options_;
  const std::string name_;
  const std::unique_ptr<const CompressionDict> dict_;
};

class BuiltinDecompressor final : public Decompressor {
 public:
  BuiltinDecompressor() = default;
  explicit BuiltinDecompressor(const Slice& dict)
      : raw_(dict),
        dict_(std::make_unique<DecompressionDict>(dict.ToString(), /*for_zstd=*/true)) {}

  const char* Name() const override { return "BuiltinDecompressorV2"; }
  const Slice& GetSerializedDict() const override { return raw_; }
  Status MaybeCloneForDict(const Slice& dict, std::unique_ptr<Decompressor>* out) override {
    *out = std::make_unique<BuiltinDecompressor>(dict);
    return Status::OK();
  }
  size_t ApproximateOwnedMemoryUsage() const override {
    return dict_ == nullptr ? 0 : dict_->memory_usage();
  }
  Status ExtractUncompressedSize(Args& args) override {
    size_t size = 0;
    Slice payload;
    Status s = DecompressedSize(args.compression_type, args.compressed_data, &size, &payload);
    args.uncompressed_size = size;
    args.compressed_data = payload;
    return s;
  }
  Status DecompressBlock(const Args& args, char* output) override {
    return DecompressInto(args.compression_type, args.compressed_data, output,
                          static_cast<size_t>(args.uncompressed_size), dict_.get());
  }

 private:
  const Slice raw_;
  const std::unique_ptr<const DecompressionDict> dict_;
};

class BuiltinManager final : public CompressionManager {
 public:
  const char* Name() const override { return "BuiltinCompressionManagerV2"; }
  const char* CompatibilityName() const override { return kBuiltinName; }
  bool SupportsCompressionType(CompressionType type) const override {
    return IsCompressionSupported(type);
  }
  std::unique_ptr<Compressor> GetCompressor(const CompressionOptions& options,
                                            CompressionType type) override {
    if (type == kNoCompression) return nullptr;
    if (!IsCompressionSupported(type)) type = ColumnFamilyOptions().compression;
    return std::make_unique<BuiltinCompressor>(type, options, std::string());
  }
  std::shared_ptr<Decompressor> GetDecompressor() override { return decompressor_; }

 private:
  const std::shared_ptr<Decompressor> decompressor_ = std::make_shared<BuiltinDecompressor>();
};

bool MakeCompressionManager(const std::string& id, std::shared_ptr<CompressionManager>* result) {
  const std::shared_ptr<CompressionManager>& builtin = GetBuiltinV2CompressionManager();
  if (id != builtin->CompatibilityName() && id != builtin->Name()) return false;
  *result = builtin;
  return true;
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

const Slice& Decompressor::GetSerializedDict() const {
  static const Slice none;
  return none;
}

Status Decompressor::ExtractUncompressedSize(Args& args) {
  uint32_t size = 0;
  if (!cairn::GetVarint32(&args.compressed_data, &size)) {
    return Status::Corruption("Unable to extract uncompressed size");
  }
  args.uncompressed_size = size;
  return Status::OK();
}

std::shared_ptr<CompressionManager> CompressionManager::FindCompatibleCompressionManager(
    Slice compatibility_name) {
  if (compatibility_name == CompatibilityName()) return shared_from_this();
  std::shared_ptr<CompressionManager> found;
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  const Status s = CreateFromString(strict, compatibility_name.ToString(), &found);
  return s.ok() ? found : nullptr;
}

Status CompressionManager::CreateFromString(const ConfigOptions& config_options,
                                            const std::string& id,
                                            std::shared_ptr<CompressionManager>* result) {
  if (id.empty() || id == "nullptr") {
    result->reset();
    return Status::OK();
  }
  return LoadSharedObject<CompressionManager>(config_options, id, cairn::MakeCompressionManager,
                                              result);
}

std::string CompressionManager::CompressionTypeToString(CompressionType type) const {
  if (type == kDisableCompressionOption) return "DisableOption";
  const std::string name = cairn::CompressionPropertyName(type);
  if (!name.empty()) return name;
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(type);
  return std::string(byte >= kFirstCustomCompression ? "Custom" : "Reserved") + kDigits[byte >> 4] +
         kDigits[byte & 15];
}

const std::shared_ptr<CompressionManager>& GetBuiltinV2CompressionManager() {
  static const auto* const manager =
      new std::shared_ptr<CompressionManager>(std::make_shared<cairn::BuiltinManager>());
  return *manager;
}

}  // namespace ROCKSDB_NAMESPACE
