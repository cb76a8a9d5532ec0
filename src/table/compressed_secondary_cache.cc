#include "table/compressed_secondary_cache.h"

#include <cstring>
#include <utility>

#include "base/perf.h"
#include "table/compression.h"

namespace cairn {
namespace {

// A value of the cache; a null pointer is a note.
struct Stored {
  CompressionType type = kNoCompression;
  std::string bytes;
};

void DeleteStored(const Slice& /*key*/, void* value) { delete static_cast<Stored*>(value); }

class Found final : public SecondaryCacheResultHandle {
 public:
  Found(void* value, size_t charge) : value_(value), charge_(charge) {}
  bool IsReady() override { return true; }
  void Wait() override {}
  void* Value() override { return value_; }
  size_t Size() override { return charge_; }

 private:
  void* const value_;
  const size_t charge_;
};

Status Restore(const Stored& stored, const Cache::CreateCallback& create_cb, void** value,
               size_t* charge) {
  if (stored.type == kNoCompression) {
    return create_cb(stored.bytes.data(), stored.bytes.size(), value, charge);
  }
  size_t size = 0;
  Slice payload;
  Status s = DecompressedSize(stored.type, stored.bytes, &size, &payload);
  if (!s.ok()) return s;
  const auto plain = std::make_unique_for_overwrite<char[]>(size);
  s = DecompressInto(stored.type, payload, plain.get(), size, nullptr);
  return s.ok() ? create_cb(plain.get(), size, value, charge) : s;
}

}  // namespace

CompressedSecondaryCache::CompressedSecondaryCache(const CompressedSecondaryCacheOptions& options,
                                                   std::shared_ptr<Cache> cache)
    : type_(options.compression_type),
      format_version_(options.compress_format_version),
      cache_(std::move(cache)) {}

void CompressedSecondaryCache::LeaveNote(const Slice& key) {
  cache_->Insert(key, nullptr, 0, &DeleteStored).PermitUncheckedError();
}

Status CompressedSecondaryCache::Insert(const Slice& key, void* value,
                                        const Cache::CacheItemHelper* helper) {
  if (helper == nullptr || helper->size_cb == nullptr || helper->saveto_cb == nullptr) {
    return Status::InvalidArgument("the entry cannot be saved");
  }
  Cache::Handle* const known = cache_->Lookup(key);
  if (known == nullptr) {
    LeaveNote(key);
    Perf().Count(&PerfContext::compressed_sec_cache_insert_dummy_count);
    return Status::OK();
  }
  const bool stored_already = cache_->Value(known) != nullptr;
  cache_->Release(known);
  if (stored_already) return Status::OK();

  std::string bytes(helper->size_cb(value), '\0');
  Status s = helper->saveto_cb(value, 0, bytes.size(), bytes.data());
  return s.ok() ? InsertSaved(key, std::move(bytes)) : s;
}

Status CompressedSecondaryCache::InsertSaved(const Slice& key, std::string bytes) {
  auto stored = std::make_unique<Stored>();
  stored->bytes = std::move(bytes);
  const Perf perf;
  perf.Count(&PerfContext::compressed_sec_cache_insert_real_count);
  if (type_ != kNoCompression) {
    perf.Count(&PerfContext::compressed_sec_cache_uncompressed_bytes, stored->bytes.size());
    BlockCompressor compressor(type_, CompressionOptions());
    Slice smaller;
    if (compressor.Compress(stored->bytes, &smaller)) {
      std::string compressed = smaller.ToString();
      stored->bytes = std::move(compressed);
      stored->type = type_;
    }
    perf.Count(&PerfContext::compressed_sec_cache_compressed_bytes, stored->bytes.size());
  }
  const size_t charge = stored->bytes.size() + sizeof(Stored);
  return cache_->Insert(key, stored.release(), charge, &DeleteStored);
}

std::unique_ptr<SecondaryCacheResultHandle> CompressedSecondaryCache::Lookup(
    const Slice& key, const Cache::CreateCallback& create_cb, bool /*wait*/, bool advise_erase,
    bool& is_in_sec_cache) {
  is_in_sec_cache = false;
  Cache::Handle* const h = cache_->Lookup(key);
  if (h == nullptr) return nullptr;
  const auto* stored = static_cast<const Stored*>(cache_->Value(h));
  if (stored == nullptr) {
    cache_->Release(h);
    return nullptr;
  }
  void* value = nullptr;
  size_t charge = 0;
  const Status s = Restore(*stored, create_cb, &value, &charge);
  cache_->Release(h);
  if (!s.ok()) {
    cache_->Erase(key);
    return nullptr;
  }
  if (advise_erase) {
    LeaveNote(key);  // in place of the bytes
  } else {
    is_in_sec_cache = true;
  }
  return std::make_unique<Found>(value, charge);
}

Status CompressedSecondaryCache::SetCapacity(size_t capacity) {
  cache_->SetCapacity(capacity);
  return Status::OK();
}

Status CompressedSecondaryCache::GetCapacity(size_t& capacity) {
  capacity = cache_->GetCapacity();
  return Status::OK();
}

std::string CompressedSecondaryCache::GetPrintableOptions() const {
  return cache_->GetPrintableOptions() + "    compression_type : " +
         (type_ == kNoCompression ? "NoCompression" : CompressionPropertyName(type_)) +
         "\n    compress_format_version : " + std::to_string(format_version_) + "\n";
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<SecondaryCache> CompressedSecondaryCacheOptions::MakeSharedSecondaryCache() const {
  if (secondary_cache != nullptr || memory_allocator != nullptr ||
      !cairn::IsCompressionSupported(compression_type)) {
    return nullptr;
  }
  if (compress_format_version != 1 && compress_format_version != 2) return nullptr;
  std::shared_ptr<Cache> cache = NewLRUCache(*this);
  if (cache == nullptr) return nullptr;
  return std::make_shared<cairn::CompressedSecondaryCache>(*this, std::move(cache));
}

std::shared_ptr<SecondaryCache> NewCompressedSecondaryCache(
    const CompressedSecondaryCacheOptions& options) {
  return options.MakeSharedSecondaryCache();
}

std::shared_ptr<SecondaryCache> NewCompressedSecondaryCache(
    size_t capacity, int num_shard_bits, bool strict_capacity_limit, double high_pri_pool_ratio,
    double low_pri_pool_ratio, std::shared_ptr<MemoryAllocator> memory_allocator,
    bool use_adaptive_mutex, CacheMetadataChargePolicy metadata_charge_policy,
    CompressionType compression_type, uint32_t compress_format_version,
    bool enable_custom_split_merge) {
  return NewCompressedSecondaryCache(CompressedSecondaryCacheOptions(
      capacity, num_shard_bits, strict_capacity_limit, high_pri_pool_ratio, low_pri_pool_ratio,
      std::move(memory_allocator), use_adaptive_mutex, metadata_charge_policy, compression_type,
      compress_format_version, enable_custom_split_merge));
}

}  // namespace ROCKSDB_NAMESPACE
