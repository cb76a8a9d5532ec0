// The names of DB's properties ("rocksdb.num-files-at-level"): DB::Properties. Those that end in a
// digit or prefix take an argument. Constants.
#pragma once

#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct DBPropertyNames {
  static const std::string kNumFilesAtLevelPrefix;
  static const std::string kCompressionRatioAtLevelPrefix;
  static const std::string kStats;
  static const std::string kSSTables;
  static const std::string kCFStats;
  static const std::string kCFStatsNoFileHistogram;
  static const std::string kCFFileHistogram;
  static const std::string kDBStats;
  static const std::string kLevelStats;
  static const std::string kBlockCacheEntryStats;
  static const std::string kFastBlockCacheEntryStats;
  static const std::string kNumImmutableMemTable;
  static const std::string kNumImmutableMemTableFlushed;
  static const std::string kMemTableFlushPending;
  static const std::string kNumRunningFlushes;
  static const std::string kCompactionPending;
  static const std::string kNumRunningCompactions;
  static const std::string kBackgroundErrors;
  static const std::string kCurSizeActiveMemTable;
  static const std::string kCurSizeAllMemTables;
  static const std::string kSizeAllMemTables;
  static const std::string kNumEntriesActiveMemTable;
  static const std::string kNumEntriesImmMemTables;
  static const std::string kNumDeletesActiveMemTable;
  static const std::string kNumDeletesImmMemTables;
  static const std::string kEstimateNumKeys;
  static const std::string kEstimateTableReadersMem;
  static const std::string kIsFileDeletionsEnabled;
  static const std::string kNumSnapshots;
  static const std::string kOldestSnapshotTime;
  static const std::string kOldestSnapshotSequence;
  static const std::string kNumLiveVersions;
  static const std::string kCurrentSuperVersionNumber;
  static const std::string kEstimateLiveDataSize;
  static const std::string kMinLogNumberToKeep;
  static const std::string kMinObsoleteSstNumberToKeep;
  static const std::string kTotalSstFilesSize;
  static const std::string kLiveSstFilesSize;
  static const std::string kLiveSstFilesSizeAtTemperature;
  static const std::string kBaseLevel;
  static const std::string kEstimatePendingCompactionBytes;
  static const std::string kAggregatedTableProperties;
  static const std::string kAggregatedTablePropertiesAtLevel;
  static const std::string kActualDelayedWriteRate;
  static const std::string kIsWriteStopped;
  static const std::string kEstimateOldestKeyTime;
  static const std::string kBlockCacheCapacity;
  static const std::string kBlockCacheUsage;
  static const std::string kBlockCachePinnedUsage;
  static const std::string kOptionsStatistics;
  static const std::string kNumBlobFiles;
  static const std::string kBlobStats;
  static const std::string kTotalBlobFileSize;  // bytes, of all files that some reader may need
  static const std::string kLiveBlobFileSize;   // of those of the present state
  static const std::string kLiveBlobFileGarbageSize;
  static const std::string kBlobCacheCapacity;
  static const std::string kBlobCacheUsage;
  static const std::string kBlobCachePinnedUsage;
  static const std::string kCFWriteStallStats;
};

}  // namespace ROCKSDB_NAMESPACE
