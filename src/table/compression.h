// Block compression: Snappy, zlib, LZ4, LZ4HC and ZSTD in RocksDB's framing.
//
// Snappy blocks carry their own length. The others begin with the raw size as a varint32, then zlib
// is a raw deflate stream, LZ4 a block, ZSTD a frame. A dictionary (on read) is the raw bytes of
// the table's dictionary block. Thread-safe; contexts are made per call, or per worker by the
// caller.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

// Can we write and read blocks of this type? kNoCompression counts.
bool IsCompressionSupported(CompressionType type);

// The name that the table property "rocksdb.compression" has for it: "Snappy", "ZSTD", ... ; "" for
// unknown ones.
const char* CompressionPropertyName(CompressionType type);

// Compresses one block after another with fixed settings; keeps its context. Not thread-safe.
class BlockCompressor {
 public:
  BlockCompressor(CompressionType type, const CompressionOptions& options);
  ~BlockCompressor();
  BlockCompressor(const BlockCompressor&) = delete;
  BlockCompressor& operator=(const BlockCompressor&) = delete;

  // False if it cannot be compressed, or does not become smaller by an eighth: then the block is to
  // be stored raw. *output is good until the next call.
  bool Compress(const Slice& raw, Slice* output);

 private:
  // Room for `size` bytes; what was there is lost.
  char* Room(size_t size);

  const CompressionType type_;
  const CompressionOptions options_;
  void* context_ = nullptr;         // ZSTD_CCtx
  std::unique_ptr<char[]> buffer_;  // not a string: that would clear what is overwritten anyway
  size_t capacity_ = 0;
};

// A block as it goes into the file.
struct StoredBlock {
  CompressionType type = kNoCompression;
  Slice contents;
};

// Compresses `raw` with `compressor`, which is one for `type`; what does not become smaller is
// stored as it is. `verify`: decompresses it again; Corruption if that gives something else.
// *stored points to `raw` or into the compressor, until its next call.
[[nodiscard]] Status CompressBlock(BlockCompressor* compressor, CompressionType type, bool verify,
                                   const Slice& raw, StoredBlock* stored);

// A dictionary of a table, digested once. Immutable.
class DecompressionDict {
 public:
  DecompressionDict(std::string raw, bool for_zstd);
  ~DecompressionDict();
  DecompressionDict(const DecompressionDict&) = delete;
  DecompressionDict& operator=(const DecompressionDict&) = delete;

  const std::string& raw() const { return raw_; }
  const void* zstd() const { return zstd_; }  // const ZSTD_DDict*, or null
  size_t memory_usage() const { return raw_.size() * 2; }

 private:
  const std::string raw_;
  void* zstd_ = nullptr;
};

// Reads the size that `compressed` will have when decompressed, and leaves in *payload what
// DecompressInto takes. NotSupported for a type that we do not have, Corruption for bad bytes (both
// without the file's name).
[[nodiscard]] Status DecompressedSize(CompressionType type, const Slice& compressed,
                                      size_t* raw_size, Slice* payload);

// Decompresses exactly `raw_size` bytes into `output`. `dict` may be null.
[[nodiscard]] Status DecompressInto(CompressionType type, const Slice& payload, char* output,
                                    size_t raw_size, const DecompressionDict* dict);

}  // namespace cairn
