#include "cache/lru_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cache/secondary_adapter.h"
#include "cairn/compiler.h"

namespace cairn {

namespace {

constexpr uint64_t kRefMask = 0xffffffffull;
constexpr uint64_t kVisible = 1ull << 62;
constexpr uint64_t kTouched = 1ull << 61;

constexpr size_t kSlabEntries = 64;
constexpr size_t kInitialBuckets = 64;
// The eviction scan of a cache that may exceed its capacity gives up after so many pinned entries.
// (It has put them behind all others: the next one goes on from there.)
constexpr size_t kMaxPinnedSkips = 32;
constexpr int kMaxScanRounds = 4;

size_t DivideUp(size_t a, size_t b) { return (a + b - 1) / b; }

// A shard of at least 512 KiB, at most 64 shards.
int DefaultShardBits(size_t capacity) {
  constexpr size_t kMinShardSize = 512 * 1024;
  int bits = 0;
  for (size_t shards = capacity / kMinShardSize; (shards >>= 1) != 0;) {
    if (++bits >= 6) break;
  }
  return bits;
}

inline bool SameKey(const CacheEntry* entry, const Slice& key) {
  return entry->key_size == key.size() &&
         std::memcmp(entry->KeyData(), key.data(), key.size()) == 0;
}

}  // namespace

const char* CacheEntry::KeyData() const {
  if (key_size <= kInlineKey) return key_bytes;
  const char* heap;
  std::memcpy(&heap, key_bytes, sizeof(heap));
  return heap;
}

// ---- LRUCacheShard

void LRUCacheShard::Init(uint32_t index, size_t capacity, bool strict, double high_ratio,
                         double low_ratio, size_t entry_overhead) {
  fiber::MutexLock lock(&mu_);
  index_ = index;
  entry_overhead_ = entry_overhead;
  capacity_.store(capacity, std::memory_order_relaxed);
  strict_ = strict;
  high_ratio_ = high_ratio;
  low_ratio_ = low_ratio;
  UpdateShares();
  tables_.push_back(std::make_unique<Table>(kInitialBuckets));
  table_.store(tables_.back().get(), std::memory_order_release);
}

LRUCacheShard::~LRUCacheShard() {
  // Nobody uses the cache any more. What is still referenced is a leak of its holder; its value is
  // left alone.
  for (List& list : lists_) {
    for (CacheEntry* e = list.oldest; e != nullptr; e = e->lru_younger) {
      if ((e->meta.load(std::memory_order_acquire) & kRefMask) == 0 && !disowned_ &&
          e->deleter != nullptr) {
        e->deleter(e->Key(), e->value);
      }
      if (e->key_size > CacheEntry::kInlineKey) delete[] e->KeyData();
    }
  }
}

void LRUCacheShard::UpdateShares() {
  const double capacity = static_cast<double>(capacity_.load(std::memory_order_relaxed));
  share_[kHigh] = static_cast<size_t>(capacity * high_ratio_);
  share_[kLow] = static_cast<size_t>(capacity * low_ratio_);
}

CacheEntry* LRUCacheShard::NewEntry() {
  if (free_ == nullptr) free_ = returned_.exchange(nullptr, std::memory_order_acquire);
  if (free_ == nullptr) {
    slabs_.push_back(std::make_unique<CacheEntry[]>(kSlabEntries));
    CacheEntry* slab = slabs_.back().get();
    for (size_t i = 0; i < kSlabEntries; ++i) {
      slab[i].shard = index_;
      slab[i].lru_younger = free_;
      free_ = &slab[i];
    }
  }
  CacheEntry* e = free_;
  free_ = e->lru_younger;
  return e;
}

void LRUCacheShard::LinkYoungest(CacheEntry* entry, Pool pool) {
  List& list = lists_[pool];
  entry->pool = pool;
  entry->lru_older = list.youngest;
  entry->lru_younger = nullptr;
  (list.youngest != nullptr ? list.youngest->lru_younger : list.oldest) = entry;
  list.youngest = entry;
  list.usage += entry->total_charge;
  ++list.count;
}

void LRUCacheShard::UnlinkFromList(CacheEntry* entry) {
  List& list = lists_[entry->pool];
  (entry->lru_older != nullptr ? entry->lru_older->lru_younger : list.oldest) = entry->lru_younger;
  (entry->lru_younger != nullptr ? entry->lru_younger->lru_older : list.youngest) =
      entry->lru_older;
  list.usage -= entry->total_charge;
  --list.count;
}

void LRUCacheShard::BalancePools() {
  for (const Pool pool : {kHigh, kLow}) {
    List& list = lists_[pool];
    while (list.usage > share_[pool] && list.oldest != nullptr) {
      CacheEntry* e = list.oldest;
      UnlinkFromList(e);
      LinkYoungest(e, pool == kHigh && low_ratio_ > 0 ? kLow : kBottom);
    }
  }
}

void LRUCacheShard::UnlinkFromTable(CacheEntry* entry) {
  Table* table = table_.load(std::memory_order_relaxed);
  std::atomic<CacheEntry*>* link =
      &table->heads[entry->hash.load(std::memory_order_relaxed) & table->mask];
  for (CacheEntry* e; (e = link->load(std::memory_order_relaxed)) != entry;) link = &e->next;
  link->store(entry->next.load(std::memory_order_relaxed), std::memory_order_release);
  --entry_count_;
}

void LRUCacheShard::GrowTable() {
  Table* old = table_.load(std::memory_order_relaxed);
  auto bigger = std::make_unique<Table>((old->mask + 1) * 2);
  for (size_t b = 0; b <= old->mask; ++b) {
    CacheEntry* e = old->heads[b].load(std::memory_order_relaxed);
    while (e != nullptr) {
      CacheEntry* next = e->next.load(std::memory_order_relaxed);
      auto& head = bigger->heads[e->hash.load(std::memory_order_relaxed) & bigger->mask];
      e->next.store(head.load(std::memory_order_relaxed), std::memory_order_release);
      head.store(e, std::memory_order_relaxed);
      e = next;
    }
  }
  table_.store(bigger.get(), std::memory_order_release);
  tables_.push_back(std::move(bigger));
}

void LRUCacheShard::Recycle(CacheEntry* entry, Victims* victims) {
  usage_.fetch_sub(entry->total_charge, std::memory_order_relaxed);
  entry->lru_younger = victims->first;
  victims->first = entry;
}

void LRUCacheShard::DeleteValues(Victims* victims) {
  while (CacheEntry* e = victims->first) {
    victims->first = e->lru_younger;
    if (e->evicted) {
      e->evicted = false;
      if (sink_ != nullptr && e->helper != nullptr)
        sink_->OnEviction(e->Key(), e->value, e->helper);
    }
    if (e->deleter != nullptr && !disowned_.load(std::memory_order_relaxed)) {
      e->deleter(e->Key(), e->value);
    }
    if (e->key_size > CacheEntry::kInlineKey) delete[] e->KeyData();
    e->key_size = 0;
    e->lru_younger = returned_.load(std::memory_order_relaxed);
    while (!returned_.compare_exchange_weak(e->lru_younger, e, std::memory_order_acq_rel)) {
    }
  }
}

void LRUCacheShard::Detach(CacheEntry* entry, Victims* victims) {
  UnlinkFromTable(entry);
  UnlinkFromList(entry);
  // Counted before the bit goes: from then on the last holder may free it (and wait for the mutex
  // to do so).
  detached_usage_ += entry->total_charge;
  const uint64_t old = entry->meta.fetch_and(~(kVisible | kTouched), std::memory_order_acq_rel);
  if ((old & kRefMask) == 0) {
    detached_usage_ -= entry->total_charge;
    Recycle(entry, victims);
  }
}

void LRUCacheShard::EvictFor(size_t charge, Victims* victims) {
  const size_t capacity = capacity_.load(std::memory_order_relaxed);
  auto enough = [&] { return usage_.load(std::memory_order_relaxed) + charge <= capacity; };
  size_t pinned = 0;
  for (int round = 0; round < kMaxScanRounds && !enough(); ++round) {
    for (const Pool pool : {kBottom, kLow, kHigh}) {
      List& list = lists_[pool];
      for (size_t left = list.count; left > 0 && list.oldest != nullptr && !enough(); --left) {
        CacheEntry* e = list.oldest;
        uint64_t meta = e->meta.load(std::memory_order_relaxed);
        if ((meta & kRefMask) != 0) {
          UnlinkFromList(e);
          LinkYoungest(e, pool);
          if (++pinned > kMaxPinnedSkips && !strict_) return;
          continue;
        }
        if ((meta & kTouched) != 0) {
          e->meta.fetch_and(~kTouched, std::memory_order_relaxed);
          UnlinkFromList(e);
          LinkYoungest(e, high_ratio_ > 0 ? kHigh : (low_ratio_ > 0 ? kLow : kBottom));
          BalancePools();
          continue;
        }
        if (!e->meta.compare_exchange_strong(meta, 0, std::memory_order_acq_rel)) continue;
        UnlinkFromTable(e);
        UnlinkFromList(e);
        e->evicted = true;
        Recycle(e, victims);
      }
    }
  }
}

size_t LRUCacheShard::TotalCharge(const Slice& key, const CacheItem& item) const {
  if (entry_overhead_ == 0) return item.charge;
  return item.charge + entry_overhead_ + (key.size() > CacheEntry::kInlineKey ? key.size() : 0);
}

CacheEntry* LRUCacheShard::FillEntry(const Slice& key, uint64_t hash, const CacheItem& item,
                                     size_t total) {
  CacheEntry* e = NewEntry();
  e->hash.store(hash, std::memory_order_relaxed);
  e->value = item.value;
  e->key_size = static_cast<uint32_t>(key.size());
  char* dst = e->key_bytes;
  if (key.size() > CacheEntry::kInlineKey) {
    dst = new char[key.size()];
    std::memcpy(e->key_bytes, &dst, sizeof(dst));
  }
  std::memcpy(dst, key.data(), key.size());
  e->charge = item.charge;
  e->total_charge = total;
  e->deleter = item.deleter;
  e->helper = item.helper;
  usage_.fetch_add(total, std::memory_order_relaxed);
  return e;
}

Status LRUCacheShard::Insert(const Slice& key, uint64_t hash, const CacheItem& item,
                             CacheEntry** handle, Cache::Priority priority) {
  Victims victims;
  Status status;
  bool drop = false;
  {
    fiber::MutexLock lock(&mu_);
    const size_t total = TotalCharge(key, item);
    EvictFor(total, &victims);
    const bool full =
        usage_.load(std::memory_order_relaxed) + total > capacity_.load(std::memory_order_relaxed);
    if (full && handle == nullptr) {
      // As if it had been inserted and evicted at once.
      if (CacheEntry* old = LookupLocked(key, hash)) Detach(old, &victims);
      drop = true;
    } else if (full && strict_) {
      *handle = nullptr;
      status = Status::MemoryLimit("Insert failed because the cache is full");
    } else {
      if (CacheEntry* old = LookupLocked(key, hash)) Detach(old, &victims);
      if (entry_count_ > table_.load(std::memory_order_relaxed)->mask) GrowTable();
      CacheEntry* e = FillEntry(key, hash, item, total);
      Pool pool = kBottom;
      if (priority == Cache::Priority::HIGH && high_ratio_ > 0) {
        pool = kHigh;
      } else if (priority != Cache::Priority::BOTTOM && low_ratio_ > 0) {
        pool = kLow;
      }
      LinkYoungest(e, pool);
      BalancePools();
      // Publishes the fields above to whoever takes a reference.
      e->meta.store(kVisible | (handle != nullptr ? 1 : 0), std::memory_order_release);
      Table* table = table_.load(std::memory_order_relaxed);
      std::atomic<CacheEntry*>& head = table->heads[hash & table->mask];
      e->next.store(head.load(std::memory_order_relaxed), std::memory_order_release);
      head.store(e, std::memory_order_release);
      ++entry_count_;
      if (handle != nullptr) *handle = e;
    }
  }
  DeleteValues(&victims);
  if (drop) {
    if (sink_ != nullptr && item.helper != nullptr) sink_->OnEviction(key, item.value, item.helper);
    if (item.deleter != nullptr) item.deleter(key, item.value);
  }
  return status;
}

CacheEntry* LRUCacheShard::InsertStandalone(const Slice& key, uint64_t hash,
                                            const CacheItem& item) {
  Victims victims;
  CacheEntry* e = nullptr;
  {
    fiber::MutexLock lock(&mu_);
    const size_t total = TotalCharge(key, item);
    EvictFor(total, &victims);
    if (!strict_ || usage_.load(std::memory_order_relaxed) + total <=
                        capacity_.load(std::memory_order_relaxed)) {
      // As an entry that was erased while it is held.
      e = FillEntry(key, hash, item, total);
      detached_usage_ += total;
      e->meta.store(1, std::memory_order_release);
    }
  }
  DeleteValues(&victims);
  return e;
}

CacheEntry* LRUCacheShard::LookupLocked(const Slice& key, uint64_t hash) {
  Table* table = table_.load(std::memory_order_relaxed);
  CacheEntry* e = table->heads[hash & table->mask].load(std::memory_order_relaxed);
  for (; e != nullptr; e = e->next.load(std::memory_order_relaxed)) {
    if (e->hash.load(std::memory_order_relaxed) == hash && SameKey(e, key)) return e;
  }
  return nullptr;
}

CacheEntry* LRUCacheShard::Lookup(const Slice& key, uint64_t hash) {
  Table* table = table_.load(std::memory_order_acquire);
  CacheEntry* e = table->heads[hash & table->mask].load(std::memory_order_acquire);
  for (uint32_t hops = 0; e != nullptr && hops < kMaxHops; ++hops) {
    if (e->hash.load(std::memory_order_relaxed) == hash) {
      uint64_t meta = e->meta.load(std::memory_order_relaxed);
      while ((meta & kVisible) != 0) {
        if (!e->meta.compare_exchange_weak(meta, (meta + 1) | kTouched, std::memory_order_acq_rel,
                                           std::memory_order_relaxed)) {
          continue;
        }
        if (SameKey(e, key)) [[likely]]
          return e;
        Release(e, false);
        break;
      }
    }
    e = e->next.load(std::memory_order_acquire);
  }
  fiber::MutexLock lock(&mu_);
  e = LookupLocked(key, hash);
  if (e != nullptr) {
    e->meta.fetch_add(1, std::memory_order_acq_rel);
    e->meta.fetch_or(kTouched, std::memory_order_relaxed);
  }
  return e;
}

void LRUCacheShard::PrefetchChain(uint64_t hash) const {
  const Table* const table = table_.load(std::memory_order_acquire);
  compiler::Prefetch(&table->heads[hash & table->mask]);
}

void LRUCacheShard::PrefetchEntry(uint64_t hash) const {
  const Table* const table = table_.load(std::memory_order_acquire);
  compiler::Prefetch(table->heads[hash & table->mask].load(std::memory_order_relaxed));
}

bool LRUCacheShard::EvictReleased(CacheEntry* entry, uint64_t meta) {
  Victims victims;
  {
    fiber::MutexLock lock(&mu_);
    // It may be another entry by now: that one, which nobody holds either, does as well.
    if (usage_.load(std::memory_order_relaxed) <= capacity_.load(std::memory_order_relaxed) ||
        !entry->meta.compare_exchange_strong(meta, 0, std::memory_order_acq_rel)) {
      return false;
    }
    UnlinkFromTable(entry);
    UnlinkFromList(entry);
    entry->evicted = true;
    Recycle(entry, &victims);
  }
  DeleteValues(&victims);
  return true;
}

bool LRUCacheShard::Release(CacheEntry* entry, bool erase_if_last_ref) {
  Victims victims;
  if (!erase_if_last_ref) [[likely]] {
    const uint64_t old = entry->meta.fetch_sub(1, std::memory_order_acq_rel);
    if ((old & kRefMask) != 1) return false;
    if ((old & kVisible) != 0) {
      if (usage_.load(std::memory_order_relaxed) > capacity_.load(std::memory_order_relaxed))
          [[unlikely]] {
        return EvictReleased(entry, old - 1);
      }
      return false;
    }
    {
      fiber::MutexLock lock(&mu_);
      detached_usage_ -= entry->total_charge;
      Recycle(entry, &victims);
    }
    DeleteValues(&victims);
    return true;
  }
  {
    fiber::MutexLock lock(&mu_);
    const uint64_t old = entry->meta.fetch_sub(1, std::memory_order_acq_rel);
    if ((old & kRefMask) != 1) return false;
    if ((old & kVisible) != 0) {
      uint64_t expected = old - 1;
      while ((expected & kRefMask) == 0) {
        if (entry->meta.compare_exchange_weak(expected, 0, std::memory_order_acq_rel)) break;
      }
      if ((expected & kRefMask) != 0) return false;  // found again meanwhile
      UnlinkFromTable(entry);
      UnlinkFromList(entry);
    } else {
      detached_usage_ -= entry->total_charge;
    }
    Recycle(entry, &victims);
  }
  DeleteValues(&victims);
  return true;
}

void LRUCacheShard::Erase(const Slice& key, uint64_t hash) {
  Victims victims;
  {
    fiber::MutexLock lock(&mu_);
    if (CacheEntry* e = LookupLocked(key, hash)) Detach(e, &victims);
  }
  DeleteValues(&victims);
}

void LRUCacheShard::SetCapacity(size_t capacity) {
  Victims victims;
  {
    fiber::MutexLock lock(&mu_);
    capacity_.store(capacity, std::memory_order_relaxed);
    UpdateShares();
    BalancePools();
    EvictFor(0, &victims);
  }
  DeleteValues(&victims);
}

void LRUCacheShard::SetStrict(bool strict) {
  fiber::MutexLock lock(&mu_);
  strict_ = strict;
}

size_t LRUCacheShard::PinnedUsage() {
  fiber::MutexLock lock(&mu_);
  size_t pinned = detached_usage_;
  for (const List& list : lists_) {
    for (CacheEntry* e = list.oldest; e != nullptr; e = e->lru_younger) {
      if ((e->meta.load(std::memory_order_relaxed) & kRefMask) != 0) pinned += e->total_charge;
    }
  }
  return pinned;
}

size_t LRUCacheShard::OccupancyCount() {
  fiber::MutexLock lock(&mu_);
  return entry_count_;
}

void LRUCacheShard::EraseUnreferenced() {
  Victims victims;
  {
    fiber::MutexLock lock(&mu_);
    for (List& list : lists_) {
      for (CacheEntry *e = list.oldest, *younger; e != nullptr; e = younger) {
        younger = e->lru_younger;
        uint64_t meta = e->meta.load(std::memory_order_relaxed);
        bool taken = false;
        while ((meta & kRefMask) == 0 && !taken) {
          taken = e->meta.compare_exchange_weak(meta, 0, std::memory_order_acq_rel);
        }
        if (!taken) continue;
        UnlinkFromTable(e);
        UnlinkFromList(e);
        Recycle(e, &victims);
      }
    }
  }
  DeleteValues(&victims);
}

void LRUCacheShard::ApplyToAll(
    const std::function<void(const Slice&, void*, size_t, Cache::DeleterFn)>& callback,
    size_t batch) {
  // By buckets, so that the mutex is held for a bounded time. A table that grows in between may
  // show entries twice or not at all; the caller was told so by the interface ("not a consistent
  // view").
  size_t bucket = 0;
  while (true) {
    fiber::MutexLock lock(&mu_);
    Table* table = table_.load(std::memory_order_relaxed);
    for (size_t seen = 0; seen < batch; ++bucket) {
      if (bucket > table->mask) return;
      CacheEntry* e = table->heads[bucket].load(std::memory_order_relaxed);
      for (; e != nullptr; e = e->next.load(std::memory_order_relaxed), ++seen) {
        callback(e->Key(), e->value, e->charge, e->deleter);
      }
      ++seen;
    }
  }
}

// ---- LRUCache

namespace {
CacheEntry* EntryOf(Cache::Handle* handle) { return reinterpret_cast<CacheEntry*>(handle); }
}  // namespace

LRUCache::LRUCache(const LRUCacheOptions& options)
    : PrimaryCache(options.memory_allocator),
      shard_bits_(options.num_shard_bits >= 0 ? options.num_shard_bits
                                              : DefaultShardBits(options.capacity)),
      high_ratio_(options.high_pri_pool_ratio),
      low_ratio_(options.low_pri_pool_ratio),
      hash_seed_(options.hash_seed >= 0 ? static_cast<uint64_t>(options.hash_seed) : 0),
      shards_(std::make_unique<LRUCacheShard[]>(size_t{1} << shard_bits_)),
      capacity_(options.capacity),
      strict_(options.strict_capacity_limit) {
  const size_t shards = size_t{1} << shard_bits_;
  const size_t overhead =
      options.metadata_charge_policy == kFullChargeCacheMetadata ? sizeof(CacheEntry) : 0;
  for (size_t i = 0; i < shards; ++i) {
    shards_[i].Init(static_cast<uint32_t>(i), DivideUp(options.capacity, shards),
                    options.strict_capacity_limit, high_ratio_, low_ratio_, overhead);
  }
}

LRUCache::~LRUCache() = default;

uint64_t LRUCache::HashOf(const Slice& key) const {
  return XXH3_64bits_withSeed(key.data(), key.size(), hash_seed_);
}

Status LRUCache::Insert(const Slice& key, void* value, size_t charge, DeleterFn deleter,
                        Handle** handle, Priority priority) {
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Insert(key, hash, {value, charge, deleter, nullptr},
                              reinterpret_cast<CacheEntry**>(handle), priority);
}

Status LRUCache::Insert(const Slice& key, void* value, const CacheItemHelper* helper, size_t charge,
                        Handle** handle, Priority priority) {
  if (helper == nullptr) return Status::InvalidArgument("no helper");
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Insert(key, hash, CacheItem::With(value, charge, helper),
                              reinterpret_cast<CacheEntry**>(handle), priority);
}

Cache::Handle* LRUCache::InsertStandalone(const Slice& key, const CacheItem& item) {
  const uint64_t hash = HashOf(key);
  return reinterpret_cast<Handle*>(ShardOf(hash).InsertStandalone(key, hash, item));
}

void LRUCache::SetEvictionSink(EvictionSink* sink) {
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) shards_[i].SetEvictionSink(sink);
}

uint64_t LRUCache::PrefetchChain(const Slice& key) const {
  const uint64_t hash = HashOf(key);
  ShardOf(hash).PrefetchChain(hash);
  return hash;
}

void LRUCache::PrefetchEntry(uint64_t hash) const { ShardOf(hash).PrefetchEntry(hash); }

Cache::Handle* LRUCache::Lookup(const Slice& key, Statistics* /*stats*/) {
  const uint64_t hash = HashOf(key);
  return reinterpret_cast<Handle*>(ShardOf(hash).Lookup(key, hash));
}

bool LRUCache::Ref(Handle* handle) {
  EntryOf(handle)->meta.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool LRUCache::Release(Handle* handle, bool erase_if_last_ref) {
  if (handle == nullptr) return false;
  CacheEntry* e = EntryOf(handle);
  return shards_[e->shard].Release(e, erase_if_last_ref);
}

void* LRUCache::Value(Handle* handle) { return EntryOf(handle)->value; }

void LRUCache::Erase(const Slice& key) {
  const uint64_t hash = HashOf(key);
  ShardOf(hash).Erase(key, hash);
}

uint64_t LRUCache::NewId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

void LRUCache::SetCapacity(size_t capacity) {
  capacity_.store(capacity, std::memory_order_relaxed);
  const size_t shards = size_t{1} << shard_bits_;
  for (size_t i = 0; i < shards; ++i) shards_[i].SetCapacity(DivideUp(capacity, shards));
}

void LRUCache::SetStrictCapacityLimit(bool strict) {
  strict_.store(strict, std::memory_order_relaxed);
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) shards_[i].SetStrict(strict);
}

bool LRUCache::HasStrictCapacityLimit() const { return strict_.load(std::memory_order_relaxed); }
size_t LRUCache::GetCapacity() const { return capacity_.load(std::memory_order_relaxed); }

size_t LRUCache::GetUsage() const {
  size_t sum = 0;
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) sum += shards_[i].usage();
  return sum;
}

size_t LRUCache::GetOccupancyCount() const {
  size_t sum = 0;
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) sum += shards_[i].OccupancyCount();
  return sum;
}

size_t LRUCache::GetUsage(Handle* handle) const { return EntryOf(handle)->total_charge; }

size_t LRUCache::GetPinnedUsage() const {
  size_t sum = 0;
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) sum += shards_[i].PinnedUsage();
  return sum;
}

size_t LRUCache::GetCharge(Handle* handle) const { return EntryOf(handle)->charge; }
Cache::DeleterFn LRUCache::GetDeleter(Handle* handle) const { return EntryOf(handle)->deleter; }

void LRUCache::DisownData() {
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) shards_[i].Disown();
}

void LRUCache::ApplyToAllEntries(
    const std::function<void(const Slice& key, void* value, size_t charge, DeleterFn deleter)>&
        callback,
    const ApplyToAllEntriesOptions& opts) {
  const size_t batch = std::max<size_t>(1, opts.average_entries_per_lock);
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) shards_[i].ApplyToAll(callback, batch);
}

void LRUCache::EraseUnRefEntries() {
  for (size_t i = 0; i < size_t{1} << shard_bits_; ++i) shards_[i].EraseUnreferenced();
}

std::string LRUCache::GetPrintableOptions() const {
  char buf[256];
  std::snprintf(
      buf, sizeof(buf),
      "    capacity : %zu\n    num_shard_bits : %d\n    strict_capacity_limit : %d\n"
      "    memory_allocator : %s\n    high_pri_pool_ratio: %.3f\n    low_pri_pool_ratio: %.3f\n",
      GetCapacity(), shard_bits_, HasStrictCapacityLimit() ? 1 : 0,
      memory_allocator() == nullptr ? "None" : memory_allocator()->Name(), high_ratio_, low_ratio_);
  return buf;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<Cache> NewLRUCache(const LRUCacheOptions& options) {
  if (options.num_shard_bits >= 20) return nullptr;
  if (options.high_pri_pool_ratio < 0.0 || options.high_pri_pool_ratio > 1.0) return nullptr;
  if (options.low_pri_pool_ratio < 0.0 || options.low_pri_pool_ratio > 1.0) return nullptr;
  if (options.high_pri_pool_ratio + options.low_pri_pool_ratio > 1.0) return nullptr;
  return cairn::WithSecondaryCache(std::make_unique<cairn::LRUCache>(options),
                                   options.secondary_cache);
}

std::shared_ptr<Cache> NewClockCache(size_t capacity, int num_shard_bits,
                                     bool strict_capacity_limit,
                                     CacheMetadataChargePolicy metadata_charge_policy) {
  return NewLRUCache(capacity, num_shard_bits, strict_capacity_limit, /*high_pri_pool_ratio=*/0.5,
                     nullptr, kDefaultToAdaptiveMutex, metadata_charge_policy);
}

std::shared_ptr<Cache> NewLRUCache(size_t capacity, int num_shard_bits, bool strict_capacity_limit,
                                   double high_pri_pool_ratio,
                                   std::shared_ptr<MemoryAllocator> memory_allocator,
                                   bool use_adaptive_mutex,
                                   CacheMetadataChargePolicy metadata_charge_policy,
                                   double low_pri_pool_ratio) {
  return NewLRUCache(LRUCacheOptions(
      capacity, num_shard_bits, strict_capacity_limit, high_pri_pool_ratio,
      std::move(memory_allocator), use_adaptive_mutex, metadata_charge_policy, low_pri_pool_ratio));
}

}  // namespace ROCKSDB_NAMESPACE
