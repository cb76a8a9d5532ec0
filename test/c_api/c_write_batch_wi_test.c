/* The C interface, in C: batches with an index. Compiled against Cairn's header and library and against RocksDB's. Exit status 0:
   all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"
#include "transactions.h"

static rocksdb_column_family_handle_t* handles[2];
static rocksdb_column_family_handle_t* other; /* merges there are sums of 64 bits */

static const char kOne[8] = {1, 0, 0, 0, 0, 0, 0, 0};

static void ExpectInBatch(rocksdb_writebatch_wi_t* batch, const char* key, const char* value) {
  size_t size = 99;
  char* found = rocksdb_writebatch_wi_get_from_batch(batch, options, key, strlen(key), &size, &error);
  ExpectValue(found, size, value);
}
static void ExpectInBatchCf(rocksdb_writebatch_wi_t* batch, rocksdb_column_family_handle_t* family, const char* key,
                            const char* value) {
  size_t size = 99;
  char* found = rocksdb_writebatch_wi_get_from_batch_cf(batch, options, family, key, strlen(key), &size, &error);
  ExpectValue(found, size, value);
}
static void ExpectTogether(rocksdb_t* db, rocksdb_writebatch_wi_t* batch, const char* key, const char* value) {
  size_t size = 99;
  char* found = rocksdb_writebatch_wi_get_from_batch_and_db(batch, db, reading, key, strlen(key), &size, &error);
  ExpectValue(found, size, value);
  found = rocksdb_writebatch_wi_get_from_batch_and_db_cf(batch, db, reading, handles[0], key, strlen(key), &size, &error);
  ExpectValue(found, size, value);
#ifdef TEST_NEWER_THAN_7_8
  ExpectPinned(rocksdb_writebatch_wi_get_pinned_from_batch_and_db(batch, db, reading, key, strlen(key), &error), value);
#endif
}

static void TestReadsOfTheBatch(rocksdb_t* db) {
  phase = "reads of the batch";
  Put(db, "a", "stored");
  Put(db, "b", "stored");
  rocksdb_writebatch_wi_t* batch = rocksdb_writebatch_wi_create(64, 1);
  CHECK(rocksdb_writebatch_wi_count(batch) == 0);
  rocksdb_writebatch_wi_put(batch, "b", 1, "batch", 5);
  rocksdb_writebatch_wi_put(batch, "c", 1, "", 0);
  rocksdb_writebatch_wi_delete(batch, "a", 1);
  CHECK(rocksdb_writebatch_wi_count(batch) == 3);
  ExpectInBatch(batch, "a", NULL);
  ExpectInBatch(batch, "b", "batch");
  ExpectInBatch(batch, "c", "");
  ExpectInBatch(batch, "d", NULL);
  ExpectTogether(db, batch, "a", NULL);
  ExpectTogether(db, batch, "b", "batch");
  ExpectTogether(db, batch, "c", "");
  ExpectTogether(db, batch, "d", NULL);
  ExpectGet(db, reading, "b", "stored");

  rocksdb_writebatch_wi_set_save_point(batch);
  rocksdb_writebatch_wi_put(batch, "a", 1, "again", 5);
  rocksdb_writebatch_wi_singledelete(batch, "b", 1);
  ExpectTogether(db, batch, "a", "again");
  ExpectTogether(db, batch, "b", NULL);
  rocksdb_writebatch_wi_rollback_to_save_point(batch, &error);
  CHECK_OK(error);
  CHECK(rocksdb_writebatch_wi_count(batch) == 3);
  ExpectTogether(db, batch, "a", NULL);
  ExpectTogether(db, batch, "b", "batch");
  rocksdb_writebatch_wi_rollback_to_save_point(batch, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;

  rocksdb_write_writebatch_wi(db, writing, batch, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "a", NULL);
  ExpectGet(db, reading, "b", "batch");
  ExpectGet(db, reading, "c", "");
  rocksdb_writebatch_wi_clear(batch);
  CHECK(rocksdb_writebatch_wi_count(batch) == 0);
  ExpectInBatch(batch, "b", NULL);
  ExpectTogether(db, batch, "b", "batch");
  rocksdb_writebatch_wi_destroy(batch);
}

struct Records {
  char text[64];
};
static void NotePut(void* state, const char* k, size_t klen, const char* v, size_t vlen) {
  char* const text = ((struct Records*)state)->text;
  sprintf(text + strlen(text), "+%.*s=%.*s", (int)klen, k, (int)vlen, v);
}
static void NoteDelete(void* state, const char* k, size_t klen) {
  char* const text = ((struct Records*)state)->text;
  sprintf(text + strlen(text), "-%.*s", (int)klen, k);
}

static void TestPartsAndBytes(rocksdb_t* db) {
  phase = "parts and bytes";
  const char* keys[2] = {"k", "1"};
  const char* more_keys[2] = {"k", "2"};
  const char* values[3] = {"v", "", "1"};
  const size_t key_sizes[2] = {1, 1}, value_sizes[3] = {1, 0, 1};
  rocksdb_writebatch_wi_t* batch = rocksdb_writebatch_wi_create(0, 1);
  rocksdb_writebatch_wi_putv(batch, 2, keys, key_sizes, 3, values, value_sizes);
  rocksdb_writebatch_wi_deletev(batch, 2, more_keys, key_sizes);
  rocksdb_writebatch_wi_put_log_data(batch, "note", 4);
  CHECK(rocksdb_writebatch_wi_count(batch) == 2);
  /* An index of keys does not know ranges. */
  rocksdb_writebatch_wi_delete_range(batch, "a", 1, "z", 1);
  rocksdb_writebatch_wi_delete_range_cf(batch, other, "a", 1, "z", 1);
  rocksdb_writebatch_wi_delete_rangev(batch, 2, keys, key_sizes, more_keys, key_sizes);
  rocksdb_writebatch_wi_delete_rangev_cf(batch, other, 2, keys, key_sizes, more_keys, key_sizes);
  CHECK(rocksdb_writebatch_wi_count(batch) == 2);
  ExpectInBatch(batch, "k1", "v1");
  struct Records records = {""};
  rocksdb_writebatch_wi_iterate(batch, &records, NotePut, NoteDelete);
  CHECK(strcmp(records.text, "+k1=v1-k2") == 0);

  /* What its bytes are for. */
  size_t size = 0;
  const char* data = rocksdb_writebatch_wi_data(batch, &size);
  rocksdb_writebatch_t* plain = rocksdb_writebatch_create_from(data, size);
  CHECK(rocksdb_writebatch_count(plain) == 2);
  rocksdb_write(db, writing, plain, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, "k1", "v1");
  rocksdb_writebatch_destroy(plain);
  rocksdb_writebatch_wi_destroy(batch);
}

static void TestFamilies(rocksdb_t* db) {
  phase = "families";
  const char* keys[2] = {"k", "1"};
  const char* merged[2] = {"m", "2"};
  const char* values[2] = {"va", "lue"};
  const char* operand[1] = {kOne};
  const size_t key_sizes[2] = {1, 1}, value_sizes[2] = {2, 3}, operand_sizes[1] = {8};
  rocksdb_writebatch_wi_t* batch = rocksdb_writebatch_wi_create(0, 1);
  rocksdb_writebatch_wi_put_cf(batch, other, "a", 1, "1", 1);
  rocksdb_writebatch_wi_putv_cf(batch, other, 2, keys, key_sizes, 2, values, value_sizes);
  rocksdb_writebatch_wi_put_cf(batch, other, "gone", 4, "1", 1);
  rocksdb_writebatch_wi_delete_cf(batch, other, "gone", 4);
  rocksdb_writebatch_wi_put_cf(batch, other, "g2", 2, "1", 1);
  rocksdb_writebatch_wi_singledelete_cf(batch, other, "g2", 2);
  const char* third[2] = {"g", "3"};
  rocksdb_writebatch_wi_put_cf(batch, other, "g3", 2, "1", 1);
  rocksdb_writebatch_wi_deletev_cf(batch, other, 2, third, key_sizes);
  ExpectInBatchCf(batch, other, "a", "1");
  ExpectInBatchCf(batch, other, "k1", "value");
  ExpectInBatchCf(batch, other, "gone", NULL);
  ExpectInBatchCf(batch, other, "g2", NULL);
  ExpectInBatchCf(batch, other, "g3", NULL);
  ExpectInBatchCf(batch, handles[0], "a", NULL);

  rocksdb_put_cf(db, writing, other, "m1", 2, kOne, 8, &error);
  CHECK_OK(error);
  rocksdb_writebatch_wi_merge_cf(batch, other, "m1", 2, kOne, 8);
  rocksdb_writebatch_wi_merge_cf(batch, other, "m1", 2, kOne, 8);
  rocksdb_writebatch_wi_mergev_cf(batch, other, 2, merged, key_sizes, 1, operand, operand_sizes);
  size_t size = 0;
  char* found = rocksdb_writebatch_wi_get_from_batch_cf(batch, options, other, "m1", 2, &size, &error);
  CHECK(found == NULL && error != NULL); /* what it builds on is in the database */
  rocksdb_free(error);
  error = NULL;
  found = rocksdb_writebatch_wi_get_from_batch_and_db_cf(batch, db, reading, other, "m1", 2, &size, &error);
  CHECK_OK(error);
  CHECK(size == 8 && found[0] == 3);
  rocksdb_free(found);
#ifdef TEST_NEWER_THAN_7_8
  rocksdb_pinnableslice_t* pinned =
      rocksdb_writebatch_wi_get_pinned_from_batch_and_db_cf(batch, db, reading, other, "m2", 2, &error);
  CHECK_OK(error);
  const char* data = rocksdb_pinnableslice_value(pinned, &size);
  CHECK(size == 8 && data[0] == 1);
  rocksdb_pinnableslice_destroy(pinned);
  CHECK(rocksdb_writebatch_wi_get_pinned_from_batch_and_db_cf(batch, db, reading, other, "none", 4, &error) == NULL);
  CHECK_OK(error);
#endif
  rocksdb_write_writebatch_wi(db, writing, batch, &error);
  CHECK_OK(error);
  found = rocksdb_get_cf(db, reading, other, "m1", 2, &size, &error);
  CHECK_OK(error);
  CHECK(size == 8 && found[0] == 3);
  rocksdb_free(found);
  rocksdb_writebatch_wi_destroy(batch);

  /* Without a column family. */
  batch = rocksdb_writebatch_wi_create(0, 0);
  rocksdb_writebatch_wi_merge(batch, "m", 1, kOne, 8);
  rocksdb_writebatch_wi_mergev(batch, 2, merged, key_sizes, 1, operand, operand_sizes);
  CHECK(rocksdb_writebatch_wi_count(batch) == 2);
  CHECK(rocksdb_writebatch_wi_get_from_batch(batch, options, "m", 1, &size, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_writebatch_wi_destroy(batch);
}

static void ExpectBoth(rocksdb_iterator_t* it) {
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "b", "batch");
  rocksdb_iter_next(it);
  ExpectAt(it, "d", "stored");
  rocksdb_iter_next(it);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_seek_to_last(it);
  ExpectAt(it, "d", "stored");
  rocksdb_iter_prev(it);
  ExpectAt(it, "b", "batch");
  rocksdb_iter_seek(it, "c", 1);
  ExpectAt(it, "d", "stored");
  rocksdb_iter_seek_for_prev(it, "c", 1);
  ExpectAt(it, "b", "batch");
  rocksdb_iter_get_error(it, &error);
  CHECK_OK(error);
  rocksdb_iter_destroy(it);
}

static void TestIterators(rocksdb_t* db) {
  phase = "iterators";
  for (int family = 0; family < 2; ++family) {
    rocksdb_column_family_handle_t* const cf = handles[family];
    rocksdb_delete_range_cf(db, writing, cf, "a", 1, "z", 1, &error);
    CHECK_OK(error);
    rocksdb_put_cf(db, writing, cf, "b", 1, "stored", 6, &error);
    CHECK_OK(error);
    rocksdb_put_cf(db, writing, cf, "c", 1, "stored", 6, &error);
    CHECK_OK(error);
    rocksdb_put_cf(db, writing, cf, "d", 1, "stored", 6, &error);
    CHECK_OK(error);
    rocksdb_writebatch_wi_t* batch = rocksdb_writebatch_wi_create(0, 1);
    rocksdb_writebatch_wi_put_cf(batch, cf, "b", 1, "batch", 5);
    rocksdb_writebatch_wi_delete_cf(batch, cf, "c", 1);
    if (family == 0) {
      ExpectBoth(rocksdb_writebatch_wi_create_iterator_with_base(batch, rocksdb_create_iterator(db, reading)));
    }
    ExpectBoth(rocksdb_writebatch_wi_create_iterator_with_base_cf(batch, rocksdb_create_iterator_cf(db, reading, cf), cf));
#ifdef TEST_NEWER_THAN_7_8
    rocksdb_writebatch_wi_put_cf(batch, cf, "e", 1, "beyond", 6);
    rocksdb_readoptions_t* bounded = rocksdb_readoptions_create();
    rocksdb_readoptions_set_iterate_upper_bound(bounded, "e", 1);
    if (family == 0) {
      ExpectBoth(rocksdb_writebatch_wi_create_iterator_with_base_readopts(batch, rocksdb_create_iterator(db, bounded), bounded));
    }
    ExpectBoth(rocksdb_writebatch_wi_create_iterator_with_base_cf_readopts(
        batch, rocksdb_create_iterator_cf(db, bounded, cf), cf, bounded));
    rocksdb_readoptions_destroy(bounded);
#endif
    rocksdb_writebatch_wi_destroy(batch);
  }
}

#ifdef TEST_NEWER_THAN_7_8
static int Backwards(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state, (void)alen, (void)blen;
  return (unsigned char)b[0] - (unsigned char)a[0];
}
static const char* BackwardsName(void* state) {
  (void)state;
  return "test.backwards";
}
static void NoDestructor(void* state) { (void)state; }

static void TestParameters(void) {
  phase = "parameters";
  rocksdb_comparator_t* backwards = rocksdb_comparator_create(NULL, NoDestructor, Backwards, BackwardsName);
  rocksdb_writebatch_wi_t* batch = rocksdb_writebatch_wi_create_with_params(backwards, 16, 1, 40, 0);
  rocksdb_writebatch_wi_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_wi_put(batch, "b", 1, "a value for which there is no room", 34);
  CHECK(rocksdb_writebatch_wi_count(batch) == 1);
  ExpectInBatch(batch, "a", "1");
  ExpectInBatch(batch, "b", NULL);
  rocksdb_writebatch_wi_destroy(batch);
  rocksdb_comparator_destroy(backwards);
  batch = rocksdb_writebatch_wi_create_with_params(NULL, 0, 0, 0, 0);
  rocksdb_writebatch_wi_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_wi_put(batch, "a", 1, "2", 1);
  ExpectInBatch(batch, "a", "2");
  rocksdb_writebatch_wi_destroy(batch);
}
#endif

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_write_batch_wi_test DIRECTORY\n");
    return 2;
  }
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  rocksdb_options_t* summing = rocksdb_options_create();
  rocksdb_options_set_uint64add_merge_operator(summing);
  const char* const names[] = {"default", "other"};
  const rocksdb_options_t* const of_families[] = {options, summing};
  rocksdb_t* db = rocksdb_open_column_families(options, argv[1], 2, names, of_families, handles, &error);
  CHECK_OK(error);
  other = handles[1];
  TestReadsOfTheBatch(db);
  TestPartsAndBytes(db);
  TestFamilies(db);
  TestIterators(db);
#ifdef TEST_NEWER_THAN_7_8
  TestParameters();
#endif
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_close(db);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  rocksdb_options_destroy(summing);
  rocksdb_options_destroy(options);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  printf("batches with an index work from C\n");
  return 0;
}
