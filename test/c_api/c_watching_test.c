/* The C interface, in C: what a database tells of itself (events, its files), and options from text and from a database's files.
   Compiled against Cairn's header and library and against RocksDB's. Exit status 0: all that it says holds. The first argument is
   a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <string.h>

#include "check.h"

static char* error = NULL;

static void PutIn(rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* key, const char* value) {
  rocksdb_writeoptions_t* writing = rocksdb_writeoptions_create();
  rocksdb_put_cf(db, writing, family, key, strlen(key), value, strlen(value), &error);
  CHECK_OK(error);
  rocksdb_writeoptions_destroy(writing);
}

static void FlushFamily(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush_cf(db, flush, family, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
}

static int Has(rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* key) {
  rocksdb_readoptions_t* reading = rocksdb_readoptions_create();
  size_t size = 0;
  char* value = rocksdb_get_cf(db, reading, family, key, strlen(key), &size, &error);
  CHECK_OK(error);
  rocksdb_readoptions_destroy(reading);
  const int has = value != NULL;
  rocksdb_free(value);
  return has;
}

static void TestPerfContext(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "the performance context";
  PutIn(db, family, "measured", "12345");
  rocksdb_set_perf_level(rocksdb_enable_count);
  rocksdb_perfcontext_t* perf = rocksdb_perfcontext_create();
  rocksdb_perfcontext_reset(perf);
  CHECK(Has(db, family, "measured"));
  CHECK(rocksdb_perfcontext_metric(perf, rocksdb_get_read_bytes) == 5);
  CHECK(rocksdb_perfcontext_metric(perf, rocksdb_get_from_memtable_count) == 1);
  CHECK(rocksdb_perfcontext_metric(perf, rocksdb_get_from_memtable_time) == 0);
  rocksdb_set_perf_level(rocksdb_enable_time_except_for_mutex);
  CHECK(Has(db, family, "measured"));
  CHECK(rocksdb_perfcontext_metric(perf, rocksdb_get_from_memtable_time) > 0);
  CHECK(rocksdb_perfcontext_metric(perf, 10000) == 0);
  char* text = rocksdb_perfcontext_report(perf, 1);
  CHECK(strstr(text, "get_read_bytes = 10, ") != NULL);
  CHECK(strstr(text, "blob_read_count") == NULL);
  rocksdb_free(text);
  text = rocksdb_perfcontext_report(perf, 0);
  CHECK(strstr(text, "blob_read_count = 0, ") != NULL);
  rocksdb_free(text);
  rocksdb_perfcontext_reset(perf);
  CHECK(rocksdb_perfcontext_metric(perf, rocksdb_get_read_bytes) == 0);
  rocksdb_set_perf_level(rocksdb_disable);
  CHECK(Has(db, family, "measured"));
  CHECK(rocksdb_perfcontext_metric(perf, rocksdb_get_read_bytes) == 0);
  rocksdb_perfcontext_destroy(perf);
}

static void TestLiveFiles(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "live files";
  PutIn(db, family, "a", "1");
  PutIn(db, family, "m", "1");
  rocksdb_writeoptions_t* writing = rocksdb_writeoptions_create();
  rocksdb_delete_cf(db, writing, family, "x", 1, &error);
  CHECK_OK(error);
  rocksdb_writeoptions_destroy(writing);
  FlushFamily(db, family);
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  CHECK(rocksdb_livefiles_count(files) == 1);
  CHECK(strcmp(rocksdb_livefiles_column_family_name(files, 0), "events") == 0);
  CHECK(strstr(rocksdb_livefiles_name(files, 0), ".sst") != NULL);
  CHECK(rocksdb_livefiles_level(files, 0) == 0);
  CHECK(rocksdb_livefiles_size(files, 0) > 100);
  size_t size = 0;
  const char* key = rocksdb_livefiles_smallestkey(files, 0, &size);
  CHECK(size == 1 && key[0] == 'a');
  key = rocksdb_livefiles_largestkey(files, 0, &size);
  CHECK(size == 1 && key[0] == 'x');
  CHECK(rocksdb_livefiles_entries(files, 0) == 3);
  CHECK(rocksdb_livefiles_deletions(files, 0) == 1);
  rocksdb_livefiles_destroy(files);
}

static void TestKeysInParts(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "keys in parts";
  const char* key[] = {"par", "ts"};
  const size_t key_sizes[] = {3, 2};
  const char* value[] = {"v", "alu", "e"};
  const size_t value_sizes[] = {1, 3, 1};
  rocksdb_writeoptions_t* writing = rocksdb_writeoptions_create();
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_putv_cf(batch, family, 2, key, key_sizes, 3, value, value_sizes);
  rocksdb_writebatch_putv(batch, 2, key, key_sizes, 3, value, value_sizes);
  CHECK(rocksdb_writebatch_count(batch) == 2);
  rocksdb_write(db, writing, batch, &error);
  CHECK_OK(error);
  CHECK(Has(db, family, "parts"));
  rocksdb_writebatch_clear(batch);
  rocksdb_writebatch_deletev_cf(batch, family, 2, key, key_sizes);
  rocksdb_writebatch_deletev(batch, 2, key, key_sizes);
  CHECK(rocksdb_writebatch_count(batch) == 2);
  rocksdb_write(db, writing, batch, &error);
  CHECK_OK(error);
  CHECK(!Has(db, family, "parts"));
  rocksdb_writebatch_destroy(batch);
  rocksdb_writeoptions_destroy(writing);
}

static void TestOptionsFromText(void) {
  phase = "options from text";
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* from_text = rocksdb_options_create();
  rocksdb_options_set_write_buffer_size(base, 12345);
  rocksdb_get_options_from_string(base, "max_write_buffer_number=7;max_open_files=77", from_text, &error);
  CHECK_OK(error);
  CHECK(rocksdb_options_get_write_buffer_size(from_text) == 12345);
  CHECK(rocksdb_options_get_max_write_buffer_number(from_text) == 7);
  CHECK(rocksdb_options_get_max_open_files(from_text) == 77);
  rocksdb_get_options_from_string(base, "no_such_option=1", from_text, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;

  rocksdb_options_optimize_universal_style_compaction(base, 64 << 20);
  CHECK(rocksdb_options_get_write_buffer_size(base) == 16 << 20);
  CHECK(rocksdb_options_get_compaction_style(base) == rocksdb_universal_compaction);
  CHECK(rocksdb_options_get_min_write_buffer_number_to_merge(base) == 2);
  CHECK(rocksdb_options_get_max_write_buffer_number(base) == 6);
  rocksdb_options_prepare_for_bulk_load(base);
  CHECK(rocksdb_options_get_disable_auto_compactions(base));
  CHECK(rocksdb_options_get_level0_stop_writes_trigger(base) == 1 << 30);
  CHECK(rocksdb_options_get_num_levels(base) == 2);
  rocksdb_options_destroy(from_text);
  rocksdb_options_destroy(base);
}

/* What the database at `path` was opened with by main(). */
static void TestLatestOptions(const char* path) {
  phase = "latest options";
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
  rocksdb_options_t* of_db = NULL;
  size_t n = 0;
  char** names = NULL;
  rocksdb_options_t** of_families = NULL;
  rocksdb_load_latest_options(path, env, 0, cache, &of_db, &n, &names, &of_families, &error);
  CHECK_OK(error);
  CHECK(n == 2);
  CHECK(strcmp(names[0], "default") == 0 && strcmp(names[1], "events") == 0);
  CHECK(rocksdb_options_get_max_open_files(of_db) == 99);
  CHECK(rocksdb_options_get_write_buffer_size(of_families[0]) == 1 << 20);
  CHECK(rocksdb_options_get_write_buffer_size(of_families[1]) == 2 << 20);

  rocksdb_column_family_handle_t* handles[2];
  rocksdb_t* db = rocksdb_open_column_families(of_db, path, 2, (const char* const*)names,
                                               (const rocksdb_options_t* const*)of_families, handles, &error);
  CHECK_OK(error);
  CHECK(Has(db, handles[1], "a"));
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_close(db);
  rocksdb_load_latest_options_destroy(of_db, names, of_families, n);
  rocksdb_load_latest_options("/nonexistent/database", env, 0, cache, &of_db, &n, &names, &of_families, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_cache_destroy(cache);
  rocksdb_env_destroy(env);
}

#ifdef TEST_NEWER_THAN_7_8
typedef struct {
  int flushes_begun, flushes, compactions_begun, compactions, parts_begun, parts, sealed, destroyed;
  uint64_t output_records, sealed_entries, sealed_deletes;
} Seen;

static int Named(const char* name, size_t size) { return size == 6 && memcmp(name, "events", 6) == 0; }

static void FlushBegun(void* state, rocksdb_t* db, const rocksdb_flushjobinfo_t* info) {
  size_t size = 0;
  const char* name = rocksdb_flushjobinfo_cf_name(info, &size);
  (void)db;
  if (Named(name, size)) ((Seen*)state)->flushes_begun++;
}
static void FlushDone(void* state, rocksdb_t* db, const rocksdb_flushjobinfo_t* info) {
  size_t size = 0;
  const char* name = rocksdb_flushjobinfo_cf_name(info, &size);
  if (!Named(name, size)) return;
  const char* path = rocksdb_flushjobinfo_file_path(info, &size);
  CHECK(size > 4 && memcmp(path + size - 4, ".sst", 4) == 0);
  CHECK(rocksdb_flushjobinfo_smallest_seqno(info) < rocksdb_flushjobinfo_largest_seqno(info));
  CHECK(!rocksdb_flushjobinfo_triggered_writes_slowdown(info) && !rocksdb_flushjobinfo_triggered_writes_stop(info));
  /* The database that comes along may be asked. */
  char* value = rocksdb_property_value(db, "rocksdb.num-snapshots");
  CHECK(value != NULL);
  rocksdb_free(value);
  ((Seen*)state)->flushes++;
}
static void CompactionBegun(void* state, rocksdb_t* db, const rocksdb_compactionjobinfo_t* info) {
  (void)db;
  CHECK(rocksdb_compactionjobinfo_input_files_count(info) >= 1);
  ((Seen*)state)->compactions_begun++;
}
static void CompactionDone(void* state, rocksdb_t* db, const rocksdb_compactionjobinfo_t* info) {
  (void)db;
  char* failed = NULL;
  rocksdb_compactionjobinfo_status(info, &failed);
  CHECK_OK(failed);
  size_t size = 0;
  const char* name = rocksdb_compactionjobinfo_cf_name(info, &size);
  CHECK(Named(name, size));
  CHECK(rocksdb_compactionjobinfo_input_files_count(info) == 2 && rocksdb_compactionjobinfo_num_input_files(info) == 2);
  CHECK(rocksdb_compactionjobinfo_num_input_files_at_output_level(info) == 0);
  const char* path = rocksdb_compactionjobinfo_input_file_at(info, 1, &size);
  CHECK(size > 4 && memcmp(path + size - 4, ".sst", 4) == 0);
  CHECK(rocksdb_compactionjobinfo_output_files_count(info) == 1);
  path = rocksdb_compactionjobinfo_output_file_at(info, 0, &size);
  CHECK(size > 4 && memcmp(path + size - 4, ".sst", 4) == 0);
  CHECK(rocksdb_compactionjobinfo_base_input_level(info) == 0 && rocksdb_compactionjobinfo_output_level(info) >= 1);
  CHECK(rocksdb_compactionjobinfo_input_records(info) == 6);
  CHECK(rocksdb_compactionjobinfo_total_input_bytes(info) > rocksdb_compactionjobinfo_total_output_bytes(info));
  CHECK(rocksdb_compactionjobinfo_compaction_reason(info) == 9); /* kManualCompaction */
  CHECK(rocksdb_compactionjobinfo_num_corrupt_keys(info) == 0);
  ((Seen*)state)->output_records = rocksdb_compactionjobinfo_output_records(info);
  ((Seen*)state)->compactions++;
}
static void PartBegun(void* state, const rocksdb_subcompactionjobinfo_t* info) {
  CHECK(rocksdb_subcompactionjobinfo_base_input_level(info) == 0);
  ((Seen*)state)->parts_begun++;
}
static void PartDone(void* state, const rocksdb_subcompactionjobinfo_t* info) {
  char* failed = NULL;
  rocksdb_subcompactionjobinfo_status(info, &failed);
  CHECK_OK(failed);
  ((Seen*)state)->parts++;
}
static void Ingested(void* state, rocksdb_t* db, const rocksdb_externalfileingestioninfo_t* info) {
  (void)state, (void)db, (void)info;
  CHECK(!"nothing is ingested");
}
static void Failed(void* state, uint32_t reason, rocksdb_status_ptr_t* status) {
  (void)state, (void)reason, (void)status;
  CHECK(!"nothing fails");
}
static void Stalled(void* state, const rocksdb_writestallinfo_t* info) {
  (void)state, (void)info;
}
static void Sealed(void* state, const rocksdb_memtableinfo_t* info) {
  size_t size = 0;
  const char* name = rocksdb_memtableinfo_cf_name(info, &size);
  if (!Named(name, size)) return;
  CHECK(rocksdb_memtableinfo_first_seqno(info) >= rocksdb_memtableinfo_earliest_seqno(info));
  ((Seen*)state)->sealed++;
  ((Seen*)state)->sealed_entries += rocksdb_memtableinfo_num_entries(info);
  ((Seen*)state)->sealed_deletes += rocksdb_memtableinfo_num_deletes(info);
}
static void Destroyed(void* state) { ((Seen*)state)->destroyed++; }

static rocksdb_eventlistener_t* Watch(Seen* seen) {
  return rocksdb_eventlistener_create(seen, Destroyed, FlushBegun, FlushDone, CompactionBegun, CompactionDone, PartBegun, PartDone,
                                      Ingested, Failed, Stalled, Sealed);
}

/* One table of three entries is there. */
static void TestEvents(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "events";
  PutIn(db, family, "a", "2");
  PutIn(db, family, "b", "2");
  PutIn(db, family, "m", "2");
  FlushFamily(db, family);
  rocksdb_compactoptions_t* all = rocksdb_compactoptions_create();
  rocksdb_compact_range_cf_opt(db, family, all, NULL, 0, NULL, 0);
  rocksdb_compactoptions_destroy(all);
  const char* start[] = {"a"};
  const char* limit[] = {"z"};
  const size_t sizes[] = {1};
  uint64_t files_only = 0, memtables_only = 99;
  rocksdb_approximate_sizes_cf_with_flags(db, family, 1, start, sizes, limit, sizes,
                                          rocksdb_size_approximation_flags_include_files, &files_only, &error);
  CHECK_OK(error);
  rocksdb_approximate_sizes_cf_with_flags(db, family, 1, start, sizes, limit, sizes,
                                          rocksdb_size_approximation_flags_include_memtable, &memtables_only, &error);
  CHECK_OK(error);
  CHECK(files_only > 0 && memtables_only == 0);
}

/* What the header has since RocksDB 11. */
static void TestNewerOptions(rocksdb_t* db) {
  phase = "options of release 11";
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_delayed_write_rate(options, 12345);
  CHECK(rocksdb_options_get_delayed_write_rate(options) == 12345);
  rocksdb_options_set_max_bgerror_resume_count(options, 7);
  CHECK(rocksdb_options_get_max_bgerror_resume_count(options) == 7);
  CHECK(!rocksdb_options_get_strict_bytes_per_sync(options));
  rocksdb_options_destroy(options);
  rocksdb_readoptions_t* reading = rocksdb_readoptions_create();
  rocksdb_readoptions_set_value_size_soft_limit(reading, 1000);
  CHECK(rocksdb_readoptions_get_value_size_soft_limit(reading) == 1000);
  CHECK(rocksdb_readoptions_get_optimize_multiget_for_io(reading));
  rocksdb_verify_checksum_with_options(db, reading, &error);
  CHECK_OK(error);
  rocksdb_readoptions_destroy(reading);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_data_block_hash_table_util_ratio(table, 0.5);
  CHECK(rocksdb_block_based_options_get_data_block_hash_table_util_ratio(table) == 0.5);
  rocksdb_block_based_options_destroy(table);
  rocksdb_verify_checksum(db, &error);
  CHECK_OK(error);
  rocksdb_pause_background_work(db, &error);
  CHECK_OK(error);
  rocksdb_continue_background_work(db, &error);
  CHECK_OK(error);
}

/* Once the database is closed everything has been told. */
static void CheckSeen(const Seen* seen) {
  phase = "what was told";
  CHECK(seen->flushes_begun >= 2 && seen->flushes == seen->flushes_begun && seen->sealed == seen->flushes);
  CHECK(seen->sealed_entries >= 6 && seen->sealed_deletes >= 1);
  CHECK(seen->compactions_begun == 1 && seen->compactions == 1 && seen->output_records == 3);
  CHECK(seen->parts_begun == 1 && seen->parts == 1);
}
#endif

#ifdef TEST_NEWER_THAN_7_8
/* The numbers of RocksDB 10.4, which this header is of: a program has no names for them. */
static void TestStatisticsNumbers(const char* directory) {
  phase = "numbers of tickers and histograms";
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_enable_statistics(options);
  rocksdb_t* db = rocksdb_open(options, directory, &error);
  CHECK_OK(error);
  rocksdb_writeoptions_t* writing = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* reading = rocksdb_readoptions_create();
  size_t size;
  for (int i = 0; i < 10; ++i) {
    const char key = (char)('0' + i);
    rocksdb_put(db, writing, &key, 1, "abc", 3, &error);
    CHECK_OK(error);
    if (i % 2 == 0) rocksdb_free(rocksdb_get(db, reading, &key, 1, &size, &error));
    CHECK_OK(error);
  }
  rocksdb_free(rocksdb_get(db, reading, "none", 4, &size, &error));
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 45) == 5); /* memtable hit */
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 46) == 1); /* memtable miss */
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 57) == 10); /* keys written */
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 58) == 6); /* keys read */
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 61) == 15); /* bytes read */
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 59) == 0); /* keys updated in place */
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 85) == 10); /* written by oneself */
  CHECK(rocksdb_options_statistics_get_ticker_count(options, 87) == 10); /* written with a log */
  rocksdb_statistics_histogram_data_t* data = rocksdb_statistics_histogram_data_create();
  rocksdb_options_statistics_get_histogram_data(options, 31, data); /* bytes per read */
  CHECK(rocksdb_statistics_histogram_data_get_count(data) == 5);
  CHECK(rocksdb_statistics_histogram_data_get_sum(data) == 15);
  /* Those that no release has, and one that only newer ones have. */
  const uint32_t none[] = {216, 217, 1000, 100000000, UINT32_MAX};
  for (int i = 0; i < 5; ++i) {
    CHECK(rocksdb_options_statistics_get_ticker_count(options, none[i]) == 0);
    rocksdb_options_statistics_get_histogram_data(options, none[i], data);
    CHECK(rocksdb_statistics_histogram_data_get_count(data) == 0);
  }
  rocksdb_statistics_histogram_data_destroy(data);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_close(db);
  rocksdb_destroy_db(options, directory, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(options);
}
#endif

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_watching_test DIRECTORY\n");
    return 2;
  }
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_options_set_write_buffer_size(options, 1 << 20);
  rocksdb_options_set_max_open_files(options, 99);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
#ifdef TEST_NEWER_THAN_7_8
  Seen seen;
  memset(&seen, 0, sizeof(seen));
  rocksdb_eventlistener_t* listener = Watch(&seen);
  rocksdb_options_add_eventlistener(options, listener);
  rocksdb_eventlistener_destroy(listener);
#endif
  rocksdb_options_t* of_events = rocksdb_options_create_copy(options);
  rocksdb_options_set_write_buffer_size(of_events, 2 << 20);
  const char* const names[] = {"default", "events"};
  const rocksdb_options_t* const of_families[] = {options, of_events};
  rocksdb_column_family_handle_t* handles[2];
  rocksdb_t* db = rocksdb_open_column_families(options, argv[1], 2, names, of_families, handles, &error);
  CHECK_OK(error);
  TestLiveFiles(db, handles[1]);
  TestPerfContext(db, handles[0]);
#ifdef TEST_NEWER_THAN_7_8
  TestEvents(db, handles[1]);
  TestNewerOptions(db);
#endif
  TestKeysInParts(db, handles[1]);
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_close(db);
#ifdef TEST_NEWER_THAN_7_8
  CheckSeen(&seen);
#endif
  TestOptionsFromText();
  TestLatestOptions(argv[1]);
#ifdef TEST_NEWER_THAN_7_8
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestStatisticsNumbers(argv[1]);
#endif
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  rocksdb_options_destroy(of_events);
  rocksdb_options_destroy(options);
#ifdef TEST_NEWER_THAN_7_8
  phase = "the end of the listener";
  CHECK(seen.destroyed == 1);
#endif
  printf("the C interface tells what happens\n");
  return 0;
}
