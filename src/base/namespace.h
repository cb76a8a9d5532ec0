// The internals live in namespace cairn and see the public API without a prefix.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {}

namespace cairn {
using namespace ROCKSDB_NAMESPACE;  // NOLINT(google-build-using-namespace): the API's types are ours
}  // namespace cairn
