// Cache: a bounded map from keys to reference-counted entries, shared by all tables of a database
// (or several databases) for uncompressed blocks. Thread-safe, from threads and fibers alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class MemoryAllocator;
class SecondaryCache;
class Statistics;

// Whether locks spin by default: a matter of Cairn's lock, not of options.
constexpr bool kDefaultToAdaptiveMutex = false;

// Whether the bytes of the cache's own bookkeeping count towards its capacity.
enum CacheMetadataChargePolicy { kDontChargeCacheMetadata, kFullChargeCacheMetadata };
const CacheMetadataChargePolicy kDefaultCacheMetadataChargePolicy = kFullChargeCacheMetadata;

struct ShardedCacheOptions {
  // Bytes, of all shards together.
  size_t capacity = 0;
  // 2^num_shard_bits shards, each with its own lock; negative: chosen from the capacity.
  int num_shard_bits = -1;
  // True: an insertion that does not fit fails with Status::MemoryLimit. False: pinned entries may
  // exceed the capacity.
  bool strict_capacity_limit = false;
  // Not supported yet: must be null.
  std::shared_ptr<MemoryAllocator> memory_allocator;
  CacheMetadataChargePolicy metadata_charge_policy = kDefaultCacheMetadataChargePolicy;

  ShardedCacheOptions() = default;
  ShardedCacheOptions(
      size_t _capacity, int _num_shard_bits, bool _strict_capacity_limit,
      std::shared_ptr<MemoryAllocator> _memory_allocator = nullptr,
      CacheMetadataChargePolicy _metadata_charge_policy = kDefaultCacheMetadataChargePolicy)
      : capacity(_capacity),
        num_shard_bits(_num_shard_bits),
        strict_capacity_limit(_strict_capacity_limit),
        memory_allocator(std::move(_memory_allocator)),
        metadata_charge_policy(_metadata_charge_policy) {}
};

struct LRUCacheOptions : public ShardedCacheOptions {
  // Share of the capacity kept for entries of high priority (index and filter blocks), 0 to 1.
  double high_pri_pool_ratio = 0.5;
  // Share kept for entries of low priority against those of bottom priority, 0 to 1.
  double low_pri_pool_ratio = 0.0;
  // Accepted and ignored: every lock of Cairn spins only where that helps.
  bool use_adaptive_mutex = kDefaultToAdaptiveMutex;
  // Not supported yet: must be null.
  std::shared_ptr<SecondaryCache> secondary_cache;

  LRUCacheOptions() = default;
  LRUCacheOptions(
      size_t _capacity, int _num_shard_bits, bool _strict_capacity_limit,
      double _high_pri_pool_ratio, std::shared_ptr<MemoryAllocator> _memory_allocator = nullptr,
      bool _use_adaptive_mutex = kDefaultToAdaptiveMutex,
      CacheMetadataChargePolicy _metadata_charge_policy = kDefaultCacheMetadataChargePolicy,
      double _low_pri_pool_ratio = 0.0)
      : ShardedCacheOptions(_capacity, _num_shard_bits, _strict_capacity_limit,
                            std::move(_memory_allocator), _metadata_charge_policy),
        high_pri_pool_ratio(_high_pri_pool_ratio),
        low_pri_pool_ratio(_low_pri_pool_ratio),
        use_adaptive_mutex(_use_adaptive_mutex) {}
};

class Cache {
 public:
  enum class Priority { HIGH, LOW, BOTTOM };

  // A reference to an entry; opaque.
  struct Handle {};

  // Frees a value that has left the cache and is referenced no more. Called without any lock held.
  using DeleterFn = void (*)(const Slice& key, void* value);

  Cache() = default;
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  // REQUIRES: no handle is held. Deletes all values.
  virtual ~Cache() = default;

  static const char* Type() { return "Cache"; }
  virtual const char* Name() const = 0;

  // Adds `value` (of `charge` bytes) under `key`, replacing an entry that is there; the cache owns
  // the value from now on and calls `deleter` for it. With `handle` the caller gets a reference to
  // release. MemoryLimit with a strict limit if the entry does not fit: with `handle` the caller
  // keeps the value; without it the value is deleted and OK returned.
  virtual Status Insert(const Slice& key, void* value, size_t charge, DeleterFn deleter,
                        Handle** handle = nullptr, Priority priority = Priority::LOW) = 0;

  // A reference to the entry, or null. Give it back with Release(). `stats` may be null.
  virtual Handle* Lookup(const Slice& key, Statistics* stats = nullptr) = 0;

  // One reference more on an entry that the caller holds already. False if that is not possible.
  virtual bool Ref(Handle* handle) = 0;

  // Gives a reference back; with erase_if_last_ref an entry that nobody references leaves the
  // cache. True if the entry was freed.
  virtual bool Release(Handle* handle, bool erase_if_last_ref = false) = 0;

  // REQUIRES (these three): the caller holds `handle`.
  virtual void* Value(Handle* handle) = 0;
  virtual size_t GetCharge(Handle* handle) const = 0;
  virtual DeleterFn GetDeleter(Handle* handle) const = 0;

  // Takes the entry out of the map; references to it stay good.
  virtual void Erase(const Slice& key) = 0;

  // A number that this cache gives out once, for users that share it and need distinct key
  // prefixes.
  virtual uint64_t NewId() = 0;

  // Evicts at once when it shrinks (except what is pinned).
  virtual void SetCapacity(size_t capacity) = 0;
  virtual void SetStrictCapacityLimit(bool strict_capacity_limit) = 0;
  virtual bool HasStrictCapacityLimit() const = 0;

  // Bytes.
  virtual size_t GetCapacity() const = 0;
  virtual size_t GetUsage() const = 0;
  virtual size_t GetUsage(Handle* handle) const = 0;
  virtual size_t GetPinnedUsage() const = 0;
  // Number of entries; SIZE_MAX if unknown.
  virtual size_t GetOccupancyCount() const { return SIZE_MAX; }

  // The process is about to exit: values need not be freed any more.
  virtual void DisownData() {}

  struct ApplyToAllEntriesOptions {
    // Locks are given back after about this many entries.
    size_t average_entries_per_lock = 256;
  };

  // Calls `callback` for every entry, with locks held: it must not call the cache.
  virtual void ApplyToAllEntries(
      const std::function<void(const Slice& key, void* value, size_t charge, DeleterFn deleter)>&
          callback,
      const ApplyToAllEntriesOptions& opts) = 0;

  // Drops every entry that nobody references.
  virtual void EraseUnRefEntries() = 0;

  // The settings as text for the LOG file.
  virtual std::string GetPrintableOptions() const { return ""; }
};

// A cache that evicts what was used least recently. Null if an argument is out of range.
extern std::shared_ptr<Cache> NewLRUCache(
    size_t capacity, int num_shard_bits = -1, bool strict_capacity_limit = false,
    double high_pri_pool_ratio = 0.5, std::shared_ptr<MemoryAllocator> memory_allocator = nullptr,
    bool use_adaptive_mutex = kDefaultToAdaptiveMutex,
    CacheMetadataChargePolicy metadata_charge_policy = kDefaultCacheMetadataChargePolicy,
    double low_pri_pool_ratio = 0.0);
extern std::shared_ptr<Cache> NewLRUCache(const LRUCacheOptions& cache_opts);

// What an entry of a cache holds, for accounting.
enum class CacheEntryRole {
  kDataBlock,
  kFilterBlock,
  kFilterMetaBlock,
  kDeprecatedFilterBlock,
  kIndexBlock,
  kOtherBlock,
  kWriteBuffer,
  kCompressionDictionaryBuildingBuffer,
  kFilterConstruction,
  kBlockBasedTableReader,
  kFileMetadata,
  kBlobValue,
  kBlobCache,
  kMisc,
};
constexpr uint32_t kNumCacheEntryRoles = static_cast<uint32_t>(CacheEntryRole::kMisc) + 1;

}  // namespace ROCKSDB_NAMESPACE
