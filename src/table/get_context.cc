#include "table/get_context.h"

#include "base/allocation.h"

namespace cairn {

void GetContext::MarkCovered() {
  if (state_ == kNotFound) {
    sequence_ = covering_;
    if (timestamps_ != nullptr) timestamps_->newest = covering_timestamp_.ToString();
    if (seq_ != nullptr) *seq_ = covering_;
  }
  state_ = kDeleted;
}

bool GetContext::SaveMatch(SequenceNumber sequence, ValueType type, const Slice& value,
                           Cleanable* value_pinner) {
  if (sequence < covering_) [[unlikely]] {
    MarkCovered();
    return false;
  }
  if (state_ == kNotFound) {
    sequence_ = sequence;
    if (seq_ != nullptr) *seq_ = sequence;
  }
  switch (type) {
    case kTypeWideColumnEntity:
    case kTypeBlobIndex:
      (type == kTypeBlobIndex ? is_blob_ : is_entity_) = true;
      if (timestamps_ != nullptr && is_blob_) timestamps_->of_blob = timestamps_->last;
      [[fallthrough]];
    case kTypeValue:
      state_ = kFound;
      if (value_ == nullptr) return false;
      if (value_pinner != nullptr) {
        value_->PinSlice(value, value_pinner);
      } else {
        if (!CopyInto(value_, value).ok()) state_ = kNoMemory;
      }
      return false;
    case kTypeDeletion:
    case kTypeSingleDeletion:
    case kTypeDeletionWithTimestamp:
      state_ = kDeleted;
      return false;
    case kTypeMerge:
      state_ = kMerge;
      if (operands_ == nullptr) return false;
      if (operands_->PushOlder(value, /*pinned=*/false)) return true;
      state_ = kDeleted;
      return false;
    default:
      state_ = kUnsupported;
      return false;
  }
}

}  // namespace cairn
