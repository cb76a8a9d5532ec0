// What some of the databases that are wrapped have no use for: column families with user-defined
// timestamps.
#pragma once

#include <vector>

#include "base/namespace.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace cairn {

// NotSupported: one of the families has them.
inline Status RefuseTimestamps(const std::vector<ColumnFamilyDescriptor>& families) {
  for (const ColumnFamilyDescriptor& family : families) {
    const Comparator* const comparator = family.options.comparator;
    if (comparator != nullptr && comparator->timestamp_size() != 0) {
      return Status::NotSupported("a comparator with timestamps", comparator->Name());
    }
  }
  return Status::OK();
}

}  // namespace cairn
