// Which key an operation is about: numbers below a bound, drawn by one of four laws.
#pragma once

#include <atomic>
#include <cstdint>

#include "db_bench/generator.h"
#include "support/permutation.h"
#include "support/zipf.h"

namespace bench {

enum class Distribution {
  kUniform,
  kZipfian,     // a few keys are asked for often; they lie all over the key space
  kLatest,      // writes go through the key space in order, reads prefer what was written last
  kSequential,  // one after the other, over and over
};

// What all connections share.
class KeySpace {
 public:
  KeySpace(uint64_t keys, Distribution distribution, double theta)
      : keys_(keys), distribution_(distribution), zipf_(keys, theta), order_(keys) {}

  // The next request's key number. Any thread, with a generator of its own.
  uint64_t Next(bool writes, db_bench::Random* random) {
    switch (distribution_) {
      case Distribution::kUniform:
        return random->Uniform(keys_);
      case Distribution::kZipfian:
        return order_.Of(zipf_.Next(random));
      case Distribution::kLatest: {
        if (writes) return Advance();
        const uint64_t last = cursor_.load(std::memory_order_relaxed) + keys_ - 1;
        return (last - zipf_.Next(random)) % keys_;
      }
      case Distribution::kSequential:
        return Advance();
    }
    return 0;
  }
  // The `i`-th key to be loaded; each is met once.
  uint64_t LoadOrder(uint64_t i) const {
    return distribution_ == Distribution::kSequential ? i : order_.Of(i);
  }
  uint64_t keys() const { return keys_; }

 private:
  // Relaxed: the number orders nothing else.
  uint64_t Advance() { return cursor_.fetch_add(1, std::memory_order_relaxed) % keys_; }

  const uint64_t keys_;
  const Distribution distribution_;
  const Zipf zipf_;
  const Permutation order_;
  alignas(64) std::atomic<uint64_t> cursor_{0};
};

}  // namespace bench
