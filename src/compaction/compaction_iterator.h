// CompactionIterator: the entries that a flush or a compaction must write, out of all that its
// inputs hold. Called by the jobs. Not thread-safe. May SUSPEND where the input does.
//
// Every version of a user key lies, by its sequence number, between two neighbouring snapshots.
// What a reader at any live snapshot (or at the present) can see is the newest version of each such
// interval, so:
// - a version is dropped if a newer value or tombstone of its key is in the same interval (a merge
//   operand on top hides nothing: what lies below is its base);
// - a tombstone is dropped if it is in the oldest interval and no deeper level can hold the key,
//   for then it hides nothing but what this pass drops anyway;
// - at the bottom, a value in the oldest interval gets sequence number 0: it compresses better, and
//   reads skip work. Unless the number still tells an age that somebody asks for
//   (SetPreserveAfter).
// SingleDelete is treated like Delete, which hides at least as much.
//
// The merge operands of one interval, with the value or tombstone of the same interval below them,
// become one value; without that, or if nothing older can be anywhere, still a value; otherwise one
// operand, if the operator can make one. Without an operator they stay as they are.
//
// With timestamps (base/timestamps.h) these rules hold for each timestamp by itself, for older ones
// can be read at, too, and nothing is dropped but what was written twice with one timestamp. Below
// the mark under which nobody reads (SetHistoryLow) all versions count as those of one key again;
// what is left of them at the bottom also gets timestamp 0.
//
// What a range tombstone of the same interval hides is dropped, too; the tombstones themselves are
// not its business (compaction/tombstone_writer.h).
//
// An entity (wide columns) is a value like any other. A compaction filter
// (rocksdb/compaction_filter.h) is shown the newest version of each user key,
// before the rules above are applied to what it makes of it. An entry that it removes becomes a
// tombstone: what the key has in deeper levels must stay hidden.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/merge_operands.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/compaction_job_stats.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/wide_columns.h"
#include "table/block.h"

namespace cairn {

class Compaction;
class JobBlobs;

// What a job dropped, beyond what CompactionJobStats has.
struct DropCounts {
  uint64_t by_ranges = 0;  // entries that a range tombstone hides
  uint64_t ranges = 0;     // range tombstones that nobody needs
  // Tombstones, above the last level, of keys that no level below has.
  uint64_t optimized_deletions = 0;
  uint64_t filter_nanos = 0;  // in the user's filter, where that is timed

  void Add(const DropCounts& more) {
    by_ranges += more.by_ranges;
    ranges += more.ranges;
    optimized_deletions += more.optimized_deletions;
    filter_nanos += more.filter_nanos;
  }
};

class CompactionIterator {
 public:
  // `input` is positioned by Start; it and `compaction` are borrowed. `compaction` null: a flush,
  // which drops no tombstone. `snapshots` ascending. `check_stopped` is asked once in kCheckEvery
  // entries read, dropped ones too; when it is not OK the iterator ends with that status.
  CompactionIterator(InternalIterator* input, const InternalKeyComparator* icmp,
                     std::vector<SequenceNumber> snapshots, const Compaction* compaction,
                     std::function<Status()> check_stopped = {});

  // Before Start. Null: none. Borrowed. With one, `input` must be able to Seek.
  void SetFilter(const CompactionFilter* filter) { filter_ = filter; }
  // Before Start: dropped() is to have the time in the filter.
  void SetTimesFilter() { times_filter_ = true; }
  // Before Start. With timestamps: nobody reads below this one, of several versions below it only
  // the newest one. Empty: there are readers of all.
  void SetHistoryLow(const std::string& low) { history_low_ = low; }
  // Before Start. Entries with larger sequence numbers keep them, at the bottom, too.
  void SetPreserveAfter(SequenceNumber sequence) {
    zero_through_ = std::min(oldest_snapshot_, sequence);
  }
  // Before Start, where there are timestamps: versions newer than this one are as if they had never
  // been. Empty: none are.
  void SetTrim(const std::string& newest) { trim_ = newest; }
  // Before Start, where there are timestamps, and the table is to have none: all versions count as
  // history, and each gets the smallest timestamp. What was written later with an older timestamp,
  // and so was never seen, goes.
  void SetStripsTimestamps() { strips_timestamps_ = true; }
  // Before Start. Null: none. Borrowed.
  void SetMergeOperator(const MergeOperator* merge_operator) {
    // With timestamps operands stay as they are: each is one version more.
    merges_ = merge_operator != nullptr && icmp_->timestamp_size() == 0;
    operands_ = MergeOperands(merge_operator);
    operands_.JustCollect();
  }
  // Before Start. Who reads and counts what blob indexes refer to; null: an entry that must be read
  // for a filter or a merge is an error. Borrowed.
  void SetBlobs(JobBlobs* blobs) { blobs_ = blobs; }
  // Before Start. Of all inputs; null: none. Borrowed.
  void SetRangeTombstones(const RangeTombstones* tombstones) { tombstones_ = tombstones; }
  void Start() { Start(nullptr, nullptr); }
  // Only the user keys in [*begin, *end); null: no bound. Both are borrowed. What lies beyond `end`
  // is not counted in records_in().
  void Start(const Slice* begin, const Slice* end);
  bool Valid() const { return valid_; }
  void Next();

  // REQUIRES: Valid(). Good until Next().
  const Slice& key() const { return key_; }
  const Slice& value() const { return value_; }
  const ParsedInternalKey& parsed() const { return parsed_; }
  // No version of this user key, whatever its timestamp, was kept before it.
  bool is_first_version() const { return is_first_version_; }

  // Corruption: the input held a malformed key, or keys out of order. NotSupported: a type that
  // this version cannot carry, or a filter's decision that no application may make.
  const Status& status() const { return status_; }

  uint64_t records_in() const { return records_in_; }
  uint64_t records_dropped() const { return records_in_ - records_out_; }
  // What was read and dropped, but for the number of entries.
  const CompactionJobStats& counts() const { return counts_; }
  // For the user's Statistics alone.
  const DropCounts& dropped() const { return dropped_; }
  // Removed by the filter, one by one.
  uint64_t records_filtered() const { return records_filtered_; }
  // The filter had some of the input left out without a look: records_in() is not all of it.
  bool skipped_input() const { return skipped_input_; }

 private:
  static constexpr uint64_t kCheckEvery = 1024;

  // What a filter made of an entry.
  enum class Filtered { kEntry, kNothing, kInputMoved, kFailed };

  // An entry of the input that Find() looks at.
  struct Candidate {
    Slice key, value;
    ParsedInternalKey parsed;
    int order;                // of the user key before, if any, beside this one's: <0, 0, >0
    SequenceNumber interval;  // see IntervalOf
  };

  // Moves to the next entry to keep, the input standing on a candidate.
  void Find();
  // REQUIRES: trim_ is not empty.
  bool IsTrimmed(const Slice& user_key) const;
  // Counts the entry, and makes its user key the current one. False: status_ is set.
  bool TakeIntoAccount(const Candidate& entry);
  // The entry has another user key than the one before.
  void BeginUserKey(const Candidate& entry);
  // A range tombstone hides the entry. False: nothing is to be emitted for it.
  bool HideByRange(const Candidate& entry);
  // Shows the entry to the filter, if it is of a kind that is shown.
  Filtered ShowFilter(Candidate* entry);
  // Emits what the entry, which nothing hides, comes to, or sets status_. False: nothing yet.
  bool Decide(const Candidate& entry);
  // No snapshot and no deeper level needs the tombstone.
  bool MayDropTombstone(const ParsedInternalKey& parsed);
  // FinishOperands, and the first entry that comes of it.
  void EmitMerged(const ParsedInternalKey* base, const Slice& base_value, bool at_end);
  // Shows the filter an entry, which it may replace. kNothing: there is none any more. REQUIRES:
  // filter_ is not null, user_key_ is parsed's.
  Filtered Filter(CompactionFilter::ValueType shown_as, ParsedInternalKey* parsed, Slice* key,
                  Slice* value);
  // The blob of an entry of user_key_. False: status_ is set.
  bool ReadBlob(const Slice& index, Slice* value);
  // An entry with a blob index was read. False: status_ is set.
  bool CountBlob(const Slice& user_key, const Slice& index);
  // To the first entry that is not before `user_key`. Each blob that is passed over is counted.
  void SkipInputTo(const Slice& user_key);
  // With timestamps, of an entry of another user key than the one before: whether it is another
  // key to the rules above. Sets is_history_.
  bool BeginsVersions(const Slice& user_key, bool same_bare_key);
  // An older version of the same timestamp, or any version below the mark, may go.
  bool MayForget() const { return icmp_->timestamp_size() == 0 || is_history_; }
  // The entry, whose bytes user_key_bytes_ has, as one of another type.
  void Become(ValueType type, ParsedInternalKey* parsed, Slice* key);
  // Keeps an operand until what is below it is known.
  void TakeOperand(const ParsedInternalKey& parsed, const Slice& value);
  // Nothing more comes in the interval of the operands taken but `base` (null: nothing), which is a
  // value or a tombstone. Makes ready_ of them. `at_end`: nor is there anything older in the input.
  void FinishOperands(const ParsedInternalKey* base, const Slice& base_value, bool at_end);
  // A range tombstone of the same interval hides the entry of user_key_. In order of keys.
  bool IsDeletedByRange(const ParsedInternalKey& parsed, SequenceNumber interval);
  // Nothing more comes of user_key_: counts a SingleDelete that went without having met anything.
  void EndUserKey() {
    if (single_delete_ == SingleDelete::kDropped) ++counts_.num_single_del_fallthru;
    single_delete_ = SingleDelete::kNone;
  }
  // `parsed` is hidden by a newer entry of its key.
  void CountReplaced(const ParsedInternalKey& parsed) {
    ++counts_.num_records_replaced;
    const bool meets = std::exchange(single_delete_, SingleDelete::kNone) != SingleDelete::kNone;
    if (meets && parsed.type != kTypeValue && parsed.type != kTypeBlobIndex) {
      ++counts_.num_single_del_mismatch;
    }
  }
  // Makes the next of ready_ the current entry.
  void EmitReady();
  void SeekInput(const Slice& user_key);
  void TakeInput();
  // Without timestamps it would come before the one that is newer.
  bool IsOutOfOrder(const ParsedInternalKey& parsed) const {
    return strips_timestamps_ && kept_of_user_key_ && parsed.sequence >= parsed_.sequence;
  }
  // To the input's next entry.
  void Advance() { has_input_ = input_->NextEntry(&input_key_, &input_value_); }
  int CompareToLast(const Slice& user_key) const;
  // The oldest snapshot that sees `sequence`, or kMaxSequenceNumber: only the present does.
  SequenceNumber IntervalOf(SequenceNumber sequence) const;
  // REQUIRES: user_key_ is parsed's.
  void Emit(const ParsedInternalKey& parsed, const Slice& key, const Slice& value,
            bool zero_sequence);

  InternalIterator* const input_;
  const InternalKeyComparator* const icmp_;
  const std::vector<SequenceNumber> snapshots_;
  const Compaction* const compaction_;
  const std::function<Status()> check_stopped_;  // may be empty
  const CompactionFilter* filter_ = nullptr;
  JobBlobs* blobs_ = nullptr;
  const bool bottommost_;
  const bool bytewise_;                   // the user order
  const SequenceNumber oldest_snapshot_;  // kMaxSequenceNumber: none
  const SequenceNumber newest_snapshot_;  // 0: none
  SequenceNumber zero_through_;           // at the bottom these numbers become 0

  bool valid_ = false;
  Slice key_, value_;
  ParsedInternalKey parsed_;
  bool is_first_version_ = false;
  Status status_;

  bool has_input_ = false;  // input_ stands on an entry: these
  Slice input_key_, input_value_;
  Slice user_key_;            // of the versions being looked at: in user_key_bytes_
  KeyBuffer user_key_bytes_;  // with room for a footer behind it
  bool has_user_key_ = false;
  bool kept_of_user_key_ = false;
  const Slice* end_ = nullptr;
  std::string history_low_;  // empty: none
  std::string trim_;         // empty: none
  bool is_history_ = false;  // user_key_'s timestamp is below it
  bool strips_timestamps_ = false;
  std::string stamped_key_;           // an entry with another timestamp than user_key_'s
  SequenceNumber last_sequence_ = 0;  // of the entry before, if of the same user key
  // Interval of the last value or tombstone of user_key_; 0: none yet (no interval ends at 0).
  SequenceNumber hidden_below_ = 0;
  std::vector<size_t> level_cursors_;
  std::string filter_value_, filter_skip_until_;  // what the filter wrote last
  std::vector<std::pair<std::string, std::string>> filter_columns_;
  WideColumns shown_columns_;
  // An entry of user_key_ that waits to be written.
  struct ReadyEntry {
    SequenceNumber sequence;
    ValueType type;
    std::string value;
  };
  const RangeTombstones* tombstones_ = nullptr;
  size_t fragment_ = 0;  // the first one that does not end before user_key_
  bool merges_ = false;
  MergeOperands operands_{nullptr};  // of user_key_ in one interval
  std::vector<SequenceNumber> operand_sequences_;
  SequenceNumber operands_interval_ = 0;
  std::deque<ReadyEntry> ready_;
  std::string ready_key_;
  ReadyEntry current_;           // what was taken from ready_ last
  bool input_is_ahead_ = false;  // input_ stands on an entry that was not looked at

  uint64_t records_in_ = 0;
  uint64_t records_out_ = 0;
  uint64_t records_filtered_ = 0;
  bool skipped_input_ = false;
  CompactionJobStats counts_;
  DropCounts dropped_;
  bool times_filter_ = false;
  // The entry of user_key_ before, if it was a SingleDelete.
  enum class SingleDelete { kNone, kKept, kDropped } single_delete_ = SingleDelete::kNone;
};

}  // namespace cairn
