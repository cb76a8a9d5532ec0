/* The C interface, in C: the functions whose arguments differ by RocksDB's release (c_releases.h), plain and cuckoo tables, and what can be
   named and not used (c_refused.h). Compiled against Cairn's header as that of each release, and against RocksDB 7.8.3, where what Cairn refuses works.
   Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"

#ifndef CAIRN_C_RELEASE
#define OF_ROCKSDB
#define CAIRN_C_RELEASE 7
#endif

static int destroyed = 0;
static void DestroyState(void* state) { *(int*)state += 1; }
static char* FirstByte(void* state, const char* key, size_t length, size_t* dst_length) {
  (void)state;
  *dst_length = length < 1 ? length : 1;
  return (char*)key;
}
static unsigned char AnyKey(void* state, const char* key, size_t length) {
  (void)state;
  (void)key;
  (void)length;
  return 1;
}
static const char* FirstByteName(void* state) {
  (void)state;
  return "test.first";
}

static void TestPrefixExtractor(const char* path) {
  phase = "a prefix extractor of the caller's functions";
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
#if CAIRN_C_RELEASE >= 11
  rocksdb_slicetransform_t* first =
      rocksdb_slicetransform_create(&destroyed, DestroyState, FirstByte, AnyKey, FirstByteName);
#else
  rocksdb_slicetransform_t* first =
      rocksdb_slicetransform_create(&destroyed, DestroyState, FirstByte, AnyKey, NULL, FirstByteName);
#endif
  rocksdb_options_set_prefix_extractor(other, first);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a1", "1");
  Put(db, "b1", "2");
  rocksdb_readoptions_t* within = rocksdb_readoptions_create();
  rocksdb_readoptions_set_prefix_same_as_start(within, 1);
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, within);
  rocksdb_iter_seek(it, "a", 1);
  ExpectAt(it, "a1", "1");
  rocksdb_iter_next(it);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_destroy(it);
  rocksdb_readoptions_destroy(within);
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
  CHECK(destroyed == 1);
}

/* Whether the database's LOG says that its tables are of this format. */
static int LogTells(const char* path, const char* words) {
  char name[1000];
  snprintf(name, sizeof(name), "%s/LOG", path);
  FILE* log = fopen(name, "r");
  CHECK(log != NULL);
  char line[4000];
  int told = 0;
  while (fgets(line, sizeof(line), log) != NULL) told = told || strstr(line, words) != NULL;
  fclose(log);
  return told;
}

static void TestDefaults(const char* path) {
  phase = "defaults";
  const char* tables = CAIRN_C_RELEASE >= 11 ? "format_version: 7" : "format_version: 5";
  rocksdb_options_t* made = rocksdb_options_create();
  CHECK(rocksdb_options_get_level_compaction_dynamic_level_bytes(made) == (CAIRN_C_RELEASE >= 8));
  rocksdb_options_set_create_if_missing(made, 1);
  for (int with_tables = 0; with_tables < 2; ++with_tables) {
    if (with_tables) {
      rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
      rocksdb_options_set_block_based_table_factory(made, table);
      rocksdb_block_based_options_destroy(table);
    }
    rocksdb_t* db = rocksdb_open(made, path, &error);
    CHECK_OK(error);
    CHECK(LogTells(path, tables));
    rocksdb_close(db);
    rocksdb_destroy_db(made, path, &error);
    CHECK_OK(error);
  }
  rocksdb_options_destroy(made);
}

static void TestFileDeletions(const char* path) {
  phase = "files are deleted again";
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  for (int times = 0; times < 2; ++times) {
    rocksdb_disable_file_deletions(db, &error);
    CHECK_OK(error);
  }
#if CAIRN_C_RELEASE < 9
  rocksdb_enable_file_deletions(db, 1, &error);
#else
  rocksdb_enable_file_deletions(db, &error);
  CHECK_OK(error);
  rocksdb_enable_file_deletions(db, &error);
#endif
  CHECK_OK(error);
  rocksdb_close(db);
}

/* The numbers are the release's; 7 has no functions that take them. */
static void TestNumbers(const char* path) {
  phase = "numbers of tickers and histograms";
#ifndef OF_ROCKSDB
#if CAIRN_C_RELEASE == 8
  const uint32_t keys_written = 37, memtable_hit = 25, bytes_per_write = 28, tail_hit = 194, tail_bytes = 59;
#elif CAIRN_C_RELEASE == 11
  const uint32_t keys_written = 58, memtable_hit = 45, bytes_per_write = 32, tail_hit = 221, tail_bytes = 62;
#else
  const uint32_t keys_written = 57, memtable_hit = 45, bytes_per_write = 32, tail_hit = 202, tail_bytes = 62;
#endif
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
  rocksdb_options_enable_statistics(other);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  Put(db, "b", "1");
  ExpectGet(db, reading, "a", "1");
  CHECK(rocksdb_options_statistics_get_ticker_count(other, keys_written) == 2);
  CHECK(rocksdb_options_statistics_get_ticker_count(other, memtable_hit) == 2); /* ExpectGet reads twice */
  rocksdb_statistics_histogram_data_t* data = rocksdb_statistics_histogram_data_create();
  rocksdb_options_statistics_get_histogram_data(other, bytes_per_write, data);
  CHECK(rocksdb_statistics_histogram_data_get_count(data) == 2);
  /* What a table's opening reads; of later releases than 7. */
  CHECK(rocksdb_options_statistics_get_ticker_count(other, tail_hit) == 0);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
  ExpectGet(db, reading, "a", "1");
  CHECK(rocksdb_options_statistics_get_ticker_count(other, tail_hit) > 0);
  rocksdb_options_statistics_get_histogram_data(other, tail_bytes, data);
  CHECK(rocksdb_statistics_histogram_data_get_count(data) > 0);
  rocksdb_statistics_histogram_data_destroy(data);
  rocksdb_close(db);
  rocksdb_options_destroy(other);
#else
  (void)path;
#endif
}

/* A table of the only level with files goes, and its keys with it; a name that is none is passed over. */
static void TestDeleteFile(const char* path) {
  phase = "a table is taken out";
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_delete_file(db, "/000000.nothing");
  ExpectGet(db, reading, "a", "1");
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  CHECK(rocksdb_livefiles_count(files) == 1);
  rocksdb_delete_file(db, rocksdb_livefiles_name(files, 0));
  rocksdb_livefiles_destroy(files);
  ExpectGet(db, reading, "a", NULL);
  rocksdb_close(db);
}

static void TestEnvironment(void) {
  phase = "threads of an environment";
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_env_lower_thread_pool_io_priority(env);
  rocksdb_env_lower_high_priority_thread_pool_io_priority(env);
  rocksdb_env_lower_thread_pool_cpu_priority(env);
  rocksdb_env_lower_high_priority_thread_pool_cpu_priority(env);
  rocksdb_env_join_all_threads(env);
  rocksdb_env_destroy(env);
}

/* A database with these options does not open, and the error has this name; with RocksDB it does. Takes the options. */
static void ExpectRefused(rocksdb_options_t* other, const char* path, const char* name) {
  phase = name;
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_allow_concurrent_memtable_write(other, 0);
  rocksdb_t* db = rocksdb_open(other, path, &error);
#ifdef OF_ROCKSDB
  CHECK_OK(error);
  rocksdb_close(db);
#else
  CHECK(db == NULL && error != NULL);
  CHECK(strstr(error, "Not implemented: ") == error && strstr(error, name) != NULL);
  rocksdb_free(error);
  error = NULL;
#endif
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
}

/* A database with these options has tables of their format. Takes the options. */
static void ExpectFormat(rocksdb_options_t* other, const char* path, const char* name) {
  phase = name;
  rocksdb_options_set_create_if_missing(other, 1);
  for (int round = 0; round < 2; ++round) {
    rocksdb_t* db = rocksdb_open(other, path, &error);
    CHECK_OK(error);
    rocksdb_put(db, writing, "akeyakey", 8, "one", 3, &error);
    CHECK_OK(error);
    rocksdb_put(db, writing, "bkeybkey", 8, "two", 3, &error);
    CHECK_OK(error);
    rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
    rocksdb_flush(db, flush, &error);
    CHECK_OK(error);
    rocksdb_flushoptions_destroy(flush);
    ExpectGet(db, reading, "akeyakey", "one");
    ExpectGet(db, reading, "bkeybkey", "two");
    ExpectGet(db, reading, "ckeyckey", NULL);
    rocksdb_close(db);
  }
  /* Tables of the usual format are another matter. */
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_options_set_block_based_table_factory(other, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK(db == NULL && error != NULL && strstr(error, "Corruption") != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
}

static void TestFormats(const char* path) {
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_prefix_extractor(other, rocksdb_slicetransform_create_fixed_prefix(1));
#if CAIRN_C_RELEASE < 8
  rocksdb_options_set_plain_table_factory(other, 0, 10, 0.75, 16);
#else
  rocksdb_options_set_plain_table_factory(other, 0, 10, 0.75, 16, 0, 1, 0, 1);
#endif
  ExpectFormat(other, path, "plain tables");

  other = rocksdb_options_create();
#ifdef OF_ROCKSDB
  rocksdb_options_set_allow_mmap_reads(other, 1);
#endif
  rocksdb_cuckoo_table_options_t* cuckoo = rocksdb_cuckoo_options_create();
  rocksdb_cuckoo_options_set_hash_ratio(cuckoo, 0.5);
  rocksdb_cuckoo_options_set_max_search_depth(cuckoo, 50);
  rocksdb_cuckoo_options_set_cuckoo_block_size(cuckoo, 10);
  rocksdb_cuckoo_options_set_identity_as_first_hash(cuckoo, 1);
  rocksdb_cuckoo_options_set_use_module_hash(cuckoo, 0);
  rocksdb_options_set_cuckoo_table_factory(other, cuckoo);
  rocksdb_cuckoo_options_destroy(cuckoo);
  ExpectFormat(other, path, "cuckoo tables");
}

static void TestRefused(const char* path) {
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache_compressed(table, cache);
  rocksdb_options_set_block_based_table_factory(other, table);
  rocksdb_block_based_options_destroy(table);
  ExpectRefused(other, path, "block_cache_compressed");
  rocksdb_cache_destroy(cache);
}

/* The defaults, and what has no effect. */
static void TestAccepted(const char* path) {
  phase = "what is as by default";
  rocksdb_options_t* other = rocksdb_options_create_copy(options);
  rocksdb_options_set_row_cache(other, NULL);
  rocksdb_cache_t* rows = rocksdb_cache_create_lru(1 << 20);
  rocksdb_options_set_row_cache(other, rows);
  rocksdb_cache_destroy(rows);
  rocksdb_options_set_access_hint_on_compaction_start(other, 2);
  CHECK(rocksdb_options_get_access_hint_on_compaction_start(other) == 2);
  rocksdb_options_set_max_write_buffer_number_to_maintain(other, 2);
  CHECK(rocksdb_options_get_max_write_buffer_number_to_maintain(other) == 2);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  ExpectGet(db, reading, "a", "1");
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
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
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestPrefixExtractor(argv[1]);
  TestDefaults(argv[1]);
  TestFileDeletions(argv[1]);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestNumbers(argv[1]);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestDeleteFile(argv[1]);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestEnvironment();
  TestFormats(argv[1]);
  TestRefused(argv[1]);
  TestAccepted(argv[1]);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  rocksdb_options_destroy(options);
  printf("ok\n");
  return 0;
}
