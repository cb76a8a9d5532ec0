/* What the C tests of a database with only the default family share: its options, and checks of
 * what it holds. */
#ifndef CAIRN_TEST_C_API_DATABASE_H_
#define CAIRN_TEST_C_API_DATABASE_H_

#include <rocksdb/c.h>
#include <string.h>

#include "check.h"

static rocksdb_options_t* options;
static rocksdb_readoptions_t* reading;
static rocksdb_writeoptions_t* writing;
static char* error = NULL;

static inline void Put(rocksdb_t* db, const char* key, const char* value) {
  rocksdb_put(db, writing, key, strlen(key), value, strlen(value), &error);
  CHECK_OK(error);
}

/* `value` NULL: there must be none. */
static inline void ExpectGet(rocksdb_t* db, const rocksdb_readoptions_t* how, const char* key,
                             const char* value) {
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

static inline void ExpectAt(const rocksdb_iterator_t* it, const char* key, const char* value) {
  size_t size;
  CHECK(rocksdb_iter_valid(it));
  const char* data = rocksdb_iter_key(it, &size);
  CHECK(size == strlen(key) && memcmp(data, key, size) == 0);
  data = rocksdb_iter_value(it, &size);
  CHECK(size == strlen(value) && memcmp(data, value, size) == 0);
}

#endif
