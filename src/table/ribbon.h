// The Ribbon filter of whole keys (RocksDB's Standard128Ribbon), bit for bit.
//
// Each key demands one equation of a table of slots with `columns` bits each: of the 128 slots from
// its start on, those that its coefficients pick add up (xor) to the key's result. The filter is a
// solution of all equations at once; a key that was not added fits it by chance, once in 2^columns.
// So it takes columns bits for each slot, where a Bloom filter of the same rate takes 1.44 times as
// many.
//
//   filter   [segment of 16 bytes]* | marker -2 | seed | blocks (24 bits)
//   block    128 slots; a segment has one bit of each, so a block is as many segments as columns.
//            The first blocks have one column less than the others, so that any number of segments
//            is of use.
//
// The key's hash (bloom.h) is mixed with the seed and multiplied; its upper end picks the start.
// Multiplied once more it gives the coefficients and, from its other end, the result. A set of
// equations may have no solution; then another seed is tried.
//
// RibbonReader only borrows bytes: thread-safe, as everything here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

// Bytes of a filter of so many keys that lets through one in `one_in` others.
size_t RibbonSize(size_t keys, double one_in);

// The filter of these keys' hashes, with its 5 bytes of metadata, of at most `size` bytes. Empty:
// it cannot be made (no keys, too many, or no seed that works). Takes about 20 bytes a key while it
// works.
std::string BuildRibbon(const std::vector<uint64_t>& hashes, size_t size);

class RibbonReader {
 public:
  // Matches everything.
  RibbonReader() = default;
  // `filter` must outlive this. One that makes no sense matches everything.
  explicit RibbonReader(const Slice& filter);

  // Whether `filter` ends like one.
  static bool IsRibbon(const Slice& filter) {
    return filter.size() > 5 && filter[filter.size() - 5] == static_cast<char>(-2);
  }

  bool MayMatchHash(uint64_t hash) const;
  // Does it ever say no?
  bool is_useful() const { return columns_ != 0; }

 private:
  const char* data_ = nullptr;
  uint32_t seed_ = 0;  // mixed
  uint32_t starts_ = 0;
  uint32_t columns_ = 0;      // of the later blocks
  uint32_t fewer_until_ = 0;  // the blocks before have one column less
};

}  // namespace cairn
