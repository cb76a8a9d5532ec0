// The cache-local Bloom filter of whole keys (RocksDB's FastLocalBloom), bit for bit.
//
//   filter    [line of 64 bytes]* | marker -1 | sub-implementation 0 | probes (low 5 bits),
//   log2(line / 64) (high 3) | 0 | 0
//
// A key's 64-bit hash h is XXPH3 of its bytes. The low half picks the line, (h_low * lines) >> 32.
// The high half makes the probes: each takes the top 9 bits of a 32-bit number as a bit of the
// line, and multiplies the number by the golden ratio for the next. So a query touches one cache
// line.
//
// BloomReader only borrows bytes: thread-safe, as everything here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/xxph3.h"
#include "cairn/compiler.h"
#include "rocksdb/slice.h"

namespace cairn {

inline uint64_t BloomHash(const Slice& key) { return XXPH3Hash64(key.data(), key.size()); }

// Bytes of a filter of so many keys.
size_t BloomSize(size_t keys, int millibits_per_key);

// The filter of these keys' hashes, with its 5 bytes of metadata. Empty without any: a filter that
// matches nothing. REQUIRES: millibits_per_key > 0
std::string BuildBloom(const std::vector<uint64_t>& hashes, int millibits_per_key);
// The same in at most `size` bytes. REQUIRES: they hold a line of 64 bytes
std::string BuildBloomOfSize(const std::vector<uint64_t>& hashes, size_t size);

// The share of keys not in a filter that it lets through.
double BloomFalsePositiveRate(int millibits_per_key);

class BloomReader {
 public:
  // Matches everything.
  BloomReader() = default;
  // `filter` must outlive this. A filter of another kind, or one that makes no sense, matches
  // everything.
  explicit BloomReader(const Slice& filter);

  bool MayMatch(const Slice& user_key) const {
    return lines_ == 0 ? !matches_nothing_ : MayMatchHash(BloomHash(user_key));
  }
  bool MayMatchAnyHash(uint64_t hash) const {
    return lines_ == 0 ? !matches_nothing_ : MayMatchHash(hash);
  }
  // Asks the processor for what MayMatchHash() touches.
  void Prefetch(uint64_t hash) const {
    if (lines_ != 0) compiler::Prefetch(LineOf(hash));
  }
  bool MayMatchHash(uint64_t hash) const {
    const char* line = LineOf(hash);
    uint32_t h = static_cast<uint32_t>(hash >> 32);
    for (int i = 0; i < probes_; ++i, h *= 0x9e3779b9u) {
      const uint32_t bit = h >> (32 - 9);
      if ((static_cast<unsigned char>(line[bit >> 3]) & (1u << (bit & 7))) == 0) return false;
    }
    return true;
  }
  // Does it ever say no?
  bool is_useful() const { return lines_ != 0 || matches_nothing_; }

 private:
  const char* LineOf(uint64_t hash) const {
    return data_ + ((uint64_t{static_cast<uint32_t>(hash)} * lines_) >> 32) * 64;
  }

  const char* data_ = nullptr;
  uint32_t lines_ = 0;
  int probes_ = 0;
  bool matches_nothing_ = false;
};

}  // namespace cairn
