// IndexBuilder: the index of a table being written, in one block or in partitions.
//
// Used by the table builder and nobody else; not thread-safe. Separators and places of the data
// blocks are kept until Finish(): only then is it known whether separators need the sequence
// number.
//
//   whole        separator -> data block, in one block
//   with keys    the same, and each block's first key (kBinarySearchWithFirstKey)
//   partitioned  blocks of that kind, each of about metadata_block_size bytes, and the top-level
//                index: last separator -> partition
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/table.h"
#include "table/block_builder.h"
#include "table/format.h"

namespace cairn {

// Whether a handle of a new table's index begins where the one before it ends, and so may say its
// size alone.
inline bool HasDeltaEncodedIndex(const BlockBasedTableOptions& options) {
  return options.format_version >= 4 && !options.block_align;
}

// A block of the index's format in the making: keys, and the places of blocks that follow one
// another in the file.
class IndexBlockWriter {
 public:
  explicit IndexBlockWriter(const BlockBasedTableOptions& options)
      : block_(options.index_block_restart_interval, /*use_delta_encoding=*/true,
               /*values_delta_encoded=*/HasDeltaEncodedIndex(options)) {}

  // `key`: as IndexBuilder::Key() has it; `first_key`: null, or the block's first internal key,
  // which then stands behind its place.
  void Add(const Slice& key, const BlockHandle& handle, const Slice* first_key = nullptr);
  bool empty() const { return block_.empty(); }
  size_t CurrentSize() const { return block_.CurrentSize(); }
  Slice Finish() { return block_.Finish(); }
  void Reset() { block_.Reset(); }

 private:
  BlockBuilder block_;
  uint64_t last_size_ = 0;  // of the block added last
  std::string value_;
  std::string delta_;
};

class IndexBuilder {
 public:
  // Both outlive this. `strip_timestamps`: the index gets bare keys.
  IndexBuilder(const BlockBasedTableOptions& options, const InternalKeyComparator& icmp,
               bool strip_timestamps)
      : options_(options), icmp_(icmp), strip_timestamps_(strip_timestamps) {}

  // The blocks' first keys are wanted: AddFirstKey() of each, before its AddSeparator().
  bool stores_first_keys() const {
    return options_.index_type == BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }
  void AddFirstKey(const Slice& internal_key);
  // A data block ended with `last_key`; `next_key` begins the next one (null: the table ends).
  // Both are internal keys.
  void AddSeparator(const Slice& last_key, const Slice* next_key);
  // Where it lies: once for each separator, in the same order, any time before Finish().
  void AddHandle(const BlockHandle& handle) { handles_.push_back(handle); }

  size_t num_separators() const { return separator_ends_.size(); }
  // Bytes of the index, about.
  size_t EstimatedSize() const {
    return separators_.size() + first_keys_.size() + separator_ends_.size() * 8;
  }

  // From here on: all separators are there.

  // Index keys are user keys: no two blocks hold versions of one key.
  bool user_keys() const { return options_.format_version >= 3 && !separators_need_sequence_; }
  // The separator number `i` as index blocks hold it.
  Slice Key(size_t i) const {
    const Slice separator = Piece(separators_, separator_ends_, i);
    return user_keys() ? ExtractUserKey(separator) : separator;
  }
  // Of block number `i`. REQUIRES: stores_first_keys()
  Slice FirstKey(size_t i) const { return Piece(first_keys_, first_key_ends_, i); }

  struct Sizes {
    uint64_t all = 0;  // bytes of all blocks of the index
    uint64_t partitions = 0;
    uint64_t top_level = 0;  // bytes; 0: not partitioned
  };
  // Gives the blocks to `write` in the order of the file, which says where each lies; the last one
  // is where a reader begins.
  using WriteFn = std::function<void(const Slice& contents, BlockHandle* handle)>;
  Sizes Finish(const WriteFn& write, BlockHandle* handle) const;

 private:
  // Number `i` of what lies in `all`, one after another.
  static Slice Piece(const std::string& all, const std::vector<size_t>& ends, size_t i) {
    const size_t start = i == 0 ? 0 : ends[i - 1];
    return {all.data() + start, ends[i] - start};
  }

  const BlockBasedTableOptions& options_;
  const InternalKeyComparator& icmp_;
  const bool strip_timestamps_;
  std::string separators_;  // internal keys, one after another
  std::vector<size_t> separator_ends_;
  std::string first_keys_;  // likewise; of blocks that are stored with theirs
  std::vector<size_t> first_key_ends_;
  std::vector<BlockHandle> handles_;
  bool separators_need_sequence_ = false;
};

}  // namespace cairn
