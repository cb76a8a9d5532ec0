// MemoryCharges: the memory of a factory's tables that is charged to their block cache, by the kind
// of memory (BlockBasedTableOptions::cache_usage_options).
//
// Owned by the factory, shared by the readers and builders that it makes. Thread-safe.
#pragma once

#include <memory>

#include "base/namespace.h"
#include "cache/cache_reservation.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"

namespace cairn {

class MemoryCharges {
 public:
  explicit MemoryCharges(const BlockBasedTableOptions& options);

  // NotSupported or InvalidArgument for what `options` cannot have.
  [[nodiscard]] static Status Validate(const BlockBasedTableOptions& options);

  // Null: this kind is not charged.
  CacheReservation* For(CacheEntryRole role) const;

 private:
  const CacheUsageOptions usage_;
  std::unique_ptr<CacheReservation> reservation_;  // null without a cache
};

}  // namespace cairn
