// The write-ahead log's format, RocksDB's. The MANIFEST uses it too (legacy records).
//
// A log is a sequence of blocks of 32 KiB. A record is cut into fragments that never cross a block:
//
//   legacy       | crc fixed32 | length fixed16 | type 1 |                        payload |
//   recyclable   | crc fixed32 | length fixed16 | type 1 | log number fixed32     payload |
//
// The CRC is CRC32C, masked, over everything after the length: type, [log number,] payload. The log
// number is the low 32 bits of the file's number: in a recycled file it tells the new records from
// the remains of the old ones. A block's tail too short for a header is filled with zeros.
//
// Type 0 with length 0 is space that was allocated but never written.

#ifndef CAIRN_WAL_LOG_FORMAT_H_
#define CAIRN_WAL_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"

namespace cairn::log {

enum RecordType : uint8_t {
  kZeroType = 0,
  kFullType = 1,
  kFirstType = 2,
  kMiddleType = 3,
  kLastType = 4,
  kRecyclableFullType = 5,
  kRecyclableFirstType = 6,
  kRecyclableMiddleType = 7,
  kRecyclableLastType = 8,
  // The first record of a log whose other records are compressed (log_compressor.h): fixed32, the
  // CompressionType. Without a log number in recycled logs, too.
  kSetCompressionType = 9,
  // The timestamps' sizes of families whose records follow: any number of times (fixed32: the
  // family; fixed16: bytes). Releases of RocksDB before 8 cannot read a log with one; newer ones
  // take keys for bare without it.
  kUserDefinedTimestampSizeType = 10,
  kRecyclableUserDefinedTimestampSizeType = 11,
  // Of the log before this one (predecessor_wal.h).
  kPredecessorWalInfoType = 130,
  kRecyclePredecessorWalInfoType = 131,
};

inline constexpr uint8_t kMaxPlainRecordType = kRecyclableLastType;
inline constexpr uint8_t kMaxWrittenRecordType = kRecyclePredecessorWalInfoType;
// Of some type that carries the log's number.
inline constexpr bool IsRecyclableType(unsigned type) {
  return (type >= kRecyclableFullType && type <= kRecyclableLastType) ||
         type == kRecyclableUserDefinedTimestampSizeType || type == kRecyclePredecessorWalInfoType;
}
// Newer types with this bit set may be skipped by a reader that does not know them.
inline constexpr uint8_t kRecordTypeSafeIgnoreMask = 1 << 7;

inline constexpr size_t kBlockSize = 32768;
inline constexpr size_t kHeaderSize = 4 + 2 + 1;
inline constexpr size_t kRecyclableHeaderSize = kHeaderSize + 4;

}  // namespace cairn::log

#endif  // CAIRN_WAL_LOG_FORMAT_H_
