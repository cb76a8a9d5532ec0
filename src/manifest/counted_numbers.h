// CountedNumbers: a bag of numbers that knows its least one, and what that would be without some of
// them: which logs are needed, where thousands of column families each need some.
//
// Thread safety: none; the owner's lock.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/namespace.h"

namespace cairn {

class CountedNumbers {
 public:
  void Add(uint64_t n) { ++counts_[n]; }
  // REQUIRES: it is there.
  void Remove(uint64_t n) {
    const auto it = counts_.find(n);
    assert(it != counts_.end());
    if (--it->second == 0) counts_.erase(it);
  }
  // UINT64_MAX: there is none.
  uint64_t Least() const { return counts_.empty() ? UINT64_MAX : counts_.begin()->first; }
  // The least one if those of `without` were not there. REQUIRES: they are.
  uint64_t LeastWithout(const CountedNumbers& without) const {
    for (const auto& [n, count] : counts_) {
      const auto it = without.counts_.find(n);
      if (it == without.counts_.end() || it->second < count) return n;
    }
    return UINT64_MAX;
  }

 private:
  std::map<uint64_t, size_t> counts_;
};

}  // namespace cairn
