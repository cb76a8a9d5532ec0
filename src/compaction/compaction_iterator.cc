#include "compaction/compaction_iterator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/allocation.h"
#include "base/wide_column_serialization.h"
#include "compaction/compaction.h"
#include "compaction/job_blobs.h"
#include "fiber/clock.h"

namespace cairn {
namespace {

// ParseInternalKey inline and without its Status: false where that is not OK.
bool Parse(const Slice& key, ParsedInternalKey* parsed) {
  if (key.size() < kInternalKeyFooterSize) return false;
  UnpackSequenceAndType(ExtractInternalKeyFooter(key), &parsed->sequence, &parsed->type);
  parsed->user_key = ExtractUserKey(key);
  return IsInternalKeyType(parsed->type);
}

}  // namespace

CompactionIterator::CompactionIterator(InternalIterator* input, const InternalKeyComparator* icmp,
                                       std::vector<SequenceNumber> snapshots,
                                       const Compaction* compaction,
                                       std::function<Status()> check_stopped)
    : input_(input),
      icmp_(icmp),
      snapshots_(std::move(snapshots)),
      compaction_(compaction),
      check_stopped_(std::move(check_stopped)),
      bottommost_(compaction != nullptr && compaction->bottommost_level()),
      bytewise_(icmp->user_comparator() == BytewiseComparator()),
      oldest_snapshot_(snapshots_.empty() ? kMaxSequenceNumber : snapshots_.front()),
      newest_snapshot_(snapshots_.empty() ? 0 : snapshots_.back()),
      zero_through_(oldest_snapshot_) {}

void CompactionIterator::Start(const Slice* begin, const Slice* end) {
  end_ = end;
  if (begin == nullptr) {
    input_->SeekToFirst();
  } else {
    SeekInput(*begin);
  }
  TakeInput();
  Find();
}

void CompactionIterator::SeekInput(const Slice& user_key) {
  const InternalKey first(user_key, kMaxSequenceNumber, kValueTypeForSeek);
  input_->Seek(first.Encode());
}

void CompactionIterator::TakeInput() {
  has_input_ = input_->Valid();
  if (!has_input_) return;
  input_key_ = input_->key();
  input_value_ = input_->value();
}

void CompactionIterator::Next() {
  if (!ready_.empty()) [[unlikely]] {
    return EmitReady();
  }
  if (!input_is_ahead_) [[likely]] {
    Advance();
  }
  input_is_ahead_ = false;
  Find();
}

void CompactionIterator::TakeOperand(const ParsedInternalKey& parsed, const Slice& value) {
  if (operand_sequences_.empty()) operands_interval_ = IntervalOf(parsed.sequence);
  operands_.PushOlder(value, /*pinned=*/false);
  operand_sequences_.push_back(parsed.sequence);
}

void CompactionIterator::FinishOperands(const ParsedInternalKey* base, const Slice& base_value,
                                        bool at_end) {
  if (operands_.lacks_memory()) {
    status_ = Status::MemoryLimit("no memory for the operands of key", user_key_.ToString(true));
    return;
  }
  const SequenceNumber newest = operand_sequences_.front();
  const bool nothing_below =
      base == nullptr && at_end && compaction_ != nullptr &&
      (bottommost_ || compaction_->KeyNotExistsBeyondOutputLevel(user_key_, &level_cursors_));
  std::string result;
  bool keep = true;  // as they are
  if (base != nullptr || nothing_below) {
    MergeBase stands_on;
    if (base != nullptr) stands_on = {base_value, base->type};
    if (stands_on.type == kTypeDeletionWithTimestamp) stands_on.type = kTypeDeletion;
    if (stands_on.type == kTypeBlobIndex) {
      if (!ReadBlob(base_value, &stands_on.value)) return;
      stands_on.type = kTypeValue;
    }
    ValueType type = kTypeValue;
    bool must_keep = false;
    Status s = operands_.Merge(user_key_, stands_on, /*statistics=*/nullptr, /*logger=*/nullptr,
                               &result, &type, &must_keep);
    if (s.IsMemoryLimit() || (s.ok() && user_key_.size() + result.size() > kMaxEntrySize)) {
      // There is no memory for it, or no table takes it: whoever reads merges them.
    } else if (s.ok()) {
      const bool zero = bottommost_ && newest <= zero_through_;
      ready_.push_back({zero ? 0 : newest, type, std::move(result)});
      keep = false;
    } else if (!must_keep) {
      status_ = std::move(s);
      return;
    }
  } else if (operands_.MergePartially(user_key_, /*logger=*/nullptr, &result) &&
             user_key_.size() + result.size() <= kMaxEntrySize) {
    ready_.push_back({newest, kTypeMerge, std::move(result)});
    keep = false;
  }
  if (keep) {
    std::string().swap(result);
    const std::vector<Slice> oldest_first = operands_.OldestFirst();
    const auto emit_later = [this](SequenceNumber sequence, ValueType type, const Slice& value) {
      ready_.push_back({sequence, type, std::string()});
      if (AssignIfPossible(&ready_.back().value, value.data(), value.size())) return;
      status_ = Status::MemoryLimit("no memory for the operands of key", user_key_.ToString(true));
    };
    for (size_t i = 0; i < operand_sequences_.size(); ++i) {
      emit_later(operand_sequences_[i], kTypeMerge, oldest_first[oldest_first.size() - 1 - i]);
    }
    if (base != nullptr) emit_later(base->sequence, base->type, base_value);
    if (!status_.ok()) return;
  }
  operands_.Clear();
  operand_sequences_.clear();
}

void CompactionIterator::EmitReady() {
  current_ = std::move(ready_.front());
  ready_.pop_front();
  const ParsedInternalKey parsed(user_key_, current_.sequence, current_.type);
  ready_key_.clear();
  AppendInternalKey(&ready_key_, parsed);
  Emit(parsed, ready_key_, current_.value, false);
}

SequenceNumber CompactionIterator::IntervalOf(SequenceNumber sequence) const {
  if (sequence <= oldest_snapshot_) return oldest_snapshot_;
  const auto it = std::lower_bound(snapshots_.begin(), snapshots_.end(), sequence);
  return it == snapshots_.end() ? kMaxSequenceNumber : *it;
}

void CompactionIterator::Emit(const ParsedInternalKey& parsed, const Slice& key, const Slice& value,
                              bool zero_sequence) {
  parsed_ = parsed;
  value_ = value;
  is_first_version_ = !kept_of_user_key_;
  kept_of_user_key_ = true;
  if (strips_timestamps_) [[unlikely]] {
    if (parsed.type == kTypeDeletionWithTimestamp) parsed_.type = kTypeDeletion;
    stamped_key_ = WithMinTimestamp(icmp_->BareKey(user_key_), icmp_->timestamp_size());
    AppendInternalKeyFooter(&stamped_key_, parsed.sequence, parsed_.type);
    key_ = stamped_key_;
    parsed_.user_key = ExtractUserKey(key_);
  } else if (zero_sequence && icmp_->timestamp_size() != 0) [[unlikely]] {
    // (user_key_ tells what the next entry must come after.) A blob's file has the timestamp, too.
    const size_t ts_size = parsed.type == kTypeBlobIndex ? 0 : icmp_->timestamp_size();
    stamped_key_ = WithMinTimestamp(StripTimestamp(user_key_, ts_size), ts_size);
    AppendInternalKeyFooter(&stamped_key_, 0, parsed.type);
    key_ = stamped_key_;
    parsed_.sequence = 0;
    parsed_.user_key = ExtractUserKey(key_);
  } else if (zero_sequence) {
    parsed_.sequence = 0;
    parsed_.user_key = user_key_;
    char* footer = user_key_bytes_.data() + user_key_.size();
    EncodeFixed64(footer, PackSequenceAndType(0, parsed.type));
    key_ = Slice(user_key_.data(), user_key_.size() + kInternalKeyFooterSize);
  } else {
    key_ = key;
  }
  valid_ = true;
  ++records_out_;
}

int CompactionIterator::CompareToLast(const Slice& user_key) const {
  if (!bytewise_) return icmp_->CompareUserKey(user_key_, user_key);
  return block_internal::CompareBytes(user_key_.data(), user_key_.size(), user_key.data(),
                                      user_key.size());
}

void CompactionIterator::Become(ValueType type, ParsedInternalKey* parsed, Slice* key) {
  parsed->type = type;
  parsed->user_key = user_key_;
  char* const footer = user_key_bytes_.data() + user_key_.size();
  EncodeFixed64(footer, PackSequenceAndType(parsed->sequence, type));
  *key = Slice(user_key_.data(), user_key_.size() + kInternalKeyFooterSize);
}

bool CompactionIterator::ReadBlob(const Slice& index, Slice* value) {
  status_ = blobs_ == nullptr ? Status::NotSupported("nobody reads blob files here")
                              : blobs_->Read(user_key_, index, value);
  return status_.ok();
}

bool CompactionIterator::CountBlob(const Slice& user_key, const Slice& index) {
  if (blobs_ != nullptr) status_ = blobs_->CountInput(user_key, index);
  return status_.ok();
}

void CompactionIterator::SkipInputTo(const Slice& user_key) {
  if (blobs_ == nullptr) {
    SeekInput(user_key);
    TakeInput();
    return;
  }
  // What is left out of sight would stay out of the count of garbage.
  for (Advance(); has_input_; Advance()) {
    const Slice passed = ExtractUserKey(input_key_);
    if (icmp_->CompareUserKey(passed, user_key) >= 0) return;
    if (end_ != nullptr && icmp_->CompareUserKey(passed, *end_) >= 0) return;
    if (ExtractValueType(input_key_) == kTypeBlobIndex && !CountBlob(passed, input_value_)) return;
  }
}

CompactionIterator::Filtered CompactionIterator::Filter(CompactionFilter::ValueType shown_as,
                                                        ParsedInternalKey* parsed, Slice* key,
                                                        Slice* value) {
  using Decision = CompactionFilter::Decision;
  filter_value_.clear();
  filter_skip_until_.clear();
  filter_columns_.clear();
  const bool is_operand = shown_as == CompactionFilter::kMergeOperand;
  const bool is_entity = shown_as == CompactionFilter::kWideColumnEntity;
  if (is_entity) {
    const Status s = DecodeWideColumns(*value, &shown_columns_);
    if (!s.ok()) {
      status_ = Status::CopyAppendMessage(s, " of key ", user_key_.ToString(/*hex=*/true));
      return Filtered::kFailed;
    }
  }
  const int level = compaction_ == nullptr ? 0 : compaction_->start_level();
  const bool is_blob = shown_as == CompactionFilter::kBlobIndex;
  Slice shown = *value;
  Decision decision = Decision::kUndetermined;
  if (is_blob) {
    decision = filter_->FilterBlobByKey(level, user_key_, &filter_value_, &filter_skip_until_);
    if (decision == Decision::kUndetermined && !ReadBlob(*value, &shown)) return Filtered::kFailed;
    shown_as = CompactionFilter::kValue;
  }
  if (!is_blob || decision == Decision::kUndetermined) {
    decision = filter_->FilterV3(level, user_key_, shown_as, is_entity ? nullptr : &shown,
                                 is_entity ? &shown_columns_ : nullptr, &filter_value_,
                                 &filter_columns_, &filter_skip_until_);
  }
  switch (decision) {
    case Decision::kKeep:
      return Filtered::kEntry;
    case Decision::kRemove:
    case Decision::kPurge:
      ++records_filtered_;
      if (is_operand) return Filtered::kNothing;
      Become(decision == Decision::kPurge   ? kTypeSingleDeletion
             : icmp_->timestamp_size() != 0 ? kTypeDeletionWithTimestamp
                                            : kTypeDeletion,
             parsed, key);
      *value = Slice();
      return Filtered::kEntry;
    case Decision::kChangeValue:
      if (is_entity || is_blob) Become(kTypeValue, parsed, key);
      *value = filter_value_;
      return Filtered::kEntry;
    case Decision::kChangeWideColumnEntity: {
      if (is_operand) break;
      WideColumns columns;
      for (const auto& [name, column] : filter_columns_) columns.emplace_back(name, column);
      status_ = EncodeWideColumns(std::move(columns), &filter_value_);
      if (!status_.ok()) return Filtered::kFailed;
      Become(kTypeWideColumnEntity, parsed, key);
      *value = filter_value_;
      return Filtered::kEntry;
    }
    case Decision::kRemoveAndSkipUntil:
      if (icmp_->CompareUserKey(filter_skip_until_, user_key_) <= 0) return Filtered::kEntry;
      ++records_filtered_;
      skipped_input_ = true;
      SkipInputTo(filter_skip_until_);
      return status_.ok() ? Filtered::kInputMoved : Filtered::kFailed;
    case Decision::kUndetermined:
      status_ = Status::NotSupported("FilterV2() should never return kUndetermined");
      return Filtered::kFailed;
    case Decision::kChangeBlobIndex:
    case Decision::kIOError:
      break;
  }
  status_ = Status::NotSupported(
      "a decision of FilterV2() or FilterV3() that is not for applications", filter_->Name());
  return Filtered::kFailed;
}

bool CompactionIterator::IsDeletedByRange(const ParsedInternalKey& parsed,
                                          SequenceNumber interval) {
  const auto& fragments = tombstones_->fragments();
  while (fragment_ < fragments.size() &&
         icmp_->CompareBare(fragments[fragment_].end, parsed.user_key) <= 0) {
    ++fragment_;
  }
  return MayForget() && fragment_ < fragments.size() &&
         icmp_->CompareBare(fragments[fragment_].start, parsed.user_key) <= 0 &&
         tombstones_->NewestAt(fragments[fragment_], interval, history_low_, /*before=*/true) >
             parsed.sequence;
}

bool CompactionIterator::BeginsVersions(const Slice& user_key, bool same_bare_key) {
  const bool was_history = is_history_;
  is_history_ = strips_timestamps_ ||
                (!history_low_.empty() && icmp_->user_comparator()->CompareTimestamp(
                                              icmp_->TimestampIn(user_key), history_low_) < 0);
  // (Of the versions below the mark the newest one hides the others.)
  return !same_bare_key || !is_history_ || !was_history;
}

bool CompactionIterator::IsTrimmed(const Slice& user_key) const {
  return icmp_->user_comparator()->CompareTimestamp(icmp_->TimestampIn(user_key), trim_) > 0;
}

void CompactionIterator::BeginUserKey(const Candidate& entry) {
  bool new_versions = true, new_key = true;
  if (icmp_->timestamp_size() != 0) [[unlikely]] {
    new_key = !has_user_key_ || !icmp_->EqualBare(user_key_, entry.parsed.user_key);
    new_versions = BeginsVersions(entry.parsed.user_key, !new_key);
  }
  if (new_versions) EndUserKey();
  user_key_bytes_.Reserve(entry.key.size(), 0);
  std::memcpy(user_key_bytes_.data(), entry.key.data(), entry.key.size());
  user_key_ = Slice(user_key_bytes_.data(), entry.parsed.user_key.size());
  has_user_key_ = true;
  if (new_key) kept_of_user_key_ = false;
  if (new_versions) hidden_below_ = 0;
}

bool CompactionIterator::TakeIntoAccount(const Candidate& entry) {
  if (++records_in_ % kCheckEvery == 0 && check_stopped_) {
    status_ = check_stopped_();
    if (!status_.ok()) return false;
  }
  const ParsedInternalKey& parsed = entry.parsed;
  if (entry.order > 0 || (entry.order == 0 && parsed.sequence > last_sequence_)) {
    // Going on would drop a newer version in favour of an older one.
    status_ = Status::Corruption("Compaction sees out-of-order keys", parsed.DebugString(true));
    return false;
  }
  if (entry.order < 0) BeginUserKey(entry);
  last_sequence_ = parsed.sequence;
  counts_.total_input_raw_key_bytes += entry.key.size();
  counts_.total_input_raw_value_bytes += entry.value.size();
  if (IsDeletionType(parsed.type)) ++counts_.num_input_deletion_records;
  return parsed.type != kTypeBlobIndex || CountBlob(parsed.user_key, entry.value);
}

void CompactionIterator::EmitMerged(const ParsedInternalKey* base, const Slice& base_value,
                                    bool at_end) {
  FinishOperands(base, base_value, at_end);
  if (status_.ok()) EmitReady();
}

bool CompactionIterator::HideByRange(const Candidate& entry) {
  ++counts_.num_records_replaced;
  ++dropped_.by_ranges;
  hidden_below_ = entry.interval;
  if (operand_sequences_.empty()) return false;
  const ParsedInternalKey nothing(user_key_, entry.parsed.sequence, kTypeDeletion);
  EmitMerged(&nothing, Slice(), /*at_end=*/false);
  return true;
}

CompactionIterator::Filtered CompactionIterator::ShowFilter(Candidate* entry) {
  ParsedInternalKey* const parsed = &entry->parsed;
  const bool is_newest = entry->order < 0;
  Filtered filtered = Filtered::kEntry;
  if (is_newest && parsed->type == kTypeValue) {
    filtered = Filter(CompactionFilter::kValue, parsed, &entry->key, &entry->value);
  } else if (is_newest && parsed->type == kTypeWideColumnEntity) {
    filtered = Filter(CompactionFilter::kWideColumnEntity, parsed, &entry->key, &entry->value);
  } else if (is_newest && parsed->type == kTypeBlobIndex) {
    filtered = Filter(CompactionFilter::kBlobIndex, parsed, &entry->key, &entry->value);
  } else if (parsed->type == kTypeMerge && parsed->sequence > newest_snapshot_) {
    filtered = Filter(CompactionFilter::kMergeOperand, parsed, &entry->key, &entry->value);
  }
  if (filtered == Filtered::kInputMoved && !operand_sequences_.empty()) {
    // What is left out begins with this key.
    operands_.Clear();
    operand_sequences_.clear();
  }
  return filtered;
}

bool CompactionIterator::MayDropTombstone(const ParsedInternalKey& parsed) {
  return compaction_ != nullptr && parsed.sequence <= oldest_snapshot_ && MayForget() &&
         (bottommost_ ||
          compaction_->KeyNotExistsBeyondOutputLevel(parsed.user_key, &level_cursors_));
}

bool CompactionIterator::Decide(const Candidate& entry) {
  const ParsedInternalKey& parsed = entry.parsed;
  switch (parsed.type) {
    case kTypeDeletion:
    case kTypeSingleDeletion:
    case kTypeDeletionWithTimestamp:
      hidden_below_ = entry.interval;
      if (!operand_sequences_.empty()) [[unlikely]]
        break;
      if (parsed.type == kTypeSingleDeletion) single_delete_ = SingleDelete::kKept;
      if (MayDropTombstone(parsed)) {
        ++counts_.num_expired_deletion_records;
        if (!bottommost_) ++dropped_.optimized_deletions;
        if (parsed.type == kTypeSingleDeletion) single_delete_ = SingleDelete::kDropped;
        return false;
      }
      Emit(parsed, entry.key, entry.value, false);
      return true;
    case kTypeValue:
    case kTypeWideColumnEntity:
    case kTypeBlobIndex:
      hidden_below_ = entry.interval;
      if (!operand_sequences_.empty()) [[unlikely]]
        break;
      Emit(parsed, entry.key, entry.value,
           bottommost_ && parsed.sequence <= zero_through_ && parsed.sequence != 0 && MayForget());
      return true;
    case kTypeMerge:
      if (merges_) {
        TakeOperand(parsed, entry.value);
        return false;
      }
      Emit(parsed, entry.key, entry.value, false);
      return true;
    default:
      status_ = Status::NotSupported("value type " + std::to_string(parsed.type) +
                                     " is not supported by this version of Cairn");
      return true;
  }
  EmitMerged(&parsed, entry.value, /*at_end=*/false);
  return true;
}

void CompactionIterator::Find() {
  valid_ = false;
  bool moved = true;  // the input stands on what was not looked at yet
  while (true) {
    if (!moved) Advance();
    moved = false;
    if (!has_input_) {
      if (operand_sequences_.empty() || !input_->status().ok()) break;
      input_is_ahead_ = true;
      EmitMerged(nullptr, Slice(), /*at_end=*/true);
      return;
    }
    Candidate entry;
    entry.key = input_key_;
    entry.value = input_value_;
    if (!Parse(entry.key, &entry.parsed)) [[unlikely]] {
      status_ = ParseInternalKey(entry.key, &entry.parsed);
      return;
    }
    entry.order = has_user_key_ ? CompareToLast(entry.parsed.user_key) : -1;
    entry.interval = IntervalOf(entry.parsed.sequence);
    const bool merging = !operand_sequences_.empty();
    if (merging && (entry.order != 0 || entry.interval != operands_interval_)) [[unlikely]] {
      input_is_ahead_ = true;
      EmitMerged(nullptr, Slice(), /*at_end=*/entry.order != 0);
      return;
    }
    if (entry.order < 0 && end_ != nullptr &&
        icmp_->CompareUserKey(entry.parsed.user_key, *end_) >= 0) {
      has_input_ = false;
      break;
    }
    if (!trim_.empty() && IsTrimmed(entry.parsed.user_key)) [[unlikely]] {
      ++records_in_;
      if (entry.parsed.type == kTypeBlobIndex && !CountBlob(entry.parsed.user_key, entry.value))
        return;
      continue;
    }
    if (!TakeIntoAccount(entry)) [[unlikely]]
      return;
    if ((hidden_below_ != 0 && entry.interval == hidden_below_) || IsOutOfOrder(entry.parsed)) {
      CountReplaced(entry.parsed);
      continue;
    }
    if (tombstones_ != nullptr && IsDeletedByRange(entry.parsed, entry.interval)) [[unlikely]] {
      if (HideByRange(entry)) return;
      continue;
    }
    if (filter_ != nullptr) [[unlikely]] {
      const uint64_t start = times_filter_ ? fiber::now_nanos() : 0;
      const Filtered filtered = ShowFilter(&entry);
      if (times_filter_) dropped_.filter_nanos += fiber::now_nanos() - start;
      if (filtered == Filtered::kFailed) return;
      moved = filtered == Filtered::kInputMoved;
      if (filtered != Filtered::kEntry) continue;
    }
    if (Decide(entry)) return;
  }
  EndUserKey();
  // OK where the input goes on beyond `end_`.
  status_ = input_->status();
}

}  // namespace cairn
