#include "utilities/tracked_keys.h"

#include <algorithm>
#include <cassert>

#include "base/hash.h"

namespace cairn {

uint64_t TrackedKeys::HashOf(uint32_t family, const Slice& key) {
  return Hash64(key.data(), key.size(), family);
}

size_t TrackedKeys::SlotOf(uint64_t hash, uint32_t family, const Slice& key) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != kNone) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && entry.family == family && KeyOf(entry) == key) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

const TrackedKeys::Entry* TrackedKeys::Find(uint32_t family, const Slice& key) const {
  if (slots_.empty()) return nullptr;
  const uint32_t index = slots_[SlotOf(HashOf(family, key), family, key)];
  return index == kNone || !entries_[index].is_tracked() ? nullptr : &entries_[index];
}

void TrackedKeys::Grow() {
  constexpr size_t kFirst = 16;
  slots_.assign(std::max(kFirst, 2 * slots_.size()), kNone);
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t slot = entries_[i].hash & mask;
    while (slots_[slot] != kNone) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(i);
  }
}

void TrackedKeys::Track(uint32_t family, const Slice& key, SequenceNumber since, bool read_only,
                        bool exclusive) {
  if (2 * (entries_.size() + 1) > slots_.size()) Grow();
  const uint64_t hash = HashOf(family, key);
  uint32_t& slot = slots_[SlotOf(hash, family, key)];
  if (slot == kNone) {
    slot = static_cast<uint32_t>(entries_.size());
    entries_.push_back(
        {hash, keys_.size(), since, static_cast<uint32_t>(key.size()), family, 0, 0, false});
    keys_.append(key.data(), key.size());
  }
  Entry& entry = entries_[slot];
  if (!entry.is_tracked()) {
    ++tracked_;
    entry.since = since;
    entry.exclusive = exclusive;
  } else {
    entry.since = std::min(entry.since, since);
    entry.exclusive |= exclusive;
  }
  ++(read_only ? entry.reads : entry.writes);
  if (!save_points_.empty()) changes_.push_back({slot, read_only});
}

bool TrackedKeys::TakeBack(uint32_t index, bool read_only) {
  Entry& entry = entries_[index];
  --(read_only ? entry.reads : entry.writes);
  if (entry.is_tracked()) return false;
  --tracked_;
  return true;
}

bool TrackedKeys::UntrackRead(uint32_t family, const Slice& key) {
  if (slots_.empty()) return false;
  const uint32_t index = slots_[SlotOf(HashOf(family, key), family, key)];
  if (index == kNone || entries_[index].reads == 0) return false;
  if (!save_points_.empty()) {
    const auto begin = changes_.rend() - static_cast<ptrdiff_t>(save_points_.back());
    const auto change = std::find_if(changes_.rbegin(), begin, [index](const Change& c) {
      return c.entry == index && c.read_only;
    });
    if (change == begin) return false;
    change->entry = kNone;
  }
  return TakeBack(index, /*read_only=*/true);
}

void TrackedKeys::RollbackToSavePoint(const Dropped& dropped) {
  assert(!save_points_.empty());
  const size_t mark = save_points_.back();
  save_points_.pop_back();
  while (changes_.size() > mark) {
    const Change change = changes_.back();
    changes_.pop_back();
    if (change.entry == kNone || !TakeBack(change.entry, change.read_only)) continue;
    dropped(entries_[change.entry], KeyOf(entries_[change.entry]));
  }
}

void TrackedKeys::PopSavePoint() {
  assert(!save_points_.empty());
  save_points_.pop_back();
  if (save_points_.empty()) changes_.clear();
}

void TrackedKeys::Clear() {
  // What a large transaction needed does not stay for the next one.
  constexpr size_t kKept = 1024;  // slots
  entries_.clear();
  keys_.clear();
  if (slots_.size() > kKept) {
    slots_ = {};
    entries_.shrink_to_fit();
    keys_.shrink_to_fit();
  } else {
    std::fill(slots_.begin(), slots_.end(), kNone);
  }
  tracked_ = 0;
  changes_.clear();
  save_points_.clear();
}

}  // namespace cairn
