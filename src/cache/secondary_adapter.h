// A primary cache with a secondary one behind it, as one Cache. rocksdb/secondary_cache.h tells
// what it does; NewLRUCache and HyperClockCacheOptions::MakeSharedCache() make one where their
// options have a secondary cache.
//
// Thread-safe. Lookups with a helper, and whatever evicts, SUSPEND where the secondary cache does.
#pragma once

#include <memory>

#include "base/namespace.h"
#include "cache/primary_cache.h"
#include "rocksdb/cache.h"
#include "rocksdb/secondary_cache.h"

namespace cairn {

// `primary` itself if there is no secondary cache.
std::shared_ptr<Cache> WithSecondaryCache(std::unique_ptr<PrimaryCache> primary,
                                          std::shared_ptr<SecondaryCache> secondary);

// Whether a Lookup with a helper may find more than one without. A cache that is not ours may
// always.
bool MayHaveSecondaryCache(const Cache& cache);

}  // namespace cairn
