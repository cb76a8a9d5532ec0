// Range tombstones: DeleteRange() deletes the user keys in [start, end) that were written before
// it.
//
// RangeTombstones is a set of them, cut into fragments that do not overlap, each with the sequence
// numbers of all tombstones that cover it, newest first. So one binary search tells which one hides
// an entry. With timestamps (base/timestamps.h) each has its own, and is seen by who reads at that
// timestamp or a newer one; starts and ends then bear the largest timestamp, so that they sort
// before all versions of their keys. Memtables make one when they are read, tables when they are
// opened, compactions of all their inputs.
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
  std::string start, end;  // user keys; with timestamps: the largest one
  SequenceNumber sequence = 0;
  std::string timestamp = {};  // empty: there are none
};

// Of the user keys that a batch or a table has, which end in the tombstone's timestamp if there are
// any.
RangeTombstone MakeRangeTombstone(const InternalKeyComparator& icmp, const Slice& start,
                                  const Slice& end, SequenceNumber sequence);

class RangeTombstones {
 public:
  struct Fragment {
    Slice start, end;
    std::span<const SequenceNumber> sequences;  // descending, without repetition; not empty
    std::span<const Slice> timestamps = {};     // of each of these; empty: there are none
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
  // The newest tombstone at or below `at` that covers `user_key`, and is not newer than the key's
  // timestamp, if it has one; 0: none. *timestamp (may be null) receives the tombstone's.
  SequenceNumber Covering(const Slice& user_key, SequenceNumber at,
                          Slice* timestamp = nullptr) const;

  // The newest sequence number at or below `at`; 0: none.
  static SequenceNumber NewestAt(std::span<const SequenceNumber> sequences, SequenceNumber at);
  // The same of those that are not newer than `latest` (which may be empty where there are no
  // timestamps); with `before`: that are older.
  SequenceNumber NewestAt(const Fragment& fragment, SequenceNumber at, const Slice& latest,
                          bool before = false, Slice* timestamp = nullptr) const;

 private:
  const InternalKeyComparator icmp_;
  const std::vector<RangeTombstone> tombstones_;  // whose bytes the fragments borrow
  std::vector<SequenceNumber> sequences_;         // of all fragments
  std::vector<Slice> timestamps_;                 // of these, in tombstones_; or none
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
  const int order = icmp.CompareBare(ExtractUserKey(largest), user_key);
  return order < 0 || (order == 0 && EndsWithTombstone(largest));
}

// What of [*start, *end) lies within a table with these bounds (timestamps make no difference);
// RocksDB cuts tables, but not the tombstones in them. False: nothing. (Where a table ends with an
// entry no tombstone goes beyond it but one that the next table has, too, because the entry's key
// goes on there.)
bool ClipToTable(const InternalKeyComparator& icmp, const Slice& smallest, const Slice& largest,
                 Slice* start, Slice* end);

}  // namespace cairn
