// BlockBuilder: the prefix-compressed block that data, index, metaindex and properties share.
//
//   entry     shared key bytes (varint32) | other key bytes (varint32) | value size (varint32,
//   absent with delta-encoded
//             values) | other key bytes | value
//   block     [entry]* [restart offset (fixed32)]* restart count (fixed32)
//
// Every `restart_interval` entries a key is stored whole (shared = 0) and its offset is a restart
// point. Keys are anything whose common prefixes pay: the builder does not know an order. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class BlockBuilder {
 public:
  // `use_delta_encoding` false: every key is stored whole. `values_delta_encoded`: an index block
  // whose values say their own length; see Add.
  explicit BlockBuilder(int restart_interval, bool use_delta_encoding = true,
                        bool values_delta_encoded = false);

  void Reset();

  // `delta_value`: what to store instead of `value` when the key shares bytes with the one before
  // (delta-encoded values only; null otherwise).
  void Add(const Slice& key, const Slice& value, const Slice* delta_value = nullptr);

  // The same without delta-encoded values, for a caller that knows by itself how many bytes `key`
  // shares with the key before (any number, if this is the block's first).
  void AddKnowingPrefix(const Slice& key, const Slice& value, size_t common) {
    Append(key, value, RestartIfDue() || !use_delta_encoding_ ? 0 : common, /*has_size=*/true);
  }

  // The finished block; valid until Reset().
  Slice Finish();

  // Bytes of the block if it were finished now, and with one entry more (about).
  size_t CurrentSize() const { return size_ + restarts_.size() * 4 + 4; }
  size_t SizeAfter(const Slice& key, const Slice& value) const;
  bool empty() const { return size_ == 0; }

 private:
  // Whether the next entry stores its key whole.
  bool RestartIfDue();
  void Append(const Slice& key, const Slice& value, size_t shared, bool has_size);
  void Reserve(size_t more) {
    if (more > capacity_ - size_) [[unlikely]]
      Grow(more);
  }
  void Grow(size_t more);

  const int restart_interval_;
  const bool use_delta_encoding_;
  const bool values_delta_encoded_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t size_ = 0;
  std::vector<uint32_t> restarts_;
  int counter_ = 0;       // entries since the last restart point
  std::string last_key_;  // of Add
};

}  // namespace cairn
