// An order of the numbers below n that looks random and meets each once: a Feistel network over the
// next power of four, whose results that are too large go through it again. Other seeds give other
// orders. Constant after construction.
#pragma once

#include <bit>
#include <cstdint>

namespace bench {

class Permutation {
 public:
  explicit Permutation(uint64_t n, uint64_t seed = 0)
      : n_(n),
        seed_(Mix(seed)),
        half_bits_(n <= 4 ? 1 : (std::bit_width(n - 1) + 1) / 2),
        mask_((uint64_t{1} << half_bits_) - 1) {}

  // `i` below n.
  uint64_t Of(uint64_t i) const {
    do {
      uint64_t left = i >> half_bits_;
      uint64_t right = i & mask_;
      for (uint64_t round = 1; round <= 4; ++round) {
        const uint64_t next = left ^ (Mix((right + (round << 32)) ^ seed_) & mask_);
        left = right;
        right = next;
      }
      i = left << half_bits_ | right;
    } while (i >= n_);
    return i;
  }

 private:
  // The finisher of MurmurHash3 (Appleby, public domain).
  static uint64_t Mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccd;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53;
    return x ^ x >> 33;
  }

  const uint64_t n_;
  const uint64_t seed_;
  const int half_bits_;
  const uint64_t mask_;
};

}  // namespace bench
