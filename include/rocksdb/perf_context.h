// PerfContext: what the operations of one fiber, or of one thread outside a fiber, did and what
// they spent their time on.
//
// Each fiber has a context, and a level (perf_level.h), of its own: operations of two fibers are
// never mixed, whatever worker they run on, and a fiber that moves to another worker keeps its
// counts. What an operation hands to helper fibers of its own (MultiGet with async_io) counts for
// the one that called it; times of what waited at once add up. Background threads have contexts of
// their own.
//
//   SetPerfLevel(kEnableTimeExceptForMutex);
//   get_perf_context()->Reset();
//   db->Get(...);
//   get_perf_context()->ToString(/*exclude_zero_counters=*/true);
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rocksdb/perf_level.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Counters of one level of the tree.
struct PerfContextByLevelBase {
  // Of Get and MultiGet: filters that said no; that said "perhaps"; and did so rightly.
  uint64_t bloom_filter_useful = 0;
  uint64_t bloom_filter_full_positive = 0;
  uint64_t bloom_filter_full_true_positive = 0;
  // Values that Get and MultiGet found in the level's files.
  uint64_t user_key_return_count = 0;
  // Nanoseconds that Get spent in the level's files.
  uint64_t get_from_table_nanos = 0;
  // Blocks of all kinds.
  uint64_t block_cache_hit_count = 0;
  uint64_t block_cache_miss_count = 0;
};

struct PerfContextByLevel : public PerfContextByLevelBase {
  void Reset();
  void Merge(const PerfContextByLevel& other);
};

// Counts from kEnableCount on. Names with "time" or "nanos": nanoseconds by fiber's clock, from
// kEnableTimeExceptForMutex on if nothing else is said; what has waited has waited in them.
// "Always 0": of a feature that is not offered.
struct PerfContextBase {
  // User keys compared by reads; the machine integers that stand for keys in some indexes count
  // where the keys themselves had to be looked at.
  uint64_t user_key_comparison_count = 0;
  uint64_t block_cache_hit_count = 0;  // blocks of all kinds
  // Blocks read from files, with their trailers. What was read ahead of them is none.
  uint64_t block_read_count = 0;
  uint64_t block_read_byte = 0;
  uint64_t block_read_time = 0;
  uint64_t block_read_cpu_time = 0;  // from kEnableTimeAndCPUTimeExceptForMutex on
  uint64_t block_cache_index_hit_count = 0;
  // Blocks that came back from a secondary cache: for this read alone, and into the block cache.
  uint64_t block_cache_standalone_handle_count = 0;
  uint64_t block_cache_real_handle_count = 0;
  uint64_t index_block_read_count = 0;
  uint64_t block_cache_filter_hit_count = 0;
  uint64_t filter_block_read_count = 0;
  uint64_t compression_dict_block_read_count = 0;
  // Of blocks found in the cache: bytes that they take there.
  uint64_t block_cache_index_read_byte = 0;
  uint64_t block_cache_filter_read_byte = 0;
  uint64_t block_cache_compression_dict_read_byte = 0;  // always 0: tables keep their dictionary
  uint64_t block_cache_read_byte = 0;

  uint64_t secondary_cache_hit_count = 0;
  // Of the compressed secondary cache: blocks that it took, and notes of those that it saw once.
  uint64_t compressed_sec_cache_insert_real_count = 0;
  uint64_t compressed_sec_cache_insert_dummy_count = 0;
  uint64_t compressed_sec_cache_uncompressed_bytes = 0;
  uint64_t compressed_sec_cache_compressed_bytes = 0;

  uint64_t block_checksum_time = 0;
  uint64_t block_decompress_time = 0;
  uint64_t block_decompress_count = 0;

  // Bytes of the values returned; of iterators, of keys and values.
  uint64_t get_read_bytes = 0;
  uint64_t multiget_read_bytes = 0;
  uint64_t iter_read_bytes = 0;

  // Values that were in the blob cache, or were read from blob files.
  uint64_t blob_cache_hit_count = 0;
  uint64_t blob_cache_read_byte = 0;
  uint64_t blob_read_count = 0;
  uint64_t blob_read_byte = 0;
  uint64_t blob_read_time = 0;
  uint64_t blob_checksum_time = 0;
  uint64_t blob_decompress_time = 0;

  // Entries that iterators stepped over: with each Next() and Prev() the one it stood on, and what
  // newer entries of the same key hide. Those that hide (deletions) are in the next one, those too
  // new for the iterator in the one after that.
  uint64_t internal_key_skipped_count = 0;
  uint64_t internal_delete_skipped_count = 0;
  uint64_t internal_recent_skipped_count = 0;
  // Merge operands that iterators, and Get and MultiGet, gave to the merge operator.
  uint64_t internal_merge_count = 0;
  uint64_t internal_merge_point_lookup_count = 0;
  // Sources sought anew because a range tombstone hid what they stood on.
  uint64_t internal_range_del_reseek_count = 0;

  uint64_t get_snapshot_time = 0;  // taking the state to read from
  uint64_t get_from_memtable_time = 0;
  uint64_t get_from_memtable_count = 0;  // memtables asked
  uint64_t get_post_process_time = 0;    // after the key was found
  uint64_t get_from_output_files_time = 0;
  // Of iterators over one memtable. Seeks to the ends are not counted.
  uint64_t seek_on_memtable_time = 0;
  uint64_t seek_on_memtable_count = 0;
  uint64_t next_on_memtable_count = 0;
  uint64_t prev_on_memtable_count = 0;
  // Of iterators over several sources: seeks in the sources, and the order among them.
  uint64_t seek_child_seek_time = 0;
  uint64_t seek_child_seek_count = 0;
  uint64_t seek_min_heap_time = 0;  // forward
  uint64_t seek_max_heap_time = 0;  // backward
  uint64_t seek_internal_seek_time = 0;
  uint64_t find_next_user_entry_time = 0;

  // Of writes, as the writer saw them: who leads a group spends its time for all of it.
  uint64_t write_wal_time = 0;
  uint64_t write_memtable_time = 0;  // from kEnableWait on
  uint64_t write_delay_time = 0;     // slowed down or stopped; from kEnableWait on
  uint64_t write_scheduling_flushes_compactions_time = 0;
  uint64_t write_pre_and_post_process_time = 0;  // the rest, waits for other writers left out
  uint64_t write_thread_wait_nanos = 0;          // for other writers; from kEnableWait on

  // The database's mutex and the conditions that go with it, from kEnableTime on.
  uint64_t db_mutex_lock_nanos = 0;
  uint64_t db_condition_wait_nanos = 0;

  uint64_t merge_operator_time_nanos = 0;

  // Getting an index block, or a filter, from the cache or the file; 0 where the table keeps it.
  uint64_t read_index_block_nanos = 0;
  uint64_t read_filter_block_nanos = 0;
  uint64_t new_table_block_iter_nanos = 0;  // getting a data block
  uint64_t new_table_iterator_nanos = 0;
  uint64_t block_seek_nanos = 0;  // in data and index blocks
  uint64_t find_table_nanos = 0;  // finding the open table, or opening it
  // Filters of memtables and of tables: "perhaps" and no.
  uint64_t bloom_memtable_hit_count = 0;
  uint64_t bloom_memtable_miss_count = 0;
  uint64_t bloom_sst_hit_count = 0;
  uint64_t bloom_sst_miss_count = 0;

  // Waits for the lock of a key (rocksdb/utilities/transaction_db.h); nanoseconds.
  uint64_t key_lock_wait_time = 0;
  uint64_t key_lock_wait_count = 0;

  // Of an Env that NewTimedEnv made; else 0.
  uint64_t env_new_sequential_file_nanos = 0;
  uint64_t env_new_random_access_file_nanos = 0;
  uint64_t env_new_writable_file_nanos = 0;
  uint64_t env_reuse_writable_file_nanos = 0;
  uint64_t env_new_random_rw_file_nanos = 0;
  uint64_t env_new_directory_nanos = 0;
  uint64_t env_file_exists_nanos = 0;
  uint64_t env_get_children_nanos = 0;
  uint64_t env_get_children_file_attributes_nanos = 0;
  uint64_t env_delete_file_nanos = 0;
  uint64_t env_create_dir_nanos = 0;
  uint64_t env_create_dir_if_missing_nanos = 0;
  uint64_t env_delete_dir_nanos = 0;
  uint64_t env_get_file_size_nanos = 0;
  uint64_t env_get_file_modification_time_nanos = 0;
  uint64_t env_rename_file_nanos = 0;
  uint64_t env_link_file_nanos = 0;
  uint64_t env_lock_file_nanos = 0;
  uint64_t env_unlock_file_nanos = 0;
  uint64_t env_new_logger_nanos = 0;

  // Processor time of the thread that made the call (on a fiber: of all the fibers that its worker
  // ran meanwhile), from kEnableTimeAndCPUTimeExceptForMutex on.
  uint64_t get_cpu_nanos = 0;
  uint64_t iter_next_cpu_nanos = 0;
  uint64_t iter_prev_cpu_nanos = 0;
  uint64_t iter_seek_cpu_nanos = 0;

  // Calls of iterators.
  uint64_t iter_next_count = 0;
  uint64_t iter_prev_count = 0;
  uint64_t iter_seek_count = 0;

  // Of an encrypted file system (env_encryption.h).
  uint64_t encrypt_data_nanos = 0;
  uint64_t decrypt_data_nanos = 0;

  // Seeks with async_io that had to read, several sources at once.
  uint64_t number_async_seek = 0;

  uint64_t file_ingestion_nanos = 0;                       // IngestExternalFile, from end to end
  uint64_t file_ingestion_blocking_live_writes_nanos = 0;  // writes were held up

  // block_read_byte by the kind of block.
  uint64_t data_block_read_byte = 0;
  uint64_t index_block_read_byte = 0;
  uint64_t filter_block_read_byte = 0;
  uint64_t compression_dict_block_read_byte = 0;
  uint64_t metadata_block_read_byte = 0;
};

// Belongs to its fiber or thread: not thread-safe. Copies are values of their own.
struct PerfContext : public PerfContextBase {
  PerfContext() = default;
  ~PerfContext();
  PerfContext(const PerfContext& other);
  PerfContext& operator=(const PerfContext& other);
  PerfContext(PerfContext&& other) noexcept;
  PerfContext& operator=(PerfContext&& other) noexcept;

  // All counters to 0, those by level included (if they are enabled).
  void Reset();
  void Merge(const PerfContext& other);

  // "name = value, ...", by level (if enabled) "name = value@level0, value@level1, ...".
  std::string ToString(bool exclude_zero_counters = false) const;

  // From now on counts by level, too.
  void EnablePerLevelPerfContext();
  // No longer; what was counted stays in level_to_perf_context.
  void DisablePerLevelPerfContext();
  // The same, and forgets it.
  void ClearPerLevelPerfContext();

  // Levels that were counted for. Owned; null: none was ever enabled.
  std::map<uint32_t, PerfContextByLevel>* level_to_perf_context = nullptr;
  bool per_level_perf_context_enabled = false;
};

// Of the calling fiber, or thread outside a fiber; never null. Good until that ends.
PerfContext* get_perf_context();

}  // namespace ROCKSDB_NAMESPACE
