// The live snapshots of a database, oldest first. One for each database; thread-safe by its own
// mutex, which is a leaf of the lock order (nothing is locked while it is held).
//
// Why a snapshot needs no other lock: it fixes a sequence number that is already published, and a
// compaction or flush that started before it only reads entries that were published before too, so
// whatever such a job keeps for "now" is what the new snapshot must see.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fiber/interleave.h"
#include "fiber/mutex.h"
#include "rocksdb/snapshot.h"

namespace cairn {

class SnapshotImpl final : public Snapshot {
 public:
  static constexpr uint64_t kNoTimestamp = std::numeric_limits<uint64_t>::max();

  SnapshotImpl(SequenceNumber sequence, int64_t unix_time, uint64_t timestamp)
      : sequence_(sequence), unix_time_(unix_time), timestamp_(timestamp) {}

  SequenceNumber GetSequenceNumber() const override { return sequence_; }
  int64_t GetUnixTime() const override { return unix_time_; }
  uint64_t GetTimestamp() const override { return timestamp_; }

 private:
  friend class SnapshotList;
  const SequenceNumber sequence_;
  const int64_t unix_time_;  // seconds
  const uint64_t timestamp_;
};

class SnapshotList {
 public:
  SnapshotList() = default;
  ~SnapshotList();
  SnapshotList(const SnapshotList&) = delete;
  SnapshotList& operator=(const SnapshotList&) = delete;

  // Takes a snapshot at the sequence that `published()` returns under the list's lock, so that a
  // compaction that reads the list afterwards cannot miss it. The caller owns the result until
  // Release.
  template <typename PublishedFn>
  const Snapshot* Take(PublishedFn&& published, uint64_t timestamp = SnapshotImpl::kNoTimestamp) {
    const int64_t now = NowSeconds();
    fiber::MutexLock lock(&mutex_);
    while (pauses_ > 0) resumed_.wait(&mutex_);
    auto* snapshot = new SnapshotImpl(published(), now, timestamp);
    fiber::interleave();
    live_.insert(snapshot);
    return snapshot;
  }
  void Release(const Snapshot* snapshot);

  // While one lives, Take() waits: what changes is not told by sequence numbers alone (files from
  // outside whose entries have number 0), and no snapshot may fall between. Hold no lock that a
  // caller of Take() may hold.
  class Pause {
   public:
    explicit Pause(SnapshotList* list) : list_(list) {
      fiber::MutexLock lock(&list_->mutex_);
      ++list_->pauses_;
    }
    ~Pause() {
      fiber::MutexLock lock(&list_->mutex_);
      if (--list_->pauses_ == 0) list_->resumed_.notify_all();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    SnapshotList* const list_;
  };

  // Distinct sequence numbers, ascending.
  std::vector<SequenceNumber> Sequences() const;
  size_t size() const;
  // kMaxSequenceNumber when there is none.
  SequenceNumber oldest() const;
  int64_t oldest_time() const;

 private:
  struct Older {
    bool operator()(const SnapshotImpl* a, const SnapshotImpl* b) const {
      return a->sequence_ < b->sequence_;
    }
  };
  static int64_t NowSeconds();

  mutable fiber::Mutex mutex_;
  std::multiset<SnapshotImpl*, Older> live_ FIBER_GUARDED_BY(mutex_);
  int pauses_ FIBER_GUARDED_BY(mutex_) = 0;
  fiber::CondVar resumed_;
};

}  // namespace cairn
