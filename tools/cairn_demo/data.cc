#include "cairn_demo/data.h"

namespace demo {

namespace {

constexpr uint64_t kScramble =
    0x9e3779b97f4a7c15u;  // odd: multiplying by it modulo 2^64 is one to one
constexpr int kValueSize = 100;

// The inverse of an odd number modulo 2^64: each step of Newton's method doubles the number of
// right bits.
constexpr uint64_t Inverse(uint64_t odd) {
  uint64_t x = odd;
  for (int i = 0; i < 6; i++) x *= 2 - odd * x;
  return x;
}
static_assert(kScramble * Inverse(kScramble) == 1);

constexpr char kDigits[] = "0123456789abcdef";

}  // namespace

uint64_t Scatter(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::string KeyOf(uint64_t item) {
  const uint64_t scrambled = item * kScramble;
  std::string key(16, '0');
  for (int i = 0; i < 16; i++) key[i] = kDigits[(scrambled >> (60 - 4 * i)) & 15];
  return key;
}

bool ItemOfKey(const rocksdb::Slice& key, uint64_t* item) {
  if (key.size() != 16) return false;
  uint64_t scrambled = 0;
  for (size_t i = 0; i < 16; i++) {
    const char c = key[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return false;
    scrambled = scrambled << 4 | static_cast<uint64_t>(digit);
  }
  *item = scrambled * Inverse(kScramble);
  return true;
}

std::string ValueOf(uint64_t item) {
  std::string value;
  value.reserve(kValueSize);
  for (uint64_t word = 0; value.size() < kValueSize / 2; word++) {
    uint64_t bits = Scatter(item * 8 + word + 1);
    for (int i = 0; i < 8 && value.size() < kValueSize / 2; i++, bits >>= 8) {
      value.push_back(static_cast<char>(' ' + (bits & 63)));
    }
  }
  value += value;
  return value;
}

}  // namespace demo
