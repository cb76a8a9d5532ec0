// The C interface: tables, caches, filters, comparators, environments.
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

// A comparator of the caller's functions.
struct rocksdb_comparator_t final : public Comparator {
  void* state;
  void (*destructor)(void*);
  int (*compare)(void*, const char* a, size_t alen, const char* b, size_t blen);
  const char* (*name)(void*);
  // Where there are timestamps.
  int (*compare_ts)(void*, const char* a, size_t alen, const char* b, size_t blen) = nullptr;
  int (*compare_without_ts)(void*, const char* a, size_t alen, unsigned char a_has_ts,
                            const char* b, size_t blen, unsigned char b_has_ts) = nullptr;

  explicit rocksdb_comparator_t(size_t timestamp_size = 0) : Comparator(timestamp_size) {}
  ~rocksdb_comparator_t() override { destructor(state); }
  int CompareTimestamp(const Slice& a, const Slice& b) const override {
    if (compare_ts == nullptr) return 0;
    return compare_ts(state, a.data(), a.size(), b.data(), b.size());
  }
  using Comparator::CompareWithoutTimestamp;
  int CompareWithoutTimestamp(const Slice& a, bool a_has_ts, const Slice& b,
                              bool b_has_ts) const override {
    if (compare_without_ts == nullptr) return Compare(a, b);
    return compare_without_ts(state, a.data(), a.size(), static_cast<unsigned char>(a_has_ts),
                              b.data(), b.size(), static_cast<unsigned char>(b_has_ts));
  }
  int Compare(const Slice& a, const Slice& b) const override {
    return compare(state, a.data(), a.size(), b.data(), b.size());
  }
  const char* Name() const override { return name(state); }
  // Leaving a key as it is is always right.
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

const Comparator* cairn::ComparatorOf(const rocksdb_comparator_t* comparator) {
  return comparator == nullptr ? BytewiseComparator() : comparator;
}

extern "C" {

void rocksdb_block_based_options_destroy(rocksdb_block_based_table_options_t* o) { delete o; }
void rocksdb_block_based_options_set_filter_policy(rocksdb_block_based_table_options_t* o,
                                                   rocksdb_filterpolicy_t* filter_policy) {
  o->rep.filter_policy.reset();
  if (filter_policy == nullptr) return;
  o->rep.filter_policy = std::move(filter_policy->rep);
  delete filter_policy;
}
void rocksdb_block_based_options_set_block_cache(rocksdb_block_based_table_options_t* o,
                                                 rocksdb_cache_t* block_cache) {
  o->rep.block_cache = block_cache == nullptr ? nullptr : block_cache->rep;
}
CAIRN_C_TABLE_SETTER(size_t, block_size)
CAIRN_C_TABLE_SETTER(int, block_size_deviation)
CAIRN_C_TABLE_SETTER(int, block_restart_interval)
CAIRN_C_TABLE_SETTER(int, index_block_restart_interval)
CAIRN_C_TABLE_SETTER(uint64_t, metadata_block_size)
CAIRN_C_TABLE_SETTER(unsigned char, partition_filters)
CAIRN_C_TABLE_SETTER(unsigned char, use_delta_encoding)
CAIRN_C_TABLE_SETTER(unsigned char, no_block_cache)
CAIRN_C_TABLE_SETTER(unsigned char, whole_key_filtering)
CAIRN_C_TABLE_SETTER(int, format_version)
CAIRN_C_TABLE_SETTER(int, index_type)
CAIRN_C_TABLE_SETTER(int, data_block_index_type)
void rocksdb_block_based_options_set_data_block_hash_ratio(rocksdb_block_based_table_options_t* o,
                                                           double v) {
  o->rep.data_block_hash_table_util_ratio = v;
}
CAIRN_C_TABLE_SETTER(unsigned char, cache_index_and_filter_blocks)
CAIRN_C_TABLE_SETTER(unsigned char, cache_index_and_filter_blocks_with_high_priority)
CAIRN_C_TABLE_SETTER(unsigned char, pin_l0_filter_and_index_blocks_in_cache)
CAIRN_C_TABLE_SETTER(unsigned char, pin_top_level_index_and_filter)
void rocksdb_block_based_options_set_top_level_index_pinning_tier(
    rocksdb_block_based_table_options_t* o, int v) {
  o->rep.metadata_cache_options.top_level_index_pinning = static_cast<PinningTier>(v);
}
void rocksdb_block_based_options_set_partition_pinning_tier(rocksdb_block_based_table_options_t* o,
                                                            int v) {
  o->rep.metadata_cache_options.partition_pinning = static_cast<PinningTier>(v);
}
void rocksdb_block_based_options_set_unpartitioned_pinning_tier(
    rocksdb_block_based_table_options_t* o, int v) {
  o->rep.metadata_cache_options.unpartitioned_pinning = static_cast<PinningTier>(v);
}
CAIRN_C_TABLE_SETTER(unsigned char, optimize_filters_for_memory)
CAIRN_C_TABLE_SETTER(char, checksum)

// Caches
rocksdb_cache_t* rocksdb_cache_create_lru(size_t capacity) {
  return new rocksdb_cache_t{NewLRUCache(capacity)};
}
rocksdb_cache_t* rocksdb_cache_create_lru_with_strict_capacity_limit(size_t capacity) {
  return new rocksdb_cache_t{
      NewLRUCache(capacity, /*num_shard_bits=*/-1, /*strict_capacity_limit=*/true)};
}
rocksdb_lru_cache_options_t* rocksdb_lru_cache_options_create() {
  return new rocksdb_lru_cache_options_t;
}
void rocksdb_lru_cache_options_destroy(rocksdb_lru_cache_options_t* o) { delete o; }
CAIRN_C_SETTER(lru_cache_options, size_t, capacity)
CAIRN_C_SETTER(lru_cache_options, int, num_shard_bits)
rocksdb_cache_t* rocksdb_cache_create_lru_opts(const rocksdb_lru_cache_options_t* o) {
  return new rocksdb_cache_t{NewLRUCache(o->rep)};
}
rocksdb_hyper_clock_cache_options_t* rocksdb_hyper_clock_cache_options_create(
    size_t capacity, size_t estimated_entry_charge) {
  return new rocksdb_hyper_clock_cache_options_t{
      HyperClockCacheOptions(capacity, estimated_entry_charge)};
}
void rocksdb_hyper_clock_cache_options_destroy(rocksdb_hyper_clock_cache_options_t* o) { delete o; }
CAIRN_C_SETTER(hyper_clock_cache_options, size_t, capacity)
CAIRN_C_SETTER(hyper_clock_cache_options, size_t, estimated_entry_charge)
CAIRN_C_SETTER(hyper_clock_cache_options, int, num_shard_bits)
rocksdb_cache_t* rocksdb_cache_create_hyper_clock(size_t capacity, size_t estimated_entry_charge) {
  return new rocksdb_cache_t{
      HyperClockCacheOptions(capacity, estimated_entry_charge).MakeSharedCache()};
}
rocksdb_cache_t* rocksdb_cache_create_hyper_clock_opts(
    const rocksdb_hyper_clock_cache_options_t* o) {
  return new rocksdb_cache_t{o->rep.MakeSharedCache()};
}
void rocksdb_cache_destroy(rocksdb_cache_t* cache) { delete cache; }
void rocksdb_cache_disown_data(rocksdb_cache_t* cache) { cache->rep->DisownData(); }
void rocksdb_cache_set_capacity(rocksdb_cache_t* cache, size_t capacity) {
  cache->rep->SetCapacity(capacity);
}
size_t rocksdb_cache_get_capacity(const rocksdb_cache_t* cache) {
  return cache->rep->GetCapacity();
}
size_t rocksdb_cache_get_usage(const rocksdb_cache_t* cache) { return cache->rep->GetUsage(); }
size_t rocksdb_cache_get_pinned_usage(const rocksdb_cache_t* cache) {
  return cache->rep->GetPinnedUsage();
}
size_t rocksdb_cache_get_occupancy_count(const rocksdb_cache_t* cache) {
  return cache->rep->GetOccupancyCount();
}
size_t rocksdb_cache_get_table_address_count(const rocksdb_cache_t* cache) {
  return cache->rep->GetTableAddressCount();
}

// Filters
rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(double bits_per_key) {
  return new rocksdb_filterpolicy_t{
      std::unique_ptr<const FilterPolicy>(NewBloomFilterPolicy(bits_per_key))};
}
rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(double bits_per_key) {
  return rocksdb_filterpolicy_create_bloom(bits_per_key);
}
rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_ribbon(double bloom_equivalent_bits_per_key) {
  // (The C++ function's own default makes flushes write Bloom filters.)
  return rocksdb_filterpolicy_create_ribbon_hybrid(bloom_equivalent_bits_per_key,
                                                   /*bloom_before_level=*/-1);
}
rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_ribbon_hybrid(
    double bloom_equivalent_bits_per_key, int bloom_before_level) {
  return new rocksdb_filterpolicy_t{std::unique_ptr<const FilterPolicy>(
      NewRibbonFilterPolicy(bloom_equivalent_bits_per_key, bloom_before_level))};
}
void rocksdb_filterpolicy_destroy(rocksdb_filterpolicy_t* policy) { delete policy; }

// Comparators
rocksdb_comparator_t* rocksdb_comparator_create(void* state, void (*destructor)(void*),
                                                int (*compare)(void*, const char* a, size_t alen,
                                                               const char* b, size_t blen),
                                                const char* (*name)(void*)) {
  auto* comparator = new rocksdb_comparator_t;
  comparator->state = state;
  comparator->destructor = destructor;
  comparator->compare = compare;
  comparator->name = name;
  return comparator;
}
rocksdb_comparator_t* rocksdb_comparator_with_ts_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b, size_t blen),
    int (*compare_ts)(void*, const char* a_ts, size_t a_tslen, const char* b_ts, size_t b_tslen),
    int (*compare_without_ts)(void*, const char* a, size_t alen, unsigned char a_has_ts,
                              const char* b, size_t blen, unsigned char b_has_ts),
    const char* (*name)(void*), size_t timestamp_size) {
  auto* comparator = new rocksdb_comparator_t(timestamp_size);
  comparator->state = state;
  comparator->destructor = destructor;
  comparator->compare = compare;
  comparator->compare_ts = compare_ts;
  comparator->compare_without_ts = compare_without_ts;
  comparator->name = name;
  return comparator;
}
void rocksdb_comparator_destroy(rocksdb_comparator_t* comparator) { delete comparator; }
void rocksdb_options_set_comparator(rocksdb_options_t* o, rocksdb_comparator_t* comparator) {
  o->rep.comparator = comparator;
}

void rocksdb_free(void* ptr) { std::free(ptr); }

}  // extern "C"
