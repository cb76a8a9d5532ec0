// The internals live in namespace cairn and see the public API without a prefix.
#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {}

namespace cairn {
// The API's types are the internals' own vocabulary.
// NOLINTNEXTLINE(google-build-using-namespace)
using namespace ROCKSDB_NAMESPACE;
}  // namespace cairn
