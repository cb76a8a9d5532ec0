#include "base/hash.h"

#define XXH_STATIC_LINKING_ONLY  // for a state that is a variable
#include <xxhash.h>

#include "base/coding.h"

namespace cairn {

uint64_t Hash64(const char* data, size_t n, uint64_t seed) {
  return XXH3_64bits_withSeed(data, n, seed);
}

uint64_t HashParts64(const SliceParts& parts, uint64_t seed) {
  if (parts.num_parts == 1) return Hash64(parts.parts[0].data(), parts.parts[0].size(), seed);
  XXH3_state_t state;
  XXH3_64bits_reset_withSeed(&state, seed);
  for (int i = 0; i < parts.num_parts; ++i) {
    XXH3_64bits_update(&state, parts.parts[i].data(), parts.parts[i].size());
  }
  return XXH3_64bits_digest(&state);
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
