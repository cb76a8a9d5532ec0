// Random64: a small seeded generator (xoshiro256**, by Blackman and Vigna, public domain) for
// skip-list heights, benchmarks and tests. Not for cryptography. Not thread-safe. Seed it from
// fiber::random_u64() where no seed is to be repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "base/namespace.h"
#include "cairn/compiler.h"

namespace cairn {

class Random64 {
 public:
  using result_type =
      uint64_t;  // with min(), max() and (): a generator for <random> and std::shuffle

  explicit Random64(uint64_t seed) {
    // splitmix64 spreads any seed, 0 too, over the whole state.
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15ull;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      word = z ^ (z >> 31);
    }
  }

  uint64_t Next() {
    const uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  // 0 .. n-1. REQUIRES: n > 0
  uint64_t Uniform(uint64_t n) { return compiler::MultiplyHigh(Next(), n); }
  // True once in n times.
  bool OneIn(uint64_t n) { return Uniform(n) == 0; }
  // 0 <= x < 1
  double NextDouble() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  // A number of up to max_log bits, small ones more often: the number of bits is uniform.
  uint64_t Skewed(int max_log) { return Uniform(uint64_t{1} << Uniform(max_log + 1)); }

  // n bytes of any value; of printable characters.
  std::string RandomBinaryString(size_t n);
  std::string RandomString(size_t n);

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return std::numeric_limits<uint64_t>::max(); }
  uint64_t operator()() { return Next(); }

 private:
  static uint64_t Rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }
  uint64_t state_[4];
};

}  // namespace cairn
