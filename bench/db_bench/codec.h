// The compressions of blocks alone, by the libraries that the engine has them from, called as it
// calls them: what the public API does not show by itself. Not thread-safe: each client has one.
#pragma once

#include <cstddef>
#include <string>

#include "rocksdb/compression_type.h"
#include "rocksdb/slice.h"

namespace db_bench {

class Codec {
 public:
  // `level` as CompressionOptions::level; 32767: the algorithm's default.
  Codec(rocksdb::CompressionType type, int level);
  ~Codec();
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;

  // False: it takes more than `room` bytes. *compressed is valid until the next call.
  bool Compress(const rocksdb::Slice& raw, size_t room, rocksdb::Slice* compressed);
  // Into `size` bytes at `raw`, exactly. False: these are no bytes of Compress().
  bool Uncompress(const rocksdb::Slice& compressed, char* raw, size_t size);

 private:
  char* Room(size_t size);

  const rocksdb::CompressionType type_;
  const int level_;
  void* compressor_ = nullptr;    // of ZSTD
  void* decompressor_ = nullptr;  // of ZSTD
  std::string buffer_;
};

}  // namespace db_bench
