#include "base/hash.h"

#include <xxhash.h>

#include "base/coding.h"

namespace cairn {

uint64_t Hash64(const char* data, size_t n, uint64_t seed) {
  return XXH3_64bits_withSeed(data, n, seed);
}

Hash128 Hash2x64(const char* data, size_t n, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(data, n, seed);
  return {hash.high64, hash.low64};
}

uint32_t Hash(const char* data, size_t n, uint32_t seed) {
  constexpr uint32_t kMultiplier = 0xc6a4a793u;
  constexpr int kShift = 24;
  uint32_t h = seed ^ static_cast<uint32_t>(n * kMultiplier);
  for (; n >= 4; data += 4, n -= 4) {
    h += DecodeFixed32(data);
    h *= kMultiplier;
    h ^= h >> 16;
  }
  if (n > 0) {
    // The format's oddity: the last bytes count as signed.
    for (size_t i = 0; i < n; i++) {
      h += static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(data[i])))
           << (8 * i);
    }
    h *= kMultiplier;
    h ^= h >> kShift;
  }
  return h;
}

}  // namespace cairn
