#include "base/range_tombstones.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace cairn {
namespace {

std::vector<RangeTombstone> Sorted(const InternalKeyComparator& icmp,
                                   std::vector<RangeTombstone> tombstones) {
  std::erase_if(tombstones, [&icmp](const RangeTombstone& one) {
    return icmp.CompareBare(one.start, one.end) >= 0;
  });
  std::sort(tombstones.begin(), tombstones.end(),
            [&icmp](const RangeTombstone& a, const RangeTombstone& b) {
              const int order = icmp.CompareBare(a.start, b.start);
              return order != 0 ? order < 0 : a.sequence > b.sequence;
            });
  return tombstones;
}

// Those that cover a fragment: the newest first.
struct NewerFirst {
  const InternalKeyComparator* icmp;

  bool operator()(const RangeTombstone* a, const RangeTombstone* b) const {
    if (a->sequence != b->sequence) return a->sequence > b->sequence;
    return icmp->timestamp_size() != 0 &&
           icmp->user_comparator()->CompareTimestamp(a->timestamp, b->timestamp) > 0;
  }
};

}  // namespace

RangeTombstone MakeRangeTombstone(const InternalKeyComparator& icmp, const Slice& start,
                                  const Slice& end, SequenceNumber sequence) {
  const size_t size = icmp.timestamp_size();
  if (size == 0) return {start.ToString(), end.ToString(), sequence};
  return {WithMaxTimestamp(StripTimestamp(start, size), size),
          WithMaxTimestamp(StripTimestamp(end, size), size), sequence,
          TimestampOf(start, size).ToString()};
}

// A sweep over the starts and ends: between two that follow one another the same tombstones are
// active.
RangeTombstones::RangeTombstones(const InternalKeyComparator& icmp,
                                 std::vector<RangeTombstone> tombstones)
    : icmp_(icmp), tombstones_(Sorted(icmp, std::move(tombstones))) {
  std::vector<const RangeTombstone*> by_end;
  for (const RangeTombstone& one : tombstones_) by_end.push_back(&one);
  std::sort(by_end.begin(), by_end.end(), [this](const RangeTombstone* a, const RangeTombstone* b) {
    return icmp_.CompareBare(a->end, b->end) < 0;
  });
  const NewerFirst newer{&icmp_};
  std::multiset<const RangeTombstone*, NewerFirst> active(newer);
  std::vector<std::pair<size_t, size_t>> parts;  // of sequences_, by fragment
  Slice at;                                      // where the present fragment begins
  const auto end_fragment = [&](const Slice& end) {
    if (active.empty() || icmp_.CompareBare(at, end) >= 0) return;
    const size_t first = sequences_.size();
    const RangeTombstone* last = nullptr;
    for (const RangeTombstone* one : active) {
      if (last != nullptr && !newer(last, one)) continue;  // as the one before
      sequences_.push_back(one->sequence);
      if (icmp_.timestamp_size() != 0) timestamps_.push_back(one->timestamp);
      last = one;
    }
    fragments_.push_back({at, end, {}});
    parts.emplace_back(first, sequences_.size() - first);
  };
  size_t started = 0;
  for (size_t ended = 0; ended < by_end.size();) {
    const RangeTombstone& next = *by_end[ended];
    if (started < tombstones_.size() &&
        icmp_.CompareBare(tombstones_[started].start, next.end) < 0) {
      end_fragment(tombstones_[started].start);
      at = tombstones_[started].start;
      active.insert(&tombstones_[started++]);
    } else {
      end_fragment(next.end);
      at = next.end;
      active.erase(active.find(&next));
      ++ended;
    }
  }
  for (size_t i = 0; i < fragments_.size(); ++i) {
    fragments_[i].sequences = {sequences_.data() + parts[i].first, parts[i].second};
    if (!timestamps_.empty()) {
      fragments_[i].timestamps = {timestamps_.data() + parts[i].first, parts[i].second};
    }
  }
}

size_t RangeTombstones::memory_usage() const {
  size_t bytes = sizeof(*this) + sequences_.capacity() * sizeof(SequenceNumber) +
                 timestamps_.capacity() * sizeof(Slice) + fragments_.capacity() * sizeof(Fragment);
  for (const RangeTombstone& one : tombstones_) {
    bytes += sizeof(one) + one.start.capacity() + one.end.capacity() + one.timestamp.capacity();
  }
  return bytes;
}

size_t RangeTombstones::FindFragment(const Slice& user_key) const {
  const auto found = std::upper_bound(fragments_.begin(), fragments_.end(), user_key,
                                      [this](const Slice& key, const Fragment& fragment) {
                                        return icmp_.CompareBare(key, fragment.end) < 0;
                                      });
  return static_cast<size_t>(found - fragments_.begin());
}

SequenceNumber RangeTombstones::NewestAt(std::span<const SequenceNumber> sequences,
                                         SequenceNumber at) {
  const auto found = std::lower_bound(sequences.begin(), sequences.end(), at, std::greater<>());
  return found == sequences.end() ? 0 : *found;
}

SequenceNumber RangeTombstones::NewestAt(const Fragment& fragment, SequenceNumber at,
                                         const Slice& latest, bool before, Slice* timestamp) const {
  if (fragment.timestamps.empty()) return NewestAt(fragment.sequences, at);
  const Comparator& comparator = *icmp_.user_comparator();
  for (size_t i = 0; i < fragment.sequences.size(); ++i) {
    if (fragment.sequences[i] > at) continue;
    const int order = comparator.CompareTimestamp(fragment.timestamps[i], latest);
    if (order > 0 || (before && order == 0)) continue;
    if (timestamp != nullptr) *timestamp = fragment.timestamps[i];
    return fragment.sequences[i];
  }
  return 0;
}

SequenceNumber RangeTombstones::Covering(const Slice& user_key, SequenceNumber at,
                                         Slice* timestamp) const {
  const size_t i = FindFragment(user_key);
  if (i == fragments_.size() || icmp_.CompareBare(fragments_[i].start, user_key) > 0) return 0;
  return NewestAt(fragments_[i], at, icmp_.TimestampIn(user_key), /*before=*/false, timestamp);
}

bool ClipToTable(const InternalKeyComparator& icmp, const Slice& smallest, const Slice& largest,
                 Slice* start, Slice* end) {
  const Slice first = ExtractUserKey(smallest);
  const Slice last = ExtractUserKey(largest);
  if (icmp.CompareBare(*start, first) < 0) *start = first;
  if (EndsWithTombstone(largest) && icmp.CompareBare(*end, last) > 0) *end = last;
  return icmp.CompareBare(*start, *end) < 0;
}

}  // namespace cairn
