// ManagedSnapshot: a snapshot for the length of a scope.
#include "rocksdb/db.h"
#include "rocksdb/snapshot.h"

namespace ROCKSDB_NAMESPACE {

ManagedSnapshot::ManagedSnapshot(DB* db) : db_(db), snapshot_(db->GetSnapshot()) {}

ManagedSnapshot::ManagedSnapshot(DB* db, const Snapshot* snapshot) : db_(db), snapshot_(snapshot) {}

ManagedSnapshot::~ManagedSnapshot() {
  if (snapshot_ != nullptr) db_->ReleaseSnapshot(snapshot_);
}

const Snapshot* ManagedSnapshot::snapshot() { return snapshot_; }

}  // namespace ROCKSDB_NAMESPACE
