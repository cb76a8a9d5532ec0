#include "base/range_tombstones.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace cairn {
namespace {

std::vector<RangeTombstone> Sorted(const InternalKeyComparator& icmp,
                                   std::vector<RangeTombstone> tombstones) {
  std::erase_if(tombstones, [&icmp](const RangeTombstone& one) {
    return icmp.CompareUserKey(one.start, one.end) >= 0;
  });
  std::sort(tombstones.begin(), tombstones.end(),
            [&icmp](const RangeTombstone& a, const RangeTombstone& b) {
              const int order = icmp.CompareUserKey(a.start, b.start);
              return order != 0 ? order < 0 : a.sequence > b.sequence;
            });
  return tombstones;
}

}  // namespace

// A sweep over the starts and ends: between two that follow one another the same tombstones are
// active.
RangeTombstones::RangeTombstones(const InternalKeyComparator& icmp,
                                 std::vector<RangeTombstone> tombstones)
    : icmp_(icmp), tombstones_(Sorted(icmp, std::move(tombstones))) {
  std::vector<const RangeTombstone*> by_end;
  for (const RangeTombstone& one : tombstones_) by_end.push_back(&one);
  std::sort(by_end.begin(), by_end.end(), [this](const RangeTombstone* a, const RangeTombstone* b) {
    return icmp_.CompareUserKey(a->end, b->end) < 0;
  });
  std::multiset<SequenceNumber, std::greater<>> active;
  std::vector<std::pair<size_t, size_t>> parts;  // of sequences_, by fragment
  Slice at;                                      // where the present fragment begins
  const auto end_fragment = [&](const Slice& end) {
    if (active.empty() || icmp_.CompareUserKey(at, end) >= 0) return;
    const size_t first = sequences_.size();
    std::unique_copy(active.begin(), active.end(), std::back_inserter(sequences_));
    fragments_.push_back({at, end, {}});
    parts.emplace_back(first, sequences_.size() - first);
  };
  size_t started = 0;
  for (size_t ended = 0; ended < by_end.size();) {
    const RangeTombstone& next = *by_end[ended];
    if (started < tombstones_.size() &&
        icmp_.CompareUserKey(tombstones_[started].start, next.end) < 0) {
      end_fragment(tombstones_[started].start);
      at = tombstones_[started].start;
      active.insert(tombstones_[started++].sequence);
    } else {
      end_fragment(next.end);
      at = next.end;
      active.erase(active.find(next.sequence));
      ++ended;
    }
  }
  for (size_t i = 0; i < fragments_.size(); ++i) {
    fragments_[i].sequences = {sequences_.data() + parts[i].first, parts[i].second};
  }
}

size_t RangeTombstones::memory_usage() const {
  size_t bytes = sizeof(*this) + sequences_.capacity() * sizeof(SequenceNumber) +
                 fragments_.capacity() * sizeof(Fragment);
  for (const RangeTombstone& one : tombstones_) {
    bytes += sizeof(one) + one.start.capacity() + one.end.capacity();
  }
  return bytes;
}

size_t RangeTombstones::FindFragment(const Slice& user_key) const {
  const auto found = std::upper_bound(fragments_.begin(), fragments_.end(), user_key,
                                      [this](const Slice& key, const Fragment& fragment) {
                                        return icmp_.CompareUserKey(key, fragment.end) < 0;
                                      });
  return static_cast<size_t>(found - fragments_.begin());
}

SequenceNumber RangeTombstones::NewestAt(std::span<const SequenceNumber> sequences,
                                         SequenceNumber at) {
  const auto found = std::lower_bound(sequences.begin(), sequences.end(), at, std::greater<>());
  return found == sequences.end() ? 0 : *found;
}

SequenceNumber RangeTombstones::Covering(const Slice& user_key, SequenceNumber at) const {
  const size_t i = FindFragment(user_key);
  if (i == fragments_.size() || icmp_.CompareUserKey(fragments_[i].start, user_key) > 0) return 0;
  return NewestAt(fragments_[i].sequences, at);
}

bool ClipToTable(const InternalKeyComparator& icmp, const Slice& smallest, const Slice& largest,
                 Slice* start, Slice* end) {
  const Slice first = ExtractUserKey(smallest);
  const Slice last = ExtractUserKey(largest);
  if (icmp.CompareUserKey(*start, first) < 0) *start = first;
  if (EndsWithTombstone(largest) && icmp.CompareUserKey(*end, last) > 0) *end = last;
  return icmp.CompareUserKey(*start, *end) < 0;
}

}  // namespace cairn
