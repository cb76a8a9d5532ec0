/* The C interface, in C: the same program is compiled against Cairn's header and library and against RocksDB's. Exit status 0: all
   that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* phase = "";

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: %s: not true: %s\n", __FILE__, __LINE__, phase, #condition);    \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)
#define CHECK_OK(error)                                                                \
  do {                                                                                 \
    if ((error) != NULL) {                                                             \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, phase, error);            \
      exit(1);                                                                         \
    }                                                                                  \
  } while (0)

static rocksdb_options_t* options;
static rocksdb_readoptions_t* reading;
static rocksdb_writeoptions_t* writing;
static char* error = NULL;

static void Put(rocksdb_t* db, const char* key, const char* value) {
  rocksdb_put(db, writing, key, strlen(key), value, strlen(value), &error);
  CHECK_OK(error);
}

/* `value` NULL: there must be none. */
static void ExpectGet(rocksdb_t* db, const rocksdb_readoptions_t* how, const char* key, const char* value) {
  size_t size = 99;
  char* found = rocksdb_get(db, how, key, strlen(key), &size, &error);
  CHECK_OK(error);
  CHECK((found == NULL) == (value == NULL));
  if (value != NULL) CHECK(size == strlen(value) && memcmp(found, value, size) == 0);
  rocksdb_free(found);
  rocksdb_pinnableslice_t* pinned = rocksdb_get_pinned(db, how, key, strlen(key), &error);
  CHECK_OK(error);
  CHECK((pinned == NULL) == (value == NULL));
  const char* data = rocksdb_pinnableslice_value(pinned, &size);
  if (value != NULL) CHECK(size == strlen(value) && memcmp(data, value, size) == 0);
  if (pinned != NULL) rocksdb_pinnableslice_destroy(pinned);
}

static void ExpectAt(const rocksdb_iterator_t* it, const char* key, const char* value) {
  size_t size;
  CHECK(rocksdb_iter_valid(it));
  const char* data = rocksdb_iter_key(it, &size);
  CHECK(size == strlen(key) && memcmp(data, key, size) == 0);
  data = rocksdb_iter_value(it, &size);
  CHECK(size == strlen(value) && memcmp(data, value, size) == 0);
}

static void TestErrors(const char* path) {
  phase = "errors";
  rocksdb_options_set_create_if_missing(options, 0);
  CHECK(rocksdb_options_get_create_if_missing(options) == 0);
  CHECK(rocksdb_open(options, path, &error) == NULL);
  CHECK(error != NULL && strstr(error, "does not exist") != NULL);
  /* A former message is replaced, not leaked. */
  CHECK(rocksdb_open_for_read_only(options, path, 0, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_options_set_create_if_missing(options, 1);
}

static void TestReadsAndWrites(rocksdb_t* db) {
  phase = "reads and writes";
  Put(db, "a", "one");
  Put(db, "b", "");
  ExpectGet(db, reading, "a", "one");
  ExpectGet(db, reading, "b", "");
  ExpectGet(db, reading, "c", NULL);
  rocksdb_delete(db, writing, "a", 1, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "a", NULL);
  Put(db, "s", "once");
  rocksdb_singledelete(db, writing, "s", 1, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "s", NULL);

  const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
  rocksdb_readoptions_t* then = rocksdb_readoptions_create();
  rocksdb_readoptions_set_snapshot(then, snapshot);
  Put(db, "a", "two");
  ExpectGet(db, then, "a", NULL);
  ExpectGet(db, reading, "a", "two");
  rocksdb_readoptions_destroy(then);
  rocksdb_release_snapshot(db, snapshot);

  const char* keys[3] = {"a", "missing", "b"};
  const size_t sizes[3] = {1, 7, 1};
  char* values[3];
  size_t value_sizes[3];
  char* errors[3];
  rocksdb_multi_get(db, reading, 3, keys, sizes, values, value_sizes, errors);
  for (int i = 0; i < 3; ++i) CHECK_OK(errors[i]);
  CHECK(value_sizes[0] == 3 && memcmp(values[0], "two", 3) == 0);
  CHECK(values[1] == NULL);
  CHECK(values[2] != NULL && value_sizes[2] == 0);
  rocksdb_free(values[0]);
  rocksdb_free(values[2]);

  unsigned char found = 0;
  char* value = NULL;
  size_t size = 0;
  CHECK(rocksdb_key_may_exist(db, reading, "a", 1, &value, &size, NULL, 0, &found));
  if (found) {
    CHECK(size == 3 && memcmp(value, "two", 3) == 0);
    rocksdb_free(value);
  }

  rocksdb_writeoptions_t* wrong = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(wrong, 1);
  rocksdb_writeoptions_disable_WAL(wrong, 1);
  CHECK(rocksdb_writeoptions_get_sync(wrong) == 1 && rocksdb_writeoptions_get_disable_WAL(wrong) == 1);
  rocksdb_put(db, wrong, "x", 1, "y", 1, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_writeoptions_destroy(wrong);
}

/* Comes last: RocksDB takes no writes after it. */
static void TestDamagedBatch(rocksdb_t* db) {
  phase = "damaged batch";
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create_from("bad", 3);
  rocksdb_write(db, writing, batch, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_writebatch_destroy(batch);
}

struct Counts {
  int puts, deletes;
};
static void CountPut(void* state, const char* k, size_t klen, const char* v, size_t vlen) {
  (void)k, (void)klen, (void)v, (void)vlen;
  ++((struct Counts*)state)->puts;
}
static void CountDelete(void* state, const char* k, size_t klen) {
  (void)k, (void)klen;
  ++((struct Counts*)state)->deletes;
}

static void TestBatches(rocksdb_t* db) {
  phase = "batches";
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "w1", 2, "v1", 2);
  const char* key_parts[2] = {"w", "2"};
  const char* value_parts[3] = {"v", "", "2"};
  const size_t key_sizes[2] = {1, 1}, part_sizes[3] = {1, 0, 1};
  rocksdb_writebatch_putv(batch, 2, key_parts, key_sizes, 3, value_parts, part_sizes);
  rocksdb_writebatch_delete(batch, "b", 1);
  rocksdb_writebatch_put_log_data(batch, "note", 4);
  CHECK(rocksdb_writebatch_count(batch) == 3);
  rocksdb_writebatch_set_save_point(batch);
  rocksdb_writebatch_put(batch, "w3", 2, "v3", 2);
  rocksdb_writebatch_rollback_to_save_point(batch, &error);
  CHECK_OK(error);
  CHECK(rocksdb_writebatch_count(batch) == 3);
  rocksdb_writebatch_rollback_to_save_point(batch, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  struct Counts counts = {0, 0};
  rocksdb_writebatch_iterate(batch, &counts, CountPut, CountDelete);
  CHECK(counts.puts == 2 && counts.deletes == 1);
  size_t size;
  const char* bytes = rocksdb_writebatch_data(batch, &size);
  rocksdb_writebatch_t* copy = rocksdb_writebatch_create_from(bytes, size);
  rocksdb_writebatch_clear(batch);
  CHECK(rocksdb_writebatch_count(batch) == 0);
  rocksdb_write(db, writing, copy, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "w1", "v1");
  ExpectGet(db, reading, "w2", "v2");
  ExpectGet(db, reading, "w3", NULL);
  ExpectGet(db, reading, "b", NULL);
  rocksdb_writebatch_destroy(batch);
  rocksdb_writebatch_destroy(copy);
}

static void TestIterators(rocksdb_t* db) {
  phase = "iterators";
  rocksdb_readoptions_t* bounded = rocksdb_readoptions_create();
  rocksdb_readoptions_set_iterate_lower_bound(bounded, "w", 1);
  rocksdb_readoptions_set_iterate_upper_bound(bounded, "x", 1);
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, bounded);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "w1", "v1");
  rocksdb_iter_next(it);
  ExpectAt(it, "w2", "v2");
  rocksdb_iter_next(it);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_seek_to_last(it);
  ExpectAt(it, "w2", "v2");
  rocksdb_iter_prev(it);
  ExpectAt(it, "w1", "v1");
  rocksdb_iter_seek(it, "w11", 3);
  ExpectAt(it, "w2", "v2");
  rocksdb_iter_seek_for_prev(it, "w11", 3);
  ExpectAt(it, "w1", "v1");
  rocksdb_iter_get_error(it, &error);
  CHECK_OK(error);
  rocksdb_iter_destroy(it);
  rocksdb_readoptions_destroy(bounded);
}

static void TestAdministration(rocksdb_t* db, const char* path) {
  phase = "administration";
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flushoptions_set_wait(flush, 1);
  CHECK(rocksdb_flushoptions_get_wait(flush) == 1);
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
  char* value = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK(value != NULL && strcmp(value, "1") == 0);
  rocksdb_free(value);
  CHECK(rocksdb_property_value(db, "rocksdb.no-such-thing") == NULL);
  uint64_t number = 7;
  CHECK(rocksdb_property_int(db, "rocksdb.num-immutable-mem-table", &number) == 0 && number == 0);
  CHECK(rocksdb_property_int(db, "rocksdb.no-such-thing", &number) != 0);
  rocksdb_compactoptions_t* compact = rocksdb_compactoptions_create();
  rocksdb_compactoptions_set_exclusive_manual_compaction(compact, 1);
  rocksdb_compact_range_opt(db, compact, "a", 1, NULL, 0);
  rocksdb_compactoptions_destroy(compact);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  value = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK(value != NULL && strcmp(value, "0") == 0);
  rocksdb_free(value);
  ExpectGet(db, reading, "w2", "v2");
  const char* starts[1] = {"a"};
  const char* limits[1] = {"z"};
  const size_t sizes[1] = {1};
  uint64_t bytes = 0;
  rocksdb_approximate_sizes(db, 1, starts, sizes, limits, sizes, &bytes, &error);
  CHECK_OK(error);
  CHECK(bytes > 0);
  rocksdb_flush_wal(db, 1, &error);
  CHECK_OK(error);
  const char* names_set[2] = {"disable_auto_compactions", "write_buffer_size"};
  const char* values_set[2] = {"true", "131072"};
  rocksdb_set_options(db, 2, names_set, values_set, &error);
  CHECK_OK(error);
  const char* fixed[1] = {"num_levels"};
  rocksdb_set_options(db, 1, fixed, values_set + 1, &error);
  CHECK(error != NULL && strstr(error, "num_levels") != NULL);
  rocksdb_free(error);
  error = NULL;
#ifdef TEST_SET_DB_OPTIONS
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  values_set[0] = "false";
  rocksdb_set_options_cf(db, family, 1, names_set, values_set, &error);
  CHECK_OK(error);
  rocksdb_column_family_handle_destroy(family);
  const char* db_names[1] = {"max_background_jobs"};
  const char* db_values[1] = {"4"};
  rocksdb_set_db_options(db, 1, db_names, db_values, &error);
  CHECK_OK(error);
#endif
  rocksdb_disable_file_deletions(db, &error);
  CHECK_OK(error);
  CHECK(rocksdb_get_latest_sequence_number(db) > 0);
  value = rocksdb_options_statistics_get_string(options);
  CHECK(value != NULL && strstr(value, "rocksdb.number.keys.written") != NULL);
  rocksdb_free(value);
  size_t count = 0;
  char** names = rocksdb_list_column_families(options, path, &count, &error);
  CHECK_OK(error);
  CHECK(count == 1 && strcmp(names[0], "default") == 0);
  rocksdb_list_column_families_destroy(names, count);
}

static int destroyed = 0;
static void DestroyState(void* state) { *(int*)state += 1; }
static int CompareBackwards(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state;
  const int order = memcmp(a, b, alen < blen ? alen : blen);
  if (order != 0) return -order;
  return alen < blen ? 1 : (alen > blen ? -1 : 0);
}
static const char* BackwardsName(void* state) {
  (void)state;
  return "test.backwards";
}

static void TestComparator(const char* path) {
  phase = "comparator";
  rocksdb_comparator_t* backwards = rocksdb_comparator_create(&destroyed, DestroyState, CompareBackwards, BackwardsName);
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_comparator(other, backwards);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  Put(db, "b", "2");
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, reading);
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "b", "2");
  rocksdb_iter_destroy(it);
  rocksdb_close(db);
  CHECK(rocksdb_open(options, path, &error) == NULL);
  CHECK(error != NULL && strstr(error, "test.backwards") != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
  rocksdb_comparator_destroy(backwards);
  CHECK(destroyed == 1);
}

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

static void TestMemtables(const char* path) {
  phase = "memtables";
  destroyed = 0;
  for (int kind = 0; kind < 3; ++kind) {
    rocksdb_options_t* other = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(other, 1);
    rocksdb_options_set_allow_concurrent_memtable_write(other, 0);
    if (kind == 0) {
      rocksdb_options_set_memtable_vector_rep(other);
      rocksdb_options_set_prefix_extractor(other, rocksdb_slicetransform_create_fixed_prefix(1));
    } else {
      rocksdb_options_set_hash_skip_list_rep(other, 10, 4, 4);
      rocksdb_options_set_prefix_extractor(
          other, kind == 1 ? rocksdb_slicetransform_create_noop()
                           : rocksdb_slicetransform_create(&destroyed, DestroyState, FirstByte, AnyKey, AnyKey,
                                                           FirstByteName));
    }
    rocksdb_t* db = rocksdb_open(other, path, &error);
    CHECK_OK(error);
    Put(db, "b", "2");
    Put(db, "a1", "1");
    Put(db, "a2", "3");
    if (kind != 1) {
      rocksdb_iterator_t* it = rocksdb_create_iterator(db, reading);
      rocksdb_iter_seek(it, "a", 1);
      ExpectAt(it, "a1", "1");
      rocksdb_iter_next(it);
      ExpectAt(it, "a2", "3");
      rocksdb_iter_destroy(it);
    }
    size_t length = 0;
    char* value = rocksdb_get(db, reading, "b", 1, &length, &error);
    CHECK_OK(error);
    CHECK(length == 1 && value[0] == '2');
    rocksdb_free(value);
    rocksdb_close(db);
    rocksdb_destroy_db(other, path, &error);
    CHECK_OK(error);
    rocksdb_options_destroy(other);
  }
  CHECK(destroyed == 1);
  rocksdb_slicetransform_destroy(rocksdb_slicetransform_create_fixed_prefix(3));
}

#ifdef TEST_WRITE_BUFFER_MANAGER
static void TestWriteBufferManager(const char* path) {
  phase = "write buffer manager";
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(8 << 20);
  rocksdb_write_buffer_manager_t* manager = rocksdb_write_buffer_manager_create_with_cache(1 << 20, cache, false);
  rocksdb_cache_destroy(cache);
  CHECK(rocksdb_write_buffer_manager_enabled(manager));
  CHECK(rocksdb_write_buffer_manager_cost_to_cache(manager));
  CHECK(rocksdb_write_buffer_manager_buffer_size(manager) == 1 << 20);
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_write_buffer_manager(other, manager);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  CHECK(rocksdb_write_buffer_manager_memory_usage(manager) > 0);
  CHECK(rocksdb_write_buffer_manager_mutable_memtable_memory_usage(manager) > 0);
  CHECK(rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(manager) > 0);
  rocksdb_write_buffer_manager_set_buffer_size(manager, 2 << 20);
  rocksdb_write_buffer_manager_set_allow_stall(manager, true);
  Put(db, "b", "1");
  rocksdb_close(db);
  CHECK(rocksdb_write_buffer_manager_memory_usage(manager) == 0);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
  rocksdb_write_buffer_manager_destroy(manager);
  manager = rocksdb_write_buffer_manager_create(0, true);
  CHECK(!rocksdb_write_buffer_manager_enabled(manager));
  CHECK(!rocksdb_write_buffer_manager_cost_to_cache(manager));
  rocksdb_write_buffer_manager_destroy(manager);
}
#endif

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_api_test DIRECTORY\n");
    return 2;
  }
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_options_enable_statistics(options);
  rocksdb_options_set_write_buffer_size(options, 1 << 20);
  CHECK(rocksdb_options_get_write_buffer_size(options) == 1 << 20);
  rocksdb_options_set_compression(options, rocksdb_snappy_compression);
  CHECK(rocksdb_options_get_compression(options) == rocksdb_snappy_compression);

  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
  CHECK(rocksdb_cache_get_capacity(cache) == 1 << 20);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(table, cache);
  rocksdb_block_based_options_set_block_size(table, 1024);
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10));
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);

  rocksdb_universal_compaction_options_t* universal = rocksdb_universal_compaction_options_create();
  rocksdb_universal_compaction_options_set_size_ratio(universal, 20);
  CHECK(rocksdb_universal_compaction_options_get_size_ratio(universal) == 20);
  rocksdb_universal_compaction_options_set_stop_style(universal,
                                                      rocksdb_similar_size_compaction_stop_style);
  rocksdb_options_set_universal_compaction_options(options, universal);
  rocksdb_universal_compaction_options_destroy(universal);
  rocksdb_options_set_compaction_style(options, rocksdb_universal_compaction);
  CHECK(rocksdb_options_get_compaction_style(options) == rocksdb_universal_compaction);

  TestErrors(argv[1]);
  rocksdb_options_t* copy = rocksdb_options_create_copy(options);
  rocksdb_t* db = rocksdb_open(copy, argv[1], &error);
  CHECK_OK(error);
  rocksdb_options_destroy(copy);
  TestReadsAndWrites(db);
  TestBatches(db);
  TestIterators(db);
  TestAdministration(db, argv[1]);
  CHECK(rocksdb_cache_get_usage(cache) > 0);
  TestDamagedBatch(db);
  rocksdb_close(db);

  phase = "read only";
  db = rocksdb_open_for_read_only(options, argv[1], 0, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "w1", "v1");
  rocksdb_put(db, writing, "x", 1, "y", 1, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_close(db);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);

  TestComparator(argv[1]);
  TestMemtables(argv[1]);
#ifdef TEST_WRITE_BUFFER_MANAGER
  TestWriteBufferManager(argv[1]);
#endif
  rocksdb_cache_destroy(cache);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  rocksdb_options_destroy(options);
  printf("the C interface holds\n");
  return 0;
}
