// Random numbers, keys and values of the workloads. Each client has its own; none is thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/slice.h"

namespace db_bench {

// A small, fast generator (xoshiro256**, Blackman and Vigna 2018): equal seeds give equal numbers
// on every machine.
class Random {
 public:
  explicit Random(uint64_t seed);

  uint64_t Next() {
    const uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }
  // In [0, n), n > 0: the high half of a 128-bit product, without a division.
  uint64_t Uniform(uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * n) >> 64);
  }

  // In [0, 1), all 53 bits of it.
  double Fraction() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // Of mean 0 and standard deviation 1 (Box and Muller 1958; one of the two).
  double Normal();

 private:
  static uint64_t Rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  uint64_t state_[4];
};

// One key's buffer: the number in big-endian order (so that numeric order is key order), cut to its
// low bytes if the key is shorter than 8 bytes, padded with '0' if it is longer.
class KeyBuffer {
 public:
  explicit KeyBuffer(size_t key_size) : key_(key_size, '0') {}

  rocksdb::Slice Set(uint64_t number);
  // A key of the same order position that no workload writes: one byte longer.
  rocksdb::Slice SetMissing(uint64_t number);

 private:
  std::string key_;
  std::string missing_;
};

// Values that compress to about `compression_ratio` of their size: windows into one megabyte of
// text in which each piece of 100 bytes repeats its first part. A copy shares the text; copies may
// be used from different threads.
class ValueGenerator {
 public:
  explicit ValueGenerator(double compression_ratio);

  // Valid until the generator goes.
  rocksdb::Slice Next(size_t size) {
    if (position_ + size > data_->size()) {
      position_ = 0;
      if (size > data_->size()) Grow(size);
    }
    const size_t start = position_;
    position_ += size;
    return rocksdb::Slice(data_->data() + start, size);
  }
  // Always the same one.
  rocksdb::Slice First(size_t size) {
    if (size > data_->size()) Grow(size);
    return rocksdb::Slice(data_->data(), size);
  }
  // Goes on from anywhere in the text, as `number` says.
  void Jump(uint64_t number) { position_ = number % data_->size(); }

 private:
  // Takes a text of its own, of at least `size` bytes.
  void Grow(size_t size);

  double compression_ratio_;
  Random random_;
  std::shared_ptr<const std::string> data_;
  size_t position_ = 0;
};

}  // namespace db_bench
