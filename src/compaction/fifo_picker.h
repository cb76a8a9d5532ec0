// FIFO compaction: the database is a queue of bounded size. What is oldest goes away, whole files
// of it, without being read: for logs, metrics and caches, whose old entries nobody misses.
//
// Rules (RocksDB's), in order; one compaction at a time:
// 1. ttl: the oldest files whose time is over go, if what stays is not too large.
// 2. Size: more than max_table_files_size (max_data_files_size, with blob files): the oldest files
//    of level 0 go until it is not; in a database that had another style, files of the last level
//    that has any, in key order.
// 3. allow_compaction: the newest files of level 0, once there are
// level0_file_num_compaction_trigger
//    of them, become one, if merging is cheap: at most 1.1 write buffers are written for each file
//    that goes.
#pragma once

#include <memory>
#include <string>

#include "compaction/compaction_picker.h"

namespace cairn {

class FifoPicker final : public CompactionPicker {
 public:
  using CompactionPicker::CompactionPicker;

  std::unique_ptr<Compaction> PickCompaction(const ColumnFamilyOptions& options,
                                             Version* version) override;
  // What an automatic one would do now, whatever range and levels are given.
  std::unique_ptr<Compaction> CompactRange(const ColumnFamilyOptions& options, Version* version,
                                           const CompactRangeOptions& range_options,
                                           const ManualRange& range, ManualStep* step) override;

 private:
  std::unique_ptr<Compaction> DropExpired(const ColumnFamilyOptions& options, Version* version);
  std::unique_ptr<Compaction> DropOldest(const ColumnFamilyOptions& options, Version* version);
  std::unique_ptr<Compaction> MergeNewest(const ColumnFamilyOptions& options, Version* version);
  // One file, the oldest whose temperature is another one by now.
  std::unique_ptr<Compaction> ChangeTemperature(const ColumnFamilyOptions& options,
                                                Version* version);
  std::unique_ptr<Compaction> Drop(const ColumnFamilyOptions& options, Version* version, int level,
                                   std::vector<FileMetaData*> files, CompactionReason reason);
};

}  // namespace cairn
