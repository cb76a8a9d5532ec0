// Blob files as bytes in memory: made, walked, and their checksums made right again after damage,
// so that the damage is seen behind them.

#ifndef CAIRN_FUZZ_BLOB_BYTES_H_
#define CAIRN_FUZZ_BLOB_BYTES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/namespace.h"
#include "blob/blob_format.h"
#include "table/compression.h"

namespace cairn::fuzz {

inline constexpr uint64_t kBlobFileNumber = 7;

// A sound file of these keys and values, in this order.
inline std::string BuildBlobFile(CompressionType compression,
                                 const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string file;
  AppendBlobFileHeader({/*column_family_id=*/0, compression}, &file);
  BlockCompressor compressor(compression, CompressionOptions());
  for (const auto& [key, value] : entries) {
    Slice stored = value;
    if (compression != kNoCompression) (void)compressor.CompressAnyway(value, &stored);
    char header[kBlobRecordHeaderSize];
    EncodeBlobRecordHeader(key, stored, header);
    file.append(header, sizeof(header)).append(key).append(stored.data(), stored.size());
  }
  AppendBlobFileFooter(entries.size(), &file);
  return file;
}

// Where a record is, as far as its own header says.
struct BlobRecord {
  size_t offset;
  size_t key_size;
  size_t value_size;
  size_t value_offset() const { return offset + kBlobRecordHeaderSize + key_size; }
  size_t end() const { return value_offset() + value_size; }
};

// The records from the front, as long as each lies within the file.
inline std::vector<BlobRecord> FindBlobRecords(const std::string& file) {
  std::vector<BlobRecord> records;
  if (file.size() < kBlobHeaderSize + kBlobFooterSize) return records;
  const size_t end = file.size() - kBlobFooterSize;
  size_t offset = kBlobHeaderSize;
  while (end - offset >= kBlobRecordHeaderSize) {
    const uint64_t key_size = DecodeFixed64(file.data() + offset);
    const uint64_t value_size = DecodeFixed64(file.data() + offset + 8);
    const size_t rest = end - offset - kBlobRecordHeaderSize;
    if (key_size > rest || value_size > rest - key_size) break;
    records.push_back({offset, static_cast<size_t>(key_size), static_cast<size_t>(value_size)});
    offset = records.back().end();
  }
  return records;
}

inline void RepairBlobChecksums(std::string* file) {
  const auto put = [file](size_t at, size_t begin, size_t end) {
    EncodeFixed32(file->data() + at,
                  crc32c::Mask(crc32c::Value(file->data() + begin, end - begin)));
  };
  if (file->size() < kBlobHeaderSize + kBlobFooterSize) return;
  for (const BlobRecord& record : FindBlobRecords(*file)) {
    put(record.offset + 24, record.offset, record.offset + 24);
    put(record.offset + 28, record.offset + kBlobRecordHeaderSize, record.end());
  }
  put(file->size() - 4, file->size() - kBlobFooterSize, file->size() - 4);
}

}  // namespace cairn::fuzz

#endif  // CAIRN_FUZZ_BLOB_BYTES_H_
