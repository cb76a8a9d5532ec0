// MemoryAllocator: where the blocks of a cache lie (ShardedCacheOptions::memory_allocator).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct ConfigOptions;

// Thread-safe, as are implementations: called from any thread, by whoever reads or evicts.
class MemoryAllocator : public Customizable {
 public:
  static const char* Type() { return "MemoryAllocator"; }
  // By name: "DefaultMemoryAllocator" (malloc), or one that is registered with the ObjectRegistry.
  // An empty text is null. NotSupported names what there is not.
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<MemoryAllocator>* result);

  // At least `size` bytes, aligned for any object. Null if there are none: the read that wanted
  // them fails with Status::MemoryLimit.
  virtual void* Allocate(size_t size) = 0;
  // What Allocate() gave.
  virtual void Deallocate(void* p) = 0;
  // How many bytes of it may be used; it was asked for with `allocation_size`. The cache charges as
  // many.
  virtual size_t UsableSize(void* /*p*/, size_t allocation_size) const { return allocation_size; }
};

// For NewJemallocNodumpAllocator().
struct JemallocAllocatorOptions {
  static const char* kName() { return "JemallocAllocatorOptions"; }
  bool limit_tcache_size = false;
  size_t tcache_size_lower_bound = 1024;
  size_t tcache_size_upper_bound = 16 * 1024;
};

// NotSupported: Cairn is not built with jemalloc, and *memory_allocator stays as it is. To keep a
// cache out of core dumps, give it an allocator that calls madvise(MADV_DONTDUMP) for what it maps.
extern Status NewJemallocNodumpAllocator(JemallocAllocatorOptions& options,
                                         std::shared_ptr<MemoryAllocator>* memory_allocator);

}  // namespace ROCKSDB_NAMESPACE
