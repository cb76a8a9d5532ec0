// BlockBuilder: the prefix-compressed block that data, index, metaindex and properties share.
//
//   entry     shared key bytes (varint32) | other key bytes (varint32) | value size (varint32,
//   absent with delta-encoded
//             values) | other key bytes | value
//   block     [entry]* [restart offset (fixed32)]* [hash index] restart count (fixed32)
//
// The hash index, of data blocks only, tells a lookup in which restart interval a user key is.
// Where there is one, the restart count has its highest bit set (block_footer, which has what other
// writers say there).
//
//   hash index   [bucket (1 byte)]* bucket count (fixed16)
//   bucket       the number of the restart interval of all keys that hash to it; 254: they are in
//                several; 255: there is none
//
// Every `restart_interval` entries a key is stored whole (shared = 0) and its offset is a restart
// point. Keys are anything whose common prefixes pay: the builder does not know an order. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

// The last word of a block: its restart count, and what is special about it.
namespace block_footer {

inline constexpr uint32_t kHashIndex = 1u << 31;
// Unknown to any reader.
inline constexpr uint32_t kReserved = 1u << 30;
// (RocksDB 11.) The keys are about evenly spread: a hint for the search.
inline constexpr uint32_t kEvenKeys = 1u << 29;
// (RocksDB 11.) separated_block.h.
inline constexpr uint32_t kSeparateValues = 1u << 28;
inline constexpr uint32_t kCountMask = kSeparateValues - 1;

}  // namespace block_footer

namespace block_hash {

inline constexpr uint32_t kFlag = block_footer::kHashIndex;
inline constexpr uint8_t kSeveral = 254;
inline constexpr uint8_t kNone = 255;
inline constexpr size_t kMaxRestarts = 254;
// With more, the restart count's flag would be a part of it.
inline constexpr size_t kMaxBlockSize = 1u << 16;
inline uint32_t HashOf(const Slice& user_key) {
  return Hash(user_key.data(), user_key.size(), /*seed=*/397);
}

}  // namespace block_hash

class BlockBuilder {
 public:
  // `use_delta_encoding` false: every key is stored whole. `values_delta_encoded`: an index block
  // whose values say their own length; see Add.
  explicit BlockBuilder(int restart_interval, bool use_delta_encoding = true,
                        bool values_delta_encoded = false);

  // From the next block on: with a hash index, of one bucket for so many keys.
  void EnableHashIndex(double keys_per_bucket) { buckets_per_key_ = 1 / keys_per_bucket; }

  void Reset();

  // The user key of the entry that was added last.
  void AddToHashIndex(const Slice& user_key) {
    if (buckets_per_key_ == 0) return;
    hashes_.emplace_back(block_hash::HashOf(user_key), static_cast<uint32_t>(restarts_.size() - 1));
  }

  // `delta_value`: what to store instead of `value` when the key shares bytes with the one before
  // (delta-encoded values only; null otherwise).
  void Add(const Slice& key, const Slice& value, const Slice* delta_value = nullptr);

  // The same without delta-encoded values, for a caller that knows by itself how many bytes `key`
  // shares with the key before (any number, if this is the block's first).
  void AddKnowingPrefix(const Slice& key, const Slice& value, size_t common) {
    Append(key, value, RestartIfDue() || !use_delta_encoding_ ? 0 : common, /*has_size=*/true);
  }

  // Makes room for one entry more. False: there is no memory.
  [[nodiscard]] bool HasRoomFor(const Slice& key, const Slice& value);

  // The finished block; valid until Reset().
  Slice Finish();

  // Bytes of the block if it were finished now, and with one entry more (about).
  size_t CurrentSize() const { return size_ + restarts_.size() * 4 + 4 + HashIndexSize(); }
  size_t SizeAfter(const Slice& key, const Slice& value) const;
  bool empty() const { return size_ == 0; }

 private:
  // 0: this block gets none.
  size_t HashIndexBuckets() const {
    if (hashes_.empty() || restarts_.size() > block_hash::kMaxRestarts) return 0;
    // An odd number spreads the keys better.
    return static_cast<size_t>(static_cast<double>(hashes_.size()) * buckets_per_key_) | 1;
  }
  size_t HashIndexSize() const {
    const size_t buckets = HashIndexBuckets();
    return buckets == 0 ? 0 : buckets + 2;
  }
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
  double buckets_per_key_ = 0;                         // of the hash index; 0: none
  std::vector<std::pair<uint32_t, uint32_t>> hashes_;  // a key's hash, and its restart interval
  int counter_ = 0;                                    // entries since the last restart point
  std::string last_key_;                               // of Add
};

}  // namespace cairn
