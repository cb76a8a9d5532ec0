// Chooses what to compact in universal style. See compaction_picker.h.
//
// The data are a list of sorted runs, newest first: each file of level 0, then each level that has
// files. A compaction merges neighbours of that list into one run, which takes their place: in
// level 0 if an older run of level 0 follows, else in the level just above the next older run, or
// in the last level if none follows. So levels fill from the last one upward, and a run is never
// below an older one.
//
// What periodic_compaction_seconds (or ttl) says is too old goes to the last level with all that is
// newer. Rules (RocksDB's), once there are level0_file_num_compaction_trigger runs, in order:
// 1. Space amplification: if all runs but the oldest come to max_size_amplification_percent of it,
//    everything becomes one run. With `incremental`, a slice of the run above the oldest is merged
//    into that one instead, of about half of max_compaction_bytes, as long as that is worth it
//    (incremental_slice.h): the space comes down in many small jobs. With
//    preclude_last_level_data_seconds the last level counts as no run here, and there are no
//    slices.
// 2. Size ratio: the newest neighbours, min_merge_width to max_merge_width, of which each is at
// most
//    size_ratio percent larger than all before it (kCompactionStopStyleTotalSize), or than the one
//    before it, and as much smaller (kCompactionStopStyleSimilarSize).
// 3. Number of runs: more than the trigger: the newest neighbours, whatever their sizes, so many
// that
//    the trigger is met.
// Then, whatever the number of runs: a file that a properties collector marked is merged into what
// it overlaps of the next older run; in level 0 all older files come along.
// Runs that are being compacted are not touched, and end a sequence of neighbours.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compaction/compaction_picker.h"

namespace cairn {

class UniversalPicker final : public CompactionPicker {
 public:
  using CompactionPicker::CompactionPicker;

  std::unique_ptr<Compaction> PickCompaction(const ColumnFamilyOptions& options,
                                             Version* version) override;
  // Every file becomes one run in the last level, in one step, whatever range and levels are given.
  // One that is there already is rewritten only if the options force it.
  std::unique_ptr<Compaction> CompactRange(const ColumnFamilyOptions& options, Version* version,
                                           const CompactRangeOptions& range_options,
                                           const ManualRange& range, ManualStep* step) override;

 private:
  class Pick;  // the working state of one pick
};

}  // namespace cairn
