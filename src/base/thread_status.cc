// The names in a ThreadStatus: RocksDB's, for programs that look for them.
#include "rocksdb/thread_status.h"

#include <array>

#include "base/string_util.h"

namespace ROCKSDB_NAMESPACE {
namespace {

// Never destroyed: a program may ask while it ends.
template <size_t n>
const std::string& NameOf(const std::array<std::string, n>& names, int i) {
  return names[i < 0 || static_cast<size_t>(i) >= n ? 0 : static_cast<size_t>(i)];
}

const std::string& NoName() {
  static const auto* const name = new std::string;
  return *name;
}

}  // namespace

std::string ThreadStatus::GetThreadTypeName(ThreadType thread_type) {
  switch (thread_type) {
    case HIGH_PRIORITY:
      return "High Pri";
    case LOW_PRIORITY:
      return "Low Pri";
    case USER:
      return "User";
    case BOTTOM_PRIORITY:
      return "Bottom Pri";
    default:
      return "Unknown";
  }
}

const std::string& ThreadStatus::GetOperationName(OperationType op_type) {
  static const auto* const names =
      new std::array<std::string, NUM_OP_TYPES>{"", "Compaction", "Flush"};
  return NameOf(*names, op_type);
}

const std::string& ThreadStatus::GetOperationStageName(OperationStage stage) {
  static const auto* const names =
      new std::array<std::string, NUM_OP_STAGES>{"",
                                                 "FlushJob::Run",
                                                 "FlushJob::WriteLevel0Table",
                                                 "CompactionJob::Prepare",
                                                 "CompactionJob::Run",
                                                 "CompactionJob::ProcessKeyValueCompaction",
                                                 "CompactionJob::Install",
                                                 "CompactionJob::FinishCompactionOutputFile",
                                                 "MemTableList::PickMemtablesToFlush",
                                                 "MemTableList::RollbackMemtableFlush",
                                                 "MemTableList::TryInstallMemtableFlushResults"};
  return NameOf(*names, stage);
}

const std::string& ThreadStatus::GetStateName(StateType state_type) {
  static const auto* const names = new std::array<std::string, NUM_STATE_TYPES>{"", "Mutex Wait"};
  return NameOf(*names, state_type);
}

const std::string& ThreadStatus::GetOperationPropertyName(OperationType op_type, int i) {
  static const auto* const compaction = new std::array<std::string, NUM_COMPACTION_PROPERTIES>{
      "JobID",           "InputOutputLevel", "Manual/Deletion/Trivial",
      "TotalInputBytes", "BytesRead",        "BytesWritten"};
  static const auto* const flush =
      new std::array<std::string, NUM_FLUSH_PROPERTIES>{"JobID", "BytesMemtables", "BytesWritten"};
  if (op_type == OP_COMPACTION && i >= 0 && i < NUM_COMPACTION_PROPERTIES)
    return NameOf(*compaction, i);
  if (op_type == OP_FLUSH && i >= 0 && i < NUM_FLUSH_PROPERTIES) return NameOf(*flush, i);
  return NoName();
}

const std::string ThreadStatus::MicrosToString(uint64_t op_elapsed_time) {
  return op_elapsed_time == 0 ? "" : cairn::MicrosToHumanString(op_elapsed_time);
}

std::map<std::string, uint64_t> ThreadStatus::InterpretOperationProperties(
    OperationType op_type, const uint64_t* op_properties) {
  std::map<std::string, uint64_t> out;
  const int count = op_type == OP_COMPACTION ? static_cast<int>(NUM_COMPACTION_PROPERTIES)
                    : op_type == OP_FLUSH    ? static_cast<int>(NUM_FLUSH_PROPERTIES)
                                             : 0;
  for (int i = 0; i < count; ++i) {
    const uint64_t value = op_properties[i];
    if (op_type == OP_COMPACTION && i == COMPACTION_INPUT_OUTPUT_LEVEL) {
      out["BaseInputLevel"] = value >> 32;
      out["OutputLevel"] = value & UINT32_MAX;
    } else if (op_type == OP_COMPACTION && i == COMPACTION_PROP_FLAGS) {
      out["IsManual"] = value >> 1 & 1;
      out["IsDeletion"] = value >> 2 & 1;
      out["IsTrivialMove"] = value >> 3 & 1;
    } else {
      out[GetOperationPropertyName(op_type, i)] = value;
    }
  }
  return out;
}

}  // namespace ROCKSDB_NAMESPACE
