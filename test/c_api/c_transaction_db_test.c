/* The C interface, in C: databases whose transactions lock their keys. Compiled against Cairn's header and library and against
   RocksDB's. Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"
#include "transactions.h"

static rocksdb_transactiondb_t* db;
static rocksdb_transactiondb_options_t* db_options;
static rocksdb_transaction_options_t* txn_options;
static rocksdb_column_family_handle_t* handles[2];
static rocksdb_column_family_handle_t* other; /* merges there are sums of 64 bits */

static const char kOne[8] = {1, 0, 0, 0, 0, 0, 0, 0};

static rocksdb_transaction_t* Begin(void) { return rocksdb_transaction_begin(db, writing, txn_options, NULL); }

static void DbPut(const char* key, const char* value) {
  rocksdb_transactiondb_put(db, writing, key, strlen(key), value, strlen(value), &error);
  CHECK_OK(error);
}
static void ExpectInDb(const char* key, const char* value) {
  size_t size = 99;
  char* found = rocksdb_transactiondb_get(db, reading, key, strlen(key), &size, &error);
  ExpectValue(found, size, value);
  ExpectPinned(rocksdb_transactiondb_get_pinned(db, reading, key, strlen(key), &error), value);
}

static void TestCommit(void) {
  phase = "commit";
  DbPut("gone", "1");
  rocksdb_transaction_t* txn = Begin();
  TxnPut(txn, "a", "one");
  TxnPut(txn, "empty", "");
  rocksdb_transaction_delete(txn, "gone", 4, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "a", "one");
  ExpectInTxn(txn, "empty", "");
  ExpectInTxn(txn, "gone", NULL);
  ExpectInDb("a", NULL);
  ExpectInDb("gone", "1");
  rocksdb_iterator_t* it = rocksdb_transaction_create_iterator(txn, reading);
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "a", "one");
  rocksdb_iter_next(it);
  ExpectAt(it, "empty", "");
  rocksdb_iter_next(it);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_destroy(it);
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  ExpectInDb("a", "one");
  ExpectInDb("empty", "");
  ExpectInDb("gone", NULL);
  it = rocksdb_transactiondb_create_iterator(db, reading);
  rocksdb_iter_seek(it, "b", 1);
  ExpectAt(it, "empty", "");
  rocksdb_iter_destroy(it);

  /* What was not committed is forgotten. */
  txn = Begin();
  TxnPut(txn, "a", "two");
  rocksdb_transaction_rollback(txn, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "a", "one");
  TxnPut(txn, "a", "three");
  rocksdb_transaction_destroy(txn);
  ExpectInDb("a", "one");
}

static void TestLocks(void) {
  phase = "locks";
  rocksdb_transaction_t* holder = Begin();
  rocksdb_transaction_t* wants = Begin();
  size_t size = 0;
  TxnPut(holder, "k", "held");
  rocksdb_transaction_put(wants, "k", 1, "late", 4, &error);
  ExpectError("timed out");
  rocksdb_transaction_delete(wants, "k", 1, &error);
  ExpectError("timed out");
  CHECK(rocksdb_transaction_get_for_update(wants, reading, "k", 1, &size, 1, &error) == NULL);
  ExpectError("timed out");
  CHECK(rocksdb_transaction_get_pinned_for_update(wants, reading, "k", 1, 0, &error) == NULL);
  ExpectError("timed out");
  rocksdb_transactiondb_put(db, writing, "k", 1, "plain", 5, &error);
  ExpectError("timed out");
  rocksdb_transactiondb_delete(db, writing, "k", 1, &error);
  ExpectError("timed out");
  ExpectInTxn(wants, "k", NULL); /* reads take no lock */
  Commit(holder);
  TxnPut(wants, "k", "late");
  Commit(wants);
  ExpectInDb("k", "late");
  rocksdb_transaction_destroy(holder);
  rocksdb_transaction_destroy(wants);

  phase = "shared locks";
  rocksdb_transaction_t* first = Begin();
  rocksdb_transaction_t* second = Begin();
  char* found = rocksdb_transaction_get_for_update(first, reading, "k", 1, &size, 0, &error);
  ExpectValue(found, size, "late");
  ExpectPinned(rocksdb_transaction_get_pinned_for_update(second, reading, "k", 1, 0, &error), "late");
  rocksdb_transaction_put(second, "k", 1, "mine", 4, &error);
  ExpectError("timed out");
  rocksdb_transaction_rollback(first, &error);
  CHECK_OK(error);
  TxnPut(second, "k", "mine");
  rocksdb_transaction_destroy(first);
  rocksdb_transaction_destroy(second);
  ExpectInDb("k", "late");
}

static void TestSavePoints(void) {
  phase = "save points";
  rocksdb_transaction_t* txn = Begin();
  TxnPut(txn, "s1", "1");
  rocksdb_transaction_set_savepoint(txn);
  TxnPut(txn, "s2", "2");
  rocksdb_transaction_rollback_to_savepoint(txn, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "s2", NULL);
  rocksdb_transaction_rollback_to_savepoint(txn, &error);
  ExpectError("NotFound");
  /* The lock is gone, too. */
  DbPut("s2", "plain");
  Commit(txn);
  ExpectInDb("s1", "1");
  ExpectInDb("s2", "plain");

  phase = "a transaction anew";
  CHECK(rocksdb_transaction_begin(db, writing, txn_options, txn) == txn);
  ExpectInTxn(txn, "s1", "1");
  TxnPut(txn, "s1", "2");
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  ExpectInDb("s1", "2");
}

static void TestSnapshots(void) {
  phase = "snapshots";
  DbPut("k", "then");
  rocksdb_transaction_t* without = Begin();
  const rocksdb_snapshot_t* none = rocksdb_transaction_get_snapshot(without);
  rocksdb_transaction_options_set_set_snapshot(txn_options, 1);
  rocksdb_transaction_t* txn = Begin();
  rocksdb_transaction_options_set_set_snapshot(txn_options, 0);
  DbPut("k", "now");
  const rocksdb_snapshot_t* snapshot = rocksdb_transaction_get_snapshot(txn);
  rocksdb_readoptions_t* then = rocksdb_readoptions_create();
  rocksdb_readoptions_set_snapshot(then, snapshot);
  size_t size = 0;
  char* found = rocksdb_transaction_get(txn, then, "k", 1, &size, &error);
  ExpectValue(found, size, "then");
  ExpectInTxn(txn, "k", "now");
  rocksdb_readoptions_set_snapshot(then, none);
  found = rocksdb_transaction_get(txn, then, "k", 1, &size, &error);
  ExpectValue(found, size, "now");
  rocksdb_transaction_put(txn, "k", 1, "mine", 4, &error);
  ExpectError("Resource busy");
  rocksdb_free((void*)snapshot);
  rocksdb_free((void*)none);
  rocksdb_transaction_destroy(txn);
  rocksdb_transaction_destroy(without);

  const rocksdb_snapshot_t* of_db = rocksdb_transactiondb_create_snapshot(db);
  rocksdb_readoptions_set_snapshot(then, of_db);
  DbPut("k", "later");
  found = rocksdb_transactiondb_get(db, then, "k", 1, &size, &error);
  ExpectValue(found, size, "now");
  rocksdb_readoptions_destroy(then);
  rocksdb_transactiondb_release_snapshot(db, of_db);
}

static void TestMultiGet(void) {
  phase = "multi-get";
  DbPut("m1", "one");
  rocksdb_transactiondb_put_cf(db, writing, other, "m1", 2, "other", 5, &error);
  CHECK_OK(error);
  rocksdb_transaction_t* txn = Begin();
  TxnPut(txn, "m2", "two");
  const char* keys[3] = {"m1", "m2", "none"};
  const size_t key_sizes[3] = {2, 2, 4};
  char* values[3];
  size_t sizes[3];
  char* errors[3];
  const char* const in_txn[3] = {"one", "two", NULL};
  const char* const in_db[3] = {"one", NULL, NULL};
  rocksdb_transaction_multi_get(txn, reading, 3, keys, key_sizes, values, sizes, errors);
  ExpectAnswers(3, values, sizes, errors, in_txn);
  rocksdb_transactiondb_multi_get(db, reading, 3, keys, key_sizes, values, sizes, errors);
  ExpectAnswers(3, values, sizes, errors, in_db);
  const rocksdb_column_family_handle_t* const families[3] = {other, handles[0], other};
  const char* const in_families[3] = {"other", "two", NULL};
  const char* const in_families_of_db[3] = {"other", NULL, NULL};
  rocksdb_transaction_multi_get_cf(txn, reading, families, 3, keys, key_sizes, values, sizes, errors);
  ExpectAnswers(3, values, sizes, errors, in_families);
  rocksdb_transactiondb_multi_get_cf(db, reading, families, 3, keys, key_sizes, values, sizes, errors);
  ExpectAnswers(3, values, sizes, errors, in_families_of_db);
#ifdef TEST_NEWER_THAN_7_8
  rocksdb_transaction_multi_get_for_update(txn, reading, 3, keys, key_sizes, values, sizes, errors);
  ExpectAnswers(3, values, sizes, errors, in_txn);
  rocksdb_transaction_multi_get_for_update_cf(txn, reading, families, 3, keys, key_sizes, values, sizes, errors);
  ExpectAnswers(3, values, sizes, errors, in_families);
  rocksdb_transactiondb_put(db, writing, "m1", 2, "1", 1, &error);
  ExpectError("timed out");
  rocksdb_transactiondb_put_cf(db, writing, other, "m1", 2, "1", 1, &error);
  ExpectError("timed out");
  rocksdb_transaction_t* second = Begin();
  rocksdb_transaction_multi_get_for_update(second, reading, 3, keys, key_sizes, values, sizes, errors);
  for (int i = 0; i < 3; ++i) {
    CHECK(values[i] == NULL && sizes[i] == 0 && strstr(errors[i], "timed out") != NULL);
    rocksdb_free(errors[i]);
  }
  rocksdb_transaction_destroy(second);
#endif
  rocksdb_transaction_destroy(txn);
}

static void TestFamilies(void) {
  phase = "families";
  size_t size = 0;
  rocksdb_transactiondb_merge_cf(db, writing, other, "sum", 3, kOne, 8, &error);
  CHECK_OK(error);
  rocksdb_transaction_t* txn = Begin();
  rocksdb_transaction_put_cf(txn, other, "a", 1, "1", 1, &error);
  CHECK_OK(error);
  rocksdb_transaction_put_cf(txn, other, "b", 1, "2", 1, &error);
  CHECK_OK(error);
  rocksdb_transaction_delete_cf(txn, other, "b", 1, &error);
  CHECK_OK(error);
  rocksdb_transaction_merge_cf(txn, other, "sum", 3, kOne, 8, &error);
  CHECK_OK(error);
  char* found = rocksdb_transaction_get_cf(txn, reading, other, "a", 1, &size, &error);
  ExpectValue(found, size, "1");
  ExpectPinned(rocksdb_transaction_get_pinned_cf(txn, reading, other, "b", 1, &error), NULL);
  found = rocksdb_transaction_get_for_update_cf(txn, reading, other, "c", 1, &size, 1, &error);
  ExpectValue(found, size, NULL);
  ExpectPinned(rocksdb_transaction_get_pinned_for_update_cf(txn, reading, other, "a", 1, 1, &error), "1");
  found = rocksdb_transaction_get_cf(txn, reading, other, "sum", 3, &size, &error);
  CHECK_OK(error);
  CHECK(size == 8 && found[0] == 2);
  rocksdb_free(found);
  rocksdb_iterator_t* it = rocksdb_transaction_create_iterator_cf(txn, reading, other);
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "a", "1");
  rocksdb_iter_next(it);
  ExpectAt(it, "m1", "other");
  rocksdb_iter_destroy(it);
  ExpectInTxn(txn, "b", NULL);
  rocksdb_transactiondb_put_cf(db, writing, other, "c", 1, "1", 1, &error);
  ExpectError("timed out");
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  found = rocksdb_transactiondb_get_cf(db, reading, other, "sum", 3, &size, &error);
  CHECK_OK(error);
  CHECK(size == 8 && found[0] == 2);
  rocksdb_free(found);
  ExpectPinned(rocksdb_transactiondb_get_pinned_cf(db, reading, other, "a", 1, &error), "1");
  rocksdb_transactiondb_delete_cf(db, writing, other, "a", 1, &error);
  CHECK_OK(error);
  it = rocksdb_transactiondb_create_iterator_cf(db, reading, other);
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "m1", "other");
  rocksdb_iter_destroy(it);

  rocksdb_column_family_handle_t* made = rocksdb_transactiondb_create_column_family(db, options, "made", &error);
  CHECK_OK(error);
  rocksdb_transactiondb_put_cf(db, writing, made, "k", 1, "v", 1, &error);
  CHECK_OK(error);
  rocksdb_column_family_handle_destroy(made);
}

static void TestWriteBatches(void) {
  phase = "write batches";
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "w1", 2, "1", 1);
  rocksdb_writebatch_put(batch, "w2", 2, "2", 1);
  rocksdb_transaction_t* txn = Begin();
  rocksdb_transaction_rebuild_from_writebatch(txn, batch, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "w1", "1");
  rocksdb_transactiondb_write(db, writing, batch, &error);
  ExpectError("timed out");
  rocksdb_writebatch_wi_t* own = rocksdb_transaction_get_writebatch_wi(txn);
  CHECK(rocksdb_writebatch_wi_count(own) == 2);
  rocksdb_writebatch_wi_put(own, "w3", 2, "untracked", 9);
  size_t size = 0;
  rocksdb_writebatch_wi_data(own, &size);
  CHECK(size > 12);
  rocksdb_free(own);
  DbPut("w3", "plain");
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  ExpectInDb("w2", "2");
  ExpectInDb("w3", "untracked");
  rocksdb_writebatch_put(batch, "w1", 2, "again", 5);
  rocksdb_transactiondb_write(db, writing, batch, &error);
  CHECK_OK(error);
  ExpectInDb("w1", "again");
  rocksdb_writebatch_destroy(batch);

  rocksdb_writebatch_wi_t* wi = rocksdb_writebatch_wi_create(0, 1);
  rocksdb_writebatch_wi_put(wi, "w4", 2, "4", 1);
  txn = Begin();
  rocksdb_transaction_rebuild_from_writebatch_wi(txn, wi, &error);
  CHECK_OK(error);
  rocksdb_writebatch_wi_destroy(wi);
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  ExpectInDb("w4", "4");
}

static void TestMerges(const char* path) {
  phase = "merges of the default family";
  rocksdb_options_t* summing = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(summing, 1);
  rocksdb_options_set_uint64add_merge_operator(summing);
  db = rocksdb_transactiondb_open(summing, db_options, path, &error);
  CHECK_OK(error);
  rocksdb_transactiondb_merge(db, writing, "n", 1, kOne, 8, &error);
  CHECK_OK(error);
  rocksdb_transaction_t* txn = Begin();
  rocksdb_transaction_merge(txn, "n", 1, kOne, 8, &error);
  CHECK_OK(error);
  rocksdb_transactiondb_merge(db, writing, "n", 1, kOne, 8, &error);
  ExpectError("timed out");
  size_t size = 0;
  char* found = rocksdb_transaction_get(txn, reading, "n", 1, &size, &error);
  CHECK_OK(error);
  CHECK(size == 8 && found[0] == 2);
  rocksdb_free(found);
#ifdef TEST_NEWER_THAN_7_8
  rocksdb_transaction_put_log_data(txn, "note", 4);
#endif
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  rocksdb_transactiondb_close(db);
  rocksdb_destroy_db(summing, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(summing);
}

static void TestAdministration(const char* path) {
  phase = "administration";
  char* value = rocksdb_transactiondb_property_value(db, "rocksdb.num-snapshots");
  CHECK(value != NULL && strcmp(value, "0") == 0);
  rocksdb_free(value);
  CHECK(rocksdb_transactiondb_property_value(db, "rocksdb.no-such-property") == NULL);
  uint64_t number = 99;
  CHECK(rocksdb_transactiondb_property_int(db, "rocksdb.num-snapshots", &number) == 0 && number == 0);
  CHECK(rocksdb_transactiondb_property_int(db, "rocksdb.no-such-property", &number) == -1);
  rocksdb_flushoptions_t* flushing = rocksdb_flushoptions_create();
  rocksdb_transactiondb_flush_wal(db, 1, &error);
  CHECK_OK(error);
  rocksdb_transactiondb_flush_cf(db, flushing, other, &error);
  CHECK_OK(error);
  rocksdb_transactiondb_flush(db, flushing, &error);
  CHECK_OK(error);
#ifdef TEST_NEWER_THAN_7_8
  rocksdb_transactiondb_flush_cfs(db, flushing, handles, 2, &error);
  CHECK_OK(error);
  rocksdb_t* base = rocksdb_transactiondb_get_base_db(db);
  Put(base, "base", "1");
  rocksdb_transactiondb_close_base_db(base);
  ExpectInDb("base", "1");
#endif
  CHECK(rocksdb_transactiondb_property_int(db, "rocksdb.num-entries-active-mem-table", &number) == 0);
  rocksdb_flushoptions_destroy(flushing);

  char directory[600];
  snprintf(directory, sizeof(directory), "%s.checkpoint", path);
  rocksdb_destroy_db(options, directory, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_t* checkpoint = rocksdb_transactiondb_checkpoint_object_create(db, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_create(checkpoint, directory, 0, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_object_destroy(checkpoint);
  rocksdb_destroy_db(options, directory, &error);
  CHECK_OK(error);
}

static void TestNames(void) {
  phase = "names";
  rocksdb_transaction_t* txn = Begin();
  size_t size = 99;
  char* name = rocksdb_transaction_get_name(txn, &size);
  CHECK(name != NULL && size == 0);
  rocksdb_free(name);
  rocksdb_transaction_set_name(txn, "", 0, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_transaction_set_name(txn, "n\0me", 4, &error);
  CHECK_OK(error);
  name = rocksdb_transaction_get_name(txn, &size);
  CHECK(size == 4 && memcmp(name, "n\0me", 4) == 0);
  rocksdb_free(name);
  rocksdb_transaction_t* second = Begin();
  rocksdb_transaction_set_name(second, "n\0me", 4, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_transaction_destroy(second);
  CHECK(rocksdb_transactiondb_get_prepared_transactions(db, &size) == NULL && size == 0);
  rocksdb_transaction_destroy(txn);
}

/* A database is left with prepared transactions, and opened again. */
static void TestPrepare(const char* path) {
  phase = "prepare";
  const char* const names[2] = {"first", "second"};
  db = rocksdb_transactiondb_open(options, db_options, path, &error);
  CHECK_OK(error);
  for (int i = 0; i < 2; ++i) {
    rocksdb_transaction_t* txn = Begin();
    rocksdb_transaction_set_name(txn, names[i], strlen(names[i]), &error);
    CHECK_OK(error);
    TxnPut(txn, names[i], "prepared");
    rocksdb_transaction_prepare(txn, &error);
#ifdef TEST_NEWER_THAN_7_8
    if (error != NULL && strstr(error, "Not implemented") != NULL) { /* no two-phase commit */
      rocksdb_free(error);
      error = NULL;
      rocksdb_transaction_destroy(txn);
      rocksdb_transactiondb_close(db);
      return;
    }
#endif
    CHECK_OK(error);
    rocksdb_transaction_destroy(txn);
  }
  rocksdb_transactiondb_close(db);
  db = rocksdb_transactiondb_open(options, db_options, path, &error);
  CHECK_OK(error);
  ExpectInDb("first", NULL);
  size_t count = 0;
  rocksdb_transaction_t** prepared = rocksdb_transactiondb_get_prepared_transactions(db, &count);
  CHECK(count == 2);
  for (size_t i = 0; i < count; ++i) {
    size_t size = 0;
    char* name = rocksdb_transaction_get_name(prepared[i], &size);
    if (size == 5 && memcmp(name, "first", 5) == 0) {
      rocksdb_transaction_commit(prepared[i], &error);
    } else {
      CHECK(size == 6 && memcmp(name, "second", 6) == 0);
      rocksdb_transaction_rollback(prepared[i], &error);
    }
    CHECK_OK(error);
    rocksdb_free(name);
    rocksdb_transaction_destroy(prepared[i]);
  }
  rocksdb_free(prepared);
  ExpectInDb("first", "prepared");
  ExpectInDb("second", NULL);
  rocksdb_transactiondb_close(db);
}

static void TestOptions(const char* path) {
  phase = "options";
  rocksdb_transactiondb_options_t* few = rocksdb_transactiondb_options_create();
  rocksdb_transactiondb_options_set_max_num_locks(few, 1);
  rocksdb_transactiondb_options_set_num_stripes(few, 1);
  rocksdb_transactiondb_options_set_default_lock_timeout(few, 1);
  rocksdb_transactiondb_options_set_transaction_lock_timeout(few, 1);
  db = rocksdb_transactiondb_open(options, few, path, &error);
  CHECK_OK(error);
  rocksdb_transaction_options_t* small = rocksdb_transaction_options_create();
  rocksdb_transaction_options_set_deadlock_detect(small, 1);
  rocksdb_transaction_options_set_deadlock_detect_depth(small, 10);
  rocksdb_transaction_options_set_lock_timeout(small, 1);
  rocksdb_transaction_options_set_max_write_batch_size(small, 64);
  rocksdb_transaction_options_set_skip_prepare(small, 0);
  rocksdb_transaction_t* txn = rocksdb_transaction_begin(db, writing, small, NULL);
  char big[100] = "";
  rocksdb_transaction_put(txn, "a", 1, big, sizeof(big), &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_transaction_put(txn, "a", 1, "1", 1, &error);
  CHECK_OK(error);
  rocksdb_transaction_put(txn, "b", 1, "1", 1, &error);
  ExpectError("max_num_locks");
  rocksdb_transaction_commit(txn, &error);
  CHECK(error != NULL); /* it was not prepared */
  rocksdb_free(error);
  error = NULL;
  rocksdb_transaction_options_set_skip_prepare(small, 1);
  rocksdb_transaction_options_set_expiration(small, 0); /* at once */
  CHECK(rocksdb_transaction_begin(db, writing, small, txn) == txn);
  rocksdb_transaction_commit(txn, &error);
  ExpectError("expired");
  rocksdb_transaction_destroy(txn);
  rocksdb_transactiondb_close(db);
  rocksdb_transaction_options_destroy(small);
  rocksdb_transactiondb_options_destroy(few);
}

#ifdef TEST_NEWER_THAN_7_8
#define EXPECT_OPTION(object, options, field, value)  \
  do {                                                \
    rocksdb_##object##_set_##field(options, value);   \
    CHECK(rocksdb_##object##_get_##field(options) == value); \
  } while (0)

static void TestNewerOptions(const char* path) {
  phase = "options that newer releases have";
  rocksdb_transactiondb_options_t* all = rocksdb_transactiondb_options_create();
  EXPECT_OPTION(transactiondb_options, all, max_num_locks, -2);
  EXPECT_OPTION(transactiondb_options, all, num_stripes, 3);
  EXPECT_OPTION(transactiondb_options, all, transaction_lock_timeout, 4);
  EXPECT_OPTION(transactiondb_options, all, default_lock_timeout, 5);
  EXPECT_OPTION(transactiondb_options, all, max_num_deadlocks, 6);
  EXPECT_OPTION(transactiondb_options, all, rollback_merge_operands, 1);
  EXPECT_OPTION(transactiondb_options, all, use_per_key_point_lock_mgr, 1);
  EXPECT_OPTION(transactiondb_options, all, skip_concurrency_control, 1);
  EXPECT_OPTION(transactiondb_options, all, default_write_batch_flush_threshold, 7);
  EXPECT_OPTION(transactiondb_options, all, enable_udt_validation, 0);
  EXPECT_OPTION(transactiondb_options, all, txn_commit_bypass_memtable_threshold, 8);
  EXPECT_OPTION(transactiondb_options, all, write_policy, rocksdb_txndb_write_policy_write_prepared);
  db = rocksdb_transactiondb_open(options, all, path, &error);
  CHECK_OK(error);
  rocksdb_transactiondb_close(db);
  EXPECT_OPTION(transactiondb_options, all, write_policy, rocksdb_txndb_write_policy_write_committed);
  db = rocksdb_transactiondb_open(options, all, path, &error);
  CHECK_OK(error);
  rocksdb_transaction_options_t* one = rocksdb_transaction_options_create();
  EXPECT_OPTION(transaction_options, one, set_snapshot, 1);
  EXPECT_OPTION(transaction_options, one, deadlock_detect, 1);
  EXPECT_OPTION(transaction_options, one, lock_timeout, 2);
  EXPECT_OPTION(transaction_options, one, expiration, 1000000);
  EXPECT_OPTION(transaction_options, one, deadlock_detect_depth, 4);
  EXPECT_OPTION(transaction_options, one, max_write_batch_size, 500);
  EXPECT_OPTION(transaction_options, one, skip_prepare, 1);
  EXPECT_OPTION(transaction_options, one, use_only_the_last_commit_time_batch_for_recovery, 1);
  EXPECT_OPTION(transaction_options, one, deadlock_timeout_us, 6);
  EXPECT_OPTION(transaction_options, one, skip_concurrency_control, 1);
  EXPECT_OPTION(transaction_options, one, write_batch_flush_threshold, 7);
  EXPECT_OPTION(transaction_options, one, write_batch_track_timestamp_size, 1);
  EXPECT_OPTION(transaction_options, one, commit_bypass_memtable, 1);
  EXPECT_OPTION(transaction_options, one, large_txn_commit_optimize_threshold, 8);
  EXPECT_OPTION(transaction_options, one, large_txn_commit_optimize_byte_threshold, 9);
  rocksdb_transaction_t* txn = rocksdb_transaction_begin(db, writing, one, NULL);
  rocksdb_transaction_set_commit_timestamp(txn, 5);
  rocksdb_transaction_set_read_timestamp_for_validation(txn, 5);
  TxnPut(txn, "k", "v");
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  ExpectInDb("k", "v");
  rocksdb_transactiondb_close(db);
  rocksdb_transaction_options_destroy(one);
  rocksdb_transactiondb_options_destroy(all);
}
#endif

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_transaction_db_test DIRECTORY\n");
    return 2;
  }
  const char* const path = argv[1];
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_destroy_db(options, path, &error);
  CHECK_OK(error);
  rocksdb_options_t* summing = rocksdb_options_create();
  rocksdb_options_set_uint64add_merge_operator(summing);
  db_options = rocksdb_transactiondb_options_create();
  rocksdb_transactiondb_options_set_transaction_lock_timeout(db_options, 1);
  rocksdb_transactiondb_options_set_default_lock_timeout(db_options, 1);
  txn_options = rocksdb_transaction_options_create();
  const char* const names[] = {"default", "other"};
  const rocksdb_options_t* const of_families[] = {options, summing};
  db = rocksdb_transactiondb_open_column_families(options, db_options, path, 2, names, of_families, handles, &error);
  CHECK_OK(error);
  other = handles[1];
  TestCommit();
  TestLocks();
  TestSavePoints();
  TestSnapshots();
  TestMultiGet();
  TestFamilies();
  TestWriteBatches();
  TestNames();
  TestAdministration(path);
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_transactiondb_close(db);
  rocksdb_destroy_db(options, path, &error);
  CHECK_OK(error);
  TestMerges(path);
  TestOptions(path);
#ifdef TEST_NEWER_THAN_7_8
  TestNewerOptions(path);
#endif
  TestPrepare(path);
  rocksdb_destroy_db(options, path, &error);
  CHECK_OK(error);
  rocksdb_transaction_options_destroy(txn_options);
  rocksdb_transactiondb_options_destroy(db_options);
  rocksdb_options_destroy(summing);
  rocksdb_options_destroy(options);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  printf("transactions that lock work from C\n");
  return 0;
}
