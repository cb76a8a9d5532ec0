// kCompactionStyleNone: nothing is compacted but what the user chooses (CompactFiles), as in
// RocksDB, where CompactRange() does nothing, too. For programs with an algorithm of their own.
#pragma once

#include <memory>

#include "compaction/compaction_picker.h"

namespace cairn {

class NonePicker final : public CompactionPicker {
 public:
  using CompactionPicker::CompactionPicker;

  std::unique_ptr<Compaction> PickCompaction(const ColumnFamilyOptions& /*options*/,
                                             Version* /*version*/) override {
    return nullptr;
  }
  std::unique_ptr<Compaction> CompactRange(const ColumnFamilyOptions& /*options*/,
                                           Version* /*version*/,
                                           const CompactRangeOptions& /*range_options*/,
                                           const ManualRange& /*range*/,
                                           ManualStep* /*step*/) override {
    return nullptr;
  }
};

}  // namespace cairn
