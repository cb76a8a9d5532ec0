// For whom a table is read, as a trace of the block cache tells it.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// The numbers are those of the traces' bytes.
enum TableReaderCaller : char {
  kUserGet = 1,
  kUserMultiGet = 2,
  kUserIterator = 3,
  kUserApproximateSize = 4,
  kUserVerifyChecksum = 5,
  kSSTDumpTool = 6,
  kExternalSSTIngestion = 7,
  kRepair = 8,
  kPrefetch = 9,  // at the opening of a table; what several keys of a MultiGet wait for together
  kCompaction = 10,
  kCompactionRefill = 11,
  kFlush = 12,
  kSSTFileReader = 13,
  kUncategorized = 14,
  kMaxBlockCacheLookupCaller,
};

}  // namespace ROCKSDB_NAMESPACE
