#include "cache/secondary_adapter.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/perf.h"

namespace cairn {
namespace {

void CountHit(CacheEntryRole role, Statistics* statistics) {
  statistics->recordTick(SECONDARY_CACHE_HITS, 1);
  switch (role) {
    case CacheEntryRole::kFilterBlock:
      return statistics->recordTick(SECONDARY_CACHE_FILTER_HITS, 1);
    case CacheEntryRole::kIndexBlock:
      return statistics->recordTick(SECONDARY_CACHE_INDEX_HITS, 1);
    case CacheEntryRole::kDataBlock:
      return statistics->recordTick(SECONDARY_CACHE_DATA_HITS, 1);
    default:
      return;
  }
}

// The value of a note in the primary: the secondary was asked for this key, and had it.
char seen_note;

void DeleteNothing(const Slice& /*key*/, void* /*value*/) {}

class CacheWithSecondary final : public Cache, private EvictionSink {
 public:
  CacheWithSecondary(std::unique_ptr<PrimaryCache> primary,
                     std::shared_ptr<SecondaryCache> secondary)
      : Cache(primary->shared_allocator()),
        secondary_(std::move(secondary)),
        primary_(std::move(primary)) {
    primary_->SetEvictionSink(this);
  }

  const char* Name() const override { return primary_->Name(); }

  Status Insert(const Slice& key, void* value, size_t charge, DeleterFn deleter, Handle** handle,
                Priority priority) override {
    return primary_->Insert(key, value, charge, deleter, handle, priority);
  }
  Status Insert(const Slice& key, void* value, const CacheItemHelper* helper, size_t charge,
                Handle** handle, Priority priority) override {
    return primary_->Insert(key, value, helper, charge, handle, priority);
  }

  Handle* Lookup(const Slice& key, Statistics* stats) override {
    bool seen;
    return LookupInPrimary(key, stats, &seen);
  }

  Handle* Lookup(const Slice& key, const CacheItemHelper* helper, const CreateCallback& create_cb,
                 Priority priority, bool /*wait*/, Statistics* stats) override {
    bool seen = false;
    if (Handle* h = LookupInPrimary(key, stats, &seen)) return h;
    if (helper == nullptr || helper->size_cb == nullptr || !create_cb) return nullptr;
    bool kept = false;
    const bool notes = secondary_->SupportForceErase();
    const std::unique_ptr<SecondaryCacheResultHandle> result =
        secondary_->Lookup(key, create_cb, /*wait=*/true, /*advise_erase=*/seen || !notes, kept);
    if (result == nullptr) return nullptr;
    if (!result->IsReady()) result->Wait();
    CacheItem item = CacheItem::With(result->Value(), result->Size(), helper);
    if (item.value == nullptr) return nullptr;
    // What stays below need not go there again.
    if (kept) item.helper = nullptr;
    Handle* h = nullptr;
    const bool standalone = notes && !seen;
    if (standalone) {
      primary_->Insert(key, &seen_note, 0, &DeleteNothing, nullptr, priority)
          .PermitUncheckedError();
      h = primary_->InsertStandalone(key, item);
    } else if (!InsertItem(key, item, &h, priority).ok()) {
      h = nullptr;
    }
    if (h == nullptr) {  // it does not fit
      if (item.deleter != nullptr) item.deleter(key, item.value);
      return nullptr;
    }
    if (stats != nullptr) CountHit(helper->role, stats);
    const Perf perf;
    perf.Count(&PerfContext::secondary_cache_hit_count);
    perf.Count(standalone ? &PerfContext::block_cache_standalone_handle_count
                          : &PerfContext::block_cache_real_handle_count);
    return h;
  }

  bool Ref(Handle* handle) override { return primary_->Ref(handle); }
  using Cache::Release;
  bool Release(Handle* handle, bool erase_if_last_ref) override {
    return primary_->Release(handle, erase_if_last_ref);
  }
  void* Value(Handle* handle) override { return primary_->Value(handle); }
  size_t GetCharge(Handle* handle) const override { return primary_->GetCharge(handle); }
  DeleterFn GetDeleter(Handle* handle) const override { return primary_->GetDeleter(handle); }
  void Erase(const Slice& key) override {
    primary_->Erase(key);
    secondary_->Erase(key);
  }
  uint64_t NewId() override { return primary_->NewId(); }
  void SetCapacity(size_t capacity) override { primary_->SetCapacity(capacity); }
  void SetStrictCapacityLimit(bool strict) override { primary_->SetStrictCapacityLimit(strict); }
  bool HasStrictCapacityLimit() const override { return primary_->HasStrictCapacityLimit(); }
  size_t GetCapacity() const override { return primary_->GetCapacity(); }
  size_t GetUsage() const override { return primary_->GetUsage(); }
  size_t GetUsage(Handle* handle) const override { return primary_->GetUsage(handle); }
  size_t GetPinnedUsage() const override { return primary_->GetPinnedUsage(); }
  size_t GetOccupancyCount() const override { return primary_->GetOccupancyCount(); }
  size_t GetTableAddressCount() const override { return primary_->GetTableAddressCount(); }
  void DisownData() override { primary_->DisownData(); }
  void ApplyToAllEntries(
      const std::function<void(const Slice&, void*, size_t, DeleterFn)>& callback,
      const ApplyToAllEntriesOptions& opts) override {
    primary_->ApplyToAllEntries(
        [&](const Slice& key, void* value, size_t charge, DeleterFn deleter) {
          if (value != &seen_note) callback(key, value, charge, deleter);
        },
        opts);
  }
  void EraseUnRefEntries() override { primary_->EraseUnRefEntries(); }
  std::string GetPrintableOptions() const override {
    std::string out = primary_->GetPrintableOptions();
    out.append("    secondary_cache : ").append(secondary_->Name()).append("\n");
    return out + secondary_->GetPrintableOptions();
  }

 private:
  Handle* LookupInPrimary(const Slice& key, Statistics* stats, bool* seen) {
    Handle* h = primary_->Lookup(key, stats);
    if (h == nullptr || primary_->Value(h) != &seen_note) [[likely]]
      return h;
    *seen = true;
    primary_->Release(h);
    return nullptr;
  }

  Status InsertItem(const Slice& key, const CacheItem& item, Handle** h, Priority priority) {
    return item.helper != nullptr
               ? primary_->Insert(key, item.value, item.helper, item.charge, h, priority)
               : primary_->Insert(key, item.value, item.charge, item.deleter, h, priority);
  }

  void OnEviction(const Slice& key, void* value, const CacheItemHelper* helper) override {
    secondary_->Insert(key, value, helper).PermitUncheckedError();
  }

  const std::shared_ptr<SecondaryCache> secondary_;  // outlives the primary
  const std::unique_ptr<PrimaryCache> primary_;
};

}  // namespace

std::shared_ptr<Cache> WithSecondaryCache(std::unique_ptr<PrimaryCache> primary,
                                          std::shared_ptr<SecondaryCache> secondary) {
  if (secondary == nullptr) return std::shared_ptr<Cache>(std::move(primary));
  return std::make_shared<CacheWithSecondary>(std::move(primary), std::move(secondary));
}

bool MayHaveSecondaryCache(const Cache& cache) {
  return dynamic_cast<const PrimaryCache*>(&cache) == nullptr;
}

}  // namespace cairn
