// Why flushes and compactions happen: names that appear in the LOG, in statistics and in job
// information.
//
// The EventListener interface itself is not offered by this version: DB::Open refuses
// DBOptions::listeners. Plain enumerations, values as in RocksDB.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

enum class CompactionReason : int {
  kUnknown = 0,
  kLevelL0FilesNum,    // level 0 has reached its file count
  kLevelMaxLevelSize,  // a level is larger than its target
  kUniversalSizeAmplification,
  kUniversalSizeRatio,
  kUniversalSortedRunNum,
  kFIFOMaxSize,
  kFIFOReduceNumFiles,
  kFIFOTtl,
  kManualCompaction,          // CompactRange
  kFilesMarkedForCompaction,  // a table asked for it when it was written
  kBottommostFiles,  // tombstones or old versions at the bottom that no snapshot needs any more
  kTtl,
  kFlush,
  kExternalSstIngestion,
  kPeriodicCompaction,
  kChangeTemperature,
  kForcedBlobGC,
  kRoundRobinTtl,
  kNumOfReasons,
};

enum class FlushReason : int {
  kOthers = 0x00,
  kGetLiveFiles = 0x01,
  kShutDown = 0x02,
  kExternalFileIngestion = 0x03,
  kManualCompaction = 0x04,
  kWriteBufferManager = 0x05,
  kWriteBufferFull = 0x06,
  kTest = 0x07,
  kDeleteFiles = 0x08,
  kAutoCompaction = 0x09,
  kManualFlush = 0x0a,
  kErrorRecovery = 0xb,
  kErrorRecoveryRetryFlush = 0xc,
  kWalFull = 0xd,
};

}  // namespace ROCKSDB_NAMESPACE
