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
// BloomBuilder is made and used by one table builder. BloomReader only borrows bytes: thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/xxph3.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"

namespace cairn {

inline uint64_t BloomHash(const Slice& key) { return XXPH3Hash64(key.data(), key.size()); }

// What the policies that NewBloomFilterPolicy and NewRibbonFilterPolicy return are made of. 0: no
// filter.
int MillibitsPerKey(const FilterPolicy* policy);

class BloomBuilder {
 public:
  explicit BloomBuilder(int millibits_per_key) : millibits_per_key_(millibits_per_key) {}

  // Equal keys must come one after another to be counted once.
  void AddKey(const Slice& user_key) {
    const uint64_t hash = BloomHash(user_key);
    if (hashes_.empty() || hashes_.back() != hash) hashes_.push_back(hash);
  }
  size_t num_entries() const { return hashes_.size(); }
  size_t EstimatedSize() const;

  // The filter with its 5 bytes of metadata. Empty without keys: a filter that matches nothing.
  std::string Finish();

 private:
  const int millibits_per_key_;
  std::vector<uint64_t> hashes_;
};

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
  bool MayMatchHash(uint64_t hash) const {
    const char* line = data_ + ((uint64_t{static_cast<uint32_t>(hash)} * lines_) >> 32) * 64;
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
  const char* data_ = nullptr;
  uint32_t lines_ = 0;
  int probes_ = 0;
  bool matches_nothing_ = false;
};

}  // namespace cairn
