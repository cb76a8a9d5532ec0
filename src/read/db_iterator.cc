#include "read/db_iterator.h"

#include <cassert>
#include <memory>
#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/merge_operands.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "fs/read_limits.h"
#include "read/attached_iterator.h"
#include "read/iterator_counts.h"
#include "read/saved_key.h"
#include "rocksdb/snapshot.h"

namespace cairn {
namespace {

// Values above this are pinned rather than copied on the way back, where the source can pin.
constexpr size_t kCopyValueBytes = 128;

class DBIterator final : public AttachedIterator {
 public:
  DBIterator(const DBIteratorEnv& env, const ReadOptions& options)
      : AttachedIterator(env, options) {
    const Snapshot* snapshot = options.tailing ? nullptr : options.snapshot;
    FollowAt(snapshot);
    Attach(snapshot);
    if (snapshot == nullptr && !options.tailing) StartAtFirstSequence();
  }

  DBIterator(const DBIteratorEnv& env, const ReadOptions& options, InternalIterator* internal,
             SequenceNumber sequence)
      : AttachedIterator(env, options) {
    sequence_ = sequence;
    iter_.reset(internal);
  }

  Slice key() const override {
    assert(valid_);
    return on_entry_ ? ExtractUserKey(entry_key_) : saved_key_.get();
  }
  Slice value() const override {
    assert(valid_);
    return on_entry_ ? entry_value_ : saved_value_;
  }
  const WideColumns& columns() const override {
    assert(valid_);
    const bool is_entity =
        on_entry_ ? ExtractValueType(entry_key_) == kTypeWideColumnEntity : saved_is_entity_;
    // (An entity's are there already.)
    if (!is_entity) columns_.assign(1, WideColumn(kDefaultWideColumnName, value()));
    return columns_;
  }

  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& target) override;
  void SeekForPrev(const Slice& target) override;
  void Next() override;
  void Prev() override;
  bool PrepareValue() override;
  Status Refresh(const Snapshot* snapshot) override;

 private:
  // Why entries of saved_key_ are passed over.
  enum class Skip {
    kNone,
    kHidden,  // a newer entry of the key was shown, or deletes it
    kTooNew,  // the entries so far were written after our sequence number
  };

  bool IsKeyPinned() const override {
    return options_.pin_data && on_entry_ && iter_->IsKeyPinned();
  }
  void OnNewTower() override {
    at_entry_ = false;
    forward_ = true;
    on_entry_ = true;
    unprepared_ = false;
    follows_ = false;  // only what is not tailing has one
  }
  void FollowAt(const Snapshot* snapshot);
  void Renew();
  bool IsBehind() const;
  bool StartsAnew() const;
  void SeekFrom(const Slice& target);
  void SeekForPrevFrom(const Slice& target);

  // The cursor: what iter_ stands on, cached.
  void Load() {
    at_entry_ = iter_->Valid();
    if (at_entry_) {
      entry_key_ = iter_->key();
      entry_value_ = iter_->value();
    }
  }
  // The value of the entry, if the cursor left it unread. False: it cannot be read, status_ is set.
  [[gnu::always_inline]] bool LoadValue() {
    return !InternalIterator::IsUnprepared(entry_value_) || PrepareEntry();
  }
  bool PrepareEntry();
  void StepForward() { at_entry_ = iter_->NextEntry(&entry_key_, &entry_value_); }
  void StepBackward() { at_entry_ = iter_->PrevEntry(&entry_key_, &entry_value_); }
  void SeekInternal(const Slice& user_key, SequenceNumber sequence, ValueType type) {
    const PerfTimer timer(Perf(), &PerfContext::seek_internal_seek_time);
    seek_key_.Set(user_key, sequence, type);
    iter_->Seek(seek_key_.Encode());
    Load();
  }
  void SeekInternalForPrev(const Slice& user_key, SequenceNumber sequence, ValueType type) {
    const PerfTimer timer(Perf(), &PerfContext::seek_internal_seek_time);
    seek_key_.Set(user_key, sequence, type);
    iter_->SeekForPrev(seek_key_.Encode());
    Load();
  }

  void FindForward(Skip skip);
  bool CollectOperandsForward(MergeBase* base);
  bool ShowMerged(const MergeBase& base);
  bool ShowBlob(const Slice& user_key, Slice* value);
  void FindBackward();
  bool CollectNewestVisible(bool* found);
  bool LookUpSavedKey(bool* found);
  bool PassSavedKeyBackward();
  // False: there is no memory for it, status_ is set.
  bool SaveValue(ValueType type);
  void StartFromLast();
  void TurnForward();
  void TurnBackward();

  bool PassHiddenRange();

  bool IsSavedKey(const Slice& user_key) {
    ++counts_.passed().compared;
    return icmp_.EqualUserKey(user_key, saved_key_.get());
  }

  // False: there is no time for it.
  bool Begin() {
    status_ = Status::OK();
    valid_ = false;
    on_entry_ = true;
    unprepared_ = false;
    hidden_passed_ = 0;
    if (!ReadLimits::AreOver(options_)) [[likely]]
      return true;
    status_ = ReadLimits(options_).Error();
    return false;
  }
  // Ends the search without an entry: at the end of the data, at a bound, or with iter_'s error.
  void End() {
    valid_ = false;
    if (!at_entry_) status_ = iter_->status();
  }
  Status BadEntry(ValueType type) const;
  void Tick(uint32_t ticker) const {
    if (env_.statistics != nullptr) [[unlikely]]
      env_.statistics->recordTick(ticker, 1);
  }
  void EndCall(const Perf& perf, PerfMetric calls) {
    counts_.EndCall(perf, calls, forward_, valid_, valid_ ? key().size() + value().size() : 0);
  }

  bool follows_ = false;                   // see FollowAt()
  const Snapshot* followed_at_ = nullptr;  // borrowed; null: the present
  bool forward_ = true;
  bool on_entry_ = true;  // what is shown is the entry under the cursor: forward, and not merged
  bool at_entry_ = false;
  bool newest_in_range_ = false;  // of the key looked at last on the way back
  Slice entry_key_;               // internal key
  Slice entry_value_;

  SavedKey saved_key_;
  Slice saved_value_;  // backward: in value_copy_, or pinned; an entity's default column
  bool saved_is_entity_ = false;
  bool saved_is_blob_ = false;  // where the value is, which is shown otherwise
  bool unprepared_ = false;     // what is shown is where the value is: see PrepareValue
  std::string value_copy_;
  InternalKey seek_key_;
  // What the present call did; counted at its end.
  IteratorCounts counts_{env_.statistics};
};

Status DBIterator::Refresh(const Snapshot* snapshot) {
  if (sv_ == nullptr) return Status::NotSupported("Refresh() needs a database behind the iterator");
  if (snapshot != nullptr && options_.tailing)
    return Status::NotSupported("A tailing iterator shows the present, not a snapshot");
  if (!Begin()) return status_;
  at_entry_ = false;
  forward_ = true;
  on_entry_ = true;
  Detach();
  FollowAt(snapshot);
  Attach(snapshot);
  return Status::OK();
}

Status DBIterator::BadEntry(ValueType type) const {
  switch (type) {
    default:
      return Status::Corruption(
          "unknown value type " + std::to_string(static_cast<int>(type)) + " of key",
          ExtractUserKey(entry_key_).ToString(/*hex=*/true));
  }
}

// ---- Forward: the cursor stands on the entry shown.

void DBIterator::Next() {
  assert(valid_);
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::iter_next_cpu_nanos);
  status_ = Status::OK();
  unprepared_ = false;
  hidden_passed_ = 0;
  if (follows_ && IsBehind()) [[unlikely]] {
    if (on_entry_) saved_key_.Assign(ExtractUserKey(entry_key_));
    on_entry_ = true;
    valid_ = false;
    Renew();
    TurnForward();
    FindForward(Skip::kHidden);
  } else if (!on_entry_) [[unlikely]] {
    // After a merge the cursor is behind the operands already.
    if (!forward_) TurnForward();
    on_entry_ = true;
    valid_ = false;
    FindForward(Skip::kHidden);
  } else if (ExtractSequence(entry_key_) == 0) {
    // Nothing can be older: the next entry is of another key.
    ++counts_.passed().entries;
    StepForward();
    FindForward(Skip::kNone);
  } else {
    saved_key_.Assign(ExtractUserKey(entry_key_));
    ++counts_.passed().entries;
    StepForward();
    FindForward(Skip::kHidden);
  }
  EndCall(perf, &PerfContext::iter_next_count);
}

// From the cursor on, finds the first entry to show.
void DBIterator::FindForward(Skip skip) {
  const PerfTimer timer(Perf(), &PerfContext::find_next_user_entry_time);
  uint64_t passed = 0;     // entries of saved_key_ in a row
  bool may_reseek = true;  // once for a key: what is left after that is stepped over
  uint64_t in_ranges = 0;  // entries that range tombstones hide, in a row
  while (at_entry_) {
    const Slice user_key = ExtractUserKey(entry_key_);
    const uint64_t footer = ExtractInternalKeyFooter(entry_key_);
    if (IsAtUpperBound(user_key) || LeavesPrefix(user_key)) return End();

    const bool is_saved = skip != Skip::kNone && IsSavedKey(user_key);
    if (skip == Skip::kHidden && is_saved) {
      ++counts_.passed().entries;
      if (IsTooManyHidden()) return;
      if (++passed > env_.max_sequential_skip && may_reseek) {
        may_reseek = false;
        Tick(NUMBER_OF_RESEEKS_IN_ITERATION);
        SeekInternal(saved_key_.get(), 0, kTypeDeletion);  // the last possible entry of the key
        continue;
      }
    } else if ((footer >> 8) > sequence_) {
      ++counts_.passed().too_new;
      if (IsTooManyHidden()) return;
      if (!is_saved) {
        saved_key_.Assign(user_key);
        skip = Skip::kTooNew;
        passed = 0;
        may_reseek = true;
      }
      if (++passed > env_.max_sequential_skip && may_reseek) {
        may_reseek = false;
        Tick(NUMBER_OF_RESEEKS_IN_ITERATION);
        SeekInternal(saved_key_.get(), sequence_, kValueTypeForSeek);
        continue;
      }
    } else {
      const auto type = static_cast<ValueType>(footer & 0xff);
      const bool in_range = IsDeletedByRange(user_key, footer);
      if (!status_.ok()) [[unlikely]]
        return;
      if (type == kTypeValue && !in_range) [[likely]] {
        valid_ = LoadValue();
        return;
      }
      if (in_range) {
        if (++in_ranges > env_.max_sequential_skip) {
          in_ranges = 0;
          if (PassHiddenRange()) {
            skip = Skip::kNone;
            continue;
          }
        }
      } else if (type == kTypeWideColumnEntity) {
        valid_ = LoadValue() && ShowColumns(user_key, &entry_value_);
        return;
      } else if (type == kTypeBlobIndex) {
        valid_ = LoadValue() && ShowBlob(user_key, &entry_value_);
        return;
      } else if (type == kTypeMerge) {
        saved_key_.Assign(user_key);
        MergeBase base;
        if (!CollectOperandsForward(&base) || !ShowMerged(base)) return;
        on_entry_ = false;
        valid_ = true;
        return;
      }
      if (!in_range && !IsDeletionType(type)) {
        Fail(BadEntry(type));
        return;
      }
      ++counts_.passed().deletions;
      if (IsTooManyHidden()) return;
      saved_key_.Assign(user_key);
      skip = Skip::kHidden;
      passed = 0;
      may_reseek = true;
    }
    StepForward();
  }
  End();
}

// Range tombstones have hidden a few entries in a row: moves what is older than the one that hid
// the last to the end of its range. True: the cursor is elsewhere.
bool DBIterator::PassHiddenRange() {
  const Slice target = forward_ ? tombstones_->end() : tombstones_->start();
  seek_key_.Set(target, kMaxSequenceNumber, kValueTypeForSeek);
  const bool moved = iter_->SeekOlder(tombstones_->older(), seek_key_.Encode(), forward_);
  if (moved) {
    Tick(NUMBER_OF_RESEEKS_IN_ITERATION);
    Load();
  }
  return moved;
}

// The cursor stands on a merge operand of saved_key_: takes it and the older ones. *base: the value
// below them, on which the cursor stands then, if there is one. False: stopped, status_ is set.
bool DBIterator::CollectOperandsForward(MergeBase* base) {
  operands_.Clear();
  operands_.JustCollect();
  do {
    const ValueType type = ExtractValueType(entry_key_);
    const bool in_range = IsDeletedByRange(saved_key_.get(), ExtractInternalKeyFooter(entry_key_));
    if (!status_.ok()) return false;
    if (in_range) return true;
    if (!IsDeletionType(type) && !LoadValue()) return false;
    if (type != kTypeMerge) {
      if (type == kTypeBlobIndex) {
        if (!LoadBlob(saved_key_.get(), &entry_value_)) return false;
        *base = {entry_value_, kTypeValue};
        return true;
      }
      *base = {entry_value_, type};
      if (type == kTypeValue || type == kTypeWideColumnEntity) return true;
      if (IsDeletionType(type)) {
        base->type = kTypeDeletion;
        return true;
      }
      Fail(BadEntry(type));
      return false;
    }
    operands_.PushOlder(entry_value_, iter_->IsValuePinned());
    StepForward();
  } while (at_entry_ && IsSavedKey(ExtractUserKey(entry_key_)));
  if (at_entry_ || iter_->status().ok()) return true;
  Fail(iter_->status());
  return false;
}

// Shows what operands_ make of `base`. False: it failed, status_ is set.
bool DBIterator::ShowMerged(const MergeBase& base) {
  counts_.passed().operands += static_cast<uint32_t>(operands_.size());
  if (!MergeOperandsOver(saved_key_.get(), base, &saved_is_entity_)) return false;
  saved_value_ = merged_value_;
  return !saved_is_entity_ || ShowColumns(saved_key_.get(), &saved_value_);
}

// LoadBlob(), or that when the user asks for it (PrepareValue).
bool DBIterator::ShowBlob(const Slice& user_key, Slice* value) {
  unprepared_ = options_.allow_unprepared_value;
  return unprepared_ || LoadBlob(user_key, value);
}

bool DBIterator::PrepareValue() {
  assert(valid_);
  if (!std::exchange(unprepared_, false)) return true;
  return on_entry_ ? LoadBlob(ExtractUserKey(entry_key_), &entry_value_)
                   : LoadBlob(saved_key_.get(), &saved_value_);
}

// The cursor stands before the entries of saved_key_, or nowhere.
void DBIterator::TurnForward() {
  forward_ = true;
  SeekInternal(saved_key_.get(), 0, kTypeDeletion);
}

// ---- Backward: saved_key_ and saved_value_ are shown, the cursor stands before all entries of
// that key.

void DBIterator::Prev() {
  assert(valid_);
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::iter_prev_cpu_nanos);
  status_ = Status::OK();
  unprepared_ = false;
  hidden_passed_ = 0;
  if (follows_ && IsBehind()) [[unlikely]] {
    if (on_entry_) saved_key_.Assign(ExtractUserKey(entry_key_));
    forward_ = false;
    on_entry_ = false;
    valid_ = false;
    Renew();
    SeekInternalForPrev(saved_key_.get(), kMaxSequenceNumber, kValueTypeForSeek);
  } else if (forward_) {
    TurnBackward();
    if (!status_.ok()) return;
  }
  FindBackward();
  EndCall(perf, &PerfContext::iter_prev_count);
}

void DBIterator::TurnBackward() {
  forward_ = false;
  valid_ = false;
  if (!on_entry_) {
    // The cursor is behind operands of saved_key_.
    SeekInternalForPrev(saved_key_.get(), kMaxSequenceNumber, kValueTypeForSeek);
  } else {
    on_entry_ = false;
    saved_key_.Assign(ExtractUserKey(entry_key_));
    ++counts_.passed().entries;
    StepBackward();
  }
  PassSavedKeyBackward();
}

// Moves the cursor back past the entries of saved_key_. False after an error, or too many hidden
// entries: status_ is set.
bool DBIterator::PassSavedKeyBackward() {
  uint64_t passed = 0;
  while (at_entry_ && IsSavedKey(ExtractUserKey(entry_key_))) {
    if (IsTooManyHidden()) return false;
    ++(ExtractSequence(entry_key_) > sequence_ ? counts_.passed().too_new
                                               : counts_.passed().entries);
    if (++passed > env_.max_sequential_skip) {
      Tick(NUMBER_OF_RESEEKS_IN_ITERATION);
      // Before the newest possible entry of the key, which does not exist.
      SeekInternalForPrev(saved_key_.get(), kMaxSequenceNumber, kValueTypeForSeek);
      break;
    }
    StepBackward();
  }
  if (!at_entry_) {
    status_ = iter_->status();
    if (!status_.ok()) {
      valid_ = false;
      return false;
    }
  }
  return true;
}

// From the cursor back, finds the first key to show.
void DBIterator::FindBackward() {
  uint64_t in_ranges = 0;  // keys whose newest entry a range tombstone hides, in a row
  while (at_entry_) {
    const Slice user_key = ExtractUserKey(entry_key_);
    if (IsBelowLowerBound(user_key) || LeavesPrefix(user_key)) return End();
    saved_key_.Assign(user_key);
    bool found = false;
    if (!CollectNewestVisible(&found)) return;
    if (found) {
      valid_ = true;
      return;
    }
    if (IsTooManyHidden()) return;
    if (newest_in_range_ && ++in_ranges > env_.max_sequential_skip && at_entry_) {
      in_ranges = 0;
      PassHiddenRange();
    }
  }
  End();
}

// The cursor stands on the oldest entry of saved_key_: finds its newest visible one and moves the
// cursor before the key. False: stopped, status_ is set.
bool DBIterator::CollectNewestVisible(bool* found) {
  uint64_t passed = 0;
  operands_.Clear();
  newest_in_range_ = false;
  do {
    const uint64_t footer = ExtractInternalKeyFooter(entry_key_);
    if ((footer >> 8) > sequence_) break;  // and so are all that follow
    if (++passed > env_.max_sequential_skip) {
      operands_.Clear();
      return LookUpSavedKey(found) && PassSavedKeyBackward();
    }
    newest_in_range_ = IsDeletedByRange(saved_key_.get(), footer);
    if (!status_.ok()) return false;
    switch (newest_in_range_ ? kTypeDeletion : static_cast<ValueType>(footer & 0xff)) {
      case kTypeValue:
      case kTypeWideColumnEntity:
      case kTypeBlobIndex:
        operands_.Clear();
        if (!SaveValue(static_cast<ValueType>(footer & 0xff))) return false;
        *found = true;
        break;
      case kTypeDeletion:
      case kTypeSingleDeletion:
      case kTypeDeletionWithTimestamp:  // of a time when the keys had timestamps
        ++counts_.passed().deletions;
        operands_.Clear();
        *found = false;
        break;
      case kTypeMerge:
        if (!LoadValue()) return false;
        operands_.PushNewer(entry_value_, iter_->IsValuePinned());
        break;
      default:
        Fail(BadEntry(static_cast<ValueType>(footer & 0xff)));
        return false;
    }
    ++counts_.passed().entries;
    StepBackward();
  } while (at_entry_ && IsSavedKey(ExtractUserKey(entry_key_)));
  if (!operands_.empty()) [[unlikely]] {
    if (!at_entry_ && !iter_->status().ok()) {
      Fail(iter_->status());
      return false;
    }
    MergeBase base;
    if (*found && saved_is_blob_ && !LoadBlob(saved_key_.get(), &saved_value_)) return false;
    if (*found) base = {saved_value_, saved_is_entity_ ? kTypeWideColumnEntity : kTypeValue};
    if (!ShowMerged(base)) return false;
    *found = true;
  } else if (*found && saved_is_entity_) {
    if (!ShowColumns(saved_key_.get(), &saved_value_)) return false;
  } else if (*found && saved_is_blob_) {
    if (!ShowBlob(saved_key_.get(), &saved_value_)) return false;
  }
  return PassSavedKeyBackward();
}

// The same by a seek, for a key with many old versions.
bool DBIterator::LookUpSavedKey(bool* found) {
  Tick(NUMBER_OF_RESEEKS_IN_ITERATION);
  *found = false;
  SeekInternal(saved_key_.get(), sequence_, kValueTypeForSeek);
  if (!at_entry_) {
    End();
    // The entries that led here are still there: the seek can only have failed by an error.
    return status_.ok();
  }
  if (!IsSavedKey(ExtractUserKey(entry_key_))) return true;
  newest_in_range_ = IsDeletedByRange(saved_key_.get(), ExtractInternalKeyFooter(entry_key_));
  if (!status_.ok()) return false;
  const ValueType type = newest_in_range_ ? kTypeDeletion : ExtractValueType(entry_key_);
  if (type == kTypeValue || type == kTypeWideColumnEntity || type == kTypeBlobIndex) {
    if (!SaveValue(type)) return false;
    *found = true;
    if (saved_is_blob_) return ShowBlob(saved_key_.get(), &saved_value_);
    if (saved_is_entity_) return ShowColumns(saved_key_.get(), &saved_value_);
  } else if (type == kTypeMerge) {
    MergeBase base;
    if (!CollectOperandsForward(&base) || !ShowMerged(base)) return false;
    *found = true;
    // Back before the operands.
    SeekInternalForPrev(saved_key_.get(), kMaxSequenceNumber, kValueTypeForSeek);
  } else if (!IsDeletionType(type)) {
    Fail(BadEntry(type));
    return false;
  }
  return true;
}

bool DBIterator::PrepareEntry() {
  if (!iter_->PrepareValue()) {
    at_entry_ = false;
    return Fail(iter_->status());
  }
  Load();
  return true;
}

bool DBIterator::SaveValue(ValueType type) {
  if (!LoadValue()) return false;
  saved_is_entity_ = type == kTypeWideColumnEntity;
  saved_is_blob_ = type == kTypeBlobIndex;
  if (entry_value_.size() > kCopyValueBytes && iter_->IsValuePinned()) {
    saved_value_ = entry_value_;
  } else {
    if (!AssignIfPossible(&value_copy_, entry_value_.data(), entry_value_.size())) {
      Fail(Status::MemoryLimit("no memory for a value of " + std::to_string(entry_value_.size()) +
                               " bytes"));
      return false;
    }
    saved_value_ = value_copy_;
  }
  return true;
}

// ---- Positioning.

// A tailing iterator looks at the present state with each seek, and with each step if that is
// another one than it stands in: its runs stand behind what was put between them since. One with
// auto_refresh_iterator_with_snapshot looks at the snapshot's number in the present memtables and
// tables, if they are others than before: so that those which are not the database's any more can
// go while it is being used. (What it has pinned, or prepared, is of those that it has: then not.)
void DBIterator::FollowAt(const Snapshot* snapshot) {
  const bool may = options_.auto_refresh_iterator_with_snapshot && !options_.pin_data;
  followed_at_ = may && !options_.tailing ? snapshot : nullptr;
  follows_ = options_.tailing || followed_at_ != nullptr;
}

void DBIterator::Renew() {
  at_entry_ = false;
  Detach();
  Attach(followed_at_);
}

// Whether something was written, or came by a file, since the state was taken; of a snapshot's
// state, whether other memtables and tables have it now.
bool DBIterator::IsBehind() const {
  if (sv_ == nullptr) return false;
  return sv_->number != env_.super_versions->current_number() ||
         (options_.tailing && sv_->LastVisible(env_.last_sequence()) != sequence_);
}

// At the beginning of each seek: whether it looks at another state than the last one.
bool DBIterator::StartsAnew() const { return follows_ && (options_.tailing || IsBehind()); }

void DBIterator::SeekToFirst() {
  if (options_.iterate_lower_bound != nullptr) return Seek(*options_.iterate_lower_bound);
  if (!Begin() || !EntersRange(nullptr, /*forward=*/true)) return;
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::iter_seek_cpu_nanos);
  if (StartsAnew()) [[unlikely]]
    Renew();
  forward_ = true;
  holds_prefix_ = false;
  {
    const PerfTimer timer(perf, &PerfContext::seek_internal_seek_time);
    iter_->SeekToFirst();
    Load();
  }
  FindForward(Skip::kNone);
  if (valid_) HoldPrefixOf(key());
  EndCall(perf, &PerfContext::iter_seek_count);
}

void DBIterator::Seek(const Slice& target) {
  Trace(kTraceIteratorSeek, target);
  if (StartsAnew()) [[unlikely]] {
    const std::string kept = target.ToString();  // it may be our own key
    if (!Begin() || !EntersRange(&target, /*forward=*/true)) return;
    Renew();
    SeekFrom(kept);
  } else if (Begin() && EntersRange(&target, /*forward=*/true)) {
    SeekFrom(target);
  }
}

void DBIterator::SeekFrom(const Slice& target) {
  const StopWatch watch(env_.statistics, DB_SEEK);
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::iter_seek_cpu_nanos);
  forward_ = true;
  HoldPrefixOf(target);
  const Slice* const lower = options_.iterate_lower_bound;
  const bool below = lower != nullptr && icmp_.CompareUserKey(target, *lower) < 0;
  SeekInternal(below ? *lower : target, sequence_, kValueTypeForSeek);
  FindForward(Skip::kNone);
  EndCall(perf, &PerfContext::iter_seek_count);
}

void DBIterator::StartFromLast() {
  if (options_.iterate_upper_bound != nullptr) {
    // Strictly before the bound's first possible entry.
    SeekInternalForPrev(*options_.iterate_upper_bound, kMaxSequenceNumber, kValueTypeForSeek);
  } else {
    const PerfTimer timer(Perf(), &PerfContext::seek_internal_seek_time);
    iter_->SeekToLast();
    Load();
  }
  FindBackward();
}

void DBIterator::SeekToLast() {
  if (options_.iterate_upper_bound != nullptr) {
    Trace(kTraceIteratorSeekForPrev, *options_.iterate_upper_bound);
  }
  if (!Begin() || !EntersRange(options_.iterate_upper_bound, /*forward=*/false)) return;
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::iter_seek_cpu_nanos);
  if (StartsAnew()) [[unlikely]]
    Renew();
  forward_ = false;
  on_entry_ = false;
  // At a bound the prefix is the bound's, as in RocksDB.
  const Slice* const upper = options_.iterate_upper_bound;
  holds_prefix_ = false;
  if (upper != nullptr) HoldPrefixOf(*upper);
  StartFromLast();
  if (upper == nullptr && valid_) HoldPrefixOf(key());
  EndCall(perf, &PerfContext::iter_seek_count);
}

void DBIterator::SeekForPrev(const Slice& target) {
  Trace(kTraceIteratorSeekForPrev, target);
  if (StartsAnew()) [[unlikely]] {
    const std::string kept = target.ToString();
    if (!Begin() || !EntersRange(&target, /*forward=*/false)) return;
    Renew();
    SeekForPrevFrom(kept);
  } else if (Begin() && EntersRange(&target, /*forward=*/false)) {
    SeekForPrevFrom(target);
  }
}

void DBIterator::SeekForPrevFrom(const Slice& target) {
  const StopWatch watch(env_.statistics, DB_SEEK);
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::iter_seek_cpu_nanos);
  forward_ = false;
  on_entry_ = false;
  HoldPrefixOf(target);
  if (IsAtUpperBound(target)) {
    StartFromLast();
  } else {
    SeekInternalForPrev(target, 0, kValueTypeForSeekForPrev);
    FindBackward();
  }
  EndCall(perf, &PerfContext::iter_seek_count);
}

// ---- Statistics.

}  // namespace

Iterator* NewDBIterator(const DBIteratorEnv& env, const ReadOptions& options) {
  return new DBIterator(env, options);
}

Iterator* NewDBIterator(const DBIteratorEnv& env, const ReadOptions& options,
                        InternalIterator* internal, SequenceNumber sequence) {
  return new DBIterator(env, options, internal, sequence);
}

}  // namespace cairn
