// The units of a dump of a block cache (rocksdb/utilities/cache_dump_load.h), framed as RocksDB's:
//
//   metadata: sequence number (4 bytes) | CRC32C of the unit (4) | its size (8)
//   unit:     time in us (8) | type (1) | key, its length before it | size of the value (4) |
//             CRC32C of the value (4) | value, its length before it
//
// All little-endian, lengths as varint32. The first unit is a header, the last one a footer. Pure
// functions.
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

enum class DumpUnitType : unsigned char {
  kHeader = 1,
  kFooter = 2,
  kData = 3,
  kFilter = 4,
  kIndex = 11,
};

struct DumpUnit {
  uint64_t micros = 0;
  DumpUnitType type = DumpUnitType::kHeader;
  Slice key;
  Slice value;
};

void EncodeDumpUnit(const DumpUnit& unit, uint32_t sequence, std::string* metadata,
                    std::string* packet);
// `packet` lives as long as *unit. Corruption says what is wrong with it.
[[nodiscard]] Status DecodeDumpUnit(const Slice& metadata, const Slice& packet, uint32_t sequence,
                                    DumpUnit* unit);

}  // namespace cairn
