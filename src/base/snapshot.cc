// The anchor of the public Snapshot class: here, so that every layer that hands snapshots on links.
#include "rocksdb/snapshot.h"

namespace ROCKSDB_NAMESPACE {

Snapshot::~Snapshot() = default;

}  // namespace ROCKSDB_NAMESPACE
