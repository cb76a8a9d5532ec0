// What our own caches can do beyond the public Cache: tell of evictions, and hold entries that
// nobody finds. For the secondary cache's adapter (cache/secondary_adapter.h).
#pragma once

#include <cstddef>
#include <memory>

#include "base/namespace.h"
#include "rocksdb/cache.h"

namespace cairn {

// What goes into a cache under a key.
struct CacheItem {
  static CacheItem With(void* value, size_t charge, const Cache::CacheItemHelper* helper) {
    return {value, charge, helper->del_cb, helper->size_cb != nullptr ? helper : nullptr};
  }

  void* value = nullptr;
  size_t charge = 0;
  Cache::DeleterFn deleter = nullptr;
  const Cache::CacheItemHelper* helper = nullptr;  // null: not for a secondary cache
};

class EvictionSink {
 public:
  virtual ~EvictionSink() = default;
  // An entry with a helper is evicted for room (not erased, not replaced); its deleter is called
  // next. No lock is held: it may SUSPEND.
  virtual void OnEviction(const Slice& key, void* value, const Cache::CacheItemHelper* helper) = 0;
};

class PrimaryCache : public Cache {
 public:
  using Cache::Cache;
  using Cache::Insert;
  const std::shared_ptr<MemoryAllocator>& shared_allocator() const { return memory_allocator_; }
  // Once, before any use; `sink` outlives all uses but the destructor.
  virtual void SetEvictionSink(EvictionSink* sink) = 0;
  // Ask the processor for what a Lookup of the key touches, one after the other, and later: the
  // first gives what the second wants.
  virtual uint64_t PrefetchChain(const Slice& key) const = 0;
  virtual void PrefetchEntry(uint64_t hash) const = 0;
  // An entry that no Lookup finds, charged like any other, gone with its last reference. Null: it
  // does not fit under a strict limit; the caller keeps the value.
  virtual Handle* InsertStandalone(const Slice& key, const CacheItem& item) = 0;
};

}  // namespace cairn
