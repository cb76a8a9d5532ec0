// Recovery's calls of DBOptions::wal_filter. What the filter drops or changes keeps its sequence
// numbers: nobody else gets them, and the next log's link finds what it says of this one.
#include <map>

#include "batch/write_batch_internal.h"
#include "db/database.h"
#include "db/recovery.h"
#include "rocksdb/wal_filter.h"

namespace cairn {

void Recovery::TellFilter(const std::vector<ColumnFamily*>& families) const {
  if (db_.options.wal_filter == nullptr) return;
  std::map<uint32_t, uint64_t> logs;
  std::map<std::string, uint32_t> ids;
  for (const ColumnFamily* const family : families) {
    logs[family->id()] = family->state->log_number();
    ids[family->name()] = family->id();
  }
  db_.options.wal_filter->ColumnFamilyLogNumberMap(logs, ids);
}

Status Recovery::AskFilter(const Slice& record, uint64_t log, const std::string& path,
                           Replay* replay, Filtered* filtered) const {
  WriteBatch batch;
  Status s = WriteBatchInternal::SetContents(&batch, record);
  if (!s.ok()) return s;
  const bool has_marks = (WriteBatchInternal::ContentFlags(&batch) & kHasTransactionMark) != 0;
  filtered->last_sequence =
      has_marks ? WalLink::LastUnpreparedSequenceOf(record) : WalLink::LastSequenceOf(record);

  WalFilter* const filter = db_.options.wal_filter;
  WriteBatch changed;
  bool is_changed = false;
  using Option = WalFilter::WalProcessingOption;
  switch (filter->LogRecordFound(log, path, batch, &changed, &is_changed)) {
    case Option::kContinueProcessing:
      break;
    case Option::kStopReplay:
      replay->stopped_by_filter = true;
      filtered->dropped = true;
      return Status::OK();
    case Option::kIgnoreCurrentRecord:
      filtered->dropped = true;
      return Status::OK();
    case Option::kCorruptedRecord:
      return Status::Corruption("Corruption reported by Wal Filter " + std::string(filter->Name()));
    default:
      return Status::NotSupported("Unknown WalProcessingOption returned by Wal Filter " +
                                  std::string(filter->Name()));
  }
  if (!is_changed) return Status::OK();
  if (changed.Count() > batch.Count()) {
    return Status::NotSupported("More than original # of records in a new batch of Wal Filter " +
                                std::string(filter->Name()));
  }
  WriteBatchInternal::SetSequence(&changed, WriteBatchInternal::Sequence(&batch));
  filtered->changed = changed.Data();
  filtered->record = filtered->changed;
  return Status::OK();
}

}  // namespace cairn
