// What transactions (src/utilities) need of a database beyond its public calls.
#include "db/db_impl.h"
#include "db/families.h"
#include "db/values_before.h"
#include "db/write_path.h"
#include "read/newest_write.h"

namespace cairn {

Status DBImpl::WriteChecked(const WriteOptions& options, WriteBatch* updates,
                            const CommitCheck* check) {
  return db_.writes->Write(options, updates, check);
}

Status DBImpl::WriteStep(const WriteOptions& options, WriteBatch* updates, TwoPhaseStep* step) {
  return db_.writes->WriteStep(options, updates, step);
}

Status DBImpl::WriteAndTakeSnapshot(const WriteOptions& options, WriteBatch* updates,
                                    TwoPhaseStep* step, uint64_t timestamp,
                                    std::shared_ptr<const Snapshot>* snapshot) {
  const CommitHook take = [&](SequenceNumber last) {
    // What was committed stays so, with it or without.
    (void)db_.stamped_snapshots.Take(timestamp, [last] { return last; }, snapshot);
  };
  return step != nullptr ? db_.writes->WriteStep(options, updates, step, &take)
                         : db_.writes->Write(options, updates, nullptr, nullptr, &take);
}

Status DBImpl::TakeSnapshot(uint64_t timestamp, std::shared_ptr<const Snapshot>* snapshot) {
  if (db_.Forked()) return db_.ForkedStatus();
  return db_.stamped_snapshots.Take(
      timestamp, [this] { return db_.versions->LastSequence(); }, snapshot);
}

namespace {

Status CheckThere(const Database& db, const ColumnFamily& family) {
  if (db.Forked()) [[unlikely]] {
    return db.ForkedStatus();
  }
  return family.dropped.load() ? Status::InvalidArgument("column family was dropped", family.name())
                               : Status::OK();
}

}  // namespace

Status DBImpl::WrittenSince(const ColumnFamily* family, const Slice& key, SequenceNumber since,
                            bool* written) const {
  Status s = CheckThere(db_, *family);
  if (!s.ok()) return s;
  SuperVersionGuard sv(family->super_versions.get());
  return cairn::WrittenSince(*sv.get(), family->tables.get(), key, since, written);
}

Status DBImpl::StampedSince(const ColumnFamily* family, const Slice& key, SequenceNumber since,
                            const Slice& read_timestamp, bool* written) const {
  Status s = CheckThere(db_, *family);
  if (!s.ok()) return s;
  SuperVersionGuard sv(family->super_versions.get());
  return cairn::StampedSince(*sv.get(), family->tables.get(), key, since, read_timestamp, written);
}

size_t DBImpl::TimestampSizeOf(uint32_t family_id) const {
  if (!db_.families->any_has_timestamps()) [[likely]]
    return 0;
  fiber::MutexLock lock(db_.families->live_mutex());
  const ColumnFamily* const family = db_.families->FindFamily(family_id);
  return family == nullptr ? 0 : family->icmp.timestamp_size();
}

Status DBImpl::ValuesBefore(const WriteBatch& entries, bool of_merges_only, WriteBatch* before) {
  if (db_.Forked()) [[unlikely]] {
    return db_.ForkedStatus();
  }
  return FindValuesBefore(&db_, entries, of_merges_only ? KeysOf::kMerges : KeysOf::kAll,
                          /*hidden=*/{}, before);
}

std::unique_ptr<ColumnFamilyHandle> DBImpl::HandleOf(uint32_t family_id) {
  DBMutexLock lock(db_.mutex());
  ColumnFamily* const family = db_.families->FindFamily(family_id);
  if (family == nullptr) return nullptr;
  return std::make_unique<ColumnFamilyHandleImpl>(&db_, family);
}

void DBImpl::UnrefFamily(ColumnFamily* family) {
  db_.families->UnrefFamily(family, /*purge=*/false);
}

}  // namespace cairn
