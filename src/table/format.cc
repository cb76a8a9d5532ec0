#include "table/format.h"

// gcc 12 at -O3 takes the update of one byte below for a read before its start (the loop does not
// run).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#define XXH_INLINE_ALL
#include <xxhash.h>
#pragma GCC diagnostic pop

#include <cstring>

#include "base/coding.h"
#include "base/crc32c.h"

namespace cairn {

namespace {

// Four bytes that cannot begin a block handle of format_version <= 5.
constexpr char kExtendedMagic[4] = {0x3e, 0x00, 0x7a, 0x00};
constexpr uint32_t kLastBytePrime = 0x6b9083d9;

// Offsets in the footer.
constexpr size_t kPart2 = 1;
constexpr size_t kVersionAt = 41;
constexpr size_t kMagicAt = 45;
// In part 2 of format_version >= 6.
constexpr size_t kChecksumAt = kPart2 + 4;
constexpr size_t kBaseContextAt = kPart2 + 8;
constexpr size_t kMetaindexSizeAt = kPart2 + 12;
// A later version says in these bytes that an older reader must not go on.
constexpr size_t kMustBeZeroAt = kPart2 + 32;

uint32_t FooterChecksum(const Footer& footer, const char* bytes, uint64_t footer_offset) {
  char copy[kFooterSize];
  std::memcpy(copy, bytes, kFooterSize);
  std::memset(copy + kChecksumAt, 0, 4);
  return ComputeChecksum(footer.checksum_type, copy, kFooterSize - 1, copy[kFooterSize - 1]) +
         ChecksumContextModifier(footer.base_context_checksum, footer_offset);
}

}  // namespace

void BlockHandle::EncodeTo(std::string* dst) const {
  PutVarint64(dst, offset);
  PutVarint64(dst, size);
}

Status BlockHandle::DecodeFrom(Slice* input) {
  if (GetVarint64(input, &offset) && GetVarint64(input, &size)) return Status::OK();
  offset = size = 0;
  return Status::Corruption("bad block handle");
}

bool IsSupportedChecksumType(uint8_t type) {
  switch (type) {
    case kNoChecksum:
    case kCRC32c:
    case kxxHash:
    case kxxHash64:
    case kXXH3:
      return true;
    default:
      return false;
  }
}

uint32_t ComputeChecksum(ChecksumType type, const char* data, size_t n, char last_byte) {
  switch (type) {
    case kCRC32c:
      return crc32c::Mask(crc32c::Extend(crc32c::Value(data, n), &last_byte, 1));
    case kxxHash: {
      XXH32_state_t state;
      XXH32_reset(&state, 0);
      XXH32_update(&state, data, n);
      XXH32_update(&state, &last_byte, 1);
      return XXH32_digest(&state);
    }
    case kxxHash64: {
      XXH64_state_t state;
      XXH64_reset(&state, 0);
      XXH64_update(&state, data, n);
      XXH64_update(&state, &last_byte, 1);
      return static_cast<uint32_t>(XXH64_digest(&state));
    }
    case kXXH3:
      // One pass over the block alone: the last byte is mixed in afterwards.
      return static_cast<uint32_t>(XXH3_64bits(data, n)) ^
             (static_cast<uint8_t>(last_byte) * kLastBytePrime);
    default:
      return 0;
  }
}

void Footer::EncodeTo(uint64_t footer_offset, std::string* dst) const {
  const size_t start = dst->size();
  dst->push_back(static_cast<char>(checksum_type));
  if (format_version >= 6) {
    dst->append(kExtendedMagic, sizeof(kExtendedMagic));
    PutFixed32(dst, 0);
    PutFixed32(dst, base_context_checksum);
    PutFixed32(dst, static_cast<uint32_t>(metaindex_handle.size));
  } else {
    metaindex_handle.EncodeTo(dst);
    index_handle.EncodeTo(dst);
  }
  dst->resize(start + kVersionAt, '\0');
  PutFixed32(dst, format_version);
  PutFixed64(dst, kBlockBasedTableMagic);
  if (format_version >= 6) {
    char* bytes = dst->data() + start;
    EncodeFixed32(bytes + kChecksumAt, FooterChecksum(*this, bytes, footer_offset));
  }
}

Status Footer::DecodeFrom(const Slice& input, uint64_t footer_offset) {
  const char* bytes = input.data();
  if (input.size() != kFooterSize) return Status::Corruption("footer of the wrong size");
  const uint64_t magic = DecodeFixed64(bytes + kMagicAt);
  if (magic != kBlockBasedTableMagic) {
    return Status::Corruption("bad table magic number (not a block-based table)");
  }
  format_version = DecodeFixed32(bytes + kVersionAt);
  if (format_version < kMinFormatVersion || format_version > kMaxFormatVersion) {
    return Status::NotSupported("table format_version " + std::to_string(format_version) +
                                " (2 to 7 can be read)");
  }
  const uint8_t checksum = static_cast<uint8_t>(bytes[0]);
  if (!IsSupportedChecksumType(checksum)) {
    return Status::Corruption("unknown checksum type " + std::to_string(checksum));
  }
  checksum_type = static_cast<ChecksumType>(checksum);
  if (format_version < 6) {
    Slice handles(bytes + kPart2, kVersionAt - kPart2);
    Status s = metaindex_handle.DecodeFrom(&handles);
    if (s.ok()) s = index_handle.DecodeFrom(&handles);
    return s;
  }
  if (std::memcmp(bytes + kPart2, kExtendedMagic, sizeof(kExtendedMagic)) != 0) {
    return Status::Corruption("bad extended magic number");
  }
  base_context_checksum = DecodeFixed32(bytes + kBaseContextAt);
  if (DecodeFixed32(bytes + kChecksumAt) != FooterChecksum(*this, bytes, footer_offset)) {
    return Status::Corruption("footer checksum mismatch");
  }
  for (size_t i = kMustBeZeroAt; i < kVersionAt; ++i) {
    if (bytes[i] != 0) return Status::NotSupported("table uses a feature of a newer format");
  }
  const uint64_t size = DecodeFixed32(bytes + kMetaindexSizeAt);
  if (size + kBlockTrailerSize > footer_offset) {
    return Status::Corruption("metaindex larger than the file");
  }
  metaindex_handle = {footer_offset - kBlockTrailerSize - size, size};
  index_handle = {};
  return Status::OK();
}

std::string InFileAt(const std::string& file_name, uint64_t offset) {
  return " in " + file_name + " at offset " + std::to_string(offset);
}

}  // namespace cairn
