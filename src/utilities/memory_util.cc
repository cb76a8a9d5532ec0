#include "rocksdb/utilities/memory_util.h"

namespace ROCKSDB_NAMESPACE {

Status MemoryUtil::GetApproximateMemoryUsageByType(
    const std::vector<DB*>& dbs, const std::unordered_set<const Cache*> cache_set,
    std::map<MemoryUtil::UsageType, uint64_t>* usage_by_type) {
  usage_by_type->clear();
  const auto add = [&](UsageType type, DB* db, const std::string& property) {
    uint64_t bytes = 0;
    if (db->GetAggregatedIntProperty(property, &bytes)) (*usage_by_type)[type] += bytes;
  };
  for (DB* const db : dbs) {
    if (db == nullptr) continue;
    add(kMemTableTotal, db, DB::Properties::kSizeAllMemTables);
    add(kMemTableUnFlushed, db, DB::Properties::kCurSizeAllMemTables);
    add(kTableReadersTotal, db, DB::Properties::kEstimateTableReadersMem);
  }
  for (const Cache* const cache : cache_set) {
    if (cache != nullptr) (*usage_by_type)[kCacheTotal] += cache->GetUsage();
  }
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
