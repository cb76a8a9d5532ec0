#include "table/persistent_blocks.h"

#include <cstring>
#include <memory>

#include "table/block_cache_key.h"

namespace cairn {

namespace {

// One for all kinds of blocks: the bytes at a place are the same for whatever they are taken.
BlockCacheKey KeyOf(const BlockSource& source, const BlockHandle& handle) {
  return {source.persistent_prefix, CachedBlock::kData, handle.offset};
}

}  // namespace

bool PersistentBlocks::Count(bool hit) const {
  if (source_.statistics != nullptr) {
    source_.statistics->recordTick(hit ? PERSISTENT_CACHE_HIT : PERSISTENT_CACHE_MISS, 1);
  }
  return hit;
}

bool PersistentBlocks::FindPlainNow(Block::Ptr* block) const {
  if (source_.persistent->IsCompressed()) return false;
  const BlockCacheKey key = KeyOf(source_, handle_);
  std::unique_ptr<char[]> data;
  size_t size = 0;
  const Status s = source_.persistent->Lookup(key.slice(), &data, &size);
  if (!s.ok() || data == nullptr || size > kMaxBlockSize) return Count(false);
  Block::Ptr found = Block::Allocate(size, 0, handle_.offset, source_.allocator);
  if (found == nullptr) return Count(false);
  std::memcpy(found->mutable_data(), data.get(), size);
  *block = std::move(found);
  return Count(true);
}

bool PersistentBlocks::FindStoredNow(Block::Ptr* block) const {
  if (!source_.persistent->IsCompressed()) return false;
  const BlockCacheKey key = KeyOf(source_, handle_);
  const auto size = static_cast<size_t>(handle_.size);
  std::unique_ptr<char[]> data;
  size_t found_size = 0;
  const Status s = source_.persistent->Lookup(key.slice(), &data, &found_size);
  if (!s.ok() || data == nullptr || found_size != size + kBlockTrailerSize) return Count(false);
  if (!VerifyBlockChecksum(source_, handle_.offset, data.get(), size).ok()) return Count(false);
  Block::Ptr found = Block::Allocate(size, kBlockTrailerSize, handle_.offset, source_.allocator);
  if (found == nullptr) return Count(false);
  std::memcpy(found->mutable_data(), data.get(), found_size);
  *block = std::move(found);
  return Count(true);
}

void PersistentBlocks::InsertIf(bool compressed, const Slice& bytes) const {
  if (source_.persistent->IsCompressed() != compressed) return;
  const BlockCacheKey key = KeyOf(source_, handle_);
  (void)source_.persistent->Insert(key.slice(), bytes.data(), bytes.size());
}

}  // namespace cairn
