// Why flushes and compactions happen: names that appear in the LOG, in statistics and in job
// information.
//
// The EventListener interface itself is not offered by this version: DB::Open refuses
// DBOptions::listeners. Enumerations with RocksDB's values, and what DB::CompactFiles reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rocksdb/compression_type.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

enum class CompactionReason : int {
  kUnknown = 0,
  kLevelL0FilesNum,    // level 0 has reached its file count
  kLevelMaxLevelSize,  // a level is larger than its target
  kUniversalSizeAmplification,
  kUniversalSizeRatio,
  kUniversalSortedRunNum,
  kFIFOMaxSize,
  kFIFOReduceNumFiles,
  kFIFOTtl,
  kManualCompaction,          // CompactRange
  kFilesMarkedForCompaction,  // a table asked for it when it was written
  kBottommostFiles,  // tombstones or old versions at the bottom that no snapshot needs any more
  kTtl,
  kFlush,
  kExternalSstIngestion,
  kPeriodicCompaction,
  kChangeTemperature,
  kForcedBlobGC,
  kRoundRobinTtl,
  kNumOfReasons,
};

enum class FlushReason : int {
  kOthers = 0x00,
  kGetLiveFiles = 0x01,
  kShutDown = 0x02,
  kExternalFileIngestion = 0x03,
  kManualCompaction = 0x04,
  kWriteBufferManager = 0x05,
  kWriteBufferFull = 0x06,
  kTest = 0x07,
  kDeleteFiles = 0x08,
  kAutoCompaction = 0x09,
  kManualFlush = 0x0a,
  kErrorRecovery = 0xb,
  kErrorRecoveryRetryFlush = 0xc,
  kWalFull = 0xd,
};

// Table properties by path; as in rocksdb/db.h.
using TablePropertiesCollection =
    std::unordered_map<std::string, std::shared_ptr<const TableProperties>>;

// What one compaction did.
struct CompactionJobStats {
  uint64_t elapsed_micros = 0;
  uint64_t cpu_micros = 0;
  uint64_t num_input_records = 0;
  size_t num_input_files = 0;
  size_t num_input_files_at_output_level = 0;
  uint64_t num_output_records = 0;
  size_t num_output_files = 0;
  bool is_full_compaction = false;  // of all files of the column family
  bool is_manual_compaction = false;
  uint64_t total_input_bytes = 0;
  uint64_t total_output_bytes = 0;
};

struct CompactionFileInfo {
  int level = 0;
  uint64_t file_number = 0;
  uint64_t oldest_blob_file_number = 0;  // 0: no blob files here
};

struct CompactionJobInfo {
  uint32_t cf_id = 0;
  std::string cf_name;
  Status status;
  uint64_t thread_id = 0;  // 0: not told
  int job_id = 0;          // as in the LOG
  int num_l0_files = 0;    // when the compaction was chosen
  int base_input_level = 0;
  int output_level = 0;
  // Paths, and the same files' levels and numbers, in the same order.
  std::vector<std::string> input_files;
  std::vector<CompactionFileInfo> input_file_infos;
  std::vector<std::string> output_files;
  std::vector<CompactionFileInfo> output_file_infos;
  // Of inputs and outputs.
  TablePropertiesCollection table_properties;
  CompactionReason compaction_reason = CompactionReason::kUnknown;
  CompressionType compression = kNoCompression;  // of the outputs
  CompactionJobStats stats;
};

}  // namespace ROCKSDB_NAMESPACE
