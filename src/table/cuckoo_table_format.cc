#include "table/cuckoo_table_format.h"

#include "base/coding.h"

namespace cairn {

namespace {

constexpr uint32_t kSeedOfFunction = 816922183;

// MurmurHash2 in its variant for 64 bits ("64A"), of Austin Appleby, who gave it to the public.
uint64_t Murmur64(const Slice& key, uint32_t seed) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995ull;
  constexpr int kShift = 47;
  uint64_t hash = seed ^ (key.size() * kMultiplier);
  const char* p = key.data();
  size_t left = key.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word = DecodeFixed64(p) * kMultiplier;
    word = (word ^ word >> kShift) * kMultiplier;
    hash = (hash ^ word) * kMultiplier;
  }
  if (left > 0) {
    uint64_t rest = 0;
    for (size_t i = 0; i < left; ++i) {
      rest |= uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
    }
    hash = (hash ^ rest) * kMultiplier;
  }
  hash = (hash ^ hash >> kShift) * kMultiplier;
  return hash ^ hash >> kShift;
}

}  // namespace

uint64_t CuckooHash::Bucket(const Slice& user_key, uint32_t function) const {
  const uint64_t hash = function == 0 && identity_first
                            ? DecodeFixed64(user_key.data())
                            : Murmur64(user_key, kSeedOfFunction * function);
  return by_modulo ? hash % size : hash & (size - 1);
}

}  // namespace cairn
