// The texts behind the names of the public API: of properties that a database answers to, and of
// those that table files store (on disk, never to change). And the public constants that are empty.
#include <array>
#include <string>

#include "base/never_destroyed.h"
#include "rocksdb/attribute_groups.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/utilities/agg_merge.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

CAIRN_NEVER_DESTROYED const std::string kDefaultColumnFamilyName = "default";
CAIRN_NEVER_DESTROYED const std::string kPersistentStatsColumnFamilyName =
    "___rocksdb_stats_history___";

CAIRN_NEVER_DESTROYED const std::string kUnnamedFuncName;
CAIRN_NEVER_DESTROYED const std::string kErrorFuncName = "kErrorFuncName";

CAIRN_NEVER_DESTROYED const Slice kDefaultWideColumnName;
CAIRN_NEVER_DESTROYED const WideColumns kNoWideColumns;
CAIRN_NEVER_DESTROYED const AttributeGroups kNoAttributeGroups;
CAIRN_NEVER_DESTROYED const IteratorAttributeGroups kNoIteratorAttributeGroups;

const std::string& GetCacheEntryRoleName(CacheEntryRole role) {
  static const auto& kNames = *new const std::array<std::string, kNumCacheEntryRoles>{
      "data-block",          "filter-block",
      "filter-meta-block",   "deprecated-filter-block",
      "index-block",         "other-block",
      "write-buffer",        "compression-dictionary-building-buffer",
      "filter-construction", "block-based-table-reader",
      "file-metadata",       "blob-value",
      "blob-cache",          "misc",
  };
  return kNames[static_cast<uint32_t>(role) < kNumCacheEntryRoles
                    ? static_cast<uint32_t>(role)
                    : static_cast<uint32_t>(CacheEntryRole::kMisc)];
}

CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumFilesAtLevelPrefix =
    "rocksdb.num-files-at-level";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCompressionRatioAtLevelPrefix =
    "rocksdb.compression-ratio-at-level";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kStats = "rocksdb.stats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kSSTables = "rocksdb.sstables";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCFStats = "rocksdb.cfstats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCFStatsNoFileHistogram =
    "rocksdb.cfstats-no-file-histogram";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCFWriteStallStats =
    "rocksdb.cf-write-stall-stats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCFFileHistogram =
    "rocksdb.cf-file-histogram";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kDBStats = "rocksdb.dbstats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kLevelStats = "rocksdb.levelstats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlockCacheEntryStats =
    "rocksdb.block-cache-entry-stats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kFastBlockCacheEntryStats =
    "rocksdb.fast-block-cache-entry-stats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumImmutableMemTable =
    "rocksdb.num-immutable-mem-table";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumImmutableMemTableFlushed =
    "rocksdb.num-immutable-mem-table-flushed";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kMemTableFlushPending =
    "rocksdb.mem-table-flush-pending";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumRunningFlushes =
    "rocksdb.num-running-flushes";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCompactionPending =
    "rocksdb.compaction-pending";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumRunningCompactions =
    "rocksdb.num-running-compactions";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBackgroundErrors =
    "rocksdb.background-errors";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCurSizeActiveMemTable =
    "rocksdb.cur-size-active-mem-table";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCurSizeAllMemTables =
    "rocksdb.cur-size-all-mem-tables";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kSizeAllMemTables =
    "rocksdb.size-all-mem-tables";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumEntriesActiveMemTable =
    "rocksdb.num-entries-active-mem-table";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumEntriesImmMemTables =
    "rocksdb.num-entries-imm-mem-tables";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumDeletesActiveMemTable =
    "rocksdb.num-deletes-active-mem-table";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumDeletesImmMemTables =
    "rocksdb.num-deletes-imm-mem-tables";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kEstimateNumKeys =
    "rocksdb.estimate-num-keys";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kEstimateTableReadersMem =
    "rocksdb.estimate-table-readers-mem";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kIsFileDeletionsEnabled =
    "rocksdb.is-file-deletions-enabled";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumSnapshots = "rocksdb.num-snapshots";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kOldestSnapshotTime =
    "rocksdb.oldest-snapshot-time";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kOldestSnapshotSequence =
    "rocksdb.oldest-snapshot-sequence";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumLiveVersions =
    "rocksdb.num-live-versions";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kCurrentSuperVersionNumber =
    "rocksdb.current-super-version-number";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kEstimateLiveDataSize =
    "rocksdb.estimate-live-data-size";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kMinLogNumberToKeep =
    "rocksdb.min-log-number-to-keep";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kMinObsoleteSstNumberToKeep =
    "rocksdb.min-obsolete-sst-number-to-keep";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kTotalSstFilesSize =
    "rocksdb.total-sst-files-size";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kLiveSstFilesSize =
    "rocksdb.live-sst-files-size";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kLiveSstFilesSizeAtTemperature =
    "rocksdb.live-sst-files-size-at-temperature";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBaseLevel = "rocksdb.base-level";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kEstimatePendingCompactionBytes =
    "rocksdb.estimate-pending-compaction-bytes";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kAggregatedTableProperties =
    "rocksdb.aggregated-table-properties";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kAggregatedTablePropertiesAtLevel =
    "rocksdb.aggregated-table-properties-at-level";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kActualDelayedWriteRate =
    "rocksdb.actual-delayed-write-rate";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kIsWriteStopped =
    "rocksdb.is-write-stopped";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kEstimateOldestKeyTime =
    "rocksdb.estimate-oldest-key-time";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlockCacheCapacity =
    "rocksdb.block-cache-capacity";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlockCacheUsage =
    "rocksdb.block-cache-usage";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlockCachePinnedUsage =
    "rocksdb.block-cache-pinned-usage";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kOptionsStatistics =
    "rocksdb.options-statistics";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kNumBlobFiles = "rocksdb.num-blob-files";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlobStats = "rocksdb.blob-stats";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kTotalBlobFileSize =
    "rocksdb.total-blob-file-size";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kLiveBlobFileSize =
    "rocksdb.live-blob-file-size";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kLiveBlobFileGarbageSize =
    "rocksdb.live-blob-file-garbage-size";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlobCacheCapacity =
    "rocksdb.blob-cache-capacity";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlobCacheUsage =
    "rocksdb.blob-cache-usage";
CAIRN_NEVER_DESTROYED const std::string DBPropertyNames::kBlobCachePinnedUsage =
    "rocksdb.blob-cache-pinned-usage";

CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kDbId =
    "rocksdb.creating.db.identity";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kDbSessionId =
    "rocksdb.creating.session.identity";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kDbHostId =
    "rocksdb.creating.host.identity";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kOriginalFileNumber =
    "rocksdb.original.file.number";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kDataSize = "rocksdb.data.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kIndexSize = "rocksdb.index.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kIndexPartitions =
    "rocksdb.index.partitions";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kTopLevelIndexSize =
    "rocksdb.top-level.index.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kIndexKeyIsUserKey =
    "rocksdb.index.key.is.user.key";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kIndexValueIsDeltaEncoded =
    "rocksdb.index.value.is.delta.encoded";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kFilterSize = "rocksdb.filter.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kRawKeySize = "rocksdb.raw.key.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kRawValueSize =
    "rocksdb.raw.value.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNumDataBlocks =
    "rocksdb.num.data.blocks";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNumEntries = "rocksdb.num.entries";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNumFilterEntries =
    "rocksdb.num.filter_entries";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kDeletedKeys = "rocksdb.deleted.keys";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kMergeOperands =
    "rocksdb.merge.operands";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNumRangeDeletions =
    "rocksdb.num.range-deletions";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kFormatVersion =
    "rocksdb.format.version";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kFixedKeyLen =
    "rocksdb.fixed.key.length";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kFilterPolicy =
    "rocksdb.filter.policy";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kColumnFamilyName =
    "rocksdb.column.family.name";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kColumnFamilyId =
    "rocksdb.column.family.id";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kComparator = "rocksdb.comparator";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kMergeOperator =
    "rocksdb.merge.operator";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kPrefixExtractorName =
    "rocksdb.prefix.extractor.name";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kPropertyCollectors =
    "rocksdb.property.collectors";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kCompression = "rocksdb.compression";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kCompressionOptions =
    "rocksdb.compression_options";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kCreationTime =
    "rocksdb.creation.time";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kOldestKeyTime =
    "rocksdb.oldest.key.time";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kFileCreationTime =
    "rocksdb.file.creation.time";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kSlowCompressionEstimatedDataSize =
    "rocksdb.sample_for_compression.slow.data.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kFastCompressionEstimatedDataSize =
    "rocksdb.sample_for_compression.fast.data.size";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kSequenceNumberTimeMapping =
    "rocksdb.seqno.time.map";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kUserDefinedTimestampsPersisted =
    "rocksdb.user.defined.timestamps.persisted";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kUDIIsPrimaryIndex =
    "rocksdb.udi.is.primary.index";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNumDataBlocksCompressionRejected =
    "rocksdb.num.data.blocks.compression.rejected";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNumDataBlocksCompressionBypassed =
    "rocksdb.num.data.blocks.compression.bypassed";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNumUniformBlocks =
    "rocksdb.num.uniform.blocks";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kNewestKeyTime =
    "rocksdb.newest.key.time";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kTailStartOffset =
    "rocksdb.tail.start.offset";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kKeyLargestSeqno =
    "rocksdb.key.largest.seqno";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kKeySmallestSeqno =
    "rocksdb.key.smallest.seqno";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kDataBlockRestartInterval =
    "rocksdb.data.block.restart.interval";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kIndexBlockRestartInterval =
    "rocksdb.index.block.restart.interval";
CAIRN_NEVER_DESTROYED const std::string TablePropertiesNames::kSeparateKeyValueInDataBlock =
    "rocksdb.separate.key.value.in.data.block";

using PlainNames = PlainTablePropertyNames;
CAIRN_NEVER_DESTROYED const std::string PlainNames::kEncodingType =
    "rocksdb.plain.table.encoding.type";
CAIRN_NEVER_DESTROYED const std::string PlainNames::kBloomVersion =
    "rocksdb.plain.table.bloom.version";
CAIRN_NEVER_DESTROYED const std::string PlainNames::kNumBloomBlocks =
    "rocksdb.plain.table.bloom.numblocks";

using CuckooNames = CuckooTablePropertyNames;
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kEmptyKey = "rocksdb.cuckoo.bucket.empty.key";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kValueLength = "rocksdb.cuckoo.value.length";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kNumHashFunc = "rocksdb.cuckoo.hash.num";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kCuckooBlockSize =
    "rocksdb.cuckoo.hash.cuckooblocksize";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kHashTableSize = "rocksdb.cuckoo.hash.size";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kIsLastLevel =
    "rocksdb.cuckoo.file.islastlevel";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kIdentityAsFirstHash =
    "rocksdb.cuckoo.hash.identityfirst";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kUseModuleHash =
    "rocksdb.cuckoo.hash.usemodule";
CAIRN_NEVER_DESTROYED const std::string CuckooNames::kUserKeyLength =
    "rocksdb.cuckoo.hash.userkeylength";

}  // namespace ROCKSDB_NAMESPACE
