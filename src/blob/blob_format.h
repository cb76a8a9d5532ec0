// Blob files: values that a table only refers to. RocksDB's format of db/blob, version 1.
//
//   header   fixed32 magic | fixed32 version | fixed32 column family | flags | compression
//            | fixed64 fixed64 expiration                                           (30 bytes)
//   record   fixed64 key size | fixed64 value size | fixed64 expiration
//            | fixed32 CRC of these | fixed32 CRC of key and value | key | value    (32 bytes, ...)
//   ...
//   footer   fixed32 magic | fixed64 records | fixed64 fixed64 expiration
//            | fixed32 CRC of these                                                 (32 bytes)
//
// CRCs are masked CRC32C. The value of a record is compressed, if the header names a compression,
// in any case, be it larger for it. Expirations are the deprecated stacked BlobDB's: 0 here. What a
// table has instead of the value is the entry's blob index (kTypeBlobIndex):
//
//   1 | varint64 file number | varint64 offset of the value | varint64 its size | compression
//
// Thread-safe: functions without state. Errors name no file; the caller does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

inline constexpr size_t kBlobHeaderSize = 30;
inline constexpr size_t kBlobRecordHeaderSize = 32;
inline constexpr size_t kBlobFooterSize = 32;
// No file has this number; where a file's number is meant: there is none.
inline constexpr uint64_t kNoBlobFile = 0;

struct BlobFileHeader {
  uint32_t column_family_id = 0;
  CompressionType compression = kNoCompression;
};

// Bytes that a blob takes in its file, with what is around it. As RocksDB counts garbage.
inline uint64_t BlobRecordSize(size_t key_size, uint64_t value_size) {
  return kBlobRecordHeaderSize + key_size + value_size;
}

void AppendBlobFileHeader(const BlobFileHeader& header, std::string* dst);
// Corruption: no header, or one of a file with expirations.
[[nodiscard]] Status DecodeBlobFileHeader(const Slice& src, BlobFileHeader* header);

void AppendBlobFileFooter(uint64_t records, std::string* dst);
[[nodiscard]] Status DecodeBlobFileFooter(const Slice& src, uint64_t* records);

// Of a record with this key and value (as it is stored). `header`: kBlobRecordHeaderSize bytes.
void EncodeBlobRecordHeader(const Slice& key, const Slice& value, char* header);
// `record`: header, key and value. Corruption: it is not the record of `key` with a value of
// `value_size` bytes, or a checksum does not match. `timestamp_size`: of the keys
// (base/timestamps.h). The timestamp of `key` may be the smallest one whatever the record has: a
// compaction of RocksDB drops it in the table alone.
[[nodiscard]] Status CheckBlobRecord(const Slice& record, const Slice& key, uint64_t value_size,
                                     size_t timestamp_size = 0);

// Where a value is.
struct BlobIndex {
  uint64_t file_number = kNoBlobFile;
  uint64_t offset = 0;  // of the value, in bytes
  uint64_t size = 0;    // as it is stored
  CompressionType compression = kNoCompression;
};

void AppendBlobIndex(const BlobIndex& index, std::string* dst);
// Corruption: malformed, or one of the stacked BlobDB (with an expiration, or the value itself).
[[nodiscard]] Status DecodeBlobIndex(const Slice& src, BlobIndex* index);

}  // namespace cairn
