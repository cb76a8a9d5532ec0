// Timestamps in the logs that a recovery replays: they are as the families' keys have them, or, as
// long as tables have none (base/timestamps.h), a family has them since, or has them no more.
#include <map>

#include "base/timestamps.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "db/recovery.h"
#include "wal/log_reader.h"

namespace cairn {
namespace {

// What a family's keys in a log have, and what they are to have: bytes.
struct TimestampChange {
  size_t from, to;
};
using TimestampChanges = std::map<uint32_t, TimestampChange>;  // by family

// Before the record is a part of the batch.
Status Convert(const TimestampChange& change, BatchRecord record, WriteBatch* batch) {
  if (change.from == 0) {
    const std::string least(change.to, '\0');
    const bool has_value = record.type != kTypeDeletion && record.type != kTypeSingleDeletion;
    const SliceParts value(&record.value, 1);
    return WriteBatchInternal::AppendStamped(batch, record.type, record.family,
                                             SliceParts(&record.key, 1),
                                             has_value ? &value : nullptr, least, change.to);
  }
  record.key = StripTimestamp(record.key, change.from);
  if (record.type == kTypeRangeDeletion) record.value = StripTimestamp(record.value, change.from);
  return WriteBatchInternal::AppendRecord(batch, record);
}

bool IsOfAny(const Slice& rep, const TimestampChanges& changes) {
  BatchReader reader(rep);
  BatchRecord record;
  while (reader.Next(&record)) {
    if (record.counted && changes.contains(record.family)) return true;
  }
  return false;  // (what is malformed is found by who applies it)
}

Status ConvertAll(const Slice& rep, const TimestampChanges& changes, WriteBatch* converted) {
  converted->Clear();
  BatchReader reader(rep);
  BatchRecord record;
  Status s;
  while (s.ok() && reader.Next(&record)) {
    const auto change = changes.find(record.family);
    if (record.counted && change != changes.end()) {
      s = Convert(change->second, record, converted);
    } else if (record.counted) {
      s = WriteBatchInternal::AppendRecord(converted, record);
    } else if (record.type == kTypeLogData) {
      s = converted->PutLogData(record.key);
    } else if (record.type != kTypeNoop) {
      s = Status::NotSupported(
          "a transaction in a log, of a family whose keys had timestamps or not, and now do not or "
          "do: open it once more as it was, and flush");
    }
  }
  if (s.ok()) s = reader.status();
  if (s.ok()) WriteBatchInternal::SetSequence(converted, reader.sequence());
  return s;
}

}  // namespace

Status Recovery::TakeTimestamps(const LogReader& reader, const Replay& replay,
                                WriteBatch* converted, Slice* record) {
  if (reader.timestamp_sizes().empty() && !replay.comparator_changed) return Status::OK();
  TimestampChanges changes;
  for (const ColumnFamily* family : replay.families) {
    const size_t present = family->icmp.timestamp_size();
    const bool changed = family->state->comparator_changed();
    const auto found = reader.timestamp_sizes().find(family->id());
    size_t logged = present;  // of older releases' logs, which say nothing of them
    if (found != reader.timestamp_sizes().end()) {
      logged = found->second;
    } else if (changed) {
      logged = 0;
    }
    if (logged == present) continue;
    if (!changed || (logged != 0 && present != 0)) {
      return Status::InvalidArgument("the log has timestamps of " + std::to_string(logged) +
                                     " bytes, the comparator of " + std::to_string(present));
    }
    changes[family->id()] = {logged, present};
  }
  if (changes.empty() || !IsOfAny(*record, changes)) return Status::OK();
  Status s = ConvertAll(*record, changes, converted);
  if (s.ok()) *record = WriteBatchInternal::Contents(converted);
  return s;
}

}  // namespace cairn
