#include "rocksdb/utilities/sim_cache.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "fs/file_writer.h"
#include "rocksdb/file_system.h"

namespace cairn {
namespace {

// What is asked of the cache, as lines in a file.
class ActivityLog {
 public:
  ~ActivityLog() { Stop(); }

  Status Start(const std::string& path, Env* env, uint64_t max_size) {
    if (path.empty() || env == nullptr) {
      return Status::InvalidArgument("A log of a cache needs a file and an Env", path);
    }
    fiber::MutexLock lock(&mutex_);
    StopLocked();
    IOStatus s = FileWriter::Open(env->GetFileSystem().get(), path, FileOptions(), &file_);
    if (!s.ok()) {
      file_.reset();
      return s;
    }
    max_size_ = max_size;
    is_on_.store(true, std::memory_order_release);
    return s;
  }
  void Stop() {
    fiber::MutexLock lock(&mutex_);
    StopLocked();
  }
  Status status() {
    fiber::MutexLock lock(&mutex_);
    return status_;
  }

  void Lookup(const Slice& key) {
    if (is_on()) Write("LOOKUP - " + key.ToString(/*hex=*/true) + "\n");
  }
  void Add(const Slice& key, size_t charge) {
    if (is_on()) {
      Write("ADD - " + key.ToString(/*hex=*/true) + " - " + std::to_string(charge) + "\n");
    }
  }

 private:
  bool is_on() const { return is_on_.load(std::memory_order_acquire); }

  void Write(const std::string& line) {
    fiber::MutexLock lock(&mutex_);
    if (file_ == nullptr) return;
    Note(file_->Append(line));
    if (!status_.ok() || (max_size_ > 0 && file_->file_size() >= max_size_)) StopLocked();
  }
  void StopLocked() FIBER_REQUIRES(mutex_) {
    is_on_.store(false, std::memory_order_release);
    if (file_ == nullptr) return;
    Note(file_->Close());
    file_.reset();
  }
  void Note(const Status& s) FIBER_REQUIRES(mutex_) {
    if (status_.ok()) status_ = s;
  }

  std::atomic<bool> is_on_{false};  // so that who is not logged takes no lock
  fiber::Mutex mutex_;
  uint64_t max_size_ FIBER_GUARDED_BY(mutex_) = 0;  // 0: none
  std::unique_ptr<FileWriter> file_ FIBER_GUARDED_BY(mutex_);
  Status status_ FIBER_GUARDED_BY(mutex_);
};

class SimCacheImpl final : public SimCache {
 public:
  SimCacheImpl(std::shared_ptr<Cache> keys, std::shared_ptr<Cache> cache)
      : SimCache(std::shared_ptr<MemoryAllocator>(cache, cache->memory_allocator())),
        cache_(std::move(cache)),
        keys_(std::move(keys)) {}

  Status Insert(const Slice& key, void* value, size_t charge, DeleterFn deleter, Handle** handle,
                Priority priority) override {
    Pretend(key, charge, priority);
    return cache_->Insert(key, value, charge, deleter, handle, priority);
  }
  Status Insert(const Slice& key, void* value, const CacheItemHelper* helper, size_t charge,
                Handle** handle, Priority priority) override {
    if (helper == nullptr) return Status::InvalidArgument("no helper");
    Pretend(key, charge, priority);
    return cache_->Insert(key, value, helper, charge, handle, priority);
  }
  Handle* Lookup(const Slice& key, Statistics* stats) override {
    Count(key, stats);
    return cache_->Lookup(key, stats);
  }
  Handle* Lookup(const Slice& key, const CacheItemHelper* helper, const CreateCallback& create_cb,
                 Priority priority, bool wait, Statistics* stats) override {
    Count(key, stats);
    return cache_->Lookup(key, helper, create_cb, priority, wait, stats);
  }
  void Erase(const Slice& key) override {
    cache_->Erase(key);
    keys_->Erase(key);
  }
  void EraseUnRefEntries() override {
    cache_->EraseUnRefEntries();
    keys_->EraseUnRefEntries();
  }
  void DisownData() override {
    cache_->DisownData();
    keys_->DisownData();
  }

  bool Ref(Handle* handle) override { return cache_->Ref(handle); }
  bool Release(Handle* handle, bool erase_if_last_ref) override {
    return cache_->Release(handle, erase_if_last_ref);
  }
  bool Release(Handle* handle, bool useful, bool erase_if_last_ref) override {
    return cache_->Release(handle, useful, erase_if_last_ref);
  }
  bool IsReady(Handle* handle) override { return cache_->IsReady(handle); }
  void Wait(Handle* handle) override { cache_->Wait(handle); }
  void WaitAll(std::vector<Handle*>& handles) override { cache_->WaitAll(handles); }
  void* Value(Handle* handle) override { return cache_->Value(handle); }
  size_t GetCharge(Handle* handle) const override { return cache_->GetCharge(handle); }
  DeleterFn GetDeleter(Handle* handle) const override { return cache_->GetDeleter(handle); }
  uint64_t NewId() override { return cache_->NewId(); }
  void SetCapacity(size_t capacity) override { cache_->SetCapacity(capacity); }
  void SetStrictCapacityLimit(bool strict) override { cache_->SetStrictCapacityLimit(strict); }
  bool HasStrictCapacityLimit() const override { return cache_->HasStrictCapacityLimit(); }
  size_t GetCapacity() const override { return cache_->GetCapacity(); }
  size_t GetUsage() const override { return cache_->GetUsage(); }
  size_t GetUsage(Handle* handle) const override { return cache_->GetUsage(handle); }
  size_t GetPinnedUsage() const override { return cache_->GetPinnedUsage(); }
  size_t GetOccupancyCount() const override { return cache_->GetOccupancyCount(); }
  size_t GetTableAddressCount() const override { return cache_->GetTableAddressCount(); }
  void ApplyToAllEntries(const std::function<void(const Slice& key, void* value, size_t charge,
                                                  DeleterFn deleter)>& callback,
                         const ApplyToAllEntriesOptions& opts) override {
    cache_->ApplyToAllEntries(callback, opts);
  }
  std::string GetPrintableOptions() const override {
    return "    cache_options:\n" + cache_->GetPrintableOptions() + "    sim_cache_options:\n" +
           keys_->GetPrintableOptions();
  }

  size_t GetSimCapacity() const override { return keys_->GetCapacity(); }
  size_t GetSimUsage() const override { return keys_->GetUsage(); }
  void SetSimCapacity(size_t capacity) override { keys_->SetCapacity(capacity); }
  uint64_t get_miss_counter() const override { return misses_.load(std::memory_order_relaxed); }
  uint64_t get_hit_counter() const override { return hits_.load(std::memory_order_relaxed); }
  void reset_counter() override {
    misses_.store(0, std::memory_order_relaxed);
    hits_.store(0, std::memory_order_relaxed);
  }
  std::string ToString() const override {
    const uint64_t misses = get_miss_counter();
    const uint64_t hits = get_hit_counter();
    const double all = static_cast<double>(misses + hits);
    char rate[32];
    std::snprintf(rate, sizeof(rate), "%.2f", all == 0 ? 0 : static_cast<double>(hits) * 100 / all);
    return "SimCache MISSes:  " + std::to_string(misses) +
           "\nSimCache HITs:    " + std::to_string(hits) + "\nSimCache HITRATE: " + rate + "\n";
  }
  Status StartActivityLogging(const std::string& path, Env* env, uint64_t max_size) override {
    return log_.Start(path, env, max_size);
  }
  void StopActivityLogging() override { log_.Stop(); }
  Status GetActivityLoggingStatus() override { return log_.status(); }

 private:
  static void DeleteNothing(const Slice& /*key*/, void* /*value*/) {}

  // The pretended cache gets the key, unless it has it.
  void Pretend(const Slice& key, size_t charge, Priority priority) {
    if (Handle* const known = keys_->Lookup(key)) {
      keys_->Release(known);
    } else {
      keys_->Insert(key, this, charge, &DeleteNothing, nullptr, priority).PermitUncheckedError();
    }
    log_.Add(key, charge);
  }
  void Count(const Slice& key, Statistics* stats) {
    Handle* const known = keys_->Lookup(key);
    if (known != nullptr) keys_->Release(known);
    (known != nullptr ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
    if (stats != nullptr) {
      stats->recordTick(known != nullptr ? SIM_BLOCK_CACHE_HIT : SIM_BLOCK_CACHE_MISS, 1);
    }
    log_.Lookup(key);
  }

  const std::shared_ptr<Cache> cache_;
  const std::shared_ptr<Cache> keys_;  // pretended: values are nothing
  std::atomic<uint64_t> misses_{0};    // relaxed, as statistics are
  std::atomic<uint64_t> hits_{0};
  ActivityLog log_;
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<SimCache> NewSimCache(std::shared_ptr<Cache> cache, size_t sim_capacity,
                                      int num_shard_bits) {
  LRUCacheOptions options;
  options.capacity = sim_capacity;
  options.num_shard_bits = num_shard_bits;
  options.metadata_charge_policy = kDontChargeCacheMetadata;
  return NewSimCache(NewLRUCache(options), std::move(cache), num_shard_bits);
}

std::shared_ptr<SimCache> NewSimCache(std::shared_ptr<Cache> sim_cache,
                                      std::shared_ptr<Cache> cache, int num_shard_bits) {
  if (sim_cache == nullptr || cache == nullptr || num_shard_bits >= 20) return nullptr;
  return std::make_shared<cairn::SimCacheImpl>(std::move(sim_cache), std::move(cache));
}

}  // namespace ROCKSDB_NAMESPACE
