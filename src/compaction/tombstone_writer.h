// The range tombstones of a flush or a compaction: collected from its inputs, asked for by the
// compaction iterator, and written to the outputs as far as they are still needed.
//
// Of the tombstones that cover a range the newest of each snapshot's interval is kept. Whatever
// they hid among the inputs is gone, so where nothing older can be anywhere they go, too, unless a
// snapshot must not see them. With timestamps all that are not older than the mark below which
// nobody reads are kept. Each output gets what lies between its first user key and the next
// one's, cut there, so that the files of a level do not overlap.
//
// Thread safety: one caller.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "compaction/table_writer.h"
#include "rocksdb/slice.h"

namespace cairn {

class TombstoneCollector {
 public:
  // `trim`: see CompactionIterator::SetTrim; borrowed.
  explicit TombstoneCollector(const InternalKeyComparator* icmp, const Slice& trim = Slice())
      : icmp_(icmp), trim_(trim) {}

  void Add(const RangeTombstones* tombstones);  // null: nothing
  // Those of a table, within its bounds (internal keys).
  void AddOfTable(const RangeTombstones* tombstones, const Slice& smallest, const Slice& largest);
  // Of all that were added what lies in [*begin, *end); null: no bound. Null: nothing.
  std::unique_ptr<const RangeTombstones> Finish(const Slice* begin, const Slice* end);

 private:
  // What of the fragment's lies in [start, end).
  void AddPart(const RangeTombstones::Fragment& fragment, const Slice& start, const Slice& end);

  const InternalKeyComparator* const icmp_;
  const Slice trim_;
  std::vector<RangeTombstone> all_;
};

class TombstoneWriter {
 public:
  // `tombstones` may be null, and is borrowed like the rest. `snapshots` ascend. `bottommost`:
  // there is nothing older than the inputs. `history_low`: see CompactionIterator::SetHistoryLow.
  TombstoneWriter(const InternalKeyComparator* icmp, const RangeTombstones* tombstones,
                  const std::vector<SequenceNumber>& snapshots, bool bottommost,
                  const std::string& history_low = {});

  // Before anything is written: of those that are kept only the ones with sequence numbers in
  // [from, through]. The others go to another level.
  void Restrict(SequenceNumber from, SequenceNumber through);
  // Writes what is left before `end` (a user key; null: no bound) and may be written to a table
  // that ends there.
  void WriteUpTo(const Slice* end, TableWriter* writer);
  // Hands all that is left to `add`, until that fails. Without timestamps.
  [[nodiscard]] Status AddAll(
      const std::function<Status(const Slice& start, const Slice& end, SequenceNumber)>& add);
  // Something is left.
  bool HasMore() const { return at_ < kept_.size(); }
  // How many nobody needs any more, of whatever number: they are not written.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Kept {
    Slice start, end;
    std::vector<SequenceNumber> sequences;
    std::vector<Slice> timestamps;  // of each; empty ones: there are none
  };

  const InternalKeyComparator* const icmp_;
  std::vector<Kept> kept_;
  size_t at_ = 0;
  uint64_t dropped_ = 0;
  std::string cut_;  // where the first one that is left begins, if it was cut
};

}  // namespace cairn
