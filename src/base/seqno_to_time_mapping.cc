#include "base/seqno_to_time_mapping.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <set>
#include <utility>

#include "base/coding.h"

namespace cairn {

SeqnoToTimeMapping::SeqnoToTimeMapping(std::vector<SeqnoTimePair> pairs) {
  std::sort(pairs.begin(), pairs.end(), [](const SeqnoTimePair& a, const SeqnoTimePair& b) {
    return a.sequence != b.sequence ? a.sequence < b.sequence : a.seconds < b.seconds;
  });
  pairs_.reserve(pairs.size());
  for (const SeqnoTimePair& pair : pairs) Append(pair.sequence, pair.seconds);
}

void SeqnoToTimeMapping::Append(SequenceNumber sequence, uint64_t seconds) {
  if (sequence == 0) return;
  assert(pairs_.empty() || pairs_.back().sequence <= sequence);
  // What was written by then is known to be older than the later times say.
  while (!pairs_.empty() && pairs_.back().seconds > seconds) pairs_.pop_back();
  if (!pairs_.empty() && pairs_.back().sequence == sequence) return;  // of the two the earlier time
  if (!pairs_.empty() && pairs_.back().seconds == seconds) {
    pairs_.back().sequence = sequence;
    return;
  }
  pairs_.push_back({sequence, seconds});
}

void SeqnoToTimeMapping::ForgetBefore(uint64_t seconds) {
  const auto later =
      std::partition_point(pairs_.begin(), pairs_.end(),
                           [&](const SeqnoTimePair& pair) { return pair.seconds <= seconds; });
  if (later - pairs_.begin() > 1) pairs_.erase(pairs_.begin(), std::prev(later));
}

void SeqnoToTimeMapping::ThinTo(size_t most) {
  if (most == 0) {
    pairs_.clear();
    return;
  }
  most = std::max<size_t>(most, 2);
  if (pairs_.size() <= most) return;
  // A list of those that are left, by index, and the inner ones by what their removal leaves.
  std::vector<size_t> before(pairs_.size()), after(pairs_.size());
  for (size_t i = 0; i < pairs_.size(); ++i) {
    before[i] = i - 1;
    after[i] = i + 1;
  }
  const size_t last = pairs_.size() - 1;
  const auto gap = [&](size_t i) {
    return std::pair(pairs_[after[i]].seconds - pairs_[before[i]].seconds, i);
  };
  std::set<std::pair<uint64_t, size_t>> inner;
  for (size_t i = 1; i < last; ++i) inner.insert(gap(i));
  std::vector<bool> removed(pairs_.size(), false);
  for (size_t left = pairs_.size(); left > most; --left) {
    const size_t at = inner.begin()->second;
    inner.erase(inner.begin());
    removed[at] = true;
    const size_t from = before[at], to = after[at];
    if (from > 0) inner.erase(gap(from));
    if (to < last) inner.erase(gap(to));
    after[from] = to;
    before[to] = from;
    if (from > 0) inner.insert(gap(from));
    if (to < last) inner.insert(gap(to));
  }
  size_t kept = 0;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (!removed[i]) pairs_[kept++] = pairs_[i];
  }
  pairs_.resize(kept);
}

SeqnoToTimeMapping SeqnoToTimeMapping::PartFor(SequenceNumber first, SequenceNumber last) const {
  const auto starts_at =
      std::partition_point(pairs_.begin(), pairs_.end(),
                           [&](const SeqnoTimePair& pair) { return pair.sequence < first; });
  const auto end = std::partition_point(
      starts_at, pairs_.end(), [&](const SeqnoTimePair& pair) { return pair.sequence <= last; });
  SeqnoToTimeMapping part;
  part.pairs_.assign(starts_at == pairs_.begin() ? starts_at : std::prev(starts_at), end);
  return part;
}

uint64_t SeqnoToTimeMapping::TimeBefore(SequenceNumber sequence) const {
  const auto it =
      std::partition_point(pairs_.begin(), pairs_.end(),
                           [&](const SeqnoTimePair& pair) { return pair.sequence < sequence; });
  return it == pairs_.begin() ? 0 : std::prev(it)->seconds;
}

SequenceNumber SeqnoToTimeMapping::SequenceBy(uint64_t seconds) const {
  const auto it =
      std::partition_point(pairs_.begin(), pairs_.end(),
                           [&](const SeqnoTimePair& pair) { return pair.seconds <= seconds; });
  return it == pairs_.begin() ? 0 : std::prev(it)->sequence;
}

void SeqnoToTimeMapping::EncodeTo(std::string* bytes) const {
  if (pairs_.empty()) return;
  PutVarint64(bytes, pairs_.size());
  SeqnoTimePair base;
  for (const SeqnoTimePair& pair : pairs_) {
    PutVarint64(bytes, pair.sequence - base.sequence);
    PutVarint64(bytes, pair.seconds - base.seconds);
    base = pair;
  }
}

Status SeqnoToTimeMapping::Decode(const Slice& bytes, std::vector<SeqnoTimePair>* pairs) {
  if (bytes.empty()) return Status::OK();
  const auto bad = [](const char* what) {
    return Status::Corruption("mapping of sequence numbers to times", what);
  };
  Slice input = bytes;
  uint64_t count = 0;
  if (!GetVarint64(&input, &count)) return bad("no number of pairs");
  // (Each pair takes two bytes at least.)
  if (count > input.size() / 2) return bad("it is shorter than its number of pairs says");
  std::vector<SeqnoTimePair> decoded;
  decoded.reserve(count);
  SeqnoTimePair last;
  for (uint64_t i = 0; i < count; ++i) {
    SeqnoTimePair more;
    if (!GetVarint64(&input, &more.sequence)) return bad("a sequence number is cut off");
    if (!GetVarint64(&input, &more.seconds)) return bad("a time is cut off");
    if (more.sequence == 0 || more.sequence > kMaxSequenceNumber - last.sequence) {
      return bad("its sequence numbers do not ascend");
    }
    last.sequence += more.sequence;
    last.seconds += more.seconds;
    decoded.push_back(last);
  }
  if (!input.empty()) return bad("bytes behind the last pair");
  pairs->insert(pairs->end(), decoded.begin(), decoded.end());
  return Status::OK();
}

std::string ToString(const std::vector<SeqnoTimePair>& pairs) {
  std::string text;
  for (const SeqnoTimePair& pair : pairs) {
    text += std::to_string(pair.sequence) + "->" + std::to_string(pair.seconds) + ",";
  }
  return text;
}

}  // namespace cairn
