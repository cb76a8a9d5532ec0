// Approaches: the keys of a batch on their way through memory, together (table/lookup_approach.h).
//
// Used by MultiGet for what is cached, before the lookups of the same keys. Not thread-safe; the
// caller holds the super version. Reads nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "read/point_lookup.h"
#include "read/table_walk.h"
#include "rocksdb/slice.h"
#include "table/lookup_approach.h"

namespace cairn {

class Approaches {
 public:
  // Keys that are under way at once: as many waits as a processor can have, and few enough for
  // what they touch to stay in its first cache.
  static constexpr size_t kAtOnce = 16;
  // Fewer keys are not worth it.
  static constexpr size_t kFewest = 4;

  // Whether lookups of such a request have anything of approaches.
  static bool MayHelp(const LookupRequest& request, size_t keys);

  explicit Approaches(const LookupRequest& request) : request_(request) {}
  Approaches(const Approaches&) = delete;
  Approaches& operator=(const Approaches&) = delete;

  // Approaches the `n` keys, at most kAtOnce, each in the newest table that may have it; nothing
  // where most of those before were found elsewhere.
  void Start(const Slice* keys, size_t n);
  // Of the i-th of them, for its lookup.
  ApproachedTable* Of(size_t i) { return &ways_[i].approached; }
  // Of the i-th of `n` keys, which are asked for in this order, all: the first of each kAtOnce
  // starts them.
  ApproachedTable* Next(const Slice* keys, size_t n, size_t i) {
    const size_t place = i % kAtOnce;
    if (place == 0) Start(keys + i, std::min(n - i, kAtOnce));
    return Of(place);
  }

 private:
  struct Way {
    std::optional<LookupKey> key;
    TableReader* reader = nullptr;  // null: it has arrived
    ApproachedTable approached = {};
  };

  // The next table that may have the key, from way->approached.at on.
  void FindTable(Way* way) const;
  void Step(Way* way) const;

  const LookupRequest& request_;
  std::array<Way, kAtOnce> ways_;
  size_t started_ = 0;
};

}  // namespace cairn
