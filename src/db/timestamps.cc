// User-defined timestamps: the public calls that take one, the mark below which nobody reads
// (full_history_ts_low), and what reads ask of ReadOptions.
#include <algorithm>
#include <cassert>
#include <utility>

#include "base/allocation.h"
#include "base/timestamps.h"
#include "db/background_work.h"
#include "db/compactions.h"
#include "db/database.h"
#include "db/db_impl.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/read_path.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// A batch of one write into the database.
template <class Append>
Status WriteOne(DB* db, const WriteOptions& options, const Append& append) {
  const Comparator* const comparator = db->DefaultColumnFamily()->GetComparator();
  WriteBatch batch(0, 0, options.protection_bytes_per_key, comparator->timestamp_size());
  Status s = append(&batch);
  return s.ok() ? db->Write(options, &batch) : s;
}

Status NotReturned() {
  return Status::NotSupported("Get() that returns timestamp is not implemented.");
}

}  // namespace

Status DB::Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
               const Slice& ts, const Slice& value) {
  return WriteOne(this, options,
                  [&](WriteBatch* batch) { return batch->Put(family, key, ts, value); });
}

Status DB::Delete(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                  const Slice& ts) {
  return WriteOne(this, options, [&](WriteBatch* batch) { return batch->Delete(family, key, ts); });
}

Status DB::SingleDelete(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                        const Slice& ts) {
  return WriteOne(this, options,
                  [&](WriteBatch* batch) { return batch->SingleDelete(family, key, ts); });
}

Status DB::DeleteRange(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& begin,
                       const Slice& end, const Slice& ts) {
  return WriteOne(this, options,
                  [&](WriteBatch* batch) { return batch->DeleteRange(family, begin, end, ts); });
}

Status DB::Merge(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
                 const Slice& ts, const Slice& value) {
  return WriteOne(this, options,
                  [&](WriteBatch* batch) { return batch->Merge(family, key, ts, value); });
}

Status DB::Get(const ReadOptions&, ColumnFamilyHandle*, const Slice&, PinnableSlice*,
               std::string*) {
  return NotReturned();
}

Status DB::Get(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
               std::string* value, std::string* timestamp) {
  assert(value != nullptr);
  PinnableSlice pinnable(value);
  Status s = Get(options, family, key, &pinnable, timestamp);
  if (s.ok() && pinnable.IsPinned() &&
      !cairn::AssignIfPossible(value, pinnable.data(), pinnable.size())) {
    s = Status::MemoryLimit("no memory for a value of " + std::to_string(pinnable.size()) +
                            " bytes");
  }
  return s;
}

std::vector<Status> DB::MultiGet(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                                 const std::vector<Slice>& keys, std::vector<std::string>*,
                                 std::vector<std::string>*) {
  return std::vector<Status>(keys.size(), NotReturned());
}

void DB::MultiGet(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice*,
                  PinnableSlice*, std::string*, Status* statuses, bool) {
  std::fill_n(statuses, num_keys, NotReturned());
}

void DB::MultiGet(const ReadOptions&, size_t num_keys, ColumnFamilyHandle**, const Slice*,
                  PinnableSlice*, std::string*, Status* statuses, bool) {
  std::fill_n(statuses, num_keys, NotReturned());
}

bool DB::KeyMayExist(const ReadOptions&, ColumnFamilyHandle*, const Slice&, std::string*,
                     std::string*, bool* value_found) {
  if (value_found != nullptr) *value_found = false;
  return true;
}

Status DB::IncreaseFullHistoryTsLow(ColumnFamilyHandle*, std::string) {
  return Status::NotSupported("IncreaseFullHistoryTsLow() is not supported.");
}

Status DB::GetFullHistoryTsLow(ColumnFamilyHandle*, std::string*) {
  return Status::NotSupported("GetFullHistoryTsLow() is not supported.");
}

Status DB::GetNewestUserDefinedTimestamp(ColumnFamilyHandle*, std::string*) {
  return Status::NotSupported("GetNewestUserDefinedTimestamp() is not supported.");
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

namespace {

// InvalidArgument: its keys have no timestamps.
Status FindWithTimestamps(const Families& families, ColumnFamilyHandle* handle,
                          ColumnFamily** family) {
  Status s = families.FamilyOf(handle, family);
  if (s.ok() && (*family)->icmp.timestamp_size() == 0) {
    s = Status::InvalidArgument("Timestamp is not enabled in this column family");
  }
  return s;
}

}  // namespace

Status DBImpl::Get(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                   PinnableSlice* value, std::string* timestamp) {
  return db_.reads->Get(options, family, key, value, timestamp);
}

std::vector<Status> DBImpl::MultiGet(const ReadOptions& options,
                                     const std::vector<ColumnFamilyHandle*>& families,
                                     const std::vector<Slice>& keys,
                                     std::vector<std::string>* values,
                                     std::vector<std::string>* timestamps) {
  return db_.reads->MultiGet(options, families, keys, values, timestamps);
}

void DBImpl::MultiGet(const ReadOptions& options, ColumnFamilyHandle* family, size_t num_keys,
                      const Slice* keys, PinnableSlice* values, std::string* timestamps,
                      Status* statuses, bool /*sorted_input*/) {
  db_.reads->MultiGetValues(options, family, num_keys, keys, values, statuses, nullptr, timestamps);
}

void DBImpl::MultiGet(const ReadOptions& options, size_t num_keys, ColumnFamilyHandle** families,
                      const Slice* keys, PinnableSlice* values, std::string* timestamps,
                      Status* statuses, bool /*sorted_input*/) {
  db_.reads->MultiGetValues(options, num_keys, families, keys, values, statuses, nullptr,
                            timestamps);
}

bool DBImpl::KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                         std::string* value, std::string* timestamp, bool* value_found) {
  return db_.reads->KeyMayExist(options, family, key, value, value_found, timestamp);
}

Status DBImpl::IncreaseFullHistoryTsLow(ColumnFamilyHandle* family, std::string ts_low) {
  return db_.compactions->RaiseHistoryLow(family, ts_low);
}

Status DBImpl::GetFullHistoryTsLow(ColumnFamilyHandle* family, std::string* ts_low) {
  if (ts_low == nullptr) return Status::InvalidArgument("ts_low is nullptr");
  ColumnFamily* found = nullptr;
  Status s = FindWithTimestamps(*db_.families, family, &found);
  if (!s.ok()) return s;
  DBMutexLock lock(db_.mutex());
  *ts_low = found->state->history_low();
  return s;
}

Status DBImpl::GetNewestUserDefinedTimestamp(ColumnFamilyHandle* family, std::string* newest) {
  if (newest == nullptr) return Status::InvalidArgument("newest_timestamp is nullptr");
  newest->clear();
  ColumnFamily* found = nullptr;
  Status s = FindWithTimestamps(*db_.families, family, &found);
  if (!s.ok()) return s;
  DBMutexLock lock(db_.mutex());
  if (!LacksTimestampsInTables(*found->options)) {
    return Status::NotSupported("the tables of the family have their timestamps",
                                "persist_user_defined_timestamps is true");
  }
  std::vector<const MemTable*> memtables = {found->mem};  // the newest first
  const std::vector<MemTable*>& sealed = found->imm.current()->memtables();
  memtables.insert(memtables.end(), sealed.begin(), sealed.end());
  for (const MemTable* memtable : memtables) {
    *newest = memtable->newest_timestamp();
    if (!newest->empty()) return s;
  }
  const std::string& low = found->state->history_low();
  if (found->current()->num_non_empty_levels() > 0 && !low.empty()) {
    *newest = TimestampBefore(low);
  }
  return s;
}

// Who reads takes a super version first: what that has was not collapsed above its own mark.
Status Compactions::RaiseHistoryLow(ColumnFamilyHandle* handle, const Slice& low) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = FindWithTimestamps(*db_.families, handle, &family);
  if (!s.ok()) return s;
  const Comparator* const comparator = family->icmp.user_comparator();
  if (comparator->timestamp_size() != low.size()) {
    return Status::InvalidArgument("ts_low size mismatch");
  }
  const auto is_behind = [&] {
    const std::string& present = family->state->history_low();
    return !present.empty() && comparator->CompareTimestamp(low, present) < 0;
  };
  DBMutexLock lock(db_.mutex());
  if (is_behind()) {
    return Status::InvalidArgument(
        "Current full_history_ts_low: " + Slice(family->state->history_low()).ToString(true) +
        " is higher than provided ts: " + low.ToString(true));
  }
  VersionEdit edit;
  edit.SetFullHistoryTsLow(low.ToString());
  s = db_.versions->LogAndApply(
      family->state, &edit, db_.mutex(), db_.directory.get(), false,
      [&]() FIBER_REQUIRES(database_mutex) { db_.work->InstallSuperVersion(family); });
  if (!s.ok()) return s;
  db_.work->MaybeScheduleWork();  // a flush may have waited for this
  if (is_behind()) {
    return Status::TryAgain(
        "full_history_ts_low: " + Slice(family->state->history_low()).ToString(true) +
        " is set to be higher than the requested timestamp: " + low.ToString(true));
  }
  return s;
}

Status ReadPath::CheckTimestamp(const ColumnFamily& family, const ReadOptions& options) {
  const size_t size = family.icmp.timestamp_size();
  const auto refuse = [&](const std::string& what) {
    return Status::InvalidArgument("cannot call this method on column family " + family.name() +
                                   what);
  };
  if (options.timestamp == nullptr && size != 0) return refuse(" that enables timestamp");
  if (size == 0) return refuse(" that does not enable timestamp");
  for (const Slice* given : {options.timestamp, options.iter_start_ts}) {
    if (given == nullptr || given->size() == size) continue;
    return Status::InvalidArgument("Timestamp sizes mismatch: expect " + std::to_string(size) +
                                   ", " + std::to_string(given->size()) + " given");
  }
  return Status::OK();
}

}  // namespace cairn
