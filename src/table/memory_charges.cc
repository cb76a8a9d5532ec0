#include "table/memory_charges.h"

#include <string>

namespace cairn {
namespace {

using Decision = CacheEntryRoleOptions::Decision;

// What can be charged: its name in errors, and whether it is where the options do not say.
struct Kind {
  CacheEntryRole role;
  const char* name;
  bool by_default;
};
constexpr Kind kKinds[] = {
    {CacheEntryRole::kCompressionDictionaryBuildingBuffer, "kCompressionDictionaryBuildingBuffer",
     true},
    {CacheEntryRole::kFilterConstruction, "kFilterConstruction", false},
    {CacheEntryRole::kBlockBasedTableReader, "kBlockBasedTableReader", false},
    {CacheEntryRole::kMisc, "kMisc", false},
};

// Null: it cannot.
const Kind* Find(CacheEntryRole role) {
  for (const Kind& kind : kKinds) {
    if (kind.role == role) return &kind;
  }
  return nullptr;
}

bool Decide(const CacheUsageOptions& usage, const Kind& kind) {
  Decision decision = usage.options.charged;
  const auto it = usage.options_overrides.find(kind.role);
  if (it != usage.options_overrides.end() && it->second.charged != Decision::kFallback) {
    decision = it->second.charged;
  }
  return decision == Decision::kFallback ? kind.by_default : decision == Decision::kEnabled;
}

}  // namespace

MemoryCharges::MemoryCharges(const BlockBasedTableOptions& options)
    : usage_(options.cache_usage_options) {
  if (options.block_cache != nullptr) {
    reservation_ = std::make_unique<CacheReservation>(options.block_cache);
  }
}

Status MemoryCharges::Validate(const BlockBasedTableOptions& options) {
  for (const auto& [role, override] : options.cache_usage_options.options_overrides) {
    if (override.charged == Decision::kFallback) continue;
    const Kind* const kind = Find(role);
    if (kind == nullptr) {
      return Status::NotSupported(
          "BlockBasedTableOptions::cache_usage_options: what is charged for CacheEntryRole " +
          std::to_string(static_cast<int>(role)) + " cannot be chosen");
    }
    if (options.no_block_cache && override.charged == Decision::kEnabled) {
      return Status::InvalidArgument(
          std::string("BlockBasedTableOptions::cache_usage_options: charging ") + kind->name +
          " needs a block cache");
    }
  }
  return Status::OK();
}

CacheReservation* MemoryCharges::For(CacheEntryRole role) const {
  const Kind* const kind = Find(role);
  return kind != nullptr && Decide(usage_, *kind) ? reservation_.get() : nullptr;
}

}  // namespace cairn
