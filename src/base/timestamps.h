// User-defined timestamps: the last bytes of each user key of a family whose comparator has them
// (Comparator::timestamp_size). Equal keys come from the newest timestamp to the oldest.
//
// "Key" alone means a user key with its timestamp, which is what memtables and tables hold; a bare
// key lacks it, as users give it. A timestamp of 0xff bytes is the largest of any comparator, one
// of zeros the smallest (as in RocksDB). Bytes that come from a file may be too few: what is cut
// off them is then as much as there is.
#pragma once

#include <cstddef>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

inline Slice StripTimestamp(const Slice& user_key, size_t ts_size) {
  return Slice(user_key.data(), user_key.size() < ts_size ? 0 : user_key.size() - ts_size);
}

inline Slice TimestampOf(const Slice& user_key, size_t ts_size) {
  const size_t size = user_key.size() < ts_size ? user_key.size() : ts_size;
  return Slice(user_key.data() + user_key.size() - size, size);
}

// A bare key with the largest timestamp: it sorts before all that have the bare key.
inline std::string WithMaxTimestamp(const Slice& bare_key, size_t ts_size) {
  std::string key(bare_key.data(), bare_key.size());
  key.append(ts_size, '\xff');
  return key;
}

// With the smallest one: it sorts behind them.
inline std::string WithMinTimestamp(const Slice& bare_key, size_t ts_size) {
  std::string key(bare_key.data(), bare_key.size());
  key.append(ts_size, '\0');
  return key;
}

}  // namespace cairn
