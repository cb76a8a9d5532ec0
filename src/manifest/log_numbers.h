// LogNumbers: below which log each column family needs none, for thousands of families.
//
// A family that has nothing unflushed (an idle one) needs no log but for those that others need,
// too. It would have to be told so at each flush of any other; so that is one number for all idle
// ones, the floor: an idle family's number is its own or the floor, whichever is greater. A family
// that becomes busy takes along what the floor was then.
//
// Owned by VersionSet, used through ColumnFamilyState. Thread safety: the database mutex.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/namespace.h"
#include "manifest/counted_numbers.h"

namespace cairn {

class LogNumbers {
 public:
  // What one family says. `own`: of an idle one what it had when it became idle.
  struct Share {
    uint64_t own = 0;
    bool idle = false;
  };
  // The numbers of some families, to leave them out.
  struct Some {
    CountedNumbers busy, idle;
    void Add(const Share& share) { (share.idle ? idle : busy).Add(share.own); }
  };

  void Add(const Share& share) { all_.Add(share); }
  void Remove(const Share& share) { (share.idle ? all_.idle : all_.busy).Remove(share.own); }
  uint64_t NumberOf(const Share& share) const {
    return share.idle ? std::max(share.own, floor_) : share.own;
  }
  // Forward only.
  void RaiseFloor(uint64_t floor) { floor_ = std::max(floor_, floor); }

  // UINT64_MAX: there is no family.
  uint64_t Least() const { return Combined(all_.busy.Least(), all_.idle.Least()); }
  uint64_t LeastWithout(const Some& some) const {
    return Combined(all_.busy.LeastWithout(some.busy), all_.idle.LeastWithout(some.idle));
  }

 private:
  uint64_t Combined(uint64_t busy, uint64_t idle) const {
    return std::min(busy, std::max(idle, floor_));
  }

  Some all_;
  uint64_t floor_ = 0;
};

}  // namespace cairn
