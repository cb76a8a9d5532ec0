// Which logs have prepared sections that nobody has decided, and the transactions that recovery
// found there. A log is kept as long as
//
//   a section in it is undecided                          (here)
//   a memtable has the entries of one that was committed  (MemTable::prepared_log)
//
// and a commit makes the second true before the first ends: who asks for both asks in this order
// (MemTableSwitch::FirstPreparedLogNeeded).
//
// Thread safety: all methods from anywhere; the mutex is a leaf.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/namespace.h"
#include "commit/prepared_sections.h"
#include "fiber/mutex.h"

namespace cairn {

class PreparedLogs {
 public:
  // A step of a two-phase commit is to be written, or was recovered: logs matter from here on
  // beyond their memtables.
  void SetUsed() { used_.store(true, std::memory_order_relaxed); }
  bool used() const { return used_.load(std::memory_order_relaxed); }

  void Note(uint64_t log, size_t sections) {
    fiber::MutexLock lock(&mutex_);
    undecided_[log] += sections;
  }
  void Decided(uint64_t log) {
    fiber::MutexLock lock(&mutex_);
    const auto found = undecided_.find(log);
    if (found != undecided_.end() && --found->second == 0) undecided_.erase(found);
  }
  // UINT64_MAX: there is none.
  uint64_t Oldest() const {
    fiber::MutexLock lock(&mutex_);
    return undecided_.empty() ? UINT64_MAX : undecided_.begin()->first;
  }

  // What recovery found, until somebody takes it.
  void SetRecovered(PreparedSections::Sections sections) {
    fiber::MutexLock lock(&mutex_);
    recovered_ = std::move(sections);
  }
  PreparedSections::Sections TakeRecovered() {
    fiber::MutexLock lock(&mutex_);
    return std::exchange(recovered_, {});
  }

 private:
  // Relaxed: who asks holds leadership, or learns of the step's failure.
  std::atomic<bool> used_{false};
  mutable fiber::Mutex mutex_;
  std::map<uint64_t, size_t> undecided_ FIBER_GUARDED_BY(mutex_);  // sections, by their log
  PreparedSections::Sections recovered_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace cairn
