// DBIterator: the user's Iterator. Turns internal keys of all versions into the newest visible
// entry of each user key.
//
// Made by ReadPath::NewIterator. Not thread-safe; several iterators at once are fine. Moving may
// SUSPEND.
//
// Forward, the cursor stands on the entry shown: key() and value() are the entry's own bytes, not
// copies. The user key is saved only when older versions of it may follow (its sequence number is
// not 0). Where that is a merge operand, it and the older ones are taken, the cursor stands behind
// them or on the value below, and the saved key and what the operands made are shown. Backward,
// older versions come first, so the newest visible value is saved until the user key changes, and
// the cursor stands before the entry shown.
#ifndef CAIRN_READ_DB_ITERATOR_H_
#define CAIRN_READ_DB_ITERATOR_H_

#include <functional>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "read/super_version.h"
#include "rocksdb/iterator.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "table/table_cache.h"
#include "trace/operation_trace.h"

namespace cairn {

/// What an iterator needs of its database. Everything pointed to outlives the iterator.
struct DBIteratorEnv {
  const InternalKeyComparator* icmp = nullptr;
  SuperVersionSlots* super_versions = nullptr;
  TableCache* tables = nullptr;
  std::function<SequenceNumber()>
      last_sequence;  // the last published one: read after a super version is acquired
  // Null, or what it reads at until it is refreshed: the caller sees to it that nothing of that
  // state is compacted away until the iterator is made. Used in the constructor only.
  const SequenceNumber* first_sequence = nullptr;
  const SliceTransform* prefix_extractor = nullptr;  // may be null; for prefix_same_as_start
  uint64_t max_sequential_skip = 8;                  // max_sequential_skip_in_iterations
  Statistics* statistics = nullptr;                  // may be null
  const MergeOperator* merge_operator = nullptr;     // may be null
  OperationTrace* trace = nullptr;                   // may be null
  uint32_t family = 0;                               // its id, for the trace
};

/// An iterator at options.snapshot, or at the present. Never null; not positioned. The caller owns
/// it. The snapshot need not live on (but for auto_refresh_iterator_with_snapshot), the bounds'
/// Slices must (as in RocksDB).
Iterator* NewDBIterator(const DBIteratorEnv& env, const ReadOptions& options);

/// For tests and for read-only callers with a tower of their own: takes over `internal`, reads at
/// `sequence`.
Iterator* NewDBIterator(const DBIteratorEnv& env, const ReadOptions& options,
                        InternalIterator* internal, SequenceNumber sequence);

}  // namespace cairn

#endif  // CAIRN_READ_DB_ITERATOR_H_
