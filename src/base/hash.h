// Hash functions for memory (shards, tables), and XXH3 in its final form, which files contain, too
// (unique ids). The others that files contain are in xxph3.h and in table/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "cairn/compiler.h"
#include "rocksdb/slice.h"

namespace cairn {

// XXH3, 64 bits.
uint64_t Hash64(const char* data, size_t n, uint64_t seed = 0);
// The same of bytes that lie in several places.
uint64_t HashParts64(const SliceParts& parts, uint64_t seed);
inline uint64_t HashSlice64(const Slice& s) { return Hash64(s.data(), s.size()); }

// XXH3, 128 bits.
struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
};
Hash128 Hash2x64(const char* data, size_t n, uint64_t seed = 0);

// LevelDB's 32-bit hash (a Murmur relative), which the oldest filters use. Part of a format: never
// change it.
uint32_t Hash(const char* data, size_t n, uint32_t seed);

// The upper half of the product: maps a uniform 32-bit hash to [0, range) without a division.
inline uint32_t FastRange32(uint32_t hash, uint32_t range) {
  return static_cast<uint32_t>((uint64_t{hash} * range) >> 32);
}
inline uint64_t FastRange64(uint64_t hash, uint64_t range) {
  return compiler::MultiplyHigh(hash, range);
}

}  // namespace cairn
