// What a read's timestamp must be, where keys have timestamps (base/timestamps.h).
#pragma once

#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

/// InvalidArgument: it is older than `low`, below which history was dropped (empty: it was not).
[[nodiscard]] inline Status CheckNotBelow(const InternalKeyComparator& icmp, const std::string& low,
                                          const Slice& timestamp) {
  if (low.empty() || icmp.user_comparator()->CompareTimestamp(timestamp, low) >= 0) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      "Read timestamp: " + timestamp.ToString(/*hex=*/true) +
      " is smaller than full_history_ts_low: " + Slice(low).ToString(/*hex=*/true));
}

}  // namespace cairn
