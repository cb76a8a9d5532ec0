#include "blob/blob_format.h"

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/timestamps.h"

namespace cairn {
namespace {

constexpr uint32_t kMagic = 0x00248f37;
constexpr uint32_t kVersion = 1;
constexpr char kHasExpirations = 1;

// Kinds of blob indexes; the first and the last are the stacked BlobDB's.
enum IndexKind : char { kInlined = 0, kInFile = 1, kInFileWithExpiration = 2 };

uint32_t MaskedCrc(const Slice& data) {
  return crc32c::Mask(crc32c::Value(data.data(), data.size()));
}

uint32_t MaskedCrc(const Slice& key, const Slice& value) {
  const uint32_t of_key = crc32c::Value(key.data(), key.size());
  return crc32c::Mask(crc32c::Extend(of_key, value.data(), value.size()));
}

// Whether a record with the key `found` is that of `key`.
bool IsKeyOf(const Slice& key, const Slice& found, size_t timestamp_size) {
  if (found == key) return true;
  if (timestamp_size == 0) return false;
  const Slice bare = StripTimestamp(key, timestamp_size);
  return bare == StripTimestamp(found, timestamp_size) &&
         key == Slice(WithMinTimestamp(bare, timestamp_size));
}

// Where the parts of a record's header end.
constexpr size_t kSizesEnd = 24;
constexpr size_t kHeaderCrcEnd = 28;

}  // namespace

void AppendBlobFileHeader(const BlobFileHeader& header, std::string* dst) {
  PutFixed32(dst, kMagic);
  PutFixed32(dst, kVersion);
  PutFixed32(dst, header.column_family_id);
  dst->push_back(0);
  dst->push_back(static_cast<char>(header.compression));
  PutFixed64(dst, 0);
  PutFixed64(dst, 0);
}

Status DecodeBlobFileHeader(const Slice& src, BlobFileHeader* header) {
  if (src.size() != kBlobHeaderSize) return Status::Corruption("blob file header is cut");
  const char* p = src.data();
  if (DecodeFixed32(p) != kMagic)
    return Status::Corruption("no blob file: its magic number differs");
  if (const uint32_t version = DecodeFixed32(p + 4); version != kVersion) {
    return Status::Corruption("unknown version of blob files: " + std::to_string(version));
  }
  if ((p[12] & kHasExpirations) != 0 || DecodeFixed64(p + 14) != 0 || DecodeFixed64(p + 22) != 0) {
    return Status::Corruption("blob file with expirations, of the stacked BlobDB");
  }
  header->column_family_id = DecodeFixed32(p + 8);
  header->compression = static_cast<CompressionType>(p[13]);
  return Status::OK();
}

void AppendBlobFileFooter(uint64_t records, std::string* dst) {
  const size_t begin = dst->size();
  PutFixed32(dst, kMagic);
  PutFixed64(dst, records);
  PutFixed64(dst, 0);
  PutFixed64(dst, 0);
  PutFixed32(dst, MaskedCrc(Slice(dst->data() + begin, kBlobFooterSize - 4)));
}

Status DecodeBlobFileFooter(const Slice& src, uint64_t* records) {
  if (src.size() != kBlobFooterSize) return Status::Corruption("blob file footer is cut");
  const char* p = src.data();
  if (DecodeFixed32(p) != kMagic) {
    return Status::Corruption("blob file has no footer where it ends");
  }
  if (DecodeFixed32(p + kBlobFooterSize - 4) != MaskedCrc(Slice(p, kBlobFooterSize - 4))) {
    return Status::Corruption("blob file footer: the checksum does not match");
  }
  if (DecodeFixed64(p + 12) != 0 || DecodeFixed64(p + 20) != 0) {
    return Status::Corruption("blob file with expirations, of the stacked BlobDB");
  }
  *records = DecodeFixed64(p + 4);
  return Status::OK();
}

void EncodeBlobRecordHeader(const Slice& key, const Slice& value, char* header) {
  EncodeFixed64(header, key.size());
  EncodeFixed64(header + 8, value.size());
  EncodeFixed64(header + 16, 0);
  EncodeFixed32(header + kSizesEnd, MaskedCrc(Slice(header, kSizesEnd)));
  EncodeFixed32(header + kHeaderCrcEnd, MaskedCrc(key, value));
}

Status CheckBlobRecord(const Slice& record, const Slice& key, uint64_t value_size,
                       size_t timestamp_size) {
  if (record.size() < kBlobRecordHeaderSize) return Status::Corruption("blob record is cut");
  const char* p = record.data();
  if (DecodeFixed32(p + kSizesEnd) != MaskedCrc(Slice(p, kSizesEnd))) {
    return Status::Corruption("blob record: the checksum of its header does not match");
  }
  if (DecodeFixed64(p) != key.size()) {
    return Status::Corruption("blob record: the key's size differs");
  }
  if (DecodeFixed64(p + 8) != value_size) {
    return Status::Corruption("blob record: the value's size differs");
  }
  if (record.size() - kBlobRecordHeaderSize - key.size() != value_size) {
    return Status::Corruption("blob record is cut");
  }
  const Slice found(p + kBlobRecordHeaderSize, key.size());
  if (!IsKeyOf(key, found, timestamp_size)) {
    return Status::Corruption("blob record: it is another key's");
  }
  const Slice value(found.data() + key.size(), static_cast<size_t>(value_size));
  if (DecodeFixed32(p + kHeaderCrcEnd) != MaskedCrc(found, value)) {
    return Status::Corruption("blob record: the checksum does not match");
  }
  return Status::OK();
}

void AppendBlobIndex(const BlobIndex& index, std::string* dst) {
  dst->push_back(kInFile);
  PutVarint64(dst, index.file_number);
  PutVarint64(dst, index.offset);
  PutVarint64(dst, index.size);
  dst->push_back(static_cast<char>(index.compression));
}

Status DecodeBlobIndex(const Slice& src, BlobIndex* index) {
  Slice in = src;
  if (in.empty()) return Status::Corruption("blob index is empty");
  const char kind = in[0];
  in.remove_prefix(1);
  if (kind == kInlined || kind == kInFileWithExpiration) {
    return Status::Corruption("blob index with an expiration, of the stacked BlobDB");
  }
  if (kind != kInFile) {
    return Status::Corruption("unknown kind of blob index: " +
                              std::to_string(static_cast<unsigned char>(kind)));
  }
  if (!GetVarint64(&in, &index->file_number) || !GetVarint64(&in, &index->offset) ||
      !GetVarint64(&in, &index->size) || in.size() != 1) {
    return Status::Corruption("malformed blob index");
  }
  if (index->file_number == kNoBlobFile) return Status::Corruption("blob index without a file");
  index->compression = static_cast<CompressionType>(in[0]);
  return Status::OK();
}

}  // namespace cairn
