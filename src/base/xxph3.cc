// The preview XXH3. What follows is the algorithm from its published description and the constants
// of the xxHash family (https://github.com/Cyan4973/xxHash), in the state of its version 0.7.2. It
// differs from the final one in the short lengths, in the final mix's multiplier, in the
// accumulation of stripes (own lane, not the neighbour's) and in how the last stripe is taken.
#include "base/xxph3.h"

#include <array>
#include <cstring>

#include "base/coding.h"
#include "cairn/compiler.h"

namespace cairn {

namespace {

constexpr uint64_t kPrime32_1 = 0x9E3779B1u;
constexpr uint64_t kPrime32_2 = 0x85EBCA77u;
constexpr uint64_t kPrime32_3 = 0xC2B2AE3Du;
constexpr uint64_t kPrime64_1 = 0x9E3779B185EBCA87ull;
constexpr uint64_t kPrime64_2 = 0xC2B2AE3D27D4EB4Full;
constexpr uint64_t kPrime64_3 = 0x165667B19E3779F9ull;
constexpr uint64_t kPrime64_4 = 0x85EBCA77C2B2AE63ull;
constexpr uint64_t kPrime64_5 = 0x27D4EB2F165667C5ull;

// The family's default secret.
constexpr size_t kSecretSize = 192;
alignas(64) constexpr unsigned char kSecretBytes[kSecretSize] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};
const char* const kSecret = reinterpret_cast<const char*>(kSecretBytes);

constexpr size_t kStripe = 64;     // bytes consumed at once by eight lanes
constexpr size_t kSecretStep = 8;  // the secret moves on by this much for each stripe
constexpr size_t kStripesPerBlock = (kSecretSize - kStripe) / kSecretStep;
constexpr size_t kBlock = kStripe * kStripesPerBlock;

// The 128-bit product's halves, xored.
uint64_t MultiplyFold(uint64_t a, uint64_t b) { return (a * b) ^ compiler::MultiplyHigh(a, b); }

uint64_t Avalanche(uint64_t h) {
  h ^= h >> 37;
  h *= kPrime64_3;
  h ^= h >> 32;
  return h;
}

uint64_t Mix16(const char* data, const char* secret) {
  return MultiplyFold(DecodeFixed64(data) ^ DecodeFixed64(secret),
                      DecodeFixed64(data + 8) ^ DecodeFixed64(secret + 8));
}

uint64_t HashUpTo16(const char* data, size_t n) {
  if (n > 8) {
    const uint64_t low = DecodeFixed64(data) ^ DecodeFixed64(kSecret);
    const uint64_t high = DecodeFixed64(data + n - 8) ^ DecodeFixed64(kSecret + 8);
    return Avalanche(n + (low + high) + MultiplyFold(low, high));
  }
  if (n >= 4) {
    const uint64_t word =
        DecodeFixed32(data) + (static_cast<uint64_t>(DecodeFixed32(data + n - 4)) << 32);
    const uint64_t keyed = word ^ DecodeFixed64(kSecret);
    const uint64_t mixed = n + (keyed ^ (keyed >> 51)) * kPrime32_1;
    return Avalanche((mixed ^ (mixed >> 47)) * kPrime64_2);
  }
  if (n > 0) {
    const auto byte = [data](size_t i) {
      return static_cast<uint32_t>(static_cast<unsigned char>(data[i]));
    };
    const uint32_t word =
        byte(0) | byte(n >> 1) << 8 | byte(n - 1) << 16 | static_cast<uint32_t>(n) << 24;
    return Avalanche((uint64_t{word} ^ DecodeFixed32(kSecret)) * kPrime64_1);
  }
  // RocksDB's own choice: 0, as the preview had it, is a bad hash.
  return MultiplyFold(DecodeFixed64(kSecret), kPrime64_2);
}

uint64_t Hash17To128(const char* data, size_t n) {
  uint64_t acc = n * kPrime64_1;
  // Pairs of 16 bytes from both ends, from the middle outward.
  for (size_t i = (n - 1) / 32 + 1; i-- > 0;) {
    acc += Mix16(data + 16 * i, kSecret + 32 * i);
    acc += Mix16(data + n - 16 * (i + 1), kSecret + 32 * i + 16);
  }
  return Avalanche(acc);
}

uint64_t Hash129To240(const char* data, size_t n) {
  constexpr size_t kFirstRounds = 8;
  constexpr size_t kStartOffset = 3;
  constexpr size_t kLastOffset = 17;
  constexpr size_t kSecretMinSize = 136;
  uint64_t acc = n * kPrime64_1;
  for (size_t i = 0; i < kFirstRounds; i++) acc += Mix16(data + 16 * i, kSecret + 16 * i);
  acc = Avalanche(acc);
  for (size_t i = kFirstRounds; i < n / 16; i++) {
    acc += Mix16(data + 16 * i, kSecret + 16 * (i - kFirstRounds) + kStartOffset);
  }
  acc += Mix16(data + n - 16, kSecret + kSecretMinSize - kLastOffset);
  return Avalanche(acc);
}

using Lanes = std::array<uint64_t, 8>;

void AccumulateStripe(Lanes* lanes, const char* data, const char* secret) {
  for (size_t i = 0; i < lanes->size(); i++) {
    const uint64_t word = DecodeFixed64(data + 8 * i);
    const uint64_t keyed = word ^ DecodeFixed64(secret + 8 * i);
    (*lanes)[i] += word + (keyed & 0xffffffffu) * (keyed >> 32);
  }
}

void Accumulate(Lanes* lanes, const char* data, size_t stripes) {
  for (size_t i = 0; i < stripes; i++) {
    AccumulateStripe(lanes, data + kStripe * i, kSecret + kSecretStep * i);
  }
}

void Scramble(Lanes* lanes) {
  const char* secret = kSecret + kSecretSize - kStripe;
  for (size_t i = 0; i < lanes->size(); i++) {
    uint64_t& lane = (*lanes)[i];
    lane = (lane ^ (lane >> 47) ^ DecodeFixed64(secret + 8 * i)) * kPrime32_1;
  }
}

uint64_t HashLong(const char* data, size_t n) {
  constexpr size_t kLastStripeSecret = kSecretSize - kStripe - 7;
  constexpr size_t kMergeSecret = 11;
  Lanes lanes = {kPrime32_3, kPrime64_1, kPrime64_2, kPrime64_3,
                 kPrime64_4, kPrime32_2, kPrime64_5, kPrime32_1};
  const size_t blocks = n / kBlock;
  for (size_t i = 0; i < blocks; i++) {
    Accumulate(&lanes, data + kBlock * i, kStripesPerBlock);
    Scramble(&lanes);
  }
  Accumulate(&lanes, data + kBlock * blocks, (n - kBlock * blocks) / kStripe);
  if (n % kStripe != 0) AccumulateStripe(&lanes, data + n - kStripe, kSecret + kLastStripeSecret);

  uint64_t result = n * kPrime64_1;
  for (size_t i = 0; i < 4; i++) {
    const char* secret = kSecret + kMergeSecret + 16 * i;
    result += MultiplyFold(lanes[2 * i] ^ DecodeFixed64(secret),
                           lanes[2 * i + 1] ^ DecodeFixed64(secret + 8));
  }
  return Avalanche(result);
}

}  // namespace

uint64_t XXPH3Hash64(const char* data, size_t n) {
  if (n <= 16) return HashUpTo16(data, n);
  if (n <= 128) return Hash17To128(data, n);
  if (n <= 240) return Hash129To240(data, n);
  return HashLong(data, n);
}

}  // namespace cairn
