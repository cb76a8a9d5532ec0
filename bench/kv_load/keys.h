// What stands in the values of the keys that requests are about.
#pragma once

#include <cstdint>
#include <string_view>

#include "db_bench/generator.h"
#include "support/key_space.h"

namespace kv_load {

using bench::Distribution;
using bench::KeySpace;

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
