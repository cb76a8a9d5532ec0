#include "db/stamped_snapshots.h"

#include <string>
#include <utility>

namespace cairn {

Status StampedSnapshots::Keep(Shared taken, Shared* snapshot) {
  const uint64_t timestamp = taken->GetTimestamp();
  if (!kept_.empty()) {
    const auto& [newest, there] = *kept_.rbegin();
    if (newest > timestamp) {
      return Status::InvalidArgument("a snapshot has the later timestamp " +
                                     std::to_string(newest));
    }
    if (newest == timestamp) {
      if (there->GetSequenceNumber() != taken->GetSequenceNumber()) {
        return Status::InvalidArgument("a snapshot of an earlier state has the timestamp " +
                                       std::to_string(newest));
      }
      *snapshot = there;
      return Status::OK();
    }
  }
  kept_.emplace_hint(kept_.end(), timestamp, taken);
  *snapshot = std::move(taken);
  return Status::OK();
}

StampedSnapshots::Shared StampedSnapshots::Find(uint64_t timestamp) const {
  fiber::MutexLock lock(&mutex_);
  if (kept_.empty()) return nullptr;
  if (timestamp == kNoTimestamp) return kept_.rbegin()->second;
  const auto found = kept_.find(timestamp);
  return found == kept_.end() ? nullptr : found->second;
}

std::vector<StampedSnapshots::Shared> StampedSnapshots::Between(uint64_t from, uint64_t to) const {
  std::vector<Shared> snapshots;
  fiber::MutexLock lock(&mutex_);
  for (auto it = kept_.lower_bound(from); it != kept_.end() && it->first < to; ++it) {
    snapshots.push_back(it->second);
  }
  return snapshots;
}

void StampedSnapshots::ReleaseBelow(uint64_t timestamp) {
  std::map<uint64_t, Shared> released;  // after the mutex
  fiber::MutexLock lock(&mutex_);
  const auto end = kept_.lower_bound(timestamp);
  while (kept_.begin() != end) released.insert(kept_.extract(kept_.begin()));
}

void StampedSnapshots::ReleaseAll() {
  std::map<uint64_t, Shared> released;
  fiber::MutexLock lock(&mutex_);
  released.swap(kept_);
}

}  // namespace cairn
