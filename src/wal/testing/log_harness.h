// Builds logs in memory and reads them back with everything that the reader reports. Test-only.

#ifndef CAIRN_WAL_TESTING_LOG_HARNESS_H_
#define CAIRN_WAL_TESTING_LOG_HARNESS_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"
#include "wal/log_reader.h"
#include "wal/log_writer.h"

namespace cairn::testing {

inline constexpr WALRecoveryMode kAllRecoveryModes[] = {
    WALRecoveryMode::kTolerateCorruptedTailRecords,
    WALRecoveryMode::kAbsoluteConsistency,
    WALRecoveryMode::kPointInTimeRecovery,
    WALRecoveryMode::kSkipAnyCorruptedRecords,
};

inline constexpr uint64_t kLogNumber = 7;
inline constexpr char kLogName[] = "/000007.log";

struct ReadLog {
  std::vector<std::string> records;
  std::vector<uint64_t> offsets;
  std::vector<std::string> corruptions;
  size_t dropped_bytes = 0;
  size_t old_records = 0;
  std::map<uint32_t, size_t> timestamp_sizes;
  std::optional<PredecessorWal> predecessor;
  Status status;
};

// The bytes of a log of `records`.
inline std::string BuildLog(const std::vector<std::string>& records, bool recyclable = false,
                            uint64_t log_number = kLogNumber, bool compressed = false) {
  MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
  std::unique_ptr<FileWriter> file;
  (void)FileWriter::Open(&fs, kLogName, FileOptions(), &file);
  LogWriter writer(std::move(file), log_number, recyclable, /*manual_flush=*/false, compressed);
  for (const std::string& record : records) (void)writer.AddRecord(record);
  (void)writer.Close();
  std::string bytes;
  (void)ReadFileToString(&fs, kLogName, &bytes);
  return bytes;
}

// A file of given bytes, without a copy. A read error can be put at an offset.
class StringSequentialFile : public FSSequentialFile {
 public:
  explicit StringSequentialFile(const std::string* bytes, uint64_t error_at = UINT64_MAX)
      : bytes_(bytes), error_at_(error_at) {}
  IOStatus Read(size_t n, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) override {
    if (offset_ + n > error_at_) return IOStatus::IOError("injected read error");
    n = std::min(n, bytes_->size() - std::min(bytes_->size(), offset_));
    if (n > 0) std::memcpy(scratch, bytes_->data() + offset_, n);
    *result = Slice(scratch, n);
    offset_ += n;
    return IOStatus::OK();
  }
  IOStatus Skip(uint64_t n) override {
    offset_ += n;
    return IOStatus::OK();
  }

 private:
  const std::string* const bytes_;
  const uint64_t error_at_;
  size_t offset_ = 0;
};

inline ReadLog ReadAll(const std::string& bytes, WALRecoveryMode mode,
                       uint64_t log_number = kLogNumber, uint64_t error_at = UINT64_MAX) {
  struct Collector : LogReader::Reporter {
    explicit Collector(ReadLog* l) : log(l) {}
    void Corruption(size_t n, const Status& s) override {
      log->dropped_bytes += n;
      log->corruptions.push_back(s.ToString());
    }
    void OldLogRecord(size_t) override { ++log->old_records; }
    ReadLog* const log;
  };
  ReadLog log;
  Collector collector(&log);
  LogReader reader(nullptr,
                   std::make_unique<SequentialFileReader>(
                       std::make_unique<StringSequentialFile>(&bytes, error_at), kLogName),
                   &collector, /*checksum=*/true, log_number);
  Slice record;
  std::string scratch;
  uint64_t offset;
  while (reader.ReadRecord(&record, &scratch, mode, &offset)) {
    log.records.push_back(record.ToString());
    log.offsets.push_back(offset);
  }
  log.status = reader.status();
  log.timestamp_sizes = reader.timestamp_sizes();
  log.predecessor = reader.TakePredecessor();
  return log;
}

}  // namespace cairn::testing

#endif  // CAIRN_WAL_TESTING_LOG_HARNESS_H_
