#include "compaction/tombstone_writer.h"

#include <algorithm>
#include <utility>

namespace cairn {

void TombstoneCollector::Add(const RangeTombstones* tombstones) {
  if (tombstones == nullptr) return;
  for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
    for (const SequenceNumber sequence : fragment.sequences) {
      all_.push_back({fragment.start.ToString(), fragment.end.ToString(), sequence});
    }
  }
}

void TombstoneCollector::AddOfTable(const RangeTombstones* tombstones, const Slice& smallest,
                                    const Slice& largest) {
  if (tombstones == nullptr) return;
  for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
    Slice start = fragment.start;
    Slice end = fragment.end;
    if (!ClipToTable(*icmp_, smallest, largest, &start, &end)) continue;
    for (const SequenceNumber sequence : fragment.sequences) {
      all_.push_back({start.ToString(), end.ToString(), sequence});
    }
  }
}

std::unique_ptr<const RangeTombstones> TombstoneCollector::Finish(const Slice* begin,
                                                                  const Slice* end) {
  for (RangeTombstone& one : all_) {
    if (begin != nullptr && icmp_->CompareUserKey(one.start, *begin) < 0) {
      one.start = begin->ToString();
    }
    if (end != nullptr && icmp_->CompareUserKey(one.end, *end) > 0) one.end = end->ToString();
  }
  auto all = std::make_unique<const RangeTombstones>(*icmp_, std::move(all_));
  return all->empty() ? nullptr : std::move(all);
}

TombstoneWriter::TombstoneWriter(const InternalKeyComparator* icmp,
                                 const RangeTombstones* tombstones,
                                 const std::vector<SequenceNumber>& snapshots, bool bottommost)
    : icmp_(icmp) {
  if (tombstones == nullptr) return;
  for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
    Kept kept{fragment.start, fragment.end, {}};
    // The first snapshot that sees the last one kept; past the end: none does.
    auto interval = snapshots.end();
    for (const SequenceNumber sequence : fragment.sequences) {
      const auto seen_by = std::lower_bound(snapshots.begin(), snapshots.end(), sequence);
      if (!kept.sequences.empty() && seen_by == interval) continue;
      if (bottommost && seen_by == snapshots.begin()) continue;
      interval = seen_by;
      kept.sequences.push_back(sequence);
    }
    if (!kept.sequences.empty()) kept_.push_back(std::move(kept));
  }
}

void TombstoneWriter::WriteUpTo(const Slice* end, TableWriter* writer) {
  for (; at_ < kept_.size(); ++at_) {
    Kept& kept = kept_[at_];
    if (end != nullptr && icmp_->CompareUserKey(kept.start, *end) >= 0) return;
    const bool cut = end != nullptr && icmp_->CompareUserKey(kept.end, *end) > 0;
    for (const SequenceNumber sequence : kept.sequences) {
      writer->AddTombstone(kept.start, cut ? *end : kept.end, sequence);
    }
    if (cut) {
      cut_ = end->ToString();
      kept.start = cut_;
      return;
    }
  }
}

}  // namespace cairn
