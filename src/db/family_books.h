// FamilyBooks: what an open database has to know of all its column families together, kept up when
// one changes, so that nothing that happens to one family looks at the thousands of others: sums,
// the families that have something to do, and which logs they need.
//
// Families owns one. Thread safety: the database mutex, for everything.
//
// Invariants: a family that may want a flush (or a compaction) is among the candidates; who finds
// that one does not takes it off. Order is that of the families' ids, whatever the order of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "manifest/counted_numbers.h"

namespace cairn {

struct ColumnFamily;

// What one family adds to the sums.
struct FamilyFigures {
  uint64_t wal_bytes = 0;        // of logs that its memtables allow it to need
  uint64_t expiry = UINT64_MAX;  // Version::next_expiry, if it compacts by itself
  bool folds = false;            // merge operands: max_successive_merges
  bool ages = false;             // some option asks for less than a month
  uint64_t times = 0;            // seconds: SecondsOfTimes(), entry_ages.h
  bool places = false;           // preclude_last_level_data_seconds, and it compacts by itself
  bool stalled = false;          // it holds writers up
  bool pressed = false;          // it wants more compactions at once
};

class FamilyBooks {
 public:
  using Candidates = std::map<uint32_t, ColumnFamily*>;  // by id

  // It is one from now on, or its figures changed.
  void Update(ColumnFamily* family, const FamilyFigures& figures);
  // It is gone.
  void Remove(ColumnFamily* family);

  uint64_t wal_bytes() const { return wal_bytes_; }
  bool any_folds() const { return folds_ > 0; }
  bool any_ages() const { return ages_ > 0; }
  // Of those that are not 0; 0: all are.
  uint64_t shortest_times() const { return times_.empty() ? 0 : *times_.begin(); }
  uint64_t longest_times() const { return times_.empty() ? 0 : *times_.rbegin(); }
  const Candidates& placing() const { return placing_; }
  bool any_stalled() const { return !stalled_.empty(); }
  bool any_pressed() const { return pressed_ > 0; }
  // In the order of their ids.
  const Candidates& stalled() const { return stalled_; }
  // UINT64_MAX: none.
  uint64_t next_expiry() const { return expiries_.empty() ? UINT64_MAX : expiries_.begin()->first; }
  // Those whose expiry is before `now`.
  std::vector<ColumnFamily*> ExpiredBefore(uint64_t now) const;

  // --- Who has something to do
  void MayFlush(ColumnFamily* family);
  void MayCompact(ColumnFamily* family);  // and is not blocked by what ran
  Candidates* to_flush() { return &to_flush_; }
  Candidates* to_compact() { return &to_compact_; }

  // --- Logs
  // The oldest log that the family needs, for what no table has; 0: none, it is idle.
  void SetLogNeed(ColumnFamily* family, uint64_t log);
  // Of all but some of them; UINT64_MAX: none.
  uint64_t OldestLogNeed(const CountedNumbers& without) const {
    return log_needs_.LeastWithout(without);
  }
  // Those that need some.
  const Candidates& busy() const { return busy_; }

  // For tests: how often a family was looked at for the sake of others.
  void CountVisits(size_t families) { visits_ += families; }
  uint64_t visits() const { return visits_; }

 private:
  uint64_t wal_bytes_ = 0;
  size_t folds_ = 0, ages_ = 0, pressed_ = 0;
  Candidates stalled_, placing_;
  std::multiset<uint64_t> times_;
  std::set<std::pair<uint64_t, ColumnFamily*>> expiries_;
  Candidates to_flush_, to_compact_, busy_;
  CountedNumbers log_needs_;
  uint64_t visits_ = 0;
};

}  // namespace cairn
