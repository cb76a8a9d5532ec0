// The out-of-line parts of the public snapshot classes.
#include "rocksdb/snapshot.h"

#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

Snapshot::~Snapshot() = default;

ManagedSnapshot::ManagedSnapshot(DB* db) : db_(db), snapshot_(db->GetSnapshot()) {}

ManagedSnapshot::ManagedSnapshot(DB* db, const Snapshot* snapshot) : db_(db), snapshot_(snapshot) {}

ManagedSnapshot::~ManagedSnapshot() {
  if (snapshot_ != nullptr) db_->ReleaseSnapshot(snapshot_);
}

const Snapshot* ManagedSnapshot::snapshot() { return snapshot_; }

}  // namespace ROCKSDB_NAMESPACE
