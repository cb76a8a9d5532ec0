// GetContext: what one point lookup collects while it walks the tables, newest first.
//
// Made by the read layer (one per lookup, on the stack), filled by TableReader::Get. Not
// thread-safe. A value found in a cached block is not copied: the PinnableSlice takes over the
// block's reference.
#pragma once

#include <cstdint>
#include <string>

#include "base/internal_key.h"
#include "base/merge_operands.h"
#include "base/namespace.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"

namespace cairn {

struct LookupApproach;

class GetContext {
 public:
  enum State {
    kNotFound,
    kMerge,  // merge operands were met, and what they stand on may be further down
    kFound,
    kDeleted,
    kCorrupt,
    kNoMemory,     // for the copy of the value
    kUnsupported,  // a value type that this version cannot read
  };

  // `user_key` (a bare one), `value` and `seq` are borrowed. `value` may be null: only the state is
  // wanted (KeyMayExist). `seq`, if not null, receives the sequence number of the deciding entry.
  // `operands` receives the merge operands above it, newest first; null: the first one ends the
  // lookup, with state kMerge.
  GetContext(const Comparator* user_comparator, const Slice& user_key, PinnableSlice* value,
             SequenceNumber* seq = nullptr, MergeOperands* operands = nullptr)
      : user_comparator_(user_comparator),
        user_key_(user_key),
        value_(value),
        seq_(seq),
        operands_(operands) {}
  GetContext(const GetContext&) = delete;
  GetContext& operator=(const GetContext&) = delete;

  // The lookup is one of a batch, whose blocks a trace of the block cache has under one id: it is
  // kept in `id`, borrowed, which is 0 at first. Null: it is by itself.
  void ShareTraceId(uint64_t* id) { batch_trace_id_ = id; }
  bool is_of_batch() const { return batch_trace_id_ != nullptr; }
  // Where the id of this lookup is kept; 0: it has none yet.
  uint64_t* trace_id() { return batch_trace_id_ != nullptr ? batch_trace_id_ : &trace_id_; }

  // Offers the next entry at or after the sought key. True: it was a merge operand, and the next
  // older entry is wanted. False: the lookup is decided, or the key is another (see state()).
  // `value_pinner`, if not null, owns what `value` points into; its cleanups are moved to the
  // PinnableSlice when the value is taken, otherwise the value is copied. SaveMatch() is for a
  // caller that has compared the user key already.
  bool SaveValue(const ParsedInternalKey& key, const Slice& value, Cleanable* value_pinner) {
    if (user_comparator_->Compare(key.user_key, user_key_) != 0) return false;  // (no timestamps)
    return SaveMatch(key.sequence, key.type, value, value_pinner);
  }
  bool SaveMatch(SequenceNumber sequence, ValueType type, const Slice& value,
                 Cleanable* value_pinner);
  // The lookup has come so far already; borrowed. Null: nowhere.
  void GoOnFrom(LookupApproach* approach) { approach_ = approach; }
  LookupApproach* approach() const { return approach_; }
  // The timestamp of the entry that SaveMatch() is about to be offered: that of the newest one
  // counts.
  void OfferTimestamp(const Slice& timestamp) {
    if (timestamps_ == nullptr) return;
    timestamps_->last.assign(timestamp.data(), timestamp.size());
    if (state_ == kNotFound) timestamps_->newest = timestamps_->last;
  }
  // Where keys have timestamps: borrowed, filled in from now on.
  struct Timestamps {
    std::string newest;  // of the newest entry or range tombstone that was met; empty: none was
    std::string last;    // of the entry offered last
    // The blob that the value is elsewhere has this timestamp in its key, too.
    std::string of_blob;
  };
  void KeepTimestamps(Timestamps* timestamps) { timestamps_ = timestamps; }
  const Timestamps* timestamps() const { return timestamps_; }

  // The lookup was cut short: only cached blocks may be used and one was missing
  // (ReadTier::kBlockCacheTier). The key may exist. State stays as it is.
  void MarkKeyMayExist() { may_exist_ = true; }
  bool key_may_exist() const { return may_exist_; }

  void MarkCorrupt() { state_ = kCorrupt; }
  // The newest range tombstone of the table asked next that covers the key; 0: none. Its timestamp
  // is borrowed until the next call.
  void SetCovering(SequenceNumber sequence, const Slice& timestamp = Slice()) {
    covering_ = sequence;
    covering_timestamp_ = timestamp;
  }
  // Nothing in the table is newer than that tombstone.
  void MarkCovered();

  State state() const { return state_; }
  // The value found is an entity, as it is stored.
  bool is_entity() const { return is_entity_; }
  // The value found is a blob index: where the value is.
  bool is_blob() const { return is_blob_; }
  // Older tables are to be asked.
  bool undecided() const {
    return state_ == kNotFound || (state_ == kMerge && operands_ != nullptr);
  }
  MergeOperands* operands() const { return operands_; }
  const PinnableSlice* value() const { return value_; }
  const Slice& user_key() const { return user_key_; }
  SequenceNumber sequence() const { return sequence_; }

 private:
  const Comparator* const user_comparator_;
  const Slice user_key_;
  PinnableSlice* const value_;
  SequenceNumber* const seq_;
  MergeOperands* const operands_;
  SequenceNumber sequence_ = 0;
  SequenceNumber covering_ = 0;
  Slice covering_timestamp_;
  Timestamps* timestamps_ = nullptr;
  LookupApproach* approach_ = nullptr;
  uint64_t trace_id_ = 0;
  uint64_t* batch_trace_id_ = nullptr;
  State state_ = kNotFound;
  bool may_exist_ = false;
  bool is_entity_ = false;
  bool is_blob_ = false;
};

}  // namespace cairn
