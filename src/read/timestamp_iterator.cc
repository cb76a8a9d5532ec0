#include "read/timestamp_iterator.h"

#include <cassert>
#include <memory>
#include <string>
#include <utility>

#include "base/merge_operands.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "fs/read_limits.h"
#include "read/attached_iterator.h"
#include "read/iterator_counts.h"
#include "read/read_timestamp.h"
#include "rocksdb/snapshot.h"

namespace cairn {
namespace {

// Forward the cursor stands on the entry shown or, after a merge, behind its operands. Backward it
// stands anywhere: each step seeks twice, to before what was shown and to the newest version there.
class TimestampIterator final : public AttachedIterator {
 public:
  TimestampIterator(const DBIteratorEnv& env, const ReadOptions& options)
      : AttachedIterator(env, options),
        ts_size_(env.icmp->timestamp_size()),
        read_ts_(options.timestamp->ToString()),
        start_ts_(options.iter_start_ts == nullptr ? "" : options.iter_start_ts->ToString()),
        shows_versions_(options.iter_start_ts != nullptr) {
    AttachAtTimestamp(options.snapshot);
    if (options.snapshot == nullptr) StartAtFirstSequence();
  }

  TimestampIterator(const DBIteratorEnv& env, const ReadOptions& options,
                    InternalIterator* internal, SequenceNumber sequence)
      : AttachedIterator(env, options),
        ts_size_(env.icmp->timestamp_size()),
        read_ts_(options.timestamp->ToString()),
        start_ts_(options.iter_start_ts == nullptr ? "" : options.iter_start_ts->ToString()),
        shows_versions_(options.iter_start_ts != nullptr) {
    iter_.reset(internal);
    sequence_ = sequence;
  }

  Slice key() const override {
    assert(valid_);
    return shows_versions_ ? Slice(shown_) : StripTimestamp(ExtractUserKey(shown_), ts_size_);
  }
  Slice timestamp() const override {
    assert(valid_);
    return TimestampOf(ExtractUserKey(shown_), ts_size_);
  }
  Slice value() const override {
    assert(valid_);
    return value_;
  }
  const WideColumns& columns() const override {
    assert(valid_);
    if (!is_entity_) columns_.assign(1, WideColumn(kDefaultWideColumnName, value_));
    return columns_;
  }

  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& target) override;
  void SeekForPrev(const Slice& target) override;
  void Next() override;
  void Prev() override;
  Status Refresh(const Snapshot* snapshot) override;

 private:
  void OnNewTower() override {
    if (tombstones_ != nullptr) tombstones_->set_timestamp(read_ts_);
    forward_ = true;
    on_entry_ = false;
  }
  void AttachAtTimestamp(const Snapshot* snapshot);
  // False: there is no time for it, or what is asked for is history that is gone.
  bool Begin();
  void SeekInternal(const Slice& bare_key, const Slice& timestamp, SequenceNumber sequence,
                    ValueType type);
  void SeekInternalForPrev(const Slice& bare_key, const Slice& timestamp, SequenceNumber sequence,
                           ValueType type);
  void MakeSeekKey(const Slice& bare_key, const Slice& timestamp, SequenceNumber sequence,
                   ValueType type);
  // Behind, or before, all of what is one step: a key's versions or, with all versions shown, the
  // entries of one timestamp. `key` has a timestamp.
  void SeekBehind(const Slice& key);
  void SeekBefore(const Slice& key);
  bool IsSameStep(const Slice& a, const Slice& b) const {
    return shows_versions_ ? icmp_.EqualUserKey(a, b) : icmp_.EqualBare(a, b);
  }

  // From the cursor on, finds the first entry to show; `passed` (may be null): an entry whose step
  // is over.
  void FindForward(const std::string* passed);
  // From the cursor back.
  void FindBackward();
  void FindLast();

  // The value of the entry under the cursor. False: it cannot be read, status_ is set.
  bool LoadValue(Slice* value) {
    *value = iter_->value();
    if (!InternalIterator::IsUnprepared(*value)) return true;
    if (!iter_->PrepareValue()) return Fail(iter_->status());
    *value = iter_->value();
    return true;
  }
  // What is to be done with the entry under the cursor, by its timestamp and sequence number.
  enum class Sight { kVisible, kTooNew, kTooOld };
  Sight Look(const Slice& user_key, SequenceNumber sequence) const;
  // Shows the visible entry under the cursor. False: it, or all of its step, is nothing to show, or
  // status_ is set.
  bool Show();
  // Past what is too new or too old, by a seek where that is far.
  void PassUnseen(Sight sight, const Slice& user_key);
  bool ShowMerged();

  // Bare keys, both.
  int CompareBounds(const Slice& a, const Slice& b) const {
    return icmp_.user_comparator()->CompareWithoutTimestamp(a, false, b, false);
  }
  void End() {
    valid_ = false;
    if (status_.ok() && !iter_->Valid()) status_ = iter_->status();
  }
  void EndCall(PerfMetric calls) {
    counts_.EndCall(Perf(), calls, forward_, valid_, valid_ ? key().size() + value().size() : 0);
  }

  const size_t ts_size_;
  const std::string read_ts_, start_ts_;
  const bool shows_versions_;
  Status history_;  // not OK: read_ts_ is below the mark

  bool forward_ = true;
  bool on_entry_ = false;  // the cursor stands on what is shown
  std::string shown_;      // an internal key
  Slice value_;
  bool is_entity_ = false;
  std::string seek_key_;
  uint64_t unseen_ = 0;  // entries in a row that are too new or too old
  IteratorCounts counts_{env_.statistics};
};

void TimestampIterator::AttachAtTimestamp(const Snapshot* snapshot) {
  Attach(snapshot);
  if (tombstones_ != nullptr) tombstones_->set_timestamp(read_ts_);
  history_ = CheckNotBelow(icmp_, sv_->history_low, read_ts_);
  status_ = history_;
}

Status TimestampIterator::Refresh(const Snapshot* snapshot) {
  if (sv_ == nullptr) return Status::NotSupported("Refresh() needs a database behind the iterator");
  valid_ = false;
  Detach();
  AttachAtTimestamp(snapshot);
  return status_;
}

bool TimestampIterator::Begin() {
  valid_ = false;
  hidden_passed_ = 0;
  unseen_ = 0;
  status_ = history_;
  if (status_.ok() && ReadLimits::AreOver(options_)) status_ = ReadLimits(options_).Error();
  return status_.ok();
}

// ---- Seeks

void TimestampIterator::MakeSeekKey(const Slice& bare_key, const Slice& timestamp,
                                    SequenceNumber sequence, ValueType type) {
  // (The bytes may be seek_key_'s own.)
  std::string made;
  made.reserve(bare_key.size() + timestamp.size() + kInternalKeyFooterSize);
  made.append(bare_key.data(), bare_key.size());
  made.append(timestamp.data(), timestamp.size());
  AppendInternalKeyFooter(&made, sequence, type);
  seek_key_.swap(made);
}

void TimestampIterator::SeekInternal(const Slice& bare_key, const Slice& timestamp,
                                     SequenceNumber sequence, ValueType type) {
  const PerfTimer timer(Perf(), &PerfContext::seek_internal_seek_time);
  MakeSeekKey(bare_key, timestamp, sequence, type);
  iter_->Seek(seek_key_);
}

void TimestampIterator::SeekInternalForPrev(const Slice& bare_key, const Slice& timestamp,
                                            SequenceNumber sequence, ValueType type) {
  const PerfTimer timer(Perf(), &PerfContext::seek_internal_seek_time);
  MakeSeekKey(bare_key, timestamp, sequence, type);
  iter_->SeekForPrev(seek_key_);
}

void TimestampIterator::SeekBehind(const Slice& key) {
  const std::string oldest(ts_size_, '\0');
  SeekInternal(icmp_.BareKey(key), shows_versions_ ? icmp_.TimestampIn(key) : Slice(oldest), 0,
               kTypeDeletion);
}

void TimestampIterator::SeekBefore(const Slice& key) {
  const std::string newest(ts_size_, '\xff');
  SeekInternalForPrev(icmp_.BareKey(key), shows_versions_ ? icmp_.TimestampIn(key) : Slice(newest),
                      kMaxSequenceNumber, kValueTypeForSeek);
}

// ---- One entry

TimestampIterator::Sight TimestampIterator::Look(const Slice& user_key,
                                                 SequenceNumber sequence) const {
  const Comparator& comparator = *icmp_.user_comparator();
  const Slice timestamp = icmp_.TimestampIn(user_key);
  if (comparator.CompareTimestamp(timestamp, read_ts_) > 0) return Sight::kTooNew;
  if (shows_versions_ && comparator.CompareTimestamp(timestamp, start_ts_) < 0) {
    return Sight::kTooOld;
  }
  return sequence > sequence_ ? Sight::kTooNew : Sight::kVisible;
}

void TimestampIterator::PassUnseen(Sight sight, const Slice& user_key) {
  if (++unseen_ <= env_.max_sequential_skip) return iter_->Next();
  unseen_ = 0;
  if (env_.statistics != nullptr) env_.statistics->recordTick(NUMBER_OF_RESEEKS_IN_ITERATION, 1);
  const std::string key = user_key.ToString();
  const Slice timestamp = icmp_.TimestampIn(key);
  if (sight == Sight::kTooOld) {
    SeekInternal(icmp_.BareKey(key), std::string(ts_size_, '\0'), 0, kTypeDeletion);
  } else if (icmp_.user_comparator()->CompareTimestamp(timestamp, read_ts_) > 0) {
    SeekInternal(icmp_.BareKey(key), read_ts_, sequence_, kValueTypeForSeek);
  } else {
    SeekInternal(icmp_.BareKey(key), timestamp, sequence_, kValueTypeForSeek);
  }
}

bool TimestampIterator::Show() {
  const Slice key = iter_->key();
  const Slice user_key = ExtractUserKey(key);
  const bool in_range = IsDeletedByRange(user_key, ExtractInternalKeyFooter(key));
  if (!status_.ok()) return false;
  const ValueType type = ExtractValueType(key);
  if (in_range || (IsDeletionType(type) && !shows_versions_)) return false;
  shown_.assign(key.data(), key.size());
  on_entry_ = true;
  is_entity_ = false;
  switch (type) {
    case kTypeDeletion:
    case kTypeSingleDeletion:
    case kTypeDeletionWithTimestamp:
      value_ = Slice();
      valid_ = true;
      break;
    case kTypeValue:
      valid_ = LoadValue(&value_);
      break;
    case kTypeBlobIndex:
      valid_ = LoadValue(&value_) && LoadBlob(ExtractUserKey(shown_), &value_);
      break;
    case kTypeWideColumnEntity:
      is_entity_ = valid_ = LoadValue(&value_) && ShowColumns(ExtractUserKey(shown_), &value_);
      break;
    case kTypeMerge:
      valid_ = ShowMerged();
      break;
    default:
      return Fail(Status::Corruption(
          "unknown value type " + std::to_string(static_cast<int>(type)) + " of key",
          user_key.ToString(/*hex=*/true)));
  }
  return valid_;
}

// The cursor stands on the newest operand, which shown_ has: takes it and what is older.
bool TimestampIterator::ShowMerged() {
  const Slice user_key = ExtractUserKey(shown_);
  on_entry_ = false;
  operands_.Clear();
  operands_.JustCollect();
  MergeBase base;
  std::string base_value;
  for (; iter_->Valid() && icmp_.EqualBare(ExtractUserKey(iter_->key()), user_key); iter_->Next()) {
    const Slice key = iter_->key();
    if (ExtractSequence(key) > sequence_) continue;
    const bool in_range = IsDeletedByRange(ExtractUserKey(key), ExtractInternalKeyFooter(key));
    if (!status_.ok()) return false;
    if (in_range) break;
    const ValueType type = ExtractValueType(key);
    Slice value;
    if (!IsDeletionType(type) && !LoadValue(&value)) return false;
    if (type == kTypeMerge) {
      operands_.PushOlder(value, iter_->IsValuePinned());
      continue;
    }
    if (type == kTypeBlobIndex && !LoadBlob(ExtractUserKey(iter_->key()), &value)) return false;
    base_value = value.ToString();
    base = {base_value, type == kTypeBlobIndex ? kTypeValue : type};
    if (IsDeletionType(type)) base.type = kTypeDeletion;
    break;
  }
  if (!iter_->Valid() && !iter_->status().ok()) return Fail(iter_->status());
  if (!MergeOperandsOver(icmp_.BareKey(user_key), base, &is_entity_)) return false;
  value_ = merged_value_;
  return !is_entity_ || ShowColumns(user_key, &value_);
}

// ---- Forward

void TimestampIterator::FindForward(const std::string* passed) {
  const PerfTimer timer(Perf(), &PerfContext::find_next_user_entry_time);
  std::string step;  // what is over; empty: nothing
  if (passed != nullptr) step = *passed;
  uint64_t stepped = 0;
  while (iter_->Valid()) {
    const Slice key = iter_->key();
    const Slice user_key = ExtractUserKey(key);
    if (IsAtUpperBound(user_key) || LeavesPrefix(user_key)) return End();
    if (!step.empty() && IsSameStep(user_key, ExtractUserKey(step))) {
      if (IsTooManyHidden()) return;
      if (++stepped <= env_.max_sequential_skip) {
        iter_->Next();
      } else {
        stepped = 0;
        SeekBehind(ExtractUserKey(step));
        // The very last possible entry of the step may be there.
        if (iter_->Valid() && IsSameStep(ExtractUserKey(iter_->key()), ExtractUserKey(step))) {
          iter_->Next();
        }
      }
      continue;
    }
    step.clear();
    const Sight sight = Look(user_key, ExtractSequence(key));
    if (sight != Sight::kVisible) {
      if (IsTooManyHidden()) return;
      PassUnseen(sight, user_key);
      continue;
    }
    unseen_ = 0;
    if (Show() || !status_.ok()) return;
    if (IsTooManyHidden()) return;
    step.assign(key.data(), key.size());
    stepped = 0;
    iter_->Next();
  }
  End();
}

void TimestampIterator::Next() {
  assert(valid_);
  if (!Begin()) return;
  const std::string passed = shown_;
  if (forward_ && on_entry_) {
    iter_->Next();
  } else if (!forward_ || shows_versions_) {
    // (With all versions shown a merge has gone past versions that come next.)
    SeekBehind(ExtractUserKey(passed));
  }
  forward_ = true;
  FindForward(&passed);
  EndCall(&PerfContext::iter_next_count);
}

// ---- Backward

void TimestampIterator::FindBackward() {
  while (iter_->Valid()) {
    const std::string at = ExtractUserKey(iter_->key()).ToString();
    if (IsBelowLowerBound(at) || LeavesPrefix(at)) return End();
    const Slice timestamp = icmp_.TimestampIn(at);
    const bool too_old =
        shows_versions_ && icmp_.user_comparator()->CompareTimestamp(timestamp, start_ts_) < 0;
    if (!too_old) {
      // The newest version that is visible, of the key or of this timestamp.
      SeekInternal(icmp_.BareKey(at), shows_versions_ ? timestamp : Slice(read_ts_), sequence_,
                   kValueTypeForSeek);
      while (iter_->Valid() && IsSameStep(ExtractUserKey(iter_->key()), at)) {
        const Slice key = iter_->key();
        if (Look(ExtractUserKey(key), ExtractSequence(key)) == Sight::kVisible) {
          if (Show() || !status_.ok()) return;
          break;
        }
        iter_->Next();
      }
      if (!iter_->Valid() && !iter_->status().ok()) return End();
    }
    if (IsTooManyHidden()) return;
    SeekBefore(at);
  }
  End();
}

void TimestampIterator::FindLast() {
  if (options_.iterate_upper_bound != nullptr) {
    SeekInternalForPrev(*options_.iterate_upper_bound, std::string(ts_size_, '\xff'),
                        kMaxSequenceNumber, kValueTypeForSeek);
  } else {
    const PerfTimer timer(Perf(), &PerfContext::seek_internal_seek_time);
    iter_->SeekToLast();
  }
  FindBackward();
}

void TimestampIterator::Prev() {
  assert(valid_);
  if (!Begin()) return;
  forward_ = false;
  const std::string passed = shown_;
  SeekBefore(ExtractUserKey(passed));
  FindBackward();
  EndCall(&PerfContext::iter_prev_count);
}

// ---- Positioning

void TimestampIterator::SeekToFirst() {
  if (options_.iterate_lower_bound != nullptr) return Seek(*options_.iterate_lower_bound);
  if (!Begin() || !EntersRange(nullptr, /*forward=*/true)) return;
  forward_ = true;
  holds_prefix_ = false;
  {
    const PerfTimer timer(Perf(), &PerfContext::seek_internal_seek_time);
    iter_->SeekToFirst();
  }
  FindForward(nullptr);
  if (valid_) HoldPrefixOf(icmp_.BareKey(ExtractUserKey(shown_)));
  EndCall(&PerfContext::iter_seek_count);
}

void TimestampIterator::SeekToLast() {
  if (options_.iterate_upper_bound != nullptr) {
    Trace(kTraceIteratorSeekForPrev, *options_.iterate_upper_bound);
  }
  if (!Begin() || !EntersRange(options_.iterate_upper_bound, /*forward=*/false)) return;
  forward_ = false;
  const Slice* const upper = options_.iterate_upper_bound;
  holds_prefix_ = false;
  if (upper != nullptr) HoldPrefixOf(*upper);
  FindLast();
  if (upper == nullptr && valid_) HoldPrefixOf(icmp_.BareKey(ExtractUserKey(shown_)));
  EndCall(&PerfContext::iter_seek_count);
}

void TimestampIterator::Seek(const Slice& target) {
  const StopWatch watch(env_.statistics, DB_SEEK);
  Trace(kTraceIteratorSeek, target);
  const std::string kept = target.ToString();  // it may be our own key
  if (!Begin() || !EntersRange(&target, /*forward=*/true)) return;
  forward_ = true;
  HoldPrefixOf(kept);
  const Slice* const lower = options_.iterate_lower_bound;
  const bool below = lower != nullptr && CompareBounds(kept, *lower) < 0;
  SeekInternal(below ? *lower : Slice(kept), read_ts_, sequence_, kValueTypeForSeek);
  FindForward(nullptr);
  EndCall(&PerfContext::iter_seek_count);
}

void TimestampIterator::SeekForPrev(const Slice& target) {
  const StopWatch watch(env_.statistics, DB_SEEK);
  Trace(kTraceIteratorSeekForPrev, target);
  const std::string kept = target.ToString();
  if (!Begin() || !EntersRange(&target, /*forward=*/false)) return;
  forward_ = false;
  HoldPrefixOf(kept);
  const Slice* const upper = options_.iterate_upper_bound;
  if (upper != nullptr && CompareBounds(kept, *upper) >= 0) {
    FindLast();
  } else {
    SeekInternalForPrev(kept, std::string(ts_size_, '\0'), 0, kValueTypeForSeekForPrev);
    FindBackward();
  }
  EndCall(&PerfContext::iter_seek_count);
}

}  // namespace

Iterator* NewTimestampIterator(const DBIteratorEnv& env, const ReadOptions& options) {
  return new TimestampIterator(env, options);
}

Iterator* NewTimestampIterator(const DBIteratorEnv& env, const ReadOptions& options,
                               InternalIterator* internal, SequenceNumber sequence) {
  return new TimestampIterator(env, options, internal, sequence);
}

}  // namespace cairn
