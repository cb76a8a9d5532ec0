// The methods of the performance contexts. Each counter is named here once more, with its name in
// text; the order is that of the struct.
#include "rocksdb/perf_context.h"

#include <utility>

#include "rocksdb/iostats_context.h"

namespace ROCKSDB_NAMESPACE {

namespace {

template <class Struct>
struct Counter {
  const char* name;
  uint64_t Struct::* value;
};

// A counter that is in the struct and not here, or twice, would not be reset.
#define COUNTER(name) {#name, &Base::name}

using Base = PerfContextBase;
constexpr Counter<Base> kCounters[] = {
    COUNTER(user_key_comparison_count),
    COUNTER(block_cache_hit_count),
    COUNTER(block_read_count),
    COUNTER(block_read_byte),
    COUNTER(block_read_time),
    COUNTER(block_read_cpu_time),
    COUNTER(block_cache_index_hit_count),
    COUNTER(block_cache_standalone_handle_count),
    COUNTER(block_cache_real_handle_count),
    COUNTER(index_block_read_count),
    COUNTER(block_cache_filter_hit_count),
    COUNTER(filter_block_read_count),
    COUNTER(compression_dict_block_read_count),
    COUNTER(block_cache_index_read_byte),
    COUNTER(block_cache_filter_read_byte),
    COUNTER(block_cache_compression_dict_read_byte),
    COUNTER(block_cache_read_byte),
    COUNTER(secondary_cache_hit_count),
    COUNTER(compressed_sec_cache_insert_real_count),
    COUNTER(compressed_sec_cache_insert_dummy_count),
    COUNTER(compressed_sec_cache_uncompressed_bytes),
    COUNTER(compressed_sec_cache_compressed_bytes),
    COUNTER(block_checksum_time),
    COUNTER(block_decompress_time),
    COUNTER(block_decompress_count),
    COUNTER(get_read_bytes),
    COUNTER(multiget_read_bytes),
    COUNTER(iter_read_bytes),
    COUNTER(blob_cache_hit_count),
    COUNTER(blob_cache_read_byte),
    COUNTER(blob_read_count),
    COUNTER(blob_read_byte),
    COUNTER(blob_read_time),
    COUNTER(blob_checksum_time),
    COUNTER(blob_decompress_time),
    COUNTER(internal_key_skipped_count),
    COUNTER(internal_delete_skipped_count),
    COUNTER(internal_recent_skipped_count),
    COUNTER(internal_merge_count),
    COUNTER(internal_merge_point_lookup_count),
    COUNTER(internal_range_del_reseek_count),
    COUNTER(get_snapshot_time),
    COUNTER(get_from_memtable_time),
    COUNTER(get_from_memtable_count),
    COUNTER(get_post_process_time),
    COUNTER(get_from_output_files_time),
    COUNTER(seek_on_memtable_time),
    COUNTER(seek_on_memtable_count),
    COUNTER(next_on_memtable_count),
    COUNTER(prev_on_memtable_count),
    COUNTER(seek_child_seek_time),
    COUNTER(seek_child_seek_count),
    COUNTER(seek_min_heap_time),
    COUNTER(seek_max_heap_time),
    COUNTER(seek_internal_seek_time),
    COUNTER(find_next_user_entry_time),
    COUNTER(write_wal_time),
    COUNTER(write_memtable_time),
    COUNTER(write_delay_time),
    COUNTER(write_scheduling_flushes_compactions_time),
    COUNTER(write_pre_and_post_process_time),
    COUNTER(write_thread_wait_nanos),
    COUNTER(db_mutex_lock_nanos),
    COUNTER(db_condition_wait_nanos),
    COUNTER(merge_operator_time_nanos),
    COUNTER(read_index_block_nanos),
    COUNTER(read_filter_block_nanos),
    COUNTER(new_table_block_iter_nanos),
    COUNTER(new_table_iterator_nanos),
    COUNTER(block_seek_nanos),
    COUNTER(find_table_nanos),
    COUNTER(bloom_memtable_hit_count),
    COUNTER(bloom_memtable_miss_count),
    COUNTER(bloom_sst_hit_count),
    COUNTER(bloom_sst_miss_count),
    COUNTER(key_lock_wait_time),
    COUNTER(key_lock_wait_count),
    COUNTER(env_new_sequential_file_nanos),
    COUNTER(env_new_random_access_file_nanos),
    COUNTER(env_new_writable_file_nanos),
    COUNTER(env_reuse_writable_file_nanos),
    COUNTER(env_new_random_rw_file_nanos),
    COUNTER(env_new_directory_nanos),
    COUNTER(env_file_exists_nanos),
    COUNTER(env_get_children_nanos),
    COUNTER(env_get_children_file_attributes_nanos),
    COUNTER(env_delete_file_nanos),
    COUNTER(env_create_dir_nanos),
    COUNTER(env_create_dir_if_missing_nanos),
    COUNTER(env_delete_dir_nanos),
    COUNTER(env_get_file_size_nanos),
    COUNTER(env_get_file_modification_time_nanos),
    COUNTER(env_rename_file_nanos),
    COUNTER(env_link_file_nanos),
    COUNTER(env_lock_file_nanos),
    COUNTER(env_unlock_file_nanos),
    COUNTER(env_new_logger_nanos),
    COUNTER(get_cpu_nanos),
    COUNTER(iter_next_cpu_nanos),
    COUNTER(iter_prev_cpu_nanos),
    COUNTER(iter_seek_cpu_nanos),
    COUNTER(iter_next_count),
    COUNTER(iter_prev_count),
    COUNTER(iter_seek_count),
    COUNTER(encrypt_data_nanos),
    COUNTER(decrypt_data_nanos),
    COUNTER(number_async_seek),
    COUNTER(file_ingestion_nanos),
    COUNTER(file_ingestion_blocking_live_writes_nanos),
    COUNTER(data_block_read_byte),
    COUNTER(index_block_read_byte),
    COUNTER(filter_block_read_byte),
    COUNTER(compression_dict_block_read_byte),
    COUNTER(metadata_block_read_byte),
};
static_assert(sizeof(kCounters) / sizeof(kCounters[0]) == sizeof(Base) / sizeof(uint64_t));

#undef COUNTER
#define COUNTER(name) {#name, &PerfContextByLevelBase::name}

constexpr Counter<PerfContextByLevelBase> kLevelCounters[] = {
    COUNTER(bloom_filter_useful),
    COUNTER(bloom_filter_full_positive),
    COUNTER(bloom_filter_full_true_positive),
    COUNTER(user_key_return_count),
    COUNTER(get_from_table_nanos),
    COUNTER(block_cache_hit_count),
    COUNTER(block_cache_miss_count),
};
static_assert(sizeof(kLevelCounters) / sizeof(kLevelCounters[0]) ==
              sizeof(PerfContextByLevelBase) / sizeof(uint64_t));

#undef COUNTER

// "name = value, "
void Append(const char* name, uint64_t value, bool exclude_zero, std::string* text) {
  if (exclude_zero && value == 0) return;
  *text += name;
  *text += " = ";
  *text += std::to_string(value);
  *text += ", ";
}

void TrimSeparator(std::string* text) {
  const size_t last = text->find_last_not_of(", ");
  text->erase(last == std::string::npos ? 0 : last + 1);
}

}  // namespace

void PerfContextByLevel::Reset() { *this = PerfContextByLevel(); }

void PerfContextByLevel::Merge(const PerfContextByLevel& other) {
  for (const auto& counter : kLevelCounters) this->*counter.value += other.*counter.value;
}

PerfContext::~PerfContext() { delete level_to_perf_context; }

PerfContext::PerfContext(const PerfContext& other)
    : PerfContextBase(other),
      level_to_perf_context(other.level_to_perf_context == nullptr
                                ? nullptr
                                : new std::map(*other.level_to_perf_context)),
      per_level_perf_context_enabled(other.per_level_perf_context_enabled) {}

PerfContext& PerfContext::operator=(const PerfContext& other) {
  if (this != &other) *this = PerfContext(other);
  return *this;
}

PerfContext::PerfContext(PerfContext&& other) noexcept
    : PerfContextBase(other),
      level_to_perf_context(std::exchange(other.level_to_perf_context, nullptr)),
      per_level_perf_context_enabled(std::exchange(other.per_level_perf_context_enabled, false)) {}

PerfContext& PerfContext::operator=(PerfContext&& other) noexcept {
  if (this == &other) return *this;
  PerfContextBase::operator=(other);
  delete level_to_perf_context;
  level_to_perf_context = std::exchange(other.level_to_perf_context, nullptr);
  per_level_perf_context_enabled = std::exchange(other.per_level_perf_context_enabled, false);
  return *this;
}

void PerfContext::Reset() {
  static_cast<PerfContextBase&>(*this) = PerfContextBase();
  if (!per_level_perf_context_enabled || level_to_perf_context == nullptr) return;
  for (auto& [level, counters] : *level_to_perf_context) counters.Reset();
}

void PerfContext::Merge(const PerfContext& other) {
  for (const auto& counter : kCounters) this->*counter.value += other.*counter.value;
  if (other.level_to_perf_context != nullptr) {
    if (level_to_perf_context == nullptr) {
      level_to_perf_context = new std::map<uint32_t, PerfContextByLevel>;
    }
    for (const auto& [level, counters] : *other.level_to_perf_context) {
      (*level_to_perf_context)[level].Merge(counters);
    }
  }
  per_level_perf_context_enabled |= other.per_level_perf_context_enabled;
}

std::string PerfContext::ToString(bool exclude_zero_counters) const {
  std::string text;
  for (const auto& counter : kCounters) {
    Append(counter.name, this->*counter.value, exclude_zero_counters, &text);
  }
  if (per_level_perf_context_enabled && level_to_perf_context != nullptr) {
    for (const auto& counter : kLevelCounters) {
      text += counter.name;
      text += " = ";
      for (const auto& [level, counters] : *level_to_perf_context) {
        const uint64_t value = counters.*counter.value;
        if (exclude_zero_counters && value == 0) continue;
        text += std::to_string(value) + "@level" + std::to_string(level) + ", ";
      }
    }
  }
  TrimSeparator(&text);
  return text;
}

void PerfContext::EnablePerLevelPerfContext() {
  if (level_to_perf_context == nullptr) {
    level_to_perf_context = new std::map<uint32_t, PerfContextByLevel>;
  }
  per_level_perf_context_enabled = true;
}

void PerfContext::DisablePerLevelPerfContext() { per_level_perf_context_enabled = false; }

void PerfContext::ClearPerLevelPerfContext() {
  delete std::exchange(level_to_perf_context, nullptr);
  per_level_perf_context_enabled = false;
}

void IOStatsContext::Reset() {
  const bool disabled = disable_iostats;
  *this = IOStatsContext();
  disable_iostats = disabled;
}

std::string IOStatsContext::ToString(bool exclude_zero_counters) const {
  const FileIOByTemperature& by = file_io_stats_by_temperature;
  const std::pair<const char*, uint64_t> counters[] = {
      {"thread_pool_id", thread_pool_id},
      {"bytes_read", bytes_read},
      {"bytes_written", bytes_written},
      {"open_nanos", open_nanos},
      {"allocate_nanos", allocate_nanos},
      {"write_nanos", write_nanos},
      {"read_nanos", read_nanos},
      {"range_sync_nanos", range_sync_nanos},
      {"fsync_nanos", fsync_nanos},
      {"prepare_write_nanos", prepare_write_nanos},
      {"logger_nanos", logger_nanos},
      {"cpu_write_nanos", cpu_write_nanos},
      {"cpu_read_nanos", cpu_read_nanos},
      {"file_io_stats_by_temperature.hot_file_bytes_read", by.hot_file_bytes_read},
      {"file_io_stats_by_temperature.warm_file_bytes_read", by.warm_file_bytes_read},
      {"file_io_stats_by_temperature.cool_file_bytes_read", by.cool_file_bytes_read},
      {"file_io_stats_by_temperature.cold_file_bytes_read", by.cold_file_bytes_read},
      {"file_io_stats_by_temperature.ice_file_bytes_read", by.ice_file_bytes_read},
      {"file_io_stats_by_temperature.unknown_non_last_level_bytes_read",
       by.unknown_non_last_level_bytes_read},
      {"file_io_stats_by_temperature.unknown_last_level_bytes_read",
       by.unknown_last_level_bytes_read},
      {"file_io_stats_by_temperature.hot_file_read_count", by.hot_file_read_count},
      {"file_io_stats_by_temperature.warm_file_read_count", by.warm_file_read_count},
      {"file_io_stats_by_temperature.cool_file_read_count", by.cool_file_read_count},
      {"file_io_stats_by_temperature.cold_file_read_count", by.cold_file_read_count},
      {"file_io_stats_by_temperature.ice_file_read_count", by.ice_file_read_count},
      {"file_io_stats_by_temperature.unknown_non_last_level_read_count",
       by.unknown_non_last_level_read_count},
      {"file_io_stats_by_temperature.unknown_last_level_read_count",
       by.unknown_last_level_read_count}};
  std::string text;
  for (const auto& [name, value] : counters) Append(name, value, exclude_zero_counters, &text);
  TrimSeparator(&text);
  return text;
}

}  // namespace ROCKSDB_NAMESPACE
