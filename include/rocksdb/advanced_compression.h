// Compression of one's own, as in RocksDB 10 and later (where it is experimental).
//
// ColumnFamilyOptions::compression_manager makes a Compressor for each table that is written, and a
// Decompressor for each that is read. A manager is known in files by its CompatibilityName(), with
// BlockBasedTableOptions::format_version 7; what its decompressor makes of a type, a dictionary and
// bytes may never change under that name. A table whose manager is not the family's, and is not
// registered under that name (rocksdb/utilities/object_registry.h), does not open: NotSupported.
//
// What these classes throw is undefined. A manager, a compressor and a decompressor are used by
// many threads at once, a WorkingArea by one at a time.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rocksdb/advanced_options.h"
#include "rocksdb/cache.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/customizable.h"
#include "rocksdb/data_structure.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct ConfigOptions;
struct FilterBuildingContext;
class Decompressor;

// How the blocks of one table are compressed.
class Compressor {
 public:
  // What a compressor without a dictionary says of one: none is wanted; the table's builder shall
  // collect so many bytes of its blocks; this one, without samples. And what it is then given.
  struct DictDisabled {};
  struct DictSampling {
    size_t max_sample_bytes = 0;  // 0: none is wanted
  };
  struct DictPreDefined {
    std::string dict_data;
  };
  using DictConfig = std::variant<DictDisabled, DictSampling, DictPreDefined>;
  struct DictSamples {
    std::string sample_data;  // the samples, one after another
    std::vector<size_t> sample_lens;
    bool empty() const { return sample_data.empty(); }
    bool Verify() const {
      size_t all = 0;
      for (const size_t each : sample_lens) all += each;
      return all == sample_data.size();
    }
  };
  using DictConfigArgs = std::variant<DictDisabled, DictSamples, DictPreDefined>;

  // What a thread that compresses block after block keeps for it. Others derive from it.
  struct WorkingArea {};

  Compressor() = default;
  virtual ~Compressor() = default;

  virtual const char* Name() const = 0;
  virtual std::string GetId() const { return Name(); }

  // Of kDataBlock; asked of a compressor without a dictionary.
  virtual DictConfig GetDictGuidance(CacheEntryRole /*block_type*/) const { return DictDisabled{}; }
  // The dictionary that it has; empty: none. It is stored in the table.
  virtual Slice GetSerializedDict() const { return Slice(); }
  // What most of its blocks will be; kDisableCompressionOption: not known.
  virtual CompressionType GetPreferredCompressionType() const { return kDisableCompressionOption; }
  // CompressionOptions::parallel_threads for this table; 0: as they say.
  virtual uint32_t GetRecommendedParallelThreads() const { return 0; }

  virtual std::unique_ptr<Compressor> Clone() const = 0;
  // One for a kind of blocks (kDataBlock, kIndexBlock), perhaps with a dictionary. Null: this one
  // does.
  virtual std::unique_ptr<Compressor> MaybeCloneSpecialized(
      CacheEntryRole /*block_type*/, DictConfigArgs&& /*dict_config*/) const {
    return nullptr;
  }
  std::unique_ptr<Compressor> CloneMaybeSpecialized(CacheEntryRole block_type,
                                                    DictConfigArgs&& dict_config) const {
    auto clone = MaybeCloneSpecialized(block_type, std::move(dict_config));
    return clone != nullptr ? std::move(clone) : Clone();
  }

  virtual void ReleaseWorkingArea(WorkingArea*) {}
  using ManagedWorkingArea = ManagedPtr<WorkingArea, Compressor, &Compressor::ReleaseWorkingArea>;
  // One for each thread that compresses a table.
  virtual ManagedWorkingArea ObtainWorkingArea() { return {}; }

  // Compresses into the *compressed_output_size bytes at `compressed_output`, and says how many
  // they became and of which type they are. kNoCompression: the block is stored as it is, which is
  // what to say if there is no room. `working_area` may be null. An error fails the table.
  virtual Status CompressBlock(Slice uncompressed_data, char* compressed_output,
                               size_t* compressed_output_size,
                               CompressionType* out_compression_type,
                               ManagedWorkingArea* working_area) = 0;

  // What undoes it with less than the manager's: for verify_compression. Null: the manager's does.
  virtual std::shared_ptr<Decompressor> GetOptimizedDecompressor() const { return nullptr; }
};

// Undoes what the compressors of a manager did, each of them.
class Decompressor {
 public:
  struct WorkingArea {};

  Decompressor() = default;
  virtual ~Decompressor() = default;

  virtual const char* Name() const = 0;

  virtual void ReleaseWorkingArea(WorkingArea* wa) {
    (void)wa;
    assert(wa == nullptr);
  }
  using ManagedWorkingArea =
      ManagedPtr<WorkingArea, Decompressor, &Decompressor::ReleaseWorkingArea>;
  // Not called by Cairn, which gives none.
  virtual ManagedWorkingArea ObtainWorkingArea(CompressionType /*preferred*/) { return {}; }

  // The dictionary that it was made with; empty: none.
  virtual const Slice& GetSerializedDict() const;
  // One for data blocks that were compressed with the dictionary, which is not empty and outlives
  // *out. An error is the table's.
  virtual Status MaybeCloneForDict(const Slice& /*serialized_dict*/,
                                   std::unique_ptr<Decompressor>* /*out*/) {
    return Status::NotSupported("Dictionary compression not (yet) supported by " +
                                std::string(Name()));
  }
  // Bytes, without the dictionary's.
  virtual size_t ApproximateOwnedMemoryUsage() const { return 0; }

  struct Args {
    CompressionType compression_type = kNoCompression;
    Slice compressed_data;
    uint64_t uncompressed_size = 0;
    ManagedWorkingArea* working_area = nullptr;  // null
  };
  // Sets uncompressed_size, and may take its bytes off compressed_data. By default it stands before
  // the data as a varint32.
  virtual Status ExtractUncompressedSize(Args& args);
  // Writes exactly args.uncompressed_size bytes, or returns an error. After the other.
  virtual Status DecompressBlock(const Args& args, char* uncompressed_output) = 0;
};

class CompressionManager : public std::enable_shared_from_this<CompressionManager>,
                           public Customizable {
 public:
  CompressionManager() = default;
  ~CompressionManager() override = default;
  static const char* Type() { return "CompressionManager"; }

  // In files, of letters, digits and underscores. "BuiltinV2": its blocks are those of the built-in
  // types, and its tables open without it.
  virtual const char* CompatibilityName() const = 0;

  // The one that reads tables with that name: this one, or one that CreateFromString() knows. Null:
  // there is none.
  virtual std::shared_ptr<CompressionManager> FindCompatibleCompressionManager(
      Slice compatibility_name);

  // "BuiltinV2", or one that is registered.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                 std::shared_ptr<CompressionManager>* result);

  // False: options with it are InvalidArgument or NotSupported.
  virtual bool SupportsCompressionType(CompressionType type) const = 0;
  // "Snappy", "ZSTD", "Custom8A", ...
  virtual std::string CompressionTypeToString(CompressionType type) const;

  // For a table: `preferred` is what the options have for its level. Null: it is not compressed.
  // Without a dictionary.
  virtual std::unique_ptr<Compressor> GetCompressorForSST(const FilterBuildingContext& /*context*/,
                                                          const CompressionOptions& opts,
                                                          CompressionType preferred) {
    return GetCompressor(opts, preferred);
  }
  virtual std::unique_ptr<Compressor> GetCompressor(const CompressionOptions& opts,
                                                    CompressionType type) = 0;

  // Of all that its compressors, of this release and earlier ones, have made. Never null.
  virtual std::shared_ptr<Decompressor> GetDecompressor() = 0;
  virtual std::shared_ptr<Decompressor> GetDecompressorOptimizeFor(
      CompressionType /*optimize_for_type*/) {
    return GetDecompressor();
  }
  // Of a table that says which types it has, in order.
  virtual std::shared_ptr<Decompressor> GetDecompressorForTypes(
      const CompressionType* /*types_begin*/, const CompressionType* /*types_end*/) {
    return GetDecompressor();
  }
};

// ---- Those that hand all on to another one.

class CompressorWrapper : public Compressor {
 public:
  explicit CompressorWrapper(std::unique_ptr<Compressor> compressor)
      : wrapped_(std::move(compressor)) {}
  CompressorWrapper(const CompressorWrapper&) = delete;
  CompressorWrapper& operator=(const CompressorWrapper&) = delete;

  DictConfig GetDictGuidance(CacheEntryRole block_type) const override {
    return wrapped_->GetDictGuidance(block_type);
  }
  Slice GetSerializedDict() const override { return wrapped_->GetSerializedDict(); }
  CompressionType GetPreferredCompressionType() const override {
    return wrapped_->GetPreferredCompressionType();
  }
  uint32_t GetRecommendedParallelThreads() const override {
    return wrapped_->GetRecommendedParallelThreads();
  }
  // Of one that specializes the derived class must wrap what it makes.
  std::unique_ptr<Compressor> MaybeCloneSpecialized(CacheEntryRole block_type,
                                                    DictConfigArgs&& dict_config) const override {
    auto clone = wrapped_->MaybeCloneSpecialized(block_type, std::move(dict_config));
    assert(clone == nullptr);
    return clone;
  }
  ManagedWorkingArea ObtainWorkingArea() override { return wrapped_->ObtainWorkingArea(); }
  Status CompressBlock(Slice uncompressed_data, char* compressed_output,
                       size_t* compressed_output_size, CompressionType* out_compression_type,
                       ManagedWorkingArea* working_area) override {
    return wrapped_->CompressBlock(uncompressed_data, compressed_output, compressed_output_size,
                                   out_compression_type, working_area);
  }
  std::shared_ptr<Decompressor> GetOptimizedDecompressor() const override {
    return wrapped_->GetOptimizedDecompressor();
  }

 protected:
  std::unique_ptr<Compressor> wrapped_;
};

class DecompressorWrapper : public Decompressor {
 public:
  explicit DecompressorWrapper(std::shared_ptr<Decompressor> decompressor)
      : wrapped_(std::move(decompressor)) {}
  DecompressorWrapper(const DecompressorWrapper&) = delete;
  DecompressorWrapper& operator=(const DecompressorWrapper&) = delete;

  const char* Name() const override { return wrapped_->Name(); }
  void ReleaseWorkingArea(WorkingArea* wa) override { wrapped_->ReleaseWorkingArea(wa); }
  ManagedWorkingArea ObtainWorkingArea(CompressionType preferred) override {
    return wrapped_->ObtainWorkingArea(preferred);
  }
  const Slice& GetSerializedDict() const override { return wrapped_->GetSerializedDict(); }
  // The derived class may want to wrap what it makes.
  Status MaybeCloneForDict(const Slice& serialized_dict,
                           std::unique_ptr<Decompressor>* out) override {
    return wrapped_->MaybeCloneForDict(serialized_dict, out);
  }
  size_t ApproximateOwnedMemoryUsage() const override {
    return wrapped_->ApproximateOwnedMemoryUsage();
  }
  Status ExtractUncompressedSize(Args& args) override {
    return wrapped_->ExtractUncompressedSize(args);
  }
  Status DecompressBlock(const Args& args, char* uncompressed_output) override {
    return wrapped_->DecompressBlock(args, uncompressed_output);
  }

 protected:
  std::shared_ptr<Decompressor> wrapped_;
};

class CompressionManagerWrapper : public CompressionManager {
 public:
  explicit CompressionManagerWrapper(std::shared_ptr<CompressionManager> wrapped)
      : wrapped_(std::move(wrapped)) {}

  const char* CompatibilityName() const override { return wrapped_->CompatibilityName(); }
  std::shared_ptr<CompressionManager> FindCompatibleCompressionManager(
      Slice compatibility_name) override {
    if (compatibility_name == CompatibilityName()) return shared_from_this();
    return wrapped_->FindCompatibleCompressionManager(compatibility_name);
  }
  bool SupportsCompressionType(CompressionType type) const override {
    return wrapped_->SupportsCompressionType(type);
  }
  std::string CompressionTypeToString(CompressionType type) const override {
    return wrapped_->CompressionTypeToString(type);
  }
  std::unique_ptr<Compressor> GetCompressorForSST(const FilterBuildingContext& context,
                                                  const CompressionOptions& opts,
                                                  CompressionType preferred) override {
    return wrapped_->GetCompressorForSST(context, opts, preferred);
  }
  std::unique_ptr<Compressor> GetCompressor(const CompressionOptions& opts,
                                            CompressionType type) override {
    return wrapped_->GetCompressor(opts, type);
  }
  std::shared_ptr<Decompressor> GetDecompressor() override { return wrapped_->GetDecompressor(); }
  std::shared_ptr<Decompressor> GetDecompressorOptimizeFor(
      CompressionType optimize_for_type) override {
    return wrapped_->GetDecompressorOptimizeFor(optimize_for_type);
  }
  std::shared_ptr<Decompressor> GetDecompressorForTypes(const CompressionType* types_begin,
                                                        const CompressionType* types_end) override {
    return wrapped_->GetDecompressorForTypes(types_begin, types_end);
  }

 protected:
  std::shared_ptr<CompressionManager> wrapped_;
};

// The built-in types, as tables without a manager have them. Lives for ever.
const std::shared_ptr<CompressionManager>& GetBuiltinV2CompressionManager();

}  // namespace ROCKSDB_NAMESPACE
