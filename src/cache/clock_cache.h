// The clock cache: a map from key to a pinned value without locks
// (HyperClockCacheOptions::MakeSharedCache).
//
// A shard has tables of sets of 16 slots. A key hashes to one set in each table, and its entry may
// lie in any slot of these. A set's 16 tags (bits of the hash) share a cache line, so that a miss
// reads one line for each table. All that happens to an entry happens to its slot's meta word:
//
//   state     who may do what
//   kEmpty    anybody makes it kBusy by compare-and-swap, and owns the slot
//   kBusy     its owner fills or empties it; all others pass by
//   kVisible  anybody adds a reference; who finds no references may make it kBusy, to free it
//   kInvisible  erased while it was held; nobody new gets at it, and the last Release frees it
//
// A reference is taken by compare-and-swap, which fails on any other state: so nothing must be
// undone, and the key, compared after that, cannot change. (Slots are type-stable: a slot that was
// reused meanwhile has another key, and is released again.)
//
// The meta word also counts, from 0 to 3, how many rounds of the clock hand the entry survives; a
// hit adds one. The hand is a counter of the shard, and each evicting thread takes the next slots
// from it.
//
// Insert erases what has its key, and then takes an empty slot. Two that insert one key at once may
// both succeed: Lookup finds one of them, the other is evicted in time; Erase takes both. If the
// sets of the key are full and a further table is due (estimated_entry_charge = 0) one is added;
// else something of these sets is evicted; else, if all are pinned, the entry stands alone, on the
// heap.
//
// Tables are never moved nor freed before the cache: a growing one would need readers to be waited
// for. Sizes: the first for entries of kFirstEntryCharge, each further one as large as all before
// it.
//
// Thread-safe. SUSPENDS only where the eviction sink does; the slot stays busy meanwhile, which
// hinders nobody.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "cache/primary_cache.h"
#include "rocksdb/cache.h"

namespace cairn {

struct alignas(64) ClockEntry {
  static constexpr size_t kInlineKey = 24;

  std::atomic<uint64_t> meta{0};
  // The rest is its owner's while it is kBusy, constant while it is held.
  void* value = nullptr;
  size_t charge = 0;
  union {
    Cache::DeleterFn deleter;  // without has_helper
    const Cache::CacheItemHelper* helper;
  };
  uint32_t key_size = 0;
  uint16_t shard = 0;
  bool has_helper = false;
  bool standalone = false;
  char key_bytes[kInlineKey];  // the key, or a pointer to it (heap) when it is longer

  ClockEntry() : deleter(nullptr) {}
  void SetKey(const Slice& key);
  void FreeKey();
  const char* KeyData() const;
  Slice Key() const { return Slice(KeyData(), key_size); }
  Cache::DeleterFn Deleter() const { return has_helper ? helper->del_cb : deleter; }
};
static_assert(sizeof(ClockEntry) == 64);

class ClockCacheShard {
 public:
  ClockCacheShard() = default;
  ~ClockCacheShard();
  ClockCacheShard(const ClockCacheShard&) = delete;
  ClockCacheShard& operator=(const ClockCacheShard&) = delete;

  struct Limits {
    size_t capacity = 0;
    bool strict = false;
    size_t first_entry_charge = 0;  // the first table has slots for entries of this many bytes
    size_t least_entry_charge = 0;  // and all together for these
    uint32_t effort_cap = 0;
    size_t entry_overhead = 0;
  };
  // Once, before any use.
  void Init(uint16_t index, const Limits& limits);
  void SetEvictionSink(EvictionSink* sink) { sink_ = sink; }

  Status Insert(const Slice& key, uint64_t hash, const CacheItem& item, ClockEntry** handle,
                Cache::Priority priority);
  ClockEntry* InsertStandalone(const Slice& key, const CacheItem& item);
  ClockEntry* Lookup(const Slice& key, uint64_t hash);
  // See PrimaryCache.
  void PrefetchChain(uint64_t hash) const;
  void PrefetchEntry(uint64_t hash) const;
  // True if the entry was freed.
  bool Release(ClockEntry* entry, bool erase_if_last_ref);
  void Erase(const Slice& key, uint64_t hash);

  void SetCapacity(size_t capacity);
  void SetStrict(bool strict) { strict_.store(strict, std::memory_order_relaxed); }
  size_t usage() const { return usage_.load(std::memory_order_relaxed); }
  size_t occupancy() const { return occupancy_.load(std::memory_order_relaxed); }
  size_t slots() const;
  size_t PinnedUsage();
  size_t TotalCharge(const ClockEntry& entry) const {
    return TotalCharge(entry.key_size, entry.charge);
  }
  void EraseUnreferenced();
  void ApplyToAll(
      const std::function<void(const Slice&, void*, size_t, Cache::DeleterFn)>& callback);
  void Disown() { disowned_.store(true, std::memory_order_relaxed); }

 private:
  static constexpr size_t kWays = 16;
  static constexpr size_t kMaxTables = 12;
  struct Set {
    alignas(64) std::array<std::atomic<uint32_t>, kWays> tags{};  // 0: empty
    std::array<ClockEntry, kWays> slots;
  };
  struct Table {
    Table(size_t set_count, uint16_t shard);
    size_t mask;  // number of sets - 1
    std::unique_ptr<Set[]> sets;
    size_t slots() const { return (mask + 1) * kWays; }
  };
  enum class Freed { kForRoom, kErased };

  static uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 8) | 1; }
  static Set& SetOf(const Table& table, uint64_t hash) {
    return table.sets[(hash * 0x9E3779B97F4A7C15ull >> 32) & table.mask];
  }
  // The first table that there is not is null, as are all behind it.
  Table* table(size_t i) const { return tables_[i].load(std::memory_order_acquire); }

  size_t TotalCharge(size_t key_size, size_t charge) const {
    if (overhead_ == 0) return charge;
    return charge + overhead_ + (key_size > ClockEntry::kInlineKey ? key_size : 0);
  }
  static void Fill(ClockEntry* entry, const Slice& key, const CacheItem& item);
  // A standalone entry, held once, whose bytes are taken.
  ClockEntry* InsertCharged(const Slice& key, const CacheItem& item, size_t total);
  // Takes `total` bytes, evicting for them. False: they do not fit, and are not taken.
  bool Charge(size_t total, bool may_exceed);
  // As many bytes as can be had. `effort_cap`: see HyperClockCacheOptions; 0: none.
  void Evict(size_t bytes, uint32_t effort_cap);
  // An empty slot of the key's sets, now busy; null: all are pinned or busy. `tag`: the slot's.
  ClockEntry* TakeSlot(uint64_t hash, std::atomic<uint32_t>** tag);
  ClockEntry* TakeEmptySlot(Set* set, std::atomic<uint32_t>** tag);
  ClockEntry* TakeVictimsSlot(Set* set, std::atomic<uint32_t>** tag);
  // A table more, if there may be one. False: there is none, also not by another's hand.
  bool AddTable(size_t expected_tables);
  // REQUIRES: the entry is the caller's (busy, or invisible without references). Calls the sink,
  // the deleter, and gives its bytes back. The slot stays busy.
  void FreeContents(ClockEntry* entry, Freed why);
  // FreeContents, and the slot is empty, or a standalone entry gone.
  void Free(ClockEntry* entry, Freed why);
  void FreeSlot(ClockEntry* entry, Freed why);  // no standalone one
  // True: that was the last reference to an invisible entry, which is now the caller's to free.
  bool DropReference(ClockEntry* entry);
  void ReleaseSlot(ClockEntry* entry);  // no standalone one
  // Those of `key`, with a reference taken that counts as a hit or not, until `visit(entry)` keeps
  // one and says so (true).
  template <bool kHit, class Visit>
  void VisitEntriesOf(const Slice& key, uint64_t hash, const Visit& visit);
  std::atomic<uint32_t>* TagOfSlot(const ClockEntry* entry) const;
  // The slot of this number, in all tables together; null: there are not so many.
  ClockEntry* SlotAt(size_t number) const;
  template <typename Visit>  // void(ClockEntry*)
  void ForEachSlot(const Visit& visit) const;
  bool KeyIs(const ClockEntry& entry, const Slice& key) const {
    return entry.key_size == key.size() && entry.Key() == key;
  }

  uint16_t index_ = 0;
  size_t overhead_ = 0;
  size_t first_entry_charge_ = 0;
  size_t least_entry_charge_ = 0;
  uint32_t effort_cap_ = 1;
  EvictionSink* sink_ = nullptr;
  std::atomic<bool> disowned_{false};
  std::array<std::atomic<Table*>, kMaxTables> tables_{};

  // Sizes and counts, which order nothing: relaxed.
  alignas(64) std::atomic<size_t> usage_{0};
  std::atomic<size_t> standalone_usage_{0};
  std::atomic<size_t> occupancy_{0};
  std::atomic<size_t> capacity_{0};
  std::atomic<bool> strict_{false};
  alignas(64) std::atomic<uint64_t> hand_{0};
};

class ClockCache final : public PrimaryCache {
 public:
  // The options are valid.
  explicit ClockCache(const HyperClockCacheOptions& options);

  const char* Name() const override { return "HyperClockCache"; }
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
  size_t GetCharge(Handle* handle) const override;
  DeleterFn GetDeleter(Handle* handle) const override;
  void Erase(const Slice& key) override;
  uint64_t NewId() override { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  void SetCapacity(size_t capacity) override;
  void SetStrictCapacityLimit(bool strict_capacity_limit) override;
  bool HasStrictCapacityLimit() const override { return strict_.load(std::memory_order_relaxed); }
  size_t GetCapacity() const override { return capacity_.load(std::memory_order_relaxed); }
  size_t GetUsage() const override;
  size_t GetUsage(Handle* handle) const override;
  size_t GetPinnedUsage() const override;
  size_t GetOccupancyCount() const override;
  size_t GetTableAddressCount() const override;
  void DisownData() override;
  void ApplyToAllEntries(const std::function<void(const Slice& key, void* value, size_t charge,
                                                  DeleterFn deleter)>& callback,
                         const ApplyToAllEntriesOptions& opts) override;
  void EraseUnRefEntries() override;
  std::string GetPrintableOptions() const override;

 private:
  size_t shard_count() const { return size_t{1} << shard_bits_; }
  uint64_t HashOf(const Slice& key) const;
  ClockCacheShard& ShardOf(uint64_t hash) const {
    return shards_[shard_bits_ == 0 ? 0 : hash >> (64 - shard_bits_)];
  }
  template <typename Size>  // size_t(ClockCacheShard&)
  size_t Sum(const Size& size) const;

  const int shard_bits_;
  const uint64_t hash_seed_;
  const size_t estimated_entry_charge_;
  std::unique_ptr<ClockCacheShard[]> shards_;
  std::atomic<uint64_t> next_id_{1};
  std::atomic<size_t> capacity_;
  std::atomic<bool> strict_;
};

}  // namespace cairn
