/* The C interface, in C: databases whose transactions look for conflicts when they commit. Compiled against Cairn's header and library
   and against RocksDB's. Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"
#include "transactions.h"

static rocksdb_optimistictransactiondb_t* db;
static rocksdb_t* base;
static rocksdb_optimistictransaction_options_t* txn_options;

static rocksdb_transaction_t* Begin(void) { return rocksdb_optimistictransaction_begin(db, writing, txn_options, NULL); }

static void TestCommit(void) {
  phase = "commit";
  rocksdb_transaction_t* txn = Begin();
  TxnPut(txn, "a", "one");
  ExpectInTxn(txn, "a", "one");
  ExpectGet(base, reading, "a", NULL);
  rocksdb_iterator_t* it = rocksdb_transaction_create_iterator(txn, reading);
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "a", "one");
  rocksdb_iter_destroy(it);
  Commit(txn);
  ExpectGet(base, reading, "a", "one");

  phase = "a transaction anew";
  CHECK(rocksdb_optimistictransaction_begin(db, writing, txn_options, txn) == txn);
  TxnPut(txn, "a", "two");
  rocksdb_transaction_set_savepoint(txn);
  rocksdb_transaction_delete(txn, "a", 1, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "a", NULL);
  rocksdb_transaction_rollback_to_savepoint(txn, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "a", "two");
  rocksdb_transaction_rollback(txn, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "a", "one");
  rocksdb_transaction_destroy(txn);
}

static void TestConflicts(void) {
  phase = "conflicts";
  size_t size = 0;
  rocksdb_transaction_t* first = Begin();
  rocksdb_transaction_t* second = Begin();
  TxnPut(first, "k", "first");
  TxnPut(second, "k", "second");
  Commit(first);
  rocksdb_transaction_commit(second, &error);
  ExpectError("Resource busy");
  ExpectGet(base, reading, "k", "first");
  rocksdb_transaction_destroy(first);
  rocksdb_transaction_destroy(second);

  /* What was read for an update. */
  rocksdb_transaction_t* txn = Begin();
  char* found = rocksdb_transaction_get_for_update(txn, reading, "k", 1, &size, 1, &error);
  ExpectValue(found, size, "first");
  TxnPut(txn, "other", "1");
  Put(base, "k", "plain");
  rocksdb_transaction_commit(txn, &error);
  ExpectError("Resource busy");
  rocksdb_transaction_destroy(txn);

  /* Batches are written without a transaction, and are conflicts. */
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "k", 1, "batch", 5);
  txn = Begin();
  TxnPut(txn, "k", "txn");
  rocksdb_optimistictransactiondb_write(db, writing, batch, &error);
  CHECK_OK(error);
  rocksdb_transaction_commit(txn, &error);
  ExpectError("Resource busy");
  ExpectGet(base, reading, "k", "batch");
  rocksdb_transaction_destroy(txn);
  rocksdb_writebatch_destroy(batch);
}

static void TestSnapshots(void) {
  phase = "snapshots";
  Put(base, "s", "then");
  rocksdb_optimistictransaction_options_set_set_snapshot(txn_options, 1);
  rocksdb_transaction_t* txn = Begin();
  rocksdb_optimistictransaction_options_set_set_snapshot(txn_options, 0);
  Put(base, "s", "now");
  const rocksdb_snapshot_t* snapshot = rocksdb_transaction_get_snapshot(txn);
  rocksdb_readoptions_t* then = rocksdb_readoptions_create();
  rocksdb_readoptions_set_snapshot(then, snapshot);
  size_t size = 0;
  char* found = rocksdb_transaction_get(txn, then, "s", 1, &size, &error);
  ExpectValue(found, size, "then");
  TxnPut(txn, "s", "mine");
  rocksdb_transaction_commit(txn, &error);
  ExpectError("Resource busy");
  rocksdb_readoptions_destroy(then);
  rocksdb_free((void*)snapshot);
  rocksdb_transaction_destroy(txn);
}

static void TestFailures(void) {
  phase = "what locks are for";
  rocksdb_transaction_t* txn = Begin();
  rocksdb_transaction_set_name(txn, "name", 4, &error);
  ExpectError("Invalid argument");
  rocksdb_transaction_prepare(txn, &error);
  ExpectError("Invalid argument");
  rocksdb_transaction_destroy(txn);
}

static void TestAdministration(const char* path) {
  phase = "administration";
  char* value = rocksdb_optimistictransactiondb_property_value(db, "rocksdb.num-snapshots");
  CHECK(value != NULL && strcmp(value, "0") == 0);
  rocksdb_free(value);
  CHECK(rocksdb_optimistictransactiondb_property_value(db, "rocksdb.no-such-property") == NULL);
  uint64_t number = 99;
  CHECK(rocksdb_optimistictransactiondb_property_int(db, "rocksdb.num-snapshots", &number) == 0 && number == 0);
  CHECK(rocksdb_optimistictransactiondb_property_int(db, "rocksdb.no-such-property", &number) == -1);
  char directory[600];
  snprintf(directory, sizeof(directory), "%s.checkpoint", path);
  rocksdb_destroy_db(options, directory, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_t* checkpoint = rocksdb_optimistictransactiondb_checkpoint_object_create(db, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_create(checkpoint, directory, 0, &error);
  CHECK_OK(error);
  rocksdb_checkpoint_object_destroy(checkpoint);
  rocksdb_t* copy = rocksdb_open(options, directory, &error);
  CHECK_OK(error);
  ExpectGet(copy, reading, "a", "one");
  rocksdb_close(copy);
  rocksdb_destroy_db(options, directory, &error);
  CHECK_OK(error);
}

/* Of a database with two families, which it closes. */
static void TestFamilies(rocksdb_column_family_handle_t** handles) {
  phase = "families";
  rocksdb_column_family_handle_t* const other = handles[1];
  rocksdb_transaction_t* txn = Begin();
  rocksdb_transaction_put_cf(txn, other, "k", 1, "v", 1, &error);
  CHECK_OK(error);
  rocksdb_transaction_put_cf(txn, other, "x", 1, "v", 1, &error);
  CHECK_OK(error);
  ExpectInTxn(txn, "x", NULL);
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  base = rocksdb_optimistictransactiondb_get_base_db(db);
  size_t size = 0;
  char* found = rocksdb_get_cf(base, reading, other, "k", 1, &size, &error);
  ExpectValue(found, size, "v");
  /* The same key of another family is no conflict. */
  txn = Begin();
  rocksdb_transaction_put_cf(txn, other, "k", 1, "w", 1, &error);
  CHECK_OK(error);
  Put(base, "k", "default");
  Commit(txn);
  rocksdb_transaction_destroy(txn);
  rocksdb_optimistictransactiondb_close_base_db(base);
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_optimistictransactiondb_close(db);
}

#ifdef TEST_NEWER_THAN_7_8
static void TestNewerOptions(const char* path, const char* const* names, const rocksdb_options_t* const* of_families) {
  phase = "options that newer releases have";
  rocksdb_optimistictransaction_options_set_set_snapshot(txn_options, 1);
  CHECK(rocksdb_optimistictransaction_options_get_set_snapshot(txn_options) == 1);
  rocksdb_optimistictransaction_options_set_set_snapshot(txn_options, 0);
  CHECK(rocksdb_optimistictransaction_options_get_set_snapshot(txn_options) == 0);

  rocksdb_optimistictransactiondb_lock_buckets_t* buckets = rocksdb_optimistictransactiondb_lock_buckets_create(100, 1);
  CHECK(rocksdb_optimistictransactiondb_lock_buckets_approximate_memory_usage(buckets) >= 6400);
  rocksdb_optimistictransactiondb_options_t* how = rocksdb_optimistictransactiondb_options_create();
  CHECK(rocksdb_optimistictransactiondb_options_get_validate_policy(how) == 1);
  rocksdb_optimistictransactiondb_options_set_occ_lock_buckets(how, 50);
  CHECK(rocksdb_optimistictransactiondb_options_get_occ_lock_buckets(how) == 50);
  rocksdb_optimistictransactiondb_options_set_shared_lock_buckets(how, NULL);
  rocksdb_optimistictransactiondb_options_set_shared_lock_buckets(how, buckets);
  rocksdb_optimistictransactiondb_lock_buckets_destroy(buckets);
  for (int policy = 0; policy < 2; ++policy) {
    rocksdb_optimistictransactiondb_options_set_validate_policy(how, policy);
    CHECK(rocksdb_optimistictransactiondb_options_get_validate_policy(how) == policy);
    rocksdb_column_family_handle_t* handles[2];
    db = rocksdb_optimistictransactiondb_open_column_families_with_otxn_db_options(options, how, path, 2, names, of_families,
                                                                                  handles, &error);
    CHECK_OK(error);
    TestFamilies(handles);
  }
  CHECK(rocksdb_optimistictransactiondb_open_with_otxn_db_options(options, how, path, &error) == NULL);
  ExpectError("olumn famil"); /* there are two */
  rocksdb_destroy_db(options, path, &error);
  CHECK_OK(error);
  db = rocksdb_optimistictransactiondb_open_with_otxn_db_options(options, how, path, &error);
  CHECK_OK(error);
  base = rocksdb_optimistictransactiondb_get_base_db(db);
  TestConflicts();
  rocksdb_optimistictransactiondb_close_base_db(base);
  rocksdb_optimistictransactiondb_close(db);
  rocksdb_optimistictransactiondb_options_destroy(how);
}
#endif

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_optimistic_transactions_test DIRECTORY\n");
    return 2;
  }
  const char* const path = argv[1];
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  txn_options = rocksdb_optimistictransaction_options_create();
  rocksdb_destroy_db(options, path, &error);
  CHECK_OK(error);
  CHECK(rocksdb_optimistictransactiondb_open(options, path, &error) == NULL);
  ExpectError("does not exist");
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  db = rocksdb_optimistictransactiondb_open(options, path, &error);
  CHECK_OK(error);
  base = rocksdb_optimistictransactiondb_get_base_db(db);
  TestCommit();
  TestConflicts();
  TestSnapshots();
  TestFailures();
  TestAdministration(path);
  rocksdb_optimistictransactiondb_close_base_db(base);
  rocksdb_optimistictransactiondb_close(db);

  const char* const names[] = {"default", "other"};
  const rocksdb_options_t* const of_families[] = {options, options};
  rocksdb_column_family_handle_t* handles[2];
  db = rocksdb_optimistictransactiondb_open_column_families(options, path, 2, names, of_families, handles, &error);
  CHECK_OK(error);
  TestFamilies(handles);
#ifdef TEST_NEWER_THAN_7_8
  TestNewerOptions(path, names, of_families);
#endif
  rocksdb_destroy_db(options, path, &error);
  CHECK_OK(error);
  rocksdb_optimistictransaction_options_destroy(txn_options);
  rocksdb_options_destroy(options);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  printf("optimistic transactions work from C\n");
  return 0;
}
