// DictionaryBuffer: the first data blocks of a table, held back until its dictionary has been made
// of samples of them (CompressionOptions::max_dict_bytes).
//
// Used by the table builder, which takes the blocks back and compresses them then. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "cache/cache_reservation.h"
#include "rocksdb/advanced_compression.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/slice.h"

namespace cairn {

// How many bytes of samples a dictionary for blocks of that type is made of.
size_t SampleBytes(CompressionType type, const CompressionOptions& options);
// The dictionary that is made of them: themselves, or what ZSTD's trainer makes. Empty: none.
std::string DictionaryOfSamples(CompressionType type, const CompressionOptions& options,
                                Compressor::DictSamples samples);

class DictionaryBuffer {
 public:
  // `target_file_size`: bytes of the table, about; 0: not known. `memory` (null: not) is charged
  // for the blocks.
  DictionaryBuffer(const CompressionOptions& options, uint64_t target_file_size,
                   CacheReservation* memory);

  void Add(const Slice& block);
  // Enough bytes for the options, the table, or the cache, which takes no more.
  bool Full() const { return full_; }
  const std::vector<std::string>& blocks() const { return blocks_; }

  // Of samples of the blocks: themselves, or what ZSTD's trainer makes of them. Empty: there is
  // none.
  std::string MakeDictionary(CompressionType type) const;
  // Blocks from all over the table, at most `most` bytes of them.
  Compressor::DictSamples Samples(size_t most) const;

 private:
  const CompressionOptions options_;
  const uint64_t limit_;  // bytes
  std::vector<std::string> blocks_;
  uint64_t bytes_ = 0;
  bool full_ = false;
  CacheCharge charge_;
};

}  // namespace cairn
