/* The C interface, in C: what RocksDB's has since release 11: fields of options, values without copies, files, and what jobs tell.
   Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"

static void TestFields(void) {
  rocksdb_options_t* other = rocksdb_options_create();
  SETS(options, other, verify_sst_unique_id_in_manifest);
  SETS(options, other, allow_fallocate);
  SETS(options, other, persist_stats_to_disk);
  SETS(options, other, stats_history_buffer_size);
  SETS(options, other, enable_thread_tracking);
  SETS(options, other, write_thread_max_yield_usec);
  SETS(options, other, write_thread_slow_yield_usec);
  SETS(options, other, allow_2pc);
  SETS(options, other, avoid_flush_during_recovery);
  SETS(options, other, two_write_queues);
  SETS(options, other, log_readahead_size);
  SETS(options, other, best_efforts_recovery);
  SETS(options, other, allow_data_in_errors);
  SETS(options, other, enforce_single_del_contracts);
  SETS(options, other, force_consistency_checks);
  SETS(options, other, last_level_temperature);
  SETS(options, other, preclude_last_level_data_seconds);
  SETS(options, other, preserve_internal_time_seconds);
  SETS(options, other, memtable_protection_bytes_per_key);
  SETS(options, other, write_identity_file);
  SETS(options, other, open_files_async);
  SETS(options, other, memtable_op_scan_flush_trigger);
  SETS(options, other, memtable_avg_op_scan_flush_trigger);
  SETS(options, other, persist_user_defined_timestamps);
  phase = "texts of options";
  size_t size = 0;
  rocksdb_options_set_db_host_id(other, "a host");
  const char* text = rocksdb_options_get_db_host_id(other, &size);
  CHECK(size == 6 && memcmp(text, "a host", 6) == 0);
  rocksdb_options_set_wal_dir(other, "logs");
  text = rocksdb_options_get_wal_dir(other, &size);
  CHECK(size == 4 && memcmp(text, "logs", 4) == 0);
  rocksdb_options_set_db_log_dir(other, "infos");
  text = rocksdb_options_get_db_log_dir(other, &size);
  CHECK(size == 5 && memcmp(text, "infos", 5) == 0);
  rocksdb_options_destroy(other);
  rocksdb_writeoptions_t* writeoptions = rocksdb_writeoptions_create();
  SETS(writeoptions, writeoptions, protection_bytes_per_key);
  rocksdb_writeoptions_destroy(writeoptions);
  rocksdb_flushoptions_t* flushoptions = rocksdb_flushoptions_create();
  SETS(flushoptions, flushoptions, allow_write_stall);
  rocksdb_flushoptions_destroy(flushoptions);
  rocksdb_universal_compaction_options_t* universal_compaction_options = rocksdb_universal_compaction_options_create();
  SETS(universal_compaction_options, universal_compaction_options, allow_trivial_move);
  SETS(universal_compaction_options, universal_compaction_options, incremental);
  rocksdb_universal_compaction_options_destroy(universal_compaction_options);
  rocksdb_fifo_compaction_options_t* fifo_compaction_options = rocksdb_fifo_compaction_options_create();
  SETS(fifo_compaction_options, fifo_compaction_options, age_for_warm);
  SETS(fifo_compaction_options, fifo_compaction_options, max_data_files_size);
  SETS(fifo_compaction_options, fifo_compaction_options, use_kv_ratio_compaction);
  rocksdb_fifo_compaction_options_destroy(fifo_compaction_options);
  rocksdb_block_based_table_options_t* block_based_options = rocksdb_block_based_options_create();
  SETS(block_based_options, block_based_options, detect_filter_construct_corruption);
  SETS(block_based_options, block_based_options, read_amp_bytes_per_bit);
  SETS(block_based_options, block_based_options, block_align);
  SETS(block_based_options, block_based_options, prepopulate_block_cache);
  SETS(block_based_options, block_based_options, index_block_search_type);
  SETS(block_based_options, block_based_options, separate_key_value_in_data_block);
  rocksdb_block_based_options_destroy(block_based_options);
  rocksdb_ingestexternalfileoptions_t* ingestexternalfileoptions = rocksdb_ingestexternalfileoptions_create();
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, link_files);
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, failed_move_fall_back_to_copy);
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, write_global_seqno);
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, verify_checksums_before_ingest);
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, verify_checksums_readahead_size);
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, verify_file_checksum);
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, allow_db_generated_files);
  SETS(ingestexternalfileoptions, ingestexternalfileoptions, fill_cache);
  rocksdb_ingestexternalfileoptions_destroy(ingestexternalfileoptions);
  rocksdb_envoptions_t* envoptions = rocksdb_envoptions_create();
  SETS(envoptions, envoptions, use_mmap_reads);
  SETS(envoptions, envoptions, use_mmap_writes);
  SETS(envoptions, envoptions, use_direct_reads);
  SETS(envoptions, envoptions, use_direct_writes);
  SETS(envoptions, envoptions, allow_fallocate);
  SETS(envoptions, envoptions, fd_cloexec);
  SETS(envoptions, envoptions, bytes_per_sync);
  SETS(envoptions, envoptions, strict_bytes_per_sync);
  SETS(envoptions, envoptions, fallocate_with_keep_size);
  SETS(envoptions, envoptions, compaction_readahead_size);
  SETS(envoptions, envoptions, writable_file_max_buffer_size);
  rocksdb_envoptions_destroy(envoptions);
  rocksdb_backup_engine_options_t* backup_engine_options = rocksdb_backup_engine_options_create("/backups");
  SETS(backup_engine_options, backup_engine_options, share_files_with_checksum);
  SETS(backup_engine_options, backup_engine_options, schema_version);
  SETS(backup_engine_options, backup_engine_options, current_temperatures_override_manifest);
  rocksdb_backup_engine_options_destroy(backup_engine_options);
}

static int Is(const char* data, size_t size, const char* expected) {
  return size == strlen(expected) && memcmp(data, expected, size) == 0;
}

static void TestValues(const char* path) {
  phase = "values without copies";
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  Put(db, "a", "first");
  Put(db, "b", "");
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, reading);
  rocksdb_iter_seek_to_first(it);
  rocksdb_slice_t key = rocksdb_iter_key_slice(it), value = rocksdb_iter_value_slice(it);
  CHECK(Is(key.data, key.size, "a") && Is(value.data, value.size, "first"));
  rocksdb_iter_destroy(it);
  size_t size = 99;
  rocksdb_pinnable_handle_t* pinned = rocksdb_get_pinned_v2(db, reading, "a", 1, &error);
  CHECK_OK(error);
  const char* data = rocksdb_pinnable_handle_get_value(pinned, &size);
  CHECK(Is(data, size, "first"));
  rocksdb_pinnable_handle_destroy(pinned);
  CHECK(rocksdb_get_pinned_v2(db, reading, "x", 1, &error) == NULL);
  CHECK_OK(error);
  char buffer[5];
  unsigned char found = 9;
  CHECK(rocksdb_get_into_buffer(db, reading, "a", 1, buffer, sizeof buffer, &size, &found, &error) == 1);
  CHECK(found == 1 && Is(buffer, size, "first"));
  CHECK(rocksdb_get_into_buffer(db, reading, "a", 1, buffer, 4, &size, &found, &error) == 0);
  CHECK(found == 1 && size == 5);
  CHECK(rocksdb_get_into_buffer(db, reading, "b", 1, NULL, 0, &size, &found, &error) == 1);
  CHECK(found == 1 && size == 0);
  CHECK(rocksdb_get_into_buffer(db, reading, "x", 1, buffer, sizeof buffer, &size, &found, &error) == 0);
  CHECK(found == 0 && size == 0);
  CHECK_OK(error);
  const rocksdb_slice_t keys[] = {{"a", 1}, {"x", 1}};
  rocksdb_pinnableslice_t* values[2];
  char* errors[2];
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  rocksdb_batched_multi_get_cf_slice(db, reading, family, 2, keys, values, errors, false);
  CHECK(errors[0] == NULL && errors[1] == NULL && values[1] == NULL);
  data = rocksdb_pinnableslice_value(values[0], &size);
  CHECK(Is(data, size, "first"));
  rocksdb_pinnableslice_destroy(values[0]);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
}

/* What jobs told; only one runs at a time. */
static int flushes, compactions;
static void Nothing(void* state) { (void)state; }
static void Flushing(void* s, rocksdb_t* db, const rocksdb_flushjobinfo_t* info) { (void)s, (void)db, (void)info; }
static void Flushed(void* s, rocksdb_t* db, const rocksdb_flushjobinfo_t* info) {
  (void)s, (void)db;
  ++flushes;
  CHECK(rocksdb_flushjobinfo_cf_id(info) == 0 && rocksdb_flushjobinfo_file_number(info) > 0);
  const rocksdb_table_properties_t* table = rocksdb_flushjobinfo_table_properties(info);
  CHECK(rocksdb_table_properties_num_entries(table) == 2 && rocksdb_table_properties_num_data_blocks(table) == 1);
  size_t size = 0;
  const char* text = rocksdb_table_properties_comparator_name(table, &size);
  CHECK(Is(text, size, "leveldb.BytewiseComparator"));
  CHECK(rocksdb_table_properties_user_collected_properties_count(table) > 0);
  text = rocksdb_table_properties_user_collected_properties_key_at(table, 0, &size);
  CHECK(size > 8 && memcmp(text, "rocksdb.", 8) == 0);
  CHECK(rocksdb_table_properties_user_collected_properties_value_at(table, 0, &size) != NULL);
  CHECK(rocksdb_flushjobinfo_blob_file_addition_infos_count(info) == 0);
}
static void Compacting(void* s, rocksdb_t* db, const rocksdb_compactionjobinfo_t* info) { (void)s, (void)db, (void)info; }
static void Compacted(void* s, rocksdb_t* db, const rocksdb_compactionjobinfo_t* info) {
  (void)s, (void)db;
  ++compactions;
  CHECK(rocksdb_compactionjobinfo_input_file_infos_count(info) == 2);
  CHECK(rocksdb_compaction_file_info_level(rocksdb_compactionjobinfo_input_file_info_at(info, 0)) == 0);
  CHECK(rocksdb_compactionjobinfo_input_file_info_at(info, 2) == NULL);
  CHECK(rocksdb_compactionjobinfo_output_file_infos_count(info) == 1);
  CHECK(rocksdb_compaction_file_info_level(rocksdb_compactionjobinfo_output_file_info_at(info, 0)) == 1);
  const rocksdb_compaction_job_stats_t* stats = rocksdb_compactionjobinfo_stats(info);
  CHECK(rocksdb_compaction_job_stats_num_input_records(stats) == 4);
  CHECK(rocksdb_compaction_job_stats_num_output_records(stats) == 3);
  CHECK(rocksdb_compaction_job_stats_is_manual_compaction(stats) == 1);
  size_t size = 0;
  const char* text = rocksdb_compaction_job_stats_smallest_output_key_prefix(stats, &size);
  CHECK(Is(text, size, "a"));
  CHECK(rocksdb_compactionjobinfo_aborted(info) == 0 && rocksdb_compactionjobinfo_num_l0_files(info) == 2);
  CHECK(rocksdb_compactionjobinfo_table_properties_count(info) == 3);
  text = rocksdb_compactionjobinfo_table_properties_key_at(info, 0, &size);
  CHECK(rocksdb_compactionjobinfo_table_properties_for_file(info, text, size) ==
        rocksdb_compactionjobinfo_table_properties_value_at(info, 0));
  CHECK(rocksdb_compactionjobinfo_table_properties_for_file(info, "x", 1) == NULL);
}
static void Part(void* s, const rocksdb_subcompactionjobinfo_t* info) {
  (void)s;
  CHECK(rocksdb_subcompactionjobinfo_cf_id(info) == 0);
}
static void Ingested(void* s, rocksdb_t* db, const rocksdb_externalfileingestioninfo_t* info) { (void)s, (void)db, (void)info; }
static void Failed(void* s, uint32_t reason, rocksdb_status_ptr_t* status) { (void)s, (void)reason, (void)status; }
static void Stalled(void* s, const rocksdb_writestallinfo_t* info) { (void)s, (void)info; }
static void Sealed(void* s, const rocksdb_memtableinfo_t* info) { (void)s, (void)info; }

static void TestJobsAndFiles(const char* path) {
  phase = "jobs and files";
  rocksdb_options_t* told = rocksdb_options_create_copy(options);
  rocksdb_options_set_disable_auto_compactions(told, 1);
  rocksdb_eventlistener_t* listener = rocksdb_eventlistener_create(NULL, Nothing, Flushing, Flushed, Compacting, Compacted, Part, Part,
                                                                  Ingested, Failed, Stalled, Sealed);
  rocksdb_options_add_eventlistener(told, listener);
  rocksdb_eventlistener_destroy(listener);
  rocksdb_t* db = rocksdb_open(told, path, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  Put(db, "a", "1");
  Put(db, "b", "1");
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  Put(db, "b", "2");
  Put(db, "c", "2");
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
  CHECK(flushes == 2);

  rocksdb_verify_file_checksums(db, &error);
  CHECK(error != NULL && strstr(error, "checksum") != NULL); /* the database has none */
  rocksdb_free(error);
  error = NULL;

  rocksdb_size_approximation_options_t* sizing = rocksdb_size_approximation_options_create();
  rocksdb_size_approximation_options_set_include_memtables(sizing, 1);
  rocksdb_size_approximation_options_set_include_files(sizing, 1);
  CHECK(rocksdb_size_approximation_options_get_files_size_error_margin(sizing) == -1.0);
  const char* from[] = {"a"};
  const char* to[] = {"z"};
  const size_t one[] = {1};
  uint64_t bytes = 0;
  rocksdb_approximate_sizes_with_options(db, sizing, 1, from, one, to, one, &bytes, &error);
  CHECK_OK(error);
  CHECK(bytes > 0);
  rocksdb_size_approximation_options_destroy(sizing);

  Put(db, "d", "3"); /* an empty log is none */
  rocksdb_wal_files_t* logs = rocksdb_get_sorted_wal_files(db, &error);
  CHECK_OK(error);
  CHECK(rocksdb_wal_files_count(logs) > 0 && rocksdb_wal_files_get_wal_file(logs, rocksdb_wal_files_count(logs)) == NULL);
  const rocksdb_wal_file_t* last = rocksdb_wal_files_get_wal_file(logs, rocksdb_wal_files_count(logs) - 1);
  rocksdb_wal_file_t* current = rocksdb_get_current_wal_file(db, &error);
  CHECK_OK(error);
  CHECK(rocksdb_wal_file_log_number(current) == rocksdb_wal_file_log_number(last));
  CHECK(strcmp(rocksdb_wal_file_path_name(current), rocksdb_wal_file_path_name(last)) == 0);
  CHECK(rocksdb_wal_file_type(current) == 1);
  rocksdb_wal_file_destroy(current);
  rocksdb_wal_files_destroy(logs);

  rocksdb_livefiles_storage_info_options_t* copying = rocksdb_livefiles_storage_info_options_create();
  rocksdb_livefiles_storage_info_options_set_wal_size_for_flush(copying, UINT64_MAX); /* no flush */
  rocksdb_livefiles_storage_info_t* info = rocksdb_get_livefiles_storage_info(db, copying, &error);
  CHECK_OK(error);
  int tables = 0, currents = 0;
  for (size_t i = 0; i < rocksdb_livefiles_storage_info_count(info); ++i) {
    const char* name = rocksdb_livefiles_storage_info_relative_filename(info, i);
    tables += strstr(name, ".sst") != NULL && rocksdb_livefiles_storage_info_size(info, i) > 0;
    if (strcmp(name, "CURRENT") == 0) {
      size_t size = 0;
      const char* text = rocksdb_livefiles_storage_info_replacement_contents(info, i, &size);
      currents += size > 9 && memcmp(text, "MANIFEST-", 9) == 0;
    }
    CHECK(strcmp(rocksdb_livefiles_storage_info_directory(info, i), path) == 0);
  }
  CHECK(tables == 2 && currents == 1);
  rocksdb_livefiles_storage_info_destroy(info);
  rocksdb_livefiles_storage_info_options_destroy(copying);

  const rocksdb_livefiles_t* live = rocksdb_livefiles(db);
  CHECK(rocksdb_livefiles_count(live) == 2);
  const char* inputs[] = {rocksdb_livefiles_name(live, 0), rocksdb_livefiles_name(live, 1)};
  rocksdb_compaction_options_t* how = rocksdb_compaction_options_create();
  rocksdb_compaction_options_set_compression(how, 0);
  CHECK(rocksdb_compaction_options_get_compression(how) == 0);
  rocksdb_compactionjobinfo_t* job = rocksdb_compactionjobinfo_create();
  char** outputs = NULL;
  size_t count = 0;
  rocksdb_compact_files(db, how, inputs, 2, 1, -1, &outputs, &count, job, &error);
  CHECK_OK(error);
  CHECK(count == 1 && strstr(outputs[0], ".sst") != NULL && compactions == 1);
  CHECK(rocksdb_compactionjobinfo_output_level(job) == 1 && rocksdb_compactionjobinfo_input_files_count(job) == 2);
  rocksdb_compact_files_output_file_names_destroy(outputs, count);
  rocksdb_compactionjobinfo_destroy(job);
  rocksdb_compact_files(db, how, inputs, 2, 1, -1, NULL, NULL, NULL, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_compaction_options_destroy(how);
  rocksdb_livefiles_destroy(live);
  ExpectGet(db, reading, "b", "2");
  rocksdb_close(db);
  rocksdb_options_destroy(told);
}

/* A database with these options does not open; the error has this text. Takes the options. */
static void ExpectRefused(rocksdb_options_t* other, const char* path, const char* text) {
  phase = text;
  rocksdb_options_set_create_if_missing(other, 1);
  CHECK(rocksdb_open(other, path, &error) == NULL && error != NULL && strstr(error, text) != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_options_destroy(other);
}

static void TestRefused(const char* path) {
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_fifo_compaction_options_t* fifo = rocksdb_fifo_compaction_options_create();
  rocksdb_fifo_compaction_options_set_use_kv_ratio_compaction(fifo, 1);
  rocksdb_options_set_fifo_compaction_options(other, fifo);
  rocksdb_fifo_compaction_options_destroy(fifo);
  ExpectRefused(other, path, "use_kv_ratio_compaction");
  other = rocksdb_options_create();
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_separate_key_value_in_data_block(table, 1);
  rocksdb_options_set_block_based_table_factory(other, table);
  rocksdb_block_based_options_destroy(table);
  ExpectRefused(other, path, "separate_key_value_in_data_block");
  other = rocksdb_options_create();
  rocksdb_options_set_write_identity_file(other, 0);
  rocksdb_options_set_write_dbid_to_manifest(other, 0);
  ExpectRefused(other, path, "cannot both be false");
}

static int Exists(const char* path, const char* name) {
  char whole[1000];
  CHECK(strlen(path) + strlen(name) + 2 <= sizeof whole);
  strcpy(whole, path);
  strcat(strcat(whole, "/"), name);
  FILE* file = fopen(whole, "rb");
  if (file != NULL) fclose(file);
  return file != NULL;
}

/* Opens the database and closes it again: its identity, malloc()ed. */
static char* IdentityOf(const rocksdb_options_t* how, const char* path) {
  rocksdb_t* db = rocksdb_open(how, path, &error);
  CHECK_OK(error);
  size_t size = 0;
  char* bytes = rocksdb_get_db_identity(db, &size);
  CHECK(size > 0);
  char* text = malloc(size + 1);
  memcpy(text, bytes, size);
  text[size] = 0;
  rocksdb_free(bytes);
  rocksdb_close(db);
  return text;
}

/* The file IDENTITY comes and goes; the identity stays. */
static void TestIdentity(const char* path) {
  phase = "no file of the identity";
  rocksdb_options_t* without = rocksdb_options_create_copy(options);
  rocksdb_options_set_write_identity_file(without, 0);
  const rocksdb_options_t* const how[] = {without, without, options, without, options};
  char* first = NULL;
  for (int i = 0; i < 5; ++i) {
    char* identity = IdentityOf(how[i], path);
    CHECK(Exists(path, "CURRENT") && Exists(path, "IDENTITY") == (how[i] == options));
    if (first == NULL) {
      first = identity;
    } else {
      CHECK(strcmp(first, identity) == 0);
      free(identity);
    }
  }
  free(first);
  rocksdb_options_destroy(without);
}

static void CountCall(void* state) { ++*(int*)state; }

/* How one backup is made, and what is kept with it. */
static void TestBackupOptions(const char* path) {
  phase = "backup options";
  char folder[1000];
  CHECK(snprintf(folder, sizeof folder, "%s.backups", path) < (int)sizeof folder);
  rocksdb_backup_engine_options_t* engine_options = rocksdb_backup_engine_options_create(folder);
  size_t size = 0;
  const char* text = rocksdb_backup_engine_options_get_backup_dir(engine_options, &size);
  CHECK(size == strlen(folder) && memcmp(text, folder, size) == 0);
  rocksdb_backup_engine_options_set_destroy_old_data(engine_options, 1);
  rocksdb_backup_engine_options_set_callback_trigger_interval_size(engine_options, 1);
  rocksdb_ratelimiter_t* limiter = rocksdb_ratelimiter_create(1 << 30, 100000, 10);
  rocksdb_backup_engine_options_set_backup_rate_limiter(engine_options, limiter);
  rocksdb_backup_engine_options_set_restore_rate_limiter(engine_options, limiter);
  rocksdb_ratelimiter_destroy(limiter);
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_backup_engine_t* engine = rocksdb_backup_engine_open_opts(engine_options, env, &error);
  CHECK_OK(error);
  rocksdb_create_backup_options_t* how = rocksdb_create_backup_options_create();
  CHECK(rocksdb_create_backup_options_get_background_thread_cpu_priority(how) == 2);
  rocksdb_create_backup_options_set_background_thread_cpu_priority(how, 1);
  CHECK(rocksdb_create_backup_options_get_background_thread_cpu_priority(how) == 1);
  SETS(create_backup_options, how, decrease_background_thread_cpu_priority);
  SETS(create_backup_options, how, flush_before_backup);
  rocksdb_create_backup_options_set_flush_before_backup(how, 1);
  int calls = 0;
  rocksdb_create_backup_options_set_progress_callback(how, &calls, CountCall);

  phase = "backups with options";
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  uint32_t number = 0;
  rocksdb_backup_engine_create_new_backup_with_options(engine, db, how, &number, &error);
  CHECK_OK(error);
  CHECK(number == 1 && calls > 0);
  char* tables = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK(strcmp(tables, "1") == 0); /* it was flushed first */
  rocksdb_free(tables);
  const int before = calls;
  rocksdb_create_backup_options_set_progress_callback(how, NULL, NULL);
  rocksdb_backup_engine_create_new_backup_with_metadata(engine, db, how, "mi\0ne", 5, &number, &error);
  CHECK_OK(error);
  rocksdb_backup_engine_create_new_backup_with_metadata(engine, db, NULL, NULL, 0, NULL, &error);
  CHECK_OK(error);
  CHECK(number == 2 && calls == before);
  const rocksdb_backup_engine_info_t* info = rocksdb_backup_engine_get_backup_info(engine);
  CHECK(rocksdb_backup_engine_info_count(info) == 3);
  text = rocksdb_backup_engine_info_app_metadata(info, 1, &size);
  CHECK(size == 5 && memcmp(text, "mi\0ne", 5) == 0);
  rocksdb_backup_engine_info_app_metadata(info, 2, &size);
  CHECK(size == 0);
  rocksdb_backup_engine_info_destroy(info);
  rocksdb_create_backup_options_destroy(how);
  rocksdb_backup_engine_stop_backup(engine);
  number = 9;
  rocksdb_backup_engine_create_new_backup_with_options(engine, db, NULL, &number, &error);
  CHECK(error != NULL && number == 9);
  rocksdb_free(error);
  error = NULL;
  rocksdb_close(db);
  rocksdb_backup_engine_close(engine);
  engine = rocksdb_backup_engine_open_opts(engine_options, env, &error); /* empties the folder */
  CHECK_OK(error);
  rocksdb_backup_engine_close(engine);
  rocksdb_backup_engine_options_destroy(engine_options);
  rocksdb_env_destroy(env);
  rocksdb_restore_options_t* restoring = rocksdb_restore_options_create();
  SETS(restore_options, restoring, keep_log_files);
  rocksdb_restore_options_destroy(restoring);
}

static char shown[100];
static void ShowPut(void* state, const char* key, size_t size, const char* value, size_t value_size) {
  (void)state, (void)value, (void)value_size;
  strncat(strcat(shown, "+"), key, size);
}
static void ShowDelete(void* state, const char* key, size_t size) {
  (void)state;
  strncat(strcat(shown, "-"), key, size);
}
static void ShowPutOf(void* state, uint32_t family, const char* key, size_t size, const char* value, size_t value_size) {
  CHECK(family == 0);
  ShowPut(state, key, size, value, value_size);
}
static void ShowDeleteOf(void* state, uint32_t family, const char* key, size_t size) {
  CHECK(family == 0);
  ShowDelete(state, key, size);
}
static void ShowMergeOf(void* state, uint32_t family, const char* key, size_t size, const char* value, size_t value_size) {
  (void)state, (void)family, (void)value, (void)value_size;
  strncat(strcat(shown, "*"), key, size);
}
static void ShowLogData(void* state, const char* blob, size_t size) {
  (void)state;
  strncat(strcat(shown, "#"), blob, size);
}

static void TestBatches(const char* path) {
  (void)path;
  phase = "batches with data for the log";
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_put_log_data(batch, "blob", 4);
  rocksdb_writebatch_delete(batch, "b", 1);
  rocksdb_writebatch_iterate_ld(batch, NULL, ShowPut, ShowDelete, ShowLogData);
  CHECK(strcmp(shown, "+a#blob-b") == 0);
  shown[0] = 0;
  rocksdb_writebatch_iterate_ld(batch, NULL, ShowPut, ShowDelete, NULL);
  CHECK(strcmp(shown, "+a-b") == 0);
  shown[0] = 0;
  rocksdb_writebatch_merge(batch, "c", 1, "1", 1);
  rocksdb_writebatch_iterate_cf_ld(batch, NULL, ShowPutOf, ShowDeleteOf, ShowMergeOf, ShowLogData);
  CHECK(strcmp(shown, "+a#blob-b*c") == 0);
  rocksdb_writebatch_verify_checksum(batch, &error);
  CHECK_OK(error);
  rocksdb_writebatch_destroy(batch);
}

static int FilesAtLevel0(rocksdb_t* db) {
  char* value = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  const int files = atoi(value);
  rocksdb_free(value);
  return files;
}

static void PutAndFlush(rocksdb_t* db, const char* key, const char* value) {
  Put(db, key, value);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
}

static unsigned char OnlyTablesOfTwo(void* state, const rocksdb_table_properties_t* properties) {
  (void)state;
  CHECK(rocksdb_table_properties_user_defined_timestamps_persisted(properties) == 1);
  return rocksdb_table_properties_num_entries(properties) == 2;
}

/* Files by prefix, their checksums, and iterators that leave some out. */
static void TestPartsOfOptions(const char* path) {
  phase = "partitioner and checksums";
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
  rocksdb_sst_partitioner_factory_t* partitioner = rocksdb_sst_partitioner_fixed_prefix_factory_create(1);
  rocksdb_options_set_sst_partitioner_factory(other, partitioner);
  rocksdb_options_set_sst_partitioner_factory(other, NULL);
  rocksdb_sst_partitioner_factory_destroy(partitioner);
  rocksdb_file_checksum_gen_factory_t* checksums = rocksdb_file_checksum_gen_crc32c_factory_create();
  rocksdb_options_set_file_checksum_gen_factory(other, checksums);
  rocksdb_options_set_file_checksum_gen_factory(other, NULL);
  rocksdb_file_checksum_gen_factory_destroy(checksums);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a1", "1");
  PutAndFlush(db, "b1", "1");
  Put(db, "a2", "2");
  PutAndFlush(db, "b1", "2");
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  const rocksdb_livefiles_t* live = rocksdb_livefiles(db);
  CHECK(rocksdb_livefiles_count(live) == 2); /* a1 and a2, b1 */
  rocksdb_livefiles_destroy(live);
  rocksdb_verify_file_checksums(db, &error);
  CHECK_OK(error);

  phase = "table filter";
  int destroyed = 0;
  rocksdb_readoptions_t* some = rocksdb_readoptions_create();
  CHECK(!rocksdb_readoptions_has_table_filter(some));
  rocksdb_readoptions_set_table_filter(some, &destroyed, CountCall, OnlyTablesOfTwo);
  CHECK(rocksdb_readoptions_has_table_filter(some));
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, some);
  rocksdb_iter_seek_to_last(it);
  ExpectAt(it, "a2", "2"); /* b1's table has one entry */
  rocksdb_iter_destroy(it);
  CHECK(destroyed == 0);
  rocksdb_readoptions_clear_table_filter(some);
  CHECK(destroyed == 1 && !rocksdb_readoptions_has_table_filter(some));
  it = rocksdb_create_iterator(db, some);
  rocksdb_iter_seek_to_last(it);
  ExpectAt(it, "b1", "2");
  rocksdb_iter_destroy(it);
  rocksdb_readoptions_destroy(some);

  phase = "logs and waiting";
  rocksdb_flushwaloptions_t* flushing = rocksdb_flushwaloptions_create();
  CHECK(rocksdb_flushwaloptions_get_sync(flushing) == 0);
  SETS(flushwaloptions, flushing, sync);
  rocksdb_flushwaloptions_set_sync(flushing, 1);
  Put(db, "c", "3");
  rocksdb_flush_wal_with_options(db, flushing, &error);
  CHECK_OK(error);
  rocksdb_wal_readoptions_t* logs = rocksdb_wal_readoptions_create();
  CHECK(rocksdb_wal_readoptions_get_verify_checksums(logs) == 1);
  SETS(wal_readoptions, logs, verify_checksums);
  rocksdb_wal_iterator_t* updates = rocksdb_get_updates_since(db, rocksdb_get_latest_sequence_number(db), logs, &error);
  CHECK_OK(error);
  rocksdb_wal_readoptions_destroy(logs);
  CHECK(rocksdb_wal_iter_valid(updates));
  rocksdb_wal_iter_destroy(updates);
  rocksdb_wait_for_compact_options_t* waiting = rocksdb_wait_for_compact_options_create();
  SETS(wait_for_compact_options, waiting, wait_for_purge);
  rocksdb_wait_for_compact_options_set_wait_for_purge(waiting, 1);
  rocksdb_wait_for_compact(db, waiting, &error);
  CHECK_OK(error);
  rocksdb_wait_for_compact_options_destroy(waiting);
  rocksdb_close(db);

  rocksdb_transactiondb_options_t* locking = rocksdb_transactiondb_options_create();
  rocksdb_transactiondb_t* locked = rocksdb_transactiondb_open(options, locking, path, &error);
  CHECK_OK(error);
  rocksdb_transactiondb_flush_wal_with_options(locked, flushing, &error);
  CHECK_OK(error);
  rocksdb_transactiondb_close(locked);
  rocksdb_transactiondb_options_destroy(locking);
  rocksdb_flushwaloptions_destroy(flushing);
  rocksdb_options_destroy(other);
}

/* The limit of FIFO style is one of the values in blob files, too. */
static void TestFifoOfBlobs(const char* path) {
  phase = "max_data_files_size";
  static char value[100001];
  memset(value, 'v', 100000);
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
  rocksdb_fifo_compaction_options_t* fifo = rocksdb_fifo_compaction_options_create();
  rocksdb_fifo_compaction_options_set_max_data_files_size(fifo, 250000);
  rocksdb_options_set_compaction_style(other, rocksdb_fifo_compaction);
  rocksdb_options_set_fifo_compaction_options(other, fifo);
  rocksdb_fifo_compaction_options_destroy(fifo);
  rocksdb_options_set_enable_blob_files(other, 1);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  PutAndFlush(db, "a", value);
  PutAndFlush(db, "b", value);
  CHECK(FilesAtLevel0(db) == 2);
  PutAndFlush(db, "c", value);
  for (int i = 0; i < 10000000 && FilesAtLevel0(db) > 2; ++i) {
  }
  CHECK(FilesAtLevel0(db) == 2);
  ExpectGet(db, reading, "a", NULL);
  ExpectGet(db, reading, "b", value);
  ExpectGet(db, reading, "c", value);
  rocksdb_close(db);
  rocksdb_options_destroy(other);
}

/* A table of nothing but tombstones is compacted by itself, unless it is too small. */
static void TestCollectorOfLargeTables(const char* path) {
  phase = "min_file_size";
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
  rocksdb_options_set_compression(other, 0);
  rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(other, 128, 100, 0.5, 20000);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  PutAndFlush(db, "a", "1");
  rocksdb_delete(db, writing, "a", 1, &error);
  CHECK_OK(error);
  PutAndFlush(db, "b", "1"); /* half of it: one tombstone of two */
  uint64_t pending = 1;
  CHECK(rocksdb_property_int(db, "rocksdb.compaction-pending", &pending) == 0 && pending == 0);
  CHECK(FilesAtLevel0(db) == 2);
  for (int i = 0; i < 2000; ++i) {
    char key[30];
    sprintf(key, "a long enough key %08d", i);
    rocksdb_delete(db, writing, key, strlen(key), &error);
    CHECK_OK(error);
  }
  PutAndFlush(db, "b", "2");
  for (int i = 0; i < 10000000 && FilesAtLevel0(db) > 0; ++i) {
  }
  CHECK(FilesAtLevel0(db) == 0);
  rocksdb_close(db);
  rocksdb_options_destroy(other);
}

/* It counts: what is enabled first one call does not disable. (RocksDB asserts that nobody does.) */
static void TestManualCompaction(const char* path) {
  phase = "manual compaction";
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  PutAndFlush(db, "a", "1");
  rocksdb_enable_manual_compaction(db);
  rocksdb_disable_manual_compaction(db);
  rocksdb_disable_manual_compaction(db);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK(FilesAtLevel0(db) == 1);
  rocksdb_enable_manual_compaction(db);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK(FilesAtLevel0(db) == 0);
  rocksdb_close(db);
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
  TestFields();
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestValues(argv[1]);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestJobsAndFiles(argv[1]);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestRefused(argv[1]);
  void (*const tests[])(const char*) = {TestIdentity,       TestFifoOfBlobs,   TestCollectorOfLargeTables, TestManualCompaction,
                                         TestPartsOfOptions, TestBackupOptions, TestBatches};
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
    tests[i](argv[1]);
    rocksdb_destroy_db(options, argv[1], &error);
    CHECK_OK(error);
  }
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  rocksdb_options_destroy(options);
  printf("ok\n");
  return 0;
}
