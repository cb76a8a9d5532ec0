#include "cache/clock_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "cache/secondary_adapter.h"
#include "cairn/compiler.h"

namespace cairn {

namespace {

// The meta word: 32 bits of references, 2 of the count, 2 of the state.
constexpr uint64_t kRefMask = 0xffffffffull;
constexpr uint64_t kCountOne = 1ull << 32;
constexpr uint64_t kCountMask = 3 * kCountOne;
constexpr uint64_t kStateMask = 3ull << 34;
constexpr uint64_t kEmpty = 0;
constexpr uint64_t kBusy = 1ull << 34;
constexpr uint64_t kVisible = 2ull << 34;
constexpr uint64_t kInvisible = 3ull << 34;  // = kVisible | kBusy

constexpr int kRounds = 4;  // of the hand, until every count is 0

// The share of a table's slots that is in use on average when the cache is full: so few sets are
// full then.
constexpr double kLoad = 0.6;
constexpr size_t kFirstEntryCharge = 8192;
constexpr size_t kMaxSlotsOfShard = size_t{1} << 26;

uint64_t FirstCount(Cache::Priority priority) {
  switch (priority) {
    case Cache::Priority::HIGH:
      return 2 * kCountOne;
    case Cache::Priority::LOW:
      return kCountOne;
    case Cache::Priority::BOTTOM:
      return 0;
  }
  return 0;
}

uint64_t StateOf(uint64_t meta) { return meta & kStateMask; }
bool IsUnreferenced(uint64_t meta) { return StateOf(meta) == kVisible && (meta & kRefMask) == 0; }

// From visible and unreferenced to busy: the entry is the caller's. `meta` as it was read.
bool Seize(ClockEntry* entry, uint64_t meta) {
  return entry->meta.compare_exchange_strong(meta, kBusy, std::memory_order_acq_rel,
                                             std::memory_order_relaxed);
}

// A reference to a visible entry. `hit`: it survives a round more.
bool TakeReference(ClockEntry* entry, bool hit) {
  uint64_t meta = entry->meta.load(std::memory_order_relaxed);
  while (StateOf(meta) == kVisible) {
    const uint64_t count = hit && (meta & kCountMask) != kCountMask ? kCountOne : 0;
    if (entry->meta.compare_exchange_weak(meta, meta + count + 1, std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

size_t SetsFor(size_t capacity, size_t entry_charge, size_t ways) {
  const size_t entries = std::min(capacity / std::max<size_t>(entry_charge, 1), kMaxSlotsOfShard);
  const double sets = static_cast<double>(entries) / (kLoad * static_cast<double>(ways));
  return std::bit_ceil(static_cast<size_t>(sets) + 1);
}

// A shard of at least 4 MiB, at most 64 shards.
int DefaultShardBits(size_t capacity) {
  constexpr size_t kMinShardSize = size_t{4} << 20;
  return std::min(
      6, static_cast<int>(std::bit_width(std::max<size_t>(capacity / kMinShardSize, 1))) - 1);
}

size_t DivideUp(size_t a, size_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

void ClockEntry::SetKey(const Slice& key) {
  key_size = static_cast<uint32_t>(key.size());
  char* dst = key_bytes;
  if (key.size() > kInlineKey) {
    dst = new char[key.size()];
    std::memcpy(key_bytes, &dst, sizeof(dst));
  }
  std::memcpy(dst, key.data(), key.size());
}

void ClockEntry::FreeKey() {
  if (key_size > kInlineKey) delete[] KeyData();
  key_size = 0;
}

const char* ClockEntry::KeyData() const {
  if (key_size <= kInlineKey) return key_bytes;
  const char* heap;
  std::memcpy(&heap, key_bytes, sizeof(heap));
  return heap;
}

// ---- ClockCacheShard: tables

ClockCacheShard::Table::Table(size_t set_count, uint16_t shard)
    : mask(set_count - 1), sets(std::make_unique<Set[]>(set_count)) {
  for (size_t i = 0; i < set_count; ++i) {
    for (ClockEntry& slot : sets[i].slots) slot.shard = shard;
  }
}

void ClockCacheShard::Init(uint16_t index, const Limits& limits) {
  index_ = index;
  overhead_ = limits.entry_overhead;
  first_entry_charge_ = limits.first_entry_charge;
  least_entry_charge_ = limits.least_entry_charge;
  effort_cap_ = limits.effort_cap;
  capacity_.store(limits.capacity, std::memory_order_relaxed);
  strict_.store(limits.strict, std::memory_order_relaxed);
  auto first =
      std::make_unique<Table>(SetsFor(limits.capacity, first_entry_charge_, kWays), index_);
  tables_[0].store(first.release(), std::memory_order_release);
}

ClockCacheShard::~ClockCacheShard() {
  // Nobody uses the cache any more. What is still referenced is a leak of its holder; its value is
  // left alone.
  ForEachSlot([&](ClockEntry* e) {
    const uint64_t meta = e->meta.load(std::memory_order_acquire);
    if (IsUnreferenced(meta) && !disowned_.load(std::memory_order_relaxed) &&
        e->Deleter() != nullptr) {
      e->Deleter()(e->Key(), e->value);
    }
    if (StateOf(meta) != kEmpty) e->FreeKey();
  });
  for (std::atomic<Table*>& t : tables_) delete t.load(std::memory_order_relaxed);
}

template <typename Visit>
void ClockCacheShard::ForEachSlot(const Visit& visit) const {
  for (size_t i = 0; i < kMaxTables; ++i) {
    Table* const t = table(i);
    if (t == nullptr) return;
    for (size_t s = 0; s <= t->mask; ++s) {
      for (ClockEntry& slot : t->sets[s].slots) visit(&slot);
    }
  }
}

size_t ClockCacheShard::slots() const {
  size_t sum = 0;
  for (size_t i = 0; i < kMaxTables; ++i) {
    const Table* const t = table(i);
    if (t == nullptr) break;
    sum += t->slots();
  }
  return sum;
}

ClockEntry* ClockCacheShard::SlotAt(size_t number) const {
  for (size_t i = 0; i < kMaxTables; ++i) {
    Table* const t = table(i);
    if (t == nullptr) break;
    if (number < t->slots()) return &t->sets[number / kWays].slots[number % kWays];
    number -= t->slots();
  }
  return nullptr;
}

std::atomic<uint32_t>* ClockCacheShard::TagOfSlot(const ClockEntry* entry) const {
  const auto at = reinterpret_cast<uintptr_t>(entry);
  for (size_t i = 0; i < kMaxTables; ++i) {
    Table* const t = table(i);
    if (t == nullptr) break;
    const auto first = reinterpret_cast<uintptr_t>(&t->sets[0]);
    if (at < first || at >= first + (t->mask + 1) * sizeof(Set)) continue;
    Set& set = t->sets[(at - first) / sizeof(Set)];
    return &set.tags[static_cast<size_t>(entry - set.slots.data())];
  }
  return nullptr;
}

bool ClockCacheShard::AddTable(size_t expected_tables) {
  if (least_entry_charge_ == 0 || expected_tables >= kMaxTables) return false;
  const size_t sets = slots() / kWays;
  const size_t most =
      SetsFor(capacity_.load(std::memory_order_relaxed), least_entry_charge_, kWays);
  // Not for one set that happens to be full.
  if (sets >= most || occupancy() < sets * kWays / 2) return false;
  auto added = std::make_unique<Table>(std::bit_ceil(sets), index_);
  Table* none = nullptr;
  if (tables_[expected_tables].compare_exchange_strong(none, added.get(),
                                                       std::memory_order_acq_rel)) {
    (void)added.release();
  }
  return true;
}

// ---- ClockCacheShard: slots

void ClockCacheShard::Fill(ClockEntry* entry, const Slice& key, const CacheItem& item) {
  entry->value = item.value;
  entry->charge = item.charge;
  entry->has_helper = item.helper != nullptr;
  if (item.helper != nullptr) {
    entry->helper = item.helper;
  } else {
    entry->deleter = item.deleter;
  }
  entry->SetKey(key);
}

ClockEntry* ClockCacheShard::TakeEmptySlot(Set* set, std::atomic<uint32_t>** tag) {
  for (size_t way = 0; way < kWays; ++way) {
    ClockEntry& slot = set->slots[way];
    uint64_t meta = kEmpty;
    if (slot.meta.load(std::memory_order_relaxed) == kEmpty &&
        slot.meta.compare_exchange_strong(meta, kBusy, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      *tag = &set->tags[way];
      return &slot;
    }
  }
  return nullptr;
}

// The clock, with the set for its dial.
ClockEntry* ClockCacheShard::TakeVictimsSlot(Set* set, std::atomic<uint32_t>** tag) {
  for (int round = 0; round < kRounds; ++round) {
    for (size_t way = 0; way < kWays; ++way) {
      ClockEntry& slot = set->slots[way];
      uint64_t meta = slot.meta.load(std::memory_order_relaxed);
      if (!IsUnreferenced(meta)) continue;
      if ((meta & kCountMask) != 0) {
        slot.meta.compare_exchange_strong(meta, meta - kCountOne, std::memory_order_relaxed);
      } else if (Seize(&slot, meta)) {
        FreeContents(&slot, Freed::kForRoom);
        occupancy_.fetch_sub(1, std::memory_order_relaxed);
        *tag = &set->tags[way];
        return &slot;
      }
    }
  }
  return nullptr;
}

ClockEntry* ClockCacheShard::TakeSlot(uint64_t hash, std::atomic<uint32_t>** tag) {
  while (true) {
    size_t tables = 0;
    for (; tables < kMaxTables; ++tables) {
      Table* const t = table(tables);
      if (t == nullptr) break;
      if (ClockEntry* slot = TakeEmptySlot(&SetOf(*t, hash), tag)) return slot;
    }
    if (AddTable(tables)) continue;
    for (size_t i = tables; i-- > 0;) {
      if (ClockEntry* slot = TakeVictimsSlot(&SetOf(*table(i), hash), tag)) return slot;
    }
    return nullptr;
  }
}

void ClockCacheShard::FreeContents(ClockEntry* entry, Freed why) {
  usage_.fetch_sub(TotalCharge(*entry), std::memory_order_relaxed);
  if (why == Freed::kForRoom && entry->has_helper && sink_ != nullptr) {
    sink_->OnEviction(entry->Key(), entry->value, entry->helper);
  }
  const Cache::DeleterFn deleter = entry->Deleter();
  if (deleter != nullptr && !disowned_.load(std::memory_order_relaxed)) {
    deleter(entry->Key(), entry->value);
  }
  entry->FreeKey();
}

void ClockCacheShard::Free(ClockEntry* entry, Freed why) {
  if (!entry->standalone) return FreeSlot(entry, why);
  standalone_usage_.fetch_sub(TotalCharge(*entry), std::memory_order_relaxed);
  FreeContents(entry, why);
  delete entry;
}

void ClockCacheShard::FreeSlot(ClockEntry* entry, Freed why) {
  FreeContents(entry, why);
  occupancy_.fetch_sub(1, std::memory_order_relaxed);
  TagOfSlot(entry)->store(0, std::memory_order_relaxed);
  // What was done to the entry comes before what its next owner does.
  entry->meta.store(kEmpty, std::memory_order_release);
}

// ---- ClockCacheShard: room

void ClockCacheShard::Evict(size_t bytes, uint32_t effort_cap) {
  // Slots that a thread takes from the hand at once: neighbours, and fewer increments of one word.
  constexpr size_t kStep = 4;
  const size_t count = slots();  // a multiple of kStep
  size_t freed = 0;
  uint64_t evicted = 0, pinned = 0;
  for (size_t seen = 0; seen < count * kRounds && freed < bytes; seen += kStep) {
    const size_t first = hand_.fetch_add(kStep, std::memory_order_relaxed) % count;
    for (size_t i = first; i < first + kStep && freed < bytes; ++i) {
      ClockEntry* const e = SlotAt(i);
      if (e == nullptr) break;
      uint64_t meta = e->meta.load(std::memory_order_relaxed);
      if ((meta & kRefMask) != 0) {
        if (effort_cap != 0 && ++pinned >= (evicted + 1) * effort_cap) return;
      } else if (StateOf(meta) != kVisible) {
        continue;
      } else if ((meta & kCountMask) != 0) {
        e->meta.compare_exchange_strong(meta, meta - kCountOne, std::memory_order_relaxed);
      } else if (Seize(e, meta)) {
        freed += TotalCharge(*e);
        ++evicted;
        FreeSlot(e, Freed::kForRoom);
      }
    }
  }
}

bool ClockCacheShard::Charge(size_t total, bool may_exceed) {
  const size_t capacity = capacity_.load(std::memory_order_relaxed);
  const size_t now = usage_.fetch_add(total, std::memory_order_relaxed) + total;
  if (now <= capacity) return true;
  Evict(now - capacity, effort_cap_);
  if (may_exceed || usage() <= capacity) return true;
  usage_.fetch_sub(total, std::memory_order_relaxed);
  return false;
}

void ClockCacheShard::SetCapacity(size_t capacity) {
  capacity_.store(capacity, std::memory_order_relaxed);
  const size_t now = usage();
  if (now > capacity) Evict(now - capacity, 0);
}

// ---- ClockCacheShard: the operations

Status ClockCacheShard::Insert(const Slice& key, uint64_t hash, const CacheItem& item,
                               ClockEntry** handle, Cache::Priority priority) {
  const size_t total = TotalCharge(key.size(), item.charge);
  const bool held = handle != nullptr;
  bool fits = Charge(total, held && !strict_.load(std::memory_order_relaxed));
  if (!fits && held) {
    *handle = nullptr;
    return Status::MemoryLimit("Insert failed because the cache is full");
  }
  Erase(key, hash);
  if (fits) {
    std::atomic<uint32_t>* tag = nullptr;
    if (ClockEntry* e = TakeSlot(hash, &tag)) {
      Fill(e, key, item);
      tag->store(TagOf(hash), std::memory_order_relaxed);
      occupancy_.fetch_add(1, std::memory_order_relaxed);
      // Publishes the fields to whoever takes a reference.
      e->meta.store(kVisible | FirstCount(priority) | (held ? 1 : 0), std::memory_order_release);
      if (held) *handle = e;
      return Status::OK();
    }
    if (held) {
      *handle = InsertCharged(key, item, total);
      return Status::OK();
    }
    usage_.fetch_sub(total, std::memory_order_relaxed);
  }
  // As if it had been inserted and evicted at once.
  if (sink_ != nullptr && item.helper != nullptr) sink_->OnEviction(key, item.value, item.helper);
  if (item.deleter != nullptr) item.deleter(key, item.value);
  return Status::OK();
}

ClockEntry* ClockCacheShard::InsertCharged(const Slice& key, const CacheItem& item, size_t total) {
  auto e = std::make_unique<ClockEntry>();
  Fill(e.get(), key, item);
  e->shard = index_;
  e->standalone = true;
  standalone_usage_.fetch_add(total, std::memory_order_relaxed);
  e->meta.store(kInvisible | 1, std::memory_order_release);
  return e.release();
}

ClockEntry* ClockCacheShard::InsertStandalone(const Slice& key, const CacheItem& item) {
  const size_t total = TotalCharge(key.size(), item.charge);
  if (!Charge(total, !strict_.load(std::memory_order_relaxed))) return nullptr;
  return InsertCharged(key, item, total);
}

template <bool kHit, class Visit>
void ClockCacheShard::VisitEntriesOf(const Slice& key, uint64_t hash, const Visit& visit) {
  const uint32_t tag = TagOf(hash);
  for (size_t i = 0; i < kMaxTables; ++i) {
    Table* const t = table(i);
    if (t == nullptr) break;
    Set& set = SetOf(*t, hash);
    for (size_t way = 0; way < kWays; ++way) {
      // A stale tag is a miss, or a key that differs.
      if (set.tags[way].load(std::memory_order_relaxed) != tag) continue;
      ClockEntry* const e = &set.slots[way];
      if (!TakeReference(e, kHit)) continue;
      if (KeyIs(*e, key) && visit(e)) [[likely]]
        return;
      ReleaseSlot(e);
    }
  }
}

ClockEntry* ClockCacheShard::Lookup(const Slice& key, uint64_t hash) {
  ClockEntry* found = nullptr;
  VisitEntriesOf</*kHit=*/true>(key, hash, [&](ClockEntry* e) {
    found = e;
    return true;
  });
  return found;
}

void ClockCacheShard::PrefetchChain(uint64_t hash) const {
  for (size_t i = 0; i < kMaxTables; ++i) {
    const Table* const t = table(i);
    if (t == nullptr) break;
    compiler::Prefetch(&SetOf(*t, hash));
  }
}

void ClockCacheShard::PrefetchEntry(uint64_t hash) const {
  const uint32_t tag = TagOf(hash);
  for (size_t i = 0; i < kMaxTables; ++i) {
    const Table* const t = table(i);
    if (t == nullptr) break;
    const Set& set = SetOf(*t, hash);
    for (size_t way = 0; way < kWays; ++way) {
      if (set.tags[way].load(std::memory_order_relaxed) == tag) compiler::Prefetch(&set.slots[way]);
    }
  }
}

bool ClockCacheShard::DropReference(ClockEntry* entry) {
  const uint64_t old = entry->meta.fetch_sub(1, std::memory_order_acq_rel);
  if ((old & kRefMask) != 1) return false;
  if (StateOf(old) == kInvisible) return true;
  // (From here on the entry may be anybody's.)
  const size_t capacity = capacity_.load(std::memory_order_relaxed);
  const size_t now = usage();
  if (now > capacity) [[unlikely]]
    Evict(now - capacity, effort_cap_);
  return false;
}

void ClockCacheShard::ReleaseSlot(ClockEntry* entry) {
  if (DropReference(entry)) FreeSlot(entry, Freed::kErased);
}

bool ClockCacheShard::Release(ClockEntry* entry, bool erase_if_last_ref) {
  if (!erase_if_last_ref) [[likely]] {
    const bool last = DropReference(entry);
    if (last) Free(entry, Freed::kErased);
    return last;
  }
  uint64_t meta = entry->meta.load(std::memory_order_relaxed);
  while (true) {
    const bool last = (meta & kRefMask) == 1;
    if (entry->meta.compare_exchange_weak(meta, last ? kBusy : meta - 1, std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
      if (last) Free(entry, Freed::kErased);
      return last;
    }
  }
}

void ClockCacheShard::Erase(const Slice& key, uint64_t hash) {
  VisitEntriesOf</*kHit=*/false>(key, hash, [](ClockEntry* e) {
    // Held, it is visible or invisible already.
    e->meta.fetch_or(kInvisible, std::memory_order_acq_rel);
    return false;
  });
}

size_t ClockCacheShard::PinnedUsage() {
  size_t pinned = standalone_usage_.load(std::memory_order_relaxed);
  ForEachSlot([&](ClockEntry* e) {
    uint64_t meta = e->meta.load(std::memory_order_relaxed);
    // With one reference more it can be looked at.
    while ((meta & kRefMask) != 0) {
      if (!e->meta.compare_exchange_weak(meta, meta + 1, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
        continue;
      }
      pinned += TotalCharge(*e);
      ReleaseSlot(e);
      break;
    }
  });
  return pinned;
}

void ClockCacheShard::EraseUnreferenced() {
  ForEachSlot([&](ClockEntry* e) {
    uint64_t meta = e->meta.load(std::memory_order_relaxed);
    while (IsUnreferenced(meta)) {
      if (Seize(e, meta)) {
        FreeSlot(e, Freed::kErased);
        break;
      }
      meta = e->meta.load(std::memory_order_relaxed);
    }
  });
}

void ClockCacheShard::ApplyToAll(
    const std::function<void(const Slice&, void*, size_t, Cache::DeleterFn)>& callback) {
  ForEachSlot([&](ClockEntry* e) {
    if (!TakeReference(e, /*hit=*/false)) return;
    callback(e->Key(), e->value, e->charge, e->Deleter());
    ReleaseSlot(e);
  });
}

// ---- ClockCache

namespace {
ClockEntry* EntryOf(Cache::Handle* handle) { return reinterpret_cast<ClockEntry*>(handle); }
}  // namespace

ClockCache::ClockCache(const HyperClockCacheOptions& options)
    : PrimaryCache(options.memory_allocator),
      shard_bits_(options.num_shard_bits >= 0 ? options.num_shard_bits
                                              : DefaultShardBits(options.capacity)),
      hash_seed_(options.hash_seed >= 0 ? static_cast<uint64_t>(options.hash_seed) : 0),
      estimated_entry_charge_(options.estimated_entry_charge),
      shards_(std::make_unique<ClockCacheShard[]>(shard_count())),
      capacity_(options.capacity),
      strict_(options.strict_capacity_limit) {
  ClockCacheShard::Limits limits;
  limits.capacity = DivideUp(options.capacity, shard_count());
  limits.strict = options.strict_capacity_limit;
  limits.effort_cap = static_cast<uint32_t>(std::max(options.eviction_effort_cap, 1));
  if (options.metadata_charge_policy == kFullChargeCacheMetadata) {
    limits.entry_overhead = sizeof(ClockEntry) + sizeof(uint32_t);
  }
  if (estimated_entry_charge_ != 0) {
    limits.first_entry_charge = estimated_entry_charge_;
  } else {
    limits.least_entry_charge = std::max<size_t>(options.min_avg_entry_charge, 1);
    limits.first_entry_charge = std::max(kFirstEntryCharge, limits.least_entry_charge);
  }
  for (size_t i = 0; i < shard_count(); ++i) shards_[i].Init(static_cast<uint16_t>(i), limits);
}

uint64_t ClockCache::HashOf(const Slice& key) const {
  return XXH3_64bits_withSeed(key.data(), key.size(), hash_seed_);
}

Status ClockCache::Insert(const Slice& key, void* value, size_t charge, DeleterFn deleter,
                          Handle** handle, Priority priority) {
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Insert(key, hash, {value, charge, deleter, nullptr},
                              reinterpret_cast<ClockEntry**>(handle), priority);
}

Status ClockCache::Insert(const Slice& key, void* value, const CacheItemHelper* helper,
                          size_t charge, Handle** handle, Priority priority) {
  if (helper == nullptr) return Status::InvalidArgument("no helper");
  const uint64_t hash = HashOf(key);
  return ShardOf(hash).Insert(key, hash, CacheItem::With(value, charge, helper),
                              reinterpret_cast<ClockEntry**>(handle), priority);
}

Cache::Handle* ClockCache::InsertStandalone(const Slice& key, const CacheItem& item) {
  return reinterpret_cast<Handle*>(ShardOf(HashOf(key)).InsertStandalone(key, item));
}

void ClockCache::SetEvictionSink(EvictionSink* sink) {
  for (size_t i = 0; i < shard_count(); ++i) shards_[i].SetEvictionSink(sink);
}

uint64_t ClockCache::PrefetchChain(const Slice& key) const {
  const uint64_t hash = HashOf(key);
  ShardOf(hash).PrefetchChain(hash);
  return hash;
}

void ClockCache::PrefetchEntry(uint64_t hash) const { ShardOf(hash).PrefetchEntry(hash); }

Cache::Handle* ClockCache::Lookup(const Slice& key, Statistics* /*stats*/) {
  const uint64_t hash = HashOf(key);
  return reinterpret_cast<Handle*>(ShardOf(hash).Lookup(key, hash));
}

bool ClockCache::Ref(Handle* handle) {
  EntryOf(handle)->meta.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool ClockCache::Release(Handle* handle, bool erase_if_last_ref) {
  if (handle == nullptr) return false;
  ClockEntry* const e = EntryOf(handle);
  return shards_[e->shard].Release(e, erase_if_last_ref);
}

void* ClockCache::Value(Handle* handle) { return EntryOf(handle)->value; }
size_t ClockCache::GetCharge(Handle* handle) const { return EntryOf(handle)->charge; }
Cache::DeleterFn ClockCache::GetDeleter(Handle* handle) const { return EntryOf(handle)->Deleter(); }

void ClockCache::Erase(const Slice& key) {
  const uint64_t hash = HashOf(key);
  ShardOf(hash).Erase(key, hash);
}

void ClockCache::SetCapacity(size_t capacity) {
  capacity_.store(capacity, std::memory_order_relaxed);
  for (size_t i = 0; i < shard_count(); ++i) {
    shards_[i].SetCapacity(DivideUp(capacity, shard_count()));
  }
}

void ClockCache::SetStrictCapacityLimit(bool strict) {
  strict_.store(strict, std::memory_order_relaxed);
  for (size_t i = 0; i < shard_count(); ++i) shards_[i].SetStrict(strict);
}

template <typename Size>
size_t ClockCache::Sum(const Size& size) const {
  size_t sum = 0;
  for (size_t i = 0; i < shard_count(); ++i) sum += size(shards_[i]);
  return sum;
}

size_t ClockCache::GetUsage() const {
  return Sum([](ClockCacheShard& shard) { return shard.usage(); });
}
size_t ClockCache::GetUsage(Handle* handle) const {
  const ClockEntry& e = *EntryOf(handle);
  return shards_[e.shard].TotalCharge(e);
}
size_t ClockCache::GetPinnedUsage() const {
  return Sum([](ClockCacheShard& shard) { return shard.PinnedUsage(); });
}
size_t ClockCache::GetOccupancyCount() const {
  return Sum([](ClockCacheShard& shard) { return shard.occupancy(); });
}
size_t ClockCache::GetTableAddressCount() const {
  return Sum([](ClockCacheShard& shard) { return shard.slots(); });
}

void ClockCache::DisownData() {
  for (size_t i = 0; i < shard_count(); ++i) shards_[i].Disown();
}

void ClockCache::ApplyToAllEntries(
    const std::function<void(const Slice& key, void* value, size_t charge, DeleterFn deleter)>&
        callback,
    const ApplyToAllEntriesOptions& /*opts*/) {
  for (size_t i = 0; i < shard_count(); ++i) shards_[i].ApplyToAll(callback);
}

void ClockCache::EraseUnRefEntries() {
  for (size_t i = 0; i < shard_count(); ++i) shards_[i].EraseUnreferenced();
}

std::string ClockCache::GetPrintableOptions() const {
  char buf[256];
  std::snprintf(buf, sizeof(buf),
                "    capacity : %zu\n    num_shard_bits : %d\n    strict_capacity_limit : %d\n"
                "    memory_allocator : %s\n    estimated_entry_charge : %zu\n",
                GetCapacity(), shard_bits_, HasStrictCapacityLimit() ? 1 : 0,
                memory_allocator() == nullptr ? "None" : memory_allocator()->Name(),
                estimated_entry_charge_);
  return buf;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<Cache> HyperClockCacheOptions::MakeSharedCache() const {
  if (num_shard_bits >= 16) return nullptr;
  return cairn::WithSecondaryCache(std::make_unique<cairn::ClockCache>(*this), secondary_cache);
}

}  // namespace ROCKSDB_NAMESPACE
