// A skip list from its first entry to its last, for a flush.
//
// The next node of a large list is a cache miss, and where it lies only the node before it knows:
// who follows the lowest links waits for memory at every entry. So the list is read in chunks: a
// stretch of a high level first, then, level by level, all gaps of the level above at once, one
// step in each before the second in any. The waits of a round overlap.
#ifndef CAIRN_MEMTABLE_SKIPLIST_TRAVERSAL_H_
#define CAIRN_MEMTABLE_SKIPLIST_TRAVERSAL_H_

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "memtable/skiplist.h"

namespace cairn {

/// SeekToFirst, Next and NextEntry only: other movements make it invalid, with
/// Status::NotSupported. Entries that are inserted meanwhile may or may not be shown. `list` is
/// borrowed; the caller owns the result. Keys and values are pinned for the list's life.
InternalIterator* NewSkipListTraversal(const SkipList* list);

}  // namespace cairn

#endif  // CAIRN_MEMTABLE_SKIPLIST_TRAVERSAL_H_
