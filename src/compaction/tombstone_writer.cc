#include "compaction/tombstone_writer.h"

#include <algorithm>
#include <utility>

namespace cairn {

void TombstoneCollector::Add(const RangeTombstones* tombstones) {
  if (tombstones == nullptr) return;
  for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
    AddPart(fragment, fragment.start, fragment.end);
  }
}

void TombstoneCollector::AddPart(const RangeTombstones::Fragment& fragment, const Slice& start,
                                 const Slice& end) {
  for (size_t i = 0; i < fragment.sequences.size(); ++i) {
    RangeTombstone one{start.ToString(), end.ToString(), fragment.sequences[i]};
    if (!fragment.timestamps.empty()) {
      const size_t ts_size = icmp_->timestamp_size();
      // (A table's bounds have the timestamps of its entries.)
      one.start = WithMaxTimestamp(icmp_->BareKey(start), ts_size);
      one.end = WithMaxTimestamp(icmp_->BareKey(end), ts_size);
      one.timestamp = fragment.timestamps[i].ToString();
      if (!trim_.empty() && icmp_->user_comparator()->CompareTimestamp(one.timestamp, trim_) > 0) {
        continue;
      }
    }
    all_.push_back(std::move(one));
  }
}

void TombstoneCollector::AddOfTable(const RangeTombstones* tombstones, const Slice& smallest,
                                    const Slice& largest) {
  if (tombstones == nullptr) return;
  for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
    Slice start = fragment.start;
    Slice end = fragment.end;
    if (!ClipToTable(*icmp_, smallest, largest, &start, &end)) continue;
    AddPart(fragment, start, end);
  }
}

std::unique_ptr<const RangeTombstones> TombstoneCollector::Finish(const Slice* begin,
                                                                  const Slice* end) {
  for (RangeTombstone& one : all_) {
    if (begin != nullptr && icmp_->CompareBare(one.start, *begin) < 0) {
      one.start = begin->ToString();
    }
    if (end != nullptr && icmp_->CompareBare(one.end, *end) > 0) one.end = end->ToString();
  }
  auto all = std::make_unique<const RangeTombstones>(*icmp_, std::move(all_));
  return all->empty() ? nullptr : std::move(all);
}

TombstoneWriter::TombstoneWriter(const InternalKeyComparator* icmp,
                                 const RangeTombstones* tombstones,
                                 const std::vector<SequenceNumber>& snapshots, bool bottommost,
                                 const std::string& history_low)
    : icmp_(icmp) {
  if (tombstones == nullptr) return;
  for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
    Kept kept{fragment.start, fragment.end, {}, {}};
    // The first snapshot that sees the last one kept; past the end: none does.
    auto interval = snapshots.end();
    bool any_old = false;
    for (size_t i = 0; i < fragment.sequences.size(); ++i) {
      const SequenceNumber sequence = fragment.sequences[i];
      const Slice timestamp = fragment.timestamps.empty() ? Slice() : fragment.timestamps[i];
      // Who reads at an older timestamp than another does not see that one.
      const bool old = fragment.timestamps.empty() ||
                       (!history_low.empty() &&
                        icmp->user_comparator()->CompareTimestamp(timestamp, history_low) < 0);
      if (old) {
        const auto seen_by = std::lower_bound(snapshots.begin(), snapshots.end(), sequence);
        if (any_old && seen_by == interval) continue;
        if (bottommost && seen_by == snapshots.begin()) {
          ++dropped_;
          continue;
        }
        interval = seen_by;
        any_old = true;
      }
      kept.sequences.push_back(sequence);
      kept.timestamps.push_back(timestamp);
    }
    if (!kept.sequences.empty()) kept_.push_back(std::move(kept));
  }
}

void TombstoneWriter::Restrict(SequenceNumber from, SequenceNumber through) {
  for (Kept& kept : kept_) {
    size_t left = 0;
    for (size_t i = 0; i < kept.sequences.size(); ++i) {
      if (kept.sequences[i] < from || kept.sequences[i] > through) continue;
      kept.sequences[left] = kept.sequences[i];
      kept.timestamps[left++] = kept.timestamps[i];
    }
    kept.sequences.resize(left);
    kept.timestamps.resize(left);
  }
  std::erase_if(kept_, [](const Kept& kept) { return kept.sequences.empty(); });
}

void TombstoneWriter::WriteUpTo(const Slice* end, TableWriter* writer) {
  for (; at_ < kept_.size(); ++at_) {
    Kept& kept = kept_[at_];
    if (end != nullptr && icmp_->CompareBare(kept.start, *end) >= 0) return;
    const bool cut = end != nullptr && icmp_->CompareBare(kept.end, *end) > 0;
    for (size_t i = 0; i < kept.sequences.size(); ++i) {
      writer->AddTombstone(kept.start, cut ? *end : kept.end, kept.sequences[i],
                           kept.timestamps[i]);
    }
    if (cut) {
      const size_t ts_size = icmp_->timestamp_size();
      cut_ = ts_size == 0 ? end->ToString() : WithMaxTimestamp(icmp_->BareKey(*end), ts_size);
      kept.start = cut_;
      return;
    }
  }
}

Status TombstoneWriter::AddAll(
    const std::function<Status(const Slice& start, const Slice& end, SequenceNumber)>& add) {
  for (; at_ < kept_.size(); ++at_) {
    for (const SequenceNumber sequence : kept_[at_].sequences) {
      Status s = add(kept_[at_].start, kept_[at_].end, sequence);
      if (!s.ok()) return s;
    }
  }
  return Status::OK();
}

}  // namespace cairn
