// Settings of universal compaction (ColumnFamilyOptions::compaction_style =
// kCompactionStyleUniversal), which writes data less often than leveled compaction and takes more
// space. The data are a list of sorted runs by age: each file of level 0, then each level. From
// level0_file_num_compaction_trigger runs on, neighbours are merged.
#pragma once

#include <climits>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

enum CompactionStopStyle {
  kCompactionStopStyleSimilarSize,  // pick files of similar size
  kCompactionStopStyleTotalSize     // pick until the total is larger than the next file
};

class CompactionOptionsUniversal {
 public:
  // Percent by which the next older run may be larger than those before it (or than the one before
  // it: stop_style) to be merged with them.
  unsigned int size_ratio = 1;
  // Runs that one compaction merges, at least and at most.
  unsigned int min_merge_width = 2;
  unsigned int max_merge_width = UINT_MAX;
  // When all runs but the oldest come to so many percent of it, everything is merged.
  unsigned int max_size_amplification_percent = 200;
  // So many percent of the data, the oldest, are compressed; negative: all.
  int compression_size_percent = -1;
  CompactionStopStyle stop_style = kCompactionStopStyleTotalSize;
  // Runs that do not overlap become one by moving their files.
  bool allow_trivial_move = false;
  // Space amplification is reduced in steps: a part of the second oldest run is merged into what it
  // overlaps of the oldest one, so that a job has about max_compaction_bytes. Everything is still
  // merged at once where all other runs are in level 0, or where every part overlaps too much.
  bool incremental = false;
  // Runs that a read may meet. From level0_file_num_compaction_trigger runs on they are merged
  // where sizes ask for it (max_size_amplification_percent, size_ratio); with more than this, in
  // any case. -1: as the trigger. Others that are less than the trigger: NotSupported. (Of RocksDB
  // 9; 0, where RocksDB chooses, is not supported.)
  int max_read_amp = -1;
  // A hint without effect: how soon a compaction takes its files for itself. (Of RocksDB 10.)
  bool reduce_file_locking = true;
};

}  // namespace ROCKSDB_NAMESPACE
