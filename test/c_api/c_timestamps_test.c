/* The C interface, in C: user-defined timestamps. Compiled against Cairn's header and library and against RocksDB's. Exit status 0:
   all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <string.h>

#include "database.h"

#define TS_SIZE 8

/* A number of one digit, big-endian: the last byte counts. */
static char stamps[10][TS_SIZE];

static void MakeStamps(void) {
  for (int i = 0; i < 10; ++i) {
    memset(stamps[i], 0, TS_SIZE);
    stamps[i][TS_SIZE - 1] = (char)i;
  }
}

static int Sign(const char* a, size_t alen, const char* b, size_t blen) {
  const size_t least = alen < blen ? alen : blen;
  const int order = memcmp(a, b, least);
  return order != 0 ? order : (alen < blen ? -1 : alen > blen);
}
static int CompareStamps(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state;
  return Sign(a, alen, b, blen);
}
static int CompareBare(void* state, const char* a, size_t alen, unsigned char a_has, const char* b, size_t blen, unsigned char b_has) {
  (void)state;
  return Sign(a, a_has ? alen - TS_SIZE : alen, b, b_has ? blen - TS_SIZE : blen);
}
static int Compare(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  const int order = CompareBare(state, a, alen, 1, b, blen, 1);
  /* The newer one comes first. */
  return order != 0 ? order : -CompareStamps(state, a + alen - TS_SIZE, TS_SIZE, b + blen - TS_SIZE, TS_SIZE);
}
static const char* Name(void* state) {
  (void)state;
  return "test.Stamped";
}
static void Destroy(void* state) { ++*(int*)state; }
static size_t SizeOf(void* state, uint32_t family) {
  (void)family;
  ++*(int*)state;
  return TS_SIZE;
}

static void ReadAt(int ts) { rocksdb_readoptions_set_timestamp(reading, stamps[ts], TS_SIZE); }

/* `value` NULL: there must be none. */
static void ExpectStamped(rocksdb_t* db, rocksdb_column_family_handle_t* family, int at, const char* key, const char* value, int ts) {
  ReadAt(at);
  size_t size = 99, ts_size = 99;
  char* found_ts = NULL;
  char* found = family == NULL ? rocksdb_get_with_ts(db, reading, key, strlen(key), &size, &found_ts, &ts_size, &error)
                               : rocksdb_get_cf_with_ts(db, reading, family, key, strlen(key), &size, &found_ts, &ts_size, &error);
  CHECK_OK(error);
  CHECK((found == NULL) == (value == NULL));
  if (value == NULL) {
    CHECK(size == 0 && ts_size == 0);
    return;
  }
  CHECK(size == strlen(value) && memcmp(found, value, size) == 0);
  CHECK(ts_size == TS_SIZE && memcmp(found_ts, stamps[ts], TS_SIZE) == 0);
  rocksdb_free(found);
  rocksdb_free(found_ts);
}

static void ExpectInvalid(void) {
  CHECK(error != NULL && strncmp(error, "Invalid argument", 16) == 0);
  rocksdb_free(error);
  error = NULL;
}

static void TestWrites(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "writes";
  rocksdb_put_with_ts(db, writing, "a", 1, stamps[1], TS_SIZE, "a1", 2, &error);
  CHECK_OK(error);
  rocksdb_put_cf_with_ts(db, writing, family, "b", 1, stamps[2], TS_SIZE, "b2", 2, &error);
  CHECK_OK(error);
  rocksdb_put_cf_with_ts(db, writing, family, "c", 1, stamps[2], TS_SIZE, "c2", 2, &error);
  CHECK_OK(error);
  rocksdb_delete_with_ts(db, writing, "a", 1, stamps[3], TS_SIZE, &error);
  CHECK_OK(error);
  rocksdb_delete_cf_with_ts(db, writing, family, "b", 1, stamps[3], TS_SIZE, &error);
  CHECK_OK(error);
  rocksdb_singledelete_cf_with_ts(db, writing, family, "c", 1, stamps[3], TS_SIZE, &error);
  CHECK_OK(error);
  rocksdb_put_with_ts(db, writing, "d", 1, stamps[1], TS_SIZE, "d1", 2, &error);
  CHECK_OK(error);
  rocksdb_singledelete_with_ts(db, writing, "d", 1, stamps[3], TS_SIZE, &error);
  CHECK_OK(error);
  ExpectStamped(db, NULL, 2, "a", "a1", 1);
  ExpectStamped(db, NULL, 3, "a", NULL, 0);
  ExpectStamped(db, family, 1, "b", NULL, 0);
  ExpectStamped(db, family, 2, "b", "b2", 2);
  ExpectStamped(db, family, 2, "c", "c2", 2);
  ExpectStamped(db, family, 3, "b", NULL, 0);
  ExpectStamped(db, family, 3, "c", NULL, 0);
  ExpectStamped(db, NULL, 2, "d", "d1", 1);
  ExpectStamped(db, NULL, 3, "d", NULL, 0);

  rocksdb_put_with_ts(db, writing, "a", 1, "short", 5, "v", 1, &error);
  ExpectInvalid();
  rocksdb_put(db, writing, "a", 1, "v", 1, &error);
  ExpectInvalid();
  rocksdb_readoptions_set_timestamp(reading, NULL, 0);
  size_t size;
  CHECK(rocksdb_get(db, reading, "a", 1, &size, &error) == NULL);
  ExpectInvalid();
}

static void TestBatches(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "batches";
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put_cf_with_ts(batch, family, "p", 1, stamps[4], TS_SIZE, "p4", 2);
  rocksdb_writebatch_put_cf_with_ts(batch, family, "q", 1, stamps[4], TS_SIZE, "q4", 2);
  rocksdb_writebatch_delete_cf_with_ts(batch, family, "p", 1, stamps[5], TS_SIZE);
  rocksdb_writebatch_singledelete_cf_with_ts(batch, family, "q", 1, stamps[5], TS_SIZE);
  CHECK(rocksdb_writebatch_count(batch) == 4);
  rocksdb_write(db, writing, batch, &error);
  CHECK_OK(error);
  rocksdb_writebatch_destroy(batch);
  ExpectStamped(db, family, 4, "p", "p4", 4);
  ExpectStamped(db, family, 4, "q", "q4", 4);
  ExpectStamped(db, family, 5, "p", NULL, 0);
  ExpectStamped(db, family, 5, "q", NULL, 0);
#ifdef TEST_NEWER_THAN_7_8
  batch = rocksdb_writebatch_create_with_params(0, 0, 0, TS_SIZE);
  rocksdb_writebatch_put(batch, "late", 4, "v", 1);
  int asked = 0;
  rocksdb_writebatch_update_timestamps(batch, "short", 5, &asked, SizeOf, &error);
  ExpectInvalid();
  rocksdb_writebatch_update_timestamps(batch, stamps[6], TS_SIZE, &asked, SizeOf, &error);
  CHECK_OK(error);
  CHECK(asked > 0);
  rocksdb_write(db, writing, batch, &error);
  CHECK_OK(error);
  rocksdb_writebatch_destroy(batch);
  /* It has no keys. */
  rocksdb_writebatch_wi_t* indexed = rocksdb_writebatch_wi_create(0, 1);
  rocksdb_writebatch_wi_update_timestamps(indexed, stamps[6], TS_SIZE, &asked, SizeOf, &error);
  CHECK_OK(error);
  rocksdb_writebatch_wi_destroy(indexed);
  ExpectStamped(db, NULL, 5, "late", NULL, 0);
  ExpectStamped(db, NULL, 6, "late", "v", 6);
#else
  (void)SizeOf;
#endif
}

static void TestManyReads(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "many reads";
  rocksdb_put_with_ts(db, writing, "m", 1, stamps[1], TS_SIZE, "m1", 2, &error);
  CHECK_OK(error);
  rocksdb_put_cf_with_ts(db, writing, family, "m", 1, stamps[2], TS_SIZE, "other", 5, &error);
  CHECK_OK(error);
  ReadAt(5);
  const char* const keys[] = {"m", "none"};
  const size_t sizes[] = {1, 4};
  char* values[2];
  size_t value_sizes[2];
  char* times[2];
  size_t time_sizes[2];
  char* errors[2];
  rocksdb_multi_get_with_ts(db, reading, 2, keys, sizes, values, value_sizes, times, time_sizes, errors);
  CHECK(errors[0] == NULL && errors[1] == NULL);
  CHECK(value_sizes[0] == 2 && memcmp(values[0], "m1", 2) == 0);
  CHECK(time_sizes[0] == TS_SIZE && memcmp(times[0], stamps[1], TS_SIZE) == 0);
  CHECK(values[1] == NULL && value_sizes[1] == 0 && times[1] == NULL && time_sizes[1] == 0);
  rocksdb_free(values[0]);
  rocksdb_free(times[0]);
  rocksdb_column_family_handle_t* second = rocksdb_create_column_family(db, options, "second", &error);
  CHECK_OK(error);
  rocksdb_put_cf_with_ts(db, writing, second, "m", 1, stamps[1], TS_SIZE, "m1", 2, &error);
  CHECK_OK(error);
  const rocksdb_column_family_handle_t* families[2] = {family, second};
  const char* const both[] = {"m", "m"};
  const size_t ones[] = {1, 1};
  rocksdb_multi_get_cf_with_ts(db, reading, families, 2, both, ones, values, value_sizes, times, time_sizes, errors);
  CHECK(errors[0] == NULL && errors[1] == NULL);
  CHECK(value_sizes[0] == 5 && memcmp(values[0], "other", 5) == 0);
  CHECK(time_sizes[0] == TS_SIZE && memcmp(times[0], stamps[2], TS_SIZE) == 0);
  CHECK(value_sizes[1] == 2 && memcmp(values[1], "m1", 2) == 0);
  CHECK(time_sizes[1] == TS_SIZE && memcmp(times[1], stamps[1], TS_SIZE) == 0);
  for (int i = 0; i < 2; ++i) {
    rocksdb_free(values[i]);
    rocksdb_free(times[i]);
  }
  rocksdb_column_family_handle_destroy(second);
}

/* What `it` stands on, as a user key, or with versions as an internal one. */
static void ExpectEntry(const rocksdb_iterator_t* it, const char* key, int ts, int is_version) {
  CHECK(rocksdb_iter_valid(it));
  size_t size;
  const char* data = rocksdb_iter_timestamp(it, &size);
  CHECK(size == TS_SIZE && memcmp(data, stamps[ts], TS_SIZE) == 0);
  data = rocksdb_iter_key(it, &size);
  CHECK(size == strlen(key) + (is_version ? TS_SIZE + 8 : 0) && memcmp(data, key, strlen(key)) == 0);
}

static void TestIterators(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "iterators";
  rocksdb_put_cf_with_ts(db, writing, family, "x", 1, stamps[1], TS_SIZE, "x1", 2, &error);
  CHECK_OK(error);
  rocksdb_put_cf_with_ts(db, writing, family, "x", 1, stamps[5], TS_SIZE, "x5", 2, &error);
  CHECK_OK(error);
  rocksdb_delete_cf_with_ts(db, writing, family, "x", 1, stamps[7], TS_SIZE, &error);
  CHECK_OK(error);
  ReadAt(6);
  rocksdb_iterator_t* it = rocksdb_create_iterator_cf(db, reading, family);
  rocksdb_iter_seek(it, "x", 1);
  ExpectEntry(it, "x", 5, 0);
  rocksdb_iter_next(it);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_get_error(it, &error);
  CHECK_OK(error);
  rocksdb_iter_destroy(it);
  ReadAt(9);
  rocksdb_readoptions_set_iter_start_ts(reading, stamps[1], TS_SIZE);
  it = rocksdb_create_iterator_cf(db, reading, family);
  rocksdb_iter_seek(it, "x", 1);
  ExpectEntry(it, "x", 7, 1);
  rocksdb_iter_next(it);
  ExpectEntry(it, "x", 5, 1);
  rocksdb_iter_next(it);
  ExpectEntry(it, "x", 1, 1);
  rocksdb_iter_next(it);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_destroy(it);
  rocksdb_readoptions_set_iter_start_ts(reading, NULL, 0);
}

static void TestHistory(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  phase = "history";
  size_t size = 99;
  char* low = NULL;
#ifdef TEST_NEWER_THAN_7_8 /* which aborts where it was never set */
  low = rocksdb_get_full_history_ts_low(db, family, &size, &error);
  CHECK_OK(error);
  CHECK(size == 0);
  rocksdb_free(low);
#endif
  rocksdb_increase_full_history_ts_low(db, family, stamps[4], TS_SIZE, &error);
  CHECK_OK(error);
  rocksdb_increase_full_history_ts_low(db, family, stamps[3], TS_SIZE, &error);
  ExpectInvalid();
  rocksdb_increase_full_history_ts_low(db, family, "short", 5, &error);
  ExpectInvalid();
  rocksdb_compactoptions_t* compact = rocksdb_compactoptions_create();
  rocksdb_compactoptions_set_full_history_ts_low(compact, stamps[5], TS_SIZE);
  rocksdb_compact_range_cf_opt(db, family, compact, NULL, 0, NULL, 0);
  rocksdb_compactoptions_set_full_history_ts_low(compact, NULL, 0);
#ifdef TEST_NEWER_THAN_7_8
  CHECK(rocksdb_compactoptions_get_blob_garbage_collection_policy(compact) ==
        rocksdb_blob_garbage_collection_use_default);
  rocksdb_compactoptions_set_blob_garbage_collection_policy(
      compact, rocksdb_blob_garbage_collection_force);
  CHECK(rocksdb_compactoptions_get_blob_garbage_collection_policy(compact) == 0);
  CHECK(rocksdb_compactoptions_get_blob_garbage_collection_age_cutoff(compact) < 0);
  rocksdb_compactoptions_set_blob_garbage_collection_age_cutoff(compact, 0.5);
  CHECK(rocksdb_compactoptions_get_blob_garbage_collection_age_cutoff(compact) == 0.5);
#endif
  rocksdb_compactoptions_destroy(compact);
  low = rocksdb_get_full_history_ts_low(db, family, &size, &error);
  CHECK_OK(error);
  CHECK(size == TS_SIZE && memcmp(low, stamps[5], TS_SIZE) == 0);
  rocksdb_free(low);
  ReadAt(4);
  CHECK(rocksdb_get_cf(db, reading, family, "x", 1, &size, &error) == NULL);
  ExpectInvalid();
  ExpectStamped(db, family, 5, "x", "x5", 5);
}

static void TestFiles(rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* dir) {
  phase = "files";
  char path[300];
  CHECK(strlen(dir) < 200);
  strcpy(path, dir);
  strcat(path, "_outside.sst");
  rocksdb_envoptions_t* env = rocksdb_envoptions_create();
  rocksdb_sstfilewriter_t* writer = rocksdb_sstfilewriter_create(env, options);
  rocksdb_sstfilewriter_open(writer, path, &error);
  CHECK_OK(error);
  rocksdb_sstfilewriter_put_with_ts(writer, "y", 1, "short", 5, "v", 1, &error);
  ExpectInvalid();
  rocksdb_sstfilewriter_put_with_ts(writer, "y", 1, stamps[6], TS_SIZE, "y6", 2, &error);
  CHECK_OK(error);
  rocksdb_sstfilewriter_delete_with_ts(writer, "z", 1, stamps[6], TS_SIZE, &error);
  CHECK_OK(error);
  rocksdb_sstfilewriter_finish(writer, &error);
  CHECK_OK(error);
  rocksdb_sstfilewriter_destroy(writer);
  rocksdb_envoptions_destroy(env);
  rocksdb_ingestexternalfileoptions_t* how = rocksdb_ingestexternalfileoptions_create();
  rocksdb_ingestexternalfileoptions_set_move_files(how, 1);
  const char* const paths[] = {path};
  rocksdb_ingest_external_file_cf(db, family, paths, 1, how, &error);
  CHECK_OK(error);
  rocksdb_ingestexternalfileoptions_destroy(how);
  ExpectStamped(db, family, 7, "y", "y6", 6);
  ExpectStamped(db, family, 6, "z", NULL, 0);
  remove(path);
}

static void TestTrim(const char* dir) {
  phase = "trimmed history";
  const char* const names[] = {"default", "family", "second"};
  const rocksdb_options_t* const all[] = {options, options, options};
  rocksdb_column_family_handle_t* handles[3];
  rocksdb_t* db =
      rocksdb_open_and_trim_history(options, dir, 3, names, all, handles, stamps[5], TS_SIZE, &error);
  CHECK_OK(error);
  ExpectStamped(db, handles[1], 7, "y", NULL, 0);
  for (int i = 0; i < 3; ++i) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_close(db);
#ifdef TEST_NEWER_THAN_7_8
  char few[] = "few";
  db = rocksdb_open_and_trim_history(options, dir, 3, names, all, handles, few, 3, &error);
  CHECK(db == NULL);
  ExpectInvalid();
#endif
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  MakeStamps();
  int destroyed = 0;
  rocksdb_comparator_t* comparator =
      rocksdb_comparator_with_ts_create(&destroyed, Destroy, Compare, CompareStamps, CompareBare, Name, TS_SIZE);
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_comparator(options, comparator);
  rocksdb_t* db = rocksdb_open(options, argv[1], &error);
  CHECK_OK(error);
  rocksdb_column_family_handle_t* family = rocksdb_create_column_family(db, options, "family", &error);
  CHECK_OK(error);
  TestWrites(db, family);
  TestBatches(db, family);
  TestManyReads(db, family);
  TestIterators(db, family);
  TestHistory(db, family);
  TestFiles(db, family, argv[1]);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
  TestTrim(argv[1]);
  phase = "end";
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_options_destroy(options);
  CHECK(destroyed == 0);
  rocksdb_comparator_destroy(comparator);
  CHECK(destroyed == 1);
  return 0;
}
