// What a TableFactory is told when it opens or makes a table. Plain values; what they point to
// outlives the reader, or the builder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/read_limits.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/types.h"

namespace cairn {

class BlockCacheTrace;  // trace/block_cache_trace.h

struct TableReaderOptions {
  explicit TableReaderOptions(const InternalKeyComparator& comparator) : icmp(comparator) {}

  const InternalKeyComparator& icmp;
  Statistics* statistics = nullptr;
  Logger* info_log = nullptr;
  int level = -1;  // -1: not known
  // A level-0 file of up to so many bytes is taken for one that a flush made.
  uint64_t max_flushed_file_size = UINT64_MAX;
  bool skip_filters = false;
  uint64_t file_number = 0;
  // Bytes after the data blocks (FileMetaData::tail_size); 0: not known, the reader guesses what to
  // prefetch.
  uint64_t tail_size = 0;
  // The file's largest sequence number: an ingested file's entries all have it. kMaxSequenceNumber:
  // not known.
  SequenceNumber largest_seqno = kMaxSequenceNumber;
  ReadLimits limits;  // of the reads at opening
  // How prefixes are taken now; tables may have been made with another one. Null: they are not.
  const SliceTransform* prefix_extractor = nullptr;
  // For a flush, a compaction or a recovery: it opens though a strict block cache has no room for
  // what is charged to it for the reader.
  bool for_job = false;
  // Whether blocks go to and come from the block cache's secondary cache, if it has one.
  bool use_secondary_cache = true;
  // The comparator's keys have timestamps, and the table may be one of before they had. (That it
  // lacks them although they had some it says itself.)
  bool expects_bare_keys = false;
  // Of the checksum of each entry of a block in memory: 0 (none), 1, 2, 4 or 8.
  uint8_t block_protection_bytes = 0;
  // FileOptions::use_mmap_reads: what a read gives of the file's memory stays while it is open.
  bool mapped = false;
  // Of tables that name it; null: of those that name one that is registered.
  std::shared_ptr<CompressionManager> compression_manager;
  // Told of the blocks that are looked up, while it is on. Null: nobody is. Outlives the reader.
  BlockCacheTrace* block_trace = nullptr;
};

struct TableBuilderOptions {
  TableBuilderOptions(const InternalKeyComparator& comparator, CompressionType compression)
      : icmp(comparator), compression_type(compression) {}

  const InternalKeyComparator& icmp;
  CompressionType compression_type;
  CompressionOptions compression_opts;
  std::shared_ptr<CompressionManager> compression_manager;  // null: the built-in types
  uint32_t column_family_id = 0;
  std::string column_family_name = "default";
  int level = -1;  // -1: not known
  bool is_bottommost = false;
  bool is_flush = false;
  bool level_tells_age = true;  // not with FIFO style, nor without compactions
  bool skip_filters = false;    // write no filter (optimize_filters_for_hits at the last level)
  // What it is written for, and whether it will be read back to be compared: whether its blocks go
  // to the block cache (prepopulate_block_cache). How blocks lie there see TableReaderOptions.
  TableFileCreationReason reason = TableFileCreationReason::kMisc;
  bool will_be_read_back = false;
  bool use_secondary_cache = true;
  uint8_t block_protection_bytes = 0;
  // The table gets bare keys. All that are added have the smallest timestamp.
  bool strip_timestamps = false;
  uint64_t creation_time = 0;       // Unix seconds; 0: not known
  uint64_t oldest_key_time = 0;     // Unix seconds
  uint64_t file_creation_time = 0;  // Unix seconds
  std::string db_id;
  std::string db_session_id;
  std::string db_host_id;
  uint64_t cur_file_num = 0;
  uint64_t target_file_size = 0;                // bytes, a hint for what to reserve; 0: not known
  std::string merge_operator_name = "nullptr";  // for the properties
  // The filter holds these prefixes, too. Null: none.
  const SliceTransform* prefix_extractor = nullptr;
  uint32_t bloom_locality = 0;               // ColumnFamilyOptions::bloom_locality, of plain tables
  UserCollectedProperties extra_properties;  // written as they are
  // Of what else the properties shall have. Null: none.
  const ColumnFamilyOptions::TablePropertiesCollectorFactories* collector_factories = nullptr;
  Statistics* statistics = nullptr;
  Logger* info_log = nullptr;
};

}  // namespace cairn
