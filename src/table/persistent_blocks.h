// What a read of a block has to do with the persistent cache: it may be there, and may go there.
//
// A cache of blocks as they lie in their files (PersistentCache::IsCompressed) is not trusted: what
// it has is as long as the block, and has its checksum, or is not there. One of uncompressed blocks
// has nothing that tells. Thread-safe, as the cache is; SUSPENDS where that does.
#pragma once

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "table/block_fetcher.h"

namespace cairn {

// Of one block. Without a cache, or with Persistence::kNone, nothing is found and nothing inserted.
class PersistentBlocks {
 public:
  // Both are borrowed.
  PersistentBlocks(const BlockSource& source, const BlockHandle& handle, Persistence persistence)
      : source_(source),
        handle_(handle),
        persistence_(source.persistent == nullptr ? Persistence::kNone : persistence) {}

  // The uncompressed block.
  bool FindPlain(Block::Ptr* block) const {
    return persistence_ != Persistence::kNone && FindPlainNow(block);
  }
  // The block as the file has it, the five bytes behind it included; its checksum was compared.
  bool FindStored(Block::Ptr* block) const {
    return persistence_ != Persistence::kNone && FindStoredNow(block);
  }
  // What was read and found good. The first: with the five bytes.
  void InsertStored(const Slice& raw) const {
    if (persistence_ == Persistence::kLookupAndInsert) [[unlikely]]
      InsertIf(/*compressed=*/true, raw);
  }
  void InsertPlain(const Block& block) const {
    if (persistence_ == Persistence::kLookupAndInsert) [[unlikely]]
      InsertIf(/*compressed=*/false, block.contents());
  }

 private:
  bool FindPlainNow(Block::Ptr* block) const;
  bool FindStoredNow(Block::Ptr* block) const;
  void InsertIf(bool compressed, const Slice& bytes) const;
  bool Count(bool hit) const;

  const BlockSource& source_;
  const BlockHandle& handle_;
  const Persistence persistence_;
};

}  // namespace cairn
