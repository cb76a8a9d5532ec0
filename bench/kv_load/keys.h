// Which key a request is about, and what stands in its value.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "db_bench/generator.h"
#include "kv_bench/permutation.h"
#include "kv_load/zipf.h"

namespace kv_load {

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
  const kv_bench::Permutation order_;
  alignas(64) std::atomic<uint64_t> cursor_{0};
};

// Values that follow from the key's number, so that an answer can be checked without remembering
// what was written: eight bytes that no other number has, then a window into a common text. Copies
// share the text; each is used by one worker.
class Values {
 public:
  Values(double compression_ratio, size_t size) : text_(compression_ratio), size_(size) {}

  size_t size() const { return size_; }
  // size() bytes.
  void Write(char* to, uint64_t number);
  // Whether `piece` stands `offset` bytes from the beginning of the key's value.
  bool Matches(uint64_t number, uint64_t offset, std::string_view piece);

 private:
  static uint64_t StampOf(uint64_t number) { return (number + 1) * 0x9e3779b97f4a7c15u; }
  rocksdb::Slice WindowOf(uint64_t number);

  db_bench::ValueGenerator text_;
  const size_t size_;
};

}  // namespace kv_load
