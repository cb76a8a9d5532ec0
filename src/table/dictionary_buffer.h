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
#include "rocksdb/advanced_options.h"
#include "rocksdb/cache.h"
#include "rocksdb/slice.h"

namespace cairn {

class DictionaryBuffer {
 public:
  // `target_file_size`: bytes of the table, about; 0: not known. `cache` (may be null) is charged
  // for the memory.
  DictionaryBuffer(const CompressionOptions& options, uint64_t target_file_size, Cache* cache);
  // Gives back what it charged.
  ~DictionaryBuffer();
  DictionaryBuffer(const DictionaryBuffer&) = delete;
  DictionaryBuffer& operator=(const DictionaryBuffer&) = delete;

  void Add(const Slice& block);
  // Enough bytes for the options, the table, or the cache, which takes no more.
  bool Full() const { return full_; }
  const std::vector<std::string>& blocks() const { return blocks_; }

  // Of samples of the blocks: themselves, or what ZSTD's trainer makes of them. Empty: there is
  // none.
  std::string MakeDictionary(CompressionType type) const;

 private:
  void Charge();

  const CompressionOptions options_;
  const uint64_t limit_;  // bytes
  std::vector<std::string> blocks_;
  uint64_t bytes_ = 0;
  bool full_ = false;

  Cache* const cache_;
  uint64_t charge_id_ = 0;
  std::vector<Cache::Handle*> charges_;  // of kChargeUnit each
};

}  // namespace cairn
