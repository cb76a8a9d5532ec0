// The C interface: the performance context.
#include <algorithm>
#include <iterator>

#include "c/c_objects.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_perfcontext_t {
  PerfContext* rep;  // of its creator's fiber or thread
};

namespace {

#define METRIC(name) &PerfContext::name

// By the number of the C interface.
constexpr uint64_t PerfContextBase::* kMetrics[] = {
    METRIC(user_key_comparison_count),
    METRIC(block_cache_hit_count),
    METRIC(block_read_count),
    METRIC(block_read_byte),
    METRIC(block_read_time),
    METRIC(block_checksum_time),
    METRIC(block_decompress_time),
    METRIC(get_read_bytes),
    METRIC(multiget_read_bytes),
    METRIC(iter_read_bytes),
    METRIC(internal_key_skipped_count),
    METRIC(internal_delete_skipped_count),
    METRIC(internal_recent_skipped_count),
    METRIC(internal_merge_count),
    METRIC(get_snapshot_time),
    METRIC(get_from_memtable_time),
    METRIC(get_from_memtable_count),
    METRIC(get_post_process_time),
    METRIC(get_from_output_files_time),
    METRIC(seek_on_memtable_time),
    METRIC(seek_on_memtable_count),
    METRIC(next_on_memtable_count),
    METRIC(prev_on_memtable_count),
    METRIC(seek_child_seek_time),
    METRIC(seek_child_seek_count),
    METRIC(seek_min_heap_time),
    METRIC(seek_max_heap_time),
    METRIC(seek_internal_seek_time),
    METRIC(find_next_user_entry_time),
    METRIC(write_wal_time),
    METRIC(write_memtable_time),
    METRIC(write_delay_time),
    METRIC(write_pre_and_post_process_time),
    METRIC(db_mutex_lock_nanos),
    METRIC(db_condition_wait_nanos),
    METRIC(merge_operator_time_nanos),
    METRIC(read_index_block_nanos),
    METRIC(read_filter_block_nanos),
    METRIC(new_table_block_iter_nanos),
    METRIC(new_table_iterator_nanos),
    METRIC(block_seek_nanos),
    METRIC(find_table_nanos),
    METRIC(bloom_memtable_hit_count),
    METRIC(bloom_memtable_miss_count),
    METRIC(bloom_sst_hit_count),
    METRIC(bloom_sst_miss_count),
    METRIC(key_lock_wait_time),
    METRIC(key_lock_wait_count),
    METRIC(env_new_sequential_file_nanos),
    METRIC(env_new_random_access_file_nanos),
    METRIC(env_new_writable_file_nanos),
    METRIC(env_reuse_writable_file_nanos),
    METRIC(env_new_random_rw_file_nanos),
    METRIC(env_new_directory_nanos),
    METRIC(env_file_exists_nanos),
    METRIC(env_get_children_nanos),
    METRIC(env_get_children_file_attributes_nanos),
    METRIC(env_delete_file_nanos),
    METRIC(env_create_dir_nanos),
    METRIC(env_create_dir_if_missing_nanos),
    METRIC(env_delete_dir_nanos),
    METRIC(env_get_file_size_nanos),
    METRIC(env_get_file_modification_time_nanos),
    METRIC(env_rename_file_nanos),
    METRIC(env_link_file_nanos),
    METRIC(env_lock_file_nanos),
    METRIC(env_unlock_file_nanos),
    METRIC(env_new_logger_nanos),
    METRIC(number_async_seek),
    METRIC(blob_cache_hit_count),
    METRIC(blob_read_count),
    METRIC(blob_read_byte),
    METRIC(blob_read_time),
    METRIC(blob_checksum_time),
    METRIC(blob_decompress_time),
    METRIC(internal_range_del_reseek_count),
    METRIC(block_read_cpu_time),
    METRIC(internal_merge_point_lookup_count),
    METRIC(data_block_read_byte),
    METRIC(index_block_read_byte),
    METRIC(filter_block_read_byte),
    METRIC(compression_dict_block_read_byte),
    METRIC(metadata_block_read_byte),
    METRIC(blob_cache_read_byte),
};
#undef METRIC
static_assert(std::size(kMetrics) == rocksdb_blob_cache_read_byte + 1);

PerfLevel LevelOf(int level) {
  switch (std::clamp<int>(level, rocksdb_disable, rocksdb_enable_time)) {
    case rocksdb_enable_count:
      return kEnableCount;
    case rocksdb_enable_time_except_for_mutex:
      return kEnableTimeExceptForMutex;
    case rocksdb_enable_time:
      return kEnableTime;
    default:
      return kDisable;
  }
}

}  // namespace

extern "C" {

void rocksdb_set_perf_level(int level) { SetPerfLevel(LevelOf(level)); }

rocksdb_perfcontext_t* rocksdb_perfcontext_create() {
  return new rocksdb_perfcontext_t{get_perf_context()};
}
void rocksdb_perfcontext_destroy(rocksdb_perfcontext_t* context) { delete context; }
void rocksdb_perfcontext_reset(rocksdb_perfcontext_t* context) { context->rep->Reset(); }
char* rocksdb_perfcontext_report(rocksdb_perfcontext_t* context,
                                 unsigned char exclude_zero_counters) {
  return cairn::CopyString(context->rep->ToString(exclude_zero_counters != 0));
}
uint64_t rocksdb_perfcontext_metric(rocksdb_perfcontext_t* context, int metric) {
  if (metric < 0 || static_cast<size_t>(metric) >= std::size(kMetrics)) return 0;
  return context->rep->*kMetrics[metric];
}

}  // extern "C"
