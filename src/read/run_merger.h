// RunMerger: several sorted runs as one, forward only. Used by flush and compaction, whose every
// entry passes here; what a user iterates goes through MergingIterator, which can turn round.
//
// A tree of losers whose matches are mostly one comparison of two integers. Each run's head carries
// a code: where its key first differs from the key that beat it last, and the bytes there
// ("offset-value coding", Conner 1977; Graefe and Do, "Offset-value coding in database query
// processing", EDBT 2023). Keys are taken as columns of 6 bytes, padded with zeros:
//
//   code      48 bits up: the less, the later the first column differs | 48 bits: that column
//
// Invariant: on the way from the leaf of the run that won last to the root, all codes are relative
// to the key that won. So two different codes decide; the loser's code then is as true of the new
// winner. Equal codes say that the keys agree up to and including the column: only then are bytes
// compared, from there on, and the loser gets a new code.
//
// Duplicates are all shown, the earlier child's first. A child's error ends the whole with that
// status. A child whose keys descend (a damaged file) makes the output descend somewhere too: who
// takes it checks the order. Not thread-safe; movements SUSPEND where the children's do.
#ifndef CAIRN_READ_RUN_MERGER_H_
#define CAIRN_READ_RUN_MERGER_H_

#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"

namespace cairn {

/// Takes over the children. SeekToFirst, Seek, Next and NextEntry only: what moves backwards makes
/// it invalid, with Status::NotSupported. Where the user order is not bytewise, or there are not
/// two children, it is what NewMergingIterator makes. The caller owns the result; `icmp` outlives
/// it.
InternalIterator* NewRunMerger(const InternalKeyComparator* icmp,
                               std::vector<InternalIterator*> children);

}  // namespace cairn

#endif  // CAIRN_READ_RUN_MERGER_H_
