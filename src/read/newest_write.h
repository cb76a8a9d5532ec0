// When a key was written last: what transactions validate by. Thread-safe; the caller holds the
// super version. SUSPENDS where a table must be read.
#pragma once

#include "base/internal_key.h"
#include "base/namespace.h"
#include "read/super_version.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "table/table_cache.h"

namespace cairn {

// Whether there is an entry of the key, or a range tombstone over it, newer than `since`, published
// or not. Tables that have nothing newer are not asked; so right after `since` memory answers.
[[nodiscard]] Status WrittenSince(const SuperVersion& sv, TableCache* tables, const Slice& key,
                                  SequenceNumber since, bool* written);

// The same of a bare key of a family with timestamps, by its newest version, that with the largest
// timestamp. `read_timestamp` not empty: a larger timestamp makes it *written, too, whenever that
// was; then older tables have to be asked. (That the timestamps of a key do not go back is for its
// writers to see to.)
[[nodiscard]] Status StampedSince(const SuperVersion& sv, TableCache* tables, const Slice& key,
                                  SequenceNumber since, const Slice& read_timestamp, bool* written);

// The number of the key's newest entry, or of a range tombstone over it, at or below `bound`; 0:
// there is none.
[[nodiscard]] Status NewestWrite(const SuperVersion& sv, TableCache* tables, const Slice& key,
                                 SequenceNumber bound, SequenceNumber* newest);

}  // namespace cairn
