#include "db/prepared_transactions.h"

#include <utility>

#include "batch/batch_reader.h"
#include "wal/log_reader.h"
#include "wal/wal_reporter.h"

namespace cairn {

Status PreparedTransactions::AddLog(std::unique_ptr<SequentialFileReader> file, uint64_t number,
                                    const std::string& path,
                                    const std::shared_ptr<Logger>& info_log) {
  WalReporter reporter;
  reporter.log = info_log.get();
  reporter.ignore = true;
  LogReader reader(info_log, std::move(file), &reporter, /*checksum=*/true, number);
  std::string scratch;
  Slice record;
  while (reader.ReadRecord(&record, &scratch)) {
    if (record.size() >= kBatchHeaderSize) AddBatch(record, path);
  }
  return reader.status().IsCorruption() ? Status::OK() : reader.status();
}

void PreparedTransactions::AddBatch(const Slice& batch, const std::string& path) {
  BatchReader reader(batch);
  BatchRecord record;
  while (reader.Next(&record)) {
    switch (record.type) {
      case kTypeEndPrepareXID:
        logs_[record.key.ToString()] = path;
        break;
      case kTypeCommitXID:
      case kTypeRollbackXID:
        logs_.erase(record.key.ToString());
        break;
      case kTypeCommitXIDAndTimestamp:
        logs_.erase(record.value.ToString());
        break;
      default:
        break;
    }
  }
}

Status PreparedTransactions::Refusal() const {
  if (logs_.empty()) return Status::OK();
  const auto& [name, path] = *logs_.begin();
  return Status::NotSupported(
      "WAL contains prepared transactions (" + name +
          "): commit them or roll them back with the "
          "program that made them, or open and close the database with RocksDB's TransactionDB",
      path);
}

}  // namespace cairn
