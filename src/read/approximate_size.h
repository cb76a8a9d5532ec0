// How many bytes of table files a range of keys takes, about. Called by
// Properties::GetApproximateSizes. Thread-safe; the caller holds the version. SUSPENDS where a
// table must be opened.
#pragma once

#include <cstdint>

#include "base/namespace.h"
#include "manifest/version.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "table/table_cache.h"

namespace cairn {

// Of the internal keys [begin, end), in bytes. A table that cannot be opened counts as if it lay
// outside.
uint64_t ApproximateSize(const ReadOptions& options, const Version& version, TableCache* tables,
                         const Slice& begin, const Slice& end);

}  // namespace cairn
