/* The C interface, in C: fields of options that RocksDB has since releases 8 to 11, traces, filters of recovered writes, parts of
   a family's metadata.
   Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"

static void TestFields(const char* path) {
  (void)path;
  rocksdb_block_based_table_options_t* of_block_based_options = rocksdb_block_based_options_create();
  SETS(block_based_options, of_block_based_options, decouple_partitioned_filters);
  SETS(block_based_options, of_block_based_options, fail_if_no_udi_on_open);
  SETS(block_based_options, of_block_based_options, super_block_alignment_size);
  SETS(block_based_options, of_block_based_options, super_block_alignment_space_overhead_ratio);
  SETS(block_based_options, of_block_based_options, uniform_cv_threshold);
  SETS(block_based_options, of_block_based_options, use_udi_as_primary_index);
  rocksdb_block_based_options_destroy(of_block_based_options);
  rocksdb_compaction_options_t* of_compaction_options = rocksdb_compaction_options_create();
  SETS(compaction_options, of_compaction_options, allow_trivial_move);
  SETS(compaction_options, of_compaction_options, output_temperature_override);
  rocksdb_compaction_options_destroy(of_compaction_options);
  rocksdb_create_backup_options_t* of_create_backup_options = rocksdb_create_backup_options_create();
  SETS(create_backup_options, of_create_backup_options, atomic_flush);
  rocksdb_create_backup_options_destroy(of_create_backup_options);
  rocksdb_fifo_compaction_options_t* of_fifo_compaction_options = rocksdb_fifo_compaction_options_create();
  SETS(fifo_compaction_options, of_fifo_compaction_options, allow_trivial_copy_when_change_temperature);
  SETS(fifo_compaction_options, of_fifo_compaction_options, trivial_copy_buffer_size);
  rocksdb_fifo_compaction_options_destroy(of_fifo_compaction_options);
  rocksdb_flushoptions_t* of_flushoptions = rocksdb_flushoptions_create();
  SETS(flushoptions, of_flushoptions, force_atomic_flush);
  SETS(flushoptions, of_flushoptions, listener_wait);
  rocksdb_flushoptions_destroy(of_flushoptions);
  rocksdb_flushwaloptions_t* of_flushwaloptions = rocksdb_flushwaloptions_create();
  SETS(flushwaloptions, of_flushwaloptions, rate_limiter_priority);
  rocksdb_flushwaloptions_destroy(of_flushwaloptions);
  rocksdb_ingestexternalfileoptions_t* of_ingestexternalfileoptions = rocksdb_ingestexternalfileoptions_create();
  SETS(ingestexternalfileoptions, of_ingestexternalfileoptions, file_opening_threads);
  SETS(ingestexternalfileoptions, of_ingestexternalfileoptions, prefetch_lmax_index_and_filter_blocks);
  rocksdb_ingestexternalfileoptions_destroy(of_ingestexternalfileoptions);
  rocksdb_livefiles_storage_info_options_t* of_livefiles_storage_info_options = rocksdb_livefiles_storage_info_options_create();
  SETS(livefiles_storage_info_options, of_livefiles_storage_info_options, atomic_flush);
  rocksdb_livefiles_storage_info_options_destroy(of_livefiles_storage_info_options);
  rocksdb_options_t* of_options = rocksdb_options_create();
  SETS(options, of_options, async_wal_precreate);
  SETS(options, of_options, background_close_inactive_wals);
  SETS(options, of_options, blob_direct_write_partitions);
  SETS(options, of_options, block_protection_bytes_per_key);
  SETS(options, of_options, bottommost_file_compaction_delay);
  SETS(options, of_options, cf_allow_ingest_behind);
  SETS(options, of_options, compaction_verify_record_count);
  SETS(options, of_options, default_temperature);
  SETS(options, of_options, default_write_temperature);
  SETS(options, of_options, disallow_memtable_writes);
  SETS(options, of_options, enable_blob_direct_write);
  SETS(options, of_options, enforce_write_buffer_manager_during_recovery);
  SETS(options, of_options, fast_sst_open);
  SETS(options, of_options, follower_catchup_retry_count);
  SETS(options, of_options, follower_catchup_retry_wait_ms);
  SETS(options, of_options, follower_refresh_catchup_period_ms);
  SETS(options, of_options, max_compaction_trigger_wakeup_seconds);
  SETS(options, of_options, max_manifest_space_amp_pct);
  SETS(options, of_options, memtable_batch_lookup_optimization);
  SETS(options, of_options, memtable_max_range_deletions);
  SETS(options, of_options, memtable_verify_per_key_checksum_on_seek);
  SETS(options, of_options, metadata_write_temperature);
  SETS(options, of_options, min_tombstones_for_range_conversion);
  SETS(options, of_options, optimize_manifest_for_recovery);
  SETS(options, of_options, paranoid_memory_checks);
  SETS(options, of_options, prefix_seek_opt_in_only);
  SETS(options, of_options, read_io_executor_threads);
  SETS(options, of_options, reuse_manifest_on_open);
  SETS(options, of_options, strict_max_successive_merges);
  SETS(options, of_options, target_file_size_is_upper_bound);
  SETS(options, of_options, track_and_verify_wals);
  SETS(options, of_options, uncache_aggressiveness);
  SETS(options, of_options, use_direct_io_for_compaction_reads);
  SETS(options, of_options, verify_manifest_content_on_close);
  SETS(options, of_options, verify_output_flags);
  SETS(options, of_options, wal_write_temperature);
  SETS(options, of_options, read_triggered_compaction_threshold);
  rocksdb_options_destroy(of_options);
  rocksdb_readoptions_t* of_readoptions = rocksdb_readoptions_create();
  SETS(readoptions, of_readoptions, auto_refresh_iterator_with_snapshot);
  SETS(readoptions, of_readoptions, io_activity);
  rocksdb_readoptions_destroy(of_readoptions);
  rocksdb_size_approximation_options_t* of_size_approximation_options = rocksdb_size_approximation_options_create();
  SETS(size_approximation_options, of_size_approximation_options, include_blob_files);
  rocksdb_size_approximation_options_destroy(of_size_approximation_options);
  rocksdb_universal_compaction_options_t* of_universal_compaction_options = rocksdb_universal_compaction_options_create();
  SETS(universal_compaction_options, of_universal_compaction_options, max_read_amp);
  SETS(universal_compaction_options, of_universal_compaction_options, reduce_file_locking);
  rocksdb_universal_compaction_options_destroy(of_universal_compaction_options);
  rocksdb_writeoptions_t* of_writeoptions = rocksdb_writeoptions_create();
  SETS(writeoptions, of_writeoptions, io_activity);
  rocksdb_writeoptions_destroy(of_writeoptions);
}

static void ExpectError(const char* words) {
  CHECK(error != NULL && strstr(error, words) != NULL);
  rocksdb_free(error);
  error = NULL;
}

static void TestOddFields(const char* path) {
  (void)path;
  rocksdb_options_t* other = rocksdb_options_create();
  size_t size = 99;
  phase = "a range of hours";
  CHECK(*rocksdb_options_get_daily_offpeak_time_utc(other, &size) == 0 && size == 0);
  rocksdb_options_set_daily_offpeak_time_utc(other, "23:30-04:00");
  CHECK(strcmp(rocksdb_options_get_daily_offpeak_time_utc(other, &size), "23:30-04:00") == 0 && size == 11);
  phase = "sets";
  CHECK(rocksdb_options_calculate_sst_write_lifetime_hint_set_count(other) == 1);
  CHECK(rocksdb_options_calculate_sst_write_lifetime_hint_set_contains(other, rocksdb_level_compaction));
  rocksdb_options_calculate_sst_write_lifetime_hint_set_add(other, rocksdb_universal_compaction);
  rocksdb_options_calculate_sst_write_lifetime_hint_set_add(other, 77);
  rocksdb_options_calculate_sst_write_lifetime_hint_set_add(other, -1);
  CHECK(rocksdb_options_calculate_sst_write_lifetime_hint_set_count(other) == 2);
  rocksdb_options_calculate_sst_write_lifetime_hint_set_remove(other, rocksdb_level_compaction);
  CHECK(!rocksdb_options_calculate_sst_write_lifetime_hint_set_contains(other, rocksdb_level_compaction));
  CHECK(!rocksdb_options_calculate_sst_write_lifetime_hint_set_contains(other, 77));
  rocksdb_options_calculate_sst_write_lifetime_hint_set_clear(other);
  CHECK(rocksdb_options_calculate_sst_write_lifetime_hint_set_count(other) == 0);
  CHECK(rocksdb_options_checksum_handoff_file_types_count(other) == 0);
  rocksdb_options_checksum_handoff_file_types_add(other, 2);
  CHECK(rocksdb_options_checksum_handoff_file_types_contains(other, 2));
  rocksdb_options_checksum_handoff_file_types_remove(other, 2);
  rocksdb_options_checksum_handoff_file_types_add(other, 10);
  CHECK(rocksdb_options_checksum_handoff_file_types_count(other) == 1);
  rocksdb_options_checksum_handoff_file_types_clear(other);
  CHECK(rocksdb_options_checksum_handoff_file_types_count(other) == 0);
  rocksdb_options_destroy(other);

  phase = "reading";
  rocksdb_readoptions_t* some = rocksdb_readoptions_create();
  CHECK(!rocksdb_readoptions_has_merge_operand_count_threshold(some));
  CHECK(rocksdb_readoptions_get_merge_operand_count_threshold(some) == 0);
  rocksdb_readoptions_set_merge_operand_count_threshold(some, 7);
  CHECK(rocksdb_readoptions_has_merge_operand_count_threshold(some));
  CHECK(rocksdb_readoptions_get_merge_operand_count_threshold(some) == 7);
  rocksdb_readoptions_clear_merge_operand_count_threshold(some);
  CHECK(!rocksdb_readoptions_has_merge_operand_count_threshold(some));
  CHECK(rocksdb_readoptions_get_request_id(some, &size) == NULL && size == 0);
  rocksdb_readoptions_set_request_id(some, "me too", 2);
  CHECK(memcmp(rocksdb_readoptions_get_request_id(some, &size), "me", 2) == 0 && size == 2);
  rocksdb_readoptions_clear_request_id(some);
  CHECK(rocksdb_readoptions_get_request_id(some, &size) == NULL);
  phase = "user-defined indexes";
  rocksdb_readoptions_set_table_index_factory_from_string(some, "trie", 4, &error);
  ExpectError("trie");
  rocksdb_readoptions_set_table_index_factory_from_string(some, NULL, 0, &error);
  CHECK_OK(error);
  CHECK(rocksdb_readoptions_get_table_index_factory_name(some, &size) == NULL && size == 0);
  rocksdb_readoptions_clear_table_index_factory(some);
  rocksdb_readoptions_destroy(some);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_user_defined_index_factory_from_string(table, "trie", 4, &error);
  ExpectError("trie");
  rocksdb_block_based_options_set_user_defined_index_factory_from_string(table, NULL, 0, &error);
  CHECK_OK(error);
  CHECK(rocksdb_block_based_options_get_user_defined_index_factory_name(table, &size) == NULL && size == 0);
  rocksdb_block_based_options_clear_user_defined_index_factory(table);
  rocksdb_block_based_options_destroy(table);

  phase = "cuckoo tables";
  rocksdb_cuckoo_table_options_t* cuckoo = rocksdb_cuckoo_options_create();
  CHECK(rocksdb_cuckoo_options_get_hash_table_ratio(cuckoo) == 0.9);
  rocksdb_cuckoo_options_set_hash_table_ratio(cuckoo, 0.5);
  CHECK(rocksdb_cuckoo_options_get_hash_table_ratio(cuckoo) == 0.5);
  rocksdb_cuckoo_options_set_hash_ratio(cuckoo, 0.7);
  CHECK(rocksdb_cuckoo_options_get_hash_table_ratio(cuckoo) == 0.7);
  SETS(cuckoo_options, cuckoo, max_search_depth);
  SETS(cuckoo_options, cuckoo, cuckoo_block_size);
  SETS(cuckoo_options, cuckoo, identity_as_first_hash);
  SETS(cuckoo_options, cuckoo, use_module_hash);
  rocksdb_cuckoo_options_destroy(cuckoo);

  phase = "a rate limiter of files";
  rocksdb_envoptions_t* env = rocksdb_envoptions_create();
  rocksdb_ratelimiter_t* limiter = rocksdb_ratelimiter_create(1 << 20, 100000, 10);
  rocksdb_envoptions_set_rate_limiter(env, limiter);
  rocksdb_ratelimiter_destroy(limiter);
  rocksdb_envoptions_set_rate_limiter(env, NULL);
  rocksdb_envoptions_destroy(env);
}

static void TestTraces(const char* path) {
  phase = "traces";
  char trace[1000];
  snprintf(trace, sizeof trace, "%s.trace", path);
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  rocksdb_end_trace(db, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_trace_options_t* how = rocksdb_trace_options_create();
  CHECK(rocksdb_trace_options_get_sampling_frequency(how) == 1);
  CHECK(rocksdb_trace_options_get_max_trace_file_size(how) == (uint64_t)64 << 30);
  SETS(trace_options, how, max_trace_file_size);
  SETS(trace_options, how, sampling_frequency);
  SETS(trace_options, how, filter);
  SETS(trace_options, how, preserve_write_order);
  rocksdb_trace_options_destroy(how);
  how = rocksdb_trace_options_create();
  rocksdb_start_trace(db, NULL, NULL, how, trace, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  Put(db, "b", "2");
  ExpectGet(db, reading, "a", "1");
  rocksdb_end_trace(db, &error);
  CHECK_OK(error);

  phase = "reading a trace";
  rocksdb_trace_reader_t* reader = rocksdb_trace_reader_create(NULL, NULL, trace, &error);
  CHECK_OK(error);
  for (int round = 0; round < 2; ++round) {
    size_t size = 0;
    int records = 0;
    for (char* record; (record = rocksdb_trace_reader_read(reader, &size, &error)) != NULL; ++records) {
      CHECK(size > 8);
      rocksdb_free(record);
    }
    CHECK_OK(error);
    CHECK(records == 6); /* the header, two writes, two reads, the footer */
    rocksdb_trace_reader_reset(reader, &error);
    CHECK_OK(error);
  }
  rocksdb_trace_reader_close(reader, &error);
  CHECK_OK(error);
  rocksdb_trace_reader_destroy(reader);
  CHECK(rocksdb_trace_reader_create(NULL, NULL, "/no/such/file", &error) == NULL);
  ExpectError("/no/such/file");

  phase = "replaying it";
  rocksdb_close(db);
  rocksdb_destroy_db(options, path, &error);
  CHECK_OK(error);
  db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  rocksdb_replayer_t* replayer = rocksdb_new_default_replayer(db, &family, 1, NULL, NULL, trace, &error);
  CHECK_OK(error);
  CHECK(rocksdb_replayer_get_header_timestamp(replayer) == 0);
  rocksdb_replayer_prepare(replayer, &error);
  CHECK_OK(error);
  CHECK(rocksdb_replayer_get_header_timestamp(replayer) > 0);
  rocksdb_replay_options_t* speed = rocksdb_replay_options_create();
  CHECK(rocksdb_replay_options_get_num_threads(speed) == 1 && rocksdb_replay_options_get_fast_forward(speed) == 1.0);
  rocksdb_replay_options_set_num_threads(speed, 2);
  rocksdb_replay_options_set_fast_forward(speed, 1000);
  rocksdb_replayer_replay(replayer, speed, &error);
  CHECK_OK(error);
  rocksdb_replay_options_destroy(speed);
  rocksdb_replayer_destroy(replayer);
  rocksdb_column_family_handle_destroy(family);
  ExpectGet(db, reading, "a", "1");
  ExpectGet(db, reading, "b", "2");

  phase = "a trace of the file system's calls";
  rocksdb_start_io_trace(db, NULL, NULL, how, trace, &error);
  CHECK_OK(error);
  Put(db, "c", "3");
  rocksdb_end_io_trace(db, &error);
  CHECK_OK(error);
  {
    rocksdb_trace_reader_t* calls = rocksdb_trace_reader_create(NULL, NULL, trace, &error);
    CHECK_OK(error);
    int appends = 0;
    size_t size = 0;
    for (char* record; (record = rocksdb_trace_reader_read(calls, &size, &error)) != NULL;) {
      /* Behind its header and the fields: the operation. */
      appends += size > 28 && memcmp(record + 21, "\6Append", 7) == 0;
      rocksdb_free(record);
    }
    CHECK_OK(error);
    CHECK(appends > 0);
    rocksdb_trace_reader_destroy(calls);
  }
  rocksdb_end_io_trace(db, &error);
  CHECK_OK(error);

  phase = "constants";
  {
    const char* const from[] = {"a"};
    const char* const to[] = {"z"};
    const size_t one[] = {1};
    uint64_t bytes = 7;
    rocksdb_column_family_handle_t* all = rocksdb_get_default_column_family_handle(db);
    rocksdb_approximate_sizes_cf_with_flags(db, all, 1, from, one, to, one, rocksdb_size_approximation_flags_include_blob_files, &bytes, &error);
    CHECK_OK(error);
    CHECK(bytes == 0);
    rocksdb_column_family_handle_destroy(all);
    rocksdb_options_t* levels = rocksdb_options_create();
    rocksdb_options_enable_statistics(levels);
    rocksdb_options_set_statistics_level(levels, rocksdb_statistics_level_all + 1);
    CHECK(rocksdb_options_get_statistics_level(levels) == rocksdb_statistics_level_all);
    rocksdb_options_set_statistics_level(levels, -1);
    CHECK(rocksdb_options_get_statistics_level(levels) == rocksdb_statistics_level_except_tickers);
    rocksdb_options_set_statistics_level(levels, rocksdb_statistics_level_except_timers);
    CHECK(rocksdb_options_get_statistics_level(levels) == 2);
    rocksdb_options_set_compaction_pri(levels, rocksdb_k_round_robin_compaction_pri);
    CHECK(rocksdb_options_get_compaction_pri(levels) == 4);
    rocksdb_options_destroy(levels);
  }

  phase = "a trace of the block cache";
  rocksdb_start_block_cache_trace(db, NULL, NULL, how, trace, &error);
  CHECK_OK(error);
  rocksdb_block_cache_trace_options_t* blocks = rocksdb_block_cache_trace_options_create();
  SETS(block_cache_trace_options, blocks, sampling_frequency);
  rocksdb_block_cache_trace_writer_options_t* to = rocksdb_block_cache_trace_writer_options_create();
  SETS(block_cache_trace_writer_options, to, max_trace_file_size);
  rocksdb_start_block_cache_trace_with_options(db, NULL, NULL, blocks, to, trace, &error);
  ExpectError("is running");
  rocksdb_end_block_cache_trace(db, &error);
  CHECK_OK(error);
  rocksdb_start_block_cache_trace_with_options(db, NULL, NULL, blocks, to, trace, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "a", "1");
  rocksdb_end_block_cache_trace(db, &error);
  CHECK_OK(error);
  rocksdb_end_block_cache_trace(db, &error);
  CHECK_OK(error);
  rocksdb_block_cache_trace_options_destroy(blocks);
  rocksdb_block_cache_trace_writer_options_destroy(to);
  rocksdb_trace_options_destroy(how);
  rocksdb_close(db);
  remove(trace);
}

static int families_told, writes_found, filters_destroyed;

static void Families(void* state, const uint32_t* ids, const uint64_t* logs, size_t count, const char* const* names,
                     const size_t* lengths, const uint32_t* name_ids, size_t name_count) {
  (void)state;
  (void)logs;
  CHECK(count == 1 && ids[0] == 0);
  CHECK(name_count == 1 && lengths[0] == 7 && memcmp(names[0], "default", 7) == 0 && name_ids[0] == 0);
  ++families_told;
}

/* Of three writes the first is dropped, and the second becomes another. */
static int Found(void* state, unsigned long long log, const char* file, size_t size, const rocksdb_writebatch_t* batch,
                 rocksdb_writebatch_t* changed, unsigned char* is_changed) {
  (void)state;
  CHECK(log > 0 && strlen(file) == size && size > 0);
  CHECK(rocksdb_writebatch_count((rocksdb_writebatch_t*)batch) == 1);
  ++writes_found;
  if (writes_found == 2) {
    rocksdb_writebatch_put(changed, "new", 3, "2", 1);
    *is_changed = 1;
  }
  return writes_found == 1 ? 1 : 0;
}

static const char* FilterName(void* state) {
  (void)state;
  return "a filter in C";
}
static void FilterDestroyed(void* state) { ++*(int*)state; }

static void TestWalFilter(const char* path) {
  phase = "a filter of recovered writes";
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
  rocksdb_options_set_avoid_flush_during_shutdown(other, 1);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  Put(db, "b", "2");
  Put(db, "c", "3");
  rocksdb_close(db);
  rocksdb_walfilter_t* filter = rocksdb_walfilter_create(&filters_destroyed, FilterDestroyed, Families, Found, FilterName);
  rocksdb_options_set_wal_filter(other, filter);
  db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_clear_wal_filter(other);
  CHECK(families_told == 1 && writes_found == 3 && filters_destroyed == 0);
  rocksdb_walfilter_destroy(filter);
  CHECK(filters_destroyed == 1);
  ExpectGet(db, reading, "a", NULL);
  ExpectGet(db, reading, "b", NULL);
  ExpectGet(db, reading, "new", "2");
  ExpectGet(db, reading, "c", "3");
  rocksdb_close(db);
  rocksdb_options_destroy(other);
}

static size_t FilesOf(rocksdb_t* db, const rocksdb_column_family_metadata_options_t* which) {
  rocksdb_column_family_metadata_t* meta = rocksdb_get_column_family_metadata_with_options(db, which);
  const size_t count = rocksdb_column_family_metadata_get_file_count(meta);
  rocksdb_column_family_metadata_destroy(meta);
  return count;
}

static void PutAndFlush(rocksdb_t* db, const char* key) {
  Put(db, key, "v");
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flushoptions_set_listener_wait(flush, 1);
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
}

static void TestMetadataAndCompaction(const char* path) {
  phase = "a part of the metadata";
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
  rocksdb_options_set_disable_auto_compactions(other, 1);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  PutAndFlush(db, "a");
  PutAndFlush(db, "m");
  PutAndFlush(db, "z");
  rocksdb_column_family_metadata_options_t* which = rocksdb_column_family_metadata_options_create();
  size_t size = 99;
  CHECK(rocksdb_column_family_metadata_options_get_level(which) == -1);
  CHECK(rocksdb_column_family_metadata_options_get_start_key(which, &size) == NULL && size == 0);
  CHECK(rocksdb_column_family_metadata_options_get_end_key(which, &size) == NULL && size == 0);
  CHECK(FilesOf(db, which) == 3);
  rocksdb_column_family_metadata_options_set_start_key(which, "b", 1);
  CHECK(FilesOf(db, which) == 2);
  rocksdb_column_family_metadata_options_set_end_key(which, "y", 1);
  CHECK(FilesOf(db, which) == 1);
  CHECK(*rocksdb_column_family_metadata_options_get_start_key(which, &size) == 'b' && size == 1);
  CHECK(*rocksdb_column_family_metadata_options_get_end_key(which, &size) == 'y' && size == 1);
  rocksdb_column_family_metadata_options_set_level(which, 1);
  CHECK(rocksdb_column_family_metadata_options_get_level(which) == 1);
  CHECK(FilesOf(db, which) == 0);
  rocksdb_column_family_metadata_options_set_level(which, -1);
  rocksdb_column_family_metadata_options_set_start_key(which, NULL, 0);
  rocksdb_column_family_metadata_options_set_end_key(which, NULL, 0);
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  rocksdb_column_family_metadata_t* meta = rocksdb_get_column_family_metadata_cf_with_options(db, family, which);
  CHECK(rocksdb_column_family_metadata_get_file_count(meta) == 3);
  rocksdb_column_family_metadata_destroy(meta);
  rocksdb_column_family_handle_destroy(family);

  phase = "a compaction that is cancelled";
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  const char* name = rocksdb_livefiles_name(files, 0);
  rocksdb_compaction_options_t* chosen = rocksdb_compaction_options_create();
  unsigned char* canceled = rocksdb_compaction_options_canceled_create();
  rocksdb_compaction_options_set_canceled(chosen, canceled);
  rocksdb_compaction_options_canceled_set(canceled, 1);
  rocksdb_compact_files(db, chosen, &name, 1, 1, -1, NULL, NULL, NULL, &error);
  ExpectError("Result incomplete");
  rocksdb_compaction_options_canceled_set(canceled, 0);
  rocksdb_compact_files(db, chosen, &name, 1, 1, -1, NULL, NULL, NULL, &error);
  CHECK_OK(error);
  rocksdb_column_family_metadata_options_set_level(which, 1);
  CHECK(FilesOf(db, which) >= 1);
  rocksdb_compaction_options_set_canceled(chosen, NULL);
  rocksdb_compaction_options_canceled_destroy(canceled);
  rocksdb_compaction_options_destroy(chosen);
  rocksdb_livefiles_destroy(files);
  rocksdb_column_family_metadata_options_destroy(which);
  rocksdb_close(db);
  rocksdb_options_destroy(other);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  void (*const tests[])(const char*) = {TestFields, TestOddFields, TestTraces, TestWalFilter, TestMetadataAndCompaction};
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
    rocksdb_destroy_db(options, argv[1], &error);
    CHECK_OK(error);
    tests[i](argv[1]);
  }
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  rocksdb_options_destroy(options);
  printf("ok\n");
  return 0;
}
