// Settings of universal compaction. Cairn compacts by levels only: they are kept, so that an
// OPTIONS file survives a round trip.
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
  unsigned int size_ratio = 1;  // percent
  unsigned int min_merge_width = 2;
  unsigned int max_merge_width = UINT_MAX;
  unsigned int max_size_amplification_percent = 200;
  int compression_size_percent = -1;
  CompactionStopStyle stop_style = kCompactionStopStyleTotalSize;
  bool allow_trivial_move = false;
  bool incremental = false;
};

}  // namespace ROCKSDB_NAMESPACE
