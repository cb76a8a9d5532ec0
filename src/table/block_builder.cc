#include "table/block_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/coding.h"

namespace cairn {

namespace {

size_t SharedPrefix(const char* a, size_t a_size, const char* b, size_t b_size) {
  const size_t n = std::min(a_size, b_size);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t x, y;
    std::memcpy(&x, a + i, 8);
    std::memcpy(&y, b + i, 8);
    if (x != y) {
      if constexpr (std::endian::native == std::endian::little) {
        return i + static_cast<size_t>(__builtin_ctzll(x ^ y)) / 8;
      }
      break;
    }
  }
  while (i < n && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

BlockBuilder::BlockBuilder(int restart_interval, bool use_delta_encoding, bool values_delta_encoded)
    : restart_interval_(std::max(1, restart_interval)),
      use_delta_encoding_(use_delta_encoding),
      values_delta_encoded_(values_delta_encoded),
      restarts_(1, 0) {}

void BlockBuilder::Reset() {
  buffer_.clear();
  restarts_.assign(1, 0);
  counter_ = 0;
  last_key_.clear();
}

size_t BlockBuilder::SizeAfter(const Slice& key, const Slice& value) const {
  size_t size = CurrentSize() + key.size() + value.size();
  if (counter_ >= restart_interval_) size += 4;
  return size + 4 + static_cast<size_t>(VarintLength(key.size())) +
         static_cast<size_t>(VarintLength(value.size()));
}

void BlockBuilder::Add(const Slice& key, const Slice& value, const Slice* delta_value) {
  size_t shared = 0;
  if (counter_ >= restart_interval_) {
    restarts_.push_back(static_cast<uint32_t>(buffer_.size()));
    counter_ = 0;
  } else if (use_delta_encoding_ && counter_ > 0) {
    shared = SharedPrefix(last_key_.data(), last_key_.size(), key.data(), key.size());
  }
  const size_t other = key.size() - shared;
  char header[15];
  char* p = EncodeVarint32(header, static_cast<uint32_t>(shared));
  p = EncodeVarint32(p, static_cast<uint32_t>(other));
  if (!values_delta_encoded_) p = EncodeVarint32(p, static_cast<uint32_t>(value.size()));
  buffer_.append(header, static_cast<size_t>(p - header));
  buffer_.append(key.data() + shared, other);
  // A reader tells the two forms of a delta-encoded value by shared != 0.
  const Slice& stored = values_delta_encoded_ && shared != 0 ? *delta_value : value;
  buffer_.append(stored.data(), stored.size());
  ++counter_;
  if (use_delta_encoding_) {
    last_key_.resize(shared);
    last_key_.append(key.data() + shared, other);
  }
}

Slice BlockBuilder::Finish() {
  for (const uint32_t offset : restarts_) PutFixed32(&buffer_, offset);
  PutFixed32(&buffer_, static_cast<uint32_t>(restarts_.size()));
  return buffer_;
}

}  // namespace cairn
