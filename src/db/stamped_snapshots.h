// The snapshots of a database that have a timestamp, by it: those of
// TransactionDB::CreateTimestampedSnapshot() and Transaction::CommitAndTryCreateSnapshot(). In the
// order of their timestamps their states follow each other. Each is among the SnapshotList's as
// long as this list, or somebody else, holds it.
//
// Thread-safe. The own mutex is held while the SnapshotList's is taken, and no other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "db/snapshot_list.h"
#include "fiber/mutex.h"
#include "rocksdb/status.h"

namespace cairn {

class StampedSnapshots {
 public:
  using Shared = std::shared_ptr<const Snapshot>;

  // `all`: borrowed. `release`: gives one back to it. Both outlive all who hold a snapshot.
  StampedSnapshots(SnapshotList* all, std::function<void(const Snapshot*)> release)
      : all_(all), release_(std::move(release)) {}

  // A snapshot of the state that `published()` names, as SnapshotList::Take() has it; or the newest
  // one, if it is that already. InvalidArgument: the newest one has a later timestamp, or the same
  // one and another state.
  template <typename PublishedFn>
  [[nodiscard]] Status Take(uint64_t timestamp, PublishedFn&& published, Shared* snapshot) {
    fiber::MutexLock lock(&mutex_);
    Shared taken(all_->Take(published, timestamp), [this](const Snapshot* s) { release_(s); });
    return Keep(std::move(taken), snapshot);
  }

  // Null: there is none. kNoTimestamp: the newest.
  Shared Find(uint64_t timestamp) const;
  // Those with timestamps from `from` to `to`, without the latter; ascending.
  std::vector<Shared> Between(uint64_t from, uint64_t to) const;
  // Lets go those with timestamps below. Who else holds one keeps it.
  void ReleaseBelow(uint64_t timestamp);
  void ReleaseAll();

  static constexpr uint64_t kNoTimestamp = SnapshotImpl::kNoTimestamp;

 private:
  Status Keep(Shared taken, Shared* snapshot) FIBER_REQUIRES(mutex_);

  SnapshotList* const all_;
  const std::function<void(const Snapshot*)> release_;
  mutable fiber::Mutex mutex_;
  std::map<uint64_t, Shared> kept_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace cairn
