// The block cache: a sharded, approximately least-recently-used map from key to a pinned value
// (NewLRUCache).
//
// Called by table/ for every block of every read, so the hit is what counts. The design:
//
//   Lookup that hits  takes no lock: it walks a hash chain, and takes a reference by one
//   compare-and-swap. Lookup that misses, Insert, Erase, eviction  hold the shard's mutex (never
//   while a deleter runs). Release  is one atomic subtraction; a lock only when the entry was
//   erased or the shard is over its capacity.
//
// How a walk without a lock is safe: entries are type-stable. They come from slabs that live as
// long as the cache, so a stale pointer always points to an Entry, maybe one with another key by
// now. A reference can be taken only while the entry is visible, and the key is compared after
// that: then it cannot change any more. A walk that is led astray by a concurrent change (to
// another chain, or over more than kMaxHops) finds nothing, and a miss is repeated under the lock.
// The alternative, a reader-writer lock or epochs, costs two shared cache lines per lookup instead
// of the entry's own.
//
// Recency is a bit that a hit sets. The eviction scan goes from the old end of the lists, and moves
// a touched entry to the young end instead of evicting it ("second chance"). Entries stay on their
// list while they are referenced. Three pools as in RocksDB: HIGH (and what was hit) in the
// high-priority pool, LOW in the low one, the rest at the bottom; a pool over its share hands its
// oldest entry down; eviction starts at the bottom.
//
// Invariants
// 1. meta = visible bit, touched bit, reference count. Visible <=> in the hash table and on a list
// (under the mutex).
// 2. Whoever makes an entry (invisible, 0 references) frees it, exactly once: eviction and Erase
// under the mutex, or the
//    last Release of an invisible one.
// 3. usage_ counts the charges of all entries that are not freed, visible or not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "cache/primary_cache.h"
#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"
#include "rocksdb/cache.h"

namespace cairn {

struct alignas(64) CacheEntry {
  static constexpr size_t kInlineKey = 28;

  std::atomic<uint64_t> meta{0};
  std::atomic<CacheEntry*> next{nullptr};  // in the hash chain
  std::atomic<uint64_t> hash{0};
  void* value = nullptr;
  uint32_t key_size = 0;
  char key_bytes[kInlineKey];  // the key, or a pointer to it (heap) when it is longer

  // Second cache line: what a hit does not need.
  size_t charge = 0;        // as the user gave it
  size_t total_charge = 0;  // with the metadata, if that is charged
  Cache::DeleterFn deleter = nullptr;
  const Cache::CacheItemHelper* helper = nullptr;  // null: not for a secondary cache
  CacheEntry* lru_older = nullptr;
  CacheEntry* lru_younger = nullptr;
  uint32_t shard = 0;
  uint8_t pool = 0;
  bool evicted = false;  // for room: a secondary cache is to hear of it

  const char* KeyData() const;
  Slice Key() const { return Slice(KeyData(), key_size); }
};

class LRUCacheShard {
 public:
  LRUCacheShard() = default;
  ~LRUCacheShard();
  LRUCacheShard(const LRUCacheShard&) = delete;
  LRUCacheShard& operator=(const LRUCacheShard&) = delete;

  // Once, before any use.
  void Init(uint32_t index, size_t capacity, bool strict, double high_ratio, double low_ratio,
            size_t entry_overhead);
  // Before any use; outlives the shard's use.
  void SetEvictionSink(EvictionSink* sink) { sink_ = sink; }

  Status Insert(const Slice& key, uint64_t hash, const CacheItem& item, CacheEntry** handle,
                Cache::Priority priority);
  // See PrimaryCache.
  CacheEntry* InsertStandalone(const Slice& key, uint64_t hash, const CacheItem& item);
  CacheEntry* Lookup(const Slice& key, uint64_t hash);
  // See PrimaryCache.
  void PrefetchChain(uint64_t hash) const;
  void PrefetchEntry(uint64_t hash) const;
  bool Release(CacheEntry* entry, bool erase_if_last_ref);
  void Erase(const Slice& key, uint64_t hash);

  void SetCapacity(size_t capacity);
  void SetStrict(bool strict);
  size_t usage() const { return usage_.load(std::memory_order_relaxed); }
  size_t PinnedUsage();
  size_t OccupancyCount();
  void EraseUnreferenced();
  // Calls `callback` for the visible entries, `batch` at a time under the mutex.
  void ApplyToAll(
      const std::function<void(const Slice&, void*, size_t, Cache::DeleterFn)>& callback,
      size_t batch);
  // Values are not deleted when the cache dies (the process is about to exit).
  void Disown() { disowned_ = true; }

 private:
  enum Pool : uint8_t { kBottom, kLow, kHigh, kPools };
  struct List {
    CacheEntry* oldest = nullptr;
    CacheEntry* youngest = nullptr;
    size_t usage = 0;
    size_t count = 0;
  };
  struct Table {
    explicit Table(size_t buckets)
        : mask(buckets - 1), heads(std::make_unique<std::atomic<CacheEntry*>[]>(buckets)) {}
    size_t mask;
    std::unique_ptr<std::atomic<CacheEntry*>[]> heads;
  };
  // Entries that left the cache and that nobody can reach, linked by lru_younger. Collected under
  // the mutex; their deleters run without it.
  struct Victims {
    CacheEntry* first = nullptr;
  };

  static constexpr uint32_t kMaxHops = 64;

  // Of a shard over its capacity, whose other entries are in use as far as eviction saw: the entry,
  // whose last reference went (`meta` was what it left), makes room. False: it is still there.
  bool EvictReleased(CacheEntry* entry, uint64_t meta);
  CacheEntry* LookupLocked(const Slice& key, uint64_t hash) FIBER_REQUIRES(mu_);
  CacheEntry* NewEntry() FIBER_REQUIRES(mu_);
  // A new entry with all but its place and its meta word; charged.
  CacheEntry* FillEntry(const Slice& key, uint64_t hash, const CacheItem& item, size_t total)
      FIBER_REQUIRES(mu_);
  size_t TotalCharge(const Slice& key, const CacheItem& item) const;
  void LinkYoungest(CacheEntry* entry, Pool pool) FIBER_REQUIRES(mu_);
  void UnlinkFromList(CacheEntry* entry) FIBER_REQUIRES(mu_);
  void BalancePools() FIBER_REQUIRES(mu_);
  void UnlinkFromTable(CacheEntry* entry) FIBER_REQUIRES(mu_);
  void GrowTable() FIBER_REQUIRES(mu_);
  // Makes a visible entry invisible; it becomes a victim if nobody holds it.
  void Detach(CacheEntry* entry, Victims* victims) FIBER_REQUIRES(mu_);
  void Recycle(CacheEntry* entry, Victims* victims) FIBER_REQUIRES(mu_);
  void EvictFor(size_t charge, Victims* victims) FIBER_REQUIRES(mu_);
  void UpdateShares() FIBER_REQUIRES(mu_);
  void DeleteValues(Victims* victims) FIBER_EXCLUDES(mu_);

  fiber::Mutex mu_;
  uint32_t index_ = 0;
  size_t entry_overhead_ = 0;
  EvictionSink* sink_ = nullptr;  // may be null
  std::atomic<bool> disowned_{false};

  // Read without the mutex by Lookup; a replaced table is kept, as a reader may be in it.
  std::atomic<Table*> table_{nullptr};
  // Written under the mutex, except that the last Release of an invisible entry subtracts; read
  // anywhere (relaxed: these are sizes, they order nothing).
  std::atomic<size_t> usage_{0};
  std::atomic<size_t> capacity_{0};

  bool strict_ FIBER_GUARDED_BY(mu_) = false;
  double high_ratio_ FIBER_GUARDED_BY(mu_) = 0;
  double low_ratio_ FIBER_GUARDED_BY(mu_) = 0;
  size_t share_[kPools] FIBER_GUARDED_BY(mu_) = {};
  List lists_[kPools] FIBER_GUARDED_BY(mu_);
  size_t entry_count_ FIBER_GUARDED_BY(mu_) = 0;  // visible ones
  size_t detached_usage_ FIBER_GUARDED_BY(mu_) =
      0;  // charge of the invisible ones that are still held
  CacheEntry* free_ FIBER_GUARDED_BY(mu_) = nullptr;
  // Entries on their way to free_: pushed one by one without the mutex, taken all at once (so no
  // ABA).
  std::atomic<CacheEntry*> returned_{nullptr};
  std::vector<std::unique_ptr<CacheEntry[]>> slabs_ FIBER_GUARDED_BY(mu_);
  std::vector<std::unique_ptr<Table>> tables_ FIBER_GUARDED_BY(mu_);
};

// The Cache that NewLRUCache returns.
class LRUCache final : public PrimaryCache {
 public:
  explicit LRUCache(const LRUCacheOptions& options);
  ~LRUCache() override;

  const char* Name() const override { return "LRUCache"; }
  Status Insert(const Slice& key, void* value, size_t charge, DeleterFn deleter, Handle** handle,
                Priority priority) override;
  Status Insert(const Slice& key, void* value, const CacheItemHelper* helper, size_t charge,
                Handle** handle, Priority priority) override;
  Handle* InsertStandalone(const Slice& key, const CacheItem& item) override;
  void SetEvictionSink(EvictionSink* sink) override;
  uint64_t PrefetchChain(const Slice& key) const override;
  void PrefetchEntry(uint64_t hash) const override;
  using PrimaryCache::Lookup;
  Handle* Lookup(const Slice& key, Statistics* stats) override;
  bool Ref(Handle* handle) override;
  using PrimaryCache::Release;
  bool Release(Handle* handle, bool erase_if_last_ref) override;
  void* Value(Handle* handle) override;
  void Erase(const Slice& key) override;
  uint64_t NewId() override;
  void SetCapacity(size_t capacity) override;
  void SetStrictCapacityLimit(bool strict_capacity_limit) override;
  bool HasStrictCapacityLimit() const override;
  size_t GetCapacity() const override;
  size_t GetUsage() const override;
  size_t GetOccupancyCount() const override;
  size_t GetUsage(Handle* handle) const override;
  size_t GetPinnedUsage() const override;
  size_t GetCharge(Handle* handle) const override;
  DeleterFn GetDeleter(Handle* handle) const override;
  void DisownData() override;
  void ApplyToAllEntries(const std::function<void(const Slice& key, void* value, size_t charge,
                                                  DeleterFn deleter)>& callback,
                         const ApplyToAllEntriesOptions& opts) override;
  void EraseUnRefEntries() override;
  std::string GetPrintableOptions() const override;

  int num_shard_bits() const { return shard_bits_; }

 private:
  uint64_t HashOf(const Slice& key) const;
  LRUCacheShard& ShardOf(uint64_t hash) const {
    return shards_[shard_bits_ == 0 ? 0 : hash >> (64 - shard_bits_)];
  }

  const int shard_bits_;
  const double high_ratio_;
  const double low_ratio_;
  const uint64_t hash_seed_;
  std::unique_ptr<LRUCacheShard[]> shards_;
  std::atomic<uint64_t> next_id_{1};
  std::atomic<size_t> capacity_;
  std::atomic<bool> strict_;
};

}  // namespace cairn
