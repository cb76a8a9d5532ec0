// TableProperties: what a table file says about itself, stored in its properties block; and
// TablePropertiesCollector: what the application adds to that, from the entries that it is shown.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

class Slice;
struct ConfigOptions;

// Properties by name. The names are on disk.
using UserCollectedProperties = std::map<std::string, std::string>;

// The names under which the properties are stored ("rocksdb.num.entries").
struct TablePropertiesNames {
  static const std::string kDbId;
  static const std::string kDbSessionId;
  static const std::string kDbHostId;
  static const std::string kOriginalFileNumber;
  static const std::string kDataSize;
  static const std::string kIndexSize;
  static const std::string kIndexPartitions;
  static const std::string kTopLevelIndexSize;
  static const std::string kIndexKeyIsUserKey;
  static const std::string kIndexValueIsDeltaEncoded;
  static const std::string kFilterSize;
  static const std::string kRawKeySize;
  static const std::string kRawValueSize;
  static const std::string kNumDataBlocks;
  static const std::string kNumEntries;
  static const std::string kNumFilterEntries;
  static const std::string kDeletedKeys;
  static const std::string kMergeOperands;
  static const std::string kNumRangeDeletions;
  static const std::string kFormatVersion;
  static const std::string kFixedKeyLen;
  static const std::string kFilterPolicy;
  static const std::string kColumnFamilyName;
  static const std::string kColumnFamilyId;
  static const std::string kComparator;
  static const std::string kMergeOperator;
  static const std::string kPrefixExtractorName;
  static const std::string kPropertyCollectors;
  static const std::string kCompression;
  static const std::string kCompressionOptions;
  static const std::string kCreationTime;
  static const std::string kOldestKeyTime;
  static const std::string kFileCreationTime;
  static const std::string kSlowCompressionEstimatedDataSize;
  static const std::string kFastCompressionEstimatedDataSize;
  static const std::string kSequenceNumberTimeMapping;
  static const std::string kUserDefinedTimestampsPersisted;
  // Of releases since 8.
  static const std::string kUDIIsPrimaryIndex;
  static const std::string kNumDataBlocksCompressionRejected;
  static const std::string kNumDataBlocksCompressionBypassed;
  static const std::string kNumUniformBlocks;
  static const std::string kNewestKeyTime;
  static const std::string kTailStartOffset;
  static const std::string kKeyLargestSeqno;
  static const std::string kKeySmallestSeqno;
  static const std::string kDataBlockRestartInterval;
  static const std::string kIndexBlockRestartInterval;
  static const std::string kSeparateKeyValueInDataBlock;
};

// Is shown all entries of one table while it is written, by one thread at a time, and then says
// what the table's user_collected_properties have of it. An error that it returns is logged and
// otherwise ignored: the table is written, without the properties of a collector whose Finish()
// failed. Exceptions must not leave a collector.
class TablePropertiesCollector {
 public:
  virtual ~TablePropertiesCollector() = default;

  // The older form of AddUserKey(), which calls it unless it is overridden.
  virtual Status Add(const Slice& /*key*/, const Slice& /*value*/) {
    return Status::InvalidArgument("TablePropertiesCollector::Add() deprecated.");
  }

  // One entry, in the order of the table: ascending keys, the newest version of a key first. Range
  // tombstones (kEntryRangeDeletion: `key` is where it begins, `value` where it ends) come in an
  // order of their own, before, between or after the others. `key`: the user's. `file_size`: bytes
  // of the file that are written; blocks that are not yet are not counted.
  virtual Status AddUserKey(const Slice& key, const Slice& value, EntryType /*type*/,
                            SequenceNumber /*seq*/, uint64_t /*file_size*/) {
    return Add(key, value);
  }

  // After each data block: its bytes before compression. The others are estimates of its size with
  // a fast and a slow compression; 0, for none are made.
  virtual void BlockAdd(uint64_t /*block_uncomp_bytes*/, uint64_t /*block_compressed_bytes_fast*/,
                        uint64_t /*block_compressed_bytes_slow*/) {}

  // After the last entry. Adds to *properties, which is empty. A name that the table uses itself
  // ("rocksdb.num.entries") is passed over.
  virtual Status Finish(UserCollectedProperties* properties) = 0;

  // The same for people to read; after Finish(). Not stored: TableProperties::readable_properties
  // of a table just written.
  virtual UserCollectedProperties GetReadableProperties() const = 0;

  virtual const char* Name() const = 0;

  // After Finish(): whether the table should be compacted soon though its level is not too large
  // (CompactionReason::kFilesMarkedForCompaction). The MANIFEST remembers it. Tables in the last
  // level that has any stay as they are.
  virtual bool NeedCompact() const { return false; }
};

// Makes a collector for each table of a column family
// (ColumnFamilyOptions::table_properties_collector_factories). Thread-safe: flushes and
// compactions call it at once.
class TablePropertiesCollectorFactory : public Customizable {
 public:
  struct Context {
    // kUnknownColumnFamily: an SstFileWriter that was given none.
    uint32_t column_family_id;
    // Where the table is written to; a move to another level changes nothing in it.
    int level_at_creation = kUnknownLevelAtCreation;
    static const uint32_t kUnknownColumnFamily;
    static const int kUnknownLevelAtCreation = -1;
  };

  ~TablePropertiesCollectorFactory() override = default;
  static const char* Type() { return "TablePropertiesCollectorFactory"; }
  // "CompactOnDeletionCollector", or "id=CompactOnDeletionCollector;window_size=128;
  // deletion_trigger=64;deletion_ratio=0.5" (see utilities/table_properties_collectors.h). Another
  // name leaves *result null: OK, or NotSupported without ignore_unsupported_options.
  // InvalidArgument: a setting that it does not have.
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<TablePropertiesCollectorFactory>* result);

  // The caller owns it. Null: no collector for this table.
  virtual TablePropertiesCollector* CreateTablePropertiesCollector(
      TablePropertiesCollectorFactory::Context context) = 0;

  // Is stored in each table (TableProperties::property_collectors_names).
  const char* Name() const override = 0;

  // The name and settings, for the LOG.
  virtual std::string ToString() const { return Name(); }
};

struct TableProperties {
  // The number that the file was made under; with db_id and db_session_id it names the file for all
  // times.
  uint64_t orig_file_number = 0;
  // Bytes of the data blocks, and of the index and filter, as stored.
  uint64_t data_size = 0;
  uint64_t index_size = 0;
  uint64_t index_partitions = 0;
  uint64_t top_level_index_size = 0;
  // 1: index keys are user keys, without sequence number and type.
  uint64_t index_key_is_user_key = 0;
  // 1: index values store differences to the one before.
  uint64_t index_value_is_delta_encoded = 0;
  uint64_t filter_size = 0;
  // Bytes of all internal keys, and of all values, before any encoding.
  uint64_t raw_key_size = 0;
  uint64_t raw_value_size = 0;
  uint64_t num_data_blocks = 0;
  uint64_t num_entries = 0;
  uint64_t num_filter_entries = 0;
  // Tombstones of all kinds.
  uint64_t num_deletions = 0;
  uint64_t num_merge_operands = 0;
  uint64_t num_range_deletions = 0;
  // 0 in block-based files of any version, as RocksDB has it.
  uint64_t format_version = 0;
  uint64_t fixed_key_len = 0;
  uint64_t column_family_id = kUnknownColumnFamily;
  // Seconds since 1970; 0: unknown.
  uint64_t creation_time = 0;
  uint64_t oldest_key_time = 0;
  uint64_t file_creation_time = 0;
  uint64_t slow_compression_estimated_data_size = 0;
  uint64_t fast_compression_estimated_data_size = 0;
  // 0: keys lack the timestamps that the comparator's keys have, see
  // ColumnFamilyOptions::persist_user_defined_timestamps.
  uint64_t user_defined_timestamps_persisted = 1;
  // Where an ingested file keeps its global sequence number; 0: it has none.
  uint64_t external_sst_file_global_seqno_offset = 0;

  // What tables of RocksDB since 8 say of themselves. Where they do not it is as here: Cairn's have
  // sequence numbers and restart intervals.
  uint64_t uncompressed_data_size = 0;  // bytes of the data blocks; of a table just written alone
  uint64_t udi_is_primary_index = 0;
  uint64_t num_data_blocks_compression_rejected = 0;  // did not get smaller
  uint64_t num_data_blocks_compression_bypassed = 0;  // were not tried
  uint64_t num_uniform_blocks = 0;
  uint64_t newest_key_time = 0;                   // seconds since 1970
  uint64_t tail_start_offset = 0;                 // the first byte behind the data blocks
  uint64_t key_largest_seqno = UINT64_MAX;        // of the entries
  uint64_t key_smallest_seqno = UINT64_MAX;       // likewise
  uint64_t data_block_restart_interval = 0;       // entries
  uint64_t index_block_restart_interval = 0;      // entries
  uint64_t separate_key_value_in_data_block = 0;  // 1: values are apart from keys

  // Whether key_largest_seqno, or key_smallest_seqno, is known.
  bool HasKeyLargestSeqno() const { return key_largest_seqno != UINT64_MAX; }
  bool HasKeySmallestSeqno() const { return key_smallest_seqno != UINT64_MAX; }

  std::string db_id;
  std::string db_session_id;
  std::string db_host_id;
  std::string column_family_name;
  std::string filter_policy_name;
  std::string comparator_name;
  std::string merge_operator_name;
  std::string prefix_extractor_name;
  std::string property_collectors_names;  // of the factories: "[A,B]"
  std::string compression_name;
  std::string compression_options;
  std::string seqno_to_time_mapping;

  // What collectors added, and the table format's own that have no field here.
  UserCollectedProperties user_collected_properties;
  // For people; only of a table that was just written (listener.h).
  UserCollectedProperties readable_properties;

  // What column_family_id is when it is not known.
  static constexpr uint32_t kUnknownColumnFamily = INT32_MAX;

  // One line of text.
  std::string ToString(const std::string& prop_delim = "; ",
                       const std::string& kv_delim = "=") const;

  // Adds up what can be added: sizes and counts.
  void Add(const TableProperties& tp);

  // Bytes in memory, about.
  size_t ApproximateMemoryUsage() const;

  // The fields that Add() sums, by name.
  std::map<std::string, uint64_t> GetAggregatablePropertiesAsMap() const;
};

// Of tables of RocksDB before 5.13 or so, whose collectors counted these: how many deletions, or
// merge operands, a table has. Newer ones, Cairn's among them, have fields for it: 0 then, and for
// merge operands *property_present is false.
uint64_t GetDeletedKeys(const UserCollectedProperties& props);
uint64_t GetMergeOperands(const UserCollectedProperties& props, bool* property_present);

// Table properties by path.
using TablePropertiesCollection =
    std::unordered_map<std::string, std::shared_ptr<const TableProperties>>;

}  // namespace ROCKSDB_NAMESPACE
