// The fixed parts of a block-based table file: block handles, block trailers, checksums and the
// footer.
//
//   [data block + trailer]* [filter] [index] [properties] [metaindex] [footer, 53 bytes]
//
// Called by the table builder and the table reader. Everything here is stateless or a plain value:
// thread-safe. The layout is RocksDB's; /format_version/ is the number in the footer (2 to 7 are
// read, 5 is written by default).
//
//   trailer   compression type (1 byte), checksum (fixed32) over the block and that byte
//   footer    checksum type (1) | part 2 (40) | format_version (fixed32) | magic (fixed64)
//     <= 5    part 2: metaindex handle, index handle (varint64 pairs), zeros
//     >= 6    part 2: extended magic (4), footer checksum (fixed32), base context checksum
//     (fixed32),
//             metaindex size (fixed32; the block ends where the footer starts), 24 reserved bytes.
//             The index handle is in the metaindex under "rocksdb.index", and every checksum is
//             bound to its offset in the file.
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"

namespace cairn {

inline constexpr uint64_t kBlockBasedTableMagic = 0x88e241b785f4cff7ull;
inline constexpr size_t kBlockTrailerSize = 5;
// Of data blocks with block_align, whatever block_size is.
inline constexpr uint64_t kLargestAlignment = 4096;
inline constexpr size_t kFooterSize = 53;
inline constexpr uint32_t kMinFormatVersion = 2;
inline constexpr uint32_t kMaxFormatVersion = 7;
// A block larger than this is taken for corruption before memory is asked for it: its offsets have
// 32 bits. (kMaxEntrySize is so that any entry fits.)
inline constexpr uint64_t kMaxBlockSize = UINT32_MAX;

// Names in the metaindex.
inline constexpr char kPropertiesBlockName[] = "rocksdb.properties";
inline constexpr char kOldPropertiesBlockName[] = "rocksdb.stats";
inline constexpr char kCompressionDictBlockName[] = "rocksdb.compression_dict";
inline constexpr char kRangeDelBlockName[] = "rocksdb.range_del";
inline constexpr char kIndexBlockName[] = "rocksdb.index";
inline constexpr char kFullFilterPrefix[] = "fullfilter.";
inline constexpr char kPartitionedFilterPrefix[] = "partitionedfilter.";
inline constexpr char kBuiltinBloomName[] = "rocksdb.BuiltinBloomFilter";

// Where a block is: `size` excludes the trailer.
struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;

  bool IsNull() const { return offset == 0 && size == 0; }
  void EncodeTo(std::string* dst) const;
  // Consumes the handle from *input. Corruption without a file name: the caller knows it.
  [[nodiscard]] Status DecodeFrom(Slice* input);
};

struct Footer {
  uint32_t format_version = 0;
  ChecksumType checksum_type = kNoChecksum;
  BlockHandle metaindex_handle;
  BlockHandle index_handle;            // null when the metaindex has it (format_version >= 6)
  uint32_t base_context_checksum = 0;  // 0: checksums do not depend on the offset

  // `footer_offset`: where in the file the footer will stand.
  void EncodeTo(uint64_t footer_offset, std::string* dst) const;
  // `input`: exactly kFooterSize bytes that stand at `footer_offset`. Corruption and NotSupported
  // lack the file name.
  [[nodiscard]] Status DecodeFrom(const Slice& input, uint64_t footer_offset);
};

// The checksum of `data` followed by the byte `last_byte` (of a block and its compression type).
uint32_t ComputeChecksum(ChecksumType type, const char* data, size_t n, char last_byte);

// What is added to a checksum that stands for a block at `offset`; 0 without a base.
inline uint32_t ChecksumContextModifier(uint32_t base_context_checksum, uint64_t offset) {
  if (base_context_checksum == 0) return 0;
  return base_context_checksum ^
         (static_cast<uint32_t>(offset) + static_cast<uint32_t>(offset >> 32));
}

// Is this a checksum type that we can compute?
bool IsSupportedChecksumType(uint8_t type);

// " in /db/000012.sst at offset 4711": the tail of every message about bad bytes.
std::string InFileAt(const std::string& file_name, uint64_t offset);

}  // namespace cairn
