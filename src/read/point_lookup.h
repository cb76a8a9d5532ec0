// Point lookups: one key, newest source first. Called by ReadPath: Get, MultiGet and KeyMayExist.
// Thread-safe; the caller holds the super version. SUSPENDS where a table or a block must be read.
#ifndef CAIRN_READ_POINT_LOOKUP_H_
#define CAIRN_READ_POINT_LOOKUP_H_

#include <cstddef>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/version.h"
#include "read/super_version.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"
#include "table/get_context.h"
#include "table/table_cache.h"

namespace cairn {

/// What lookups at one moment in one column family have in common. All is borrowed.
struct LookupRequest {
  const ReadOptions& options;
  const SuperVersion& sv;
  TableCache* tables;
  SequenceNumber snapshot;           // what is newer is not seen
  Statistics* statistics = nullptr;  // may be null; the tickers of hits and misses
  Slice timestamp = {};              // where keys have timestamps: what is newer is not seen
  uint64_t* trace_id = nullptr;      // of a batch of lookups: see GetContext::ShareTraceId()
};

struct ApproachedTable;

/// Where the answer for one key goes. What is null is not wanted.
struct LookupAnswer {
  PinnableSlice* value;  // copied or pinned; null: does the key exist?
  /// Entities are given as they are stored, and this is set for them. Null: their default column.
  bool* is_entity = nullptr;
  /// The timestamp of what decided, found or deleted. Empty: nothing is known of the key.
  std::string* timestamp = nullptr;
  /// How far the lookup has come already (read/approaches.h).
  ApproachedTable* approached = nullptr;
};

/// The whole lookup of `key`: memtable, immutable memtables, files. OK, NotFound, or an error:
/// Corruption, IOError, Incomplete (kBlockCacheTier), InvalidArgument (there are merge operands and
/// no operator).
[[nodiscard]] Status PointLookup(const LookupRequest& request, const Slice& key,
                                 const LookupAnswer& answer);

/// The same for a caller that knows whether anything is timed (Perf::timed()).
template <bool kTimed>
[[nodiscard]] Status PointLookupIf(const LookupRequest& request, const Slice& key,
                                   const LookupAnswer& answer);

/// The same with the caller's `operands`. If they just collect: OK with the value below them,
/// NotFound if there is none; the value is wanted.
[[nodiscard]] Status PointLookup(const LookupRequest& request, const Slice& key,
                                 const LookupAnswer& answer, MergeOperands* operands);

/// What an inplace_callback is to change: PointLookup with a copy of the value. MemoryLimit: there
/// is no room for it.
[[nodiscard]] Status LookupToChange(const LookupRequest& request, const Slice& key,
                                    std::string* value);

/// PointLookup for `n` keys: one answer each in `values` (reset first) and `statuses`, and in
/// `are_entities` and `timestamps`, if not null. With async_io what must be read is read together:
/// of all keys, or, without optimize_multiget_for_io, of all keys on one level after the other.
/// What is in memory costs no fiber.
void MultiGetLookup(const LookupRequest& request, size_t n, const Slice* keys,
                    PinnableSlice* values, Status* statuses, bool* are_entities = nullptr,
                    std::string* timestamps = nullptr);

}  // namespace cairn

#endif  // CAIRN_READ_POINT_LOOKUP_H_
