// Values with the second of their writing behind them (DBWithTTL), in RocksDB's form: 4 bytes,
// little-endian, seconds since 1970. And what must know of it inside of the database: the filter
// that drops what has expired, and the merge operator, each around the user's own.
//
// Thread safety: pure functions; the objects as their interfaces say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

constexpr size_t kTtlTimeBytes = 4;
// RocksDB's feature is not older: an earlier time is none.
constexpr uint32_t kTtlFirstTime = 1368146402;

uint32_t TtlNow();
void AppendTtlTime(uint32_t seconds, std::string* value);
// The value with the present second.
std::string WithTtlTime(const Slice& value);
// Corruption: there is no time, or one that cannot be.
[[nodiscard]] Status CheckTtlTime(const Slice& stored);
// REQUIRES: at least kTtlTimeBytes
inline Slice WithoutTtlTime(const Slice& stored) {
  return Slice(stored.data(), stored.size() - kTtlTimeBytes);
}
// A ttl of 0 or less: never.
bool IsExpired(const Slice& stored, int32_t ttl, uint32_t now);

// Puts the wrappers into the options of a family.
void AddTtl(ColumnFamilyOptions* options, int32_t ttl);
// Of a family whose options AddTtl() has seen; of others nothing is changed.
void ChangeTtl(const ColumnFamilyOptions& options, int32_t ttl);

}  // namespace cairn
