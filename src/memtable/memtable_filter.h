// The Bloom filter of a memtable: bits in its arena that grow no false negatives while entries come
// in. Six bits for a key, all in one cache line.
//
// Thread safety: Add and MayContain from any thread. Who learns of an entry by the published
// sequence number also sees its bits: they are set before.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/arena.h"
#include "base/hash.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class MemTableFilter {
 public:
  /// About `bytes` bytes of `arena`, at least one line.
  MemTableFilter(ConcurrentArena* arena, size_t bytes)
      : line_count_(std::max<size_t>(bytes / kLineBytes, 1)) {
    char* raw = arena->AllocateAligned((line_count_ + 1) * kLineBytes);
    raw += -reinterpret_cast<uintptr_t>(raw) & (kLineBytes - 1);
    words_ = reinterpret_cast<Word*>(raw);
    for (size_t i = 0; i < line_count_ * kWords; ++i) new (&words_[i]) Word(0);
  }
  MemTableFilter(const MemTableFilter&) = delete;
  MemTableFilter& operator=(const MemTableFilter&) = delete;

  void Add(const Slice& key) {
    const uint64_t hash = HashSlice64(key);
    Word* const line = LineOf(hash);
    ForEachProbe(hash, [line](size_t word, uint64_t bit) {
      // A look first: most bits of a filled filter are set, and a line that is only read is shared.
      if ((line[word].load(std::memory_order_relaxed) & bit) == 0) {
        line[word].fetch_or(bit, std::memory_order_relaxed);
      }
      return true;
    });
  }

  bool MayContain(const Slice& key) const {
    const uint64_t hash = HashSlice64(key);
    const Word* const line = LineOf(hash);
    return ForEachProbe(hash, [line](size_t word, uint64_t bit) {
      return (line[word].load(std::memory_order_relaxed) & bit) != 0;
    });
  }

 private:
  // Relaxed: ordered by what publishes the entries.
  using Word = std::atomic<uint64_t>;
  static constexpr size_t kLineBytes = 64;
  static constexpr size_t kWords = kLineBytes / sizeof(Word);
  static constexpr int kProbes = 6;

  // The line by the high half of the hash, the bits by all of it: nine a time from the top.
  Word* LineOf(uint64_t hash) const {
    return words_ + static_cast<size_t>((hash >> 32) * line_count_ >> 32) * kWords;
  }
  template <class F>
  static bool ForEachProbe(uint64_t hash, F f) {
    uint64_t h = hash * 0x9e3779b97f4a7c13u;
    for (int i = 0; i < kProbes; ++i, h <<= 9) {
      if (!f(h >> 61, uint64_t{1} << (h >> 55 & 63))) return false;
    }
    return true;
  }

  const size_t line_count_;
  Word* words_;
};

}  // namespace cairn
