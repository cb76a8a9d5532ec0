// The compression of a data block; the values are on disk, in each block's trailer.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

enum CompressionType : unsigned char {
  kNoCompression = 0x0,
  kSnappyCompression = 0x1,
  kZlibCompression = 0x2,
  kBZip2Compression = 0x3,  // not built into Cairn
  kLZ4Compression = 0x4,
  kLZ4HCCompression = 0x5,
  kXpressCompression = 0x6,  // not built into Cairn
  kZSTD = 0x7,
  kZSTDNotFinalCompression = 0x40,  // what kZSTD was before its format was final; the same bytes

  // Options only, never on disk: "as the general setting says".
  kDisableCompressionOption = 0xff,
};

}  // namespace ROCKSDB_NAMESPACE
