// Block compression: Snappy, zlib, bzip2, LZ4, LZ4HC and ZSTD in RocksDB's framing.
//
// Snappy blocks carry their own length. The others begin with the raw size as a varint32, then zlib
// is a raw deflate stream, bzip2 a stream, LZ4 a block, ZSTD a frame. A dictionary is the raw bytes
// of the table's dictionary block: what zlib and LZ4 take for text before the block, and ZSTD for a
// dictionary of its own format, if it begins as one does, or else for text, too. Snappy and bzip2
// have none, and bzip2 no levels. Thread-safe; contexts are made per call, or per worker by the
// caller.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "rocksdb/advanced_compression.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

// Can we write and read blocks of this type? kNoCompression counts.
bool IsCompressionSupported(CompressionType type);

// The same of tables of a column family: by its manager, if it has one.
bool SupportsCompression(const ColumnFamilyOptions& options, CompressionType type);

// The name that the table property "rocksdb.compression" has for it: "Snappy", "ZSTD", ... ; "" for
// unknown ones.
const char* CompressionPropertyName(CompressionType type);

// Can data blocks of this type be compressed with a dictionary?
bool TakesDictionary(CompressionType type);

// A dictionary for the blocks of a table that is written, digested once. Immutable.
class CompressionDict {
 public:
  // REQUIRES: TakesDictionary(type)
  CompressionDict(std::string raw, CompressionType type, const CompressionOptions& options);
  ~CompressionDict();
  CompressionDict(const CompressionDict&) = delete;
  CompressionDict& operator=(const CompressionDict&) = delete;

  const std::string& raw() const { return raw_; }
  const void* zstd() const { return zstd_; }  // const ZSTD_CDict*, or null

 private:
  const std::string raw_;
  void* zstd_ = nullptr;
};

// Compresses one block after another with fixed settings; keeps its context. Not thread-safe.
class BlockCompressor {
 public:
  // `dict` is borrowed, and may be null.
  BlockCompressor(CompressionType type, const CompressionOptions& options,
                  const CompressionDict* dict = nullptr);
  // One of a CompressionManager, which is borrowed: it says itself of what type each block is.
  explicit BlockCompressor(Compressor* of_manager);
  ~BlockCompressor();
  BlockCompressor(const BlockCompressor&) = delete;
  BlockCompressor& operator=(const BlockCompressor&) = delete;

  // False if it cannot be compressed, or does not become smaller by an eighth: then the block is to
  // be stored raw. *output is good until the next call.
  bool Compress(const Slice& raw, Slice* output);
  // The same, be it larger for it, as formats want that know of no raw value.
  bool CompressAnyway(const Slice& raw, Slice* output);
  bool is_of_manager() const { return of_manager_ != nullptr; }
  // *type kNoCompression: the block is to be stored raw. REQUIRES: is_of_manager()
  [[nodiscard]] Status CompressByManager(const Slice& raw, CompressionType* type, Slice* output);

 private:
  // Room for `size` bytes; what was there is lost.
  char* Room(size_t size);  // null: there is no memory
  // What the codec returns for a block: the bytes that it wrote, or 0 if it could not.
  size_t CompressLz4(const Slice& raw, char* output, size_t bound);
  size_t CompressZstd(const Slice& raw, char* output, size_t bound);

  const CompressionType type_;
  const CompressionOptions options_;
  const CompressionDict* const dict_;
  Compressor* const of_manager_ = nullptr;
  Compressor::ManagedWorkingArea area_;  // its
  void* context_ = nullptr;              // ZSTD_CCtx
  // With a dictionary: a stream that has taken it in, and one to copy that to for each block.
  struct Lz4Streams;
  std::unique_ptr<Lz4Streams> lz4_;
  std::unique_ptr<char[]> buffer_;  // not a string: that would clear what is overwritten anyway
  size_t capacity_ = 0;
};

// A block as it goes into the file.
struct StoredBlock {
  CompressionType type = kNoCompression;
  Slice contents;
  size_t raw_size = 0;  // bytes, before
  uint64_t nanos = 0;   // that it took, where that was asked for
};

// Compresses `raw` with `compressor`, which is one for `type`, or of a manager; what does not
// become smaller is stored as it is. `verify`: decompresses it again, with `dict` (may be null) if
// the compressor has that one; of a manager's, which never is null then, by its decompressor.
// Corruption if that gives something else. *stored points to `raw` or into the compressor, until
// its next call. `timed`: stored->nanos is asked for.
class DecompressionDict;
[[nodiscard]] Status CompressBlock(BlockCompressor* compressor, CompressionType type, bool verify,
                                   const DecompressionDict* dict, const Slice& raw,
                                   StoredBlock* stored, bool timed = false);

// A dictionary of a table that is read, digested once, and, of a table of a CompressionManager, its
// decompressor. Immutable.
class DecompressionDict {
 public:
  DecompressionDict(std::string raw, bool for_zstd);
  // With a dictionary, if `raw` is not empty. *dict is null after an error, which is the manager's.
  [[nodiscard]] static Status OfManager(std::string raw, std::shared_ptr<Decompressor> general,
                                        std::unique_ptr<DecompressionDict>* dict);
  ~DecompressionDict();
  DecompressionDict(const DecompressionDict&) = delete;
  DecompressionDict& operator=(const DecompressionDict&) = delete;

  // The same manager's with a dictionary. REQUIRES: of_manager() is not null
  [[nodiscard]] Status WithDictionary(std::string raw,
                                      std::unique_ptr<DecompressionDict>* dict) const {
    return OfManager(std::move(raw), general_, dict);
  }

  const std::string& raw() const { return raw_; }
  const void* zstd() const { return zstd_; }                // const ZSTD_DDict*, or null
  Decompressor* of_manager() const { return of_manager_; }  // null: the built-in types
  size_t memory_usage() const {
    return raw_.size() * 2 + (own_ == nullptr ? 0 : own_->ApproximateOwnedMemoryUsage());
  }

 private:
  const std::string raw_;
  Slice raw_slice_;
  void* zstd_ = nullptr;
  std::shared_ptr<Decompressor> general_;
  std::unique_ptr<Decompressor> own_;  // with the dictionary
  Decompressor* of_manager_ = nullptr;
};

// Reads the size that `compressed` will have when decompressed, and leaves in *payload what
// DecompressInto takes. NotSupported for a type that we do not have, Corruption for bad bytes (both
// without the file's name).
// `dict` may be null.
[[nodiscard]] Status DecompressedSize(CompressionType type, const Slice& compressed,
                                      size_t* raw_size, Slice* payload,
                                      const DecompressionDict* dict = nullptr);

// Decompresses exactly `raw_size` bytes into `output`. `dict` may be null.
[[nodiscard]] Status DecompressInto(CompressionType type, const Slice& payload, char* output,
                                    size_t raw_size, const DecompressionDict* dict);

}  // namespace cairn
