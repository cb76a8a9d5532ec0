// In which order the tables of a family must be asked, and on which levels that order holds, where
// only the tables themselves can tell it: for RepairDB, when there is no MANIFEST to go by.
//
// A table is newer than another one if it has a newer version of some user key, a range tombstone
// over an older version, or a version that a tombstone of the other covers and is older than: who
// reads a key looks no deeper than the first tombstone over it. All tables go to level 0, as
// RocksDB's repair has it, if there the order of their sequence numbers, by which releases before
// epochs read level 0, is that order, and passes those releases' check that ranges of sequence
// numbers are not nested, whatever compactions take out of it later. That is so for tables that
// were only flushed. Tables that compactions made for several levels share ranges of sequence
// numbers: such a family gets levels again, its oldest tables the deepest.
//
// Pure functions; reading the tables is the caller's.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/file_metadata.h"
#include "rocksdb/status.h"

namespace cairn {

// Of two tables; both, where each has something newer.
struct TableRelation {
  bool first_is_newer = false;
  bool second_is_newer = false;
};

// What the two tables with these indexes tell. May SUSPEND.
using RelateTables = std::function<Status(size_t first, size_t second, TableRelation* relation)>;

struct TablePlaces {
  std::vector<size_t> order;  // indexes of the tables, newest first
  std::vector<int> levels;    // by index
  // Not empty: these tables have no order, or no level. They must become one table; then again.
  std::vector<size_t> conflict;
};

// By their bounds.
bool Overlap(const InternalKeyComparator& icmp, const FileMetaData& a, const FileMetaData& b);

// `tables` are borrowed and have bounds and sequence numbers. Levels 0 to num_levels - 1 may be
// used. `relate` is asked where neither bounds nor sequence numbers tell; its error is returned.
[[nodiscard]] Status PlaceTables(const InternalKeyComparator& icmp,
                                 const std::vector<const FileMetaData*>& tables, int num_levels,
                                 const RelateTables& relate, TablePlaces* places);

}  // namespace cairn
