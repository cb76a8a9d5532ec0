// SeqnoToTimeMapping: when what was written, by a sample of pairs (sequence number, Unix seconds).
// A pair says that everything up to its sequence number was written no later than its time; so, of
// two neighbours, what lies between them was written no earlier than the first one's time.
//
// An open database samples one (db/sequence_times.h) where a family's
// preserve_internal_time_seconds or preclude_last_level_data_seconds asks for it; tables carry the
// part that their entries need, in the property rocksdb.seqno.time.map; compactions join those of
// their inputs.
//
// The bytes are RocksDB's, since 7.7. No pairs: no bytes. Else, all of them varint64:
//
//   the number of pairs
//   of each pair, ascending, what it is more than the one before (the first: than 0, 0):
//     sequence number
//     Unix seconds
//
// Where a clock went back RocksDB may have written a pair whose time is less than that of the one
// before, as the difference modulo 2^64. Such pairs are read, and resolved in favour of the earlier
// time.
//
// Invariants: sequence numbers and times both ascend strictly from pair to pair; the first sequence
// number is at least 1.
//
// Thread safety: a plain value; const methods from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace cairn {

struct SeqnoTimePair {
  SequenceNumber sequence = 0;
  uint64_t seconds = 0;  // Unix time
  bool operator==(const SeqnoTimePair&) const = default;
};

class SeqnoToTimeMapping {
 public:
  // RocksDB's numbers: of pairs in a table; of samples in the shortest time that some family wants
  // to know of; of pairs at most in an open database, and in a compaction.
  static constexpr size_t kMaxPairsPerTable = 100;
  static constexpr size_t kSamplesPerPeriod = 100;
  static constexpr size_t kMaxPairs = 1000;

  SeqnoToTimeMapping() = default;
  // Of pairs in any order, of several tables for instance. One with sequence number 0 says nothing
  // and is left out.
  explicit SeqnoToTimeMapping(std::vector<SeqnoTimePair> pairs);

  // Appends to *pairs. Corruption: the bytes are none that a mapping is written as; *pairs is as it
  // was.
  [[nodiscard]] static Status Decode(const Slice& bytes, std::vector<SeqnoTimePair>* pairs);
  void EncodeTo(std::string* bytes) const;

  bool empty() const { return pairs_.empty(); }
  size_t size() const { return pairs_.size(); }
  const std::vector<SeqnoTimePair>& pairs() const { return pairs_; }

  // A sample: `sequence` was the newest one at `seconds`. Sequence numbers never go down, but a
  // clock may: then the later times that were noted before are forgotten. Where nothing was written
  // since the last sample, or no time has passed, the two become one.
  void Append(SequenceNumber sequence, uint64_t seconds);
  // Forgets what is older than `seconds`, but for the newest pair of those, which tells what was
  // written by then.
  void ForgetBefore(uint64_t seconds);
  // Leaves at most so many pairs (0: none; else at least the first and the last one): those go
  // first that leave the smallest gap in time, of equal ones the older.
  void ThinTo(size_t most);

  // The pairs that tell, of sequence numbers in [first, last], the time before which they were not
  // written: those of the range, and the one before it.
  SeqnoToTimeMapping PartFor(SequenceNumber first, SequenceNumber last) const;

  // The latest time known before which `sequence` was not written; 0: none is known.
  uint64_t TimeBefore(SequenceNumber sequence) const;
  // The largest sequence number known to have been written at `seconds` or before; 0: none is.
  SequenceNumber SequenceBy(uint64_t seconds) const;

 private:
  std::vector<SeqnoTimePair> pairs_;
};

// "10->500,20->600,"
std::string ToString(const std::vector<SeqnoTimePair>& pairs);

}  // namespace cairn
