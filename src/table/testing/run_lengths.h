// A CompressionManager for tests: runs of equal bytes, counted. Public API alone. Test-only.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "rocksdb/advanced_compression.h"

namespace cairn::testing {

inline constexpr rocksdb::CompressionType kRunLengths = rocksdb::kCustomCompression8A;

// What the compressors and decompressors of a manager do.
struct RunLengthsPlan {
  size_t sample_bytes = 0;  // a dictionary of so many bytes, of samples
  std::string given_dict;   // or this one
  uint32_t threads = 0;
  bool compress_fails = false, wrong_size = false, decompress_fails = false, wrong_bytes = false;
  bool forgets_dictionaries = false;
  std::atomic<int> compressed{0}, decompressed{0}, areas{0};
};

// The bytes of `dict`, over and over, are taken off what is coded.
inline void ApplyDict(const std::string& dict, std::string* bytes) {
  if (dict.empty()) return;
  for (size_t i = 0; i < bytes->size(); ++i) {
    (*bytes)[i] = static_cast<char>((*bytes)[i] ^ dict[i % dict.size()]);
  }
}

class RunLengthsCompressor final : public rocksdb::Compressor {
 public:
  RunLengthsCompressor(RunLengthsPlan* plan, std::string dict)
      : plan_(plan), dict_(std::move(dict)) {}

  const char* Name() const override { return "RunLengthsCompressor"; }
  DictConfig GetDictGuidance(rocksdb::CacheEntryRole /*role*/) const override {
    if (!plan_->given_dict.empty()) return DictPreDefined{plan_->given_dict};
    if (plan_->sample_bytes > 0) return DictSampling{plan_->sample_bytes};
    return DictDisabled{};
  }
  rocksdb::Slice GetSerializedDict() const override { return dict_; }
  rocksdb::CompressionType GetPreferredCompressionType() const override { return kRunLengths; }
  uint32_t GetRecommendedParallelThreads() const override { return plan_->threads; }
  std::unique_ptr<Compressor> Clone() const override {
    return std::make_unique<RunLengthsCompressor>(plan_, dict_);
  }
  std::unique_ptr<Compressor> MaybeCloneSpecialized(rocksdb::CacheEntryRole /*role*/,
                                                    DictConfigArgs&& config) const override {
    if (auto* const samples = std::get_if<DictSamples>(&config)) {
      if (!samples->Verify() || samples->empty()) return nullptr;
      return std::make_unique<RunLengthsCompressor>(plan_, samples->sample_data.substr(0, 50));
    }
    if (auto* const given = std::get_if<DictPreDefined>(&config)) {
      return std::make_unique<RunLengthsCompressor>(plan_, given->dict_data);
    }
    return nullptr;
  }
  void ReleaseWorkingArea(WorkingArea* area) override {
    delete area;
    --plan_->areas;
  }
  ManagedWorkingArea ObtainWorkingArea() override {
    ++plan_->areas;
    return {new WorkingArea(), this};
  }
  rocksdb::Status CompressBlock(rocksdb::Slice raw, char* output, size_t* output_size,
                                rocksdb::CompressionType* type,
                                ManagedWorkingArea* /*area*/) override {
    if (plan_->compress_fails) return rocksdb::Status::Aborted("no compression");
    std::string bytes = raw.ToString();
    ApplyDict(dict_, &bytes);
    const auto size = static_cast<uint32_t>(bytes.size());
    std::string coded(reinterpret_cast<const char*>(&size), sizeof(size));
    for (size_t i = 0; i < bytes.size();) {
      size_t n = 1;
      while (n < 255 && i + n < bytes.size() && bytes[i + n] == bytes[i]) ++n;
      coded += static_cast<char>(n);
      coded += bytes[i];
      i += n;
    }
    *type = rocksdb::kNoCompression;
    if (coded.size() > *output_size) return rocksdb::Status::OK();
    std::memcpy(output, coded.data(), coded.size());
    *output_size = plan_->wrong_size ? *output_size + 1 : coded.size();
    *type = kRunLengths;
    ++plan_->compressed;
    return rocksdb::Status::OK();
  }

 private:
  RunLengthsPlan* const plan_;
  const std::string dict_;
};

class RunLengthsDecompressor final : public rocksdb::Decompressor {
 public:
  RunLengthsDecompressor(RunLengthsPlan* plan, const rocksdb::Slice& dict)
      : plan_(plan), dict_(dict) {}

  const char* Name() const override { return "RunLengthsDecompressor"; }
  const rocksdb::Slice& GetSerializedDict() const override { return dict_; }
  rocksdb::Status MaybeCloneForDict(const rocksdb::Slice& dict,
                                    std::unique_ptr<Decompressor>* out) override {
    if (plan_->forgets_dictionaries) return rocksdb::Status::NotSupported("no dictionaries");
    *out = std::make_unique<RunLengthsDecompressor>(plan_, dict);
    return rocksdb::Status::OK();
  }
  rocksdb::Status ExtractUncompressedSize(Args& args) override {
    uint32_t size = 0;
    if (args.compressed_data.size() < sizeof(size)) return rocksdb::Status::Corruption("short");
    std::memcpy(&size, args.compressed_data.data(), sizeof(size));
    args.uncompressed_size = size;
    args.compressed_data.remove_prefix(sizeof(size));
    return rocksdb::Status::OK();
  }
  rocksdb::Status DecompressBlock(const Args& args, char* output) override {
    if (plan_->decompress_fails) return rocksdb::Status::Corruption("no decompression");
    if (args.compression_type != kRunLengths) return rocksdb::Status::NotSupported("another type");
    std::string bytes;
    rocksdb::Slice coded = args.compressed_data;
    for (; coded.size() >= 2; coded.remove_prefix(2)) {
      bytes.append(static_cast<unsigned char>(coded[0]), coded[1]);
      if (bytes.size() > args.uncompressed_size) break;
    }
    if (bytes.size() != args.uncompressed_size || !coded.empty()) {
      return rocksdb::Status::Corruption("another size");
    }
    ApplyDict(dict_.ToString(), &bytes);
    if (plan_->wrong_bytes && !bytes.empty()) bytes[0] = static_cast<char>(bytes[0] ^ 1);
    std::memcpy(output, bytes.data(), bytes.size());
    ++plan_->decompressed;
    return rocksdb::Status::OK();
  }

 private:
  RunLengthsPlan* const plan_;
  const rocksdb::Slice dict_;
};

class RunLengthsManager : public rocksdb::CompressionManager {
 public:
  explicit RunLengthsManager(RunLengthsPlan* plan) : plan_(plan) {}

  static const char* kClassName() { return "cairn_run_lengths"; }
  const char* Name() const override { return kClassName(); }
  const char* CompatibilityName() const override { return kClassName(); }
  bool SupportsCompressionType(rocksdb::CompressionType type) const override {
    return type == kRunLengths ||
           rocksdb::GetBuiltinV2CompressionManager()->SupportsCompressionType(type);
  }
  // Whatever is wanted.
  std::unique_ptr<rocksdb::Compressor> GetCompressor(const rocksdb::CompressionOptions& /*options*/,
                                                     rocksdb::CompressionType type) override {
    if (type == rocksdb::kNoCompression) return nullptr;
    return std::make_unique<RunLengthsCompressor>(plan_, std::string());
  }
  std::shared_ptr<rocksdb::Decompressor> GetDecompressor() override {
    return std::make_shared<RunLengthsDecompressor>(plan_, rocksdb::Slice());
  }

 private:
  RunLengthsPlan* const plan_;
};

}  // namespace cairn::testing
