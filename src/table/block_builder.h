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

  // The finished block; valid until Reset().
  Slice Finish();

  // Bytes of the block if it were finished now, and with one entry more (about).
  size_t CurrentSize() const { return buffer_.size() + restarts_.size() * 4 + 4; }
  size_t SizeAfter(const Slice& key, const Slice& value) const;
  bool empty() const { return buffer_.empty(); }

 private:
  const int restart_interval_;
  const bool use_delta_encoding_;
  const bool values_delta_encoded_;
  std::string buffer_;
  std::vector<uint32_t> restarts_;
  int counter_ = 0;  // entries since the last restart point
  std::string last_key_;
};

}  // namespace cairn
