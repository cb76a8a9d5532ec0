// Blocks in a secondary cache: how they go there, and come back.
//
// What is saved is the uncompressed block and a checksum of it: another's memory or device is not
// trusted more than a file. The callbacks here take a Block, an IndexBlock or a FilterBlock, as the
// block cache holds them. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/cache.h"
#include "rocksdb/statistics.h"
#include "table/block.h"
#include "table/block_cache_key.h"

namespace cairn {

// Of blocks in the cache under the keys of BlockBasedTable. Live forever.
const Cache::CacheItemHelper* DataBlockHelper();
const Cache::CacheItemHelper* IndexBlockHelper();
const Cache::CacheItemHelper* FilterBlockHelper();

// Whether blocks of this cache may go on to a secondary cache. `used`: it is to be used, if there
// is one. `cache` may be null.
bool GoesToSecondary(const Cache* cache, bool used);
// As Cache::Insert; `secondary`: what GoesToSecondary() said.
[[nodiscard]] Status InsertBlock(Cache* cache, bool secondary, const Slice& key, void* value,
                                 const Cache::CacheItemHelper* helper, size_t charge,
                                 Cache::Handle** handle, Cache::Priority priority);
// Counts a block of `charge` bytes that has come into the cache. `statistics` may be null.
void CountInsertion(Statistics* statistics, CachedBlock kind, size_t charge);

// The block of what was saved. `file_offset`: where it begins in its file. Corruption if the bytes
// are not those that were saved, MemoryLimit without memory. `allocator`: see Block::Allocate.
[[nodiscard]] Status RestoreBlock(const void* saved, size_t size, uint64_t file_offset,
                                  Block::Ptr* block, MemoryAllocator* allocator = nullptr);

}  // namespace cairn
