#include "blob/blob_file_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "blob/blob_records.h"
#include "table/compression.h"

namespace cairn {

std::unique_ptr<Blob> Blob::Allocate(size_t size) {
  auto blob = std::make_unique<Blob>();
  if (!WithMemory(size, [&] {
        blob->memory_ = std::make_unique_for_overwrite<char[]>(std::max<size_t>(size, 1));
      })) {
    return nullptr;
  }
  blob->memory_size_ = size;
  blob->value_ = Slice(blob->memory_.get(), size);
  return blob;
}

Status BlobFileReader::Open(FileSystem* fs, const FileOptions& file_options,
                            const std::string& path, uint32_t column_family_id,
                            const ReadLimits& limits, Statistics* statistics,
                            std::unique_ptr<BlobFileReader>* reader) {
  std::unique_ptr<RandomAccessFileReader> file;
  uint64_t size = 0;
  Status s = RandomAccessFileReader::Open(fs, path, file_options, &file);
  if (s.ok()) s = fs->GetFileSize(path, IOOptions(), &size, nullptr);
  if (!s.ok()) return s;
  if (size < kBlobHeaderSize + kBlobFooterSize) {
    return Status::Corruption("blob file is too short: " + std::to_string(size) + " bytes", path);
  }
  const auto all = std::make_shared<const BlobBytes>(std::move(file), size, statistics);
  std::unique_ptr<BlobFileReader> opened(new BlobFileReader(all));
  char scratch[std::max(kBlobHeaderSize, kBlobFooterSize)];
  Slice bytes;
  s = all->Read(limits, 0, kBlobHeaderSize, &bytes, scratch);
  if (!s.ok()) return s;
  s = DecodeBlobFileHeader(bytes, &opened->header_);
  if (s.ok() && opened->header_.column_family_id != column_family_id) {
    s = Status::Corruption("blob file of column family " +
                           std::to_string(opened->header_.column_family_id) + ", not of " +
                           std::to_string(column_family_id));
  }
  if (!s.ok()) return all->At(s, 0);
  const uint64_t footer = size - kBlobFooterSize;
  s = all->Read(limits, footer, kBlobFooterSize, &bytes, scratch);
  if (!s.ok()) return s;
  s = DecodeBlobFileFooter(bytes, &opened->records_);
  if (!s.ok()) return all->At(s, footer);
  *reader = std::move(opened);
  return s;
}

Status BlobFileReader::Decompress(const Slice& stored, std::unique_ptr<Blob>* blob) const {
  const PerfTimer timer(Perf(), &PerfContext::blob_decompress_time);
  const StopWatch watch(bytes_->statistics(), BLOB_DB_DECOMPRESSION_MICROS);
  size_t size = 0;
  Slice payload;
  Status s = DecompressedSize(header_.compression, stored, &size, &payload);
  if (!s.ok()) return s;
  std::unique_ptr<Blob> plain = Blob::Allocate(size);
  if (plain == nullptr) return Status::MemoryLimit("no memory for a blob", bytes_->name());
  s = DecompressInto(header_.compression, payload, plain->memory(), size, nullptr);
  if (s.ok()) *blob = std::move(plain);
  return s;
}

Status BlobFileReader::Read(const ReadLimits& limits, bool verify, const Slice& key,
                            const BlobIndex& index, BlobReadAheads* ahead,
                            std::unique_ptr<Blob>* blob, uint64_t* bytes_read,
                            size_t timestamp_size) const {
  // In this order, so that nothing overflows.
  const uint64_t before = kBlobRecordHeaderSize + key.size();
  const uint64_t end = bytes_->size() - kBlobFooterSize;
  if (index.size > bytes_->size() || index.offset > end || index.size > end - index.offset ||
      index.offset < kBlobHeaderSize + before) {
    return bytes_->At(Status::Corruption("blob index points outside of the file"), index.offset);
  }
  if (index.compression != header_.compression) {
    return bytes_->At(Status::Corruption("blob index and blob file differ in the compression: " +
                                         std::to_string(index.compression) + " and " +
                                         std::to_string(header_.compression)),
                      index.offset);
  }
  size_t prefix = static_cast<size_t>(before);
  size_t n = prefix + static_cast<size_t>(index.size);
  Slice record;
  std::unique_ptr<Blob> own;
  {
    const Perf perf;
    const PerfTimer timer(perf, &PerfContext::blob_read_time);
    if (ahead == nullptr ||
        !ahead->Read(index.file_number, bytes_, limits, index.offset - prefix, n, &record)) {
      if (!verify) {
        n -= prefix;
        prefix = 0;
      }
      own = Blob::Allocate(n);
      if (own == nullptr) return Status::MemoryLimit("no memory for a blob", bytes_->name());
      Status s = bytes_->Read(limits, index.offset - prefix, n, &record, own->memory());
      if (!s.ok()) return s;
    }
    perf.Count(&PerfContext::blob_read_count);
    perf.Count(&PerfContext::blob_read_byte, n);
  }
  Status s;
  if (verify) {
    const PerfTimer timer(Perf(), &PerfContext::blob_checksum_time);
    s = CheckBlobRecord(record, key, index.size, timestamp_size);
    if (!s.ok()) return bytes_->At(s, index.offset - prefix);
  }
  const Slice stored(record.data() + prefix, static_cast<size_t>(index.size));
  if (header_.compression != kNoCompression) {
    s = Decompress(stored, blob);
    if (!s.ok() && !s.IsMemoryLimit()) s = bytes_->At(s, index.offset);
  } else {
    if (own == nullptr || record.data() != own->memory()) {
      own = Blob::Allocate(stored.size());
      if (own == nullptr) return Status::MemoryLimit("no memory for a blob", bytes_->name());
      std::memcpy(own->memory(), stored.data(), stored.size());
    } else {
      own->set_value(stored);
    }
    *blob = std::move(own);
  }
  if (s.ok() && bytes_read != nullptr) *bytes_read = n;
  return s;
}

Status BlobFileReader::VerifyAll(const ReadLimits& limits, size_t ahead_bytes) const {
  BlobFileScan scan(bytes_, limits, ahead_bytes);
  const uint64_t end = bytes_->size() - kBlobFooterSize;
  uint64_t offset = 0;
  uint64_t records = 0;
  const auto count = [&records](const BlobRecord& /*record*/) {
    ++records;
    return Status::OK();
  };
  const Status s = VisitBlobRecords(&scan, end, count, &offset);
  if (s.IsCorruption() && scan.ok()) return bytes_->At(s, offset);
  if (!s.ok()) return s;
  if (records == records_) return Status::OK();
  return bytes_->At(
      Status::Corruption("blob file has " + std::to_string(records) +
                         " records, and says that it has " + std::to_string(records_)),
      end);
}

}  // namespace cairn
