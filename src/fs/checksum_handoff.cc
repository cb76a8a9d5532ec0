#include "fs/checksum_handoff.h"

#include "base/crc32c.h"

namespace cairn {

IOStatus CheckHandedChecksum(const std::string& file_name, const Slice& data,
                             const DataVerificationInfo& info) {
  const HandedChecksum found(crc32c::Value(data.data(), data.size()));
  if (info.checksum == found.info().checksum) return IOStatus::OK();
  return IOStatus::Corruption("Data is corrupted on its way to " + file_name,
                              "its checksum was " + info.checksum.ToString(/*hex=*/true) +
                                  " and is " + found.info().checksum.ToString(/*hex=*/true));
}

}  // namespace cairn
