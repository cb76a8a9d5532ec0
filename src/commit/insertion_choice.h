// Whether the entries of a write group go into the memtable by one hand or by many: by measurement.
//
// In parallel the leader wakes the writers of its group to insert their own batches, and is woken
// by the last one. That pays if the batches outweigh the wake-ups, which depends on the machine, on
// what else it does, on whether writers sleep or spin, and on the memtable: so both ways are timed,
// by size of the group, and the faster one is taken; the slower one is tried again now and then.
//
// Thread safety: none; the groups of one commit queue insert one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/namespace.h"

namespace cairn {

class InsertionChoice {
 public:
  /// For the next group, of so many entries.
  bool Parallel(uint64_t entries) {
    Class& c = ClassOf(entries);
    const bool best = c.nanos[0] != 0 && c.nanos[1] != 0 &&
                      kWorthwhile[1] * c.nanos[1] < kWorthwhile[0] * c.nanos[0];
    const bool untried = c.nanos[best ? 0 : 1] == 0;
    const bool again = ++c.groups % kRetryEvery == 0;
    if (c.nanos[0] == 0) return false;
    return untried || again ? !best : best;
  }

  /// What the insertion of such a group took.
  void Record(bool parallel, uint64_t entries, uint64_t nanos) {
    uint64_t& smoothed = ClassOf(entries).nanos[parallel ? 1 : 0];
    const uint64_t sample = std::max<uint64_t>(1, nanos * kUnit / std::max<uint64_t>(entries, 1));
    // One that was preempted says nothing: it counts for no more than twice what was usual.
    smoothed = smoothed == 0 ? sample : (7 * smoothed + std::min(sample, 2 * smoothed)) / 8;
  }

 private:
  static constexpr size_t kClasses = 16;  // the last one: 2^15 entries and more
  static constexpr uint64_t kUnit = 16;
  // Many hands spend more processor time on the same work (they wake each other, and pass the nodes
  // of the list from cache to cache), time that compaction has a use for: 10 writers of 100 entries
  // on two cores a tenth more per entry, for no more writes per second. So they must need no more
  // than this part of the time.
  static constexpr uint64_t kWorthwhile[2] = {2, 3};
  static constexpr uint32_t kRetryEvery = 64;

  struct Class {
    std::array<uint64_t, 2> nanos{};  // per kUnit entries: serial, parallel; 0: not known
    uint32_t groups = 0;
  };

  Class& ClassOf(uint64_t entries) {
    return classes_[std::min<size_t>(static_cast<size_t>(std::bit_width(entries)), kClasses - 1)];
  }

  std::array<Class, kClasses> classes_{};
};

}  // namespace cairn
