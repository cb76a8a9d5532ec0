// MemoryUtil: what several databases and caches take of the memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

class MemoryUtil {
 public:
  enum UsageType : int {
    // Memtables that are not flushed yet, both. (To RocksDB those that only iterators still need
    // belong to the first one.)
    kMemTableTotal = 0,
    kMemTableUnFlushed = 1,
    // Open tables: indexes, filters and what else of them is not in a block cache.
    kTableReadersTotal = 2,
    // The caches that were given. (Those of the databases are not looked for.)
    kCacheTotal = 3,
    kNumUsageTypes = 4
  };

  // Sets *usage_by_type to approximate bytes, summed up over all column families of the databases
  // and over the caches; null ones are passed over. Always OK. Thread-safe; none of them may be
  // closed meanwhile.
  static Status GetApproximateMemoryUsageByType(
      const std::vector<DB*>& dbs, const std::unordered_set<const Cache*> cache_set,
      std::map<MemoryUtil::UsageType, uint64_t>* usage_by_type);
};

}  // namespace ROCKSDB_NAMESPACE
