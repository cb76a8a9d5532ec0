#include "db/values_before.h"

#include <memory>

#include "batch/batch_reader.h"
#include "batch/sub_batches.h"
#include "batch/write_batch_internal.h"
#include "db/families.h"
#include "read/newest_write.h"
#include "read/point_lookup.h"

namespace cairn {
namespace {

using Hidden = std::span<const PreparedSection::Numbers>;

std::unique_ptr<ColumnFamilyHandleImpl> FindHandle(Database* db, uint32_t id) {
  DBMutexLock lock(db->mutex());
  ColumnFamily* const family = db->families->FindFamily(id);
  return family == nullptr ? nullptr : std::make_unique<ColumnFamilyHandleImpl>(db, family);
}

// The first number behind which nothing of `key` is hidden, as far as the newest entries go.
Status BoundOf(const ColumnFamily& family, const SuperVersion& sv, const Slice& key, Hidden hidden,
               SequenceNumber* bound) {
  while (!hidden.empty()) {
    SequenceNumber newest = 0;
    Status s = NewestWrite(sv, family.tables.get(), key, *bound, &newest);
    if (!s.ok()) return s;
    bool is_hidden = false;
    for (const PreparedSection::Numbers& numbers : hidden) {
      is_hidden |= newest >= numbers.first && newest < numbers.end;
    }
    if (!is_hidden || newest == 0) return s;
    *bound = newest - 1;
  }
  return Status::OK();
}

Status AppendValueBefore(const Database& db, const ColumnFamily& family, const BatchRecord& entry,
                         Hidden hidden, WriteBatch* before) {
  SuperVersionGuard sv(family.super_versions.get());
  // (As of now: who wrote the key since had the lock, or does without.)
  SequenceNumber bound = db.versions->LastSequence();
  Status s = BoundOf(family, *sv.get(), entry.key, hidden, &bound);
  if (!s.ok()) return s;
  PinnableSlice value;
  bool is_entity = false;
  const ReadOptions options;
  s = PointLookup({options, *sv.get(), family.tables.get(), bound, db.statistics}, entry.key,
                  {&value, &is_entity});
  BatchRecord record;
  record.family = entry.family;
  record.key = entry.key;
  record.counted = true;
  if (s.IsNotFound()) {
    record.type = kTypeDeletion;
  } else if (s.ok()) {
    record.type = is_entity ? kTypeWideColumnEntity : kTypeValue;
    record.value = value;
  } else {
    return s;
  }
  return WriteBatchInternal::AppendRecord(before, record);
}

}  // namespace

Status FindValuesBefore(Database* db, const WriteBatch& entries, KeysOf which, Hidden hidden,
                        WriteBatch* before) {
  SubBatches seen;
  std::unique_ptr<ColumnFamilyHandleImpl> handle;
  uint32_t family = 0;
  bool known = false;
  BatchReader reader(entries.Data());
  BatchRecord entry;
  while (reader.Next(&entry)) {
    if (!entry.counted || (which == KeysOf::kMerges && entry.type != kTypeMerge)) continue;
    if (!seen.Insert(entry)) continue;
    if (!known || entry.family != family) {
      known = true;
      family = entry.family;
      handle = FindHandle(db, family);
    }
    if (handle == nullptr || handle->family()->dropped.load()) continue;
    Status s = AppendValueBefore(*db, *handle->family(), entry, hidden, before);
    if (!s.ok()) return s;
  }
  return reader.status();
}

}  // namespace cairn
