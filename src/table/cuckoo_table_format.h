// Cuckoo tables: one hash table of buckets of one size, for lookups alone.
//
//   file      [bucket]* [properties] [metaindex] [footer]   (flat_table.h)
//   bucket    key | value; all keys have one size, and all values. A deletion has a value, too,
//             which says nothing. One without an entry has the key that the properties tell.
//   key       an internal key; or the user key alone, if all entries are values of sequence
//             number 0 (the property islastlevel)
//
// An entry is in one of the buckets that the hash functions give its user key, or in one of the
// cuckoo_block_size - 1 behind it: in the first of them, in that order, that was not taken when it
// came. So a lookup ends at the first empty one. There are hash.size + cuckoo_block_size - 1
// buckets. Stateless: thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

// At most so many hash functions.
inline constexpr uint32_t kMaxCuckooHashes = 64;
// The buckets' numbers have 32 bits.
inline constexpr uint64_t kMaxCuckooBuckets = UINT32_MAX - 1;

// How keys are hashed.
struct CuckooHash {
  bool by_modulo = true;        // else `size` is a power of 2
  bool identity_first = false;  // the first function takes the key's first 8 bytes as they are
  uint64_t size = 0;            // not 0

  // The first bucket of function `function` for the key: less than `size`.
  uint64_t Bucket(const Slice& user_key, uint32_t function) const;
};

inline constexpr size_t kIdentitySize = 8;  // bytes that a key needs for identity_first

}  // namespace cairn
