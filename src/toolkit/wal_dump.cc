#include "toolkit/wal_dump.h"

#include <cinttypes>
#include <memory>

#include "base/string_util.h"
#include "batch/batch_reader.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_reader.h"
#include "toolkit/console.h"
#include "wal/log_reader.h"

namespace cairn {
namespace {

struct StderrReporter final : LogReader::Reporter {
  void Corruption(size_t /*bytes*/, const Status& reason) override {
    PrintError("Corruption detected in log file %s\n", reason.ToString().c_str());
  }
};

std::string Hex(const Slice& bytes) { return "0x" + bytes.ToString(true); }

std::string Named(const char* name, uint32_t family) {
  return StringPrintf("%s(%u) : ", name, family);
}

std::string Marked(const char* name, const Slice& transaction) {
  return std::string(name) + "(" + Hex(transaction) + ") ";
}

Status WrongPolicy(const char* what) {
  return Status::NotSupported(what, "the log was written with another policy of transactions");
}

// Appends what a record does. An error: it cannot be in such a log.
Status AppendRecordText(const BatchRecord& record, const WalDumpOptions& options,
                        std::string* text) {
  const auto with_value = [&](const char* name) {
    *text += Named(name, record.family) + Hex(record.key) +
             (options.values ? " : " + Hex(record.value) : "") + " ";
  };
  switch (record.type) {
    case kTypeValue:
      with_value("PUT");
      break;
    case kTypeMerge:
      with_value("MERGE");
      break;
    case kTypeWideColumnEntity:
      with_value("PUT_ENTITY");
      break;
    case kTypeBlobIndex:
      with_value("PUT_BLOB_INDEX");
      break;
    case kTypeDeletion:
    case kTypeSingleDeletion:
      *text += Named(record.type == kTypeDeletion ? "DELETE" : "SINGLE_DELETE", record.family) +
               Hex(record.key) + " ";
      break;
    case kTypeRangeDeletion:
      *text +=
          Named("DELETE_RANGE", record.family) + Hex(record.key) + " " + Hex(record.value) + " ";
      break;
    case kTypeLogData:
      break;
    case kTypeNoop:
      *text += "NOOP ";
      break;
    case kTypeBeginPrepareXID:
      if (!options.write_committed) return WrongPolicy("a mark of write-committed transactions");
      *text += "BEGIN_PREPARE(false) ";
      break;
    case kTypeBeginPersistedPrepareXID:
    case kTypeBeginUnprepareXID:
      if (options.write_committed) return WrongPolicy("a mark of write-prepared transactions");
      *text +=
          record.type == kTypeBeginUnprepareXID ? "BEGIN_PREPARE(true) " : "BEGIN_PREPARE(false) ";
      break;
    case kTypeEndPrepareXID:
      *text += Marked("END_PREPARE", record.key);
      break;
    case kTypeRollbackXID:
      *text += Marked("ROLLBACK", record.key);
      break;
    case kTypeCommitXID:
      *text += Marked("COMMIT", record.key);
      break;
    case kTypeCommitXIDAndTimestamp:
      *text += "COMMIT_WITH_TIMESTAMP(" + Hex(record.key) + ", " + Hex(record.value) + ") ";
      break;
    default:
      return Status::Corruption("unknown kind of record", NumberToString(record.type));
  }
  return Status::OK();
}

Status DumpBatch(const Slice& bytes, uint64_t offset, const WalDumpOptions& options) {
  BatchReader reader(bytes);
  std::string text = StringPrintf("%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",", reader.sequence(),
                                  reader.count(), bytes.size(), offset);
  Status s;
  BatchRecord record;
  while (s.ok() && reader.Next(&record)) s = AppendRecordText(record, options, &text);
  if (s.ok()) s = reader.status();
  Write(text + (s.ok() ? "" : "error: " + s.ToString()) + "\n");
  return s;
}

}  // namespace

Status DumpWal(FileSystem* fs, const std::string& path, const WalDumpOptions& options) {
  std::unique_ptr<SequentialFileReader> file;
  Status s = SequentialFileReader::Open(fs, path, FileOptions(), &file);
  if (!s.ok()) return Status::IOError("Failed to open WAL file " + s.ToString());
  uint64_t number;
  FileType type;
  if (!ParseFileName(path.substr(path.rfind('/') + 1), &number, &type)) number = 0;
  StderrReporter reporter;
  LogReader reader(nullptr, std::move(file), &reporter, /*checksum=*/true, number);
  if (options.header) {
    Print("Sequence,Count,ByteSize,Physical Offset,Key(s)%s\n", options.values ? " : value " : "");
  }
  Slice record;
  std::string scratch;
  while (reader.ReadRecord(&record, &scratch)) {
    if (record.size() < kBatchHeaderSize) {
      reporter.Corruption(record.size(), Status::Corruption("log record too small"));
      continue;
    }
    s = DumpBatch(record, reader.LastRecordOffset(), options);
    if (!s.ok()) return s;
  }
  return reader.status();
}

bool HasWrites(FileSystem* fs, const std::string& path) {
  std::unique_ptr<SequentialFileReader> file;
  if (!SequentialFileReader::Open(fs, path, FileOptions(), &file).ok()) return false;
  LogReader reader(nullptr, std::move(file), nullptr, /*checksum=*/true, /*log_number=*/0);
  Slice record;
  std::string scratch;
  while (reader.ReadRecord(&record, &scratch)) {
    if (record.size() >= kBatchHeaderSize) return true;
  }
  return false;
}

}  // namespace cairn
