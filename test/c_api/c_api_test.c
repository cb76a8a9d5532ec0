/* The C interface, in C: the same program is compiled against Cairn's header and library and against RocksDB's. Exit status 0: all
   that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

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

/* What is not flushed is in the checkpoint, too. */
static void TestCheckpoint(rocksdb_t* db, const char* path) {
  phase = "checkpoint";
  char directory[1024];
  snprintf(directory, sizeof(directory), "%s.checkpoint", path);
  Put(db, "in the checkpoint", "yes");
  rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_create(checkpoint, directory, UINT64_MAX, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_create(checkpoint, directory, 0, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_checkpoint_object_destroy(checkpoint);
  rocksdb_t* copy = rocksdb_open_for_read_only(options, directory, 0, &error);
  CHECK_OK(error);
  ExpectGet(copy, reading, "in the checkpoint", "yes");
  rocksdb_close(copy);
  rocksdb_destroy_db(options, directory, &error);
  CHECK_OK(error);
}

/* Beside the database that is open. */
static void TestSecondary(rocksdb_t* db, const char* path) {
  phase = "secondary";
  char directory[1024];
  snprintf(directory, sizeof(directory), "%s.secondary", path);
  rocksdb_options_t* following = rocksdb_options_create_copy(options);
  rocksdb_options_set_max_open_files(following, -1);
  rocksdb_t* secondary = rocksdb_open_as_secondary(following, path, directory, &error);
  CHECK_OK(error);
  Put(db, "followed", "yes");
  ExpectGet(secondary, reading, "followed", NULL);
  rocksdb_try_catch_up_with_primary(secondary, &error);
  CHECK_OK(error);
  ExpectGet(secondary, reading, "followed", "yes");
  rocksdb_close(secondary);

  const char* names[] = {"default"};
  const rocksdb_options_t* family_options[] = {following};
  rocksdb_column_family_handle_t* handles[1];
  secondary = rocksdb_open_as_secondary_column_families(following, path, directory, 1, names,
                                                        family_options, handles, &error);
  CHECK_OK(error);
  ExpectGet(secondary, reading, "followed", "yes");
  rocksdb_column_family_handle_destroy(handles[0]);
  rocksdb_close(secondary);
  rocksdb_options_destroy(following);
  rocksdb_try_catch_up_with_primary(db, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
}

#ifdef TEST_NEWER_THAN_7_8
/* The files as they lie, and nothing to do any more. */
static void TestMetadata(rocksdb_t* db) {
  phase = "metadata";
  rocksdb_wait_for_compact_options_t* wait = rocksdb_wait_for_compact_options_create();
  rocksdb_wait_for_compact_options_set_flush(wait, 1);
  rocksdb_wait_for_compact_options_set_timeout(wait, 60 * 1000 * 1000);
  CHECK(rocksdb_wait_for_compact_options_get_flush(wait) == 1);
  CHECK(rocksdb_wait_for_compact_options_get_close_db(wait) == 0);
  CHECK(rocksdb_wait_for_compact_options_get_timeout(wait) == 60 * 1000 * 1000);
  rocksdb_wait_for_compact(db, wait, &error);
  CHECK_OK(error);
  rocksdb_wait_for_compact_options_destroy(wait);

  rocksdb_column_family_metadata_t* meta = rocksdb_get_column_family_metadata(db);
  char* name = rocksdb_column_family_metadata_get_name(meta);
  CHECK(strcmp(name, "default") == 0);
  rocksdb_free(name);
  size_t files = 0;
  uint64_t bytes = 0;
  const size_t levels = rocksdb_column_family_metadata_get_level_count(meta);
  for (size_t i = 0; i < levels; ++i) {
    rocksdb_level_metadata_t* level = rocksdb_column_family_metadata_get_level_metadata(meta, i);
    CHECK(rocksdb_level_metadata_get_level(level) == (int)i);
    const size_t count = rocksdb_level_metadata_get_file_count(level);
    for (size_t j = 0; j < count; ++j) {
      rocksdb_sst_file_metadata_t* file = rocksdb_level_metadata_get_sst_file_metadata(level, j);
      size_t smallest_size = 0, largest_size = 0;
      char* smallest = rocksdb_sst_file_metadata_get_smallestkey(file, &smallest_size);
      char* largest = rocksdb_sst_file_metadata_get_largestkey(file, &largest_size);
      CHECK(smallest_size > 0 && largest_size > 0);
      bytes += rocksdb_sst_file_metadata_get_size(file);
      rocksdb_free(smallest);
      rocksdb_free(largest);
      rocksdb_sst_file_metadata_destroy(file);
    }
    files += count;
    rocksdb_level_metadata_destroy(level);
  }
  CHECK(rocksdb_column_family_metadata_get_level_metadata(meta, levels) == NULL);
  CHECK(files > 0 && files == rocksdb_column_family_metadata_get_file_count(meta));
  CHECK(bytes == rocksdb_column_family_metadata_get_size(meta));
  rocksdb_column_family_metadata_destroy(meta);

  size_t size = 0;
  char* identity = rocksdb_get_db_identity(db, &size);
  CHECK(identity != NULL && size == 36);
  rocksdb_free(identity);
  rocksdb_memory_consumers_t* consumers = rocksdb_memory_consumers_create();
  rocksdb_memory_consumers_add_db(consumers, db);
  rocksdb_memory_usage_t* usage = rocksdb_approximate_memory_usage_create(consumers, &error);
  CHECK_OK(error);
  CHECK(rocksdb_approximate_memory_usage_get_mem_table_total(usage) >=
        rocksdb_approximate_memory_usage_get_mem_table_unflushed(usage));
  CHECK(rocksdb_approximate_memory_usage_get_cache_total(usage) == 0);
  rocksdb_approximate_memory_usage_destroy(usage);
  rocksdb_memory_consumers_destroy(consumers);
}
#endif

/* What was written last is the last batch in the logs. */
static void TestUpdates(rocksdb_t* db) {
  phase = "updates";
  const uint64_t before = rocksdb_get_latest_sequence_number(db);
  Put(db, "an update", "1");
  Put(db, "an update", "2");
  CHECK(rocksdb_get_latest_sequence_number(db) == before + 2);
  rocksdb_wal_iterator_t* it = rocksdb_get_updates_since(db, before + 1, NULL, &error);
  CHECK_OK(error);
  struct Counts updates = {0, 0};
  int batches = 0;
  for (; rocksdb_wal_iter_valid(it); rocksdb_wal_iter_next(it)) {
    uint64_t sequence = 0;
    rocksdb_writebatch_t* batch = rocksdb_wal_iter_get_batch(it, &sequence);
    CHECK(sequence == before + 1 + (uint64_t)batches);
    rocksdb_writebatch_iterate(batch, &updates, CountPut, CountDelete);
    rocksdb_writebatch_destroy(batch);
    ++batches;
  }
  rocksdb_wal_iter_status(it, &error);
  CHECK_OK(error);
  CHECK(batches == 2 && updates.puts == 2 && updates.deletes == 0);
  rocksdb_wal_iter_destroy(it);
  CHECK(rocksdb_get_updates_since(db, before + 3, NULL, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
}

/* A file that is written outside, and then is a part of the database. */
static void TestIngestion(rocksdb_t* db, const char* path) {
  phase = "ingestion";
  char file[1024];
  snprintf(file, sizeof(file), "%s.outside.sst", path);
  const char* const files[] = {file};
  rocksdb_envoptions_t* env = rocksdb_envoptions_create();
  rocksdb_sstfilewriter_t* writer = rocksdb_sstfilewriter_create(env, options);
  rocksdb_sstfilewriter_open(writer, file, &error);
  CHECK_OK(error);
  rocksdb_sstfilewriter_put(writer, "ingested 1", 10, "one", 3, &error);
  CHECK_OK(error);
  rocksdb_sstfilewriter_put(writer, "ingested 0", 10, "none", 4, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_sstfilewriter_delete(writer, "ingested 2", 10, &error);
  CHECK_OK(error);
  rocksdb_sstfilewriter_finish(writer, &error);
  CHECK_OK(error);
  uint64_t size = 0;
  rocksdb_sstfilewriter_file_size(writer, &size);
  CHECK(size > 0);
  rocksdb_sstfilewriter_destroy(writer);
  rocksdb_envoptions_destroy(env);

  Put(db, "ingested 1", "old");
  Put(db, "ingested 2", "old");
  rocksdb_ingestexternalfileoptions_t* ingest = rocksdb_ingestexternalfileoptions_create();
  rocksdb_ingestexternalfileoptions_set_snapshot_consistency(ingest, 1);
  rocksdb_ingestexternalfileoptions_set_allow_global_seqno(ingest, 1);
  rocksdb_ingestexternalfileoptions_set_ingest_behind(ingest, 0);
  rocksdb_ingestexternalfileoptions_set_allow_blocking_flush(ingest, 0);
  rocksdb_ingest_external_file(db, files, 1, ingest, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  ExpectGet(db, reading, "ingested 1", "old");
  rocksdb_ingestexternalfileoptions_set_allow_blocking_flush(ingest, 1);
  rocksdb_ingestexternalfileoptions_set_move_files(ingest, 1);
  rocksdb_ingest_external_file(db, files, 1, ingest, &error);
  CHECK_OK(error);
  rocksdb_ingestexternalfileoptions_destroy(ingest);
  ExpectGet(db, reading, "ingested 1", "one");
  ExpectGet(db, reading, "ingested 2", NULL);

  /* All of it to the last level, where it can go as it is. */
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  rocksdb_suggest_compact_range(db, NULL, 0, "z", 1, &error);
  CHECK_OK(error);
  rocksdb_delete_file_in_range(db, "a", 1, "a", 1, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "ingested 1", "one");
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

static int filters_alive = 0;

static void FilterDone(void* state) { --*(int*)state; }
static const char* FilterName(void* state) {
  (void)state;
  return "c filter";
}
/* Drops "drop", and changes "change". */
static unsigned char Filter(void* state, int level, const char* key, size_t key_length,
                            const char* value, size_t value_length, char** new_value,
                            size_t* new_value_length, unsigned char* value_changed) {
  static char changed[] = "changed";
  (void)state;
  CHECK(level >= 0 && key != NULL && key_length > 0);
  if (value_length == 6 && memcmp(value, "change", 6) == 0) {
    *new_value = changed;
    *new_value_length = 7;
    *value_changed = 1;
  }
  return value_length == 4 && memcmp(value, "drop", 4) == 0;
}
static rocksdb_compactionfilter_t* MakeFilter(void* state,
                                              rocksdb_compactionfiltercontext_t* context) {
  CHECK(rocksdb_compactionfiltercontext_is_full_compaction(context));
  CHECK(rocksdb_compactionfiltercontext_is_manual_compaction(context));
  ++*(int*)state;
  return rocksdb_compactionfilter_create(state, FilterDone, Filter, FilterName);
}

static void TestCompactionFilter(const char* path) {
  phase = "compaction filter";
  int factories_alive = 1;
  rocksdb_compactionfilter_t* filter =
      rocksdb_compactionfilter_create(&filters_alive, FilterDone, Filter, FilterName);
  filters_alive = 1;
  for (int i = 0; i < 2; ++i) {
    rocksdb_options_t* other = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(other, 1);
    if (i == 0) {
      rocksdb_options_set_compaction_filter(other, filter);
    } else {
      rocksdb_options_set_compaction_filter_factory(
          other, rocksdb_compactionfilterfactory_create(&factories_alive, FilterDone, MakeFilter,
                                                        FilterName));
    }
    rocksdb_t* db = rocksdb_open(other, path, &error);
    CHECK_OK(error);
    Put(db, "a", "drop");
    Put(db, "b", "change");
    Put(db, "c", "stays");
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    ExpectGet(db, reading, "a", NULL);
    ExpectGet(db, reading, "b", "changed");
    ExpectGet(db, reading, "c", "stays");
    rocksdb_close(db);
    rocksdb_destroy_db(other, path, &error);
    CHECK_OK(error);
    rocksdb_options_destroy(other);
  }
  rocksdb_compactionfilter_set_ignore_snapshots(filter, 1);
  rocksdb_compactionfilter_destroy(filter);
  CHECK(filters_alive == 0);
  CHECK(factories_alive == 0);
}

/* --- Merges */

/* "(value,operand,...)"; partial: "operand,...". */
static char* Join(const char* first, size_t first_length, int has_first,
                  const char* const* operands, const size_t* lengths, int n, size_t* length) {
  size_t room = first_length + 3;
  for (int i = 0; i < n; ++i) room += lengths[i] + 1;
  char* joined = malloc(room);
  size_t at = 0;
  if (has_first) {
    memcpy(joined, first, first_length);
    at = first_length;
  }
  for (int i = 0; i < n; ++i) {
    if (at > 0) joined[at++] = ',';
    memcpy(joined + at, operands[i], lengths[i]);
    at += lengths[i];
  }
  *length = at;
  return joined;
}
static char* FullMerge(void* state, const char* key, size_t key_length, const char* value,
                       size_t value_length, const char* const* operands, const size_t* lengths,
                       int n, unsigned char* success, size_t* length) {
  (void)state;
  CHECK(key != NULL && key_length == 1);
  *success = n > 0 && !(lengths[0] == 4 && memcmp(operands[0], "fail", 4) == 0);
  return Join(value, value_length, value != NULL, operands, lengths, n, length);
}
static char* PartialMerge(void* state, const char* key, size_t key_length,
                          const char* const* operands, const size_t* lengths, int n,
                          unsigned char* success, size_t* length) {
  (void)state;
  CHECK(key != NULL && key_length == 1);
  *success = 1;
  return Join(NULL, 0, 0, operands, lengths, n, length);
}
static int values_deleted = 0;
static void DeleteValue(void* state, const char* value, size_t length) {
  (void)state;
  (void)length;
  ++values_deleted;
  free((void*)value);
}
static const char* MergeName(void* state) {
  (void)state;
  return "c merge";
}

static void TestCollectors(const char* path) {
  phase = "collectors";
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
#ifdef TEST_DELETION_RATIO
  rocksdb_options_add_compact_on_deletion_collector_factory(other, 128, 100);
  rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(other, 0, 0, 0.5);
#else
  rocksdb_options_add_compact_on_deletion_collector_factory(other, 128, 1);
#endif
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  Put(db, "a", "1");
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_delete(db, writing, "a", 1, &error);
  CHECK_OK(error);
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  /* The table has nothing but a tombstone: the compaction comes by itself. */
  int files = 1;
  for (int i = 0; i < 10000000 && files > 0; ++i) {
    char* value = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
    files = atoi(value);
    rocksdb_free(value);
  }
  CHECK(files == 0);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
}

static void TestDictionaries(const char* path) {
  phase = "dictionaries";
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_compression(other, rocksdb_zstd_compression);
  rocksdb_options_set_compression_options(other, -14, 3, 0, 4096);
  rocksdb_options_set_compression_options_zstd_max_train_bytes(other, 65536);
  CHECK(rocksdb_options_get_compression_options_zstd_max_train_bytes(other) == 65536);
  rocksdb_options_set_compression_options_use_zstd_dict_trainer(other, 0);
  CHECK(rocksdb_options_get_compression_options_use_zstd_dict_trainer(other) == 0);
  rocksdb_options_set_compression_options_parallel_threads(other, 2);
  CHECK(rocksdb_options_get_compression_options_parallel_threads(other) == 2);
  rocksdb_options_set_compression_options_max_dict_buffer_bytes(other, 1 << 20);
  CHECK(rocksdb_options_get_compression_options_max_dict_buffer_bytes(other) == 1 << 20);
  rocksdb_options_set_bottommost_compression_options(other, -14, 3, 0, 4096, 1);
  rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(other, 65536, 1);
  rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(other, 1, 1);
  CHECK(rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(other) == 1);
  rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(other, 1 << 20, 1);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
#ifdef TEST_PINNING_TIERS
  rocksdb_block_based_options_set_unpartitioned_pinning_tier(
      table, rocksdb_block_based_k_all_pinning_tier);
  rocksdb_block_based_options_set_partition_pinning_tier(
      table, rocksdb_block_based_k_flush_and_similar_pinning_tier);
  rocksdb_block_based_options_set_top_level_index_pinning_tier(
      table, rocksdb_block_based_k_none_pinning_tier);
#endif
  rocksdb_options_set_block_based_table_factory(other, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  char key[16], value[64];
  for (int i = 0; i < 2000; ++i) {
    snprintf(key, sizeof(key), "key%06d", i);
    snprintf(value, sizeof(value), "the value of number %d, and more of it", i);
    Put(db, key, value);
  }
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  ExpectGet(db, reading, "key000777", "the value of number 777, and more of it");
#ifdef TEST_PINNING_TIERS
  char* pinned = rocksdb_property_value(db, "rocksdb.block-cache-pinned-usage");
  CHECK(atoi(pinned) > 500);
  rocksdb_free(pinned);
#endif
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
}

static void TestMerge(const char* path) {
  phase = "merge";
  int alive = 2;  /* operators */
  rocksdb_mergeoperator_destroy(rocksdb_mergeoperator_create(&alive, FilterDone, FullMerge,
                                                             PartialMerge, NULL, MergeName));
  CHECK(alive == 1);
  for (int i = 0; i < 2; ++i) {
    values_deleted = 0;
    rocksdb_options_t* other = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(other, 1);
    rocksdb_options_set_merge_operator(
        other, rocksdb_mergeoperator_create(&alive, FilterDone, FullMerge, PartialMerge,
                                            i == 0 ? DeleteValue : NULL, MergeName));
    const char* names[] = {"default"};
    const rocksdb_options_t* options_of[] = {other};
    rocksdb_column_family_handle_t* family = NULL;
    rocksdb_t* db =
        rocksdb_open_column_families(other, path, 1, names, options_of, &family, &error);
    CHECK_OK(error);
    Put(db, "a", "v");
    rocksdb_writeoptions_t* how = rocksdb_writeoptions_create();
    rocksdb_merge(db, how, "a", 1, "1", 1, &error);
    CHECK_OK(error);
    rocksdb_merge_cf(db, how, family, "a", 1, "2", 1, &error);
    CHECK_OK(error);
    rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
    const char* parts[] = {"3", "4"};
    const size_t lengths[] = {1, 1};
    const char* key[] = {"b"};
    rocksdb_writebatch_merge(batch, "a", 1, "3", 1);
    rocksdb_writebatch_merge_cf(batch, family, "b", 1, "1", 1);
    rocksdb_writebatch_mergev(batch, 1, key, lengths, 2, parts, lengths);
    rocksdb_writebatch_mergev_cf(batch, family, 1, key, lengths, 1, parts, lengths);
    rocksdb_writebatch_merge(batch, "c", 1, "fail", 4);
    CHECK(rocksdb_writebatch_count(batch) == 5);
    rocksdb_write(db, how, batch, &error);
    CHECK_OK(error);
    ExpectGet(db, reading, "a", "v,1,2,3");
    ExpectGet(db, reading, "b", "1,34,3");
    size_t length = 0;
    CHECK(rocksdb_get(db, reading, "c", 1, &length, &error) == NULL);
    CHECK(error != NULL);
    rocksdb_free(error);
    error = NULL;
    CHECK((values_deleted > 0) == (i == 0));
    rocksdb_writebatch_clear(batch);
    rocksdb_writebatch_delete_range(batch, "c", 1, "d", 1);
    rocksdb_writebatch_delete_range_cf(batch, family, "b", 1, "b", 1);
    rocksdb_write(db, how, batch, &error);
    CHECK_OK(error);
    rocksdb_delete_range_cf(db, how, family, "a", 1, "aa", 2, &error);
    CHECK_OK(error);
    ExpectGet(db, reading, "a", NULL);
    ExpectGet(db, reading, "b", "1,34,3");
    ExpectGet(db, reading, "c", NULL);
    rocksdb_writebatch_destroy(batch);
    rocksdb_writeoptions_destroy(how);
    rocksdb_column_family_handle_destroy(family);
    rocksdb_close(db);
    rocksdb_destroy_db(other, path, &error);
    CHECK_OK(error);
    rocksdb_options_destroy(other);
    CHECK(alive == 0);
    alive = 1;
  }
  rocksdb_options_t* adding = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(adding, 1);
  rocksdb_options_set_uint64add_merge_operator(adding);
  rocksdb_t* db = rocksdb_open(adding, path, &error);
  CHECK_OK(error);
  rocksdb_writeoptions_t* how = rocksdb_writeoptions_create();
  for (int i = 0; i < 3; ++i) {
    const char five[8] = {5, 0, 0, 0, 0, 0, 0, 0};
    rocksdb_merge(db, how, "n", 1, five, 8, &error);
    CHECK_OK(error);
  }
  size_t length = 0;
  char* sum = rocksdb_get(db, reading, "n", 1, &length, &error);
  CHECK_OK(error);
  CHECK(sum != NULL && length == 8 && sum[0] == 15);
  rocksdb_free(sum);
  rocksdb_writeoptions_destroy(how);
  rocksdb_close(db);
  rocksdb_destroy_db(adding, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(adding);
}

/* --- Column families */

static void PutIn(rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* key, const char* value) {
  char* err = NULL;
  rocksdb_writeoptions_t* how = rocksdb_writeoptions_create();
  rocksdb_put_cf(db, how, family, key, strlen(key), value, strlen(value), &err);
  CHECK_OK(err);
  rocksdb_writeoptions_destroy(how);
}
static void ExpectIn(rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* key, const char* value) {
  char* err = NULL;
  size_t n = 0;
  rocksdb_readoptions_t* how = rocksdb_readoptions_create();
  char* found = rocksdb_get_cf(db, how, family, key, strlen(key), &n, &err);
  CHECK_OK(err);
  if (value == NULL) {
    CHECK(found == NULL);
  } else {
    CHECK(found != NULL && n == strlen(value) && memcmp(found, value, n) == 0);
  }
  rocksdb_free(found);
  rocksdb_readoptions_destroy(how);
}

static void TestColumnFamilies(const char* path) {
  char* err = NULL;
  char name[1000];
  snprintf(name, sizeof name, "%s.families", path);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  rocksdb_destroy_db(options, name, &err);
  CHECK_OK(err);
  rocksdb_t* db = rocksdb_open(options, name, &err);
  CHECK_OK(err);
  rocksdb_column_family_handle_t* one = rocksdb_create_column_family(db, options, "one", &err);
  CHECK_OK(err);
  rocksdb_create_column_family(db, options, "one", &err); /* null, or with older releases of RocksDB not a handle */
  CHECK(err != NULL);
  rocksdb_free(err);
  err = NULL;
  CHECK(rocksdb_column_family_handle_get_id(one) == 1);
  size_t length = 0;
  char* its_name = rocksdb_column_family_handle_get_name(one, &length);
  CHECK(length == 3 && memcmp(its_name, "one", 3) == 0);
  rocksdb_free(its_name);
  PutIn(db, one, "k", "1");
  PutIn(db, one, "l", "1");
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "k", 1, "0", 1);
  rocksdb_writebatch_delete_cf(batch, one, "l", 1);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_write(db, write, batch, &err);
  CHECK_OK(err);
  rocksdb_writebatch_destroy(batch);
  rocksdb_writeoptions_destroy(write);
  ExpectIn(db, one, "k", "1");
  ExpectIn(db, one, "l", NULL);
  rocksdb_column_family_handle_destroy(one);
  rocksdb_close(db);

  CHECK(rocksdb_open(options, name, &err) == NULL);
  CHECK(err != NULL);
  rocksdb_free(err);
  err = NULL;
  size_t count = 0;
  char** list = rocksdb_list_column_families(options, name, &count, &err);
  CHECK_OK(err);
  CHECK(count == 2 && strcmp(list[0], "default") == 0 && strcmp(list[1], "one") == 0);
  rocksdb_list_column_families_destroy(list, count);

  const char* names[] = {"one", "default"};
  const rocksdb_options_t* each[] = {options, options};
  rocksdb_column_family_handle_t* handles[2];
  db = rocksdb_open_column_families(options, name, 2, names, each, handles, &err);
  CHECK_OK(err);
  ExpectIn(db, handles[0], "k", "1");
  ExpectIn(db, handles[1], "k", "0");
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  const rocksdb_column_family_handle_t* of_keys[] = {handles[0], handles[1], handles[0]};
  const char* keys[] = {"k", "k", "l"};
  const size_t sizes[] = {1, 1, 1};
  char* values[3];
  size_t value_sizes[3];
  char* errors[3];
  rocksdb_multi_get_cf(db, read, of_keys, 3, keys, sizes, values, value_sizes, errors);
  CHECK(value_sizes[0] == 1 && *values[0] == '1' && value_sizes[1] == 1 && *values[1] == '0' && values[2] == NULL);
  for (int i = 0; i < 3; ++i) {
    CHECK(errors[i] == NULL);
    rocksdb_free(values[i]);
  }
  rocksdb_iterator_t* iterators[2];
  rocksdb_create_iterators(db, read, handles, iterators, 2, &err);
  CHECK_OK(err);
  for (int i = 0; i < 2; ++i) {
    rocksdb_iter_seek_to_first(iterators[i]);
    CHECK(rocksdb_iter_valid(iterators[i]));
    rocksdb_iter_next(iterators[i]);
    CHECK(!rocksdb_iter_valid(iterators[i]));
    rocksdb_iter_destroy(iterators[i]);
  }
  rocksdb_readoptions_destroy(read);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush_cf(db, flush, handles[0], &err);
  CHECK_OK(err);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_compact_range_cf(db, handles[0], NULL, 0, NULL, 0);
  uint64_t files = 0;
  char* level = rocksdb_property_value_cf(db, handles[0], "rocksdb.num-files-at-level0");
  CHECK(level != NULL && strcmp(level, "0") == 0);
  rocksdb_free(level);
  CHECK(rocksdb_property_int_cf(db, handles[0], "rocksdb.estimate-num-keys", &files) == 0);
  rocksdb_drop_column_family(db, handles[0], &err);
  CHECK_OK(err);
  ExpectIn(db, handles[0], "k", "1");
  rocksdb_column_family_handle_destroy(handles[0]);
  rocksdb_column_family_handle_destroy(handles[1]);
  rocksdb_close(db);
  db = rocksdb_open(options, name, &err);
  CHECK_OK(err);
  rocksdb_close(db);
  rocksdb_destroy_db(options, name, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
}

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
  rocksdb_ratelimiter_t* limiter = rocksdb_ratelimiter_create(1 << 30, 100 * 1000, 10);
  rocksdb_options_set_ratelimiter(options, limiter);
  rocksdb_ratelimiter_destroy(limiter);
  rocksdb_fifo_compaction_options_t* fifo = rocksdb_fifo_compaction_options_create();
  rocksdb_fifo_compaction_options_set_max_table_files_size(fifo, 1 << 20);
  CHECK(rocksdb_fifo_compaction_options_get_max_table_files_size(fifo) == 1 << 20);
  rocksdb_options_set_fifo_compaction_options(options, fifo);
  rocksdb_fifo_compaction_options_destroy(fifo);

  TestErrors(argv[1]);
  rocksdb_options_t* copy = rocksdb_options_create_copy(options);
  rocksdb_t* db = rocksdb_open(copy, argv[1], &error);
  CHECK_OK(error);
  rocksdb_options_destroy(copy);
  TestReadsAndWrites(db);
  TestBatches(db);
  TestIterators(db);
  TestAdministration(db, argv[1]);
  TestCheckpoint(db, argv[1]);
  TestSecondary(db, argv[1]);
  TestIngestion(db, argv[1]);
  TestUpdates(db);
#ifdef TEST_NEWER_THAN_7_8
  TestMetadata(db);
#endif
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
  TestCompactionFilter(argv[1]);
  TestCollectors(argv[1]);
  TestDictionaries(argv[1]);
  TestMerge(argv[1]);
  phase = "column families";
  TestColumnFamilies(argv[1]);
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
