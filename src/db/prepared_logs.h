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
#include <string>
#include <utility>
#include <vector>

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

  // --- Of the policies that share numbers. Their undecided sections go on from log to log: a
  // family whose entries are in tables up to a log needs none of what was before it, says the
  // MANIFEST, and RocksDB does not insert it for that family; nor are a section's entries in those
  // tables here.

  struct Copy {
    std::string record;  // without its sequence number
    uint32_t numbers;    // that it takes
    uint64_t log;        // the latest that has the section
  };
  // `copy`: what another log is to begin with (EncodeSharedCopy). With leadership, as what follows.
  void Keep(const std::string& name, Copy copy) {
    fiber::MutexLock lock(&mutex_);
    Uncount(name);
    ++undecided_[copy.log];
    copies_.insert_or_assign(name, std::move(copy));
  }
  void Forget(const std::string& name) {
    fiber::MutexLock lock(&mutex_);
    Uncount(name);
    copies_.erase(name);
  }
  // Calls f(copy) for each, until one is not OK, and sync(); the sections are in `log` afterwards.
  // SUSPENDS if they do.
  template <class F, class Sync>
  IOStatus CopyAll(uint64_t log, const F& f, const Sync& sync) {
    std::vector<std::pair<std::string, Copy>> all;
    {
      fiber::MutexLock lock(&mutex_);
      all.assign(copies_.begin(), copies_.end());
    }
    for (auto& [name, copy] : all) {
      IOStatus s = f(&copy);
      if (!s.ok()) return s;
    }
    IOStatus s = sync();
    if (!s.ok()) return s;
    for (auto& [name, copy] : all) {
      copy.log = log;
      Keep(name, std::move(copy));
    }
    return s;
  }
  bool HasCopies() const {
    fiber::MutexLock lock(&mutex_);
    return !copies_.empty();
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
  void Uncount(const std::string& name) FIBER_REQUIRES(mutex_) {
    const auto found = copies_.find(name);
    if (found == copies_.end()) return;
    const auto log = undecided_.find(found->second.log);
    if (--log->second == 0) undecided_.erase(log);
  }

  // Relaxed: who asks holds leadership, or learns of the step's failure.
  std::atomic<bool> used_{false};
  mutable fiber::Mutex mutex_;
  std::map<uint64_t, size_t> undecided_ FIBER_GUARDED_BY(mutex_);  // sections, by their log
  std::map<std::string, Copy> copies_ FIBER_GUARDED_BY(mutex_);    // by the transactions' names
  PreparedSections::Sections recovered_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace cairn
