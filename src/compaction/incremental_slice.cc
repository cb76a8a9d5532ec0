#include "compaction/incremental_slice.h"

#include <algorithm>

namespace cairn {
namespace {

struct Overlap {
  size_t begin = 0, end = 0;  // of the oldest run's files
};

}  // namespace

IncrementalSlice CheapestSlice(const InternalKeyComparator& icmp,
                               const std::vector<FileMetaData*>& newer,
                               const std::vector<FileMetaData*>& oldest, uint64_t target_bytes,
                               double worst_fanout) {
  // sums[i]: the bytes of the oldest run before its file i.
  std::vector<uint64_t> sums(oldest.size() + 1, 0);
  for (size_t i = 0; i < oldest.size(); ++i) sums[i + 1] = sums[i] + oldest[i]->file_size;

  std::vector<Overlap> overlaps(newer.size());
  Overlap at;
  for (size_t i = 0; i < newer.size(); ++i) {
    const FileMetaData& f = *newer[i];
    while (at.begin < oldest.size() &&
           icmp.CompareBare(oldest[at.begin]->largest.user_key(), f.smallest.user_key()) < 0) {
      ++at.begin;
    }
    at.end = std::max(at.end, at.begin);
    while (at.end < oldest.size() &&
           icmp.CompareBare(oldest[at.end]->smallest.user_key(), f.largest.user_key()) <= 0) {
      ++at.end;
    }
    overlaps[i] = at;
  }

  IncrementalSlice best;
  best.fanout = worst_fanout;
  // A whole file of the oldest run lies between this one and the one before it.
  const auto gap_before = [&](size_t i) { return overlaps[i].begin > overlaps[i - 1].end; };
  for (size_t begin = 0; begin < newer.size(); ++begin) {
    // What is cut off only by the end of the list or a gap is considered from its beginning, not in
    // ever smaller parts.
    const bool fresh = begin == 0 || gap_before(begin);
    uint64_t bytes = 0;
    for (size_t end = begin + 1; end <= newer.size(); ++end) {
      bytes += newer[end - 1]->file_size;
      const uint64_t below = sums[overlaps[end - 1].end] - sums[overlaps[begin].begin];
      const bool full = bytes + below >= target_bytes;
      const bool cut = end == newer.size() || gap_before(end);
      if (!full && !cut) continue;
      if ((full || fresh) && bytes > 0) {
        const double fanout = static_cast<double>(below) / static_cast<double>(bytes);
        if (fanout < best.fanout) best = {begin, end, fanout};
      }
      break;
    }
  }
  return best;
}

}  // namespace cairn
