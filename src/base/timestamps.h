// User-defined timestamps: the last bytes of each user key of a family whose comparator has them
// (Comparator::timestamp_size). Equal keys come from the newest timestamp to the oldest.
//
// "Key" alone means a user key with its timestamp, which is what memtables and tables hold; a bare
// key lacks it, as users give it. A timestamp of 0xff bytes is the largest of any comparator, one
// of zeros the smallest (as in RocksDB). Bytes that come from a file may be too few: what is cut
// off them is then as much as there is.
//
// A family whose options have persist_user_defined_timestamps = false has timestamps in its
// memtables and logs alone. Its tables, and what the MANIFEST says of their bounds, have bare keys,
// which are read as keys with the smallest timestamp. As in RocksDB this is only for the
// comparators that it comes with, whose timestamps are numbers of 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/namespace.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"

namespace cairn {

inline Slice StripTimestamp(const Slice& user_key, size_t ts_size) {
  return Slice(user_key.data(), user_key.size() < ts_size ? 0 : user_key.size() - ts_size);
}

inline Slice TimestampOf(const Slice& user_key, size_t ts_size) {
  const size_t size = user_key.size() < ts_size ? user_key.size() : ts_size;
  return Slice(user_key.data() + user_key.size() - size, size);
}

// In the order of the keys of `comparator`, which may be of keys without timestamps.
inline int CompareBare(const Comparator* comparator, const Slice& a, const Slice& b) {
  return comparator->CompareWithoutTimestamp(a, /*a_has_ts=*/false, b, /*b_has_ts=*/false);
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

// Of timestamps that tables may lack: bytes, and what a comparator's name has more than that of the
// comparator of the bare keys.
inline constexpr size_t kUnpersistedTimestampSize = 8;
inline constexpr std::string_view kTimestampedName = ".u64ts";

// Whether `name` is of the comparator of the bare keys of the one called `timestamped`.
inline bool IsNameOfBare(std::string_view name, std::string_view timestamped) {
  return timestamped.size() == name.size() + kTimestampedName.size() &&
         timestamped.starts_with(name) && timestamped.ends_with(kTimestampedName);
}

// Whether a family with these ColumnFamilyOptions has bare keys in its tables.
template <typename Options>
bool LacksTimestampsInTables(const Options& options) {
  return !options.persist_user_defined_timestamps && options.comparator->timestamp_size() != 0;
}

// The last timestamp before one of 8 bytes; of the first one itself.
inline std::string TimestampBefore(const Slice& timestamp) {
  const uint64_t number = DecodeFixed64(timestamp.data());
  std::string before;
  PutFixed64(&before, number == 0 ? number : number - 1);
  return before;
}

// The first timestamp behind one of 8 bytes; of the last one itself.
inline std::string TimestampAfter(const Slice& timestamp) {
  const uint64_t number = DecodeFixed64(timestamp.data());
  std::string after;
  PutFixed64(&after, number == UINT64_MAX ? number : number + 1);
  return after;
}

}  // namespace cairn
