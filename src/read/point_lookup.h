// Point lookups: one key, newest source first. Called by ReadPath: Get, MultiGet and KeyMayExist.
// Thread-safe; the caller holds the super version. SUSPENDS where a table or a block must be read.
#ifndef CAIRN_READ_POINT_LOOKUP_H_
#define CAIRN_READ_POINT_LOOKUP_H_

#include <cstddef>

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

/// The whole lookup of `key` as of `snapshot`: memtable, immutable memtables, files. OK (value set,
/// copied or pinned; of an entity the default column, or with `is_entity` all of it as it is
/// stored, and *is_entity set), NotFound, or an error: Corruption, IOError, Incomplete
/// (kBlockCacheTier), InvalidArgument (there are merge operands and no operator). `value` may be
/// null (existence only). `statistics` may be null: receives the hit and miss counts of RocksDB's
/// tickers.
[[nodiscard]] Status PointLookup(const ReadOptions& options, const SuperVersion& sv,
                                 TableCache* tables, const Slice& key, SequenceNumber snapshot,
                                 PinnableSlice* value, Statistics* statistics = nullptr,
                                 SequenceNumber* seq = nullptr, bool* is_entity = nullptr);

/// The same for a caller that knows whether anything is timed (Perf::timed()).
template <bool kTimed>
[[nodiscard]] Status PointLookupIf(const ReadOptions& options, const SuperVersion& sv,
                                   TableCache* tables, const Slice& key, SequenceNumber snapshot,
                                   PinnableSlice* value, Statistics* statistics,
                                   SequenceNumber* seq, bool* is_entity);

/// The same with the caller's `operands`. If they just collect: OK with the value below them,
/// NotFound if there is none; `value` is not null.
[[nodiscard]] Status PointLookup(const ReadOptions& options, const SuperVersion& sv,
                                 TableCache* tables, const Slice& key, SequenceNumber snapshot,
                                 PinnableSlice* value, MergeOperands* operands,
                                 Statistics* statistics, SequenceNumber* seq,
                                 bool* is_entity = nullptr);

/// PointLookup for `n` keys at one snapshot: one answer each in `values` (reset first) and
/// `statuses`, and in `are_entities`, if not null. With async_io what must be read is read
/// together: of all keys, or, without optimize_multiget_for_io, of all keys on one level after the
/// other. What is in memory costs no fiber.
void MultiGetLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                    size_t n, const Slice* keys, SequenceNumber snapshot, PinnableSlice* values,
                    Status* statuses, Statistics* statistics = nullptr,
                    bool* are_entities = nullptr);

}  // namespace cairn

#endif  // CAIRN_READ_POINT_LOOKUP_H_
