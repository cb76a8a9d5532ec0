// What the two iterators over a database share (db_iterator.cc, timestamp_iterator.cc): the super
// version that they read, the cursor into it, its range tombstones, the user's bounds and prefix,
// and how values that are not there as they are shown are read.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/merge_operands.h"
#include "base/namespace.h"
#include "blob/blob_read_ahead.h"
#include "read/db_iterator.h"
#include "read/range_preparation.h"
#include "read/tombstone_view.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/scan_options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace cairn {

class AttachedIterator : public Iterator {
 public:
  ~AttachedIterator() override { Detach(); }

  bool Valid() const final { return valid_; }
  Status status() const final { return status_; }
  Status GetProperty(std::string name, std::string* property) override;
  void Prepare(const MultiScanArgs& args) final;

 protected:
  AttachedIterator(const DBIteratorEnv& env, const ReadOptions& options)
      : env_(env), icmp_(*env.icmp), options_(Named(options)), operands_(env.merge_operator) {}

  void Attach(const Snapshot* snapshot);  // null: at the present
  void Detach();
  // Reads at env_.first_sequence, if there is one, until it is attached again.
  void StartAtFirstSequence();

  // At the beginning of each positioning. `target`: null for SeekToFirst() and SeekToLast(). False:
  // it is not the one that was prepared, status_ is set.
  bool EntersRange(const Slice* target, bool forward) {
    return scan_ == nullptr || EntersPreparedRange(target, forward);
  }

  // Whether a range tombstone hides an entry. After an error status_ is set.
  [[gnu::always_inline]] bool IsDeletedByRange(const Slice& user_key, uint64_t footer) {
    if (tombstones_ == nullptr) [[likely]]
      return false;
    bool hidden = false;
    Status s = tombstones_->IsHidden(user_key, footer >> 8, &hidden);
    if (!s.ok()) Fail(std::move(s));
    return hidden;
  }

  bool IsAtUpperBound(const Slice& user_key) const {
    return options_.iterate_upper_bound != nullptr &&
           icmp_.CompareToBound(user_key, *options_.iterate_upper_bound) >= 0;
  }
  bool IsBelowLowerBound(const Slice& user_key) const {
    return options_.iterate_lower_bound != nullptr &&
           icmp_.CompareToBound(user_key, *options_.iterate_lower_bound) < 0;
  }
  // With prefix_same_as_start, what is shown from here on has the prefix of `target`, a bare key.
  void HoldPrefixOf(const Slice& target) {
    holds_prefix_ = options_.prefix_same_as_start && env_.prefix_extractor != nullptr &&
                    env_.prefix_extractor->InDomain(target);
    if (holds_prefix_) prefix_ = env_.prefix_extractor->Transform(target).ToString();
  }
  bool LeavesPrefix(const Slice& user_key) const {
    if (!holds_prefix_) return false;
    const Slice bare = icmp_.BareKey(user_key);
    return !(env_.prefix_extractor->InDomain(bare) &&
             env_.prefix_extractor->Transform(bare) == Slice(prefix_));
  }
  // At the beginning of a Seek or SeekForPrev.
  void Trace(TraceType type, const Slice& target) const {
    if (env_.trace == nullptr || !env_.trace->IsOn()) [[likely]]
      return;
    env_.trace->Seek(type, env_.family, target, options_.iterate_lower_bound,
                     options_.iterate_upper_bound);
  }
  bool IsTooManyHidden() {
    if (options_.max_skippable_internal_keys == 0 ||
        ++hidden_passed_ <= options_.max_skippable_internal_keys) {
      return false;
    }
    Fail(Status::Incomplete("Too many internal keys skipped."));
    return true;
  }

  // Says what the reads are for, unless the user does.
  static ReadOptions Named(ReadOptions options) {
    if (options.io_activity == Env::IOActivity::kUnknown) {
      options.io_activity = Env::IOActivity::kDBIterator;
    }
    return options;
  }

  // False, always: what is shown is nothing, and status_ says why.
  bool Fail(Status s) {
    valid_ = false;
    status_ = std::move(s);
    return false;
  }

  // *value, where a blob is, becomes the blob. False: it cannot be read, status_ is set.
  bool LoadBlob(const Slice& user_key, Slice* value);
  // Of an entity, which *value is: takes its columns apart, and leaves the default one in *value.
  // False: it is damaged, status_ is set.
  bool ShowColumns(const Slice& user_key, Slice* value);
  // What operands_ make of `base` for a bare key: into merged_value_; then there are none.
  // *is_entity: what the value is. False: it failed, status_ is set.
  bool MergeOperandsOver(const Slice& user_key, const MergeBase& base, bool* is_entity);

  const DBIteratorEnv env_;
  const InternalKeyComparator icmp_;
  const ReadOptions options_;
  SequenceNumber sequence_ = 0;
  SuperVersion* sv_ = nullptr;  // null if iter_ was given to us
  std::unique_ptr<InternalIterator> iter_;
  std::unique_ptr<TombstoneView> tombstones_;  // null: nothing is hidden by any

  bool valid_ = false;
  bool holds_prefix_ = false;
  std::string prefix_;  // while holds_prefix_
  Status status_;

  PinnableSlice blob_;           // that is shown
  MergeOperands operands_;       // of the key that is looked at; else empty
  std::string merged_value_;     // what they made
  mutable WideColumns columns_;  // of an entity that is shown; else what columns() gave last
  uint64_t hidden_passed_ = 0;   // by the present call

 private:
  // The ranges of Prepare().
  struct PreparedScan {
    explicit PreparedScan(const MultiScanArgs& a) : args(a) {}
    const MultiScanArgs args;
    size_t next = 0;                           // the range that comes next
    std::unique_ptr<RangePreparation> blocks;  // of sv_; null: they are read as the scan comes
  };

  Status CheckRanges(const MultiScanArgs& args) const;
  Status CheckNextRange(const Slice* target, bool forward) const;
  bool EntersPreparedRange(const Slice* target, bool forward);
  // The tower over sv_.
  void BuildTower();

  bool was_prepared_ = false;
  std::unique_ptr<PreparedScan> scan_;           // null: it was not
  std::unique_ptr<BlobReadAheads> blobs_ahead_;  // null until a blob is read; of sv_

  // The cursor stands nowhere any more.
  virtual void OnNewTower() = 0;
  // The bytes of the key that is shown stay as long as the iterator.
  virtual bool IsKeyPinned() const { return false; }
};

}  // namespace cairn
