// Cache: a bounded map from keys to reference-counted entries, shared by all tables of a database
// (or several databases) for uncompressed blocks. Thread-safe, from threads and fibers alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/compression_type.h"
#include "rocksdb/customizable.h"
#include "rocksdb/memory_allocator.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Cache;
class SecondaryCache;
class Statistics;
struct ConfigOptions;

// Whether locks spin by default: a matter of Cairn's lock, not of options.
constexpr bool kDefaultToAdaptiveMutex = false;

// Whether the bytes of the cache's own bookkeeping count towards its capacity.
enum CacheMetadataChargePolicy { kDontChargeCacheMetadata, kFullChargeCacheMetadata };
const CacheMetadataChargePolicy kDefaultCacheMetadataChargePolicy = kFullChargeCacheMetadata;

struct ShardedCacheOptions {
  // Bytes, of all shards together.
  size_t capacity = 0;
  // 2^num_shard_bits shards, each with its own lock or clock; negative: chosen from the capacity.
  int num_shard_bits = -1;
  // True: an insertion that does not fit fails with Status::MemoryLimit, and a read that needs it
  // with it (flush, compaction and recovery do without). False: pinned entries may exceed the
  // capacity.
  bool strict_capacity_limit = false;
  // Where the blocks lie that tables read (values of a blob cache do not); see
  // rocksdb/memory_allocator.h. Null: the program's. With one there is no compressed secondary
  // cache (null is returned).
  std::shared_ptr<MemoryAllocator> memory_allocator;
  CacheMetadataChargePolicy metadata_charge_policy = kDefaultCacheMetadataChargePolicy;
  // What is evicted goes there, and is looked up there before a file is read; see
  // rocksdb/secondary_cache.h. Null: there is none.
  std::shared_ptr<SecondaryCache> secondary_cache;
  // Of the hash that spreads keys over shards and slots; the negative values, which ask for one
  // chosen by the process or the host, all mean 0.
  static constexpr int32_t kQuasiRandomHashSeed = -1;
  static constexpr int32_t kHostHashSeed = -2;
  int32_t hash_seed = kHostHashSeed;

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

// A cache without locks: a table of slots, in sets of 16. An entry may lie in any slot of the set
// that its key hashes to, and is found, pinned, released and evicted by atomic operations on its
// slot alone. A clock hand goes over the slots; what was used survives up to three of its rounds.
//
// What differs from NewLRUCache, whose hits take no lock either: insertions, misses, erasures and
// evictions take none, so that many threads which miss do not wait for each other; priorities only
// say how many rounds a new entry survives, no share of the capacity is kept for any; and an entry
// whose set is full of pinned ones stands alone: it goes with its last reference.
struct HyperClockCacheOptions : public ShardedCacheOptions {
  // Bytes of an average entry: the table gets slots for that many entries. Too large a number
  // leaves capacity unused, too small a one wastes memory for slots (68 bytes each). 0: the table
  // begins small and grows, up to slots for entries of min_avg_entry_charge.
  size_t estimated_entry_charge;
  // Bytes; see above. Only with estimated_entry_charge = 0.
  size_t min_avg_entry_charge = 450;
  // An eviction gives up when it has met so many pinned entries for each that it evicted, and one;
  // 1 or more. The insertion then exceeds the capacity, or fails with a strict limit.
  int eviction_effort_cap = 30;

  explicit HyperClockCacheOptions(
      size_t _capacity, size_t _estimated_entry_charge = 0, int _num_shard_bits = -1,
      bool _strict_capacity_limit = false,
      std::shared_ptr<MemoryAllocator> _memory_allocator = nullptr,
      CacheMetadataChargePolicy _metadata_charge_policy = kDefaultCacheMetadataChargePolicy)
      : ShardedCacheOptions(_capacity, _num_shard_bits, _strict_capacity_limit,
                            std::move(_memory_allocator), _metadata_charge_policy),
        estimated_entry_charge(_estimated_entry_charge) {}

  // Null if an argument is out of range.
  std::shared_ptr<Cache> MakeSharedCache() const;
};

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
// "data-block", ... Lives for ever.
const std::string& GetCacheEntryRoleName(CacheEntryRole role);

class Cache {
 public:
  // An LRU cache: "8M" has that capacity, "{capacity=8M;num_shard_bits=4;...}" has these members of
  // LRUCacheOptions. InvalidArgument names what is malformed or unknown; *result then stays as it
  // is. "nullptr": none.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<Cache>* result);

  enum class Priority { HIGH, LOW, BOTTOM };

  // A reference to an entry; opaque.
  struct Handle {};

  // Frees a value that has left the cache and is referenced no more. Called without any lock held.
  using DeleterFn = void (*)(const Slice& key, void* value);

  // How entries of one kind go to a secondary cache: it asks for the size in bytes and has those
  // from `from_offset` on written to `out`. Outlives the cache.
  using SizeCallback = size_t (*)(void* obj);
  using SaveToCallback = Status (*)(void* from_obj, size_t from_offset, size_t length, void* out);
  struct CacheItemHelper {
    SizeCallback size_cb = nullptr;  // null: such entries do not go there
    SaveToCallback saveto_cb = nullptr;
    DeleterFn del_cb = nullptr;
    CacheEntryRole role = CacheEntryRole::kMisc;  // by which hits are counted

    CacheItemHelper() = default;
    CacheItemHelper(SizeCallback _size_cb, SaveToCallback _saveto_cb, DeleterFn _del_cb,
                    CacheEntryRole _role = CacheEntryRole::kMisc)
        : size_cb(_size_cb), saveto_cb(_saveto_cb), del_cb(_del_cb), role(_role) {}
  };

  // Makes an object of such bytes, which stay the cache's. An error makes the lookup a miss.
  using CreateCallback =
      std::function<Status(const void* buf, size_t size, void** out_obj, size_t* charge)>;

  explicit Cache(std::shared_ptr<MemoryAllocator> allocator = nullptr)
      : memory_allocator_(std::move(allocator)) {}
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

  // The same for an entry that may go to the secondary cache when it is evicted, if there is one.
  virtual Status Insert(const Slice& key, void* value, const CacheItemHelper* helper, size_t charge,
                        Handle** handle = nullptr, Priority priority = Priority::LOW) {
    if (helper == nullptr) return Status::InvalidArgument("no helper");
    return Insert(key, value, charge, helper->del_cb, handle, priority);
  }

  // A reference to the entry, or null. Give it back with Release(). `stats` may be null.
  virtual Handle* Lookup(const Slice& key, Statistics* stats = nullptr) = 0;

  // The same, and looks in the secondary cache, if there is one, for what is not here; what it has
  // is made an object by `create_cb` and comes back here (rocksdb/secondary_cache.h says when).
  // SUSPENDS where the secondary cache does. `wait` is ignored: the reference is always complete.
  virtual Handle* Lookup(const Slice& key, const CacheItemHelper* /*helper*/,
                         const CreateCallback& /*create_cb*/, Priority /*priority*/, bool /*wait*/,
                         Statistics* stats = nullptr) {
    return Lookup(key, stats);
  }

  // One reference more on an entry that the caller holds already. False if that is not possible.
  virtual bool Ref(Handle* handle) = 0;

  // Gives a reference back; with erase_if_last_ref an entry that nobody references leaves the
  // cache. True if the entry was freed.
  virtual bool Release(Handle* handle, bool erase_if_last_ref = false) = 0;

  // The same; `useful` is ignored.
  virtual bool Release(Handle* handle, bool /*useful*/, bool erase_if_last_ref) {
    return Release(handle, erase_if_last_ref);
  }

  // References are complete when Lookup returns.
  virtual bool IsReady(Handle* /*handle*/) { return true; }
  virtual void Wait(Handle* /*handle*/) {}
  virtual void WaitAll(std::vector<Handle*>& /*handles*/) {}

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
  // Number of slots that entries hash to; 0 if unknown.
  virtual size_t GetTableAddressCount() const { return 0; }

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

  // For who makes values. Null: the program's.
  MemoryAllocator* memory_allocator() const { return memory_allocator_.get(); }

 protected:
  const std::shared_ptr<MemoryAllocator> memory_allocator_;
};

// A cache that evicts what was used least recently. Null if an argument is out of range.
extern std::shared_ptr<Cache> NewLRUCache(
    size_t capacity, int num_shard_bits = -1, bool strict_capacity_limit = false,
    double high_pri_pool_ratio = 0.5, std::shared_ptr<MemoryAllocator> memory_allocator = nullptr,
    bool use_adaptive_mutex = kDefaultToAdaptiveMutex,
    CacheMetadataChargePolicy metadata_charge_policy = kDefaultCacheMetadataChargePolicy,
    double low_pri_pool_ratio = 0.0);
extern std::shared_ptr<Cache> NewLRUCache(const LRUCacheOptions& cache_opts);

// NewLRUCache, as in RocksDB since 7.7: the former clock cache is gone. HyperClockCacheOptions has
// the one that is there.
extern std::shared_ptr<Cache> NewClockCache(
    size_t capacity, int num_shard_bits = -1, bool strict_capacity_limit = false,
    CacheMetadataChargePolicy metadata_charge_policy = kDefaultCacheMetadataChargePolicy);

// A cache of compressed entries in memory, below another one (ShardedCacheOptions::
// secondary_cache). An entry that is offered for the first time only leaves a note; the second
// time it is kept. One that goes up to the other cache for good leaves this one.
struct CompressedSecondaryCacheOptions : LRUCacheOptions {
  // kNoCompression, or any that tables can have; null is returned for others. What does not become
  // smaller by an eighth is kept as it is.
  CompressionType compression_type = CompressionType::kLZ4Compression;
  // 1 or 2; has no effect, as this memory is nobody else's to read.
  uint32_t compress_format_version = 2;
  // Accepted and ignored: values are kept in one piece.
  bool enable_custom_split_merge = false;

  CompressedSecondaryCacheOptions() = default;
  CompressedSecondaryCacheOptions(
      size_t _capacity, int _num_shard_bits, bool _strict_capacity_limit,
      double _high_pri_pool_ratio, double _low_pri_pool_ratio = 0.0,
      std::shared_ptr<MemoryAllocator> _memory_allocator = nullptr,
      bool _use_adaptive_mutex = kDefaultToAdaptiveMutex,
      CacheMetadataChargePolicy _metadata_charge_policy = kDefaultCacheMetadataChargePolicy,
      CompressionType _compression_type = CompressionType::kLZ4Compression,
      uint32_t _compress_format_version = 2, bool _enable_custom_split_merge = false)
      : LRUCacheOptions(_capacity, _num_shard_bits, _strict_capacity_limit, _high_pri_pool_ratio,
                        std::move(_memory_allocator), _use_adaptive_mutex, _metadata_charge_policy,
                        _low_pri_pool_ratio),
        compression_type(_compression_type),
        compress_format_version(_compress_format_version),
        enable_custom_split_merge(_enable_custom_split_merge) {}

  // Null if an argument is out of range.
  std::shared_ptr<SecondaryCache> MakeSharedSecondaryCache() const;
};

extern std::shared_ptr<SecondaryCache> NewCompressedSecondaryCache(
    size_t capacity, int num_shard_bits = -1, bool strict_capacity_limit = false,
    double high_pri_pool_ratio = 0.5, double low_pri_pool_ratio = 0.0,
    std::shared_ptr<MemoryAllocator> memory_allocator = nullptr,
    bool use_adaptive_mutex = kDefaultToAdaptiveMutex,
    CacheMetadataChargePolicy metadata_charge_policy = kDefaultCacheMetadataChargePolicy,
    CompressionType compression_type = CompressionType::kLZ4Compression,
    uint32_t compress_format_version = 2, bool enable_custom_split_merge = false);
extern std::shared_ptr<SecondaryCache> NewCompressedSecondaryCache(
    const CompressedSecondaryCacheOptions& opts);

}  // namespace ROCKSDB_NAMESPACE
