// The prefix extractors that come with the library, by the names that they have in OPTIONS files
// and table properties. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice_transform.h"

namespace cairn {

// "fixed:N", "capped:N", "rocksdb.FixedPrefix.N", "rocksdb.CappedPrefix.N", "rocksdb.Noop". Null
// for another name.
std::shared_ptr<const SliceTransform> BuiltinSliceTransform(const std::string& id);

}  // namespace cairn
