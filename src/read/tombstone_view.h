// TombstoneView: which entries the range tombstones of a super version hide from an iterator.
//
// Made with the tower of iterators (version_iterators.h), used by DBIterator. Not thread-safe.
// Locating may SUSPEND: a table is opened when the cursor comes to its range, as the tower does.
//
// The sources are those of the tower, newest first: a memtable's fragments, a level-0 file, a
// level. At any key each has one fragment or one gap, so the newest tombstone is the same for all
// keys of an interval, and most entries cost two comparisons with its ends. What a source's
// tombstone hides in an interval it hides in all older sources, whatever they hold there: a scan
// passes over that by seeking them (InternalIterator::SeekOlder) instead of stepping.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "manifest/version.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "table/table_cache.h"

namespace cairn {

class TombstoneView {
 public:
  TombstoneView(const ReadOptions& options, const InternalKeyComparator* icmp, TableCache* tables)
      : options_(options), icmp_(icmp), tables_(tables) {}
  TombstoneView(const TombstoneView&) = delete;
  TombstoneView& operator=(const TombstoneView&) = delete;

  // Sources, newest first. `older`: the tower's children from this index on are older.
  void AddMemTable(std::shared_ptr<const RangeTombstones> tombstones, size_t older);
  // Files that do not overlap; they outlive the view.
  void AddFiles(const LevelFiles& files, int level, size_t older);
  bool empty() const { return sources_.empty(); }
  // What they hide from whoever reads at this number. Before the first question.
  void set_sequence(SequenceNumber sequence) { sequence_ = sequence; }
  // And at this timestamp, where there are any; borrowed.
  void set_timestamp(const Slice& timestamp) { timestamp_ = timestamp; }

  // Whether an entry is hidden. An error: *hidden is not known.
  [[nodiscard]] Status IsHidden(const Slice& user_key, SequenceNumber sequence, bool* hidden) {
    if (!located_ || (has_end_ && icmp_->CompareBare(user_key, end_) >= 0) ||
        (has_start_ && icmp_->CompareBare(user_key, start_) < (starts_behind_ ? 1 : 0))) {
      Status s = Locate(user_key);
      if (!s.ok()) return s;
    }
    *hidden = sequence < newest_;
    return Status::OK();
  }

  // After an entry was hidden: all entries in [start, end) of the tower's children from older() on
  // are.
  Slice start() const { return start_; }
  Slice end() const { return end_; }
  size_t older() const { return older_; }

 private:
  struct Source {
    std::shared_ptr<const RangeTombstones> tombstones;  // of a memtable; null: of files
    LevelFiles files;
    int level = 0;
    size_t older = 0;
    size_t open = SIZE_MAX;  // the file that `table` is
    TableCache::Ref table;
  };

  [[nodiscard]] Status Locate(const Slice& user_key);
  [[nodiscard]] Status LocateInFiles(const Slice& user_key, Source* source, bool* only_this_key);
  // Narrows the interval to what of `tombstones` is around the key.
  void LocateIn(const RangeTombstones& tombstones, const Slice& user_key, size_t older);
  void Keep(const Slice& user_key, std::string* bound) const;
  void StartAt(const Slice& user_key, bool behind = false);
  void EndAt(const Slice& user_key);

  const ReadOptions options_;
  const InternalKeyComparator* const icmp_;
  TableCache* const tables_;
  std::vector<Source> sources_;
  SequenceNumber sequence_ = 0;
  Slice timestamp_;

  // The interval of the last key that was located.
  bool located_ = false;
  bool has_start_ = false, has_end_ = false;  // false: it is not bounded there
  bool starts_behind_ = false;                // start_ itself is not part of it
  std::string start_, end_;
  SequenceNumber newest_ = 0;  // of what covers it; 0: nothing does
  size_t older_ = 0;
};

}  // namespace cairn
