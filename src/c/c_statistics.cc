// The C interface: histograms of the statistics, and what parts of a program's databases are in
// memory.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "c/c_objects.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/memory_util.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_memory_consumers_t {
  std::vector<DB*> databases;
  std::unordered_set<const Cache*> caches;
};
struct rocksdb_memory_usage_t {
  std::map<MemoryUtil::UsageType, uint64_t> rep;
};

extern "C" {

rocksdb_statistics_histogram_data_t* rocksdb_statistics_histogram_data_create() {
  return new rocksdb_statistics_histogram_data_t{};
}
void rocksdb_statistics_histogram_data_destroy(rocksdb_statistics_histogram_data_t* data) {
  delete data;
}
#define CAIRN_C_HISTOGRAM_GETTER(type, name, field)                                              \
  type rocksdb_statistics_histogram_data_get_##name(rocksdb_statistics_histogram_data_t* data) { \
    return data->rep.field;                                                                      \
  }
CAIRN_C_HISTOGRAM_GETTER(double, median, median)
CAIRN_C_HISTOGRAM_GETTER(double, p95, percentile95)
CAIRN_C_HISTOGRAM_GETTER(double, p99, percentile99)
CAIRN_C_HISTOGRAM_GETTER(double, average, average)
CAIRN_C_HISTOGRAM_GETTER(double, std_dev, standard_deviation)
CAIRN_C_HISTOGRAM_GETTER(double, max, max)
CAIRN_C_HISTOGRAM_GETTER(double, min, min)
CAIRN_C_HISTOGRAM_GETTER(uint64_t, count, count)
CAIRN_C_HISTOGRAM_GETTER(uint64_t, sum, sum)
#undef CAIRN_C_HISTOGRAM_GETTER

void rocksdb_options_set_statistics_level(rocksdb_options_t* o, int level) {
  if (o->rep.statistics != nullptr) {
    o->rep.statistics->set_stats_level(static_cast<StatsLevel>(std::clamp<int>(
        level, rocksdb_statistics_level_disable_all, rocksdb_statistics_level_all)));
  }
}
int rocksdb_options_get_statistics_level(rocksdb_options_t* o) {
  return o->rep.statistics == nullptr ? static_cast<int>(StatsLevel::kDisableAll)
                                      : static_cast<int>(o->rep.statistics->get_stats_level());
}

rocksdb_memory_consumers_t* rocksdb_memory_consumers_create() {
  return new rocksdb_memory_consumers_t;
}
void rocksdb_memory_consumers_add_db(rocksdb_memory_consumers_t* consumers, rocksdb_t* db) {
  consumers->databases.push_back(db->rep.get());
}
void rocksdb_memory_consumers_add_cache(rocksdb_memory_consumers_t* consumers,
                                        rocksdb_cache_t* cache) {
  consumers->caches.insert(cache->rep.get());
}
void rocksdb_memory_consumers_destroy(rocksdb_memory_consumers_t* consumers) { delete consumers; }
rocksdb_memory_usage_t* rocksdb_approximate_memory_usage_create(
    rocksdb_memory_consumers_t* consumers, char** errptr) {
  auto usage = std::make_unique<rocksdb_memory_usage_t>();
  const Status s = MemoryUtil::GetApproximateMemoryUsageByType(consumers->databases,
                                                               consumers->caches, &usage->rep);
  return cairn::Report(errptr, s) ? usage.release() : nullptr;
}
void rocksdb_approximate_memory_usage_destroy(rocksdb_memory_usage_t* usage) { delete usage; }
uint64_t rocksdb_approximate_memory_usage_get_mem_table_total(rocksdb_memory_usage_t* usage) {
  return usage->rep[MemoryUtil::kMemTableTotal];
}
uint64_t rocksdb_approximate_memory_usage_get_mem_table_unflushed(rocksdb_memory_usage_t* usage) {
  return usage->rep[MemoryUtil::kMemTableUnFlushed];
}
uint64_t rocksdb_approximate_memory_usage_get_mem_table_readers_total(
    rocksdb_memory_usage_t* usage) {
  return usage->rep[MemoryUtil::kTableReadersTotal];
}
uint64_t rocksdb_approximate_memory_usage_get_cache_total(rocksdb_memory_usage_t* usage) {
  return usage->rep[MemoryUtil::kCacheTotal];
}

}  // extern "C"
