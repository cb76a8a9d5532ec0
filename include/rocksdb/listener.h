// EventListener: what the user's code hears of flushes, compactions, files, stalls, errors and file
// operations; and the names of their causes, which also appear in the LOG and in statistics.
//
// Set DBOptions::listeners. Callbacks run on the thread or fiber that does the work, without the
// database's mutex: one that takes long holds that work up. They may call the database, but not
// wait there for the work that called them: no waiting Flush, CompactRange or Close, and in
// OnMemTableSealed, OnStallConditionsChanged and OnBackgroundError no writes either. What the
// callbacks are passed lives until they return.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rocksdb/advanced_options.h"
#include "rocksdb/compaction_job_stats.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/customizable.h"
#include "rocksdb/io_status.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class DB;
struct ConfigOptions;

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

// Text of a reason: "LevelL0FilesNum", "Manual Flush". Lives for ever.
const char* GetCompactionReasonString(CompactionReason compaction_reason);
const char* GetFlushReasonString(FlushReason flush_reason);

struct CompactionFileInfo {
  int level = 0;
  uint64_t file_number = 0;
  uint64_t oldest_blob_file_number = 0;  // 0: it refers to none
};

struct BlobFileInfo {
  BlobFileInfo(const std::string& _blob_file_path, uint64_t _blob_file_number)
      : blob_file_path(_blob_file_path), blob_file_number(_blob_file_number) {}
  std::string blob_file_path;
  uint64_t blob_file_number;
};

// A blob file that a job wrote.
struct BlobFileAdditionInfo : public BlobFileInfo {
  BlobFileAdditionInfo(const std::string& _blob_file_path, uint64_t _blob_file_number,
                       uint64_t _total_blob_count, uint64_t _total_blob_bytes)
      : BlobFileInfo(_blob_file_path, _blob_file_number),
        total_blob_count(_total_blob_count),
        total_blob_bytes(_total_blob_bytes) {}
  uint64_t total_blob_count;
  uint64_t total_blob_bytes;
};

// What of an older one became garbage by a compaction.
struct BlobFileGarbageInfo : public BlobFileInfo {
  BlobFileGarbageInfo(const std::string& _blob_file_path, uint64_t _blob_file_number,
                      uint64_t _garbage_blob_count, uint64_t _garbage_blob_bytes)
      : BlobFileInfo(_blob_file_path, _blob_file_number),
        garbage_blob_count(_garbage_blob_count),
        garbage_blob_bytes(_garbage_blob_bytes) {}
  uint64_t garbage_blob_count;
  uint64_t garbage_blob_bytes;
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
  CompressionType blob_compression_type = kNoCompression;  // of the family
  std::vector<BlobFileAdditionInfo> blob_file_addition_infos;
  std::vector<BlobFileGarbageInfo> blob_file_garbage_infos;
};

// A part of a compaction that ran beside others.
struct SubcompactionJobInfo {
  uint32_t cf_id = 0;
  std::string cf_name;
  Status status;
  uint64_t thread_id = 0;  // 0: not told
  int job_id = 0;          // of the whole compaction
  int subcompaction_job_id = 0;
  int base_input_level = 0;
  int output_level = 0;
  CompactionReason compaction_reason = CompactionReason::kUnknown;
  CompressionType compression = kNoCompression;
  CompactionJobStats stats;
  CompressionType blob_compression_type = kNoCompression;  // of the family
};

struct FlushJobInfo {
  uint32_t cf_id = 0;
  std::string cf_name;
  std::string file_path;  // of the new table
  uint64_t file_number = 0;
  uint64_t oldest_blob_file_number = 0;  // 0: the table refers to none
  uint64_t thread_id = 0;                // 0: not told
  int job_id = 0;                        // as in the LOG
  // Whether the family's writers are, because of level 0, slowed down or stopped now.
  bool triggered_writes_slowdown = false;
  bool triggered_writes_stop = false;
  // Of the table's entries.
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  TableProperties table_properties;
  FlushReason flush_reason = FlushReason::kOthers;
  CompressionType blob_compression_type = kNoCompression;  // of the family
  std::vector<BlobFileAdditionInfo> blob_file_addition_infos;
};

struct ManualFlushInfo {
  uint32_t cf_id = 0;
  std::string cf_name;
  FlushReason flush_reason = FlushReason::kOthers;
};

struct FileCreationBriefInfo {
  std::string db_name;
  std::string cf_name;
  std::string file_path;
  int job_id = 0;
};

struct TableFileCreationBriefInfo : public FileCreationBriefInfo {
  TableFileCreationReason reason = TableFileCreationReason::kMisc;
};

struct TableFileCreationInfo : public TableFileCreationBriefInfo {
  uint64_t file_size = 0;
  TableProperties table_properties;
  Status status;
  std::string file_checksum;            // "" without a generator of checksums
  std::string file_checksum_func_name;  // "Unknown" without
};

struct FileDeletionInfo {
  std::string db_name;
  std::string file_path;
  int job_id = 0;
  Status status;
};

struct TableFileDeletionInfo : public FileDeletionInfo {};

struct BlobFileCreationBriefInfo : public FileCreationBriefInfo {
  BlobFileCreationBriefInfo(const std::string& _db_name, const std::string& _cf_name,
                            const std::string& _file_path, int _job_id,
                            BlobFileCreationReason _reason)
      : FileCreationBriefInfo{_db_name, _cf_name, _file_path, _job_id}, reason(_reason) {}
  BlobFileCreationReason reason;
};

struct BlobFileCreationInfo : public BlobFileCreationBriefInfo {
  BlobFileCreationInfo(const std::string& _db_name, const std::string& _cf_name,
                       const std::string& _file_path, int _job_id, BlobFileCreationReason _reason,
                       uint64_t _total_blob_count, uint64_t _total_blob_bytes, Status _status,
                       const std::string& _file_checksum,
                       const std::string& _file_checksum_func_name)
      : BlobFileCreationBriefInfo(_db_name, _cf_name, _file_path, _job_id, _reason),
        total_blob_count(_total_blob_count),
        total_blob_bytes(_total_blob_bytes),
        status(std::move(_status)),
        file_checksum(_file_checksum),
        file_checksum_func_name(_file_checksum_func_name) {}
  uint64_t total_blob_count;
  uint64_t total_blob_bytes;  // of records: keys, values and what is around them
  Status status;
  std::string file_checksum;            // "" without a generator of checksums
  std::string file_checksum_func_name;  // "Unknown" without
};

struct BlobFileDeletionInfo : public FileDeletionInfo {
  BlobFileDeletionInfo(const std::string& _db_name, const std::string& _file_path, int _job_id,
                       Status _status)
      : FileDeletionInfo{_db_name, _file_path, _job_id, std::move(_status)} {}
};

struct MemTableInfo {
  std::string cf_name;
  SequenceNumber first_seqno = 0;     // of its first entry
  SequenceNumber earliest_seqno = 0;  // at most that: the last one when the memtable was made
  uint64_t num_entries = 0;
  uint64_t num_deletes = 0;
  std::string newest_udt;  // always empty: no user-defined timestamps here
};

struct ExternalFileIngestionInfo {
  std::string cf_name;
  std::string external_file_path;  // as the user named it
  std::string internal_file_path;  // in the database
  SequenceNumber global_seqno = 0;
  TableProperties table_properties;
};

// RocksDB 7.8.3's numbers; since 8.1 (and in C) kNormal is the last.
enum class WriteStallCondition { kNormal, kDelayed, kStopped };

struct WriteStallInfo {
  std::string cf_name;
  struct {
    WriteStallCondition cur;
    WriteStallCondition prev;
  } condition;
};

enum class BackgroundErrorReason {
  kFlush,
  kCompaction,
  kWriteCallback,  // the log could not be written or synced
  kMemTable,
  kManifestWrite,
  kFlushNoWAL,
  kManifestWriteNoWAL,
};

// The end of an attempt to recover from an error.
struct BackgroundErrorRecoveryInfo {
  Status old_bg_error;  // before
  Status new_bg_error;  // after: OK if it succeeded
};

enum class FileOperationType {
  kRead,
  kWrite,
  kTruncate,
  kClose,
  kFlush,
  kSync,
  kFsync,
  kRangeSync,
  kAppend,
  kPositionedAppend,
  kOpen,
  kVerify,
};

// One operation of the file system, with its time.
struct FileOperationInfo {
  using Duration = std::chrono::nanoseconds;
  using SteadyTimePoint =
      std::chrono::time_point<std::chrono::steady_clock,  // style: the API's type
                              std::chrono::nanoseconds>;
  using SystemTimePoint =
      std::chrono::time_point<std::chrono::system_clock,  // style: the API's type
                              std::chrono::nanoseconds>;
  using StartTimePoint = std::pair<SystemTimePoint, SteadyTimePoint>;
  using FinishTimePoint = SteadyTimePoint;

  FileOperationType type;
  const std::string& path;
  Temperature temperature = Temperature::kUnknown;
  uint64_t offset = 0;
  size_t length = 0;
  const Duration duration;
  const SystemTimePoint& start_ts;
  Status status;

  FileOperationInfo(FileOperationType _type, const std::string& _path, const StartTimePoint& start,
                    const FinishTimePoint& finish, const Status& _status,
                    const Temperature _temperature = Temperature::kUnknown)
      : type(_type),
        path(_path),
        temperature(_temperature),
        duration(finish - start.second),
        start_ts(start.first),
        status(_status) {}

  // The present time, for the constructor.
  static StartTimePoint StartNow();
  static FinishTimePoint FinishNow();
};

struct IOErrorInfo {
  IOErrorInfo(const IOStatus& _io_status, FileOperationType _operation,
              const std::string& _file_path, size_t _length, uint64_t _offset)
      : io_status(_io_status),
        operation(_operation),
        file_path(_file_path),
        length(_length),
        offset(_offset) {}
  IOStatus io_status;
  FileOperationType operation;
  std::string file_path;
  size_t length;
  uint64_t offset;
};

class EventListener : public Customizable {
 public:
  static const char* Type() { return "EventListener"; }
  // What is registered under an id (utilities/object_registry.h): "NAME", "{id=NAME;a=1}".
  static Status CreateFromString(const ConfigOptions& options, const std::string& id,
                                 std::shared_ptr<EventListener>* result);
  const char* Name() const override { return ""; }

  // --- Flushes. Begin: before anything is written. Completed: the table is part of the database.
  virtual void OnFlushBegin(DB* /*db*/, const FlushJobInfo& /*info*/) {}
  virtual void OnFlushCompleted(DB* /*db*/, const FlushJobInfo& /*info*/) {}
  // DB::Flush has asked for the flushes of these families.
  virtual void OnManualFlushScheduled(DB* /*db*/, const std::vector<ManualFlushInfo>& /*info*/) {}

  // --- Compactions, those included that only move files to another level. A compaction that began
  // is always completed; info.status says how.
  virtual void OnCompactionBegin(DB* /*db*/, const CompactionJobInfo& /*info*/) {}
  virtual void OnCompactionCompleted(DB* /*db*/, const CompactionJobInfo& /*info*/) {}
  // Each part, also when the whole is one part.
  virtual void OnSubcompactionBegin(const SubcompactionJobInfo& /*info*/) {}
  virtual void OnSubcompactionCompleted(const SubcompactionJobInfo& /*info*/) {}

  // --- Tables. Created: whether it succeeded, info.status says. Deleted: each one that was in use,
  // and none that was only given up while it was written.
  virtual void OnTableFileCreationStarted(const TableFileCreationBriefInfo& /*info*/) {}
  virtual void OnTableFileCreated(const TableFileCreationInfo& /*info*/) {}
  virtual void OnTableFileDeleted(const TableFileDeletionInfo& /*info*/) {}
  virtual void OnExternalFileIngested(DB* /*db*/, const ExternalFileIngestionInfo& /*info*/) {}
  virtual void OnBlobFileCreationStarted(const BlobFileCreationBriefInfo& /*info*/) {}
  virtual void OnBlobFileCreated(const BlobFileCreationInfo& /*info*/) {}
  virtual void OnBlobFileDeleted(const BlobFileDeletionInfo& /*info*/) {}

  // A memtable became immutable; `info` is of that one.
  virtual void OnMemTableSealed(const MemTableInfo& /*info*/) {}
  // The handle's destructor has begun.
  virtual void OnColumnFamilyHandleDeletionStarted(ColumnFamilyHandle* /*handle*/) {}
  virtual void OnStallConditionsChanged(const WriteStallInfo& /*info*/) {}

  // --- Errors that make the database refuse writes. The callback may set *error to OK: it is
  // ignored then and the work is tried again, if it was a flush or a compaction. (After a failed
  // write of the log it is not ignored: what followed would be lost.)
  virtual void OnBackgroundError(BackgroundErrorReason /*reason*/, Status* /*error*/) {}
  // The database is about to recover by itself; not so if *auto_recovery is set to false.
  virtual void OnErrorRecoveryBegin(BackgroundErrorReason /*reason*/, Status /*error*/,
                                    bool* /*auto_recovery*/) {}
  // It has recovered from it. The older name of the next, for successes only.
  virtual void OnErrorRecoveryCompleted(Status /*old_error*/) {}
  // An attempt to recover, DB::Resume included, has ended.
  virtual void OnErrorRecoveryEnd(const BackgroundErrorRecoveryInfo& /*info*/) {}

  // --- Operations on files, only for listeners who ask for them when the database is opened. On
  // the thread or fiber that did it, which may hold the database's locks: no calls of the database.
  virtual bool ShouldBeNotifiedOnFileIO() { return false; }
  virtual void OnFileReadFinish(const FileOperationInfo& /*info*/) {}
  virtual void OnFileWriteFinish(const FileOperationInfo& /*info*/) {}
  virtual void OnFileFlushFinish(const FileOperationInfo& /*info*/) {}
  virtual void OnFileSyncFinish(const FileOperationInfo& /*info*/) {}
  virtual void OnFileRangeSyncFinish(const FileOperationInfo& /*info*/) {}
  virtual void OnFileTruncateFinish(const FileOperationInfo& /*info*/) {}
  virtual void OnFileCloseFinish(const FileOperationInfo& /*info*/) {}
  // Any of them failed.
  virtual void OnIOError(const IOErrorInfo& /*info*/) {}
};

}  // namespace ROCKSDB_NAMESPACE
