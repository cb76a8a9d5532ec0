#include "blob/blob_file_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/perf.h"
#include "fiber/clock.h"
#include "table/compression.h"
#include "table/format.h"

namespace cairn {
namespace {

// RocksDB's BLOB_DB_BLOB_FILE_READ_MICROS, and how many bytes.
class ReadTimer {
 public:
  explicit ReadTimer(Statistics* statistics)
      : statistics_(statistics), start_(statistics != nullptr ? fiber::now_nanos() : 0) {}
  ~ReadTimer() {
    if (statistics_ == nullptr) return;
    statistics_->reportTimeToHistogram(BLOB_DB_BLOB_FILE_READ_MICROS,
                                       (fiber::now_nanos() - start_) / 1000);
  }
  ReadTimer(const ReadTimer&) = delete;
  ReadTimer& operator=(const ReadTimer&) = delete;

 private:
  Statistics* const statistics_;
  const uint64_t start_;
};

}  // namespace

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
  std::unique_ptr<BlobFileReader> opened(new BlobFileReader(std::move(file), size, statistics));
  char scratch[std::max(kBlobHeaderSize, kBlobFooterSize)];
  Slice bytes;
  s = opened->ReadBytes(limits, 0, kBlobHeaderSize, &bytes, scratch);
  if (!s.ok()) return s;
  s = DecodeBlobFileHeader(bytes, &opened->header_);
  if (s.ok() && opened->header_.column_family_id != column_family_id) {
    s = Status::Corruption("blob file of column family " +
                           std::to_string(opened->header_.column_family_id) + ", not of " +
                           std::to_string(column_family_id));
  }
  if (!s.ok()) return opened->Corrupt(s, 0);
  const uint64_t footer = size - kBlobFooterSize;
  s = opened->ReadBytes(limits, footer, kBlobFooterSize, &bytes, scratch);
  if (!s.ok()) return s;
  s = DecodeBlobFileFooter(bytes, &opened->records_);
  if (!s.ok()) return opened->Corrupt(s, footer);
  *reader = std::move(opened);
  return s;
}

Status BlobFileReader::Corrupt(const Status& s, uint64_t offset) const {
  return Status::CopyAppendMessage(s, "", InFileAt(file_->file_name(), offset));
}

Status BlobFileReader::ReadBytes(const ReadLimits& limits, uint64_t offset, size_t n, Slice* result,
                                 char* scratch) const {
  IOOptions io;
  IOStatus s = limits.Apply(&io);
  if (!s.ok()) return s;
  if (statistics_ != nullptr) statistics_->recordTick(BLOB_DB_BLOB_FILE_BYTES_READ, n);
  {
    const ReadTimer timer(statistics_);
    s = file_->Read(io, offset, n, result, scratch);
  }
  if (s.ok() && result->size() != n) {
    return Corrupt(Status::Corruption("truncated read of a blob file"), offset);
  }
  return s;
}

Status BlobFileReader::ReadAhead(const ReadLimits& limits, uint64_t offset, size_t n,
                                 size_t ahead_bytes, BlobReadAhead* ahead, Slice* result) const {
  const bool there = offset >= ahead->offset && offset - ahead->offset <= ahead->size &&
                     n <= ahead->size - (offset - ahead->offset);
  if (!there) {
    const auto wanted =
        static_cast<size_t>(std::min<uint64_t>(std::max(n, ahead_bytes), file_size_ - offset));
    if (!WithMemory(wanted, [&] { ahead->memory.resize(wanted); })) {
      return Status::MemoryLimit("no memory for a blob", file_->file_name());
    }
    ahead->size = 0;
    Slice bytes;
    Status s = ReadBytes(limits, offset, wanted, &bytes, ahead->memory.data());
    if (!s.ok()) return s;
    if (bytes.data() != ahead->memory.data()) {
      std::memcpy(ahead->memory.data(), bytes.data(), bytes.size());
    }
    ahead->offset = offset;
    ahead->size = wanted;
  }
  *result = Slice(ahead->memory.data() + (offset - ahead->offset), n);
  return Status::OK();
}

Status BlobFileReader::Decompress(const Slice& stored, std::unique_ptr<Blob>* blob) const {
  const PerfTimer timer(Perf(), &PerfContext::blob_decompress_time);
  const uint64_t start = statistics_ != nullptr ? fiber::now_nanos() : 0;
  size_t size = 0;
  Slice payload;
  Status s = DecompressedSize(header_.compression, stored, &size, &payload);
  if (!s.ok()) return s;
  std::unique_ptr<Blob> plain = Blob::Allocate(size);
  if (plain == nullptr) return Status::MemoryLimit("no memory for a blob", file_->file_name());
  s = DecompressInto(header_.compression, payload, plain->memory(), size, nullptr);
  if (s.ok()) *blob = std::move(plain);
  if (statistics_ != nullptr) {
    statistics_->reportTimeToHistogram(BLOB_DB_DECOMPRESSION_MICROS,
                                       (fiber::now_nanos() - start) / 1000);
  }
  return s;
}

Status BlobFileReader::Read(const ReadLimits& limits, bool verify, const Slice& key,
                            const BlobIndex& index, BlobReadAhead* ahead, size_t ahead_bytes,
                            std::unique_ptr<Blob>* blob, uint64_t* bytes_read) const {
  // In this order, so that nothing overflows.
  const uint64_t before = kBlobRecordHeaderSize + key.size();
  if (index.size > file_size_ || index.offset > file_size_ - kBlobFooterSize ||
      index.size > file_size_ - kBlobFooterSize - index.offset ||
      index.offset < kBlobHeaderSize + before) {
    return Corrupt(Status::Corruption("blob index points outside of the file"), index.offset);
  }
  if (index.compression != header_.compression) {
    return Corrupt(Status::Corruption("blob index and blob file differ in the compression: " +
                                      std::to_string(index.compression) + " and " +
                                      std::to_string(header_.compression)),
                   index.offset);
  }
  const size_t prefix = verify ? static_cast<size_t>(before) : 0;
  const uint64_t offset = index.offset - prefix;
  const size_t n = prefix + static_cast<size_t>(index.size);
  Slice record;
  std::unique_ptr<Blob> own;
  Status s;
  if (ahead != nullptr) {
    s = ReadAhead(limits, offset, n, ahead_bytes, ahead, &record);
  } else {
    own = Blob::Allocate(n);
    if (own == nullptr) return Status::MemoryLimit("no memory for a blob", file_->file_name());
    const Perf perf;
    const PerfTimer timer(perf, &PerfContext::blob_read_time);
    perf.Count(&PerfContext::blob_read_count);
    perf.Count(&PerfContext::blob_read_byte, n);
    s = ReadBytes(limits, offset, n, &record, own->memory());
  }
  if (!s.ok()) return s;
  if (verify) {
    const PerfTimer timer(Perf(), &PerfContext::blob_checksum_time);
    s = CheckBlobRecord(record, key, index.size);
    if (!s.ok()) return Corrupt(s, offset);
  }
  const Slice stored(record.data() + prefix, static_cast<size_t>(index.size));
  if (header_.compression != kNoCompression) {
    s = Decompress(stored, blob);
    if (!s.ok() && !s.IsMemoryLimit()) s = Corrupt(s, index.offset);
  } else {
    if (own == nullptr || record.data() != own->memory()) {
      own = Blob::Allocate(stored.size());
      if (own == nullptr) return Status::MemoryLimit("no memory for a blob", file_->file_name());
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
  BlobReadAhead ahead;
  const uint64_t end = file_size_ - kBlobFooterSize;
  uint64_t offset = kBlobHeaderSize;
  uint64_t records = 0;
  while (offset < end) {
    if (end - offset < kBlobRecordHeaderSize) {
      return Corrupt(Status::Corruption("blob record is cut"), offset);
    }
    Slice header;
    Status s = ReadAhead(limits, offset, kBlobRecordHeaderSize, ahead_bytes, &ahead, &header);
    if (!s.ok()) return s;
    const uint64_t key_size = DecodeFixed64(header.data());
    const uint64_t value_size = DecodeFixed64(header.data() + 8);
    const uint64_t rest = end - offset - kBlobRecordHeaderSize;
    if (key_size > rest || value_size > rest - key_size) {
      return Corrupt(Status::Corruption("blob record reaches beyond the end"), offset);
    }
    const auto size = static_cast<size_t>(kBlobRecordHeaderSize + key_size + value_size);
    Slice record;
    s = ReadAhead(limits, offset, size, ahead_bytes, &ahead, &record);
    if (!s.ok()) return s;
    const Slice key(record.data() + kBlobRecordHeaderSize, static_cast<size_t>(key_size));
    s = CheckBlobRecord(record, key, value_size);
    if (!s.ok()) return Corrupt(s, offset);
    offset += size;
    ++records;
  }
  if (records == records_) return Status::OK();
  return Corrupt(Status::Corruption("blob file has " + std::to_string(records) +
                                    " records, and says that it has " + std::to_string(records_)),
                 end);
}

}  // namespace cairn
