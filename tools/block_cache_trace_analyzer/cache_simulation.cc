#include "block_cache_trace_analyzer/cache_simulation.h"

#include <string_view>
#include <utility>

#include "rocksdb/env.h"
#include "text_output/strings.h"

namespace block_cache_trace_analyzer {
namespace {

using rocksdb::Cache;
using rocksdb::Status;
using text_output::ParseSize;

constexpr std::string_view kGhost = "ghost_";

// Nothing is kept but how large it is.
void KeepsNothing(const rocksdb::Slice& /*key*/, void* /*value*/) {}

bool IsIn(Cache* cache, const rocksdb::Slice& key) {
  Cache::Handle* const handle = cache->Lookup(key);
  if (handle != nullptr) cache->Release(handle);
  return handle != nullptr;
}

void Keep(Cache* cache, const rocksdb::Slice& key, uint64_t charge, Cache::Priority priority) {
  // What has no room is not there.
  cache->Insert(key, nullptr, static_cast<size_t>(charge), &KeepsNothing, nullptr, priority)
      .PermitUncheckedError();
}

Status ParseConfig(std::string_view line, CacheConfig* config) {
  const std::vector<std::string_view> fields = text_output::Split(line, ',');
  const auto refuse = [&](const char* why) {
    return Status::InvalidArgument(std::string("cache \"") + std::string(line) + "\"", why);
  };
  if (fields.size() < 4) {
    return refuse("wants name,num_shard_bits,ghost_capacity,capacity, and more capacities");
  }
  config->name = fields[0];
  std::string_view kind = fields[0];
  if (kind.starts_with(kGhost)) kind.remove_prefix(kGhost.size());
  if (kind.starts_with("lru_hybrid")) return refuse("caches of rows and blocks are not simulated");
  if (kind != "lru" && kind != "lru_priority") {
    return refuse("the kinds are lru, lru_priority, ghost_lru, ghost_lru_priority");
  }
  uint64_t bits;
  if (!ParseSize(fields[1], &bits) || bits > 19) return refuse("num_shard_bits: 0 to 19");
  config->num_shard_bits = static_cast<int>(bits);
  if (!ParseSize(fields[2], &config->ghost_capacity)) return refuse("ghost_capacity: bytes");
  for (size_t i = 3; i < fields.size(); ++i) {
    uint64_t capacity;
    if (!ParseSize(fields[i], &capacity) || capacity == 0) return refuse("capacity: bytes, as 10M");
    config->capacities.push_back(capacity);
  }
  return Status::OK();
}

}  // namespace

Status ReadCacheConfigs(const std::string& path, std::vector<CacheConfig>* configs) {
  std::string text;
  Status s = rocksdb::ReadFileToString(rocksdb::Env::Default(), path, &text);
  if (!s.ok()) return s;
  for (const std::string_view line : text_output::Split(text, '\n')) {
    if (line.empty()) continue;
    CacheConfig config;
    s = ParseConfig(line, &config);
    if (!s.ok()) return s;
    configs->push_back(std::move(config));
  }
  return configs->empty() ? Status::InvalidArgument(path, "no cache stands in it") : s;
}

CacheSimulation::CacheSimulation(std::vector<CacheConfig> configs, uint64_t downsample_ratio,
                                 uint64_t warmup_seconds)
    : configs_(std::move(configs)), warmup_micros_(warmup_seconds * kMicrosInSecond) {
  for (const CacheConfig& config : configs_) {
    for (const uint64_t capacity : config.capacities) {
      Simulated simulated;
      simulated.config = &config;
      simulated.capacity = capacity;
      simulated.with_priorities = config.name.ends_with("priority");
      simulated.cache = rocksdb::NewLRUCache(
          static_cast<size_t>(capacity / downsample_ratio), config.num_shard_bits,
          /*strict_capacity_limit=*/false, simulated.with_priorities ? 0.5 : 0.0);
      if (std::string_view(config.name).starts_with(kGhost)) {
        simulated.ghost = rocksdb::NewLRUCache(static_cast<size_t>(config.ghost_capacity),
                                               /*num_shard_bits=*/1,
                                               /*strict_capacity_limit=*/false, 0.0);
      }
      caches_.push_back(std::move(simulated));
    }
  }
}

void CacheSimulation::Access(const BlockCacheTraceRecord& access) {
  if (begin_ == 0) begin_ = access.access_timestamp;
  if (!is_warm_ && access.access_timestamp >= begin_ + warmup_micros_) {
    is_warm_ = true;
    for (Simulated& simulated : caches_) simulated.counts.Restart();
  }
  const rocksdb::Slice key(access.block_key);
  const bool is_data = access.block_type != rocksdb::kBlockTraceFilterBlock &&
                       access.block_type != rocksdb::kBlockTraceIndexBlock &&
                       access.block_type != rocksdb::kBlockTraceUncompressionDictBlock;
  for (Simulated& simulated : caches_) {
    bool admitted = true;
    if (simulated.ghost != nullptr && !access.no_insert) {
      admitted = IsIn(simulated.ghost.get(), key);
      if (!admitted) Keep(simulated.ghost.get(), key, key.size(), Cache::Priority::LOW);
    }
    const bool hit = IsIn(simulated.cache.get(), key);
    if (!hit && admitted && !access.no_insert && access.block_size > 0) {
      const bool high = simulated.with_priorities && !is_data;
      Keep(simulated.cache.get(), key, access.block_size,
           high ? Cache::Priority::HIGH : Cache::Priority::LOW);
    }
    simulated.counts.Count(access.access_timestamp, !hit);
  }
}

}  // namespace block_cache_trace_analyzer
