// The user's Iterator over a family whose keys have timestamps (base/timestamps.h).
//
// Made by ReadPath::NewIterator in place of a DBIterator, whose paths so need not know of
// timestamps. Not thread-safe. Moving may SUSPEND.
//
// It shows of each key the newest version that is not newer than ReadOptions::timestamp, or with
// iter_start_ts every version from there on, deletions included; key() is then an internal key.
#pragma once

#include "base/namespace.h"
#include "read/db_iterator.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"

namespace cairn {

/// As NewDBIterator. REQUIRES: options.timestamp has the comparator's size.
Iterator* NewTimestampIterator(const DBIteratorEnv& env, const ReadOptions& options);

/// The same over what the caller has: takes over `internal`, reads at `sequence`.
Iterator* NewTimestampIterator(const DBIteratorEnv& env, const ReadOptions& options,
                               InternalIterator* internal, SequenceNumber sequence);

}  // namespace cairn
