#include "compaction/compaction_iterator.h"

#include <algorithm>
#include <cstring>

#include "compaction/compaction.h"

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
      oldest_snapshot_(snapshots_.empty() ? kMaxSequenceNumber : snapshots_.front()) {}

void CompactionIterator::Start(const Slice* begin, const Slice* end) {
  end_ = end;
  if (begin == nullptr) {
    input_->SeekToFirst();
  } else {
    const InternalKey first(*begin, kMaxSequenceNumber, kValueTypeForSeek);
    input_->Seek(first.Encode());
  }
  has_input_ = input_->Valid();
  if (has_input_) {
    input_key_ = input_->key();
    input_value_ = input_->value();
  }
  Find();
}

void CompactionIterator::Next() {
  Advance();
  Find();
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
  if (zero_sequence) {
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

void CompactionIterator::Find() {
  valid_ = false;
  for (; has_input_; Advance()) {
    const Slice key = input_key_;
    ParsedInternalKey parsed;
    if (!Parse(key, &parsed)) [[unlikely]] {
      status_ = ParseInternalKey(key, &parsed);
      return;
    }
    const int order = has_user_key_ ? CompareToLast(parsed.user_key) : -1;
    if (order < 0 && end_ != nullptr && icmp_->CompareUserKey(parsed.user_key, *end_) >= 0) {
      has_input_ = false;
      break;
    }
    if (++records_in_ % kCheckEvery == 0 && check_stopped_) {
      status_ = check_stopped_();
      if (!status_.ok()) return;
    }
    if (order > 0 || (order == 0 && parsed.sequence > last_sequence_)) {
      // Going on would drop a newer version in favour of an older one.
      status_ = Status::Corruption("Compaction sees out-of-order keys", parsed.DebugString(true));
      return;
    }
    if (order < 0) {
      user_key_bytes_.Reserve(key.size(), 0);
      std::memcpy(user_key_bytes_.data(), key.data(), key.size());
      user_key_ = Slice(user_key_bytes_.data(), parsed.user_key.size());
      has_user_key_ = true;
      kept_of_user_key_ = false;
      hidden_below_ = 0;
    }
    last_sequence_ = parsed.sequence;
    const SequenceNumber interval = IntervalOf(parsed.sequence);
    if (hidden_below_ != 0 && interval == hidden_below_) continue;

    const bool oldest_interval = parsed.sequence <= oldest_snapshot_;
    switch (parsed.type) {
      case kTypeDeletion:
      case kTypeSingleDeletion:
        hidden_below_ = interval;
        if (compaction_ != nullptr && oldest_interval &&
            (bottommost_ ||
             compaction_->KeyNotExistsBeyondOutputLevel(parsed.user_key, &level_cursors_))) {
          continue;
        }
        Emit(parsed, key, input_value_, false);
        return;
      case kTypeValue:
        hidden_below_ = interval;
        Emit(parsed, key, input_value_, bottommost_ && oldest_interval && parsed.sequence != 0);
        return;
      case kTypeMerge:
        Emit(parsed, key, input_value_, false);
        return;
      default:
        status_ = Status::NotSupported("value type " + std::to_string(parsed.type) +
                                       " is not supported by this version of Cairn");
        return;
    }
  }
  // OK where the input goes on beyond `end_`.
  status_ = input_->status();
}

}  // namespace cairn
