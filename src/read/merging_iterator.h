// MergingIterator: several sorted iterators as one. Used by the user iterator and by compaction.
//
// Duplicates are all shown (internal keys are unique across sources anyway; on a tie the earlier
// child goes first). Not thread-safe. Any child's error makes the whole invalid with that status:
// going on would show a hole as data.
//
// Cost per step: the child's own step and one comparison, as long as the same child stays in front.
// The front child is kept beside the heap, the heap's top is the runner-up, and both keys are
// cached: no virtual call is made to compare.
#ifndef CAIRN_READ_MERGING_ITERATOR_H_
#define CAIRN_READ_MERGING_ITERATOR_H_

#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"

namespace cairn {

/// Takes over the children. None: an empty iterator; one: that child itself. The caller owns the
/// result; `icmp` outlives it. `seek_together`: what the children must read to be positioned is
/// read at once (together.h); who finds all in memory costs no fiber. Children that read must be of
/// kReadAllTier then.
InternalIterator* NewMergingIterator(const InternalKeyComparator* icmp,
                                     std::vector<InternalIterator*> children,
                                     bool seek_together = false);

}  // namespace cairn

#endif  // CAIRN_READ_MERGING_ITERATOR_H_
