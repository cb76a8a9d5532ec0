// A secondary cache of the user's own for tests.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "conformance.h"
#include "rocksdb/secondary_cache.h"

namespace conformance {

// Keeps all, uncompressed.
class MapCache final : public SecondaryCache {
 public:
  const char* Name() const override { return "MapCache"; }
  Status Insert(const Slice& key, void* value, const Cache::CacheItemHelper* helper) override {
    std::string saved((*helper->size_cb)(value), '\0');
    const Status s = (*helper->saveto_cb)(value, 0, saved.size(), saved.data());
    if (!s.ok()) return s;
    const std::lock_guard<std::mutex> lock(mutex_);  // style: RocksDB runs here, too
    saved_[key.ToString()] = saved;
    inserted_++;
    return s;
  }
  std::unique_ptr<SecondaryCacheResultHandle> Lookup(const Slice& key,
                                                     const Cache::CreateCallback& create_cb,
                                                     bool /*wait*/, bool /*advise_erase*/,
                                                     bool& is_in_sec_cache) override {
    is_in_sec_cache = false;
    const std::lock_guard<std::mutex> lock(mutex_);  // style: RocksDB runs here, too
    const auto found = saved_.find(key.ToString());
    if (found == saved_.end()) return nullptr;
    const std::string& bytes = found->second;
    auto result = std::make_unique<Result>();
    if (!create_cb(bytes.data(), bytes.size(), &result->value, &result->charge).ok()) {
      return nullptr;
    }
    is_in_sec_cache = true;
    found_++;
    return result;
  }
  bool SupportForceErase() const override { return false; }
  void Erase(const Slice& key) override {
    const std::lock_guard<std::mutex> lock(mutex_);  // style: RocksDB runs here, too
    saved_.erase(key.ToString());
  }
  void WaitAll(std::vector<SecondaryCacheResultHandle*> /*handles*/) override {}

  int inserted() const { return inserted_; }
  int found() const { return found_; }

 private:
  struct Result final : SecondaryCacheResultHandle {
    bool IsReady() override { return true; }
    void Wait() override {}
    void* Value() override { return value; }
    size_t Size() override { return charge; }
    void* value = nullptr;
    size_t charge = 0;
  };

  std::mutex mutex_;  // style: RocksDB runs here, too
  std::map<std::string, std::string> saved_;
  std::atomic<int> inserted_{0}, found_{0};
};

}  // namespace conformance
