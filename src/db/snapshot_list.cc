#include "db/snapshot_list.h"

#include "fiber/clock.h"

namespace cairn {

SnapshotList::~SnapshotList() {
  for (SnapshotImpl* snapshot : live_) delete snapshot;
}

int64_t SnapshotList::NowSeconds() { return static_cast<int64_t>(fiber::wall_micros() / 1000000); }

void SnapshotList::Release(const Snapshot* snapshot) {
  auto* mine = const_cast<SnapshotImpl*>(static_cast<const SnapshotImpl*>(snapshot));
  {
    fiber::MutexLock lock(&mutex_);
    auto [it, end] = live_.equal_range(mine);
    while (it != end && *it != mine) ++it;
    if (it == end) return;
    live_.erase(it);
  }
  delete mine;
}

std::vector<SequenceNumber> SnapshotList::Sequences() const {
  std::vector<SequenceNumber> out;
  fiber::MutexLock lock(&mutex_);
  for (const SnapshotImpl* snapshot : live_) {
    if (out.empty() || out.back() != snapshot->sequence_) out.push_back(snapshot->sequence_);
  }
  return out;
}

size_t SnapshotList::size() const {
  fiber::MutexLock lock(&mutex_);
  return live_.size();
}

SequenceNumber SnapshotList::oldest() const {
  fiber::MutexLock lock(&mutex_);
  return live_.empty() ? kMaxSequenceNumber : (*live_.begin())->sequence_;
}

int64_t SnapshotList::oldest_time() const {
  fiber::MutexLock lock(&mutex_);
  return live_.empty() ? 0 : (*live_.begin())->unix_time_;
}

}  // namespace cairn
