// ThreadStatus: what a background thread does, for Env::GetThreadList().
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

#if !defined(ROCKSDB_USING_THREAD_STATUS)
#define ROCKSDB_USING_THREAD_STATUS
#endif

namespace ROCKSDB_NAMESPACE {

// A thread at the moment of the call. Databases opened without DBOptions::enable_thread_tracking
// say nothing of what their threads do; these are listed all the same.
struct ThreadStatus {
  enum ThreadType : int {
    HIGH_PRIORITY = 0,  // flushes
    LOW_PRIORITY,       // compactions
    USER,
    BOTTOM_PRIORITY,
    NUM_THREAD_TYPES
  };
  enum OperationType : int {
    OP_UNKNOWN = 0,  // none, or none that is told
    OP_COMPACTION,
    OP_FLUSH,
    NUM_OP_TYPES
  };
  enum OperationStage : int {
    STAGE_UNKNOWN = 0,
    STAGE_FLUSH_RUN,
    STAGE_FLUSH_WRITE_L0,
    STAGE_COMPACTION_PREPARE,
    STAGE_COMPACTION_RUN,
    STAGE_COMPACTION_PROCESS_KV,
    STAGE_COMPACTION_INSTALL,
    STAGE_COMPACTION_SYNC_FILE,
    STAGE_PICK_MEMTABLES_TO_FLUSH,
    STAGE_MEMTABLE_ROLLBACK,
    STAGE_MEMTABLE_INSTALL_FLUSH_RESULTS,
    NUM_OP_STAGES
  };
  enum CompactionPropertyType : int {
    COMPACTION_JOB_ID = 0,
    COMPACTION_INPUT_OUTPUT_LEVEL,  // the input level times 2^32, and the output level
    COMPACTION_PROP_FLAGS,          // 2: manual; 4: only deletes files; 8: only moves them
    COMPACTION_TOTAL_INPUT_BYTES,
    COMPACTION_BYTES_READ,     // so far; of the thread itself, not of those that help it
    COMPACTION_BYTES_WRITTEN,  // likewise
    NUM_COMPACTION_PROPERTIES
  };
  enum FlushPropertyType : int {
    FLUSH_JOB_ID = 0,
    FLUSH_BYTES_MEMTABLES,
    FLUSH_BYTES_WRITTEN,
    NUM_FLUSH_PROPERTIES
  };
  static const int kNumOperationProperties = NUM_COMPACTION_PROPERTIES;
  enum StateType : int { STATE_UNKNOWN = 0, STATE_MUTEX_WAIT = 1, NUM_STATE_TYPES };

  ThreadStatus(const uint64_t _id, const ThreadType _thread_type, const std::string& _db_name,
               const std::string& _cf_name, const OperationType _operation_type,
               const uint64_t _op_elapsed_micros, const OperationStage _operation_stage,
               const uint64_t _op_props[], const StateType _state_type)
      : thread_id(_id),
        thread_type(_thread_type),
        db_name(_db_name),
        cf_name(_cf_name),
        operation_type(_operation_type),
        op_elapsed_micros(_op_elapsed_micros),
        operation_stage(_operation_stage),
        state_type(_state_type) {
    for (int i = 0; i < kNumOperationProperties; ++i) op_properties[i] = _op_props[i];
  }

  const uint64_t thread_id;  // of the operating system
  const ThreadType thread_type;
  const std::string db_name;  // of the operation; empty: none
  const std::string cf_name;  // likewise
  const OperationType operation_type;
  const uint64_t op_elapsed_micros;  // since the operation began
  const OperationStage operation_stage;
  uint64_t op_properties[kNumOperationProperties];  // see InterpretOperationProperties()
  const StateType state_type;                       // always STATE_UNKNOWN

  // For people. What is out of range has the name of the first, or none.
  static std::string GetThreadTypeName(ThreadType thread_type);
  static const std::string& GetOperationName(OperationType op_type);
  static const std::string MicrosToString(uint64_t op_elapsed_time);
  static const std::string& GetOperationStageName(OperationStage stage);
  static const std::string& GetOperationPropertyName(OperationType op_type, int i);
  static const std::string& GetStateName(StateType state_type);
  // The properties of an operation by their names, those that are several in one taken apart.
  static std::map<std::string, uint64_t> InterpretOperationProperties(
      OperationType op_type, const uint64_t* op_properties);
};

}  // namespace ROCKSDB_NAMESPACE
