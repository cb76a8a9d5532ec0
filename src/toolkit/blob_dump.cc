#include "toolkit/blob_dump.h"

#include <cinttypes>
#include <memory>
#include <string>

#include "base/string_util.h"
#include "blob/blob_format.h"
#include "blob/blob_records.h"
#include "fs/file_reader.h"
#include "rocksdb/convenience.h"
#include "table/compression.h"
#include "toolkit/console.h"

namespace cairn {
namespace {

std::string CompressionText(CompressionType type) {
  std::string name;
  if (GetStringFromCompressionType(&name, type).ok()) return name;
  return "unknown (" + std::to_string(static_cast<int>(type)) + ")";
}

Status Decompress(CompressionType type, const Slice& stored, std::string* value) {
  if (type == kNoCompression) {
    *value = stored.ToString();
    return Status::OK();
  }
  size_t size = 0;
  Slice payload;
  Status s = DecompressedSize(type, stored, &size, &payload);
  if (!s.ok()) return s;
  value->resize(size);
  return DecompressInto(type, payload, value->data(), size, nullptr);
}

class BlobFileDump {
 public:
  // `size`: of the file, bytes.
  BlobFileDump(BlobFileScan* file, uint64_t size, const BlobDumpOptions& options)
      : file_(*file), size_(size), options_(options) {}

  // `*offset`: where an error is.
  Status Run(uint64_t* offset) {
    *offset = 0;
    if (size_ < kBlobHeaderSize) return Status::Corruption("the file is cut");
    Slice bytes;
    Status s = file_.Read(0, kBlobHeaderSize, &bytes);
    if (s.ok()) s = DecodeBlobFileHeader(bytes, &header_);
    if (!s.ok()) return s;
    Print("Blob log header:\n  Version          : 1\n");
    Print("  Column Family ID : %" PRIu32 "\n", header_.column_family_id);
    Print("  Compression      : %s\n", CompressionText(header_.compression).c_str());
    Print("  Expiration range : nil\n");
    const uint64_t end = PrintFooter();
    s = VisitBlobRecords(
        &file_, end, [this](const BlobRecord& record) { return PrintRecord(record); }, offset);
    PrintSummary();
    return s;
  }

 private:
  // Where the records end.
  uint64_t PrintFooter() {
    uint64_t records = 0;
    Slice bytes;
    const uint64_t at = size_ - kBlobFooterSize;
    if (size_ < kBlobHeaderSize + kBlobFooterSize ||
        !file_.Read(at, kBlobFooterSize, &bytes).ok() ||
        !DecodeBlobFileFooter(bytes, &records).ok()) {
      Print("No blob log footer.\n");
      return size_;
    }
    Print("Blob log footer:\n  Blob count       : %" PRIu64 "\n", records);
    Print("  Expiration Range : nil\n");
    return at;
  }

  Status PrintRecord(const BlobRecord& record) {
    std::string value;
    Status s = Decompress(header_.compression, record.value, &value);
    if (!s.ok()) return s;
    Print("Read record with offset 0x%" PRIx64 " (%" PRIu64 "):\n", record.offset, record.offset);
    Print("  key size   : %zu\n  value size : %zu\n  expiration : 0\n", record.key.size(),
          record.value.size());
    Write("  key        : " + record.key.ToString(options_.hex_keys) + "\n");
    if (options_.uncompressed) {
      Write("  raw blob   : " + Slice(value).ToString(options_.hex_values) + "\n");
    } else {
      Write("  blob       : " + record.value.ToString(options_.hex_values) + "\n");
    }
    ++records_;
    key_bytes_ += record.key.size();
    stored_bytes_ += record.value.size();
    raw_bytes_ += value.size();
    return s;
  }

  void PrintSummary() const {
    Print("Summary:\n  total records: %" PRIu64 "\n  total key size: %" PRIu64 "\n", records_,
          key_bytes_);
    Print("  total blob size: %" PRIu64 "\n", stored_bytes_);
    if (header_.compression != kNoCompression) {
      Print("  total raw blob size: %" PRIu64 "\n", raw_bytes_);
    }
  }

  BlobFileScan& file_;
  const uint64_t size_;
  const BlobDumpOptions options_;
  BlobFileHeader header_;
  uint64_t records_ = 0, key_bytes_ = 0, stored_bytes_ = 0, raw_bytes_ = 0;
};

}  // namespace

Status DumpBlobFile(FileSystem* fs, const std::string& path, const BlobDumpOptions& options) {
  uint64_t size = 0;
  Status s = fs->GetFileSize(path, IOOptions(), &size, nullptr);
  std::unique_ptr<RandomAccessFileReader> file;
  if (s.ok()) s = RandomAccessFileReader::Open(fs, path, FileOptions(), &file);
  if (!s.ok()) return s;
  constexpr size_t kReadAhead = size_t{2} << 20;
  BlobFileScan scan(std::make_shared<BlobBytes>(std::move(file), size, /*statistics=*/nullptr),
                    ReadLimits(), kReadAhead);
  uint64_t offset = 0;
  s = BlobFileDump(&scan, size, options).Run(&offset);
  if (!s.IsCorruption() || !scan.ok()) return s;
  const char* const reason = s.getState();
  return Status::Corruption(path + " at offset " + std::to_string(offset),
                            reason != nullptr ? reason : "");
}

std::string EntryValueText(ValueType type, const Slice& value, bool decode, bool hex) {
  BlobIndex at;
  if (!decode || type != kTypeBlobIndex) return " => " + value.ToString(hex);
  if (const Status s = DecodeBlobIndex(value, &at); !s.ok()) {
    return " => error decoding blob index: " + s.ToString();
  }
  const char* const compression = CompressionPropertyName(at.compression);
  return StringPrintf(" => [blob ref] file:%" PRIu64 " offset:%" PRIu64 " size:%" PRIu64
                      " compression: ",
                      at.file_number, at.offset, at.size) +
         (compression[0] != '\0' ? compression : CompressionText(at.compression));
}

}  // namespace cairn
