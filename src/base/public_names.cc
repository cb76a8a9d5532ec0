// The texts behind the names of the public API: of properties that a database answers to, and of
// those that table files store (on disk, never to change).
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

const std::string kDefaultColumnFamilyName = "default";

const std::string DB::Properties::kNumFilesAtLevelPrefix = "rocksdb.num-files-at-level";
const std::string DB::Properties::kCompressionRatioAtLevelPrefix =
    "rocksdb.compression-ratio-at-level";
const std::string DB::Properties::kStats = "rocksdb.stats";
const std::string DB::Properties::kSSTables = "rocksdb.sstables";
const std::string DB::Properties::kCFStats = "rocksdb.cfstats";
const std::string DB::Properties::kCFStatsNoFileHistogram = "rocksdb.cfstats-no-file-histogram";
const std::string DB::Properties::kCFFileHistogram = "rocksdb.cf-file-histogram";
const std::string DB::Properties::kDBStats = "rocksdb.dbstats";
const std::string DB::Properties::kLevelStats = "rocksdb.levelstats";
const std::string DB::Properties::kBlockCacheEntryStats = "rocksdb.block-cache-entry-stats";
const std::string DB::Properties::kFastBlockCacheEntryStats =
    "rocksdb.fast-block-cache-entry-stats";
const std::string DB::Properties::kNumImmutableMemTable = "rocksdb.num-immutable-mem-table";
const std::string DB::Properties::kNumImmutableMemTableFlushed =
    "rocksdb.num-immutable-mem-table-flushed";
const std::string DB::Properties::kMemTableFlushPending = "rocksdb.mem-table-flush-pending";
const std::string DB::Properties::kNumRunningFlushes = "rocksdb.num-running-flushes";
const std::string DB::Properties::kCompactionPending = "rocksdb.compaction-pending";
const std::string DB::Properties::kNumRunningCompactions = "rocksdb.num-running-compactions";
const std::string DB::Properties::kBackgroundErrors = "rocksdb.background-errors";
const std::string DB::Properties::kCurSizeActiveMemTable = "rocksdb.cur-size-active-mem-table";
const std::string DB::Properties::kCurSizeAllMemTables = "rocksdb.cur-size-all-mem-tables";
const std::string DB::Properties::kSizeAllMemTables = "rocksdb.size-all-mem-tables";
const std::string DB::Properties::kNumEntriesActiveMemTable =
    "rocksdb.num-entries-active-mem-table";
const std::string DB::Properties::kNumEntriesImmMemTables = "rocksdb.num-entries-imm-mem-tables";
const std::string DB::Properties::kNumDeletesActiveMemTable =
    "rocksdb.num-deletes-active-mem-table";
const std::string DB::Properties::kNumDeletesImmMemTables = "rocksdb.num-deletes-imm-mem-tables";
const std::string DB::Properties::kEstimateNumKeys = "rocksdb.estimate-num-keys";
const std::string DB::Properties::kEstimateTableReadersMem = "rocksdb.estimate-table-readers-mem";
const std::string DB::Properties::kIsFileDeletionsEnabled = "rocksdb.is-file-deletions-enabled";
const std::string DB::Properties::kNumSnapshots = "rocksdb.num-snapshots";
const std::string DB::Properties::kOldestSnapshotTime = "rocksdb.oldest-snapshot-time";
const std::string DB::Properties::kOldestSnapshotSequence = "rocksdb.oldest-snapshot-sequence";
const std::string DB::Properties::kNumLiveVersions = "rocksdb.num-live-versions";
const std::string DB::Properties::kCurrentSuperVersionNumber =
    "rocksdb.current-super-version-number";
const std::string DB::Properties::kEstimateLiveDataSize = "rocksdb.estimate-live-data-size";
const std::string DB::Properties::kMinLogNumberToKeep = "rocksdb.min-log-number-to-keep";
const std::string DB::Properties::kMinObsoleteSstNumberToKeep =
    "rocksdb.min-obsolete-sst-number-to-keep";
const std::string DB::Properties::kTotalSstFilesSize = "rocksdb.total-sst-files-size";
const std::string DB::Properties::kLiveSstFilesSize = "rocksdb.live-sst-files-size";
const std::string DB::Properties::kLiveSstFilesSizeAtTemperature =
    "rocksdb.live-sst-files-size-at-temperature";
const std::string DB::Properties::kBaseLevel = "rocksdb.base-level";
const std::string DB::Properties::kEstimatePendingCompactionBytes =
    "rocksdb.estimate-pending-compaction-bytes";
const std::string DB::Properties::kAggregatedTableProperties =
    "rocksdb.aggregated-table-properties";
const std::string DB::Properties::kAggregatedTablePropertiesAtLevel =
    "rocksdb.aggregated-table-properties-at-level";
const std::string DB::Properties::kActualDelayedWriteRate = "rocksdb.actual-delayed-write-rate";
const std::string DB::Properties::kIsWriteStopped = "rocksdb.is-write-stopped";
const std::string DB::Properties::kEstimateOldestKeyTime = "rocksdb.estimate-oldest-key-time";
const std::string DB::Properties::kBlockCacheCapacity = "rocksdb.block-cache-capacity";
const std::string DB::Properties::kBlockCacheUsage = "rocksdb.block-cache-usage";
const std::string DB::Properties::kBlockCachePinnedUsage = "rocksdb.block-cache-pinned-usage";
const std::string DB::Properties::kOptionsStatistics = "rocksdb.options-statistics";

const std::string TablePropertiesNames::kDbId = "rocksdb.creating.db.identity";
const std::string TablePropertiesNames::kDbSessionId = "rocksdb.creating.session.identity";
const std::string TablePropertiesNames::kDbHostId = "rocksdb.creating.host.identity";
const std::string TablePropertiesNames::kOriginalFileNumber = "rocksdb.original.file.number";
const std::string TablePropertiesNames::kDataSize = "rocksdb.data.size";
const std::string TablePropertiesNames::kIndexSize = "rocksdb.index.size";
const std::string TablePropertiesNames::kIndexPartitions = "rocksdb.index.partitions";
const std::string TablePropertiesNames::kTopLevelIndexSize = "rocksdb.top-level.index.size";
const std::string TablePropertiesNames::kIndexKeyIsUserKey = "rocksdb.index.key.is.user.key";
const std::string TablePropertiesNames::kIndexValueIsDeltaEncoded =
    "rocksdb.index.value.is.delta.encoded";
const std::string TablePropertiesNames::kFilterSize = "rocksdb.filter.size";
const std::string TablePropertiesNames::kRawKeySize = "rocksdb.raw.key.size";
const std::string TablePropertiesNames::kRawValueSize = "rocksdb.raw.value.size";
const std::string TablePropertiesNames::kNumDataBlocks = "rocksdb.num.data.blocks";
const std::string TablePropertiesNames::kNumEntries = "rocksdb.num.entries";
const std::string TablePropertiesNames::kNumFilterEntries = "rocksdb.num.filter_entries";
const std::string TablePropertiesNames::kDeletedKeys = "rocksdb.deleted.keys";
const std::string TablePropertiesNames::kMergeOperands = "rocksdb.merge.operands";
const std::string TablePropertiesNames::kNumRangeDeletions = "rocksdb.num.range-deletions";
const std::string TablePropertiesNames::kFormatVersion = "rocksdb.format.version";
const std::string TablePropertiesNames::kFixedKeyLen = "rocksdb.fixed.key.length";
const std::string TablePropertiesNames::kFilterPolicy = "rocksdb.filter.policy";
const std::string TablePropertiesNames::kColumnFamilyName = "rocksdb.column.family.name";
const std::string TablePropertiesNames::kColumnFamilyId = "rocksdb.column.family.id";
const std::string TablePropertiesNames::kComparator = "rocksdb.comparator";
const std::string TablePropertiesNames::kMergeOperator = "rocksdb.merge.operator";
const std::string TablePropertiesNames::kPrefixExtractorName = "rocksdb.prefix.extractor.name";
const std::string TablePropertiesNames::kPropertyCollectors = "rocksdb.property.collectors";
const std::string TablePropertiesNames::kCompression = "rocksdb.compression";
const std::string TablePropertiesNames::kCompressionOptions = "rocksdb.compression_options";
const std::string TablePropertiesNames::kCreationTime = "rocksdb.creation.time";
const std::string TablePropertiesNames::kOldestKeyTime = "rocksdb.oldest.key.time";
const std::string TablePropertiesNames::kFileCreationTime = "rocksdb.file.creation.time";
const std::string TablePropertiesNames::kSlowCompressionEstimatedDataSize =
    "rocksdb.sample_for_compression.slow.data.size";
const std::string TablePropertiesNames::kFastCompressionEstimatedDataSize =
    "rocksdb.sample_for_compression.fast.data.size";
const std::string TablePropertiesNames::kSequenceNumberTimeMapping = "rocksdb.seqno.time.map";

}  // namespace ROCKSDB_NAMESPACE
