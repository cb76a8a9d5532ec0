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

Status DBImpl::WrittenSince(const ColumnFamily* family, const Slice& key, SequenceNumber since,
                            bool* written) const {
  if (db_.Forked()) [[unlikely]] {
    return db_.ForkedStatus();
  }
  if (family->dropped.load()) {
    return Status::InvalidArgument("column family was dropped", family->name());
  }
  SuperVersionGuard sv(family->super_versions.get());
  return cairn::WrittenSince(*sv.get(), family->tables.get(), key, since, written);
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
