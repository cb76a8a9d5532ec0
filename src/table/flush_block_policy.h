// What table builders need of rocksdb/flush_block_policy.h.
#pragma once

#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "rocksdb/flush_block_policy.h"
#include "table/block_builder.h"

namespace ROCKSDB_NAMESPACE {

// What a policy may be given of a block: a reference that it cannot look into. Borrows the block.
class BlockBuilder {
 public:
  explicit BlockBuilder(const cairn::BlockBuilder& block) : block_(block) {}
  BlockBuilder(const BlockBuilder&) = delete;
  BlockBuilder& operator=(const BlockBuilder&) = delete;

  const cairn::BlockBuilder& block() const { return block_; }

 private:
  const cairn::BlockBuilder& block_;
};

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

// When a block of about `size` bytes is full.
class BlockSizeLimit {
 public:
  // `deviation`: percent of the size below which a block does not end before it is full. `aligned`:
  // no block is larger than the size with its trailer unless one entry is.
  BlockSizeLimit(uint64_t size, int deviation, bool aligned = false);

  // Whether the entry begins the next block.
  bool IsFull(const BlockBuilder& block, const Slice& key, const Slice& value) const {
    if (block.empty()) return false;
    const size_t now = block.CurrentSize();
    if (now >= size_) return true;
    return deviates_ && now > least_ && block.SizeAfter(key, value) + trailer_ > size_;
  }

 private:
  const uint64_t size_;
  const bool deviates_;
  const uint64_t trailer_;  // bytes behind a block that count
  const uint64_t least_;    // a block of more bytes ends when the next entry would not fit
};

// A block for each entry.
std::shared_ptr<FlushBlockPolicyFactory> NewFlushBlockEveryKeyPolicyFactory();

}  // namespace cairn
