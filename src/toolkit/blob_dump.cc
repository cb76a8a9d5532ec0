#include "toolkit/blob_dump.h"

#include <algorithm>
#include <cinttypes>
#include <memory>
#include <string>
#include <string_view>

#include "base/string_util.h"
#include "blob/blob_format.h"
#include "blob/blob_records.h"
#include "fs/file_reader.h"
#include "rocksdb/convenience.h"
#include "table/compression.h"
#include "toolkit/console.h"

namespace cairn {
namespace {

// "kSnappyCompression"
std::string CompressionText(CompressionType type) {
  std::string name;
  if (GetStringFromCompressionType(&name, type).ok()) return name;
  return "unknown (" + std::to_string(static_cast<int>(type)) + ")";
}

// "Snappy"
std::string ShortCompressionText(CompressionType type) {
  std::string name = CompressionText(type);
  constexpr std::string_view kEnd = "Compression";
  if (name.starts_with('k')) name.erase(0, 1);
  if (name.ends_with(kEnd) && type != kNoCompression) name.resize(name.size() - kEnd.size());
  return name;
}

// The bytes of a file, a large piece of which is read at once.
class Window {
 public:
  Window(std::unique_ptr<RandomAccessFileReader> file, uint64_t size)
      : file_(std::move(file)), size_(size) {}

  Status Read(uint64_t offset, size_t n, Slice* result) {
    if (offset > size_ || n > size_ - offset) return Status::Corruption("the file is cut");
    if (offset < begin_ || offset + n > begin_ + bytes_.size()) {
      constexpr size_t kAtOnce = size_t{2} << 20;
      buffer_.resize(static_cast<size_t>(std::min<uint64_t>(std::max(n, kAtOnce), size_ - offset)));
      const IOStatus io = file_->Read(IOOptions(), offset, buffer_.size(), &bytes_, buffer_.data());
      begin_ = offset;
      if (!io.ok()) bytes_ = Slice();
      if (!io.ok()) return io;
      if (bytes_.size() < n) return Status::Corruption("the file is cut");
    }
    *result = Slice(bytes_.data() + (offset - begin_), n);
    return Status::OK();
  }
  uint64_t size() const { return size_; }

 private:
  const std::unique_ptr<RandomAccessFileReader> file_;
  const uint64_t size_;
  std::string buffer_;
  Slice bytes_;  // of the file, at begin_
  uint64_t begin_ = 0;
};

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
  BlobFileDump(Window* file, const BlobDumpOptions& options) : file_(*file), options_(options) {}

  // `*offset`: where an error is.
  Status Run(uint64_t* offset) {
    *offset = 0;
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
        [this](uint64_t at, size_t n, Slice* result) { return file_.Read(at, n, result); }, end,
        [this](const BlobRecord& record) { return PrintRecord(record); }, offset);
    PrintSummary();
    return s;
  }

 private:
  // Where the records end.
  uint64_t PrintFooter() {
    uint64_t records = 0;
    Slice bytes;
    const uint64_t at =
        std::max<uint64_t>(file_.size(), kBlobHeaderSize + kBlobFooterSize) - kBlobFooterSize;
    Status s = file_.Read(at, kBlobFooterSize, &bytes);
    if (s.ok()) s = DecodeBlobFileFooter(bytes, &records);
    if (!s.ok()) {
      Print("No blob log footer.\n");
      return file_.size();
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

  Window& file_;
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
  Window window(std::move(file), size);
  uint64_t offset = 0;
  s = BlobFileDump(&window, options).Run(&offset);
  if (s.ok() || !s.IsCorruption()) return s;
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
  return StringPrintf(" => [blob ref] file:%" PRIu64 " offset:%" PRIu64 " size:%" PRIu64
                      " compression: ",
                      at.file_number, at.offset, at.size) +
         ShortCompressionText(at.compression);
}

}  // namespace cairn
