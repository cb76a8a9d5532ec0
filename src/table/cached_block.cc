#include "table/cached_block.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "base/coding.h"
#include "cache/secondary_adapter.h"
#include "table/block_based_table_reader.h"

namespace cairn {
namespace {

constexpr size_t kChecksumSize = 8;

uint64_t ChecksumOf(const Slice& contents) { return XXH3_64bits(contents.data(), contents.size()); }

const Block& BlockOf(const Block& block) { return block; }
const Block& BlockOf(const IndexBlock& index) { return index.block(); }
const Block& BlockOf(const FilterBlock& filter) { return *filter.block; }

// Those that are protected.
bool IsAsItWas(const Block& block) { return block.IsAsItWas(); }
bool IsAsItWas(const IndexBlock& index) { return index.IsAsItWas(); }
bool IsAsItWas(const FilterBlock& /*filter*/) { return true; }

void Delete(Block* block) { DeleteBlock(block); }
void Delete(IndexBlock* index) { DeleteIndex(index); }
void Delete(FilterBlock* filter) { DeleteFilter(filter); }

template <typename T>
size_t SavedSize(void* value) {
  return BlockOf(*static_cast<T*>(value)).size() + kChecksumSize;
}

template <typename T>
Status Save(void* value, size_t offset, size_t length, void* out) {
  if (!IsAsItWas(*static_cast<T*>(value))) {
    return Status::Corruption("a block has changed in memory");
  }
  const Slice contents = BlockOf(*static_cast<T*>(value)).contents();
  const size_t total = contents.size() + kChecksumSize;
  if (offset > total || length > total - offset) {
    return Status::InvalidArgument("a part of a block that it does not have");
  }
  char* to = static_cast<char*>(out);
  if (offset < contents.size()) {
    const size_t n = std::min(length, contents.size() - offset);
    std::memcpy(to, contents.data() + offset, n);
    to += n;
    offset += n;
    length -= n;
  }
  if (length > 0) {
    char checksum[kChecksumSize];
    EncodeFixed64(checksum, ChecksumOf(contents));
    std::memcpy(to, checksum + (offset - contents.size()), length);
  }
  return Status::OK();
}

template <typename T>
void DeleteCached(const Slice& /*key*/, void* value) {
  Delete(static_cast<T*>(value));
}

template <typename T, CacheEntryRole kRole>
const Cache::CacheItemHelper* HelperOf() {
  static const Cache::CacheItemHelper helper(&SavedSize<T>, &Save<T>, &DeleteCached<T>, kRole);
  return &helper;
}

}  // namespace

bool GoesToSecondary(const Cache* cache, bool used) {
  return cache != nullptr && used && MayHaveSecondaryCache(*cache);
}

Status InsertBlock(Cache* cache, bool secondary, const Slice& key, void* value,
                   const Cache::CacheItemHelper* helper, size_t charge, Cache::Handle** handle,
                   Cache::Priority priority) {
  return secondary ? cache->Insert(key, value, helper, charge, handle, priority)
                   : cache->Insert(key, value, charge, helper->del_cb, handle, priority);
}

void CountInsertion(Statistics* statistics, CachedBlock kind, size_t charge) {
  if (statistics == nullptr) return;
  static constexpr uint32_t kAdds[] = {BLOCK_CACHE_DATA_ADD, BLOCK_CACHE_INDEX_ADD,
                                       BLOCK_CACHE_FILTER_ADD};
  static constexpr uint32_t kBytes[] = {BLOCK_CACHE_DATA_BYTES_INSERT,
                                        BLOCK_CACHE_INDEX_BYTES_INSERT,
                                        BLOCK_CACHE_FILTER_BYTES_INSERT};
  statistics->recordTick(BLOCK_CACHE_ADD, 1);
  statistics->recordTick(kAdds[static_cast<size_t>(kind)], 1);
  statistics->recordTick(kBytes[static_cast<size_t>(kind)], charge);
  statistics->recordTick(BLOCK_CACHE_BYTES_WRITE, charge);
}

const Cache::CacheItemHelper* DataBlockHelper() {
  return HelperOf<Block, CacheEntryRole::kDataBlock>();
}
const Cache::CacheItemHelper* IndexBlockHelper() {
  return HelperOf<IndexBlock, CacheEntryRole::kIndexBlock>();
}
const Cache::CacheItemHelper* FilterBlockHelper() {
  return HelperOf<FilterBlock, CacheEntryRole::kFilterBlock>();
}

Status RestoreBlock(const void* saved, size_t size, uint64_t file_offset, Block::Ptr* block,
                    MemoryAllocator* allocator) {
  if (size < kChecksumSize) return Status::Corruption("a saved block is too short");
  const Slice contents(static_cast<const char*>(saved), size - kChecksumSize);
  if (DecodeFixed64(contents.data() + contents.size()) != ChecksumOf(contents)) {
    return Status::Corruption("a saved block's checksum does not match");
  }
  *block = Block::Allocate(contents.size(), 0, file_offset, allocator);
  if (*block == nullptr) return Status::MemoryLimit("no memory for a block");
  std::memcpy((*block)->mutable_data(), contents.data(), contents.size());
  return Status::OK();
}

}  // namespace cairn
