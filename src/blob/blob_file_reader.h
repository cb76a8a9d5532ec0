// BlobFileReader: one open blob file.
//
// Made by BlobSource, which keeps it among the open tables. Thread-safe: nothing changes after
// opening. Open and Read SUSPEND. Errors name the file, and the offset where there is one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "blob/blob_format.h"
#include "fs/file_reader.h"
#include "fs/read_limits.h"
#include "rocksdb/file_system.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace cairn {

// A blob's bytes, uncompressed, in memory of its own.
class Blob {
 public:
  // Null: there is no memory for it.
  static std::unique_ptr<Blob> Allocate(size_t size);

  char* memory() { return memory_.get(); }
  size_t memory_size() const { return memory_size_; }
  // A part of the memory.
  Slice value() const { return value_; }
  void set_value(const Slice& value) { value_ = value; }
  // Bytes.
  size_t charge() const { return memory_size_ + sizeof(Blob); }

 private:
  std::unique_ptr<char[]> memory_;
  size_t memory_size_ = 0;
  Slice value_;
};

// What one job has read ahead of one blob file: a job goes through the keys in order, and so,
// mostly, through their blobs. Not thread-safe.
struct BlobReadAhead {
  uint64_t offset = 0;
  std::vector<char> memory;
  size_t size = 0;  // bytes of it that the file has
};

class BlobFileReader {
 public:
  // `path`: its full name. Corruption: no blob file, without its footer, with expirations, or of
  // another column family. `statistics` may be null.
  [[nodiscard]] static Status Open(FileSystem* fs, const FileOptions& file_options,
                                   const std::string& path, uint32_t column_family_id,
                                   const ReadLimits& limits, Statistics* statistics,
                                   std::unique_ptr<BlobFileReader>* reader);

  // The value of `key`, which is where `index` says. `verify`: all of the record is read, and
  // checked against its checksums and the key. `ahead` may be null: then nothing is read ahead;
  // else `ahead_bytes` are, at least. *bytes_read (may be null): of the file, that are the
  // record's.
  [[nodiscard]] Status Read(const ReadLimits& limits, bool verify, const Slice& key,
                            const BlobIndex& index, BlobReadAhead* ahead, size_t ahead_bytes,
                            std::unique_ptr<Blob>* blob, uint64_t* bytes_read) const;

  // Checks every record against its checksums, in the order of the file.
  [[nodiscard]] Status VerifyAll(const ReadLimits& limits, size_t ahead_bytes) const;

  uint64_t file_size() const { return file_size_; }
  uint64_t records() const { return records_; }
  CompressionType compression() const { return header_.compression; }

 private:
  BlobFileReader(std::unique_ptr<RandomAccessFileReader> file, uint64_t file_size,
                 Statistics* statistics)
      : file_(std::move(file)), file_size_(file_size), statistics_(statistics) {}

  Status Corrupt(const Status& s, uint64_t offset) const;
  // Exactly n bytes, into `scratch` or memory of the file.
  Status ReadBytes(const ReadLimits& limits, uint64_t offset, size_t n, Slice* result,
                   char* scratch) const;
  // The same out of what was read ahead, which is read first where that does not have them.
  Status ReadAhead(const ReadLimits& limits, uint64_t offset, size_t n, size_t ahead_bytes,
                   BlobReadAhead* ahead, Slice* result) const;
  Status Decompress(const Slice& stored, std::unique_ptr<Blob>* blob) const;

  const std::unique_ptr<RandomAccessFileReader> file_;
  const uint64_t file_size_;
  Statistics* const statistics_;
  BlobFileHeader header_;
  uint64_t records_ = 0;
};

}  // namespace cairn
