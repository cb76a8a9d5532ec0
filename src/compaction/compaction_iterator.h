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
//   reads skip work.
// SingleDelete is treated like Delete, which hides at least as much.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "table/block.h"

namespace cairn {

class Compaction;

class CompactionIterator {
 public:
  // `input` is positioned by Start; it and `compaction` are borrowed. `compaction` null: a flush,
  // which drops no tombstone. `snapshots` ascending. `check_stopped` is asked once in kCheckEvery
  // entries read, dropped ones too; when it is not OK the iterator ends with that status.
  CompactionIterator(InternalIterator* input, const InternalKeyComparator* icmp,
                     std::vector<SequenceNumber> snapshots, const Compaction* compaction,
                     std::function<Status()> check_stopped = {});

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
  // No version of this user key was kept before it.
  bool is_first_version() const { return is_first_version_; }

  // Corruption: the input held a malformed key, or keys out of order. NotSupported: a type that
  // this version cannot carry.
  const Status& status() const { return status_; }

  uint64_t records_in() const { return records_in_; }
  uint64_t records_dropped() const { return records_in_ - records_out_; }

 private:
  static constexpr uint64_t kCheckEvery = 1024;

  // Moves to the next entry to keep, the input standing on a candidate.
  void Find();
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
  const bool bottommost_;
  const bool bytewise_;                   // the user order
  const SequenceNumber oldest_snapshot_;  // kMaxSequenceNumber: none

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
  SequenceNumber last_sequence_ = 0;  // of the entry before, if of the same user key
  // Interval of the last value or tombstone of user_key_; 0: none yet (no interval ends at 0).
  SequenceNumber hidden_below_ = 0;
  std::vector<size_t> level_cursors_;
  uint64_t records_in_ = 0;
  uint64_t records_out_ = 0;
};

}  // namespace cairn
