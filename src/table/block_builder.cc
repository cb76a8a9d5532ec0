#include "table/block_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "table/block.h"

namespace cairn {

BlockBuilder::BlockBuilder(int restart_interval, bool use_delta_encoding, bool values_delta_encoded)
    : restart_interval_(std::max(1, restart_interval)),
      use_delta_encoding_(use_delta_encoding),
      values_delta_encoded_(values_delta_encoded),
      restarts_(1, 0) {}

void BlockBuilder::Reset() {
  size_ = 0;
  restarts_.assign(1, 0);
  counter_ = 0;
  hashes_.clear();
  last_key_.clear();
}

size_t BlockBuilder::SizeAfter(const Slice& key, const Slice& value) const {
  size_t size = CurrentSize() + key.size() + value.size();
  if (counter_ >= restart_interval_) size += 4;
  return size + 4 + static_cast<size_t>(VarintLength(key.size())) +
         static_cast<size_t>(VarintLength(value.size()));
}

void BlockBuilder::Grow(size_t more) {
  constexpr size_t kLarge = 64 << 20;  // no block of many entries is, and none needs twice of it
  const size_t ample = capacity_ < kLarge ? std::max<size_t>(2 * capacity_, 1024) : 0;
  const size_t capacity = std::max(size_ + more, ample);
  auto bigger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(bigger.get(), buffer_.get(), size_);
  buffer_ = std::move(bigger);
  capacity_ = capacity;
}

bool BlockBuilder::HasRoomFor(const Slice& key, const Slice& value) {
  // With what Finish() adds behind one large entry.
  const size_t more = key.size() + value.size() + 1024;
  if (more <= capacity_ - size_) return true;
  return WithMemory(size_ + more, [&] { Grow(more); });
}

bool BlockBuilder::RestartIfDue() {
  if (counter_ >= restart_interval_) {
    restarts_.push_back(static_cast<uint32_t>(size_));
    counter_ = 0;
  }
  return counter_++ == 0;
}

void BlockBuilder::Append(const Slice& key, const Slice& value, size_t shared, bool has_size) {
  const size_t other = key.size() - shared;
  Reserve(3 * kMaxVarint32Length + other + value.size());
  char* p = buffer_.get() + size_;
  if ((shared | other | value.size()) < 128) [[likely]] {
    *p++ = static_cast<char>(shared);
    *p++ = static_cast<char>(other);
    if (has_size) *p++ = static_cast<char>(value.size());
  } else {
    p = EncodeVarint32(p, static_cast<uint32_t>(shared));
    p = EncodeVarint32(p, static_cast<uint32_t>(other));
    if (has_size) p = EncodeVarint32(p, static_cast<uint32_t>(value.size()));
  }
  std::memcpy(p, key.data() + shared, other);
  p += other;
  std::memcpy(p, value.data(), value.size());
  p += value.size();
  size_ = static_cast<size_t>(p - buffer_.get());
}

void BlockBuilder::Add(const Slice& key, const Slice& value, const Slice* delta_value) {
  size_t shared = 0;
  if (!RestartIfDue() && use_delta_encoding_) {
    shared = block_internal::MatchLength(last_key_.data(), key.data(),
                                         std::min(last_key_.size(), key.size()));
  }
  // A reader tells the two forms of a delta-encoded value by shared != 0.
  const Slice& stored = values_delta_encoded_ && shared != 0 ? *delta_value : value;
  Append(key, stored, shared, !values_delta_encoded_);
  if (use_delta_encoding_) last_key_.assign(key.data(), key.size());
}

Slice BlockBuilder::Finish() {
  const size_t buckets = CurrentSize() <= block_hash::kMaxBlockSize ? HashIndexBuckets() : 0;
  Reserve((restarts_.size() + 1) * 4 + buckets + 2);
  char* p = buffer_.get() + size_;
  for (const uint32_t offset : restarts_) {
    EncodeFixed32(p, offset);
    p += 4;
  }
  auto count = static_cast<uint32_t>(restarts_.size());
  if (buckets > 0) {
    auto* const bucket = reinterpret_cast<unsigned char*>(p);
    std::fill_n(bucket, buckets, block_hash::kNone);
    for (const auto& [hash, restart] : hashes_) {
      unsigned char& b = bucket[hash % buckets];
      if (b == block_hash::kNone) {
        b = static_cast<unsigned char>(restart);
      } else if (b != restart) {
        b = block_hash::kSeveral;
      }
    }
    p += buckets;
    *p++ = static_cast<char>(buckets);
    *p++ = static_cast<char>(buckets >> 8);
    count |= block_hash::kFlag;
  }
  EncodeFixed32(p, count);
  size_ = static_cast<size_t>(p + 4 - buffer_.get());
  return Slice(buffer_.get(), size_);
}

}  // namespace cairn
