/* What the C tests of transactions share: operations on the default family, and checks of what is
 * there. */
#ifndef CAIRN_TEST_C_API_TRANSACTIONS_H_
#define CAIRN_TEST_C_API_TRANSACTIONS_H_

#include <rocksdb/c.h>
#include <string.h>

#include "check.h"
#include "database.h"

/* Gives `found` back. `value` NULL: there must be none. */
static inline void ExpectValue(char* found, size_t size, const char* value) {
  CHECK_OK(error);
  CHECK((found == NULL) == (value == NULL));
  CHECK(size == (value == NULL ? 0 : strlen(value)));
  if (value != NULL) CHECK(memcmp(found, value, size) == 0);
  rocksdb_free(found);
}
static inline void ExpectPinned(rocksdb_pinnableslice_t* found, const char* value) {
  CHECK_OK(error);
  CHECK((found == NULL) == (value == NULL));
  if (value == NULL) return;
  size_t size = 0;
  const char* data = rocksdb_pinnableslice_value(found, &size);
  CHECK(size == strlen(value) && memcmp(data, value, size) == 0);
  rocksdb_pinnableslice_destroy(found);
}

static inline void TxnPut(rocksdb_transaction_t* txn, const char* key, const char* value) {
  rocksdb_transaction_put(txn, key, strlen(key), value, strlen(value), &error);
  CHECK_OK(error);
}
static inline void ExpectInTxn(rocksdb_transaction_t* txn, const char* key, const char* value) {
  size_t size = 99;
  char* found = rocksdb_transaction_get(txn, reading, key, strlen(key), &size, &error);
  ExpectValue(found, size, value);
  ExpectPinned(rocksdb_transaction_get_pinned(txn, reading, key, strlen(key), &error), value);
}
static inline void Commit(rocksdb_transaction_t* txn) {
  rocksdb_transaction_commit(txn, &error);
  CHECK_OK(error);
}

/* There must be an error that says this. */
static inline void ExpectError(const char* what) {
  CHECK(error != NULL);
  if (strstr(error, what) == NULL) fprintf(stderr, "%s\n", error);
  CHECK(strstr(error, what) != NULL);
  rocksdb_free(error);
  error = NULL;
}

/* The answers of a multi-get. `values` NULL: none. */
static inline void ExpectAnswers(int n, char** found, const size_t* sizes, char** errs,
                                 const char* const* values) {
  for (int i = 0; i < n; ++i) {
    CHECK_OK(errs[i]);
    ExpectValue(found[i], sizes[i], values[i]);
  }
}

#endif
