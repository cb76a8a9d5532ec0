// BlobFileReader: one open blob file.
//
// Made by BlobSource, which keeps it among the open tables. Thread-safe: nothing changes after
// opening. Open and Read SUSPEND. Errors name the file, and the offset where there is one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "blob/blob_format.h"
#include "blob/blob_read_ahead.h"
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

class BlobFileReader {
 public:
  // `path`: its full name. Corruption: no blob file, without its footer, with expirations, or of
  // another column family. `statistics` may be null.
  [[nodiscard]] static Status Open(FileSystem* fs, const FileOptions& file_options,
                                   const std::string& path, uint32_t column_family_id,
                                   const ReadLimits& limits, Statistics* statistics,
                                   std::unique_ptr<BlobFileReader>* reader);

  // The value of `key`, which is where `index` says. `verify`: all of the record is read, and
  // checked against its checksums and the key. `ahead`: of the caller; may be null. *bytes_read
  // (may be null): of the file, that are the record's. `timestamp_size`: see CheckBlobRecord.
  [[nodiscard]] Status Read(const ReadLimits& limits, bool verify, const Slice& key,
                            const BlobIndex& index, BlobReadAheads* ahead,
                            std::unique_ptr<Blob>* blob, uint64_t* bytes_read,
                            size_t timestamp_size) const;

  // Checks every record against its checksums, in the order of the file, of which `ahead_bytes` are
  // read at once.
  [[nodiscard]] Status VerifyAll(const ReadLimits& limits, size_t ahead_bytes) const;

  uint64_t file_size() const { return bytes_->size(); }
  uint64_t records() const { return records_; }
  CompressionType compression() const { return header_.compression; }

 private:
  explicit BlobFileReader(std::shared_ptr<const BlobBytes> bytes) : bytes_(std::move(bytes)) {}

  Status Decompress(const Slice& stored, std::unique_ptr<Blob>* blob) const;

  const std::shared_ptr<const BlobBytes> bytes_;  // shared with who reads ahead of it
  BlobFileHeader header_;
  uint64_t records_ = 0;
};

}  // namespace cairn
