// Range tombstones: DeleteRange() deletes the user keys in [start, end) that were written before
// it.
//
// RangeTombstones is a set of them, cut into fragments that do not overlap, each with the sequence
// numbers of all tombstones that cover it, newest first. So one binary search tells which one hides
// an entry. Memtables make one when they are read, tables when they are opened, compactions of all
// their inputs.
//
// Thread safety: immutable.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/types.h"

namespace cairn {

struct RangeTombstone {
  std::string start, end;  // user keys
  SequenceNumber sequence = 0;
};

class RangeTombstones {
 public:
  struct Fragment {
    Slice start, end;
    std::span<const SequenceNumber> sequences;  // descending, without repetition; not empty
  };

  // Those whose start is not before their end are passed over.
  RangeTombstones(const InternalKeyComparator& icmp, std::vector<RangeTombstone> tombstones);
  RangeTombstones(const RangeTombstones&) = delete;
  RangeTombstones& operator=(const RangeTombstones&) = delete;

  bool empty() const { return fragments_.empty(); }
  const std::vector<Fragment>& fragments() const { return fragments_; }  // ascending
  size_t memory_usage() const;                                           // bytes, about

  // The first fragment that ends behind `user_key`: it covers the key, or begins behind it.
  // fragments().size(): there is none.
  size_t FindFragment(const Slice& user_key) const;
  // The newest tombstone at or below `at` that covers `user_key`; 0: none.
  SequenceNumber Covering(const Slice& user_key, SequenceNumber at) const;

  // The newest sequence number at or below `at`; 0: none.
  static SequenceNumber NewestAt(std::span<const SequenceNumber> sequences, SequenceNumber at);

 private:
  const InternalKeyComparator icmp_;
  const std::vector<RangeTombstone> tombstones_;  // whose bytes the fragments borrow
  std::vector<SequenceNumber> sequences_;         // of all fragments
  std::vector<Fragment> fragments_;
};

// A table's largest key that is no entry, but the end of a tombstone: the user key lies outside.
inline bool EndsWithTombstone(const Slice& largest) {
  return ExtractInternalKeyFooter(largest) ==
         PackSequenceAndType(kMaxSequenceNumber, kTypeRangeDeletion);
}

// A table with this largest key has nothing at or behind the user key.
inline bool EndsBefore(const InternalKeyComparator& icmp, const Slice& largest,
                       const Slice& user_key) {
  const int order = icmp.CompareUserKey(ExtractUserKey(largest), user_key);
  return order < 0 || (order == 0 && EndsWithTombstone(largest));
}

// What of [*start, *end) lies within a table with these bounds; RocksDB cuts tables, but not the
// tombstones in them. False: nothing. (Where a table ends with an entry no tombstone goes beyond it
// but one that the next table has, too, because the entry's key goes on there.)
bool ClipToTable(const InternalKeyComparator& icmp, const Slice& smallest, const Slice& largest,
                 Slice* start, Slice* end);

}  // namespace cairn
