// The out-of-line destructor of Snapshot, which anchors its vtable. Here, because read/ is the lowest layer that uses it.
#include "rocksdb/snapshot.h"

namespace ROCKSDB_NAMESPACE {

Snapshot::~Snapshot() = default;

}  // namespace ROCKSDB_NAMESPACE
