#include "kv_bench/options.h"

#include <gflags/gflags.h>

DEFINE_uint64(cache_size, 64 << 20, "block cache, bytes; 0: none");
DEFINE_string(cache_type, "lru", "lru or hyper_clock");
DEFINE_string(
    options, "",
    "more options, in the words of RocksDB's options strings (manual_wal_flush=true;...)");
DEFINE_uint64(block_size, 4096, "bytes");
DEFINE_double(bloom_bits, 10, "bits per key; 0: no filter");
DEFINE_uint64(write_buffer_size, 64 << 20, "bytes");
DEFINE_uint64(target_file_size_base, 64 << 20, "bytes");
DEFINE_uint64(max_bytes_for_level_base, 256 << 20, "bytes");
DEFINE_double(max_bytes_for_level_multiplier, 10, "");
DEFINE_uint64(prefix_size, 0, "bytes of the prefix that filters hold, too (0: none)");
DEFINE_int32(max_write_buffer_number, 2, "");
DEFINE_int32(max_background_jobs, 2, "");
DEFINE_int32(compression_type, 1, "as in rocksdb/c.h: 0 none, 1 Snappy, 4 LZ4, 7 ZSTD");
DEFINE_int32(allow_concurrent_memtable_write, -1, "0, 1, or -1: the library's default");
DEFINE_int32(enable_write_thread_adaptive_yield, -1, "0, 1, or -1: the library's default");
DEFINE_int32(enable_pipelined_write, -1, "0, 1, or -1: the library's default");
DEFINE_int32(unordered_write, -1, "0, 1, or -1: the library's default");
DEFINE_int32(recycle_log_file_num, -1, "logs kept for reuse, or -1: the library's default");
DEFINE_bool(use_direct_reads, false, "");
DEFINE_bool(disable_auto_compactions, false, "leave the files as the flushes wrote them");
DEFINE_int32(max_open_files, -1, "tables kept open; -1: all, from the start");
DEFINE_bool(cache_index_and_filter_blocks, false,
            "index and filters are read through the block cache, and evicted from it");
DEFINE_bool(partitioned, false, "write the index and the filters in partitions of a block");
DEFINE_bool(enable_blob_files, false, "large values go to files of their own");
DEFINE_uint64(min_blob_size, 0, "bytes of a value that is large");
DEFINE_uint64(blob_file_size, 256 << 20, "bytes");
DEFINE_int32(blob_compression_type, 0, "as --compression_type");
DEFINE_bool(enable_blob_garbage_collection, false,
            "compactions write the values of the oldest blob files anew");
DEFINE_double(blob_garbage_collection_age_cutoff, 0.25, "the share of files that are the oldest");
DEFINE_double(blob_garbage_collection_force_threshold, 1,
              "the share of garbage in the oldest files from which they are compacted for it");
DEFINE_uint64(blob_compaction_readahead_size, 0, "bytes");
DEFINE_int32(blob_file_starting_level, 0, "values above this level stay in the tables");
DEFINE_bool(use_blob_cache, false, "the block cache holds the values of blobs, too");
DEFINE_bool(statistics, false,
            "let the library count, and print the counts of the write path with --json");

namespace kv_bench {

namespace {

void SetBlobs(const Engine& engine, rocksdb_options_t* o, rocksdb_cache_t* cache) {
  engine.rocksdb_options_set_enable_blob_files(o, 1);
  engine.rocksdb_options_set_min_blob_size(o, FLAGS_min_blob_size);
  engine.rocksdb_options_set_blob_file_size(o, FLAGS_blob_file_size);
  engine.rocksdb_options_set_blob_compression_type(o, FLAGS_blob_compression_type);
  engine.rocksdb_options_set_enable_blob_gc(o, FLAGS_enable_blob_garbage_collection);
  engine.rocksdb_options_set_blob_gc_age_cutoff(o, FLAGS_blob_garbage_collection_age_cutoff);
  engine.rocksdb_options_set_blob_gc_force_threshold(o,
                                                     FLAGS_blob_garbage_collection_force_threshold);
  engine.rocksdb_options_set_blob_compaction_readahead_size(o,
                                                            FLAGS_blob_compaction_readahead_size);
  engine.rocksdb_options_set_blob_file_starting_level(o, FLAGS_blob_file_starting_level);
  if (FLAGS_use_blob_cache) engine.rocksdb_options_set_blob_cache(o, cache);
}

// Null: *error says why.
rocksdb_cache_t* MakeCache(const Engine& engine, std::string* error) {
  if (FLAGS_cache_type == "lru") return engine.rocksdb_cache_create_lru(FLAGS_cache_size);
  if (FLAGS_cache_type != "hyper_clock") {
    *error = "--cache_type: lru or hyper_clock";
  } else if (engine.rocksdb_cache_create_hyper_clock == nullptr) {
    *error = "--cache_type: the library has no hyper_clock";
  } else {
    return engine.rocksdb_cache_create_hyper_clock(FLAGS_cache_size, FLAGS_block_size);
  }
  return nullptr;
}

}  // namespace

bool MakeOptions(const Engine& engine, rocksdb_cache_t** made_cache, rocksdb_options_t** options,
                 std::string* error) {
  rocksdb_cache_t* const cache = *made_cache = MakeCache(engine, error);
  if (cache == nullptr) return false;
  rocksdb_options_t* o = engine.rocksdb_options_create();
  engine.rocksdb_options_set_create_if_missing(o, 1);
  engine.rocksdb_options_set_write_buffer_size(o, FLAGS_write_buffer_size);
  engine.rocksdb_options_set_max_write_buffer_number(o, FLAGS_max_write_buffer_number);
  engine.rocksdb_options_set_max_background_jobs(o, FLAGS_max_background_jobs);
  engine.rocksdb_options_set_target_file_size_base(o, FLAGS_target_file_size_base);
  engine.rocksdb_options_set_max_bytes_for_level_base(o, FLAGS_max_bytes_for_level_base);
  engine.rocksdb_options_set_max_bytes_for_level_multiplier(o,
                                                            FLAGS_max_bytes_for_level_multiplier);
  if (FLAGS_prefix_size > 0) {
    engine.rocksdb_options_set_prefix_extractor(
        o, engine.rocksdb_slicetransform_create_fixed_prefix(FLAGS_prefix_size));
  }
  engine.rocksdb_options_set_compression(o, FLAGS_compression_type);
  engine.rocksdb_options_set_level_compaction_dynamic_level_bytes(o, 1);
  engine.rocksdb_options_set_use_direct_reads(o, FLAGS_use_direct_reads);
  engine.rocksdb_options_set_disable_auto_compactions(o, FLAGS_disable_auto_compactions);
  engine.rocksdb_options_set_max_open_files(o, FLAGS_max_open_files);
  const auto set = [o](void (*setter)(rocksdb_options_t*, unsigned char), int32_t value) {
    if (value >= 0) setter(o, value != 0);
  };
  set(engine.rocksdb_options_set_allow_concurrent_memtable_write,
      FLAGS_allow_concurrent_memtable_write);
  set(engine.rocksdb_options_set_enable_write_thread_adaptive_yield,
      FLAGS_enable_write_thread_adaptive_yield);
  set(engine.rocksdb_options_set_enable_pipelined_write, FLAGS_enable_pipelined_write);
  set(engine.rocksdb_options_set_unordered_write, FLAGS_unordered_write);
  if (FLAGS_recycle_log_file_num >= 0) {
    engine.rocksdb_options_set_recycle_log_file_num(
        o, static_cast<size_t>(FLAGS_recycle_log_file_num));
  }
  if (FLAGS_enable_blob_files) SetBlobs(engine, o, cache);
  if (FLAGS_statistics) engine.rocksdb_options_enable_statistics(o);
  rocksdb_block_based_table_options_t* table = engine.rocksdb_block_based_options_create();
  engine.rocksdb_block_based_options_set_block_cache(table, cache);
  engine.rocksdb_block_based_options_set_no_block_cache(table, FLAGS_cache_size == 0);
  engine.rocksdb_block_based_options_set_block_size(table, FLAGS_block_size);
  if (FLAGS_bloom_bits > 0) {
    engine.rocksdb_block_based_options_set_filter_policy(
        table, engine.rocksdb_filterpolicy_create_bloom_full(FLAGS_bloom_bits));
  }
  engine.rocksdb_block_based_options_set_cache_index_and_filter_blocks(
      table, FLAGS_cache_index_and_filter_blocks);
  if (FLAGS_partitioned) {
    engine.rocksdb_block_based_options_set_index_type(
        table, rocksdb_block_based_table_index_type_two_level_index_search);
    engine.rocksdb_block_based_options_set_partition_filters(table, 1);
  }
  engine.rocksdb_options_set_block_based_table_factory(o, table);
  engine.rocksdb_block_based_options_destroy(table);
  *options = o;
  if (FLAGS_options.empty()) return true;
  *options = engine.rocksdb_options_create();
  char* refusal = nullptr;
  engine.rocksdb_get_options_from_string(o, FLAGS_options.c_str(), *options, &refusal);
  engine.rocksdb_options_destroy(o);
  if (refusal == nullptr) return true;
  *error = "--options: " + std::string(refusal);
  engine.rocksdb_free(refusal);
  return false;
}

}  // namespace kv_bench
