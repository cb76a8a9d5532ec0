#include "db_bench/generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "cairn/compiler.h"

namespace db_bench {

namespace {

constexpr size_t kPiece = 100;
constexpr size_t kTextSize = 1 << 20;

// splitmix64, to spread a small seed over the whole state.
uint64_t Spread(uint64_t* seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) word = Spread(&seed);
}

double Random::Normal() {
  const double radius = std::sqrt(-2 * std::log(1 - Fraction()));
  return radius * std::cos(2 * std::numbers::pi * Fraction());
}

rocksdb::Slice KeyBuffer::Set(uint64_t number) {
  const uint64_t big_endian = cairn::compiler::ByteSwap(number);
  const char* bytes = reinterpret_cast<const char*>(&big_endian);
  const size_t used = std::min<size_t>(key_.size(), sizeof(big_endian));
  std::memcpy(key_.data(), bytes + sizeof(big_endian) - used, used);
  return rocksdb::Slice(key_);
}

rocksdb::Slice KeyBuffer::SetMissing(uint64_t number) {
  Set(number);
  missing_ = key_;
  missing_.push_back('.');
  return rocksdb::Slice(missing_);
}

ValueGenerator::ValueGenerator(double compression_ratio)
    : compression_ratio_(compression_ratio), random_(301) {
  Grow(kTextSize);
}

void ValueGenerator::Grow(size_t size) {
  const auto raw =
      std::max<size_t>(1, static_cast<size_t>(kPiece * std::clamp(compression_ratio_, 0.0, 1.0)));
  auto data = std::make_shared<std::string>();
  data->reserve(size + kPiece);
  while (data->size() < size) {
    const size_t piece = data->size();
    for (size_t i = 0; i < kPiece; i++) {
      data->push_back(i < raw ? static_cast<char>(' ' + random_.Uniform(95))
                              : (*data)[piece + i - raw]);
    }
  }
  data_ = std::move(data);
}

}  // namespace db_bench
