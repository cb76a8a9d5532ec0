// WalLink: the first record of a log, which says where the log before it ended, so that a recovery
// sees when that end is missing.
//
// Without it nothing does: a log whose last writes were lost at a record's boundary (by a power
// cut, before a sync) looks complete, and the writes of the next log, which may have survived,
// would follow a hole. (RocksDB has record types of its own for that, since 10.x and only on
// request; older releases refuse them.) The link is a batch without entries that holds a LogData
// blob, which every release of RocksDB skips:
//
//   "cairn.wal-link" | number of the log before, fixed64 | the last sequence number in it, fixed64
//   | 1 if the directory had its name on the disk, else 0 | the offset behind its last record,
//   fixed64
//
// (The offset, since a mark of two-phase commit takes no number. Links of before it have none.)
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/types.h"

namespace cairn {

struct WalLink {
  uint64_t predecessor = 0;  // the latest log before this one that has records
  SequenceNumber last_sequence = 0;
  bool named = true;  // its name was on the disk: no power cut takes the log as a whole
  uint64_t end = 0;   // the offset behind its last record; 0: not known

  // The record of the log. What follows begins at `next`.
  std::string Encode(SequenceNumber next) const;
  // False: the record is something else, or has a number that no entry can have.
  static bool Decode(const Slice& record, WalLink* link);
  // The last sequence number that a record (a batch) consumes, by its header.
  static SequenceNumber LastSequenceOf(const Slice& record);
  // The same of one that may have marks of two-phase commit: prepared entries take none, and what a
  // commit inserts is not counted (the next record's number tells).
  static SequenceNumber LastUnpreparedSequenceOf(const Slice& record);
};

}  // namespace cairn
