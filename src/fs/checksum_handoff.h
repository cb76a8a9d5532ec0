// What a write hands over with its bytes, so that the file system can see whether they are still
// those (DBOptions::checksum_handoff_file_types): their CRC32C, four bytes, little-endian, as
// RocksDB's.
#pragma once

#include <cstdint>
#include <string>

#include "base/coding.h"
#include "base/namespace.h"
#include "rocksdb/file_system.h"

namespace cairn {

// One as DataVerificationInfo, which lives as long as this does.
class HandedChecksum {
 public:
  explicit HandedChecksum(uint32_t crc) {
    EncodeFixed32(bytes_, crc);
    info_.checksum = Slice(bytes_, sizeof(bytes_));
  }
  HandedChecksum(const HandedChecksum&) = delete;
  HandedChecksum& operator=(const HandedChecksum&) = delete;
  const DataVerificationInfo& info() const { return info_; }

 private:
  char bytes_[sizeof(uint32_t)];
  DataVerificationInfo info_;
};

// For a file system that checks: Corruption, with the name of the file, if `data` is not what
// `info` was made of.
[[nodiscard]] IOStatus CheckHandedChecksum(const std::string& file_name, const Slice& data,
                                           const DataVerificationInfo& info);

}  // namespace cairn
