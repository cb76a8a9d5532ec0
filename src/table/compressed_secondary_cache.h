// The secondary cache of compressed entries (NewCompressedSecondaryCache): an LRU cache whose
// values are what blocks are saved as, compressed.
//
// A key that is offered for the first time leaves a note, an entry without bytes. A key that has a
// note is kept: so what is evicted once and never asked for again costs no compression and no
// room. An entry that goes back to the primary cache for good leaves a note behind, too, and is
// kept at its next eviction.
//
// Thread-safe, without locks but those of the LRU cache; never suspends elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/cache.h"
#include "rocksdb/secondary_cache.h"

namespace cairn {

class CompressedSecondaryCache final : public SecondaryCache {
 public:
  // The options are valid.
  explicit CompressedSecondaryCache(const CompressedSecondaryCacheOptions& options,
                                    std::shared_ptr<Cache> cache);

  const char* Name() const override { return "CompressedSecondaryCache"; }
  Status Insert(const Slice& key, void* value, const Cache::CacheItemHelper* helper) override;
  std::unique_ptr<SecondaryCacheResultHandle> Lookup(const Slice& key,
                                                     const Cache::CreateCallback& create_cb,
                                                     bool wait, bool advise_erase,
                                                     bool& is_in_sec_cache) override;
  [[nodiscard]] bool SupportForceErase() const override { return true; }
  void Erase(const Slice& key) override { cache_->Erase(key); }
  // Keeps what a helper would have saved, at the first time, too.
  Status InsertSaved(const Slice& key, std::string bytes);
  void WaitAll(std::vector<SecondaryCacheResultHandle*> /*handles*/) override {}
  Status SetCapacity(size_t capacity) override;
  Status GetCapacity(size_t& capacity) override;
  std::string GetPrintableOptions() const override;

  // Bytes, with notes.
  size_t GetUsage() const { return cache_->GetUsage(); }

 private:
  void LeaveNote(const Slice& key);

  const CompressionType type_;
  const uint32_t format_version_;  // (told, and without effect)
  const std::shared_ptr<Cache> cache_;
};

}  // namespace cairn
