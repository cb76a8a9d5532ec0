// Chooses what to compact in leveled style. See compaction_picker.h.
//
// Rules, in order: the level with the highest score >= 1; within it the file that overlaps least of
// the next level; all inputs are grown to a clean cut (no user key is split between an input and a
// file left behind); files that are being compacted, or that would overlap the output of a running
// job, rule a choice out. Then files marked for compaction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compaction/compaction_picker.h"

namespace cairn {

class LeveledPicker final : public CompactionPicker {
 public:
  using CompactionPicker::CompactionPicker;

  std::unique_ptr<Compaction> PickCompaction(const ColumnFamilyOptions& options,
                                             Version* version) override;
  std::unique_ptr<Compaction> CompactRange(const ColumnFamilyOptions& options, Version* version,
                                           const CompactRangeOptions& range_options,
                                           const ManualRange& range, ManualStep* step) override;

 private:
  class Pick;  // the working state of one pick

  // Finds the output level's inputs and, where it costs nothing, more of the start level. false:
  // conflict.
  bool SetupOtherInputs(const ColumnFamilyOptions& options, const Version& version,
                        CompactionInputFiles* start, CompactionInputFiles* output) const;

  // Per level: where the next round-robin tie begins (a user key).
  std::vector<std::string> round_robin_;
};

}  // namespace cairn
