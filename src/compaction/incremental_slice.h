// Which part of a sorted run to merge into the oldest run, in universal style with
// CompactionOptionsUniversal::incremental. Used by the universal picker; a pure function of two
// lists of files.
//
// What such a compaction costs is what it rewrites of the oldest run. So of all slices (neighbours
// of the newer run) that are large enough together with the files that they overlap, the one is
// taken for which a byte of the newer run rewrites the fewest bytes of the oldest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/version.h"
#include "manifest/version_edit.h"

namespace cairn {

struct IncrementalSlice {
  size_t begin = 0, end = 0;  // of the newer run's files; equal: there is none
  double fanout = 0;          // bytes of the oldest run for each byte of the newer one
};

// Both lists in key order, without overlaps among themselves. A slice ends where it and what it
// overlaps come to `target_bytes`, or where files of the oldest run alone fill a gap behind it, or
// with the list. `worst_fanout`: a slice must be below that.
IncrementalSlice CheapestSlice(const InternalKeyComparator& icmp,
                               const std::vector<FileMetaData*>& newer,
                               const std::vector<FileMetaData*>& oldest, uint64_t target_bytes,
                               double worst_fanout);

}  // namespace cairn
