/* The C interface, in C: the same program is compiled against Cairn's header and library and against RocksDB's. Exit status 0: all
   that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"

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

  phase = "column families";
  TestColumnFamilies(argv[1]);
  rocksdb_cache_destroy(cache);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  rocksdb_options_destroy(options);
  printf("the C interface holds\n");
  return 0;
}
