// For the tests of this layer, which do not link db/ (where Snapshot's destructor is).
#include "rocksdb/snapshot.h"

namespace ROCKSDB_NAMESPACE {

Snapshot::~Snapshot() = default;

}  // namespace ROCKSDB_NAMESPACE
