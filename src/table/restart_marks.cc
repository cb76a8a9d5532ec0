#include "table/restart_marks.h"

#include <algorithm>
#include <bit>

#include "table/block.h"
#include "table/key_prefix.h"

namespace cairn {

using block_internal::DecodeEntry;
using block_internal::MatchLength;

namespace {

// The user key of a restart point; false: it is not as it should be.
bool RestartKey(const char* data, const char* limit, uint32_t index, const char** entry,
                Slice* user_key) {
  *entry = block_internal::RestartPoint(data, limit, index);
  if (*entry == nullptr) return false;
  uint32_t shared, other, value_size;
  const char* const key = DecodeEntry(*entry, limit, &shared, &other, &value_size);
  if (key == nullptr || shared != 0 || other < kInternalKeyFooterSize) return false;
  *user_key = Slice(key, other - kInternalKeyFooterSize);
  return true;
}

}  // namespace

void RestartMarks::Make(const char* data, const char* limit, uint32_t num_restarts) {
  step_ = 0;
  const char* entry;
  Slice first, last;
  if (data >= limit || num_restarts == 0 ||
      !RestartKey(data, limit, num_restarts - 1, &entry, &last) ||
      !RestartKey(data, limit, 0, &entry, &first) || entry != data) {
    return;
  }
  const size_t common = MatchLength(first.data(), last.data(), std::min(first.size(), last.size()));
  common_ = static_cast<uint16_t>(std::min<size_t>(common, UINT16_MAX));
  first_key_at_ = static_cast<uint8_t>(first.data() - data);
  const uint32_t step = (num_restarts + kMarks) / (kMarks + 1);
  has_offsets_ = step == 1;
  count_ = 0;
  for (uint32_t at = step; at < num_restarts; at += step) {
    Slice key;
    if (!RestartKey(data, limit, at, &entry, &key)) return;
    const auto offset = static_cast<size_t>(entry - data);
    if (offset > UINT16_MAX) has_offsets_ = false;
    offsets_[count_] = static_cast<uint16_t>(offset);
    prefixes_[count_] = PrefixNumber<uint32_t>(key, common_);
    ++count_;
  }
  step_ = step;
}

RestartMarks::Range RestartMarks::Narrow(const char* data, uint32_t num_restarts,
                                         const Slice& user_key) const {
  Range range;
  range.high = num_restarts - 1;
  if (step_ == 0) return range;
  // The marks before `less` are of keys less than the target's, those from `greater` on of greater
  // ones.
  uint32_t less = 0;
  uint32_t greater = 0;
  const char* const begin = data + first_key_at_;
  const size_t same =
      MatchLength(begin, user_key.data(), std::min<size_t>(common_, user_key.size()));
  if (same == common_) [[likely]] {
    const uint32_t prefix = PrefixNumber<uint32_t>(user_key, common_);
    for (uint32_t i = 0; i < count_; ++i) {
      less += prefixes_[i] < prefix ? 1 : 0;
      greater += prefixes_[i] <= prefix ? 1 : 0;
    }
  } else if (same < user_key.size() &&
             static_cast<unsigned char>(user_key[same]) > static_cast<unsigned char>(begin[same])) {
    less = greater = count_;
  }
  range.low = less * step_;
  if (greater < count_) range.high = (greater + 1) * step_ - 1;
  if (range.low == range.high && (less == 0 || has_offsets_)) {
    range.offset = less == 0 ? 0 : offsets_[less - 1];
  }
  return range;
}

}  // namespace cairn
